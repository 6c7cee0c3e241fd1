"""The distribution: its name and version stand in one place in code, and its metadata agrees with the tree."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from setuptools.config.pyprojecttoml import read_configuration

from gobang.cli import main
from gobang.version import DISTRIBUTION, VERSION, requirement

ROOT = Path(__file__).parents[1]
PACKAGES = ("gobang", "actors", "learner", "evaluator")
PYPROJECT = read_configuration(ROOT / "pyproject.toml")
PROJECT = PYPROJECT["project"]


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


def test_the_page_on_an_index_has_no_links_into_the_repository() -> None:
    page = (ROOT / PROJECT["readme"]).read_text(encoding="utf8")
    assert re.findall(r"\]\((?!https?:)([^)]*)\)", page) == []


@pytest.mark.parametrize("package", PACKAGES)
def test_the_package_is_typed(package: str) -> None:
    assert (ROOT / package / "py.typed").exists()
    assert "py.typed" in PYPROJECT["tool"]["setuptools"]["package-data"][package]


def test_the_notice_names_every_kind_of_data_in_the_packages() -> None:
    notice = (ROOT / "NOTICE").read_text(encoding="utf8")
    named = [
        ROOT / path for path in re.findall(r"^(?=[a-z]+/)(.+)$", notice, re.MULTILINE) for path in path.split(", ")
    ]
    patterns = PYPROJECT["tool"]["setuptools"]["package-data"].items()
    data = [
        path for package, globs in patterns for glob in globs for path in (ROOT / package.replace(".", "/")).glob(glob)
    ]
    assert len(data) > 50
    assert [path for path in data if path.name != "py.typed" and not {path, *path.parents} & set(named)] == []
