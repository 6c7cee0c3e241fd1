"""The page: one file of HTML that needs nothing beside it, made of plots, tables and words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from typing import Final

from evaluator.report.board import board_script, board_style
from evaluator.report.plots import Plot
from evaluator.report.run_record import AXES

_FIRST_AXIS: Final = next(iter(AXES))


Draw = Callable[[Plot], Mapping[str, str]]  # gives the `svg` elements by axis


@dataclass(frozen=True, kw_only=True, slots=True)
class Table:
    """Words in rows, e.g. `Table(head=("run", "seed"), rows=(("8x8-1", "1"),))`."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Section:
    """A part of the page under one title."""

    name: str  # in links
    title: str
    words: str
    plots: Sequence[Plot] = ()
    table: Table | None = None
    code: str = ""  # lines for a shell
    extra: str = ""  # HTML


def page_html(title: str, facts: Mapping[str, str], sections: Sequence[Section], draw: Draw) -> str:
    """The whole document; `facts` stand in its head, and `draw` is asked for each plot in turn."""
    style = files("evaluator.report").joinpath("page.css").read_text(encoding="utf-8")
    return "\n".join(
        [
            '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8"/>',
            '<meta name="viewport" content="width=device-width, initial-scale=1"/>',
            f"<title>{escape(title)}</title>\n<style>\n{board_style()}{style}</style>\n</head>\n<body>",
            f"<header>\n<h1>{escape(title)}</h1>\n{_facts(facts)}\n</header>",
            _navigation(sections),
            "<main>",
            *(_section(section, draw) for section in sections),
            f"</main>\n{board_script()}\n</body>\n</html>\n",
        ]
    )


def table_html(table: Table) -> str:
    """A table that scrolls by itself where the screen is narrow."""
    head = "".join(f"<th>{escape(cell)}</th>" for cell in table.head)
    rows = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in table.rows)
    return f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>'


def plot_html(plot: Plot, draw: Draw) -> str:
    """A card with a drawing for each axis, of which the page shows the one that is chosen."""
    drawings = "".join(f'<div data-axis="{axis}">{svg}</div>' for axis, svg in draw(plot).items())
    return (
        f'<figure class="card"><h3>{escape(plot.title)}</h3>{drawings}'
        f"<figcaption>{escape(plot.caption)}</figcaption></figure>"
    )


def _facts(facts: Mapping[str, str]) -> str:
    return (
        "<dl>" + "".join(f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in facts.items()) + "</dl>"
    )


def _navigation(sections: Sequence[Section]) -> str:
    links = "".join(f'<a href="#{section.name}">{escape(section.title)}</a>' for section in sections)
    choices = "".join(
        f'<label><input type="radio" name="over" id="over-{axis}"{_checked(axis)}/> {axis}</label>' for axis in AXES
    )
    axes = f"<fieldset><span>curves over:</span>{choices}</fieldset>" if any(each.plots for each in sections) else ""
    return f"<nav><div>{links}{axes}</div></nav>"


def _checked(axis: str) -> str:
    return ' checked="checked"' if axis == _FIRST_AXIS else ""


def _section(section: Section, draw: Draw) -> str:
    parts = [
        f'<section id="{section.name}">\n<h2>{escape(section.title)}</h2>\n<p class="quiet">{escape(section.words)}</p>'
    ]
    if section.table is not None:
        parts.append(table_html(section.table))
    if section.plots:
        parts.append(f'<div class="cards">{"".join(plot_html(plot, draw) for plot in section.plots)}</div>')
    if section.code:
        parts.append(f"<pre>{escape(section.code)}</pre>")
    return "\n".join([*parts, section.extra, "</section>"])
