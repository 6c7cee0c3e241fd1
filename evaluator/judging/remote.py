"""The judge as a Ray actor: a thread that judges, and methods that answer at once.

Ray starts it again whenever its process dies; it then continues from its journals by itself.  Calls
that were under way fail with ActorUnavailableError and are not repeated.
"""

from __future__ import annotations

import contextlib
import logging
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

import ray

from evaluator.judging.contest import JudgeConfig, compile_rollouts
from evaluator.judging.judge import Judge
from evaluator.judging.judge_report import report_of
from gobang.interfaces import Versions
from gobang.reports import JudgeReport
from gobang.run_folder import RunFolder
from gobang.types import Variant

_IDLE_SECONDS: Final = 1.0  # between two looks for a new candidate
_SECONDS_AFTER_FAILURE: Final = 2.0
_NO_LIMIT: Final = -1  # of restarts

_log = logging.getLogger(__name__)


class JudgeActor:
    """Judges in its own thread from its creation until `stop`.

    Judge and versions are made in that thread, so that the actor answers while kernels are compiled and journals read.
    """

    def __init__(
        self, config: JudgeConfig, variant: Variant, folder: RunFolder, make_versions: Callable[[], Versions]
    ) -> None:
        self._config = config
        self._judge: Judge | None = None
        self._failures = 0
        self._last_failure = ""
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(variant, folder, make_versions), daemon=True)
        self._thread.start()

    def report(self) -> JudgeReport:
        """The judge's state, as far as its journals are read; also a sign of life."""
        judge = self._judge
        report = report_of(judge.state()) if judge else JudgeReport()
        return replace(report, failures=self._failures, last_failure=self._last_failure)

    def stop(self, seconds: float = 5.0) -> bool:
        """Drop the games in flight and end the thread; whether it ended in time.  Finished games are kept."""
        self._stopping.set()
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def _run(self, variant: Variant, folder: RunFolder, make_versions: Callable[[], Versions]) -> None:
        """Top loop of the thread: whatever fails is logged, counted and tried again."""
        with contextlib.ExitStack() as stack:
            while not self._stopping.is_set():
                try:
                    if self._judge is None:
                        compile_rollouts(variant)
                        judge = Judge(self._config, variant, folder, make_versions(), self._stopping)
                        self._judge = stack.enter_context(contextlib.closing(judge))
                    pause = self._step(self._judge)
                except Exception as error:
                    self._fail(f"{type(error).__name__}: {error}")
                    pause = _SECONDS_AFTER_FAILURE
                self._stopping.wait(pause)

    def _fail(self, reason: str) -> None:
        """Count a failure, and log what is not known from the last one."""
        if reason != self._last_failure:
            _log.warning("judge: %s; it tries again until it works", reason)
        self._failures += 1
        self._last_failure = reason

    def _step(self, judge: Judge) -> float:
        """Play a block of games, if there is one; returns the seconds to pause."""
        start = time.monotonic()
        return self._config.rest(time.monotonic() - start) if judge.step() else _IDLE_SECONDS


def start_judge(
    config: JudgeConfig,
    variant: Variant,
    folder: RunFolder,
    make_versions: Callable[[], Versions],
    *,
    name: str = "judge",
    num_cpus: float = 0.5,
    **options: object,
) -> Any:
    """The handle of a new actor in the current Ray session; `options` are Ray's, e.g. a node's resources."""
    actor = ray.remote(JudgeActor).options(
        name=name, num_cpus=num_cpus, max_restarts=_NO_LIMIT, max_task_retries=0, **options
    )
    return actor.remote(config, variant, folder, make_versions)
