"""The check of the works' loop: ten games of the network against rollouts, which get stronger rung by rung.

Trees are fresh at each move, there is no noise, and the most visited move is played.  The network begins every other
game; among three it sits first, third and second in turn, against two rollout players.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from gobang.interfaces import Evaluator
from gobang.players.player import Player, Turn
from gobang.players.spec import make_player, parse
from gobang.rules.position import Position
from gobang.search.trees.search import Search
from gobang.types import UNDECIDED
from learner.paper.config import PaperConfig
from learner.paper.games import search_config

EVERY: Final = 50  # iterations
FIRST_RUNG: Final = 1000  # playouts
STEP: Final = 1000  # to the next rung
_GAMES: Final = 10
_SEATS: Final = {2: (0, 1), 3: (0, 2, 1), 4: (0, 3, 2, 1)}  # of the network, by the number of players
_PATIENCE: Final = 4  # checks lost in a row at one rung, after which simulations grow


@dataclass(frozen=True, kw_only=True, slots=True)
class Check:
    """One check, e.g. `Check(iteration=350, playouts=2000, points=8.5, games=10, is_won=True)`."""

    iteration: int
    playouts: int
    points: float  # a win 1, a draw 1/2
    games: int
    is_won: bool


def rung_after(checks: list[Check]) -> int:
    """Return the playouts of the next check."""
    return FIRST_RUNG + STEP * sum(check.is_won for check in checks)


def simulations_after(config: PaperConfig, checks: list[Check]) -> int:
    """Return the simulations of self-play, which grow each time that four checks in a row are lost."""
    lost = 0
    for check in reversed(checks):
        if check.is_won:
            break
        lost += 1
    return round(config.simulations * config.growth ** (lost // _PATIENCE))


def hold_check(config: PaperConfig, evaluator: Evaluator, iteration: int, playouts: int) -> Check:
    """Play the ten games; their random numbers follow from the seed and the iteration."""
    random = np.random.default_rng((config.seed, iteration))
    spec = parse(f"rollout:sims={playouts},search=puct,c_puct={_c_puct(config)},solver=off")
    rollouts = [make_player(spec, config.game, int(random.integers(2**31))) for _ in range(_GAMES)]
    search = Search(
        config.game,
        search_config(config, config.simulations, noise=0.0, reuse=False),
        evaluator,
        games=_GAMES,
        rng=random,
    )
    seats = _SEATS[config.game.players]
    games = [Position(config.game) for _ in range(_GAMES)]
    own = [seats[number % len(seats)] for number in range(_GAMES)]
    while any(game.outcome == UNDECIDED for game in games):
        _move(search, games, own, rollouts)
    for player in rollouts:
        player.close()
    draw = config.game.draw
    points = sum(
        0.5 if game.outcome == draw else float(game.outcome == seat) for game, seat in zip(games, own, strict=True)
    )
    return Check(
        iteration=iteration,
        playouts=playouts,
        points=points,
        games=_GAMES,
        is_won=100 * points >= config.percent * _GAMES,
    )


def _move(search: Search, games: list[Position], own: list[int], rollouts: list[Player]) -> None:
    """Make one move in every open game."""
    open_games = [number for number, game in enumerate(games) if game.outcome == UNDECIDED]
    asking = [number for number in open_games if games[number].to_move == own[number]]
    moves = {
        number: rollouts[number].choose([Turn(game=number, position=games[number])])[0]
        for number in open_games
        if number not in asking
    }
    if asking:
        found = search.run([games[number] for number in asking], asking)
        moves |= {number: int(found.visits[row].argmax()) for row, number in enumerate(asking)}
    for number, move in moves.items():
        games[number].play(move)


def _c_puct(config: PaperConfig) -> float:
    """Return the rollouts' constant: 5 with values from -1 to 1, as the works have it.

    Among three the work backs up 2 for a win and -1 for a loss, which is twice our scale.
    """
    return 5.0 if config.game.players == 2 else 2.5
