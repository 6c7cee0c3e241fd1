"""The sdist and the wheel are whole, and an index would accept them; a part of `make short`."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from tests.wheel.environments import Environment

pytestmark = pytest.mark.wheel

PACKAGES = ("gobang", "actors", "learner", "evaluator")


def files(wheel: Path) -> list[str]:
    with zipfile.ZipFile(wheel) as archive:
        return sorted(archive.namelist())


def test_the_wheel_of_the_sdist_is_the_wheel_of_the_tree(
    tools: Environment, sources: Path, distributions: list[Path], tmp_path: Path
) -> None:
    done = tools.run(f"python -m build --wheel --outdir {tmp_path} {sources}")
    assert done.returncode == 0, done.stdout + done.stderr
    (of_tree,) = tmp_path.iterdir()
    wheel, _ = distributions
    assert files(wheel) == files(of_tree)


def test_the_wheel_has_every_file_of_the_packages(sources: Path, distributions: list[Path]) -> None:
    wheel, sdist = distributions
    assert (wheel.suffix, sdist.suffix) == (".whl", ".gz")
    ours = [name for name in files(wheel) if ".dist-info/" not in name]
    found = [path for package in PACKAGES for path in (sources / package).rglob("*") if path.is_file()]
    assert ours == sorted(str(path.relative_to(sources)) for path in found)


def test_the_wheel_has_the_licences(distributions: list[Path]) -> None:
    licences = [Path(name).name for name in files(distributions[0]) if "/licenses/" in name]
    assert licences == ["LICENSE", "NOTICE"]


def test_an_index_would_accept_both(tools: Environment, distributions: list[Path]) -> None:
    done = tools.run(f"twine check --strict {' '.join(map(str, distributions))}")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("PASSED") == 2


def test_an_index_knows_every_classifier(tools: Environment, distributions: list[Path]) -> None:
    with zipfile.ZipFile(distributions[0]) as archive:
        (metadata,) = (archive.read(name).decode() for name in archive.namelist() if name.endswith("/METADATA"))
    ours = {line.removeprefix("Classifier: ") for line in metadata.splitlines() if line.startswith("Classifier: ")}
    known = tools.run("python -c 'import trove_classifiers as t; print(*t.classifiers, sep=chr(10))'").stdout
    assert ours
    assert ours <= set(known.splitlines())
