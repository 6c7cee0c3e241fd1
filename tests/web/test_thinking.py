from __future__ import annotations

import json
import subprocess
import sys

from gobang.analysis.query import Json
from gobang.web.thinking import ANALYSIS, Chooser

BOARD = {"boardXSize": 6, "k": 4, "moves": ["c3"]}


def test_a_request_that_was_taken_back_before_its_turn_is_left_out() -> None:
    sent: list[Json] = []
    chooser = Chooser(sent.append, seed=1)
    chooser.take_back(1)
    for number in (1, 2):
        chooser.answer({"id": number, "game": "a", "player": "random", **BOARD})
    assert [answer["id"] for answer in sent] == [2, 2]
    assert "moves" in sent[-1]


def test_no_search_outlives_the_input_of_its_program() -> None:
    question = json.dumps({"id": "long", "player": "rollout", "maxVisits": 1_000_000, **BOARD})
    command = [sys.executable, "-m", "gobang.web.thinking", ANALYSIS]
    done = subprocess.run(command, input=question + "\n", capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert answers == [{"ready": True}, {"id": "end", "action": "terminate_all"}]
