import numpy as np
import pytest

from gobang.errors import InvalidConfig, PoolUnavailable
from gobang.types import SelfPlayGame, Variant
from learner.replay.pool.limiter import LimiterConfig
from learner.replay.pool.memory_pool import MemoryPool
from learner.replay.window.size import WindowConfig
from learner.training.experience import PoolExperience, ReplayConfig

VARIANT = Variant.square(5, k=4)
NEWEST = 10_000  # later than the version of every game here
LIMITER = LimiterConfig(samples_per_position=2, early_samples_per_position=2, early_positions=0, minimum=4, tolerance=4)


def make_game(number: int) -> SelfPlayGame:
    """Black makes four in a row in the first row, white answers in the third."""
    moves = np.array([0, 10, 1, 11, 2, 12, 3], np.int16)
    return SelfPlayGame(
        variant=VARIANT,
        id=f"test/{number}",
        moves=moves,
        outcome=0,
        policy_start=np.arange(8, dtype=np.int32),
        policy_point=moves,
        policy_share=np.ones(7, np.float32),
        searched=np.tile(np.array([1, 0, 0], np.float32), (7, 1)),
        surprise=np.ones(7, np.float32),
        version=np.full(7, number, np.int32),
    )


class Lossy:
    """A pool that can be away."""

    def __init__(self, pool: MemoryPool) -> None:
        self.pool = pool
        self.is_away = False

    def __getattr__(self, name):
        if self.is_away:
            raise PoolUnavailable("gone")
        return getattr(self.pool, name)


def make(games: int) -> tuple[Lossy, PoolExperience]:
    pool = Lossy(MemoryPool(VARIANT, limiter=LIMITER))
    for number in range(games):
        pool.add(make_game(number))
    config = ReplayConfig(limiter=LIMITER, window=WindowConfig(start=14, end=28))
    return pool, PoolExperience(pool, VARIANT, config)


def test_games_become_samples():
    _, experience = make(games=2)
    experience.take_in(NEWEST)
    samples = experience.draw(4, np.random.default_rng(0))
    assert len(samples) == 4
    assert samples.result_chances[:, :2].sum() == 4
    assert experience.values() == {
        "games": 2, "positions": 14, "rejected": 0, "lost": 0, "window": 14, "window_limit": 14, "reuse": 0.0,
        "surprise": 1.0, "game_length": 7.0, "black_score": 1.0,
    }  # fmt: skip
    experience.take_in(NEWEST)
    assert experience.values()["reuse"] == pytest.approx(4 / 14)


def test_nothing_is_drawn_from_nothing_nor_beyond_the_limit():
    random = np.random.default_rng(0)
    _, empty = make(games=0)
    empty.take_in(NEWEST)
    assert empty.draw(4, random) is None
    _, experience = make(games=1)
    experience.take_in(NEWEST)
    drawn = [experience.draw(4, random) is not None for _ in range(20)]
    assert drawn.index(False) == 3  # (7 - 4 + 4) * 2 samples


def test_more_games_than_one_read_takes_are_all_read():
    _, experience = make(games=600)
    experience.take_in(NEWEST)
    assert (experience.values()["games"], experience.values()["window"]) == (600, 28)


def test_a_lost_pool_is_waited_for_and_said_once(caplog):
    pool, experience = make(games=2)
    experience.take_in(NEWEST)
    with caplog.at_level("INFO"):
        pool.is_away = True
        experience.take_in(NEWEST)
        assert experience.draw(4, np.random.default_rng(0)) is None
        pool.is_away = False
        experience.take_in(NEWEST)
    assert [record.message for record in caplog.records] == [
        "the learner waits for the replay pool: gone",
        "the replay pool is back",
    ]
    assert experience.draw(4, np.random.default_rng(0)) is not None


def test_garbage_is_put_aside_and_said(caplog):
    pool, experience = make(games=1)
    pool.pool.add_blob(b"garbage", 0)
    experience.take_in(NEWEST)
    experience.take_in(NEWEST)
    assert experience.values()["rejected"] == 1
    assert [record.message.split(":")[0] for record in caplog.records] == ["entry 2 is put aside in memory"]


def test_the_pool_keeps_what_the_window_needs():
    with pytest.raises(InvalidConfig, match=r"keep 10: at least window\.end, 400000"):
        ReplayConfig(keep=10)
