import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gobang.settings import keys_of, load_preset, parse_yaml, plain, preset_names, read_settings, write_yaml
from learner.run.config import RunConfig

ROOT = Path(__file__).parents[2]


def leaves(values: dict[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in values.items():
        if isinstance(value, dict):
            yield from leaves(value, f"{above}{name}.")
        else:
            yield above + name, value


def names_read(path: Path) -> set[str]:
    """Attributes that a module reads outside of the checks of its own configs."""
    tree = ast.parse(path.read_text())
    checks = {
        id(node)
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef) and function.name == "__post_init__"
        for node in ast.walk(function)
    }
    attributes = (node for node in ast.walk(tree) if isinstance(node, ast.Attribute) and id(node) not in checks)
    return {node.attr for node in attributes if isinstance(node.ctx, ast.Load)}


def test_all_presets_are_there():
    assert preset_names() == ["5x5", "6x6", "8x8", "11x11", "15x15", "tiny", "paper8x8"]


@pytest.mark.parametrize("name", preset_names())
def test_a_preset_is_sound_and_holds_only_what_differs(name):
    values = load_preset(name)
    config = read_settings(RunConfig(), values)
    config.check()
    defaults = dict(leaves(plain(RunConfig())))
    assert [key for key, value in leaves(values) if defaults.get(key) == value] == []
    assert read_settings(RunConfig(), parse_yaml(write_yaml(config), "resolved")) == config


def test_every_key_is_read_by_code():
    sources = [
        path for package in ("gobang", "actors", "learner", "evaluator") for path in (ROOT / package).rglob("*.py")
    ]
    read = set().union(*map(names_read, sources))
    assert [key for key in keys_of(RunConfig) if key.rpartition(".")[2] not in read] == []
