"""A run as others look at it while it trains: from its folder, and from its pool while that is there."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from evaluator.judging.contest import Contest
from evaluator.judging.gate import ContestGame
from evaluator.judging.history import GameReader
from evaluator.judging.journal import Line, read_lines_after
from evaluator.statistics.tally import tally
from gobang.children import from_lasting_thread, tied
from gobang.errors import GobangError, PoolUnavailable, VersionGone
from gobang.files import MOST_WEIGHTS, read_file
from gobang.interfaces import MatchState, PartState, RunState
from gobang.numbers import is_finite
from gobang.options import read_options
from gobang.run_folder import RunFolder, best_weights, weights_path, weights_versions
from gobang.settings import read_yaml
from gobang.types import SelfPlayGame, Variant
from gobang.versions import BEST, LATEST, version_name
from learner.replay.pool.redis_claim import pool_name
from learner.replay.pool.redis_pool import RedisPool
from learner.replay.pool.redis_server import RedisServer
from learner.run.guest import READY
from learner.watching.metrics import METRICS

_SHOWN_MATCHES: Final = 12
_SHOWN_METRICS: Final = {"time", *METRICS}


class RunOnDisk:
    """A `WatchedRun` in a folder on this machine, or on a file system that it shares; nothing in it is changed."""

    def __init__(self, root: Path) -> None:
        """Raises GobangError if the folder holds no run."""
        self._folder = RunFolder(root)
        self._variant = _read_variant(self._folder)
        self._pool: RedisPool | None = None
        self._matches = _Matches(self._folder, self._variant)

    def state(self) -> RunState:
        """Return what is going on; raise GobangError if the files of the run hold something else."""
        try:
            return self._state()
        except (TypeError, ValueError, LookupError, AttributeError) as error:
            raise GobangError(f"{self._folder.root} cannot be shown: {error}") from error

    def _state(self) -> RunState:
        summary = self._folder.read_summary()
        return RunState(
            name=self._folder.root.resolve().name,
            variant=self._variant,
            state=str(summary.get("state", "starting")),
            written=_time_of(self._folder.summary),
            values=_known(dict(summary.get("values", {}))),
            labels={metric.name: f"{metric.unit} {metric.help}".strip() for metric in METRICS.values()},
            versions=self._versions(),
            parts=tuple(PartState(**part) for part in self._folder.read_parts()),
            matches=tuple(self._matches.newest()),
        )

    def metrics(self, position: int) -> tuple[Sequence[Mapping[str, float]], int]:
        """Return the next lines of the metrics, and the position behind them."""
        lines, position = read_lines_after(self._folder.metrics, position)
        return [_known(line) for line in lines], position

    def newest_games(self, most: int) -> Sequence[SelfPlayGame]:
        """Games of self-play, the newest first; PoolUnavailable when the run is over."""
        self._pool = self._pool or self._find_pool()
        try:
            return self._pool.newest(most)
        except PoolUnavailable:
            self._pool = None
            raise

    def _find_pool(self) -> RedisPool:
        """Make a client of the run's pool; raise PoolUnavailable."""
        url, namespace = RedisServer.url_in(self._folder.redis), self._folder.read_address().get("namespace", "")
        try:
            identity = self._folder.read_identity()
        except (OSError, ValueError) as error:
            raise PoolUnavailable(f"{self._folder.root} has no pool: {error}") from error
        return RedisPool(url, self._variant, name=pool_name(namespace, identity))

    def weights(self, which: str, known: int) -> bytes | None:
        """A file of weights by its number; see WeightsSource."""
        version = self._versions().get(which, -1) if which in (LATEST, BEST) else int(which)
        if version == known:
            return None
        path = weights_path(self._folder, version)
        if not path.exists() and version == self._versions().get(BEST):
            path = best_weights(self._folder)
        try:
            return read_file(path, MOST_WEIGHTS)
        except OSError as error:
            raise VersionGone(str(error)) from error

    def _versions(self) -> dict[str, int]:
        versions = weights_versions(self._folder)
        found = {LATEST: versions[-1]} if versions else {}
        with suppress(OSError, ValueError, KeyError):  # before the first promotion
            found[BEST] = self._folder.read_best()
        return found


class _Matches:
    """The newest matches of a judge, each time read on from where the last look ended."""

    def __init__(self, folder: RunFolder, variant: Variant) -> None:
        self._path, self._position = folder.matches, 0
        self._reader = GameReader(folder, variant)
        self._begun: dict[int, Line] = {}  # of the newest matches, by number
        self._verdicts: dict[int, str] = {}
        self._games: dict[int, list[ContestGame]] = {}
        self._reading = threading.Lock()  # several clients may look at once

    def newest(self) -> list[MatchState]:
        """Return the newest matches, the last first."""
        with self._reading:
            self._read_matches()
            for game in self._reader.new_games():
                if game.match >= min(self._begun, default=0):
                    self._games.setdefault(game.match, []).append(game)
            for old in [number for number in self._games if number < min(self._begun, default=0)]:
                del self._games[old]
            return [
                _match(
                    Contest.from_line(self._begun[number]), self._games.get(number, []), self._verdicts.get(number, "")
                )
                for number in sorted(self._begun, reverse=True)
            ]

    def _read_matches(self) -> None:
        position = -1
        while position != self._position:
            position = self._position
            lines, self._position = read_lines_after(self._path, position)
            for line in lines:
                if "begin" in line:
                    self._begun[line["begin"]["number"]] = line["begin"]
                elif "end" in line:
                    self._verdicts[line["end"]] = line["standing"]["verdict"]
            for old in sorted(self._begun)[:-_SHOWN_MATCHES]:
                del self._begun[old]
                self._verdicts.pop(old, None)


class RunOnCluster(RunOnDisk):
    """A `WatchedRun` of which only the cluster's address is known: a guest mirrors what its learner tells."""

    def __init__(self, address: str, *, insecure: bool) -> None:
        """Raises GobangError if there is no learner."""
        self._address = address
        self._place = TemporaryDirectory(prefix="gobang-guest-")
        root = Path(self._place.name) / address.replace(":", "-")
        command = [sys.executable, "-m", "learner.run.guest", address, str(root), *["--insecure"] * insecure]
        self._guest = from_lasting_thread(partial(_start_guest, command))
        assert self._guest.stdout is not None
        said = self._guest.stdout.readline().strip()
        if said != READY:
            raise GobangError(said or f"nobody could watch the run at {address}")
        super().__init__(root)

    def state(self) -> RunState:
        """What was going on when the learner was last heard."""
        state = super().state()
        is_gone = self._guest.poll() is not None
        return replace(state, name=self._address, state="over: its cluster is gone" if is_gone else state.state)

    def newest_games(self, most: int) -> Sequence[SelfPlayGame]:
        """There are none to be had: the pool lets in who knows its password, which stands in the run's folder."""
        raise PoolUnavailable("games are shown where the folder of the run is")


def _start_guest(command: Sequence[str]) -> subprocess.Popen[str]:
    return subprocess.Popen(
        tied(command),
        stdin=subprocess.PIPE,  # with which it ends
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )


def _match(contest: Contest, games: Sequence[ContestGame], verdict: str) -> MatchState:
    candidate, opponent = version_name(contest.candidate), contest.opponent
    counts = tally([game.points_of(candidate) for game in games])
    return MatchState(
        kind="gate" if contest.is_gate else "ladder",
        candidate=candidate,
        opponent=opponent.name,
        games=counts.games,
        wins=counts.wins,
        draws=counts.draws,
        losses=counts.losses,
        verdict=verdict,
    )


def _known(fields: Mapping[str, object]) -> dict[str, float]:
    """Return the metrics of a line, with its time; names that are no metrics and what is no finite number are left out.

    A file from elsewhere may hold a million names, each of which would become a curve.
    """
    return {name: value for name, value in fields.items() if name in _SHOWN_METRICS and is_finite(value)}


def _read_variant(folder: RunFolder) -> Variant:
    try:
        return read_options(Variant, read_yaml(folder.config)["game"], "game")
    except (GobangError, LookupError) as error:
        raise GobangError(f"{folder.root} is not the folder of a run: {error}") from error


def _time_of(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0
