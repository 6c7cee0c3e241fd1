"""A board of a report: the drawing of the page, with stones numbered and what a search thinks of the free points.

The report carries the page's script and colours; the script draws each board from what stands in its element.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from html import escape
from importlib.resources import files
from typing import Final

from gobang.rules.position import point_name
from gobang.types import Variant

_DRAWING: Final = files("gobang.web").joinpath("page")


def board_style() -> str:
    """The colours of all boards, for the head of a document."""
    return _DRAWING.joinpath("board.css").read_text(encoding="utf-8")


def board_script() -> str:
    """What draws all boards of a document, for its end."""
    drawing = _DRAWING.joinpath("board.js").read_text(encoding="utf-8")
    return f'<script type="module">//<![CDATA[\n{drawing}\ndrawAll(document);\n//]]></script>'


def board_html(
    variant: Variant,
    moves: Sequence[int],
    *,
    shares: Mapping[int, float] | None = None,
    played: int | None = None,
    title: str,
) -> str:
    """The board after `moves`; `shares` of the search by free point, and the point that was `played` next."""
    marks = {
        "numbers": True,
        "shares": {point_name(variant, point): round(share, 3) for point, share in (shares or {}).items()},
        "played": None if played is None else point_name(variant, played),
    }
    board = {
        "width": variant.width,
        "height": variant.height,
        "players": variant.players,
        "moves": [point_name(variant, point) for point in moves],
        "marks": marks,
        "title": title,
    }
    return f'<div class="boardplace" data-board="{escape(json.dumps(board))}"></div>'
