"""Networks of a run as players."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from gobang.errors import InvalidSpec
from gobang.players import parse
from gobang.players.runs import find_version, settled
from gobang.players.trained import weights_file
from gobang.run_folder import RunFolder, weights_path


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    folder = RunFolder(tmp_path / "8x8-1")
    folder.create("seed: 1\n")
    return folder


def publish(folder: RunFolder, *versions: int, best: int | None = None) -> None:
    for version in versions:
        weights_path(folder, version).touch()
    if best is not None:
        folder.best.write_text(json.dumps({"version": best}))


def test_a_version_is_named_by_its_number_or_its_place(folder: RunFolder) -> None:
    publish(folder, 0, 3, 12, best=3)
    assert [find_version(folder, which) for which in ("latest", "best", "3", "0")] == [12, 3, 3, 0]
    assert settled(f"{folder.root}@latest") == f"{folder.root}@12"
    assert weights_file(f"{folder.root}@best") == str(weights_path(folder, 3))


@pytest.mark.parametrize(
    ("best", "newest", "taken"),
    [
        (None, 54, 54),  # nothing is promoted
        (0, 54, 54),  # it has beaten nobody
        (9, 54, 54),  # old
        (27, 54, 27),
        (54, 54, 54),
        (7, 54, 54),  # not kept
    ],
)
def test_a_run_alone_is_its_best_unless_that_is_old_or_has_beaten_nobody(
    folder: RunFolder, best: int | None, newest: int, taken: int
) -> None:
    publish(folder, 0, 9, 27, newest, best=best)
    assert find_version(folder) == taken


def test_a_player_keeps_the_version_of_its_start(folder: RunFolder) -> None:
    publish(folder, 0, 1)
    spec = parse(f"net:{folder.root},sims=4")
    publish(folder, 2)
    assert str(spec) == f"net:{folder.root}@1,sims=4"
    assert str(parse(str(spec))) == str(spec)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("8x8-1@13", "8x8-1 has no version '13' among its 0 to 4"),
        ("8x8-1@best", "has no version 'best' among its 0 to 4"),
        ("8x8-1@bset", "among its 0 to 4; did you mean best? or a number"),
        ("8x8-2@latest", "8x8-2 is not the folder of a run; did you mean"),
        ("", "is not the folder of a run"),
    ],
)
def test_what_is_not_there_is_refused_with_what_is(folder: RunFolder, name: str, message: str) -> None:
    publish(folder, 0, 4)
    with pytest.raises(InvalidSpec, match=re.escape(message)):
        parse(f"net:{folder.root.parent / name}")


@pytest.mark.parametrize("which", ["²", "٣", "9" * 5000])
def test_a_version_is_written_in_plain_digits(folder: RunFolder, which: str) -> None:
    publish(folder, 3)
    weights_path(folder, 4).with_name(f"{which[:100]}.safetensors").touch()
    with pytest.raises(InvalidSpec, match="has no version"):
        find_version(folder, which)


def test_a_run_without_weights_says_so(folder: RunFolder) -> None:
    with pytest.raises(InvalidSpec, match="has no weights yet"):
        parse(f"net:{folder.root}")


def test_a_file_is_a_file_whatever_its_name(tmp_path: Path) -> None:
    odd = tmp_path / "mine@best"
    odd.touch()
    assert settled(str(odd)) == str(odd)
    assert settled("user@host/best.safetensors") == "user@host/best.safetensors"
    assert settled("missing.safetensors") == "missing.safetensors"
