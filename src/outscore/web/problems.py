"""What people are told when something cannot be done: a problem that is theirs to solve, or a failure of ours.

A problem is one sentence and perhaps a cure, with the HTTP status it is answered with. A failure becomes one line on the
terminal that can be reported. Neither shows a traceback.
"""

from __future__ import annotations

import logging
import sys
import traceback
from pathlib import PurePath

from outscore.core.errors import OutscoreError

__all__ = ["FailureHandler", "HTTPProblem", "describe_failure"]

MAX_CHARACTERS = 200
PROGRAM = "outscore: "


class HTTPProblem(OutscoreError):  # noqa: N818 - "problem" is the word of RFC 9457
    """An error with the status it is answered with, and the setting that caused it, if one did.

    Examples
    --------
    >>> problem = HTTPProblem(404, "There is no such file.", "Upload it again.")
    >>> problem.status, str(problem), problem.setting
    (404, 'There is no such file. Upload it again.', None)
    """

    def __init__(self, status: int, message: str, hint: str = "", setting: str | None = None) -> None:
        super().__init__(message, hint)
        self.status = status
        self.setting = setting


def describe_failure(error: BaseException) -> str:
    """Describe an unexpected exception in one line: what it is, and where it was raised.

    Examples
    --------
    >>> describe_failure(KeyError("x"))
    "This failed unexpectedly: KeyError: 'x'. Please report it with what was asked."
    """
    frames = traceback.extract_tb(error.__traceback__)
    # The innermost line of this package says most.
    ours = [frame for frame in frames if "outscore" in PurePath(frame.filename).parts] or frames
    where = f" ({PurePath(ours[-1].filename).name}, line {ours[-1].lineno})" if ours else ""
    what = " ".join("".join(traceback.format_exception_only(error)).split())[:MAX_CHARACTERS].rstrip(".")
    return f"This failed unexpectedly: {what}{where}. Please report it with what was asked."


class FailureHandler(logging.Handler):
    """Logs exceptions in one line each and drops everything else: the terminal is not for what clients send."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write an exception to standard error."""
        error = record.exc_info[1] if record.exc_info else None
        if isinstance(error, Exception):
            sys.stderr.write(f"{PROGRAM}{describe_failure(error)}\n")
            sys.stderr.flush()
