"""The players that a request may name.

A request is a question of the page, a line of `gobang analyse`, or a line that is typed in a game.  It has none of the
user's rights: its player reads no file of its choice, starts no program, and takes no more memory, threads or time than
the bounds below.  Only the command line has these rights, and files that the command line names.

`check_request` is the one place that decides.  It decides by the text alone, before anything is opened or made.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final

from gobang.errors import InvalidSpec
from gobang.players.levels import LEVELS
from gobang.players.options import BUILTIN_CRITIC
from gobang.players.spec import PlayerSpec, parse
from gobang.players.trained import trained_names

REQUESTED: Final = (
    *("random", "pattern", "alphabeta", "rollout", "hmcts", "critic", "uniform", "net", "exact"),
    *LEVELS,
)
LONGEST: Final = 300  # characters of a request's player
_OPTIONS: Final = {"ms": 60_000, "nodes": 10_000_000, "memory_mb": 512, "threads": 4}  # greatest values
_SIMULATIONS: Final = {"rollout": 1_000_000, "hmcts": 1_000_000, "uniform": 100_000, "net": 100_000}


def parse_requested(text: str, granted: Collection[str] = ()) -> PlayerSpec:
    """Return the player of a request; raise InvalidSpec, with the allowed kinds, unless a request may name it.

    The texts in `granted` stand on the command line, so a request may repeat them.
    """
    if text in granted:
        return parse(text)
    if len(text) > LONGEST:
        raise InvalidSpec(f"a player of {len(text):,} characters: at most {LONGEST}")
    return parse(text, check_request)


def check_request(name: str, values: Mapping[str, object]) -> None:
    """Raise InvalidSpec unless a request may name a player of this kind with these options."""
    if name not in REQUESTED:
        raise InvalidSpec(f"a request cannot name {name}; {_allowed()}")
    files = {"net": trained_names(), "critic": [BUILTIN_CRITIC]}.get(name, [])
    if values.get("file", "") not in ["", *files]:
        raise InvalidSpec(f"a request cannot name the file {values['file']!r}; {_allowed()}")
    greatest = {**_OPTIONS, "sims": _SIMULATIONS.get(name, 0)}
    for option, most in greatest.items():
        value = values.get(option)
        if isinstance(value, int | float) and value > most:
            raise InvalidSpec(f"{option} is {value}: at most {most} in a request")
    if values.get("depth") and name == "alphabeta" and not (values.get("nodes") or values.get("ms")):
        raise InvalidSpec("depth takes any time: a request gives nodes or ms as well")


def _allowed() -> str:
    kinds = ", ".join(kind for kind in REQUESTED if kind not in ("net", "critic"))
    trained = ", ".join(f"net:{name}" for name in trained_names())
    return f"allowed are {kinds}, critic:{BUILTIN_CRITIC}, {trained}, and the player of the command line"
