"""What the page hears without asking: one WebSocket for each tab, with the newest word on each subject.

A client that reads slowly misses what has become old; it holds up nobody.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from collections.abc import Callable, Iterator
from typing import Final

from aiohttp import WSMsgType, web

from gobang.analysis.query import Json

_HEARTBEAT_SECONDS: Final = 20.0
_LONGEST_MESSAGE: Final = 1 << 18  # bytes
_SECONDS_TO_LEAVE: Final = 2.0
_MOST_SUBJECTS: Final = 1000  # that wait for a client


class Client:
    """A tab."""

    _numbers = itertools.count(1)

    def __init__(self) -> None:
        self.number = next(Client._numbers)
        self.game = ""  # that it watches
        self.watches_run = False
        self._news: dict[str, Json] = {}  # the newest by subject, in the order of coming
        self._has_news = asyncio.Event()

    def tell(self, subject: str, message: Json) -> None:
        """Send a message soon, in place of an older one on the same subject."""
        self._news.pop(subject, None)
        self._news[subject] = message
        while len(self._news) > _MOST_SUBJECTS:
            self._news.pop(next(iter(self._news)))
        self._has_news.set()

    async def write(self, socket: web.WebSocketResponse) -> None:
        """Send news until the socket is closed."""
        while not socket.closed:
            await self._has_news.wait()
            self._has_news.clear()
            while self._news and not socket.closed:
                await socket.send_json(self._news.pop(next(iter(self._news))))


class Clients:
    """All tabs that are open."""

    def __init__(self) -> None:
        self._clients: dict[int, Client] = {}
        self._sockets: set[web.WebSocketResponse] = set()

    def __iter__(self) -> Iterator[Client]:
        return iter(list(self._clients.values()))

    def tell(self, subject: str, message: Json, meant: Callable[[Client], bool] = lambda client: True) -> None:
        """Send to those that are meant."""
        for client in list(self._clients.values()):
            if meant(client):
                client.tell(subject, message)

    def get(self, number: int) -> Client | None:
        """A client that may have left."""
        return self._clients.get(number)

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self._clients)

    async def serve(
        self,
        request: web.Request,
        greet: Callable[[Client], None],
        take: Callable[[Client, str], None],
        leave: Callable[[Client], None],
    ) -> web.WebSocketResponse:
        """Keep a client until it leaves; `take` gets each text that it sends."""
        socket = web.WebSocketResponse(heartbeat=_HEARTBEAT_SECONDS, max_msg_size=_LONGEST_MESSAGE)
        await socket.prepare(request)
        client = Client()
        self._clients[client.number] = client
        self._sockets.add(socket)
        writer = asyncio.create_task(client.write(socket))
        try:
            greet(client)
            async for message in socket:
                if message.type == WSMsgType.TEXT:
                    take(client, message.data)
                await asyncio.sleep(0)  # others have their turn between the messages of a flood
        finally:
            writer.cancel()
            self._sockets.discard(socket)
            del self._clients[client.number]
            leave(client)
        return socket

    async def close(self) -> None:
        """Hang up on all; a client that does not answer is left."""
        goodbyes = [asyncio.create_task(_say_goodbye(socket)) for socket in self._sockets]
        if goodbyes:
            await asyncio.wait(goodbyes, timeout=_SECONDS_TO_LEAVE)
        for goodbye in goodbyes:
            goodbye.cancel()


async def _say_goodbye(socket: web.WebSocketResponse) -> None:
    with contextlib.suppress(ConnectionError):
        await socket.close(code=1001, message=b"the server ends")
