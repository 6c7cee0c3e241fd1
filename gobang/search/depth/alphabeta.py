"""Search by depth: minimax, alpha-beta and principal variation search over line patterns.

All three run the same kernel, deeper and deeper from the same root:

    minimax    looks at every choice
    alphabeta  leaves out what cannot change the value at the root
    pvs        proves with an empty window that later moves are no better than the first, late
               ones with less depth, and searches again those that are

The choices of a position are its most urgent points by `patterns`, as many as `width` says.  With
`threats` the solver of continuous fours looks at every position; against a move that would win
next only points are tried that can change this; and a forced answer costs no depth.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from gobang.errors import InvalidConfig
from gobang.rules.geometry import geometry
from gobang.rules.position import Position
from gobang.search.depth.negamax import (
    FOURS_LENGTH,
    MODES,
    MOST_DEPTH,
    PROVEN,
    WON,
    Settings,
    advance,
    begin_search,
    best_at_root,
    empty_stack,
    has_ended,
    nodes,
    open_root,
)
from gobang.search.threats.patterns import pattern_board, urgencies
from gobang.search.threats.tactics import FORCED, WIN, solve
from gobang.search.threats.threes import find_win, threes_workspace
from gobang.types import NO_MOVE, Variant

_ROOT_STONES: Final = 20_000  # most stones that the solver of fours places at the root
_THREES_LENGTH: Final = 15  # plies that a win with threes counts as
_ROOT_NODES: Final = 50_000  # of the search for wins with threes at the root; less than 10 ms
_SLICE: Final = 400  # positions between two looks at the clock


@dataclass(frozen=True, kw_only=True, slots=True)
class DepthConfig:
    """The options of a search by depth, e.g. `DepthConfig(mode="pvs", depth=8)`."""

    mode: str = "pvs"
    threats: bool = True
    threes: bool = False  # with threes at the root
    reduced: bool = True  # pvs looks at late choices with less depth, and again at those that are better
    depth: int = MOST_DEPTH
    nodes: int = 0  # most positions; 0 is no limit
    width: int = 16  # most choices of a position

    def __post_init__(self) -> None:
        if self.mode not in MODES:
            raise InvalidConfig(f"mode {self.mode!r}: one of {', '.join(MODES)}")
        for name, low, high in (("depth", 1, MOST_DEPTH), ("nodes", 0, 10**12), ("width", 1, 512)):
            if not low <= getattr(self, name) <= high:
                raise InvalidConfig(f"{name} {getattr(self, name)}: from {low} to {high}")


class DepthSearch:
    """A search of one position after the other.

    search.begin(position, config)
    while search.step():           # some positions more
        ...                        # look at the clock
    search.move, search.value, search.depth
    """

    def __init__(self, variant: Variant, *, seed: int) -> None:
        self.variant = variant
        self.move = NO_MOVE  # the best that is known
        self.value = 0  # of the move, for the side to move
        self.depth = 0  # to which the search has come to an end
        self._certain = False  # the move is, without a search
        self._geometry = geometry(variant)
        self._threes = threes_workspace(variant, _ROOT_STONES)
        self._stack = empty_stack(variant)
        self._seed = seed
        self._set(DepthConfig(), Position(variant))

    def begin(self, position: Position, config: DepthConfig) -> None:
        """Set the root; a move that is certain is found at once."""
        self._set(config, position)
        noise = np.random.default_rng((self._seed, position.key)).permutation(self.variant.points)
        begin_search(self._stack, position.key, noise)
        self.move, self.value, self.depth = self._first_choice(position), 0, 0
        stones = _ROOT_STONES if config.threats else 0
        verdict, point, _ = solve(self._geometry, self._threes.tactics, position.cells, position.to_move, stones)
        self._certain = verdict in (WIN, FORCED) or np.count_nonzero(position.legal()) == 1
        if verdict in (WIN, FORCED):
            self.move, self.value = point, WON - FOURS_LENGTH if verdict == WIN else 0
        if not self._certain and config.threes:
            self._look_for_threes(position)
        if not self._certain:
            open_root(self._stack, 1)

    def step(self) -> bool:
        """Search some positions more; False when all is done."""
        if self._certain:
            return False
        advance(self._geometry, self._patterns, self._threes.tactics, self._stack, self._settings, self._left())
        move, value = best_at_root(self._stack)
        # The best move of the last depth is tried first, so a better one is known to be better.
        if move != NO_MOVE and (has_ended(self._stack) or self._config.mode != "minimax"):
            self.move, self.value = move, value
        if has_ended(self._stack):
            self.depth += 1
            if abs(self.value) > PROVEN or self.depth == self._config.depth:
                return False
            open_root(self._stack, self.depth + 1)
        return self._left() > 0

    def nodes(self) -> int:
        """Positions searched since `begin`."""
        return nodes(self._stack)

    def _look_for_threes(self, position: Position) -> None:
        point, _ = find_win(self._geometry, self._threes, position.cells, position.to_move, _ROOT_NODES)
        if point != NO_MOVE:
            self.move, self.value, self._certain = point, WON - _THREES_LENGTH, True

    def _left(self) -> int:
        """Positions to search before the next look at the clock."""
        return min(_SLICE, self._config.nodes - self.nodes()) if self._config.nodes else _SLICE

    def _set(self, config: DepthConfig, position: Position) -> None:
        self._config = config
        self._settings = Settings(
            MODES.index(config.mode), config.threats, config.reduced, config.width, position.to_move
        )
        self._patterns = pattern_board(self.variant, position.cells)

    def _first_choice(self, position: Position) -> int:
        """The most urgent legal point, should there be no time for more."""
        found = np.zeros(self.variant.points, np.int64)
        urgencies(self._patterns, position.to_move, found)
        return int(np.argmax(np.where(position.legal(), found, -1)))
