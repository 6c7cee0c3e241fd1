"""Residual networks with dense heads: AlphaGo Zero's, and ResNet-18 without its downsampling."""

from __future__ import annotations

from itertools import pairwise

from torch import Tensor, nn
from torch.nn import functional

from gobang.network.architectures.heads import with_dense_heads
from gobang.network.architectures.layers import ConvolutionBlock, ResidualBlock, convolution
from gobang.network.architectures.model import GobangNetwork
from gobang.network.architectures.options import Resnet18Options, ResnetOptions
from gobang.network.spec import NetworkSpec


def resnet(spec: NetworkSpec, options: ResnetOptions) -> GobangNetwork:
    """A 3x3 convolution, then `blocks` residual blocks of `filters`."""
    blocks = [ResidualBlock(options.filters) for _ in range(options.blocks)]
    trunk = nn.Sequential(ConvolutionBlock(spec.planes, options.filters), *blocks)
    return with_dense_heads(spec, trunk, options.filters, options)


def resnet18(spec: NetworkSpec, options: Resnet18Options) -> GobangNetwork:
    """ResNet-18 for small boards: a 3x3 stem, four stages of two blocks, stride 1 throughout."""
    widths = [options.filters * 2**stage for stage in range(4)]
    layers: list[nn.Module] = [ConvolutionBlock(spec.planes, widths[0]), ResidualBlock(widths[0])]
    for narrow, wide in pairwise(widths):
        layers += [ResidualBlock(narrow), WideningBlock(narrow, wide)]
    layers.append(ResidualBlock(widths[-1]))
    return with_dense_heads(spec, nn.Sequential(*layers), widths[-1], options)


class WideningBlock(nn.Module):
    """A residual block between widths: [B, narrow, H, W] -> [B, wide, H, W], 1x1 convolution as shortcut."""

    def __init__(self, narrow: int, wide: int) -> None:
        super().__init__()
        self.first = convolution(narrow, wide)
        self.second = convolution(wide, wide)
        self.shortcut = convolution(narrow, wide, size=1)

    def forward(self, features: Tensor) -> Tensor:
        """ReLU after the first convolution and after the sum."""
        hidden = functional.relu(self.first(features))
        return functional.relu(self.shortcut(features) + self.second(hidden))
