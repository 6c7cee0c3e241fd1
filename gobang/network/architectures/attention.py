"""Networks with self-attention over the points of the board, and dense heads.

No position is coded into the tokens: what a point knows of its place comes from the convolutions in
front, which see the rim of the board as zeros.

Where the paper leaves the blocks open they are plain: every point attends to every point, and the
MLP has no convolution inside.  (The code published with it coarsens keys and values first and puts a
depthwise convolution into the MLP; its cascade stops doubling at 128 channels, ours does not.)
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional

from gobang.network.architectures.heads import with_dense_heads
from gobang.network.architectures.layers import ConvolutionBlock, convolution
from gobang.network.architectures.model import GobangNetwork
from gobang.network.architectures.options import CascadedAttentionOptions, CnnTransformerOptions
from gobang.network.spec import NetworkSpec


class TransformerBlock(nn.Module):
    """Multi-head self-attention and an MLP, each normalised before and added: [B, D, H, W] -> the same."""

    def __init__(self, width: int, *, heads: int, mlp_units: int) -> None:
        super().__init__()
        self.heads = heads
        self.attention_norm = nn.LayerNorm(width)
        self.query_key_value = nn.Linear(width, 3 * width)
        self.projection = nn.Linear(width, width)
        self.mlp_norm = nn.LayerNorm(width)
        self.mlp = nn.Sequential(nn.Linear(width, mlp_units), nn.GELU(), nn.Linear(mlp_units, width))

    def forward(self, features: Tensor) -> Tensor:
        """One token for each point; every token sees all."""
        tokens: Tensor = features.flatten(2).transpose(1, 2)
        tokens = tokens + self._attend(self.attention_norm(tokens))
        tokens = tokens + self.mlp(self.mlp_norm(tokens))
        return tokens.transpose(1, 2).reshape(features.shape)

    def _attend(self, tokens: Tensor) -> Tensor:
        batch, points, width = tokens.shape
        split = self.query_key_value(tokens).reshape(batch, points, 3, self.heads, width // self.heads)
        query, key, value = split.permute(2, 0, 3, 1, 4).unbind(0)
        mixed = functional.scaled_dot_product_attention(query, key, value)
        projected: Tensor = self.projection(mixed.transpose(1, 2).reshape(batch, points, width))
        return projected


def cnn_transformer(spec: NetworkSpec, options: CnnTransformerOptions) -> GobangNetwork:
    """The three convolutions of `cnn3` with transformer blocks before the third."""
    width = 2 * options.filters
    blocks = [TransformerBlock(width, heads=options.heads, mlp_units=options.mlp_units) for _ in range(options.blocks)]
    trunk = nn.Sequential(
        ConvolutionBlock(spec.planes, options.filters),
        ConvolutionBlock(options.filters, width),
        *blocks,
        ConvolutionBlock(width, 2 * width),
    )
    return with_dense_heads(spec, trunk, 2 * width, options)


def cascaded_attention(spec: NetworkSpec, options: CascadedAttentionOptions) -> GobangNetwork:
    """Stages of ever coarser boards, brought back to the full board and read side by side."""
    trunk = Cascade(spec.planes, options.widths, heads=options.heads, mlp_ratio=options.mlp_ratio)
    return with_dense_heads(spec, trunk, sum(options.widths), options)


class Cascade(nn.Module):
    """[B, C, H, W] -> [B, sum of widths, H, W].

    A stage is a 3x3 convolution and a transformer block.  The first has stride 1, so that it sees
    every point; the others halve the board, rounding up, so that a side of 1 stays 1.
    """

    def __init__(self, planes: int, widths: Sequence[int], *, heads: int, mlp_ratio: int) -> None:
        super().__init__()
        stages: list[nn.Module] = []
        for index, width in enumerate(widths):
            source = planes if index == 0 else widths[index - 1]
            embed = convolution(source, width, stride=1 if index == 0 else 2)
            stages.append(nn.Sequential(embed, TransformerBlock(width, heads=heads, mlp_units=mlp_ratio * width)))
        self.stages = nn.ModuleList(stages)

    def forward(self, planes: Tensor) -> Tensor:
        """Planes to features, every stage's on the full board."""
        size = planes.shape[-2:]
        features = planes
        levels: list[Tensor] = []
        for stage in self.stages:
            features = stage(features)
            levels.append(functional.interpolate(features, size, mode="bilinear") if levels else features)
        return torch.cat(levels, dim=1)
