from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from gobang.errors import GobangError
from gobang.features import NAMES, extends, feature_planes
from gobang.network.checkpoint import fresh_checkpoint, save_checkpoint
from gobang.network.spec import NetworkSpec
from gobang.types import Boards, Variant
from learner.training.beginning import first_weights

VARIANT = Variant.square(5, k=4)
SPEC = NetworkSpec(options={"blocks": 1, "filters": 8, "head_filters": 4, "value_units": 8}, features="two")
LINES = NetworkSpec(architecture="line_net", options={"filters": 8, "value_units": 8}, features="two")
MLP = NetworkSpec(architecture="mlp", options={"layers": 1, "units": 16}, features="two", height=5, width=5)


def some_boards() -> Boards:
    cells = np.random.default_rng(1).integers(0, 3, (6, 25)).astype(np.int8)
    return Boards(
        variant=VARIANT,
        cells=cells,
        to_move=np.array([0, 1] * 3, np.int8),
        last_moves=np.arange(6, dtype=np.int16)[:, None],
    )


def saved(folder: Path, spec: NetworkSpec) -> str:
    path = folder / f"{spec.features}.safetensors"
    save_checkpoint(path, fresh_checkpoint(spec, VARIANT))
    return str(path)


def answers(name: str, spec: NetworkSpec) -> torch.Tensor:
    network = first_weights(name, spec).network()
    return network(torch.tensor(feature_planes(spec.features, some_boards()))).policy


@pytest.mark.parametrize("spec", [SPEC, LINES, MLP])
@pytest.mark.parametrize("features", ["three", "four", "windows", "players"])
def test_a_network_that_sees_more_begins_with_the_same_answers(tmp_path, spec, features):
    if (spec, features) == (LINES, "windows"):
        pytest.skip("it reads no windows: its lines are what they show")
    name = saved(tmp_path, spec)
    torch.testing.assert_close(answers(name, replace(spec, features=features)), answers(name, spec))


def test_features_that_begin_alike():
    names = [name for name in NAMES if name != "players_last"]  # which is for more
    for_two = {(name, shorter) for name in names for shorter in names if extends(name, shorter, 2)}
    equal = ("four", "players", "players_two")
    same = {(name, name) for name in names} | {(name, other) for name in equal for other in equal}
    assert for_two == same | {(longer, "two") for longer in ("three", "windows", *equal)} | {
        (longer, "three") for longer in equal
    }
    assert extends("players_last", "players", 3)
    assert not extends("players", "players_last", 3)
    assert not extends("players", "two", 3)


@pytest.mark.parametrize(
    ("name", "spec", "message"),
    [
        ("builtin-5x5", replace(SPEC, features="two"), "builtin-5x5 is no beginning: weights do not fit"),
        ("builtin-4x4", SPEC, "builtin-4x4"),
        ("absent.safetensors", SPEC, "absent"),
        ("builtin-5x5", replace(SPEC, features="four_colour"), "features 'two', which 'four_colour' does not begin"),
        ("builtin-8x8", SPEC, "builtin-8x8 is no beginning: weights for features 'players'"),
    ],
)
def test_weights_of_another_network_are_refused(name, spec, message):
    with pytest.raises(GobangError, match=message):
        first_weights(name, spec)
