"""The sections of the page: their words, plots and tables."""

from __future__ import annotations

from collections.abc import Sequence

from evaluator.report.facts import commands, differences, parity_table, rated_games, runs_table
from evaluator.report.page import Section, table_html
from evaluator.report.plots import Topic, plot_of
from evaluator.report.run_record import RunRecord
from evaluator.report.strength import parities, rate_runs
from evaluator.report.strength_plots import elo_plot, score_plots
from evaluator.report.topics import LEARNING, PLAYING


def sections_of(runs: Sequence[RunRecord], games: Section | None) -> list[Section]:
    """All sections of the page on a run, or on several; `games` are those that were annotated."""
    sections = [_strength(runs), games, _metrics("learning", "Learning", LEARNING, runs)]
    sections += [_metrics("playing", "Self-play and replay", PLAYING, runs), _repeat(runs)]
    if len(runs) > 1:
        sections.insert(0, _comparison(runs))
    return [section for section in sections if section is not None]


def _strength(runs: Sequence[RunRecord]) -> Section:
    ratings = rate_runs(runs)
    elo = elo_plot(runs, ratings)
    if elo is None:
        words = "No match of the judge has been recorded yet. Look again when the run is some minutes old."
        return Section(name="strength", title="Strength", words=words)
    table = parity_table(parities(runs, ratings))
    return Section(
        name="strength",
        title="Strength",
        words=f"From {rated_games(ratings):,} games of the judge, rated together. The table says when the promoted "
        "version was first rated as high as each opponent; an opponent is met only once those below it are beaten, "
        "so that its own rating may rest on few games: look at the last column. Evaluations are those of self-play and "
        "of matches together.",
        plots=[elo, *score_plots(runs, ratings)],
        table=table if table.rows else None,
    )


def _metrics(name: str, title: str, topics: Sequence[Topic], runs: Sequence[RunRecord]) -> Section:
    plots = [plot for topic in topics if (plot := plot_of(topic, runs)) is not None]
    file = runs[0].folder.metrics.name
    words = f"From {file}, which gets a line every few seconds." if plots else f"{file} holds nothing of this yet."
    return Section(name=name, title=title, words=words, plots=plots)


def _comparison(runs: Sequence[RunRecord]) -> Section:
    differing = differences(runs)
    words = "Settings that differ stand below." if differing.rows else "All settings are the same."
    return Section(
        name="runs",
        title="Runs",
        words=words,
        table=runs_table(runs),
        extra=table_html(differing) if differing.rows else "",
    )


def _repeat(runs: Sequence[RunRecord]) -> Section:
    return Section(
        name="repeat",
        title="Repeat it",
        words="Runs with the same seed begin with the same weights and openings; processes that run side by side make "
        "no two runs exactly equal.",
        code="\n\n".join(map(commands, runs)),
    )
