"""Tasks on a connected Dask cluster.

A Dask task never raises: it returns a serialized outcome, as our own workers do, so results and errors do not
depend on the engine. The function is a Dask task too; every worker fetches its result once, and Dask computes
it again if the workers that have it are lost. The number of tasks in progress is limited, and each result is
fetched and released on the cluster as soon as it is there.
"""

from __future__ import annotations

import queue
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from functools import cache, partial
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeGuard, TypeVar

from outscore.core.errors import OutscoreError
from outscore.core.records import dataclass
from outscore.engine.progress import Progress, Steps
from outscore.engine.serialize import Outcome, deserialize, load_outcome, run_serialized, serialize
from outscore.engine.workers import POLL, lost_workers_error

if TYPE_CHECKING:
    from distributed import Client, Future, KilledWorker

__all__ = ["Connection", "DaskTasks"]

Task = TypeVar("Task")
Answer = TypeVar("Answer")

MAX_TASKS_PER_THREAD = 8
"""Tasks in progress per thread of the cluster: enough to keep it busy, too few to flood the scheduler."""
UNFINISHED = ("pending", "lost")
"""What Dask calls a task that has no result yet, and one whose result was lost."""
IDLE_LIMIT = 30.0
"""Seconds without any result after which to check that there are still workers."""


@dataclass(frozen=True)
class Connection:
    """A connected Dask cluster as an engine: what `Dask.connect` yields."""

    client: Client
    address: str

    def map(
        self, function: Callable[[Task], Answer], tasks: Iterable[Task], *, progress: Progress | None = None
    ) -> list[Answer]:
        """Apply `function` to every task."""
        steps = progress or Steps()
        waiting = enumerate(tasks)
        results: dict[int, Answer] = {}
        failures: dict[int, BaseException] = {}
        running = DaskTasks(self, serialize(function))
        try:
            while not steps.cancelled:
                # Tasks are submitted in order: once no earlier task is running, the first failure is final.
                if not failures:
                    running.submit(dict(islice(waiting, running.capacity)))
                elif running.first > min(failures):
                    raise failures[min(failures)]
                if running.is_empty:
                    return [results[index] for index in range(len(results))]
                for index, (succeeded, value) in running.collect_finished().items():
                    (results if succeeded else failures)[index] = value
                    steps.advance()
            raise CancelledError
        finally:
            running.cancel()

    def failure(self, error: BaseException | None) -> OutscoreError:
        """The error of a task that Dask itself could not finish."""
        if _is_suspected(error):
            return lost_workers_error(error.allowed_failures + 1)
        if isinstance(error, CancelledError):
            return self.lost_scheduler()
        if isinstance(error, ImportError) or "deserializ" in str(error):
            return OutscoreError(
                f"The Dask cluster at {self.address} cannot import outscore.",
                "Install the same version on the scheduler and on every worker.",
            )
        return OutscoreError(
            f"The Dask cluster at {self.address} failed: {error}.", "Use `local`, or several jobs without Dask."
        )

    def threads(self) -> int:
        """The number of threads of all workers."""
        with self.check_scheduler():
            return sum(self.client.nthreads().values())

    @contextmanager
    def check_scheduler(self) -> Iterator[None]:
        """Turn errors of calls that fail only if the scheduler is gone into an `OutscoreError`."""
        try:
            yield
        except (OSError, RuntimeError):
            raise self.lost_scheduler() from None

    def lost_scheduler(self) -> OutscoreError:
        """The error of a scheduler that does not answer any more."""
        return OutscoreError(f"The Dask scheduler at {self.address} was lost.", "Start it again, and then this.")


class DaskTasks:
    """The tasks in progress on a cluster.

    When a worker is lost, Dask suspects all tasks that were waiting there, and gives up on one that it has
    suspected too often. Such a task is retried alone, after all others have finished, so that it can only
    harm itself.
    """

    def __init__(self, connection: Connection, function: bytes) -> None:
        self._connection, self._client = connection, connection.client
        self._limit = MAX_TASKS_PER_THREAD * max(1, connection.threads())
        self._function = function
        self._shared = self._share()
        self._futures: dict[int, Future[bytes]] = {}
        self._serialized: dict[int, bytes] = {}
        self._unpicklable: dict[int, Outcome] = {}
        self._suspected: set[int] = set()
        self._retried: int | None = None
        self._done: queue.SimpleQueue[int] = queue.SimpleQueue()
        self._notified: set[int] = set()
        self._last_result = time.monotonic()

    @property
    def capacity(self) -> int:
        """How many more tasks may be submitted."""
        return 0 if self._suspected or self._retried in self._futures else self._limit - len(self._futures)

    @property
    def first(self) -> float:
        """The index of the first task in progress, infinite if there is none."""
        return min((*self._serialized, *self._unpicklable), default=float("inf"))

    @property
    def is_empty(self) -> bool:
        """Whether no task is in progress."""
        return not self._serialized and not self._unpicklable

    def submit(self, tasks: Mapping[int, object]) -> None:
        """Send tasks; one that cannot be pickled fails alone."""
        serialized = {}
        for index, task in tasks.items():
            try:
                serialized[index] = serialize(task)
            except Exception as error:  # noqa: BLE001 - any exception is the outcome of its task
                self._unpicklable[index] = False, error
        if serialized:
            self._serialized |= serialized
            self._send(list(serialized))

    def collect_finished(self) -> dict[int, Outcome]:
        """The outcomes that have arrived, after a short wait if there are none yet."""
        outcomes, self._unpicklable = self._unpicklable, {}
        done = self._wait_for_done(0 if outcomes else POLL)
        self._check()
        futures = {index: self._futures.pop(index) for index in done}
        finished = {index: future for index, future in futures.items() if future.status == "finished"}
        outcomes |= self._fetch(finished)
        for index in futures.keys() - finished.keys():
            error = futures[index].exception()
            if _is_suspected(error) and index != self._retried:
                self._suspected.add(index)
            else:
                outcomes[index] = False, self._connection.failure(error)
        for index in futures.keys() & outcomes.keys():
            del self._serialized[index]
        if self._suspected and not self._futures:
            self._retried = min(self._suspected)
            self._suspected.remove(self._retried)
            self._send([self._retried])
        return outcomes

    def _wait_for_done(self, timeout: float) -> list[int]:
        """Indices of tasks that succeeded or failed, without those that run again because their result was lost."""
        with suppress(queue.Empty):
            self._notified.add(self._done.get(timeout=timeout))
            while True:
                self._notified.add(self._done.get_nowait())
        done = [index for index in self._notified if self._futures[index].status not in UNFINISHED]
        if done:
            self._last_result = time.monotonic()
            self._notified.difference_update(done)
        return done

    def _send(self, indices: list[int]) -> None:
        if self._shared.status == "error":
            self._shared = self._share()
        tasks = [self._serialized[index] for index in indices]
        with self._connection.check_scheduler():
            futures = self._client.map(_run_task, tasks, shared=self._shared, pure=False)
        for index, future in zip(indices, futures, strict=True):
            self._futures[index] = future
            future.add_done_callback(partial(_notify, self._done, index))

    def _share(self) -> Future[_SharedFunction]:
        with self._connection.check_scheduler():
            return self._client.submit(_SharedFunction, self._function, pure=False)

    def cancel(self) -> None:
        """Cancel all tasks in progress."""
        # If the scheduler is gone there is nothing to cancel.
        with suppress(OSError, RuntimeError):
            self._client.cancel([*self._futures.values(), self._shared], force=True)

    def _fetch(self, futures: Mapping[int, Future[bytes]]) -> dict[int, Outcome]:
        """Fetch outcomes from the workers."""
        try:
            replies = self._client.gather(list(futures.values()))
        except Exception as error:  # noqa: BLE001 - an error of Dask, since tasks do not raise
            raise self._connection.failure(error) from None
        return {index: load_outcome(reply) for index, reply in zip(futures, replies, strict=True)}

    def _check(self) -> None:
        """Raise an error if there is nothing to wait for."""
        if self._client.status != "running":
            raise self._connection.lost_scheduler()
        if time.monotonic() - self._last_result > IDLE_LIMIT:
            self._last_result = time.monotonic()
            if not self._connection.threads():
                raise OutscoreError(
                    f"The Dask cluster at {self._connection.address} has no workers left.", "Start some, and then this again."
                )


def _notify(done: queue.SimpleQueue[int], index: int, _: object) -> None:
    done.put(index)


def _is_suspected(error: BaseException | None) -> TypeGuard[KilledWorker]:
    from distributed import KilledWorker

    return isinstance(error, KilledWorker)


class _SharedFunction:
    """The function on a worker: it is sent as bytes and loaded once, on its first call."""

    def __init__(self, serialized: bytes) -> None:
        self._serialized = serialized
        self.load: Callable[[], Callable[[Any], Any]] = cache(partial(deserialize, serialized))

    def __reduce__(self) -> tuple[type[_SharedFunction], tuple[bytes]]:
        return _SharedFunction, (self._serialized,)


def _run_task(task: bytes, *, shared: _SharedFunction) -> bytes:
    """Run one task on a worker."""
    return run_serialized(shared.load, task)
