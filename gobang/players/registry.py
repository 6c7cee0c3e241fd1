"""Every kind of player by its name: what can be set, and what makes it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from gobang.options import Option, Options, declarations
from gobang.players.levels import LEVELS, Level
from gobang.players.options import (
    AlphaBetaOptions,
    CriticOptions,
    GomocupOptions,
    GuidedOptions,
    NetOptions,
    NoOptions,
    RolloutOptions,
    SearchOptions,
)


@dataclass(frozen=True, kw_only=True, slots=True)
class PlayerKind:
    """A kind of player."""

    options: type[Options]
    factory: str  # "module:function", imported when a player is made; (options, variant, seed) -> Player
    meaning: str
    level: Level | None = None  # which stands for another player, and needs no factory

    @property
    def bare(self) -> Option | None:
        """The option that must be given, and in a text stands bare after the colon."""
        return next((each for each in declarations(self.options) if each.is_required), None)

    @property
    def pairs(self) -> tuple[Option, ...]:
        """The options that are written key=value."""
        return tuple(each for each in declarations(self.options) if not each.is_required)


PLAYERS: Final[Mapping[str, PlayerKind]] = {
    "random": PlayerKind(
        options=NoOptions,
        factory="gobang.players.random_player:make_random",
        meaning="any legal move",
    ),
    "pattern": PlayerKind(
        options=NoOptions,
        factory="gobang.players.pattern:make_pattern",
        meaning="the most urgent point by line patterns, no search",
    ),
    "alphabeta": PlayerKind(
        options=AlphaBetaOptions,
        factory="gobang.players.alphabeta:make_alphabeta",
        meaning="search by depth over line patterns, with the solver of threats",
    ),
    "rollout": PlayerKind(
        options=RolloutOptions,
        factory="gobang.players.rollout:make_rollout",
        meaning="tree search with random games, no network",
    ),
    "hmcts": PlayerKind(
        options=GuidedOptions,
        factory="gobang.players.hmcts:make_hmcts",
        meaning="as many games guided by threats behind each urgent point, no tree and no network",
    ),
    "critic": PlayerKind(
        options=CriticOptions,
        factory="gobang.players.critic:make_critic",
        meaning="no search, a learned judgement of line patterns after its move: a file, or `builtin`",
    ),
    "uniform": PlayerKind(
        options=SearchOptions,
        factory="gobang.players.searching:make_uniform",
        meaning="tree search with uniform priors and the solver of threats, no network",
    ),
    "net": PlayerKind(
        options=NetOptions,
        factory="gobang.players.searching:make_net",
        meaning="tree search with a network: a file, a run such as `runs/8x8-1@latest`, or `builtin-8x8`",
    ),
    "exact": PlayerKind(
        options=NoOptions,
        factory="gobang.players.exact:make_exact",
        meaning="perfect play on boards small enough to be solved",
    ),
    "human": PlayerKind(
        options=NoOptions,
        factory="gobang.players.human:make_human",
        meaning="a person at the terminal",
    ),
    "gomocup": PlayerKind(
        options=GomocupOptions,
        factory="gobang.players.gomocup:make_gomocup",
        meaning="another program that speaks the Gomocup protocol",
    ),
    **{
        name: PlayerKind(options=NoOptions, factory="", meaning=f"a level: {level.words}", level=level)
        for name, level in LEVELS.items()
    },
}
