"""Our default network: residual blocks, half of them with global pooling; any board, one set of weights."""

from __future__ import annotations

from dataclasses import dataclass

from torch import nn

from gobang.network.architectures.heads import ConvolutionPolicy, PooledValue
from gobang.network.architectures.layers import ConvolutionBlock, PooledResidualBlock, ResidualBlock
from gobang.network.architectures.model import GobangNetwork
from gobang.network.spec import NetworkSpec, require_at_least


@dataclass(frozen=True, kw_only=True, slots=True)
class GobangNetOptions:
    """Depth, and width of the trunk and of the heads."""

    blocks: int = 4
    filters: int = 64
    head_filters: int = 32
    value_units: int = 64

    def __post_init__(self) -> None:
        require_at_least(0, blocks=self.blocks)
        require_at_least(1, filters=self.filters, head_filters=self.head_filters, value_units=self.value_units)


def gobang_net(spec: NetworkSpec, options: GobangNetOptions) -> GobangNetwork:
    """A 3x3 convolution and `blocks` residual blocks; the second, fourth, ... pool the whole board."""
    filters, head_filters = options.filters, options.head_filters
    blocks = [PooledResidualBlock(filters) if index % 2 else ResidualBlock(filters) for index in range(options.blocks)]
    return GobangNetwork(
        spec,
        trunk=nn.Sequential(ConvolutionBlock(spec.planes, filters), *blocks),
        point_head=lambda: ConvolutionPolicy(filters, filters=head_filters),
        value_head=PooledValue(filters, filters=head_filters, units=options.value_units, outputs=spec.value_outputs),
    )
