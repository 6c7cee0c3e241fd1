"""A network that has learned the shapes of lines by heart, so that most of its work is to look them up.

Each point takes a row of a table for each of its four lines, by how stones stand on the nine points around it; the
sum of the four, seen together with the eight neighbours', is all that the heads read.  The policy weighs a point's
features by fixed weights and by those that a summary of the board asks for; the chances follow from the summary.

Where the features say who is black, black has rows of his own, for what renju forbids him.  The last move is not read.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from gobang.network.architectures.line_shapes import (
    DIRECTIONS,
    LENGTH,
    NO_PLANE,
    OFF_BOARD,
    REACH,
    SHAPES,
    black_plane,
    shape_of_codes,
    stone_planes,
)
from gobang.network.architectures.line_training import TrunkWeights, go_back, go_forth, new_answer, new_desk
from gobang.network.architectures.model import GobangNetwork
from gobang.network.architectures.options import LineNetOptions
from gobang.network.spec import NetworkSpec
from gobang.rules.lanes import LANES

_FIRST_SPREAD: Final = 0.3  # standard deviation of fresh rows, of which four are summed


def line_net(spec: NetworkSpec, options: LineNetOptions) -> GobangNetwork:
    """A table of line shapes, a depthwise convolution, and heads that read a summary of the board."""
    return GobangNetwork(
        spec,
        trunk=LineFeatures(stone_planes(spec), black_plane(spec), options.filters),
        point_head=lambda: SummaryPolicy(options.filters),
        value_head=SummaryValue(options.filters, units=options.value_units, outputs=spec.value_outputs),
    )


class Sight(NamedTuple):
    """What the trunk sees, and the heads read."""

    features: Tensor  # [B, A, F]
    summary: Tensor  # [B, 2F] mean and greatest of each


class LineFeatures(nn.Module):
    """[B, C, H, W], of which the first planes hold stones -> a `Sight`."""

    def __init__(self, stone_planes: int, black_plane: int, filters: int) -> None:
        super().__init__()
        self.stone_planes, self.black_plane = stone_planes, black_plane
        self.shapes = nn.Embedding(SHAPES, filters)
        nn.init.normal_(self.shapes.weight, std=_FIRST_SPREAD)
        if black_plane != NO_PLANE:
            self.for_black = nn.Embedding(SHAPES, filters)  # what a shape says more if black is to move
            nn.init.zeros_(self.for_black.weight)
        self.bias = nn.Parameter(torch.zeros(filters))
        self.around = nn.Conv2d(filters, filters, 3, padding=1, groups=filters)

    def forward(self, planes: Tensor) -> Sight:
        """The rows of a point's four lines summed, then mixed with its neighbours' in each filter by itself."""
        if self.training and planes.device.type == "cpu" and len(self.bias) % LANES == 0:
            return self._by_kernels(planes)
        rows_of_points = _shape_of_codes(planes.device)[line_codes(planes[:, : self.stone_planes])]
        table = self.shapes.weight
        if self.black_plane != NO_PLANE:
            table = torch.cat((table, table + self.for_black.weight))
            rows_of_points = rows_of_points + SHAPES * planes[:, self.black_plane, :1, :1, None].int()
        rows = functional.embedding(rows_of_points, table)
        lines = functional.relu(rows.sum(dim=1) + self.bias).permute(0, 3, 1, 2)
        features = functional.relu(self.around(lines))
        return Sight(features.flatten(2).transpose(1, 2), summarise(features))

    def _by_kernels(self, planes: Tensor) -> Sight:
        is_told = self.black_plane != NO_PLANE
        is_black = planes[:, self.black_plane, 0, 0] != 0 if is_told else torch.zeros(len(planes), dtype=torch.bool)
        around, bias = self.around.weight, self.around.bias
        shapes = self.shapes.weight
        for_black = self.for_black.weight if is_told else shapes[:0]
        answers = TrunkByKernels.apply(  # type: ignore[no-untyped-call]
            planes, is_black, self.stone_planes, shapes, for_black, self.bias, around.flatten(1).t(), bias
        )
        return Sight(*answers)


class SummaryPolicy(nn.Module):
    """A `Sight` -> [B, A] by weights of which a part follows from the whole board."""

    def __init__(self, filters: int) -> None:
        super().__init__()
        self.point = nn.Conv2d(filters, 1, 1)
        self.pooled = nn.Linear(2 * filters, filters)

    def forward(self, sight: Sight) -> Tensor:
        """Logits."""
        features, bias = sight.features, self.point.bias
        filters = features.shape[2]
        assert bias is not None, "`point` is made with one"
        weights = self.point.weight.view(1, filters) + self.pooled(sight.summary) / filters
        logits: Tensor = features @ weights.to(features.dtype)[:, :, None]
        return logits[:, :, 0] + bias


class SummaryValue(nn.Module):
    """A `Sight` -> [B, outputs] by one hidden layer."""

    def __init__(self, filters: int, *, units: int, outputs: int) -> None:
        super().__init__()
        self.hidden = nn.Linear(2 * filters, units)
        self.dense = nn.Linear(units, outputs)

    def forward(self, sight: Sight) -> Tensor:
        """Logits, or the value before its tanh."""
        logits: Tensor = self.dense(functional.relu(self.hidden(sight.summary)))
        return logits


class TrunkByKernels(torch.autograd.Function):
    """`LineFeatures` on a CPU: see `line_training`."""

    @staticmethod
    def forward(
        ctx: Any, planes: Tensor, is_black: Tensor, stone_planes: int, *weights: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Features and summary."""
        height, width = planes.shape[-2:]
        ctx.arrays = TrunkWeights(*(weight.detach().contiguous().numpy() for weight in weights))
        ctx.desk = new_desk(height, width)
        ctx.answer = new_answer(is_black.numpy(), height * width, len(ctx.arrays.bias))
        go_forth(ctx.arrays, ctx.desk, shape_of_codes(), planes.contiguous().numpy(), stone_planes, ctx.answer)
        return torch.from_numpy(ctx.answer.features), torch.from_numpy(ctx.answer.summary)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        """Gradients of the weights; the planes and what else is given have none."""
        of_features, of_summary = (grad.contiguous().numpy() for grad in grads)
        gradients = TrunkWeights(*(np.zeros_like(array) for array in ctx.arrays))
        go_back(ctx.arrays, ctx.desk, ctx.answer, of_features, of_summary, gradients)
        return None, None, None, *(torch.from_numpy(gradient) for gradient in gradients)


def line_codes(stones: Tensor) -> Tensor:
    """[B, P, H, W], own stones first -> [B, 4, H, W] codes of the lines through each point, in whole numbers.

    In floating point the codes would be wrong in half precision.
    """
    height, width = stones.shape[-2:]
    own, others = stones[:, 0].int(), stones[:, 1:].amax(dim=1).int()
    digits = functional.pad(own + 2 * others, (REACH,) * 4, value=OFF_BOARD)
    lines = []
    for down, right in DIRECTIONS:
        code = torch.zeros_like(own)
        for place in range(LENGTH):
            top, left = REACH + (place - REACH) * down, REACH + (place - REACH) * right
            code = code + 4**place * digits[:, top : top + height, left : left + width]
        lines.append(code)
    return torch.stack(lines, dim=1)


def summarise(features: Tensor) -> Tensor:
    """[B, F, H, W] -> [B, 2F]: mean and maximum."""
    # Not `amax`: its backward pass takes thirty times as long in bf16.
    highest = functional.adaptive_max_pool2d(features, 1).flatten(1)
    return torch.cat((features.mean(dim=(2, 3)), highest), dim=1)


@lru_cache(maxsize=8)
def _shape_of_codes(device: torch.device) -> Tensor:
    """Not a part of the network, so that it is neither saved nor published."""
    return torch.from_numpy(shape_of_codes()).int().to(device)
