"""The guard alone, in front of an application that answers everything."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from http.cookies import SimpleCookie

import pytest
from aiohttp import web

from gobang.errors import GobangError, InvalidConfig
from gobang.web.guard import TOKEN_COOKIE, Guard, is_loopback

SECURITY_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-cache",
}
CSP = (
    *("default-src 'self'", "object-src 'none'", "base-uri 'none'", "form-action 'self'", "frame-ancestors 'none'"),
    *("require-trusted-types-for 'script'", "trusted-types 'none'"),
)
UPGRADE = (
    "Connection: Upgrade",
    "Upgrade: websocket",
    "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==",
)


@dataclass(frozen=True)
class Answer:
    status: int
    headers: dict[str, str]
    text: str

    @property
    def cookie(self) -> str:
        """Return the cookies that the browser is told to keep."""
        return self.headers.get("set-cookie", "")

    @property
    def error(self) -> str:
        """The reason of a refusal."""
        return str(json.loads(self.text)["error"])


def ask(guard: Guard, request: str, *headers: str, host: str | None = "localhost") -> Answer:
    """Send the bytes of a request through a socket."""
    lines = [f"{request} HTTP/1.1", *([] if host is None else [f"Host: {host}"]), *headers, "", ""]
    return asyncio.run(_ask(guard, "\r\n".join(lines).encode("utf-8", "surrogateescape")))


async def _ask(guard: Guard, data: bytes) -> Answer:
    app = web.Application()
    guard.protect(app)
    handlers = {
        "/": _say_hello,
        "/api/setup": _say_hello,
        "/api/live": _talk,
        "/mistake": _make_a_mistake,
        "/bug": _break,
    }
    app.add_routes([web.get(path, handler) for path, handler in handlers.items()])
    app.add_routes([web.post("/api/games", _say_hello)])
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    reader, writer = await asyncio.open_connection(*runner.addresses[0][:2])
    writer.write(data)
    head = (await reader.readuntil(b"\r\n\r\n")).decode().splitlines()
    headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in head[1:])}
    has_body = "upgrade" not in headers and not data.startswith(b"HEAD")
    text = "" if not has_body else (await reader.read(int(headers.get("content-length", 0)))).decode()
    writer.close()
    await runner.cleanup()
    return Answer(int(head[0].split()[1]), headers, text)


async def _say_hello(request: web.Request) -> web.Response:
    return web.json_response({"hello": True})


async def _talk(request: web.Request) -> web.WebSocketResponse:
    socket = web.WebSocketResponse()
    await socket.prepare(request)
    return socket


async def _make_a_mistake(request: web.Request) -> web.Response:
    raise GobangError("no such thing")


async def _break(request: web.Request) -> web.Response:
    raise KeyError("ours")


@pytest.fixture
def local() -> Guard:
    """The guard of a server on loopback."""
    return Guard("127.0.0.1")


@pytest.fixture
def shared() -> Guard:
    """The guard of a server that other machines reach."""
    return Guard("0.0.0.0")


def test_a_path_that_no_file_system_takes_is_refused(local: Guard, caplog: pytest.LogCaptureFixture) -> None:
    assert ask(local, f"GET /page/{'a' * 300}").status == 414
    assert ask(local, f"GET /page/{'%C3%A9' * 100}").status == 414
    assert not caplog.records


# The token


@pytest.mark.parametrize("path", ["/", "/api/setup", "/api/live", "/nothing"])
@pytest.mark.parametrize("query", ["?token=x", "?token=", "?token=%FF", "?token=x&token=y", ""])
def test_a_wrong_token_gets_no_cookie(shared: Guard, path: str, query: str) -> None:
    answer = ask(shared, f"GET {path}{query}")
    assert answer.status == 401
    assert answer.cookie == ""
    assert shared.token not in str(answer)


def test_the_right_token_in_the_address_becomes_a_cookie_and_leaves_the_address(shared: Guard) -> None:
    answer = ask(shared, f"GET /?token={shared.token}")
    assert (answer.status, answer.headers["location"]) == (303, "/")
    (morsel,) = SimpleCookie(answer.cookie).values()
    assert (morsel.key, morsel.value) == (TOKEN_COOKIE, shared.token)
    assert morsel["httponly"] is True
    assert (morsel["samesite"], morsel["path"], morsel["domain"]) == ("Lax", "/", "")
    assert ask(shared, "GET /", f"Cookie: {TOKEN_COOKIE}={morsel.value}").status == 200


def test_the_right_token_counts_in_the_query_of_every_address(shared: Guard) -> None:
    answer = ask(shared, f"GET /api/setup?token={shared.token}")
    assert (answer.status, shared.token in answer.cookie) == (200, True)


def test_a_wrong_token_beside_the_right_one_is_refused(shared: Guard) -> None:
    for query in (f"token=x&token={shared.token}", f"token={shared.token}&token=x"):
        assert ask(shared, f"GET /?{query}").status == 401
    assert ask(shared, "GET /?token=x", f"Cookie: {TOKEN_COOKIE}={shared.token}").status == 401


@pytest.mark.parametrize(
    ("header", "status"),
    [
        ("Authorization: Bearer {}", 200),
        ("Authorization: bearer {}", 200),
        ("Authorization: Bearer x", 401),
        ("Authorization: Bearer \udcff", 401),
        ("Authorization: {}", 401),
        ("Authorization: Basic {}", 401),
        ("Cookie: gobang-token={}", 200),
        ("Cookie: gobang-token=x", 401),
        ("Cookie: token={}", 401),
        ("X-Nothing: {}", 401),
    ],
)
def test_a_token_is_taken_from_its_headers_alone(shared: Guard, header: str, status: int) -> None:
    answer = ask(shared, "GET /api/setup", header.format(shared.token))
    assert answer.status == status
    assert answer.cookie == ""


def test_a_person_with_the_cookie_of_an_earlier_start_is_asked_for_the_token(shared: Guard) -> None:
    cookie, accept = f"Cookie: {TOKEN_COOKIE}={Guard('0.0.0.0').token}", "Accept: text/html,*/*"
    page = ask(shared, "GET /", cookie, accept)
    assert page.status == 401
    assert page.headers["content-type"].startswith("text/html")
    assert "of an earlier start" in page.text
    assert '<input name="token"' in page.text
    assert "of an earlier start" in ask(shared, "GET /", cookie).error


def test_a_page_for_a_person_holds_no_html_of_others(local: Guard) -> None:
    page = ask(local, "GET /", "Accept: text/html", "Origin: <b>evil</b>")
    assert page.status == 403
    assert "<b>" not in page.text
    assert "&lt;b&gt;" in page.text


def test_on_loopback_there_is_no_token(local: Guard) -> None:
    assert local.token == ""
    assert ask(local, "GET /?token=x").status == 200


# Host: DNS rebinding makes a browser name a stranger's host


@pytest.mark.parametrize("guard", [Guard("127.0.0.1"), Guard("0.0.0.0")], ids=["loopback", "token"])
@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:8080", "localhost.evil.example", "127.0.0.1.evil.example", "192.0.2.1", "[::2]"],
)
def test_rebinding_fails_even_with_the_token(guard: Guard, host: str) -> None:
    bearer = f"Authorization: Bearer {guard.token}"
    answer = ask(guard, "GET /api/setup", bearer, f"Origin: http://{host}", host=host)
    assert answer.status == 403
    assert "--allow-host" in answer.error


@pytest.mark.parametrize(
    "host", ["localhost", "LOCALHOST:80", "127.0.0.1:8080", "127.0.0.2", "[::1]:8080", "[0:0:0:0:0:0:0:1]"]
)
def test_every_loopback_name_is_own(local: Guard, host: str) -> None:
    for guard in (local, Guard("127.0.0.2")):
        assert ask(guard, "GET /api/setup", f"Origin: http://{host}", host=host).status == 200


@pytest.mark.parametrize(
    "host",
    [
        "",
        ":80",
        "localhost:",
        "localhost:x",
        "localhost:123456",
        "localhost:80:80",
        "localhost,evil.example",
        "localhost@evil.example",
        "evil.example@localhost",
        "localhost/",
        "::1",
        "[::1",
        "[localhost]",
        "127.1",
        "2130706433",
    ],
)
def test_a_host_that_is_none_is_refused(local: Guard, host: str) -> None:
    assert not local.is_own(host, "127.0.0.1")


def test_the_address_that_was_reached_is_own() -> None:
    guard = Guard("::")
    assert guard.is_own("192.0.2.7:8080", "192.0.2.7")
    assert guard.is_own("192.0.2.7:8080", "::ffff:192.0.2.7")
    assert guard.is_own("[2001:DB8:0::7]", "2001:db8::7")
    assert not guard.is_own("192.0.2.8:8080", "192.0.2.7")
    assert not guard.is_own("192.0.2.8", "")


def test_the_machine_s_own_name_is_known_where_all_addresses_listen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("socket.gethostname", lambda: "Board")
    assert ask(Guard("0.0.0.0"), "GET /", host="board:8080").status == 401
    assert ask(Guard("127.0.0.1"), "GET /", host="board:8080").status == 403
    assert ask(Guard("Lab"), "GET /", host="lab:8080").status == 401


def test_an_allowed_name_is_own_and_makes_a_token() -> None:
    guard = Guard("127.0.0.1", ["Play.Example", "2001:DB8:0::7"])
    bearer = f"Authorization: Bearer {guard.token}"
    assert guard.token
    assert ask(guard, "GET /api/setup", bearer, "Origin: https://play.example", host="play.example").status == 200
    assert ask(guard, "GET /api/setup", host="play.example").status == 401
    assert ask(guard, "GET /api/setup", bearer, host="[2001:db8::7]:80").status == 200
    assert ask(guard, "GET /api/setup", bearer, host="other.example").status == 403


@pytest.mark.parametrize("name", ["", "*", "https://play.example", "play.example:443", "play.example/", "[::1]", "a b"])
def test_a_name_that_cannot_be_allowed_is_refused(name: str) -> None:
    with pytest.raises(InvalidConfig, match="--allow-host"):
        Guard("0.0.0.0", [name])


def test_a_request_has_one_host(local: Guard) -> None:
    assert ask(local, "GET /", host=None).status in (400, 403)
    assert ask(local, "GET /", "Host: localhost").status in (400, 403)
    assert ask(local, "GET /", "Host: evil.example").status in (400, 403)


@pytest.mark.parametrize("target", ["http://evil.example/", "http://localhost/", "localhost:80", "*"])
def test_the_server_is_no_proxy(local: Guard, target: str) -> None:
    for method in ("GET", "OPTIONS", "CONNECT"):
        assert ask(local, f"{method} {target}").status == 400


def test_what_only_this_machine_reaches_is_loopback() -> None:
    hosts = (
        "localhost",
        "127.0.0.1",
        "127.0.0.2",
        "::1",
        "::ffff:127.0.0.1",
        "0.0.0.0",
        "",
        "::",
        "192.0.2.1",
        "board",
    )
    assert [host for host in hosts if is_loopback(host)] == list(hosts[:5])


# Requests that a page of another site makes


@pytest.mark.parametrize("path", ["GET /", "GET /api/setup", "GET /api/live", "POST /api/games", "OPTIONS /api/games"])
@pytest.mark.parametrize(
    "header",
    [
        "Origin: http://evil.example",
        "Origin: null",
        "Origin: http://localhost:1",
        "Origin: http://localhost.evil.example",
        "Origin: file://",
        "Origin: http://localhost\r\nOrigin: http://evil.example",
    ],
)
def test_another_origin_is_refused_even_with_the_token(shared: Guard, path: str, header: str) -> None:
    cookie = f"Cookie: {TOKEN_COOKIE}={shared.token}"
    assert ask(shared, path, cookie, header, "Content-Type: application/json", *UPGRADE).status in (400, 403)


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_another_site_may_link_to_the_page_alone(local: Guard, site: str) -> None:
    assert ask(local, "GET /", f"Sec-Fetch-Site: {site}").status == 200
    assert ask(local, "GET /api/setup", f"Sec-Fetch-Site: {site}").status == 403
    assert ask(local, "GET /api/live", f"Sec-Fetch-Site: {site}", *UPGRADE).status == 403


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"])
def test_a_form_changes_nothing(local: Guard, kind: str) -> None:
    assert ask(local, "POST /api/games", f"Content-Type: {kind}").status == 415


# Headers of every answer


@pytest.mark.parametrize(
    ("request_line", "headers", "status"),
    [
        ("GET /", (), 200),
        ("HEAD /", (), 200),
        ("GET /?token={}", (), 303),
        ("GET /mistake", (), 400),
        ("GET /", ("Cookie: gobang-token=x",), 401),
        ("GET /", ("Cookie: gobang-token=x", "Accept: text/html"), 401),
        ("GET /", ("Origin: http://evil.example",), 403),
        ("GET /nothing", (), 404),
        ("POST /", ("Content-Type: application/json",), 405),
        ("OPTIONS /api/games", ("Content-Type: application/json",), 405),
        ("POST /api/games", (), 415),
        ("GET /bug", (), 500),
        ("GET /api/live", UPGRADE, 101),
    ],
)
def test_every_answer_has_the_security_headers(
    shared: Guard, request_line: str, headers: tuple[str, ...], status: int
) -> None:
    has_token = "?token" in request_line or any(header.startswith("Cookie") for header in headers)
    known = () if has_token else (f"Cookie: {TOKEN_COOKIE}={shared.token}",)
    answer = ask(shared, request_line.format(shared.token), *known, *headers)
    assert answer.status == status
    assert {name: answer.headers.get(name.lower()) for name in SECURITY_HEADERS} == SECURITY_HEADERS
    assert set(CSP) <= set(answer.headers["content-security-policy"].split("; "))
