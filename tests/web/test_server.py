from __future__ import annotations

import http.client
import signal
import socket
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gobang.cli import main
from gobang.sgf import read_sgf
from gobang.web.door import forwarder
from tests.web.served import ANSWER_SECONDS, Served, wait_until

PATIENCE_SECONDS = 30.0  # a server that waits for a client takes a minute
SMALL = {"boardXSize": 5, "boardYSize": 5, "k": 3}
HUMANS = {**SMALL, "seats": ["human", "human"]}


def new_game(served: Served, **fields: Any) -> Any:
    status, game = served.ask("/api/games", {**HUMANS, **fields})
    assert status == 201, game
    return game


def play(served: Served, game: Any, *moves: str) -> Any:
    for move in moves:
        status, state = served.ask(f"/api/games/{game['id']}/moves", {"move": move})
        assert status == 200, state
    return state


def test_a_game_of_two_people_to_its_end(served: Served) -> None:
    game = new_game(served)
    state = play(served, game, "a1", "a2", "b1", "b2", "c1")
    assert state["outcome"] == {"winner": 0}
    assert state["row"] == ["a1", "b1", "c1"]
    assert served.ask(f"/api/games/{game['id']}/moves", {"move": "d4"})[0] == 409
    undone = served.ask(f"/api/games/{game['id']}/undo", {"ply": 2})[1]
    assert (undone["moves"], undone["outcome"]) == (["a1", "a2"], None)


def test_a_player_answers_and_plays_to_the_end(served: Served) -> None:
    game = new_game(served, seats=["human", "random"])
    play(served, game, "c3")
    state = served.wait_for(f"/api/games/{game['id']}", lambda state: len(state["moves"]) == 2)
    assert state["toMove"] == 0
    assert "1" in state["seconds"]
    both = new_game(served, seats=["random", "uniform:sims=8"])
    assert served.wait_for(f"/api/games/{both['id']}", lambda state: state["outcome"])["row"] is not None


def test_a_player_that_fails_pauses_its_game_alone(served: Served) -> None:
    game = new_game(served, players=3, seats=["hmcts", "human", "human"])
    state = served.wait_for(f"/api/games/{game['id']}", lambda state: state["trouble"])
    assert state["paused"]
    assert "threats are those of two players" in state["trouble"]
    seats = {"seats": ["random", "human", "human"]}
    served.ask(f"/api/games/{game['id']}/seats", seats)
    served.ask(f"/api/games/{game['id']}/pause", {"paused": False})
    served.wait_for(f"/api/games/{game['id']}", lambda state: len(state["moves"]) == 1)


def test_a_player_that_is_killed_is_told_of_and_asked_again(served: Served) -> None:
    game = new_game(served, boardXSize=15, boardYSize=15, k=5, seats=["rollout:ms=60000", "human"])
    served.wait_for(f"/api/games/{game['id']}", lambda state: state["thinking"])
    assert served.ask("/api/stop", {})[0] == 200
    state = served.wait_for(f"/api/games/{game['id']}", lambda state: state["trouble"])
    assert "gone" in state["trouble"]
    other = new_game(served, seats=["random", "human"])
    served.wait_for(f"/api/games/{other['id']}", lambda state: len(state["moves"]) == 1)


def test_a_thought_that_was_taken_back_holds_up_nobody(served: Served) -> None:
    game = new_game(served, boardXSize=15, boardYSize=15, k=5, seats=["rollout:ms=60000", "human"])
    served.wait_for(f"/api/games/{game['id']}", lambda state: state["thinking"])
    served.ask(f"/api/games/{game['id']}/pause", {"paused": True})
    other = new_game(served, seats=["random", "human"])
    served.wait_for(f"/api/games/{other['id']}", lambda state: len(state["moves"]) == 1)
    assert served.ask(f"/api/games/{game['id']}")[1]["trouble"] == ""


def test_forbidden_points_are_named(served: Served) -> None:
    moves = ["h9", "a1", "h10", "a3", "i8", "a5", "j8", "a7"]
    game = new_game(served, boardXSize=15, boardYSize=15, k=5, rules="renju", moves=moves)
    assert game["forbidden"] == ["h8"]
    assert "double three" in served.ask(f"/api/games/{game['id']}/moves", {"move": "h8"})[1]["error"]


def test_a_game_comes_back_under_its_id(served: Served) -> None:
    fields = {**HUMANS, "id": "abc123", "moves": ["c3"]}
    assert served.ask("/api/games", fields)[0] == 201
    assert served.ask("/api/games", fields)[0] == 409
    assert served.ask("/api/games/abc123")[1]["moves"] == ["c3"]


def test_a_person_opens_by_swap2_and_a_player_takes_a_colour(served: Served) -> None:
    board = {**SMALL, "boardXSize": 6, "boardYSize": 6, "k": 4}
    game = served.ask("/api/games", {**board, "opening": "swap2", "seats": ["human", "uniform:sims=8"]})[1]
    play(served, game, "c3", "d4")
    assert served.ask(f"/api/games/{game['id']}/choice", {"choice": "black"})[0] == 409
    play(served, game, "c4")
    state = served.wait_for(f"/api/games/{game['id']}", lambda state: state["chosen"])
    assert state["seats"].index("human") == (state["chosen"] == ["black"])
    assert served.ask(f"/api/games/{game['id']}/undo", {"ply": 2})[0] == 409


def test_a_player_opens_and_a_person_leaves_it_the_choice(served: Served) -> None:
    board = {**SMALL, "boardXSize": 6, "boardYSize": 6, "k": 4}
    game = served.ask("/api/games", {**board, "opening": "swap2", "seats": ["uniform:sims=8", "human"]})[1]
    address = f"/api/games/{game['id']}"
    state = served.wait_for(address, lambda state: state["choices"])
    assert state["choices"] == ["black", "white", "two"]
    free = [name for name in ("a1", "b1", "c1", "d1", "e1") if name not in state["moves"]]
    assert served.ask(f"{address}/moves", {"move": free[0]})[0] == 409
    assert served.ask(f"{address}/choice", {"choice": "green"})[0] == 409
    assert served.ask(f"{address}/choice", {"choice": "two"})[1]["actor"] == 1
    play(served, game, *free[:2])
    state = served.wait_for(address, lambda state: len(state["chosen"]) == 2)
    assert state["settled"] == 5
    assert state["seats"].index("human") == (state["chosen"][1] == "black")


def test_an_opening_comes_back_where_it_was(served: Served) -> None:
    fields = {**HUMANS, "k": 4, "opening": "swap2", "chosen": ["two"], "moves": ["a1", "b1", "c1", "d1"], "id": "op1"}
    assert served.ask("/api/games", fields)[1]["actor"] == 1
    assert served.ask("/api/games", {**fields, "id": "op2", "moves": []})[0] == 400
    play(served, {"id": "op1"}, "e1")
    assert served.ask("/api/games/op1/choice", {"choice": "white"})[1]["chosen"] == ["two", "white"]


def test_files_are_read_and_written(served: Served) -> None:
    text = served.ask("/api/sgf", {**SMALL, "moves": ["a1", "b2"], "names": ["x", "y"], "comments": {"1": "hm"}})[1]
    (game,) = read_sgf(text["sgf"])
    assert (game.players, game.comments) == (("x", "y"), {1: "hm"})
    (read,) = served.ask("/api/records", {"text": text["sgf"]})[1]["games"]
    assert (read["moves"], read["names"]) == (["a1", "b2"], ["x", "y"])
    line = '{"game":0,"black":"p","white":"q","height":5,"width":5,"k":3,"rule":"freestyle","moves":["a1"]}\n'
    assert len(served.ask("/api/records", {"text": 2 * line})[1]["games"]) == 2


@pytest.mark.parametrize(
    ("path", "body", "status", "reason"),
    [
        ("/api/games", b"{", 400, "not JSON"),
        ("/api/games", b"[" * 100_000, 400, "not JSON"),
        ("/api/games", b"\xff\xfe", 400, "not JSON"),
        ("/api/games", [], 400, "not an object"),
        ("/api/games", {**HUMANS, "boardXSize": 99}, 400, "3 to 22"),
        ("/api/games", {**HUMANS, "moves": ["a1", "a1"]}, 400, "occupied"),
        ("/api/games", {**HUMANS, "seats": ["human"]}, 400, "seats of 1"),
        ("/api/games", {**HUMANS, "seats": ["human", "unifrom"]}, 400, "did you mean uniform"),
        ("/api/games", {**HUMANS, "seats": ["human", "gomocup:rm"]}, 400, "cannot name gomocup; allowed are random"),
        ("/api/games", {**HUMANS, "seats": ["human", "net:/dev/zero"]}, 400, "cannot name the file '/dev/zero'"),
        ("/api/games", {**HUMANS, "seats": ["human", "run:../x"]}, 400, "run:best or run:latest"),
        ("/api/games", {**HUMANS, "seats": ["human", "run:best,threads=256"]}, 400, "threads is 256: at most 4"),
        ("/api/games", {**HUMANS, "id": "../x"}, 400, "letters and digits"),
        ("/api/games", {**HUMANS, "moves": ["a" + "9" * 5000]}, 400, "is not a point"),
        ("/api/games", b'{"boardXSize": ' + b"9" * 5000 + b"}", 400, "too many digits"),
        ("/api/games", b"[" * 500 + b"]" * 500, 400, "nested too deeply"),
        ("/api/games", {**HUMANS, "opening": "pie"}, 400, "swap, swap2 or nothing"),
        ("/api/games", {**HUMANS, "opening": "swap"}, 400, "4 or more in a row"),
        ("/api/games", {**HUMANS, "k": 4, "opening": "swap", "chosen": ["two"]}, 400, "black or white"),
        ("/api/games", {**HUMANS, "k": 4, "opening": "swap", "chosen": 7}, 400, "a list of choices"),
        ("/api/games/nobody/choice", {"choice": "black"}, 404, "no game"),
        ("/api/games/nobody", None, 404, "no game 'nobody'"),
        ("/api/games/nobody/moves", {"move": "a1"}, 404, "no game"),
        ("/api/records", {"text": "(;GM[2])"}, 400, "another game"),
        ("/api/records", {"text": "{}"}, 400, "line 1"),
        ("/api/records", b"x" * (5 << 20), 413, "exceeded"),
        ("/api/nothing", None, 404, "Not Found"),
        ("/page/../server.py", None, 404, "Not Found"),
    ],
)
def test_mistakes_get_a_reason(served: Served, path: str, body: Any, status: int, reason: str) -> None:
    found, answer = served.ask(path, body)
    assert found == status
    assert reason in answer["error"]


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "http://127.0.0.1:1"}, 403),
        ({"Host": "evil.example"}, 403),
        ({"Host": "localhost.evil:80"}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Content-Type": "text/plain"}, 415),
        ({"Content-Encoding": "gzip"}, 400),
    ],
)
def test_strangers_are_refused(served: Served, headers: dict[str, str], status: int) -> None:
    assert served.ask("/api/games", HUMANS, headers=headers)[0] == status


def test_the_page_itself_is_there_and_asks_for_nothing_from_elsewhere(served: Served) -> None:
    status, page = served.ask("/")
    assert status == 200
    assert b"http" not in page
    assert all(served.ask(path)[0] == 200 for path in ("/page/app.js", "/page/board.css", "/api/setup"))


@pytest.mark.parametrize(
    ("path", "headers", "status"),
    [
        ("/", {}, 200),
        ("/page/app.js", {}, 200),
        ("/page/app.js", {"If-Modified-Since": "Fri, 31 Dec 9999 00:00:00 GMT"}, 304),
        ("/page/none.js", {}, 404),
        ("/page/../server.py", {}, 404),
        ("/api/games", {}, 405),
        ("/api/setup", {"Host": "evil.example"}, 403),
    ],
)
def test_every_answer_has_the_security_headers(served: Served, path: str, headers: dict[str, str], status: int) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", served.port, timeout=ANSWER_SECONDS)
    connection.request("GET", path, headers=headers)
    with connection.getresponse() as answer:
        assert answer.status == status
        assert "default-src 'self'" in answer.headers["Content-Security-Policy"]
        assert (answer.headers["X-Content-Type-Options"], answer.headers["Referrer-Policy"]) == (
            "nosniff",
            "no-referrer",
        )
    connection.close()


@pytest.fixture(scope="module")
def arguments(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with the arguments that the browser got."""
    return tmp_path_factory.mktemp("browser") / "arguments"


@pytest.fixture(scope="module")
def shared(arguments: Path) -> Iterator[Served]:
    """A page that other machines reach, opened by a browser that notes its arguments."""
    program = arguments.with_name("browser")
    program.write_text(f'#!/bin/sh\necho "$@" >{arguments}.part\nmv {arguments}.part {arguments}\n')
    program.chmod(0o700)
    page = Served("--host", "0.0.0.0", "--allow-host", "play.example", browser=f"{program} %s")
    yield page
    page.close()


def test_elsewhere_than_on_loopback_a_token_is_asked(shared: Served) -> None:
    bearer = {"Authorization": f"Bearer {shared.token}"}
    assert shared.ask("/api/setup")[0] == 401
    assert shared.ask("/api/setup", headers={"Authorization": "Bearer wrong"})[0] == 401
    assert shared.ask("/api/setup", headers=bearer)[0] == 200
    assert shared.ask("/api/setup", headers={**bearer, "Host": "play.example"})[0] == 200
    assert shared.ask("/api/setup", headers={**bearer, "Host": "evil.example"})[0] == 403
    assert shared.ask(f"/?token={shared.token}")[0] == 303


def test_the_browser_is_let_in_by_a_file_that_nobody_else_can_read(shared: Served, arguments: Path) -> None:
    wait_until(arguments.exists)
    given = arguments.read_text().strip()
    assert str(shared.token) not in given
    file = Path(given.removeprefix("file://"))
    assert f"url=http://127.0.0.1:{shared.port}/?token={shared.token}" in file.read_text()
    assert [stat.S_IMODE(path.stat().st_mode) for path in (file, file.parent)] == [0o600, 0o700]


def test_the_file_goes_with_the_server(tmp_path: Path) -> None:
    with forwarder("http://localhost/?token=<&>") as address:
        file = Path(address.removeprefix("file://"))
        assert "token=&lt;&amp;&gt;" in file.read_text()
    assert not file.parent.exists()


def test_a_client_that_does_not_answer_holds_up_no_end() -> None:
    page = Served()
    with socket.create_connection(("127.0.0.1", page.port)) as connection:
        lines = ("GET /api/live HTTP/1.1", "Host: localhost", "Connection: Upgrade", "Upgrade: websocket")
        lines += ("Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==", "", "")
        connection.sendall("\r\n".join(lines).encode())
        assert connection.recv(12) == b"HTTP/1.1 101"
        page.process.send_signal(signal.SIGINT)
        assert page.process.wait(PATIENCE_SECONDS) == 0
    page.process.stdout.close()  # type: ignore[union-attr]


def test_a_name_that_cannot_be_allowed_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["web", "--no-browser", "--allow-host", "https://play.example"])
    assert "without scheme and port" in capsys.readouterr().err
