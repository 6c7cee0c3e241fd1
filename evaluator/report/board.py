"""A board as an SVG element: stones with the numbers of their moves, and what a search thinks of the free points.

Its colours are those of the page around it.
"""

from __future__ import annotations

import string
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from gobang.rules.position import point_name
from gobang.types import Variant

_CELL: Final = 20  # from one line to the next
_EDGE: Final = 20  # from the border of the picture to the first line
_WORTH_A_NUMBER: Final = 0.05  # share of the visits from which on it is written out


def board_svg(
    variant: Variant,
    moves: Sequence[int],
    *,
    shares: Mapping[int, float] | None = None,
    played: int | None = None,
    title: str,
) -> str:
    """The board after `moves`; `shares` of the search by free point, and the point that was `played` next."""
    size = [_CELL * (side - 1) + 2 * _EDGE for side in (variant.width, variant.height)]
    parts = [
        f'<svg class="board" viewBox="0 0 {size[0]} {size[1]}" role="img" aria-label="{title}">',
        f'<rect class="wood" width="{size[0]}" height="{size[1]}" rx="4"/>',
        *_lines(variant),
        *_names(variant),
        *_heat(variant, shares or {}),
        *_stones(variant, moves),
    ]
    if played is not None:
        x, y = _place(variant, played)
        parts.append(f'<circle class="played" cx="{x}" cy="{y}" r="8.6"/>')
    return "".join([*parts, "</svg>"])


def _place(variant: Variant, point: int) -> tuple[int, int]:
    row, column = divmod(point, variant.width)
    return _EDGE + _CELL * column, _EDGE + _CELL * (variant.height - 1 - row)


def _lines(variant: Variant) -> Iterator[str]:
    right, bottom = (_EDGE + _CELL * (side - 1) for side in (variant.width, variant.height))
    path = [f"M{_EDGE} {_EDGE + _CELL * row}H{right}" for row in range(variant.height)]
    path += [f"M{_EDGE + _CELL * column} {_EDGE}V{bottom}" for column in range(variant.width)]
    yield f'<path class="lines" d="{"".join(path)}"/>'


def _names(variant: Variant) -> Iterator[str]:
    bottom = _CELL * (variant.height - 1) + 2 * _EDGE
    for column in range(variant.width):
        yield _text("edge", _EDGE + _CELL * column, bottom - 5, string.ascii_lowercase[column])
    for row in range(variant.height):
        yield _text("edge", 6, _EDGE + _CELL * (variant.height - 1 - row), str(row + 1))


def _heat(variant: Variant, shares: Mapping[int, float]) -> Iterator[str]:
    for point, share in shares.items():
        x, y = _place(variant, point)
        name = f"{point_name(variant, point)} {share:.0%}"
        yield f'<circle class="heat" cx="{x}" cy="{y}" r="9" fill-opacity="{0.12 + 0.75 * share:.2f}">'
        yield f"<title>{name}</title></circle>"
        if share >= _WORTH_A_NUMBER:
            yield _text("share", x, y, f"{100 * share:.0f}")


def _stones(variant: Variant, moves: Sequence[int]) -> Iterator[str]:
    for number, point in enumerate(moves):
        x, y = _place(variant, point)
        last = " last" if number == len(moves) - 1 else ""
        yield f'<circle class="stone p{number % variant.players}{last}" cx="{x}" cy="{y}" r="8.6"/>'
        yield _text(f"number p{number % variant.players}", x, y, str(number + 1))


def _text(kind: str, x: int, y: int, words: str) -> str:
    return f'<text class="{kind}" x="{x}" y="{y}">{words}</text>'
