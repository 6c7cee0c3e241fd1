"""Entries that no honest actor sends: garbage, oversized entries, duplicates, invalid games."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final

import msgpack
import numpy as np
from redis import Redis
from redis.exceptions import RedisError

from gobang.types import SelfPlayGame
from learner.replay.pool.codec import encode
from learner.replay.pool.redis_claim import pool_name
from learner.replay.pool.redis_pool import RedisPoolFactory
from learner.replay.pool.redis_server import LONGEST_TEXT
from tests.chaos.case import GOES_ON_SECONDS, Case, RoundFailed, hold, until
from tests.chaos.history import pool_entries
from tests.chaos.pool import GAME, factory, rejected, send
from tests.chaos.stage import Stage
from tests.chaos.trial import Trial
from tests.learner.replay.games import stored_games

LARGE_BYTES: Final = 100 << 20
MOST_GROWTH: Final = 60 << 20  # bytes of the learner's memory
WRITERS: Final = 8
TWINS: Final = 60  # games that each of them sends
_UNITS: Final = 8  # the field of a game's blob that holds the shares

Lie = Callable[[SelfPlayGame], bytes]


def send_garbage(stage: Stage, number: int) -> float:
    """Entries that are no games, the longest that Redis takes and one of 100 MB among them."""
    trial, dice = stage.trial(), random.Random(number)
    mark, before, learner = trial.mark(), rejected(trial), trial.process("learner")
    peak = peak_memory(learner.pid)
    entries: list[Mapping[str, bytes]] = [
        {"g": dice.randbytes(300)},
        {"g": b""},
        {"x": b"no field of ours"},
        {"g": msgpack.packb(["gobang game", 1, "and no more"])},
        {"g": msgpack.packb({"a": 1})},
        {"n": b"7", "b": b"x", "g": dice.randbytes(20)},
        {"g": bytes(LONGEST_TEXT)},
    ]
    name = pool_name(trial.folder.read_address()["namespace"], trial.folder.identity())
    with trial.redis() as redis:
        for entry in entries:
            redis.xadd(f"{name}:games", entry)  # type: ignore[arg-type]
        hold(not _takes(redis, f"{name}:games", bytes(LARGE_BYTES)), f"Redis takes {LARGE_BYTES >> 20} MB in")
    until(
        lambda: trial.is_running() and rejected(trial) == before + len(entries),
        GOES_ON_SECONDS,
        f"not all {len(entries)} entries are put aside",
    )
    grown = peak_memory(trial.process("learner").pid) - peak
    hold(grown <= MOST_GROWTH, f"the learner took {grown >> 20} MB more for them")
    hold(trial.process("learner").pid == learner.pid, "the learner died of them")
    seconds = trial.goes_on()
    trial.told(mark, "entry .* is put aside", times=len(entries))
    return seconds


def _takes(redis: Redis[Any], key: str, text: bytes) -> bool:
    """Whether the server takes an entry in; one that is too long it does not even read, and hangs up."""
    try:
        redis.xadd(key, {"g": text})
    except RedisError:
        return False
    return True


def peak_memory(process: int) -> int:
    """Bytes that a process has ever had resident."""
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return int(next(line.split()[1] for line in lines if line.startswith("VmHWM"))) << 10


def send_twins(stage: Stage, number: int) -> float:
    """The same games from eight processes at once, while the run plays."""
    trial = stage.trial()
    games = stored_games(GAME, TWINS, seed=number, actor=f"twins-{number}")
    with get_context("spawn").Pool(WRITERS) as writers:
        taken = writers.starmap(write_all, [(factory(trial), games)] * WRITERS, chunksize=1)
    hold(sum(taken) == TWINS, f"{sum(taken)} of {TWINS} games were taken as new")
    held = [entry.game for entry in pool_entries(trial.folder) if entry.game.startswith(f"twins-{number}/")]
    hold(sorted(held) == sorted(game.id for game in games), f"the pool holds {len(held)} of {TWINS}")
    return trial.goes_on()


def write_all(make: RedisPoolFactory, games: list[SelfPlayGame]) -> int:
    """Runs in a process of its own; how many were new."""
    with closing(make()) as pool:
        return sum(pool.add(game) for game in games)


def poison(stage: Stage, number: int) -> float:
    """Send invalid games with an actor's rights; each kind must end in the quarantine."""
    trial, actor = stage.trial(), f"poisoner-{number}"
    for place, (lie, game) in enumerate(zip(LIES, stored_games(GAME, len(LIES), seed=number), strict=True)):
        send(trial, actor, place, lie(replace(game, id=f"{actor}/{place:06}", version=np.zeros_like(game.version))))
    try:
        until(lambda: trial.is_running() and not unnoticed(trial, actor), GOES_ON_SECONDS, "")
    except RoundFailed as error:
        raise RoundFailed(f"not noticed: games that {', '.join(sorted(unnoticed(trial, actor)))}") from error
    return trial.goes_on()


def unnoticed(trial: Trial, actor: str) -> set[str]:
    """Return the kinds of lies of which the quarantine holds no game."""
    name = pool_name(trial.folder.read_address()["namespace"], trial.folder.identity())
    with trial.redis() as redis:
        entries: Any = redis.xrange(f"{name}:quarantine")
    content = b"".join(fields[b"content"] for _, fields in entries)
    found = {lie.__name__ for place, lie in enumerate(LIES) if f"{actor}/{place:06}".encode() in content}
    return {lie.__name__ for lie in LIES} - found


def plays_twice(game: SelfPlayGame) -> bytes:
    """The second move on the point of the first."""
    moves = game.moves.copy()
    moves[1] = moves[0]
    return encode(replace(game, moves=moves))


def claims_another_outcome(game: SelfPlayGame) -> bytes:
    """Another winner than the moves say."""
    return encode(replace(game, outcome=(game.outcome + 1) % 3))


def shares_too_much(game: SelfPlayGame) -> bytes:
    """A policy that sums to more than one."""
    fields: Any = msgpack.unpackb(encode(game))
    units = np.frombuffer(fields[_UNITS], "<u2").copy()
    units[0] ^= 1
    fields[_UNITS] = units.tobytes()
    return bytes(msgpack.packb(fields))


def claims_tomorrow(game: SelfPlayGame) -> bytes:
    """Played by a version that does not exist yet."""
    return encode(replace(game, version=np.full_like(game.version, 1_000_000)))


LIES: Final[tuple[Lie, ...]] = (plays_twice, claims_another_outcome, shares_too_much, claims_tomorrow)


CASES: Final = (
    Case(
        number=11,
        name="garbage and 100 MB in the stream",
        passes="100 MB are refused, each other one put aside with a line; the learner takes no 60 MB and goes on",
        strike=send_garbage,
    ),
    Case(number=12, name="the same games from 8 writers", passes="each is stored once", strike=send_twins),
    Case(
        number=16,
        name="an actor that sends invalid games",
        passes="each kind is put aside within 30 s",
        strike=poison,
    ),
)
