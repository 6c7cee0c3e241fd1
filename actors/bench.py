"""Self-play through Ray, server and pool against the bare backend: `gobang bench self-play --json`.

Rounds of self-play, of the backend alone and of plain torch fp32 take turns, and each figure is the
median of the rounds, so that a machine that grows busy or warm spoils the rates, not the ratios.
Games go to a sink that counts them.  Two kinds of cases:

    evaluations   cache off; positions per second of the server against those of the backend
    simulations   cache on; simulations per second, of which some cost no evaluation, against the same
"""

from __future__ import annotations

import argparse
import secrets
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any, Final

import numpy as np

from actors.factories import SelfPlayFactory, ServerFactory
from actors.remote import ask, local_ray, start_inference, start_self_play
from actors.self_play.self_play import SelfPlayConfig
from actors.server.inference import ServerConfig
from actors.server.models import EvaluatorFactory
from actors.standins import FileWeights, GatedSink
from actors.wire.remote_evaluator import RemoteEvaluator
from gobang.evaluators.network import make_evaluator
from gobang.features import feature_planes
from gobang.network.checkpoint import fresh_checkpoint, save_checkpoint
from gobang.network.presets import preset
from gobang.network.runtimes.backend import Backend, make_runtime
from gobang.network.runtimes.calibration import sample_positions
from gobang.network.runtimes.runtime import Runtime
from gobang.search.trees.config import SearchConfig
from gobang.types import Variant
from gobang.versions import LATEST

_ROUNDS: Final = 4
_BATCH: Final = 64  # of the networks alone: the best one on CPUs
_DEPTH: Final = 2  # batches under way in each of their threads
_SETTLING_SECONDS: Final = 1.0
_SHORTEST_BARE: Final = 2.0  # seconds of a round
_STARTING_SECONDS: Final = 120.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Case:
    """One measurement, e.g. `Case(network="gobang_4x64", actors=2, games=384, cache=False)`."""

    network: str
    actors: int
    games: int  # of each actor
    cache: bool

    @property
    def unit(self) -> str:
        """The counts so far."""
        return "simulations" if self.cache else "evaluations"


GOALS: Final[tuple[Case, ...]] = (
    Case(network="gobang_4x64", actors=2, games=384, cache=False),
    Case(network="gobang_4x64", actors=8, games=128, cache=False),
    Case(network="cnn3", actors=2, games=128, cache=True),
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Outcome:
    """Medians over the rounds of a case."""

    network: str
    actors: int
    games: int
    unit: str
    per_s: float
    bare_per_s: float
    ratio: float  # median of the rounds' ratios
    lowest_ratio: float
    highest_ratio: float
    torch_per_s: float
    torch_ratio: float
    mean_batch: float
    mean_wait_ms: float
    cache_hits: float  # share of the positions asked about
    bare_us: float  # CPU per evaluation, of the backend alone
    server_us: float  # of the server, backend included
    actors_us: float  # of all actors

    def __str__(self) -> str:
        return (
            f"{self.network}, {self.actors} actors of {self.games} games: {self.per_s:,.0f} {self.unit}/s,"
            f" {self.ratio:.1%} ({self.lowest_ratio:.1%} to {self.highest_ratio:.1%})"
            f" of the backend's {self.bare_per_s:,.0f} evaluations/s,"
            f" {self.torch_ratio:.1f}x plain torch fp32 ({self.torch_per_s:,.0f});"
            f" batches of {self.mean_batch:.0f} after {self.mean_wait_ms:.2f} ms, cache hits {self.cache_hits:.0%};"
            f" CPU per evaluation {self.server_us:.1f} us server + {self.actors_us:.1f} us actors,"
            f" backend alone {self.bare_us:.1f} us"
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class Setting:
    """The settings that all cases share."""

    variant: Variant
    simulations: int
    threads: int
    seconds: float  # of self-play in each case
    max_wait_ms: float

    def self_play(self, case: Case) -> SelfPlayConfig:
        """The games of one actor."""
        search = SearchConfig(
            simulations=self.simulations,
            noise_fraction=0.25,
            temperature=1.0,
            temperature_plies=self.variant.points // 6,
        )
        return SelfPlayConfig(search=search, games=case.games, cache_entries=1 << 16 if case.cache else 0)


class Alone:
    """A network without positions, search and server: several batches under way in every thread."""

    def __init__(self, runtimes: Sequence[Runtime], features: str, variant: Variant) -> None:
        self._runtimes = runtimes
        self._planes = feature_planes(features, sample_positions(variant, _BATCH))

    def rates(self, seconds: float) -> tuple[float, float]:
        """Positions per second, and microseconds of CPU per position."""
        cpu, start = time.process_time(), time.perf_counter()
        with ThreadPoolExecutor(len(self._runtimes)) as pool:
            batches = sum(pool.map(lambda runtime: self._run(runtime, start + seconds), self._runtimes))
        elapsed, cpu = time.perf_counter() - start, time.process_time() - cpu
        return batches * _BATCH / elapsed, cpu / (batches * _BATCH) * 1e6

    def _run(self, runtime: Runtime, end: float) -> int:
        pending = [runtime.start(self._planes) for _ in range(_DEPTH)]
        batches = _DEPTH
        while time.perf_counter() < end:
            runtime.finish(pending.pop(0))
            pending.append(runtime.start(self._planes))
            batches += 1
        for rest in pending:
            runtime.finish(rest)
        return batches


class Loop:
    """A server and actors in Ray that play while the gate is open."""

    def __init__(self, case: Case, setting: Setting, folder: Path, make: EvaluatorFactory) -> None:
        key, address = secrets.token_bytes(32), f"unix:{folder}/node.sock"
        self._gate = folder / "gate"
        config = ServerConfig(
            variant=setting.variant,
            listen=(address,),
            key=key,
            threads=setting.threads,
            max_wait_ms=setting.max_wait_ms,
        )
        server = ServerFactory(config=config, make_source=partial(FileWeights, folder / "weights"), make_evaluator=make)
        actor = SelfPlayFactory(
            variant=setting.variant,
            config=setting.self_play(case),
            make_evaluator=partial(RemoteEvaluator, partial(str, address), key, setting.variant, model=LATEST),
            make_sink=partial(GatedSink, self._gate),
        )
        self._server = start_inference("inference", server, cpus=0.1)
        self._actors = [start_self_play(f"actor-{number}", actor, cpus=0.1) for number in range(case.actors)]

    def warm_up(self) -> None:
        """Play until every actor has made a move."""
        self._gate.touch()
        deadline = time.monotonic() + _STARTING_SECONDS
        while not all(report.self_play for report in self._reports()):
            assert time.monotonic() < deadline, f"actors do not start: {self._reports()}"
            time.sleep(0.2)
        self.pause()

    def measure(self, seconds: float) -> dict[str, float]:
        """Rates while the gate is open; it is closed afterwards."""
        self._gate.touch()
        time.sleep(_SETTLING_SECONDS)
        server, before = ask(self._server.report.remote()), self._totals()
        time.sleep(seconds)
        server, after = ask(self._server.report.remote()).since(server), self._totals()
        self.pause()
        simulations, asked, hits, cpu = after - before
        return {
            "server_us": server.cpu_seconds / max(server.positions, 1) * 1e6,
            "actors_us": cpu / max(server.positions, 1) * 1e6,
            "evaluations": server.per_s,
            "simulations": server.per_s * simulations / max(asked - hits, 1),
            "mean_batch": server.mean_batch,
            "mean_wait_ms": server.mean_wait_ms,
            "cache_hits": hits / max(asked, 1),
        }

    def pause(self) -> None:
        """Close the gate, and wait until nobody plays any more."""
        self._gate.unlink(missing_ok=True)
        positions = -1
        while (now := ask(self._server.report.remote()).positions) != positions:
            positions = now
            time.sleep(0.3)

    def _reports(self) -> list[Any]:
        return list(ask([actor.report.remote() for actor in self._actors]))

    def _totals(self) -> Any:
        """Simulations, evaluations, cache hits and seconds of CPU of all actors."""
        rows = [
            (
                report.self_play.simulations,
                report.self_play.evaluations,
                report.self_play.cache_hits,
                report.cpu_seconds,
            )
            for report in self._reports()
        ]
        return np.array(rows).sum(axis=0)


def measure_case(case: Case, setting: Setting) -> Outcome:
    """All rounds of one case."""
    checkpoint = fresh_checkpoint(preset(case.network), setting.variant)
    backend = Backend(name="openvino", precision="int8", threads=setting.threads, batches=setting.threads)
    torch = Backend(name="torch", precision="fp32")  # one thread each: two in one batch collapse on busy cores
    bare, plain = (
        Alone(runtimes, checkpoint.spec.features, setting.variant)
        for runtimes in (
            [make_runtime(checkpoint, setting.variant, backend)] * setting.threads,
            [make_runtime(checkpoint, setting.variant, torch)] * setting.threads,
        )
    )
    make = partial(
        make_evaluator,
        variant=setting.variant,
        backend=backend.name,
        precision=backend.precision,
        threads=backend.threads,
        batches=backend.batches,
    )
    with tempfile.TemporaryDirectory(prefix="gobang-") as folder, local_ray(cpus=case.actors + 1):
        save_checkpoint(Path(folder) / "weights", checkpoint)
        loop = Loop(case, setting, Path(folder), make)
        loop.warm_up()
        seconds = setting.seconds / _ROUNDS
        rounds = [_round(loop, bare, plain, seconds) for _ in range(_ROUNDS)]
    return _outcome(case, rounds)


def _round(loop: Loop, bare: Alone, plain: Alone, seconds: float) -> dict[str, float]:
    """Half of the backend's time before self-play, half of it after."""
    half = max(_SHORTEST_BARE, seconds / 2) / 2
    before, _ = bare.rates(half)
    rates = loop.measure(seconds)
    after, cpu = bare.rates(half)
    return {**rates, "bare": (before + after) / 2, "bare_us": cpu, "torch": plain.rates(half)[0]}


def _outcome(case: Case, rounds: list[dict[str, float]]) -> Outcome:
    def middle(take: Callable[[dict[str, float]], float]) -> float:
        return median(take(each) for each in rounds)

    ratios = [each[case.unit] / each["bare"] for each in rounds]
    return Outcome(
        network=case.network,
        actors=case.actors,
        games=case.games,
        unit=case.unit,
        per_s=middle(lambda each: each[case.unit]),
        bare_per_s=middle(lambda each: each["bare"]),
        ratio=median(ratios),
        lowest_ratio=min(ratios),
        highest_ratio=max(ratios),
        torch_per_s=middle(lambda each: each["torch"]),
        torch_ratio=middle(lambda each: each[case.unit] / each["torch"]),
        mean_batch=middle(lambda each: each["mean_batch"]),
        mean_wait_ms=middle(lambda each: each["mean_wait_ms"]),
        cache_hits=middle(lambda each: each["cache_hits"]),
        bare_us=middle(lambda each: each["bare_us"]),
        server_us=middle(lambda each: each["server_us"]),
        actors_us=middle(lambda each: each["actors_us"]),
    )


def run(arguments: argparse.Namespace, variant: Variant) -> dict[str, Any]:
    """Measure the cases asked for, by default those that have a goal."""
    setting = Setting(
        variant=variant,
        simulations=arguments.sims,
        threads=arguments.threads,
        seconds=arguments.seconds,
        max_wait_ms=arguments.max_wait_ms,
    )
    outcomes = []
    for case in _cases(arguments):
        outcomes.append(measure_case(case, setting))
        print(outcomes[-1], flush=True)
    return {"cases": [asdict(outcome) for outcome in outcomes]}


def _cases(arguments: argparse.Namespace) -> Sequence[Case]:
    if not arguments.network:
        return GOALS
    return [
        Case(network=name, actors=count, games=arguments.games, cache=arguments.cache)
        for name in arguments.network
        for count in arguments.actors
    ]
