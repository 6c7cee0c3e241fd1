"""The command line of the launcher."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from gobang.errors import InvalidConfig
from gobang.run_folder import RunFolder, new_run_name
from gobang.settings import Values, assign, read_yaml
from learner.run.cluster import LOCAL
from learner.run.presets import load_preset, preset_names
from learner.watching.budget import Budget

DEFAULT_PRESET: Final = "8x8"
RUNS: Final = Path("runs")

_EXAMPLES: Final = """\
examples:
  gobang train --preset 8x8 --minutes 30
  gobang train --run runs/8x8-1 --resume
  gobang train --preset 15x15 --address auto --actors 64
  gobang train --set learner.begin_with=builtin-8x8 --set game.height=10 --set game.width=10
  gobang train --set trainer.learning_rate.peak=2e-3 --set network.options.blocks=6

--minutes, --games and --steps count the whole run, over all resumptions; without them it goes on until Ctrl-C.
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class CommandLine:
    """The launcher's; None where the machine or the preset decides."""

    preset: str
    actors: int | None
    budget: Budget
    run: Path
    resume: bool
    seed: int | None
    redis: str | None  # URL of a server that runs elsewhere
    address: str  # of a Ray cluster, or LOCAL
    assignments: tuple[str, ...]  # e.g. "learner.batch=128"

    @property
    def folder(self) -> RunFolder:
        """Of the run."""
        return RunFolder(self.run)

    def values(self) -> Values:
        """The settings that differ from the defaults: of the preset or the resumed run, with those of the command."""
        values = read_yaml(self.folder.config) if self.resume else load_preset(self.preset)
        for assignment in self.assignments:
            assign(values, assignment)
        return values if self.seed is None else {**values, "seed": self.seed}


def parse(arguments: Sequence[str] | None = None) -> CommandLine:
    """The options; argparse ends the program for what is no option."""
    given = _parser().parse_args(arguments)
    if given.resume and given.run is None:
        raise InvalidConfig("--resume: which run? Name its folder with --run")
    if given.resume and given.preset is not None:
        raise InvalidConfig(f"--preset {given.preset}: a resumed run keeps its own settings; change some with --set")
    if given.actors is not None and given.actors < 1:
        raise InvalidConfig(f"--actors {given.actors}: at least 1")
    preset = given.preset or DEFAULT_PRESET
    return CommandLine(
        preset=preset,
        actors=given.actors,
        budget=Budget(minutes=given.minutes, games=given.games, steps=given.steps),
        run=given.run or new_run_name(RUNS, preset),
        resume=given.resume,
        seed=given.seed,
        redis=given.redis,
        address=given.address,
        assignments=tuple(given.assignments),
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="gobang train",
        description="Learn a game from nothing but its rules.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    presets = ", ".join(preset_names())
    parser.add_argument("--preset", metavar="NAME", help=f"{presets}, or a YAML file (default: {DEFAULT_PRESET})")
    parser.add_argument(
        "--actors", type=int, metavar="N", help="processes that play (default: half of the cores, at least 2)"
    )
    parser.add_argument("--minutes", type=float, metavar="M", help="end after M minutes")
    parser.add_argument("--games", type=int, metavar="G", help="end after G games of self-play")
    parser.add_argument("--steps", type=int, metavar="S", help="end after S training steps")
    parser.add_argument("--run", type=Path, metavar="DIR", help="folder of the run (default: a new one in runs/)")
    parser.add_argument("--resume", action="store_true", help="go on with the run in --run")
    parser.add_argument("--seed", type=int, metavar="S", help="of the weights and of all that is drawn")
    parser.add_argument("--redis", metavar="URL", help="a Redis server of one's own (default: one is started)")
    parser.add_argument(
        "--address", default=LOCAL, metavar="auto|HOST:PORT", help="a Ray cluster to join (default: one is started)"
    )
    parser.add_argument(
        "--set", dest="assignments", action="append", default=[], metavar="KEY=VALUE", help="a setting; may be repeated"
    )
    return parser
