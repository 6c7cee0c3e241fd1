"""What the solver of threats says of a position, with the moves that show it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from gobang.rules.geometry import geometry
from gobang.rules.position import Position
from gobang.search.threats.tactics import FORCED, LOSS, NOTHING, WIN, TacticsWorkspace, solve, tactics_workspace
from gobang.types import UNDECIDED, Variant

_STONES: Final = 20_000  # most stones that the solver places
_LONGEST_WIN: Final = 60  # moves


@dataclass(frozen=True, kw_only=True, slots=True)
class Threats:
    """What is certain of an undecided position, e.g. `Threats(win=(112, 113, 97), forced=None, ...)`."""

    win: tuple[int, ...] = ()  # how the side to move wins by force, the answers between its own moves
    forced: int | None = None  # the only point that does not lose at once
    is_lost: bool = False  # the next player wins whatever is played
    menace: tuple[int, ...] = ()  # how the next player would win if the side to move did nothing


def find_threats(position: Position) -> Threats:
    """The threats of both sides in an undecided position; a menace is looked for in games of two alone."""
    verdict, point = _solve(position)
    menace: tuple[int, ...] = ()
    if verdict == NOTHING and position.variant.players == 2:
        menace = _forced_win(_passed(position))
    return Threats(
        win=_forced_win(position) if verdict == WIN else (),
        forced=point if verdict == FORCED else None,
        is_lost=verdict == LOSS,
        menace=menace,
    )


def _forced_win(position: Position) -> tuple[int, ...]:
    """The moves of a win by force, or none: each four is answered where it must be."""
    position = position.copy()
    attacker, line = position.to_move, list[int]()
    while position.outcome == UNDECIDED and len(line) < _LONGEST_WIN:
        verdict, point = _solve(position)
        if verdict == LOSS and position.to_move != attacker:
            break  # two points to block
        if verdict not in (WIN, FORCED) or (verdict == WIN) != (position.to_move == attacker):
            return ()
        line.append(point)
        position.play(point)
    return tuple(line)


def _passed(position: Position) -> Position:
    """The same stones with the other side to move."""
    stones = [[point for point in position.moves if position.cells[point] == player + 1] for player in range(2)]
    return Position.from_stones(position.variant, stones, 1 - position.to_move)


def _solve(position: Position) -> tuple[int, int]:
    """Verdict and point of the tactical solver."""
    table, workspace = geometry(position.variant), _workspace(position.variant)
    verdict, point, _ = solve(table, workspace, position.cells, position.to_move, _STONES)
    return int(verdict), int(point)


@lru_cache(maxsize=4)
def _workspace(variant: Variant) -> TacticsWorkspace:
    return tactics_workspace(variant, _STONES)
