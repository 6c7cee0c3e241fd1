"""Plain convolutional networks with dense heads: three or four layers, with and without shortcuts.

The papers' plain convolutions carry no batch norm; ours do, since it trains better and costs nothing
once it is folded into the convolution.
"""

from __future__ import annotations

from itertools import pairwise

import torch
from torch import Tensor, nn

from gobang.network.architectures.heads import with_dense_heads
from gobang.network.architectures.layers import ConvolutionBlock, ResidualBlock
from gobang.network.architectures.model import GobangNetwork
from gobang.network.architectures.options import Conv3ShortcutOptions, ConvolutionalOptions
from gobang.network.spec import NetworkSpec


def cnn3(spec: NetworkSpec, options: ConvolutionalOptions) -> GobangNetwork:
    """Three 3x3 convolutions, by default of 32, 64 and 128 filters."""
    return _stack(spec, options, [options.filters, 2 * options.filters, 4 * options.filters])


def cnn4(spec: NetworkSpec, options: ConvolutionalOptions) -> GobangNetwork:
    """As `cnn3` with one layer of half of F, by default 16 filters, in front."""
    return _stack(spec, options, [options.filters // 2, options.filters, 2 * options.filters, 4 * options.filters])


def _stack(spec: NetworkSpec, options: ConvolutionalOptions, widths: list[int]) -> GobangNetwork:
    layers: list[nn.Module] = [ConvolutionBlock(source, width) for source, width in pairwise([spec.planes, *widths])]
    layers += [ResidualBlock(widths[-1]) for _ in range(options.residual_blocks)]
    return with_dense_heads(spec, nn.Sequential(*layers), widths[-1], options)


def cnn_skip(spec: NetworkSpec, options: ConvolutionalOptions) -> GobangNetwork:
    """As `cnn3`, but the third convolution sees the input planes again beside the second's result."""
    blocks = [ResidualBlock(4 * options.filters) for _ in range(options.residual_blocks)]
    trunk = nn.Sequential(InputSkip(spec.planes, options.filters), *blocks)
    return with_dense_heads(spec, trunk, 4 * options.filters, options)


class InputSkip(nn.Module):
    """Three convolutions, the input concatenated before the third: [B, C, H, W] -> [B, 4F, H, W]."""

    def __init__(self, planes: int, filters: int) -> None:
        super().__init__()
        self.first = ConvolutionBlock(planes, filters)
        self.second = ConvolutionBlock(filters, 2 * filters)
        self.third = ConvolutionBlock(2 * filters + planes, 4 * filters)

    def forward(self, planes: Tensor) -> Tensor:
        """Planes to features."""
        hidden = self.second(self.first(planes))
        features: Tensor = self.third(torch.cat((hidden, planes), dim=1))
        return features


def conv3_shortcut(spec: NetworkSpec, options: Conv3ShortcutOptions) -> GobangNetwork:
    """Return three 3x3 convolutions of one width; the third reads the sum of the results of the first and second."""
    return with_dense_heads(spec, FirstToThird(spec.planes, options.filters), options.filters, options)


class FirstToThird(nn.Module):
    """Three convolutions with a shortcut to the third's input: [B, C, H, W] -> [B, F, H, W]."""

    def __init__(self, planes: int, filters: int) -> None:
        super().__init__()
        self.first = ConvolutionBlock(planes, filters)
        self.second = ConvolutionBlock(filters, filters)
        self.third = ConvolutionBlock(filters, filters)

    def forward(self, planes: Tensor) -> Tensor:
        """Turn planes into features."""
        first = self.first(planes)
        features: Tensor = self.third(first + self.second(first))
        return features
