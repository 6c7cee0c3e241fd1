"""The weights that a run begins with in place of random ones: of another game, or of a network that sees less.

A network of more input planes, of which the first mean what those of the given network mean, takes its weights too:
what it does not know yet counts nothing at first.  So weights for freestyle, where colour says little, are a
beginning for renju, where a network has to be told who is black.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from gobang.errors import InvalidCheckpoint
from gobang.features import extends
from gobang.network.checkpoint import Checkpoint, fresh_checkpoint, load_checkpoint
from gobang.network.spec import NetworkSpec
from gobang.players.trained import check_weights, weights_file


def first_weights(name: str, spec: NetworkSpec) -> Checkpoint:
    """The weights to begin with, from a file or a player in the box; InvalidCheckpoint if they do not fit the network.

    The game that it was trained for does not matter: four in a row is a beginning for five.
    """
    check_weights(name)
    try:
        given = load_checkpoint(weights_file(name))
        checkpoint = replace(given, spec=spec, tensors=_widened(given, spec))
        checkpoint.network()
    except InvalidCheckpoint as error:
        raise InvalidCheckpoint(f"{name} is no beginning: {error}") from error
    return checkpoint


def _widened(given: Checkpoint, spec: NetworkSpec) -> Mapping[str, NDArray[np.float32]]:
    """Its tensors, with weights of zero for the input planes that it lacks."""
    known, wanted = given.spec.features, spec.features
    if known == wanted:
        return given.tensors
    if not extends(wanted, known, spec.players):
        raise InvalidCheckpoint(f"weights for features {known!r}, which {wanted!r} does not begin with")
    fresh = fresh_checkpoint(spec, given.variant).tensors
    shapes = {tensor: array.shape for tensor, array in fresh.items()}
    share = Fraction(given.spec.planes, spec.planes)
    more = fresh.keys() - fresh_checkpoint(replace(spec, features=known), given.variant).tensors.keys()
    return {tensor: fresh[tensor] for tensor in more} | {
        tensor: _filled_up(array, shapes[tensor]) if _reads_planes(array.shape, shapes.get(tensor), share) else array
        for tensor, array in given.tensors.items()
    }


def _reads_planes(shape: tuple[int, ...], wanted: tuple[int, ...] | None, share: Fraction) -> bool:
    """Whether a tensor differs from the one that is wanted in its inputs, and as the planes do."""
    if wanted is None or len(shape) < 2 or len(shape) != len(wanted):
        return False
    inputs, outputs = (shape[1], wanted[1]), (shape[:1] + shape[2:], wanted[:1] + wanted[2:])
    return Fraction(*inputs) == share and outputs[0] == outputs[1]


def _filled_up(array: NDArray[np.float32], shape: tuple[int, ...]) -> NDArray[np.float32]:
    """A tensor with zeros for the inputs that it lacks."""
    filled = np.zeros(shape, array.dtype)
    filled[:, : array.shape[1]] = array
    return filled
