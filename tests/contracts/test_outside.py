"""Malformed requests and files get a declared error, and nothing is opened or started for them.

An audit hook sees each file that this process opens, and each process that it starts.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from queue import Queue

import numpy as np
import pytest
from aiohttp.test_utils import TestClient, TestServer
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import gobang
from gobang.analysis.command import serve
from gobang.analysis.desk import Analysts, Desk
from gobang.analysis.query import Json, answer_json
from gobang.errors import InvalidGame, InvalidSpec
from gobang.players.requested import parse_requested
from gobang.players.spec import PlayerSpec, make_player
from gobang.rules import kernel_cache
from gobang.rules.position import Position
from gobang.sgf import read_sgf
from gobang.types import UNDECIDED, Analysis, Variant
from gobang.web.live import Client
from gobang.web.records import read_games
from gobang.web.server import Server
from gobang.web.service import Service

PACKAGE = Path(gobang.__file__).parent
STARTS = ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.spawn", "os.fork", "os.forkpty")
OURS = (PACKAGE, kernel_cache.folder(), sys.prefix, sys.base_prefix, "/proc", "/sys")
MARK = Path(tempfile.gettempdir()) / "gobang-was-here"

BOUNDED = settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))


class Watch:
    """Notes what this process opens and starts while it is on."""

    def __init__(self) -> None:
        self.is_on = False
        self.seen: list[str] = []
        sys.addaudithook(self._hear)  # for good: there is no way to remove one

    @contextmanager
    def nothing_is_touched(self) -> Iterator[None]:
        """Fail if a file that is not of the package is opened meanwhile, or a process is started."""
        self.seen, self.is_on = [], True
        try:
            yield
        finally:
            self.is_on = False
        assert not self.seen

    def _hear(self, event: str, arguments: tuple[object, ...]) -> None:
        if not self.is_on:
            return
        if event in STARTS:
            self.seen.append(f"{event} {arguments[0]!r}")
        elif event in ("open", "os.listdir", "os.scandir", "glob.glob") and isinstance(arguments[0], str | os.PathLike):
            path = Path(os.fspath(arguments[0]))
            is_module = str(path) in sys.path  # a module that is imported late is looked for there
            if not is_module and not any(path.is_relative_to(place) for place in OURS):
                self.seen.append(f"{event} {path}")


WATCH = Watch()

NUMBERS = st.sampled_from(["9" * 5000, "-1", "٣", "²", "1_0", "nan", "inf", "1e999", "0x1", "", " 1", "15", "3"])
POINTS = st.sampled_from(["a1", "b2", "c3", "a" + "9" * 5000, "a٣", "z1", "", "a0", "İ1", "\ud800"])
PLAYERS = st.sampled_from(
    [
        *("uniform", "random", "max", "human", "default", "run:best", "run:../x", "run:best,file=/etc/passwd", "net"),
        *(f"gomocup:touch {MARK}", f"gomocup,timeout=1:sh -c 'touch {MARK}'", "critic:/dev/zero", "critic:builtin"),
        *("net:/etc/passwd", "net:.", "net:runs/x@²", "net:builtin-8x8@best", "net:builtin-8x8,threads=256"),
        *("uniform:sims=" + "9" * 5000, "uniform:c_puct=nan", "alphabeta:depth=60", "net:file=/dev/zero", "x" * 400),
    ]
)
LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | NUMBERS | POINTS | PLAYERS
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=2),
    max_leaves=4,
)
KINDS: dict[str, st.SearchStrategy[object]] = {
    "id": st.sampled_from(["a", "b"]) | VALUES,
    "moves": st.lists(POINTS, max_size=3) | VALUES,
    "boardXSize": st.just(5) | VALUES,
    "boardYSize": st.just(5) | VALUES,
    "k": st.just(3) | VALUES,
    "rules": st.sampled_from(["freestyle", "renju"]) | VALUES,
    "players": st.just(2) | VALUES,
    "player": PLAYERS | VALUES,
    "seats": st.lists(PLAYERS, min_size=2, max_size=2) | VALUES,
    "analyzeTurns": st.lists(st.integers(-1, 3), max_size=3) | VALUES,
    "maxVisits": VALUES,
    "mostMoves": VALUES,
    "reportDuringSearchEvery": VALUES,
    "includeThreats": st.booleans() | VALUES,
    "action": st.sampled_from(["terminate", "terminate_all"]) | VALUES,
    "terminateId": VALUES,
    "opening": st.sampled_from(["swap", "swap2"]) | VALUES,
    "chosen": st.lists(st.sampled_from(["black", "white", "two"]), max_size=3) | VALUES,
    "move": POINTS | VALUES,
    "choice": VALUES,
    "ply": st.integers(-2, 600) | VALUES,
    "paused": VALUES,
    "text": VALUES,
    "names": st.lists(VALUES, max_size=2) | VALUES,
    "comments": st.dictionaries(NUMBERS, VALUES, max_size=3) | VALUES,
}
SOUND: Json = {"id": "a", "moves": ["c3"], "boardXSize": 5, "k": 3}
GAMES: Json = {"seats": ["human", "random"], "boardXSize": 5, "k": 3}


def altered(sound: Json) -> st.SearchStrategy[Json]:
    """Return what is sound except for a field or two."""
    keys = st.lists(st.sampled_from([*KINDS]), max_size=2, unique=True)
    chosen = keys.flatmap(lambda names: st.fixed_dictionaries({name: KINDS[name] for name in names}))
    return chosen.map(lambda fields: {**sound, **fields})


QUESTIONS = altered(SOUND) | PLAYERS.map(lambda player: {**SOUND, "player": player})
FIELDS = QUESTIONS | altered(GAMES) | PLAYERS.map(lambda player: {**GAMES, "seats": ["human", player]})
RAW = st.sampled_from(
    ["[" * 500 + "]" * 500, "[" * 100_000, '{"id": ' + "9" * 5000 + "}", '{"id":"a","moves":NaN}', "\0"]
)
TEXTS = FIELDS.map(json.dumps) | VALUES.map(json.dumps) | RAW | st.text(max_size=20)


class Nobody:
    """A player whose searches are over before they begin."""

    name = "nobody"

    def analyse(self, position: Position, simulations: int) -> Nobody:
        """Begin and end a search."""
        self._variant = position.variant
        return self

    def step(self) -> bool:
        """Have nothing to do."""
        return False

    def analysis(self, most: int) -> Analysis:
        """Know nothing."""
        players, points = self._variant.players, self._variant.points
        even = tuple([1 / (players + 1)] * (players + 1))
        return Analysis(visits=1, chances=even, proven=UNDECIDED, moves=(), priors=np.zeros(points, np.float32))

    def close(self) -> None:
        """Hold nothing."""


def check_harmless(player: str) -> None:
    """Fail for the text of a player that runs a program or names a file."""
    assert not player.startswith("gomocup")
    assert not any(part in player for part in ("/", "file=", "net:.", "@"))


def make_nobody(spec: PlayerSpec, variant: Variant, seed: int) -> Nobody:
    """Check the player that is to be made, and make one that does not search."""
    check_harmless(str(spec))
    return Nobody()


@pytest.fixture(autouse=True)
def nobody_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let all players of an analysis be `Nobody`."""
    monkeypatch.setattr("gobang.analysis.desk.make_player", make_nobody)


@BOUNDED
@given(st.lists(TEXTS | st.binary(max_size=20), max_size=8))
def test_every_line_of_an_analysis_is_answered(texts: list[str | bytes]) -> None:
    given_lines = [each if isinstance(each, bytes) else each.encode("utf-8", "surrogatepass") for each in texts]
    lines: Queue[bytes | None] = Queue()
    for line in [each.replace(b"\n", b" ") for each in given_lines] + [b'{"id":"last","moves":[]}', None]:
        lines.put(line)
    sent: list[Json] = []
    with WATCH.nothing_is_touched():
        serve(lines, Desk(Analysts("uniform", 1), lambda answer: sent.append(answer_json(answer))), sent.append)
    assert all(json.dumps(each, allow_nan=False) for each in sent)
    assert "last" in {each["id"] for each in sent}
    if not any("action" in each for each in sent):  # which drops questions that wait
        assert len(sent) >= 1 + sum(bool(line.replace(b"\n", b" ").strip()) for line in given_lines)


@BOUNDED
@given(st.lists(TEXTS | QUESTIONS.map(lambda fields: json.dumps({"analyse": fields})), max_size=8))
def test_every_text_of_a_tab_is_taken(texts: list[str]) -> None:
    service, client = Service(), Client()
    with WATCH.nothing_is_touched():
        for text in texts:
            service.take(client, text)
        for question in service._questions._open.values():
            check_harmless(question.fields.get("player", ""))
        service.leave(client)
    assert all(json.dumps(each) for each in client._news.values())


@settings(BOUNDED, max_examples=15)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["games", "games/a/moves", "games/a/undo", "games/a/seats", "records", "sgf"]), TEXTS
        ),
        max_size=8,
    )
)
def test_every_body_of_a_post_gets_an_answer_or_a_reason(
    monkeypatch: pytest.MonkeyPatch, posts: list[tuple[str, str]]
) -> None:
    async def start_no_program() -> None:
        pass

    async def post_all() -> None:
        server = Server("127.0.0.1", None)
        monkeypatch.setattr(server.service, "start", start_no_program)
        async with TestClient(TestServer(server.app)) as client:
            await client.post("/api/games", json={"id": "a", "seats": ["human", "human"], "boardXSize": 5})
            with WATCH.nothing_is_touched():
                for path, text in posts:
                    body = text.encode("utf-8", "surrogatepass")
                    headers = {"Content-Type": "application/json"}
                    async with client.post(f"/api/{path}", data=body, headers=headers) as response:
                        answer = await response.json()
                        assert response.status < 500, (path, text)
                        assert response.status < 400 or answer["error"]
            for game in server.service.games:
                for seat in game.seats:
                    check_harmless(seat)

    asyncio.run(post_all())


SGF = st.lists(
    st.sampled_from(
        [
            *(
                "(",
                ";",
                ")",
                "(;",
                "[",
                "]",
                "\\",
                "\\]",
                " ",
                "\n",
                "SZ[5]",
                "SZ[5:",
                "6]",
                "GM[4]",
                "RU[renju]",
                "C[x]",
            ),
            *(
                "B[aa]",
                "W[bb]",
                "B[tt]",
                "B[]",
                "AB[aa][bb]",
                "AW[cc]",
                "B",
                "Bx",
                "RU[3 in a row]",
                f"SZ[{'9' * 5000}]",
            ),
            *(f"RU[{'9' * 5000} in a row]", "SZ[²]", "\0", "é", "[" * 200),
        ]
    ),
    max_size=30,
).map("".join)


@BOUNDED
@given(SGF | TEXTS)
def test_a_file_of_games_is_read_or_refused(text: str) -> None:
    with WATCH.nothing_is_touched():
        for read in (read_sgf, read_games):
            with suppress(InvalidGame):
                read(text)


@BOUNDED
@given(PLAYERS | st.text(max_size=30) | st.tuples(PLAYERS, st.sampled_from(":,=@"), NUMBERS).map("".join))
def test_a_player_of_a_request_is_read_or_refused(text: str) -> None:
    with WATCH.nothing_is_touched(), suppress(InvalidSpec):
        parse_requested(text)


@pytest.mark.parametrize("text", ["random", "pattern", "uniform", "critic:builtin", "net:builtin-8x8", "hard"])
def test_an_allowed_player_opens_files_of_the_package_alone(text: str) -> None:
    make_player(parse_requested(text), Variant.square(8), 1).close()  # what is compiled is compiled now
    with WATCH.nothing_is_touched():
        make_player(parse_requested(text), Variant.square(8), 1).close()


def test_the_watch_sees_files_and_processes(tmp_path: Path) -> None:
    for touch in (lambda: (tmp_path / "x").touch(), lambda: os.system("true"), lambda: list(tmp_path.iterdir())):
        with pytest.raises(AssertionError), WATCH.nothing_is_touched():
            touch()
    assert not MARK.exists()
