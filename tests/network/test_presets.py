from __future__ import annotations

import pytest

from gobang.bench.table import render_table
from gobang.errors import InvalidConfig
from gobang.network.architectures.architecture import ARCHITECTURES
from gobang.network.cost import cost
from gobang.network.presets import preset, preset_names
from gobang.network.spec import NetworkSpec
from gobang.types import Variant

STATED = {  # megabytes of float32 on 8x8 and 11x11, as "Multiplayer Gobang Based on Reinforcement Learning" prints them
    "paper_cnn": (0.48, 0.68),
    "paper_residual1": (1.66, 1.86),
    "paper_residual2": (2.72, 3.04),
    "paper_transformer1": (0.84, 1.04),
    "paper_transformer2": (None, 1.41),  # the 1.08 of 8x8 does not fit the 0.84 of one block and the 1.41 of 11x11
    "paper_cascaded3": (1.19, 1.39),
    "paper_cascaded4": (2.18, 2.38),
}


@pytest.mark.parametrize("name", STATED)
def test_megabytes_as_stated(name: str) -> None:
    for size, stated in zip((8, 11), STATED[name], strict=True):
        megabytes = 4 * cost(preset(name), Variant.square(size, players=3)).parameters / 1e6
        assert stated is None or megabytes == pytest.approx(stated, rel=0.05)


def test_attention_has_the_parameters_of_the_public_code() -> None:
    counts = {name: cost(preset(name), Variant.square(8, players=3)).parameters for name in STATED}
    assert counts["paper_cascaded3"] - 2 * (4 + 2) == 297_415 - (4 + 2)  # our heads have batch norms for biases
    assert counts["paper_transformer2"] - counts["paper_transformer1"] == 91_392
    assert preset("paper_cnn").planes == 6


def test_the_network_for_5x5_has_the_parameters_of_the_work() -> None:
    assert cost(preset("conv3_shortcut"), Variant.square(5, k=4)).parameters == 22_306


def test_flops_of_a_stack_counted_by_hand() -> None:
    spec = NetworkSpec(architecture="cnn3")
    convolutions = 64 * 9 * (4 * 32 + 32 * 64 + 64 * 128)
    heads = 64 * 128 * (4 + 2) + 256 * 64 + 128 * 64 + 64 * 3
    assert cost(spec, Variant.square(8)).flops == 2 * (convolutions + heads)


def test_flops_of_attention_counted_by_hand() -> None:
    one, two = (
        cost(NetworkSpec(architecture="cnn_transformer", options={"blocks": blocks}), Variant.square(8)).flops
        for blocks in (1, 2)
    )
    points, coarse, width = 64, 4, 64
    reading = points * width * width + coarse * width * (2 * width + 16 * width)  # queries; squares, keys and values
    mixing = 2 * points * coarse * width + points * width * width
    assert two - one == 2 * (reading + mixing + points * width * (2 * width + 9))


def test_every_architecture_has_a_preset() -> None:
    assert {preset(name).architecture for name in preset_names()} == set(ARCHITECTURES)


def test_unknown_preset_names_the_nearest() -> None:
    with pytest.raises(InvalidConfig, match="gobang_4x64"):
        preset("gobang_4x46")


def test_table_has_a_row_for_each_preset() -> None:
    lines = render_table({"cnn3": 79_000.4}).splitlines()
    assert len(lines) == 2 + len(preset_names())
    assert len({line.count("|") for line in lines}) == 1
    assert next(line for line in lines if line.startswith("| cnn3 ")).endswith("| 0.12 M | 0.17 M | 12.1 | 79,000 |")
