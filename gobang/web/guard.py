"""Decides who may ask: a browser that has this page open, or a program that knows the token.

A page of another site can make a browser send requests here. It can also point its own name at this machine (DNS
rebinding). So each request passes four checks, with and without a token:

    Host            names this server: a loopback name, the address that was reached, or a name given by --allow-host
    Origin          is this server's own, if the request has one
    token           where other machines reach the server: in the query, as a Bearer header, or as the cookie
    Content-Type    of a request that changes something is JSON, which no form can send
"""

from __future__ import annotations

import hmac
import ipaddress
import logging
import re
import secrets
import socket
from collections.abc import Awaitable, Callable, Sequence
from html import escape
from typing import Final

from aiohttp import web

from gobang.errors import GobangError, InvalidConfig

TOKEN_COOKIE: Final = "gobang-token"
WILDCARDS: Final = ("", "0.0.0.0", "::")  # listen on every address of the machine
_AUTHORITY: Final = re.compile(r"(?:\[(?P<ipv6>[0-9a-f:.]+)\]|(?P<name>[a-z0-9._-]+))(?::[0-9]{1,5})?")
_NAME: Final = re.compile(r"[a-z0-9._-]+|[0-9a-f:.]+")
_SAFE_METHODS: Final = ("GET", "HEAD")
_LONGEST_PATH: Final = 200  # characters; file systems take names of 255 bytes
_HEADERS: Final = {
    "Content-Security-Policy": (
        "default-src 'self'; img-src 'self' data: blob:; object-src 'none'; base-uri 'none'; form-action 'self'; "
        "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"  # no markup from text
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-cache",
}
_ASK_FOR_TOKEN: Final = "the token is missing or of an earlier start: open the address that `gobang web` printed"
_TOKEN_FORM: Final = '<form action="/"><label>Token <input name="token" autofocus></label> <button>Open</button></form>'
_LOG: Final = logging.getLogger(__name__)

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
_Address = ipaddress.IPv4Address | ipaddress.IPv6Address


def is_loopback(host: str) -> bool:
    """Return True if only this machine reaches a server that listens at `host`."""
    address = _address_of(host)
    return host == "localhost" if address is None else address.is_loopback


class Guard:
    """The middleware that refuses strangers and turns mistakes into answers with a status of 4xx.

    guard = Guard(host="0.0.0.0", allowed_names=["board.example"])
    guard.protect(app)
    """

    def __init__(self, host: str, allowed_names: Sequence[str] = ()) -> None:
        """Make a token if other machines can reach `host`, directly or by a proxy; raise InvalidConfig."""
        names = {"localhost", host.lower(), *map(_checked_name, allowed_names)}
        self._names = names | ({socket.gethostname().lower()} if host in WILDCARDS else set())
        # A server with another name has a proxy in front of it, through which other machines come.
        self.token = "" if is_loopback(host) and not allowed_names else secrets.token_urlsafe(24)

    def protect(self, app: web.Application) -> None:
        """Check each request to the application and put the security headers on each answer."""
        app.middlewares.append(self._middleware)
        app.on_response_prepare.append(_put_headers)

    def is_own(self, authority: str, reached: str) -> bool:
        """Return True if a Host header names this server; `reached` is the local address of the connection.

        Other names are refused, since their owners can point them anywhere. An address cannot be pointed elsewhere.
        """
        match = _AUTHORITY.fullmatch(authority.lower())
        if match is None:
            return False
        name = match["ipv6"] or match["name"]
        address = _address_of(name)
        if address is None:
            return name in self._names
        return address.is_loopback or address == _address_of(reached) or str(address) in self._names

    @web.middleware
    async def _middleware(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        try:
            self._check(request)
            is_entering = bool(self.token) and "token" in request.query  # the token was checked
            if is_entering and request.path == "/":  # so that the token leaves the address bar and the history
                response: web.StreamResponse = web.Response(status=303, headers={"Location": "/"})
            else:
                response = await handler(request)
            if is_entering and not response.prepared:
                # Lax, since a browser that comes from a link or a file sends no strict cookie to the redirect's target.
                # Requests of other sites that carry the cookie are refused by their Origin and Sec-Fetch-Site.
                response.set_cookie(TOKEN_COOKIE, self.token, httponly=True, samesite="Lax", path="/")
            return response
        except web.HTTPException as error:
            return _refusal(request, error.status, error.text or error.reason) if error.status >= 400 else error
        except GobangError as error:
            return _refusal(request, 400, str(error))
        except Exception:  # the last resort: a request that breaks a handler must not break the others
            _LOG.exception("while answering %s %r", request.method, request.path)
            return _refusal(request, 500, "the server failed; its log says more")

    def _check(self, request: web.Request) -> None:
        if len(request.rel_url.raw_path) > _LONGEST_PATH:
            raise web.HTTPRequestURITooLong(text=f"a path of more than {_LONGEST_PATH} characters")
        if not request.raw_path.startswith("/"):
            raise web.HTTPBadRequest(text="this server is no proxy: ask for a path")
        hosts = request.headers.getall("Host", [])
        if len(hosts) != 1 or not self.is_own(hosts[0], _reached(request)):
            shown = ", ".join(hosts)[:80]
            raise web.HTTPForbidden(text=f"this server is not {shown!r}; if it is, start it with --allow-host NAME")
        own = (f"http://{hosts[0]}".lower(), f"https://{hosts[0]}".lower())
        for origin in request.headers.getall("Origin", []):
            if origin.lower() not in own:
                raise web.HTTPForbidden(text=f"a page of {origin[:80]!r} may not ask here")
        if request.headers.get("Sec-Fetch-Site") in ("cross-site", "same-site") and request.path != "/":
            raise web.HTTPForbidden(text="a page of another site may not ask here")
        if self.token and not self._knows_token(request):
            raise web.HTTPUnauthorized(text=_ASK_FOR_TOKEN)
        if request.method not in _SAFE_METHODS and request.content_type != "application/json":
            raise web.HTTPUnsupportedMediaType(text="send application/json")

    def _knows_token(self, request: web.Request) -> bool:
        """Compare every token of the query, or else the Bearer header, or else the cookie, in constant time."""
        scheme, _, bearer = request.headers.get("Authorization", "").partition(" ")
        given = request.query.getall("token", [])
        if not given:
            given = [bearer.strip() if scheme.lower() == "bearer" else request.cookies.get(TOKEN_COOKIE, "")]
        return all(hmac.compare_digest(each.encode(errors="replace"), self.token.encode()) for each in given)


async def _put_headers(request: web.Request, response: web.StreamResponse) -> None:
    response.headers.update(_HEADERS)


def _refusal(request: web.Request, status: int, reason: str) -> web.Response:
    """Make a JSON answer, or a page for a person whose browser opens the address."""
    if "text/html" not in request.headers.get("Accept", ""):
        return web.json_response({"error": reason}, status=status)
    form = _TOKEN_FORM if status == web.HTTPUnauthorized.status_code else ""
    page = f'<!DOCTYPE html><html lang="en"><title>gobang</title><p>gobang: {escape(reason)}</p>{form}</html>'
    return web.Response(text=page, content_type="text/html", status=status)


def _reached(request: web.Request) -> str:
    """Return the address of this machine to which the client connected; empty if the client is gone."""
    name = request.get_extra_info("sockname")
    return str(name[0]) if isinstance(name, tuple) else ""


def _address_of(text: str) -> _Address | None:
    """Parse an address, an IPv4 address within an IPv6 one as the former; None for a name."""
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address


def _checked_name(text: str) -> str:
    if not _NAME.fullmatch(text.lower()):
        raise InvalidConfig(f"--allow-host {text[:80]!r}: give a host name or an address, without scheme and port")
    address = _address_of(text)
    return text.lower() if address is None else str(address)
