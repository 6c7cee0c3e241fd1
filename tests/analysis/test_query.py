import json

import numpy as np
import pytest

from gobang.analysis.query import Answer, BadQuery, Query, Stop, answer_json, read_request
from gobang.rules.position import Position
from gobang.types import UNDECIDED, Analysis, MoveAnalysis, Variant

SMALL = {"id": "a", "boardXSize": 5, "boardYSize": 4, "k": 4}


def ask(**fields: object) -> Query:
    request = read_request(json.dumps({**SMALL, "moves": [], **fields}))
    assert isinstance(request, Query)
    return request


def test_moves_may_name_their_colour() -> None:
    assert ask(moves=["a1", "b1"]).moves == ask(moves=[["B", "a1"], ["w", "b1"]]).moves == (0, 1)
    assert ask(moves=["a1", "b1"]).turns == (2,)
    assert ask().variant == Variant(width=5, height=4, k=4)


@pytest.mark.parametrize(
    ("fields", "field", "reason"),
    [
        ({"id": 3}, "id", "1 to 100 characters"),
        ({"moves": ["a1", "a1"]}, "moves", "move 2: a1 is occupied"),
        ({"moves": [["W", "a1"]]}, "moves", "W moves out of turn"),
        ({"moves": "a1"}, "moves", "a list of points"),
        ({"boardYSize": 40}, "rules", "3 to 22"),
        ({"rules": "go"}, "rules", "'go'"),
        ({"analyzeTurns": [1]}, "analyzeTurns", "from 0 to 0"),
        ({"analyzeTurns": [0] * 500_000}, "analyzeTurns", "a list of 1 to 1 numbers"),
        ({"maxVisits": 1.5}, "maxVisits", "a whole number"),
        ({"maxVisits": 10**17}, "maxVisits", "a number from 1"),
        ({"maxVisits": float("nan")}, "", "not JSON: NaN is no number"),
        ({"moves": ["h" + "9" * 5000]}, "moves", "is not a point"),
        ({"moves": ["a٣"]}, "moves", "is not a point"),
        ({"rules": ["freestyle"]}, "rules", "a text"),
        ({"maxVisits": int("9" * 4000)}, "", "too many digits"),
        ({"includePolicy": 1}, "includePolicy", "true or false"),
        ({"maxVisit": 3}, "maxVisit", "did you mean maxVisits"),
        ({"action": "stop"}, "action", "terminate"),
    ],
)
def test_what_cannot_be_read_is_named(fields: dict[str, object], field: str, reason: str) -> None:
    with pytest.raises(BadQuery, match=reason) as error:
        read_request(json.dumps({**SMALL, "moves": [], **fields}))
    assert error.value.field == field


@pytest.mark.parametrize("line", ["", "[]", "{", "[" * 100_000, "\x00", '"a"'])
def test_any_line_gets_an_answer(line: str) -> None:
    with pytest.raises(BadQuery):
        read_request(line)


def test_only_the_fields_of_a_request_to_stop_are_sent_back() -> None:
    stop = read_request('{"id": "x", "action": "terminate_all", "more": [[[]]]}')
    assert isinstance(stop, Stop)
    assert stop.fields == {"id": "x", "action": "terminate_all"}


def test_a_request_to_stop_names_its_target() -> None:
    stop = read_request('{"id": "x", "action": "terminate", "terminateId": "a"}')
    assert isinstance(stop, Stop)
    assert stop.target == "a"


def test_rates_are_those_of_the_side_to_move_and_rows_begin_at_the_top() -> None:
    query = ask(moves=["a1"], includePolicy=True)
    best = MoveAnalysis(point=19, visits=7, prior=0.5, chances=(0.2, 0.7, 0.1), proven=UNDECIDED, line=(19, 1))
    priors = np.zeros(20, np.float32)
    priors[19] = 0.5
    analysis = Analysis(visits=8, chances=(0.3, 0.6, 0.1), proven=UNDECIDED, moves=(best,), priors=priors)
    position = Position(query.variant, query.moves)
    found = answer_json(Answer(query=query, turn=1, position=position, analysis=analysis, is_last=False))
    assert found["rootInfo"] == {
        "visits": 8, "winrate": 0.6, "drawrate": 0.1, "utility": 0.3, "chances": [0.3, 0.6, 0.1]
    }  # fmt: skip
    assert (found["moveInfos"][0]["move"], found["moveInfos"][0]["pv"]) == ("e4", ["e4", "b1"])
    assert found["isDuringSearch"]
    assert (found["policy"][4], found["policy"][15]) == (0.5, -1.0)
