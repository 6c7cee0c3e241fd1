"""All that the pages name in the code is there: commands, modules, files, settings."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest

from gobang.cli import COMMANDS
from gobang.options import keys_of
from learner.paper.config import PaperConfig
from learner.run.config import RunConfig
from learner.run.presets import preset_names
from tests.docs.pages import PAGES, ROOT, name, text

FREE = ("network.options.",)  # keys that depend on the architecture

pytestmark = pytest.mark.parametrize("page", PAGES, ids=name)


def test_commands_exist(page: Path) -> None:
    for command in re.findall(r"(?:`|^ {4}|\$ )gobang ([a-z]+)", text(page), re.MULTILINE):
        assert command in COMMANDS
    for module in re.findall(r"python -m ([\w.]*\w)", text(page)):
        assert importlib.util.find_spec(module) is not None, module


def test_files_exist(page: Path) -> None:
    for path in re.findall(r"`((?:gobang|actors|learner|evaluator|tests|docs|\.ci)/[\w./-]+)`", text(page)):
        assert (ROOT / path).exists(), path


def test_settings_and_presets_exist(page: Path) -> None:
    known = {*keys_of(RunConfig), *keys_of(PaperConfig)}
    rows = [row for row in text(page).split("| setting | meaning |")[1:] for row in row.split("\n\n")[0].splitlines()]
    in_table = [key for row in rows for key in re.findall(r"`([a-z][\w.]*)`", "".join(row.split("|")[1:2]))]
    for key in [*in_table, *re.findall(r"--set '?([a-z][\w.]*)=", text(page))]:
        assert key in known or key.startswith(FREE), key
    for preset in re.findall(r"--preset ([\w.]+)", text(page)):
        assert preset in (*preset_names(), "NAME"), preset
