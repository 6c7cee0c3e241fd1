"""An evaluator whose network runs in another process, on this node or another one."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from actors.wire.address import connect
from actors.wire.authentication import greet_server
from actors.wire.messages import Hello, decode_evaluations, encode_hello, encode_positions
from actors.wire.transport import (
    ANSWER,
    GONE,
    HELLO,
    QUESTION,
    REFUSAL,
    WELCOME,
    Channel,
    Message,
    PeerClosed,
    Refused,
    TransportError,
)
from gobang.errors import EvaluatorUnavailable, VersionGone
from gobang.types import Evaluations, Positions, Variant
from gobang.versions import NO_VERSION

_CONNECTING_SECONDS: Final = 2.0  # for one attempt
_RETRY_SECONDS: Final = 0.05  # between attempts to reach a server that restarts
_SENDING_SECONDS: Final = 10.0


class _Unusable(TransportError):
    """An answer that must not get into a search tree, where it would stay; it is asked for again."""


@dataclass(frozen=True, slots=True)
class Ticket:
    """A question under way, with what is needed to ask again."""

    number: int
    positions: Positions


class RemoteEvaluator:
    """Asks an inference server for one model; for one thread.  VersionGone for a version that will never answer.

    When the connection breaks, the address is looked up again, and what was under way is asked again.
    """

    def __init__(
        self, find: Callable[[], str], key: bytes, variant: Variant, *, model: str, patience: float = 60.0
    ) -> None:
        """`find` gives the server's address; a wait of over `patience` seconds raises EvaluatorUnavailable."""
        self._find = find
        self._key = key
        self._hello = Hello(variant=variant, model=model)
        self._patience = patience
        self._channel: Channel | None = None
        self._unanswered: dict[int, Ticket] = {}
        self._answers: dict[int, Evaluations] = {}
        self._asked = 0  # questions so far
        self._version = NO_VERSION

    @property
    def version(self) -> int:
        """The highest version that has answered; before the first answer, that of the server's model."""
        if self._version == NO_VERSION:
            self._connected(time.monotonic() + self._patience)
        return self._version

    def submit(self, positions: Positions) -> Ticket:
        """Send a batch; while no server is connected, that is left to `collect`."""
        ticket = Ticket(self._asked, positions)
        self._asked += 1
        self._unanswered[ticket.number] = ticket
        if self._channel is not None:
            try:
                self._ask(self._channel, ticket)
            except (PeerClosed, _Unusable):
                self._hang_up()
        return ticket

    def collect(self, ticket: Ticket) -> Evaluations:
        """Wait for the answer to a batch."""
        deadline = time.monotonic() + self._patience
        while ticket.number not in self._answers:
            channel = self._connected(deadline)
            try:
                self._take(channel.receive(max(0.0, deadline - time.monotonic())))
            except PeerClosed:
                self._hang_up()
            except _Unusable as error:
                self._hang_up()
                if time.monotonic() + _RETRY_SECONDS > deadline:
                    raise self._unavailable(str(error)) from error
                time.sleep(_RETRY_SECONDS)
        return self._answers.pop(ticket.number)

    def close(self) -> None:
        """Hang up; what is under way is lost."""
        self._unanswered.clear()
        self._hang_up()

    def _connected(self, deadline: float) -> Channel:
        """The connection, made anew if it broke; what is under way is then asked again."""
        while self._channel is None:
            try:
                self._channel = self._connect(deadline)
                for ticket in list(self._unanswered.values()):
                    self._ask(self._channel, ticket)
            except (OSError, PeerClosed, _Unusable, EvaluatorUnavailable) as error:
                self._hang_up()
                if time.monotonic() + _RETRY_SECONDS > deadline:
                    raise self._unavailable(str(error)) from error
                time.sleep(_RETRY_SECONDS)
        return self._channel

    def _connect(self, deadline: float) -> Channel:
        connected = connect(self._find(), _CONNECTING_SECONDS)
        try:
            greet_server(connected, self._key, _CONNECTING_SECONDS)
        except BaseException:
            connected.close()
            raise
        channel = Channel(connected)
        channel.send(HELLO, [encode_hello(self._hello)], patience=_SENDING_SECONDS)
        message = channel.receive(max(0.0, deadline - time.monotonic()))
        if message is None or message.kind != WELCOME:
            channel.close()
            if message is None:
                raise PeerClosed(f"model {self._hello.model!r} is not ready")
            text = message.payload.tobytes().decode()
            raise VersionGone(text) if message.kind == GONE else Refused(f"the inference server refuses: {text}")
        self._version = max(self._version, message.version)
        return channel

    def _ask(self, channel: Channel, ticket: Ticket) -> None:
        channel.send(
            QUESTION,
            encode_positions(ticket.positions),
            number=ticket.number,
            count=len(ticket.positions),
            patience=_SENDING_SECONDS,
            read_meanwhile=lambda: self._take_all(channel),
        )

    def _take_all(self, channel: Channel) -> None:
        while (message := channel.receive()) is not None:
            self._take(message)

    def _take(self, message: Message | None) -> None:
        """Keep an answer until it is collected; None stands for the end of patience."""
        if message is None:
            raise self._unavailable("it does not answer")
        if message.kind == REFUSAL:
            raise Refused(f"the inference server refuses: {message.payload.tobytes().decode()}")
        if message.kind == ANSWER and message.number in self._unanswered:
            evaluations = decode_evaluations(self._hello.variant, message)
            if not evaluations.are_finite:
                raise _Unusable(f"its version {message.version} gives answers that are not finite")
            del self._unanswered[message.number]
            self._answers[message.number] = evaluations
            self._version = max(self._version, message.version)

    def _hang_up(self) -> None:
        if self._channel is not None:
            self._channel.close()
            self._channel = None

    def _unavailable(self, reason: str) -> EvaluatorUnavailable:
        return EvaluatorUnavailable(f"no inference server for {self._patience:g} s: {reason}")
