"""A process that judges version 2 against version 0 in a folder: killed_judge.py FOLDER [EVALUATIONS]

With a number of evaluations it is killed by SIGKILL in the midst of them, else it prints its report
when there is nothing left to do.
"""

import os
import signal
import sys
import threading
from pathlib import Path

from evaluator.judging.contest import JudgeConfig
from evaluator.judging.gate import GateConfig
from evaluator.judging.judge import Judge
from evaluator.judging.ladder import LadderConfig
from gobang.run_folder import RunFolder
from tests.evaluator.judging.versions import BOARD, FakeVersions

CONFIG = JudgeConfig(
    simulations=8,
    solver=False,
    pairs_at_once=4,
    solved_positions=0,
    drills=False,
    gate=GateConfig(games=40, opening_plies=3),
    ladder=LadderConfig(first=50, last=50, games=4, opening_plies=3),
)


def judge_all(folder: RunFolder, evaluations: int | None = None) -> None:
    """Let version 2 meet the first version."""
    versions = FakeVersions({0: 1.0, 2: 1.0})
    left = evaluations

    def count() -> None:
        nonlocal left
        if left is not None:
            left -= 1
            if left <= 0:
                os.kill(os.getpid(), signal.SIGKILL)

    versions.on_evaluate = count
    judge = Judge(CONFIG, BOARD, folder, versions, threading.Event())
    while judge.step():
        pass
    print(judge.state())


if __name__ == "__main__":
    judge_all(RunFolder(Path(sys.argv[1])), int(sys.argv[2]) if len(sys.argv) > 2 else None)
