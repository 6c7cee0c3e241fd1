"""The player that asks a learned critic."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from gobang.critic.file import critic_bytes, read_critic
from gobang.critic.network import new_critic
from gobang.errors import InvalidCheckpoint, InvalidSpec
from gobang.openings import balanced_openings
from gobang.players import make_player, parse
from gobang.players.critic import CriticPlayer
from gobang.players.player import Turn
from gobang.rules.board import is_win
from gobang.rules.geometry import geometry
from gobang.rules.position import Position, parse_point, point_name
from gobang.types import EMPTY, UNDECIDED, Variant

BOARD = Variant.square(15)


def chosen(black: str, white: str, spec: str = "critic:builtin", seed: int = 1) -> str:
    """Its move for black."""
    stones = [[parse_point(BOARD, name) for name in names.split()] for names in (black, white)]
    position = Position.from_stones(BOARD, stones, 0)
    return point_name(BOARD, make_player(parse(spec), BOARD, seed).choose([Turn(game=0, position=position)])[0])


@pytest.mark.parametrize(
    ("black", "white", "moves"),
    [
        ("c3 d3 e3 f3", "c5 d5 e5 f5", {"b3", "g3"}),  # wins before it blocks
        ("h8 i10 j5", "b5 c5 d5 e5 m12", {"a5", "f5"}),
        ("g8 h8 i8 b2", "a1 c12 d12 m4", {"f8", "j8"}),
    ],
)
def test_the_one_in_the_package_has_learned_to_win_and_to_block(black: str, white: str, moves: set[str]) -> None:
    assert chosen(black, white) in moves


def winning(position: Position, player: int) -> list[int]:
    """The points that complete a row for a player."""
    found, cells = [], position.cells.copy()
    for point in np.flatnonzero(cells == EMPTY).tolist():
        cells[point] = player + 1
        if is_win(geometry(BOARD), cells, point):
            found.append(point)
        cells[point] = EMPTY
    return found


def test_it_does_so_in_games() -> None:
    critic, opponent = (make_player(parse(spec), BOARD, 1) for spec in ("critic:builtin", "pattern"))
    wins, blocks = [], []
    for number, opening in enumerate(balanced_openings(BOARD)[:60]):
        position = Position(BOARD, opening)
        while position.outcome == UNDECIDED:
            player = critic if (len(position.moves) + number) % 2 == 0 else opponent
            move = player.choose([Turn(game=number, position=position)])[0]
            if player is critic:
                mine, theirs = (winning(position, side) for side in (position.to_move, 1 - position.to_move))
                if mine:
                    wins.append(move in mine)
                elif len(theirs) == 1:
                    blocks.append(move in theirs)
            position.play(move)
    assert len(wins) > 10
    assert len(blocks) > 10
    assert np.mean(wins) > 0.95
    assert np.mean(blocks) > 0.9


def test_looks_at_the_reply_too(tmp_path: Path) -> None:
    path, variant = tmp_path / "critic.safetensors", Variant.square(5, k=4)
    path.write_bytes(critic_bytes(new_critic("full", seed=1), "full", {}))
    one, two = (make_player(parse(f"critic:{path},depth={depth}"), variant, 1) for depth in (1, 2))
    position = Position(variant, [12, 6, 7])
    move = two.choose([Turn(game=0, position=position)])[0]
    assert isinstance(one, CriticPlayer)
    assert isinstance(two, CriticPlayer)
    replies = {}
    for point in np.flatnonzero(position.legal()).tolist():
        position.play(point)
        replies[point] = one.values(position).max()
        position.undo()
    assert replies[move] == min(replies.values())
    position = Position(variant, [0, 5, 1, 6, 2, 7])
    assert two.choose([Turn(game=0, position=position)]) == [3]  # a game that is over needs no judgement


def test_explores_by_seed() -> None:
    first = [chosen("h8", "i9", "critic:builtin,explore=1", seed) for seed in range(10)]
    assert len(set(first)) > 5
    assert first == [chosen("h8", "i9", "critic:builtin,explore=1", seed) for seed in range(10)]


def test_a_file_brings_the_weights_back_in_half_precision(tmp_path: Path) -> None:
    critic = new_critic("small", seed=1)
    path = tmp_path / "critic.safetensors"
    path.write_bytes(critic_bytes(critic, "small", {"games": 3}))
    assert read_critic(path).inward == pytest.approx(critic.inward, abs=1e-3)


def test_files_that_hold_no_critic_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "critic.safetensors"
    with pytest.raises(InvalidCheckpoint, match="holds no critic"):
        read_critic(path)
    whole = critic_bytes(new_critic("small", seed=1), "small", {})
    for content in (whole[:-40], whole.replace(b"small", b"large"), b"{}"):
        path.write_bytes(content)
        with pytest.raises(InvalidCheckpoint, match="holds no critic"):
            read_critic(path)
    sick = new_critic("small", seed=1)
    sick.bias[0] = np.inf
    path.write_bytes(critic_bytes(sick, "small", {}))
    with pytest.raises(InvalidCheckpoint, match="no number"):
        read_critic(path)


def test_more_than_two_players_are_refused() -> None:
    with pytest.raises(InvalidSpec, match="two players, not 3"):
        make_player(parse("critic:builtin"), Variant.square(9, players=3), seed=1)
