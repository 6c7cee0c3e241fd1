"""The presets of runs: YAML files in learner/presets that hold what differs from the defaults."""

from __future__ import annotations

from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Final

from gobang.errors import InvalidConfig, nearest
from gobang.settings import Values, parse_yaml, read_yaml

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

DEFAULT_PRESET: Final = "8x8"


def preset_names() -> list[str]:
    """The presets that come with the package, small boards first."""
    names = [entry.name.removesuffix(".yaml") for entry in _presets().iterdir() if entry.name.endswith(".yaml")]
    return sorted(names, key=lambda name: (len(name.split("x")[0]), name))


def load_preset(name: str) -> Values:
    """The values of a preset, or of a YAML file of one's own."""
    if name.endswith((".yaml", ".yml")):
        return read_yaml(Path(name))
    if name not in preset_names():
        raise InvalidConfig(f"preset {name!r}: {nearest(name, preset_names())}")
    return parse_yaml(_presets().joinpath(f"{name}.yaml").read_text(encoding="utf-8"), f"preset {name}")


def _presets() -> Traversable:
    return resources.files("learner").joinpath("presets")
