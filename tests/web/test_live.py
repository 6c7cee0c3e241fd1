"""The WebSocket of a tab."""

from __future__ import annotations

import asyncio

from aiohttp import ClientSession, web

from gobang.web.live import Clients

MESSAGES = 400


def test_a_flood_of_messages_leaves_turns_to_others() -> None:
    assert asyncio.run(_turns_in_a_flood()) > MESSAGES // 4


async def _turns_in_a_flood() -> int:
    """Send many messages at once; return in how many turns of the event loop they were taken."""
    clients, taken, turn = Clients(), list[int](), 0

    async def live(request: web.Request) -> web.StreamResponse:
        return await clients.serve(request, lambda _: None, lambda _, text: taken.append(turn), lambda _: None)

    app = web.Application()
    app.add_routes([web.get("/", live)])
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    address = f"http://127.0.0.1:{runner.addresses[0][1]}/"
    async with ClientSession() as session, session.ws_connect(address) as socket:
        for _ in range(MESSAGES):
            await socket.send_str("x")
        while len(taken) < MESSAGES:
            turn += 1
            await asyncio.sleep(0)
    await runner.cleanup()
    return len(set(taken))
