"""The search that players and self-play use: many games in lock step, one evaluator.

    search = Search(variant, config, evaluator, games=64, rng=rng)
    result = search.run(positions)               # one move for each of up to 64 games

or, for a player who watches the clock:

    search.begin([position])
    while search.step() and time_is_left():
        pass
    move = search.move

or, for self-play, where each game goes on to its next move by itself:

    search.begin(positions)
    while True:
        rows = search.advance()                  # those whose search is over
        result = search.result(rows)
        ...                                      # play their moves
        search.renew(rows, positions, simulations)

With two or more games and `questions=IN_HALVES`, the games form two halves: while one half waits for
its answers, the other descends.  With several questions under way every game takes part in each of
them, so one game alone keeps several threads of its evaluator busy; virtual losses lead a question past
the leaves of those before it.  Answers are taken in in the order of the questions, whichever is ready
first, so the same seed gives the same result.

A player whose network answers within a kernel hands over a `Growth`, which then makes the simulations by itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from gobang.interfaces import Evaluator, Ticket
from gobang.rules.position import Position
from gobang.search.trees.analysis import read_analysis
from gobang.search.trees.config import SearchConfig
from gobang.search.trees.descent import Leaves, allocate_leaves
from gobang.search.trees.forest import Forest, allocate_forest, set_root
from gobang.search.trees.lockstep import exchange, is_over
from gobang.search.trees.recycling import FEWEST_NODES
from gobang.search.trees.roots import follow, policy_surprise, read_root, root_ranking
from gobang.types import UNDECIDED, Analysis, Evaluations, Positions, Variant

IN_HALVES: Final = 0  # questions of a search whose games wait and descend by halves
_NO_SLOTS: Final[NDArray[np.int32]] = np.empty(0, np.int32)


def ample_nodes(config: SearchConfig) -> int:
    """Return how many nodes a tree needs so that it is never full."""
    return config.simulations + config.simulations // 8 + 2


class Growth(Protocol):
    """Makes some simulations in the tree of one game, with the answers to them, in place of an evaluator."""

    def __call__(self, forest: Forest, game: int) -> tuple[int, bool]:
        """How many positions were evaluated, and whether more simulations can be made; plants a root first."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SearchResult:
    """The results of a search for each of N positions."""

    moves: NDArray[np.int16]  # [N] the move to play
    visits: NDArray[np.int32]  # [N, A] simulations by move
    policy: NDArray[np.float32]  # [N, A] what a network should learn to play
    chances: NDArray[np.float32]  # [N, P + 1] mean chances by player, then of a draw
    surprise: NDArray[np.float32]  # [N] KL divergence of the policy from the root's priors
    proven: NDArray[np.int8]  # [N] certain outcome or UNDECIDED
    evaluations: int  # positions that the evaluator was asked about since `begin`, over all games


@dataclass(slots=True, eq=False)
class _Group:
    """Games that descend together, and the answer they wait for."""

    rows: NDArray[np.int64]  # of the positions that `begin` was given
    slots: NDArray[np.int32]  # the tree of each row, which kernels call its game
    leaves: Leaves  # the positions asked about come first
    count: int = 0  # positions asked about
    ticket: Ticket = None
    goes_on: bool = True  # there is an answer to wait for or a game that broke off


class Search:
    """Trees for up to `games` games of one variant."""

    def __init__(
        self,
        variant: Variant,
        config: SearchConfig,
        evaluator: Evaluator,
        *,
        games: int = 1,
        rng: np.random.Generator,
        questions: int = 1,
        nodes: int | None = None,
        growth: Growth | None = None,
        beside_kept: bool = False,
    ) -> None:
        """Allocate the trees.

        `questions` batches of each game are in flight at once, or with IN_HALVES one of half of the games in turn.
        With `beside_kept` the simulations of a move are made beside those that `reuse` has kept.  `nodes` limits a
        tree's memory; by default it holds what `config.simulations` can make.  A tree with fewer nodes frees those
        that matter least whenever it is full, except in sequential halving, whose search ends there.  With a `growth`
        the evaluator is not asked.
        """
        self.variant = variant
        self.config = config
        self.evaluator = evaluator
        self._rng = rng
        self._questions = questions
        self._growth = growth
        self._beside_kept = beside_kept
        assert growth is None or questions == 1, "a growth asks no questions"
        ample = ample_nodes(config)
        nodes = nodes or ample
        recycles = FEWEST_NODES <= nodes < ample and config.algorithm != "gumbel"
        self._forest = allocate_forest(variant, config, games=games, nodes=nodes, recycles=recycles)
        self._trees, self._roots = self._forest.trees, self._forest.roots
        self._known: list[list[int] | None] = [None] * games  # moves to each tree's root
        self._plies: list[int] = []
        self._groups: list[_Group] = []
        self._slots: NDArray[np.int32] = np.zeros(0, np.int32)
        self._evaluations = 0
        self._no_answers = Evaluations(
            priors=np.empty((0, variant.points), np.float32), chances=np.empty((0, variant.players + 1), np.float32)
        )
        self._asks = np.zeros(games, np.bool_)  # scratch: which slots wait for an answer

    def run(self, positions: Sequence[Position], slots: Sequence[int] | None = None) -> SearchResult:
        """Search undecided positions to the end of their budget; position i in the tree slots[i]."""
        self.begin(positions, slots)
        while self.step():
            pass
        return self.result()

    def begin(self, positions: Sequence[Position], slots: Sequence[int] | None = None) -> None:
        """Set the roots.  With `reuse`, a slot that holds the game's earlier tree keeps its part."""
        self._forget_unanswered()
        self._slots = np.array(range(len(positions)) if slots is None else slots, np.int32)
        self._plies = [0] * len(positions)
        self._evaluations = 0
        self._set_roots(range(len(positions)), positions)
        self._groups = [
            _Group(
                rows=rows,
                slots=self._slots[rows],
                leaves=allocate_leaves(self.variant, len(rows) * self.config.leaves + 1),
            )
            for rows in self._rows_of_groups(len(positions))
        ]
        for group in self._groups:
            self._go_on(group)

    def step(self) -> bool:
        """Take in one group's answers and ask its next question; False when all is done."""
        for group in self._groups:
            if group.goes_on:
                self._go_on(group)
                # The group that asked last waits longest.
                self._groups.remove(group)
                self._groups.append(group)
                return True
        return False

    def advance(self) -> NDArray[np.int64]:
        """Step the group whose turn it is, and return its rows [N] whose search is over; they wait for no answer."""
        assert self._questions <= 1, "a game that is over here may wait for the answer to another question"
        assert self._growth is None, "a growth asks no questions"
        group = self._groups[0]
        if group.goes_on:
            self._exchange(group)
        self._groups.append(self._groups.pop(0))
        self._asks[:] = False
        self._asks[group.leaves.game[: group.count]] = True
        silent = group.rows[~self._asks[group.slots]]
        return silent[[is_over(self._forest, slot) for slot in self._slots[silent].tolist()]]

    def renew(self, rows: NDArray[np.int64], positions: Sequence[Position], simulations: Sequence[int]) -> None:
        """Search other positions in rows that `advance` has just returned, each with at most its `simulations`."""
        self._set_roots(rows.tolist(), positions)
        slots = self._slots[rows]
        self._roots.budget[slots] = np.minimum(self._roots.budget[slots], simulations)
        if not self._groups[-1].goes_on:
            self._exchange(self._groups[-1])

    def result(self, rows: NDArray[np.int64] | None = None) -> SearchResult:
        """The results so far, of some finished rows or of all; for all, waits for answers under way."""
        if rows is None:
            self._finish()
            rows = np.arange(len(self._slots))
        slots = self._slots[rows]
        shape = (len(slots), self.variant.points)
        moves = np.zeros(shape[0], np.int16)
        visits, policy = np.zeros(shape, np.int32), np.zeros(shape, np.float32)
        chances = np.zeros((shape[0], self.variant.players + 1), np.float32)
        surprise = np.zeros(shape[0], np.float32)
        for row, slot in enumerate(slots.tolist()):
            moves[row] = read_root(self._forest, slot, visits[row], policy[row], chances[row])
            surprise[row] = policy_surprise(self._trees, slot, policy[row])
            if self._trees.status[slot, 0] == UNDECIDED:
                moves[row] = self._vary(int(moves[row]), policy[row], self._plies[rows[row]])
        return SearchResult(
            moves=moves,
            visits=visits,
            policy=policy,
            chances=chances,
            surprise=surprise,
            proven=self._trees.status[slots, 0].copy(),
            evaluations=self._evaluations,
        )

    @property
    def move(self) -> int:
        """The move of a search of one position, as `result` finds it; with a temperature it is drawn each time."""
        return int(self.result().moves[0])

    def analysis(self, most: int) -> Analysis:
        """What a search of one position knows so far; waits for the answers under way, and may go on afterwards."""
        self._finish()
        slot = int(self._slots[0])
        return read_analysis(self._forest, slot, self.simulations_done(), most)

    def ranking(self) -> tuple[int, int, int]:
        """Visits of the first and of the second move of a search of one position, and its simulations.

        Sequential halving does not choose by visits alone: it has no ranking.
        """
        slot = int(self._slots[0])
        if self.config.algorithm == "gumbel":
            return 0, 0, int(self._roots.done[slot])
        return root_ranking(self._forest, slot)

    def simulations_done(self, rows: NDArray[np.int64] | None = None) -> int:
        """Simulations made, or kept from earlier moves, in some rows or in all."""
        slots = self._slots if rows is None else self._slots[rows]
        return int(self._roots.done[slots].sum())

    def _forget_unanswered(self) -> None:
        """Drop trees whose answers an error has kept away: some of their nodes would wait for ever."""
        for group in self._groups:
            if group.count:
                for slot in group.slots.tolist():
                    self._known[slot] = None

    def _rows_of_groups(self, positions: int) -> list[NDArray[np.int64]]:
        """All rows for each of several questions under way, or else all rows once, or their halves."""
        rows = np.arange(positions)
        if self._questions > 1:
            return [rows] * self._questions
        return np.array_split(rows, 2 if self._questions == IN_HALVES and positions > 1 else 1)

    def _go_on(self, group: _Group) -> None:
        if self._growth is None:
            self._exchange(group)
            return
        group.goes_on = False
        for slot in group.slots.tolist():
            done = self._roots.done[slot]
            evaluated, is_open = self._growth(self._forest, slot)
            self._evaluations += evaluated
            has_grown = self._roots.done[slot] > done or evaluated > 0  # else a tiny tree is full for good
            group.goes_on |= is_open and bool(has_grown)

    def _exchange(self, group: _Group) -> None:
        """Back a group's answers up, descend in its games and ask about the positions reached."""
        answers = self._answers(group)
        group.count, broke_off = exchange(self._forest, group.leaves, group.slots, answers.priors, answers.chances)
        group.goes_on = broke_off or group.count > 0
        if group.goes_on and self._questions > 1:
            for other in self._groups:
                other.goes_on = True  # the node that was in its way may have been answered
        if group.count:
            self._evaluations += group.count
            leaves, count = group.leaves, group.count
            group.ticket = self.evaluator.submit(
                Positions(
                    variant=self.variant,
                    cells=leaves.cells[:count],
                    to_move=leaves.to_move[:count],
                    last_moves=leaves.last_moves[:count],
                    key=leaves.key[:count],
                )
            )

    def _answers(self, group: _Group) -> Evaluations:
        """Wait for the answers that a group is waiting for, if any."""
        if group.count == 0:
            return self._no_answers
        answers = self.evaluator.collect(group.ticket)
        group.count, group.ticket = 0, None
        return answers

    def _finish(self) -> None:
        """Wait for all answers under way and back them up."""
        for group in self._groups:
            answers = self._answers(group)
            exchange(self._forest, group.leaves, _NO_SLOTS, answers.priors, answers.chances)

    def _set_roots(self, rows: Iterable[int], positions: Sequence[Position]) -> None:
        """Put positions and noise into the rows' slots."""
        slots = self._slots[list(rows)]
        for row, position in zip(rows, positions, strict=True):
            self._plies[row] = len(position.moves)
        self._draw_noise(slots, [len(position.moves) for position in positions])
        for position, slot in zip(positions, slots, strict=True):
            self._set_root(position, int(slot))

    def _set_root(self, position: Position, slot: int) -> None:
        set_root(self._roots, slot, position, self.config.simulations)
        known, self._known[slot] = self._known[slot], position.moves.copy()
        if self.config.reuse and known is not None and position.moves[: len(known)] == known:
            played = np.array(position.moves[len(known) :], np.int16)
            if follow(self._forest, slot, played):
                if self._beside_kept:
                    self._roots.budget[slot] = self.config.simulations + self._roots.done[slot]
                return
        self._trees.size[slot] = 0

    def _draw_noise(self, slots: NDArray[np.int32], plies: list[int]) -> None:
        """Noise for the roots, from this search's own generator."""
        shape = (len(slots), self.variant.points)
        if self.config.algorithm == "gumbel":
            scale = np.array([[self.config.temperature_at(ply)] for ply in plies], np.float32)
            self._roots.gumbel[slots] = scale * self._rng.gumbel(size=shape)
        if self.config.noise_fraction > 0:
            alpha = self.config.noise_alpha or 10.0 / self.variant.points
            self._roots.dirichlet[slots] = self._rng.standard_gamma(alpha, shape)

    def _vary(self, best: int, policy: NDArray[np.float32], ply: int) -> int:
        """The move to play: `best`, or drawn from the visits at this ply's temperature."""
        temperature = self.config.temperature_at(ply)
        if temperature == 0 or self.config.algorithm == "gumbel":
            return best
        weights = (policy / policy.max()).astype(np.float64) ** (1 / temperature)
        return int(self._rng.choice(len(weights), p=weights / weights.sum()))
