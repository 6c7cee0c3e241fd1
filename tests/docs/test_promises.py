"""Each command of README and docs is run once, in its shortest form; `make promises` runs the slow part."""

from __future__ import annotations

import argparse
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from learner.launch import add_arguments
from learner.run.config import read_config
from learner.run.options import read
from tests.docs.pages import ROOT
from tests.docs.promises import ELSEWHERE, TRAINING, commands, covered_by, is_ours, shorter, typed

SECONDS = 300.0
RUN_HERE = sorted(each for each in commands() if is_ours(each) and not covered_by(each) and not TRAINING.match(each))
TRAININGS = sorted(each for each in commands() if TRAINING.match(each))


def test_every_command_of_a_page_is_tried_somewhere() -> None:
    found = commands()
    assert len(found) > 50
    assert [each for each in found if not is_ours(each) and covered_by(each) is None] == []
    assert RUN_HERE
    assert TRAININGS


@pytest.mark.parametrize(("pattern", "where"), ELSEWHERE)
def test_a_row_of_the_table_has_a_command_and_a_test(pattern: str, where: str) -> None:
    assert any(re.match(pattern, command) for command in commands())
    assert " " in where or (ROOT / where).exists()


@pytest.mark.parametrize("command", TRAININGS)
def test_a_training_of_a_page_has_settings_that_fit(command: str) -> None:
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    read_config(read(parser.parse_args(shlex.split(command)[2:])).values()).check()


@pytest.mark.promise
@pytest.mark.parametrize("command", sorted({shorter(each) for each in RUN_HERE}))
def test_a_command_of_a_page_does_its_work(command: str, tmp_path: Path) -> None:
    (tmp_path / "positions.jsonl").write_text('{"id": "a", "moves": ["h8"], "maxVisits": 4}\n')
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        ["/bin/sh", "-c", command],
        input=typed(command),
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=os.environ | {"PATH": path},
        timeout=SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
