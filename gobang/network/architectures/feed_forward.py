"""A network of dense layers alone, as the plainest thing to compare with."""

from __future__ import annotations

from torch import nn

from gobang.network.architectures.model import GobangNetwork
from gobang.network.architectures.options import MlpOptions
from gobang.network.spec import NetworkSpec


def mlp(spec: NetworkSpec, options: MlpOptions) -> GobangNetwork:
    """Hidden layers with ReLU over all planes at once, then one dense layer for each head."""
    layers: list[nn.Module] = [nn.Flatten()]
    inputs = spec.planes * spec.points
    for _ in range(options.layers):
        layers += [nn.Linear(inputs, options.units), nn.ReLU()]
        inputs = options.units
    return GobangNetwork(
        spec,
        trunk=nn.Sequential(*layers),
        point_head=lambda: nn.Linear(options.units, spec.points),
        value_head=nn.Linear(options.units, spec.value_outputs),
    )
