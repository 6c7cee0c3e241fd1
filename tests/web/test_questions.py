from __future__ import annotations

import pytest

from gobang.analysis.query import BadQuery, Json, Query, request_of
from gobang.web.questions import MOST_OPEN, Questions


class Worker:
    """A program of analysis that notes what it is sent; `questions` are open."""

    def __init__(self) -> None:
        self.is_ready = True
        self.sent: list[Json] = []
        self.told: list[tuple[int, Json]] = []
        self.questions = Questions(self._send, lambda client, answer: self.told.append((client, answer)))

    def _send(self, fields: Json) -> bool:
        self.sent += [fields] if self.is_ready else []
        return self.is_ready

    def ask(self, client: int, name: str, turns: int = 1) -> None:
        """Ask a question about some turns."""
        fields = {"id": name, "moves": [name], "boardXSize": 6, "k": 4, "analyzeTurns": list(range(turns))}
        query = request_of(fields)
        assert isinstance(query, Query)
        self.questions.ask(client, query, fields)

    def die(self) -> list[str]:
        """Die and come back; the first moves of the questions that it is then sent."""
        self.is_ready, self.sent = False, []
        self.questions.died("status -9")
        self.is_ready = True
        self.questions.send_on()
        return self.names()

    def names(self) -> list[str]:
        """Return the first moves of the questions it was sent since it came back."""
        return [each["moves"][0] for each in self.sent if "moves" in each]

    def answer(self, number: int, **fields: object) -> None:
        """Answer the question that was sent as this one."""
        self.questions.take({"id": self.sent[number]["id"], "isDuringSearch": False, "turnNumber": 0, **fields})


def test_a_question_is_forgotten_after_its_last_answer() -> None:
    worker = Worker()
    worker.ask(1, "a1", turns=2)
    worker.answer(0, isDuringSearch=True)
    worker.answer(0)
    assert len(worker.questions) == 1
    worker.answer(0, turnNumber=1)
    assert len(worker.questions) == 0
    assert [answer["id"] for client, answer in worker.told] == ["a1"] * 3
    worker.ask(1, "b2")
    worker.answer(1, error="no such player")
    assert len(worker.questions) == 0


def test_a_question_that_ends_its_program_is_blamed_and_not_asked_again() -> None:
    worker = Worker()
    worker.ask(7, "a1")
    assert worker.die() == []
    ((client, answer),) = worker.told
    assert (client, answer["id"]) == (7, "a1")
    assert "ended its program: status -9" in answer["error"]


def test_of_several_questions_the_one_to_blame_is_found_and_the_others_are_answered() -> None:
    worker = Worker()
    for name in ("a1", "b2", "c3"):
        worker.ask(1, name)
    assert worker.die() == ["a1"]
    worker.ask(2, "d4")  # waits
    worker.answer(0)
    assert worker.names() == ["a1", "b2"]
    assert worker.die() == ["c3"]
    assert [answer["id"] for client, answer in worker.told if "error" in answer] == ["b2"]
    worker.answer(0)
    assert worker.names() == ["c3", "d4"]
    worker.answer(1)
    assert len(worker.questions) == 0


def test_a_question_that_was_stopped_is_not_taken_for_the_next_one() -> None:
    worker = Worker()
    for name in ("a1", "b2", "c3"):
        worker.ask(1, name)
    assert worker.die() == ["a1"]
    worker.questions.stop(1, "a1")
    assert worker.names() == ["a1"]  # the program may still be at it
    assert worker.die() == ["b2"]
    assert not worker.told
    worker.questions.stop(1, "b2")
    worker.questions.take({"id": "stop", "action": "terminate", "terminateId": worker.sent[0]["id"]})
    assert worker.names() == ["b2", "c3"]


def test_answers_to_an_earlier_question_of_the_same_id_are_dropped() -> None:
    worker = Worker()
    worker.ask(1, "a1")
    worker.ask(1, "a1")
    worker.answer(0)
    assert not worker.told
    worker.answer(2)
    assert [client for client, answer in worker.told] == [1]


def test_a_client_has_so_many_open_questions() -> None:
    worker = Worker()
    names = [f"{column}{row}" for column in "abcdef" for row in range(1, 7)]
    for name in names[:MOST_OPEN]:
        worker.ask(1, name)
    with pytest.raises(BadQuery, match="20 questions are open"):
        worker.ask(1, names[MOST_OPEN])
    worker.ask(1, names[0])  # in place of its own
    worker.ask(2, names[0])
    worker.questions.stop(1)
    worker.ask(1, names[0])
