"""The trained players that come with the package: networks for some games, named like `builtin-8x8`.

Their files lie in the folder `builtin` beside this module; its README.md says how each was made.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from gobang.errors import InvalidSpec
from gobang.players.runs import run_weights
from gobang.types import Variant

FOLDER: Final = Path(__file__).parent / "builtin"
PREFIX: Final = "builtin-"
FALLBACK: Final = "alphabeta:ms=1000"  # what plays for two where nothing was trained
FALLBACK_OF_MORE: Final = "rollout:ms=1000,solver=on"  # and for three or four
_MS: Final = 1000  # for a move, where nobody limits it
_SUFFIX: Final = ".safetensors"
_VARIANTS: Final = {
    "5x5": Variant.square(5, k=4),
    "6x6": Variant.square(6, k=4),
    "8x8": Variant.square(8),
    "8x8-three": Variant.square(8, players=3),
    "15x15-lines": Variant.square(15),  # of two for a game the first is taken
    "15x15": Variant.square(15),
    "20x20": Variant.square(20),
    "15x15-standard": Variant.square(15, rule="standard"),
    "15x15-renju": Variant.square(15, rule="renju"),
}


def trained_names() -> list[str]:
    """The names of the networks that are there, small boards first, e.g. ["builtin-8x8"]."""
    return [PREFIX + board for board in _VARIANTS if (FOLDER / (board + _SUFFIX)).exists()]


def check_weights(name: str) -> None:
    """Raise InvalidSpec for a name of a trained network that is not there; a file may be anything."""
    if name.startswith(PREFIX) and name not in trained_names():
        raise InvalidSpec(f"no trained player is called {name!r}; there is {_joined(trained_names())}")


def variant_of(name: str) -> Variant:
    """The game that a trained network plays."""
    return _VARIANTS[name.removeprefix(PREFIX)]


def weights_file(name: str) -> str:
    """The file of a trained network, or of a version of a run; of anything else the name itself, which is a file."""
    if name.startswith(PREFIX):
        return str(FOLDER / (name.removeprefix(PREFIX) + _SUFFIX))
    return str(run_weights(name) or name)


def nearest_trained(variant: Variant) -> str | None:
    """The name of the network that was trained for these rules on this board, or else on the board nearest in size.

    Networks play boards of any size.  For other rules there is none.  Of two for a board it is the first of the table.
    """
    names = [name for name in trained_names() if variant_of(name).has_rules_of(variant)]
    return min(names, key=lambda name: _distance(variant_of(name), variant), default=None)


def default_player(variant: Variant) -> str:
    """The text of the player to take where none is asked for: the strongest, with a second for a move."""
    return strongest_player(variant, _MS)


def default_analyst(variant: Variant) -> str:
    """The text of the player that searches a position to be looked at: the nearest network, or else random games."""
    network = nearest_trained(variant)
    return f"net:{network}" if network else "rollout:solver=on"


def strongest_player(variant: Variant, ms: int) -> str:
    """The text of the nearest network, or of a player without one, with so much time for a move."""
    network = nearest_trained(variant)
    if network:
        return f"net:{network},ms={ms}"
    return f"alphabeta:ms={ms}" if variant.players == 2 else f"rollout:ms={ms},solver=on"


def _distance(one: Variant, other: Variant) -> int:
    return abs(one.height - other.height) + abs(one.width - other.width)


def trained_help() -> str:
    """A line about the trained players for `--help`."""
    return f"Trained players in the box: {_joined(f'net:{name}' for name in trained_names())}"


def _joined(names: Iterable[str]) -> str:
    return ", ".join(names) or "none"
