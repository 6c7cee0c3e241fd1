from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.wheel.environments import Environment, copy_sources, install_tools, make_environment
from tests.wheel.index import LocalIndex, served

TOOLS = ("build", "pipx", "trove-classifiers", "twine", "uv")


@pytest.fixture(scope="session")
def tools(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """An environment with the programs that publish and install packages."""
    return install_tools(make_environment(tmp_path_factory.mktemp("tools")), *TOOLS)


@pytest.fixture(scope="session")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copy_sources(tmp_path_factory.mktemp("sources"))


@pytest.fixture(scope="session")
def distributions(tools: Environment, sources: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The sdist of the tree, and the wheel that is built from the sdist, as the release workflow makes them."""
    folder = tmp_path_factory.mktemp("distributions")
    done = tools.run(f"python -m build --outdir {folder} {sources}")
    assert done.returncode == 0, done.stdout + done.stderr
    return sorted(folder.iterdir())


@pytest.fixture(scope="session")
def index(distributions: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalIndex]:
    with served(distributions, tmp_path_factory.mktemp("index")) as index:
        yield index


@pytest.fixture(scope="session")
def user(tools: Environment, index: LocalIndex, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """Somebody who has pipx and uv, and whose index is the local one."""
    return replace(tools, variables=index.variables(tmp_path_factory.mktemp("user")))
