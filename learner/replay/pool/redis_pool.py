"""The replay pool in Redis: a stream with one entry per game, and counters beside it.

    name:games       stream of n (number of the game, from 1), b (positions before it), g (blob)
    name:counters    hash of games, positions, sampled, quarantined, oldest (positions before the oldest entry), entries
                     (games that should lie in the stream), lost (those that were found gone), run (see redis_claim.py)
    name:actors      hash of the last sequence number of each actor
    name:quarantine  stream of the newest entries that were no games, under their names, with reason and content

To look into the quarantine of a run: `redis-cli -s RUN/redis/redis.sock -a "$(cat RUN/redis/password)" XRANGE
name:quarantine - +`, with the name that the run's log gives.

A game goes in by one script, which is all or nothing: where it has nothing to drop it adds to the stream first, because
that is what a full server refuses, and once a script has written, Redis lets it finish.  After
PoolUnavailable the caller sends the game again, and its sequence number tells whether it was stored.
The next call connects again by itself.

With `appendfsync everysec` a server that is waiting for its disk may answer up to two seconds before
it writes, so a SIGKILL can lose games that it has acknowledged.  A pool therefore remembers what it
stored in the last seconds and sends it first on every new connection; what is there stays single.
"""

from __future__ import annotations

import hashlib
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, Final, cast

from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import NoScriptError, RedisError
from redis.retry import Retry

from gobang.errors import InvalidGame, PoolUnavailable
from gobang.types import SelfPlayGame, Variant
from learner.replay.pool.codec import decode, encode, largest_blob, split_id, trainable_positions
from learner.replay.pool.limiter import Limiter, LimiterConfig
from learner.replay.pool.redis_scripts import ADD, NOT_OURS, QUARANTINE, READ
from learner.replay.pool.redis_url import without_password
from learner.replay.pool.replay_pool import Cursor, PoolCounters, PoolRead, Rejected, check_version

ANSWER_SECONDS: Final = 5.0  # after which a server that does not answer counts as lost
REMEMBERED_SECONDS: Final = 5.0  # longer than the server keeps what it has acknowledged to itself
QUARANTINE_BYTES: Final = 65_536  # of one entry that are kept
READ_BYTES: Final = 16_000_000  # of entries, after which a read ends early
_SPARE_BYTES: Final = 100  # of an entry beside its blob

AddArguments = list[str | int | bytes]  # those of ADD


@dataclass(frozen=True, kw_only=True, slots=True)
class _Entry:
    """One of the stream, e.g. `_Entry(name=b"1712-0", size=640, fields={b"n": b"1", b"b": b"0", b"g": ...})`."""

    name: bytes
    size: int  # bytes of names and values of its fields
    fields: dict[bytes, bytes]  # of one that is too large only how it begins


class Recent:
    """The entries stored in the last seconds, sent again on each new connection.

    That comes before the call that needs the connection: a newer game would make older ones of its actor count as
    stored.
    """

    def __init__(self, call: list[str | int], script: str = "") -> None:
        """`call` comes before the values; `script` is loaded where Redis does not know it, if it is given."""
        self._call, self._script = call, script
        self._sent: deque[tuple[float, AddArguments]] = deque()  # when it was stored, what was sent
        self._lock = threading.Lock()

    def remember(self, values: AddArguments) -> None:
        """Keep what was just stored, and forget what is older than REMEMBERED_SECONDS."""
        now = time.monotonic()
        with self._lock:
            self._sent.append((now, values))
            while self._sent[0][0] < now - REMEMBERED_SECONDS:
                self._sent.popleft()

    def greet(self, connection: Any) -> None:
        """Open a new connection: log in, then send again what a restarted server may have lost."""
        connection.on_connect()
        with self._lock:
            recent = [values for _, values in self._sent]
        for values in recent:
            self._send(connection, values)

    def _send(self, connection: Any, values: AddArguments) -> None:
        """Run the script by hand, as a connection does that is not open yet."""

        def call(*words: str | int | bytes) -> None:
            connection.send_command(*words)
            connection.read_response()

        try:
            call(*self._call, *values)
        except NoScriptError:
            if not self._script:
                raise
            call("SCRIPT", "LOAD", self._script)
            call(*self._call, *values)


class RedisPool:
    """A `ReplayPool` in the Redis server at a URL such as redis://:password@host:6379/0 or unix://:password@/path."""

    def __init__(
        self,
        url: str,
        variant: Variant,
        *,
        name: str = "replay",
        limiter: LimiterConfig | None = None,
        keep: int = 1_000_000,
        run: str = "",
    ) -> None:
        """`name` begins all keys; `keep` is how many positions stay stored, older games are dropped.

        With the identity of a `run` a pool that is not claimed for it is as good as away.
        """
        self.address = without_password(url)
        self._place = f"redis at {self.address}"
        self._variant = variant
        self._limiter = Limiter(limiter or LimiterConfig())
        self._keep = keep
        self._run = run
        self._keys = [f"{name}:{part}" for part in ("games", "counters", "actors", "quarantine")]
        self._largest = largest_blob(variant) + _SPARE_BYTES  # bytes of an entry
        self._unrecorded = 0  # samples that a full server has not counted yet
        self._recent = Recent(["EVALSHA", hashlib.sha1(ADD.encode()).hexdigest(), 3, *self._keys[:3]], ADD)
        self._redis = connect(url, self._recent.greet)
        self._add = self._redis.register_script(ADD)
        self._quarantine = self._redis.register_script(QUARANTINE)
        self._read = self._redis.register_script(READ)

    def add(self, game: SelfPlayGame) -> bool:
        """Store a game for good; False if its id is stored already.  Raises PoolUnavailable.

        InvalidGame if it has no usable id or not finite numbers.
        """
        actor, sequence = split_id(game.id)
        values: AddArguments = [actor, sequence, trainable_positions(game), encode(game), self._keep, self._run]
        with translated(self._place):
            stored = bool(self._add(keys=self._keys[:3], args=values))
        self._recent.remember(values)
        return stored

    def has_room(self) -> bool:
        """Whether self-play may go on, or has run too far ahead of the learner.  Raises PoolUnavailable."""
        positions, sampled = self._read_counters("positions", "sampled")
        return self._limiter.may_insert(positions, sampled)

    def read_since(self, cursor: Cursor, limit: int, newest: int | None = None) -> PoolRead:
        """Read up to `limit` entries after the cursor; quarantine invalid games."""
        entries = self._entries("XRANGE", f"({cursor.entry}", "+", limit)
        games, rejected = self._decode(entries, newest)
        after, missed = _advance(cursor, entries)
        return PoolRead(games=games, cursor=after, missed=missed, rejected=rejected)

    def newest(self, most: int) -> list[SelfPlayGame]:
        """The games stored last, the newest first, for whoever only looks; what does not decode is left out."""
        games = []
        for entry in self._entries("XREVRANGE", "+", "-", most):
            with suppress(InvalidGame):
                games.append(self._game(entry))
        return games

    def take_samples(self, count: int) -> bool:
        """Whether a learner may draw `count` samples now; if so they are counted, on a full server later."""
        positions, sampled = self._read_counters("positions", "sampled")
        is_allowed = self._limiter.may_sample(positions, sampled + self._unrecorded, count)
        self._unrecorded += count if is_allowed else 0
        if self._unrecorded:  # else actors would wait for samples that were drawn long ago, and the learner for actors
            with suppress(RedisError):
                self._redis.hincrby(self._keys[1], "sampled", self._unrecorded)
                self._unrecorded = 0
        return is_allowed

    def counters(self) -> PoolCounters:
        """The pool's counters."""
        games, positions, sampled, quarantined, lost = self._read_counters(
            "games", "positions", "sampled", "quarantined", "lost"
        )
        return PoolCounters(
            games=games,
            positions=positions,
            sampled=sampled + self._unrecorded,
            quarantined=quarantined,
            lost=lost,
        )

    def close(self) -> None:
        """Close the connections."""
        self._redis.close()

    def _read_counters(self, *names: str) -> list[int]:
        with translated(self._place):
            run, *values = cast(list[Any], self._redis.hmget(self._keys[1], ["run", *names]))
        if self._run and run != self._run.encode():
            raise PoolUnavailable(f"{self._place}: {NOT_OURS}")
        return [int(value or 0) for value in values]

    def _entries(self, command: str, first: str, last: str, most: int) -> list[_Entry]:
        """Up to `most` entries; what is too large to be a game is seen by Redis alone, which holds it already."""
        limits = [most, self._largest, READ_BYTES]
        with translated(self._place):
            found: Any = self._read(keys=self._keys[:1], args=[command, first, last, *limits])
        return [
            _Entry(name=name, size=size, fields=dict(zip(fields[::2], fields[1::2], strict=True)))
            for name, size, fields in found
        ]

    def _game(self, entry: _Entry) -> SelfPlayGame:
        if entry.size > self._largest:
            raise InvalidGame(f"{entry.size} bytes: a game of {self._variant} has at most {self._largest}")
        return decode(entry.fields.get(b"g", b""), self._variant)

    def _decode(self, entries: list[_Entry], newest: int | None) -> tuple[list[SelfPlayGame], list[Rejected]]:
        games: list[SelfPlayGame] = []
        rejected: list[Rejected] = []
        for entry in entries:
            try:
                game = self._game(entry)
                check_version(game, newest)
                games.append(game)
            except InvalidGame as error:
                rejected.append(self._reject(entry, str(error)))
        return games, rejected

    def _reject(self, entry: _Entry, reason: str) -> Rejected:
        """Put an entry into the quarantine, without which a server that is full goes; drop one that is too large."""
        content = b" ".join(part for pair in entry.fields.items() for part in pair)[:QUARANTINE_BYTES]
        with translated(self._place):
            self._quarantine(keys=[self._keys[3], self._keys[1]], args=[entry.name, reason, content])
            if entry.size > self._largest:
                self._redis.xdel(self._keys[0], entry.name)
        return Rejected(entry=entry.name.decode(), reason=reason, kept=f"{self._keys[3]} of redis at {self.address}")


@dataclass(frozen=True, kw_only=True, slots=True)
class RedisPoolFactory:
    """Opens the pool where it is called: pickle it and send it to actors and learners."""

    url: str = field(repr=False)  # holds the password
    variant: Variant
    name: str = "replay"
    limiter: LimiterConfig = field(default_factory=LimiterConfig)
    keep: int = 1_000_000
    run: str = ""

    def __call__(self) -> RedisPool:
        """A pool with its own connections."""
        return RedisPool(self.url, self.variant, name=self.name, limiter=self.limiter, keep=self.keep, run=self.run)


def connect(url: str, greet: Callable[[Any], None] | None = None) -> Redis:
    """A client that neither repeats a call nor waits longer than ANSWER_SECONDS; it connects at the first call.

    `greet` gets each new connection and has to call its `on_connect`.
    """
    try:
        return Redis.from_url(
            url,
            protocol=2,
            redis_connect_func=greet,
            retry=Retry(NoBackoff(), 0),
            socket_timeout=ANSWER_SECONDS,
            socket_connect_timeout=ANSWER_SECONDS,
        )
    except ValueError as error:
        raise PoolUnavailable(f"no address of a Redis server: {error}") from error


@contextmanager
def translated(place: str) -> Iterator[None]:
    """Translate errors of the server, and answers that are none of Redis, into PoolUnavailable, which names it."""
    try:
        yield
    except RedisError as error:
        raise PoolUnavailable(f"{place}: {_reason(error)}") from error
    except RecursionError as error:
        raise PoolUnavailable(f"{place}: what answers is no Redis server") from error


def _reason(error: RedisError) -> str:
    """What the server says, and what it means."""
    if isinstance(error, NoScriptError):
        return "it has started again, and its scripts are not loaded yet"
    full = "it is full: " if "OOM" in str(error) else ""
    return f"{full}{error or type(error).__name__}"


def _advance(cursor: Cursor, entries: list[_Entry]) -> tuple[Cursor, int]:
    """The cursor behind the entries, and how many games are missing between them."""
    last, missed = cursor.number, 0
    for entry in entries:
        number = _number(entry.fields)
        if number is not None:
            missed += number - last - 1 if last is not None and number > last else 0
            last = number
    return Cursor(entry=entries[-1].name.decode() if entries else cursor.entry, number=last), missed


def _number(fields: dict[bytes, bytes]) -> int | None:
    """The number of an entry's game; None of an entry that was not made by `add`."""
    text = fields.get(b"n", b"")
    return int(text) if text.isdigit() and len(text) < 16 else None
