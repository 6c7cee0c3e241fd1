"""Our default network: residual blocks, half of them with global pooling; any board, one set of weights."""

from __future__ import annotations

from torch import nn

from gobang.network.architectures.heads import ConvolutionPolicy, PooledValue
from gobang.network.architectures.layers import ConvolutionBlock, PooledResidualBlock, ResidualBlock
from gobang.network.architectures.model import GobangNetwork
from gobang.network.architectures.options import GobangNetOptions
from gobang.network.spec import NetworkSpec


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
