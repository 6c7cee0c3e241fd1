"""The symmetries of a board: eight of a square, four of a rectangle."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from gobang.rules.compiled import kernel


@lru_cache(maxsize=64)
def symmetries(height: int, width: int) -> NDArray[np.int16]:
    """[S, A] where each symmetry takes each point; S is 8 or 4, and the first is the identity."""
    board = np.arange(height * width, dtype=np.int16).reshape(height, width)
    images = [board, board[::-1], board[:, ::-1], board[::-1, ::-1]]
    if height == width:
        images += [image.T for image in images]
    table = np.stack([np.argsort(image.reshape(-1)).astype(np.int16) for image in images])
    table.setflags(write=False)
    return table


@kernel
def transform(
    values: NDArray[np.generic], table: NDArray[np.int16], which: NDArray[np.int16], image: NDArray[np.generic]
) -> None:
    """Write to `image` [B, A] each row of `values` [B, A] under the symmetry `which` [B]."""
    for row in range(len(values)):
        for point in range(values.shape[1]):
            image[row, table[which[row], point]] = values[row, point]


def transform_points(
    points: NDArray[np.int16], table: NDArray[np.int16], which: NDArray[np.int16]
) -> NDArray[np.int16]:
    """The points, e.g. [B], as the symmetries `which`, broadcast to their shape, move them; NO_MOVE stays."""
    images: NDArray[np.int16] = np.where(points < 0, points, table[which, points])
    return images
