"""Networks with self-attention over the points of the board, and dense heads.

No position is coded into the tokens: a point knows its place from the convolutions in front, which see the rim of
the board as zeros, and from the depthwise convolution within a transformer block's MLP.

Blocks and stages are those of the public code of "Multiplayer Gobang Based on Reinforcement Learning".  Keys and
values are read from a coarser board, and the widths stop growing at 4F.
"""

from __future__ import annotations

from typing import Final

import torch
from torch import Tensor, nn
from torch.nn import functional

from gobang.network.architectures.heads import with_dense_heads
from gobang.network.architectures.layers import ConvolutionBlock
from gobang.network.architectures.model import GobangNetwork
from gobang.network.architectures.options import STAGES, CascadedAttentionOptions, CnnTransformerOptions, Stage
from gobang.network.spec import NetworkSpec

_REDUCTION: Final = 4  # of the boards that keys and values are read from, behind convolutions


class TransformerBlock(nn.Module):
    """Self-attention and an MLP, each normalised before and added: [B, D, H, W] -> the same.

    With a `reduction` of r, keys and values come from squares of r x r points.  A board smaller than r is padded.
    """

    def __init__(self, width: int, *, heads: int, mlp_ratio: int, reduction: int) -> None:
        super().__init__()
        self.heads, self.reduction = heads, reduction
        self.attention_norm = nn.LayerNorm(width)
        self.query = nn.Linear(width, width, bias=False)
        self.key_value = nn.Linear(width, 2 * width, bias=False)
        if reduction > 1:
            self.coarse = nn.Conv2d(width, width, reduction, stride=reduction)
            self.coarse_norm = nn.LayerNorm(width)
        self.projection = nn.Linear(width, width)
        self.mlp_norm = nn.LayerNorm(width)
        units = mlp_ratio * width
        self.widen = nn.Linear(width, units)
        self.depthwise = nn.Conv2d(units, units, 3, padding=1, groups=units)
        self.narrow = nn.Linear(units, width)

    def forward(self, features: Tensor) -> Tensor:
        """Add what each point attends to, then what its MLP makes of that."""
        size = features.shape[-2:]
        tokens = _tokens(features)
        tokens = tokens + self._attend(self.attention_norm(tokens), size)
        hidden = self.depthwise(_board(self.widen(self.mlp_norm(tokens)), size))
        tokens = tokens + self.narrow(functional.gelu(_tokens(hidden)))
        return _board(tokens, size)

    def _attend(self, tokens: Tensor, size: torch.Size) -> Tensor:
        batch, points, width = tokens.shape
        coarse = self._coarse(tokens, size) if self.reduction > 1 else tokens
        query = self.query(tokens).reshape(batch, points, self.heads, -1).transpose(1, 2)
        split = self.key_value(coarse).reshape(batch, coarse.shape[1], 2, self.heads, width // self.heads)
        key, value = split.permute(2, 0, 3, 1, 4).unbind(0)
        mixed = functional.scaled_dot_product_attention(query, key, value)
        projected: Tensor = self.projection(mixed.transpose(1, 2).reshape(batch, points, width))
        return projected

    def _coarse(self, tokens: Tensor, size: torch.Size) -> Tensor:
        """Return one token for each square of the board."""
        missing = [max(0, self.reduction - side) for side in size]
        board = functional.pad(_board(tokens, size), (0, missing[1], 0, missing[0]))
        normal: Tensor = self.coarse_norm(_tokens(self.coarse(board)))
        return normal


def _tokens(features: Tensor) -> Tensor:
    """[B, D, H, W] -> [B, H * W, D]."""
    return features.flatten(2).transpose(1, 2)


def _board(tokens: Tensor, size: torch.Size) -> Tensor:
    """[B, H * W, D] -> [B, D, H, W]."""
    return tokens.transpose(1, 2).reshape(-1, tokens.shape[2], *size)


def cnn_transformer(spec: NetworkSpec, options: CnnTransformerOptions) -> GobangNetwork:
    """Return the three convolutions of `cnn3` with transformer blocks before the third."""
    width = 2 * options.filters
    blocks = [
        TransformerBlock(width, heads=options.heads, mlp_ratio=1, reduction=_REDUCTION) for _ in range(options.blocks)
    ]
    trunk = nn.Sequential(
        ConvolutionBlock(spec.planes, options.filters),
        ConvolutionBlock(options.filters, width),
        *blocks,
        ConvolutionBlock(width, 2 * width),
    )
    return with_dense_heads(spec, trunk, 2 * width, options)


def cascaded_attention(spec: NetworkSpec, options: CascadedAttentionOptions) -> GobangNetwork:
    """Return stages on ever coarser boards, brought back to the full board and joined."""
    stages = STAGES[: options.stages]
    trunk = Cascade(spec.planes, options.filters, stages)
    return with_dense_heads(spec, trunk, sum(stage.widening for stage in stages) * options.filters, options)


class Cascade(nn.Module):
    """[B, C, H, W] -> [B, sum of widths, H, W].

    A stage is a 3x3 convolution and a transformer block.  The first has stride 1, so that it sees
    every point; the others halve the board, rounding up, so that a side of 1 stays 1.
    """

    def __init__(self, planes: int, filters: int, stages: tuple[Stage, ...]) -> None:
        super().__init__()
        layers: list[nn.Module] = []
        source = planes
        for index, stage in enumerate(stages):
            width = stage.widening * filters
            embed = nn.Conv2d(source, width, 3, stride=2 if index else 1, padding=1)
            block = TransformerBlock(width, heads=stage.heads, mlp_ratio=stage.mlp_ratio, reduction=stage.reduction)
            layers.append(nn.Sequential(embed, block))
            source = width
        self.stages = nn.ModuleList(layers)

    def forward(self, planes: Tensor) -> Tensor:
        """Planes to features, every stage's on the full board."""
        size = planes.shape[-2:]
        features = planes
        levels: list[Tensor] = []
        for stage in self.stages:
            features = stage(features)
            levels.append(functional.interpolate(features, size, mode="bilinear") if levels else features)
        return torch.cat(levels, dim=1)
