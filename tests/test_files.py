from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from evaluator.experiments.question import load
from evaluator.judging.journal import read_lines
from gobang.critic.file import read_critic
from gobang.errors import GobangError
from gobang.files import MOST_TEXT, MOST_WEIGHTS, UnfitFile, open_file, read_file, read_text
from gobang.network.checkpoint import load_checkpoint
from gobang.openings import read_openings
from gobang.run_folder import RunFolder
from gobang.settings import read_yaml
from gobang.types import Variant
from learner.self_teaching.course import CourseConfig, resumed
from learner.training.training_state import load_training_state


def a_pipe(path: Path) -> Path:
    os.mkfifo(path)
    return path


def a_folder(path: Path) -> Path:
    path.mkdir()
    return path


def a_device(path: Path) -> Path:
    path.symlink_to("/dev/zero")
    return path


COURSE = CourseConfig(
    variant=Variant(), features="small", replay=False, values="states", epsilon=0.1, rate=0.1, halving=1, seed=1
)
UNFIT = pytest.mark.parametrize("make", [a_pipe, a_folder, a_device])


def too_large(path: Path, size: int) -> Path:
    """A file of zeros that takes no room on the disk."""
    with path.open("wb") as file:
        file.truncate(size)
    return path


@UNFIT
def test_what_is_no_ordinary_file_is_not_read(tmp_path: Path, make: Callable[[Path], Path]) -> None:
    path = make(tmp_path / "x.yaml")
    for read in (open_file, read_text):
        with pytest.raises(OSError, match=r"no ordinary file|Is a directory"):
            read(path)


def test_a_file_is_read_up_to_its_size(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"abc")
    assert read_file(path, 3) == b"abc"
    with pytest.raises(UnfitFile, match="has 3 bytes: at most 2"):
        read_file(path, 2)


def test_a_file_that_says_nothing_of_its_size_is_cut_off(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"abc")
    monkeypatch.setattr(os, "fstat", lambda descriptor: os.stat_result((stat.S_IFREG, *[0] * 9)))
    with pytest.raises(UnfitFile, match="at most 2"):
        read_file(path, 2)


READERS: tuple[tuple[Callable[[Path], object], int], ...] = (
    (read_yaml, MOST_TEXT),
    (lambda path: load(str(path)), MOST_TEXT),
    (lambda path: read_openings(Variant(), path), MOST_TEXT),
    (read_critic, MOST_WEIGHTS),
    (lambda path: resumed(path, COURSE), MOST_WEIGHTS),
)


@pytest.mark.parametrize(("read", "most"), READERS)
def test_every_kind_of_file_has_a_greatest_size(tmp_path: Path, read: Callable[[Path], object], most: int) -> None:
    with pytest.raises(GobangError, match="at most"):
        read(too_large(tmp_path / "x.yaml", most + 1))


@UNFIT
@pytest.mark.parametrize("read", [*(read for read, _ in READERS), load_checkpoint, load_training_state])
def test_no_reader_waits_for_a_pipe(
    tmp_path: Path, make: Callable[[Path], Path], read: Callable[[Path], object]
) -> None:
    with pytest.raises(GobangError):
        read(make(tmp_path / "x.yaml"))


@UNFIT
def test_small_files_of_a_run_may_be_anything(tmp_path: Path, make: Callable[[Path], Path]) -> None:
    folder = RunFolder(tmp_path)
    for path in (folder.summary, folder.parts, folder.best):
        make(path)
    assert (folder.read_summary(), folder.read_parts()) == ({}, [])
    with pytest.raises(OSError, match=r"best.json"):
        folder.read_best()
    with pytest.raises(OSError, match=r"metrics.jsonl"):
        list(read_lines(make(folder.metrics)))


@pytest.mark.parametrize("text", ['{"version": "../../x"}', '{"version": -7}', '{"version": 1.5}', "[1]", "[" * 9999])
def test_a_best_version_that_is_none_is_refused(tmp_path: Path, text: str) -> None:
    folder = RunFolder(tmp_path)
    folder.best.write_text(text)
    with pytest.raises(ValueError, match=r"no version|nested"):
        folder.read_best()
