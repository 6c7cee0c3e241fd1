"""Change single places of the source and see whether a test fails: `make mutants AREA=actors/wire N=50 SEED=1`

Everything happens in a copy of the tree, in build/mutants, so that nothing is left behind in the tree itself. The
quick tests of an area have to pass twice on the unchanged copy first. A run that was stopped goes on where it was.
"""

from __future__ import annotations

import argparse
import contextlib
import difflib
import fcntl
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from functools import cache
from pathlib import Path
from typing import Final

from tests.mutants.areas import AREAS, Area
from tests.mutants.mutation import sample
from tests.mutants.verdicts import KILLED, SURVIVED, TIMED_OUT, Verdict, Verdicts, digest, table

ROOT: Final = Path(__file__).resolve().parents[2]
BUILD: Final = ROOT / "build" / "mutants"
COPY: Final = BUILD / "tree"
PYTHON: Final = ROOT / ".venv" / "bin" / "python"
BASELINES: Final = 2
LEAST_PATIENCE: Final = 60.0  # seconds for the tests of one mutant
PATIENCE: Final = 3.0  # times the seconds of the unchanged tests

# Mutated code may kill the wrong process, and leave some behind: a namespace ends with its first process, which ends
# with this one. The shell is that process, since it waits for orphans.
_NAMESPACE: Final = (
    *("setpriv", "--pdeathsig", "KILL"),
    *("unshare", "--pid", "--fork", "--kill-child", "--mount-proc"),
)
_USER: Final = ("--user", "--map-root-user")
_SHELL: Final = ("sh", "-c", '"$@"; exit $?', "sh")


class BaselineFails(Exception):
    """The tests do not pass on the unchanged source."""


def copy_tree() -> None:
    """Make a fresh copy of all files that git knows or would add, with compiled code that is checked by content."""
    shutil.rmtree(COPY, ignore_errors=True)
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listed, cwd=ROOT, check=True, capture_output=True, text=True).stdout.split("\0")
    for name in filter(None, names):
        if (ROOT / name).is_file():
            (COPY / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, COPY / name)
    packages = ["gobang", "actors", "learner", "evaluator"]
    compiled = [PYTHON, "-m", "compileall", "-q", "--invalidation-mode", "checked-hash", *packages]
    subprocess.run(compiled, cwd=COPY, check=True)


@cache
def contained() -> tuple[str, ...]:
    """Return the start of a command whose processes see and outlive nobody else; empty if the system has no such."""
    for prefix in ((*_NAMESPACE, *_SHELL), (*_NAMESPACE, *_USER, *_SHELL)):
        if shutil.which("setpriv") and subprocess.run([*prefix, "true"], capture_output=True).returncode == 0:
            return prefix
    return ()


def command(tests: list[Path]) -> list[str]:
    """Return the command that runs the tests until one fails."""
    return [*contained(), str(PYTHON), "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *map(str, tests)]


def outcome_of(tests: list[Path], patience: float | None = None) -> tuple[str, str]:
    """Run the tests; return what came of it, and their output. No process of theirs is left, even after Ctrl-C."""
    with subprocess.Popen(command(tests), stdout=subprocess.PIPE, text=True, start_new_session=True) as process:
        try:
            output, _ = process.communicate(timeout=patience)
        except subprocess.TimeoutExpired:
            return TIMED_OUT, ""
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
    return (KILLED if process.returncode else SURVIVED), output


def baseline(tests: list[Path]) -> float:
    """Run the tests on the unchanged source and return the seconds of the slowest time."""
    slowest = 0.0
    for _ in range(BASELINES):
        start = time.monotonic()
        outcome, output = outcome_of(tests)
        if outcome != SURVIVED:
            raise BaselineFails(f"the tests fail without any mutant:\n{output}")
        slowest = max(slowest, time.monotonic() - start)
    return slowest


def tried(source: Path, text: str, tests: list[Path], patience: float) -> tuple[str, str]:
    """Run the tests with one file changed; return what came of it, and the test that noticed it.

    The tests that mirror the file come first and alone, since most mutants end there.
    """
    mirror = [path for path in tests if path.stem == f"test_{source.stem}"]
    original = source.read_text(encoding="utf8")
    source.write_text(text, encoding="utf8")
    try:
        for some in filter(None, (mirror, [path for path in tests if path not in mirror])):
            outcome, output = outcome_of(some, patience)
            if outcome != SURVIVED:
                noticed = re.search(r"^(?:FAILED|ERROR) (.+?)(?: - |$)", output, re.MULTILINE)
                return outcome, noticed.group(1) if noticed else ""
    finally:
        source.write_text(original, encoding="utf8")
    return SURVIVED, ""


def verdicts_on(area: Area, number: int, seed: int, known: Verdicts) -> list[Verdict]:
    """Try the sample of one area, except what was tried before, and print each verdict."""
    tests, patience, verdicts = area.test_files(COPY), 0.0, []
    tests_digest = digest((COPY / path).read_text(encoding="utf8") for path in tests)
    for mutant, text in sample(COPY, area.source_files(COPY), number, seed):
        key = digest((str(mutant.path), text))
        verdict = known.known(key, tests_digest)
        if verdict is None:
            patience = patience or max(LEAST_PATIENCE, PATIENCE * baseline(tests))
            original = (COPY / mutant.path).read_text(encoding="utf8")
            outcome, noticed_by = tried(COPY / mutant.path, text, tests, patience)
            changes = difflib.unified_diff(
                original.splitlines(), text.splitlines(), str(mutant.path), "", "", "", 2, ""
            )
            diff = "\n".join(changes)
            verdict = Verdict(mutant=key, tests=tests_digest, outcome=outcome, noticed_by=noticed_by, diff=diff)
            known.add(verdict)
        print(f"{verdict.outcome:10}{mutant.path}:{mutant.at[0]}  {mutant.operator}  {verdict.noticed_by}", flush=True)
        verdicts.append(verdict)
    return verdicts


def main(arguments: list[str]) -> int:
    """Read the arguments, and run in a fresh copy of the tree."""
    parser = argparse.ArgumentParser(prog="make mutants", description=__doc__.partition("\n")[0])
    parser.add_argument("--area", choices=AREAS, help="all areas if none is named")
    parser.add_argument("--number", type=int, default=50, help="mutants of each area")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args(arguments)
    BUILD.mkdir(parents=True, exist_ok=True)
    with (BUILD / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # one copy, so one run at a time
        copy_tree()
        return run(asked)


def run(asked: argparse.Namespace) -> int:
    """Try the samples that were asked for, then print the table and the survivors."""
    os.chdir(COPY)
    os.environ["NUMBA_CACHE_DIR"] = str(BUILD / "kernels")
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"  # a change within the same second would be overlooked
    known, outcomes = Verdicts(BUILD / "verdicts.jsonl"), {}
    for name in [asked.area] if asked.area else AREAS:
        try:
            outcomes[name] = verdicts_on(AREAS[name], asked.number, asked.seed, known)
        except BaselineFails as error:
            print(f"error: {name}: {error}", file=sys.stderr)
            return 1
    survivors = [verdict for verdicts in outcomes.values() for verdict in verdicts if verdict.outcome == SURVIVED]
    print(table(outcomes), *(verdict.diff for verdict in survivors), sep="\n\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
