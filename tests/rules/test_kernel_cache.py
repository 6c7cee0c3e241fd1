"""Where compiled kernels are kept, when they are compiled again, and by whom."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from gobang.rules import kernel_cache
from tests.small_disk import SmallDisk

CALLED = """
from numba import types
from gobang.rules.compiled import instruction, kernel
from constants import STEP

@kernel
def step(number: int) -> int:
    return doubled(number) - number + STEP

def code_of_doubled(builder, number):
    return builder.add(number, number)

@instruction
def doubled(context, number):
    def generate(context, builder, signature, args):
        return code_of_doubled(builder, args[0])
    return types.int64(types.int64), generate

@kernel
def other(number: int) -> int:
    return number
"""
CALLER = """
from typing import NamedTuple
from called import step
from gobang.rules.compiled import kernel

class Pair(NamedTuple):
    first: int
    second: int

@kernel
def twice(pair: Pair) -> int:
    return step(step(pair.first))
"""
MAIN = """
from caller import Pair, twice
print(twice(Pair(first=1, second=1000)), len(twice._cache_misses))
"""


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    folder = tmp_path / "sources"
    folder.mkdir()
    for name, text in {"constants": "STEP = 1\n", "called": CALLED, "caller": CALLER, "main": MAIN}.items():
        (folder / f"{name}.py").write_text(text)
    return folder


def change(file: Path, old: str, new: str) -> None:
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))


def start(sources: Path) -> subprocess.Popen[str]:
    environment = os.environ | {"NUMBA_CACHE_DIR": str(sources.parent), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.Popen([sys.executable, sources / "main.py"], env=environment, stdout=subprocess.PIPE, text=True)


def result(process: subprocess.Popen[str]) -> tuple[int, int]:
    """What `twice` answers, and how often it was compiled for that."""
    answer, compiled = process.communicate(timeout=300)[0].split()
    return int(answer), int(compiled)


@pytest.mark.parametrize(
    ("file", "old", "new", "answer"),
    [
        ("called", "number + STEP", "number + 5 * STEP", 11),
        ("called", "builder.add(number, number)", "builder.add(number, builder.add(number, number))", 7),
        ("constants", "STEP = 1", "STEP = 7", 15),
        ("caller", "first: int\n    second: int", "second: int\n    first: int", 3),
    ],
    ids=[
        "what it calls in another file",
        "what an instruction calls",
        "a constant of another file",
        "the order of fields",
    ],
)
def test_a_kernel_is_compiled_again_after_a_change_of(
    sources: Path, file: str, old: str, new: str, answer: int
) -> None:
    assert result(start(sources)) == (3, 1)
    change(sources / f"{file}.py", old, new)
    assert result(start(sources)) == (answer, 1)


def test_a_change_of_anything_else_compiles_nothing(sources: Path) -> None:
    assert result(start(sources)) == (3, 1)
    change(sources / "called.py", "    return number\n", "    return -number\n")
    change(sources / "called.py", "@kernel\ndef step", "# a comment\n\n@kernel\ndef step")
    change(sources / "caller.py", "-> int:\n", '-> int:\n    """What it does."""\n')
    moved = sources.rename(sources.with_name("moved"))
    assert result(start(moved)) == (3, 0)


def test_of_many_processes_one_compiles(sources: Path) -> None:
    assert sorted(result(process) for process in [start(sources) for _ in range(3)]) == [(3, 0), (3, 0), (3, 1)]


def test_a_file_that_was_cut_off_is_written_again(sources: Path) -> None:
    assert result(start(sources)) == (3, 1)
    (file,) = (sources.parent / "gobang" / "kernels").glob("twice-*.kernel")
    file.write_bytes(file.read_bytes()[:100])
    assert result(start(sources)) == (3, 1)
    assert result(start(sources)) == (3, 0)


def folder(**environment: str) -> Path:
    """Where a fresh process keeps its kernels."""
    code = "from gobang.rules.kernel_cache import folder; print(folder())"
    done = subprocess.run(
        [sys.executable, "-c", code], env=os.environ | environment, capture_output=True, text=True, check=True
    )
    return Path(done.stdout.strip())


def test_the_folder_stands_where_it_is_told(tmp_path: Path) -> None:
    assert folder(NUMBA_CACHE_DIR=str(tmp_path)) == tmp_path / "gobang" / "kernels"


def test_the_folder_is_private_when_home_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    found = folder(NUMBA_CACHE_DIR=str(tmp_path / "file"), TMPDIR=str(tmp_path))
    assert found.parent == tmp_path
    assert found.stat().st_mode & 0o077 == 0


def test_the_folder_is_private_from_the_start_and_made_private(tmp_path: Path) -> None:
    found = folder(NUMBA_CACHE_DIR=str(tmp_path))
    assert found.stat().st_mode & 0o777 == 0o700
    found.chmod(0o777)
    assert folder(NUMBA_CACHE_DIR=str(tmp_path)) == found
    assert found.stat().st_mode & 0o777 == 0o700


EVIL = """
import pickle, sys
class Evil:
    def __reduce__(self):
        return print, ("this ran",)
open(sys.argv[1], "wb").write(pickle.dumps(Evil()))
"""


def only_kernel(sources: Path) -> Path:
    """The file of the one kernel that Python calls, once it is compiled."""
    assert result(start(sources)) == (3, 1)
    (file,) = (sources.parent / "gobang" / "kernels").glob("twice-*.kernel")
    return file


@pytest.mark.skipif(sys.platform == "win32", reason="files have no modes there")
def test_a_file_that_others_can_write_is_not_unpickled(sources: Path) -> None:
    file = only_kernel(sources)
    subprocess.run([sys.executable, "-c", EVIL, file], check=True)
    file.chmod(0o666)
    assert result(start(sources)) == (3, 1)  # and not what the file prints
    assert file.stat().st_mode & 0o777 == 0o600
    assert result(start(sources)) == (3, 0)


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() != 0, reason="only root can give files to others")
def test_a_file_of_another_user_is_not_unpickled(sources: Path) -> None:
    file = only_kernel(sources)
    subprocess.run([sys.executable, "-c", EVIL, file], check=True)
    os.chown(file, 12345, 12345)
    assert result(start(sources)) == (3, 1)


@pytest.mark.skipif(sys.platform == "win32", reason="users are others there")
def test_a_folder_of_another_user_is_refused_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "private"))
    (tmp_path / "private").mkdir()
    own = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: own + 1)
    found = kernel_cache.folder.__wrapped__()
    assert found.parent == tmp_path / "private"
    theirs = tmp_path / "gobang" / "kernels"
    assert caplog.messages == [f"{theirs} belongs to another user: kernels are compiled anew, for this process alone"]


@pytest.mark.skipif(sys.platform == "win32", reason="files have no modes there")
def test_a_link_is_not_unpickled(sources: Path) -> None:
    file = only_kernel(sources)
    elsewhere = sources / "evil"  # as /proc/NUMBER/cmdline, which belongs to root where a program has root's rights
    subprocess.run([sys.executable, "-c", EVIL, elsewhere], check=True)
    file.unlink()
    file.symlink_to(elsewhere)
    assert result(start(sources)) == (3, 1)
    assert not file.is_symlink()


@pytest.mark.skipif(sys.platform == "win32", reason="files have no modes there")
def test_kernels_of_a_folder_that_others_could_write_are_removed(tmp_path: Path) -> None:
    found = folder(NUMBA_CACHE_DIR=str(tmp_path))
    (found / "twice-12.kernel").touch()
    assert folder(NUMBA_CACHE_DIR=str(tmp_path)) == found
    assert list(found.iterdir())
    found.chmod(0o770)
    assert folder(NUMBA_CACHE_DIR=str(tmp_path)) == found
    assert not list(found.iterdir())


@pytest.mark.skipif(sys.platform == "win32", reason="files have no modes there")
@pytest.mark.parametrize("mode", [0o757, 0o1777])
def test_a_folder_that_others_can_exchange_is_refused_unless_sticky(tmp_path: Path, mode: int) -> None:
    (tmp_path / "gobang").mkdir()
    (tmp_path / "private").mkdir()
    (tmp_path / "gobang").chmod(mode)
    found = folder(NUMBA_CACHE_DIR=str(tmp_path), TMPDIR=str(tmp_path / "private"))
    assert (found.parent == tmp_path / "private") == (mode == 0o757)


def test_a_kernel_whose_module_has_moved_is_compiled_again(sources: Path) -> None:
    result(start(sources))
    (sources / "caller.py").rename(sources / "moved.py")
    change(sources / "main.py", "from caller", "from moved")
    assert result(start(sources)) == (3, 1)


def test_kernels_that_nobody_used_for_long_go_when_another_version_comes(sources: Path) -> None:
    assert result(start(sources)) == (3, 1)
    (kept,) = (sources.parent / "gobang" / "kernels").glob("twice-*.kernel")
    change(sources / "constants.py", "STEP = 1", "STEP = 7")
    assert result(start(sources)) == (15, 1)
    assert kept.exists()
    os.utime(kept, (0, 0))
    change(sources / "constants.py", "STEP = 7", "STEP = 8")
    assert result(start(sources)) == (17, 1)
    assert not kept.exists()


def test_what_is_used_is_kept(sources: Path) -> None:
    result(start(sources))
    (used,) = (sources.parent / "gobang" / "kernels").glob("twice-*.kernel")
    os.utime(used, (0, 0))
    assert result(start(sources)) == (3, 0)
    assert used.stat().st_mtime > 0


def test_on_a_full_disk_a_kernel_is_compiled_but_not_kept(sources: Path, small_disk: SmallDisk) -> None:
    kernels = small_disk.place / "gobang" / "kernels"
    kernels.mkdir(parents=True)
    small_disk.fill()
    environment = os.environ | {"NUMBA_CACHE_DIR": str(small_disk.place), "PYTHONDONTWRITEBYTECODE": "1"}
    ran = subprocess.run([sys.executable, sources / "main.py"], env=environment, capture_output=True, text=True)
    assert ran.stdout == "3 1\n", ran.stderr
    assert [path.name for path in kernels.iterdir() if path.suffix != ".lock"] == []
