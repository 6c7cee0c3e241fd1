"""Compiled kernels on disk: each in a file that is named after all that its machine code depends on.

That is the kernel and those that it calls, with the constants they use, the types of its arguments,
the way kernels are compiled, numba and the processor.  So a change recompiles only the
kernels that it affects, and equal modules share their files wherever they lie.  One process compiles a
kernel while others that want it wait.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import pickle
import stat
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any, Final

import numba
import numpy as np
from llvmlite import ir
from numba.core import types
from numba.core.caching import NullCache
from numba.core.compiler import CompileResult
from numba.core.serialize import dumps

from gobang.compiling import compiling
from gobang.disk import Outage
from gobang.files import open_file

if sys.platform != "win32":
    import fcntl

_LOG: Final = logging.getLogger(__name__)
_PRIVATE: Final = 0o700
_OTHERS_WRITE: Final = 0o022
_OUTAGE: Final = Outage("compiled kernels")
_DIGITS: Final = 24  # of a digest
_KEPT_SECONDS: Final = 30 * 86400.0  # a kernel that is not used
# What reading a file that is missing, damaged or of another time may raise: the kernel is compiled again.
_UNREADABLE: Final = (OSError, EOFError, ImportError, AttributeError, LookupError, ValueError, pickle.UnpicklingError)


@cache
def folder() -> Path:
    """Return where kernels are kept: below NUMBA_CACHE_DIR, XDG_CACHE_HOME or ~/.cache, else a folder of this process.

    A kernel is unpickled, which runs what its file says, so a folder that another user can fill will not do.
    """
    home = os.environ.get("NUMBA_CACHE_DIR") or os.environ.get("XDG_CACHE_HOME")
    try:
        found = (Path(home) if home else Path.home() / ".cache") / "gobang" / "kernels"
        found.parent.mkdir(parents=True, exist_ok=True)
        found.mkdir(mode=_PRIVATE, exist_ok=True)
        found = found.resolve()  # a link on the way could be changed later
        if _is_own_folder(found) and os.access(found, os.W_OK):
            return found
    except (OSError, RuntimeError):
        pass  # no home, or a read-only one, as in some containers
    return Path(tempfile.mkdtemp(prefix="gobang-kernels-"))


def _is_own_folder(path: Path) -> bool:
    """Return True for a folder of this user that nobody else can replace, and close it to others; else warn."""
    if sys.platform == "win32":
        return True
    status = path.stat()
    if status.st_uid != os.geteuid():
        _LOG.warning("%s belongs to another user: kernels are compiled anew, for this process alone", path)
        return False
    for above in path.parents:
        if _can_others_change(above):
            _LOG.warning("another user can change %s: kernels are compiled anew, for this process alone", above)
            return False
    if status.st_mode & _OTHERS_WRITE:
        path.chmod(_PRIVATE)
        for file in path.glob("*.kernel"):  # others may have put it there, or exchanged it for another one
            file.unlink()
    return True


def _can_others_change(path: Path) -> bool:
    """Return True if another user than root can exchange an entry of a folder that belongs to somebody else."""
    status = path.stat()
    if status.st_uid not in (0, os.geteuid(), Path("/").stat().st_uid):  # in a user namespace, root has another number
        return True
    if status.st_mode & stat.S_ISVTX:
        return False
    is_own_group = status.st_gid in (0, os.getegid())  # many systems give each user a group of their own
    return bool(status.st_mode & stat.S_IWOTH or (status.st_mode & stat.S_IWGRP and not is_own_group))


def _read_own(path: Path) -> bytes:
    """Return the content of a kernel's file; raise OSError unless this user or root wrote it, and nobody else can.

    A link is refused: in /proc lie files of root whose content every user chooses, such as `cmdline`.
    """
    with open_file(path) as file:
        status = os.fstat(file.fileno())
        is_strange = status.st_uid not in (0, os.geteuid()) or status.st_mode & _OTHERS_WRITE or path.is_symlink()
        if sys.platform != "win32" and is_strange:
            _warn_of_files(path.parent)
            raise PermissionError(f"{path} can be written by another user")
        return file.read()


@cache
def _warn_of_files(path: Path) -> None:
    """Warn of files that are not loaded, once for each folder."""
    _LOG.warning("%s holds files that another user can write: they are compiled anew", path)


class KernelCache(NullCache):
    """The files of one kernel, by the types of its arguments."""

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        self._function = function
        self._options = options

    def load_overload(self, signature: Any, target_context: Any) -> Any:
        """Return the machine code for a signature, or None."""
        target_context.refresh()
        path = self._path(signature, target_context)
        try:
            stored = pickle.loads(_read_own(path))
        except _UNREADABLE:
            return None
        with contextlib.suppress(OSError):  # root may have filled the cache
            os.utime(path)
        return CompileResult._rebuild(target_context, *stored)

    def save_overload(self, signature: Any, compiled: Any) -> None:
        """Write machine code; a process that is killed meanwhile leaves no half of a file, and a full disk none."""
        path = self._path(signature, compiled.target_context)
        stored = dumps(compiled._reduce())
        _OUTAGE.attempt(lambda: _replace(path, stored))
        _remove_forgotten(path.parent, f"{self._function.__name__}-*.kernel")

    @contextlib.contextmanager
    def one_process_at_a_time(self, signature: Any, target_context: Any) -> Iterator[None]:
        """Hold other processes back while this one loads a kernel, or compiles what is not there."""
        path = self._path(signature, target_context)
        if path.exists():
            yield
            return
        name = self._function.__name__
        with compiling(name), _locked(path.with_name(f".{name}.lock")):
            yield

    def _path(self, signature: Any, target_context: Any) -> Path:
        about = (
            _digest(self._function),
            [_describe_type(each) for each in signature],
            [(key, sorted(value) if isinstance(value, set) else value) for key, value in self._options.items()],
            target_context.codegen().magic_tuple(),
            (_how_kernels_are_made(), numba.__version__, numba.config.BOUNDSCHECK, sys.implementation.cache_tag),
        )
        return folder() / f"{self._function.__name__}-{_hash(repr(about))}.kernel"


def _remove_forgotten(folder: Path, pattern: str) -> None:
    """Remove files of other versions of a kernel that nobody has used for a long time."""
    now = time.time()
    for path in folder.glob(pattern):
        with contextlib.suppress(OSError):  # another process removes it as well
            if now - path.stat().st_mtime > _KEPT_SECONDS:
                path.unlink()


def _replace(path: Path, content: bytes) -> None:
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        Path(temporary).replace(path)
    except OSError:
        Path(temporary).unlink()
        raise


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Wait until no other process holds the lock; it goes with its process."""
    if sys.platform == "win32":
        yield
        return
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


_OTHERS: Final = ("numba", "llvmlite", "numpy")  # whose versions stand for their code


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]


@cache
def _how_kernels_are_made() -> str:
    return _hash(Path(__file__).with_name("kernels.py").read_text(encoding="utf8"))


@cache
def _digest(function: FunctionType) -> str:
    """Of a function with all that it calls, and the constants that they use; file names and lines do not count."""
    found = {function: ""}
    waiting = [function]
    while waiting:
        each = waiting.pop()
        known = [*(cell.cell_contents for cell in each.__closure__ or ()), *_globals(each)]
        called = [inner for inner in map(_compiled_from, known) if inner is not None]
        constants = [_describe(value) for value in known if _compiled_from(value) is None]
        notes = sorted(each.__annotations__.items())
        code = _describe_code(each.__code__, each.__doc__)
        found[each] = repr(
            (each.__module__, each.__qualname__, code, notes, constants, [inner.__qualname__ for inner in called])
        )
        new = [inner for inner in called if inner not in found]
        found.update(dict.fromkeys(new, ""))
        waiting += new
    return _hash("".join(sorted(found.values())))


def _globals(function: FunctionType) -> list[object]:
    """What a function finds by name outside itself, and maybe more: names of attributes count as well."""
    return [function.__globals__[name] for name in _names(function.__code__) if name in function.__globals__]


def _names(code: CodeType) -> list[str]:
    return [
        *code.co_names,
        *(name for inner in code.co_consts if isinstance(inner, CodeType) for name in _names(inner)),
    ]


def _compiled_from(value: object) -> FunctionType | None:
    """The function that a kernel or an instruction was made of, or one that instructions share; else None."""
    function = getattr(value, "py_func", getattr(value, "_defn", value))
    if isinstance(function, FunctionType) and function.__module__.partition(".")[0] not in _OTHERS:
        return function
    return None


def _describe_code(code: CodeType, doc: str | None = None) -> object:
    constants = [_describe_code(each) if isinstance(each, CodeType) else each for each in code.co_consts if each != doc]
    return code.co_code, constants, code.co_names, code.co_varnames, code.co_cellvars, code.co_freevars


def _describe(value: object) -> str:
    """What a kernel can know of a value that it does not call."""
    if isinstance(value, (bool, int, float, str, tuple, np.generic, types.Type, ir.Type)):
        return f"{type(value).__name__} {value!r}"
    return f"{getattr(value, '__qualname__', type(value).__name__)} {getattr(value, '_fields', '')}"


def _describe_type(kind: Any) -> str:
    """A type of numba, named tuples with the names of their fields."""
    names = getattr(kind, "fields", None)
    if names is None:
        return repr(kind)
    fields = [f"{name}={_describe_type(each)}" for name, each in zip(names, kind, strict=True)]
    return f"{kind.instance_class.__name__}({', '.join(fields)})"
