"""Every command of the README in the built wheel, with and without extras; run by `make wheel-test`."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gobang.commands import COMMANDS
from tests.wheel.environments import ROOT, Environment, build_wheel, install, make_environment

pytestmark = pytest.mark.wheel

HAS_ALL = "all"
EXTRAS = ("", "actor", HAS_ALL)  # each brings what those before it bring
TYPED = {"play": "quit\n", "gomocup": "END\n"}
# The same command with less to do, without a cluster, and with weights that are there.
SHORTER = (
    (r'^make train(?: ARGS="(.*)")?$', r"gobang train \1"),
    (r"^(gobang train.*)$", r"\1 --minutes 0.1"),
    (r"--actors \d+", "--actors 1"),
    (r" --address auto", ""),
    (r"^(gobang match.*)$", r"\1 --games 2"),
    (r"\bsims=\d+", "sims=4"),
    (r"\bms=\d+", "ms=50"),
    (r"net:runs/[^, ]+", "net:builtin-8x8"),
)


def readme_commands() -> list[str]:
    """Those in code blocks, and those in the text that have arguments; a bare name is no command line."""
    text = (ROOT / "README.md").read_text(encoding="utf8")
    blocks = re.findall(r"^(?:\$ | {4})((?:make train|gobang)\b.*?)(?: +#.*)?$", text, re.MULTILINE)
    return sorted({*blocks, *re.findall(r"`((?:make train|gobang \w+) [^`]+)`", text)})


def shorter(command: str) -> str:
    for pattern, replacement in SHORTER:
        command = re.sub(pattern, replacement, command)
    return command


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_wheel(tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    return make_environment(tmp_path_factory.mktemp("environment"))


@pytest.fixture(scope="module", params=EXTRAS, ids=lambda extra: extra or "plain")
def environment(request: pytest.FixtureRequest, wheel: Path, empty: Environment) -> Environment:
    """One that grows, so that what is installed and compiled for the plain install serves the extras."""
    return install(wheel, request.param, empty)


@pytest.mark.parametrize("command", readme_commands())
def test_a_command_works_or_names_its_extra(environment: Environment, command: str) -> None:
    name = shorter(command).split()[1]
    extra = COMMANDS[name].extra
    done = environment.run(shorter(command), TYPED.get(name, ""))
    if not extra or environment.extra == HAS_ALL:
        assert done.returncode == 0, done.stdout + done.stderr
    else:
        assert done.returncode == 2
        assert re.fullmatch(
            rf"gobang {name}: error: this needs \w+, .*pip install 'gobang-zero\[{extra}\]'\n", done.stderr
        )


def test_every_command_explains_itself(environment: Environment) -> None:
    for name in COMMANDS:
        done = environment.run(f"gobang {name} --help")
        assert (done.returncode, done.stderr) == (0, "")


def test_what_the_package_reads_is_in_the_wheel(environment: Environment) -> None:
    exact = environment.run("gobang exact --player random --size 5 --k 4")
    assert exact.returncode == 0, exact.stderr
    engine = environment.run("gobang gomocup", "START 15\nBEGIN\nEND\n")
    assert re.fullmatch(r"OK\s+\d+,\d+\s+", engine.stdout), engine.stderr


def test_no_torch_where_nothing_trains(environment: Environment) -> None:
    found = environment.run("python -c 'import torch'").returncode == 0
    assert found == (environment.extra == HAS_ALL)
