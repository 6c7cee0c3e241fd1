import json
import signal
import subprocess
import sys

from gobang.run_folder import RunFolder


def run(folder, *evaluations):
    """The process that judges, with a number of evaluations until it is killed."""
    command = [sys.executable, "-m", "tests.evaluator.judging.killed_judge", str(folder), *map(str, evaluations)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)


def games(folder):
    lines = RunFolder(folder).games.read_text().splitlines()
    return sorted(lines, key=lambda line: (json.loads(line)["match"], json.loads(line)["number"]))


def test_a_judge_killed_twice_counts_each_game_once_and_comes_to_the_same_verdict(tmp_path):
    whole = run(tmp_path / "whole")
    assert whole.returncode == 0, whole.stderr
    counts = []
    for count in (250, 300):
        assert run(tmp_path / "killed", count).returncode == -signal.SIGKILL
        counts.append(len(games(tmp_path / "killed")))
    resumed = run(tmp_path / "killed")
    assert resumed.stdout == whole.stdout
    assert games(tmp_path / "killed") == games(tmp_path / "whole")
    assert 0 < counts[0] < counts[1] < len(games(tmp_path / "whole"))
