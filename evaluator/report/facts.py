"""Facts about runs in words and tables: the game, the network, the progress, the command to repeat them."""

from __future__ import annotations

import math
import shlex
from collections.abc import Mapping, Sequence
from typing import Final

from evaluator.report.page import Table
from evaluator.report.run_record import AXES, RunRecord
from evaluator.report.strength import Parity, Ratings
from gobang.progress import duration

_UNKNOWN: Final = "?"


def facts_of(run: RunRecord) -> dict[str, str]:
    """The head of a run's page."""
    facts = {
        "game": str(run.variant),
        "network": network(run),
        "state": f"{run.summary.get('state', _UNKNOWN)}, after {_time(run)}",
        "so far": f"{_count(run, 'games')} games, {_count(run, 'positions')} positions, "
        f"{_count(run, 'evaluations')} evaluations, {_count(run, 'step')} steps, version {_count(run, 'version')}",
        "strength": f"best version {_count(run, 'best')}, Elo {_elo(run)}",
        "seed": str(run.config.get("seed", _UNKNOWN)),
        "machine": str(run.summary.get("machine", "not recorded")),
        "folder": str(run.folder.root.resolve()),
    }
    return {name: words for name, words in facts.items() if words}


def runs_table(runs: Sequence[RunRecord]) -> Table:
    """The progress of each run, a row each."""
    head = ("run", "state", "time", "games", "evaluations", "best version", "Elo", "network")
    rows = tuple(
        (
            run.name,
            str(run.summary.get("state", _UNKNOWN)),
            _time(run),
            *(_count(run, name) for name in ("games", "evaluations", "best")),
            _elo(run),
            network(run),
        )
        for run in runs
    )
    return Table(head=head, rows=rows)


def differences(runs: Sequence[RunRecord]) -> Table:
    """The settings in which the runs differ."""
    flat = [dict(_flat(run.config)) for run in runs]
    keys = list(dict.fromkeys(key for settings in flat for key in settings))
    rows = [(key, *(str(settings.get(key, "")) for settings in flat)) for key in keys]
    differing = tuple(row for row in rows if len(set(row[1:])) > 1)
    return Table(head=("setting", *(run.name for run in runs)), rows=differing)


def parity_table(parities: Sequence[Parity]) -> Table:
    """A row for each run and baseline: when the run's best became as strong."""
    head = ("as strong as", "run", "first version", *AXES, "Elo above it")
    rows = tuple(
        (parity.baseline, parity.run, *_parity_cells(parity)) if parity.version is not None
        else (parity.baseline, parity.run, "not yet", *("" for _ in AXES), "")
        for parity in parities
    )  # fmt: skip
    return Table(head=head, rows=rows)


def commands(run: RunRecord) -> str:
    """Lines for a shell that repeat a run, continue it and play against it."""
    folder, minutes = shlex.quote(str(run.folder.root)), run.last("seconds") / 60
    limit = "" if math.isnan(minutes) else f" --minutes {math.ceil(minutes)}"
    lines = [
        f"gobang train --preset {shlex.quote(str(run.folder.config))}{limit}   # the same settings again",
        f"gobang train --run {folder} --resume   # go on",
        f"gobang report --run {folder}   # this page",
    ]
    return "\n".join([*lines, str(run.summary.get("play", ""))]).strip()


def network(run: RunRecord) -> str:
    """The network in a few words, e.g. "gobang_net, blocks 4, filters 64"."""
    spec = run.config.get("network")
    if not isinstance(spec, Mapping):
        return _UNKNOWN
    options = spec.get("options") or {}
    return ", ".join([str(spec.get("architecture", _UNKNOWN)), *(f"{name} {value}" for name, value in options.items())])


def rated_games(ratings: Ratings) -> int:
    """Number of games that the ratings rest on."""
    rated = [rating for versions in ratings.versions for rating in versions.values()]
    return sum(rating.games for rating in [*rated, *ratings.baselines.values()]) // 2


def _parity_cells(parity: Parity) -> tuple[str, ...]:
    places = (f"{parity.at[axis]:,.1f}" if axis == "minutes" else f"{parity.at[axis]:,.0f}" for axis in AXES)
    return (f"v{parity.version}", *places, f"{parity.lead:+.0f} \u00b1 {parity.error:.0f}")


def _time(run: RunRecord) -> str:
    seconds = run.last("seconds")
    return _UNKNOWN if math.isnan(seconds) else duration(seconds)


def _count(run: RunRecord, metric: str) -> str:
    value = run.last(metric)
    return _UNKNOWN if math.isnan(value) else f"{value:,.0f}"


def _elo(run: RunRecord) -> str:
    elo, error = run.last("elo"), run.last("elo_error")
    return "not known yet" if math.isnan(elo) else f"{elo:.0f} \u00b1 {error:.0f}"


def _flat(settings: Mapping[str, object], above: str = "") -> list[tuple[str, object]]:
    pairs: list[tuple[str, object]] = []
    for key, value in settings.items():
        if isinstance(value, Mapping):
            pairs += _flat(value, f"{above}{key}.")
        else:
            pairs.append((f"{above}{key}", value))
    return pairs
