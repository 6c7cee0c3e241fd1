"""The command line of the launcher."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from gobang.errors import InvalidConfig
from gobang.network.presets import with_network
from gobang.run_folder import RunFolder, new_run_name
from gobang.settings import Values, assign, read_yaml
from learner.replay.pool.redis_url import PASSWORD_VARIABLE, password_of, with_password
from learner.run.presets import DEFAULT_PRESET, load_preset
from learner.watching.budget import Budget

RUNS: Final = Path("runs")
LOCAL: Final = "local"  # address of the Ray cluster that the run starts for itself
NAMED: Final = "auto"  # address of the cluster that RAY_ADDRESS names, or else of the one on this machine
_CHOICES: Final = ("network", "network.architecture")
_ARCHITECTURE: Final = _CHOICES.index("network.architecture")


@dataclass(frozen=True, kw_only=True, slots=True)
class CommandLine:
    """The launcher's; None where the machine or the preset decides."""

    run: Path
    resume: bool
    budget: Budget
    preset: str = DEFAULT_PRESET
    actors: int | None = None
    seed: int | None = None
    redis: str | None = field(default=None, repr=False)  # URL of a server of the user's, with its password
    address: str = LOCAL  # of a Ray cluster; LOCAL starts one
    insecure: bool = False  # that cluster may let everybody in
    assignments: tuple[str, ...] = ()  # e.g. "learner.batch=128"

    @property
    def folder(self) -> RunFolder:
        """Of the run."""
        return RunFolder(self.run)

    def values(self) -> Values:
        """The settings that differ from the defaults: of the preset or the resumed run, with those of the command."""
        values = read_yaml(self.folder.config) if self.resume else load_preset(self.preset)
        values = assigned(values, self.assignments)
        return values if self.seed is None else {**values, "seed": self.seed}


def assigned(values: Values, assignments: Iterable[str]) -> Values:
    """Return the settings with assignments such as "learner.batch=128"; a network's name comes before its options."""
    values = with_network(values)
    for assignment in sorted(assignments, key=_rank):
        assign(values, assignment)
        if _rank(assignment) == _ARCHITECTURE:
            values["network"]["options"] = {}  # those of another architecture mean nothing to this one
        values = with_network(values)
    return values


def _rank(assignment: str) -> int:
    """What is assigned first: a network by its name, then an architecture, then all else in the order given."""
    key = assignment.partition("=")[0].strip()
    return _CHOICES.index(key) if key in _CHOICES else len(_CHOICES)


def read(given: argparse.Namespace) -> CommandLine:
    """The options that argparse has read; InvalidConfig for what does not go together."""
    game = tuple(_game(given))
    if given.resume and given.run is None:
        raise InvalidConfig("--resume: which run? Name its folder with --run")
    if given.resume and given.preset is not None:
        raise InvalidConfig(f"--preset {given.preset}: a resumed run keeps its own settings; change some with --set")
    if given.resume and game:
        raise InvalidConfig(f"{game[0]}: a resumed run keeps its own game")
    if given.actors is not None and given.actors < 1:
        raise InvalidConfig(f"--actors {given.actors}: at least 1")
    if given.in_process:
        _check_in_process(given)
    address = given.address or (NAMED if os.environ.get("RAY_ADDRESS") else LOCAL)
    if given.insecure and address == LOCAL:
        raise InvalidConfig("--insecure: of which cluster? It goes with --address")
    preset = given.preset or DEFAULT_PRESET
    return CommandLine(
        preset=preset,
        actors=given.actors,
        budget=Budget(minutes=given.minutes, games=given.games, steps=given.steps, evaluations=given.evaluations),
        run=given.run or new_run_name(RUNS, preset),
        resume=given.resume,
        seed=given.seed,
        redis=_with_known_password(given.redis),
        address=address,
        insecure=given.insecure,
        assignments=(*game, *given.assignments),
    )


def _check_in_process(given: argparse.Namespace) -> None:
    """Raise InvalidConfig for an option that means nothing to a run in one process."""
    for name in ("address", "redis", "actors", "insecure"):
        if getattr(given, name) not in (None, False):
            raise InvalidConfig(f"--{name}: --in-process starts no other process and joins no cluster; leave one out")


def _with_known_password(url: str | None) -> str | None:
    """The URL with the password of the environment, from which it is taken: no other process needs it there."""
    known = os.environ.pop(PASSWORD_VARIABLE, "")
    return with_password(url, known) if url and known and not password_of(url) else url


def _game(given: argparse.Namespace) -> Iterator[str]:
    """The board, the rule and the number of players as settings."""
    height, width = given.size or (None, None)
    said = {"height": height, "width": width, "k": given.k, "rule": given.rule, "players": given.players}
    for key, value in said.items():
        if value is not None:
            yield f"game.{key}={value}"
