"""Solved positions: how they are drawn, written and read.

For 5x5 and 6x6, four in a row, the package holds 1,000 positions each, in a file that anybody can read:

    c3 b2 d4    LLL.L...

are the moves played so far, and for each point of the board what the side to move makes of the game
by playing there: W a win, D a draw, L a loss, and a dot where it may not play.

How they are drawn.  Two games in turn, of which the first is played at random, and the second as far
at random as nothing is urgent: a player wins at once if he can, and else prevents that the other does.
The number of plies is drawn evenly from 2 to the points of the board less four, and the game is
played so far.  A position counts if the game is not over, if the choice matters (one move at least
keeps the value of the position and one at least does not), and if no symmetric one has been drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Final

import numpy as np
from numpy.typing import NDArray

from gobang.errors import Unsolved
from gobang.rules.geometry import geometry
from gobang.rules.position import Position, parse_point, point_name, symmetry_class
from gobang.search.proof.exact import DRAWN, LOST, NO_VALUE, WON, ExactSolver
from gobang.search.threats.tactics import FORCED, WIN, solve, tactics_workspace
from gobang.types import UNDECIDED, Variant

POSITIONS: Final = 1000
SEED: Final = 1

_LETTERS: Final = {WON: "W", DRAWN: "D", LOST: "L", NO_VALUE: "."}
_VALUES: Final = {letter: value for value, letter in _LETTERS.items()}
_FEWEST_PLIES: Final = 2
_FEWEST_EMPTY: Final = 4


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class SolvedPosition:
    """A position and what each move makes of it, e.g. `SolvedPosition(moves=(12, 6, 18), values=...)`."""

    moves: tuple[int, ...]  # points in the order of play
    values: NDArray[np.int8]  # [A] WON, DRAWN or LOST for the side to move; NO_VALUE where it may not play

    @property
    def value(self) -> int:
        """WON, DRAWN or LOST for the side to move."""
        return int(self.values.max())

    @property
    def to_move(self) -> int:
        """Player whose turn it is."""
        return len(self.moves) % 2

    @property
    def random_share(self) -> float:
        """The chance that a random move keeps the value."""
        return float((self.values == self.value).sum() / (self.values != NO_VALUE).sum())


def has_solved(variant: Variant) -> bool:
    """Whether the package holds solved positions of the variant."""
    return _file(variant).is_file()


def load_solved(variant: Variant) -> list[SolvedPosition]:
    """Those that the package holds; raises Unsolved if there are none."""
    if not has_solved(variant):
        raise Unsolved(f"{variant}: there are solved positions of 5x5 and 6x6, 4 in a row, freestyle")
    return list(parse_solved(variant, _file(variant).read_text(encoding="utf8")))


def parse_solved(variant: Variant, text: str) -> Iterator[SolvedPosition]:
    """The positions of a file."""
    for line in text.splitlines():
        if line.startswith("#"):
            continue
        *moves, values = line.split()
        yield SolvedPosition(
            moves=tuple(parse_point(variant, name) for name in moves),
            values=np.array([_VALUES[letter] for letter in values], np.int8),
        )


def format_solved(variant: Variant, positions: Sequence[SolvedPosition], seed: int) -> str:
    """The text of a file; the same for the same positions."""
    size = f"--size {variant.height}x{variant.width} --k {variant.k}"
    lines = [
        f"# {variant}; evaluator/truth/solved.py says what the letters mean; made by",
        f"# gobang exact --draw FILE {size} --positions {len(positions)} --seed {seed}",
    ]
    for position in positions:
        names = " ".join(point_name(variant, point) for point in position.moves)
        lines.append(f"{names}    {''.join(_LETTERS[int(value)] for value in position.values)}")
    return "\n".join(lines) + "\n"


def draw_solved(
    variant: Variant, count: int, seed: int, on_found: Callable[[int], None] = lambda found: None
) -> list[SolvedPosition]:
    """Draw positions as the module says and solve them; `on_found` gets their number so far."""
    solver = ExactSolver(variant)
    generator = np.random.default_rng(seed)
    seen: set[bytes] = set()
    found: list[SolvedPosition] = []
    games = (_random_move, _urgent_move(variant))
    while len(found) < count:
        position = _play(variant, games[len(found) % 2], generator)
        if position.outcome != UNDECIDED or symmetry_class(position) in seen:
            continue
        seen.add(symmetry_class(position))
        values = solver.move_values(position)
        if choice_matters(values):
            found.append(SolvedPosition(moves=tuple(position.moves), values=values))
            on_found(len(found))
    return found


def choice_matters(values: NDArray[np.int8]) -> bool:
    """Whether of the moves [A] one at least keeps the value of the position and one at least does not."""
    return len(set(values.tolist()) - {NO_VALUE}) > 1


_Choose = Callable[[Position, np.random.Generator], int]


def _play(variant: Variant, choose: _Choose, generator: np.random.Generator) -> Position:
    plies = generator.integers(_FEWEST_PLIES, variant.points - _FEWEST_EMPTY, endpoint=True)
    position = Position(variant)
    while len(position.moves) < plies and position.outcome == UNDECIDED:
        position.play(choose(position, generator))
    return position


def _random_move(position: Position, generator: np.random.Generator) -> int:
    return int(generator.choice(np.flatnonzero(position.legal())))


def _urgent_move(variant: Variant) -> _Choose:
    """Win at once, or prevent it, or move at random."""
    table, workspace = geometry(variant), tactics_workspace(variant, 0)

    def choose(position: Position, generator: np.random.Generator) -> int:
        verdict, point, _ = solve(table, workspace, position.cells, position.to_move, 0)
        return int(point) if verdict in (WIN, FORCED) else _random_move(position, generator)

    return choose


def _file(variant: Variant) -> resources.abc.Traversable:
    name = f"{variant.height}x{variant.width}x{variant.k}-{variant.rule}-{variant.players}.txt"
    return resources.files("evaluator").joinpath("solved_positions", name)
