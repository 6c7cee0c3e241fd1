"""Strikes real runs with every fault of the list and says what was lost: `make chaos`, `make chaos CASES=3,5 N=20`

Each round is kept in build/chaos/rounds.jsonl and not played again, unless AGAIN=1.  N=release plays as many rounds
of each case as a release is worth.  NEMESIS=10 strikes one run of ten minutes at random, with a SEED or one that it
prints.  PATIENCE=3 makes all deadlines three times as long, for a busy machine.  The exit status is 1 if a game was
lost or stored twice, or a round failed.
"""

from __future__ import annotations

import argparse
import os
import secrets
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from learner.run.machine import machine_name
from tests.chaos.case import PATIENCE, Case, Round, RoundFailed
from tests.chaos.cases import CASES
from tests.chaos.history import Findings
from tests.chaos.nemesis import plague
from tests.chaos.rounds import RoundsFile, table
from tests.chaos.stage import Stage

PLACE: Final = Path("build/chaos")
RELEASE: Final = "release"
_SHOWN: Final = 6  # lost games of a round that are named


def main(arguments: Sequence[str] | None = None) -> int:
    """Play what is missing, and print the table; 1 if anything failed."""
    options = _options().parse_args(arguments)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # what was started is ended, too
    if options.nemesis:
        return unleash(options.nemesis, options.seed)
    chosen = [CASES[number] for number in options.cases] if options.cases else list(CASES.values())
    file = RoundsFile(PLACE / "rounds.jsonl")
    stage = Stage()
    try:
        for case in chosen:
            if case.needs_root and os.geteuid() != 0:
                _print(f"case {case.number} ({case.name}) is left out: it needs root")
                continue
            rounds = case.release if options.rounds == RELEASE else int(options.rounds)
            for number in range(1, rounds + 1) if options.again else file.missing(case, rounds):
                play(case, number, stage, file)
    finally:
        stage.close()
    played = {case: file.of(case) for case in chosen}
    _print("\n".join(["", *table(played)]))
    for case, rounds_of_case in played.items():
        for each in rounds_of_case:
            for fault in each.faults:
                _print(f"case {case.number}, round {each.number}: {fault.splitlines()[0]}")
    return int(any(not each.has_passed for rounds_of_case in played.values() for each in rounds_of_case))


def unleash(minutes: float, seed: int | None) -> int:
    """Strike a run at random for so many minutes; 1 if its history has a fault."""
    seed = secrets.randbits(32) if seed is None else seed
    _print(f"seed {seed}: SEED={seed} strikes again in the same order")
    stage, found, faults = Stage(), Findings(acknowledged=0), list[str]()
    try:
        found = plague(stage, minutes, seed, _print)
    except RoundFailed as error:
        faults.append(str(error))
    faults += found.faults
    if found.lost or found.twice or faults:
        stage.keep(PLACE / f"failed-nemesis-{seed}")
    stage.close()
    _print("\n".join([*faults, f"{found.acknowledged:,} games, {len(found.lost)} lost, {len(found.twice)} twice"]))
    return int(bool(found.lost or found.twice or faults))


def play(case: Case, number: int, stage: Stage, file: RoundsFile) -> None:
    """One round; of one that has not passed it is kept what the run wrote, and a run that has ended is replaced."""
    began = time.monotonic()
    played = _strike(case, number, stage)
    file.add(played)
    if not played.has_passed:
        stage.keep(PLACE / f"failed-{case.number}-{number}")
    took = "" if played.seconds is None else f"went on after {played.seconds:.1f} s, "
    _print(
        f"{time.strftime('%H:%M:%S')} case {case.number} ({case.name}), round {number}: "
        f"{'passed' if played.has_passed else 'FAILED'}, {took}{played.acknowledged:,} games, {played.lost} lost, "
        f"{played.twice} twice; {time.monotonic() - began:.0f} s in all"
    )
    for fault in played.faults:
        _print("    " + fault.replace("\n", "\n    "))


def _strike(case: Case, number: int, stage: Stage) -> Round:
    seconds, faults, found = None, list[str](), Findings(acknowledged=0)
    try:
        seconds = case.strike(stage, number)
    except RoundFailed as error:
        faults.append(str(error))
    except Exception as error:  # the round goes on to the history, and the table to the next case
        faults.append(f"the round itself failed: {error!r}")
    try:
        found = stage.examine()
    except Exception as error:
        faults.append(f"the history cannot be read: {error!r}")
    faults += found.faults
    if found.lost:
        faults.append(f"lost: {', '.join(found.lost[:_SHOWN])}")
    if found.twice:
        faults.append(f"twice: {', '.join(found.twice[:_SHOWN])}")
    return Round(
        case=case.number,
        number=number,
        seconds=seconds,
        acknowledged=found.acknowledged,
        lost=len(found.lost),
        twice=len(found.twice),
        faults=tuple(faults),
        patience=PATIENCE,
        date=time.strftime("%Y-%m-%d"),
        machine=machine_name(),
    )


def _options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tests.chaos", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", default="1", metavar="N", help="of each case, or `release` (1)")
    parser.add_argument("--cases", type=_numbers, metavar="3,5", help="numbers of cases (all)")
    parser.add_argument("--nemesis", type=float, metavar="MINUTES", help="strike one run at random for so long")
    parser.add_argument("--seed", type=int, help="of the nemesis (a new one, which is printed)")
    parser.add_argument("--again", action="store_true", help="play rounds that were played, too")
    return parser


def _numbers(text: str) -> list[int]:
    numbers = [int(word) for word in text.split(",") if word]
    unknown = [number for number in numbers if number not in CASES]
    if unknown:
        raise argparse.ArgumentTypeError(f"no case {unknown[0]}; there are {', '.join(map(str, CASES))}")
    return numbers


def _print(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
