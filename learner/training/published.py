"""The networks of the newest versions, to ask what the search of a game began with."""

from __future__ import annotations

from collections import OrderedDict
from typing import Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from gobang.features import feature_planes
from gobang.network.architectures.model import GobangNetwork
from gobang.network.checkpoint import Checkpoint
from gobang.types import Boards
from learner.training.losses import cross_entropy

BYTES: Final = 32 << 20  # of weights that are kept; two versions at least


class PublishedNetworks:
    """As many as there is memory for; belongs to the learner's thread."""

    def __init__(self, device: torch.device) -> None:
        self._device = device
        self._networks: OrderedDict[int, GobangNetwork] = OrderedDict()

    def add(self, checkpoint: Checkpoint) -> None:
        """Keep the network of a version, and let go of the oldest."""
        self._networks[checkpoint.version] = checkpoint.network().to(self._device)
        size = sum(array.nbytes for array in checkpoint.tensors.values())
        while len(self._networks) > max(2, BYTES // size):
            self._networks.popitem(last=False)

    def divergences(
        self, versions: NDArray[np.int32], boards: Boards, policy: NDArray[np.float32]
    ) -> NDArray[np.float32]:
        """KL divergence [B] of policies [B, A] from those of the networks of versions [B], nats; NaN if one is gone."""
        found = np.full(len(boards), np.nan, np.float32)
        for version in np.unique(versions).tolist():
            network = self._networks.get(version)
            if network is not None:
                rows = versions == version
                planes = torch.from_numpy(feature_planes(network.spec.features, boards)[rows])
                found[rows] = _divergences(network, planes.to(self._device), torch.from_numpy(policy[rows]))
        return found


@torch.no_grad()
def _divergences(network: GobangNetwork, planes: Tensor, policy: Tensor) -> NDArray[np.float32]:
    predicted = functional.log_softmax(network(planes).policy.float().cpu(), dim=1)
    entropy = -torch.xlogy(policy, policy).sum(dim=1)
    divergences: NDArray[np.float32] = (cross_entropy(predicted, policy) - entropy).numpy()
    return divergences
