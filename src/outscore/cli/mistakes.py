"""What a terminal is told about a mistake of ours: one line that can be reported, no traceback."""

from __future__ import annotations

import logging
import traceback
from pathlib import PurePath

import click

__all__ = ["MistakesOnly", "mistake"]

SHOWN = 200


def mistake(error: BaseException) -> str:
    """What failed and where, in one line.

    Examples
    --------
    >>> mistake(KeyError("x"))
    "This failed unexpectedly: KeyError: 'x'. Please report it with what was asked."
    """
    frames = traceback.extract_tb(error.__traceback__)
    # The innermost line of our own says most.
    own = [frame for frame in frames if "outscore" in PurePath(frame.filename).parts] or frames
    where = f" ({PurePath(own[-1].filename).name}, line {own[-1].lineno})" if own else ""
    what = " ".join("".join(traceback.format_exception_only(error)).split())[:SHOWN].rstrip(".")
    return f"This failed unexpectedly: {what}{where}. Please report it with what was asked."


class MistakesOnly(logging.Handler):
    """Prints exceptions in a line each, and nothing else: what somebody else sends is no business of the terminal."""

    def emit(self, record: logging.LogRecord) -> None:
        """Print an exception."""
        error = record.exc_info[1] if record.exc_info else None
        if isinstance(error, Exception):
            click.echo(f"outscore: {mistake(error)}", err=True)
