"""A run as its folder tells it, while it goes on or afterwards; nothing in the folder is locked or changed.

config.yaml                  the settings; without it the folder is no run
metrics.jsonl                a line of numbers every few seconds; may be missing, its last line incomplete
summary.json                 what the launcher says of the run
evaluator/                   games of the evaluator
weights/best.safetensors     the best network
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
import yaml
from numpy.typing import NDArray

from evaluator.judging.history import read_games
from evaluator.judging.journal import RecordedGame, read_lines
from gobang.errors import GobangError, InvalidConfig, InvalidVariant, nearest
from gobang.options import read_options
from gobang.types import Variant

CONFIG: Final = "config.yaml"
METRICS: Final = "metrics.jsonl"
SUMMARY: Final = "summary.json"
BEST_WEIGHTS: Final = Path("weights", "best.safetensors")
EVALUATOR: Final = "evaluator"

AXES: Final[Mapping[str, str]] = {  # what a curve may run over, and the words below the axis
    "minutes": "minutes since the run began",
    "games": "games of self-play",
    "evaluations": "positions of self-play that the networks answered",
}

Series = NDArray[np.float64]  # [N] a number for each of the N lines of the metrics, NaN where it was not known


class NotARun(GobangError):
    """The folder is not one that the launcher has made."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Run:
    """What is known of a run, e.g. `Run(name="8x8-1", variant=Variant.square(8), games=(...), ...)`."""

    folder: Path
    name: str
    variant: Variant
    config: Mapping[str, Any]  # all settings
    summary: Mapping[str, Any]  # empty if there is none yet
    lines: int  # N of the metrics
    series: Mapping[str, Series]  # by the name of the metric
    games: tuple[RecordedGame, ...]  # of the evaluator, each once, in the order in which they ended

    @property
    def best_weights(self) -> Path:
        """Where the best network lies, if there is one."""
        return self.folder / BEST_WEIGHTS

    def values(self, metric: str) -> Series:
        """A metric over the run; all NaN if it was never measured."""
        return self.series[metric] if metric in self.series else np.full(self.lines, math.nan)

    def last(self, metric: str) -> float:
        """The newest value of a metric, NaN if there is none."""
        known = self.values(metric)
        known = known[~np.isnan(known)]
        return float(known[-1]) if len(known) else math.nan

    def axis(self, name: str) -> Series:
        """Where each line stands on one of the AXES."""
        return self.values("seconds") / 60 if name == "minutes" else self.values(name)

    def line_of_version(self, version: int) -> int:
        """The first line that knows a version, or the last line."""
        newest = np.maximum.accumulate(np.nan_to_num(self.values("version"), nan=-1.0))
        return min(int(np.searchsorted(newest, version)), self.lines - 1)

    def promoted(self) -> list[int]:
        """The versions that were the best one after another."""
        best = self.values("best")
        return sorted({int(version) for version in best[~np.isnan(best)]})


def read_runs(folders: Sequence[Path]) -> list[Run]:
    """Runs that can be compared, under different names; raises NotARun, and InvalidConfig for different games."""
    runs = [read_run(folder) for folder in folders]
    for run in runs:
        if run.variant != runs[0].variant:
            raise InvalidConfig(f"{run.folder} plays {run.variant}, {runs[0].folder} plays {runs[0].variant}")
    names = [run.name for run in runs]
    return [replace(run, name=str(run.folder)) if names.count(run.name) > 1 else run for run in runs]


def read_run(folder: Path) -> Run:
    """All that a folder tells; raises NotARun."""
    config = _read_config(folder)
    lines = list(read_lines(folder / METRICS))
    return Run(
        folder=folder,
        name=folder.resolve().name,
        variant=_read_variant(folder, config),
        config=config,
        summary=_read_summary(folder / SUMMARY),
        lines=len(lines),
        series=_columns(lines),
        games=tuple(read_games(folder / EVALUATOR)),
    )


def _read_config(folder: Path) -> dict[str, Any]:
    path = folder / CONFIG
    try:
        config = yaml.safe_load(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        runs = [str(each.parent) for each in [*folder.parent.glob(f"*/{CONFIG}"), *folder.glob(f"*/{CONFIG}")]]
        reason = f"there is no {CONFIG} in it" if folder.is_dir() else "there is no such folder"
        hint = f"; {nearest(str(folder), runs)}" if runs else ""
        raise NotARun(f"{folder} is not a run: {reason}{hint}") from None
    except (OSError, yaml.YAMLError) as error:
        raise NotARun(f"{path}: {error}") from error
    if not isinstance(config, dict):
        raise NotARun(f"{path}: it holds no settings")
    return config


def _read_variant(folder: Path, config: Mapping[str, Any]) -> Variant:
    game = config.get("game")
    if not isinstance(game, Mapping):
        raise NotARun(f"{folder / CONFIG}: it says of the game: {game!r}")
    try:
        return read_options(Variant, game, "game")
    except (InvalidConfig, InvalidVariant) as error:
        raise NotARun(f"{folder / CONFIG}: {error}") from error


def _read_summary(path: Path) -> dict[str, Any]:
    try:
        summary = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return summary if isinstance(summary, dict) else {}


def _columns(lines: Sequence[Mapping[str, Any]]) -> dict[str, Series]:
    names = {name for line in lines for name, value in line.items() if isinstance(value, int | float)}
    return {name: np.array([line.get(name, math.nan) for line in lines], np.float64) for name in sorted(names)}
