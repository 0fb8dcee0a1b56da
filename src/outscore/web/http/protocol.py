"""HTTP as uvicorn speaks it, with little patience: who opens a connection has to say soon what for."""

from __future__ import annotations

import asyncio

from uvicorn.protocols.http.h11_impl import H11Protocol

__all__ = ["HEAD_SECONDS", "ImpatientProtocol"]

HEAD_SECONDS = 10.0


class ImpatientProtocol(H11Protocol):
    """Ends a connection on which the head of a request takes longer than `HEAD_SECONDS`.

    Otherwise a few hundred connections that send a byte now and then would keep everybody else out.
    """

    _waiting: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # as in uvicorn
        """Begin to wait for the first request."""
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        """Stop waiting once the head is there; a further one on the same connection has as long."""
        before = self.cycle
        super().data_received(data)
        if self.cycle is not before:
            self._stop_waiting()
        elif self._waiting is None and getattr(self.cycle, "response_complete", True):
            self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nobody is left to wait for."""
        self._stop_waiting()
        super().connection_lost(exc)

    def _wait(self) -> None:
        self._waiting = self.loop.call_later(HEAD_SECONDS, self.transport.close)

    def _stop_waiting(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None
