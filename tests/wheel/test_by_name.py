"""The project installs by its name from an index, by pip, pipx and uv, and never asks for a stranger's package."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from gobang.version import DISTRIBUTION, VERSION
from tests.wheel.environments import Environment, make_environment
from tests.wheel.index import LocalIndex

pytestmark = pytest.mark.wheel

STRANGER = "gobang"


@pytest.mark.parametrize(
    "command",
    [
        f"uvx {DISTRIBUTION} --version",
        f"uvx --from {DISTRIBUTION} gobang --version",
        f"pipx run {DISTRIBUTION} --version",
        f"pipx run --spec {DISTRIBUTION} gobang --version",
    ],
)
def test_it_runs_without_being_installed(user: Environment, index: LocalIndex, command: str) -> None:
    done = user.run(command)
    assert (done.returncode, done.stdout) == (0, f"gobang {VERSION}\n"), done.stderr
    assert f"gobang_zero-{VERSION}-py3-none-any.whl" in index.asked


def test_a_game_begins_by_uvx(user: Environment) -> None:
    done = user.run(f"uvx {DISTRIBUTION} play --size 5 --k 4", "quit\n")
    assert done.returncode == 0, done.stderr
    assert "against net" in done.stdout


def test_extras_bring_what_their_command_needs(user: Environment) -> None:
    extras = f"{DISTRIBUTION}[web,actor]"
    plain = user.run(f"uvx --from {DISTRIBUTION} gobang web --run nothing")
    assert f"is not installed: pip install '{extras}'" in plain.stderr
    full = user.run(f"uvx --from '{extras}' gobang web --run nothing")
    assert "nothing is not the folder of a run" in full.stderr


def test_pip_installs_it(index: LocalIndex, tmp_path: Path) -> None:
    empty = replace(make_environment(tmp_path), variables=index.variables(tmp_path))
    done = empty.run(f"pip install {DISTRIBUTION}")
    assert done.returncode == 0, done.stdout + done.stderr
    for script in ("gobang", DISTRIBUTION):
        done = empty.run(f"{script} exact --player random --size 5 --k 4")
        assert done.returncode == 0, done.stderr


def test_no_extra_asks_for_the_stranger(user: Environment, index: LocalIndex) -> None:
    wanted = user.folder / "wanted.txt"
    wanted.write_text(f"{DISTRIBUTION}[dev]\n", encoding="utf8")
    done = user.run(f"uv pip compile {wanted}")
    assert done.returncode == 0, done.stderr
    assert f"\n{DISTRIBUTION}=={VERSION}\n" in done.stdout
    assert "torch" in index.asked
    assert STRANGER not in index.asked
