"""The duties of every player, whatever it is."""

import itertools
import shlex
import sys
from collections.abc import Iterator

import pytest

from gobang.players import make_player, parse
from gobang.players.player import Player, Turn
from gobang.rules.position import Position
from gobang.types import UNDECIDED, Variant

VARIANTS = [Variant.square(6, k=4), Variant.square(9, rule="renju"), Variant(height=5, width=7, rule="standard")]
ENGINE = shlex.join([sys.executable, "-m", "gobang.gomocup", "--player", "random"])
SPECS = [
    "random",
    "pattern",
    "alphabeta:nodes=200",
    "alphabeta:search=minimax,threats=off,depth=1",
    "rollout:sims=50",
    "rollout:sims=50,search=ucb1",
    "hmcts:sims=50",
    "critic:builtin",
    "critic:builtin,depth=2,explore=0.5",
    "uniform:sims=16,threes=on",
    "alphabeta:nodes=200,threes=on",
    "uniform:sims=16",
    "uniform:sims=16,search=gumbel",
    f"gomocup:{ENGINE} --k {{k}}",
]


CASES = [
    *itertools.product(SPECS, VARIANTS),
    ("exact", Variant.square(4, k=4)),
    *itertools.product(
        ("pattern", "alphabeta:nodes=200,threes=on", "critic:builtin"), [Variant.square(7, rule="caro")]
    ),
    ("net:builtin-5x5,sims=8", Variant.square(5, k=4)),
    ("net:builtin-5x5,sims=16,leaves=2,threads=2", Variant.square(5, k=4)),
    ("net:builtin-5x5,ms=5,threads=2", Variant.square(5, k=4)),
]


@pytest.fixture
def player(spec: str, variant: Variant) -> Iterator[Player]:
    made = make_player(parse(spec.format(k=variant.k)), variant, seed=1)
    yield made
    made.close()


@pytest.mark.parametrize(("spec", "variant"), CASES, ids=lambda each: str(each).partition(":")[0])
def test_plays_legal_moves_to_the_end_against_itself(player: Player, variant: Variant) -> None:
    positions = [Position(variant) for _ in range(min(3, player.games_at_once))]
    while playing := [game for game, position in enumerate(positions) if position.outcome == UNDECIDED]:
        turns = [Turn(game=game, position=positions[game]) for game in playing]
        for game, point in zip(playing, player.choose(turns), strict=True):
            positions[game].play(point)
    assert all(position.outcome in (0, 1, variant.draw) for position in positions)
