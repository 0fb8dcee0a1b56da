"""Worker processes: how interpreters are started, and how those read tasks from one pipe and write outcomes to another."""

from __future__ import annotations

import os
import pickle
import queue
import signal
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import CancelledError
from contextlib import ExitStack, suppress
from functools import cache, partial
from typing import IO, Any

from outscore.core.errors import OutscoreError
from outscore.engine.progress import Progress

# Child processes: Python interpreters that import what this one does and use one numerical thread each.
#
# They are not forked, because a forked process with threads (polars has some) may deadlock. Unlike those of `multiprocessing`
# they do not run the user's script again, so a script needs no `if __name__ == "__main__"`.


BOOT = "import sys; sys.path[:] = sys.argv[1:]; from {module} import serve; serve({arguments})"
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
"""The variables that numerical libraries read on import."""
KEEP_MEMORY = {"MALLOC_TRIM_THRESHOLD_": "67108864", "MALLOC_MMAP_THRESHOLD_": "16777216"}
"""What a worker frees it asks for again in the next task: giving it back each time costs glibc a seventh of the work."""


def interpreter_command(module: str, **arguments: float | str) -> tuple[list[str], dict[str, str]]:
    """The command and the environment that run `serve` of a module, imported from where this process would import it.

    The search path is passed on as absolute paths, because the interpreter may be started in another folder.
    """
    folders = [os.path.abspath(folder) for folder in sys.path]  # noqa: PTH100
    boot = BOOT.format(module=module, arguments=", ".join(f"{name}={value!r}" for name, value in arguments.items()))
    # -P keeps files in the current folder from shadowing modules.
    return [sys.executable, "-P", "-c", boot, *folders], KEEP_MEMORY | os.environ | dict.fromkeys(ONE_THREAD, "1")


def start_interpreter(module: str) -> subprocess.Popen[bytes]:
    """Start an interpreter that runs `serve` of a module, with pipes for its standard input and output."""
    command, environment = interpreter_command(module)
    try:
        return subprocess.Popen(  # noqa: S603 - this very interpreter, and a constant
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
            # Ctrl-C must reach the main process only, which then ends its children.
            start_new_session=True,
        )
    except OSError as error:
        raise OutscoreError(f"No worker process could be started: {error}.", "Use one job.") from None


def terminate(process: subprocess.Popen[bytes]) -> int:
    """Kill a child process, close its pipes and return its exit code."""
    process.kill()
    code = process.wait()
    for pipe in (process.stdin, process.stdout):
        # Closing flushes unsent data, which fails as the process is gone.
        with suppress(OSError):
            require_pipe(pipe).close()
    return code


def require_pipe(pipe: IO[bytes] | None) -> IO[bytes]:
    """The pipe of a process that was started with one."""
    assert pipe is not None
    return pipe


def claim_output() -> IO[bytes]:
    """In a child process: its standard output for its own messages.

    From now on what libraries print goes to standard error, so that it cannot get between the messages.
    """
    output = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    return output


# Worker processes: interpreters that read tasks from one pipe and write outcomes to another.
#
# A worker exits as soon as its pipe is closed, so none survives the process that started it. When a worker is lost, a new one
# takes over its task.
#
# Work and outcomes travel as bytes (`serialize`, `run_serialized`), to Dask's workers too. Messages are pickled twice: the
# outer pickle is bytes and always loads, so that an inner one that does not load is the outcome of its task and does not
# disturb the messages after it.


Outcome = tuple[bool, Any]
"""Whether a task succeeded, and its result or its exception."""
Indices = queue.SimpleQueue[int]
Outcomes = queue.SimpleQueue[tuple[int, Outcome]]

MODULE = "outscore.engine.workers"
POLL = 0.1
"""Seconds between two checks for cancellation."""
MAX_TRIES = 3
"""Workers that may be lost during one task before it fails: one may be lost by chance, three are not."""


def serialize(value: object) -> bytes:
    """Work as bytes, for another process.

    Examples
    --------
    >>> deserialize(serialize([1, 2]))
    [1, 2]
    """
    try:
        return pickle.dumps(value)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise OutscoreError(
            f"This work cannot be sent to other processes: {error}.",
            "Define functions at the top level of a module, or use one job.",
        ) from None


def deserialize(data: bytes) -> Any:  # noqa: ANN401
    """The work that another process sent.

    Examples
    --------
    >>> deserialize(serialize(abs))(-3)
    3
    """
    try:
        return pickle.loads(data)  # noqa: S301 - our own main process wrote it
    except (AttributeError, ImportError) as error:
        raise OutscoreError(
            f"A worker process cannot load its work: {error}.",
            "Define functions in a module that can be imported, not in a script or notebook, or use one job.",
        ) from None


def run_serialized(function: Callable[[], Callable[[Any], Any]], task: bytes) -> bytes:
    """Run one task; the outcome as bytes. An exception that cannot be pickled is replaced by its text.

    Examples
    --------
    >>> load_outcome(run_serialized(lambda: abs, serialize(-3)))
    (True, 3)
    """
    try:
        return pickle.dumps((True, function()(deserialize(task))))
    except OutscoreError as error:
        return pickle.dumps((False, error))
    except (Exception, SystemExit) as error:  # noqa: BLE001 - any exception is raised again in the main process
        error.add_note(f"In a worker process:\n{traceback.format_exc()}")
        with suppress(Exception):
            data = pickle.dumps((False, error))
            pickle.loads(data)  # noqa: S301 - some exceptions can be pickled, but not loaded again
            return data
        return pickle.dumps((False, RuntimeError(f"{type(error).__name__}: {error}")))


def load_outcome(reply: bytes) -> Outcome:
    """The outcome that `run_serialized` made; one that cannot be loaded is the failure of its task alone."""
    try:
        outcome: Outcome = pickle.loads(reply)  # noqa: S301 - our own worker wrote it
    except Exception as error:  # noqa: BLE001 - unpickling runs arbitrary constructors
        return False, error
    return outcome


def run_on_workers(function: Callable[[Any], Any], tasks: Sequence[Any], workers: int, progress: Progress) -> list[Any]:
    """`function` of every task, in order; no worker is left when this returns or raises."""
    serialized = serialize(function)
    indices: Indices = queue.SimpleQueue()
    outcomes: Outcomes = queue.SimpleQueue()
    for index in range(len(tasks)):
        indices.put(index)
    with ExitStack() as running:
        for _ in range(workers):
            worker = _Worker(serialized, tasks, indices, outcomes)
            running.callback(worker.stop)
            worker.start()
        return _collect_in_order(len(tasks), outcomes, progress)


def _collect_in_order(count: int, outcomes: Outcomes, progress: Progress) -> list[Any]:
    """Results in the order of their tasks, up to the first that failed.

    Tasks are started in order and every started task has an outcome, so all tasks before a failed one will
    arrive.
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
    """A worker process, replaced if it is lost, and the thread that gives it one task at a time."""

    def __init__(self, function: bytes, tasks: Sequence[Any], indices: Indices, outcomes: Outcomes) -> None:
        super().__init__(daemon=True)
        self._function, self._tasks, self._indices, self._outcomes = function, tasks, indices, outcomes
        self._lock, self._stopped, self._has_function = threading.Lock(), False, False
        self._process = start_interpreter(MODULE)

    def run(self) -> None:
        """Run tasks until there are none left, or until no worker survives one."""
        with suppress(queue.Empty, CancelledError):
            while True:
                index = self._indices.get_nowait()
                try:
                    self._outcomes.put((index, self._run_task(index)))
                except OutscoreError as error:
                    self._outcomes.put((index, (False, error)))
                    return

    def stop(self) -> None:
        """End the process, and with it the thread."""
        with self._lock:
            self._stopped = True
            self._process.kill()
        self.join()
        terminate(self._process)

    def _run_task(self, index: int) -> Outcome:
        """The outcome of one task, from the first worker that survives it."""
        try:
            task = serialize(self._tasks[index])
        except Exception as error:  # noqa: BLE001 - pickling runs arbitrary code; the task fails alone
            return False, error
        for attempt in range(MAX_TRIES):
            if attempt:
                self._replace()
            with suppress(EOFError, OSError, pickle.UnpicklingError):
                return self._exchange(task)
        code = terminate(self._process)
        end = f"by signal {-code}" if code < 0 else f"with code {code}"
        raise lost_workers_error(MAX_TRIES, f", the last one {end}")

    def _exchange(self, task: bytes) -> Outcome:
        if not self._has_function:
            self._has_function = True
            self._send(self._function)
        self._send(task)
        return load_outcome(pickle.load(require_pipe(self._process.stdout)))  # noqa: S301 - our own worker wrote it

    def _replace(self) -> None:
        """Start a new process in place of a lost one."""
        with self._lock:
            if self._stopped:
                raise CancelledError
            terminate(self._process)
            self._process, self._has_function = start_interpreter(MODULE), False

    def _send(self, message: bytes) -> None:
        pipe = require_pipe(self._process.stdin)
        pickle.dump(message, pipe)
        pipe.flush()


def lost_workers_error(tries: int, how: str = "") -> OutscoreError:
    """The error of a task that no worker survives.

    Examples
    --------
    >>> print(lost_workers_error(3, ", the last one by signal 9"))
    3 worker processes were lost to one task, the last one by signal 9. If memory ran out, use fewer jobs.
    """
    return OutscoreError(f"{tries} worker processes were lost to one task{how}.", "If memory ran out, use fewer jobs.")


def serve() -> None:
    """Run in a worker: receive the function, then tasks, until the pipe is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    outcomes = claim_output()
    inbox = inbox_of(iter(partial(pickle.load, sys.stdin.buffer), None))
    function = cache(partial(deserialize, inbox.get()))
    # The pipe breaks when the main process is gone: no one needs the outcome.
    with suppress(BrokenPipeError):
        while True:
            pickle.dump(run_serialized(function, inbox.get()), outcomes)
            outcomes.flush()
    os._exit(0)


def inbox_of(messages: Iterable[bytes]) -> queue.SimpleQueue[bytes]:
    """Messages as they come in; the process exits at once when the other side has closed the pipe or is gone."""
    inbox: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(messages, inbox), daemon=True).start()
    return inbox


def _listen(messages: Iterable[bytes], inbox: queue.SimpleQueue[bytes]) -> None:
    try:
        for message in messages:
            inbox.put(message)
    finally:
        os._exit(0)
