"""Worker processes: plain Python interpreters that read tasks from one pipe and write outcomes to another.

They are not forked, since a copy of a process with threads (polars has some) may wait for ever; and unlike those of
`multiprocessing` they do not run the user's script again, so a script needs no `if __name__ == "__main__"`. Each uses one
thread for its arithmetic. A worker ends as soon as its pipe is closed, whatever became of the process that started it.

Messages are pickled twice: the outer pickle is bytes and always loads, so that a fault in the inner one is the outcome of its
task and does not disturb the messages that follow.
"""

from __future__ import annotations

import os
import pickle
import queue
import signal
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError
from contextlib import ExitStack, suppress
from functools import cache, partial
from typing import IO, Any

from outscore.engine.progress import Progress
from outscore.errors import OutscoreError

__all__ = ["run_on_workers", "serve"]

Outcome = tuple[bool, Any]
"""Whether a task succeeded, and its result or its exception."""
Indices = queue.SimpleQueue[int]
Outcomes = queue.SimpleQueue[tuple[int, Outcome]]

POLL = 0.1
"""Seconds between two looks at whether someone cancelled."""
BOOT = "import sys; sys.path[:] = sys.argv[1:]; from outscore.engine.workers import serve; serve()"
ONE_THREAD = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "POLARS_MAX_THREADS",
    "RAYON_NUM_THREADS",
)
"""What numerical libraries look at when they are imported."""


def run_on_workers(function: Callable[[Any], Any], tasks: Sequence[Any], workers: int, progress: Progress) -> list[Any]:
    """`function` of every task, in order; no worker is left when this returns or raises."""
    parcel = _pickled(function)
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
    """A process, and the thread that hands it one task at a time."""

    def __init__(self, parcel: bytes, tasks: Sequence[Any], indices: Indices, outcomes: Outcomes) -> None:
        super().__init__(daemon=True)
        self._parcel, self._tasks, self._indices, self._outcomes = parcel, tasks, indices, outcomes
        folders = [os.path.abspath(folder) for folder in sys.path]  # noqa: PTH100
        try:
            self._process = subprocess.Popen(  # noqa: S603 - this very interpreter, and a constant
                [sys.executable, "-P", "-c", BOOT, *folders],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env=os.environ | dict.fromkeys(ONE_THREAD, "1"),
                # Ctrl-C reaches the main process only, which then ends its workers itself.
                start_new_session=True,
            )
        except OSError as error:
            raise OutscoreError(f"No worker process could be started: {error}.", "Use one job.") from None

    def run(self) -> None:
        """Hand out tasks until there are none, or until the process is gone."""
        greeting = [self._parcel]
        with suppress(queue.Empty):
            while True:
                index = self._indices.get_nowait()
                try:
                    while greeting:
                        self._send(greeting.pop(0))
                    outcome = self._ask(index)
                except (EOFError, OSError, pickle.UnpicklingError):
                    self._outcomes.put((index, (False, self._lost())))
                    return
                self._outcomes.put((index, outcome))

    def stop(self) -> None:
        """End the process, and with it the thread."""
        self._process.kill()
        self._process.wait()
        self.join()
        for pipe in (self._process.stdin, self._process.stdout):
            with suppress(OSError):
                _given(pipe).close()

    def _ask(self, index: int) -> Outcome:
        """The outcome of one task; what cannot be pickled or loaded fails alone."""
        try:
            parcel = _pickled(self._tasks[index])
        except Exception as error:  # noqa: BLE001
            return False, error
        self._send(parcel)
        reply = pickle.load(_given(self._process.stdout))  # noqa: S301 - our own worker wrote it
        try:
            outcome: Outcome = pickle.loads(reply)  # noqa: S301
        except Exception as error:  # noqa: BLE001
            return False, error
        return outcome

    def _send(self, parcel: bytes) -> None:
        pipe = _given(self._process.stdin)
        pickle.dump(parcel, pipe)
        pipe.flush()

    def _lost(self) -> OutscoreError:
        code = self._process.wait()
        how = f"by signal {-code}" if code < 0 else f"with code {code}"
        return OutscoreError(
            f"A worker process ended {how} before its work was done.", "Is memory short? Use fewer jobs, or one."
        )


def _given(pipe: IO[bytes] | None) -> IO[bytes]:
    """A pipe that was asked for when the process was started."""
    assert pipe is not None
    return pipe


def _pickled(value: object) -> bytes:
    try:
        return pickle.dumps(value)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise OutscoreError(
            f"Other processes cannot be given this work: {error}.",
            "Define functions at the top level of a module, or use one job.",
        ) from None


def serve() -> None:
    """The worker's side: the function first, then tasks until the pipe is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # What a library prints must not land among the outcomes: standard output becomes standard error.
    outcomes = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    inbox: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(sys.stdin.buffer, inbox), daemon=True).start()
    function = cache(partial(_loaded, inbox.get()))
    # When the pipe breaks, the main process is gone and nobody waits for an outcome.
    with suppress(BrokenPipeError):
        while True:
            pickle.dump(_outcome(function, inbox.get()), outcomes)
            outcomes.flush()
    os._exit(0)


def _listen(tasks: IO[bytes], inbox: queue.SimpleQueue[bytes]) -> None:
    """Pass on what arrives; end the process at once when the other side has closed the pipe or is gone."""
    try:
        while True:
            inbox.put(pickle.load(tasks))  # noqa: S301 - our own main process wrote it
    finally:
        os._exit(0)


def _outcome(function: Callable[[], Callable[[Any], Any]], task: bytes) -> bytes:
    """The pickled outcome of one task; an exception that cannot travel is sent as its text."""
    try:
        return pickle.dumps((True, function()(_loaded(task))))
    except OutscoreError as error:
        return pickle.dumps((False, error))
    except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever it is, it is raised in the main process
        error.add_note(f"In a worker process:\n{traceback.format_exc()}")
        with suppress(Exception):
            packed = pickle.dumps((False, error))
            pickle.loads(packed)  # noqa: S301 - some exceptions can be pickled, but not loaded again
            return packed
        return pickle.dumps((False, RuntimeError(f"{type(error).__name__}: {error}")))


def _loaded(parcel: bytes) -> Any:  # noqa: ANN401
    try:
        return pickle.loads(parcel)  # noqa: S301 - our own main process wrote it
    except (AttributeError, ImportError) as error:
        raise OutscoreError(
            f"A worker process cannot load its work: {error}.",
            "Define functions in a module that can be imported, not in a script or notebook, or use one job.",
        ) from None
