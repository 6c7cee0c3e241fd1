import os
import secrets
import signal
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from actors import remote as module
from actors.factories import SelfPlayFactory, ServerFactory
from actors.remote import NamedServer, SelfPlayLoop, ask, local_ray, start_inference, start_self_play
from actors.self_play.self_play import SelfPlay, SelfPlayConfig
from actors.server.inference import ServerConfig
from actors.wire.remote_evaluator import RemoteEvaluator
from gobang.errors import EvaluatorUnavailable
from gobang.evaluators.null import NullEvaluator
from gobang.rules.position import Position
from gobang.search.trees.config import SearchConfig
from tests.actors.conftest import KEY, VARIANT, Pool, Shelf, marked
from tests.actors.recorded import Ledger

CONFIG = SelfPlayConfig(search=SearchConfig(simulations=8), games=4, cache_entries=0)


def wait_for(condition: Callable[[], object], seconds: float = 30.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "not within the time"
        time.sleep(0.05)  # other processes are waited for


def local_play(pool: Pool) -> SelfPlay:
    return SelfPlay(VARIANT, CONFIG, NullEvaluator(VARIANT), pool, name="a", seed=1)


def test_a_loop_plays_by_itself_and_drains():
    pool = Pool()
    loop = SelfPlayLoop(partial(local_play, pool))
    loop.set_simulations(3)
    wait_for(lambda: len(pool.games) > 5)
    assert loop.drain(30) == 0
    report = loop.report()
    assert report.self_play.simulations_per_move == 3
    assert (report.failures, report.failures_in_a_row) == (0, 0)
    assert len(pool.games) >= report.self_play.games - report.self_play.buffered


def test_a_loop_survives_what_goes_wrong(caplog):
    pool = Pool()
    attempts = iter([RuntimeError("a mistake of ours")])

    def make() -> SelfPlay:
        for error in attempts:
            raise error
        return local_play(pool)

    loop = SelfPlayLoop(make)
    wait_for(lambda: pool.games)
    loop.drain(30)
    assert (loop.report().failures, loop.report().last_failure) == (1, "RuntimeError('a mistake of ours')")
    assert "self-play begins anew" in caplog.text


def test_failures_in_a_row_end_with_a_step_that_goes_well(monkeypatch):
    monkeypatch.setattr(module, "_FAILURE_SECONDS", 0.01)
    pool, allowed = Pool(), threading.Event()

    def make() -> SelfPlay:
        if not allowed.is_set():
            raise EvaluatorUnavailable("no answer")
        return local_play(pool)

    loop = SelfPlayLoop(make)
    wait_for(lambda: loop.report().failures_in_a_row >= 3)
    allowed.set()
    wait_for(lambda: pool.games)
    loop.drain(30)
    assert loop.report().failures >= 3
    assert loop.report().failures_in_a_row == 0


@pytest.mark.heavy
def test_killed_actors_and_servers_come_back_and_no_game_is_stored_twice(tmp_path: Path):
    find, ledger = NamedServer(kind="server", number=0, turn=0), Ledger(tmp_path / "games")
    socket = Path(f"/tmp/gobang-{secrets.token_hex(6)}.sock")
    config = ServerConfig(variant=VARIANT, listen=(f"unix:{socket}",), key=KEY)
    serve = ServerFactory(config=config, make_source=Shelf, make_evaluator=marked)
    connect = partial(RemoteEvaluator, find, KEY, VARIANT, model="latest")
    play = SelfPlayFactory(
        variant=VARIANT, config=CONFIG, make_evaluator=connect, make_sink=partial(Ledger, ledger.path)
    )

    def finished_since(count: int, name: str) -> bool:
        return any(game[0].startswith(name) for game in ledger.games()[count:])

    with local_ray(cpus=2):
        server = start_inference("server-0", serve, cpus=0.1)
        actors = {name: start_self_play(name, play, cpus=0.1) for name in ("one", "two")}
        for name in actors:
            wait_for(lambda name=name: finished_since(0, name), 90)
        for _ in range(2):
            victim = ask(actors["one"].__ray_call__.remote(process_of))
            before = {game[0].split("/")[0] for game in ledger.games()}
            os.kill(victim, signal.SIGKILL)
            wait_for(lambda before=before: {game[0].split("/")[0] for game in ledger.games()} - before)
            os.kill(ask(server.__ray_call__.remote(process_of)), signal.SIGKILL)
            count = len(ledger.games())
            for name in actors:
                wait_for(lambda name=name, count=count: finished_since(count, name), 10)
            wait_for(lambda: reports_again(actors["one"]))
        assert [ask(actor.drain.remote(20)) for actor in actors.values()] == [0, 0]
    socket.unlink(missing_ok=True)
    names = [game[0] for game in ledger.games()]
    assert len(set(names)) == len(names)
    for _, moves, outcome in ledger.games():
        assert Position(VARIANT, moves).outcome == outcome


def process_of(actor) -> int:
    return os.getpid()


def reports_again(actor) -> bool:
    """Whether Ray knows the restarted actor."""
    try:
        return bool(ask(actor.report.remote(), 5).self_play)
    except Exception:
        return False
