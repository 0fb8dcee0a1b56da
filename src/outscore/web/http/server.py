"""The HTTP server: uvicorn, with a limit on how long a client may take to send the head of a request."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import socket

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from outscore.web.http.app import create_app
from outscore.web.problems import FailureHandler
from outscore.web.settings import Settings

__all__ = ["HEAD_SECONDS", "ImpatientProtocol", "run_server"]

HEAD_SECONDS = 10.0
SHUTDOWN_SECONDS = 1
MAX_CONNECTIONS = 400


def run_server(settings: Settings, listening: socket.socket) -> None:
    """Serve the page on a socket until the process is interrupted or terminated."""
    logging.basicConfig(level=logging.ERROR, handlers=[FailureHandler()], force=True)
    # Closing the terminal ends the server like any other request to end, unless it was started to outlive it (nohup).
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        signal.signal(signal.SIGHUP, lambda *_: os.kill(os.getpid(), signal.SIGTERM))
    config = uvicorn.Config(
        create_app(settings),
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
