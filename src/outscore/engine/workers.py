"""Worker processes: interpreters that read tasks from one pipe and write outcomes to another.

A worker ends as soon as its pipe is closed, whatever became of the process that started it. When a worker is lost, another
takes its place and its task.

Messages are pickled twice: the outer pickle is bytes and always loads, so that a fault in the inner one is the outcome of its
task and does not disturb the messages that follow.
"""

from __future__ import annotations

import os
import pickle
import queue
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError
from contextlib import ExitStack, suppress
from functools import cache, partial
from typing import IO, Any

from outscore.core.errors import OutscoreError
from outscore.engine.progress import Progress
from outscore.engine.serialize import Outcome, loaded, outcome, packed
from outscore.engine.subprocesses import own_output, piped, reaped, started

__all__ = ["POLL", "TRIES", "lost_workers", "run_on_workers", "serve"]

Indices = queue.SimpleQueue[int]
Outcomes = queue.SimpleQueue[tuple[int, Outcome]]

HERE = "outscore.engine.workers"
POLL = 0.1
"""Seconds between two looks at whether someone cancelled."""
TRIES = 3
"""Workers a task may take with it before it is to blame: one may be lost by chance, three are not."""


def run_on_workers(function: Callable[[Any], Any], tasks: Sequence[Any], workers: int, progress: Progress) -> list[Any]:
    """`function` of every task, in order; no worker is left when this returns or raises."""
    parcel = packed(function)
    indices: Indices = queue.SimpleQueue()
    outcomes: Outcomes = queue.SimpleQueue()
    for index in range(len(tasks)):
        indices.put(index)
    with ExitStack() as running:
        for _ in range(workers):
            worker = _Worker(parcel, tasks, indices, outcomes)
            running.callback(worker.stop)
            worker.start()
        return _in_order(len(tasks), outcomes, progress)


def _in_order(count: int, outcomes: Outcomes, progress: Progress) -> list[Any]:
    """Results in the order of their tasks, up to the first that failed.

    Tasks are taken in order and every one taken has an outcome, so nothing before a failure is waited for in vain.
    """
    arrived: dict[int, Outcome] = {}
    results = []
    for wanted in range(count):
        while wanted not in arrived:
            if progress.cancelled:
                raise CancelledError
            with suppress(queue.Empty):
                index, outcome = outcomes.get(timeout=POLL)
                arrived[index] = outcome
                progress.advance()
        fine, value = arrived.pop(wanted)
        if not fine:
            raise value
        results.append(value)
    return results


class _Worker(threading.Thread):
    """A process, its successors should it be lost, and the thread that hands it one task at a time."""

    def __init__(self, parcel: bytes, tasks: Sequence[Any], indices: Indices, outcomes: Outcomes) -> None:
        super().__init__(daemon=True)
        self._parcel, self._tasks, self._indices, self._outcomes = parcel, tasks, indices, outcomes
        self._lock, self._stopped, self._greeted = threading.Lock(), False, False
        self._process = started(HERE)

    def run(self) -> None:
        """Hand out tasks until there are none left, or one that no worker survives."""
        with suppress(queue.Empty, CancelledError):
            while True:
                index = self._indices.get_nowait()
                try:
                    self._outcomes.put((index, self._outcome(index)))
                except OutscoreError as error:
                    self._outcomes.put((index, (False, error)))
                    return

    def stop(self) -> None:
        """End the process, and with it the thread."""
        with self._lock:
            self._stopped = True
            self._process.kill()
        self.join()
        reaped(self._process)

    def _outcome(self, index: int) -> Outcome:
        """The outcome of one task, from the first worker that lives to tell it."""
        try:
            parcel = packed(self._tasks[index])
        except Exception as error:  # noqa: BLE001 - what cannot be pickled fails alone
            return False, error
        for attempt in range(TRIES):
            if attempt:
                self._replace()
            with suppress(EOFError, OSError, pickle.UnpicklingError):
                return self._ask(parcel)
        code = reaped(self._process)
        raise lost_workers(TRIES, f", the last one {f'by signal {-code}' if code < 0 else f'with code {code}'}")

    def _ask(self, parcel: bytes) -> Outcome:
        if not self._greeted:
            self._greeted = True
            self._send(self._parcel)
        self._send(parcel)
        reply = pickle.load(piped(self._process.stdout))  # noqa: S301 - our own worker wrote it
        try:
            found: Outcome = pickle.loads(reply)  # noqa: S301
        except Exception as error:  # noqa: BLE001 - what cannot be loaded fails alone
            return False, error
        return found

    def _replace(self) -> None:
        """Put another process in the place of one that is gone."""
        with self._lock:
            if self._stopped:
                raise CancelledError
            reaped(self._process)
            self._process, self._greeted = started(HERE), False

    def _send(self, parcel: bytes) -> None:
        pipe = piped(self._process.stdin)
        pickle.dump(parcel, pipe)
        pipe.flush()


def lost_workers(tries: int, how: str = "") -> OutscoreError:
    """What to tell of a task that no worker survives.

    Examples
    --------
    >>> print(lost_workers(3, ", the last one by signal 9"))
    3 worker processes were lost to one task, the last one by signal 9. Is memory short? Use fewer jobs, or one.
    """
    return OutscoreError(f"{tries} worker processes were lost to one task{how}.", "Is memory short? Use fewer jobs, or one.")


def serve() -> None:
    """The worker's side: the function first, then tasks until the pipe is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    outcomes = own_output()
    inbox: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(sys.stdin.buffer, inbox), daemon=True).start()
    function = cache(partial(loaded, inbox.get()))
    # When the pipe breaks, the main process is gone and nobody waits for an outcome.
    with suppress(BrokenPipeError):
        while True:
            pickle.dump(outcome(function, inbox.get()), outcomes)
            outcomes.flush()
    os._exit(0)


def _listen(tasks: IO[bytes], inbox: queue.SimpleQueue[bytes]) -> None:
    """Pass on what arrives; end the process at once when the other side has closed the pipe or is gone."""
    try:
        while True:
            inbox.put(pickle.load(tasks))  # noqa: S301 - our own main process wrote it
    finally:
        os._exit(0)
