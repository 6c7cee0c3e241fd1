"""Every architecture as an openvino model, built from a checkpoint's arrays without torch.

planes [B, C, H, W] -> trunk -> features -> policy  -> softmax -> priors [B, A]
                                        +-> outcome -> softmax -> chances [B, P + 1]

The networks themselves are those of `gobang.network.architectures`; a test holds each to its twin here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np

from gobang.errors import InvalidCheckpoint
from gobang.network.architectures.architecture import ARCHITECTURES, options_of
from gobang.network.architectures.options import (
    STAGES,
    CascadedAttentionOptions,
    CnnTransformerOptions,
    Conv3ShortcutOptions,
    ConvolutionalOptions,
    GobangNetOptions,
    MlpOptions,
    Resnet18Options,
    ResnetOptions,
)
from gobang.network.checkpoint import Checkpoint
from gobang.network.runtimes.openvino_layers import Layers, flatten, resize
from gobang.network.runtimes.openvino_library import ops, ov
from gobang.types import Variant

_DYNAMIC: Final = -1
_LEAST_PROBABILITY: Final = 1e-6  # as in `logits_from_value` of the twin in torch

Trunk = Callable[[Layers, ov.Node, Any], ov.Node]  # from the planes, with the architecture's options, to features


def to_openvino(checkpoint: Checkpoint, variant: Variant) -> ov.Model:
    """The network as a model of the variant's board and of any batch; InvalidCheckpoint if arrays do not fit."""
    spec = checkpoint.spec
    shape = [_DYNAMIC, spec.planes, variant.height, variant.width]
    planes = ops.parameter(ov.PartialShape(shape), np.float32, "planes")
    try:
        policy, outcome = _answers(Layers(checkpoint.tensors), planes, checkpoint)
    except (KeyError, RuntimeError) as error:
        reason = " ".join(str(error).split())
        raise InvalidCheckpoint(f"weights do not fit architecture {spec.architecture!r}: {reason}") from error
    return ov.Model([ops.softmax(policy, 1), ops.softmax(outcome, 1)], [planes], spec.architecture)


def _answers(layers: Layers, planes: ov.Node, checkpoint: Checkpoint) -> tuple[ov.Node, ov.Node]:
    """Logits of policy and outcome."""
    spec = checkpoint.spec
    features = _TRUNKS[spec.architecture](layers, planes, options_of(spec))
    if spec.architecture == "mlp":
        policy, outcome = layers.dense(features, "policy"), layers.dense(features, "outcome")
    elif ARCHITECTURES[spec.architecture].any_board:
        policy, outcome = layers.convolution_policy(features, "policy"), layers.pooled_value(features, "outcome")
    else:
        policy, outcome = layers.dense_policy(features, "policy"), layers.dense_value(features, "outcome")
    return policy, _outcome_from_value(outcome, spec.players) if spec.scalar_value else outcome


def _outcome_from_value(value: ov.Node, players: int) -> ov.Node:
    """Twin of the function of this name in `model`, with the tanh before it."""
    most = np.float32(players - 1)
    win = ops.divide(ops.add(ops.multiply(ops.tanh(value), most), np.float32(1)), np.float32(players))
    loss = ops.divide(ops.subtract(np.float32(1), win), most)
    draw = ops.multiply(win, np.float32(0))
    columns = ops.concat([win, *[loss] * (players - 1), draw], 1)
    return ops.log(ops.clamp(columns, _LEAST_PROBABILITY, 1.0))


def _gobang_net(layers: Layers, planes: ov.Node, options: GobangNetOptions) -> ov.Node:
    features = layers.convolution_block(planes, "trunk.0")
    for index in range(options.blocks):
        block = layers.pooled_residual_block if index % 2 else layers.residual_block
        features = block(features, f"trunk.{index + 1}")
    return features


def _stack(layers: Layers, planes: ov.Node, *, convolutions: int, blocks: int) -> ov.Node:
    """Convolutions, then residual blocks."""
    features = planes
    for index in range(convolutions):
        features = layers.convolution_block(features, f"trunk.{index}")
    for index in range(convolutions, convolutions + blocks):
        features = layers.residual_block(features, f"trunk.{index}")
    return features


def _resnet(layers: Layers, planes: ov.Node, options: ResnetOptions) -> ov.Node:
    return _stack(layers, planes, convolutions=1, blocks=options.blocks)


def _resnet18(layers: Layers, planes: ov.Node, options: Resnet18Options) -> ov.Node:
    return _stack(layers, planes, convolutions=1, blocks=8)


def _cnn3(layers: Layers, planes: ov.Node, options: ConvolutionalOptions) -> ov.Node:
    return _stack(layers, planes, convolutions=3, blocks=options.residual_blocks)


def _cnn4(layers: Layers, planes: ov.Node, options: ConvolutionalOptions) -> ov.Node:
    return _stack(layers, planes, convolutions=4, blocks=options.residual_blocks)


def _cnn_skip(layers: Layers, planes: ov.Node, options: ConvolutionalOptions) -> ov.Node:
    hidden = layers.convolution_block(layers.convolution_block(planes, "trunk.0.first"), "trunk.0.second")
    features = layers.convolution_block(ops.concat([hidden, planes], 1), "trunk.0.third")
    for index in range(options.residual_blocks):
        features = layers.residual_block(features, f"trunk.{index + 1}")
    return features


def _conv3_shortcut(layers: Layers, planes: ov.Node, options: Conv3ShortcutOptions) -> ov.Node:
    first = layers.convolution_block(planes, "trunk.first")
    second = layers.convolution_block(first, "trunk.second")
    return layers.convolution_block(ops.add(first, second), "trunk.third")


def _mlp(layers: Layers, planes: ov.Node, options: MlpOptions) -> ov.Node:
    rows = flatten(planes)
    for index in range(options.layers):
        rows = ops.relu(layers.dense(rows, f"trunk.{2 * index + 1}"))
    return rows


def _cnn_transformer(layers: Layers, planes: ov.Node, options: CnnTransformerOptions) -> ov.Node:
    features = _stack(layers, planes, convolutions=2, blocks=0)
    for index in range(2, options.blocks + 2):
        features = layers.transformer_block(features, f"trunk.{index}", heads=options.heads)
    return layers.convolution_block(features, f"trunk.{options.blocks + 2}")


def _cascaded_attention(layers: Layers, planes: ov.Node, options: CascadedAttentionOptions) -> ov.Node:
    features = planes
    levels: list[ov.Node] = []
    for index, stage in enumerate(STAGES[: options.stages]):
        name = f"trunk.stages.{index}"
        features = layers.plain_convolution(features, f"{name}.0", stride=2 if index else 1)
        features = layers.transformer_block(features, f"{name}.1", heads=stage.heads)
        levels.append(resize(features, planes) if index else features)
    return ops.concat(levels, 1)


_TRUNKS: Final[Mapping[str, Trunk]] = {
    "gobang_net": _gobang_net,
    "resnet": _resnet,
    "resnet18": _resnet18,
    "cnn3": _cnn3,
    "cnn4": _cnn4,
    "cnn_skip": _cnn_skip,
    "conv3_shortcut": _conv3_shortcut,
    "mlp": _mlp,
    "cnn_transformer": _cnn_transformer,
    "cascaded_attention": _cascaded_attention,
}
