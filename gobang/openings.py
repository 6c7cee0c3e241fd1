"""Openings of matches: random moves, or positions of a file in which neither side is better.

Random moves favour a side: on a large board the opening then decides the game, and two players of unlike strength
split their pairs.  The package holds balanced openings for some variants, in files that anybody can read:

    # 15x15, 5 in a row, freestyle; made 2026-11-19 by
    # gobang openings --out FILE --size 15 ...
    h8 i9 h10 g7

A line has the moves from the empty board, an opening each.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import resources
from itertools import cycle, islice
from pathlib import Path
from typing import Final

import numpy as np

from gobang.errors import IllegalMove, InvalidConfig
from gobang.files import read_text
from gobang.rules.board import is_win
from gobang.rules.geometry import geometry
from gobang.rules.position import Position, parse_point, point_name, symmetry_class
from gobang.rules.symmetry import symmetries
from gobang.types import BALANCED, EMPTY, RANDOM, UNDECIDED, Variant

Opening = tuple[int, ...]  # points that are played before anyone chooses

_DRAWS_PER_OPENING: Final = 30  # finds 4 in 5 of the classes that exist, if just as many are wanted
_FEWEST_DRAWS: Final = 300
_REACH: Final = 2  # points between a stone that is near, and the one that it is near to
_MIDDLE: Final = 4  # the first of such stones stands no further from the middle of the board


def random_openings(variant: Variant, plies: int, count: int, seed: int) -> list[Opening]:
    """`count` openings of `plies` random legal moves, after which no side has won or can win at once.

    As far as they exist the positions differ even under the symmetries of the board; then they
    differ as they stand; then they repeat.
    """
    if not 0 <= plies < variant.points:
        raise InvalidConfig(f"opening of {plies} plies: 0 to {variant.points - 1} on this board")
    generator = np.random.default_rng(seed)
    unlike: dict[bytes, Opening] = {}  # by what is the same for symmetric positions
    mirrored: list[Opening] = []  # symmetric to one of those
    seen: set[bytes] = set()
    for _ in range(max(_FEWEST_DRAWS, _DRAWS_PER_OPENING * count)):
        position = _random_position(variant, plies, generator)
        if position is None or position.cells.tobytes() in seen:
            continue
        seen.add(position.cells.tobytes())
        opening = tuple(position.moves)
        if unlike.setdefault(symmetry_class(position), opening) is not opening:
            mirrored.append(opening)
        if len(unlike) == count:
            break
    if not unlike:
        raise InvalidConfig(f"opening of {plies} plies: none found on {variant} that leaves the game open")
    return list(islice(cycle([*unlike.values(), *mirrored]), count))


def near_move(position: Position, generator: np.random.Generator) -> int:
    """A random legal move near a stone, or near the middle of an empty board."""
    variant, legal = position.variant, position.legal()
    while True:
        if position.moves:
            origin, reach = int(generator.choice(position.moves)), _REACH
        else:
            origin, reach = variant.height // 2 * variant.width + variant.width // 2, _MIDDLE
        down, right = generator.integers(-reach, reach, size=2, endpoint=True).tolist()
        row, column = origin // variant.width + down, origin % variant.width + right
        point = row * variant.width + column
        if 0 <= row < variant.height and 0 <= column < variant.width and legal[point]:
            return int(point)


def chosen_openings(variant: Variant, kind: str, plies: int, count: int, seed: int) -> list[Opening]:
    """`count` openings: of random moves, of those in the package, or of the file that `kind` names."""
    if kind == RANDOM:
        return random_openings(variant, plies, count, seed)
    openings = balanced_openings(variant) if kind == BALANCED else read_openings(variant, Path(kind))
    return drawn_openings(variant, openings, count, seed)


def has_balanced(variant: Variant) -> bool:
    """Whether the package holds balanced openings of the variant."""
    return _file(variant).is_file()


def balanced_openings(variant: Variant) -> list[Opening]:
    """Those that the package holds; raises InvalidConfig if there are none."""
    if not has_balanced(variant):
        raise InvalidConfig(f"{variant}: there are no balanced openings in the package; `gobang openings` makes some")
    return parse_openings(variant, _file(variant).read_text(encoding="utf8"))


def read_openings(variant: Variant, path: Path) -> list[Opening]:
    """Return the openings of a file; raise InvalidConfig if the file cannot be used for the variant."""
    try:
        return parse_openings(variant, read_text(path))
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidConfig(f"openings: {error}") from error
    except InvalidConfig as error:
        raise InvalidConfig(f"{path}: {error}") from error


def parse_openings(variant: Variant, text: str) -> list[Opening]:
    """The openings of a file's text, in its order; raises InvalidConfig, with the line that is wrong."""
    openings = []
    for number, line in enumerate(text.splitlines(), start=1):
        if line.startswith("#") or not line.strip():
            continue
        try:
            position = Position(variant, [parse_point(variant, name) for name in line.split()])
        except IllegalMove as error:
            raise InvalidConfig(f"line {number}: {error}") from error
        if position.outcome != UNDECIDED:
            raise InvalidConfig(f"line {number}: the game is over after {line}")
        openings.append(tuple(position.moves))
    if not openings:
        raise InvalidConfig("it holds no openings")
    return openings


def format_openings(variant: Variant, openings: Sequence[Opening], made: str) -> str:
    """The text of a file; `made` says when and by which command."""
    lines = [f"# {variant}; made {made}"]
    lines += [" ".join(point_name(variant, point) for point in opening) for opening in openings]
    return "\n".join(lines) + "\n"


def drawn_openings(variant: Variant, openings: Sequence[Opening], count: int, seed: int) -> list[Opening]:
    """`count` of the openings, each in a view of the board that is drawn; all of them come before one comes again.

    It comes again in another view, which networks do not take for the same, until there are no more views.
    """
    generator = np.random.default_rng(seed)
    table = symmetries(variant.height, variant.width)
    order = generator.permutation(len(openings))
    views = generator.integers(len(table), size=len(openings))
    drawn = []
    for number in range(count):
        turn, index = divmod(number, len(openings))
        view = table[(views[index] + turn) % len(table)]
        drawn.append(tuple(int(view[point]) for point in openings[order[index]]))
    return drawn


def _random_position(variant: Variant, plies: int, generator: np.random.Generator) -> Position | None:
    """A position after random moves, or None if it is decided or the next move can decide it."""
    position = Position(variant)
    for _ in range(plies):
        if position.outcome != UNDECIDED:
            return None
        position.play(int(generator.choice(np.flatnonzero(position.legal()))))
    return None if position.outcome != UNDECIDED or _can_win_at_once(position) else position


def _can_win_at_once(position: Position) -> bool:
    variant = position.variant
    if len(position.moves) < variant.players * (variant.k - 1):
        return False  # too few stones of the side to move
    cells = position.cells.copy()
    for point in np.flatnonzero(position.legal()).tolist():
        cells[point] = position.to_move + 1
        if is_win(geometry(variant), cells, point):
            return True
        cells[point] = EMPTY
    return False


def _file(variant: Variant) -> resources.abc.Traversable:
    name = f"{variant.height}x{variant.width}x{variant.k}-{variant.rule}-{variant.players}.txt"
    return resources.files("gobang").joinpath("balanced_openings", name)
