"""The application: routes, what stands around them, and what lives as long as they do."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from http import HTTPStatus

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import ExceptionHandler

from outscore.errors import OutscoreError
from outscore.web import api, pages
from outscore.web.guard import Guard
from outscore.web.refusals import RefusedError, refused
from outscore.web.service import running
from outscore.web.settings import Settings

__all__ = ["create_app"]


def create_app(settings: Settings) -> Starlette:
    """The page and the interface behind it.

    Examples
    --------
    >>> app = create_app(Settings())
    >>> "/api/jobs" in [route.path for route in app.routes]
    True
    """

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        async with running(settings) as service:
            app.state.service = service
            yield

    handlers: dict[type[Exception], ExceptionHandler] = {
        RefusedError: _refusal,
        OutscoreError: _refusal,
        HTTPException: _http,
        ClientDisconnect: _gone,
        Exception: _mistake,
    }
    return Starlette(
        routes=[*api.routes, *pages.routes],
        middleware=[Middleware(Guard, settings=settings)],
        exception_handlers=handlers,
        lifespan=lifespan,
    )


async def _refusal(request: Request, error: Exception) -> Response:
    del request
    assert isinstance(error, OutscoreError)
    status = error.status if isinstance(error, RefusedError) else 422
    return refused(status, error.message, error.hint)


async def _http(request: Request, error: Exception) -> Response:
    """What the framework refuses: unknown addresses, methods, forms that cannot be read."""
    del request
    assert isinstance(error, HTTPException)
    said = {404: "There is nothing at this address.", 405: "This cannot be done at this address."}
    message = said.get(error.status_code, f"{HTTPStatus(error.status_code).phrase}: {error.detail}".rstrip("."))
    return refused(error.status_code, message if message.endswith(".") else f"{message}.", headers=dict(error.headers or {}))


async def _gone(request: Request, error: Exception) -> Response:
    """An upload that was broken off: there is nobody left to answer."""
    del request, error
    return refused(400, "The request was broken off.")


async def _mistake(request: Request, error: Exception) -> Response:
    """A mistake of ours: the terminal shows it, the answer does not."""
    del request
    return refused(500, f"This failed unexpectedly ({type(error).__name__}).", "Please report it with what you did.")
