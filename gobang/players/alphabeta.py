"""A player that searches by depth over line patterns, with no network and no chance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from gobang.errors import InvalidSpec
from gobang.players.clock import seconds_for, think
from gobang.players.options import AlphaBetaOptions
from gobang.players.player import Turn
from gobang.rules.position import Position
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
        if not turn.position.moves:
            return _middle(turn.position.variant)
        seconds = seconds_for(turn, self._options.ms)
        timed = seconds is not None
        return think(lambda: self._begun(turn.position, timed=timed), seconds, turn.may_go_on, turn.most_seconds)

    def _begun(self, position: Position, *, timed: bool) -> DepthSearch:
        self.search.begin(position, self._config(timed=timed))
        return self.search

    def _config(self, *, timed: bool) -> DepthConfig:
        options = self._options
        return DepthConfig(
            mode=options.search,
            threats=options.threats,
            threes=options.threes,
            depth=options.depth or MOST_DEPTH,
            nodes=options.nodes or 0 if timed else self._untimed,
        )


def _middle(variant: Variant) -> int:
    """Where to begin: to line patterns all points of an empty board look alike."""
    return variant.height // 2 * variant.width + variant.width // 2


def make_alphabeta(options: AlphaBetaOptions, variant: Variant, seed: int) -> AlphaBetaPlayer:
    """Make the player `alphabeta`, for two players."""
    if variant.players != 2:
        raise InvalidSpec(f"alphabeta: minimax is for two players, not {variant.players}")
    return AlphaBetaPlayer(variant, options, seed)
