"""The workflows pin what they use, and the release gives its rights to one step that builds nothing."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[1]
FILES = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
PINNED = re.compile(r"uses: (?:\./\S+|[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+)")


def jobs() -> dict[str, Any]:
    return yaml.safe_load((ROOT / ".github/workflows/release.yml").read_text(encoding="utf8"))["jobs"]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_every_action_is_pinned_by_its_commit(path: Path) -> None:
    used = re.findall(r"uses: .*", path.read_text(encoding="utf8"))
    assert used
    assert [line for line in used if not PINNED.fullmatch(line)] == []


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_no_workflow_has_a_secret_or_more_rights_than_it_needs(path: Path) -> None:
    text = path.read_text(encoding="utf8")
    assert "secrets" not in text
    assert yaml.safe_load(text)["permissions"] in ({}, {"contents": "read"})


def test_one_job_may_publish_and_builds_nothing() -> None:
    rights = {name: job.get("permissions", {}) for name, job in jobs().items()}
    assert [name for name, given in rights.items() if set(given.values()) - {"read"}] == ["publish"]
    publish = jobs()["publish"]
    assert publish["permissions"] == {"id-token": "write"}
    assert publish["environment"] == "pypi"
    assert [step["uses"].partition("@")[0] for step in publish["steps"]] == [
        "actions/download-artifact",
        "pypa/gh-action-pypi-publish",
    ]


def test_what_is_published_was_built_checked_and_tried() -> None:
    needs = {name: job.get("needs", []) for name, job in jobs().items()}
    assert set(needs["publish"]) == {"checks", "try"}
    assert needs["try"] == "build"
    names = {
        job: [step["with"]["name"] for step in jobs()[job]["steps"] if "artifact" in step.get("uses", "")]
        for job in needs
        if job != "checks"
    }
    assert names == {job: ["distributions"] for job in names}


@pytest.mark.parametrize(
    ("tag", "heading", "passes"),
    [
        ("v1.2.3", "## [1.2.3] - 2026-12-01", True),
        ("v1.2.4", "## [1.2.3] - 2026-12-01", False),
        ("1.2.3", "## [1.2.3] - 2026-12-01", False),
        ("v1.2.3", "## [1.2.3] - unreleased", False),
    ],
)
def test_a_tag_that_is_not_ready_stops_the_release(tag: str, heading: str, passes: bool, tmp_path: Path) -> None:
    (script,) = [step["run"] for step in jobs()["build"]["steps"] if "GITHUB_REF_NAME" in step.get("run", "")]
    (tmp_path / "gobang").mkdir()
    (tmp_path / "gobang" / "__init__.py").touch()
    (tmp_path / "gobang" / "version.py").write_text('VERSION = "1.2.3"\n')
    (tmp_path / "CHANGELOG.md").write_text(f"# Changelog\n\n{heading}\n")
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {"PATH": path, "GITHUB_REF_NAME": tag, "PYTHONPATH": str(tmp_path)}
    done = subprocess.run(["bash", "-e", "-c", script], cwd=tmp_path, env=environment, capture_output=True)
    assert (done.returncode == 0) == passes
