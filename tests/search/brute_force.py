"""Exact answers for small positions: every move of every side is tried."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gobang.rules.board import is_win, legal_moves
from gobang.rules.compiled import kernel
from gobang.rules.geometry import Geometry, geometry
from gobang.rules.rule import ends_block, may_play
from gobang.search.threats.tactical_positions import random_near_point
from gobang.search.threats.tactics import FORCED, LOSS, NOTHING, WIN
from gobang.types import EMPTY, NO_MOVE, Variant


def contradiction(variant: Variant, cells: NDArray[np.int8], to_move: int, verdict: int, point: int) -> str:
    """What is wrong with a verdict of the tactical solver, "" if nothing is."""
    table = geometry(variant)
    following = (to_move + 1) % variant.players
    legal = np.zeros(variant.points, np.bool_)
    legal_moves(table, cells, to_move, legal)
    if verdict in (WIN, FORCED) and not legal[point]:
        return "the move is not legal"
    if verdict == WIN:
        return "" if wins_with(table, cells, to_move, point) else "the move does not win"
    if winning_point(table, cells, to_move) >= 0:
        return "there is a win in one"
    if verdict == LOSS:
        return "" if loses(table, cells, to_move, legal) else "it is not lost"
    if verdict == FORCED:
        legal[point] = False
        return "" if all_lose_at_once(table, cells, to_move, legal) else "another move does not lose at once"
    assert verdict == NOTHING
    if ends_block(table):  # a stone beside the row may meet the threat too
        return ""
    return "the next player threatens to win" if winning_point(table, cells, following) >= 0 else ""


def wins_with(table: Geometry, cells: NDArray[np.int8], player: int, point: int) -> bool:
    """Whether a legal move wins by force, or at once if there are more than two players."""
    after = cells.copy()
    after[point] = player + 1
    if is_win(table, after, point) or table.players > 2:
        return bool(is_win(table, after, point))
    return forces_win(table, after, 1 - player, player)


def loses(table: Geometry, cells: NDArray[np.int8], to_move: int, legal: NDArray[np.bool_]) -> bool:
    """Whether the next player wins whatever is played; with more than two players at once."""
    if table.players == 2:
        return forces_win(table, cells, to_move, 1 - to_move)
    return bool(legal.any() and all_lose_at_once(table, cells, to_move, legal))


def all_lose_at_once(table: Geometry, cells: NDArray[np.int8], to_move: int, moves: NDArray[np.bool_]) -> bool:
    """Whether the next player can win in one after each of the moves [A]."""
    following = (to_move + 1) % table.players
    for point in np.flatnonzero(moves):
        after = cells.copy()
        after[point] = to_move + 1
        if winning_point(table, after, following) < 0:
            return False
    return True


@kernel
def winning_point(table: Geometry, cells: NDArray[np.int8], player: int) -> int:
    """A point that wins at once, or -1."""
    for point in range(len(cells)):
        if cells[point] == EMPTY:
            cells[point] = player + 1
            wins = is_win(table, cells, point)
            cells[point] = EMPTY
            if wins:
                return point
    return -1


def forces_win(table: Geometry, cells: NDArray[np.int8], to_move: int, player: int) -> bool:
    """Whether `player` of two wins against any defence."""
    counts = np.zeros((2, len(cells) + 1), np.int64)
    return bool(_forces_win(table, cells.copy(), to_move, player, counts[0], counts[1]))


@kernel
def _forces_win(
    table: Geometry,
    cells: NDArray[np.int8],
    to_move: int,
    player: int,
    tried: NDArray[np.int64],
    moves: NDArray[np.int64],
) -> bool:
    """`tried` [A + 1] counts the points tried at each depth, `moves` the legal ones among them."""
    depth = 0
    while True:
        mover = (to_move + depth) % 2
        done = tried[depth] == len(cells)
        result = mover != player and moves[depth] > 0
        if tried[depth] == 0 and winning_point(table, cells, mover) >= 0:
            done, result = True, mover == player
        if not done:
            point = tried[depth]
            tried[depth] += 1
            if cells[point] != EMPTY:
                continue
            if not may_play(table, cells, point, mover):
                continue
            moves[depth] += 1
            cells[point] = mover + 1
            depth += 1
            tried[depth] = moves[depth] = 0
            continue
        while True:
            if depth == 0:
                return result
            depth -= 1
            cells[tried[depth] - 1] = EMPTY
            if result != ((to_move + depth) % 2 == player):
                break


def random_positions(
    variant: Variant, count: int, rng: np.random.Generator, empty: tuple[int, int]
) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
    """(cells [count, A], to_move [count]): undecided, with a legal move, and so many empty points."""
    table = geometry(variant)
    cells = np.zeros((count, variant.points), np.int8)
    to_move = np.zeros(count, np.int8)
    made = 0
    while made < count:
        plies = variant.points - int(rng.integers(empty[0], empty[1] + 1))
        cells[made] = EMPTY
        if _play(table, cells[made], plies, rng.random(2 * plies)):
            to_move[made] = plies % variant.players
            made += 1
    return cells, to_move


@kernel
def _play(table: Geometry, cells: NDArray[np.int8], plies: int, luck: NDArray[np.float64]) -> bool:
    """Random play without wins; False if it ends early."""
    ply = 0
    for number in luck:
        mover = ply % table.players
        point = random_near_point(table, cells, mover, number)
        if ply == plies or point == NO_MOVE:
            return point != NO_MOVE
        cells[point] = mover + 1
        if is_win(table, cells, point):
            cells[point] = EMPTY
        else:
            ply += 1
    return False
