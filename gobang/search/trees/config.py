"""The configuration of a search, and the numbers that kernels take from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

from gobang.errors import InvalidConfig

ALGORITHMS: Final = ("puct", "gumbel", "ucb1", "prior")
PUCT: Final = ALGORITHMS.index("puct")
GUMBEL: Final = ALGORITHMS.index("gumbel")
UCB1: Final = ALGORITHMS.index("ucb1")
PRIOR: Final = ALGORITHMS.index("prior")
MOST_SIMULATIONS: Final = 10_000_000  # sums of utilities in 32 bits lose too much beyond


class Parameters(NamedTuple):
    """A configuration as kernels see it."""

    algorithm: int  # PUCT, GUMBEL, UCB1 or PRIOR
    c_puct: float
    fpu_from_parent: bool
    fpu_reduction: float
    c_visit: float
    c_scale: float
    leaves: int
    solver_nodes: int
    root_solver_nodes: int
    solver: bool
    contempt: float
    noise_fraction: float
    soft_priors: bool
    lcb: float


@dataclass(frozen=True, kw_only=True, slots=True)
class SearchConfig:
    """The options of a search, e.g. `SearchConfig(simulations=64, algorithm="gumbel")`.

    `puct`, `ucb1` and `prior` choose by visits, but for `lcb`, `gumbel` by sequential halving.  `c_puct` is also the
    constant of UCB1, and of `prior` the weight of the prior.  An unvisited move counts as
    `fpu_reduction` below the mean value of its parent, or below zero with `fpu="zero"` as in the papers.
    `soft_priors` and `lcb` are of `puct` alone.
    """

    simulations: int = 400  # visits of the root's moves, with those kept from the last move
    algorithm: str = "puct"
    c_puct: float = 1.5
    fpu: str = "parent"  # or "zero"
    fpu_reduction: float = 0.2
    noise_fraction: float = 0.0  # share of Dirichlet noise in the root's priors
    noise_alpha: float = 0.0  # 0: ten divided by the number of points
    temperature: float = 0.0  # of the first plies; 0 plays the best move
    temperature_plies: int = 0  # moves from this ply on are played with `final_temperature`
    final_temperature: float = 0.0
    considered: int = 16  # moves that sequential halving starts with
    c_visit: float = 50.0  # Gumbel: weight of values = (c_visit + most visits) * c_scale
    c_scale: float = 1.0
    soft_priors: bool = False  # search by the priors' square roots: moves with low ones are looked at sooner
    lcb: float = 0.0  # play the highest mean less so many standard errors; 0: the most visited move
    reuse: bool = False  # keep the subtree of the moves played since
    leaves: int = 1  # positions gathered per tree and step, with virtual loss
    contempt: float = 0.0  # how much of a loss a draw is to the side that searches; 1: all of it
    solver: bool = True  # tactical solver at the leaves
    solver_nodes: int = 200  # most stones placed by it at a leaf; at the root a hundred times as many

    def __post_init__(self) -> None:
        if self.algorithm not in ALGORITHMS:
            raise InvalidConfig(f"algorithm {self.algorithm!r}: one of {', '.join(ALGORITHMS)}")
        if self.fpu not in ("parent", "zero"):
            raise InvalidConfig(f"fpu {self.fpu!r}: parent or zero")
        for name, low, high in _RANGES:
            value = getattr(self, name)
            if not low <= value <= high:
                raise InvalidConfig(f"{name} {value}: from {low} to {high}")
        if self.reuse and self.algorithm == "gumbel":
            raise InvalidConfig("reuse True: sequential halving starts from an unvisited root; use puct or ucb1")

    def parameters(self) -> Parameters:
        """The values that kernels need, as a named tuple."""
        return Parameters(
            algorithm=ALGORITHMS.index(self.algorithm),
            c_puct=float(self.c_puct),
            fpu_from_parent=self.fpu == "parent",
            fpu_reduction=float(self.fpu_reduction),
            c_visit=float(self.c_visit),
            c_scale=float(self.c_scale),
            leaves=self.leaves,
            solver_nodes=self.solver_nodes,
            root_solver_nodes=100 * self.solver_nodes,
            solver=self.solver,
            contempt=float(self.contempt),
            noise_fraction=float(self.noise_fraction),
            soft_priors=self.soft_priors and self.algorithm == "puct",
            lcb=float(self.lcb) if self.algorithm == "puct" else 0.0,
        )

    def temperature_at(self, ply: int) -> float:
        """Temperature with which the move at a ply is chosen."""
        return self.temperature if ply < self.temperature_plies else self.final_temperature


_RANGES: Final = (
    ("simulations", 1, MOST_SIMULATIONS),
    ("c_puct", 0.0, 100.0),
    ("fpu_reduction", -2.0, 2.0),
    ("noise_fraction", 0.0, 1.0),
    ("noise_alpha", 0.0, 100.0),
    ("temperature", 0.0, 100.0),
    ("temperature_plies", 0, 10_000),
    ("final_temperature", 0.0, 100.0),
    ("considered", 2, 512),
    ("c_visit", 0.0, 1e6),
    ("c_scale", 0.0, 1e3),
    ("leaves", 1, 256),
    ("contempt", 0.0, 1.0),
    ("lcb", 0.0, 100.0),
    ("solver_nodes", 0, 1_000_000),
)
