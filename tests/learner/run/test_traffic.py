import json
from types import SimpleNamespace

import pytest

from gobang.cli import main
from gobang.types import Variant
from gobang.versions import NO_VERSION
from learner.replay.pool.redis_pool import RedisPoolFactory
from learner.replay.pool.redis_server import RedisServer
from learner.replay.pool.replay_pool import START
from learner.run.traffic import Load, Players, ask_as_servers, play

VARIANT = Variant.square(5, k=4)


def test_simulated_actors_store_each_its_games_at_the_rate(tmp_path):
    server = RedisServer(tmp_path / "redis")
    server.start()
    make_pool = RedisPoolFactory(url=server.url, variant=VARIANT)
    played = play(Players(names=("a", "b"), games_per_s=100.0, seconds=0.5, make_pool=make_pool))
    names = [game.id for game in make_pool().read_since(START, 100).games]
    server.stop()
    assert 4 <= played.games == len(names) <= 50  # fewer where the machine is busy
    assert names[:4] == ["a/0", "b/0", "a/1", "b/1"]
    assert played.cpu_seconds > 0


def test_simulated_servers_ask_twice_a_second_and_fetch_each_version_once():
    asked = []
    source = SimpleNamespace(
        weights=lambda which, known: asked.append(known) or (b"weights" if known == NO_VERSION else None),
        identify=lambda which: (7, ""),
    )
    found = ask_as_servers(source, Load(actors=160, games_per_s=1.0, processes=1, seconds=0.5))
    assert found.bytes == len(b"weights")
    assert len(found.asks) + len(found.fetches) == 20
    assert asked.count(NO_VERSION) == len(found.fetches) + 1
    assert set(asked) == {7, NO_VERSION}


@pytest.mark.heavy
def test_a_small_cluster_is_carried(capsys):
    options = ("--actors", "16", "--rate", "50", "--seconds", "4", "--size", "5", "--k", "4", "--json")
    assert main(["bench", "traffic", *options]) == 0
    report = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert 0 < report["stored_games_per_s"] <= 50
    assert all(report[name] > 0 for name in ("insert_client_us", "redis_us", "pull_us", "fetched_bytes"))
