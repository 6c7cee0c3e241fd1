"""Who may ask: a browser on this machine that has the page open, or who knows the token.

A page of another site can make a browser send requests here, and can give its own name this machine's address.  So the
Host must be one that this server has, exactly; an Origin must be this server's own; what changes something must be
JSON, which no form can send; and where others reach the server, everybody needs the token.
"""

from __future__ import annotations

import hmac
import ipaddress
import logging
import secrets
from collections.abc import Awaitable, Callable
from typing import Final

from aiohttp import web

from gobang.errors import GobangError

TOKEN_COOKIE: Final = "gobang-token"
_LOCAL_NAMES: Final = ("localhost", "127.0.0.1", "[::1]")
_SAFE_METHODS: Final = ("GET", "HEAD")
_HEADERS: Final = {
    "Content-Security-Policy": (
        "default-src 'self'; img-src 'self' data: blob:; object-src 'none'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-cache",
}
_LOG: Final = logging.getLogger(__name__)

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches what listens at an address."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


class Guard:
    """The middleware that refuses strangers, and answers every mistake with JSON and a status of 4xx."""

    def __init__(self, host: str) -> None:
        """With a token if the host is not a loopback address."""
        self.token = "" if is_loopback(host) else secrets.token_urlsafe(24)

    @web.middleware
    async def middleware(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Check, answer, and put the page's security headers on the answer."""
        try:
            self._check(request)
            response = await handler(request)
            if response.prepared:  # a WebSocket, which is over
                return response
        except web.HTTPException as error:
            response = _refusal(error.status, error.text or error.reason) if error.status >= 400 else error
        except GobangError as error:
            response = _refusal(400, str(error))
        except Exception:  # the top of a request: one that breaks us must not break the others
            _LOG.exception("while answering %s %s", request.method, request.path)
            response = _refusal(500, "the server failed; its log says more")
        response.headers.update(_HEADERS)
        if self.token and request.query.get("token"):
            response.set_cookie(TOKEN_COOKIE, self.token, httponly=True, samesite="Strict")
        return response

    def _check(self, request: web.Request) -> None:
        if self.token:
            self._check_token(request)
        elif request.host.rpartition(":")[0] not in _LOCAL_NAMES and request.host not in _LOCAL_NAMES:
            raise web.HTTPForbidden(text=f"this server is not {request.host[:80]!r}")
        origin = request.headers.get("Origin")
        if origin is not None and origin not in (f"http://{request.host}", f"https://{request.host}"):
            raise web.HTTPForbidden(text=f"a page of {origin[:80]!r} may not ask here")
        if request.headers.get("Sec-Fetch-Site") in ("cross-site", "same-site") and request.path != "/":
            raise web.HTTPForbidden(text="a page of another site may not ask here")
        if request.method not in _SAFE_METHODS and request.content_type != "application/json":
            raise web.HTTPUnsupportedMediaType(text="send application/json")

    def _check_token(self, request: web.Request) -> None:
        bearer = request.headers.get("Authorization", "").removeprefix("Bearer ")
        given = request.query.get("token") or request.cookies.get(TOKEN_COOKIE) or bearer
        if not hmac.compare_digest(given.encode(), self.token.encode()):
            raise web.HTTPUnauthorized(text="open the address with the token that the server printed")


def _refusal(status: int, reason: str) -> web.Response:
    return web.json_response({"error": reason}, status=status)
