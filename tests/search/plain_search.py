"""A slow search of one game in plain Python, written from the formulas; the tests compare with it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from gobang.interfaces import Evaluator
from gobang.rules.position import Position, as_batch
from gobang.search.trees.config import SearchConfig
from gobang.types import UNDECIDED


@dataclass
class Edge:
    prior: float
    visits: int = 0
    total: float = 0.0
    node: Node | None = None

    @property
    def mean(self) -> float:
        return self.total / self.visits


@dataclass
class Node:
    position: Position
    chances: np.ndarray
    value: float
    edges: dict[int, Edge] = field(default_factory=dict)
    visits: int = 0


def utility(chances: np.ndarray, player: int) -> float:
    players = len(chances) - 1
    others = sum(chances[other] for other in range(players) if other != player)
    return float(chances[player] - others / (players - 1))


def make_node(position: Position, evaluator: Evaluator, soft: bool) -> tuple[Node, np.ndarray]:
    players = position.variant.players
    chances = np.zeros(players + 1)
    if position.outcome != UNDECIDED:
        chances[position.outcome] = 1
        return Node(position, np.zeros(players + 1), 0.0), chances
    answers = evaluator.collect(evaluator.submit(as_batch([position])))
    for offset in range(players):
        chances[(position.to_move + offset) % players] = answers.chances[0, offset]
    chances[players] = answers.chances[0, players]
    node = Node(position, np.zeros(players + 1), utility(chances, position.to_move))
    legal = np.flatnonzero(position.legal())
    priors = np.sqrt(answers.priors[0]) if soft else answers.priors[0]
    mass = priors[legal].sum()
    node.edges = {int(point): Edge(float(priors[point] / mass)) for point in legal}
    return node, chances


class PlainSearch:
    def __init__(self, config: SearchConfig, evaluator: Evaluator) -> None:
        self.config = config
        self.evaluator = evaluator
        self.is_soft = config.soft_priors and config.algorithm == "puct"

    def run(self, position: Position) -> Node:
        root, chances = make_node(position.copy(), self.evaluator, self.is_soft)
        root.visits = 1
        root.chances += chances
        for _ in range(self.config.simulations):
            self.simulate(root)
        return root

    def simulate(self, root: Node) -> None:
        path = []
        node: Node | None = root
        while node is not None and node.edges:
            node.visits += 1
            point = self.select(node)
            edge = node.edges[point]
            path.append((node, edge))
            parent, node = node, edge.node
        if node is None:
            after = parent.position.copy()
            after.play(point)
            node, chances = make_node(after, self.evaluator, self.is_soft)
            edge.node = node
        else:
            chances = np.zeros(len(root.chances))
            chances[node.position.outcome] = 1
        node.visits += 1
        node.chances += chances
        for parent, edge in path:
            edge.visits += 1
            edge.total += utility(chances, parent.position.to_move)
            parent.chances += chances

    def select(self, node: Node) -> int:
        rules = {"puct": self.puct, "ucb1": self.ucb1, "prior": self.prior, "gumbel": self.behind}
        scores = rules[self.config.algorithm](node)
        return max(scores, key=lambda point: (scores[point], -point))

    def puct(self, node: Node) -> dict[int, float]:
        return self.by_prior(node, math.sqrt(node.visits))

    def prior(self, node: Node) -> dict[int, float]:
        return self.by_prior(node, 1.0)

    def by_prior(self, node: Node, growth: float) -> dict[int, float]:
        mean = utility(node.chances, node.position.to_move) / node.chances.sum()
        first_play = (mean if self.config.fpu == "parent" else 0.0) - self.config.fpu_reduction
        return {
            point: (edge.mean if edge.visits else first_play)
            + self.config.c_puct * edge.prior * growth / (1 + edge.visits)
            for point, edge in node.edges.items()
        }

    def ucb1(self, node: Node) -> dict[int, float]:
        log = math.log(node.visits)
        return {
            point: edge.mean + self.config.c_puct * math.sqrt(log / edge.visits) if edge.visits else 1e3 + edge.prior
            for point, edge in node.edges.items()
        }

    def improved(self, node: Node) -> dict[int, float]:
        visited = [edge for edge in node.edges.values() if edge.visits]
        total = sum(edge.visits for edge in visited)
        mixed = node.value
        if visited:
            weighted = sum(edge.prior * edge.mean for edge in visited) / sum(edge.prior for edge in visited)
            mixed = (node.value + total * weighted) / (1 + total)
        most = max((edge.visits for edge in visited), default=0)
        scale = self.config.c_scale * (self.config.c_visit + most)
        logits = {
            point: math.log(max(edge.prior, 1e-300)) + scale * ((edge.mean if edge.visits else mixed) + 1) / 2
            for point, edge in node.edges.items()
        }
        top = max(logits.values())
        weights = {point: math.exp(logit - top) for point, logit in logits.items()}
        return {point: weight / sum(weights.values()) for point, weight in weights.items()}

    def behind(self, node: Node) -> dict[int, float]:
        total = 1 + sum(edge.visits for edge in node.edges.values())
        return {point: share - node.edges[point].visits / total for point, share in self.improved(node).items()}
