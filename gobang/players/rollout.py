"""The player `rollout`: tree search with random games in place of evaluations, the papers' baseline."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from gobang.players.clock import seconds_for, think
from gobang.players.options import RolloutOptions
from gobang.players.player import Turn
from gobang.rules.position import Position
from gobang.search.trees.config import SearchConfig
from gobang.search.trees.rollout import RolloutSearch
from gobang.types import Variant

_SIMULATIONS: Final = 1000  # per move, if neither simulations nor time are given
_TIMED_SIMULATIONS: Final = 10_000_000


class RolloutPlayer:
    """Searches one game after the other; equal positions get equal moves under one seed."""

    name = "rollout"
    games_at_once = 64

    def __init__(self, variant: Variant, options: RolloutOptions, seed: int) -> None:
        self._variant = variant
        self._options = options
        self._seed = seed
        self._memory_mb = options.memory_mb
        self._search: dict[bool, RolloutSearch] = {}  # with and without a time limit

    def choose(self, turns: Sequence[Turn]) -> list[int]:
        """The most visited moves within each turn's time, or the player's own, or its simulations."""
        return [self._choose_one(turn) for turn in turns]

    def analyse(self, position: Position, simulations: int) -> RolloutSearch:
        """Begin a search of a position in a tree of its own."""
        search = self._new_search(simulations)
        search.begin(position)
        return search

    def limit_memory(self, megabytes: int | None) -> None:
        """Make the next trees with at most `megabytes`, or as the options say."""
        own = self._options.memory_mb
        self._memory_mb = own if megabytes is None else min(megabytes, own or megabytes)
        self._search.clear()

    def close(self) -> None:
        """Free the trees."""
        self._search.clear()

    def _choose_one(self, turn: Turn) -> int:
        seconds = seconds_for(turn, self._options.ms)
        timed = seconds is not None
        return think(lambda: self._begun(turn.position, timed=timed), seconds, turn.may_go_on, turn.most_seconds)

    def _begun(self, position: Position, *, timed: bool) -> RolloutSearch:
        search = self._made(timed=timed)
        search.begin(position)
        return search

    def _made(self, *, timed: bool) -> RolloutSearch:
        if timed not in self._search:
            simulations = self._options.sims or (_TIMED_SIMULATIONS if timed else _SIMULATIONS)
            self._search[timed] = self._new_search(simulations)
        return self._search[timed]

    def _new_search(self, simulations: int) -> RolloutSearch:
        config = SearchConfig(
            simulations=simulations,
            algorithm=self._options.search,
            c_puct=self._options.c_puct,
            fpu="zero",
            fpu_reduction=0.0,
            solver=self._options.solver,
        )
        return RolloutSearch(self._variant, config, seed=self._seed, memory_mb=self._memory_mb)


def make_rollout(options: RolloutOptions, variant: Variant, seed: int) -> RolloutPlayer:
    """The baseline with its options."""
    return RolloutPlayer(variant, options, seed)
