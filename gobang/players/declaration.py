"""How an option of a player is declared: a typed dataclass field with its default, range and meaning.

Parsing, checking, printing and the table in the README all read this one declaration.
"""

from __future__ import annotations

import math
from dataclasses import MISSING, Field, dataclass, field, fields
from typing import Any, Final, Literal, get_args, get_origin, get_type_hints

from gobang.errors import InvalidSpec

OPTION: Final = "option"  # written as key=value
ARGUMENT: Final = "argument"  # written bare, first after the colon
REST: Final = "rest"  # written bare, all that follows the colon

_SWITCH: Final = {"on": True, "off": False}
_NOUNS: Final = {int: "a whole number", float: "a number"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Option:
    """A declared option, e.g. of `sims: int = option(400, "simulations per move", minimum=1, maximum=10**7)`."""

    name: str
    type: Any  # int, float, bool or str
    choices: tuple[str, ...]  # of a Literal, else empty
    default: Any  # MISSING for what is written bare
    meaning: str
    minimum: float
    maximum: float
    place: str  # OPTION, ARGUMENT or REST
    instead_of: str  # name of the option which must not be given together with this one, or ""

    def read(self, text: str) -> Any:
        """The value that a text stands for; raises InvalidSpec."""
        try:
            value = _SWITCH[text] if self.type is bool else self.type(text)
        except (KeyError, ValueError) as error:
            raise InvalidSpec(f"{self.name}={text}: {self.name} is {self.domain()}") from error
        self.check(value)
        return value

    def show(self, value: Any) -> str:
        """The text that `read` takes back to the value."""
        if value is None:
            return ""
        if self.type is bool:
            return "on" if value else "off"
        return f"{value:g}" if self.type is float and float(f"{value:g}") == value else str(value)

    def check(self, value: Any) -> None:
        """Raise InvalidSpec unless the value has the option's type and lies in its range."""
        if value is None and self.default is None:
            return
        if self.type is str:
            fits = isinstance(value, str) and self._fits_text(value)
        else:
            accepted = (int, float) if self.type is float else self.type
            fits = isinstance(value, accepted) and isinstance(value, bool) == (self.type is bool)
            fits = fits and self.minimum <= value <= self.maximum
        if not fits:
            raise InvalidSpec(f"{self.name}={value}: {self.name} is {self.domain()}")

    def domain(self) -> str:
        """What may be written, in words, e.g. "a whole number, 1 to 64"."""
        if self.type is bool:
            return "on or off"
        if self.choices:
            return f"one of {', '.join(self.choices)}"
        if self.type is str:
            return "a text" if self.place == REST else "a text without commas"
        return f"{_NOUNS[self.type]}, {self.minimum} to {self.maximum}"

    def _fits_text(self, value: str) -> bool:
        if self.choices:
            return value in self.choices
        return bool(value) and value == value.strip() and (self.place == REST or "," not in value)


@dataclass(frozen=True, kw_only=True, slots=True)
class Options:
    """Base of every player's options: a value out of its declared range is refused."""

    def __post_init__(self) -> None:
        for declared in declarations(type(self)):
            declared.check(getattr(self, declared.name))


def option(default: Any, meaning: str, *, minimum: float = 0, maximum: float = 1, instead_of: str = "") -> Any:
    """Declare a field that is written as key=value; the bounds are those of a number."""
    return field(
        default=default,
        metadata={"meaning": meaning, "minimum": minimum, "maximum": maximum, "instead_of": instead_of},
    )


def argument(meaning: str, *, place: str = ARGUMENT) -> Any:
    """Declare the field that is written bare after the colon."""
    return field(metadata={"meaning": meaning, "place": place})


def declarations(options: type[Options]) -> tuple[Option, ...]:
    """The options of a player: what is written bare first, then in the order of declaration."""
    hints = get_type_hints(options)
    declared = [_declaration(each, hints[each.name]) for each in fields(options)]
    return tuple(sorted(declared, key=lambda each: each.place == OPTION))


def _declaration(declared: Field[Any], hint: Any) -> Option:
    alternatives = [part for part in get_args(hint) if part is not type(None)]
    is_choice = get_origin(hint) is Literal
    is_optional = bool(alternatives) and not is_choice
    metadata = declared.metadata
    return Option(
        name=declared.name,
        type=str if is_choice else alternatives[0] if is_optional else hint,
        choices=tuple(alternatives) if is_choice else (),
        default=declared.default,
        meaning=metadata["meaning"],
        minimum=metadata.get("minimum", -math.inf),
        maximum=metadata.get("maximum", math.inf),
        place=metadata.get("place", OPTION),
        instead_of=metadata.get("instead_of", ""),
    )


def is_required(declared: Option) -> bool:
    """Whether a text must give the option."""
    return declared.default is MISSING
