"""Keeps the Ray actors of a run alive: asks each for a report, kills what hangs, replaces what died.

    supervisor.add("learner", start)       # start() makes the Ray actor
    while not done:
        reports = supervisor.poll()        # never waits for an actor

Ray itself restarts an actor whose process ended (`max_restarts=-1`).  What Ray cannot see is an
actor that stands still; and an actor that could not even start stays dead.  One line of the log
tells of each event.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Final

import ray
from ray.actor import ActorHandle
from ray.exceptions import ActorDiedError, ActorUnschedulableError, RayActorError, RayError, RayTaskError

from gobang.errors import GobangError

Report = Any  # what the `report` method of an actor returns
Reports = dict[str, Report]  # by the part's name
Start = Callable[[], "ActorHandle[Any]"]
Stop = Callable[["ActorHandle[Any]"], Any]  # asks an actor to stop; the pending answer

STARTING_SECONDS: Final = 180.0  # an actor imports and compiles before its first answer
ANSWER_SECONDS: Final = 20.0
NO_PROCESS: Final = 0


class PartFailed(GobangError):
    """A part of the run could not start; the message holds the part's own reason."""


def stop_politely(handle: ActorHandle[Any]) -> Any:
    """Call the actor's method `stop`."""
    return handle.stop.remote()


@dataclass(slots=True, kw_only=True)
class Part:
    """One actor under supervision."""

    name: str
    start: Start
    stop: Stop
    handle: ActorHandle[Any]
    asked: float  # when the question that is open was asked
    question: Any = None
    process: int = NO_PROCESS  # that answered last
    starting: bool = True
    report: Report = None  # the last one


class Supervisor:
    """Owns the handles of all parts; names are unique."""

    def __init__(self, say: Callable[[str], None], clock: Callable[[], float] = time.monotonic) -> None:
        self._say = say
        self._clock = clock
        self._parts: dict[str, Part] = {}
        self.restarts = 0

    def add(self, name: str, start: Start, stop: Stop = stop_politely) -> ActorHandle[Any]:
        """Start a part and keep it alive from now on."""
        assert name not in self._parts, f"two parts are called {name}"
        part = Part(name=name, start=start, stop=stop, handle=start(), asked=self._clock())
        self._parts[name] = part
        return part.handle

    def wait_for(self, names: Iterable[str], goes_on: Callable[[], bool]) -> None:
        """Until these parts have answered once, or `goes_on` says no; PartFailed if one cannot."""
        waiting = set(names)
        while waiting and goes_on():
            for name in sorted(waiting):
                self._check(self._parts[name], fatal=True)
            waiting = {name for name in waiting if self._parts[name].starting}
            time.sleep(0.05)

    def poll(self) -> Reports:
        """The last report of every part that answers, by name; deals with those that do not."""
        for part in self._parts.values():
            self._check(part, fatal=False)
        return {name: part.report for name, part in self._parts.items() if not part.starting}

    def stop(self, names: Iterable[str], *, seconds: float) -> Reports:
        """Ask parts to stop by themselves, all at once, and kill them; what those said that did within the time."""
        parts = [self._parts.pop(name) for name in names if name in self._parts]
        answers: dict[Any, Part] = {part.stop(part.handle): part for part in parts if not part.starting}
        done, late = ray.wait(list(answers), num_returns=len(answers), timeout=seconds) if answers else ([], [])
        for answer in late:
            self._say(f"{answers[answer].name} did not stop within {seconds:.0f} s and is killed")
        said = {answers[answer].name: self._last_words(answers[answer], answer) for answer in done}
        for part in parts:
            ray.kill(part.handle)
        return said

    def drop(self, names: Iterable[str]) -> None:
        """Forget parts and kill them, without asking: their node is gone, or their work has another place."""
        for name in names:
            ray.kill(self._parts.pop(name).handle)

    def names(self) -> list[str]:
        """Of all parts, in the order in which they were added."""
        return list(self._parts)

    def handle(self, name: str) -> ActorHandle[Any]:
        """Of a part as it is now."""
        return self._parts[name].handle

    def _last_words(self, part: Part, answer: Any) -> Any:
        try:
            return ray.get(answer, timeout=1)
        except RayError as error:
            self._say(f"{part.name} failed while it stopped: {_reason(error)}")
            return None

    def _check(self, part: Part, *, fatal: bool) -> None:
        now = self._clock()
        if part.question is None:
            part.question, part.asked = part.handle.__ray_call__.remote(_answer), now
        if ray.wait([part.question], timeout=0)[0]:
            question, part.question = part.question, None
            self._take(part, question, fatal=fatal)
        elif now - part.asked > (STARTING_SECONDS if part.starting else ANSWER_SECONDS):
            self._note(part, f"has not answered for {now - part.asked:.0f} s: killed and started again")
            ray.kill(part.handle, no_restart=False)

    def _take(self, part: Part, question: Any, *, fatal: bool) -> None:
        try:
            process, report = ray.get(question, timeout=1)
        except ActorDiedError as error:
            if fatal:
                raise PartFailed(f"{part.name} could not start: {_reason(error)}") from error
            self._note(part, f"is dead and is replaced: {_reason(error)}")
            part.handle = part.start()
        except (RayActorError, ActorUnschedulableError):  # the latter until the part of a dead node is dropped
            if not part.starting:
                self._note(part, "lost its process: Ray starts it again")
        except RayTaskError as error:
            self._note(part, f"could not report: {_reason(error)}")
        else:
            self._greet(part, process)
            part.report = report

    def _greet(self, part: Part, process: int) -> None:
        """Take note of an answer; one from another process than before means a restart that no call has seen."""
        if not part.starting and part.process != process:
            self._note(part, f"died as process {part.process} and is back")
        elif part.starting and part.process != NO_PROCESS:
            self._say(f"{part.name} is back")
        part.process, part.starting = process, False

    def _note(self, part: Part, event: str) -> None:
        self.restarts += 1
        part.starting, part.question = True, None
        self._say(f"{part.name} {event}")


def _answer(actor: Any) -> tuple[int, Report]:
    """Runs in the actor's process."""
    return os.getpid(), actor.report()


def _reason(error: Exception) -> str:
    """The last line of an error's text, which names the cause."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[-1] if lines else type(error).__name__
