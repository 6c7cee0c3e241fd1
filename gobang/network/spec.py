"""What a network is, in words and numbers: all that is needed to build it again, without torch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any, TypeVar, get_type_hints

from gobang.errors import InvalidConfig, nearest
from gobang.features import feature_code, plane_count
from gobang.types import MAX_PLAYERS, MAX_SIDE, MIN_SIDE, Variant

Option = int | float | bool | str  # also the types that YAML gives
Settings = TypeVar("Settings")


@dataclass(frozen=True, kw_only=True, slots=True)
class NetworkSpec:
    """One network, e.g. `NetworkSpec(architecture="gobang_net", options={"blocks": 4, "filters": 64})`."""

    architecture: str = "gobang_net"
    options: Mapping[str, Option] = field(default_factory=dict)  # the architecture's own; defaults may be left out
    features: str = "four"  # a name of gobang.features
    players: int = 2
    height: int | None = None  # the one board that it plays; None: any
    width: int | None = None
    scalar_value: bool = False  # a tanh value in place of the outcome head
    reply_head: bool = False  # a second policy, for the opponent's reply

    def __post_init__(self) -> None:
        feature_code(self.features)
        if not 2 <= self.players <= MAX_PLAYERS:
            raise InvalidConfig(f"players {self.players}: 2 to {MAX_PLAYERS}")
        if (self.height is None) != (self.width is None):
            raise InvalidConfig(f"height {self.height}, width {self.width}: give both or neither")
        for name, side in (("height", self.height), ("width", self.width)):
            if side is not None and not MIN_SIDE <= side <= MAX_SIDE:
                raise InvalidConfig(f"{name} {side}: boards are {MIN_SIDE} to {MAX_SIDE} points a side")
        object.__setattr__(self, "options", dict(self.options))

    @property
    def planes(self) -> int:
        """Number of input planes C."""
        return plane_count(self.features, self.players)

    @property
    def value_outputs(self) -> int:
        """Numbers that the value head gives: P + 1 outcome logits, or one scalar."""
        return 1 if self.scalar_value else self.players + 1

    @property
    def points(self) -> int:
        """Number of points A of the one board that it plays."""
        if self.height is None or self.width is None:
            raise InvalidConfig(f"architecture {self.architecture!r} has dense heads: give it height and width")
        return self.height * self.width

    def plays(self, variant: Variant) -> bool:
        """Whether the network can evaluate positions of the variant."""
        fits = (self.height, self.width) in ((None, None), (variant.height, variant.width))
        return fits and self.players == variant.players

    def to_dict(self) -> dict[str, Any]:
        """Plain values for YAML or JSON; `from_dict` takes them back."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> NetworkSpec:
        """The spec with these values; an unknown key is an InvalidConfig that names the nearest."""
        return read_strictly(cls, values, "network")


def read_strictly(kind: type[Settings], values: Mapping[str, Any], what: str) -> Settings:
    """The dataclass made of `values`, each of a known name and of the declared type; `what` is for messages."""
    hints = get_type_hints(kind)
    known = {entry.name for entry in fields(kind)}  # type: ignore[arg-type]
    for name, value in values.items():
        if name not in known:
            raise InvalidConfig(f"{what} has no key {name!r}; {nearest(name, known)}")
        if not _has_type(value, hints[name]):
            raise InvalidConfig(f"{what}: {name} is {value!r}, not of type {getattr(hints[name], '__name__', 'int')}")
    return kind(**values)


def require_at_least(minimum: int, **values: int) -> None:
    """InvalidConfig if one of the named values is smaller."""
    for name, value in values.items():
        if value < minimum:
            raise InvalidConfig(f"{name} {value}: at least {minimum}")


def _has_type(value: object, hint: Any) -> bool:
    if isinstance(value, bool):
        return hint is bool
    if hint is float:
        return isinstance(value, int | float)
    if hint in (int, str):
        return isinstance(value, hint)
    if hint == int | None:
        return value is None or isinstance(value, int)
    return isinstance(value, Mapping)
