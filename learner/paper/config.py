"""The settings of the works' training loop; the defaults are the loop's own."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Final, Literal

from gobang.errors import InvalidConfig
from gobang.network.presets import preset, with_network
from gobang.network.spec import NetworkSpec
from gobang.options import read_settings
from gobang.settings import Values
from gobang.types import Variant

_RANGES: Final = (
    ("seed", 0, 2**31),
    ("simulations", 1, 100_000),
    ("c_puct", 0, 100),
    ("noise", 0, 1),
    ("root_noise", 0, 1),
    ("games_at_once", 1, 64),
    ("batch", 2, 100_000),
    ("window", 2, 10_000_000),
    ("percent", 1, 100),
    ("growth", 1, 10),
)


@dataclass(frozen=True, kw_only=True, slots=True)
class PaperConfig:
    """One training, e.g. `PaperConfig(noise=0.8, seed=3)`."""

    game: Variant = field(default_factory=lambda: Variant.square(8))
    network: NetworkSpec = field(default_factory=lambda: preset("cnn3"))
    seed: int = 1
    search: Literal["puct", "ucb1", "prior"] = "puct"
    simulations: int = 400  # of each move, beside those kept from the last move
    c_puct: float = 5.0
    noise: float = 0.25  # share of Dirichlet noise in the search probabilities that moves are drawn from
    root_noise: float = 0.0  # share of Dirichlet noise in the priors of the root
    games_at_once: int = 16  # and then as many updates
    batch: int = 512
    window: int = 10_000  # newest positions, symmetries included
    augment: bool = True  # each game enters with all symmetries of the board
    rate: float = 2e-3  # of Adam, times the multiplier
    percent: int = 100  # of the points of a check that beat a rung
    growth: float = 1.0  # of the simulations, for a run that is stuck at a rung

    def __post_init__(self) -> None:
        for name, low, high in _RANGES:
            value = getattr(self, name)
            if not low <= value <= high:
                raise InvalidConfig(f"{name} {value}: from {low} to {high}")
        if not 0 < self.rate < math.inf:
            raise InvalidConfig(f"rate {self.rate}: a learning rate is above 0 and finite")
        if self.window < self.batch:
            raise InvalidConfig(f"window {self.window}: at least a batch, {self.batch}")


def read_paper_config(values: Values) -> PaperConfig:
    """Return the settings that differ from the defaults in these values; `network` may be the name of a preset."""
    return read_settings(PaperConfig(), with_network(values))
