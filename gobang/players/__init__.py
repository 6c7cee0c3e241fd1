"""Players, each made from a text such as `rollout:sims=5000`.  Start at `spec`."""

from gobang.players.spec import PlayerSpec, make_player, parse

__all__ = ["PlayerSpec", "make_player", "parse"]
