from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from gobang.errors import InvalidConfig
from gobang.features import ALL_PLAYERS, NAMES, feature_code, feature_planes, plane_count, write_planes
from gobang.rules.geometry import geometry
from gobang.rules.position import Position, as_batch
from gobang.types import EMPTY, NO_MOVE, UNDECIDED, Positions, Variant

GOLDEN = Path(__file__).parent / "golden" / "features.txt"
BOARDS = [(8, 8, 2), (5, 7, 2), (6, 6, 3), (9, 4, 4)]


def random_positions(variant: Variant, count: int) -> Positions:
    """Positions after 0, 1, 2, ... random moves."""
    random = np.random.default_rng(count)
    batch = []
    for length in range(count):
        position = Position(variant)
        for point in random.permutation(variant.points)[:length]:
            if position.outcome == UNDECIDED:
                position.play(int(point))
        batch.append(position)
    return as_batch(batch)


def slow_planes(name: str, positions: Positions, row: int) -> NDArray[np.float32]:
    """One position's planes as the module's text defines them."""
    variant, cells = positions.variant, positions.cells[row]
    players, mover = variant.players, int(positions.to_move[row])
    own = 0 if name == "four_colour" else mover
    planes = [cells == own + 1]
    if name in ALL_PLAYERS:
        planes += [cells == (mover + step) % players + 1 for step in range(1, players)]
        planes += [
            np.full(variant.points, mover == player) for player in range(1 if name == "players_two" else players - 1)
        ]
    else:
        planes.append((cells != 0) & (cells != own + 1))
        if name == "windows":
            planes += [plane for own_side in (True, False) for plane in slow_windows(positions, row, own_side)]
        elif name != "two":
            planes.append(np.full(variant.points, mover == 0))
    shown = {
        "two": 0,
        "three": 0,
        "windows": 0,
        "players_last": players,
        "players_two": min(2, positions.variant.moves_shown),
    }.get(name, 1)
    for point in positions.last_moves[row, :shown]:
        last = np.zeros(variant.points, np.bool_)
        if point != NO_MOVE:
            last[point] = True
        planes.append(last)
    return np.stack(planes).reshape(-1, variant.height, variant.width).astype(np.float32)


def slow_windows(positions: Positions, row: int, own_side: bool) -> list[NDArray[np.float64]]:
    """For one, two and three missing stones: a quarter for each window of one player's stones, up to one."""
    variant, cells, mover = positions.variant, positions.cells[row], int(positions.to_move[row])
    table = geometry(variant)
    planes = np.zeros((4, variant.points))
    for line in range(len(table.mask) - 1):
        for first in range(int(table.mask[line]).bit_length() - variant.k + 1):
            points = table.point[line, first : first + variant.k]
            owners = set(cells[points].tolist()) - {EMPTY}
            missing = [int(point) for point in points if cells[point] == EMPTY]
            if len(owners) == 1 and len(missing) <= 3 and (owners == {mover + 1}) == own_side:
                planes[len(missing), missing] += 0.25
    return list(np.minimum(planes[1:], 1))


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize("name", NAMES)
def test_kernel_equals_the_definition(name: str, board: tuple[int, int, int]) -> None:
    height, width, players = board
    if (name, players) == ("players_last", 2):
        pytest.skip("for more than two players")
    positions = random_positions(Variant(height=height, width=width, k=4, players=players), 20)
    planes = feature_planes(name, positions)
    assert planes.dtype == np.float32
    assert planes.shape == (20, plane_count(name, players), height, width)
    np.testing.assert_array_equal(planes, np.stack([slow_planes(name, positions, row) for row in range(20)]))


def test_players_equals_four_for_two_players() -> None:
    positions = random_positions(Variant.square(8), 12)
    np.testing.assert_array_equal(feature_planes("players", positions), feature_planes("four", positions))


def drawn_planes(moves: int) -> str:
    """All variants of one position with three players, drawn with the first row at the top."""
    position = Position(Variant(height=3, width=4, k=4, players=3), [0, 5, 10, 3, 6][:moves])
    lines = [f"after {moves} moves"]
    for name in NAMES:
        for index, plane in enumerate(feature_planes(name, as_batch([position]))[0]):
            rows = " ".join("".join("#" if value else "." for value in row) for row in plane)
            lines.append(f"{name:<13}{index} {rows}")
    return "\n".join(lines) + "\n"


def test_golden_planes() -> None:
    assert drawn_planes(3) + drawn_planes(4) + drawn_planes(5) == GOLDEN.read_text()


def test_write_planes_fills_part_of_a_buffer() -> None:
    positions = random_positions(Variant.square(6, k=4), 5)
    buffer = np.full((8, 4, 6, 6), 9.0, np.float32)
    write_planes(feature_code("four"), positions.cells, positions.to_move, positions.last_moves, 6, 6, buffer[:5])
    np.testing.assert_array_equal(buffer[:5], feature_planes("four", positions))
    assert (buffer[5:] == 9.0).all()


def test_compiled_once_for_all_boards_and_variants() -> None:
    for name in NAMES:
        for size in (5, 8):
            feature_planes(name, random_positions(Variant.square(size, players=3), 3))
    signatures = [signature for signature in write_planes.signatures if signature[-1].dtype.name == "float32"]
    assert len(signatures) == 1


def test_windows_show_where_a_row_can_still_be_made() -> None:
    position = Position(Variant.square(5, k=4), [0, 10, 1, 11, 2, 12])  # black a1 b1 c1, white a3 b3 c3
    win, one_more, _, block, *_ = feature_planes("windows", as_batch([position]))[0, 2:].reshape(6, 25)
    assert np.flatnonzero(win).tolist() == [3]
    assert np.flatnonzero(block).tolist() == [13]
    assert np.flatnonzero(one_more).tolist() == [3, 4]


def test_two_players_have_no_planes_of_each_ones_last_move() -> None:
    with pytest.raises(InvalidConfig, match="'players' is for any number"):
        plane_count("players_last", 2)


def test_unknown_name_is_refused() -> None:
    with pytest.raises(InvalidConfig, match="four_colour"):
        plane_count("fuor", 2)
