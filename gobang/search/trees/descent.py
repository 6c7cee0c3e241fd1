"""Simulations in lock step: descend to positions that need an evaluation, and take the answers in.

    gather     from every tree of a group, descend until it has given `leaves` positions to
               evaluate or has used up its simulations; what ends in a decided or proven position
               is backed up on the way and costs no evaluation
    take_in    give the evaluated nodes their edges and back their outcomes up

Shape letter besides those of `gobang.types`:  B  places for leaves, G * leaves
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gobang.rules.board import is_win, legal_moves, outcome_after
from gobang.rules.compiled import inlined, kernel
from gobang.rules.geometry import RENJU, Geometry
from gobang.search.threats.tactics import FORCED, NOTHING, WIN, TacticsWorkspace, solve
from gobang.search.trees.config import Parameters
from gobang.search.trees.selection import select
from gobang.search.trees.tree import (
    BARE,
    EXPANDED,
    NO_NODE,
    ROOT,
    WAITING,
    Trees,
    add_node,
    add_single_edge,
    back_up,
    prove,
    take_back_visit,
    utility,
)
from gobang.types import EMPTY, NO_MOVE, UNDECIDED, Variant


class Games(NamedTuple):
    """The positions at the roots and what each search has done."""

    cells: NDArray[np.int8]  # [G, A]
    to_move: NDArray[np.int8]  # [G]
    last_move: NDArray[np.int16]  # [G]
    key: NDArray[np.uint64]  # [G]
    stones: NDArray[np.int16]  # [G]
    budget: NDArray[np.int32]  # [G] simulations to make, with those kept from before
    done: NDArray[np.int32]  # [G] simulations made or kept
    gumbel: NDArray[np.float32]  # [G, A] noise of the root's moves
    halving: NDArray[np.int32]  # [moves + 1, simulations] schedule by number of legal moves
    dirichlet: NDArray[np.float32]  # [G, A] noise to mix into the root's priors
    noise_fraction: float
    scores: NDArray[np.float32]  # [A] scratch of the selection
    legal: NDArray[np.bool_]  # [A] scratch of the expansion
    outcome: NDArray[np.float32]  # [P + 1] scratch of the back-up


class Leaves(NamedTuple):
    """Positions waiting for an evaluation; the first `count` of B places are in use."""

    cells: NDArray[np.int8]  # [B, A]
    to_move: NDArray[np.int8]  # [B]
    last_move: NDArray[np.int16]  # [B]
    key: NDArray[np.uint64]  # [B]
    game: NDArray[np.int32]  # [B]
    node: NDArray[np.int32]  # [B]


def allocate_games(variant: Variant, games: int, halving: NDArray[np.int32], noise_fraction: float) -> Games:
    """Room for the roots of G games."""
    return Games(
        cells=np.zeros((games, variant.points), np.int8),
        to_move=np.zeros(games, np.int8),
        last_move=np.full(games, NO_MOVE, np.int16),
        key=np.zeros(games, np.uint64),
        stones=np.zeros(games, np.int16),
        budget=np.zeros(games, np.int32),
        done=np.zeros(games, np.int32),
        gumbel=np.zeros((games, variant.points), np.float32),
        halving=halving,
        dirichlet=np.zeros((games, variant.points), np.float32),
        noise_fraction=noise_fraction,
        scores=np.empty(variant.points, np.float32),
        legal=np.empty(variant.points, np.bool_),
        outcome=np.empty(variant.players + 1, np.float32),
    )


def allocate_leaves(variant: Variant, places: int) -> Leaves:
    """Room for B leaves and, in one row more, for the descent's own position."""
    return Leaves(
        cells=np.zeros((places + 1, variant.points), np.int8),
        to_move=np.zeros(places + 1, np.int8),
        last_move=np.zeros(places + 1, np.int16),
        key=np.zeros(places + 1, np.uint64),
        game=np.zeros(places + 1, np.int32),
        node=np.zeros(places + 1, np.int32),
    )


_MOST_SETTLED: Final = 256


@kernel
def gather(
    trees: Trees,
    games: Games,
    leaves: Leaves,
    geometry: Geometry,
    workspace: TacticsWorkspace,
    parameters: Parameters,
    slots: NDArray[np.int32],
) -> tuple[int, bool]:
    """Fill `leaves` from the games in `slots`; how many positions they are, and whether a game broke off.

    A game breaks off after _MOST_SETTLED simulations that need no evaluation, so that a caller with
    a clock gets to see it; it goes on in the next call.
    """
    count = 0
    broke_off = False
    for game in slots:
        found = 0
        settled = 0
        if trees.size[game] == 0:
            found = _plant(trees, games, leaves, geometry, workspace, parameters, game, count)
            count += found
            if found:
                continue  # nothing to descend into before the root is evaluated
        while found < parameters.leaves and _goes_on(trees, games, game):
            answer = _descend(trees, games, leaves, geometry, workspace, parameters, game, count)
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
def is_over(trees: Trees, games: Games, game: int) -> bool:
    """Whether a game that waits for no answer has been searched to its end."""
    return trees.size[game] > 0 and not _goes_on(trees, games, game)


# What a descent ends with: how many positions it adds to the leaves, or that it met a waiting node.
_SETTLED: Final = 0
_LEAF: Final = 1
_BLOCKED: Final = -1


@inlined
def _goes_on(trees: Trees, games: Games, game: int) -> bool:
    """Whether a game's search has simulations left that may change its result."""
    has_budget: bool = games.done[game] < games.budget[game]
    is_open: bool = trees.status[game, ROOT] == UNDECIDED and trees.state[game, ROOT] != WAITING
    return has_budget and is_open and trees.size[game] < trees.parent.shape[1]


@inlined
def _plant(
    trees: Trees,
    games: Games,
    leaves: Leaves,
    geometry: Geometry,
    workspace: TacticsWorkspace,
    parameters: Parameters,
    game: int,
    place: int,
) -> int:
    """Make the root; 1 if it waits for an evaluation at `place`, 0 if tactics settle it."""
    node = add_node(trees, game, NO_NODE, NO_MOVE, int(games.to_move[game]))
    trees.visits[game, node] = 1
    copy_row(leaves.cells, place, games.cells, game)
    if apply_tactics(trees, geometry, workspace, parameters, leaves.cells[place], game, node, True):
        if trees.state[game, node] == EXPANDED:
            prepare_root(trees, games, game)
        return _SETTLED
    leaves.to_move[place] = games.to_move[game]
    leaves.last_move[place] = games.last_move[game]
    leaves.key[place] = games.key[game]
    leaves.game[place] = game
    leaves.node[place] = node
    return _LEAF


@inlined
def apply_tactics(
    trees: Trees,
    geometry: Geometry,
    workspace: TacticsWorkspace,
    parameters: Parameters,
    cells: NDArray[np.int8],
    game: int,
    node: int,
    at_root: bool,
) -> bool:
    """Let the solver prove a new node or leave it one move; False if it needs an evaluation."""
    if not parameters.solver:
        return False
    mover = int(trees.mover[game, node])
    limit = parameters.root_solver_nodes if at_root else parameters.solver_nodes
    verdict, point, _ = solve(geometry, workspace, cells, mover, limit)
    if verdict == NOTHING:
        return False
    if verdict == FORCED:
        add_single_edge(trees, game, node, point)
        return True
    if verdict == WIN:
        trees.status[game, node] = mover
        trees.best[game, node] = point
    else:
        # A root that loses is searched all the same: its moves must be told apart.
        if at_root:
            return False
        trees.status[game, node] = (mover + 1) % geometry.players
    trees.state[game, node] = BARE
    return True


@inlined
def copy_row(target: NDArray[np.int8], to: int, source: NDArray[np.int8], row: int) -> None:
    """Copy a row [A] of one array of boards to a row of another."""
    for point in range(source.shape[1]):
        target[to, point] = source[row, point]


@inlined
def _descend(
    trees: Trees,
    games: Games,
    leaves: Leaves,
    geometry: Geometry,
    workspace: TacticsWorkspace,
    parameters: Parameters,
    game: int,
    place: int,
) -> int:
    """One simulation: _LEAF if its position now stands at `place`, _SETTLED if it is backed up already."""
    cells = leaves.cells[place]
    copy_row(leaves.cells, place, games.cells, game)
    key = games.key[game]
    stones = games.stones[game]
    node = ROOT
    trees.visits[game, ROOT] += 1
    schedule = games.halving[
        min(trees.prior.shape[2] - stones, games.halving.shape[0] - 1),
        min(games.done[game], games.halving.shape[1] - 1),
    ]
    while trees.status[game, node] == UNDECIDED:
        if trees.state[game, node] == WAITING:
            take_back_visit(trees, game, node)
            return _BLOCKED
        point = select(trees, parameters, game, node, schedule, games.gumbel[game], games.scores)
        mover = int(trees.mover[game, node])
        next_mover = (mover + 1) % geometry.players
        cells[point] = mover + 1
        stones += 1
        key ^= geometry.stone_key[mover, point] ^ geometry.turn_key[mover] ^ geometry.turn_key[next_mover]
        trees.tries[game, node, point] += 1
        trees.total[game, node, point] -= np.float32(1.0)
        child = trees.child[game, node, point]
        if child != NO_NODE:
            trees.visits[game, child] += 1
            node = child
            continue
        node = add_node(trees, game, node, point, next_mover)
        trees.visits[game, node] = 1
        if is_decided(trees, geometry, cells, game, node, stones):
            break
        room = trees.parent.shape[1] - trees.size[game] > games.budget[game] - games.done[game]
        if room and apply_tactics(trees, geometry, workspace, parameters, cells, game, node, False):
            continue
        leaves.to_move[place] = next_mover
        leaves.last_move[place] = point
        leaves.key[place] = key
        leaves.game[place] = game
        leaves.node[place] = node
        games.done[game] += 1
        return _LEAF
    games.done[game] += 1
    for index in range(len(games.outcome)):
        games.outcome[index] = 0.0
    games.outcome[trees.status[game, node]] = 1.0
    disdain_draw(games.outcome, int(games.to_move[game]), parameters.contempt)
    back_up(trees, game, node, games.outcome)
    if parameters.solver:
        prove(trees, game, node)
    return _SETTLED


@inlined
def is_decided(trees: Trees, geometry: Geometry, cells: NDArray[np.int8], game: int, node: int, stones: int) -> bool:
    """Decide a new node whose last stone ends the game."""
    point = int(trees.point[game, node])
    mover = int(trees.mover[game, node])
    if geometry.rule == RENJU or stones == len(cells):
        status = outcome_after(geometry, cells, point, mover)
    else:
        status = (mover - 1) % geometry.players if is_win(geometry, cells, point) else UNDECIDED
    if status == UNDECIDED:
        return False
    trees.status[game, node] = status
    trees.state[game, node] = BARE
    return True


@kernel
def take_in(
    trees: Trees,
    games: Games,
    leaves: Leaves,
    geometry: Geometry,
    count: int,
    priors: NDArray[np.float32],
    outcomes: NDArray[np.float32],
    contempt: float,
) -> None:
    """Expand the `count` leaves with priors [B, A] and back up their rotated outcomes [B, P + 1]."""
    players = geometry.players
    legal, outcome = games.legal, games.outcome
    for place in range(count):
        game, node, mover = leaves.game[place], leaves.node[place], int(leaves.to_move[place])
        legal_points(geometry, leaves.cells[place], mover, legal)
        expand(trees, game, node, legal, priors[place])
        for offset in range(players):
            outcome[(mover + offset) % players] = outcomes[place, offset]
        outcome[players] = outcomes[place, players]
        disdain_draw(outcome, int(games.to_move[game]), contempt)
        trees.value[game, node] = utility(outcome, mover)
        back_up(trees, game, node, outcome)
        if node == ROOT:
            prepare_root(trees, games, game)


@inlined
def disdain_draw(outcome: NDArray[np.float32], searcher: int, contempt: float) -> None:
    """Count a share of a draw [P + 1] as a win of the others than `searcher`."""
    players = len(outcome) - 1
    share = np.float32(contempt) * outcome[players]
    outcome[players] -= share
    for player in range(players):
        if player != searcher:
            outcome[player] += share / np.float32(players - 1)


@inlined
def legal_points(geometry: Geometry, cells: NDArray[np.int8], mover: int, legal: NDArray[np.bool_]) -> None:
    """Write to `legal` [A] where the mover may play."""
    if geometry.rule == RENJU:
        legal_moves(geometry, cells, mover, legal)
        return
    for point in range(len(legal)):
        legal[point] = cells[point] == EMPTY


@inlined
def expand(trees: Trees, game: int, node: int, legal: NDArray[np.bool_], priors: NDArray[np.float32]) -> None:
    """Give a node its edges, with the priors [A] normalised over the legal moves."""
    prior, count = trees.prior[game, node], trees.tries[game, node]
    total, child = trees.total[game, node], trees.child[game, node]
    zero = np.float32(0.0)
    mass = zero
    moves = 0
    for point in range(len(legal)):
        mass += priors[point] if legal[point] else zero
        moves += legal[point]
    scale = np.float32(1.0) / mass if mass > zero else zero
    even = zero if mass > zero else np.float32(1.0) / np.float32(moves)
    for point in range(len(legal)):
        prior[point] = priors[point] * scale + even if legal[point] else np.float32(-1.0)
        count[point] = 0
        total[point] = zero
        child[point] = NO_NODE
    trees.state[game, node] = EXPANDED


@inlined
def prepare_root(trees: Trees, games: Games, game: int) -> None:
    """Mix noise into an expanded root's priors, and let a root with one move have one simulation."""
    prior = trees.prior[game, ROOT]
    mass = np.float32(0.0)
    moves = 0
    for point in range(len(prior)):
        if prior[point] >= 0.0:
            mass += games.dirichlet[game, point]
            moves += 1
    share = np.float32(games.noise_fraction)
    if mass > 0.0 and share > 0.0:
        for point in range(len(prior)):
            if prior[point] >= 0.0:
                prior[point] = (1 - share) * prior[point] + share * games.dirichlet[game, point] / mass
    if moves == 1:
        games.budget[game] = min(games.budget[game], games.done[game] + 1)
