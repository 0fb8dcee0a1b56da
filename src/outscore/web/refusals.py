"""What a request is told when it cannot be served: always one sentence and perhaps a cure, never a traceback."""

from __future__ import annotations

from starlette.responses import JSONResponse

from outscore.errors import OutscoreError

__all__ = ["RefusedError", "refused"]


class RefusedError(OutscoreError):
    """A refusal with the status it is answered with.

    Examples
    --------
    >>> refusal = RefusedError(404, "There is no such file.", "Upload it again.")
    >>> refusal.status, str(refusal)
    (404, 'There is no such file. Upload it again.')
    """

    def __init__(self, status: int, message: str, hint: str = "") -> None:
        super().__init__(message, hint)
        self.status = status


def refused(status: int, message: str, hint: str = "", headers: dict[str, str] | None = None) -> JSONResponse:
    """The answer to a request that is refused.

    Examples
    --------
    >>> refused(404, "There is no such file.").body
    b'{"error":"There is no such file.","hint":null}'
    """
    return JSONResponse({"error": message, "hint": hint or None}, status, headers)
