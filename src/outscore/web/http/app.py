"""The application and its server: routes, middleware, exception handlers, and the service that lives as long as they do.

The server is uvicorn, with a limit on how long a client may take to send the head of a request.
"""

from __future__ import annotations

import asyncio
import errno
import logging
import os
import signal
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from http import HTTPStatus
from pathlib import Path

import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import ExceptionHandler
from uvicorn.protocols.http.h11_impl import H11Protocol

from outscore.core.errors import OutscoreError
from outscore.web.http import api
from outscore.web.http.guard import HEADERS, Guard, problem_response
from outscore.web.jobs.service import run_service
from outscore.web.messages import FailureHandler, HTTPProblem
from outscore.web.pages import views
from outscore.web.settings import Settings

HEAD_SECONDS = 10.0
SHUTDOWN_SECONDS = 1
MAX_CONNECTIONS = 400


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
        routes=[*api.routes, *views.routes],
        middleware=[Middleware(Guard, settings=settings)],
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


async def _client_disconnected(request: Request, error: Exception) -> Response:
    """An upload broke off; nobody is left to read the answer."""
    del error
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
