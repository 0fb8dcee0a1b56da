"""The application: routes, middleware, exception handlers, and the service that lives as long as they do."""

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
from outscore.web.http.guard import HEADERS, Guard, problem_response
from outscore.web.jobs.service import run_service
from outscore.web.pages import views
from outscore.web.problems import HTTPProblem
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
        async with run_service(settings) as service:
            app.state.service = service
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
