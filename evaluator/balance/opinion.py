"""What a search thinks of positions: who is better, and how likely nobody wins.

A network of the package judges where one was trained for the rules, on whatever board; else alpha-beta does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from gobang.evaluators.cached import CachedEvaluator
from gobang.evaluators.network import make_evaluator
from gobang.players.trained import nearest_trained, weights_file
from gobang.rules.position import Position, as_batch
from gobang.search.depth.alphabeta import DepthConfig, DepthSearch
from gobang.search.trees.config import SearchConfig
from gobang.search.trees.search import IN_HALVES, Search
from gobang.types import Variant

_SIMULATIONS: Final = 400
_NODES: Final = 20_000
_AT_ONCE: Final = 64  # positions in lock step
_GLANCES_AT_ONCE: Final = 512
_REMEMBERED: Final = 1 << 15  # positions in the network's cache
_VALUE_PER_NAT: Final = 150.0  # of the search by depth, as a player of 3,000 positions a move wins games


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Opinions:
    """What is thought of N positions."""

    advantage: NDArray[np.float64]  # [N] P(win) less P(loss) of the side to move
    draw: NDArray[np.float64]  # [N] P(draw)


class Judgement(Protocol):
    """Thinks of positions of one variant."""

    name: str  # e.g. "builtin-8x8, 400 simulations"

    def glance(self, positions: Sequence[Position]) -> Opinions:
        """At once, without a search."""

    def think(self, positions: Sequence[Position]) -> Opinions:
        """With a search of each."""


class NetworkJudgement:
    """A network's chances, and those of a tree search that asks it."""

    def __init__(self, variant: Variant, network: str, seed: int) -> None:
        self.name = f"{network}, {_SIMULATIONS} simulations"
        network_alone = make_evaluator(weights_file(network), variant)
        self._evaluator = CachedEvaluator(network_alone, variant, entries=_REMEMBERED)
        self._search = Search(
            variant,
            SearchConfig(simulations=_SIMULATIONS),
            self._evaluator,
            games=_AT_ONCE,
            rng=np.random.default_rng(seed),
            questions=IN_HALVES,
        )

    def glance(self, positions: Sequence[Position]) -> Opinions:
        """What the network says."""
        chances = [
            self._evaluator.collect(
                self._evaluator.submit(as_batch(positions[start : start + _GLANCES_AT_ONCE]))
            ).chances
            for start in range(0, len(positions), _GLANCES_AT_ONCE)
        ]
        return _opinions(np.concatenate(chances))

    def think(self, positions: Sequence[Position]) -> Opinions:
        """The mean of a search."""
        chances = [
            self._search.run(positions[start : start + _AT_ONCE]).chances
            for start in range(0, len(positions), _AT_ONCE)
        ]
        to_move = np.array([[position.to_move] for position in positions])
        by_player = np.concatenate(chances)
        return _opinions(np.where(to_move, by_player[:, [1, 0, 2]], by_player))


class DepthJudgement:
    """The value of a search by depth, which knows of no draws."""

    def __init__(self, variant: Variant, seed: int) -> None:
        self.name = f"alphabeta:nodes={_NODES}"
        self._search = DepthSearch(variant, seed=seed)

    def glance(self, positions: Sequence[Position]) -> Opinions:
        """Nothing: every position is even."""
        return Opinions(advantage=np.zeros(len(positions)), draw=np.zeros(len(positions)))

    def think(self, positions: Sequence[Position]) -> Opinions:
        """The value of a search of each, as a difference of chances."""
        values = np.array([self._value(position) for position in positions])
        return Opinions(advantage=np.tanh(values / (2 * _VALUE_PER_NAT)), draw=np.zeros(len(positions)))

    def _value(self, position: Position) -> int:
        self._search.begin(position, DepthConfig(nodes=_NODES))
        while self._search.step():
            pass
        return self._search.value


def judgement_for(variant: Variant, seed: int) -> Judgement:
    """The best that the box has."""
    network = nearest_trained(variant)
    return NetworkJudgement(variant, network, seed) if network else DepthJudgement(variant, seed)


def _opinions(chances: NDArray[np.float32]) -> Opinions:
    """From chances [N, 3] of the side to move, of the other and of a draw."""
    own, others, draw = chances.astype(np.float64).T
    return Opinions(advantage=own - others, draw=draw)
