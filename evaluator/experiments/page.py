"""The page of an experiment as Markdown, with its pictures beside it.

One part is written by hand: what differs from the work's claim.  It stands between two marks, and stays when the page
is written again.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from evaluator.experiments.claims import beside_rows, claim_rows, rung_rows
from evaluator.experiments.laboratory import Findings
from evaluator.experiments.plots import plots
from evaluator.experiments.question import Question
from evaluator.experiments.tables import (
    against_rows,
    against_totals,
    course_rows,
    depth_rows,
    drill_rows,
    ring_rows,
    step_rows,
    threat_rows,
    training_rows,
    version_rows,
)
from evaluator.tournaments.page import elo_svg
from evaluator.tournaments.standings import Standings, as_text
from gobang.machine import cores_here, processor

_BEGIN: Final = "<!-- by hand: what stands from here to the next mark stays when the page is written again -->"
_END: Final = "<!-- end of what is written by hand -->"
_NOTHING_YET: Final = "Nobody has looked at this yet."


def write_page(asked: str, question: Question, findings: Findings, folder: Path) -> Path:
    """NAME.md and its pictures in the folder; `asked` is the name, or the file, that the command was given."""
    from evaluator.report.drawing import picture  # matplotlib takes a second to load

    name = Path(asked).stem
    folder.mkdir(parents=True, exist_ok=True)
    page = folder / f"{name}.md"
    parts = [
        f"# {question.title}",
        f"{question.asks} Asked by {question.work}.",
        f"**What that work found.** {question.found}",
        f"**What differs.**\n\n{_BEGIN}\n{_by_hand(page)}\n{_END}",
        f"**What ran here.** {_setting(asked, question)}",
        *_results(name, question, findings, folder),
    ]
    for plot, axis in plots(question, findings):
        drawing = f"{name}-{plot.name}.svg"
        (folder / drawing).write_text(picture(plot, axis), encoding="utf8")
        parts.append(f"![{plot.title}]({drawing})\n\n*{plot.caption}*")
    page.write_text("\n\n".join(parts) + "\n", encoding="utf8")
    return page


def _by_hand(page: Path) -> str:
    """What somebody has written on the page."""
    try:
        text = page.read_text(encoding="utf8")
    except FileNotFoundError:
        return _NOTHING_YET
    _, begin, rest = text.partition(_BEGIN)
    kept, end, _ = rest.partition(_END)
    return kept.strip() if begin and end and kept.strip() else _NOTHING_YET


def _setting(asked: str, question: Question) -> str:
    """What was trained, how it played, where and by which command."""
    words, flags = [], []
    if question.variants:
        budget, flag = _budget(question)
        settings = ", ".join(f"`{each}`" for each in question.settings)
        words.append(
            f"{_trained_how(question)}{f' with {settings}' if settings else ''}, each variant with {question.seeds} "
            f"{'seeds' if question.seeds > 1 else 'seed'} for {budget}; the networks play with `{question.play}`."
        )
        flags.append(flag)
    if question.courses:
        words.append(f"Critics are taught for {question.lessons:,} games, with {question.seeds} seeds each.")
    if question.variants or question.courses:
        flags.append(f"--seeds {question.seeds}")
    if question.depths.depth:
        words.append(
            f"{question.games} positions of games on {question.game}; in each the {question.depths.width} most urgent "
            f"points, without the solver of threats. Searches by threats place up to {question.depths.nodes:,} stones."
        )
    else:
        words.append(f"{question.games} games a pair, each opening with both colours or in all seats.")
    words.append(f"On {cores_here()} cores of {processor()}, {time.strftime('%Y-%m-%d')}.")
    command = " ".join([f"python -m evaluator.experiments run {asked}", *flags, f"--games {question.games}"])
    return f"{' '.join(words)}\n\n    {command}"


def _trained_how(question: Question) -> str:
    return "The works' loop (`python -m learner.paper`)" if question.iterations else f"Preset `{question.preset}`"


def _budget(question: Question) -> tuple[str, str]:
    if question.iterations:
        return f"{question.iterations:,} iterations of the works' loop", f"--iterations {question.iterations}"
    if question.evaluations:
        return f"{question.evaluations:,} evaluations of self-play", f"--evaluations {question.evaluations}"
    return f"{question.minutes:g} minutes", f"--minutes {question.minutes:g}"


def _results(name: str, question: Question, findings: Findings, folder: Path) -> Iterator[str]:
    for title, rows in _sections(question, findings):
        yield f"## {title}"
        yield "\n".join(rows)
    for kind, title, table in (
        ("elo", "Trained networks, everyone against everyone", findings.meeting),
        ("players", "Players, everyone against everyone", findings.players),
    ):
        if table is not None:
            yield from _meeting(f"{name}-{kind}.svg", title, table, folder)


def _meeting(drawing: str, title: str, table: Standings, folder: Path) -> Iterator[str]:
    (folder / drawing).write_text(elo_svg(table), encoding="utf8")
    yield f"## {title}"
    yield f"![Elo of each player, with its interval]({drawing})"
    yield "```\n" + as_text(table) + "\n```"


def _sections(question: Question, findings: Findings) -> Iterator[tuple[str, Iterator[str]]]:
    """Titles and rows of tables, those that the question asks for."""
    if findings.trainings:
        yield "Trainings", training_rows(question, findings)
    if question.works:
        yield "Beside the work", beside_rows(question, findings)
    if question.claims:
        yield "Claims", claim_rows(question, findings)
    if question.iterations:
        yield "Iterations until rollouts are beaten", rung_rows(question, findings)
    if findings.courses:
        yield "Courses", course_rows(findings.courses)
    if findings.against is not None:
        asking = len(findings.against.names) - len(question.against)
        rows = against_totals if len(question.against) > 1 else against_rows
        yield "Against others", rows(findings.against, asking)
    if findings.drills:
        yield "Simple questions to the last networks", drill_rows(findings.drills)
    if findings.rings:
        yield f"Black's first move, both with `{question.first_moves}`", ring_rows(findings.rings)
    for training, versions, table in findings.versions:
        yield f"Versions of {training.name} against its last", version_rows(training, versions, table)
    if findings.steps:
        yield (
            f"Elo after as many {'iterations' if question.iterations else 'training steps'}",
            step_rows(question.variants, findings.steps),
        )
    if findings.looks:
        yield "Search by depth", depth_rows(findings.looks)
        yield "Search by threats", threat_rows(findings.looks)
