"""The kernel of line_net answers as torch does, from any thread, and without torch or openvino."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from gobang.errors import InvalidCheckpoint
from gobang.evaluators.network import make_evaluator
from gobang.features import feature_planes
from gobang.network.checkpoint import Checkpoint, fresh_checkpoint, save_checkpoint
from gobang.network.runtimes.calibration import sample_positions
from gobang.network.runtimes.line_runtime import LineRuntime
from gobang.network.runtimes.runtime import Answer
from gobang.network.runtimes.torch_backend import TorchRuntime
from gobang.network.spec import NetworkSpec
from gobang.types import Variant

VARIANT = Variant(height=7, width=11)
PLAY = """
import sys
from gobang.players.player import Turn
from gobang.players.spec import make_player, parse
from gobang.rules.position import Position
from gobang.types import Variant

variant = Variant(height=7, width=11)
player = make_player(parse(f"net:{sys.argv[1]},sims=8"), variant, seed=1)
player.choose([Turn(game=0, position=Position(variant))])
print([name for name in ("torch", "openvino") if name in sys.modules])
"""


def checkpoint(features: str = "two", players: int = 2, filters: int = 8) -> Checkpoint:
    spec = NetworkSpec(
        architecture="line_net", options={"filters": filters, "value_units": 5}, features=features, players=players
    )
    fresh = fresh_checkpoint(spec, replace(VARIANT, players=players))
    own = {name: drawn_like(array) for name, array in fresh.tensors.items() if name == "trunk.for_black.weight"}
    return replace(fresh, tensors={**fresh.tensors, **in_steps(fresh.tensors["trunk.shapes.weight"], **own)})


def drawn_like(array: np.ndarray) -> np.ndarray:
    return np.random.default_rng(4).normal(size=array.shape).astype(np.float32)


def in_steps(shapes: np.ndarray, **own: np.ndarray) -> dict[str, np.ndarray]:
    """The tables with numbers that the kernel's int16 can say."""
    step = max(np.abs(shapes + part).max() for part in (0, *own.values())) / 8191
    return {name: np.rint(part / step) * step for name, part in {"trunk.shapes.weight": shapes, **own}.items()}


def planes_of(weights: Checkpoint, count: int) -> np.ndarray:
    return feature_planes(weights.spec.features, sample_positions(weights.variant, count, seed=3))


def ask(runtime: LineRuntime | TorchRuntime, planes: np.ndarray) -> Answer:
    return runtime.finish(runtime.start(planes))  # type: ignore[arg-type]


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(
    ("features", "players", "filters"),
    [("two", 2, 64), ("three", 2, 8), ("four", 3, 5), ("players", 2, 8), ("players_last", 4, 8)],
)
def test_it_answers_as_torch_does(features: str, players: int, filters: int, threads: int) -> None:
    weights = checkpoint(features, players, filters)
    planes = planes_of(weights, 50)
    truth = ask(TorchRuntime(weights, bf16=False, device=torch.device("cpu")), planes)
    runtime = LineRuntime(weights, weights.variant, threads=threads)
    for answered, expected in zip(ask(runtime, planes), truth, strict=True):
        assert np.ptp(expected) > 1e-3
        np.testing.assert_allclose(answered, expected, atol=1e-5, rtol=0)


def test_several_threads_ask_at_once() -> None:
    weights = checkpoint()
    runtime = LineRuntime(weights, VARIANT)
    batches = [planes_of(weights, count) for count in range(1, 41)]
    alone = [ask(runtime, planes)[0] for planes in batches]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda planes: ask(runtime, planes)[0], batches))
    for answered, expected in zip(together, alone, strict=True):
        np.testing.assert_array_equal(answered, expected)


def test_a_network_plays_without_torch_and_openvino(tmp_path: Path) -> None:
    save_checkpoint(tmp_path / "lines.safetensors", checkpoint())
    command = [sys.executable, "-c", PLAY, str(tmp_path / "lines.safetensors")]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "[]\n"


def test_weights_of_another_shape_are_refused() -> None:
    weights = checkpoint()
    wider = replace(weights, spec=replace(weights.spec, options={"filters": 16, "value_units": 5}))
    bare = replace(weights, tensors={name: value for name, value in weights.tensors.items() if "hidden" not in name})
    for wrong in (wider, bare):
        with pytest.raises(InvalidCheckpoint, match="do not fit architecture 'line_net'"):
            make_evaluator(wrong, VARIANT)
