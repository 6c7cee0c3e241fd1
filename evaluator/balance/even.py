"""Draws openings after which neither side is better, and the game is as open as it can be.

Two to six stones are put near each other at random, near the middle of the board.  Of many such positions, no two
alike under the symmetries of the board, those count at which a glance sees no side much better; of these the ones
in which a draw is least likely are searched, and those are kept in which the search finds no side better.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from evaluator.balance.opinion import Judgement
from gobang.errors import InvalidConfig
from gobang.openings import Opening, near_move
from gobang.rules.position import Position, symmetry_class
from gobang.types import UNDECIDED, Variant

MOST_ADVANTAGE: Final = 0.1  # P(win) less P(loss) of either side, by the search
_AT_A_GLANCE: Final = 0.25  # the same, by a glance

_FEWEST_STONES: Final = 2
_MOST_STONES: Final = 6
_DRAWN: Final = 100  # positions that are drawn for each opening wanted,
_SEARCHED: Final = 2  # and searched, in a round
_MOST_ROUNDS: Final = 20


def even_openings(
    variant: Variant,
    judgement: Judgement,
    count: int,
    seed: int,
    on_found: Callable[[int], None] = lambda found: None,
) -> list[Opening]:
    """`count` openings, the most decisive first; `on_found` gets their number so far.

    Raises InvalidConfig if there are not so many to be found.
    """
    generator = np.random.default_rng(seed)
    seen: set[bytes] = set()
    found: list[tuple[float, Opening]] = []  # with the chance of a draw
    for _ in range(_MOST_ROUNDS):
        drawn = _unlike(variant, generator, _DRAWN * count, seen)
        promising = _promising(judgement, drawn)[: _SEARCHED * count]
        if not promising:
            break
        opinions = judgement.think(promising)
        for position, advantage, draw in zip(promising, opinions.advantage, opinions.draw, strict=True):
            if abs(advantage) <= MOST_ADVANTAGE:
                found.append((float(draw), tuple(position.moves)))
        on_found(min(len(found), count))
        if len(found) >= count:
            return [opening for _, opening in sorted(found)[:count]]
    raise InvalidConfig(f"{variant}: {len(found)} even openings found, not {count}")


def _unlike(variant: Variant, generator: np.random.Generator, draws: int, seen: set[bytes]) -> list[Position]:
    """Positions of so many draws that are unlike all `seen`, to which they are added."""
    unlike = []
    for _ in range(draws):
        position = _draw(variant, generator)
        if position.outcome == UNDECIDED and symmetry_class(position) not in seen:
            seen.add(symmetry_class(position))
            unlike.append(position)
    return unlike


def _draw(variant: Variant, generator: np.random.Generator) -> Position:
    """A few stones near each other."""
    position = Position(variant)
    stones = generator.integers(_FEWEST_STONES, _MOST_STONES, endpoint=True)
    while len(position.moves) < stones and position.outcome == UNDECIDED:
        position.play(near_move(position, generator))
    return position


def _promising(judgement: Judgement, positions: list[Position]) -> list[Position]:
    """Those that look even, the least likely draws first."""
    if not positions:
        return []
    opinions = judgement.glance(positions)
    even = np.flatnonzero(np.abs(opinions.advantage) <= _AT_A_GLANCE)
    return [positions[index] for index in even[np.argsort(opinions.draw[even], kind="stable")]]
