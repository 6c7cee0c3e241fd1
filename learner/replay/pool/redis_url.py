"""Addresses of Redis servers, such as redis://user:password@host:6379/0, and the passwords in them.

A password is for those who connect: it must not come into messages, logs or the arguments of a process, which all
users of a machine can read.
"""

from __future__ import annotations

import ipaddress
from typing import Final
from urllib.parse import SplitResult, parse_qs, quote, unquote, urlsplit

from gobang.errors import PoolUnavailable

PASSWORD_VARIABLE: Final = "GOBANG_REDIS_PASSWORD"  # of the environment
_SECRETS: Final = {"password", "ssl_password"}  # that a query may hold


def without_password(url: str) -> str:
    """The address with its user, which anybody may see; PoolUnavailable for one that cannot be taken apart."""
    parts = _split(url)
    return _joined(parts, f"{parts.username}@" if parts.username else "")


def without_user(url: str) -> str:
    """The address as a stranger would try it."""
    return _joined(_split(url), "")


def with_password(url: str, password: str) -> str:
    """The address with this password in it."""
    parts = _split(url)
    return _joined(parts, f"{parts.username or ''}:{quote(password, safe='')}@")


def with_user(url: str, user: str, password: str) -> str:
    """Return the address for another user."""
    return _joined(_split(url), f"{quote(user, safe='')}:{quote(password, safe='')}@")


def password_of(url: str) -> str:
    """The password, empty if there is none."""
    return unquote(_split(url).password or "")


def stays_here(url: str) -> bool:
    """Whether it leads to a server on this machine, as far as it says so itself."""
    parts = _split(url)
    if parts.scheme == "unix" or parts.hostname in (None, "localhost"):
        return True
    try:
        return ipaddress.ip_address(parts.hostname).is_loopback
    except ValueError:
        return False


def _split(url: str) -> SplitResult:
    parts = urlsplit(url)
    if "@" in parts.path + parts.query + parts.fragment:  # the end of a password would be shown as a path
        raise PoolUnavailable("no address of a Redis server: write / ? # and @ of a password as %2F %3F %23 and %40")
    if _SECRETS & parse_qs(parts.query).keys():
        raise PoolUnavailable(
            f"no address of a Redis server: a password stands before the host, or in {PASSWORD_VARIABLE}"
        )
    return parts


def _joined(parts: SplitResult, user: str) -> str:
    query = f"?{parts.query}" if parts.query else ""
    return f"{parts.scheme}://{user}{parts.netloc.rpartition('@')[2]}{parts.path}{query}"
