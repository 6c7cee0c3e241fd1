"""The pieces of the networks as openvino nodes, made of a checkpoint's arrays.

Each is the twin of a module of `gobang.network.architectures`, as it answers in inference: batch norms
are multiplied into their convolutions.  `name` is where the module stands in the network, e.g. "trunk.0".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np
from numpy.typing import NDArray

from gobang.network.runtimes.openvino_library import ops, ov

_EPSILON: Final = 1e-5  # of torch's norms
_BOARD: Final = (2, 3)  # the axes of a board in [B, C, H, W]


class Layers:
    """Makes nodes of the arrays of one checkpoint; KeyError if one is missing."""

    def __init__(self, arrays: Mapping[str, NDArray[np.float32]]) -> None:
        self._arrays = arrays

    def convolution(self, features: ov.Node, name: str, *, stride: int = 1) -> ov.Node:
        """The pair of convolution and batch norm, padded so that with stride 1 the board keeps its size."""
        norm = {part: self._arrays[f"{name}.1.{part}"] for part in ("weight", "bias", "running_mean", "running_var")}
        scale = norm["weight"] / np.sqrt(norm["running_var"] + np.float32(_EPSILON))
        weight = self._arrays[f"{name}.0.weight"] * scale[:, None, None, None]
        return _convolve(features, weight, norm["bias"] - norm["running_mean"] * scale, stride)

    def convolution_block(self, features: ov.Node, name: str) -> ov.Node:
        """Twin of ConvolutionBlock."""
        return ops.relu(self.convolution(features, f"{name}.convolution"))

    def residual_block(self, features: ov.Node, name: str) -> ov.Node:
        """Twin of ResidualBlock, and of WideningBlock, whose shortcut has a convolution."""
        hidden = self.convolution(ops.relu(self.convolution(features, f"{name}.first")), f"{name}.second")
        widens = f"{name}.shortcut.0.weight" in self._arrays
        shortcut = self.convolution(features, f"{name}.shortcut") if widens else features
        return ops.relu(ops.add(shortcut, hidden))

    def pooled_residual_block(self, features: ov.Node, name: str) -> ov.Node:
        """Twin of PooledResidualBlock."""
        hidden = self.convolution(features, f"{name}.first")
        bias = self.dense(pool_globally(ops.relu(hidden)), f"{name}.bias")
        hidden = ops.relu(ops.add(hidden, ops.unsqueeze(bias, [*_BOARD])))
        return ops.relu(ops.add(features, self.convolution(hidden, f"{name}.second")))

    def dense(self, rows: ov.Node, name: str) -> ov.Node:
        """Twin of nn.Linear."""
        return ops.add(self._product(rows, name), ops.constant(self._arrays[f"{name}.bias"]))

    def plain_convolution(self, features: ov.Node, name: str, *, stride: int = 1) -> ov.Node:
        """Return the twin of a 3x3 nn.Conv2d with a bias, padded so that with stride 1 the board keeps its size."""
        return _convolve(features, self._arrays[f"{name}.weight"], self._arrays[f"{name}.bias"], stride)

    def transformer_block(self, features: ov.Node, name: str, *, heads: int) -> ov.Node:
        """Return the twin of TransformerBlock."""
        size = _sizes(features)[2:]
        tokens = _tokens(features)
        tokens = ops.add(tokens, self._attend(self._layer_norm(tokens, f"{name}.attention_norm"), name, heads, size))
        hidden = _board(self.dense(self._layer_norm(tokens, f"{name}.mlp_norm"), f"{name}.widen"), size)
        hidden = ops.gelu(_tokens(self._depthwise(hidden, f"{name}.depthwise")), "erf")
        return _board(ops.add(tokens, self.dense(hidden, f"{name}.narrow")), size)

    def convolution_policy(self, features: ov.Node, name: str) -> ov.Node:
        """Twin of ConvolutionPolicy."""
        squeezed = self.convolution_block(features, f"{name}.squeeze")
        return flatten(_convolve(squeezed, self._arrays[f"{name}.point.weight"], self._arrays[f"{name}.point.bias"]))

    def dense_policy(self, features: ov.Node, name: str) -> ov.Node:
        """Twin of DensePolicy."""
        return self.dense(flatten(self.convolution_block(features, f"{name}.squeeze")), f"{name}.dense")

    def dense_value(self, features: ov.Node, name: str) -> ov.Node:
        """Twin of DenseValue."""
        return self._value(flatten(self.convolution_block(features, f"{name}.squeeze")), name)

    def pooled_value(self, features: ov.Node, name: str) -> ov.Node:
        """Twin of PooledValue."""
        return self._value(pool_globally(self.convolution_block(features, f"{name}.squeeze")), name)

    def _value(self, rows: ov.Node, name: str) -> ov.Node:
        return self.dense(ops.relu(self.dense(rows, f"{name}.hidden")), f"{name}.dense")

    def _attend(self, tokens: ov.Node, name: str, heads: int, size: list[int]) -> ov.Node:
        _, points, width = _sizes(tokens)
        coarse = self._coarse(tokens, name, size) if f"{name}.coarse.weight" in self._arrays else tokens
        keys = _sizes(coarse)[1]
        query = ops.transpose(_shaped(self._product(tokens, f"{name}.query"), 0, points, heads, -1), [0, 2, 1, 3])
        mixed = _shaped(self._product(coarse, f"{name}.key_value"), 0, keys, 2, heads, width // heads)
        parts = ops.split(ops.transpose(mixed, [2, 0, 3, 1, 4]), 0, 2)
        key, value = (ops.squeeze(parts.output(part), [0]) for part in range(2))
        share = np.float32((width // heads) ** -0.5)
        attention = ops.softmax(ops.matmul(ops.multiply(query, share), key, False, True), -1)
        seen = ops.transpose(ops.matmul(attention, value, False, False), [0, 2, 1, 3])
        return self.dense(_shaped(seen, 0, points, width), f"{name}.projection")

    def _coarse(self, tokens: ov.Node, name: str, size: list[int]) -> ov.Node:
        """Return one token for each square of the board; a board smaller than a square is padded."""
        weight, bias = self._arrays[f"{name}.coarse.weight"], self._arrays[f"{name}.coarse.bias"]
        stride = weight.shape[2]
        missing = [max(0, stride - side) for side in size]
        board = ops.convolution(_board(tokens, size), ops.constant(weight), [stride] * 2, [0, 0], missing, [1, 1])
        return self._layer_norm(_tokens(ops.add(board, ops.constant(bias.reshape(1, -1, 1, 1)))), f"{name}.coarse_norm")

    def _depthwise(self, features: ov.Node, name: str) -> ov.Node:
        """Return the twin of a 3x3 nn.Conv2d with one group for each channel."""
        weight, bias = self._arrays[f"{name}.weight"], self._arrays[f"{name}.bias"]
        groups = ops.constant(np.ascontiguousarray(weight[:, None]))
        convolved = ops.group_convolution(features, groups, [1, 1], [1, 1], [1, 1], [1, 1])
        return ops.add(convolved, ops.constant(bias.reshape(1, -1, 1, 1)))

    def _product(self, rows: ov.Node, name: str) -> ov.Node:
        """Return the twin of nn.Linear without a bias."""
        return ops.matmul(rows, ops.constant(self._arrays[f"{name}.weight"]), False, True)

    def _layer_norm(self, tokens: ov.Node, name: str) -> ov.Node:
        normal = ops.mvn(tokens, [-1], True, _EPSILON, "inside_sqrt")
        scaled = ops.multiply(normal, ops.constant(self._arrays[f"{name}.weight"]))
        return ops.add(scaled, ops.constant(self._arrays[f"{name}.bias"]))


def pool_globally(features: ov.Node) -> ov.Node:
    """Twin of the function of this name in `layers`."""
    _, _, height, width = _sizes(features)
    mean = ops.reduce_mean(features, [*_BOARD])
    scaled = ops.multiply(mean, np.float32(((height * width) ** 0.5 - 10.0) / 10.0))
    return ops.concat([mean, scaled, ops.reduce_max(features, [*_BOARD])], 1)


def resize(features: ov.Node, like: ov.Node) -> ov.Node:
    """[B, C, h, w] -> [B, C, H, W], bilinear, to the board of another node."""
    size = np.array(_sizes(like)[2:], np.int64)
    return ops.interpolate(features, size, "linear_onnx", "sizes", axes=[*_BOARD])


def _tokens(features: ov.Node) -> ov.Node:
    """[B, D, H, W] -> [B, H * W, D]."""
    return ops.transpose(_shaped(features, 0, 0, -1), [0, 2, 1])


def _board(tokens: ov.Node, size: list[int]) -> ov.Node:
    """[B, H * W, D] -> [B, D, H, W]."""
    return _shaped(ops.transpose(tokens, [0, 2, 1]), 0, _sizes(tokens)[2], *size)


def flatten(features: ov.Node) -> ov.Node:
    """[B, C, H, W] -> [B, C * H * W]."""
    return _shaped(features, 0, -1)


def _convolve(features: ov.Node, weight: NDArray[np.float32], bias: NDArray[np.float32], stride: int = 1) -> ov.Node:
    padding = [weight.shape[2] // 2] * 2
    convolved = ops.convolution(features, ops.constant(weight), [stride] * 2, padding, padding, [1, 1])
    return ops.add(convolved, ops.constant(bias.reshape(1, -1, 1, 1)))


def _shaped(node: ov.Node, *shape: int) -> ov.Node:
    """Another shape: 0 keeps the length of that axis, -1 takes what is left."""
    return ops.reshape(node, np.array(shape, np.int64), True)


def _sizes(node: ov.Node) -> list[int]:
    """Lengths of the axes; of the batch, which may have any, -1."""
    return [axis.get_length() if axis.is_static else -1 for axis in node.get_output_partial_shape(0)]
