"""A run under test: a launcher on a tiny preset, found and watched by what the run itself writes down."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import psutil
from redis import Redis

from gobang.run_folder import RunFolder, weights_versions
from learner.replay.pool.redis_server import RedisServer
from tests.chaos.case import GOES_ON_SECONDS, PATIENCE, RoundFailed, hold, until
from tests.chaos.history import RESENT_SECONDS, Findings, examine
from tests.chaos.record import PLACE, Record
from tests.integration.launched import Launched

START_SECONDS: Final = 120.0 * PATIENCE
STOP_SECONDS: Final = 20.0 * PATIENCE
SETTLE_SECONDS: Final = 15.0 * PATIENCE  # until the learner has read what was stored
SETTINGS: Final = (
    "replay.keep=1000000",  # so that all games can be compared
    "learner.checkpoints.every_steps=40",
    "evaluator.gate.games=200",  # a match that lasts
    "evaluator.pairs_at_once=2",
    "evaluator.share=1",  # after a moment in which the machine was busy it would rest for three
    "playouts.growth=1",  # with more simulations the policies get sharper, and losses could not be compared
    "replay.megabytes=400",  # room for an entry of 100 MB
    "evaluator.drills=false",
    "evaluator.solved_positions=0",
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Mark:
    """A moment of a run: everything later counts as after it."""

    at: float  # of the monotonic clock
    log: int  # characters of the log
    version: int  # newest one
    writers: frozenset[str]
    judged: int  # games that the judge has written down


class Trial:
    """One run; `close` leaves no process behind."""

    def __init__(
        self,
        place: Path,
        *arguments: str,
        settings: Sequence[str] = (),
        environment: Mapping[str, str] | None = None,
        keeps_all: bool = True,
        disk: str = "",
    ) -> None:
        """`place` is a folder for the run and its record; `keeps_all` says whether the pool holds every game.

        With `disk`, such as "60m", the run's folder is a file system of that size; who mounts it has to be root.
        """
        self.folder = RunFolder(place / "run")
        self.place = place
        self._keeps_all, self._disk = keeps_all, disk
        self.redis_deaths: list[float] = []
        notes = place / "record"
        notes.mkdir(parents=True, exist_ok=True)
        if disk:
            self.folder.root.mkdir()
            subprocess.run(
                ["mount", "-t", "tmpfs", "-o", f"size={disk}", "gobang-chaos", str(self.folder.root)], check=True
            )
        self.record = Record(notes)
        self._launch(
            "--preset",
            "tiny",
            *arguments,
            *(word for setting in (*SETTINGS, *settings) for word in ("--set", setting)),
            environment={**os.environ, **(environment or {}), PLACE: str(notes)},
        )

    def _launch(self, *arguments: str, environment: Mapping[str, str]) -> None:
        self.launched = Launched(
            self.folder.root,
            *arguments,
            environment=environment,
            module="tests.chaos.recorded_launch",
        )
        self._environment = environment

    def resume(self, *arguments: str) -> None:
        """Start it again where it stopped."""
        self._launch("--resume", *arguments, environment=self._environment)

    def wait_until_it_learns(self) -> None:
        """Until every part is at work and a version has come of it."""
        until(
            lambda: self.is_running() and self.version >= 2 and len(self.folder.read_parts()) >= 5 and self.judged > 0,
            START_SECONDS,
            f"the run does not learn\n{self.launched.output}\n{self.launched.log()[-3000:]}",
        )

    def is_running(self) -> bool:
        """Whether the launcher lives; RoundFailed if it has ended by itself."""
        hold(self.launched.look(), f"the run has ended\n{self.launched.output[-3000:]}")
        return True

    def process(self, part: str) -> psutil.Process:
        """The process of a part, such as "actor 0", "learner", "redis" or "launcher", as the run tells."""
        return until(lambda: self._living(part), GOES_ON_SECONDS, f"no process of {part}")

    def _living(self, part: str) -> psutil.Process | None:
        self.launched.look()
        if part == "redis":
            number = (self.folder.redis / "server.lock").read_text()
        elif part == "launcher":
            number = (self.folder.root / "lock").read_text()
        else:
            places = {each["name"]: each["place"] for each in self.folder.read_parts()}
            number = places.get(part, "").removeprefix("process ")
        try:
            process = psutil.Process(int(number))
            return process if process.status() != psutil.STATUS_ZOMBIE else None
        except (ValueError, psutil.NoSuchProcess):
            return None

    def kill(self, part: str) -> Mark:
        """SIGKILL; the moment before."""
        process = self.process(part)
        mark = self.mark()
        process.kill()
        process.wait(10) if process.ppid() == os.getpid() else None
        if part == "redis":
            self.redis_deaths.append(time.monotonic())
        return mark

    def mark(self) -> Mark:
        """Now."""
        return Mark(
            at=time.monotonic(),
            log=len(self.launched.log()),
            version=self.version,
            writers=frozenset(self.record.writers()),
            judged=self.judged,
        )

    @property
    def version(self) -> int:
        """The newest on disk."""
        return max(weights_versions(self.folder), default=-1)

    @property
    def judged(self) -> int:
        """Games that the judge has written down."""
        return self.folder.games.read_bytes().count(b"\n") if self.folder.games.exists() else 0

    def redis(self) -> Redis[Any]:
        """A client of the run's own server, with all rights."""
        return Redis.from_url(RedisServer.url_in(self.folder.redis), protocol=2, socket_timeout=10)

    def log_since(self, mark: Mark) -> str:
        """What the log says of what happened after a moment."""
        return self.launched.log()[mark.log :]

    def tells(self, mark: Mark, pattern: str, seconds: float = GOES_ON_SECONDS) -> None:
        """Wait until the log says so."""
        until(
            lambda: self.is_running() and re.search(pattern, self.log_since(mark)),
            seconds,
            f"nothing in the log says {pattern!r}",
        )

    def told(self, mark: Mark, pattern: str, times: int = 1) -> None:
        """RoundFailed unless the log has just so many lines since that say so."""
        until(
            lambda: self.is_running() and len(re.findall(pattern, self.log_since(mark))) >= times,
            GOES_ON_SECONDS,
            f"nothing in the log says {pattern!r}",
        )
        lines = [line for line in self.log_since(mark).splitlines() if re.search(pattern, line)]
        hold(len(lines) == times, f"{len(lines)} lines, not {times}, of the log say {pattern!r}: {lines[:4]}")

    # What progress is, of each part: the seconds from the mark to it

    def plays_on(self, mark: Mark, seconds: float = GOES_ON_SECONDS, games: int = 3) -> float:
        """Until games of after the mark are stored."""
        found = until(
            lambda: self.is_running() and self.record.stored_after(mark.at)[games - 1 :], seconds, "no game is stored"
        )
        return found[0] - mark.at

    def actor_plays_on(self, mark: Mark, number: int, seconds: float = GOES_ON_SECONDS) -> float:
        """Until a new process of an actor has stored a game."""
        prefix = f"self_play:{number:02}@"
        what = f"no new process of actor {number} stores a game"
        until(lambda: self.is_running() and self.record.writers(prefix) - mark.writers, seconds, what)
        return time.monotonic() - mark.at

    def learns_on(self, mark: Mark, seconds: float = GOES_ON_SECONDS) -> float:
        """Until versions have come that are newer than one which a restart publishes at once."""
        until(lambda: self.is_running() and self.version >= mark.version + 3, seconds, "no newer version")
        return time.monotonic() - mark.at

    def judges_on(self, mark: Mark, seconds: float = GOES_ON_SECONDS) -> float:
        """Until the judge has written down another game."""
        until(lambda: self.is_running() and self.judged > mark.judged, seconds, "the judge plays no game")
        return time.monotonic() - mark.at

    def goes_on(self, seconds: float = GOES_ON_SECONDS) -> float:
        """Until from now on games are stored, versions come and the judge plays."""
        mark = self.mark()
        self.plays_on(mark, seconds)
        self.learns_on(mark, seconds)
        return self.judges_on(mark, seconds)

    def examine(self) -> Findings:
        """The whole history, once everything acknowledged by now has had the time to be read."""
        now = time.monotonic() + RESENT_SECONDS
        until(lambda: time.monotonic() >= now, RESENT_SECONDS + 1, "")
        deadline = time.monotonic() + SETTLE_SECONDS
        while True:
            found = examine(self.folder, self.record, now, self.redis_deaths, keeps_all=self._keeps_all)
            if found.is_clean or time.monotonic() > deadline:
                return found
            time.sleep(0.5)  # the learner may be reading still

    def stop(self) -> None:
        """End it as a user does; RoundFailed if it does not end well."""
        code = self.launched.end(signal.SIGTERM)
        hold(code == 0, f"the run ended with status {code}\n{self.launched.output[-2000:]}")

    def close(self) -> None:
        """End it and all that it started, in good order if it can."""
        for process in self.launched.living()[:1]:
            process.terminate()
        with contextlib.suppress(RoundFailed):
            until(lambda: not self.launched.look(), STOP_SECONDS, "the run does not end")
        self.launched.kill()
        if self._disk:
            subprocess.run(["umount", "-l", str(self.folder.root)], check=True)
