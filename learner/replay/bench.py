"""Speed of the replay pool on this machine: `gobang bench replay --size 8`.

Random games are encoded, put into a Redis server of this benchmark's own, read back, decoded and
put into a window, from which batches are drawn.  Each figure is the best of several runs.  With --json
the last line is one JSON object whose rates have keys that end in `per_s`.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np

from gobang.rules.position import Position
from gobang.types import UNDECIDED, SelfPlayGame, Variant
from learner.replay.pool.codec import decode, encode
from learner.replay.pool.redis_pool import RedisPool, connect
from learner.replay.pool.redis_server import RedisServer
from learner.replay.pool.replay_pool import START
from learner.replay.window.samples import with_random_symmetry
from learner.replay.window.window import KINDS, SamplingConfig, Window

_RUNS: Final = 5
_GAMES: Final = 200
_BATCH: Final = 512


def random_game(
    variant: Variant, game_id: str, random: np.random.Generator, *, opening: int = 2, entries: int = 16
) -> SelfPlayGame:
    """A game of random moves with random targets: of the right form, with nothing in it to learn.

    The first `opening` plies have no policy, the others have `entries` points or as many as are left.
    """
    position = Position(variant)
    points: list[int] = []
    shares: list[float] = []
    start = [0]
    while position.outcome == UNDECIDED:
        legal = np.flatnonzero(position.legal())
        if len(position.moves) >= opening:
            chosen = np.sort(random.choice(legal, min(entries, len(legal)), replace=False))
            points += chosen.tolist()
            shares += random.dirichlet(np.ones(len(chosen))).tolist()
        start.append(len(points))
        position.play(int(random.choice(legal)))
    plies = len(position.moves)
    return SelfPlayGame(
        variant=variant,
        id=game_id,
        moves=np.array(position.moves, np.int16),
        outcome=position.outcome,
        policy_start=np.array(start, np.int32),
        policy_point=np.array(points, np.int16),
        policy_share=np.array(shares, np.float32),
        searched=random.dirichlet(np.ones(variant.players + 1), plies).astype(np.float32),
        surprise=random.exponential(0.3, plies).astype(np.float32),
        version=np.sort(random.integers(7, 9, plies)).astype(np.int32),
    )


def best_seconds(work: Callable[[], object], clock: Callable[[], float] = time.perf_counter) -> float:
    """The least time of several calls."""
    found = []
    for _ in range(_RUNS):
        start = clock()
        work()
        found.append(clock() - start)
    return min(found)


def measure_codec(games: list[SelfPlayGame]) -> dict[str, float]:
    """Size of the blobs, and games encoded and decoded per second."""
    blobs = [encode(game) for game in games]
    variant = games[0].variant
    return {
        "bytes_per_position": sum(map(len, blobs)) / sum(map(len, games)),
        "encoded_games_per_s": len(games) / best_seconds(lambda: [encode(game) for game in games]),
        "decoded_games_per_s": len(games) / best_seconds(lambda: [decode(blob, variant) for blob in blobs]),
    }


def measure_pool(games: list[SelfPlayGame], directory: Path) -> dict[str, float]:
    """CPU time per game put into a real server, on both sides, the memory there, and games read per second."""
    server = RedisServer(directory)
    server.start()
    pool, admin = RedisPool(server.local_url, games[0].variant), connect(server.local_url)
    info: Callable[[], Any] = admin.info
    memory = int(info()["used_memory"])
    rounds = iter(range(_RUNS))
    server_seconds = []

    def insert() -> None:
        actor, before = next(rounds), info()
        for number, game in enumerate(games):
            pool.add(replace(game, id=f"bench{actor}/{number}"))
        after = info()
        server_seconds.append(sum(after[f"used_cpu_{kind}"] - before[f"used_cpu_{kind}"] for kind in ("user", "sys")))

    client_seconds = best_seconds(insert, time.process_time)
    stored = _RUNS * sum(map(len, games))
    memory_per_position = (int(info()["used_memory"]) - memory) / stored
    read_seconds = best_seconds(lambda: pool.read_since(START, len(games)))
    server.stop()
    client, service = client_seconds / len(games), min(server_seconds) / len(games)
    return {
        "insert_client_us": 1e6 * client,
        "insert_server_us": 1e6 * service,
        "inserted_games_per_cpu_s": 1 / (client + service),
        "redis_bytes_per_position": memory_per_position,
        "read_games_per_s": len(games) / read_seconds,
    }


def measure_ring(games: list[SelfPlayGame], capacity: int, random: np.random.Generator) -> dict[str, float]:
    """Games taken in per second, and positions drawn per second, as stored and under random symmetries."""
    report = {}
    for kind in KINDS:
        window = Window(games[0].variant, capacity, SamplingConfig(kind=kind))
        start = time.perf_counter()
        while len(window) < capacity:
            window.extend(games)
        report["filled_games_per_s"] = window.games / (time.perf_counter() - start)
        report[f"{kind}_samples_per_s"] = _BATCH * 50 / best_seconds(partial(draw, window, random))
        turned = best_seconds(partial(draw, window, random, symmetry=True))
        report[f"{kind}_samples_with_symmetry_per_s"] = _BATCH * 50 / turned
    return report


def draw(window: Window, random: np.random.Generator, *, symmetry: bool = False) -> None:
    """Fifty batches."""
    for _ in range(50):
        samples = window.sample(_BATCH, random)
        if symmetry:
            with_random_symmetry(samples, random)


def run(arguments: argparse.Namespace, variant: Variant) -> dict[str, float]:
    """Print and return the figures."""
    random = np.random.default_rng(0)
    drawn = [random_game(variant, f"bench/{i}", random, entries=arguments.entries) for i in range(_GAMES)]
    report = measure_codec(drawn)
    games = [decode(encode(game), variant) for game in drawn]
    with tempfile.TemporaryDirectory() as directory:
        report |= measure_pool(games, Path(directory))
    report |= measure_ring(games, arguments.positions, random)
    plies = sum(map(len, games)) / len(games)
    print(f"{variant}, {plies:.0f} plies a game, {arguments.entries} policy entries, window of {arguments.positions}")
    for name, value in report.items():
        print(f"  {name:36} {value:12,.1f}")
    return {name: round(value, 3) for name, value in report.items()}
