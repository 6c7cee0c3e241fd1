"""What an experiment found, as plots that stand for themselves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from evaluator.experiments.depths import MODES, SMALL_TABLE, TABLE, Look
from evaluator.experiments.laboratory import Findings
from evaluator.experiments.question import Question
from evaluator.experiments.training import Course, Training
from evaluator.report.plots import POINTS, Curve, Plot, Topic, plot_of
from evaluator.report.run_record import read_run
from evaluator.report.topics import LEARNING, PLAYING

_TOPICS: Final = {topic.name: topic for topic in (*LEARNING, *PLAYING)}
TOPICS: Final = tuple(_TOPICS)
STEPS: Final = "steps"  # axes
EVALUATIONS: Final = "evaluations"
_STEPS_AXIS: Final = {STEPS: "training steps"}
_DRILLS: Final = ("takes a win in one", "blocks one", "the same in every view", "against random, as black", "as white")


def plots(question: Question, findings: Findings) -> Iterator[tuple[Plot, str]]:
    """Each with its axis, in the order of the page."""
    for name in question.curves:
        plot = _of_runs(_TOPICS[name], question, findings.trainings)
        if plot is not None:
            yield plot, EVALUATIONS
    if findings.versions:
        yield _of_versions(question, findings), STEPS
    if findings.steps:
        yield _of_steps(question, findings), STEPS
    if question.iterations:
        plot = _of_rungs(question, findings)
        if plot.curves:
            yield plot, "playouts"
    if findings.drills:
        yield _of_drills(question, findings), STEPS
    if findings.courses:
        yield _of_courses(findings.courses), "games"
    if findings.looks:
        yield _of_looks(findings.looks, MODES, "depth", "Positions that searches by depth look at"), "plies"
        yield _of_looks(findings.looks, (TABLE, SMALL_TABLE), "threats", "Stones of searches by threats"), "plies"


def _of_runs(topic: Topic, question: Question, trainings: Sequence[Training]) -> Plot | None:
    """A metric of all runs: a colour for each variant, of which each seed has a line."""
    found: list[tuple[Training, Plot]] = []
    for training in trainings:
        plot = plot_of(topic, [read_run(training.folder.root)])
        if plot is not None:
            found.append((training, plot))
    if not found:
        return None
    curves = tuple(
        replace(
            curve,
            run=training.variation.name,
            colour=question.variants.index(training.variation),
            dash=curve.colour,
        )
        for training, plot in found
        for curve in plot.curves
    )
    return replace(found[0][1], curves=curves)


def _of_versions(question: Question, findings: Findings) -> Plot:
    curves = []
    for training, versions, table in findings.versions:
        numbers = range(len(versions) - 1, 0, -1)
        score = np.array([table.tally(number, [0]).score for number in numbers])
        low, high = np.array([table.interval(number, 0) for number in numbers]).T
        curves.append(
            Curve(
                run=training.name,
                x={STEPS: np.array([training.checkpoint(versions[number]).step for number in numbers], np.float64)},
                y=score,
                error=np.clip([score - low, high - score], 0, None),
                style=POINTS,
                colour=findings.trainings.index(training),
            )
        )
    return Plot(
        name="versions",
        title="Versions against the last one",
        unit="points per game",
        caption="Score of a version against the last of its run; draws count half.",
        curves=tuple(curves),
        levels={"even": 0.5},
        bounds=(0.0, 1.0),
        axes=_STEPS_AXIS,
    )


def _of_steps(question: Question, findings: Findings) -> Plot:
    curves = []
    for colour, variation in enumerate(question.variants):
        spans = []
        for count, (able, table) in findings.steps.items():
            own = [training.name for training in able if training.variation == variation]
            if own and table is not None:
                elo = [float(table.strengths.elo[table.names.index(name)]) for name in own]
                spans.append((count, np.mean(elo), min(elo), max(elo)))
        if spans:
            x, y, low, high = np.array(spans, np.float64).T
            error = np.array([y - low, high - y])
            curves.append(Curve(run=variation.name, x={STEPS: x}, y=y, error=error, style=POINTS, colour=colour))
    return Plot(
        name="steps",
        title="After as many training steps",
        unit="Elo, mean of seeds",
        caption="Elo among the networks that have had as many steps; bars from the lowest seed to the highest.",
        curves=tuple(curves),
        axes=_STEPS_AXIS,
    )


def _of_rungs(question: Question, findings: Findings) -> Plot:
    curves = []
    for colour, variation in enumerate(question.variants):
        won: dict[int, list[int]] = {}
        for training in findings.trainings:
            for playouts, iteration in training.rungs().items():
                if training.variation == variation:
                    won.setdefault(playouts, []).append(iteration)
        if won:
            x, y = np.array([*won], np.float64), np.array([np.mean(each) for each in won.values()])
            low, high = (np.array([bound(each) for each in won.values()], np.float64) for bound in (min, max))
            error = np.array([y - low, high - y])
            curves.append(Curve(run=variation.name, x={"playouts": x}, y=y, error=error, style=POINTS, colour=colour))
    return Plot(
        name="rungs",
        title="Iterations until rollouts are beaten",
        unit="iterations",
        caption="Mean of the seeds that beat them, from the fewest to the most; who is missing did not.",
        curves=tuple(curves),
        axes={"playouts": "playouts a move"},
    )


def _of_drills(question: Question, findings: Findings) -> Plot:
    curves = []
    for training, asked in findings.drills:
        x = np.array([each.step for each in asked], np.float64)
        shares = np.array(
            [(each.drill.takes_win, each.drill.blocks, each.drill.alike, *each.drill.against_random) for each in asked]
        ).T
        colour = question.variants.index(training.variation)
        curves += [
            Curve(run=training.variation.name, label=label, x={STEPS: x}, y=share, colour=colour, dash=dash)
            for dash, (label, share) in enumerate(zip(_DRILLS, shares, strict=True))
        ]
    return Plot(
        name="drills",
        title="Simple questions, and games against random moves",
        unit="share",
        caption="Of the likeliest move, without a search.",
        curves=tuple(curves),
        bounds=(0.0, 1.0),
        axes=_STEPS_AXIS,
    )


def _of_courses(courses: Sequence[Course]) -> Plot:
    curves = []
    opponent = [*courses[0].exams()[0]][-1]
    for colour, name in enumerate(dict.fromkeys(course.variation.name for course in courses)):
        own = [course.exams() for course in courses if course.variation.name == name]
        scores = np.array([[line[opponent] for line in lines] for lines in own])
        mean = scores.mean(axis=0)
        error = np.array([mean - scores.min(axis=0), scores.max(axis=0) - mean])
        x = np.array([line["games"] for line in own[0]], np.float64)
        curves.append(Curve(run=name, x={"games": x}, y=mean, error=error, style=POINTS, colour=colour))
    return Plot(
        name="courses",
        title=f"Points against {opponent}",
        unit="share of the points",
        caption="Mean of the seeds, from the least to the most.",
        curves=tuple(curves),
        bounds=(0.0, 1.0),
        axes={"games": "games of self-play"},
    )


def _of_looks(looks: Sequence[Look], kinds: Sequence[str], name: str, title: str) -> Plot:
    curves = []
    for colour, kind in enumerate(kinds):
        depths = sorted({look.depth for look in looks if look.kind == kind})
        means = [np.mean([look.nodes for look in looks if (look.kind, look.depth) == (kind, at)]) for at in depths]
        x, y = np.array(depths, np.float64), np.maximum(np.array(means, np.float64), 1)
        curves.append(Curve(run=kind, x={"plies": x}, y=y, style=POINTS, colour=colour, error=np.zeros((2, len(y)))))
    return Plot(
        name=name,
        title=title,
        unit="mean",
        caption="Logarithmic scale.",
        curves=tuple(curves),
        logarithmic=True,
        axes={"plies": "plies"},
    )
