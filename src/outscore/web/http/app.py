"""The application: routes, what stands around them, and what lives as long as they do."""

from __future__ import annotations

import errno
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from http import HTTPStatus

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import ExceptionHandler

from outscore.core.errors import OutscoreError
from outscore.web.http import api
from outscore.web.http.answers import refused
from outscore.web.http.guard import HEADERS, Guard
from outscore.web.http.refusals import RefusedError
from outscore.web.jobs.service import running
from outscore.web.pages import pages
from outscore.web.settings import Settings

__all__ = ["create_app"]


def create_app(settings: Settings, worker: str) -> Starlette:
    """The page and the interface behind it; `worker` is the module that its worker processes run.

    Examples
    --------
    >>> app = create_app(Settings(), "some.module")
    >>> "/api/jobs" in [route.path for route in app.routes]
    True
    """

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        async with running(settings, worker) as service:
            app.state.service = service
            yield

    handlers: dict[type[Exception], ExceptionHandler] = {
        RefusedError: _refusal,
        OutscoreError: _refusal,
        HTTPException: _http,
        ClientDisconnect: _gone,
        OSError: _no_room,
        Exception: _mistake,
    }
    return Starlette(
        routes=[*api.routes, *pages.routes],
        middleware=[Middleware(Guard, settings=settings)],
        exception_handlers=handlers,
        lifespan=lifespan,
    )


async def _refusal(request: Request, error: Exception) -> Response:
    assert isinstance(error, OutscoreError)
    return refused(request.scope, error)


async def _http(request: Request, error: Exception) -> Response:
    """What the framework refuses: unknown addresses, methods, forms that cannot be read."""
    assert isinstance(error, HTTPException)
    said = {404: "There is nothing at this address.", 405: "This cannot be done at this address."}
    detail = f"{HTTPStatus(error.status_code).phrase}: {error.detail.rstrip('.')}."
    return refused(request.scope, RefusedError(error.status_code, said.get(error.status_code, detail)), error.headers)


async def _gone(request: Request, error: Exception) -> Response:
    """An upload that was broken off: there is nobody left to answer."""
    del error
    return refused(request.scope, RefusedError(400, "The request was broken off."))


async def _no_room(request: Request, error: Exception) -> Response:
    """A full disk, which is nobody's mistake; any other failure of the system is one of ours."""
    assert isinstance(error, OSError)
    if error.errno not in (errno.ENOSPC, errno.EDQUOT):
        raise error
    said = RefusedError(507, "The disk on which the page keeps files is full.", "Free some space, and send it again.")
    return refused(request.scope, said, {"connection": "close"})


async def _mistake(request: Request, error: Exception) -> Response:
    """A mistake of ours: the terminal says where, the answer does not. It stands outside the guard, whose headers it needs."""
    said = RefusedError(500, f"This failed unexpectedly ({type(error).__name__}).", "Please report it with what you did.")
    return refused(request.scope, said, HEADERS)
