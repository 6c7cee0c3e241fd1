"""The pool in Redis of a run that went on in one process meanwhile."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from gobang.run_folder import RunFolder
from learner.replay.pool.memory_pool import MemoryPool
from learner.replay.pool.redis_pool import RedisPool
from learner.replay.pool.replay_pool import START
from learner.run.cluster import Cluster
from learner.run.config import read_config
from learner.run.fleet import Node
from learner.run.pool import RunPool
from learner.run.presets import load_preset
from learner.training.training_state import save_training_state
from tests.learner.replay.games import SMALL, stored_games

GAME = stored_games(SMALL, 1)[0]
HERE = Node(id="1f3a", host="127.0.0.1", cores=2, free_cpus=2.0, free_gpus=0.0)


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    folder = RunFolder(tmp_path / "run")
    folder.create("{}")
    return folder


@contextmanager
def opened(folder: RunFolder, said: list[str], *, is_new: bool = False) -> Iterator[RedisPool]:
    """The pool of a start of the run, with a server of its own."""
    session = folder.root  # the cluster is of this machine alone
    cluster = Cluster(address="", namespace="gobang-run", dashboard="", is_open=False, here=HERE, session=session)
    run_pool = RunPool(read_config(load_preset("tiny")), folder, cluster, url=None, say=said.append)
    try:
        run_pool.start(is_new=is_new)
        pool = run_pool.opener()()
        try:
            yield pool
        finally:
            pool._redis.close()
    finally:
        run_pool.stop()


def test_games_of_before_are_left_behind_and_counted(folder: RunFolder) -> None:
    said: list[str] = []
    with opened(folder, said, is_new=True) as pool:
        pool.add(GAME)
    with opened(folder, said) as pool:
        assert len(pool.read_since(START, 10).games) == pool.counters().games == 1
    assert said == []
    save_training_state(folder.pool, MemoryPool(SMALL).get_state())  # as a run in one process leaves it
    folder.write_summary({"values": {"games": 40.0, "positions": 400.0, "reuse": 4.0}})
    with opened(folder, said) as pool:
        assert (pool.read_since(START, 10).games, pool.counters().games, pool.counters().sampled) == ([], 40, 1600)
        assert pool.add(GAME)
    (line,) = said
    assert line.startswith("the run went on in one process: the pool in redis at ")
    assert line.endswith("starts empty, after 40 games")
    assert not folder.pool.exists()
    with opened(folder, said) as pool:
        assert (len(pool.read_since(START, 10).games), pool.counters().games, len(said)) == (1, 41, 1)
