"""The questions that the page has put to the program of analysis and that are not answered yet.

    questions = Questions(program.send, tell)
    questions.ask(client, query, fields)       # the program gets it under a name of its own
    questions.take(answer)                     # `tell` gets it for the client
    questions.died(reason)                     # the program has died,
    questions.send_on()                        # and is back

One of the questions that a dead program had may have killed it.  Those are suspects: until they are answered, the
program gets one question at a time.  If it dies again, that one is to blame: it is refused and never asked again.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from gobang.analysis.query import BadQuery, Json, Query

MOST_OPEN: Final = 20  # questions of one client

Tell = Callable[[int, Json], None]  # gives an answer to the client of a number


@dataclass(slots=True, kw_only=True)
class _Question:
    """A question that is not answered yet."""

    client: int
    id: str  # as the client calls it
    fields: Json  # as the program gets it
    turns: set[int]  # of which the last answer is still to come
    is_sent: bool = False
    is_stopped: bool = False  # the program has been told, and has not confirmed it yet
    is_suspect: bool = False


class Questions:
    """All open questions, by the name that the program knows."""

    def __init__(self, send: Callable[[Json], bool], tell: Tell) -> None:
        """`send` returns False if the program is not ready."""
        self._send, self._tell = send, tell
        self._numbers = itertools.count(1)
        self._open: dict[str, _Question] = {}

    def __len__(self) -> int:
        return len(self._open)

    def ask(self, client: int, query: Query, fields: Json) -> None:
        """Take a question in, in place of the client's one of the same id; raise BadQuery if there are too many."""
        self.stop(client, query.id)
        if sum(each.client == client and not each.is_stopped for each in self._open.values()) >= MOST_OPEN:
            raise BadQuery(f"{MOST_OPEN} questions are open: stop one, or wait", field="id", asked_by=query.id)
        name = str(next(self._numbers))
        asked = {**fields, "id": name, "maxVisits": query.visits}
        self._open[name] = _Question(client=client, id=query.id, fields=asked, turns=set(query.turns))
        self.send_on()

    def stop(self, client: int, name: str | None = None) -> None:
        """End a client's question of an id, or all of its questions."""
        for key, question in list(self._open.items()):
            if question.client != client or name not in (None, question.id) or question.is_stopped:
                continue
            question.is_stopped = question.is_sent and self._send(
                {"id": "stop", "action": "terminate", "terminateId": key}
            )
            if not question.is_stopped:
                del self._open[key]
        self.send_on()

    def take(self, answer: Json) -> None:
        """Pass an answer on, and forget the question after its last one, or once the program has stopped it."""
        name = str(answer.get("terminateId", answer.get("id")))
        question = self._open.get(name)
        if question is None:
            return
        if not question.is_stopped:
            self._tell(question.client, {**answer, "id": question.id})
            if not answer.get("isDuringSearch"):
                question.turns.discard(answer.get("turnNumber", -1))
        if "error" in answer or "terminateId" in answer or not question.turns:
            del self._open[name]
            self.send_on()

    def died(self, reason: str) -> None:
        """Blame the question that the program had alone, or suspect all that it had."""
        sent = {key: each for key, each in self._open.items() if each.is_sent}
        for key, question in sent.items():
            question.is_sent, question.is_suspect = False, True
            if question.is_stopped or len(sent) == 1:
                del self._open[key]
            if not question.is_stopped and len(sent) == 1:
                said = {"id": question.id, "field": "", "error": f"this question ended its program: {reason}"}
                self._tell(question.client, said)

    def send_on(self) -> None:
        """Send what waits: all of it, or the first suspect alone."""
        suspects = [each for each in self._open.values() if each.is_suspect]
        if suspects and any(each.is_sent for each in self._open.values()):
            return
        for question in suspects[:1] or [each for each in self._open.values() if not each.is_sent]:
            question.is_sent = self._send(question.fields)
