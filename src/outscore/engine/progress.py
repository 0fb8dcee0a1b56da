"""Progress of long work, which can also cancel it: a bar on a terminal, lines of JSON for another program, else a count."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from outscore.core.errors import OutscoreError

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress

BAR_DELAY = 1.0
"""Seconds of work before a bar appears."""
DESCRIPTOR = "OUTSCORE_PROGRESS"
"""The environment variable with the file descriptor to write JSON lines to."""
MIN_INTERVAL = 0.1
"""Seconds between two lines of JSON: more of them would only keep the reader busy."""


class Progress:
    """Counts steps of work, which any thread can cancel. Engines call it from the thread that called their `map`.

    Examples
    --------
    >>> progress = Progress()
    >>> progress.begin("TER", 3)
    >>> progress.advance()
    >>> progress.doing, progress.done, progress.total, progress.cancelled
    ('TER', 1, 3, False)
    """

    def __init__(self) -> None:
        self.doing, self.done, self.total, self.cancelled = "", 0, 0, False

    def begin(self, doing: str, total: int) -> None:
        """Begin work of `total` steps. The caller of `map` calls this, because only it can name the work."""
        self.doing, self.done, self.total = doing, 0, total

    def advance(self, steps: int = 1) -> None:
        """Count finished steps."""
        self.done += steps

    def cancel(self) -> None:
        """Cancel the work: its `map` soon raises CancelledError."""
        self.cancelled = True


@contextmanager
def terminal_progress() -> Iterator[Progress]:
    """A bar on standard error if that is a terminal, else a count; the bar is always removed at the end.

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
        yield ProgressLines(_open_descriptor(descriptor))
        return
    if not sys.stderr.isatty():
        yield Progress()
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
            f'{DESCRIPTOR} is "{written}", which is not an open file descriptor.', "Unset the environment variable."
        ) from None
    return number


class ProgressLines(Progress):
    """Progress written as JSON: a line at the beginning, some in between, and one at the end."""

    def __init__(self, descriptor: int) -> None:
        super().__init__()
        self._descriptor = descriptor
        self._written = 0.0

    def begin(self, doing: str, total: int) -> None:
        """Start counting again, and write a line."""
        super().begin(doing, total)
        self._write()

    def advance(self, steps: int = 1) -> None:
        """Count on, and write a line at the end or if the last one is some time ago."""
        super().advance(steps)
        if self.done >= self.total or time.monotonic() - self._written >= MIN_INTERVAL:
            self._write()

    def _write(self) -> None:
        self._written = time.monotonic()
        line = json.dumps({"progress": {"doing": self.doing, "done": self.done, "total": self.total}})
        os.write(self._descriptor, f"{line}\n".encode())


class _Bar(Progress):
    """Progress shown as a bar once the work takes longer than `BAR_DELAY`."""

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
        if self._shown is None and time.monotonic() - self._began < BAR_DELAY:
            return
        if self._shown is None:
            from rich.console import Console
            from rich.progress import Progress as RichProgress

            self._shown = RichProgress(console=Console(stderr=True), transient=True)
            self._shown.add_task(f"{self.doing} (Ctrl-C stops)", total=self.total)
            self._shown.start()
        self._shown.update(self._shown.task_ids[0], completed=self.done)

    def end(self) -> None:
        """Remove the bar from the screen."""
        if self._shown is not None:
            self._shown.stop()
            self._shown = None
