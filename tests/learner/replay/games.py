"""Random self-play games as they come out of a pool."""

from __future__ import annotations

import numpy as np

from gobang.types import SelfPlayGame, Variant
from learner.replay.bench import random_game
from learner.replay.pool.codec import decode, encode

EIGHT = Variant.square(8)
SMALL = Variant.square(5, k=4)


def stored_games(variant: Variant, count: int, seed: int = 0, actor: str = "a-1") -> list[SelfPlayGame]:
    """Games rounded as the codec rounds, numbered from 1."""
    random = np.random.default_rng(seed)
    games = [random_game(variant, f"{actor}/{number:06}", random) for number in range(1, count + 1)]
    return [decode(encode(game), variant) for game in games]


def same(one: SelfPlayGame, other: SelfPlayGame) -> bool:
    """Whether two games agree in every field."""
    names = SelfPlayGame.__dataclass_fields__
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in names)
