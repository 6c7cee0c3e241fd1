"""The distribution's name and version each stand in one place in code, and pyproject.toml agrees with them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from setuptools.config.pyprojecttoml import read_configuration

from gobang.cli import main
from gobang.version import DISTRIBUTION, VERSION, requirement

ROOT = Path(__file__).parents[1]
PACKAGES = ("gobang", "actors", "learner", "evaluator")
PROJECT = read_configuration(ROOT / "pyproject.toml")["project"]


def test_pyproject_reads_the_version_from_the_code() -> None:
    assert PROJECT["dynamic"] == ["version"]
    assert PROJECT["version"] == VERSION


def test_pyproject_has_the_name_of_the_code() -> None:
    assert PROJECT["name"] == DISTRIBUTION


def test_no_other_module_writes_the_name() -> None:
    modules = [path for package in PACKAGES for path in (ROOT / package).rglob("*.py")]
    writers = [path for path in modules if DISTRIBUTION in path.read_text(encoding="utf8")]
    assert writers == [ROOT / "gobang" / "version.py"]


def test_extras_require_each_other_by_the_name_of_the_distribution() -> None:
    requirements = [line for lines in PROJECT["optional-dependencies"].values() for line in lines]
    ours = [line for line in requirements if re.match(r"gobang", line)]
    assert ours
    assert all(line.startswith(f"{DISTRIBUTION}[") for line in ours)


def test_the_command_has_an_alias_of_the_name_of_the_distribution() -> None:
    assert PROJECT["scripts"] == {"gobang": "gobang.cli:main", DISTRIBUTION: "gobang.cli:main"}


def test_a_requirement_names_the_extra() -> None:
    assert (requirement(), requirement("train")) == ("gobang-zero", "gobang-zero[train]")


def test_the_command_prints_the_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"gobang {VERSION}\n"
