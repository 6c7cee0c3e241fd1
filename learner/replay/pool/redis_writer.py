"""The actors' way into the pool: two scripts that the launcher loads, and a user of Redis who may run nothing else.

    writers = Writers(url, name=name, run=identity, keep=keep, variant=variant, say=print)
    writers.look()                              # at the start, then every second: a restart of Redis forgets both
    make_sink = writers.factory(url, limiter)   # travels to the actors
    writers.close()

Redis applies the rights of the caller to each command inside a script.  So the actors' user has the commands of the
scripts, but only for the keys of this pool, whose names hold the identity of the run.  Actors never learn that name: it
lies inside the scripts, whose text they cannot read, and they call the scripts by their digests.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from string import ascii_letters, digits
from typing import Any, Final

from redis.exceptions import NoPermissionError, RedisError, ResponseError

from gobang.types import SelfPlayGame, Variant
from learner.replay.pool.codec import LONGEST_ID, encode, largest_blob, split_id, trainable_positions
from learner.replay.pool.limiter import Limiter, LimiterConfig
from learner.replay.pool.redis_pool import AddArguments, Recent, connect, translated
from learner.replay.pool.redis_scripts import WRITER_COMMANDS, sealed_add, sealed_room
from learner.replay.pool.redis_url import with_user, without_password

_PLAIN: Final = frozenset(ascii_letters + digits + "-_.:")
_BYTES: Final = 4  # of a character, at most
_PARTS: Final = ("games", "counters", "actors")


class RedisWriter:
    """A `GameSink` in Redis that stores games and asks for room, and can do nothing else."""

    def __init__(self, url: str, *, add: str, room: str, limiter: LimiterConfig) -> None:
        """`add` and `room` are the digests of the scripts."""
        self._place = f"redis at {without_password(url)}"
        self._add, self._room = add, room
        self._limiter = Limiter(limiter)
        self._recent = Recent(["EVALSHA", add, 0])
        self._redis = connect(url, self._recent.greet)

    def add(self, game: SelfPlayGame) -> bool:
        """Store a game for good; return False if its id is stored already.

        Raise PoolUnavailable, or InvalidGame if it has no usable id or not finite numbers.
        """
        actor, sequence = split_id(game.id)
        values: AddArguments = [actor, sequence, trainable_positions(game), encode(game)]
        with translated(self._place):
            stored = bool(self._redis.evalsha(self._add, 0, *values))
        self._recent.remember(values)
        return stored

    def has_room(self) -> bool:
        """Return True if self-play may go on; raise PoolUnavailable."""
        with translated(self._place):
            counted: Any = self._redis.evalsha(self._room, 0)
        positions, sampled = counted
        return self._limiter.may_insert(positions, sampled)

    def close(self) -> None:
        """Close the connections."""
        self._redis.close()


@dataclass(frozen=True, kw_only=True, slots=True)
class RedisWriterFactory:
    """Opens the pool for an actor where it is called: pickle it and send it there."""

    url: str = field(repr=False)  # holds the password
    add: str
    room: str
    limiter: LimiterConfig

    def __call__(self) -> RedisWriter:
        """Return a writer with its own connections."""
        return RedisWriter(self.url, add=self.add, room=self.room, limiter=self.limiter)


class Writers:
    """The launcher's side: keeps the scripts and the user of actors in Redis."""

    def __init__(
        self, url: str, *, name: str, run: str, keep: int, variant: Variant, say: Callable[[str], None]
    ) -> None:
        """`url` has the right to make users, else actors use it themselves, and `say` tells so once."""
        self._place, self._say = f"redis at {without_password(url)}", say
        self._keys = [f"{name}:{part}" for part in _PARTS]
        self._scripts = (
            sealed_add(
                self._keys,
                longest_name=LONGEST_ID * _BYTES,
                most_positions=variant.points,
                longest_blob=largest_blob(variant),
                keep=keep,
                run=run,
            ),
            sealed_room(self._keys, run=run),
        )
        self._digests = [hashlib.sha1(script.encode()).hexdigest() for script in self._scripts]
        # The name stays, so that a run that was killed and goes on leaves one user, not many.
        self._user = f"actor-{hashlib.sha256(name.encode()).hexdigest()[:12]}"
        self._password = secrets.token_urlsafe(24)
        self._has_user = True
        self._is_made = False
        self._redis: Any = connect(url)  # some calls have no types

    def look(self) -> None:
        """Load the scripts and make the user if they are not there; raise PoolUnavailable."""
        with translated(self._place):
            if not all(self._redis.script_exists(*self._digests)):
                for script in self._scripts:
                    self._redis.script_load(script)
            if self._has_user:
                self._look_after_user()

    def factory(self, url: str, limiter: LimiterConfig) -> RedisWriterFactory:
        """Return what opens the pool for actors; `url` leads to the same server from where they are."""
        add, room = self._digests
        own = with_user(url, self._user, self._password) if self._has_user else url
        return RedisWriterFactory(url=own, add=add, room=room, limiter=limiter)

    def close(self) -> None:
        """Delete the user, if the server still answers, and close the connection."""
        try:
            if self._is_made:
                self._redis.execute_command("ACL", "DELUSER", self._user)
        except RedisError:
            pass  # it has no rights without the scripts and the keys of this run
        self._redis.close()

    def _look_after_user(self) -> None:
        """Make the user; a server that refuses that, once and for all, gets no second question."""
        try:
            if self._is_made and self._user in self._redis.acl_users():
                return
            digest = hashlib.sha256(self._password.encode()).hexdigest()
            keys = [f"~{_pattern(key)}" for key in self._keys]
            self._redis.execute_command(
                "ACL", "SETUSER", self._user, "reset", "on", f"#{digest}", *keys, *WRITER_COMMANDS
            )
            self._is_made = True
        except ResponseError as error:
            if not isinstance(error, NoPermissionError) and "unknown command" not in str(error):
                raise
            self._has_user = False
            self._say(f"warning: actors use the launcher's user of {self._place}, as it may make no other: {error}")


def _pattern(key: str) -> str:
    """A pattern for a key: Redis 6.2 takes no blank, and the identity of the run is plain in any case."""
    return "".join(chr(byte) if chr(byte) in _PLAIN else "?" for byte in key.encode())
