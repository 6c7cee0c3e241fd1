"""The web server: addresses, and what is answered there.  docs/page.md lists them for other programs.

All that a handler does is short: searches run elsewhere, files are small.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import Final

from aiohttp import web

from gobang.analysis.query import BadQuery, Json, read_moves, read_variant, read_whole_field
from gobang.errors import GobangError
from gobang.interfaces import WatchedRun
from gobang.json_text import parse_json
from gobang.players.levels import LEVELS
from gobang.players.registry import PLAYERS
from gobang.players.requested import REQUESTED
from gobang.players.trained import FALLBACK, FALLBACK_OF_MORE, trained_names, variant_of
from gobang.rules.position import Position
from gobang.types import MAX_K, MAX_SIDE, MIN_K, MIN_SIDE, RULES
from gobang.version import VERSION
from gobang.web.games import Game, StaleMove, read_seats, variant_json
from gobang.web.guard import Guard
from gobang.web.opening import BLACK, NONE, OPENINGS, TWO_MORE, WHITE, read_opening
from gobang.web.records import read_games, sgf_of
from gobang.web.run_view import RunView
from gobang.web.service import Service

PAGE: Final = Path(str(files("gobang.web"))) / "page"
_LARGEST_BODY: Final = 4 << 20  # bytes


class Server:
    """The addresses of the page."""

    def __init__(self, host: str, run: WatchedRun | None, allowed_names: Sequence[str] = ()) -> None:
        """Serve at `host`, and under other names that a proxy gives it; `run` is what the page can watch."""
        self.guard = Guard(host, allowed_names)
        self.service = Service()
        self._run = None if run is None else RunView(run, self.service)
        self.app = web.Application(client_max_size=_LARGEST_BODY)
        self.guard.protect(self.app)
        self.app.add_routes(
            [
                web.get("/", self._index),
                web.get("/api/setup", self._setup),
                web.get("/api/live", self._live),
                web.post("/api/games", self._new_game),
                web.get("/api/games/{id}", self._show_game),
                web.post("/api/games/{id}/moves", self._move),
                web.post("/api/games/{id}/choice", self._choose),
                web.post("/api/games/{id}/undo", self._undo),
                web.post("/api/games/{id}/seats", self._seats),
                web.post("/api/games/{id}/pause", self._pause),
                web.post("/api/stop", self._kill),
                web.post("/api/records", self._records),
                web.post("/api/sgf", self._sgf),
                *(self._run.routes() if self._run else []),
                web.static("/page", PAGE),
            ]
        )
        self.app.on_startup.append(self._start)
        self.app.on_shutdown.append(self._hang_up)
        self.app.on_cleanup.append(self._close)

    async def _start(self, app: web.Application) -> None:
        self._warm = asyncio.create_task(self.service.start())
        if self._run:
            self._run.start()

    async def _hang_up(self, app: web.Application) -> None:
        """Close the WebSockets first, since the server waits for their handlers before it cleans up."""
        await self.service.clients.close()

    async def _close(self, app: web.Application) -> None:
        self._warm.cancel()
        if self._run:
            await self._run.close()
        await self.service.close()

    async def _index(self, request: web.Request) -> web.StreamResponse:
        return web.FileResponse(PAGE / "index.html")

    async def _setup(self, request: web.Request) -> web.Response:
        trained = [{"name": name, **variant_json(variant_of(name))} for name in trained_names()]
        return web.json_response(
            {
                "version": VERSION,
                "rules": RULES,
                "sides": [MIN_SIDE, MAX_SIDE],
                "k": [MIN_K, MAX_K],
                "players": {name: PLAYERS[name].meaning for name in REQUESTED},
                "levels": {name: level.words for name, level in LEVELS.items()},
                "openings": [each for each in OPENINGS if each],
                "trained": trained,
                "fallbacks": [FALLBACK, FALLBACK_OF_MORE],
                "run": await self._run.setup() if self._run else None,
            }
        )

    async def _live(self, request: web.Request) -> web.StreamResponse:
        service = self.service
        await self._warm_rules()
        return await service.clients.serve(request, service.greet, service.take, service.leave)

    async def _new_game(self, request: web.Request) -> web.Response:
        fields = await self._body(request)
        variant = read_variant(fields)
        name = fields.get("id", "")
        if not isinstance(name, str) or not (name == "" or (name.isascii() and name.isalnum() and len(name) <= 32)):
            raise BadQuery("id: letters and digits, at most 32", field="id")
        if name in self.service.games:
            raise web.HTTPConflict(text=f"there is a game {name} already")
        seats = fields.get("seats")
        if not isinstance(seats, list):
            raise BadQuery("seats: a list with human, default or a player for each", field="seats")
        position = Position(variant, read_moves(fields.get("moves", []), variant))
        ply = len(position.moves)
        opening = read_opening(fields.get("opening", NONE), fields.get("chosen", []), variant, ply)
        game = self.service.games.new(position, seats, opening, name)
        game.is_paused = fields.get("paused") is True
        return self._changed(game, status=201)

    async def _show_game(self, request: web.Request) -> web.Response:
        return web.json_response(self._game(request).as_json())

    async def _move(self, request: web.Request) -> web.Response:
        game, fields = self._game(request), await self._body(request)
        if not isinstance(fields.get("move"), str):
            raise BadQuery("move: a point such as h8", field="move")
        if game.awaited is not None:
            raise web.HTTPConflict(text="it is not a person's turn")
        try:
            game.play(fields["move"], read_whole_field(fields, "ply", len(game.position.moves), 0, MAX_SIDE**2))
        except (StaleMove, GobangError) as error:
            raise web.HTTPConflict(text=str(error)) from error
        return self._changed(game)

    async def _choose(self, request: web.Request) -> web.Response:
        game, fields = self._game(request), await self._body(request)
        if not isinstance(fields.get("choice"), str):
            raise BadQuery(f"choice: {BLACK}, {WHITE} or {TWO_MORE}", field="choice")
        if game.awaited is not None:
            raise web.HTTPConflict(text="it is not a person's turn")
        try:
            game.choose(fields["choice"])
        except GobangError as error:
            raise web.HTTPConflict(text=str(error)) from error
        return self._changed(game)

    async def _undo(self, request: web.Request) -> web.Response:
        game, fields = self._game(request), await self._body(request)
        ply = read_whole_field(fields, "ply", len(game.position.moves) - 1, -1, MAX_SIDE**2)
        try:
            game.take_back(ply)
        except GobangError as error:
            raise web.HTTPConflict(text=str(error)) from error
        self.service.stop_thinking(game)
        return self._changed(game)

    async def _seats(self, request: web.Request) -> web.Response:
        game, fields = self._game(request), await self._body(request)
        seats = fields.get("seats")
        if not isinstance(seats, list):
            raise BadQuery("seats: a list with human, default or a player for each", field="seats")
        game.seats = read_seats(seats, game.position.variant)
        game.trouble = ""
        return self._restarted(game)

    async def _pause(self, request: web.Request) -> web.Response:
        game, fields = self._game(request), await self._body(request)
        if not isinstance(fields.get("paused"), bool):
            raise BadQuery("paused: true or false", field="paused")
        game.is_paused, game.trouble = fields["paused"], ""
        return self._restarted(game)

    async def _kill(self, request: web.Request) -> web.Response:
        await self._body(request)
        self.service.kill_thinking()
        return web.json_response(self.service.programs_json())

    async def _records(self, request: web.Request) -> web.Response:
        fields = await self._body(request)
        if not isinstance(fields.get("text"), str):
            raise BadQuery("text: the content of the file", field="text")
        return web.json_response({"games": await asyncio.to_thread(read_games, fields["text"])})

    async def _sgf(self, request: web.Request) -> web.Response:
        fields = await self._body(request)
        return web.json_response({"sgf": sgf_of(read_variant(fields), fields)})

    def _restarted(self, game: Game) -> web.Response:
        self.service.stop_thinking(game)
        game.touch()
        return self._changed(game)

    def _changed(self, game: Game, status: int = 200) -> web.Response:
        self.service.changed(game)
        return web.json_response(game.as_json(), status=status)

    def _game(self, request: web.Request) -> Game:
        name = request.match_info["id"]
        if name not in self.service.games:
            raise web.HTTPNotFound(text=f"there is no game {name[:40]!r}; the server may have been started again")
        return self.service.games[name]

    async def _body(self, request: web.Request) -> Json:
        """What was sent; raises BadQuery."""
        await self._warm_rules()
        try:
            fields = parse_json((await request.read()).decode())
        except (ValueError, web.RequestPayloadError) as error:
            raise BadQuery(f"not JSON: {error}") from error
        if not isinstance(fields, dict):
            raise BadQuery("not an object of JSON")
        return fields

    async def _warm_rules(self) -> None:
        """Until the rules are compiled, which takes a while on a new machine."""
        await asyncio.shield(self._warm)
