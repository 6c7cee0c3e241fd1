"""The table of proofs, and what a search that leans on it may claim, however small the table."""

from __future__ import annotations

import numpy as np
import pytest

from gobang.rules.board import position_key
from gobang.rules.compiled import kernel
from gobang.rules.geometry import geometry
from gobang.rules.position import Position, parse_point
from gobang.search.threats.proof_numbers import INFINITE, NO_ROW, Table, look_up, proof_table, remember
from gobang.search.threats.tactical_positions import tactical_positions
from gobang.search.threats.threes import find_win, threes_workspace
from gobang.types import NO_MOVE, Variant
from tests.search.brute_force import wins_with

SMALL = Variant(height=5, width=6, k=4)
LARGE = Variant.square(15)
PLACE, OTHER_PLACE = 0x40, 0x41  # keys of one pair of rows in a table of 64


@kernel
def put(table: Table, key: np.uint64, proof: int, disproof: int, move: int) -> None:
    remember(table, key, proof, disproof, move)


@kernel
def row_of(table: Table, key: np.uint64) -> int:
    return look_up(table, key)


def known(table: Table, key: int) -> tuple[int, int, int] | None:
    row = row_of(table, np.uint64(key))
    return None if row == NO_ROW else (*table.numbers[row].tolist(), int(table.moves[row]))


def keep(table: Table, key: int, proof: int, disproof: int, move: int = NO_MOVE) -> None:
    put(table, np.uint64(key), proof, disproof, move)


def test_what_is_written_is_found_and_renewed_in_its_place() -> None:
    table = proof_table(64)
    assert known(table, PLACE) is None
    keep(table, PLACE, 3, 5, 17)
    assert known(table, PLACE) == (3, 5, 17)
    keep(table, PLACE, INFINITE, 0)
    assert known(table, PLACE) == (INFINITE, 0, NO_MOVE)
    assert known(table, OTHER_PLACE) is None
    assert np.count_nonzero(table.keys) == 1


def test_a_win_makes_room_for_no_position_that_could_go_beside_it() -> None:
    table = proof_table(64)
    keep(table, PLACE, 0, INFINITE, 17)
    for number in range(1, 9):
        keep(table, PLACE + 64 * number, number, 1)
        assert known(table, PLACE) == (0, INFINITE, 17)
        assert known(table, PLACE + 64 * number) == (number, 1, NO_MOVE)
    assert np.count_nonzero(table.keys) == 2


@pytest.mark.parametrize("rows", [2, 64, 1 << 12])
def test_a_full_table_forgets_but_confuses_nothing(rows: int) -> None:
    table, rng = proof_table(rows), np.random.default_rng(1)
    keys = rng.integers(1, 2**63, 3 * rows).tolist()
    for number, key in enumerate(keys):
        keep(table, key, number, number + 1, number % 225)
        assert known(table, key) == (number, number + 1, number % 225)
    found = {number: known(table, key) for number, key in enumerate(keys)}
    assert all(each in (None, (number, number + 1, number % 225)) for number, each in found.items())
    assert rows / 2 <= sum(each is not None for each in found.values()) <= rows


def small_positions(count: int, seed: int) -> list[tuple[np.ndarray, int]]:
    rng = np.random.default_rng(seed)
    cells, to_move = tactical_positions(SMALL, count, rng, plies=(17, 24))
    return list(zip(cells, to_move.tolist(), strict=True))


@pytest.mark.parametrize("rows", [2, 1 << 6, 1 << 14])
def test_wins_are_wins_with_any_table_and_any_limit(rows: int) -> None:
    """The table goes from one position to the next, as it does in a game."""
    table, workspace, claimed = geometry(SMALL), threes_workspace(SMALL, rows=rows), 0
    for number, (cells, to_move) in enumerate(small_positions(600, seed=rows)):
        move, _ = find_win(table, workspace, cells, to_move, (50, 400, 3000)[number % 3])
        if move != NO_MOVE:
            claimed += 1
            assert cells[move] == 0
            assert wins_with(table, cells, to_move, move), f"{move}\n{cells.reshape(5, 6)}"
    assert claimed > 20


def worked_example() -> np.ndarray:
    cells = np.zeros(LARGE.points, np.int8)
    for stone, names in enumerate(("g4 i4 h5 i5", "c3 g5 i6 g7"), start=1):
        cells[[parse_point(LARGE, name) for name in names.split()]] = stone
    return cells


def test_the_limit_ends_the_search_and_leaves_the_root_open() -> None:
    """What one position costs may come on top: two searches for continuous fours."""
    table, cells = geometry(LARGE), worked_example()
    for limit in (1, 30, 300, 3000):
        workspace = threes_workspace(LARGE)
        move, nodes = find_win(table, workspace, cells, 0, limit)
        assert move == NO_MOVE
        assert limit <= nodes <= limit + 401
        proof, disproof, _ = known(workspace.table, int(position_key(table, cells, 0))) or (0, 0, 0)
        assert 0 < proof < INFINITE
        assert 0 < disproof < INFINITE


def test_a_search_goes_on_where_it_stopped() -> None:
    table, cells, workspace = geometry(LARGE), worked_example(), threes_workspace(LARGE)
    move, whole = find_win(table, threes_workspace(LARGE), cells, 0, 50_000)
    parts = [find_win(table, workspace, cells, 0, 1000) for _ in range(1 + 3 * whole // 2000)]
    assert parts[0][0] == NO_MOVE
    assert parts[-1] == (move, 0)


def test_the_same_search_takes_the_same_nodes() -> None:
    table, cells = geometry(LARGE), worked_example()
    first, second = (find_win(table, threes_workspace(LARGE), cells, 0, 50_000) for _ in range(2))
    assert first == second


def test_a_proof_holds_for_each_way_to_the_position_and_for_the_side_to_move_alone() -> None:
    """Black's first move and white's reply, then two more moves of each in either order."""
    table, workspace = geometry(LARGE), threes_workspace(LARGE)
    names = ["g4", "c3", "i4", "g5", "h5", "i6", "i5", "g7"]
    moves = [parse_point(LARGE, name) for name in names]
    one, other = Position(LARGE, moves), Position(LARGE, [moves[at] for at in (6, 5, 4, 7, 0, 1, 2, 3)])
    move, nodes = find_win(table, workspace, one.cells, one.to_move, 50_000)
    assert nodes > 1000
    assert find_win(table, workspace, other.cells, other.to_move, 50_000) == (move, 0)
    assert find_win(table, workspace, other.cells, 1, 50_000)[0] == NO_MOVE
