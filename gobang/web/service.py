"""What the page can do: games with players that think elsewhere, analysis that comes back live.

HTTP handlers and WebSockets call this; the two programs of `gobang.web.thinking` answer it.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import sys
from collections.abc import Awaitable, Callable
from typing import Final

from gobang.analysis.query import BadQuery, Json, Query, Stop, request_of
from gobang.errors import GobangError, InvalidSpec
from gobang.json_text import parse_json
from gobang.players.requested import parse_requested
from gobang.web.games import Game, Games, now, variant_json
from gobang.web.live import Client, Clients
from gobang.web.program import GONE, READY, Program
from gobang.web.questions import Questions
from gobang.web.thinking import ANALYSIS, MOVES, warm_up_rules

# From a seat to a player, and a word on the version that it plays with.
Resolve = Callable[[str], Awaitable[tuple[str, str]]]

_PATIENCE_SECONDS: Final = 3.0  # with a player that thinks about a move which has been taken back
_LONGEST_NAME: Final = 64  # characters of a game
MOST_VISITS: Final = 200_000  # of one analysis on the page


class Service:
    """Games, clients and programs of one server; everything runs in the event loop."""

    def __init__(self) -> None:
        self.games, self.clients = Games(), Clients()
        self._requests = itertools.count(1)
        self._asked: dict[int, Game] = {}  # by request, while no answer has come
        self._thinks_of: int | None = None  # request
        self._moves = Program(_command(MOVES), self._take_move, self._moves_changed)
        self._analysis = Program(_command(ANALYSIS), self._take_answer, self._analysis_changed)
        self._asking: dict[int, asyncio.Task[None]] = {}  # by request, while weights are fetched for it
        self.resolve: Resolve = _as_it_is
        self._questions = Questions(self._analysis.send, self._tell_answer)

    async def start(self) -> None:
        """Start the programs, and make the rules ready without stopping the loop."""
        self._moves.start()
        self._analysis.start()
        await asyncio.to_thread(warm_up_rules)

    async def close(self) -> None:
        """End the programs and hang up."""
        for task in self._asking.values():
            task.cancel()
        await self.clients.close()
        await asyncio.gather(self._moves.close(), self._analysis.close())

    def changed(self, game: Game) -> None:
        """Ask the next player, and tell who watches."""
        self._ask_player(game)
        self.clients.tell("game", {"game": game.as_json()}, lambda client: client.game == game.id)

    def stop_thinking(self, game: Game) -> None:
        """Take a request for a move back."""
        if game.request is not None:
            self._moves.send({"takeBack": game.request})
            self._asked.pop(game.request, None)
            asyncio.get_running_loop().call_later(_PATIENCE_SECONDS, self._end_useless_thought, game.request)
            game.request = None

    def kill_thinking(self) -> None:
        """End a player that does not come to an end; all that it was asked is asked again later."""
        self._moves.kill()

    def _end_useless_thought(self, request: int) -> None:
        """End the program if it still thinks about what nobody wants to know any more; others wait for it."""
        if self._thinks_of == request:
            self.kill_thinking()

    def programs_json(self) -> Json:
        """The state of the programs for the page."""
        return {"programs": {"moves": self._moves.as_json(), "analysis": self._analysis.as_json()}}

    def greet(self, client: Client) -> None:
        """Tell a new client where things stand."""
        client.tell("programs", self.programs_json())

    def take(self, client: Client, text: str) -> None:
        """Do what a client says: {"watch": id}, {"run": true}, {"analyse": {...}} or {"stop": id}."""
        try:
            fields = parse_json(text)
        except ValueError:
            fields = None
        if not isinstance(fields, dict):
            client.tell("error", {"error": "not an object of JSON"})
            return
        try:
            self._obey(client, fields)
        except GobangError as error:
            field = error.field if isinstance(error, BadQuery) else ""
            client.tell("error", {"error": str(error), "field": field})

    def leave(self, client: Client) -> None:
        """End what a client that is gone has asked."""
        self._questions.stop(client.number)

    def _obey(self, client: Client, fields: Json) -> None:
        if "watch" in fields:
            client.game = str(fields["watch"])[:_LONGEST_NAME]
            if client.game in self.games:
                client.tell("game", {"game": self.games[client.game].as_json()})
        if "run" in fields:
            client.watches_run = fields["run"] is True
        if "stop" in fields:
            self._questions.stop(client.number, str(fields["stop"]))
        if "analyse" in fields:
            self._analyse(client, fields["analyse"])

    def _analyse(self, client: Client, fields: object) -> None:
        query = request_of(fields)
        if isinstance(query, Stop) or not isinstance(fields, dict):
            raise BadQuery("a question is not an action; send stop")
        if query.visits > MOST_VISITS:
            raise BadQuery(f"maxVisits {query.visits}: at most {MOST_VISITS} on the page", field="maxVisits")
        _check_player(query)
        self._questions.ask(client.number, query, fields)

    def _take_answer(self, fields: Json) -> None:
        self._questions.take(fields)

    def _tell_answer(self, number: int, answer: Json) -> None:
        client = self.clients.get(number)
        if client is not None:
            client.tell(f"answer {answer['id']} {answer.get('turnNumber', '')}", {"answer": answer})

    def _take_move(self, fields: Json) -> None:
        self._thinks_of = int(fields["id"]) if fields.get("thinks") else None
        game = self._asked.get(int(fields["id"]))
        if game is None:
            return
        if fields.get("thinks"):
            game.since = now()
            self.changed(game)
        else:
            self._finish(int(fields["id"]), fields)

    def _finish(self, number: int, answer: Json) -> None:
        game = self._asked.pop(number)
        game.request = None
        self._settle(game, answer)
        self.changed(game)

    def _settle(self, game: Game, fields: Json) -> None:
        """Play the move that came, or note why none did."""
        game.touch()
        if "error" in fields:
            game.trouble, game.is_paused = str(fields["error"]), True
            return
        with contextlib.suppress(GobangError):  # it was checked by who chose it
            if "choice" in fields:
                game.choose(str(fields["choice"]))
            for move in fields.get("moves", []):
                game.play(str(move))
                game.seconds[len(game.position.moves) - 1] = float(fields["seconds"])

    def _ask_player(self, game: Game) -> None:
        player = game.awaited
        if player is None or game.request is not None:
            return
        if self._moves.state != READY:
            return  # it is asked when there is somebody to ask
        number = next(self._requests)
        game.request, game.since = number, 0.0
        game.touch()
        self._asked[number] = game
        self._asking[number] = asyncio.create_task(self._send_question(number, game, player))

    async def _send_question(self, number: int, game: Game, player: str) -> None:
        """Ask, when the player's weights are there, unless the question has been taken back by then."""
        try:
            text, version = await self.resolve(player)
        except GobangError as error:
            if number in self._asked:
                self._finish(number, {"error": str(error)})
            return
        finally:
            del self._asking[number]
        if number not in self._asked:
            return
        game.version = version
        asked = {"id": number, "game": game.id, "player": text, "moves": game.names}
        if not game.opening.is_over:
            asked |= {"choices": game.choices, "stones": game.opening.stones}
        self._moves.send({**variant_json(game.position.variant), **asked})

    def _moves_changed(self) -> None:
        """After a death ask again what was not answered; what may have killed it waits for a person."""
        if self._moves.state == GONE:
            blamed = None if self._thinks_of is None else self._asked.get(self._thinks_of)
            self._thinks_of = None
            for game in self._asked.values():
                game.request = None
                game.touch()
            if blamed is not None:
                blamed.trouble, blamed.is_paused = f"the player's program is gone: {self._moves.reason}", True
                self.clients.tell("game", {"game": blamed.as_json()}, lambda client: client.game == blamed.id)
            self._asked.clear()
        self.clients.tell("programs", self.programs_json())
        for game in self.games:
            if game.awaited is not None and game.request is None:
                self.changed(game)

    def _analysis_changed(self) -> None:
        """Ask a program again that was started again, except what has killed it."""
        if self._analysis.state == GONE:
            self._questions.died(self._analysis.reason)
        elif self._analysis.state == READY:
            self._questions.send_on()
        self.clients.tell("programs", self.programs_json())


def _check_player(query: Query) -> None:
    try:
        if query.player:
            parse_requested(query.player)
    except InvalidSpec as error:
        raise BadQuery(str(error), field="player", asked_by=query.id) from error


def _command(kind: str) -> list[str]:
    return [sys.executable, "-m", "gobang.web.thinking", kind]


async def _as_it_is(seat: str) -> tuple[str, str]:
    return seat, ""
