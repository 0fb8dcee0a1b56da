"""What travels over HTTP besides results: the bodies of requests, the description of a file, and problems.

Where something cannot be done, it is a problem that people can solve, or a failure of ours. A problem is one sentence and
perhaps a cure, with the HTTP status it is answered with. A failure becomes one line on the terminal that can be reported.
Neither shows a traceback.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Sequence
from dataclasses import field

from outscore.core.errors import OutscoreError, describe_crash
from outscore.core.records import dataclass

SettingsRequest = dict[str, str | int | float | bool | list[str | int | float] | None]
"""Settings by name; null and the empty string mean the default."""
MAX_CHARACTERS = 200
PROGRAM = "outscore: "


@dataclass(frozen=True)
class TextRequest:
    """A pasted text, and the name it gets as a file."""

    name: str
    text: str


@dataclass(frozen=True)
class JobRequest:
    """A command, the ids of uploads by the part they play in it, and settings by name."""

    command: str
    files: dict[str, list[str]] = field(default_factory=dict)
    settings: SettingsRequest = field(default_factory=dict)


@dataclass(frozen=True)
class ResultRequest:
    """A name for a result, and whether it is kept for as long as the page runs; what is left out stays as it is."""

    name: str | None = None
    kept: bool | None = None


@dataclass(frozen=True)
class SettingsFileRequest:
    """The id of an upload that holds settings."""

    file: str


@dataclass(frozen=True)
class Cure:
    """A setting that would cure a problem, with its value; without one the user chooses, and "" is the default."""

    setting: str
    value: str | None = None


class HTTPProblem(OutscoreError):  # noqa: N818 - "problem" is the word of RFC 9457
    """An error with the status it is answered with, the setting that caused it, if one did, and settings that would cure it.

    Examples
    --------
    >>> problem = HTTPProblem(404, "There is no such file.", "Upload it again.")
    >>> problem.status, str(problem), problem.setting
    (404, 'There is no such file. Upload it again.', None)
    """

    def __init__(
        self, status: int, message: str, hint: str = "", setting: str | None = None, cures: Sequence[Cure] = ()
    ) -> None:
        super().__init__(message, hint)
        self.status = status
        self.setting = setting
        self.cures = cures


def describe_failure(error: BaseException) -> str:
    """Describe an unexpected exception in one line: what it is, and where it was raised.

    Examples
    --------
    >>> describe_failure(KeyError("x"))
    "This failed unexpectedly: KeyError: 'x'. Please report it with what was asked."
    """
    return f"This failed unexpectedly: {describe_crash(error, MAX_CHARACTERS)}. Please report it with what was asked."


class FailureHandler(logging.Handler):
    """Logs exceptions in one line each and drops everything else: the terminal is not for what clients send."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write an exception to standard error."""
        error = record.exc_info[1] if record.exc_info else None
        if isinstance(error, Exception):
            sys.stderr.write(f"{PROGRAM}{describe_failure(error)}\n")
            sys.stderr.flush()
