"""What a Redis server of the user's has to be like, looked at before a run begins.

The server that a run starts for itself is made so; one of the user's may be shared, old, or set up as a cache.
"""

from __future__ import annotations

from typing import Any, Final

from gobang.errors import PoolUnavailable
from learner.replay.pool.redis_pool import connect, translated
from learner.replay.pool.redis_url import stays_here, without_password, without_user

LEAST_VERSION: Final = (6, 2)  # the oldest that was tried
_KEEPS_ALL: Final = "noeviction"


def survey(url: str) -> list[str]:
    """What its user should know of the server; PoolUnavailable with the reason if it will not do."""
    address = without_password(url)
    with translated(f"no Redis server at {address}"), connect(url) as client:
        told: Any = client.info()
    version, policy = str(told["redis_version"]), told.get("maxmemory_policy", _KEEPS_ALL)
    if tuple(map(int, version.split(".")[:2])) < LEAST_VERSION:
        least = ".".join(map(str, LEAST_VERSION))
        raise PoolUnavailable(f"redis at {address} is version {version}: at least {least} is needed")
    if policy != _KEEPS_ALL:
        raise PoolUnavailable(
            f"redis at {address} drops what it likes when it is full (maxmemory-policy {policy}): "
            f"tell it CONFIG SET maxmemory-policy {_KEEPS_ALL}"
        )
    return [*_about_doors(url, address), *_about_files(told, address)]


def _about_doors(url: str, address: str) -> list[str]:
    if stays_here(url) or not _answers(without_user(url)):
        return []
    return [f"redis at {address} asks for no password: whoever reaches it can change the games (requirepass sets one)"]


def _about_files(told: dict[str, Any], address: str) -> list[str]:
    if told.get("aof_enabled"):
        return []
    return [f"redis at {address} loses games when it ends: it keeps at most snapshots (CONFIG SET appendonly yes)"]


def _answers(url: str) -> bool:
    try:
        with translated(""), connect(url) as client:
            return bool(client.ping())
    except PoolUnavailable:
        return False
