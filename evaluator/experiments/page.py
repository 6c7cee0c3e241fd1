"""The page of an experiment as Markdown, with its pictures beside it."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from evaluator.experiments.laboratory import Findings
from evaluator.experiments.question import Question, Variation
from evaluator.tournaments.page import elo_svg
from evaluator.tournaments.standings import Standings, about_model, as_text
from gobang.machine import cores_here, processor


def write_page(name: str, question: Question, findings: Findings, folder: Path) -> Path:
    """NAME.md and its pictures in the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    parts = [
        f"# {question.title}",
        f"{question.asks} Asked by {question.work}.",
        f"**What that work found.** {question.found}",
        f"**What ran here.** {_setting(name, question)}",
        *_results(name, question, findings, folder),
    ]
    page = folder / f"{name}.md"
    page.write_text("\n\n".join(parts) + "\n", encoding="utf8")
    return page


def _setting(name: str, question: Question) -> str:
    matches = f"{question.games} games a pair, each opening with both colours."
    on = f"On {cores_here()} cores of {processor()}, {time.strftime('%Y-%m-%d')}."
    command = f"python -m evaluator.experiments run {name}"
    if question.players:
        return f"{matches} {on}\n\n    {command} --games {question.games}"
    if question.evaluations:
        budget, flag = f"{question.evaluations:,} evaluations of self-play", f"--evaluations {question.evaluations}"
    else:
        budget, flag = f"{question.minutes:g} minutes", f"--minutes {question.minutes:g}"
    settings = ", ".join(f"`{each}`" for each in question.settings)
    return (
        f"Preset `{question.preset}`{f' with {settings}' if settings else ''}, each variant with {question.seeds} "
        f"seeds for {budget}; then the newest networks play with `{question.play}`, {matches} {on}\n\n"
        f"    {command} {flag} --seeds {question.seeds} --games {question.games}"
    )


def _results(name: str, question: Question, findings: Findings, folder: Path) -> Iterator[str]:
    if question.variants:
        yield "## Trainings"
        yield "\n".join(_training_rows(question, findings))
    if findings.meeting is not None:
        (folder / f"{name}.svg").write_text(elo_svg(findings.meeting), encoding="utf8")
        yield "## Everyone against everyone"
        yield f"![Elo of each player, with its interval]({name}.svg)"
        yield "```\n" + as_text(findings.meeting) + "\n```"
    if findings.against is not None:
        yield "## Against others"
        yield "\n".join(_against_rows(findings.against, len(findings.trainings)))
    for training, versions, table in findings.versions:
        yield f"## Versions of {training.name} against its last"
        yield "\n".join(_version_rows(versions, table))
        yield about_model(table)


def _training_rows(question: Question, findings: Findings) -> Iterator[str]:
    """One row for each variant; Elo is the mean over its seeds, with the lowest and the highest."""
    yield "| variant | settings | Elo, mean (of seeds) | versions | games | evaluations | loss |"
    yield "|---|---|---|---|---|---|---|"
    for variation in question.variants:
        runs = [training for training in findings.trainings if training.variation == variation]
        values = [dict(run.folder.read_summary().get("values", {})) for run in runs]
        means = [_mean([each.get(key) for each in values]) for key in ("version", "games", "evaluations", "loss")]
        cells = [f"{mean:,.0f}" for mean in means[:3]] + [f"{means[3]:.3g}"]
        settings = " ".join(f"`{each}`" for each in variation.settings) or "-"
        yield f"| {variation.name} | {settings} | {_elo(findings, variation)} | {' | '.join(cells)} |"


def _elo(findings: Findings, variation: Variation) -> str:
    if findings.meeting is None:
        return "-"
    own = [
        float(findings.meeting.strengths.elo[number])
        for number, training in enumerate(findings.trainings)
        if training.variation == variation
    ]
    return f"{np.mean(own):+.0f} ({min(own):+.0f} to {max(own):+.0f})"


def _mean(values: Sequence[float | None]) -> float:
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if known else float("nan")


def _against_rows(table: Standings, trained: int) -> Iterator[str]:
    yield "| network | opponent | as black | as white | score, with its interval of 95 % |"
    yield "|---|---|---|---|---|"
    for player in range(trained):
        for other in range(trained, len(table.names)):
            black, white = (table.tally(player, [other], [colour]) for colour in (0, 1))
            low, high = table.interval(player, other)
            total = black + white
            results = " | ".join(f"{each.wins}-{each.draws}-{each.losses}" for each in (black, white))
            scored = f"{total.score:.3f} ({low:.3f} to {high:.3f})"
            yield f"| {table.names[player]} | `{table.names[other]}` | {results} | {scored} |"


def _version_rows(versions: Sequence[int], table: Standings) -> Iterator[str]:
    yield "| version | wins-draws-losses against the last | score, with its interval of 95 % |"
    yield "|---|---|---|"
    for number in range(len(versions) - 1, 0, -1):
        met = table.tally(number, [0])
        low, high = table.interval(number, 0)
        result, score = f"{met.wins}-{met.draws}-{met.losses}", f"{met.score:.3f} ({low:.3f} to {high:.3f})"
        yield f"| {versions[number]} | {result} | {score} |"
