"""Players that search: `net` asks a network, `uniform` has even priors and the tactical solver alone.

Without a time limit all games of a call advance in lock step.  With one, each move is searched
alone, several leaves at a time, until its time is up.  A tree that is full frees the nodes that matter least.

With several threads a game has a question under way for each of them, and one more, which the tree is
searched for meanwhile.  A network of line shapes is asked no questions: it answers one leaf after another
within the search's kernel, and several threads grow one tree.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from gobang.evaluators.cached import CachedEvaluator
from gobang.evaluators.network import growth_of, make_evaluator
from gobang.evaluators.uniform import UniformEvaluator
from gobang.interfaces import Evaluator
from gobang.machine import cores_here
from gobang.players.clock import seconds_for, think
from gobang.players.options import NetOptions, SearchOptions
from gobang.players.player import Turn
from gobang.players.trained import weights_file
from gobang.rules.position import Position
from gobang.search.threats.threes import ThreesSolver
from gobang.search.trees.config import MOST_SIMULATIONS, SearchConfig
from gobang.search.trees.search import IN_HALVES, Growth, Search, ample_nodes
from gobang.search.trees.tree import bytes_per_node
from gobang.types import NO_MOVE, Variant

_SIMULATIONS: Final = 400  # per move, if neither simulations nor time are given
_MOST_GAMES: Final = 64
_THREES_NODES: Final = 50_000  # of the search for a win by threats before the tree's; less than 10 ms
_MEGABYTES: Final = 512  # of all trees, if the options do not say
_REMEMBERED: Final = 7 << 20  # bytes of priors in a network's cache; more finds hardly more in one search
_LEAVES_ON_TIME: Final = 8  # if the options do not say; in lock step batches come from many games
_FEWER_LEAVES: Final = 4  # with several questions on a large board, where few positions keep a thread busy
_LARGE: Final = 144  # points, from which on a board is large


class SearchingPlayer:
    """A player with one tree per game in progress."""

    def __init__(
        self,
        name: str,
        variant: Variant,
        options: SearchOptions,
        evaluator: Evaluator,
        *,
        seed: int,
        threads: int = 1,
        growth: Growth | None = None,
    ) -> None:
        """`threads` are those that the evaluator answers with; a `growth` searches in its place."""
        self.name = name
        self._leaves_on_time = options.leaves or leaves_for(variant, threads)
        self._questions = 1 if growth else questions_for(threads)  # of a game alone
        self._questions_in_lock_step = self._questions if growth or threads > 1 else IN_HALVES
        self._variant = variant
        self._options = options
        self._evaluator = evaluator
        self._growth = growth
        self._rng = np.random.default_rng(seed)
        self._recycles = options.search != "gumbel" and (growth is None or threads == 1)
        self._nodes = self._nodes_within(None)  # of the tree of a game alone
        self._simulations = options.sims or _SIMULATIONS
        full_nodes = (options.memory_mb or _MEGABYTES) * 2**20 // bytes_per_node(variant)
        self.games_at_once = max(1, min(_MOST_GAMES, int(full_nodes / (1.2 * self._simulations))))
        self._threes = ThreesSolver(variant) if options.threes else None
        self._lock_step: Search | None = None
        self._alone: Search | None = None
        self._slots: dict[int, int] = {}  # by game

    def choose(self, turns: Sequence[Turn]) -> list[int]:
        """The best moves found within each turn's time, or the player's own, or its simulations."""
        proven = [self._proven_move(turn.position) for turn in turns]
        unproven = [turn for turn, move in zip(turns, proven, strict=True) if move == NO_MOVE]
        searched = iter(self._search(unproven) if unproven else [])
        return [next(searched) if move == NO_MOVE else move for move in proven]

    def analyse(self, position: Position, simulations: int) -> Search:
        """Begin a search of a position in a tree of its own."""
        config = self._config(min(simulations, self._most_simulations()), leaves=self._leaves_on_time)
        search = self._new_search(config, self._questions)
        search.begin([position])
        return search

    def ponder(self, turn: Turn) -> None:
        """Search the opponent's turn in the tree that the next own turn goes on with."""
        if self._options.reuse:
            think(lambda: self._begun_alone(turn.position), None, turn.may_go_on)

    def limit_memory(self, megabytes: int | None) -> None:
        """Drop the tree of a game on time and make the next one with at most `megabytes`."""
        self._nodes = self._nodes_within(megabytes)
        self._alone = None

    def close(self) -> None:
        """Free the trees."""
        self._lock_step = self._alone = None

    def _most_simulations(self) -> int:
        """Return how many simulations a tree takes; one that cannot recycle spares a ninth of its nodes for tactics.

        Neither sequential halving nor several threads in one tree can recycle.
        """
        return MOST_SIMULATIONS if self._recycles else self._nodes * 8 // 9 - 2

    def _nodes_within(self, megabytes: int | None) -> int:
        """Return the nodes that fit into a limit and into the options' own, which is the default."""
        own = self._options.memory_mb
        limit = own or _MEGABYTES if megabytes is None else min(megabytes, own or megabytes)
        return limit * 2**20 // bytes_per_node(self._variant, recycles=self._recycles)

    def _proven_move(self, position: Position) -> int:
        return self._threes.winning_move(position, _THREES_NODES) if self._threes else NO_MOVE

    def _search(self, turns: Sequence[Turn]) -> list[int]:
        timed = [seconds_for(turn, self._options.ms) for turn in turns]
        if all(seconds is None for seconds in timed):
            return self._choose_in_lock_step(turns)
        return [self._choose_alone(turn, seconds) for turn, seconds in zip(turns, timed, strict=True)]

    def _choose_in_lock_step(self, turns: Sequence[Turn]) -> list[int]:
        assert len(turns) <= self.games_at_once, "more games than games_at_once"
        if self._lock_step is None:
            config = self._config(self._simulations, leaves=self._options.leaves or 1)
            self._lock_step = self._new_search(config, self._questions_in_lock_step, self.games_at_once)
        slots = [self._slot(turn.game, {turn.game for turn in turns}) for turn in turns]
        result = self._lock_step.run([turn.position for turn in turns], slots)
        return [int(move) for move in result.moves]

    def _choose_alone(self, turn: Turn, seconds: float | None) -> int:
        return think(lambda: self._begun_alone(turn.position), seconds, turn.may_go_on, turn.most_seconds)

    def _begun_alone(self, position: Position) -> Search:
        if self._alone is None:
            # Sequential halving plans its visits ahead, so time can only cut them short.
            limit = self._simulations if self._options.search == "gumbel" else self._most_simulations()
            config = self._config(
                min(self._options.sims or limit, self._most_simulations()), leaves=self._leaves_on_time
            )
            self._alone = self._new_search(config, self._questions)
        self._alone.begin([position])
        return self._alone

    def _new_search(self, config: SearchConfig, questions: int, games: int = 1) -> Search:
        """Return a search of some games; the tree of one game alone keeps within the limit of memory."""
        nodes = ample_nodes(config)
        if games == 1 and config.algorithm != "gumbel":
            nodes = min(nodes, self._nodes)
        return Search(
            self._variant,
            config,
            self._evaluator,
            games=games,
            rng=self._rng,
            questions=questions,
            nodes=nodes,
            growth=self._growth,
        )

    def _slot(self, game: int, wanted: set[int]) -> int:
        """The tree of a game; a new game takes a free one or that of a game not `wanted` now."""
        if game not in self._slots:
            if len(self._slots) == self.games_at_once:
                finished = next(other for other in self._slots if other not in wanted)
                self._slots[game] = self._slots.pop(finished)
            else:
                self._slots[game] = len(self._slots)
        return self._slots[game]

    def _config(self, simulations: int, leaves: int) -> SearchConfig:
        options = self._options
        return SearchConfig(
            simulations=simulations,
            algorithm=options.search,
            c_puct=options.c_puct,
            soft_priors=options.soft_priors,
            lcb=options.lcb,
            contempt=options.contempt,
            noise_fraction=options.noise,
            temperature=options.temperature,
            temperature_plies=self._variant.points,
            reuse=options.reuse and options.search != "gumbel",
            leaves=leaves,
            solver=options.solver,
        )


def questions_for(threads: int) -> int:
    """Questions of a game to have under way, so that no thread of the evaluator waits for the tree."""
    return threads + 1 if threads > 1 else 1


def leaves_for(variant: Variant, threads: int) -> int:
    """Positions of a question on time: what is under way is chosen with less knowledge, so not more than pays."""
    return _FEWER_LEAVES if threads > 1 and variant.points >= _LARGE else _LEAVES_ON_TIME


def make_uniform(options: SearchOptions, variant: Variant, seed: int) -> SearchingPlayer:
    """A player that knows nothing but tactics."""
    return SearchingPlayer("uniform", variant, options, UniformEvaluator(variant, seed), seed=seed)


def make_net(options: NetOptions, variant: Variant, seed: int) -> SearchingPlayer:
    """A player with a network from a file, run by the fastest backend of this machine."""
    evaluator = make_evaluator(
        weights_file(options.file),
        variant,
        precision=options.precision,
        threads=options.threads,
        batches=questions_for(options.threads),
    )
    growth = None
    if options.leaves in (None, 1):
        growth = growth_of(evaluator, variant, threads=min(options.threads, cores_here()))
    entries = _REMEMBERED // (4 * variant.points)
    return SearchingPlayer(
        f"net:{options.file}",
        variant,
        options,
        evaluator if growth else CachedEvaluator(evaluator, variant, entries=entries),
        seed=seed,
        threads=options.threads,
        growth=growth,
    )
