"""The worked example of docs/search.md: a win of 21 plies, and a position that only looks won."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from gobang.rules.geometry import geometry
from gobang.rules.position import Position, parse_point
from gobang.search.threats.tactics import WIN, solve, tactics_workspace
from gobang.search.threats.threes import ThreesSolver
from gobang.types import EMPTY, NO_MOVE, Variant
from tests.search.plain_threes import PlainThreats
from tests.search.threats.replays import Replay

PAGE = Path("docs/search.md").read_text("utf-8")
VARIANT = Variant.square(15)
NODES = 50_000


def drawn() -> list[Position]:
    """The positions of the page, black to move; what is not drawn is empty."""
    positions = []
    for drawing in re.findall(r"```\n((?:\d .*\n)+) +a ", PAGE):
        points: dict[str, list[int]] = {"X": [], "O": []}
        for line in drawing.splitlines():
            row, *cells = line.split()
            assert len(cells) == VARIANT.width
            for column, cell in enumerate(cells):
                points.get(cell, []).append((int(row) - 1) * VARIANT.width + column)
        positions.append(Position.from_stones(VARIANT, [points["X"], points["O"]], 0))
    return positions


def threats(position: Position) -> int:
    """How many of black's moves would win by continuous fours if white did nothing."""
    table, fours, found = geometry(VARIANT), tactics_workspace(VARIANT, NODES), 0
    for point in np.flatnonzero(position.cells == EMPTY):
        cells = position.cells.copy()
        cells[point] = 1
        found += solve(table, fours, cells, 0, NODES)[0] == WIN
    return found


def test_the_win_holds_against_every_reply() -> None:
    assert Replay(VARIANT).claims(drawn()[0], NODES)


def test_the_line_of_the_page_is_played_to_its_end() -> None:
    line = re.search(r"hold out for (\d+) plies: ([a-o0-9 \n]+)\.", PAGE)
    assert line is not None
    moves = line[2].split()
    assert len(moves) == int(line[1])
    position, solver = drawn()[0], ThreesSolver(VARIANT)
    for ply, name in enumerate(moves):
        assert ply % 2 or solver.winning_move(position, NODES) != NO_MOVE
        position.play(parse_point(VARIANT, name))
    assert position.outcome == 0


def test_what_only_looks_won_is_not_won_by_any_threats() -> None:
    won, open_position = drawn()
    assert f"There are {threats(open_position)} threats at once, {threats(won)} in the other" in " ".join(PAGE.split())
    solver = ThreesSolver(VARIANT)
    assert solver.winning_move(open_position, NODES) == NO_MOVE
    assert solver.nodes < NODES / 10
    assert not PlainThreats(VARIANT, 0).wins(open_position.cells, VARIANT.points)


@pytest.mark.parametrize(("threats", "wins"), [(0, False), (1, True)])
def test_the_plain_twin_knows_two_threes(threats: int, wins: bool) -> None:
    stones = [["h9", "h10", "i8", "j8"], ["a1", "e1", "i1", "m1"]]
    black, white = ([parse_point(VARIANT, name) for name in names] for names in stones)
    position = Position.from_stones(VARIANT, [black, white], 0)
    assert PlainThreats(VARIANT, 0).wins(position.cells, threats) == wins
