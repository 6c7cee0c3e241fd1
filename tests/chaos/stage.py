"""The stage: the run that rounds strike, which they share as long as all is well with it, and a private folder."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any, Final, TypeVar

from tests.chaos.case import RoundFailed
from tests.chaos.history import Findings
from tests.chaos.trial import Trial

START_TRIES: Final = 3
_LARGE: Final = ("weights", "state", "tensorboard", "redis")

Thing = TypeVar("Thing")


class Stage:
    """Where rounds are played, one after the other; closing it ends whatever they have started."""

    def __init__(self) -> None:
        self.place = Path(tempfile.mkdtemp(prefix="gobang-chaos-"))
        self.cleanup = ExitStack()
        self._trial: Trial | None = None
        self._kind: object = None  # the arguments of the run
        self._trials = 0
        self._kept: dict[object, Any] = {}

    def kept(self, make: Callable[[Stage], Thing]) -> Thing:
        """A thing that all rounds share, made by the first; what it starts ends with the stage."""
        if make not in self._kept:
            self._kept[make] = make(self)
        thing: Thing = self._kept[make]
        return thing

    def trial(self, *arguments: str, **more: Any) -> Trial:
        """The run that learns already, if it was started like this; else a new one with these arguments of Trial."""
        if self._trial is None or self._kind != (arguments, more):
            self.end_run()
            self._trial, self._kind = self._start(*arguments, **more), (arguments, more)
        return self._trial

    def _start(self, *arguments: str, **more: Any) -> Trial:
        """A run that learns; on a busy machine Ray may give up a start, which says nothing about a case."""
        for attempt in range(START_TRIES):
            self._trials += 1
            trial = Trial(self.place / str(self._trials), *arguments, **more)
            try:
                trial.wait_until_it_learns()
            except RoundFailed:
                trial.close()
                if attempt + 1 == START_TRIES:
                    raise
            else:
                return trial
        raise AssertionError("it is tried at least once")

    def examine(self) -> Findings:
        """The history of the run, if there is one."""
        return Findings(acknowledged=0) if self._trial is None else self._trial.examine()

    def keep(self, evidence: Path) -> None:
        """Copy what the run has written; one that has lost games or ended plays no further round."""
        if self._trial is None:
            return
        with suppress(shutil.Error):  # files that come and go
            shutil.copytree(self._trial.place, evidence, dirs_exist_ok=True, ignore=lambda *_: _LARGE)
        if not self._trial.launched.look() or not self._trial.examine().is_clean:
            self.end_run()

    def end_run(self) -> None:
        """End the run, if there is one."""
        trial, self._trial = self._trial, None
        if trial is not None:
            trial.close()

    def close(self) -> None:
        """End everything and remove the folder."""
        self.end_run()
        self.cleanup.close()
        shutil.rmtree(self.place, ignore_errors=True)
