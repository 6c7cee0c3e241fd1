"""What Ray keeps on this machine for its user: the token of its login, and the folder of its session.

Ray makes the file of the token under the umask, and its folders open to all.  Whoever reads the token, or
writes to the sockets in the folder, runs code as this user.  So both are made here, before Ray starts.
"""

from __future__ import annotations

import fcntl
import logging
import os
import secrets
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

_PLACE: Final = "/tmp"  # paths of sockets have to be short
_PREFIX: Final = "gobang-ray-"
_LOCK: Final = "lock"
_OTHERS: Final = 0o077  # all that the group and strangers may do

_LOG: Final = logging.getLogger(__name__)


def token_path() -> Path:
    """Where Ray looks for the token."""
    return Path(os.environ.get("RAY_AUTH_TOKEN_PATH") or Path.home() / ".ray" / "auth_token")


def protect_token(*, make: bool) -> None:
    """Keep the token's file from other users; with `make` there is one afterwards, as a new cluster needs it."""
    path = token_path()
    if make and not path.exists():
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        _make_token(path)
    with suppress(FileNotFoundError):
        mode = path.stat().st_mode
        if mode & _OTHERS:
            path.chmod(mode & ~_OTHERS)
            _LOG.warning("%s was open to other users; remove it while no cluster runs, and a new one is made", path)


def _make_token(path: Path) -> None:
    """Put a token in place whole, unless another process is faster."""
    descriptor, temporary = tempfile.mkstemp(dir=path.parent)  # for this user alone
    with os.fdopen(descriptor, "w") as file:
        file.write(secrets.token_hex(32))
    with suppress(FileExistsError):
        os.link(temporary, path)
    Path(temporary).unlink()


@contextmanager
def session_folder() -> Iterator[Path]:
    """A folder of this user's alone for one session; those of launchers that were killed are removed.

    That of a start that fails stays until the next one: Ray's logs are in it.
    """
    place = Path(os.environ.get("RAY_TMPDIR", _PLACE))
    _remove_abandoned(place)
    folder = Path(tempfile.mkdtemp(prefix=f".{_PREFIX}", dir=place))  # for this user alone
    with (folder / _LOCK).open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        folder = folder.rename(place / folder.name[1:])  # found by others only now that it is locked
        yield folder
        shutil.rmtree(folder, ignore_errors=True)


def _remove_abandoned(place: Path) -> None:
    for folder in place.glob(f"{_PREFIX}*"):
        with suppress(OSError):
            if folder.lstat().st_uid != os.getuid():
                continue
            with (folder / _LOCK).open("r+") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder, ignore_errors=True)
