"""A player that searches by depth over line patterns, with no network and no chance."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Final

from gobang.errors import InvalidSpec
from gobang.players.options import AlphaBetaOptions
from gobang.players.player import Turn
from gobang.search.depth.alphabeta import DepthConfig, DepthSearch
from gobang.search.depth.negamax import MOST_DEPTH
from gobang.types import Variant

_NODES: Final = 50_000  # per move, if neither positions, nor depth, nor time are given


class AlphaBetaPlayer:
    """Searches one game after the other; equal positions get equal moves under one seed."""

    name = "alphabeta"
    games_at_once = 64

    def __init__(self, variant: Variant, options: AlphaBetaOptions, seed: int) -> None:
        self._options = options
        self._untimed = _NODES if options.nodes is None and options.depth is None else options.nodes or 0
        self.search = DepthSearch(variant, seed=seed)  # what it found is there until the next move

    def choose(self, turns: Sequence[Turn]) -> list[int]:
        """The best moves found within each turn's time, or the player's own, or its positions and depth."""
        return [self._choose_one(turn) for turn in turns]

    def close(self) -> None:
        """Hold nothing but memory."""

    def _choose_one(self, turn: Turn) -> int:
        start = time.monotonic()
        own = None if self._options.ms is None else self._options.ms / 1000
        seconds = own if turn.seconds is None else turn.seconds
        search = self.search
        search.begin(turn.position, self._config(timed=seconds is not None))
        while search.step() and (seconds is None or time.monotonic() < start + seconds):
            pass
        return search.move

    def _config(self, *, timed: bool) -> DepthConfig:
        options = self._options
        return DepthConfig(
            mode=options.search,
            threats=options.threats,
            depth=options.depth or MOST_DEPTH,
            nodes=options.nodes or 0 if timed else self._untimed,
        )


def make_alphabeta(options: AlphaBetaOptions, variant: Variant, seed: int) -> AlphaBetaPlayer:
    """Make the player `alphabeta`, for two players."""
    if variant.players != 2:
        raise InvalidSpec(f"alphabeta: minimax is for two players, not {variant.players}")
    return AlphaBetaPlayer(variant, options, seed)
