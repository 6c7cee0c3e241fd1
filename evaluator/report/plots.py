"""Plots as data, before they are drawn: curves of one run or of several, over any of the axes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evaluator.report.run_record import AXES, RunRecord, Series

LINE: Final = "line"
POINTS: Final = "points"  # with error bars, joined by a faint line
STEPS: Final = "steps"  # a value holds until the next one

_MOST_POINTS: Final = 300  # of a curve; more cannot be seen


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Curve:
    """N values and where they stand, e.g. `Curve(label="policy", x={"minutes": ...}, y=..., colour=1)`."""

    run: str = ""  # whose it is, where there are several
    label: str = ""  # which of its curves it is
    x: Mapping[str, NDArray[np.float64]]  # [N] by the name of the axis
    y: NDArray[np.float64]  # [N]
    error: NDArray[np.float64] | None = None  # [2, N] how far the bars reach below and above
    style: str = LINE
    colour: int = 0  # number in the palette
    dash: int = 0  # number of the pattern; 0 is solid


@dataclass(frozen=True, kw_only=True, slots=True)
class Plot:
    """Curves with one unit, e.g. `Plot(name="elo", title="Elo", unit="Elo", caption="...", curves=(...))`."""

    name: str  # of its files
    title: str
    unit: str  # beside the values
    caption: str  # how to read it
    curves: tuple[Curve, ...]
    levels: Mapping[str, float] = field(default_factory=dict)  # horizontal lines by their text
    bounds: tuple[float, float] | None = None  # of the values; None: as they come
    logarithmic: bool = False
    axes: Mapping[str, str] = field(default_factory=lambda: AXES)  # the words below each axis that it can have
    ends: Mapping[str, float] = field(default_factory=dict)  # of axes that go on behind the curves
    marks: tuple[float, ...] = ()  # vertical lines


@dataclass(frozen=True, kw_only=True, slots=True)
class Topic:
    """A plot of metrics, e.g. `Topic(name="reuse", title="Reuse", unit="", metrics={"reuse": ""}, caption="...")`."""

    name: str
    title: str
    unit: str
    metrics: Mapping[str, str]  # by name; what the legend says of each
    caption: str
    bounds: tuple[float, float] | None = None
    logarithmic: bool = False


def plot_of(topic: Topic, runs: Sequence[RunRecord]) -> Plot | None:
    """The metrics of the runs in one plot, colours by metric or else by run; None if none was measured."""
    curves: list[Curve] = []
    for number, run in enumerate(runs):
        for index, (metric, words) in enumerate(topic.metrics.items()):
            values = run.values(metric)
            if topic.logarithmic:
                values = np.where(values > 0, values, np.nan)
            known = ~np.isnan(values)
            if known.any():
                curves.append(
                    Curve(
                        run=shown_name(run, runs),
                        label=words,
                        x=_thin_axes(run, known),
                        y=_thin(values[known]),
                        colour=number if len(runs) > 1 else index,
                        dash=index if len(runs) > 1 else 0,
                    )
                )
    if not curves:
        return None
    return Plot(
        name=topic.name,
        title=topic.title,
        unit=topic.unit,
        caption=topic.caption,
        curves=tuple(curves),
        bounds=topic.bounds,
        logarithmic=topic.logarithmic,
    )


def shown_name(run: RunRecord, runs: Sequence[RunRecord]) -> str:
    """The run's name if there are several."""
    return run.name if len(runs) > 1 else ""


def at_lines(run: RunRecord, lines: Sequence[int]) -> dict[str, Series]:
    """The places of the metrics' lines on each axis."""
    return {name: run.axis(name)[list(lines)] for name in AXES}


def ends_of(runs: Sequence[RunRecord]) -> dict[str, float]:
    """The end of the longest run on each axis."""
    return {name: float(np.nanmax([run.axis(name)[-1] for run in runs if run.lines], initial=0.0)) for name in AXES}


def _thin_axes(run: RunRecord, known: NDArray[np.bool_]) -> dict[str, Series]:
    return {name: _thin(run.axis(name)[known]) for name in AXES}


def _thin(values: Series) -> Series:
    """Means of neighbours, so that no more are left than can be seen."""
    width = -(-len(values) // _MOST_POINTS)
    starts = np.arange(0, len(values), width)
    means: Series = np.add.reduceat(values, starts) / np.diff(starts, append=len(values))
    return means
