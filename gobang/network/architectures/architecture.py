"""The registry of architectures: from a NetworkSpec to a network."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from gobang.errors import InvalidConfig, nearest
from gobang.network.architectures.attention import (
    CascadedAttentionOptions,
    CnnTransformerOptions,
    cascaded_attention,
    cnn_transformer,
)
from gobang.network.architectures.convolutional import (
    Conv3ResidualOptions,
    ConvolutionalOptions,
    cnn3,
    cnn4,
    cnn_skip,
    conv3_residual,
)
from gobang.network.architectures.feed_forward import MlpOptions, mlp
from gobang.network.architectures.gobang_net import GobangNetOptions, gobang_net
from gobang.network.architectures.model import GobangNetwork, NetworkOutput
from gobang.network.architectures.residual import Resnet18Options, ResnetOptions, resnet, resnet18
from gobang.network.spec import NetworkSpec
from gobang.options import Options, read_options
from gobang.types import Variant

__all__ = ["ARCHITECTURES", "Architecture", "GobangNetwork", "NetworkOutput", "build", "fit"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Architecture:
    """An architecture: its options, and what builds a network from them."""

    options: type[Options]  # their defaults are the architecture's
    build: Callable[[NetworkSpec, Any], GobangNetwork]
    any_board: bool = False  # whether one set of weights plays boards of any size


ARCHITECTURES: Final[Mapping[str, Architecture]] = {
    "gobang_net": Architecture(options=GobangNetOptions, build=gobang_net, any_board=True),
    "resnet": Architecture(options=ResnetOptions, build=resnet),
    "resnet18": Architecture(options=Resnet18Options, build=resnet18),
    "cnn3": Architecture(options=ConvolutionalOptions, build=cnn3),
    "cnn4": Architecture(options=ConvolutionalOptions, build=cnn4),
    "cnn_skip": Architecture(options=ConvolutionalOptions, build=cnn_skip),
    "conv3_residual": Architecture(options=Conv3ResidualOptions, build=conv3_residual),
    "mlp": Architecture(options=MlpOptions, build=mlp),
    "cnn_transformer": Architecture(options=CnnTransformerOptions, build=cnn_transformer),
    "cascaded_attention": Architecture(options=CascadedAttentionOptions, build=cascaded_attention),
}


def build(spec: NetworkSpec) -> GobangNetwork:
    """A network with fresh weights, drawn from torch's generator; InvalidConfig if the spec is not sound."""
    architecture = _find(spec.architecture)
    try:
        options = read_options(architecture.options, spec.options, "network.options")
    except InvalidConfig as error:
        raise InvalidConfig(f"architecture {spec.architecture!r}: {error}") from error
    return architecture.build(spec, options)


def fit(spec: NetworkSpec, variant: Variant) -> NetworkSpec:
    """The spec for a game: its players, and its board unless the architecture plays any."""
    if _find(spec.architecture).any_board:
        return replace(spec, players=variant.players, height=None, width=None)
    return replace(spec, players=variant.players, height=variant.height, width=variant.width)


def _find(name: str) -> Architecture:
    if name not in ARCHITECTURES:
        raise InvalidConfig(f"architecture {name!r}: {nearest(name, ARCHITECTURES)}")
    return ARCHITECTURES[name]
