"""The replay pool in Redis: a stream with one entry per game, and counters beside it.

    name:games       stream of n (number of the game, from 1), b (positions before it), g (blob)
    name:counters    hash of games, positions, sampled, quarantined, oldest (positions before the oldest entry)
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

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, Final

from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

from gobang.errors import InvalidGame, PoolUnavailable
from gobang.types import SelfPlayGame, Variant
from learner.replay.pool.codec import decode, encode, split_id, trainable_positions
from learner.replay.pool.limiter import Limiter, LimiterConfig
from learner.replay.pool.redis_url import without_password
from learner.replay.pool.replay_pool import Cursor, PoolCounters, PoolRead, Rejected

ANSWER_SECONDS: Final = 5.0  # after which a server that does not answer counts as lost
REMEMBERED_SECONDS: Final = 5.0  # longer than the server keeps what it has acknowledged to itself
QUARANTINE_ENTRIES: Final = 100
QUARANTINE_BYTES: Final = 65_536  # of one entry that are kept

# Keys: games, counters, actors.  Arguments: actor, sequence number, positions, blob, positions to keep.
# It first drops the oldest entries as long as `oldest` is below `bound`, so that a full server has room for the game:
# a full one refuses the first write of a script if that is to add, and none after one that deletes.
_ADD: Final = """
local last = redis.call('HGET', KEYS[3], ARGV[1])
if last and tonumber(ARGV[2]) <= tonumber(last) then return 0 end
local counters = redis.call('HMGET', KEYS[2], 'games', 'positions', 'oldest')
local games = tonumber(counters[1] or 0) + 1
local before = tonumber(counters[2] or 0)
local total = before + tonumber(ARGV[3])
local oldest = tonumber(counters[3] or 0)
local bound = math.min(total - tonumber(ARGV[5]), before)
while oldest < bound do
  local entries = redis.call('XRANGE', KEYS[1], '-', '+', 'COUNT', 2)
  if #entries == 0 then break end
  redis.call('XDEL', KEYS[1], entries[1][1])
  if #entries == 1 then
    oldest = before
  else
    oldest = entries[2][2][3] == 'b' and tonumber(entries[2][2][4]) or oldest
  end
  redis.call('HSET', KEYS[2], 'oldest', oldest)
end
redis.call('XADD', KEYS[1], '*', 'n', games, 'b', before, 'g', ARGV[4])
redis.call('HSET', KEYS[3], ARGV[1], ARGV[2])
redis.call('HSET', KEYS[2], 'games', games, 'positions', total)
return 1
"""

# Keys: quarantine, counters.  Arguments: name of the entry, reason, content.  An entry that is already
# there, or older than one that is, has been counted: its name is not above the last one.
_QUARANTINE: Final = """
local name = redis.pcall('XADD', KEYS[1], 'MAXLEN', '~', {entries}, ARGV[1], 'reason', ARGV[2], 'content', ARGV[3])
if type(name) == 'table' then return 0 end
redis.call('HINCRBY', KEYS[2], 'quarantined', 1)
return 1
""".replace("{entries}", str(QUARANTINE_ENTRIES))


AddArguments = list[str | int | bytes]  # those of _ADD


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
    ) -> None:
        """`name` begins all keys; `keep` is how many positions stay stored, older games are dropped."""
        self.address = without_password(url)
        self._variant = variant
        self._limiter = Limiter(limiter or LimiterConfig())
        self._keep = keep
        self._keys = [f"{name}:{part}" for part in ("games", "counters", "actors", "quarantine")]
        self._unrecorded = 0  # samples that a full server has not counted yet
        self._recent: deque[tuple[float, AddArguments]] = deque()  # when it was stored, what was sent
        self._recent_lock = threading.Lock()
        self._redis = connect(url, self._greet)
        self._add = self._redis.register_script(_ADD)
        self._quarantine = self._redis.register_script(_QUARANTINE)

    def add(self, game: SelfPlayGame) -> bool:
        """Store a game for good; False if its id is stored already.  Raises PoolUnavailable.

        InvalidGame if it has no usable id or not finite numbers.
        """
        actor, sequence = split_id(game.id)
        values: AddArguments = [actor, sequence, trainable_positions(game), encode(game), self._keep]
        with self._translated():
            stored = bool(self._add(keys=self._keys[:3], args=values))
        self._remember(values)
        return stored

    def has_room(self) -> bool:
        """Whether self-play may go on, or has run too far ahead of the learner.  Raises PoolUnavailable."""
        positions, sampled = self._read_counters("positions", "sampled")
        return self._limiter.may_insert(positions, sampled)

    def read_since(self, cursor: Cursor, limit: int) -> PoolRead:
        """Up to `limit` entries after the cursor."""
        with self._translated():
            found: Any = self._redis.xread({self._keys[0]: cursor.entry}, count=limit)
        return self._decode(cursor, found[0][1] if found else [])

    def newest(self, most: int) -> list[SelfPlayGame]:
        """The games stored last, the newest first, for whoever only looks; what does not decode is left out."""
        with self._translated():
            entries: Any = self._redis.xrevrange(self._keys[0], count=most)
        games = []
        for _, fields in entries:
            with suppress(InvalidGame):
                games.append(decode(fields.get(b"g", b""), self._variant))
        return games

    def take_samples(self, count: int) -> bool:
        """Whether a learner may draw `count` samples now; if so they are counted, on a full server later."""
        positions, sampled = self._read_counters("positions", "sampled")
        if not self._limiter.may_sample(positions, sampled + self._unrecorded, count):
            return False
        self._unrecorded += count
        try:
            self._redis.hincrby(self._keys[1], "sampled", self._unrecorded)
        except RedisError:
            return True
        self._unrecorded = 0
        return True

    def counters(self) -> PoolCounters:
        """The pool's counters."""
        games, positions, sampled, quarantined = self._read_counters("games", "positions", "sampled", "quarantined")
        return PoolCounters(
            games=games,
            positions=positions,
            sampled=sampled + self._unrecorded,
            quarantined=quarantined,
        )

    def close(self) -> None:
        """Close the connections."""
        self._redis.close()

    def _remember(self, values: AddArguments) -> None:
        now = time.monotonic()
        with self._recent_lock:
            self._recent.append((now, values))
            while self._recent[0][0] < now - REMEMBERED_SECONDS:
                self._recent.popleft()

    def _greet(self, connection: Any) -> None:
        """Open a new connection: log in, then send again what a restarted server may have lost.

        That has to come before the call which needs the connection: a newer game would make the
        older ones of its actor count as stored.
        """
        connection.on_connect()
        with self._recent_lock:
            recent = [values for _, values in self._recent]
        for values in recent:
            connection.send_command("EVAL", _ADD, 3, *self._keys[:3], *values)
            connection.read_response()

    def _read_counters(self, *names: str) -> list[int]:
        with self._translated():
            values: Any = self._redis.hmget(self._keys[1], list(names))
        return [int(value or 0) for value in values]

    def _decode(self, cursor: Cursor, entries: list[tuple[bytes, dict[bytes, bytes]]]) -> PoolRead:
        games: list[SelfPlayGame] = []
        rejected: list[Rejected] = []
        last, missed = cursor.number, 0
        for entry, fields in entries:
            number = _number(fields)
            if number is not None:
                missed += number - last - 1 if last is not None and number > last else 0
                last = number
            try:
                games.append(decode(fields.get(b"g", b""), self._variant))
            except InvalidGame as error:
                rejected.append(self._reject(entry, fields, error))
        name = entries[-1][0].decode() if entries else cursor.entry
        return PoolRead(games=games, cursor=Cursor(entry=name, number=last), missed=missed, rejected=rejected)

    def _reject(self, entry: bytes, fields: dict[bytes, bytes], error: InvalidGame) -> Rejected:
        """Put an entry into the quarantine; a server that is full goes without."""
        content = b" ".join(part for pair in fields.items() for part in pair)[:QUARANTINE_BYTES]
        with self._translated():
            self._quarantine(keys=[self._keys[3], self._keys[1]], args=[entry, str(error), content])
        return Rejected(entry=entry.decode(), reason=str(error), kept=f"{self._keys[3]} of redis at {self.address}")

    @contextmanager
    def _translated(self) -> Iterator[None]:
        """Every error of the server or the way to it is PoolUnavailable, which names both."""
        try:
            yield
        except RedisError as error:
            full = "it is full: " if "OOM" in str(error) else ""
            raise PoolUnavailable(f"redis at {self.address}: {full}{error or type(error).__name__}") from error


@dataclass(frozen=True, kw_only=True, slots=True)
class RedisPoolFactory:
    """Opens the pool where it is called: pickle it and send it to actors and learners."""

    url: str = field(repr=False)  # holds the password
    variant: Variant
    name: str = "replay"
    limiter: LimiterConfig = field(default_factory=LimiterConfig)
    keep: int = 1_000_000

    def __call__(self) -> RedisPool:
        """A pool with its own connections."""
        return RedisPool(self.url, self.variant, name=self.name, limiter=self.limiter, keep=self.keep)


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


def check_server(url: str) -> None:
    """Ask whether a server is there; PoolUnavailable with the reason if not."""
    try:
        with connect(url) as client:
            client.ping()
    except RedisError as error:
        raise PoolUnavailable(f"no Redis server at {without_password(url)}: {error}") from error


def _number(fields: dict[bytes, bytes]) -> int | None:
    """The number of an entry's game; None of an entry that was not made by `add`."""
    text = fields.get(b"n", b"")
    return int(text) if text.isdigit() and len(text) < 16 else None
