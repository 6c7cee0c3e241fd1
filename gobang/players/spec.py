"""Players as texts: `NAME[:ARGUMENT][,key=value...]`, e.g. `net:best.safetensors,sims=64`.

A player without an argument has its options after the colon: `uniform:sims=400,solver=off`.  For
`gomocup` all that follows the colon is the command, commas included, so its options stand before
it: `gomocup:./engine --fast` or `gomocup,timeout=2:./engine --fast`.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import cast

from gobang.errors import GobangError, InvalidSpec, nearest
from gobang.options import Options, read_options
from gobang.players.player import Player
from gobang.players.registry import PLAYERS, PlayerKind
from gobang.types import Variant

Check = Callable[[str, Mapping[str, object]], None]  # of a kind's name and its values; raises InvalidSpec


def _allow_all(name: str, values: Mapping[str, object]) -> None:
    """Allow what the command line names."""


@dataclass(frozen=True, kw_only=True, slots=True)
class PlayerSpec:
    """A player that can be made, e.g. `PlayerSpec(name="uniform", options=SearchOptions(sims=64))`."""

    name: str
    options: Options

    def __str__(self) -> str:
        """The shortest text that `parse` takes back to this."""
        kind = PLAYERS[self.name]
        values = {each: getattr(self.options, each.name) for each in kind.pairs}
        pairs = [f"{each.name}={each.show(value)}" for each, value in values.items() if value != each.default]
        if kind.bare is None:
            return ":".join([self.name, ",".join(pairs)] if pairs else [self.name])
        argument = getattr(self.options, kind.bare.name)
        if kind.bare.rest:
            return ",".join([self.name, *pairs]) + f":{argument}"
        return ",".join([f"{self.name}:{argument}", *pairs])


def parse(text: str, check: Check = _allow_all) -> PlayerSpec:
    """Return the player of a text; raise InvalidSpec, which names the mistake and the nearest name.

    `check` sees the kind and its values before options are made of them, which may look at files.
    """
    head, colon, tail = text.partition(":")
    name, *pairs = head.split(",")
    name = name.strip()
    try:
        if name not in PLAYERS:
            raise InvalidSpec(f"no player is called {name!r}; {nearest(name, PLAYERS)}")
        kind = PLAYERS[name]
        values, more = _split(kind, tail) if colon else ({}, [])
        if kind.bare and not values.get(kind.bare.name):
            raise InvalidSpec(f"{name} needs {kind.bare.meaning}, as in {name}:{kind.bare.name.upper()}")
        _add(values, kind, [*pairs, *more])
        check(name, values)
        return PlayerSpec(name=name, options=read_options(kind.options, values))
    except GobangError as error:
        raise InvalidSpec(f"{text!r}: {error}") from error


def make_player(spec: PlayerSpec, variant: Variant, seed: int) -> Player:
    """A player for games of one variant; only now the modules that it needs are imported."""
    spec = resolve(spec, variant)
    module, _, function = PLAYERS[spec.name].factory.partition(":")
    factory = getattr(importlib.import_module(module), function)
    return cast(Player, factory(spec.options, variant, seed))


def resolve(spec: PlayerSpec, variant: Variant) -> PlayerSpec:
    """The player that a level stands for in a variant; any other spec is itself."""
    level = PLAYERS[spec.name].level
    return parse(level.player(variant)) if level else spec


def _split(kind: PlayerKind, tail: str) -> tuple[dict[str, object], list[str]]:
    """The bare argument and the key=value pairs after the colon."""
    if kind.bare is None:
        return {}, tail.split(",")
    if kind.bare.rest:
        return {kind.bare.name: tail.strip()}, []
    argument, *pairs = tail.split(",")
    if argument.partition("=")[0].strip() in {each.name for each in (kind.bare, *kind.pairs)}:
        return {}, [argument, *pairs]  # the argument was left out
    return {kind.bare.name: argument.strip()}, pairs


def _add(values: dict[str, object], kind: PlayerKind, pairs: list[str]) -> None:
    """Put what the pairs say beside the bare argument in `values`; what is no key is left to the reader."""
    options = {each.name: each for each in kind.pairs}
    for pair in pairs:
        key, equals, value = (part.strip() for part in pair.partition("="))
        if not equals:
            raise InvalidSpec(f"{pair.strip()!r} is not of the form key=value")
        if key in values:
            raise InvalidSpec(f"{key} is given twice")
        values[key] = options[key].parse(value) if key in options else value
