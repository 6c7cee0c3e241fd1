"""A redis-server of our own, with its files in the run directory.

    server = RedisServer(run / "redis")
    server.start()                      # takes over from one that a killed launcher left
    ...                                 # clients connect to server.local_url, on other machines to server.url
    server.ensure_running()             # now and then: starts it again after a crash, on the same files
    server.stop()                       # saves and ends it

Who may do what is settled by two locks.  `owner.lock` is held by this process: one launcher a
directory.  `server.lock` is held by the server itself, with its process id inside: as long as it
is held a server lives, whoever started it, and a second one would spoil its files.
"""

from __future__ import annotations

import contextlib
import fcntl
import logging
import os
import re
import secrets
import signal
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Final
from urllib.parse import quote

from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import BusyLoadingError, RedisError, ResponseError
from redis.retry import Retry

from gobang.children import from_lasting_thread, tied
from gobang.disk import remove_unfinished, write_atomically
from gobang.errors import PoolUnavailable
from gobang.files import open_file, read_file
from gobang.numbers import read_whole
from learner.replay.pool import redis_exec
from learner.replay.pool.redis_program import RedisProgram, find_redis_server

_LOG = logging.getLogger(__name__)

_LAST_PORT: Final = 65_535
LOOPBACK: Final = "127.0.0.1"
START_SECONDS: Final = 60.0  # until a server with much to load answers
ANSWER_SECONDS: Final = 5.0  # after which a running server counts as hung
STOP_SECONDS: Final = 8.0  # for saving, before it is killed
LONGEST_TEXT: Final = 2_000_000  # bytes that it takes in a piece; no game of any variant has more
_POLL_SECONDS: Final = 0.01
_ENDING_SECONDS: Final = 0.2  # between a server's closing its connections and its end
_LONGEST_SOCKET: Final = 100  # characters; the system allows 104 to 108
_PORT_ATTEMPTS: Final = 5
_MOST_BYTES: Final = 10_000  # of the small files beside the games
_PASSWORD: Final = re.compile(r"[\w-]{1,100}", re.ASCII)  # made by token_urlsafe; a line end would add a setting
_VERSION: Final = re.compile(r"\d{1,9}(\.\d{1,9})+", re.ASCII)
_LINE_ENDS: Final = {"\n": "\\n", "\r": "\\r"}

_CONFIG: Final = """\
bind {hosts}
port {port}
{unixsocket}
requirepass {password}
dir {directory}
logfile "redis.log"
daemonize no
save ""
appendonly yes
appendfsync everysec
maxmemory {maxmemory}
maxmemory-policy noeviction
proto-max-bulk-len {longest_text}
client-output-buffer-limit normal 64mb 0 0
"""


class RedisServer:
    """One server; its methods may be called from any thread, but one at a time."""

    # Redis runs each command in its file of games, and each of these could run code or write files elsewhere.
    forbidden: tuple[str, ...] = ("CONFIG", "DEBUG", "MIGRATE", "MODULE", "REPLICAOF", "SLAVEOF")

    def __init__(self, directory: Path, *, host: str = LOOPBACK, maxmemory: int = 0) -> None:
        """`host` is the address at which other machines reach it, by default none.

        `maxmemory` in bytes makes the server refuse games instead of growing further; 0 sets no limit.
        """
        self.directory = directory.resolve()
        self._host = host
        self._maxmemory = maxmemory
        self._password = ""
        self._port = 0
        self._owner: int | None = None  # descriptor of owner.lock
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """URL by which clients find it over TCP; holds the password."""
        return f"redis://:{self._password}@{self._host}:{self._port}/0"

    @property
    def local_url(self) -> str:
        """The same by unix socket, which is faster and stays when the port does not; TCP where there is none."""
        return f"unix://:{self._password}@{quote(str(self._socket))}" if self._socket else self.url

    @property
    def pid(self) -> int | None:
        """Process id of the running server."""
        return self._process.pid if self._process and self._process.poll() is None else None

    @classmethod
    def url_in(cls, directory: Path) -> str:
        """Return the URL of a directory's server, which another process runs; PoolUnavailable if there was none.

        The directory may be somebody else's: neither a link nor another user's socket is followed.
        """
        server = cls(directory)
        with server._translated():
            server._password, server._port = server._read_password(), server._read_port()
            is_ours = server._socket is None or _is_own_socket(server._socket)
        if not (server._password and server._port and is_ours):
            raise PoolUnavailable(f"{directory}: no Redis server was started here")
        return server.local_url

    def start(self) -> None:
        """Start the server on the directory's files and wait until it answers; PoolUnavailable with the reason."""
        with self._translated():
            self.directory.mkdir(parents=True, exist_ok=True)
            self.directory.chmod(0o700)  # the server makes its files readable to all
            self._take_ownership()
            self._password = self._read_password() or secrets.token_urlsafe(24)
            self._port = self._read_port()
            _write_private(self.directory / "password", self._password)
            self._remove_orphan()
            remove_unfinished(self.directory)
            for half_written in self.directory.glob("temp-*"):  # Redis calls its own so
                half_written.unlink()
            self._launch()

    def ensure_running(self) -> bool:
        """Start the server again if it has died or does not answer; whether that was needed.

        PoolUnavailable if that is not possible now, for example because the disk is full; then call it again.
        """
        assert self._owner is not None, "start it first"
        if self._process and self._process.poll() is None and self._answers(while_loading=True):
            return False
        if self._process:  # else the last attempt has failed
            code = self._exit_code()
            reason = "did not answer" if code is None else f"ended with code {code}"
            _LOG.warning("redis-server %s: starting it again on its files", reason)
        self._kill()
        with self._translated():
            self._launch()
        return True

    def stop(self) -> None:
        """Save, end the server and give the directory free; it is killed if it takes too long."""
        if self._process and self._process.poll() is None:
            self._request_end()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(1.0)
        self._kill()
        if self._owner is not None:
            os.close(self._owner)
            self._owner = None

    @property
    def _socket(self) -> Path | None:
        path = self.directory / "redis.sock"
        return path if len(str(path)) <= _LONGEST_SOCKET else None

    def _read_password(self) -> str:
        """Return the password in the directory, empty if there is none; PoolUnavailable for any other text."""
        password = _read(self.directory / "password")
        if password and not _PASSWORD.fullmatch(password):
            raise PoolUnavailable(f"{self.directory / 'password'} holds no password that gobang has made: remove it")
        return password

    def _read_port(self) -> int:
        """Return the port in the directory, 0 if there is none."""
        return read_whole(_read(self.directory / "port"), 1, _LAST_PORT) or 0

    @contextlib.contextmanager
    def _translated(self) -> Iterator[None]:
        """Translate OSError into PoolUnavailable."""
        try:
            yield
        except OSError as error:
            raise PoolUnavailable(f"redis-server in {self.directory}: {error}") from error

    def _take_ownership(self) -> None:
        assert self._owner is None, "it has been started"
        descriptor = os.open(self.directory / "owner.lock", os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            os.close(descriptor)
            raise PoolUnavailable(f"{self.directory}: another launcher is using it") from error
        self._owner = descriptor

    def _remove_orphan(self) -> None:
        """End a server that a killed launcher left: by request, or by force if it does not listen."""
        lock = self.directory / "server.lock"
        if not _is_locked(lock):
            return
        _LOG.warning("ending the redis-server %s that an earlier launcher left", _read(lock))
        self._request_end()
        if _wait_until(lambda: not _is_locked(lock), STOP_SECONDS):
            return
        process = read_whole(_read(lock), 2)  # never -1, which means all processes of this user
        if process is not None:
            with contextlib.suppress(ProcessLookupError, OverflowError):
                os.kill(process, signal.SIGKILL)
        if not _wait_until(lambda: not _is_locked(lock), STOP_SECONDS):
            raise PoolUnavailable(f"{self.directory}: an earlier redis-server, process {_read(lock)}, does not end")

    def _launch(self) -> None:
        """Start the process; on another port if the port has been taken by a stranger."""
        program = self._find_program()
        for _ in range(_PORT_ATTEMPTS):
            if not (self._port and _is_free(self._host, self._port)):
                self._port = _free_port(self._host)
            _write_private(self.directory / "port", str(self._port))
            _write_private(self.directory / "redis.conf", self._config())
            code = self._start_process(program)
            if code == 0:
                _write_private(self.directory / "version", ".".join(map(str, program.version)))
                _LOG.info("%s runs as process %s", program, self.pid)
                return
            if code is None or _is_free(self._host, self._port):
                break  # not for its port
        raise PoolUnavailable(f"redis-server did not start (code {code}): {self._last_log_line()}")

    def _find_program(self) -> RedisProgram:
        """The program to run; PoolUnavailable if it cannot read what a newer one has written."""
        program, wrote = find_redis_server(), _read(self.directory / "version")
        if wrote and not _VERSION.fullmatch(wrote):
            raise PoolUnavailable(f"{self.directory / 'version'} holds no version of Redis")
        if wrote and program.version[:2] < tuple(map(int, wrote.split(".")))[:2]:
            raise PoolUnavailable(
                f"{self.directory} was written by Redis {wrote}, which {program} cannot read: put a newer one on PATH"
            )
        return program

    def _start_process(self, program: RedisProgram) -> int | None:
        """0 when it answers, its exit code if it has ended, None if it took too long and was killed."""
        process = self._process = from_lasting_thread(partial(self._spawn, program))
        if _wait_until(lambda: process.poll() is not None or self._answers(), START_SECONDS):
            code = process.poll()
            return 0 if code is None else code or -1
        self._kill()
        return None

    def _spawn(self, program: RedisProgram) -> subprocess.Popen[bytes]:
        wrapper = [sys.executable, "-E", "-S", redis_exec.__file__, str(self.directory / "server.lock")]
        command = [str(program.path), str(self.directory / "redis.conf")]
        with (self.directory / "redis.log").open("ab") as log:
            return subprocess.Popen(
                tied([*wrapper, *command], by="SIGINT"),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,  # Ctrl-C is for the launcher, which ends the server last
            )

    def _config(self) -> str:
        unixsocket = f"unixsocket {_quoted(self._socket)}\nunixsocketperm 700" if self._socket else ""
        settings = _CONFIG.format(
            hosts=" ".join(sorted({LOOPBACK, self._host})),
            port=self._port,
            unixsocket=unixsocket,
            password=self._password,
            directory=_quoted(self.directory),
            maxmemory=self._maxmemory,
            longest_text=LONGEST_TEXT,
        )
        return settings + "".join(f'rename-command {command} ""\n' for command in self.forbidden)

    def _answers(self, *, while_loading: bool = False) -> bool:
        """Whether the server answers; `while_loading` says whether "still loading" is an answer."""
        try:
            with self._client(ANSWER_SECONDS) as client:
                return bool(client.ping())
        except BusyLoadingError:
            return while_loading
        except ResponseError:
            return True  # what it says of a disk that is full: it goes on by itself once there is room
        except RedisError:
            return False

    def _exit_code(self) -> int | None:
        """Of a process that has ended or is just ending; None if it lives on, or was never started."""
        if self._process is None:
            return None
        with contextlib.suppress(subprocess.TimeoutExpired):
            return self._process.wait(_ENDING_SECONDS)
        return None

    def _request_end(self) -> None:
        """Ask the server to save and end; it may refuse, be silent, or not be there."""
        with contextlib.suppress(RedisError), self._client(STOP_SECONDS) as client:
            client.shutdown(save=True)

    def _client(self, seconds: float) -> Redis:
        return Redis.from_url(
            self.local_url,
            protocol=2,
            retry=Retry(NoBackoff(), 0),
            socket_timeout=seconds,
            socket_connect_timeout=seconds,
        )

    def _kill(self) -> None:
        if self._process:
            self._process.kill()
            self._process.wait()
            self._process = None

    def _last_log_line(self) -> str:
        with open_file(self.directory / "redis.log") as log:
            log.seek(max(0, os.fstat(log.fileno()).st_size - _MOST_BYTES))
            lines = log.read(_MOST_BYTES).decode(errors="replace").splitlines()
        return lines[-1] if lines else "no log"


def _is_locked(path: Path) -> bool:
    """Whether a living process holds the lock on the file."""
    if not path.exists():
        return False
    with path.open("r+b") as file:
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except (BlockingIOError, PermissionError):
            return True
    return False


def _is_free(host: str, port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError:
            return False
    return True


def _free_port(host: str) -> int:
    with socket.socket() as probe:
        probe.bind((host, 0))
        return int(probe.getsockname()[1])


def _wait_until(condition: Callable[[], bool], seconds: float) -> bool:
    """Whether the condition came true within the time."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(_POLL_SECONDS)
    return True


def _quoted(path: Path) -> str:
    """The path as one word of a Redis configuration."""
    text = str(path).replace("\\", "\\\\").replace('"', '\\"')
    for end, escaped in _LINE_ENDS.items():
        text = text.replace(end, escaped)
    return f'"{text}"'


def _read(path: Path) -> str:
    """Return the text of a small file, empty if there is none; OSError for a device, a pipe or a large file."""
    with contextlib.suppress(FileNotFoundError):
        return read_file(path, _MOST_BYTES).decode(errors="replace").strip()
    return ""


def _is_own_socket(path: Path) -> bool:
    """Return True for a socket of this user; a link to one is none."""
    with contextlib.suppress(FileNotFoundError):
        status = path.lstat()
        return stat.S_ISSOCK(status.st_mode) and status.st_uid == os.getuid()
    return False


def _write_private(path: Path, text: str) -> None:
    """Put a file in place whole, readable by its owner alone."""
    write_atomically(path, text.encode(), mode=0o600)
