from __future__ import annotations

import pytest

from gobang.bench.table import render_table
from gobang.errors import InvalidConfig
from gobang.network.architectures.architecture import ARCHITECTURES
from gobang.network.cost import cost
from gobang.network.presets import preset, preset_names
from gobang.network.spec import NetworkSpec
from gobang.types import Variant

STATED = {  # million parameters on 8x8 and 11x11, as the three-player attention paper prints them
    "paper_cnn": (0.48, 0.68),
    "paper_residual1": (1.66, 1.86),
    "paper_residual2": (2.72, 3.04),
    "paper_transformer1": (0.84, 1.04),
    "paper_transformer2": (1.08, 1.41),
    "paper_cascaded3": (1.19, 1.39),
    "paper_cascaded4": (2.18, 2.38),
}


@pytest.mark.parametrize("name", STATED)
def test_parameters_as_stated(name: str) -> None:
    for size, millions in zip((8, 11), STATED[name], strict=True):
        parameters = cost(preset(name), Variant.square(size, players=3)).parameters
        assert parameters / 1e6 == pytest.approx(millions, rel=0.05)


@pytest.mark.parametrize("blocks", [0, 1, 2])
def test_narrow_originals_weigh_a_quarter(blocks: int) -> None:
    """The networks that the paper describes have as many megabytes as it states millions."""
    spec = NetworkSpec(
        architecture="cnn3", options={"residual_blocks": blocks}, features="players", players=3, scalar_value=True
    )
    stated = STATED[("paper_cnn", "paper_residual1", "paper_residual2")[blocks]]
    for size, millions in zip((8, 11), stated, strict=True):
        megabytes = 4 * cost(spec, Variant.square(size, players=3)).parameters / 1e6
        assert megabytes == pytest.approx(millions, rel=0.05)


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
    points, width, units = 64, 64, 512
    assert two - one == 2 * points * (4 * width * width + 2 * width * units + 2 * points * width)


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
