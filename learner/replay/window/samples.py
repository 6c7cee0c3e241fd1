"""A training batch in numpy, and its random symmetry.

    samples = with_random_symmetry(samples, random)  # a fresh view of each position at every draw
    report = trainer.step(samples)

Shape letters: B samples, A points, P players, as in gobang.types.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import DTypeLike, NDArray

from gobang.rules.symmetry import symmetries, transform, transform_points
from gobang.types import Boards

OPENING: Final = 0
MIDDLE: Final = 1
END: Final = 2
STAGES: Final = ("opening", "middle", "end")  # the names of the three


@dataclass(frozen=True, kw_only=True, slots=True)
class Samples:
    """The batch of a training step; all positions are of one variant, the arrays belong to the holder.

    Chances are rotated to the side to move: P(it wins), P(the next player wins), ..., P(draw).
    """

    boards: Boards
    policy: NDArray[np.float32]  # [B, A] what the search would play; each row sums to 1
    search_chances: NDArray[np.float32]  # [B, P + 1] what the search expected
    result_chances: NDArray[np.float32]  # [B, P + 1] how the game ended, a one in each row
    reply: NDArray[np.int16]  # [B] the next player's move, or NO_MOVE
    stage: NDArray[np.int16]  # [B] OPENING, MIDDLE or END of its game
    weights_version: NDArray[np.int32]  # [B] which weights played
    weight: NDArray[np.float32]  # [B] importance; only the ratios within the batch count

    def __post_init__(self) -> None:
        size, variant = len(self.boards), self.boards.variant
        chances = (size, variant.players + 1)
        _check("cells", self.boards.cells, (size, variant.points), np.int8)
        _check("to_move", self.boards.to_move, (size,), np.int8)
        _check("last_moves", self.boards.last_moves, (size, variant.moves_shown), np.int16)
        _check("policy", self.policy, (size, variant.points), np.float32)
        _check("search_chances", self.search_chances, chances, np.float32)
        _check("result_chances", self.result_chances, chances, np.float32)
        _check("reply", self.reply, (size,), np.int16)
        _check("stage", self.stage, (size,), np.int16)
        _check("weights_version", self.weights_version, (size,), np.int32)
        _check("weight", self.weight, (size,), np.float32)

    def __len__(self) -> int:
        return len(self.boards)


def _check(name: str, array: NDArray[np.generic], shape: tuple[int, ...], dtype: DTypeLike) -> None:
    assert array.shape == shape, f"{name} has shape {array.shape}, not {shape}"
    assert array.dtype == dtype, f"{name} is {array.dtype}, not {np.dtype(dtype)}"


def game_stage(ply: NDArray[np.integer], length: NDArray[np.integer]) -> NDArray[np.int16]:
    """The third of its game of `length` moves in which each `ply` lies: OPENING, MIDDLE or END."""
    thirds: NDArray[np.int16] = np.minimum(3 * np.asarray(ply) // np.maximum(length, 1), END).astype(np.int16)
    return thirds


def with_random_symmetry(samples: Samples, random: np.random.Generator) -> Samples:
    """The samples, each turned or mirrored at random, in new arrays; `samples` stays as it is."""
    variant = samples.boards.variant
    count = len(symmetries(variant.height, variant.width))
    return under_symmetry(samples, random.integers(count, size=len(samples)).astype(np.int16))


def under_symmetry(samples: Samples, which: NDArray[np.int16]) -> Samples:
    """The samples, each under its symmetry `which` [B]; stones, last moves, policy and reply go along."""
    before = samples.boards
    table = symmetries(before.variant.height, before.variant.width)
    cells, policy = np.empty_like(before.cells), np.empty_like(samples.policy)
    transform(before.cells, table, which, cells)
    transform(samples.policy, table, which, policy)
    boards = Boards(
        variant=before.variant,
        cells=cells,
        to_move=before.to_move,
        last_moves=transform_points(before.last_moves, table, which[:, np.newaxis]),
    )
    return replace(samples, boards=boards, policy=policy, reply=transform_points(samples.reply, table, which))
