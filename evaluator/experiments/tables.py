"""What an experiment found, as rows of Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

import numpy as np

from evaluator.experiments.contests import Ring
from evaluator.experiments.depths import ALPHABETA, MODES, SMALL_TABLE, TABLE, Look
from evaluator.experiments.laboratory import Drilled, Findings
from evaluator.experiments.question import Question, Variation
from evaluator.experiments.training import Course, Training
from evaluator.statistics.intervals import score_interval
from evaluator.statistics.tally import Tally
from evaluator.tournaments.standings import Standings
from gobang.types import NO_MOVE

NOT_REACHED: Final = "not reached"
_COUNTED: Final = ("seconds", "games", "evaluations", "step")  # of a run


def training_rows(question: Question, findings: Findings) -> Iterator[str]:
    """One row for each variant; means over its seeds, of Elo also the lowest and the highest."""
    yield "| variant | settings | Elo, mean (of seeds) | minutes | games | evaluations | training steps | loss |"
    yield "|---|---|---|---|---|---|---|---|"
    for variation in question.variants:
        runs = [training for training in findings.trainings if training.variation == variation]
        values = [dict(run.folder.read_summary().get("values", {})) for run in runs]
        seconds, *counts = (_mean([each.get(key) for each in values]) for key in _COUNTED)
        loss = _mean([each.get("loss") for each in values])
        cells = [f"{seconds / 60:.1f}", *(f"{count:,.0f}" for count in counts), f"{loss:.3g}"]
        settings = " ".join(f"`{each}`" for each in variation.settings) or "-"
        elo = "-" if findings.meeting is None else _elo(findings.meeting, runs)
        yield f"| {variation.name} | {settings} | {elo} | {' | '.join(cells)} |"


def _elo(table: Standings, trainings: Sequence[Training]) -> str:
    own = [float(table.strengths.elo[table.names.index(training.name)]) for training in trainings]
    return f"{np.mean(own):+.0f} ({min(own):+.0f} to {max(own):+.0f})"


def _mean(values: Sequence[float | None]) -> float:
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if known else float("nan")


def against_rows(table: Standings, asking: int) -> Iterator[str]:
    """The first `asking` players against each of the others."""
    yield "| player | opponent | as black | as white | score, with its interval of 95 % |"
    yield "|---|---|---|---|---|"
    for player in range(asking):
        for other in range(asking, len(table.names)):
            black, white = (table.tally(player, [other], [colour]) for colour in (0, 1))
            low, high = table.interval(player, other)
            results = " | ".join(f"{each.wins}-{each.draws}-{each.losses}" for each in (black, white))
            score = f"{(black + white).score:.3f} ({low:.3f} to {high:.3f})"
            yield f"| {table.names[player]} | `{table.names[other]}` | {results} | {score} |"


def against_totals(table: Standings, asking: int) -> Iterator[str]:
    """Wins, draws and losses of each against each opponent, and points of all; the most points first."""
    opponents = range(asking, len(table.names))
    yield f"| player | {' | '.join(f'`{table.names[other]}`' for other in opponents)} | points, % |"
    yield "|---" * (len(opponents) + 2) + "|"
    totals = {player: table.tally(player, opponents) for player in range(asking)}
    for player in sorted(totals, key=lambda each: -totals[each].score):
        met = [table.tally(player, [other]) for other in opponents]
        cells = " | ".join(f"{each.wins}-{each.draws}-{each.losses}" for each in met)
        yield f"| {table.names[player]} | {cells} | {_percent(totals[player])} |"


def _percent(counts: Tally) -> str:
    low, high = score_interval(counts.wins, counts.draws, counts.losses)
    return f"{100 * counts.score:.0f} ({100 * low:.0f} to {100 * high:.0f})"


def version_rows(training: Training, versions: Sequence[int], table: Standings) -> Iterator[str]:
    """Each version against the first of them, which is the last of the run."""
    yield "| version | training steps | wins-draws-losses against the last | score, with its interval of 95 % |"
    yield "|---|---|---|---|"
    for number in range(len(versions) - 1, 0, -1):
        met = table.tally(number, [0])
        low, high = table.interval(number, 0)
        result, score = f"{met.wins}-{met.draws}-{met.losses}", f"{met.score:.3f} ({low:.3f} to {high:.3f})"
        yield f"| {versions[number]} | {training.checkpoint(versions[number]).step:,} | {result} | {score} |"


def step_rows(
    variants: Sequence[Variation], steps: Mapping[int, tuple[tuple[Training, ...], Standings | None]]
) -> Iterator[str]:
    """Elo of each variant among those that have had as many training steps."""
    yield f"| training steps | {' | '.join(variation.name for variation in variants)} |"
    yield "|---" * (len(variants) + 1) + "|"
    for count, (able, table) in steps.items():
        cells = []
        for variation in variants:
            own = [training for training in able if training.variation == variation]
            cells.append(_elo(table, own) if own and table is not None else "alone" if own else NOT_REACHED)
        yield f"| {count:,} | {' | '.join(cells)} |"


def drill_rows(drills: Sequence[tuple[Training, Sequence[Drilled]]]) -> Iterator[str]:
    """The last version of each training; shares in percent."""
    yield (
        "| network | training steps | wins in one missed | blocks missed | views with another move | "
        "points against random moves as black | as white |"
    )
    yield "|---|---|---|---|---|---|---|"
    for training, asked in drills:
        drill, (black, white) = asked[-1].drill, asked[-1].drill.against_random
        shares = (1 - drill.takes_win, 1 - drill.blocks, 1 - drill.alike, black, white)
        cells = " | ".join(f"{100 * share:.0f} %" for share in shares)
        yield f"| {training.name} | {asked[-1].step:,} | {cells} |"


def ring_rows(rings: Iterable[Ring]) -> Iterator[str]:
    """How black did by its first move."""
    yield "| black's first stone | games | wins-draws-losses of black | points of black, % |"
    yield "|---|---|---|---|"
    for ring in rings:
        black = ring.black
        where = "in the middle" if ring.distance == 0 else f"{ring.distance} from the middle"
        yield f"| {where} | {black.games} | {black.wins}-{black.draws}-{black.losses} | {_percent(black)} |"


def course_rows(courses: Sequence[Course]) -> Iterator[str]:
    """Points against each opponent of the exams, over the games of self-play: mean of the seeds, least and most."""
    exams = courses[0].exams()
    counts = [f"{line['games']:,}" for line in exams]
    yield f"| % of the points after games | {' | '.join(counts)} |"
    yield "|---" * (len(exams) + 1) + "|"
    for name in dict.fromkeys(course.variation.name for course in courses):
        own = [course.exams() for course in courses if course.variation.name == name]
        for opponent in [key for key in exams[0] if key != "games"]:
            scores = 100 * np.array([[line[opponent] for line in lines] for lines in own])
            spans = zip(scores.mean(axis=0), scores.min(axis=0), scores.max(axis=0), strict=True)
            cells = " | ".join(f"{mean:.0f} ({low:.0f} to {high:.0f})" for mean, low, high in spans)
            yield f"| {name}, against `{opponent}` | {cells} |"


def depth_rows(looks: Sequence[Look]) -> Iterator[str]:
    """Means over the positions, to each depth."""
    yield "| plies | search | positions looked at | ms | same move as alpha-beta | same value |"
    yield "|---|---|---|---|---|---|"
    reference = {(look.position, look.depth): look for look in looks if look.kind == ALPHABETA}
    for depth in sorted({look.depth for look in looks if look.kind in MODES}):
        for kind in MODES:
            own = [look for look in looks if (look.kind, look.depth) == (kind, depth)]
            known = [(look, reference[look.position, depth]) for look in own if (look.position, depth) in reference]
            if known:
                moves = sum(look.move == other.move for look, other in known)
                values = sum(look.value == other.value for look, other in known)
                same = f"{moves} of {len(known)} | {values} of {len(known)}"
                yield f"| {depth} | {kind} | {_nodes_and_ms(own)} | {same} |"


def threat_rows(looks: Sequence[Look]) -> Iterator[str]:
    """The same of searches by threats."""
    yield "| stones ahead at most | transpositions | stones placed | ms | wins found |"
    yield "|---|---|---|---|---|"
    for depth in sorted({look.depth for look in looks if look.kind in (TABLE, SMALL_TABLE)}):
        for kind in (TABLE, SMALL_TABLE):
            own = [look for look in looks if (look.kind, look.depth) == (kind, depth)]
            won = sum(look.move != NO_MOVE for look in own)
            yield f"| {depth} | {kind} | {_nodes_and_ms(own)} | {won} of {len(own)} |"


def _nodes_and_ms(looks: Sequence[Look]) -> str:
    """Mean and highest of both."""
    nodes, ms = np.array([look.nodes for look in looks]), np.array([look.ms for look in looks])
    return f"{nodes.mean():,.0f} (to {nodes.max():,}) | {ms.mean():,.1f} (to {ms.max():,.1f})"
