"""The engine before a strict referee, and the referee before engines with faults."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest

from gobang.types import UNDECIDED, Variant
from tests.gomocup.referee import Fault, Referee

VARIANT = Variant.square(8)
FAULTY = """
import sys
for line in sys.stdin:
    word = line.split()[:1]
    if word in (["RECTSTART"], ["RESTART"]):
        print("OK", flush=True)
    elif word in (["BEGIN"], ["TURN"]):
        print({answer!r}, flush=True)
"""


def engine(player: str, *more: str) -> str:
    return shlex.join([sys.executable, "-m", "gobang.gomocup", "--player", player, *more])


def referee(command: str, variant: Variant = VARIANT, ms: int = 100, *, is_noisy: bool = True) -> Referee:
    return Referee(command, variant, ms=ms, seed=1, is_noisy=is_noisy)


def test_an_engine_that_ponders_keeps_the_protocol_whatever_is_said_between_the_moves() -> None:
    judge = referee(engine("uniform:memory_mb=50", "--ponder"), ms=50)
    try:
        judge.start()
        for game in range(6):
            judge.play(engine_first=game % 2 == 0)
    finally:
        judge.close()
    assert len(judge.record.moves_ms) > 20
    assert judge.record.noises > 5
    assert f"{len(judge.record.moves_ms)} moves at 50 ms" in judge.record.report(50)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [("3,3 ", "is no move"), ("8,8", "not on a board"), ("3;3", "no move"), ("3,3", "is occupied")],
)
def test_the_referee_sees_wrong_answers(answer: str, reason: str) -> None:
    judge = referee(shlex.join([sys.executable, "-c", FAULTY.format(answer=answer)]), is_noisy=False)
    try:
        judge.start()
        with pytest.raises(Fault, match=reason):
            judge.play(engine_first=True)
    finally:
        judge.close()


@pytest.mark.heavy
@pytest.mark.parametrize("is_cold", [False, True], ids=["warm", "cold"])
@pytest.mark.parametrize(
    ("player", "variant"),
    [
        ("net:builtin-8x8", VARIANT),
        ("uniform", Variant(rule="caro")),
        ("alphabeta", Variant.square(15, rule="renju")),
        ("rollout", Variant.square(20, rule="standard")),
    ],
    ids=str,
)
def test_thousands_of_moves(player: str, variant: Variant, is_cold: bool, tmp_path: Path) -> None:
    cold = f"env NUMBA_CACHE_DIR={tmp_path} " if is_cold else ""
    judge = referee(cold + engine(player, "--ponder"), variant, ms=20)
    try:
        judge.start()
        while len(judge.record.moves_ms) < 2000:
            assert judge.play(engine_first=judge.record.games % 2 == 0) in (UNDECIDED, 0, 1, variant.draw)
    finally:
        judge.close()
