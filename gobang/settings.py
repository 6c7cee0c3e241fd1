"""Settings from YAML and the command line into frozen dataclasses, strictly.

    values = load_preset("8x8")                              # only what differs from the defaults
    assign(values, "trainer.weight_decay=1e-3")
    settings = read_settings(RunConfig(), values)            # InvalidConfig names key, value and neighbour

A key is known if a dataclass has it.  Nothing is converted but whole numbers to floats and lists
to tuples, so that a mistake is refused rather than guessed at.
"""

from __future__ import annotations

import difflib
import re
import types
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from importlib import resources
from pathlib import Path
from typing import Any, Final, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

import yaml

from gobang.errors import GobangError, InvalidConfig, nearest

Settings = TypeVar("Settings")
Values = dict[str, Any]  # nested, as YAML gives it

_EXPONENT: Final = re.compile(r"^[-+]?\d+(?:\.\d*)?[eE][-+]?\d+$")
_UNION: Final = (Union, types.UnionType)


def read_settings(default: Settings, values: Mapping[str, Any]) -> Settings:
    """The dataclass `default` with nested `values` in place of its own."""
    settings: Settings = _read_section(default, values, "", tuple(keys_of(type(default))))
    return settings


def plain(settings: Any) -> Any:
    """The settings as YAML can hold them; `read_settings` takes them back."""
    if is_dataclass(settings):
        return {entry.name: plain(getattr(settings, entry.name)) for entry in fields(settings)}
    if isinstance(settings, Mapping):
        return {key: plain(value) for key, value in settings.items()}
    return [plain(value) for value in settings] if isinstance(settings, tuple) else settings


def keys_of(kind: type[Any], above: str = "") -> Iterator[str]:
    """All keys with their sections, e.g. `trainer.loss.result_share`."""
    hints = get_type_hints(kind)
    for entry in fields(kind):
        yield above + entry.name
        if is_dataclass(hints[entry.name]):
            yield from keys_of(hints[entry.name], f"{above}{entry.name}.")


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


def read_yaml(path: Path) -> Values:
    """The values of a YAML file."""
    try:
        return parse_yaml(path.read_text(encoding="utf-8"), str(path))
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidConfig(f"{path}: {error}") from error


def parse_yaml(text: str, source: str) -> Values:
    """The values in a YAML text of nested keys; `source` is for messages."""
    try:
        values = yaml.load(text, _StrictLoader)
    except yaml.YAMLError as error:
        raise InvalidConfig(f"{source}: {' '.join(str(error).split())}") from error
    if values is None:
        return {}
    if not isinstance(values, dict):
        raise InvalidConfig(f"{source}: keys with values, not {values!r}")
    return values


def write_yaml(settings: Any) -> str:
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


def _presets() -> Any:
    return resources.files("learner").joinpath("presets")


def _read(hint: Any, value: Any, default: Any, where: str, known: tuple[str, ...]) -> Any:
    if is_dataclass(hint):
        return _read_section(default, value, where, known)
    if get_origin(hint) is tuple:
        return _read_tuple(hint, value, where, known)
    if not _has_type(value, hint):
        raise InvalidConfig(f"{where} is {value!r}, not {_describe(hint)}")
    return float(value) if hint is float else value


def _read_section(default: Any, values: Any, where: str, known: tuple[str, ...]) -> Any:
    if not isinstance(values, Mapping):
        raise InvalidConfig(f"{where} is {values!r}, not keys with values")
    hints = get_type_hints(type(default))
    read = {}
    for name, value in values.items():
        full = f"{where}.{name}" if where else str(name)
        if name not in hints:
            raise InvalidConfig(f"there is no key {full!r}; {_suggest(full, known)}")
        read[name] = _read(hints[name], value, getattr(default, name), full, known)
    try:
        return replace(default, **read)
    except GobangError as error:
        raise InvalidConfig(f"{where}: {error}" if where else str(error)) from error


def _read_tuple(hint: Any, value: Any, where: str, known: tuple[str, ...]) -> Any:
    if not isinstance(value, Sequence) or isinstance(value, str):
        raise InvalidConfig(f"{where} is {value!r}, not a list")
    inner = get_args(hint)
    hints = [inner[0]] * len(value) if inner[1:] == (...,) else list(inner)
    if len(hints) != len(value):
        raise InvalidConfig(f"{where} is {value!r}, not a list of {len(hints)}")
    return tuple(
        _read(entry, item, None, f"{where}[{index}]", known)
        for index, (entry, item) in enumerate(zip(hints, value, strict=True))
    )


def _suggest(full: str, known: tuple[str, ...]) -> str:
    """The keys most like one that does not exist: beside it, elsewhere by its last name, or all beside it."""
    section, _, name = full.rpartition(".")
    beside = [key.rpartition(".")[2] for key in known if key.rpartition(".")[0] == section]
    close = [f"{section}.{near}".lstrip(".") for near in difflib.get_close_matches(name, beside, n=1)]
    by_name = {key.rpartition(".")[2]: key for key in known}
    close = close or [by_name[near] for near in difflib.get_close_matches(name, by_name, n=1)]
    return f"did you mean {' or '.join(close)}?" if close else f"known are {', '.join(sorted(beside))}"


def _has_type(value: object, hint: Any) -> bool:
    if get_origin(hint) in _UNION:
        return any(_has_type(value, choice) for choice in get_args(hint))
    if get_origin(hint) is Literal:
        return value in get_args(hint)
    if hint is type(None):
        return value is None
    if isinstance(value, bool) or hint is bool:
        return isinstance(value, bool) and hint is bool
    if hint is float:
        return isinstance(value, int | float)
    return isinstance(value, get_origin(hint) or hint)


def _describe(hint: Any) -> str:
    if get_origin(hint) in _UNION:
        return " or ".join(_describe(choice) for choice in get_args(hint))
    if get_origin(hint) is Literal:
        return f"one of {', '.join(map(str, get_args(hint)))}"
    words = {bool: "true or false", int: "a whole number", float: "a number", str: "text", type(None): "null"}
    return words.get(hint, "keys with values")


class _StrictLoader(yaml.SafeLoader):
    """YAML that refuses a key given twice, and reads 1e-3 as the number that it is."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        """The mapping, unless a key stands in it twice."""
        keys = [self.construct_object(key, deep=deep) for key, _ in node.value]
        for key in keys:
            if keys.count(key) > 1:
                raise yaml.constructor.ConstructorError(None, None, f"key {key!r} is given twice", node.start_mark)
        mapping: dict[Hashable, Any] = super().construct_mapping(node, deep)
        return mapping


_StrictLoader.add_implicit_resolver("tag:yaml.org,2002:float", _EXPONENT, list("-+0123456789"))
