"""The folder of a run: its files, its lock, and how it is made.

config.yaml                   all settings, as resolved
address.json                  where the running cluster is found
parts.json                    what each process of the run does, while it runs
weights/00000123.safetensors  published weights by version, and best.safetensors
state/00000123.safetensors    what training needs to go on from a version
best.json                     which version is the best
evaluator/matches.jsonl       a line when a match of the judge begins, and one when it ends
evaluator/games.jsonl         a line for each finished game of these matches
evaluator/exams.jsonl         a line for each version that was examined on solved positions
evaluator/drills.jsonl        a line for each version that was asked simple questions
redis/                        the replay pool's files, and the identity by which it knows the run
pool.safetensors              the replay pool of a run in one process, as of its newest version
metrics.jsonl  tensorboard/  summary.json  log  lock  learner.lock
NAME-lead-in/                 the folder of the run's lead-in

A run writes and removes only these names, and only in a folder where none of them lay before its first start.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import secrets
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final, TextIO

from gobang.disk import make_folders, remove_unfinished, sync_folder, write_atomically
from gobang.errors import GobangError, RunFolderTaken, RunFolderUnusable, nearest
from gobang.files import open_file, read_file, read_text
from gobang.json_text import parse_json
from gobang.numbers import read_whole
from gobang.run_place import check_free, check_links, check_lock
from gobang.versions import FIRST_VERSION, NO_VERSION

RUNNING: Final = "running"  # state of a run while its launcher works
KILLED: Final = "killed"  # state of one that ended without a word

_SUFFIX: Final = ".safetensors"
_LONGEST_IDENTITY: Final = 100  # bytes
_IDENTITY: Final = re.compile(r"[0-9a-f]{32}")
_FOLDERS: Final = ("weights", "state", "evaluator", "redis", "tensorboard")


class RunFolder:
    """Paths of a run.  Any process may make one for a folder; only the launcher creates and locks it."""

    def __init__(self, root: Path) -> None:
        self._made: list[Path] = []  # what `locked` has made of root and its parents, the outermost first
        self._has_made_lock = False
        self._is_new = False  # `create` has found none of the names of a run here
        self.root = root
        self.config = root / "config.yaml"
        self.address = root / "address.json"
        self.parts = root / "parts.json"
        self.weights = root / "weights"
        self.state = root / "state"
        self.best = root / "best.json"
        self.evaluator = root / "evaluator"
        self.matches = self.evaluator / "matches.jsonl"
        self.games = self.evaluator / "games.jsonl"
        self.exams = self.evaluator / "exams.jsonl"
        self.drills = self.evaluator / "drills.jsonl"
        self.redis = root / "redis"
        self.pool = root / "pool.safetensors"
        self._identity = self.redis / "identity"
        self.metrics = root / "metrics.jsonl"
        self.tensorboard = root / "tensorboard"
        self.summary = root / "summary.json"
        self.log = root / "log"
        self.lead_in = root / f"{root.name}-lead-in"  # Ray wants a name of its own
        self.learner_lock = root / "learner.lock"
        self._lock = root / "lock"

    def create(self, config: str) -> None:
        """Make the folder of a new run; RunFolderTaken if there is one, RunFolderUnusable if files are in the way.

        The settings come first: from then on the folder holds a run, however soon its start is killed.
        """
        if self.config.exists():
            raise RunFolderTaken(f"{self.root} holds a run: go on with --resume, or choose another --run")
        with self._usable():
            make_folders(self.root)
            check_free(self.root, self._names())
            self._is_new = True
            self.write_config(config)
            for name in _FOLDERS:
                (self.root / name).mkdir()
            sync_folder(self.root)

    def discard(self) -> None:
        """Remove what this start has made for a run that could not start; everything else stays."""
        if self._is_new:
            for name in _FOLDERS:
                shutil.rmtree(self.root / name, ignore_errors=True)
            for path in self._files():
                path.unlink(missing_ok=True)
        if self._has_made_lock:
            self._lock.unlink(missing_ok=True)
        for folder in reversed(self._made):
            with suppress(OSError):  # not empty
                folder.rmdir()

    def check_holds_run(self) -> None:
        """Raise GobangError if there is no run to resume."""
        if not self.config.exists():
            runs = [path.parent.name for path in self.root.parent.glob("*/config.yaml")]
            raise GobangError(f"{self.root} holds no run to resume; {nearest(self.root.name, runs)}")

    def reopen(self, config: str) -> None:
        """Make a run ready to go on with these settings; RunFolderUnusable if a link leads out of its folder."""
        self.check_holds_run()
        with self._usable():
            check_links(self.root, (self._lock, *self._names()))
            self._forget_processes()
            for name in _FOLDERS:
                (self.root / name).mkdir(exist_ok=True)
            self.write_config(config)

    def write_config(self, config: str) -> None:
        """Keep the settings of this start."""
        with self._usable():
            write_atomically(self.config, config.encode())

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the run against a second launcher; the lock ends with this process however it ends."""
        with self._usable():
            if not self.config.exists():
                check_free(self.root, self._names())
            self._made = make_folders(self.root)
            file = self._open_lock()
        with file:
            if not _lock(file):
                file.seek(0)
                raise RunFolderTaken(f"{self.root} is in use by process {file.read().strip() or '?'}")
            with self._usable():
                file.truncate(0)
                os.write(file.fileno(), f"{os.getpid()}\n".encode())
            yield

    def _open_lock(self) -> TextIO:
        """Open the lock, and make it if it is missing; RunFolderUnusable if the file is not one of ours."""
        self._has_made_lock = not os.path.lexists(self._lock)
        if not self._has_made_lock:
            check_lock(self._lock)
        descriptor = os.open(self._lock, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW, 0o666)
        return os.fdopen(descriptor, "a+", encoding="utf-8")

    def _names(self) -> Iterator[Path]:
        """All files and folders of a run, except the lock."""
        yield from (self.root / name for name in _FOLDERS)
        yield self.lead_in
        yield from self._files()

    def _files(self) -> tuple[Path, ...]:
        """All files of a run outside its folders, except the lock; the settings, which make it a run, come last."""
        told = (self.address, self.parts, self.best, self.pool, self.metrics, self.summary, self.log)
        return (*told, self.learner_lock, self.config)

    def _forget_processes(self) -> None:
        """Remove what a killed launcher said of its processes, and the files that it had half written."""
        for path in (self.address, self.parts):
            path.unlink(missing_ok=True)
        remove_unfinished(self.root)

    @contextmanager
    def _usable(self) -> Iterator[None]:
        """Translate OSError into RunFolderUnusable."""
        try:
            yield
        except OSError as error:
            raise RunFolderUnusable(f"{self.root} cannot be the folder of a run: {error.strerror}") from error

    def identity(self) -> str:
        """Return the text that tells this run from others of its name; make it at the first call.

        Raise RunFolderUnusable for another text: it becomes part of scripts that Redis runs.
        """
        if not self._identity.exists():
            write_atomically(self._identity, f"{secrets.token_hex(16)}\n".encode())
        try:
            return self.read_identity()
        except (OSError, ValueError) as error:
            raise RunFolderUnusable(f"{self.root} cannot be the folder of a run: {error}") from error

    def read_identity(self) -> str:
        """Return the identity of a run that has been started; raise OSError or ValueError."""
        identity = read_file(self._identity, _LONGEST_IDENTITY).decode().strip()
        if not _IDENTITY.fullmatch(identity):
            raise ValueError(f"{self._identity} holds no identity of a run")
        return identity

    def read_best(self) -> int:
        """Return the version in best.json; raise FileNotFoundError before the first, ValueError for another content."""
        content = parse_json(read_text(self.best))
        version = content.get("version") if isinstance(content, dict) else None
        if not isinstance(version, int) or version < NO_VERSION:
            raise ValueError(f"{self.best}: {str(version)[:40]!r} is no version")
        return version

    def write_summary(self, summary: dict[str, Any]) -> None:
        """Replace summary.json; OSError leaves the old one."""
        _replace(self.summary, summary, indent=2)

    def read_summary(self) -> dict[str, Any]:
        """The content of summary.json, empty if there is none; a run whose launcher was killed does not run."""
        summary = _read(self.summary)
        if summary.get("state") == RUNNING and not self.is_held():
            summary["state"] = KILLED
        return summary

    def is_held(self) -> bool:
        """Return True while a launcher works in the folder."""
        try:
            with open_file(self._lock) as file:  # a pipe would wait for ever
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        except OSError:
            return False
        return False

    def write_parts(self, parts: list[dict[str, str]]) -> None:
        """Tell what each process does; nothing when the run is over."""
        _replace(self.parts, parts)

    def read_parts(self) -> list[dict[str, str]]:
        """What parts.json holds, empty if there is none."""
        try:
            parts = parse_json(read_text(self.parts))
        except (OSError, ValueError):
            return []
        return parts if isinstance(parts, list) else []

    def read_address(self) -> dict[str, str]:
        """What address.json holds, empty if there is none."""
        return _read(self.address)

    def write_address(self, address: dict[str, str]) -> None:
        """Tell other programs where the run's cluster is."""
        with self._usable():
            _replace(self.address, address)


def _lock(file: TextIO) -> bool:
    """Whether nobody else holds the file's lock for longer than a look at it takes."""
    for pause in (0.05, 0.05, 0.0):
        with suppress(BlockingIOError):
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        time.sleep(pause)
    return False


def weights_path(folder: RunFolder, version: int) -> Path:
    """Path of a version's weights, e.g. weights/00000123.safetensors."""
    return folder.weights / f"{version:08}{_SUFFIX}"


def state_path(folder: RunFolder, version: int) -> Path:
    """Path of a version's training state."""
    return folder.state / f"{version:08}{_SUFFIX}"


def best_weights(folder: RunFolder) -> Path:
    """Path of the best weights, under a name that stays."""
    return folder.weights / f"best{_SUFFIX}"


def weights_versions(folder: RunFolder) -> list[int]:
    """Versions of which weights lie in the folder, whole or not, in rising order."""
    return _versions(folder.weights)


def state_versions(folder: RunFolder) -> list[int]:
    """Versions of which a training state lies in the folder, whole or not, in rising order."""
    return _versions(folder.state)


def new_run_name(runs: Path, preset: str) -> Path:
    """The first free of runs/8x8-1, runs/8x8-2, ..."""
    stem = Path(preset).stem
    numbers = [path.name.removeprefix(f"{stem}-") for path in runs.glob(f"{stem}-*")]
    return runs / f"{stem}-{1 + max((read_whole(number) or 0 for number in numbers), default=0)}"


def _versions(folder: Path) -> list[int]:
    paths = folder.iterdir() if folder.exists() else ()  # a glob would say nothing of a folder that cannot be read
    stems = (path.name.removesuffix(_SUFFIX) for path in paths if path.name.endswith(_SUFFIX))
    return sorted(version for stem in stems if (version := read_whole(stem, FIRST_VERSION)) is not None)


def _read(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(read_text(path))  # numbers of a run may be NaN
    except (OSError, ValueError, RecursionError):
        return {}
    return content if isinstance(content, dict) else {}


def _replace(path: Path, content: object, indent: int | None = None) -> None:
    """Write a file of JSON."""
    write_atomically(path, (json.dumps(content, indent=indent) + "\n").encode())
