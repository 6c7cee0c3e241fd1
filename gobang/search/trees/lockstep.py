"""Simulations in lock step: take in the answers to one question, and descend to the next.

A question is a batch of positions that need an evaluation.  From every tree of a group, `exchange`
descends until it has given `leaves` positions or has used up its simulations; what ends in a decided
or proven position is backed up on the way and costs no evaluation.

The Forest that all kernels take holds the trees of all games, the positions at their roots, and memory
to work in.  A game is the number of its tree; `slots` are the games of a group.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from gobang.rules.compiled import inlined, kernel
from gobang.search.trees.descent import (
    AT_WAITING,
    Leaves,
    descend,
    disdain_draw,
    open_node,
    plant,
    settle,
    start,
)
from gobang.search.trees.forest import Forest
from gobang.search.trees.recycling import make_room
from gobang.search.trees.roots import prepare_root
from gobang.search.trees.tree import EXPANDED, ROOT, WAITING, back_up, nodes_left, take_back_visit, utility
from gobang.types import UNDECIDED

_MOST_SETTLED: Final = 256

# What a simulation adds to the leaves, or that it met a node which waits for its answer already.
_SETTLED: Final = 0
LEAF: Final = 1
_BLOCKED: Final = -1


@kernel
def exchange(
    forest: Forest,
    leaves: Leaves,
    slots: NDArray[np.int32],
    priors: NDArray[np.float32],
    chances: NDArray[np.float32],
) -> tuple[int, bool]:
    """Take in the answers about the first N leaves, then fill `leaves` anew from the games in `slots`.

    The answers are priors [N, A] and rotated chances [N, P + 1].  Returns how many positions the
    leaves are now, and whether a game broke off: it does so after _MOST_SETTLED simulations that need
    no evaluation, so that a caller with a clock gets to see it, and goes on in the next call.
    """
    for place in range(len(priors)):
        take_in(forest, leaves, place, priors[place], chances[place])
    count = 0
    broke_off = False
    for game in slots:
        found = 0
        settled = 0
        if forest.trees.size[game] == 0:
            found = plant_root(forest, leaves, count, game)
            count += found
            if found:
                continue  # nothing to descend into before the root is evaluated
        while found < forest.parameters.leaves and goes_on(forest, game):
            answer = simulate(forest, leaves, count, game)
            if answer == _BLOCKED:
                break
            found += answer
            count += answer
            settled += 1 - answer
            if settled == _MOST_SETTLED:
                broke_off = True
                break
    return count, broke_off


@kernel
def is_over(forest: Forest, game: int) -> bool:
    """Return True if a game that waits for no answer has been searched to its end."""
    return forest.trees.size[game] > 0 and not goes_on(forest, game)


@inlined
def goes_on(forest: Forest, game: int) -> bool:
    """Return True if a game's search has simulations left that may change its result."""
    trees, roots = forest.trees, forest.roots
    has_budget: bool = roots.done[game] < roots.budget[game]
    is_open: bool = trees.status[game, ROOT] == UNDECIDED and trees.state[game, ROOT] != WAITING
    return has_budget and is_open and (forest.recycles or nodes_left(trees, game) > 0)


@inlined
def take_in(
    forest: Forest, leaves: Leaves, place: int, priors: NDArray[np.float32], rotated: NDArray[np.float32]
) -> None:
    """Expand the leaf at `place` with priors [A] and back up its chances [P + 1], rotated to the side to move."""
    trees, chances = forest.trees, forest.chances
    game, node, mover = int(leaves.game[place]), int(leaves.node[place]), int(leaves.to_move[place])
    players = len(chances) - 1
    open_node(forest, leaves, place, priors)
    for offset in range(players):
        chances[(mover + offset) % players] = rotated[offset]
    chances[players] = rotated[players]
    disdain_draw(chances, int(forest.roots.to_move[game]), forest.parameters.contempt)
    trees.value[game, node] = utility(chances, mover)
    back_up(trees, game, node, chances)
    if node == ROOT:
        prepare_root(forest, game)


@inlined
def plant_root(forest: Forest, leaves: Leaves, place: int, game: int) -> int:
    """Make the root, whose own evaluation counts as a visit: LEAF if it waits at `place`, else _SETTLED."""
    plant(forest, leaves, place, game)
    forest.trees.visits[game, ROOT] = 1
    state = forest.trees.state[game, ROOT]
    if state == EXPANDED:
        prepare_root(forest, game)
    return LEAF if state == WAITING else _SETTLED


@inlined
def simulate(forest: Forest, leaves: Leaves, place: int, game: int) -> int:
    """Make a simulation: LEAF if its position now stands at `place`, _SETTLED if it is backed up already.

    It is _BLOCKED by a node that waits for its answer, or by a tree that such nodes fill.
    """
    trees = forest.trees
    if not make_room(forest, game):
        return _BLOCKED
    start(forest, leaves, place, game)
    trees.visits[game, ROOT] += 1
    end = descend(forest, leaves, place)
    node = int(leaves.node[place])
    if end == AT_WAITING and trees.visits[game, node] > 1:
        take_back_visit(trees, game, node)
        return _BLOCKED
    forest.roots.done[game] += 1
    if end == AT_WAITING:
        return LEAF
    settle(forest, game, node)
    return _SETTLED
