"""Experiments: their files can be run, and a page comes of one; broken off, it goes on."""

from __future__ import annotations

import argparse
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from evaluator.experiments.__main__ import main
from evaluator.experiments.question import load, names
from evaluator.statistics.seeds import FEWEST_SEEDS
from gobang.network.cost import cost
from gobang.players.registry import PLAYERS as PLAYERS_BY_KIND
from gobang.players.spec import parse
from learner.launch import add_arguments
from learner.paper.config import PaperConfig, read_paper_config
from learner.run.config import read_config
from learner.run.options import assigned, read

PLAYERS = """
title: Who is better
work: nobody
asks: Is it the one that looks at patterns?
found: Nothing.
game: {height: 5, width: 5, k: 4}
players: [pattern, "rollout:sims=10", random]
games: 4
"""
TRAINED = """
title: A miniature
work: nobody
asks: Do more simulations help?
found: Nothing.
preset: tiny
variants:
  4 simulations: ["playouts.steps=[[0, 4]]"]
  8 simulations: ["playouts.steps=[[0, 8]]"]
courses:
  a critic: [--features, small]
lessons: 10
game: {height: 5, width: 5, k: 4}
minutes: 600
seeds: 1
play: sims=4
against: [random]
versions: 2
steps: [20]
drills: 1
first_moves: sims=2
curves: [losses]
games: 4
"""
BY_ITERATIONS = """
title: A miniature
work: nobody
asks: Do more simulations help?
found: Nothing.
settings: ["game={height: 3, width: 3, k: 3}", network=conv3_shortcut, batch=32]
variants:
  4 simulations: [simulations=4]
  8 simulations: [simulations=8]
works: {4 simulations: worse, 8 simulations: better}
claims: [8 simulations > 4 simulations]
iterations: 50
seeds: 1
play: sims=4
steps: [50]
games: 4
"""
SECONDS = 600.0


@pytest.mark.parametrize("name", names())
def test_each_variant_and_player_can_be_had(name: str) -> None:
    question, parser = load(name), argparse.ArgumentParser()
    add_arguments(parser)
    for variation in question.variants:
        if question.iterations:
            fit(read_paper_config(assigned({}, [*question.settings, *variation.settings])))
            continue
        command = ["--preset", question.preset]
        for setting in (*question.settings, *variation.settings):
            command += ["--set", setting]
        read_config(read(parser.parse_args(command)).values()).check()
    for player in (*question.players, *question.against, f"net:builtin-8x8,{question.play}"):
        parse(player)


def fit(config: PaperConfig) -> None:
    """Raise InvalidConfig unless the network plays the game."""
    assert cost(config.network, config.game).parameters


@pytest.mark.parametrize("name", names())
def test_trainings_that_decide_a_claim_have_three_seeds(name: str) -> None:
    question = load(name)
    assert question.seeds >= FEWEST_SEEDS or not question.claims


NEUTRAL = {"threads"}  # options that do not bear on strength


@pytest.mark.parametrize("name", names())
def test_players_name_every_option_that_bears_on_strength(name: str) -> None:
    question = load(name)
    networks = [f"net:builtin-8x8,{text}" for text in (question.play, question.first_moves) if text]
    for text in (*networks, *question.players, *question.against):
        kind, given = PLAYERS_BY_KIND[parse(text).name], {pair.split("=")[0] for pair in re.split("[:,]", text)}
        settled = [option.name for option in kind.pairs if option.default is not None]
        assert not set(settled) - given - NEUTRAL, text


def test_players_meet_and_the_page_says_how_it_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("who.yaml").write_text(PLAYERS)
    assert main(["run", "who.yaml"]) == 0
    page = (tmp_path / "experiments" / "who" / "who.md").read_text()
    assert "# Who is better" in page
    assert "12" in page
    assert all(page.count(player) >= 1 for player in ("pattern", "rollout:sims=10", "random"))
    assert (tmp_path / "experiments" / "who" / "who-players.svg").read_text().startswith("<svg")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("title: x", "has variants or courses"),
        ("variants: {a: []}\nseeds: 1\nfirst_moves: sims=4", "first_moves"),
        ("players: [random]\nagainst: [random]", "among players and against"),
        ("variants: {a: []}\nclaims: [a > b]", "name 'b', which is no variant"),
        ("variants: {a: []}\nclaims: [a beats b]", "one variant > another"),
        ("variants: {a: learner.batch=64}", "variant a: a list of settings"),
        ("players: [random, pattern]\ngames: 3", "games 3"),
        ("playrs: [random]", "players"),
    ],
)
def test_a_mistake_in_a_file_is_one_line(
    text: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "wrong.yaml").write_text(text)
    assert main(["run", str(tmp_path / "wrong.yaml")]) == 2
    said = capsys.readouterr().err
    assert message in said
    assert said.count("\n") == 1


def test_an_unknown_name_is_answered_with_its_neighbour(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "nose"]) == 2
    assert "did you mean noise?" in capsys.readouterr().err


@pytest.mark.heavy
def test_trainings_are_killed_and_go_on_to_a_page_with_the_budget_that_was_given(tmp_path: Path) -> None:
    (tmp_path / "mini.yaml").write_text(TRAINED)
    command = [sys.executable, "-m", "evaluator.experiments", "run", "mini.yaml"]
    first = subprocess.Popen([*command, "--evaluations", "1500"], cwd=tmp_path, start_new_session=True)
    runs, deadline = tmp_path / "experiments" / "mini" / "runs", time.monotonic() + SECONDS
    while not (runs / "8-simulations-1" / "config.yaml").exists() and time.monotonic() < deadline:
        time.sleep(0.1)
    first.send_signal(signal.SIGKILL)
    first.wait()
    subprocess.run([*command, "--resume"], cwd=tmp_path, check=True, timeout=SECONDS)
    page = (tmp_path / "experiments" / "mini" / "mini.md").read_text()
    assert page.count("| 4 simulations |") >= 1 <= page.count("| 8 simulations |")
    assert "--evaluations 1500" in page
    titles = ("Trainings", "Courses", "Against others", "Simple questions", "Black's first move", "Elo after as many")
    assert all(f"## {title}" in page for title in titles)
    assert page.count("against its last") == 2


@pytest.mark.heavy
def test_trainings_by_iterations_side_by_side_and_what_they_will_take(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mini.yaml").write_text(BY_ITERATIONS)
    assert main(["run", "mini.yaml", "--dry-run", "--jobs", "2"]) == 0
    assert re.search(r"in all [\d.]+ hours of one core in training.*--jobs 2; \d+ MB", capsys.readouterr().out)
    assert not Path("experiments").exists()
    assert main(["run", "mini.yaml", "--jobs", "2"]) == 0
    page = Path("experiments/mini/mini.md").read_text()
    assert all(f"## {title}" in page for title in ("Beside the work", "Claims", "Iterations until rollouts are beaten"))
    assert page.count("| open |") == 1
    assert "--iterations 50" in page


def test_minutes_mean_nothing_to_iterations(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "noise", "--minutes", "2"]) == 2
    assert "give --iterations" in capsys.readouterr().err


def test_nothing_is_there_to_resume(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "noise", "--resume", "--out", str(tmp_path / "none")]) == 2
    assert "holds no experiment to resume" in capsys.readouterr().err
