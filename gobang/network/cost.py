"""Cost of a network: parameters, and floating point operations for one position."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.flop_counter import FlopCounterMode

from gobang.network.architectures.architecture import build, fit
from gobang.network.spec import NetworkSpec
from gobang.types import Variant


@dataclass(frozen=True, kw_only=True, slots=True)
class Cost:
    """Size and work of a network on one board, e.g. `Cost(parameters=119_655, flops=12_300_000)`."""

    parameters: int  # trainable numbers
    flops: int  # two for each multiply-add of a convolution or matrix product, one position


def cost(spec: NetworkSpec, variant: Variant) -> Cost:
    """The cost of the network fitted to a game; nothing is computed or allocated."""
    fitted = fit(spec, variant)
    with torch.device("meta"):
        network = build(fitted).eval()
        planes = torch.empty(1, fitted.planes, variant.height, variant.width)
    counter = FlopCounterMode(display=False)
    with torch.no_grad(), sdpa_kernel(SDPBackend.MATH), counter:  # the counter sees the plain products only
        network(planes)
    parameters = sum(parameter.numel() for parameter in network.parameters())
    return Cost(parameters=parameters, flops=int(counter.get_total_flops()))
