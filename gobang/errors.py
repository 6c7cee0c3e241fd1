"""The one tree of exceptions.  Catch `GobangError` to catch every mistake that came from outside."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class GobangError(Exception):
    """Something a user, a file or another program gave us cannot be used."""


class InvalidVariant(GobangError, ValueError):
    """Board, k, number of players and rule do not go together."""


class IllegalMove(GobangError, ValueError):
    """The point cannot be played; the message names the point and the reason."""


class InvalidSpec(GobangError, ValueError):
    """A text such as `rollout:sims=5000` that does not describe a player."""


class InvalidConfig(GobangError, ValueError):
    """A configuration value out of its range; the message holds the value and the range."""


class PlayerFailure(GobangError):
    """A player could not move: an external program crashed, was too slow or played illegally."""


class InvalidCheckpoint(GobangError, ValueError):
    """A file of weights that is damaged, foreign or made for another game."""


class PoolUnavailable(GobangError):
    """The replay pool is lost or full; what was not acknowledged may be sent again."""


class InvalidGame(GobangError, ValueError):
    """A stored game that does not decode, or whose moves and outcome contradict the rules."""


class EvaluatorUnavailable(GobangError):
    """No inference server answered within the time that a question may take, or no weights came to answer with."""


class WeightsUnavailable(GobangError):
    """The learner is away, or has no such weights yet; asking again may help."""


class VersionGone(WeightsUnavailable):
    """The weights of a version are no longer kept; asking again does not help."""


class RunFolderTaken(GobangError):
    """The folder holds a run already, or another launcher works in it."""


class RunFolderUnusable(GobangError):
    """There can be no run at that place."""


class NonFiniteWeights(GobangError):
    """Weights that hold a NaN or an infinity, and so must not be published."""


class Unsolved(GobangError):
    """The exact value of a position is out of reach: the board is too large, or the search was."""


def nearest(name: str, known: Iterable[str]) -> str:
    """For messages: the names most like `name`, or all of them."""
    names = sorted(known)
    close = difflib.get_close_matches(name, names, n=2)
    return f"did you mean {' or '.join(close)}?" if close else f"known are {', '.join(names) or 'none'}"
