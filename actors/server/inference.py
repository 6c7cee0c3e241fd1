"""The inference server: answers the positions of all actors of a node in common batches.

    greeting   threads of the Greeter prove each client's key and wait until its model is ready
    intake     the inference thread that is free reads all sockets and forms the next batch
    answer     the same thread evaluates the batch and sends the answers, while another one takes the intake
    renewal    one thread fetches newer weights, prepares them and exchanges them between two batches

An inference thread hands nothing over to another thread, which on busy cores would cost more than
the reading itself.  A client whose connection breaks asks again on a new one.
"""

from __future__ import annotations

import logging
import selectors
import socket
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Final

from actors.server.batching import Question, QuestionQueue, join
from actors.server.greeting import Greeter, listen_all, refuse
from actors.server.models import EvaluatorFactory, Models
from actors.server.tally import Tally
from actors.wire.messages import decode_positions, encode_evaluations
from actors.wire.transport import ANSWER, QUESTION, Channel, Message, PeerClosed, TransportError
from gobang.errors import InvalidConfig
from gobang.interfaces import WeightsSource
from gobang.reports import ServerReport
from gobang.types import Variant

_LOG: Final = logging.getLogger(__name__)
_SENDING_SECONDS: Final = 5.0  # for a client to take an answer
_ACTIVE_SECONDS: Final = 0.05  # a client that has not asked for so long is not waited for
_STOP_SECONDS: Final = 5.0


@dataclass(frozen=True, kw_only=True, slots=True)
class ServerConfig:
    """Settings of a server, e.g. `ServerConfig(variant=Variant(), listen=("unix:/tmp/a.sock",), key=b"...")`."""

    variant: Variant
    listen: tuple[str, ...]  # addresses, see actors.wire.address
    key: bytes = field(repr=False)
    max_batch: int = 64  # positions
    max_wait_ms: float = 0.0  # for a fuller batch; on CPUs a wait costs more than it gains
    threads: int = 2  # batches under way at once
    poll_seconds: float = 0.5  # between looks for newer weights
    most_unused: int = 4  # models kept ready without a client

    def __post_init__(self) -> None:
        for name, low, high in (("max_batch", 1, 1 << 16), ("max_wait_ms", 0, 1000), ("threads", 1, 256)):
            value = getattr(self, name)
            if not low <= value <= high:
                raise InvalidConfig(f"{name} {value}: from {low} to {high}")
        if not self.listen:
            raise InvalidConfig("listen: at least one address")


@dataclass(slots=True, eq=False)
class _Client:
    channel: Channel
    model: str
    unanswered: int = 0  # questions; guarded by the server's lock
    most_unanswered: int = 1  # at any time: a pipelined search has two
    asked: float = 0.0  # when the last question came


class InferenceServer:
    """Answers until it is closed; `close` also gives back its sockets."""

    def __init__(self, config: ServerConfig, source: WeightsSource, make: EvaluatorFactory) -> None:
        """Listen and start all threads; `make` prepares weights, in the thread of the renewal.

        In a run `source` asks the learner, and `make` is `make_evaluator` of gobang.evaluators.network.
        """
        listeners = listen_all(config.listen)  # first, since it is what can fail
        self._config = config
        self._models = Models(source, make, most_unused=config.most_unused)
        self._queue: QuestionQueue[_Client] = QuestionQueue(
            most_positions=config.max_batch, longest_wait=config.max_wait_ms / 1000, threads=config.threads
        )
        self._tally = Tally()
        self._lock = threading.Lock()  # guards the tally, the clients and their counts
        self._intake = threading.Lock()  # held by the one thread that reads
        self._clients: set[_Client] = set()
        self._is_closed = False  # no client may be added any more; guarded by the lock
        self._selector = selectors.DefaultSelector()
        self._bell, self._bell_rope = socket.socketpair()  # ends a `select` that waits
        self._selector.register(self._bell, selectors.EVENT_READ)
        self._closing = threading.Event()
        self._renewal = threading.Event()
        self._greeter = Greeter(
            listeners,
            config.key,
            variant=config.variant,
            models=self._models,
            hurry=self._renewal.set,
            admit=self._admit,
        )
        self.addresses = self._greeter.addresses
        self._threads = [
            *(self._start(self._infer) for _ in range(config.threads)),
            self._start(self._renew),
        ]

    def report(self) -> ServerReport:
        """Counts since the start."""
        with self._lock:
            tally = replace(self._tally)
            clients = len(self._clients)
        return tally.report(clients=clients, models=self._models.versions())

    def close(self) -> None:
        """Hang up on all clients and end all threads; once is enough."""
        if self._closing.is_set():
            return
        self._closing.set()
        self._renewal.set()
        self._bell_rope.send(b"!")
        self._greeter.close()
        for thread in self._threads:
            thread.join(_STOP_SECONDS)
        with self._intake:
            with self._lock:
                self._is_closed = True
            for client in list(self._clients):
                self._drop(client)
            self._selector.close()
        self._bell.close()
        self._bell_rope.close()

    def _start(self, target: Callable[..., None], *arguments: Any) -> threading.Thread:
        thread = threading.Thread(target=target, args=arguments, name=target.__name__, daemon=True)
        thread.start()
        return thread

    def _admit(self, channel: Channel, model: str) -> None:
        """Read questions of a client that the greeter has let in; raise PeerClosed if the server has closed."""
        client = _Client(channel, model)
        with self._lock:
            if self._is_closed:
                raise PeerClosed("the server stops")
            self._clients.add(client)
            self._selector.register(channel, selectors.EVENT_READ, client)

    # Renewal

    def _renew(self) -> None:
        while not self._closing.is_set():
            self._renewal.wait(self._config.poll_seconds)
            self._renewal.clear()
            try:
                self._models.renew()
            except Exception:
                _LOG.exception("weights are not renewed")

    # Inference

    def _infer(self) -> None:
        while not self._closing.is_set():
            batch: list[Question[_Client]] = []
            try:
                with self._intake:
                    batch = self._next_batch()
                if batch:
                    self._answer(batch)
            except Exception:
                _LOG.exception("a batch is not answered")
                for question in batch:
                    question.client.channel.hang_up()

    def _next_batch(self) -> list[Question[_Client]]:
        """Read until a batch is due."""
        while not self._closing.is_set():
            seconds = self._queue.seconds_to_wait(time.monotonic(), all_wait=self._all_wait())
            for key, _ in self._selector.select(seconds):
                if key.data is not None:
                    self._read(key.data)
            if seconds == 0.0 and len(self._queue):
                return self._queue.take()
        return []

    def _all_wait(self) -> bool:
        recently = time.monotonic() - _ACTIVE_SECONDS
        with self._lock:
            return all(
                client.unanswered >= client.most_unanswered or client.asked < recently for client in self._clients
            )

    def _read(self, client: _Client) -> None:
        """Queue a question of a client's; if it has sent more, the selector says so again."""
        try:
            message = client.channel.receive()
            if message is not None:
                self._enqueue(client, message)
        except PeerClosed:
            self._drop(client)
        except TransportError as error:
            _LOG.warning("a client is turned away: %s", error)
            refuse(client.channel, str(error))
            self._drop(client)

    def _enqueue(self, client: _Client, message: Message) -> None:
        if message.kind != QUESTION:
            raise TransportError(f"a frame of kind {message.kind} where a question was expected")
        positions = decode_positions(self._config.variant, message)
        client.asked = time.monotonic()
        with self._lock:
            client.unanswered += 1
            client.most_unanswered = max(client.most_unanswered, client.unanswered)
        self._queue.add(
            Question(
                client=client,
                model=client.model,
                number=message.number,
                positions=positions,
                arrived=client.asked,
            )
        )

    def _drop(self, client: _Client) -> None:
        """Forget a client; only in the thread that holds the intake."""
        self._selector.unregister(client.channel)
        client.channel.hang_up()
        client.channel.close()
        dropped = self._queue.forget(client)
        self._models.leave(client.model)
        with self._lock:
            self._clients.discard(client)
            self._tally.dropped += dropped

    def _answer(self, batch: list[Question[_Client]]) -> None:
        started = time.monotonic()
        answered = self._models.answer(batch[0].model, join(batch))
        if answered is None:
            for question in batch:
                question.client.channel.hang_up()  # it comes again, and waits until there are better weights
            return
        version, evaluations = answered
        with self._lock:  # before an answer can bring the next question
            self._tally.count(batch, started)
            for question in batch:
                question.client.unanswered -= 1
        first = 0
        for question in batch:
            rows = slice(first, first + len(question.positions))
            self._send(question, version, encode_evaluations(evaluations, rows))
            first = rows.stop

    def _send(self, question: Question[_Client], version: int, buffers: list[Any]) -> None:
        """Send an answer; a client that does not take it is hung up on, and dropped by the intake."""
        channel = question.client.channel
        count = len(question.positions)
        try:
            channel.send(
                ANSWER, buffers, number=question.number, count=count, version=version, patience=_SENDING_SECONDS
            )
        except PeerClosed:
            channel.hang_up()
