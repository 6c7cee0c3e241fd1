from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest

from actors.server.inference import InferenceServer, ServerConfig
from actors.server.models import EvaluatorFactory
from actors.wire.remote_evaluator import RemoteEvaluator
from gobang.errors import InvalidGame, PoolUnavailable, WeightsUnavailable
from gobang.evaluators.synchronous import SynchronousEvaluator
from gobang.types import Evaluations, Positions, SelfPlayGame, Variant

VARIANT = Variant.square(6, k=4)
KEY = b"a key of the tests"


class Marked(SynchronousEvaluator):
    """Answers with priors that are the cells plus its version, so that an answer shows what was asked of whom."""

    def __init__(self, version: int) -> None:
        self.version = version
        self.batches: list[int] = []

    def evaluate(self, positions: Positions) -> Evaluations:
        self.batches.append(len(positions))
        chances = np.full((len(positions), positions.variant.players + 1), self.version, np.float32)
        return Evaluations(priors=positions.cells.astype(np.float32) + self.version, chances=chances)


class Held(Marked):
    """Answers when it is told to."""

    def __init__(self, version: int = 1) -> None:
        super().__init__(version)
        self.entered = threading.Semaphore(0)
        self.release = threading.Semaphore(0)

    def evaluate(self, positions: Positions) -> Evaluations:
        self.entered.release()
        assert self.release.acquire(timeout=20)
        return super().evaluate(positions)


def marked(blob: bytes) -> Marked:
    return Marked(int(blob))


@dataclass
class Shelf:
    """A WeightsSource of versions that a test sets; the blob is the version's number."""

    versions: dict[str, int] = field(default_factory=lambda: {"latest": 1})

    def weights(self, which: str, known: int) -> bytes | None:
        version = int(which) if which.isdecimal() else self.versions.get(which)
        if version is None:
            raise WeightsUnavailable(f"no weights {which!r}")
        return str(version).encode() if version != known else None


class Pool:
    """A GameSink that can be away or full."""

    def __init__(self) -> None:
        self.games: list[SelfPlayGame] = []
        self.is_away = False
        self.is_full = False
        self.refused = ""  # id of a game that is none

    def add(self, game: SelfPlayGame) -> bool:
        if self.is_away:
            raise PoolUnavailable("away")
        if game.id == self.refused:
            raise InvalidGame("no game")
        self.games.append(game)
        return True

    def has_room(self) -> bool:
        if self.is_away:
            raise PoolUnavailable("away")
        return not self.is_full


StartServer = Callable[..., InferenceServer]
Connect = Callable[..., RemoteEvaluator]


@pytest.fixture
def start_server(tmp_path: Path) -> Iterator[StartServer]:
    servers: list[InferenceServer] = []

    def start(make: EvaluatorFactory = marked, source: Shelf | None = None, **options: object) -> InferenceServer:
        address = f"unix:/tmp/gobang-{secrets.token_hex(6)}.sock"
        settings = {"variant": VARIANT, "listen": (address,), "key": KEY, "poll_seconds": 0.01, **options}
        servers.append(InferenceServer(ServerConfig(**settings), source or Shelf(), make))
        return servers[-1]

    yield start
    for server in servers:
        server.close()
        for address in server.addresses:
            if address.startswith("unix:"):
                Path(address.removeprefix("unix:")).unlink(missing_ok=True)


@pytest.fixture
def connect() -> Iterator[Connect]:
    evaluators: list[RemoteEvaluator] = []

    def make(address: str, *, variant: Variant = VARIANT, **options: object) -> RemoteEvaluator:
        settings = {"key": KEY, "model": "latest", "patience": 20.0, **options}
        evaluators.append(RemoteEvaluator(lambda: address, variant=variant, **settings))
        return evaluators[-1]

    yield make
    for evaluator in evaluators:
        evaluator.close()
