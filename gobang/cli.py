"""The console script `gobang`: one command in front of the parts that can be run."""

from __future__ import annotations

import difflib
import importlib
import sys
from typing import Final

from gobang.errors import GobangError
from gobang.version import installed_version

# Imported by name and only when run, so that nothing here depends on what stands above.
COMMANDS: Final = {
    "play": ("gobang.terminal", "play against the computer in the terminal"),
    "train": ("learner.launch", "learn a game from self-play"),
    "pull": ("learner.pull", "fetch weights from a run, while it goes on or afterwards"),
    "doctor": ("learner.doctor", "what this machine offers, and how long each preset takes on it"),
    "report": ("evaluator.report.__main__", "show how a run learns: curves, win rates, annotated games"),
    "match": ("evaluator.match", "let two players play many games and compare them"),
    "gomocup": ("gobang.gomocup.__main__", "be an engine for a Gomocup manager such as Piskvork"),
    "bench": ("gobang.bench.__main__", "measure the speed of this machine"),
}

_EXAMPLES: Final = """\
examples:
  gobang play --player rollout:ms=1000,solver=on --size 15
  gobang train --preset 5x5 --minutes 5
  gobang match --a uniform:sims=400 --b rollout:sims=1000 --games 100
  gobang gomocup --player uniform --rule standard

`gobang COMMAND --help` explains a command; `gobang play --help` lists all players and their options.
"""


def main(argv: list[str] | None = None) -> int:
    """Run a subcommand and return its exit status; 2 for a mistake in what was asked."""
    name, *rest = (sys.argv[1:] if argv is None else argv) or ["--help"]
    if name in ("-h", "--help", "help"):
        sys.stdout.write(_help())
        return 0
    if name in ("-V", "--version"):
        print(f"gobang {installed_version()}")
        return 0
    if name not in COMMANDS:
        return _fail(f"there is no command {name!r}; {_suggestion(name)}")
    try:
        module = importlib.import_module(COMMANDS[name][0])
        return int(module.main(rest))
    except GobangError as error:
        return _fail(str(error))
    except KeyboardInterrupt:
        return 130  # as a shell reports SIGINT


def _help() -> str:
    width = max(map(len, COMMANDS))
    lines = [f"  {name:<{width}}  {meaning}" for name, (_, meaning) in COMMANDS.items()]
    return "\n".join(["usage: gobang COMMAND [options]", "", "commands:", *lines, "", _EXAMPLES])


def _suggestion(name: str) -> str:
    near = difflib.get_close_matches(name, COMMANDS, n=1, cutoff=0.5)
    return f"did you mean {near[0]}?" if near else f"there is {', '.join(COMMANDS)}"


def _fail(message: str) -> int:
    sys.stderr.write(f"gobang: {message}\n")
    return 2


if __name__ == "__main__":
    sys.exit(main())
