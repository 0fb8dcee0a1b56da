"""What every request passes before it is served, and what every answer carries.

The page listens on this machine, where every other page the user has open could call it too. So a request must name this host,
a request that changes something must come from the page itself, and no request may be larger than its limit.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass, replace

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from outscore.web.http.answers import refused
from outscore.web.http.refusals import RefusedError
from outscore.web.settings import Settings

__all__ = ["HEADERS", "POLICY", "Guard"]

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
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


@dataclass(frozen=True)
class Guard:
    """The middleware around everything."""

    app: ASGIApp
    settings: Settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse, or serve with a bounded body and with the headers that keep browsers safe."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        sending = _Dressed(send, scope["path"])
        try:
            check_host(scope, self.settings)
            check_origin(scope)
            limit = self.settings.largest_upload if scope["path"] == UPLOADS else self.settings.largest_body
            check_length(scope, limit)
        except RefusedError as refusal:
            # What is left of a body that nobody reads must not be taken for the next request.
            await refused(scope, refusal, {"connection": "close"})(scope, receive, sending)
            return
        body = _Bounded(receive, limit, self.settings.silence, whole=not has_body(scope))
        await self.app(scope, body, replace(sending, body=body))


def check_host(scope: Scope, settings: Settings) -> None:
    """Refuse a request that was meant for another host."""
    hosts = Headers(scope=scope).getlist("host")
    name = _without_port(hosts[0]) if len(hosts) == 1 else ""
    if not settings.admits(name):
        raise RefusedError(421, "This page is not known by that name.", "Open it by the address that `outscore serve` printed.")


def _without_port(host: str) -> str:
    """The name or address alone; that of IPv6 stands in brackets.

    Examples
    --------
    >>> _without_port("localhost:8370"), _without_port("[::1]:8370"), _without_port("evil.example@localhost")
    ('localhost', '[::1]', 'evil.example@localhost')
    """
    name, colon, port = host.rpartition(":")
    return name if colon and port.isdecimal() else host


def check_origin(scope: Scope) -> None:
    """Refuse a change that another page asks for: browsers say where a request comes from, programs do not and may ask."""
    if scope["method"] in SAFE:
        return
    headers = Headers(scope=scope)
    origin, site = headers.get("origin"), headers.get("sec-fetch-site", "same-origin")
    own = origin is None or origin.lower() == f"{scope.get('scheme', 'http')}://{headers.get('host', '')}".lower()
    if not own or site not in ("same-origin", "none"):
        raise RefusedError(403, "Another page asked for this.", "Do it on the page that `outscore serve` opened.")


def check_length(scope: Scope, limit: int) -> None:
    """Refuse a body that says it is too large before any of it is read."""
    length = Headers(scope=scope).get("content-length", "0")
    if not (length.isascii() and length.isdecimal()):
        raise RefusedError(400, "The length of the request is not a number.")
    if int(length) > limit:
        raise too_large(limit)


def has_body(scope: Scope) -> bool:
    """Whether a body was announced; where none was, waiting for its end would be waiting for whoever asked to go."""
    headers = Headers(scope=scope)
    return headers.get("content-length", "0") != "0" or "transfer-encoding" in headers


def too_large(limit: int) -> RefusedError:
    """What to say of a body beyond the limit."""
    return RefusedError(
        413, f"The request is larger than {limit >> 20:,} MB.", "Compress the file (.gz, .zst), or use the command line."
    )


@dataclass
class _Bounded:
    """Receives a body and stops at its limit, as a length may be left out or be wrong, and when nothing comes for too long."""

    receive: Receive
    limit: int
    silence: float
    seen: int = 0
    whole: bool = False

    async def __call__(self) -> Message:
        try:
            # Behind the body comes only that somebody has gone, which may be long after.
            message = await asyncio.wait_for(self.receive(), None if self.whole else self.silence)
        except TimeoutError:
            raise RefusedError(408, "The request stopped in the middle.", "Send it again.") from None
        self.seen += len(message.get("body", b""))
        self.whole = not message.get("more_body", False)
        if self.seen > self.limit:
            raise too_large(self.limit)
        return message

    async def finish(self) -> None:
        """Read what nobody wanted of it: who is still sending when the connection ends never sees the answer."""
        with suppress(RefusedError):
            while not self.whole:
                await self()


@dataclass(frozen=True)
class _Dressed:
    """Sends answers with the headers that are missing, and none before the request has come whole."""

    send: Send
    path: str
    body: _Bounded | None = None

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            if self.body is not None:
                await self.body.finish()
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
            if self.path.startswith(API):
                headers.setdefault("cache-control", "no-store")
        await self.send(message)
