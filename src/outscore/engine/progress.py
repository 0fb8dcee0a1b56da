"""How far the work is: told to whoever wants to know, who may also stop it.

On a terminal it is a bar, for a program that reads along it is lines of JSON, elsewhere a count.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

from outscore.core.errors import OutscoreError

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress

__all__ = ["DESCRIPTOR", "Progress", "Steps", "terminal_progress"]

MOMENT = 1.0
"""Seconds of work before a bar appears: what is done sooner needs none."""
DESCRIPTOR = "OUTSCORE_PROGRESS"
"""The environment variable that names the file descriptor of a program that reads along."""
OFTEN = 0.1
"""Seconds between two lines of JSON: more of them would only keep the reader busy."""


class Progress(Protocol):
    """Who is told how far the work is, and may stop it. Engines call it from the thread that called their `map`."""

    @property
    def cancelled(self) -> bool:
        """Whether the work should stop."""
        ...

    def begin(self, doing: str, total: int) -> None:
        """Work of `total` steps begins. The caller of `map` says so, as only it can name the work."""
        ...

    def advance(self, steps: int = 1) -> None:
        """Some more steps are done."""
        ...


class Steps:
    """Progress that counts, and that any thread can cancel.

    Examples
    --------
    >>> steps = Steps()
    >>> steps.begin("TER", 3)
    >>> steps.advance()
    >>> steps.doing, steps.done, steps.total, steps.cancelled
    ('TER', 1, 3, False)
    """

    def __init__(self) -> None:
        self.doing, self.done, self.total, self.cancelled = "", 0, 0, False

    def begin(self, doing: str, total: int) -> None:
        """Count anew."""
        self.doing, self.done, self.total = doing, 0, total

    def advance(self, steps: int = 1) -> None:
        """Count on."""
        self.done += steps

    def cancel(self) -> None:
        """Stop the work: its `map` raises CancelledError within moments."""
        self.cancelled = True


@contextmanager
def terminal_progress() -> Iterator[Progress]:
    """A bar on standard error if that is a terminal, else a count; the bar is gone afterwards, whatever happened.

    If the environment variable OUTSCORE_PROGRESS holds the number of an open file descriptor, lines such as
    ``{"progress": {"doing": "TER", "done": 3, "total": 8}}`` are written there instead.

    Examples
    --------
    >>> with terminal_progress() as progress:
    ...     progress.begin("TER", total=2)
    ...     progress.advance()
    """
    descriptor = os.environ.get(DESCRIPTOR)
    if descriptor is not None:
        yield _Lines(_open_descriptor(descriptor))
        return
    if not sys.stderr.isatty():
        yield Steps()
        return
    bar = _Bar()
    try:
        yield bar
    finally:
        bar.end()


def _open_descriptor(written: str) -> int:
    try:
        number = int(written)
        os.fstat(number)
    except (ValueError, OSError, OverflowError):
        raise OutscoreError(
            f'{DESCRIPTOR} is "{written}", which is no open file descriptor.', "Leave the environment variable out."
        ) from None
    return number


class _Lines(Steps):
    """Steps that are written down as JSON, a line at the beginning, one now and then, and one at the end."""

    def __init__(self, descriptor: int) -> None:
        super().__init__()
        self._descriptor = descriptor
        self._written = 0.0

    def begin(self, doing: str, total: int) -> None:
        super().begin(doing, total)
        self._write()

    def advance(self, steps: int = 1) -> None:
        super().advance(steps)
        if self.done >= self.total or time.monotonic() - self._written >= OFTEN:
            self._write()

    def _write(self) -> None:
        self._written = time.monotonic()
        line = json.dumps({"progress": {"doing": self.doing, "done": self.done, "total": self.total}})
        os.write(self._descriptor, f"{line}\n".encode())


class _Bar(Steps):
    """Steps that are shown once they take longer than a moment."""

    def __init__(self) -> None:
        super().__init__()
        self._began = time.monotonic()
        self._shown: RichProgress | None = None

    def begin(self, doing: str, total: int) -> None:
        super().begin(doing, total)
        self.end()
        self._began = time.monotonic()

    def advance(self, steps: int = 1) -> None:
        super().advance(steps)
        if self._shown is None and time.monotonic() - self._began < MOMENT:
            return
        if self._shown is None:
            from rich.console import Console
            from rich.progress import Progress as RichProgress

            self._shown = RichProgress(console=Console(stderr=True), transient=True)
            self._shown.add_task(f"{self.doing} (Ctrl-C stops)", total=self.total)
            self._shown.start()
        self._shown.update(self._shown.task_ids[0], completed=self.done)

    def end(self) -> None:
        """Take the bar off the screen."""
        if self._shown is not None:
            self._shown.stop()
            self._shown = None
