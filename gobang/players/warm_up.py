"""The first moves of a player, which are slow: it loads and compiles what it needs."""

from __future__ import annotations

from typing import Final

from gobang.players.player import Player, Turn
from gobang.rules.position import Position
from gobang.types import Variant

_SECONDS: Final = 0.02


def warm_up(player: Player, variant: Variant) -> None:
    """Let a player move twice in one game, as its later moves may run other code."""
    position = Position(variant)
    for _ in range(2):
        position.play(player.choose([Turn(game=0, position=position, seconds=_SECONDS)])[0])
        play_anywhere(position)


def play_anywhere(position: Position) -> None:
    """Play a legal move, and take one back."""
    for _ in range(2):
        position.play(int(position.legal().argmax()))
    position.undo()
