"""Looks after the parts of a run again and again, and takes their numbers."""

from __future__ import annotations

from collections.abc import Callable

from gobang.reports import ActorReport, JudgeReport
from gobang.run_folder import RunFolder
from learner.run.doings import DoingsFile
from learner.run.parts import Kind, Part, PartReport, by_kind
from learner.run.playouts import PlayoutSchedule
from learner.run.supervisor import Supervisor
from learner.watching.collect import Collector, standstills
from learner.watching.metrics import Values


class Watch:
    """Supervises a run that has started.

    while monitor.show(watch.look(monitor.minutes())):
        ...                                  # wait a little
    """

    def __init__(
        self, supervisor: Supervisor, playouts: PlayoutSchedule, folder: RunFolder, say: Callable[[str], None]
    ) -> None:
        """`folder` is where it is written what each part does."""
        self._supervisor, self._playouts, self._say = supervisor, playouts, say
        self._doings = DoingsFile(folder)
        self._collector = Collector()
        self.simulations = 0  # per move of self-play now
        self._tolerated: dict[Part, int] = {}  # failures of a part that have been told, doubled

    def look(self, minutes: float) -> Values:
        """Restart what has died, and tell actors how much to search at this minute of the run; all metrics."""
        supervisor = self._supervisor
        latest = supervisor.poll()
        reports = by_kind(latest)
        values = self._collector.collect(reports)
        self.simulations = self._playouts.simulations(
            positions=int(values.get("positions", 0)), minutes=minutes, standstills=standstills(reports)
        )
        for number, report in reports.actors.items():
            if report.self_play and report.self_play.simulations_per_move != self.simulations:
                self._supervisor.handle(Part(Kind.ACTOR, number)).set_simulations.remote(self.simulations)
        self._doings.write({part: (supervisor.process(part), each) for part, each in latest.items()})
        for part, each in latest.items():
            self._tell_failures(part, each)
        return {**values, "simulations": self.simulations, "restarts": self._supervisor.restarts}

    def close(self) -> None:
        """Say that no part is at work any more."""
        self._doings.clear()

    def _tell_failures(self, part: Part, report: PartReport) -> None:
        """A line for the first failure of a part, the second, the fourth, the eighth ..."""
        if isinstance(report, ActorReport | JudgeReport) and report.failures >= self._tolerated.get(part, 1):
            self._tolerated[part] = 2 * report.failures
            self._say(f"{part} has failed {report.failures} times and goes on: {report.last_failure}")
