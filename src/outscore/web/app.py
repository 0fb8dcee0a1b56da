"""The application and its server: routes, exception handlers, and what every request passes on its way in and out.

Any other page open in the user's browser can reach this server too, and so can every other user of this machine. So a request
must name this host and, for anything but an empty page, hold the token of the printed address; a request that changes something
must come from our own page, and no request may exceed its size limit or dawdle. The server is uvicorn, with a limit on how long
a client may take to send the head of a request.
"""

from __future__ import annotations

import asyncio
import errno
import hmac
import logging
import os
import signal
import socket
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import asdict, field
from http import HTTPStatus
from pathlib import Path
from urllib.parse import parse_qsl

import uvicorn
from starlette.applications import Starlette
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.types import ASGIApp, ExceptionHandler, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from outscore.core.errors import OutscoreError
from outscore.core.records import dataclass
from outscore.web import api, pages
from outscore.web.messages import FailureHandler, HTTPProblem
from outscore.web.service import run_service
from outscore.web.settings import Settings

HEAD_SECONDS = 10.0
SHUTDOWN_SECONDS = 1
MAX_CONNECTIONS = 400
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


def guard(app: ASGIApp, settings: Settings) -> ASGIApp:
    """The outermost middleware: refuses a request, or serves it with a bounded body and the headers that keep browsers safe."""

    async def guarded(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await app(scope, receive, send)
            return
        body: _BoundedBody | None = None

        async def sending(message: Message) -> None:
            """Add the missing headers to the answer, which does not begin before the request has arrived completely."""
            if message["type"] == "http.response.start":
                if body is not None:
                    await body.drain()
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
                if scope["path"].startswith(API):
                    headers.setdefault("cache-control", "no-store")
            await send(message)

        try:
            check_host(scope, settings)
            check_token(scope, settings)
            check_origin(scope)
            limit = settings.max_upload if scope["path"] == UPLOADS else settings.max_body
            check_length(scope, limit)
        except HTTPProblem as problem:
            # The unread rest of the body must not be taken for the next request.
            await problem_response(scope, problem, {"connection": "close"})(scope, receive, sending)
            return
        body = _BoundedBody(receive, limit, settings.idle_timeout, complete=not has_body(scope))
        await app(scope, body, sending)

    return guarded


def problem_response(scope: Scope, error: OutscoreError, headers: Mapping[str, str] | None = None) -> Response:
    """Answer a request that is refused: a program gets JSON, a person who opened an address gets a page.

    Examples
    --------
    >>> problem_response({"type": "http", "headers": []}, HTTPProblem(404, "There is no such file.")).body
    b'{"error":"There is no such file.","hint":null,"setting":null,"cures":[]}'
    >>> asks_for_page = {"type": "http", "headers": [(b"accept", b"text/html")]}
    >>> problem_response(asks_for_page, HTTPProblem(404, "Nothing is here.")).media_type
    'text/html'
    """
    problem = error if isinstance(error, HTTPProblem) else HTTPProblem(422, error.message, error.hint)
    all_headers = {**(headers or {}), "vary": "accept"}
    # Browsers ask for HTML when somebody follows a link; our scripts do not.
    if "text/html" in Headers(scope=scope).get("accept", "").lower():
        return HTMLResponse(pages.problem(problem.message, problem.hint), problem.status, all_headers)
    cures = [asdict(cure) for cure in problem.cures]
    content = {"error": problem.message, "hint": problem.hint or None, "setting": problem.setting, "cures": cures}
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


def create_app(settings: Settings, ready: Callable[[Path], None] | None = None) -> Starlette:
    """The page and the interface behind it; `ready` is told its private folder when it can be used.

    Examples
    --------
    >>> app = create_app(Settings())
    >>> "/api/jobs" in [route.path for route in app.routes]
    True
    """

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        async with run_service(settings) as service:
            app.state.service = service
            if ready is not None:
                ready(service.store.folder)
            yield

    handlers: dict[type[Exception], ExceptionHandler] = {
        HTTPProblem: _problem,
        OutscoreError: _problem,
        HTTPException: _framework_error,
        ClientDisconnect: _client_disconnected,
        OSError: _disk_full,
        Exception: _internal_error,
    }
    return Starlette(
        routes=[*api.routes, *pages.routes],
        middleware=[Middleware(guard, settings=settings)],
        exception_handlers=handlers,
        lifespan=lifespan,
    )


async def _problem(request: Request, error: Exception) -> Response:
    assert isinstance(error, OutscoreError)
    return problem_response(request.scope, error)


async def _framework_error(request: Request, error: Exception) -> Response:
    """Errors that Starlette raises: unknown addresses, methods, forms that cannot be parsed."""
    assert isinstance(error, HTTPException)
    messages = {404: "There is nothing at this address.", 405: "This method is not allowed at this address."}
    detail = f"{HTTPStatus(error.status_code).phrase}: {error.detail.rstrip('.')}."
    problem = HTTPProblem(error.status_code, messages.get(error.status_code, detail))
    return problem_response(request.scope, problem, error.headers)


async def _client_disconnected(request: Request, _error: Exception) -> Response:
    """An upload broke off; nobody is left to read the answer."""
    return problem_response(request.scope, HTTPProblem(400, "The request was interrupted."))


async def _disk_full(request: Request, error: Exception) -> Response:
    """A full disk is nobody's bug; any other OSError is one of ours."""
    assert isinstance(error, OSError)
    if error.errno not in (errno.ENOSPC, errno.EDQUOT):
        raise error
    problem = HTTPProblem(507, "The disk on which the page keeps files is full.", "Free some space, and send it again.")
    return problem_response(request.scope, problem, {"connection": "close"})


async def _internal_error(request: Request, error: Exception) -> Response:
    """A bug of ours: the terminal says where, the answer does not. This runs outside the guard, so it adds its headers."""
    problem = HTTPProblem(500, f"This failed unexpectedly ({type(error).__name__}).", "Please report it with what you did.")
    return problem_response(request.scope, problem, HEADERS)


def run_server(settings: Settings, listening: socket.socket, ready: Callable[[Path], None] | None = None) -> None:
    """Serve the page on a socket until the process is interrupted or terminated; `ready` is for `create_app`."""
    logging.basicConfig(level=logging.ERROR, handlers=[FailureHandler()], force=True)
    # Closing the terminal ends the server like any other request to end, unless it was started to outlive it (nohup).
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        signal.signal(signal.SIGHUP, lambda *_: os.kill(os.getpid(), signal.SIGTERM))
    config = uvicorn.Config(
        create_app(settings, ready),
        http=ImpatientProtocol,
        loop="asyncio",
        ws="none",
        lifespan="on",
        log_config=None,
        log_level="error",
        access_log=False,
        limit_concurrency=MAX_CONNECTIONS,
        server_header=False,
        # There is no proxy in front of the page, so no header may speak for another client.
        proxy_headers=False,
        timeout_graceful_shutdown=SHUTDOWN_SECONDS,
    )
    uvicorn.Server(config).run([listening])


class ImpatientProtocol(H11Protocol):
    """Closes a connection on which the head of a request takes longer than `HEAD_SECONDS`.

    Otherwise a few hundred connections that send a byte now and then would keep everybody else out.
    """

    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # as in uvicorn
        """Start the timer for the first request."""
        super().connection_made(transport)
        self._start_timer()

    def data_received(self, data: bytes) -> None:
        """Stop the timer once the head is complete; the next request on the same connection gets its own."""
        before = self.cycle
        super().data_received(data)
        if self.cycle is not before:
            self._stop_timer()
        elif self._timer is None and getattr(self.cycle, "response_complete", True):
            self._start_timer()

    def send_400_response(self, msg: str) -> None:
        """Refuse what is no HTTP, such as a body that is not chunked as announced.

        The connection closes a moment later, and the application may answer the head of the request until then.
        """
        super().send_400_response(msg)
        if self.cycle is not None:
            self.cycle.disconnected = True
            self.cycle.message_event.set()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the timer with the connection."""
        self._stop_timer()
        super().connection_lost(exc)

    def _start_timer(self) -> None:
        self._timer = self.loop.call_later(HEAD_SECONDS, self.transport.close)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
