"""The description of a network: all that is needed to build it again, without torch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from gobang.errors import InvalidConfig
from gobang.features import feature_code, plane_count
from gobang.options import Options, option, read_options
from gobang.types import MAX_PLAYERS, MAX_SIDE, MIN_SIDE, Variant

OptionValue = int | float | bool | str  # also the types that YAML gives


@dataclass(frozen=True, kw_only=True, slots=True)
class NetworkSpec(Options):
    """One network, e.g. `NetworkSpec(architecture="gobang_net", options={"blocks": 4, "filters": 64})`."""

    architecture: str = option("gobang_net", "a name of gobang.network.architectures")
    options: Mapping[str, OptionValue] = field(default_factory=dict)  # the architecture's own; defaults may be left out
    features: str = option("four", "a name of gobang.features")
    players: int = option(2, "in the game", minimum=2, maximum=MAX_PLAYERS)
    height: int | None = option(None, "of the one board that it plays; null: any", minimum=MIN_SIDE, maximum=MAX_SIDE)
    width: int | None = option(None, "of that board", minimum=MIN_SIDE, maximum=MAX_SIDE)
    scalar_value: bool = option(False, "a tanh value in place of the head of chances")
    reply_head: bool = option(False, "a second policy, for the opponent's reply")

    def __post_init__(self) -> None:
        Options.__post_init__(self)  # no super(): slots make a second class
        feature_code(self.features)
        if (self.height is None) != (self.width is None):
            raise InvalidConfig(f"height {self.height}, width {self.width}: give both or neither")
        object.__setattr__(self, "options", dict(self.options))

    @property
    def planes(self) -> int:
        """Number of input planes C."""
        return plane_count(self.features, self.players)

    @property
    def value_outputs(self) -> int:
        """Numbers that the value head gives: P + 1 logits of chances, or one scalar."""
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
    def from_dict(cls, values: object) -> NetworkSpec:
        """The spec with these values; an unknown key is an InvalidConfig that names the nearest."""
        return read_options(cls, values, "network")
