"""What each process of a run does, in words, in a file of its folder for those who watch."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Final

from gobang.disk import Outage
from gobang.reports import ActorReport, JudgeReport, ServerReport
from gobang.run_folder import RunFolder
from gobang.versions import version_name
from learner.run.parts import Part, PartReport
from learner.watching.monitor import FILE_SECONDS

Answers = Mapping[Part, tuple[int, PartReport]]  # process and last report of each part

_NOTHING: Final = "waits"


class DoingsFile:
    """Writes now and then what the parts do."""

    def __init__(self, folder: RunFolder, clock: Callable[[], float] = time.monotonic) -> None:
        self._folder, self._clock = folder, clock
        self._written = -FILE_SECONDS
        self._outage = Outage(str(folder.parts))

    def write(self, answers: Answers) -> None:
        """Replace the file if it has stood long enough."""
        if self._clock() < self._written + FILE_SECONDS:
            return
        self._written = self._clock()
        parts = [(str(part), process, doing(report)) for part, (process, report) in answers.items()]
        lines = [{"name": name, "place": f"process {process}", "doing": words} for name, process, words in parts]
        self._outage.attempt(lambda: self._folder.write_parts(lines))

    def clear(self) -> None:
        """Nobody does anything any more."""
        self._outage.attempt(lambda: self._folder.write_parts([]))


def doing(report: PartReport) -> str:
    """What a part does, e.g. "plays with v12: 3,400 games"."""
    if isinstance(report, ActorReport):
        return _playing(report)
    if isinstance(report, ServerReport):
        rate, batch = f"{report.per_s:,.0f} positions/s", f"{report.mean_batch:.1f}"
        return f"answers {report.clients} clients: {rate} since its start, {batch} in a batch"
    if isinstance(report, JudgeReport):
        return _judging(report)
    step, version = int(report.get("step", 0)), int(report.get("version", 0))
    loss = f", loss {report['loss']:.3g}" if "loss" in report else ""
    return f"trains: step {step:,}, {version_name(version)}{loss}"


def _playing(report: ActorReport) -> str:
    played = report.self_play
    if played is None:
        return "gets ready to play"
    trouble = ", cut off from the pool" if played.is_cut_off else ", waits for the learner" if played.is_waiting else ""
    return f"plays with {version_name(played.version)}: {played.games:,} games{trouble}"


def _judging(report: JudgeReport) -> str:
    if report.gate_version is not None:
        return f"lets {version_name(report.gate_version)} play for promotion: {report.gate_games} games"
    if report.ladder_score is not None:
        return f"lets the best climb the ladder: {report.rung:,} simulations" if report.rung else _NOTHING
    return f"waits for {version_name(report.gate_next)}" if report.gate_next is not None else _NOTHING
