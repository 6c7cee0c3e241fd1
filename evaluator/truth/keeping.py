"""Measures a player against the truth: values kept in solved positions, won games won against perfect play."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evaluator.statistics.intervals import wilson
from evaluator.truth.solved import SolvedPosition
from gobang.errors import Unsolved
from gobang.match import Fixture, PlayedGame
from gobang.players.player import Player, Turn
from gobang.rules.position import Position, point_name
from gobang.search.proof.exact import DRAWN, LOST, WON, ExactSolver
from gobang.types import Variant

_MOST_TURNS: Final = 64  # asked of a player at once
_GROUPS: Final[Mapping[str, Callable[[SolvedPosition], bool]]] = {
    "all": lambda solved: True,
    "to win": lambda solved: solved.value == WON,
    "to draw": lambda solved: solved.value == DRAWN,
    "black to move": lambda solved: solved.to_move == 0,
    "white to move": lambda solved: solved.to_move == 1,
}


def keeps_value(
    player: Player,
    variant: Variant,
    positions: Sequence[SolvedPosition],
    on_asked: Callable[[int, float], None] = lambda asked, share: None,
) -> NDArray[np.bool_]:
    """[N] in which positions the player's move keeps the value; `on_asked` gets how many are done and the share."""
    kept: list[bool] = []
    size = min(player.games_at_once, _MOST_TURNS)
    for start in range(0, len(positions), size):
        block = positions[start : start + size]
        turns = [
            Turn(game=start + index, position=Position(variant, solved.moves)) for index, solved in enumerate(block)
        ]
        moves = player.choose(turns)
        kept += [bool(solved.values[move] == solved.value) for solved, move in zip(block, moves, strict=True)]
        on_asked(len(kept), sum(kept) / len(kept))
    return np.array(kept)


@dataclass(frozen=True, kw_only=True, slots=True)
class Share:
    """Of a group of positions, e.g. `Share(group="to win", positions=620, kept=570, random=0.24)`."""

    group: str
    positions: int
    kept: int
    random: float  # share that a random mover would keep

    @property
    def kept_share(self) -> float:
        """Share of the positions whose value was kept."""
        return self.kept / max(1, self.positions)

    @property
    def interval(self) -> tuple[float, float]:
        """Of that share."""
        return wilson(self.kept, self.positions)


def shares(positions: Sequence[SolvedPosition], kept: NDArray[np.bool_]) -> list[Share]:
    """Overall, by value and by side to move."""
    made = []
    for group, belongs in _GROUPS.items():
        chosen = [index for index, solved in enumerate(positions) if belongs(solved)]
        by_chance = sum(positions[index].random_share for index in chosen) / max(1, len(chosen))
        made.append(Share(group=group, positions=len(chosen), kept=int(kept[chosen].sum()), random=by_chance))
    return made


def shares_as_text(made: Sequence[Share]) -> str:
    """The shares as a small table."""
    lines = [f"{'':14}{'positions':>10}{'keeps':>8}   {'95 % interval':17}{'random mover':>12}"]
    for share in made:
        low, high = share.interval
        bounds = f"{low:.3f} to {high:.3f}"
        lines.append(f"{share.group:14}{share.positions:10,}{share.kept_share:8.3f}   {bounds:17}{share.random:12.3f}")
    return "\n".join(lines)


def shares_as_dict(made: Sequence[Share]) -> dict[str, object]:
    """The shares for JSON, by group."""
    return {
        share.group.replace(" ", "_"): {
            "positions": share.positions,
            "kept": share.kept,
            "share": round(share.kept_share, 4),
            "interval": [round(bound, 4) for bound in share.interval],
            "random": round(share.random, 4),
        }
        for share in made
    }


def won_openings(variant: Variant) -> list[Fixture]:
    """A game for each first move that decides it; contestant 0 has the side that wins.  Raises Unsolved."""
    values = ExactSolver(variant).move_values(Position(variant))
    seats = {WON: (0, 1), LOST: (1, 0)}
    fixtures = [
        Fixture(opening=(point,), seats=seats[value]) for point, value in enumerate(values.tolist()) if value in seats
    ]
    if not fixtures:
        raise Unsolved(f"{variant}: every first move leads to a draw, so there is no won game to be tried")
    return fixtures


@dataclass(frozen=True, kw_only=True, slots=True)
class Wins:
    """Of games that began won, e.g. `Wins(colour="black", games=16, not_won=("c3",))`."""

    colour: str  # of the player
    games: int
    not_won: tuple[str, ...]  # the first moves after which the player did not win

    @property
    def won(self) -> int:
        """Number of games that it won."""
        return self.games - len(self.not_won)


def count_wins(games: Sequence[PlayedGame]) -> list[Wins]:
    """By the colour of contestant 0."""
    counted = []
    for player, colour in enumerate(("black", "white")):
        own = [game for game in games if game.fixture.seats[player] == 0]
        not_won = [game.fixture.opening[0] for game in own if game.record.outcome != player]
        names = tuple(point_name(own[0].record.variant, point) for point in not_won)
        counted.append(Wins(colour=colour, games=len(own), not_won=names))
    return counted


def wins_as_text(counted: Sequence[Wins]) -> str:
    """The wins as a small table."""
    lines = [f"{'':14}{'games':>6}{'won':>6}"]
    for wins in counted:
        missed = f"   not after {', '.join(wins.not_won)}" if wins.not_won else ""
        lines.append(f"as {wins.colour:11}{wins.games:6}{wins.won:6}{missed}")
    return "\n".join(lines)


def wins_as_dict(counted: Sequence[Wins]) -> dict[str, object]:
    """The wins for JSON, by colour."""
    return {
        f"as_{wins.colour}": {"games": wins.games, "won": wins.won, "not_won": list(wins.not_won)} for wins in counted
    }
