from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gobang.errors import InvalidConfig
from gobang.options import plain
from gobang.settings import parse_yaml, write_yaml
from learner.run.config import RunConfig, read_config
from learner.run.presets import load_preset, preset_names

OTHERS = ["tiny", "paper5x5", "paper8x8", "paper11x11"]


def leaves(values: dict[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in values.items():
        if isinstance(value, dict):
            yield from leaves(value, f"{above}{name}.")
        else:
            yield above + name, value


def test_all_presets_are_there():
    assert preset_names() == ["5x5", "6x6", "8x8", "11x11", "15x15", "15x15-blocks", *OTHERS]


@pytest.mark.parametrize("name", preset_names())
def test_a_preset_is_sound_and_holds_only_what_differs(name):
    values = load_preset(name)
    config = read_config(values)
    config.check()
    defaults = dict(leaves(plain(RunConfig())))
    assert [key for key, value in leaves(values) if defaults.get(key) == value] == []
    assert read_config(parse_yaml(write_yaml(config), "resolved")) == config


def test_an_unknown_preset_is_named_with_its_neighbour() -> None:
    with pytest.raises(InvalidConfig, match="preset '8x9': did you mean"):
        load_preset("8x9")


def test_a_file_of_ones_own_is_a_preset(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("trainer: {weight_decay: 0.1}\n")
    assert load_preset(str(path)) == {"trainer": {"weight_decay": 0.1}}
