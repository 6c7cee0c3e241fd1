"""The player `hmcts`: as many games guided by threats behind each urgent point, without a tree."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Final

from gobang.errors import InvalidSpec
from gobang.players.clock import seconds_for, think
from gobang.players.options import GuidedOptions
from gobang.players.player import Turn
from gobang.rules.position import Position
from gobang.search.trees.guided import GuidedSearch
from gobang.types import Variant

_GAMES: Final = 1000  # per move, if neither games nor time are given


class GuidedPlayer:
    """Searches one game after the other; equal positions get equal moves under one seed."""

    name = "hmcts"
    games_at_once = 64

    def __init__(self, variant: Variant, options: GuidedOptions, seed: int) -> None:
        self._options = options
        self._search = GuidedSearch(variant, width=options.width, seed=seed)

    def choose(self, turns: Sequence[Turn]) -> list[int]:
        """The best points found within each turn's time, or the player's own, or its games."""
        return [self._choose_one(turn) for turn in turns]

    def close(self) -> None:
        """Hold nothing but memory."""

    def _choose_one(self, turn: Turn) -> int:
        seconds = seconds_for(turn, self._options.ms)
        games = self._options.sims or (_GAMES if seconds is None else sys.maxsize)
        return think(lambda: self._begun(turn.position, games), seconds)

    def _begun(self, position: Position, games: int) -> GuidedSearch:
        self._search.begin(position, games)
        return self._search


def make_hmcts(options: GuidedOptions, variant: Variant, seed: int) -> GuidedPlayer:
    """Make the player `hmcts`, for two players."""
    if variant.players != 2:
        raise InvalidSpec(f"hmcts: threats are those of two players, not {variant.players}")
    return GuidedPlayer(variant, options, seed)
