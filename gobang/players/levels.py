"""Levels: players by names that say how strong they are, from one that a child beats to all that there is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from gobang.players.trained import strongest_player
from gobang.types import Variant

_MOST_MS: Final = 5000  # per move of the highest level, where nobody else limits it


@dataclass(frozen=True, kw_only=True, slots=True)
class Level:
    """A level, e.g. `Level(words="misses most threats", two="rollout:sims=50", more="rollout:sims=20")`."""

    words: str
    two: str  # the player that it stands for among two players; empty: the strongest
    more: str  # and among more

    def player(self, variant: Variant) -> str:
        """The text of the player that plays at this level."""
        if variant.players > 2:
            return self.more
        return self.two or strongest_player(variant, _MOST_MS)


LEVELS: Final[Mapping[str, Level]] = {
    "beginner": Level(words="plays half at random", two="rollout:sims=50", more="rollout:sims=20"),
    "easy": Level(words="sees what is close", two="rollout:sims=1000", more="rollout:sims=200"),
    "medium": Level(words="knows threats, looks no move ahead", two="pattern", more="rollout:sims=2000"),
    "hard": Level(words="looks a few moves ahead", two="alphabeta:nodes=300", more="rollout:sims=20000"),
    "max": Level(words=f"all it can in {_MOST_MS // 1000} seconds", two="", more=f"rollout:ms={_MOST_MS},solver=on"),
}
