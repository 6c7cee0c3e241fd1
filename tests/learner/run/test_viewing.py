import json
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from gobang.errors import GobangError, PoolUnavailable, VersionGone
from gobang.network.checkpoint import load_checkpoint
from gobang.run_folder import RunFolder, best_weights, weights_path
from learner.replay.pool.redis_claim import pool_name
from learner.replay.pool.redis_pool import RedisPool
from learner.replay.pool.redis_server import RedisServer
from learner.run.viewing import RunOnDisk
from tests.evaluator.report.written import BOARD, write_run
from tests.learner.replay.games import same, stored_games


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    return RunFolder(write_run(tmp_path / "run"))


@pytest.fixture
def pool(folder: RunFolder) -> Iterator[RedisPool]:
    server = RedisServer(folder.redis)
    server.start()
    folder.write_address({"address": "here", "namespace": "gobang-run"})
    yield RedisPool(server.local_url, BOARD, name=pool_name("gobang-run", folder.identity()))
    server.stop()


def test_a_run_tells_where_it_stands(folder: RunFolder) -> None:
    folder.write_parts([{"name": "learner", "place": "process 7", "doing": "trains"}])
    state = RunOnDisk(folder.root).state()
    assert (state.name, state.variant, state.values["version"]) == ("run", BOARD, 5)
    assert [part.name for part in state.parts] == ["learner"]
    assert [(match.kind, match.candidate, match.opponent) for match in state.matches[:2]] == [
        ("ladder", "v2", "rollout:sims=1000"),
        ("gate", "v2", "v0"),
    ]
    assert (state.matches[0].wins, state.matches[0].games, state.matches[0].verdict) == (
        3,
        3,
        "promote",
    )  # equal games count once
    assert state.labels.keys() >= state.values.keys()


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("parts.json", "[1]"),
        ("parts.json", '[{"name": "x", "more": 1}]'),
        ("summary.json", '{"values": 3}'),
        ("summary.json", '{"values": ["xyz"]}'),
        ("evaluator/matches.jsonl", '{"begin": 1}\n'),
        ("evaluator/matches.jsonl", '{"begin": {"number": 900, "kind": "x", "opponent": 1}}\n'),
    ],
)
def test_a_run_whose_files_hold_something_else_cannot_be_shown(folder: RunFolder, name: str, text: str) -> None:
    (folder.root / name).write_text(text)
    with pytest.raises(GobangError, match="cannot be shown"):
        RunOnDisk(folder.root).state()


def test_metrics_are_read_on_from_where_one_was(folder: RunFolder) -> None:
    run = RunOnDisk(folder.root)
    lines, position = run.metrics(0)
    assert len(lines) == 6
    with folder.metrics.open("a") as file:
        file.write(json.dumps({"time": 1.0, "loss": 0.5}) + '\n{"time": 2')
    assert run.metrics(position)[0] == [{"time": 1.0, "loss": 0.5}]


@pytest.mark.parametrize("value", ["1" + "0" * 400, "NaN", "Infinity", '"x"', "[[1]]", "null"])
def test_what_is_no_number_of_a_run_is_left_out(folder: RunFolder, value: str) -> None:
    text = f'{{"time": 1.5, "loss": {value}, "no_metric": 1}}'
    folder.metrics.write_text(text + "\n")
    folder.summary.write_text(f'{{"values": {text}}}')
    run = RunOnDisk(folder.root)
    assert run.metrics(0)[0] == [{"time": 1.5}]
    assert run.state().values == {"time": 1.5}


def test_a_second_look_reads_no_line_again(folder: RunFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    run = RunOnDisk(folder.root)
    matches = run.state().matches
    parsed: list[bytes] = []
    monkeypatch.setattr("evaluator.judging.journal._parse", lambda line: parsed.append(line) or json.loads(line))
    assert run.state().matches == matches
    assert parsed == []
    with folder.games.open("ab") as file:
        file.write(folder.games.read_bytes().splitlines(keepends=True)[-1])
    assert run.state().matches == matches  # the same game under the same number
    assert len(parsed) == 1


def test_of_many_matches_the_newest_are_shown(folder: RunFolder) -> None:
    *_, last = [json.loads(line) for line in folder.matches.read_text().splitlines() if "begin" in line]
    with folder.matches.open("a") as file:
        for number in range(100, 140):
            file.write(json.dumps({"begin": {**last["begin"], "number": number, "candidate": number}}) + "\n")
    run = RunOnDisk(folder.root)
    for _ in range(2):
        assert [match.candidate for match in run.state().matches] == [f"v{139 - index}" for index in range(12)]


def test_the_newest_games_come_from_the_pool(folder: RunFolder, pool: RedisPool) -> None:
    games = stored_games(BOARD, 5)
    for game in games:
        pool.add(game)
    found = RunOnDisk(folder.root).newest_games(3)
    assert all(same(one, other) for one, other in zip(found, games[:-4:-1], strict=True))


def test_without_its_pool_a_run_still_shows_the_rest(folder: RunFolder) -> None:
    run = RunOnDisk(folder.root)
    with pytest.raises(PoolUnavailable):
        run.newest_games(3)
    assert run.state().name == "run"


def test_looking_for_the_pool_writes_nothing(folder: RunFolder) -> None:
    folder.redis.mkdir(exist_ok=True)
    for name, text in (("password", "x"), ("port", "18399")):
        (folder.redis / name).write_text(text)
    with socket.socket(socket.AF_UNIX) as left_by_a_server:
        left_by_a_server.bind(str(folder.redis / "redis.sock"))
    before = sorted(folder.root.rglob("*"))
    with pytest.raises(PoolUnavailable, match="has no pool"):
        RunOnDisk(folder.root).newest_games(3)
    assert sorted(folder.root.rglob("*")) == before


def test_weights_are_given_by_number_or_name(folder: RunFolder) -> None:
    run = RunOnDisk(folder.root)
    best_weights(folder).rename(weights_path(folder, 3))
    blob = run.weights("latest", -1)
    assert blob is not None
    assert load_checkpoint(blob).version == 0
    assert run.state().versions == {"latest": 3}
    assert run.weights("latest", 3) is None
    with pytest.raises(VersionGone):
        run.weights("2", -1)


def test_another_folder_is_no_run(tmp_path: Path) -> None:
    with pytest.raises(GobangError, match="not the folder of a run"):
        RunOnDisk(tmp_path)
