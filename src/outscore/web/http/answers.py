"""How a refusal is answered: a program gets JSON, a person who opened an address gets a page with a way back."""

from __future__ import annotations

from collections.abc import Mapping

from starlette.datastructures import Headers
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.types import Scope

from outscore.core.errors import OutscoreError
from outscore.web.http.refusals import RefusedError
from outscore.web.pages import pages

__all__ = ["refused"]


def refused(scope: Scope, error: OutscoreError, headers: Mapping[str, str] | None = None) -> Response:
    """The answer to a request that is refused.

    Examples
    --------
    >>> refused({"type": "http", "headers": []}, RefusedError(404, "There is no such file.")).body
    b'{"error":"There is no such file.","hint":null,"setting":null}'
    >>> refused({"type": "http", "headers": [(b"accept", b"text/html")]}, RefusedError(404, "Nothing is here.")).media_type
    'text/html'
    """
    refusal = error if isinstance(error, RefusedError) else RefusedError(422, error.message, error.hint)
    status, more = refusal.status, {**(headers or {}), "vary": "accept"}
    # Browsers ask for a page when somebody follows a link, and for anything when a script of ours asks.
    if "text/html" in Headers(scope=scope).get("accept", "").lower():
        return HTMLResponse(pages.problem(refusal.message, refusal.hint), status, more)
    found = {"error": refusal.message, "hint": refusal.hint or None, "setting": refusal.setting}
    return JSONResponse(found, status, more)
