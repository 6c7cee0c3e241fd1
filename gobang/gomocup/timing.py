"""`gobang timing --player SPEC --ms 100 --games 200`: does the engine keep its time?

Plays games against random moves through real pipes, and measures each answer from the moment the
command is written to the moment the move is read.
"""

from __future__ import annotations

import argparse
import random
import shlex
import sys
import time
from typing import Final

import numpy as np

from gobang.command_line import check_two, variant_of
from gobang.players.engine_process import EngineProcess
from gobang.players.gomocup_text import TWO_PLAYERS, read_xy, write_xy
from gobang.rules.position import Position
from gobang.types import UNDECIDED, Variant

_START_SECONDS: Final = 120.0  # the first start on a machine compiles
_MOVE_SECONDS: Final = 60.0
_GRACE_MS: Final = 30.0  # beyond which an answer counts as late


def measure(engine: EngineProcess, variant: Variant, *, ms: int, games: int, seed: int) -> list[float]:
    """Milliseconds of every answer over a number of games; the engine has black in every other one."""
    generator = random.Random(seed)
    _expect_ok(engine, f"RECTSTART {variant.width},{variant.height}")
    engine.send("INFO timeout_match 0")
    engine.send(f"INFO timeout_turn {ms}")
    answers: list[float] = []
    for game in range(games):
        _expect_ok(engine, "RESTART")
        answers += _play(engine, Position(variant), generator, engine_first=game % 2 == 0)
    return answers


def _play(engine: EngineProcess, position: Position, generator: random.Random, *, engine_first: bool) -> list[float]:
    answers: list[float] = []
    command = "BEGIN"
    while True:
        if position.moves or not engine_first:
            position.play(generator.choice(np.flatnonzero(position.legal()).tolist()))
            command = f"TURN {write_xy(position.variant, position.moves[-1])}"
        if position.outcome != UNDECIDED:
            return answers
        started = time.monotonic()
        engine.send(command)
        answer = engine.read_line(started + _MOVE_SECONDS)
        answers.append(1000 * (time.monotonic() - started))
        position.play(read_xy(position.variant, answer))
        if position.outcome != UNDECIDED:
            return answers


def _expect_ok(engine: EngineProcess, command: str) -> None:
    engine.send(command)
    answer = engine.read_line(time.monotonic() + _START_SECONDS)
    if answer != "OK":
        sys.exit(f"{command}: the engine answers {answer}")


def report(answers: list[float], ms: int) -> str:
    """The distribution of the answers in one line."""
    p50, p99 = np.percentile(answers, [50, 99])
    late = sum(answer > ms + _GRACE_MS for answer in answers)
    times = f"p50 {p50:.1f} ms, p99 {p99:.1f} ms, max {max(answers):.1f} ms"
    return f"{len(answers)} answers at {ms} ms a turn: {times}; {late} over {ms + _GRACE_MS:g} ms"


def run(arguments: argparse.Namespace) -> int:
    """Measure and report; 1 if an answer was late."""
    check_two(arguments, TWO_PLAYERS)
    variant = variant_of(arguments)
    rules = ["--k", str(variant.k), "--rule", variant.rule]
    engine = EngineProcess(shlex.join([sys.executable, "-m", "gobang.gomocup", "--player", arguments.player, *rules]))
    try:
        answers = measure(engine, variant, ms=arguments.ms, games=arguments.games, seed=arguments.seed)
    finally:
        engine.close("END")
    sys.stdout.write(report(answers, arguments.ms) + "\n")
    return int(max(answers) > arguments.ms + _GRACE_MS)
