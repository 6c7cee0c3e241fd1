"""A network as inference runs it: batch norms folded away, probabilities instead of logits."""

from __future__ import annotations

import copy

import torch
from torch import Tensor, nn
from torch.nn.utils.fusion import fuse_conv_bn_eval

from gobang.network.architectures.model import GobangNetwork


class InferenceNetwork(nn.Module):
    """Planes [B, C, H, W] in; priors [B, A] and chances [B, P + 1] out, both float32 and of sum 1."""

    def __init__(self, network: GobangNetwork) -> None:
        super().__init__()
        self.network = fold_batch_norms(copy.deepcopy(network).eval().requires_grad_(False))

    def forward(self, planes: Tensor) -> tuple[Tensor, Tensor]:
        """Softmax of the two heads that a search asks for."""
        output = self.network(planes)
        return torch.softmax(output.policy.float(), dim=1), torch.softmax(output.chances.float(), dim=1)


def fold_batch_norms(network: GobangNetwork) -> GobangNetwork:
    """Multiply each batch norm that follows a convolution in an nn.Sequential into it, in place."""
    for module in list(network.modules()):
        if isinstance(module, nn.Sequential):
            for index in range(len(module) - 1):
                convolution, norm = module[index], module[index + 1]
                if isinstance(convolution, nn.Conv2d) and isinstance(norm, nn.BatchNorm2d):
                    module[index] = fuse_conv_bn_eval(convolution, norm)
                    module[index + 1] = nn.Identity()
    return network
