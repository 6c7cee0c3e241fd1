"""Settings as YAML: files, and single assignments of the command line.

values = read_yaml(Path("10x10.yaml"))                   # only what differs from the defaults
assign(values, "trainer.weight_decay=1e-3")
settings = read_settings(RunConfig(), values)            # see gobang.options
"""

from __future__ import annotations

import re
from collections.abc import Hashable
from pathlib import Path
from typing import Any, Final

import yaml

from gobang.errors import InvalidConfig
from gobang.files import read_text
from gobang.options import plain

Values = dict[str, Any]  # nested, as YAML gives it

_MOST_VALUES: Final = 100_000  # of a text, with each alias counted as what it stands for
_LONGEST_REASON: Final = 200  # characters
_EXPONENT: Final = re.compile(r"^[-+]?\d+(?:\.\d*)?[eE][-+]?\d+$")


def read_yaml(path: Path) -> Values:
    """Return the values of a YAML file; raise InvalidConfig."""
    try:
        return parse_yaml(read_text(path), str(path))
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidConfig(f"{path}: {error}") from error


def parse_yaml(text: str, source: str) -> Values:
    """The values in a YAML text of nested keys; `source` is for messages."""
    try:
        values = yaml.load(text, _StrictLoader)
    except yaml.YAMLError as error:
        raise InvalidConfig(f"{source}: {' '.join(str(error).split())}") from error
    except RecursionError as error:
        raise InvalidConfig(f"{source}: nested too deeply") from error
    except ValueError as error:  # a number of thousands of digits, a date that does not exist
        raise InvalidConfig(f"{source}: {str(error)[:_LONGEST_REASON]}") from error
    if values is None:
        return {}
    if not isinstance(values, dict):
        raise InvalidConfig(f"{source}: keys with values, not {values!r}")
    return values


def write_yaml(settings: object) -> str:
    """All settings as YAML, defaults included."""
    text: str = yaml.safe_dump(plain(settings), sort_keys=False, default_flow_style=None, width=100)
    return text


def assign(values: Values, assignment: str) -> None:
    """Put `trainer.weight_decay=1e-3` in its place in the nested values."""
    key, equals, text = assignment.partition("=")
    if not equals or not key.strip():
        raise InvalidConfig(f"setting {assignment!r}: write it as key=value, e.g. trainer.weight_decay=1e-3")
    *sections, name = key.strip().split(".")
    for section in sections:
        inner = values.setdefault(section, {})
        if not isinstance(inner, dict):
            raise InvalidConfig(f"setting {assignment!r}: {section} is {inner!r} and has no keys")
        values = inner
    values[name] = parse_yaml(f"value: {text}", f"setting {assignment!r}")["value"]


class _StrictLoader(yaml.SafeLoader):
    """YAML that refuses a key given twice and endless aliases, and reads 1e-3 as a number."""

    def construct_document(self, node: yaml.Node) -> object:
        """Return the value of a text; aliases of aliases would be endless once they are written out."""
        if _count_values(node, {}) > _MOST_VALUES:
            raise yaml.constructor.ConstructorError(None, None, f"more than {_MOST_VALUES} values", node.start_mark)
        return super().construct_document(node)

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        """Return the mapping, unless a key stands in it twice."""
        seen: set[str] = set()
        for key in (str(key.value) for key, _ in node.value):
            if key in seen:
                raise yaml.constructor.ConstructorError(None, None, f"key {key!r} is given twice", node.start_mark)
            seen.add(key)
        mapping: dict[Hashable, Any] = super().construct_mapping(node, deep)
        return mapping


def _count_values(node: yaml.Node, counts: dict[int, int]) -> int:
    """Return how many values a node stands for; `counts` holds those of nodes that were seen."""
    if id(node) not in counts:
        counts[id(node)] = _MOST_VALUES + 1  # of a node that holds itself
        parts = [part for pair in node.value for part in pair] if isinstance(node, yaml.MappingNode) else node.value
        inner = [] if isinstance(node, yaml.ScalarNode) else parts
        counts[id(node)] = 1 + sum(_count_values(part, counts) for part in inner)
    return counts[id(node)]


_StrictLoader.add_implicit_resolver("tag:yaml.org,2002:float", _EXPONENT, list("-+0123456789"))
