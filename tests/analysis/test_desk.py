import io
import json
from pathlib import Path
from queue import Queue

import pytest

from gobang.analysis.command import lines_of, serve
from gobang.analysis.desk import MOST_SIDE_BY_SIDE, Analysts, Desk
from gobang.analysis.query import Answer, Json, Query, answer_json, read_request
from gobang.errors import GobangError, InvalidSpec
from gobang.rules.position import Position
from gobang.types import Variant

VARIANT = Variant.square(6, k=4)


def desk(answers: list[Answer], side_by_side: int = 2) -> Desk:
    ticks = iter(range(10**9))
    return Desk(Analysts("uniform", seed=1), answers.append, side_by_side=side_by_side, clock=lambda: next(ticks))


def query(name: str, **options: object) -> Query:
    fields = {"id": name, "moves": ["c3"], "boardXSize": 6, "k": 4, "maxVisits": 64, **options}
    request = read_request(json.dumps(fields))
    assert isinstance(request, Query)
    return request


def finish(desk: Desk) -> None:
    while desk.step():
        pass


def test_every_turn_gets_one_last_answer() -> None:
    answers: list[Answer] = []
    busy = desk(answers)
    busy.add(query("a", moves=["c3", "d4", "c4"], analyzeTurns=[0, 1, 3]))
    busy.add(query("b"))
    finish(busy)
    assert sorted((each.query.id, each.turn) for each in answers) == [("a", 0), ("a", 1), ("a", 3), ("b", 1)]
    assert all(each.is_last for each in answers)


def test_a_higher_priority_comes_first() -> None:
    answers: list[Answer] = []
    busy = desk(answers, side_by_side=1)
    for number in range(3):
        busy.add(query(str(number), priority=number))
    finish(busy)
    assert [each.query.id for each in answers] == ["2", "1", "0"]


def test_looking_on_does_not_change_what_is_found() -> None:
    found: dict[str, Json] = {}
    for every in (None, 0.5):
        answers: list[Answer] = []
        busy = desk(answers)
        busy.add(query("a", maxVisits=300, reportDuringSearchEvery=every))
        finish(busy)
        assert (len(answers) > 3) == (every is not None)
        found[str(every)] = answer_json(answers[-1])
        visits = [each.analysis.visits for each in answers if each.analysis]
        assert visits == sorted(visits)
        assert visits[-1] == 300
    best = [each["moveInfos"][0] for each in found.values()]
    assert best[0]["visits"] == pytest.approx(best[1]["visits"], rel=0.5)


def test_a_search_is_stopped_with_what_it_knows_and_what_waits_is_dropped() -> None:
    answers: list[Answer] = []
    busy = desk(answers, side_by_side=1)
    busy.add(query("a", maxVisits=100_000))
    busy.add(query("a", analyzeTurns=[0]))
    busy.step()
    busy.stop("a")
    assert not busy.step()
    assert [(each.turn, each.is_last) for each in answers] == [(1, True)]


def test_a_decided_position_is_answered_without_a_search() -> None:
    answers: list[Answer] = []
    busy = desk(answers)
    busy.add(query("a", moves=["a1", "a2", "b1", "b2", "c1", "c2", "d1"], includeThreats=True))
    finish(busy)
    assert answer_json(answers[0])["rootInfo"]["proven"] == "loss"


def test_moves_begin_with_the_move_that_wins() -> None:
    answers: list[Answer] = []
    busy = desk(answers)
    busy.add(query("a", moves=["b2", "a1", "c2", "a3", "d2", "f6"], includeThreats=True))
    finish(busy)
    info = answer_json(answers[0])
    assert info["moveInfos"][0]["proven"] == "win"
    assert info["threats"]["win"] == [info["moveInfos"][0]["move"]]
    winner = Position(VARIANT, [*answers[0].position.moves, answers[0].analysis.moves[0].point])  # type: ignore[union-attr]
    assert winner.outcome == 0


@pytest.mark.parametrize("player", ["pattern", "human", "unifrom", "net:missing.safetensors"])
def test_who_cannot_analyse_is_refused(player: str) -> None:
    with pytest.raises(GobangError, match=player.removeprefix("net:")):
        desk([]).add(query("a", player=player))


@pytest.mark.parametrize("player", ["gomocup:touch {}", "gomocup:sh -c 'touch {}'", "net:{}", "critic:{}"])
def test_a_question_starts_no_program_and_opens_no_file(
    player: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "mark"
    made: list[object] = []
    monkeypatch.setattr("gobang.analysis.desk.make_player", lambda *player: made.append(player))
    with pytest.raises(InvalidSpec, match="allowed are random, "):
        desk([]).add(query("a", player=player.format(path)))
    assert not path.exists()
    assert not made


def test_a_question_may_name_the_player_of_the_command_line() -> None:
    given = "uniform:ms=86400000"
    busy = Desk(Analysts(given, seed=1), lambda answer: None)
    busy.add(query("a", player=given))
    with pytest.raises(InvalidSpec, match="at most 60000"):
        busy.add(query("a", player="uniform:ms=86399999"))


def test_lines_in_answers_out() -> None:
    lines: Queue[bytes | None] = Queue()
    given = (
        b'{"id":"a","moves":[],"boardXSize":6,"k":4,"maxVisits":20}\n\nnonsense\n{"id":"s","action":"terminate_all"}\n'
    )
    digits = b'{"id":"d","moves":["h' + b"9" * 5000 + b'"]}'
    for line in [*io.BytesIO(given), b"x" * (1 << 21), digits, b'{"id":"b","moves":[],"player":"pattern"}', None]:
        lines.put(line)
    sent: list[Json] = []
    serve(lines, Desk(Analysts("uniform", 1), lambda answer: sent.append(answer_json(answer))), sent.append)
    assert [each.get("id") for each in sent] == ["", "s", "", "d", "b"]
    assert "not JSON" in sent[0]["error"]
    assert "more than 1,048,576 bytes" in sent[2]["error"]
    assert sent[3]["field"] == "moves"
    assert sent[4]["field"] == "player"


def test_no_position_is_set_up_before_its_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    moves = [f"{column}{row}" for row in (1, 3, 5, 2, 4) for column in "acebdf"]
    asked = query("a", moves=moves, k=6, analyzeTurns=list(range(31)), maxVisits=1)
    built: list[int] = []
    monkeypatch.setattr(
        "gobang.analysis.desk.Position",
        lambda variant, moves: built.append(len(moves)) or Position(variant, moves),
    )
    busy = desk([], side_by_side=1)
    busy.add(asked)
    assert not built
    busy.step()
    assert built == [0]


def test_lines_wait_while_the_desk_is_full(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gobang.analysis.desk.MOST_WAITING", 3)
    lines: Queue[bytes | None] = Queue()
    for number in range(40):
        lines.put(json.dumps({"id": str(number), "moves": [], "boardXSize": 6, "k": 4, "maxVisits": 1}).encode())
    lines.put(None)
    waiting: list[int] = []
    busy = Desk(Analysts("uniform", 1), lambda answer: waiting.append(lines.qsize()))
    serve(lines, busy, lambda fields: None)
    assert waiting[0] == 41 - 3 - MOST_SIDE_BY_SIDE
    assert len(waiting) == 40


def test_a_long_line_is_not_held_in_memory() -> None:
    source = io.BytesIO(b"a\n" + b"x" * (5 << 20) + b"\nb\n" + b"y" * (2 << 20))
    assert [(line[:1], len(line) <= (1 << 20) + 1) for line in lines_of(source)] == [
        (b"a", True),
        (b"x", True),
        (b"b", True),
        (b"y", True),
    ]
