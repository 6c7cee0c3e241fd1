"""What a run has done, against the record: games once each and without gaps, versions rising, verdicts the same.

Nothing here asks the code under test: entries are read from Redis as they are, and files line by line.  Only the
verdicts of matches are computed by the gate itself, from the games that the judge has written down.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import msgpack
from redis import Redis

from evaluator.judging.contest import Contest, JudgeConfig
from evaluator.judging.gate import ContestGame, Gate
from evaluator.judging.history import DROPPED
from gobang.options import read_settings
from gobang.run_folder import RunFolder
from gobang.settings import read_yaml
from learner.replay.pool.redis_claim import pool_name
from learner.replay.pool.redis_server import RedisServer
from learner.run.config import RunConfig
from tests.chaos.record import Record

RESENT_SECONDS: Final = 5.0  # for so long a writer sends again what Redis has answered for
ACTORS: Final = "self_play:"  # the writers of a run are called so
_RISING: Final = ("version", "best", "games", "positions")  # metrics that never fall
_FIELD_OF_ID: Final = 3  # in a game's blob


@dataclass(frozen=True, kw_only=True, slots=True)
class Findings:
    """What an examination found, e.g. `Findings(acknowledged=812, lost=("a/3",), twice=(), faults=())`."""

    acknowledged: int
    lost: tuple[str, ...] = ()  # ids of games
    twice: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()

    @property
    def is_clean(self) -> bool:
        """Whether all is as it should be."""
        return not (self.lost or self.twice or self.faults)


def examine(
    folder: RunFolder, record: Record, now: float, killed: Sequence[float] = (), *, keeps_all: bool = True
) -> Findings:
    """The whole history so far; `killed` are the times at which Redis was killed.

    Where the pool drops old games, each acknowledged one must have been read by some process of the learner.
    """
    acknowledged = acknowledged_games(record.look(), now, killed)
    pool = pool_entries(folder)
    stored, readers = [entry.game for entry in pool], record.look().read
    if keeps_all:
        games = compare(acknowledged, stored, readers.get(record.newest_reader, {}))
    else:
        games = compare(acknowledged, [*acknowledged], {game: 1 for counts in readers.values() for game in counts})
    faults = [*numbering_faults(pool), *metric_faults(lines_of(folder.metrics)), *verdict_faults(folder)]
    return replace(games, faults=tuple(faults))


def acknowledged_games(record: Record, now: float, killed: Sequence[float]) -> list[str]:
    """Games for which Redis has answered, and whose writer has had the time to send them again.

    Where Redis was killed within that time the writer must have been answered since: one that was killed meanwhile
    could not send again.
    """
    found = []
    for game, at in record.stored.items():
        deaths = [death for death in killed if at <= death + 1.0 and death < at + RESENT_SECONDS]
        is_safe = not deaths or record.spoke[game.rpartition("/")[0]] > max(deaths) + 1.0
        if at + RESENT_SECONDS <= now and is_safe:
            found.append(game)
    return found


@dataclass(frozen=True, kw_only=True, slots=True)
class Entry:
    """A game of the pool as it lies in the stream, e.g. `Entry(game="a-1/000042", number=812, before=9_120)`."""

    game: str  # its id; empty of an entry that is none
    number: int
    before: int  # positions


def pool_entries(folder: RunFolder) -> list[Entry]:
    """All entries of the stream, the oldest first, without those that no writer's script has made."""
    name = pool_name(folder.read_address()["namespace"], folder.identity())
    with Redis.from_url(RedisServer.url_in(folder.redis), protocol=2, socket_timeout=10) as redis:
        found: Any = redis.xrange(f"{name}:games")
    return [
        Entry(game=_id_of(fields.get(b"g", b"")), number=int(fields[b"n"]), before=int(fields[b"b"]))
        for _, fields in found
        if fields.get(b"n", b"").isdigit() and fields.get(b"b", b"").isdigit()
    ]


def compare(acknowledged: Collection[str], pool: Sequence[str], read: Mapping[str, int]) -> Findings:
    """The games that were acknowledged against those in the pool and those that the learner has read."""
    held = Counter(pool)
    twice = [game for game, times in held.items() if game and times > 1]
    lost = [game for game in acknowledged if game not in held or game not in read]
    twice += [game for game, times in read.items() if times > 1 and game not in twice]
    return Findings(acknowledged=len(acknowledged), lost=(*lost, *gaps(held)), twice=tuple(twice))


def gaps(games: Iterable[str]) -> list[str]:
    """Games that are missing between the first and the last of an actor."""
    numbers: dict[str, list[int]] = {}
    for game in games:
        actor, _, number = game.rpartition("/")
        if actor.startswith(ACTORS):
            numbers.setdefault(actor, []).append(int(number))
    return [
        f"{actor}/{number:06}"
        for actor, found in numbers.items()
        for number in sorted(set(range(max(found) + 1)) - set(found))
    ]


def numbering_faults(pool: Sequence[Entry]) -> list[str]:
    """Numbers of the pool that are not one after the other, or positions that fall."""
    faults = [
        f"game {after.number} of the pool comes after game {before.number}"
        for before, after in pairwise(pool)
        if after.number != before.number + 1
    ]
    faults += [f"fewer positions at game {b.number}" for a, b in pairwise(pool) if b.before < a.before]
    return faults


def metric_faults(lines: Iterable[Mapping[str, float]]) -> list[str]:
    """Numbers that fell from one line of the metrics to the next, and must not."""
    faults, highest = [], dict.fromkeys(_RISING, -1.0)
    for line in lines:
        for name in _RISING:
            if line.get(name, highest[name]) < highest[name]:
                faults.append(f"{name} fell from {highest[name]:.0f} to {line[name]:.0f}")
            highest[name] = max(highest[name], line.get(name, -1.0))
    return faults


def verdict_faults(folder: RunFolder) -> list[str]:
    """Matches whose games give another verdict than the journal has, and games that it has twice."""
    config = read_settings(RunConfig(), read_yaml(folder.config))
    games: dict[int, list[ContestGame]] = {}
    for line in lines_of(folder.games):
        games.setdefault(line["match"], []).append(ContestGame.from_line(line, config.game))
    faults = [
        f"game {number} of match {match} is written down {times} times"
        for match, played in games.items()
        for number, times in Counter(game.number for game in played).items()
        if times > 1
    ]
    begun: dict[int, Contest] = {}
    for line in lines_of(folder.matches):
        if "begin" in line:
            begun[line["begin"]["number"]] = Contest.from_line(line["begin"])
        elif (verdict := line["standing"]["verdict"]) != DROPPED:
            replayed = _verdict(begun[line["end"]], config.evaluator, config.game.players, games.get(line["end"], []))
            faults += [f"match {line['end']}: {verdict}, replayed {replayed}"] if replayed != verdict else []
    return faults


def lines_of(path: Path) -> list[dict[str, Any]]:
    """The whole lines of a file of JSON lines."""
    content = path.read_bytes() if path.exists() else b""
    return [json.loads(line) for line in content[: content.rfind(b"\n") + 1].splitlines()]


def _verdict(contest: Contest, judge: JudgeConfig, players: int, played: Iterable[ContestGame]) -> str:
    gate = Gate(judge.gate if contest.is_gate else judge.ladder.contest(players), contest.names[0], players)
    for game in played:
        gate.add(game)
    return gate.verdict


def _id_of(blob: bytes) -> str:
    try:
        fields: Any = msgpack.unpackb(blob)
    except (ValueError, msgpack.UnpackException):
        return ""
    is_game = isinstance(fields, list) and len(fields) > _FIELD_OF_ID and isinstance(fields[_FIELD_OF_ID], str)
    return fields[_FIELD_OF_ID] if is_game else ""
