"""Which games are not to be learned from though the rules allow them: their weights or policies cannot be true.

    credibility = Credibility(published.divergences)
    reasons = credibility.doubts(games, newest=learner.version)   # "" for a game that is believed

A search begins with what the network thinks and improves on it.  So its policies stay near those of the network, and
the surprise that an actor notes, the divergence of the two, is what the learner finds, too.  One position of each game
is compared with the network of the version that it claims.  An actor is doubted when it is, beyond chance, more than
`TIMES` as far off as is usual among the others, in either: a processor that is broken, weights of something else,
games that are made up.  Whoever comes nearer has asked the network, and may as well have searched.  An actor is
believed again when its newest positions say so.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean, median
from typing import Final

import numpy as np
from numpy.typing import NDArray

from gobang.types import NO_MOVE, Boards, SelfPlayGame
from learner.replay.pool.codec import split_id

RECENT: Final = 64  # positions of an actor that count
ENOUGH: Final = 16  # positions without which nothing is said of an actor
TIMES: Final = 2.0
LEAST: Final = 0.1  # nats more that are always allowed: numbers are rounded, and processors differ
SIGMAS: Final = 4.0  # standard errors by which it has to be more
AT_ONCE: Final = 32  # games of a read that are compared; where more come at a time, these have to do
ACTORS: Final = 4096  # that are remembered

Divergences = Callable[[NDArray[np.int32], Boards, NDArray[np.float32]], NDArray[np.float32]]


def _recent() -> deque[float]:
    return deque(maxlen=RECENT)


@dataclass(frozen=True, slots=True)
class _Actor:
    """What was found in one position of each of its newest games, in nats."""

    divergence: deque[float] = field(default_factory=_recent)  # of the policies from the network's
    error: deque[float] = field(default_factory=_recent)  # of the noted surprise, where one is noted


class Credibility:
    """Looks at games in the order in which they come; belongs to the learner's thread."""

    def __init__(self, divergences: Divergences) -> None:
        """`divergences` gives the KL divergence [B] of policies [B, A] from those of versions [B], nats, or NaN."""
        self._divergences = divergences
        self._random = np.random.default_rng(0)  # of its own: what the learner draws does not depend on it
        self._actors: OrderedDict[str, _Actor] = OrderedDict()
        self._liars: set[str] = set()  # who is doubted; what is usual is not taken from them

    def doubts(self, games: Sequence[SelfPlayGame], newest: int) -> list[str]:
        """For each game why it is not to be learned from, or nothing; `newest` is the last version published."""
        reasons = [_of_tomorrow(game, newest) for game in games]
        rows = [row for row, game in enumerate(games) if not reasons[row] and len(game.policy_point)]
        if not rows:
            return reasons
        compared = rows if len(rows) <= AT_ONCE else self._random.choice(rows, AT_ONCE, replace=False).tolist()
        self._note([games[row] for row in compared])
        names = {row: split_id(games[row].id)[0] for row in rows}
        doubted = self._doubted(set(names.values()))
        for row, name in names.items():
            reasons[row] = doubted.get(name, "")
        return reasons

    def _note(self, games: Sequence[SelfPlayGame]) -> None:
        plies = [int(self._random.choice(np.flatnonzero(np.diff(game.policy_start)))) for game in games]
        versions = np.array([game.version[ply] for game, ply in zip(games, plies, strict=True)], np.int32)
        divergences = self._divergences(versions, *_positions(games, plies)).tolist()
        for game, ply, divergence in zip(games, plies, divergences, strict=True):
            name, _ = split_id(game.id)
            actor = self._actors.setdefault(name, _Actor())
            self._actors.move_to_end(name)
            if np.isnan(divergence):  # a version whose weights are gone
                continue
            actor.divergence.append(divergence)
            if game.surprise[ply] > 0:  # where a move is proven at once the network is not asked
                actor.error.append(abs(divergence - float(game.surprise[ply])))
        while len(self._actors) > ACTORS:
            name, _ = self._actors.popitem(last=False)
            self._liars.discard(name)

    def _doubted(self, names: Collection[str]) -> dict[str, str]:
        """The reasons of those that are doubted."""
        far = self._outliers({name: actor.divergence for name, actor in self._actors.items()}, names)
        false = self._outliers({name: actor.error for name, actor in self._actors.items()}, names)
        reasons = {
            **{name: f"no search's policies: {name} is off the network's by {what}" for name, what in far.items()},
            **{name: f"no search's surprises: {name} is off the true ones by {what}" for name, what in false.items()},
        }
        self._liars = (self._liars - set(names)) | reasons.keys()
        return reasons

    def _outliers(self, found: Mapping[str, deque[float]], names: Collection[str]) -> dict[str, str]:
        """Those of the names who are much farther off than is usual among who is believed, and how far."""
        means = {name: fmean(values) for name, values in found.items() if len(values) >= ENOUGH}
        believed = sorted(mean for name, mean in means.items() if name not in self._liars)
        outliers = {}
        for name in means.keys() & set(names):
            others = believed.copy()
            if name not in self._liars:
                others.remove(means[name])
            usual = median(others) if others else np.inf
            error = float(np.std(found[name], ddof=1)) / len(found[name]) ** 0.5
            if means[name] - SIGMAS * error > TIMES * usual + LEAST:
                outliers[name] = f"{means[name]:.2f} nats, others by {usual:.2f}"
        return outliers


def _of_tomorrow(game: SelfPlayGame, newest: int) -> str:
    latest = int(game.version.max(initial=newest))
    return f"{game.id}: played by version {latest}, but {newest} is the newest" if latest > newest else ""


def _positions(games: Sequence[SelfPlayGame], plies: Sequence[int]) -> tuple[Boards, NDArray[np.float32]]:
    """The positions before a ply of each game, and their policies [B, A]."""
    variant = games[0].variant
    cells = np.zeros((len(games), variant.points), np.int8)
    policy = np.zeros((len(games), variant.points), np.float32)
    last = np.full((len(games), variant.moves_shown), NO_MOVE, np.int16)
    for row, (game, ply) in enumerate(zip(games, plies, strict=True)):
        cells[row, game.moves[:ply]] = np.arange(ply) % variant.players + 1
        latest = game.moves[:ply][::-1][: variant.moves_shown]
        last[row, : len(latest)] = latest
        entries = slice(game.policy_start[ply], game.policy_start[ply + 1])
        policy[row, game.policy_point[entries]] = game.policy_share[entries]
    to_move = (np.array(plies) % variant.players).astype(np.int8)
    return Boards(variant=variant, cells=cells, to_move=to_move, last_moves=last), policy
