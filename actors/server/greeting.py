"""The door of the inference server: listens, proves each client's key, and waits with it for its model.

A client says hello with the variant that it plays and the name of its model.  It is welcome once the model is ready.
"""

from __future__ import annotations

import contextlib
import logging
import socket
import threading
from collections.abc import Callable, Sequence
from typing import Final

from actors.server.models import Model, Models
from actors.wire.address import bound_address, listen, stop_listening
from actors.wire.authentication import accept_client
from actors.wire.messages import decode_hello
from actors.wire.transport import GONE, HELLO, REFUSAL, WELCOME, Channel, PeerClosed, TransportError
from gobang.errors import GobangError, VersionGone
from gobang.types import Variant

_LOG: Final = logging.getLogger(__name__)
MOST_STRANGERS: Final = 128  # who may be about to prove their key at once, each in a thread
_GREETING_SECONDS: Final = 10.0  # for a client to prove its key and say hello
_SENDING_SECONDS: Final = 5.0  # for a client to take its welcome or refusal
_LOOK_SECONDS: Final = 0.1  # between looks at a model that is not ready
_FULL_SECONDS: Final = 0.05  # before the next try where the system gives no more descriptors or threads
_STOP_SECONDS: Final = 5.0


class Greeter:
    """Lets clients in until it is closed: one thread for each listener, and one for each client that comes."""

    def __init__(
        self,
        listeners: Sequence[socket.socket],
        key: bytes,
        *,
        variant: Variant,
        models: Models,
        hurry: Callable[[], None],
        admit: Callable[[Channel, str], None],
    ) -> None:
        """Take over the listeners; `hurry` asks for models that are not ready, `admit` takes a client in."""
        self._key = key
        self._variant = variant
        self._models = models
        self._hurry, self._admit = hurry, admit
        self._strangers = threading.Semaphore(MOST_STRANGERS)
        self._closing = threading.Event()
        self._listeners = listeners
        self.addresses = tuple(bound_address(listener) for listener in self._listeners)
        _LOG.info("listening at %s", " and ".join(self.addresses))
        self._threads = [_start(self._greet_all, listener) for listener in self._listeners]

    def close(self) -> None:
        """Let nobody in any more; clients that wait for a model are hung up on."""
        self._closing.set()
        for listener in self._listeners:
            with contextlib.suppress(OSError):
                listener.shutdown(socket.SHUT_RDWR)
            stop_listening(listener)
        for thread in self._threads:
            thread.join(_STOP_SECONDS)

    def _greet_all(self, listener: socket.socket) -> None:
        """Accept clients, each in a thread; close those for whom there is no slot or no thread: ours try again."""
        while not self._closing.is_set():
            try:
                connected, _ = listener.accept()
            except OSError:
                self._closing.wait(_FULL_SECONDS)  # closed, a client that left at once, or no more descriptors
                continue
            if not self._strangers.acquire(blocking=False):
                connected.close()
                continue
            try:
                _start(self._greet, connected)
            except RuntimeError as error:
                _LOG.warning("a client is turned away: %s", error)
                connected.close()
                self._strangers.release()
                self._closing.wait(_FULL_SECONDS)

    def _greet(self, connected: socket.socket) -> None:
        """Let a client in, or tell it why not; one deadline holds for the proof of its key."""
        try:
            accept_client(connected, self._key, _GREETING_SECONDS)
            channel = Channel(connected)
        except GobangError as error:
            _LOG.warning("a client is turned away: %s", error)
            connected.close()
            return
        finally:
            self._strangers.release()
        try:
            self._let_in(channel)
        except PeerClosed:
            channel.close()
        except VersionGone as error:
            refuse(channel, str(error), GONE)
            channel.close()
        except GobangError as error:
            _LOG.warning("a client is turned away: %s", error)
            refuse(channel, str(error))
            channel.close()

    def _let_in(self, channel: Channel) -> None:
        message = channel.receive(_GREETING_SECONDS)
        if message is None or message.kind != HELLO:
            raise TransportError("a client did not say hello")
        hello = decode_hello(message)
        if hello.variant != self._variant:
            raise TransportError(f"this server plays {self._variant}, not {hello.variant}")
        self._models.want(hello.model)
        try:
            model = self._wait_for(hello.model, channel)
            channel.send(WELCOME, version=model.version, patience=_SENDING_SECONDS)
            self._admit(channel, hello.model)
        except GobangError:
            self._models.leave(hello.model)
            raise

    def _wait_for(self, name: str, channel: Channel) -> Model:
        """The model once it is ready; a client that hangs up meanwhile raises PeerClosed."""
        while (model := self._models.get(name)) is None:
            self._models.check(name)
            self._hurry()
            if self._closing.is_set():
                raise PeerClosed("the server stops")
            if channel.receive(_LOOK_SECONDS) is not None:
                raise TransportError("a client asked before it was welcome")
        return model


def refuse(channel: Channel, reason: str, kind: int = REFUSAL) -> None:
    """Tell a client why it is turned away, if it still listens."""
    with contextlib.suppress(PeerClosed):
        channel.send(kind, [reason.encode()], patience=_SENDING_SECONDS)


def listen_all(addresses: Sequence[str]) -> list[socket.socket]:
    """A listener at each address, or none."""
    with contextlib.ExitStack() as stack:
        listeners = [stack.enter_context(listen(address)) for address in addresses]
        stack.pop_all()
    return listeners


def _start(target: Callable[[socket.socket], None], connected: socket.socket) -> threading.Thread:
    thread = threading.Thread(target=target, args=(connected,), name=target.__name__, daemon=True)
    thread.start()
    return thread
