"""A pool in memory that is saved and restored."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gobang.errors import InvalidCheckpoint
from learner.replay.pool.memory_pool import MemoryPool
from learner.replay.pool.replay_pool import NO_COUNTERS, START, PoolCounters, counted
from learner.training.training_state import load_training_state, save_training_state
from tests.learner.replay.games import SMALL, same, stored_games

GAMES = stored_games(SMALL, 12)
BEFORE = PoolCounters(games=40, positions=400, sampled=1600, quarantined=2, lost=1)


def filled(keep: int = 1_000_000) -> MemoryPool:
    """A pool of twelve games, of which one was no game."""
    pool = MemoryPool(SMALL, keep=keep)
    pool.set_counters(BEFORE)
    for game in GAMES[:6]:
        pool.add(game)
    pool.add_blob(b"nothing", 3)
    for game in GAMES[6:]:
        pool.add(game)
    pool.read_since(START, 100)
    return pool


def restored(state: dict[str, Any]) -> MemoryPool:
    pool = MemoryPool(SMALL)
    pool.set_state(state)
    return pool


@pytest.mark.parametrize("keep", [1_000_000, 30])
def test_a_file_gives_back_games_counters_and_sequence_numbers(tmp_path: Path, keep: int) -> None:
    before = filled(keep)
    save_training_state(tmp_path / "pool", before.get_state())
    pool = restored(load_training_state(tmp_path / "pool"))
    assert pool.counters() == before.counters()
    assert pool.counters().games == 53
    read, expected = pool.read_since(START, 100), before.read_since(START, 100)
    assert len(read.games) == len(expected.games) > 0
    assert all(map(same, read.games, expected.games))
    assert pool.counters() == before.counters()  # what was rejected is not counted twice
    assert not pool.add(GAMES[-1])
    assert pool.add(stored_games(SMALL, 13)[-1])
    assert [game.id for game in pool.read_since(read.cursor, 100).games] == ["a-1/000013"]


def test_an_empty_pool_can_be_kept_too(tmp_path: Path) -> None:
    save_training_state(tmp_path / "pool", MemoryPool(SMALL).get_state())
    assert restored(load_training_state(tmp_path / "pool")).counters() == NO_COUNTERS


@pytest.mark.parametrize(
    "change",
    [
        {"counters": {"games": 1}},
        {"counters": {"games": -1, "positions": 0, "sampled": 0, "quarantined": 0, "lost": 0}},
        {"counters": {"games": 3, "positions": 999, "sampled": 0, "quarantined": 1, "lost": 0}},
        {"counters": {"games": 53, "positions": 1, "sampled": 0, "quarantined": 1, "lost": 0}},
        {"counters": None},
        {"counters": {"games": 99, "positions": 10**4, "sampled": 10**400, "quarantined": 0, "lost": 0}},
        {"actors": {"a-1": True}},
        {"actors": {"a-1": "many"}},
        {"rejected": {"one": "no number"}},
        {"rejected": {str(number): "too many" for number in range(9)}},
        {"before": np.zeros(3, np.int64)},
        {"lengths": np.full(13, 10, np.int64)},
        {"lengths": np.full((13, 1), 10, np.int64)},
        {"blobs": np.zeros(0, np.uint8)},
        {"blobs": "text"},
    ],
)
def test_a_state_that_cannot_be_is_refused_and_leaves_the_pool_empty(change: dict[str, Any]) -> None:
    state, pool = filled().get_state(), MemoryPool(SMALL)
    for bad in ({**state, **change}, {name: part for name, part in state.items() if name not in change}):
        with pytest.raises(InvalidCheckpoint, match="no state of a pool"):
            pool.set_state(bad)
    assert (pool.counters(), pool.read_since(START, 10).games) == (NO_COUNTERS, [])


def test_the_counters_of_a_summary_are_those_that_a_pool_goes_on_from() -> None:
    values = {"games": 40.0, "positions": 400.0, "reuse": 4.0, "rejected": 2.0, "lost": 1.0, "loss": 2.5}
    assert counted(values) == BEFORE
    assert counted({}) == NO_COUNTERS
