"""The stage: the run that rounds strike, which they share as long as all is well with it, and a private folder."""

from __future__ import annotations

import shutil
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

from tests.chaos.history import Findings
from tests.chaos.trial import Trial

_LARGE: Final = ("weights", "state", "tensorboard", "redis")


class Stage:
    """Where rounds are played, one after the other; closing it ends whatever they have started."""

    def __init__(self) -> None:
        self.place = Path(tempfile.mkdtemp(prefix="gobang-chaos-"))
        self.cleanup = ExitStack()
        self._trial: Trial | None = None
        self._kind: object = None  # the arguments of the run
        self._trials = 0

    def trial(self, *arguments: str, **more: Any) -> Trial:
        """The run that learns already, if it was started like this; else a new one with these arguments of Trial."""
        if self._trial is None or self._kind != (arguments, more):
            self.end_run()
            self._trials += 1
            self._trial = Trial(self.place / str(self._trials), *arguments, **more)
            self._kind = (arguments, more)
            self._trial.wait_until_it_learns()
        return self._trial

    def examine(self) -> Findings:
        """The history of the run, if there is one."""
        return Findings(acknowledged=0) if self._trial is None else self._trial.examine()

    def end_run(self, evidence: Path | None = None) -> None:
        """End the run, if there is one, and keep what it has written where that is wanted."""
        trial, self._trial = self._trial, None
        if trial is not None:
            trial.close()
            if evidence is not None:
                shutil.copytree(trial.place, evidence, dirs_exist_ok=True, ignore=lambda *_: _LARGE)

    def close(self) -> None:
        """End everything and remove the folder."""
        self.end_run()
        self.cleanup.close()
        shutil.rmtree(self.place, ignore_errors=True)
