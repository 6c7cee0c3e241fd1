"""A run as its folder tells it, while it goes on or afterwards; nothing in the folder is locked or changed.

Without its settings a folder is no run.  Everything else may be missing, and the last line of a file
of lines incomplete.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from evaluator.judging.gate import ContestGame
from evaluator.judging.history import read_games
from evaluator.judging.journal import Line, read_lines
from gobang.errors import GobangError, InvalidConfig, InvalidVariant, nearest
from gobang.files import read_text
from gobang.numbers import is_finite
from gobang.options import read_options
from gobang.run_folder import RunFolder
from gobang.settings import parse_yaml
from gobang.types import Variant

AXES: Final[Mapping[str, str]] = {  # what a curve may run over, and the words below the axis
    "minutes": "minutes since the run began",
    "games": "games of self-play",
    "evaluations": "positions of self-play that the networks answered",
}

Series = NDArray[np.float64]  # [N] a number for each of the N lines of the metrics, NaN where it was not known


class NotARun(GobangError):
    """The folder is not one that the launcher has made."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RunRecord:
    """All that is known of a run, e.g. `RunRecord(name="8x8-1", variant=Variant.square(8), games=(...), ...)`."""

    folder: RunFolder
    name: str
    variant: Variant
    config: Mapping[str, Any]  # all settings
    summary: Mapping[str, Any]  # empty if there is none yet
    lines: int  # N of the metrics
    series: Mapping[str, Series]  # by the name of the metric
    games: tuple[ContestGame, ...]  # of the judge, each once, in the order in which they ended

    def values(self, metric: str) -> Series:
        """A metric over the run; all NaN if it was never measured."""
        return self.series[metric] if metric in self.series else np.full(self.lines, math.nan)

    def last(self, metric: str) -> float:
        """The newest value of a metric, NaN if there is none."""
        known = self.values(metric)
        known = known[~np.isnan(known)]
        return float(known[-1]) if len(known) else math.nan

    def axis(self, name: str) -> Series:
        """The place of each line on one of the AXES."""
        return self.values("seconds") / 60 if name == "minutes" else self.values(name)

    def line_of_version(self, version: int) -> int:
        """The first line that knows a version, or the last line."""
        newest = np.maximum.accumulate(np.nan_to_num(self.values("version"), nan=-1.0))
        return min(int(np.searchsorted(newest, version)), self.lines - 1)

    def promoted(self) -> list[int]:
        """The versions that were the best one after another."""
        best = self.values("best")
        return sorted({int(version) for version in best[~np.isnan(best)]})


def read_runs(folders: Sequence[Path]) -> list[RunRecord]:
    """Runs that can be compared, under different names; raises NotARun, and InvalidConfig for different games."""
    runs = [read_run(folder) for folder in folders]
    for run in runs:
        if run.variant != runs[0].variant:
            raise InvalidConfig(f"{run.folder.root} plays {run.variant}, {runs[0].folder.root} plays {runs[0].variant}")
    names = [run.name for run in runs]
    return [replace(run, name=str(run.folder.root)) if names.count(run.name) > 1 else run for run in runs]


def read_run(root: Path) -> RunRecord:
    """All that a folder tells; raises NotARun."""
    folder = RunFolder(root)
    config = _read_config(folder)
    variant = _read_variant(folder, config)
    lines = list(read_lines(folder.metrics))
    return RunRecord(
        folder=folder,
        name=root.resolve().name,
        variant=variant,
        config=config,
        summary=folder.read_summary(),
        lines=len(lines),
        series=_columns(lines),
        games=tuple(read_games(folder, variant)),
    )


def _read_config(folder: RunFolder) -> dict[str, Any]:
    root, path = folder.root, folder.config
    try:
        config = parse_yaml(read_text(path), str(path))
    except FileNotFoundError:
        runs = [str(each.parent) for each in [*root.parent.glob(f"*/{path.name}"), *root.glob(f"*/{path.name}")]]
        reason = f"there is no {path.name} in it" if root.is_dir() else "there is no such folder"
        hint = f"; {nearest(str(root), runs)}" if runs else ""
        raise NotARun(f"{root} is not a run: {reason}{hint}") from None
    except (OSError, UnicodeDecodeError) as error:
        raise NotARun(f"{path}: {error}") from error
    except InvalidConfig as error:
        raise NotARun(str(error)) from error
    return config


def _read_variant(folder: RunFolder, config: Mapping[str, object]) -> Variant:
    game = config.get("game")
    if not isinstance(game, Mapping):
        raise NotARun(f"{folder.config}: it says of the game: {game!r}")
    try:
        return read_options(Variant, game, "game")
    except (InvalidConfig, InvalidVariant) as error:
        raise NotARun(f"{folder.config}: {error}") from error


def _columns(lines: Sequence[Line]) -> dict[str, Series]:
    known = [{name: value for name, value in line.items() if is_finite(value)} for line in lines]
    names = sorted({name for line in known for name in line})
    return {name: np.array([line.get(name, math.nan) for line in known], np.float64) for name in names}
