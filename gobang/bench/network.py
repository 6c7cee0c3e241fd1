"""Speed of networks on this machine: positions per second of each backend, and the evaluator's overhead."""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray

from gobang.bench.table import render_table
from gobang.evaluators.network import NetworkEvaluator
from gobang.features import feature_planes
from gobang.network.checkpoint import Checkpoint, fresh_checkpoint
from gobang.network.presets import preset, preset_names
from gobang.network.runtimes.backend import (
    PRECISIONS,
    Backend,
    available_backends,
    choose_backend,
    has_bf16,
    make_runtime,
)
from gobang.network.runtimes.calibration import sample_positions
from gobang.network.runtimes.runtime import Answer, Runtime
from gobang.types import Evaluations, Positions, Variant

BATCHES: Final = (1, 8, 64, 256)
THREADS: Final = (1, 2)
PLAIN: Final = Backend(name="plain torch", precision="fp32")  # the network as it trains, to compare with
_SEED: Final = 7


@dataclass(frozen=True, kw_only=True, slots=True)
class Rate:
    """Positions per second over interleaved repeats, e.g. `Rate(median=24_000.0, spread=0.02)`."""

    median: float
    spread: float  # (greatest - least) / median


@dataclass(frozen=True, kw_only=True, slots=True)
class InferenceSpeed:
    """One backend at one batch size and number of threads."""

    backend: str  # e.g. "openvino int8"
    threads: int
    batch: int
    evaluator: Rate  # submit and collect: planes, network, copies
    bare: Rate  # the backend alone, on planes that are ready
    share: float  # evaluator / bare, median over the repeats
    of_best: float  # evaluator / evaluator of the fastest backend with the same batch and threads
    refresh: float  # seconds to exchange the weights


def machine_backends() -> list[Backend]:
    """All that this machine runs in hardware, with one thread, and plain torch."""
    names = [name for name in available_backends() if name != "null"]
    choices = [Backend(name=name, precision=precision) for name in names for precision in PRECISIONS[name]]
    return [PLAIN, *(choice for choice in choices if choice.precision != "bf16" or has_bf16(choice.name))]


def inference_speeds(
    checkpoint: Checkpoint,
    variant: Variant,
    *,
    backends: Sequence[Backend] | None = None,
    batches: Sequence[int] = BATCHES,
    threads: Sequence[int] = THREADS,
    repeats: int = 5,
    seconds: float = 0.05,
) -> list[InferenceSpeed]:
    """Measure every combination; each repeat goes through all of them once, `seconds` each and twice that in all."""
    choices = [replace(backend, threads=count) for count in threads for backend in backends or machine_backends()]
    cases = [case for choice in choices for case in _cases(checkpoint, variant, choice, batches)]
    for _ in range(repeats):
        for case in cases:
            case.measure(seconds)
    best: dict[tuple[int, int], float] = {}
    for case in cases:
        key = case.backend.threads, case.batch
        best[key] = max(best.get(key, 0.0), _rate(case.evaluator).median)
    return [case.speed(best[case.backend.threads, case.batch]) for case in cases]


@dataclass(kw_only=True, slots=True)
class _Case:
    backend: Backend
    batch: int
    refresh: float
    through_evaluator: Callable[[], object]
    bare_call: Callable[[], object]
    evaluator: list[float]  # positions per second of each repeat
    bare: list[float]

    def measure(self, seconds: float) -> None:
        self.evaluator.append(self.batch * _calls_per_second(self.through_evaluator, seconds))
        self.bare.append(self.batch * _calls_per_second(self.bare_call, seconds))

    def speed(self, best: float) -> InferenceSpeed:
        shares = [through / bare for through, bare in zip(self.evaluator, self.bare, strict=True)]
        rate = _rate(self.evaluator)
        return InferenceSpeed(
            backend=str(self.backend),
            threads=self.backend.threads,
            batch=self.batch,
            evaluator=rate,
            bare=_rate(self.bare),
            share=statistics.median(shares),
            of_best=rate.median / best,
            refresh=self.refresh,
        )


def _cases(checkpoint: Checkpoint, variant: Variant, backend: Backend, batches: Sequence[int]) -> Iterator[_Case]:
    evaluator = NetworkEvaluator(checkpoint, variant, partial(_runtime, variant=variant, backend=backend))
    started = time.perf_counter()
    evaluator.update(checkpoint)
    refresh = time.perf_counter() - started
    runtime = _runtime(checkpoint, variant, backend)
    for batch in batches:
        positions = sample_positions(variant, batch, seed=_SEED)
        planes = feature_planes(checkpoint.spec.features, positions)
        yield _Case(
            backend=backend,
            batch=batch,
            refresh=refresh,
            through_evaluator=partial(_ask, evaluator, positions),
            bare_call=partial(_run, runtime, planes),
            evaluator=[],
            bare=[],
        )


def _ask(evaluator: NetworkEvaluator, positions: Positions) -> Evaluations:
    return evaluator.collect(evaluator.submit(positions))


def _run(runtime: Runtime, planes: NDArray[np.float32]) -> Answer:
    return runtime.finish(runtime.start(planes))


def _runtime(checkpoint: Checkpoint, variant: Variant, backend: Backend) -> Runtime:
    if backend.name == PLAIN.name:
        return _PlainTorch(checkpoint, backend.threads)
    return make_runtime(checkpoint, variant, backend)


class _PlainTorch:
    """The network as it trains: nothing folded, no layout chosen."""

    def __init__(self, checkpoint: Checkpoint, threads: int) -> None:
        self._network = checkpoint.network()
        self._threads = threads

    def start(self, planes: NDArray[np.float32]) -> Answer:
        before = torch.get_num_threads()
        torch.set_num_threads(self._threads)
        with torch.inference_mode():
            output = self._network(torch.from_numpy(planes))
            answer = torch.softmax(output.policy, dim=1).numpy(), torch.softmax(output.chances, dim=1).numpy()
        torch.set_num_threads(before)
        return answer

    def finish(self, pending: Answer) -> Answer:
        return pending


def _calls_per_second(call: Callable[[], object], seconds: float) -> float:
    call()  # after another backend's work the caches are cold
    calls = 0
    started = time.perf_counter()
    while (elapsed := time.perf_counter() - started) < seconds:
        call()
        calls += 1
    return calls / elapsed


def _rate(values: Sequence[float]) -> Rate:
    median = statistics.median(values)
    return Rate(median=median, spread=(max(values) - min(values)) / median)


def run_inference(args: argparse.Namespace, variant: Variant) -> dict[str, Any]:
    """A network through each backend of this machine, by batch and threads."""
    speeds = inference_speeds(fresh_checkpoint(preset(args.network), variant), variant)
    print(f"{args.network} on {variant}\n")
    print("backend         threads  batch   positions/s  spread   of bare  of best  refresh")
    for speed in speeds:
        print(
            f"{speed.backend:15} {speed.threads:7} {speed.batch:6} {speed.evaluator.median:13,.0f}"
            f" {speed.evaluator.spread:7.0%} {speed.share:9.1%} {speed.of_best:8.1%} {speed.refresh:6.2f} s"
        )
    fastest = max(speeds, key=lambda speed: speed.evaluator.median)
    plain = max(
        speed.evaluator.median
        for speed in speeds
        if (speed.backend, speed.threads) == ("plain torch fp32", fastest.threads)
    )
    print(f"\nfastest: {fastest.backend}, {fastest.evaluator.median / plain:.2f}x plain fp32 torch at its best batch")
    return {
        "positions_per_s": fastest.evaluator.median,
        "backend": fastest.backend,
        "ratio_to_plain_torch": fastest.evaluator.median / plain,
        "rows": [asdict(speed) for speed in speeds],
    }


def run_networks(args: argparse.Namespace, variant: Variant) -> dict[str, Any]:
    """The table of all named networks, with the positions per second of the fastest precise backend."""
    backend = choose_backend()
    rates = {}
    for name in preset_names():
        spec = preset(name)
        game = Variant.square(variant.height, k=variant.k, players=spec.players)
        found = inference_speeds(fresh_checkpoint(spec, game), game, backends=[backend], batches=[64], threads=[1])
        rates[name] = found[0].evaluator.median
    print(render_table(rates))
    print(f"\n{backend}, batch 64, one thread")
    return {f"{name}_per_s": rate for name, rate in rates.items()}
