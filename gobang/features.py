"""From positions to input planes: the only place that knows what a plane means.

Each variant of the features has a name.  C planes, in this order:

    four          own stones, all others' stones, side to move, last move
    four_colour   black stones, all others' stones, side to move, last move
    three         own stones, all others' stones, side to move
    two           own stones, all others' stones
    players       stones of the side to move, of the next player, ...; side to move; last move
    players_last  the same with the last move of each player, the latest first; for three and four
    players_two   stones of each player as above; whether black is to move; the last two moves
    windows       own stones, all others' stones; own windows that miss one stone, two, three; others' windows

A window is k points in a row that hold stones of one player alone.  It shows at each point where it misses a stone,
with a quarter; four and more count as one.  A stone where own windows miss one wins (but for what a rule forbids).

"Own" is the side to move.  The side to move is one plane, all ones when black is to move; `players`
has P - 1 such planes, one for each player but the last, so that for two players it equals `four`, as
`players_two` does, which then shows one last move.
A last move is a single one, or nothing before it is played.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from gobang.errors import InvalidConfig
from gobang.rules.compiled import inlined, kernel
from gobang.rules.geometry import windows
from gobang.types import EMPTY, Boards

NAMES: Final = ("four", "four_colour", "three", "two", "windows", "players", "players_last", "players_two")
ALL_PLAYERS: Final = NAMES[5:]  # which tell the others apart
_FOUR_COLOUR: Final = NAMES.index("four_colour")
_THREE: Final = NAMES.index("three")
_TWO: Final = NAMES.index("two")
_WINDOWS: Final = NAMES.index("windows")
_PLAYERS: Final = NAMES.index("players")
_PLAYERS_LAST: Final = NAMES.index("players_last")
_PLAYERS_TWO: Final = NAMES.index("players_two")
_PLANES: Final = {"four": 4, "four_colour": 4, "three": 3, "two": 2, "windows": 8}
_MOST_MISSING: Final = 3  # stones of a window that is shown
_NO_PLANE: Final = -1
_SHARE: Final = np.float32(0.25)  # of a plane's greatest value, for one window


def feature_code(name: str) -> int:
    """The number by which `write_planes` knows a variant of the features."""
    if name not in NAMES:
        raise InvalidConfig(f"features {name!r}: one of {', '.join(NAMES)}")
    return NAMES.index(name)


def plane_count(name: str, players: int) -> int:
    """Number of planes C."""
    code = feature_code(name)
    if code == _PLAYERS_LAST and players == 2:
        raise InvalidConfig(f"features {name!r} with 2 players: they are for more; 'players' is for any number")
    if code == _PLAYERS_TWO:
        return players + (2 if players == 2 else 3)
    return _PLANES.get(name, 3 * players - 1 if code == _PLAYERS_LAST else 2 * players)


def extends(name: str, shorter: str, players: int) -> bool:
    """Whether the first planes of a variant are all those of a shorter one, as `three` begins with `two`."""
    return _meanings(name, players)[: plane_count(shorter, players)] == _meanings(shorter, players)


def _meanings(name: str, players: int) -> tuple[str, ...]:
    """What each plane shows."""
    stones = ("own", *(f"others {turn}" for turn in range(1, players)))
    if name in ALL_PLAYERS:
        last = ("last move", *(f"last move but {ago}" for ago in range(1, players)))
        sides = 1 if name == "players_two" else players - 1
        return (*stones, *(f"to move {side}" for side in range(sides)), *last)[: plane_count(name, players)]
    if players > 2 or name == "four_colour":
        stones = ("black" if name == "four_colour" else "own", "all others")
    if name == "windows":
        return (*stones, *(f"{side} miss {missing}" for side in stones for missing in range(1, _MOST_MISSING + 1)))
    return (*stones, "to move 0", "last move")[: plane_count(name, players)]


def feature_planes(name: str, positions: Boards) -> NDArray[np.float32]:
    """The planes [B, C, H, W] of a batch, each value from 0 to 1, in a new array."""
    variant = positions.variant
    shape = (len(positions), plane_count(name, variant.players), variant.height, variant.width)
    planes = np.empty(shape, np.float32)
    write_planes(
        feature_code(name),
        positions.cells,
        positions.to_move,
        positions.last_moves,
        variant.height,
        variant.width,
        planes,
    )
    if name == "windows":
        _write_windows(positions.cells, positions.to_move, windows(variant), planes)
    return planes


@kernel
def write_planes(
    code: int,
    cells: NDArray[np.int8],
    to_move: NDArray[np.int8],
    last_moves: NDArray[np.int16],
    height: int,
    width: int,
    out: NDArray[np.float32],
) -> None:
    """Write the planes of `cells` [B, A] and `last_moves` [B, M] to `out` [B, C, H, W], which must be contiguous.

    Of `windows` the stones alone.
    """
    points = height * width
    planes = out.reshape((len(out), out.shape[1], points))
    count = 2 if code == _WINDOWS else out.shape[1]
    moves = int(code < _THREE or code >= _PLAYERS)
    stones = 2
    if code == _PLAYERS_TWO:
        moves = min(2, last_moves.shape[1])
        stones = count - 1 - moves
    elif code >= _PLAYERS:
        moves = last_moves.shape[1] if code == _PLAYERS_LAST else 1
        stones = (count + 1 - moves) // 2
    sides = count - moves - stones
    for row in range(len(out)):
        mover = to_move[row]
        own = np.int8(1 if code == _FOUR_COLOUR else mover + 1)
        for point in range(points):
            planes[row, 0, point] = np.float32(cells[row, point] == own)
        if stones == 2:
            for point in range(points):
                planes[row, 1, point] = np.float32((cells[row, point] != 0) & (cells[row, point] != own))
        else:
            for plane in range(1, stones):
                other = np.int8((mover + plane) % stones + 1)
                for point in range(points):
                    planes[row, plane, point] = np.float32(cells[row, point] == other)
        for side in range(sides):
            planes[row, stones + side, :] = np.float32(mover == side)
        for index in range(moves):
            planes[row, stones + sides + index, :] = np.float32(0)
            if last_moves[row, index] >= 0:
                planes[row, stones + sides + index, last_moves[row, index]] = np.float32(1)


@kernel
def _write_windows(
    cells: NDArray[np.int8], to_move: NDArray[np.int8], windows: NDArray[np.int16], out: NDArray[np.float32]
) -> None:
    """Write the planes of `windows` behind those of the stones."""
    planes = out.reshape((len(out), out.shape[1], cells.shape[1]))
    for row in range(len(out)):
        planes[row, 2:] = np.float32(0)
        for window in range(len(windows)):
            plane = _plane_of(cells[row], to_move[row], windows[window])
            for point in windows[window]:
                if plane != _NO_PLANE and cells[row, point] == EMPTY:
                    planes[row, plane, point] = min(planes[row, plane, point] + _SHARE, np.float32(1))


@inlined
def _plane_of(cells: NDArray[np.int8], mover: int, window: NDArray[np.int16]) -> int:
    """The plane that shows a window [k]; _NO_PLANE if it has not stones of one player alone, or misses too many."""
    stone, stones = 0, 0
    for point in window:
        cell = cells[point]
        if cell != EMPTY:
            if stones > 0 and cell != stone:
                return _NO_PLANE
            stone = int(cell)
            stones += 1
    missing = len(window) - stones
    if stones == 0 or missing == 0 or missing > _MOST_MISSING:
        return _NO_PLANE
    return 1 + missing + (0 if stone == mover + 1 else _MOST_MISSING)
