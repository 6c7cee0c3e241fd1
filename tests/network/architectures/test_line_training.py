"""The kernels that train line_net see what torch sees, and pass the same gradients back."""

import numpy as np
import pytest
import torch
from torch import Tensor

from gobang.features import feature_planes
from gobang.network.architectures.architecture import build
from gobang.network.architectures.line_net import LineFeatures, Sight
from gobang.network.runtimes.calibration import sample_positions
from gobang.network.spec import NetworkSpec
from gobang.types import Variant

FILTERS = 32


def trunk_of(features: str) -> LineFeatures:
    torch.manual_seed(1)
    options = {"filters": FILTERS, "value_units": 5}
    trunk = build(NetworkSpec(architecture="line_net", options=options, features=features, players=2)).trunk
    assert isinstance(trunk, LineFeatures)
    for parameter in trunk.parameters():
        torch.nn.init.normal_(parameter, std=0.3)
    return trunk


def planes_of(features: str, height: int, width: int) -> Tensor:
    variant = Variant(height=height, width=width)
    planes = feature_planes(features, sample_positions(variant, 6, seed=2))
    return torch.from_numpy(planes).to(memory_format=torch.channels_last)


def gradients(trunk: LineFeatures, sight: Sight) -> dict[str, Tensor]:
    """Of a sum in which each feature and each number of the summary has a weight of its own."""
    generator = torch.Generator().manual_seed(3)
    trunk.zero_grad()
    sum((part * torch.randn(part.shape, generator=generator)).sum() for part in sight).backward()  # type: ignore[union-attr]
    return {name: parameter.grad.clone() for name, parameter in trunk.named_parameters() if parameter.grad is not None}


@pytest.mark.parametrize("features", ["two", "three"])
@pytest.mark.parametrize(("height", "width"), [(7, 7), (6, 9)])
def test_they_do_as_torch_does(features: str, height: int, width: int) -> None:
    trunk, planes = trunk_of(features), planes_of(features, height, width)
    by_kernels = trunk.train()(planes)
    found = gradients(trunk, by_kernels)
    by_torch = trunk.eval()(planes)
    expected = gradients(trunk, by_torch)
    assert found.keys() == expected.keys()
    for one, other in [*zip(by_kernels, by_torch, strict=True), *((found[name], expected[name]) for name in found)]:
        assert one.shape == other.shape
        assert float(other.detach().abs().max()) > 0.1
        torch.testing.assert_close(one, other, atol=1e-4, rtol=1e-4)


def test_the_greatest_of_equals_is_the_first() -> None:
    trunk = trunk_of("two").train()
    sight = trunk(torch.zeros(1, 2, 7, 7))  # a board on which symmetric points are alike
    sight.summary[:, FILTERS:].sum().backward()
    weight = trunk.around.bias
    assert weight is not None
    assert weight.grad is not None
    is_positive = (sight.summary[0, FILTERS:] > 0).float()
    torch.testing.assert_close(weight.grad, is_positive)


def test_a_width_that_is_no_whole_lanes_is_left_to_torch() -> None:
    options = {"filters": 5, "value_units": 5}
    trunk = build(NetworkSpec(architecture="line_net", options=options, features="two", players=2)).trunk.train()
    sight = trunk(planes_of("two", 7, 7))
    assert sight.features.shape == (6, 49, 5)
    assert np.isfinite(sight.summary.detach().numpy()).all()
