"""Options: how they are declared, and the one reader of what YAML, the command line and texts say of them.

    @dataclass(frozen=True, kw_only=True, slots=True)
    class Brush(Options):
        width: float = option(1.0, "of a stroke, in mm", minimum=0.1, maximum=60)

    read_options(Brush, {"width": 3})                   # InvalidConfig names key, value, range and neighbour
    read_settings(RunConfig(), {"game": {"k": 4}})      # the same into sections, on top of given defaults

A key is known if a dataclass has it, declared by `option` or as a plain field.  Nothing is converted but whole
numbers to floats and lists to tuples, so that a mistake is refused rather than guessed at.
"""

from __future__ import annotations

import difflib
import math
import types
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields, is_dataclass, replace
from functools import cache
from typing import Any, Final, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from gobang.errors import GobangError, InvalidConfig
from gobang.numbers import read_number, read_whole

Default = TypeVar("Default")
Settings = TypeVar("Settings")

_UNION: Final = (Union, types.UnionType)
_WORDS: Final = {"on": True, "off": False, "null": None}


@dataclass(frozen=True, kw_only=True, slots=True)
class Range:
    """The numbers that an option may be, e.g. `Range(minimum=1, maximum=64)`; NaN is in none."""

    minimum: float = -math.inf
    maximum: float = math.inf

    def __contains__(self, number: float) -> bool:
        return self.minimum <= number <= self.maximum

    def __str__(self) -> str:
        if self.maximum < math.inf:
            return f"{self.minimum} to {self.maximum}"
        return f"at least {self.minimum}" if self.minimum > -math.inf else ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Option:
    """A declared option, e.g. of `sims: int = option(400, "simulations per move", minimum=1, maximum=10**7)`."""

    name: str
    type: object  # as annotated, e.g. `int | None`, `Literal["a", "b"]`, a dataclass
    default: object  # MISSING where there is none, or where each gets a fresh one
    is_required: bool
    meaning: str = ""
    range: Range = Range()  # of a number
    instead_of: str = ""  # name of the option that must not be given together with this one
    rest: bool = False  # of a text it is all that follows the colon, commas included

    def domain(self) -> str:
        """The values that it may have, in words, e.g. "a whole number (1 to 64) or null"."""
        return _describe(self.type, self.range)

    def values(self) -> str:
        """The same for a table: range or choices alone, e.g. "1 to 64"."""
        return str(self.range) or self.domain().removeprefix("one of ")

    def parse(self, text: str) -> object:
        """Return the plain value of a text; the text itself if it is not of the option's type."""
        kinds = get_args(self.type) if get_origin(self.type) in _UNION else (self.type,)
        if text in _WORDS and type(_WORDS[text]) in kinds:
            return _WORDS[text]
        number: float | None = read_whole(text) if int in kinds else None
        if number is None and float in kinds:
            number = read_number(text)
        return text if number is None else number

    def show(self, value: object) -> str:
        """The text that `parse` takes back to the value."""
        for word, meant in _WORDS.items():
            if value is meant:
                return word
        return f"{value:g}" if isinstance(value, float) and float(f"{value:g}") == value else str(value)

    def check(self, value: object, where: str = "") -> None:
        """Raise InvalidConfig unless the value has the option's type and lies in its range."""
        if not _fits(value, self.type, self.range):
            raise InvalidConfig(f"{where or self.name} is {value!r}, not {self.domain()}")


@dataclass(frozen=True, kw_only=True, slots=True)
class Options:
    """Base of dataclasses that refuse a value out of its declared range, wherever it comes from."""

    # Subclasses call this by the class's name: super() does not work in slotted dataclasses.
    def __post_init__(self) -> None:
        for declared in declarations(type(self)):
            value = getattr(self, declared.name)
            declared.check(value)
            if declared.instead_of and None not in (value, getattr(self, declared.instead_of)):
                raise InvalidConfig(f"{declared.name} and {declared.instead_of} exclude each other")


def option(
    default: Default, meaning: str, *, minimum: float = -math.inf, maximum: float = math.inf, instead_of: str = ""
) -> Default:
    """Declare a field; the bounds are those of a number."""
    bounds = Range(minimum=minimum, maximum=maximum)
    return field(default=default, metadata={"meaning": meaning, "range": bounds, "instead_of": instead_of})


def argument(meaning: str, *, rest: bool = False) -> Any:
    """Declare a field that must be given; in a text it stands bare after the colon."""
    return field(metadata={"meaning": meaning, "rest": rest})


def declarations(kind: type[object]) -> tuple[Option, ...]:
    """The options of a dataclass: what must be given first, then in the order of declaration."""
    return _declarations(cast(Hashable, kind))  # mypy does not see that classes are


@cache
def _declarations(kind: Any) -> tuple[Option, ...]:
    hints = get_type_hints(kind)
    declared = [
        Option(
            name=each.name,
            type=hints[each.name],
            default=each.default,
            is_required=each.default is MISSING and each.default_factory is MISSING,
            **each.metadata,
        )
        for each in fields(kind)
    ]
    return tuple(sorted(declared, key=lambda each: not each.is_required))


def keys_of(kind: type[object], above: str = "") -> Iterator[str]:
    """All keys with their sections, e.g. `trainer.loss.result_share`."""
    for each in declarations(kind):
        yield above + each.name
        if isinstance(each.type, type) and is_dataclass(each.type):
            yield from keys_of(each.type, f"{above}{each.name}.")


def read_options(kind: type[Settings], values: object, where: str = "") -> Settings:
    """The dataclass made of the keys and values in `values`; `where` is the key of all of it, for messages."""
    return _read_section(kind, None, values, where, _known(kind, where))


def read_settings(default: Settings, values: object) -> Settings:
    """The dataclass `default` with nested `values` in place of those it has."""
    return _read_section(type(default), default, values, "", _known(type(default), ""))


def _known(kind: type[object], where: str) -> tuple[str, ...]:
    return tuple(keys_of(kind, f"{where}." if where else ""))


def _read_section(
    kind: type[Settings], default: Settings | None, values: object, where: str, known: tuple[str, ...]
) -> Settings:
    if not isinstance(values, Mapping):
        raise InvalidConfig(f"{where} is {values!r}, not keys with values")
    declared = {each.name: each for each in declarations(kind)}
    read = {}
    for name, value in values.items():
        full = f"{where}.{name}" if where else str(name)
        if name not in declared:
            raise InvalidConfig(f"there is no key {full!r}; {_suggest(full, known)}")
        read[name] = _read(declared[name], getattr(default, name, None), value, full, known)
    try:
        return kind(**read) if default is None else replace(default, **read)  # type: ignore[type-var]
    except GobangError as error:
        raise InvalidConfig(f"{where}: {error}" if where else str(error)) from error


def _read(declared: Option, default: object, value: object, where: str, known: tuple[str, ...]) -> object:
    if isinstance(declared.type, type) and is_dataclass(declared.type):
        return _read_section(declared.type, default, value, where, known)
    if get_origin(declared.type) is tuple:
        return _read_tuple(declared, value, where, known)
    declared.check(value, where)
    return float(value) if declared.type is float and isinstance(value, int) else value


def _read_tuple(declared: Option, value: object, where: str, known: tuple[str, ...]) -> tuple[object, ...]:
    if not isinstance(value, Sequence) or isinstance(value, str):
        raise InvalidConfig(f"{where} is {value!r}, not a list")
    inner = get_args(declared.type)
    kinds = [inner[0]] * len(value) if inner[1:] == (...,) else list(inner)
    if len(kinds) != len(value):
        raise InvalidConfig(f"{where} is {value!r}, not a list of {len(kinds)}")
    return tuple(
        _read(replace(declared, type=kind), None, item, f"{where}[{index}]", known)
        for index, (kind, item) in enumerate(zip(kinds, value, strict=True))
    )


def _suggest(full: str, known: tuple[str, ...]) -> str:
    """The keys most like one that does not exist: beside it, elsewhere by its last name, or all beside it."""
    section, _, name = full.rpartition(".")
    beside = [key.rpartition(".")[2] for key in known if key.rpartition(".")[0] == section]
    close = [f"{section}.{near}".lstrip(".") for near in difflib.get_close_matches(name, beside, n=1)]
    by_name = {key.rpartition(".")[2]: key for key in known}
    close = close or [by_name[near] for near in difflib.get_close_matches(name, by_name, n=1)]
    return f"did you mean {' or '.join(close)}?" if close else f"known are {', '.join(sorted(beside)) or 'none'}"


def _fits(value: object, kind: Any, numbers: Range) -> bool:
    if get_origin(kind) in _UNION:
        return any(_fits(value, choice, numbers) for choice in get_args(kind))
    if get_origin(kind) is Literal:
        return value in get_args(kind)
    if kind is type(None):
        return value is None
    if isinstance(value, bool) or kind is bool:
        return isinstance(value, bool) and kind is bool
    if kind in (int, float):
        return isinstance(value, int if kind is int else int | float) and value in numbers
    return isinstance(value, get_origin(kind) or kind)


def _describe(kind: object, numbers: Range) -> str:
    if get_origin(kind) in _UNION:
        return " or ".join(_describe(choice, numbers) for choice in get_args(kind))
    if get_origin(kind) is Literal:
        return f"one of {', '.join(map(str, get_args(kind)))}"
    if kind in (int, float):
        return ("a whole number" if kind is int else "a number") + (f" ({numbers})" if str(numbers) else "")
    words: dict[object, str] = {bool: "on or off", str: "text", type(None): "null"}
    return words.get(kind, "keys with values")


def plain(settings: object) -> Any:
    """The settings as YAML can hold them; `read_settings` takes them back."""
    if is_dataclass(settings):
        return {entry.name: plain(getattr(settings, entry.name)) for entry in fields(settings)}
    if isinstance(settings, Mapping):
        return {key: plain(value) for key, value in settings.items()}
    return [plain(value) for value in settings] if isinstance(settings, tuple) else settings
