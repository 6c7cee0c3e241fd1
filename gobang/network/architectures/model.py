"""The one module class of all architectures: a trunk and its heads."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from gobang.network.spec import NetworkSpec

_LEAST_PROBABILITY = 1e-6


class NetworkOutput(NamedTuple):
    """A network's answers to a batch."""

    policy: Tensor  # [B, A] logits over the board, occupied points included
    chances: Tensor  # [B, P + 1] logits: the side to move wins, the next player wins, ..., draw
    value: Tensor | None  # [B] in -1 to 1, expected utility of the side to move; only with scalar_value
    reply: Tensor | None  # [B, A] logits of the next player's move; only with reply_head


class GobangNetwork(nn.Module):
    """Planes [B, C, H, W] in, a NetworkOutput out.

    The trunk's output goes to every head.  `point_head` is called once for the policy and once more
    for the reply; the value head gives P + 1 logits of chances, or one number with `scalar_value`.
    """

    def __init__(
        self,
        spec: NetworkSpec,
        *,
        trunk: nn.Module,
        point_head: Callable[[], nn.Module],
        value_head: nn.Module,
    ) -> None:
        super().__init__()
        self.spec = spec
        self.trunk = trunk
        self.policy = point_head()
        self.outcome = value_head  # the name that its tensors have in checkpoints
        self.reply = point_head() if spec.reply_head else None

    def arrays(self) -> dict[str, NDArray[np.float32]]:
        """Copies of the weights, for a Checkpoint."""
        return {name: tensor.detach().cpu().numpy().copy() for name, tensor in self.state_dict().items()}

    def forward(self, planes: Tensor) -> NetworkOutput:
        """Logits for the planes [B, C, H, W]; scaled to probabilities by no head."""
        features = self.trunk(planes)
        value, chances = None, self.outcome(features)
        if self.spec.scalar_value:
            value = torch.tanh(chances[:, 0].float())
            chances = logits_from_value(value, self.spec.players)
        reply = None if self.reply is None else self.reply(features)
        return NetworkOutput(self.policy(features), chances, value, reply)


def logits_from_value(value: Tensor, players: int) -> Tensor:
    """Logits of chances [B, P + 1] whose expected utility for the side to move is `value` [B].

    A win is worth 1 and a loss -1 / (P - 1), so P(win) = (1 + (P - 1) value) / P, which is
    (1 + value) / 2 for two players.  The others share the rest evenly and no draw is foreseen.
    """
    win = ((1 + (players - 1) * value) / players).clamp(min=0.0)
    loss = (1 - win) / (players - 1)
    columns = [win, *[loss] * (players - 1), torch.zeros_like(win)]
    return torch.log(torch.stack(columns, dim=1).clamp(min=_LEAST_PROBABILITY))
