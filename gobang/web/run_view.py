"""A run on the page: its numbers while it trains, the newest games, and its weights as opponents that are followed.

Files are read in a thread, once for all who watch.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import shutil
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Final

from aiohttp import web

from gobang.analysis.query import Json
from gobang.disk import write_atomically
from gobang.errors import GobangError, WeightsUnavailable
from gobang.interfaces import RunState, WatchedRun
from gobang.network.checkpoint import check_received
from gobang.types import SelfPlayGame
from gobang.versions import BEST, LATEST, NO_VERSION, version_name
from gobang.web.games import RUN, variant_json
from gobang.web.records import game_json
from gobang.web.service import Service

SECONDS: Final = 2.0  # between two looks at the run
MOST_LINES: Final = 400  # of the metrics that a page draws; a longer run is thinned out
_SHOWN_GAMES: Final = 12


class RunView:
    """Looks at a run again and again, and tells those who watch."""

    def __init__(self, run: WatchedRun, service: Service) -> None:
        self._run, self._service = run, service
        self._task: asyncio.Task[None] | None = None
        self._pulling = asyncio.Lock()  # a file is written by one
        self._looking = asyncio.Lock()  # the metrics are read on by one
        self._position, self._curves = 0, Curves()
        self._folder = Path(tempfile.mkdtemp(prefix="gobang-weights-"))
        service.resolve = self.resolve

    def routes(self) -> list[web.RouteDef]:
        """Its addresses."""
        return [web.get("/api/run", self._show), web.get("/api/run/games", self._show_games)]

    def start(self) -> None:
        """Look from now on."""
        self._task = asyncio.create_task(self._keep_looking())

    async def close(self) -> None:
        """Look no more."""
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task
        shutil.rmtree(self._folder, ignore_errors=True)

    async def setup(self) -> Json:
        """What the page has to know of the run before it looks."""
        state = await asyncio.to_thread(self._run.state)
        return {"name": state.name, **variant_json(state.variant), "seats": [RUN + BEST, RUN + LATEST]}

    async def resolve(self, seat: str) -> tuple[str, str]:
        """The player of a seat, and the version that it plays with: the run's newest weights for "run:latest,ms=500".

        Any other seat is a player already.  Raises GobangError.
        """
        if not seat.startswith(RUN):
            return seat, ""
        which, comma, options = seat.removeprefix(RUN).partition(",")
        if which not in (BEST, LATEST):
            raise GobangError(f"{seat}: {RUN}{BEST} or {RUN}{LATEST}")
        async with self._pulling:
            version = await asyncio.to_thread(self._pull, which)
        return f"net:{self._file(version)}{comma}{options}", version_name(version)

    def _pull(self, which: str) -> int:
        """Fetch weights that are newer than those at hand, and return their version; GobangError for damaged ones."""
        state = self._run.state()
        version = state.versions.get(which)
        if version is None:
            raise WeightsUnavailable(f"the run has no {which} weights yet")
        if not self._file(version).exists():
            blob = self._run.weights(str(version), NO_VERSION)
            check_received(blob, variant=state.variant)
            write_atomically(self._file(version), blob or b"")
        return version

    def _file(self, version: int) -> Path:
        return self._folder / f"{version:08}.safetensors"

    async def _keep_looking(self) -> None:
        while True:
            if any(client.watches_run for client in self._service.clients):
                message = await self._look()
                self._service.clients.tell("run", message, lambda client: client.watches_run)
            await asyncio.sleep(SECONDS)

    async def _look(self) -> Json:
        try:
            state = await asyncio.to_thread(self._run.state)
            async with self._looking:
                await asyncio.to_thread(self._read_metrics)
        except (GobangError, OSError) as error:
            return {"run": {"error": str(error)}}
        return {"run": state_json(state, self._curves)}

    def _read_metrics(self) -> None:
        """Add the lines that have come since the last look."""
        while True:
            lines, position = self._run.metrics(self._position)
            if position < self._position:
                self._curves = Curves()
            self._curves.add(lines)
            if position == self._position:
                return
            self._position = position

    async def _show(self, request: web.Request) -> web.Response:
        return web.json_response((await self._look())["run"])

    async def _show_games(self, request: web.Request) -> web.Response:
        games = await asyncio.to_thread(self._run.newest_games, _SHOWN_GAMES)
        return web.json_response({"games": [_game_json(game) for game in games]})


class Curves:
    """The metrics of a run, thinned out as they come to the lines that a page draws."""

    def __init__(self) -> None:
        self._lines: list[Mapping[str, float]] = []  # every `_step`-th
        self._newest: Mapping[str, float] | None = None
        self._step, self._count = 1, 0

    def add(self, lines: Sequence[Mapping[str, float]]) -> None:
        """Take the next lines."""
        for self._newest in lines:
            if self._count % self._step == 0:
                self._lines.append(self._newest)
            self._count += 1
            if len(self._lines) == MOST_LINES:
                self._lines, self._step = self._lines[::2], 2 * self._step

    def as_json(self) -> Json:
        """Return each metric as a list over the lines that are drawn, which always hold the newest."""
        is_drawn = self._newest is None or self._newest is self._lines[-1]
        drawn = self._lines if is_drawn else [*self._lines, self._newest or {}]
        names = {name for line in drawn for name in line}
        return {name: [line.get(name) for line in drawn] for name in sorted(names)}


def state_json(state: RunState, curves: Curves) -> Json:
    """A run with its curves."""
    return {
        "name": state.name,
        **variant_json(state.variant),
        "state": state.state,
        "age": round(time.time() - state.written, 1),
        "values": {name: value for name, value in state.values.items() if math.isfinite(value)},
        "labels": dict(state.labels),
        "versions": dict(state.versions),
        "parts": [asdict(part) for part in state.parts],
        "matches": [asdict(match) for match in state.matches],
        "curves": curves.as_json(),
    }


def _game_json(game: SelfPlayGame) -> Json:
    """A game of self-play, with the chances that its searches saw at each ply."""
    moves = tuple(int(point) for point in game.moves)
    versions = [int(version) for version in game.version]
    return game_json(
        game.variant,
        moves,
        names=[version_name(max(versions))] * game.variant.players,
        event=game.id,
        chances=[[round(float(each), 4) for each in row] for row in game.searched],
        versions=[min(versions), max(versions)],
    )
