"""No command leaves a process behind, whatever ends it: every process that it started ends within ten seconds."""

from __future__ import annotations

import signal
import sys
from pathlib import Path

import pytest

from tests.evaluator.experiments.test_experiments import TRAINED
from tests.left_behind import begun, cache_without, compiles

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks at processes as Linux shows them")

LONG = "rollout:ms=600000"  # ten minutes for a move
TWO = ("--a", LONG, "--b", LONG, "--games", "8", "--size", "8", "--jobs", "2")
COLD = "advance"  # the kernel of search by depth, which takes longest to compile
WORKER = "spawn_main"  # in the command line of a process of `multiprocessing`


def engine_while_compiling_ends_by(how: signal.Signals | str, folder: Path) -> None:
    words = ("gobang.gomocup", "--player", "alphabeta")
    with begun(*words, environment=cache_without(folder, COLD)) as engine:
        engine.says("START 15")
        engine.hears("OK")
        engine.waits_until(lambda: engine.runs("gobang.warm") and compiles(folder, COLD))
        engine.leaves_nothing(how)


@pytest.mark.parametrize("how", [signal.SIGKILL, "END"])
def test_an_engine_that_ends_while_kernels_compile(how: signal.Signals | str, tmp_path: Path) -> None:
    engine_while_compiling_ends_by(how, tmp_path)


@pytest.mark.heavy
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT, ""])
def test_an_engine_that_ends_in_another_way_while_kernels_compile(how: signal.Signals | str, tmp_path: Path) -> None:
    engine_while_compiling_ends_by(how, tmp_path)


def test_a_match_with_a_process_for_each_half() -> None:
    with begun("evaluator.match", *TWO) as match:
        match.waits_until(lambda: match.busy(WORKER, 2))
        match.leaves_nothing()


def test_the_page_and_the_programs_that_think_for_it() -> None:
    with begun("gobang.cli", "web", "--port", "0", "--no-browser") as page:
        page.waits_until(lambda: page.runs("gobang.web.thinking") == 2)
        page.leaves_nothing()


@pytest.mark.heavy
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_the_page_on_a_machine_that_never_compiled(how: signal.Signals, tmp_path: Path) -> None:
    cold = {"NUMBA_CACHE_DIR": str(tmp_path)}
    with begun("gobang.cli", "web", "--port", "0", "--no-browser", environment=cold) as page:
        page.waits_until(lambda: list(tmp_path.rglob(".*.lock")))
        page.leaves_nothing(how)


@pytest.mark.heavy
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_kernels_that_are_compiled_ahead(how: signal.Signals, tmp_path: Path) -> None:
    with begun("gobang.warm", "--jobs", "2", environment={"NUMBA_CACHE_DIR": str(tmp_path)}) as warm:
        warm.waits_until(lambda: warm.busy(WORKER, 2))
        warm.leaves_nothing(how)


@pytest.mark.heavy
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_a_package_while_its_kernels_compile(how: signal.Signals, tmp_path: Path) -> None:
    with begun("gobang.cli", "package", "--out", str(tmp_path)) as package:
        package.waits_until(lambda: package.busy(WORKER))
        package.leaves_nothing(how)


@pytest.mark.heavy
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_a_match_that_ends_in_another_way(how: signal.Signals) -> None:
    with begun("evaluator.match", *TWO) as match:
        match.waits_until(lambda: match.busy(WORKER, 2))
        match.leaves_nothing(how)


@pytest.mark.heavy
def test_a_tournament_with_an_engine(tmp_path: Path) -> None:
    engine = f"gomocup,timeout=600:{sys.executable} -m gobang.gomocup --player {LONG}"
    words = (LONG, engine, "rollout:ms=500000", "--size", "8", "--jobs", "2", "--out", str(tmp_path / "t"))
    with begun("evaluator.tournament", *words) as tournament:
        tournament.waits_until(lambda: tournament.busy(WORKER, 2) or tournament.busy("gobang.gomocup"))
        tournament.leaves_nothing()


@pytest.mark.heavy
def test_a_person_who_plays_an_engine() -> None:
    engine = f"gomocup,timeout=600:{sys.executable} -m gobang.gomocup --player {LONG}"
    words = ("gobang.cli", "play", "--size", "8", "--colour", "white", "--player", engine)
    with begun(*words) as play:
        play.waits_until(lambda: play.busy("gobang.gomocup"))
        play.leaves_nothing()


@pytest.mark.heavy
def test_an_analysis() -> None:
    with begun("gobang.cli", "analyse", "--player", "uniform:sims=10000000") as analyse:
        analyse.says('{"id": "a", "size": 15, "moves": ["h8"]}')
        analyse.leaves_nothing()


@pytest.mark.heavy
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
@pytest.mark.parametrize("is_cold", [True, False])
def test_a_training(how: signal.Signals, is_cold: bool, tmp_path: Path) -> None:
    cold = {"NUMBA_CACHE_DIR": str(tmp_path / "cache")} if is_cold else {}
    run = tmp_path / "run"
    words = ("learner.launch", "--preset", "tiny", "--actors", "2", "--run", str(run))
    with begun(*words, environment=cold) as training:
        if is_cold:
            training.waits_until(lambda: training.busy("learner.run.compilation"))
        else:
            training.waits_until(lambda: (run / "metrics.jsonl").exists())
        training.leaves_nothing(how)


@pytest.mark.heavy
def test_an_experiment_that_trains(tmp_path: Path) -> None:
    file, out = tmp_path / "miniature.yaml", tmp_path / "out"
    file.write_text(TRAINED)
    with begun("evaluator.experiments", "run", str(file), "--out", str(out)) as experiments:
        experiments.waits_until(lambda: list(out.rglob("metrics.jsonl")))
        experiments.leaves_nothing()
