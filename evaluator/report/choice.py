"""The judge's games that are worth a look: a few of the newest, each for another reason."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from evaluator.judging.gate import ContestGame
from evaluator.report.strength import contestants, is_first
from gobang.versions import version_of

_NEW: Final = 400  # games from the end that count as new


@dataclass(frozen=True, kw_only=True, slots=True)
class ChosenGame:
    """A game and why it was chosen, e.g. `ChosenGame(game=game, reason="the longest of the newest games")`."""

    game: ContestGame
    reason: str


def choose_games(games: Sequence[ContestGame], count: int) -> list[ChosenGame]:
    """At most `count` games, for each reason in turn the newest that is not chosen yet."""
    newest = list(games[-_NEW:])[::-1]
    longest = max((len(game.record.moves) for game in newest), default=0)
    reasons: list[tuple[str, Callable[[ContestGame], bool]]] = [
        ("a candidate lost to the best", lambda game: _is_gate(game) and _points(game) == 0),
        ("a candidate beat the best", lambda game: _is_gate(game) and _points(game) == 1),
        ("lost on the ladder", lambda game: not _is_gate(game) and _points(game) == 0),
        ("won as white on the ladder", lambda game: not _is_gate(game) and _points(game) == 1 and _is_second(game)),
        ("the longest of the newest games", lambda game: len(game.record.moves) == longest),
    ]
    chosen: list[ChosenGame] = []
    for reason, fits in [*reasons, *[("one of the newest games", lambda game: True)] * count]:
        taken = {id(each.game) for each in chosen}
        game = next((game for game in newest if fits(game) and id(game) not in taken), None)
        if game is not None:
            chosen.append(ChosenGame(game=game, reason=reason))
    return chosen[:count]


def _is_gate(game: ContestGame) -> bool:
    return version_of(contestants(game)[1]) is not None


def _is_second(game: ContestGame) -> bool:
    return not is_first(game, contestants(game)[0])


def _points(game: ContestGame) -> float:
    """Of the candidate."""
    return game.points_of(contestants(game)[0])
