"""Heads: from the trunk's features to logits over the board, or to a few numbers."""

from __future__ import annotations

from torch import Tensor, nn
from torch.nn import functional

from gobang.network.architectures.layers import ConvolutionBlock, pool_globally
from gobang.network.architectures.model import GobangNetwork
from gobang.network.architectures.options import DenseHeadOptions
from gobang.network.spec import NetworkSpec


def with_dense_heads(spec: NetworkSpec, trunk: nn.Module, channels: int, options: DenseHeadOptions) -> GobangNetwork:
    """The network of a trunk that gives [B, channels, H, W]."""
    return GobangNetwork(
        spec,
        trunk=trunk,
        point_head=lambda: DensePolicy(channels, filters=options.policy_filters, points=spec.points),
        value_head=DenseValue(
            channels,
            filters=options.value_filters,
            points=spec.points,
            units=options.value_units,
            outputs=spec.value_outputs,
        ),
    )


class DensePolicy(nn.Module):
    """[B, channels, H, W] -> [B, A] by a 1x1 convolution and a dense layer, for one board only."""

    def __init__(self, channels: int, *, filters: int, points: int) -> None:
        super().__init__()
        self.squeeze = ConvolutionBlock(channels, filters, size=1)
        self.dense = nn.Linear(filters * points, points)

    def forward(self, features: Tensor) -> Tensor:
        """Logits."""
        logits: Tensor = self.dense(self.squeeze(features).flatten(1))
        return logits


class DenseValue(nn.Module):
    """[B, channels, H, W] -> [B, outputs] by a 1x1 convolution and two dense layers, for one board only."""

    def __init__(self, channels: int, *, filters: int, points: int, units: int, outputs: int) -> None:
        super().__init__()
        self.squeeze = ConvolutionBlock(channels, filters, size=1)
        self.hidden = nn.Linear(filters * points, units)
        self.dense = nn.Linear(units, outputs)

    def forward(self, features: Tensor) -> Tensor:
        """Logits, or the value before its tanh."""
        hidden = functional.relu(self.hidden(self.squeeze(features).flatten(1)))
        logits: Tensor = self.dense(hidden)
        return logits


class ConvolutionPolicy(nn.Module):
    """[B, channels, H, W] -> [B, A] by two 1x1 convolutions, for any board."""

    def __init__(self, channels: int, *, filters: int) -> None:
        super().__init__()
        self.squeeze = ConvolutionBlock(channels, filters, size=1)
        self.point = nn.Conv2d(filters, 1, 1)

    def forward(self, features: Tensor) -> Tensor:
        """Logits."""
        logits: Tensor = self.point(self.squeeze(features)).flatten(1)
        return logits


class PooledValue(nn.Module):
    """[B, channels, H, W] -> [B, outputs] from a summary of the whole board, for any board."""

    def __init__(self, channels: int, *, filters: int, units: int, outputs: int) -> None:
        super().__init__()
        self.squeeze = ConvolutionBlock(channels, filters, size=1)
        self.hidden = nn.Linear(3 * filters, units)
        self.dense = nn.Linear(units, outputs)

    def forward(self, features: Tensor) -> Tensor:
        """Logits, or the value before its tanh."""
        hidden = functional.relu(self.hidden(pool_globally(self.squeeze(features))))
        logits: Tensor = self.dense(hidden)
        return logits
