from __future__ import annotations

import json
from typing import Any

import pytest

from gobang.analysis.query import Json
from gobang.web.live import Client
from gobang.web.program import GONE, READY
from gobang.web.service import Service

QUESTION = {"id": "a", "moves": ["c3"], "boardXSize": 6, "k": 4}


class Page:
    """A service whose programs are only recorded, and one client of it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.service, self.client = Service(), Client()
        self.service.clients._clients[self.client.number] = self.client
        self.sent: list[Json] = []  # to the program of analysis
        monkeypatch.setattr(self.service._questions, "_send", lambda fields: self.sent.append(fields) is None)

    def take(self, **fields: Any) -> None:
        """Say something as the client."""
        self.service.take(self.client, json.dumps(fields))

    def news(self) -> list[Json]:
        """Return what the client was told since the last call."""
        told = list(self.client._news.values())
        self.client._news.clear()
        return told


@pytest.fixture
def page(monkeypatch: pytest.MonkeyPatch) -> Page:
    return Page(monkeypatch)


@pytest.mark.parametrize("player", ["gomocup:sh -c 'touch mark'", "critic:/dev/zero", "net:mine.safetensors", "human"])
def test_a_question_with_a_player_that_is_not_allowed_reaches_no_program(page: Page, player: str) -> None:
    page.take(analyse={**QUESTION, "player": player})
    (error,) = page.news()
    assert error["field"] == "player"
    assert "allowed are random, " in error["error"]
    assert not page.sent
    page.take(analyse={**QUESTION, "player": "uniform"})
    assert [each["player"] for each in page.sent] == ["uniform"]


def test_a_question_is_not_asked_again_after_it_has_ended_the_program(page: Page) -> None:
    page.take(analyse=QUESTION)
    page.service._analysis.state, page.service._analysis.reason = GONE, "it ended with status -9"
    page.service._analysis_changed()
    page.service._analysis.state = READY
    page.service._analysis_changed()
    assert len(page.sent) == 1
    assert [each["answer"]["error"] for each in page.news() if "answer" in each] == [
        "this question ended its program: it ended with status -9"
    ]
    page.take(analyse=QUESTION)
    page.service.leave(page.client)
    assert page.sent[-1] == {"id": "stop", "action": "terminate", "terminateId": "2"}
