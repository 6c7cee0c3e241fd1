"""The kernel that makes a training batch: boards from moves, dense policies from sparse ones."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gobang.rules.compiled import kernel
from gobang.rules.geometry import Geometry
from gobang.types import EMPTY, NO_MOVE


class Stored(NamedTuple):
    """Games one after the other: R plies, N policy entries."""

    move: NDArray[np.int16]  # [R]
    ply: NDArray[np.int16]  # [R] from 0
    length: NDArray[np.int16]  # [R] of its game, in plies
    outcome: NDArray[np.int8]  # [R] of its game
    searched: NDArray[np.float32]  # [R, P + 1] by player
    version: NDArray[np.int32]  # [R]
    policy_start: NDArray[np.int64]  # [R] number of the first policy entry
    policy_count: NDArray[np.int16]  # [R] how many there are
    point: NDArray[np.int16]  # [N]
    units: NDArray[np.uint16]  # [N]


class Gathered(NamedTuple):
    """The arrays that `gather` writes; see `learner.replay.window.samples.Samples`."""

    cells: NDArray[np.int8]  # [B, A]
    to_move: NDArray[np.int8]  # [B]
    last_moves: NDArray[np.int16]  # [B, M] the latest first
    policy: NDArray[np.float32]  # [B, A]
    search_chances: NDArray[np.float32]  # [B, P + 1]
    result_chances: NDArray[np.float32]  # [B, P + 1]
    reply: NDArray[np.int16]  # [B]
    version: NDArray[np.int32]  # [B]


@kernel
def gather(
    geometry: Geometry, stored: Stored, first_entry: int, unit: np.float32, rows: NDArray[np.int64], gathered: Gathered
) -> None:
    """Write the positions before the plies `rows` [B]; entry 0 of `stored` has the number `first_entry`.

    A unit of a policy is `unit`.
    """
    players = geometry.players
    for b in range(len(rows)):
        row = rows[b]
        ply, length = int(stored.ply[row]), int(stored.length[row])
        mover = ply % players
        gathered.to_move[b] = mover
        gathered.version[b] = stored.version[row]
        for index in range(gathered.last_moves.shape[1]):
            gathered.last_moves[b, index] = stored.move[row - 1 - index] if index < ply else NO_MOVE
        gathered.reply[b] = stored.move[row + 1] if ply + 1 < length else NO_MOVE
        for point in range(gathered.cells.shape[1]):
            gathered.cells[b, point] = EMPTY
            gathered.policy[b, point] = 0.0
        player = 0
        for at in range(row - ply, row):
            point = stored.move[at]
            gathered.cells[b, point] = player + 1
            player = player + 1 if player + 1 < players else 0
        entry = stored.policy_start[row] - first_entry
        for at in range(entry, entry + stored.policy_count[row]):
            gathered.policy[b, stored.point[at]] = np.float32(stored.units[at]) * unit
        for column in range(players):
            player = mover + column if mover + column < players else mover + column - players
            gathered.search_chances[b, column] = stored.searched[row, player]
            gathered.result_chances[b, column] = np.float32(stored.outcome[row] == player)
        gathered.search_chances[b, players] = stored.searched[row, players]
        gathered.result_chances[b, players] = np.float32(stored.outcome[row] == players)
