"""A Dask cluster as an engine: one started on this machine, or that of a running scheduler.

A Dask task never raises: it returns a serialized outcome, as our own workers do, so results and errors do not
depend on the engine. The function is a Dask task too; every worker fetches its result once, and Dask computes
it again if the workers that have it are lost. The number of tasks in progress is limited, and each result is
fetched and released on the cluster as soon as it is there.
"""

from __future__ import annotations

import logging
import queue
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import CancelledError, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from functools import lru_cache, partial
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeGuard, TypeVar, cast

from outscore.core.errors import OutscoreError, load_extra
from outscore.core.records import dataclass
from outscore.engine.local_cluster import local_cluster
from outscore.engine.progress import Progress
from outscore.engine.workers import POLL, Outcome, deserialize, load_outcome, lost_workers_error, run_serialized, serialize

if TYPE_CHECKING:
    from distributed import Client, Future, KilledWorker

MAX_TASKS_PER_THREAD = 8
"""Tasks in progress per thread of the cluster: enough to keep it busy, too few to flood the scheduler."""
UNFINISHED = ("pending", "lost")
"""What Dask calls a task that has no result yet, and one whose result was lost."""
IDLE_LIMIT = 30.0
"""Seconds without any result after which to check that there are still workers."""
Task = TypeVar("Task")
Answer = TypeVar("Answer")

CONNECT_TIMEOUT = 10.0
"""Seconds that a scheduler has to answer."""
WORKERS_TIMEOUT = 30.0
"""Seconds that it has to find its workers."""
ADDRESS = re.compile(r"(\w+://)?[^/\s]+:\d+")


@dataclass(frozen=True)
class Connection:
    """A connected Dask cluster as an engine: what `Dask.connect` yields."""

    client: Client
    address: str

    def map(
        self, function: Callable[[Task], Answer], tasks: Iterable[Task], *, progress: Progress | None = None
    ) -> list[Answer]:
        """Apply `function` to every task."""
        steps = progress or Progress()
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
        return OutscoreError(f"The Dask scheduler at {self.address} was lost.", "Start it again, then repeat this command.")


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

    def _share(self) -> Future[bytes]:
        with self._connection.check_scheduler():
            # A task whose result is the function, which Dask fetches once for each worker.
            return self._client.submit(bytes, self._function, pure=False)

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
                    f"The Dask cluster at {self._connection.address} has no workers left.",
                    "Start some, then repeat this command.",
                )


def _notify(done: queue.SimpleQueue[int], index: int, _: object) -> None:
    done.put(index)


def _is_suspected(error: BaseException | None) -> TypeGuard[KilledWorker]:
    from distributed import KilledWorker

    return isinstance(error, KilledWorker)


def _run_task(task: bytes, *, shared: bytes) -> bytes:
    """Run one task on a worker, which loads the function on its first task."""
    return run_serialized(partial(_loaded, shared), task)


@lru_cache(maxsize=1)
def _loaded(function: bytes) -> Callable[[Any], Any]:
    loaded: Callable[[Any], Any] = deserialize(function)
    return loaded


@dataclass(frozen=True)
class Dask:
    """Tasks on a Dask cluster, whose overhead is some milliseconds per task.

    Parameters
    ----------
    address
        "local" starts a cluster on this machine, which always ends with the call of `map` or the context of
        `connect`. Otherwise the address of a scheduler, "tcp://host:port" or "host:port", whose workers have
        outscore installed.
    workers
        Number of processes of a local cluster.
    memory
        Memory of each process of a local cluster; one that needs more is replaced.

    Examples
    --------
    >>> Dask("local", workers=2)
    Dask(address='local', workers=2, memory='2 GB')
    >>> Dask("locl")
    Traceback (most recent call last):
    outscore.core.errors.OutscoreError: `dask` is 'locl'. Give "local", or the address of a scheduler such as tcp://10.0.0.1:8786.
    """

    address: str = "local"
    workers: int = 1
    memory: str = "2 GB"

    def __post_init__(self) -> None:
        if self.address != "local" and not ADDRESS.fullmatch(self.address):
            raise OutscoreError(
                f"`dask` is {self.address!r}.", 'Give "local", or the address of a scheduler such as tcp://10.0.0.1:8786.'
            )

    def map(
        self, function: Callable[[Task], Answer], tasks: Iterable[Task], *, progress: Progress | None = None
    ) -> list[Answer]:
        """`function` of every task, on a connection of its own."""
        with self.connect() as cluster:
            return cluster.map(function, tasks, progress=progress)

    @contextmanager
    def connect(self) -> Iterator[Connection]:
        """Start the cluster if it is local, and connect to it, for any number of calls of `map`."""
        for module in ("dask", "distributed"):
            load_extra(module, "use a Dask cluster", "cluster")
        import dask
        from distributed.utils import silence_logging_cmgr

        with ExitStack() as stack:
            # Errors are reported as `OutscoreError`, not in Dask's log, and a large function needs no
            # warning.
            stack.enter_context(silence_logging_cmgr(logging.CRITICAL + 1))
            stack.enter_context(dask.config.set({"distributed.admin.large-graph-warning-threshold": "1 TB"}))
            address, workers = self.address, 1
            if address == "local":
                address, workers = stack.enter_context(local_cluster(self.workers, self.memory)), self.workers
            yield stack.enter_context(_connect(address, workers))


@contextmanager
def _connect(address: str, workers: int) -> Iterator[Connection]:
    """Connect to a scheduler that has workers with the same version of outscore."""
    import asyncio

    from distributed import Client

    try:
        # The client itself would wait for ever for a server that accepts connections and never answers, so
        # ask first. This needs a thread, because a notebook already runs an event loop in its own.
        with ThreadPoolExecutor(1) as pool:
            pool.submit(asyncio.run, _identify(address)).result()
        connect = partial(Client, address, timeout=CONNECT_TIMEOUT, set_as_default=False, asynchronous=False, name="outscore")
        try:
            client = connect()
        except AssertionError:
            # The client expects its registration to be answered alone, but a busy scheduler may add its news of others.
            client = connect()
    except (OSError, ValueError, TypeError) as error:
        raise OutscoreError(
            f"No Dask scheduler answers at {address}: {str(error).rstrip('.') or f'silent for {CONNECT_TIMEOUT:g} seconds'}.",
            "Check the address and that the scheduler is running, or use `local`.",
        ) from None
    with client:
        connection = Connection(client, address)
        with connection.check_scheduler():
            try:
                client.wait_for_workers(workers, timeout=WORKERS_TIMEOUT)
            except TimeoutError:
                raise OutscoreError(f"The Dask cluster at {address} has no workers.", "Start some, or use `local`.") from None
            _check_version(client, address)
        yield connection


async def _identify(address: str) -> None:
    """Check that a scheduler answers at an address."""
    import asyncio

    from distributed import Security, rpc

    keys = Security().get_connection_args("client")
    async with asyncio.timeout(CONNECT_TIMEOUT), rpc(address, connection_args=keys) as scheduler:
        await scheduler.identity()


def _check_version(client: Client, address: str) -> None:
    """Refuse workers of another version, whose results may differ."""
    versions = cast("dict[str, Any]", client.get_versions(packages=["outscore"]))
    here = versions["client"]["packages"]["outscore"]
    for worker in versions["workers"].values():
        there = worker["packages"]["outscore"]
        if here and there and here != there:
            raise OutscoreError(
                f"The workers of the Dask cluster at {address} have outscore {there}, this process has {here}.",
                f"Install outscore {here} on the cluster.",
            )
