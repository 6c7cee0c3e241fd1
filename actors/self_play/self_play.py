"""Self-play: many games in lock step, each finished one sent to the pool once.

    while not stopped:
        report = self_play.step()        # as many moves as there are games
        if report.is_waiting:            # the learner is behind, or the pool is away: ask again later
            ...
    self_play.drain()

A game whose search is over moves on at once and searches again, so that every question to the
evaluator holds a position of each game of a half; while one half waits, the other descends.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from actors.self_play.outbox import Outbox
from actors.self_play.recording import GameInPlay, TailConfig
from gobang.errors import InvalidConfig
from gobang.evaluators.cached import CachedEvaluator
from gobang.interfaces import Evaluator, GameSink
from gobang.reports import SelfPlayReport
from gobang.search.trees.config import SearchConfig
from gobang.search.trees.search import IN_HALVES, Search
from gobang.types import Variant

_FEWEST_GAMES: Final = 2  # one in each half
_LOPSIDED_SHARE: Final = 0.1  # of the games that begin with too much of an advantage, played all the same


@dataclass(frozen=True, kw_only=True, slots=True)
class SelfPlayConfig:
    """Settings of self-play, e.g. `SelfPlayConfig(search=SearchConfig(simulations=64, noise_fraction=0.25))`."""

    search: SearchConfig
    weights: Literal["latest", "best"] = "latest"  # of the network that is asked
    games: int = 64  # in lock step
    opening_plies: int = 4  # most random moves at a game's start
    opening_near: bool = False  # whether these lie near each other
    most_advantage: float = 1.0  # by the first search; of games that begin with more few are played
    cache_entries: int = 1 << 15  # answers remembered, 9 MB on 8x8; 0 for none
    most_buffered: int = 1000  # finished games kept while the pool is away
    tail: TailConfig = field(default_factory=TailConfig)  # of games that are as good as drawn

    def __post_init__(self) -> None:
        ranges = (
            ("games", _FEWEST_GAMES, 4096),
            ("opening_plies", 0, 100),
            ("most_advantage", 0, 1),
            ("cache_entries", 0, 1 << 24),
            ("most_buffered", 1, 1_000_000),
        )
        for name, low, high in ranges:
            value = getattr(self, name)
            if not low <= value <= high:
                raise InvalidConfig(f"{name} {value}: from {low} to {high}")


class SelfPlay:
    """One actor's games; for one thread."""

    def __init__(
        self, variant: Variant, config: SelfPlayConfig, evaluator: Evaluator, sink: GameSink, *, name: str, seed: int
    ) -> None:
        """In a run the evaluator is remote or local, behind a cache that this puts there, and the sink a RedisPool.

        `name` must not have been used before, not even by this actor before a crash: ids are made of it.
        """
        self.name = name
        self._variant = variant
        self._config = config
        self._cache = (
            CachedEvaluator(evaluator, variant, entries=config.cache_entries) if config.cache_entries else None
        )
        self._evaluator: Evaluator = self._cache or evaluator
        self._outbox = Outbox(sink, config.most_buffered)
        self._random = np.random.default_rng(seed)
        self._simulations_per_move = config.search.simulations
        self._games = [self._new_game() for _ in range(config.games)]
        self._search: Search | None = None
        self._finished = self._moves = self._simulations = 0
        self._evaluations = self._evaluations_before = 0  # in all, and by searches that have been replaced

    def step(self) -> SelfPlayReport:
        """Play as many moves as there are games, and send what is finished; or nothing while that must wait."""
        self._outbox.flush()
        is_waiting = not self._outbox.may_go_on()
        if not is_waiting:
            end = self._moves + len(self._games)
            while self._moves < end:
                self._advance(self._ready_search())
            self._outbox.flush()
        return self.report(is_waiting=is_waiting)

    def report(self, *, is_waiting: bool = False) -> SelfPlayReport:
        """Counts since the start, and the state now."""
        return SelfPlayReport(
            name=self.name,
            games=self._finished,
            moves=self._moves,
            simulations=self._simulations,
            evaluations=self._evaluations,
            cache_hits=self._cache.answered if self._cache else 0,
            buffered=len(self._outbox),
            discarded=self._outbox.discarded,
            simulations_per_move=self._simulations_per_move,
            version=self._evaluator.version,
            is_waiting=is_waiting,
            is_cut_off=self._outbox.is_cut_off,
        )

    def set_simulations(self, simulations: int) -> None:
        """Use this many simulations per move from now on; searches under way begin anew."""
        replace(self._config.search, simulations=simulations)  # checks the range
        self._simulations_per_move = simulations

    def drain(self) -> int:
        """Drop the games in progress whole, send the finished ones, and return how many could not be sent."""
        self._end_search()
        self._games = [self._new_game() for _ in self._games]
        self._outbox.flush()
        return len(self._outbox)

    def _advance(self, search: Search) -> None:
        """One half's answers and next questions; its games whose search is over move on."""
        rows = search.advance()
        if not len(rows):
            return
        version = self._evaluator.version
        result = search.result(rows)
        self._evaluations = self._evaluations_before + result.evaluations
        self._simulations += search.simulations_done(rows)
        self._moves += len(rows)
        for place, row in enumerate(rows.tolist()):
            if self._is_lopsided(self._games[row], result.chances[place]):
                self._games[row] = self._new_game()
                continue
            self._games[row].play(result, place, version)
            if self._games[row].is_over:
                self._outbox.add(self._games[row].finish(f"{self.name}/{self._finished:06d}"))
                self._finished += 1
                self._games[row] = self._new_game()
        games = [self._games[row] for row in rows]
        search.renew(rows, [game.position for game in games], [self._simulations_for(game) for game in games])

    def _ready_search(self) -> Search:
        """The search of all games, begun anew if its budget has changed."""
        if self._search is not None and self._search.config.simulations != self._simulations_per_move:
            self._end_search()
        if self._search is None:
            config = replace(self._config.search, simulations=self._simulations_per_move)
            games = len(self._games)
            search = Search(self._variant, config, self._evaluator, games=games, rng=self._random, questions=IN_HALVES)
            search.begin([game.position for game in self._games])  # tails too get a full search, once
            self._search = search
        return self._search

    def _simulations_for(self, game: GameInPlay) -> int:
        """The budget of a game's next move."""
        full = self._simulations_per_move
        return min(full, self._config.tail.simulations) if game.is_tail else full

    def _end_search(self) -> None:
        """Wait for what is under way, and forget it."""
        if self._search is not None:
            self._search.result()
            self._evaluations_before = self._evaluations
        self._search = None

    def _is_lopsided(self, game: GameInPlay, chances: NDArray[np.float32]) -> bool:
        """Whether a game's first search finds one side so much better that another opening teaches more."""
        if not game.is_unsearched or np.ptp(chances[:-1]) <= self._config.most_advantage:
            return False
        return self._random.random() >= _LOPSIDED_SHARE

    def _new_game(self) -> GameInPlay:
        has_tail = self._random.random() >= self._config.tail.full_share
        game = GameInPlay(self._variant, self._config.tail if has_tail else None)
        plies = int(self._random.integers(self._config.opening_plies + 1))
        game.play_opening(plies, self._random, near=self._config.opening_near)
        return game
