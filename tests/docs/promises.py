"""The shell commands of README and docs: how each is tried.

`commands()` reads them from the code blocks.  A command of ours is run by tests/docs/test_promises.py in the short
form that `SHORTER` makes of it.  Another command needs a row of `ELSEWHERE`: the test that covers it, or why none can.
"""

from __future__ import annotations

import re
from typing import Final

from tests.docs.pages import ROOT, text

PAGES: Final = (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
NO_ACCOUNT: Final = "needs an account with a cloud"
OF_OTHERS: Final = "sets up the reader's shell or a tool of others"

_BLOCKS: Final = re.compile(r"^```(?:sh|bash|shell|console)?\n(.*?)^```", re.MULTILINE | re.DOTALL)
_FENCED: Final = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
_PROGRAMS: Final = r"gobang|make|pip|pipx|uvx|python|ray|docker|aws|gcloud|ssh|echo|printf|export|install|for|\."
_COMMAND: Final = re.compile(rf"^(?:{_PROGRAMS}) ")

# What covers a command that is not run here: a test, a target of make that no landing can run, or a reason.
ELSEWHERE: Final = (
    (r"make (play|train|wheel)\b", "tests/wheel/test_readme_commands.py"),
    (r"make gpu\b", "tests/gpu/test_gpu.py"),
    (r"(pip install|uvx|pipx run) ('?\.|'?gobang-zero)", "tests/wheel/test_by_name.py"),
    (r"ray |ssh root@", "tests/machines/test_ray_up.py"),
    (r"docker compose ", "tests/docker/test_containers.py"),
    (r"install -d -m 700 docker/secrets|for name in redis_password", "tests/docker/test_containers.py"),
    (r"aws |gcloud |pip install (boto3|google-api)", NO_ACCOUNT),
    (r"\. \.venv/bin/activate|export ", OF_OTHERS),
    (r"python -m evaluator\.experiments run ", "tests/evaluator/experiments/test_experiments.py"),
    (r"gobang openings ", "tests/evaluator/test_make_openings.py"),
    (r"gobang exact .*--size 5 --k 4 --openings", "tests/evaluator/test_exact.py"),  # its answer is an error
    (r"python -m learner\.distill ", "tests/learner/test_distill.py"),
    (r'gobang match .*"gomocup,', "tests/players/test_gomocup.py"),
)
# Settings of long trainings are read and checked; each kind of training runs once.
TRAINING: Final = re.compile(r"gobang train (?!--in-process)")
# The same command with less to do, and with players that are there.
SHORTER: Final = (
    (r"net:runs/[^, ]+", "net:builtin-15x15"),
    (r"\b(sims|nodes)=(\d)\d{3,}", r"\1=1\2"),  # a tournament refuses two equal players
    (r"\b(sims|nodes)=(\d)\d\d\b", r"\1=2\2"),
    (r"\bms=\d+", "ms=20"),
    (r"critic:critic\.safetensors", "critic:builtin"),
    (r"--sims \d+", "--sims 16"),
    (r"--jobs \d+", "--jobs 1"),
    (r"--iterations \d+", "--iterations 16"),
    (r"^(gobang match.* --players 3.*)$", r"\1 --games 6"),
    (r"^(gobang match(?!.*--games 6$).*)$", r"\1 --games 2"),
    (r"^(gobang tournament.*)$", r"\1 --games 2 --out tournament"),
    (r"^(gobang bench alone.*)$", r"\1 --positions 1"),
    (r"^(gobang bench memory.*)$", r"\1 --positions 1 --seconds 0.5"),
    (r"^(python -m learner\.critic.*)$", r"\1 --games 4 --every 2 --size 6"),
    (r"^(gobang train --in-process.*)$", r"\1 --preset tiny --steps 2"),
    (r"> answers\.jsonl", "> /dev/null"),
)
TYPED: Final = {"gobang play": "quit\n"}


def commands() -> dict[str, list[str]]:
    """Return each command, without its remark, with the pages that promise it."""
    found: dict[str, list[str]] = {}
    for page in PAGES:
        for command in _of_page(text(page)):
            found.setdefault(command, []).append(str(page.relative_to(ROOT)))
    return found


def covered_by(command: str) -> str | None:
    """Return the test that covers a command elsewhere, or the reason why there is none."""
    return next((where for pattern, where in ELSEWHERE if re.match(pattern, command)), None)


def is_ours(command: str) -> bool:
    """Return True for a command that can be run here."""
    return bool(re.search(r"(^|\| )(gobang|python -m (gobang|learner|evaluator)\S*) ", command))


def shorter(command: str) -> str:
    """Return the shortest form of a command of ours."""
    for pattern, replacement in SHORTER:
        command = re.sub(pattern, replacement, command)
    return command


def typed(command: str) -> str:
    """Return what a person types while the command runs."""
    return next((keys for beginning, keys in TYPED.items() if command.startswith(beginning)), "")


def _of_page(page: str) -> list[str]:
    shown = [re.findall(r"^\$ ((?:.*\\\n)*.*)", block, re.MULTILINE) for block in _BLOCKS.findall(page)]
    indented = re.findall(r"^ {4}((?=\S)(?:.*\\\n)*.*)", _FENCED.sub("", page), re.MULTILINE)
    lines = [line for block in shown for line in block] + [line for line in indented if _COMMAND.match(line)]
    return [re.sub(r"\s{2,}#.*", "", re.sub(r"\s*\\\n\s*", " ", line)).strip() for line in lines]
