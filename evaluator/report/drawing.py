"""Plots as pictures, by matplotlib: SVG that takes its colours from the page around it, and PNG.

Nothing else imports matplotlib, and what imports this module does so when it is about to draw.
"""

from __future__ import annotations

import io
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from evaluator.report.plots import POINTS, STEPS, Curve, Plot

PALETTE: Final = ("#1d5fd1", "#c2620a", "#0b8457", "#b5267a", "#6d3fd1", "#0a7c93", "#7a7410", "#b3261e")
INK: Final = "#30343b"  # of words
FAINT: Final = "#c9ced6"  # of grid and frame
PAPER: Final = "#ffffff"  # behind a PNG
CSS_NAMES: Final[Mapping[str, str]] = {
    **{colour: f"--series-{index}" for index, colour in enumerate(PALETTE)},
    INK: "--ink",
    FAINT: "--faint",
}

_DASHES: Final[tuple[Any, ...]] = ("solid", (0, (4, 2)), (0, (1, 1.5)), (0, (6, 2, 1, 2)))
_INCHES: Final = (4.7, 2.9)
_DPI: Final = 220  # of a PNG
_LEGEND_LETTERS: Final = 70  # in a row
_CLOSEST_LABELS: Final = 0.045  # of the axis, between the words at two levels
_STYLE: Final[dict[Any, Any]] = {
    "font.size": 9,
    "font.family": "sans-serif",
    "svg.fonttype": "none",
    "text.color": INK,
    "axes.edgecolor": FAINT,
    "axes.labelcolor": INK,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.formatter.useoffset": False,
    "grid.color": FAINT,
    "grid.linewidth": 0.5,
    "xtick.color": FAINT,
    "ytick.color": FAINT,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "legend.frameon": False,
    "legend.fontsize": 8,
    "lines.linewidth": 1.4,
    "lines.solid_joinstyle": "round",
}


def draw_to_files(plot: Plot, folder: Path) -> dict[str, str]:
    """The plot as an `svg` element for each of its axes, each also written to a PNG file named after both."""
    return {axis: draw(plot, axis, folder / f"{plot.name}-{axis}.png") for axis in plot.axes}


def draw(plot: Plot, axis: str, png: Path | None = None) -> str:
    """The plot over one of its axes as an `svg` element for a page; also written to `png` if that is given."""
    with matplotlib.rc_context({**_STYLE, "svg.hashsalt": f"{plot.name} {axis}"}):
        figure = Figure(figsize=_INCHES, layout="constrained")
        _fill(figure.add_subplot(), plot, axis)
        if png is not None:
            _write_png(figure, plot, png)
        return _as_element(_svg(figure), plot.title)


def picture(plot: Plot, axis: str) -> str:
    """The plot with its title as an SVG document of its own, on white paper."""
    with matplotlib.rc_context({**_STYLE, "svg.hashsalt": f"{plot.name} {axis}"}):
        figure = Figure(figsize=_INCHES, layout="constrained")
        axes = figure.add_subplot()
        _fill(axes, plot, axis)
        axes.set_title(plot.title, loc="left", fontsize=10, fontweight="bold")
        return _svg(figure, PAPER)


def _fill(axes: Axes, plot: Plot, axis: str) -> None:
    for curve in plot.curves:
        _draw_curve(axes, curve, axis)
    if plot.logarithmic:
        axes.set_yscale("log")
    if plot.bounds:
        low, high = plot.bounds
        axes.set_ylim(low - 0.03 * (high - low), high + 0.03 * (high - low))
    _draw_levels(axes, plot)
    for mark in plot.marks:
        axes.axvline(mark, color=INK, linewidth=0.6, linestyle=_DASHES[2])
    axes.set_xlabel(plot.axes[axis])
    axes.set_ylabel(plot.unit)
    axes.xaxis.set_major_formatter(_short_number)
    if not plot.logarithmic:
        axes.yaxis.set_major_formatter(_short_number)
    right = max(axes.get_xlim()[1], 1.02 * plot.ends.get(axis, 0.0))
    axes.set_xlim(-0.02 * right, right)
    if axis != "minutes":
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    _add_legend(axes, plot)


def _add_legend(axes: Axes, plot: Plot) -> None:
    """An entry for each curve; where there are several runs, one for each colour and one for each pattern."""
    entries: dict[str, Line2D] = {}
    for curve in plot.curves:
        look = _look(curve)
        if curve.run:
            entries[curve.run] = Line2D([], [], **{**look, "linestyle": _DASHES[0], "marker": ""})
            look["color"] = INK
        if curve.label:
            entries.setdefault(curve.label, Line2D([], [], **look))
    ordered = sorted(entries, key=lambda words: entries[words].get_color() == INK)
    if ordered:
        columns = min(len(ordered), max(1, _LEGEND_LETTERS // (6 + max(map(len, ordered)))))
        axes.figure.legend(
            [entries[words] for words in ordered], ordered, loc="outside lower left", ncols=columns, handlelength=1.8
        )


def _look(curve: Curve) -> dict[str, Any]:
    dash = _DASHES[curve.dash % len(_DASHES)]
    look = {"color": PALETTE[curve.colour % len(PALETTE)], "linestyle": dash}
    return {**look, "marker": "o", "markersize": 3, "linewidth": 0.7} if curve.style == POINTS else look


def _draw_curve(axes: Axes, curve: Curve, axis: str) -> None:
    x, look = curve.x[axis], _look(curve)
    if curve.style == STEPS:
        axes.step(x, curve.y, where="post", **look)
    elif curve.style == POINTS:
        axes.plot(x, curve.y, alpha=0.6, **look)
        axes.errorbar(x, curve.y, curve.error, fmt="none", elinewidth=0.8, capsize=1.5, ecolor=look["color"])
    else:
        axes.plot(x, curve.y, **look, marker="o" if len(x) == 1 else None, markersize=3)


def _draw_levels(axes: Axes, plot: Plot) -> None:
    """Horizontal lines; the words of those that lie close together stand in one place."""
    low, high = axes.get_ylim()
    places: list[tuple[float, list[str]]] = []
    for words, level in sorted(plot.levels.items(), key=lambda item: item[1]):
        axes.axhline(level, color=INK, linewidth=0.6, linestyle=_DASHES[1])
        if places and level - places[-1][0] < _CLOSEST_LABELS * (high - low):
            places[-1][1].append(words)
        else:
            places.append((level, [words]))
    for level, names in places:
        place: dict[str, Any] = {"xycoords": ("axes fraction", "data"), "va": "bottom", "ha": "right"}
        axes.annotate(
            ", ".join(names) if len(names) < 3 else f"{names[0]} to {names[-1]}",
            (1, level),
            fontsize=7,
            color=INK,
            **place,
        )


def _short_number(value: float, _position: float | None = None) -> str:
    """E.g. 2.5 M, 10 k, 0.25."""
    for unit, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= unit:
            return f"{value / unit:.4g} {letter}"
    return f"{value:.4g}"


def _write_png(figure: Figure, plot: Plot, path: Path) -> None:
    axes = figure.axes[0]
    axes.set_title(plot.title, loc="left", fontsize=10, fontweight="bold")
    figure.savefig(path, format="png", dpi=_DPI, facecolor=PAPER)
    axes.set_title("", loc="left")


def _svg(figure: Figure, paper: str = "none") -> str:
    content = io.StringIO()
    metadata = {"Date": None, "Creator": None}
    figure.savefig(content, format="svg", transparent=paper == "none", facecolor=paper, metadata=metadata)
    return content.getvalue()


def _as_element(document: str, title: str) -> str:
    """The `svg` element alone, with colours from the page and no name that another picture could have too."""
    svg = document[document.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r'<g id="[^"]*"', "<g", svg)
    for colour, name in CSS_NAMES.items():
        svg = svg.replace(colour, f"var({name})")
    head, tail = svg.split(">", 1)
    head = re.sub(r' (width|height)="[^"]*"', "", head)
    return f'{head} role="img" aria-label="{title}">{tail}'.strip()
