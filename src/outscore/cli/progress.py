"""A sign of life: a spinner on standard error while work takes longer than a moment, on a terminal and nowhere else."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from rich.status import Status

MOMENT = 1.0


def remark(text: str) -> None:
    """Print a remark that is worth knowing but not part of a result."""
    from outscore.report.document import clean

    click.echo(f"outscore: {clean(text)}", err=True)


@contextmanager
def working(doing: str) -> Iterator[None]:
    """Show what is being done if it takes longer than a second; the spinner is removed afterwards, whatever happens."""
    if not sys.stderr.isatty():
        yield
        return
    spinner = _Spinner(doing)
    timer = threading.Timer(MOMENT, spinner.start)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        spinner.stop()


class _Spinner:
    """Starts late, from the timer's thread, and not at all once it has been stopped."""

    def __init__(self, doing: str) -> None:
        self._doing = doing
        self._lock = threading.Lock()
        self._status: Status | None = None
        self._stopped = False

    def start(self) -> None:
        with self._lock:
            if self._stopped:
                return
            from rich.console import Console

            self._status = Console(stderr=True).status(f"{self._doing} (Ctrl-C stops)")
            self._status.start()

    def stop(self) -> None:
        with self._lock:
            self._stopped = True
            if self._status is not None:
                self._status.stop()
