"""The checks every request passes before it is served, and the headers every answer carries.

Any other page open in the user's browser can reach this server too, and so can every other user of this machine. So a request
must name this host and, for anything but an empty page, hold the token of the printed address; a request that changes something
must come from our own page, and no request may exceed its size limit or dawdle.
"""

from __future__ import annotations

import asyncio
import hmac
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import field, replace
from urllib.parse import parse_qsl

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from outscore.core.errors import OutscoreError
from outscore.core.records import dataclass
from outscore.web.messages import HTTPProblem
from outscore.web.pages import views
from outscore.web.settings import Settings

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
"""No script, style, picture or connection from anywhere else, and nothing inline."""
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}
SAFE = ("GET", "HEAD", "OPTIONS")
API = "/api/"
UPLOADS = "/api/files"
TOKEN = "token"  # noqa: S105 - the name of it
MIN_PACE = 32 * 1024
"""Bytes a second that a body must come in at, after a grace as long as the silence that is allowed."""


@dataclass(frozen=True)
class Guard:
    """The outermost middleware."""

    app: ASGIApp
    settings: Settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse the request, or serve it with a bounded body and with the headers that keep browsers safe."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        sending = _WithHeaders(send, scope["path"])
        try:
            check_host(scope, self.settings)
            check_token(scope, self.settings)
            check_origin(scope)
            limit = self.settings.max_upload if scope["path"] == UPLOADS else self.settings.max_body
            check_length(scope, limit)
        except HTTPProblem as problem:
            # The unread rest of the body must not be taken for the next request.
            await problem_response(scope, problem, {"connection": "close"})(scope, receive, sending)
            return
        body = _BoundedBody(receive, limit, self.settings.idle_timeout, complete=not has_body(scope))
        await self.app(scope, body, replace(sending, body=body))


def problem_response(scope: Scope, error: OutscoreError, headers: Mapping[str, str] | None = None) -> Response:
    """Answer a request that is refused: a program gets JSON, a person who opened an address gets a page.

    Examples
    --------
    >>> problem_response({"type": "http", "headers": []}, HTTPProblem(404, "There is no such file.")).body
    b'{"error":"There is no such file.","hint":null,"setting":null}'
    >>> asks_for_page = {"type": "http", "headers": [(b"accept", b"text/html")]}
    >>> problem_response(asks_for_page, HTTPProblem(404, "Nothing is here.")).media_type
    'text/html'
    """
    problem = error if isinstance(error, HTTPProblem) else HTTPProblem(422, error.message, error.hint)
    all_headers = {**(headers or {}), "vary": "accept"}
    # Browsers ask for HTML when somebody follows a link; our scripts do not.
    if "text/html" in Headers(scope=scope).get("accept", "").lower():
        return HTMLResponse(views.problem(problem.message, problem.hint), problem.status, all_headers)
    content = {"error": problem.message, "hint": problem.hint or None, "setting": problem.setting}
    return JSONResponse(content, problem.status, all_headers)


def check_host(scope: Scope, settings: Settings) -> None:
    """Refuse a request that was meant for another host."""
    hosts = Headers(scope=scope).getlist("host")
    name = _without_port(hosts[0]) if len(hosts) == 1 else ""
    if not settings.admits(name):
        raise HTTPProblem(
            421, "This page does not respond to that host name.", "Open it at the address that `outscore serve` printed."
        )


def _without_port(host: str) -> str:
    """The host without its port; an IPv6 address keeps its brackets.

    Examples
    --------
    >>> _without_port("localhost:8370"), _without_port("[::1]:8370"), _without_port("evil.example@localhost")
    ('localhost', '[::1]', 'evil.example@localhost')
    """
    name, colon, port = host.rpartition(":")
    return name if colon and port.isdecimal() else host


def check_token(scope: Scope, settings: Settings) -> None:
    """Refuse who does not know the token, which comes in a header: a cookie would go to every port of this machine.

    Pages are empty without what their scripts ask for, and style and scripts hold nothing of anybody, so these need no token.
    One in the address of a page has to be right, since the page keeps it.
    """
    if settings.token is None:
        return
    kind, _, sent = Headers(scope=scope).get("authorization", "").partition(" ")
    if scope["path"].startswith(API):
        known = kind.lower() == "bearer" and _is_token(sent.strip(), settings.token)
    else:
        known = all(_is_token(value, settings.token) for name, value in _query(scope) if name == TOKEN)
    if not known:
        raise HTTPProblem(
            403,
            "This page can only be opened with its token.",
            "Open the whole address that `outscore serve` printed; it changes whenever the server is started.",
        )


def _query(scope: Scope) -> list[tuple[str, str]]:
    return parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)


def _is_token(sent: str, token: str) -> bool:
    return hmac.compare_digest(sent.encode(), token.encode())


def check_origin(scope: Scope) -> None:
    """Refuse a change requested by another page. Browsers state the origin of a request; programs do not, and may ask."""
    if scope["method"] in SAFE:
        return
    headers = Headers(scope=scope)
    origin, site = headers.get("origin"), headers.get("sec-fetch-site", "same-origin")
    is_own = origin is None or origin.lower() == f"{scope.get('scheme', 'http')}://{headers.get('host', '')}".lower()
    if not is_own or site not in ("same-origin", "none"):
        raise HTTPProblem(403, "This request came from another page.", "Use the page that `outscore serve` opened.")


def check_length(scope: Scope, limit: int) -> None:
    """Refuse a body whose stated length is too large before any of it is read."""
    length = Headers(scope=scope).get("content-length", "0")
    if not (length.isascii() and length.isdecimal()):
        raise HTTPProblem(400, "The length of the request is not a number.")
    if int(length) > limit:
        raise too_large(limit)


def has_body(scope: Scope) -> bool:
    """Whether the request announces a body. Without one, waiting for its end would block until the client disconnects."""
    headers = Headers(scope=scope)
    return headers.get("content-length", "0") != "0" or "transfer-encoding" in headers


def too_large(limit: int) -> HTTPProblem:
    """The problem of a body beyond the limit."""
    return HTTPProblem(
        413, f"The request is larger than {limit >> 20:,} MB.", "Compress the file (.gz, .zst), or use the command line."
    )


@dataclass
class _BoundedBody:
    """Receives a body, and stops at its size limit (a length may be missing or wrong) and where it comes too slowly."""

    receive: Receive
    limit: int
    idle_timeout: float
    seen: int = 0
    complete: bool = False
    begun: float = field(default_factory=time.monotonic)

    async def __call__(self) -> Message:
        try:
            # After the body the only message left is the disconnect, which may be long in coming.
            message = await asyncio.wait_for(self.receive(), None if self.complete else self._patience())
        except TimeoutError:
            raise HTTPProblem(408, "The request stalled.", "Send it again.") from None
        self.seen += len(message.get("body", b""))
        self.complete = not message.get("more_body", False)
        if self.seen > self.limit:
            raise too_large(self.limit)
        return message

    def _patience(self) -> float:
        """Seconds to wait for more: a byte now and then must not keep a connection for hours."""
        due = self.begun + self.idle_timeout + self.seen / MIN_PACE
        return max(0.0, min(self.idle_timeout, due - time.monotonic()))

    async def drain(self) -> None:
        """Read the unread rest: a client that is still sending when the connection closes never sees the answer."""
        with suppress(HTTPProblem):
            while not self.complete:
                await self()


@dataclass(frozen=True)
class _WithHeaders:
    """Sends answers with the missing headers added, and none before the request has arrived completely."""

    send: Send
    path: str
    body: _BoundedBody | None = None

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            if self.body is not None:
                await self.body.drain()
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
            if self.path.startswith(API):
                headers.setdefault("cache-control", "no-store")
        await self.send(message)
