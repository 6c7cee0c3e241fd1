"""Players as texts: `NAME[:ARGUMENT][,key=value...]`, e.g. `net:best.safetensors,sims=64`.

A player without an argument has its options after the colon: `uniform:sims=400,solver=off`.  For
`gomocup` all that follows the colon is the command, commas included, so its options stand before
it: `gomocup:./engine --fast` or `gomocup,timeout=2:./engine --fast`.
"""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, cast

from gobang.errors import InvalidSpec
from gobang.players.declaration import OPTION, REST, Option, Options, declarations, is_required
from gobang.players.player import Player
from gobang.players.registry import PLAYERS
from gobang.types import Variant


@dataclass(frozen=True, kw_only=True, slots=True)
class PlayerSpec:
    """A player that can be made, e.g. `PlayerSpec(name="uniform", options=SearchOptions(sims=64))`."""

    name: str
    options: Options

    def __str__(self) -> str:
        """The shortest text that `parse` takes back to this."""
        shown = [(each, getattr(self.options, each.name)) for each in declarations(type(self.options))]
        bare = [(each, value) for each, value in shown if each.place != OPTION]
        pairs = [
            f"{each.name}={each.show(value)}" for each, value in shown if value != each.default and each.place == OPTION
        ]
        if not bare:
            return ":".join([self.name, ",".join(pairs)] if pairs else [self.name])
        argument, value = bare[0]
        if argument.place == REST:
            return ",".join([self.name, *pairs]) + f":{value}"
        return ",".join([f"{self.name}:{value}", *pairs])


def parse(text: str) -> PlayerSpec:
    """What a text describes; raises InvalidSpec, which names what is wrong and what was probably meant."""
    head, colon, tail = text.partition(":")
    name, *pairs = head.split(",")
    try:
        name = _known(name.strip(), PLAYERS, "player")
        declared = declarations(PLAYERS[name].options)
        values, more = _split(declared, tail) if colon else ({}, [])
        values |= _read(declared, [*pairs, *more])
        _require(name, declared, values)
        return PlayerSpec(name=name, options=PLAYERS[name].options(**values))
    except InvalidSpec as error:
        raise InvalidSpec(f"{text!r}: {error}") from error


def make_player(spec: PlayerSpec, variant: Variant, seed: int) -> Player:
    """A player for games of one variant; only now the modules that it needs are imported."""
    module, _, function = PLAYERS[spec.name].factory.partition(":")
    factory = getattr(importlib.import_module(module), function)
    return cast(Player, factory(spec.options, variant, seed))


def _known(name: str, names: Iterable[str], noun: str) -> str:
    if name in names:
        return name
    near = difflib.get_close_matches(name, names, n=1, cutoff=0.5)
    meant = f"did you mean {near[0]}?" if near else f"there is {', '.join(names) or 'none'}"
    raise InvalidSpec(f"no {noun} is called {name!r}; {meant}")


def _split(declared: tuple[Option, ...], tail: str) -> tuple[dict[str, Any], list[str]]:
    """What follows the colon, as the bare argument and the key=value pairs."""
    if not declared or declared[0].place == OPTION:
        return {}, tail.split(",")
    if declared[0].place == REST:
        return {declared[0].name: tail.strip()}, []
    argument, *pairs = tail.split(",")
    if argument.partition("=")[0].strip() in {each.name for each in declared}:
        return {}, [argument, *pairs]  # the argument was left out
    return {declared[0].name: argument.strip()}, pairs


def _read(declared: tuple[Option, ...], pairs: list[str]) -> dict[str, Any]:
    options = {each.name: each for each in declared if each.place == OPTION}
    values: dict[str, Any] = {}
    for pair in pairs:
        key, equals, value = (part.strip() for part in pair.partition("="))
        if not equals:
            raise InvalidSpec(f"{pair.strip()!r} is not of the form key=value")
        option = options[_known(key, options, "option")]
        if key in values:
            raise InvalidSpec(f"{key} is given twice")
        values[key] = option.read(value)
    for key in values:
        if options[key].instead_of in values:
            raise InvalidSpec(f"{key} and {options[key].instead_of} exclude each other")
    return values


def _require(name: str, declared: tuple[Option, ...], values: dict[str, Any]) -> None:
    for each in declared:
        if is_required(each) and not values.get(each.name):
            raise InvalidSpec(f"{name} needs {each.meaning}, as in {name}:{each.name.upper()}")
