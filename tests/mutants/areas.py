"""The parts of the source that are mutated, and the quick tests that have to notice it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final


@dataclass(frozen=True, kw_only=True, slots=True)
class Area:
    """A part of the source with its tests, as glob patterns below the root of the tree."""

    sources: tuple[str, ...]
    tests: tuple[str, ...]
    without: tuple[str, ...] = ()  # tests that are slow, or that start many processes

    def source_files(self, root: Path) -> list[Path]:
        """Return the files to mutate, relative to the root; leave out the markers of packages."""
        return [path for path in _found(root, self.sources) if path.name != "__init__.py"]

    def test_files(self, root: Path) -> list[Path]:
        """Return the files of tests, relative to the root."""
        without = set(_found(root, self.without))
        return [path for path in _found(root, self.tests) if path not in without]


def _found(root: Path, patterns: tuple[str, ...]) -> Iterator[Path]:
    for pattern in patterns:
        yield from (path.relative_to(root) for path in sorted(root.glob(pattern)))


AREAS: Final[dict[str, Area]] = {
    "actors/wire": Area(
        sources=("actors/wire/*.py",), tests=("tests/actors/wire/test_*.py", "tests/actors/server/test_inference.py")
    ),
    "learner/replay/pool": Area(sources=("learner/replay/pool/*.py",), tests=("tests/learner/replay/pool/test_*.py",)),
    "evaluator/judging": Area(
        sources=("evaluator/judging/*.py",),
        tests=("tests/evaluator/judging/test_*.py",),
        without=("tests/evaluator/judging/test_killed_judge.py",),
    ),
    "learner/training": Area(
        sources=("learner/training/checkpoints.py", "learner/training/training_state.py", "learner/training/fence.py"),
        tests=tuple(f"tests/learner/training/test_{name}.py" for name in ("checkpoints", "training_state", "fence")),
    ),
    "gobang/web": Area(sources=("gobang/web/*.py",), tests=("tests/web/test_*.py",)),
    "gobang/gomocup": Area(
        sources=("gobang/gomocup/*.py",),
        tests=("tests/gomocup/test_*.py",),
        without=("tests/gomocup/test_cold_start.py",),
    ),
}
