"""The networks that have a name, from presets.yaml, and how settings choose one of them."""

from __future__ import annotations

from functools import lru_cache
from importlib import resources

from gobang.errors import InvalidConfig, nearest
from gobang.network.spec import NetworkSpec
from gobang.settings import Values, parse_yaml


@lru_cache(maxsize=1)
def _entries() -> Values:
    return parse_yaml(resources.files("gobang.network").joinpath("presets.yaml").read_text("utf-8"), "presets.yaml")


def preset_names() -> list[str]:
    """All names, in the order of the file."""
    return list(_entries())


def preset(name: str) -> NetworkSpec:
    """The network of a name such as `gobang_4x64`, for no particular board yet."""
    if name not in _entries():
        raise InvalidConfig(f"network {name!r}: {nearest(name, _entries())}")
    return NetworkSpec.from_dict(_entries()[name])


def with_network(values: Values) -> Values:
    """Settings in which `network` holds keys and values: those of a preset if it is a name.

    Where it names an architecture and no options, these are the architecture's own defaults.
    """
    network = values.get("network")
    if isinstance(network, str):
        return {**values, "network": preset(network).to_dict()}
    if isinstance(network, dict) and "architecture" in network:
        return {**values, "network": {"options": {}, **network}}
    return values
