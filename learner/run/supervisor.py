"""The supervisor of a run's parts: asks each for a report, kills one that hangs, replaces one that died.

    supervisor.add(LEARNER, start)         # start() makes the Ray actor
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
from typing import Any, Final, TypeAlias

import ray
from ray.actor import ActorHandle
from ray.exceptions import ActorDiedError, ActorUnschedulableError, RayActorError, RayError, RuntimeEnvSetupError

from gobang.errors import GobangError
from learner.run.parts import Kind, Part, PartReport

Handle: TypeAlias = "ActorHandle[Any]"  # Ray finds an actor's methods by name
Pending: TypeAlias = "ray.ObjectRef[Any]"  # an answer that may not have come yet
Start = Callable[[], Handle]
Stop = Callable[[Handle], Pending]  # asks an actor to stop

STARTING_SECONDS: Final = 180.0  # an actor imports and compiles before its first answer
ANSWER_SECONDS: Final = 20.0
NO_PROCESS: Final = 0


class PartFailed(GobangError):
    """A part of the run could not start; the message holds the part's own reason."""


def stop_politely(handle: Handle) -> Pending:
    """Call the actor's method `stop`."""
    pending: Pending = handle.stop.remote()
    return pending


@dataclass(slots=True, kw_only=True)
class _Watched:
    """One actor under supervision."""

    part: Part
    start: Start
    stop: Stop
    handle: Handle
    asked: float  # when the question that is open was asked
    question: Pending | None = None
    process: int = NO_PROCESS  # that answered last
    starting: bool = True
    report: PartReport | None = None  # the last one


class Supervisor:
    """Owns the handles of all parts."""

    def __init__(self, say: Callable[[str], None], clock: Callable[[], float] = time.monotonic) -> None:
        self._say = say
        self._clock = clock
        self._watched: dict[Part, _Watched] = {}
        self.restarts = 0

    def add(self, part: Part, start: Start, stop: Stop = stop_politely) -> None:
        """Start a part and keep it alive from now on."""
        assert part not in self._watched, f"there is a {part} already"
        self._watched[part] = _Watched(part=part, start=start, stop=stop, handle=start(), asked=self._clock())

    def has_started(self, part: Part) -> bool:
        """Whether the part has answered once; PartFailed if it cannot start."""
        self._check(self._watched[part], fatal=True)
        return not self._watched[part].starting

    def poll(self) -> dict[Part, PartReport]:
        """The last report of every part that answers; deals with those that do not."""
        for watched in self._watched.values():
            self._check(watched, fatal=False)
        return {
            part: watched.report
            for part, watched in self._watched.items()
            if not watched.starting and watched.report is not None
        }

    def stop(self, parts: Iterable[Part], *, seconds: float) -> dict[Part, object]:
        """Ask parts to stop by themselves, all at once, and kill them; what those said that did within the time."""
        stopping = [self._watched.pop(part) for part in parts if part in self._watched]
        answers = {watched.stop(watched.handle): watched for watched in stopping if not watched.starting}
        done, late = ray.wait(list(answers), num_returns=len(answers), timeout=seconds) if answers else ([], [])
        for answer in late:
            self._say(f"{answers[answer].part} did not stop within {seconds:.0f} s and is killed")
        said = {answers[answer].part: self._last_words(answers[answer], answer) for answer in done}
        for watched in stopping:
            ray.kill(watched.handle)
        return said

    def drop(self, parts: Iterable[Part]) -> None:
        """Forget parts and kill them, without asking: their node is gone, or their work has another place."""
        for part in parts:
            ray.kill(self._watched.pop(part).handle)

    def parts(self, *kinds: Kind) -> list[Part]:
        """Those of some kinds, in the order in which they were added."""
        return [part for part in self._watched if part.kind in kinds]

    def process(self, part: Part) -> int:
        """Of a part, by its number on its node; NO_PROCESS before its first answer."""
        return self._watched[part].process

    def handle(self, part: Part) -> Handle:
        """The present handle of a part."""
        return self._watched[part].handle

    def _last_words(self, watched: _Watched, answer: Pending) -> object:
        try:
            said: object = ray.get(answer, timeout=1)
        except RayError as error:
            self._say(f"{watched.part} failed while it stopped: {_reason(error)}")
            return None
        return said

    def _check(self, watched: _Watched, *, fatal: bool) -> None:
        now = self._clock()
        if watched.question is None:
            watched.question, watched.asked = watched.handle.__ray_call__.remote(_answer), now
        if ray.wait([watched.question], timeout=0)[0]:
            question, watched.question = watched.question, None
            self._take(watched, question, fatal=fatal)
        elif now - watched.asked > (STARTING_SECONDS if watched.starting else ANSWER_SECONDS):
            self._note(watched, f"has not answered for {now - watched.asked:.0f} s: killed and started again")
            ray.kill(watched.handle, no_restart=False)

    def _take(self, watched: _Watched, question: Pending, *, fatal: bool) -> None:
        try:
            process, report = ray.get(question, timeout=1)
        except (ActorDiedError, RuntimeEnvSetupError) as error:
            if fatal:
                raise PartFailed(f"{watched.part} could not start: {_reason(error)}") from error
            self._note(watched, f"is dead and is replaced: {_reason(error)}")
            watched.handle = watched.start()
        except (RayActorError, ActorUnschedulableError):  # the latter until the part of a dead node is dropped
            if not watched.starting:
                self._note(watched, "lost its process: Ray starts it again")
        except RayError as error:  # its own, or what kept its answer from coming, such as a lack of memory
            self._note(watched, f"could not report: {_reason(error)}")
        else:
            self._greet(watched, process)
            watched.report = report

    def _greet(self, watched: _Watched, process: int) -> None:
        """Take note of an answer; one from another process than before means a restart that no call has seen."""
        if not watched.starting and watched.process != process:
            self._note(watched, f"died as process {watched.process} and is back")
        elif watched.starting and watched.process != NO_PROCESS:
            self._say(f"{watched.part} is back")
        watched.process, watched.starting = process, False

    def _note(self, watched: _Watched, event: str) -> None:
        self.restarts += 1
        watched.starting, watched.question = True, None
        self._say(f"{watched.part} {event}")


def _answer(actor: Any) -> tuple[int, PartReport]:
    """Runs in the actor's process."""
    return os.getpid(), actor.report()


def _reason(error: Exception) -> str:
    """The last line of an error's text, which names the cause."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[-1] if lines else type(error).__name__
