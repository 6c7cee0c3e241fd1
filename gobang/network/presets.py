"""The networks that have a name, from presets.yaml."""

from __future__ import annotations

from functools import lru_cache
from importlib import resources
from typing import Any

import yaml

from gobang.errors import InvalidConfig, nearest
from gobang.network.spec import NetworkSpec


@lru_cache(maxsize=1)
def _entries() -> dict[str, dict[str, Any]]:
    text = resources.files("gobang.network").joinpath("presets.yaml").read_text(encoding="utf-8")
    entries: dict[str, dict[str, Any]] = yaml.safe_load(text)
    return entries


def preset_names() -> list[str]:
    """All names, in the order of the file."""
    return list(_entries())


def preset(name: str) -> NetworkSpec:
    """The network of a name such as `gobang_4x64`, for no particular board yet."""
    if name not in _entries():
        raise InvalidConfig(f"network {name!r}: {nearest(name, _entries())}")
    return NetworkSpec.from_dict(_entries()[name])
