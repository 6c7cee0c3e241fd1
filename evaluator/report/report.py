"""Puts the report together: sections, drawings, the page, and the PNG files beside it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TextIO

from evaluator.report.drawing import draw_to_files
from evaluator.report.facts import facts_of
from evaluator.report.games import games_section
from evaluator.report.page import Draw, page_html
from evaluator.report.plots import Plot
from evaluator.report.run_record import RunRecord
from evaluator.report.sections import sections_of
from gobang.progress import Progress


def write_report(runs: Sequence[RunRecord], games: int, out: Path, stream: TextIO) -> None:
    """Write the page on one run or more, with up to `games` annotated games of the first; `stream` shows progress."""
    folder = out.with_suffix("")
    folder.mkdir(parents=True, exist_ok=True)
    draw = partial(draw_to_files, folder=folder)
    annotated = games_section(runs[0], games, draw, stream) if games else None
    sections = sections_of(runs, annotated)
    title = f"{', '.join(run.name for run in runs)}: {runs[0].variant}"
    facts = facts_of(runs[0]) if len(runs) == 1 else {}
    total = sum(len(section.plots) for section in sections)
    out.write_text(page_html(title, facts, sections, _counted(draw, total, stream)), encoding="utf-8")


def _counted(draw: Draw, total: int, stream: TextIO) -> Draw:
    """Draws, and shows how many of the plots are done."""
    if not total:
        return draw
    progress = Progress(total, stream, unit="plots")
    done = 0

    def draw_next(plot: Plot) -> dict[str, str]:
        nonlocal done
        drawings = dict(draw(plot))
        done += 1
        progress.update(done)
        if done == total:
            progress.close()
        return drawings

    return draw_next
