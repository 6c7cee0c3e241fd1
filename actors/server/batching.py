"""The queue of questions to a server: it forms batches of them, and says how long one waits for others."""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np

from gobang.types import Positions

Client = TypeVar("Client", bound=Hashable)


@dataclass(frozen=True, kw_only=True, slots=True)
class Question(Generic[Client]):
    """Positions of one client, to be answered together."""

    client: Client
    model: str
    number: int
    positions: Positions
    arrived: float  # seconds of a monotonic clock


class QuestionQueue(Generic[Client]):
    """Forms batches of one model, oldest question first; not for several threads at once.

    A batch is due when it is full, when its oldest question has waited long enough, or when every
    client waits for an answer, so that no further question can come.  It leaves a question for each
    other thread: two threads with small batches finish sooner than one with a large batch beside an idle one.
    """

    def __init__(self, *, most_positions: int, longest_wait: float, threads: int = 1) -> None:
        """A batch has at most `most_positions`, unless a single question has more."""
        self._most = most_positions
        self._spared = threads - 1
        self._longest_wait = longest_wait
        self._questions: deque[Question[Client]] = deque()

    def __len__(self) -> int:
        return len(self._questions)

    def add(self, question: Question[Client]) -> None:
        """Append a question."""
        self._questions.append(question)

    def forget(self, client: Client) -> int:
        """Drop the questions of a client that has left, and return how many they were."""
        kept = [question for question in self._questions if question.client != client]
        dropped = len(self._questions) - len(kept)
        self._questions = deque(kept)
        return dropped

    def seconds_to_wait(self, now: float, *, all_wait: bool) -> float | None:
        """Seconds for which the next batch may still grow: 0.0 if it is due, None if there is no question."""
        if not self._questions:
            return None
        if all_wait or sum(len(question.positions) for question in self._questions) >= self._most:
            return 0.0
        return max(0.0, self._questions[0].arrived + self._longest_wait - now)

    def take(self) -> list[Question[Client]]:
        """The next batch: the oldest question, and as many of the same model as fit."""
        model, room = self._questions[0].model, self._most
        most_questions = max(1, len(self._questions) - self._spared)
        batch: list[Question[Client]] = []
        rest: deque[Question[Client]] = deque()
        for question in self._questions:
            size = len(question.positions)
            fits = question.model == model and size <= room and len(batch) < most_questions
            if fits or not batch:
                batch.append(question)
                room -= size
            else:
                rest.append(question)
        self._questions = rest
        return batch


def join(questions: Sequence[Question[Client]]) -> Positions:
    """The positions of a batch, without a copy if it is one question."""
    parts = [question.positions for question in questions]
    if len(parts) == 1:
        return parts[0]
    return Positions(
        variant=parts[0].variant,
        cells=np.concatenate([part.cells for part in parts]),
        to_move=np.concatenate([part.to_move for part in parts]),
        last_moves=np.concatenate([part.last_moves for part in parts]),
        key=np.concatenate([part.key for part in parts]),
    )
