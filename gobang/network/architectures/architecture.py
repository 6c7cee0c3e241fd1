"""The registry of architectures: from a NetworkSpec to a network.

What a spec means is known without torch, which is loaded when a network is built.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, cast

from gobang.errors import InvalidConfig, nearest
from gobang.network.architectures.options import (
    CascadedAttentionOptions,
    CnnTransformerOptions,
    Conv3ShortcutOptions,
    ConvolutionalOptions,
    GobangNetOptions,
    LineNetOptions,
    MlpOptions,
    Resnet18Options,
    ResnetOptions,
)
from gobang.network.spec import NetworkSpec
from gobang.options import Options, read_options
from gobang.types import Variant

if TYPE_CHECKING:
    from gobang.network.architectures.model import GobangNetwork

_HERE: Final = "gobang.network.architectures"


@dataclass(frozen=True, kw_only=True, slots=True)
class Architecture:
    """An architecture: its options, and what builds a network from them."""

    options: type[Options]  # their defaults are the architecture's
    module: str  # beside this one; it has a function of the architecture's name, (spec, options) -> GobangNetwork
    any_board: bool = False  # whether one set of weights plays boards of any size
    has_kernel: bool = False  # whether a kernel of our own runs it wherever openvino runs others, which cannot


ARCHITECTURES: Final[Mapping[str, Architecture]] = {
    "gobang_net": Architecture(options=GobangNetOptions, module="gobang_net", any_board=True),
    "line_net": Architecture(options=LineNetOptions, module="line_net", any_board=True, has_kernel=True),
    "resnet": Architecture(options=ResnetOptions, module="residual"),
    "resnet18": Architecture(options=Resnet18Options, module="residual"),
    "cnn3": Architecture(options=ConvolutionalOptions, module="convolutional"),
    "cnn4": Architecture(options=ConvolutionalOptions, module="convolutional"),
    "cnn_skip": Architecture(options=ConvolutionalOptions, module="convolutional"),
    "conv3_shortcut": Architecture(options=Conv3ShortcutOptions, module="convolutional"),
    "mlp": Architecture(options=MlpOptions, module="feed_forward"),
    "cnn_transformer": Architecture(options=CnnTransformerOptions, module="attention"),
    "cascaded_attention": Architecture(options=CascadedAttentionOptions, module="attention"),
}


def build(spec: NetworkSpec) -> GobangNetwork:
    """A network with fresh weights, drawn from torch's generator; InvalidConfig if the spec is not sound."""
    options = options_of(spec)
    module = importlib.import_module(f"{_HERE}.{ARCHITECTURES[spec.architecture].module}")
    return cast("GobangNetwork", getattr(module, spec.architecture)(spec, options))


def options_of(spec: NetworkSpec) -> Options:
    """The architecture's options as the spec has them; InvalidConfig if there are no such."""
    architecture = _find(spec.architecture)
    try:
        return read_options(architecture.options, spec.options, "network.options")
    except InvalidConfig as error:
        raise InvalidConfig(f"architecture {spec.architecture!r}: {error}") from error


def fit(spec: NetworkSpec, variant: Variant) -> NetworkSpec:
    """The spec for a game: its players, and its board unless the architecture plays any."""
    if _find(spec.architecture).any_board:
        return replace(spec, players=variant.players, height=None, width=None)
    return replace(spec, players=variant.players, height=variant.height, width=variant.width)


def _find(name: str) -> Architecture:
    if name not in ARCHITECTURES:
        raise InvalidConfig(f"architecture {name!r}: {nearest(name, ARCHITECTURES)}")
    return ARCHITECTURES[name]
