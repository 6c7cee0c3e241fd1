"""The options of each kind of player."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import Literal

from gobang.errors import InvalidConfig
from gobang.options import Options, argument, option
from gobang.players.runs import settled
from gobang.players.trained import check_weights

_MOST_SIMULATIONS = 10_000_000
_MOST_NODES = 1_000_000_000
_MOST_MILLISECONDS = 86_400_000  # a day
_MOST_MEGABYTES = 1_048_576
BUILTIN_CRITIC = "builtin"  # in place of a file
_THREES = "prove wins by threats with threes before the search"


@dataclass(frozen=True, kw_only=True, slots=True)
class NoOptions(Options):
    """Of a player that has nothing to set."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RolloutOptions(Options):
    """Of tree search with random games as its evaluation."""

    sims: int | None = option(
        None,
        "random games per move; if not given 1000, or as many as the time allows",
        minimum=1,
        maximum=_MOST_SIMULATIONS,
    )
    ms: int | None = option(
        None, "milliseconds per move, instead of `sims`", minimum=1, maximum=_MOST_MILLISECONDS, instead_of="sims"
    )
    search: Literal["puct", "ucb1", "prior"] = option("puct", "how the tree is searched")
    c_puct: float = option(5.0, "weight of exploration", minimum=0, maximum=100)
    solver: bool = option(False, "prove wins and losses by threats")
    memory_mb: int | None = option(None, "most memory of the trees in MB", minimum=1, maximum=_MOST_MEGABYTES)


@dataclass(frozen=True, kw_only=True, slots=True)
class GuidedOptions(Options):
    """Of equally many games, guided by threats, behind each urgent point."""

    sims: int | None = option(
        None,
        "guided games per move; if not given 1000, or as many as the time allows",
        minimum=1,
        maximum=_MOST_SIMULATIONS,
    )
    ms: int | None = option(
        None, "milliseconds per move, instead of `sims`", minimum=1, maximum=_MOST_MILLISECONDS, instead_of="sims"
    )
    width: int = option(10, "most urgent points that are tried", minimum=1, maximum=484)


@dataclass(frozen=True, kw_only=True, slots=True)
class CriticOptions(Options):
    """Of a learned critic that judges positions after a move."""

    file: str = argument("the critic's file")
    depth: int = option(1, "moves that are looked ahead", minimum=1, maximum=2)
    explore: float = option(0.0, "share of moves at random", minimum=0, maximum=1)


@dataclass(frozen=True, kw_only=True, slots=True)
class AlphaBetaOptions(Options):
    """Of search by depth over line patterns."""

    nodes: int | None = option(
        None,
        "positions searched per move; if not given 50000, or as many as time or depth allow",
        minimum=1,
        maximum=_MOST_NODES,
    )
    ms: int | None = option(
        None, "milliseconds per move, instead of `nodes`", minimum=1, maximum=_MOST_MILLISECONDS, instead_of="nodes"
    )
    depth: int | None = option(None, "most plies to look ahead", minimum=1, maximum=60)
    search: Literal["minimax", "alphabeta", "pvs"] = option("pvs", "how much of the tree is left out")
    threats: bool = option(True, "look for continuous fours, and at threats only for what meets them")
    threes: bool = option(False, _THREES)


@dataclass(frozen=True, kw_only=True, slots=True)
class SearchOptions(Options):
    """Of tree search that asks an evaluator."""

    sims: int | None = option(
        None,
        "simulations per move; if not given 400, or as many as the time allows",
        minimum=1,
        maximum=_MOST_SIMULATIONS,
    )
    ms: int | None = option(
        None, "milliseconds per move, instead of `sims`", minimum=1, maximum=_MOST_MILLISECONDS, instead_of="sims"
    )
    search: Literal["puct", "gumbel", "ucb1", "prior"] = option("puct", "how the tree is searched")
    solver: bool = option(True, "prove wins and losses by threats")
    threes: bool = option(False, _THREES)
    c_puct: float = option(1.5, "weight of exploration", minimum=0, maximum=100)
    soft_priors: bool = option(
        True, "puct by the square roots of the priors, so that moves with low ones are looked at sooner"
    )
    lcb: float = option(
        1.0,
        "after puct, play the highest mean less so many standard errors; 0: the most visited",
        minimum=0,
        maximum=100,
    )
    contempt: float = option(0.0, "how much of a loss a draw is", minimum=0, maximum=1)
    temperature: float = option(0.0, "0 plays the best move, 1 in proportion to the visits", minimum=0, maximum=100)
    noise: float = option(0.0, "share of Dirichlet noise in the priors of the root", minimum=0, maximum=1)
    reuse: bool = option(True, "keep the tree from move to move")
    leaves: int | None = option(
        None,
        "positions of a game evaluated together; if not given 1, on time 8, or 4 by threads on large boards (lines: 1)",
        minimum=1,
        maximum=256,
    )
    memory_mb: int | None = option(None, "most memory of the trees in MB", minimum=1, maximum=_MOST_MEGABYTES)


@dataclass(frozen=True, kw_only=True, slots=True)
class NetOptions(SearchOptions):
    """Of tree search with a network."""

    file: str = argument("the network's weights")
    precision: Literal["auto", "fp32", "bf16", "int8"] = option("auto", "arithmetic of the network")
    threads: int = option(
        1, "threads that run the network, beside which the tree is searched on", minimum=1, maximum=256
    )

    def __post_init__(self) -> None:
        Options.__post_init__(self)  # no super(): slots make a second class
        if not self.file or "," in self.file:
            raise InvalidConfig(f"file is {self.file!r}, not text without commas")
        check_weights(self.file)
        # Settled once: a run goes on, and every process of a match has to take the same version.
        object.__setattr__(self, "file", settled(self.file))


@dataclass(frozen=True, kw_only=True, slots=True)
class GomocupOptions(Options):
    """Of an external program that speaks the Gomocup protocol."""

    command: str = argument("the command line that starts the program", rest=True)
    timeout: float = option(5.0, "seconds which the program is given for a move", minimum=0.001, maximum=86_400)
    grace: float = option(1.0, "seconds beyond `timeout` after which the move is lost", minimum=0, maximum=3600)
    start: float = option(
        120.0,
        "seconds for the program to start; the first time on a machine it may have to compile",
        minimum=0.001,
        maximum=3600,
    )

    def __post_init__(self) -> None:
        Options.__post_init__(self)  # no super(): slots make a second class
        try:
            shlex.split(self.command)
        except ValueError as error:
            raise InvalidConfig(f"command is {self.command!r}: {error}") from error
