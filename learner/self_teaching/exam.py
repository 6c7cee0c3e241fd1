"""How a critic does against players that need no training."""

from __future__ import annotations

from typing import Final

from gobang.critic.network import Critic
from gobang.match import paired, play_games
from gobang.openings import random_openings
from gobang.players.critic import CriticPlayer
from gobang.players.options import CriticOptions
from gobang.players.spec import make_player, parse
from gobang.types import Variant

OPPONENTS: Final = ("random", "pattern")
_GAMES: Final = 50  # against each
_PLIES: Final = 2  # of an opening
_SEED: Final = 7  # the same games for all critics


def scores(critic: Critic, variant: Variant) -> dict[str, float]:
    """The share of points against each opponent, e.g. `{"random": 1.0, "pattern": 0.35}`."""
    return {name: _score(critic, variant, name) for name in OPPONENTS}


def _score(critic: Critic, variant: Variant, opponent: str) -> float:
    players = [
        CriticPlayer(variant, critic, CriticOptions(file=""), _SEED),
        make_player(parse(opponent), variant, _SEED),
    ]
    fixtures = paired(random_openings(variant, _PLIES, _GAMES // 2, _SEED))
    games = play_games(variant, players, fixtures)
    return sum(game.record.points(game.fixture.seats.index(0)) for game in games) / len(games)
