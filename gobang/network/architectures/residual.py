"""Residual networks with dense heads: AlphaGo Zero's, and ResNet-18 without its downsampling."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from torch import Tensor, nn
from torch.nn import functional

from gobang.network.architectures.heads import DenseHeadOptions, with_dense_heads
from gobang.network.architectures.layers import ConvolutionBlock, ResidualBlock, convolution
from gobang.network.architectures.model import GobangNetwork
from gobang.network.spec import NetworkSpec
from gobang.options import option


@dataclass(frozen=True, kw_only=True, slots=True)
class ResnetOptions(DenseHeadOptions):
    """Depth and width; the heads are those of AlphaGo Zero."""

    blocks: int = option(2, "residual blocks", minimum=0)
    filters: int = option(256, "of the trunk's convolutions", minimum=1)
    policy_filters: int = option(2, "of the policy's convolution", minimum=1)
    value_filters: int = option(1, "of the value's convolution", minimum=1)
    value_units: int = option(256, "of the value's hidden layer", minimum=1)


def resnet(spec: NetworkSpec, options: ResnetOptions) -> GobangNetwork:
    """A 3x3 convolution, then `blocks` residual blocks of `filters`."""
    blocks = [ResidualBlock(options.filters) for _ in range(options.blocks)]
    trunk = nn.Sequential(ConvolutionBlock(spec.planes, options.filters), *blocks)
    return with_dense_heads(spec, trunk, options.filters, options)


@dataclass(frozen=True, kw_only=True, slots=True)
class Resnet18Options(DenseHeadOptions):
    """Width of the first of the four stages; each further stage is twice as wide."""

    filters: int = option(64, "of the first stage", minimum=1)
    policy_filters: int = option(2, "of the policy's convolution", minimum=1)
    value_filters: int = option(1, "of the value's convolution", minimum=1)
    value_units: int = option(256, "of the value's hidden layer", minimum=1)


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
