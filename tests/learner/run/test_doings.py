from dataclasses import replace
from pathlib import Path

import pytest

from actors.server.tally import Tally
from gobang.reports import ActorReport, JudgeReport, SelfPlayReport
from gobang.run_folder import RunFolder
from learner.run.doings import DoingsFile, doing
from learner.run.parts import JUDGE, LEARNER, Kind, Part
from tests.small_disk import SmallDisk

PLAYED = SelfPlayReport(
    name="a",
    games=3400,
    moves=1,
    simulations=1,
    evaluations=1,
    cache_hits=0,
    buffered=0,
    discarded=0,
    simulations_per_move=16,
    version=12,
    is_waiting=False,
    is_cut_off=False,
)
ACTOR = ActorReport(cpu_seconds=1.0, self_play=PLAYED, failures=0, failures_in_a_row=0, last_failure="")


@pytest.mark.parametrize(
    ("report", "words"),
    [
        (ACTOR, "plays with v12: 3,400 games"),
        (replace(ACTOR, self_play=None), "gets ready to play"),
        (replace(ACTOR, self_play=replace(PLAYED, is_waiting=True)), "waits for the learner"),
        (replace(ACTOR, self_play=replace(PLAYED, is_waiting=True, is_cut_off=True)), "cut off from the pool"),
        (Tally().report(clients=3, models={"latest": 1}), "answers 3 clients"),
        (JudgeReport(gate_version=7, gate_games=40), "lets v7 play for promotion: 40 games"),
        (JudgeReport(rung=2000, ladder_score=0.4), "ladder: 2,000 simulations"),
        (JudgeReport(gate_next=9), "waits for v9"),
        (JudgeReport(), "waits"),
        ({"step": 1200, "version": 6, "loss": 2.3461}, "trains: step 1,200, v6, loss 2.35"),
    ],
)
def test_each_part_says_what_it_does(report: object, words: str) -> None:
    assert words in doing(report)  # type: ignore[arg-type]


def test_the_file_is_replaced_now_and_then_and_emptied_at_the_end(tmp_path: Path) -> None:
    now = [0.0]
    folder = RunFolder(tmp_path)
    file = DoingsFile(folder, clock=lambda: now[0])
    file.write({LEARNER: (7, {"step": 1}), Part(Kind.ACTOR, 3): (8, ACTOR)})
    assert [(part["name"], part["place"]) for part in folder.read_parts()] == [
        ("learner", "process 7"),
        ("actor 3", "process 8"),
    ]
    file.write({JUDGE: (9, JudgeReport())})
    assert len(folder.read_parts()) == 2
    now[0] += 5
    file.write({JUDGE: (9, JudgeReport())})
    assert len(folder.read_parts()) == 1
    file.clear()
    assert folder.read_parts() == []


def test_a_full_disk_leaves_the_file_as_it_was(small_disk: SmallDisk) -> None:
    folder = RunFolder(small_disk.place)
    file = DoingsFile(folder, clock=lambda: 0.0)
    file.write({LEARNER: (12, {"step": 1.0})})
    before = folder.parts.read_text()
    small_disk.fill()
    file.clear()
    assert [path.name for path in small_disk.place.iterdir() if path.name != "filler"] == ["parts.json"]
    assert folder.parts.read_text() == before
    small_disk.free()
    file.clear()
    assert folder.read_parts() == []
