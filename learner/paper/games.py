"""Self-play as the works do it: moves drawn from the search probabilities, into which noise is mixed.

    played = play_games(config, evaluator, simulations, count, random)

All games are searched in lock step, so that the network is asked for one position of each game at a time.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from gobang.interfaces import Evaluator
from gobang.rules.position import Position
from gobang.search.trees.config import SearchConfig
from gobang.search.trees.search import Search, SearchResult
from gobang.types import NO_MOVE, UNDECIDED, Boards
from learner.paper.config import PaperConfig
from learner.replay.window.samples import Samples, game_stage

NOISE_ALPHA: Final = 0.3
_KEPT: Final = 16  # a tree has room for as many times the simulations of one move; memory is taken as it fills


@dataclass(slots=True)
class Game:
    """A game of self-play: its position now, and what a network learns from each position before."""

    position: Position
    cells: list[NDArray[np.int8]] = field(default_factory=list)
    last_moves: list[NDArray[np.int16]] = field(default_factory=list)
    policy: list[NDArray[np.float32]] = field(default_factory=list)

    @property
    def is_over(self) -> bool:
        """Return True if the game has an outcome."""
        return self.position.outcome != UNDECIDED

    def play(self, policy: NDArray[np.float32], move: int) -> None:
        """Keep the position with the policy to learn, which holds no noise, and play the move."""
        self.cells.append(self.position.cells.copy())
        self.last_moves.append(np.array(self.position.last_moves, np.int16))
        self.policy.append(policy)
        self.position.play(move)

    def samples(self) -> Samples:
        """Return all positions of the finished game."""
        variant, length = self.position.variant, len(self.policy)
        to_move = (np.arange(length) % variant.players).astype(np.int8)
        result = np.zeros((length, variant.players + 1), np.float32)
        result[np.arange(length), self._outcome_for(to_move)] = 1
        replies = np.array([*self.position.moves[1:], NO_MOVE], np.int16)
        return Samples(
            boards=Boards(
                variant=variant, cells=np.stack(self.cells), to_move=to_move, last_moves=np.stack(self.last_moves)
            ),
            policy=np.stack(self.policy),
            search_chances=result,
            result_chances=result,
            reply=replies,
            stage=game_stage(np.arange(length), np.full(length, length)),
            weights_version=np.zeros(length, np.int32),
            weight=np.ones(length, np.float32),
        )

    def _outcome_for(self, to_move: NDArray[np.int8]) -> NDArray[np.int64]:
        """Return the outcome as an index, seen by the side to move of each position."""
        players, outcome = self.position.variant.players, self.position.outcome
        return np.where(outcome == players, players, (outcome - to_move.astype(np.int64)) % players)


@dataclass(frozen=True, kw_only=True, slots=True)
class Played:
    """Finished games, and the positions that the network was asked about."""

    games: tuple[Game, ...]
    evaluations: int


def play_games(
    config: PaperConfig, evaluator: Evaluator, simulations: int, count: int, random: np.random.Generator
) -> Played:
    """Play `count` games to their end; the searches keep their trees from move to move."""
    search = Search(
        config.game,
        search_config(config, simulations, noise=config.root_noise, reuse=True),
        evaluator,
        games=count,
        rng=random,
        nodes=_KEPT * simulations + 2,
        beside_kept=True,
    )
    games = tuple(Game(Position(config.game)) for _ in range(count))
    evaluations = 0
    while open_games := [number for number, game in enumerate(games) if not game.is_over]:
        found = search.run([games[number].position for number in open_games], open_games)
        evaluations += found.evaluations
        for row, number in enumerate(open_games):
            policy = visit_shares(found, row)
            games[number].play(policy, _drawn(policy, games[number].position, config.noise, random))
    return Played(games=games, evaluations=evaluations)


def search_config(config: PaperConfig, simulations: int, *, noise: float, reuse: bool) -> SearchConfig:
    """Return the works' search: unvisited moves count as 0, and no solver looks at threats."""
    return SearchConfig(
        simulations=simulations,
        algorithm=config.search,
        c_puct=config.c_puct,
        fpu="zero",
        fpu_reduction=0.0,
        noise_fraction=noise,
        noise_alpha=NOISE_ALPHA,
        reuse=reuse,
        solver=False,
    )


def visit_shares(found: SearchResult, row: int) -> NDArray[np.float32]:
    """Return the search probabilities of a row: the shares of the visits, which is temperature 1."""
    visits = found.visits[row].astype(np.float32)
    shares: NDArray[np.float32] = visits / visits.sum()
    return shares


def _drawn(policy: NDArray[np.float32], position: Position, noise: float, random: np.random.Generator) -> int:
    """Draw a move from (1 - noise) * policy + noise * Dirichlet."""
    legal = np.flatnonzero(position.legal())
    mixed = (1 - noise) * policy[legal].astype(np.float64) + noise * random.dirichlet(np.full(len(legal), NOISE_ALPHA))
    return int(random.choice(legal, p=mixed / mixed.sum()))
