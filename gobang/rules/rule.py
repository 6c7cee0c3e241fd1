"""The differences between the rules, as questions: no other module looks at a variant's rule."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gobang.rules.compiled import kernel
from gobang.rules.geometry import CARO, FREESTYLE, RENJU, STANDARD, Geometry
from gobang.rules.renju import ALLOWED, forbidden


@kernel
def row_is_exact(geometry: Geometry, player: int) -> bool:
    """Whether a row of more than k does not win for a player."""
    return geometry.rule == STANDARD or (geometry.rule == RENJU and player == 0)


@kernel
def row_wins(geometry: Geometry, player: int, length: int, is_enclosed: bool) -> bool:
    """Whether an unbroken row of `length` stones, counted to both its ends, wins for a player.

    It is enclosed if a stone of someone else stands at either end.
    """
    if length == geometry.k:
        return not (is_enclosed and ends_block(geometry))
    return length > geometry.k and not row_is_exact(geometry, player)


@kernel
def ends_block(geometry: Geometry) -> bool:
    """Whether a row of exactly k that is enclosed does not win; the edge of the board encloses nothing."""
    return geometry.rule == CARO


@kernel
def every_row_wins(geometry: Geometry, player: int) -> bool:
    """Whether any k stones of a player without a gap win."""
    return not row_is_exact(geometry, player) and not ends_block(geometry)


@kernel
def forbids_points(geometry: Geometry) -> bool:
    """Whether there are points that someone may not play, so that moves can run out before the board is full."""
    return geometry.rule == RENJU


@kernel
def has_forbidden_points(geometry: Geometry, player: int) -> bool:
    """Whether there are points that a player may not play."""
    return forbids_points(geometry) and player == 0


@kernel
def refusal(geometry: Geometry, cells: NDArray[np.int8], point: int, player: int) -> int:
    """ALLOWED, or why a player may not play an empty point, a key of FORBIDDEN_REASONS."""
    if not has_forbidden_points(geometry, player):
        return ALLOWED
    return forbidden(geometry, cells, point)


@kernel
def may_play(geometry: Geometry, cells: NDArray[np.int8], point: int, player: int) -> bool:
    """Whether a player may play an empty point."""
    return refusal(geometry, cells, point, player) == ALLOWED


@kernel
def stones_never_harm(geometry: Geometry) -> bool:
    """Whether a stone more is never a disadvantage: it forbids nothing and makes no row too long."""
    return geometry.rule == FREESTYLE
