"""The pieces that architectures share: convolutions with batch norm, residual blocks, global pooling."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional


def convolution(planes: int, filters: int, size: int = 3, stride: int = 1) -> nn.Sequential:
    """Convolution and batch norm, padded so that with stride 1 the board keeps its size."""
    return nn.Sequential(
        nn.Conv2d(planes, filters, size, stride=stride, padding=size // 2, bias=False),
        nn.BatchNorm2d(filters),
    )


class ConvolutionBlock(nn.Module):
    """Convolution, batch norm, ReLU: [B, planes, H, W] -> [B, filters, H, W]."""

    def __init__(self, planes: int, filters: int, size: int = 3) -> None:
        super().__init__()
        self.convolution = convolution(planes, filters, size)

    def forward(self, features: Tensor) -> Tensor:
        """Apply the three in order."""
        return functional.relu(self.convolution(features))


class ResidualBlock(nn.Module):
    """Two 3x3 convolutions whose result is added to the input: [B, filters, H, W] -> the same."""

    def __init__(self, filters: int) -> None:
        super().__init__()
        self.first = convolution(filters, filters)
        self.second = convolution(filters, filters)

    def forward(self, features: Tensor) -> Tensor:
        """ReLU after the first convolution and after the sum."""
        hidden = functional.relu(self.first(features))
        return functional.relu(features + self.second(hidden))


class PooledResidualBlock(nn.Module):
    """A residual block in which a summary of the whole board biases every point."""

    def __init__(self, filters: int) -> None:
        super().__init__()
        self.first = convolution(filters, filters)
        self.bias = nn.Linear(3 * filters, filters)
        self.second = convolution(filters, filters)

    def forward(self, features: Tensor) -> Tensor:
        """As ResidualBlock, with the pooled bias added after the first convolution."""
        hidden = self.first(features)
        bias = self.bias(pool_globally(functional.relu(hidden)))
        hidden = functional.relu(hidden + bias[:, :, None, None])
        return functional.relu(features + self.second(hidden))


def pool_globally(features: Tensor) -> Tensor:
    """[B, F, H, W] -> [B, 3F]: mean, mean scaled by the board's width, and maximum.

    The second lets one set of weights tell boards apart: a mean over 15x15 thins out what a mean
    over 8x8 shows.
    """
    height, width = features.shape[-2:]
    mean = features.mean(dim=(2, 3))
    scaled = mean * ((float(height * width) ** 0.5 - 10.0) / 10.0)
    # Not `amax`: its backward pass takes thirty times as long in bf16.
    highest = functional.adaptive_max_pool2d(features, 1).flatten(1)
    return torch.cat((mean, scaled, highest), dim=1)
