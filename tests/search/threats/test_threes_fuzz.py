"""Victory by continuous threats against exhaustive search: no win is claimed that is none."""

from __future__ import annotations

import os
from collections.abc import Iterator

import numpy as np
import pytest

from gobang.rules.geometry import geometry
from gobang.rules.position import Position
from gobang.search.proof.exact import LOST, ExactSolver
from gobang.search.threats.tactical_positions import tactical_positions
from gobang.search.threats.tactics import WIN, solve, tactics_workspace
from gobang.search.threats.threes import find_win, threes_workspace
from gobang.types import NO_MOVE, Variant
from tests.search.brute_force import wins_with
from tests.search.threats.replays import Replay

NODES = 3000

# Variant and how many stones its positions have.
SOLVED = [
    (Variant(height=5, width=5, k=4), (9, 14)),
    (Variant(height=6, width=6, k=4), (8, 16)),
    (Variant(height=6, width=6, k=5), (12, 20)),
]
SEARCHED = [
    (Variant(height=5, width=5, k=4, rule="standard"), (12, 18)),
    (Variant(height=5, width=6, k=4, rule="standard"), (17, 24)),
]
REPLAYED = [
    (Variant.square(7, k=4, rule="standard"), (8, 20)),
    (Variant.square(9, rule="standard"), (10, 30)),
    (Variant.square(9, rule="renju"), (10, 30)),
    (Variant.square(10, k=6), (20, 50)),
    (Variant.square(15), (20, 50)),
    (Variant.square(15, rule="renju"), (10, 50)),
]


def quiet(variant: Variant, plies: tuple[int, int], count: int, seed: int) -> Iterator[Position]:
    """Random positions without continuous fours."""
    table, fours = geometry(variant), tactics_workspace(variant, 2000)
    generator = np.random.default_rng(seed)
    for cells, to_move in zip(*tactical_positions(variant, count, generator, plies=plies), strict=True):
        if solve(table, fours, cells, int(to_move), 2000)[0] != WIN:
            position = Position(variant)
            position.cells[:], position.to_move = cells, int(to_move)
            yield position


def claims(variant: Variant, plies: tuple[int, int], count: int, seed: int) -> Iterator[tuple[Position, int]]:
    """Quiet positions and the moves that are said to win them."""
    table, workspace = geometry(variant), threes_workspace(variant)
    for position in quiet(variant, plies, count, seed):
        before = position.cells.copy()
        move, _ = find_win(table, workspace, position.cells, position.to_move, NODES)
        assert (position.cells == before).all()
        if move != NO_MOVE:
            yield position, move


def check_solved(variant: Variant, plies: tuple[int, int], count: int, seed: int) -> int:
    """Compare with exact values; returns how many wins were claimed."""
    solver, claimed = ExactSolver(variant), 0
    for position, move in claims(variant, plies, count, seed):
        position.play(move)
        assert solver.value(position) == LOST, f"{move}\n{position}"
        claimed += 1
    return claimed


def check_searched(variant: Variant, plies: tuple[int, int], count: int, seed: int) -> int:
    """Compare with brute force; returns how many wins were claimed."""
    claimed = 0
    for position, move in claims(variant, plies, count, seed):
        assert position.legal()[move]
        assert wins_with(geometry(variant), position.cells, position.to_move, move), f"{move}\n{position}"
        claimed += 1
    return claimed


def check_replayed(variant: Variant, plies: tuple[int, int], count: int, seed: int) -> int:
    """Play each win out against every reply; returns how many were claimed."""
    replay = Replay(variant)
    return sum(replay.claims(position, NODES) for position in quiet(variant, plies, count, seed))


def names(cases: list[tuple[Variant, tuple[int, int]]]) -> list[str]:
    return [str(variant) for variant, _ in cases]


@pytest.mark.heavy
def test_no_false_claim_in_many_positions() -> None:
    """`GOBANG_POSITIONS` on small boards, a million by default; the larger boards get a hundredth; six minutes."""
    positions = int(os.environ.get("GOBANG_POSITIONS", "1000000"))
    cases = len(SOLVED) + len(SEARCHED)
    for variant, plies in SOLVED:
        check_solved(variant, plies, positions // cases, seed=2)
    for variant, plies in SEARCHED:
        check_searched(variant, plies, positions // cases, seed=2)
    for variant, plies in REPLAYED:
        check_replayed(variant, plies, positions // 100 // len(REPLAYED), seed=2)


@pytest.mark.parametrize(("variant", "plies"), SOLVED, ids=names(SOLVED))
def test_wins_stand_against_the_exact_solver(variant: Variant, plies: tuple[int, int]) -> None:
    assert check_solved(variant, plies, 1000, seed=1) > 0


@pytest.mark.parametrize(("variant", "plies"), SEARCHED, ids=names(SEARCHED))
def test_wins_stand_against_brute_force(variant: Variant, plies: tuple[int, int]) -> None:
    assert check_searched(variant, plies, 1000, seed=1) > 0


@pytest.mark.parametrize(("variant", "plies"), REPLAYED, ids=names(REPLAYED))
def test_wins_are_won_against_every_reply(variant: Variant, plies: tuple[int, int]) -> None:
    assert check_replayed(variant, plies, 20 if variant.points > 100 else 150, seed=1) > 0
