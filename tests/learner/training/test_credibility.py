from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from gobang.types import Boards, SelfPlayGame, Variant
from learner.training.credibility import AT_ONCE, ENOUGH, RECENT, Credibility
from tests.learner.replay.games import stored_games

VARIANT = Variant.square(5, k=4)
TOMORROW = 9


def off_uniform(versions: NDArray[np.int32], boards: Boards, policy: NDArray[np.float32]) -> NDArray[np.float32]:
    """As a network that knows nothing."""
    legal = (boards.cells == 0).sum(axis=1)
    logarithms = np.log(policy, where=policy > 0, out=np.zeros_like(policy))
    divergences: NDArray[np.float32] = (policy * logarithms).sum(axis=1) + np.log(legal)
    return divergences


def searched(game: SelfPlayGame, actor: str, sharpness: float = 0.5) -> SelfPlayGame:
    """As a search that begins with a uniform prior and moves a little away; it notes its surprise."""
    random = np.random.default_rng(len(game))
    shares, surprises, counts = [], [], np.diff(game.policy_start)
    points, moves = [], game.moves.tolist()
    for ply in range(len(game)):
        legal = np.array(sorted({*range(VARIANT.points)} - {*moves[:ply]}), np.int16) if counts[ply] else game.moves[:0]
        weights = np.exp(sharpness * random.standard_normal(len(legal)))
        share = (weights / weights.sum()).astype(np.float32)
        points.append(legal)
        shares.append(share)
        surprises.append(float((share * np.log(share * len(legal))).sum()) if len(legal) else 0.0)
    return replace(
        game,
        id=f"{actor}/{game.id.rpartition('/')[2]}",
        policy_start=np.cumsum([0, *map(len, points)], dtype=np.int32),
        policy_point=np.concatenate(points),
        policy_share=np.concatenate(shares),
        surprise=np.array(surprises, np.float32),
        version=np.zeros(len(game), np.int32),
    )


def honest(actor: str, count: int = RECENT, sharpness: float = 0.5) -> list[SelfPlayGame]:
    return [searched(game, actor, sharpness) for game in stored_games(VARIANT, count, seed=len(actor))]


def made_up(actor: str, count: int = RECENT) -> list[SelfPlayGame]:
    games = stored_games(VARIANT, count, seed=3, actor=actor)
    return [replace(game, version=np.zeros_like(game.version)) for game in games]


def doubted(credibility: Credibility, games: Sequence[SelfPlayGame]) -> list[str]:
    reads = [games[at : at + AT_ONCE] for at in range(0, len(games), AT_ONCE)]
    return [reason for read in reads for reason in credibility.doubts(read, newest=5) if reason]


@pytest.fixture
def credibility() -> Credibility:
    credibility = Credibility(off_uniform)
    assert not doubted(credibility, [*honest("one"), *honest("two"), *honest("three")])
    return credibility


def test_a_game_of_a_version_that_does_not_exist_yet_is_doubted(credibility):
    early, late = honest("one", 2)
    late = replace(late, version=np.array([0] * (len(late) - 1) + [TOMORROW], np.int32))
    assert credibility.doubts([early, late], newest=TOMORROW) == ["", ""]
    assert credibility.doubts([early, late], newest=8) == ["", f"{late.id}: played by version 9, but 8 is the newest"]


def test_who_makes_policies_up_is_doubted_and_nobody_else(credibility):
    reasons = doubted(credibility, made_up("liar"))
    assert len(reasons) == RECENT
    assert "no search's" in reasons[0]
    assert "liar" in reasons[0]
    assert not doubted(credibility, honest("one"))


def test_who_notes_surprises_that_are_not_true_is_doubted(credibility):
    games = [replace(game, surprise=game.surprise + np.float32(1)) for game in honest("proud")]
    assert "surprises" in doubted(credibility, games)[0]


def test_who_is_far_off_the_network_is_doubted_though_it_says_so(credibility):
    assert "policies" in doubted(credibility, honest("sharp", sharpness=3))[0]


def test_liars_who_come_one_after_the_other_are_not_taken_for_what_is_usual(credibility):
    for number in range(10):
        assert doubted(credibility, made_up(f"liar-{number}"))
    assert not doubted(credibility, honest("one"))


def test_of_a_large_read_some_are_compared_and_all_of_a_liar_are_doubted(credibility):
    games = [game for pair in zip(honest("one"), made_up("liar"), strict=True) for game in pair]
    doubted(credibility, games[:AT_ONCE])
    assert len([reason for reason in credibility.doubts(games, newest=5) if reason]) == RECENT


def test_nothing_is_said_after_few_games(credibility):
    assert not doubted(credibility, made_up("liar", ENOUGH - 1))


def test_one_actor_alone_is_believed():
    assert not doubted(Credibility(off_uniform), made_up("alone"))


def test_an_actor_is_believed_again_when_it_plays_well_again(credibility):
    assert doubted(credibility, made_up("mended"))
    doubted(credibility, honest("mended"))
    assert not doubted(credibility, honest("mended", 1))
