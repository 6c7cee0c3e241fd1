"""Random openings, so that deterministic players do not play one game over and over."""

from __future__ import annotations

from itertools import cycle, islice
from typing import Final

import numpy as np

from gobang.errors import InvalidConfig
from gobang.match import Fixture
from gobang.rules.board import is_win
from gobang.rules.geometry import geometry
from gobang.rules.position import Position, symmetry_class
from gobang.types import EMPTY, UNDECIDED, Variant

_DRAWS_PER_OPENING: Final = 30  # finds 4 in 5 of the classes that exist, if just as many are wanted
_FEWEST_DRAWS: Final = 300


def random_openings(variant: Variant, plies: int, count: int, seed: int) -> list[tuple[int, ...]]:
    """`count` openings of `plies` random legal moves, after which no side has won or can win at once.

    As far as they exist the positions differ even under the symmetries of the board; then they
    differ as they stand; then they repeat.
    """
    if not 0 <= plies < variant.points:
        raise InvalidConfig(f"opening of {plies} plies: 0 to {variant.points - 1} on this board")
    generator = np.random.default_rng(seed)
    unlike: dict[bytes, tuple[int, ...]] = {}  # by what is the same for symmetric positions
    mirrored: list[tuple[int, ...]] = []  # symmetric to one of those
    seen: set[bytes] = set()
    for _ in range(max(_FEWEST_DRAWS, _DRAWS_PER_OPENING * count)):
        position = _random_position(variant, plies, generator)
        if position is None or position.cells.tobytes() in seen:
            continue
        seen.add(position.cells.tobytes())
        opening = tuple(position.moves)
        if unlike.setdefault(symmetry_class(position), opening) is not opening:
            mirrored.append(opening)
        if len(unlike) == count:
            break
    if not unlike:
        raise InvalidConfig(f"opening of {plies} plies: none found on {variant} that leaves the game open")
    return list(islice(cycle([*unlike.values(), *mirrored]), count))


def paired(openings: list[tuple[int, ...]]) -> list[Fixture]:
    """Each opening twice in a row, the second time with the colours of the two contestants swapped."""
    return [Fixture(opening=opening, seats=seats) for opening in openings for seats in ((0, 1), (1, 0))]


def _random_position(variant: Variant, plies: int, generator: np.random.Generator) -> Position | None:
    """A position after random moves, or None if it is decided or the next move can decide it."""
    position = Position(variant)
    for _ in range(plies):
        if position.outcome != UNDECIDED:
            return None
        position.play(int(generator.choice(np.flatnonzero(position.legal()))))
    return None if position.outcome != UNDECIDED or _can_win_at_once(position) else position


def _can_win_at_once(position: Position) -> bool:
    variant = position.variant
    if len(position.moves) < variant.players * (variant.k - 1):
        return False  # too few stones of the side to move
    cells = position.cells.copy()
    for point in np.flatnonzero(position.legal()).tolist():
        cells[point] = position.to_move + 1
        if is_win(geometry(variant), cells, point):
            return True
        cells[point] = EMPTY
    return False
