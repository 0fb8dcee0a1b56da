"""Tasks on their way to a Dask cluster and back.

A Dask task never fails: it returns a packed outcome, as a worker of our own does, so results and errors are the same whoever
does the work. The function is a task, too, whose result every worker fetches once, and which is computed again should the
workers that have it be lost. Only so many tasks are under way at a time, and each result is fetched, and forgotten by the
cluster, as soon as it is there.
"""

from __future__ import annotations

import pickle
import queue
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache, partial
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeGuard, TypeVar

from outscore.core.errors import OutscoreError
from outscore.engine.progress import Progress, Steps
from outscore.engine.serialize import Outcome, loaded, outcome, packed
from outscore.engine.workers import POLL, lost_workers

if TYPE_CHECKING:
    from distributed import Client, Future, KilledWorker

__all__ = ["Connection"]

Task = TypeVar("Task")
Answer = TypeVar("Answer")

PER_THREAD = 8
"""Tasks under way for each thread of the cluster: enough that none waits for work, few enough not to flood the scheduler."""
UNSETTLED = ("pending", "lost")
"""What Dask calls a task that has no result yet, and one that has none any more."""
PATIENCE = 30.0
"""Seconds without any result after which it is asked whether there still are workers."""


@dataclass(frozen=True)
class Connection:
    """The engine that is a Dask cluster, connected: what `Dask.opened` gives."""

    client: Client
    address: str

    def map(
        self, function: Callable[[Task], Answer], tasks: Iterable[Task], *, progress: Progress | None = None
    ) -> list[Answer]:
        """`function` of every task."""
        steps = progress or Steps()
        waiting = enumerate(tasks)
        arrived: dict[int, Answer] = {}
        failed: dict[int, BaseException] = {}
        flight = _Flight(self, packed(function))
        try:
            while not steps.cancelled:
                # Tasks are launched in order, so the first to fail is among those under way when any has failed.
                if not failed:
                    flight.launch(dict(islice(waiting, flight.room)))
                elif flight.earliest > min(failed):
                    raise failed[min(failed)]
                if flight.is_over:
                    return [arrived[index] for index in range(len(arrived))]
                for index, (fine, value) in flight.landed().items():
                    (arrived if fine else failed)[index] = value
                    steps.advance()
            raise CancelledError
        finally:
            flight.abandon()

    def fault(self, error: BaseException | None) -> OutscoreError:
        """What to tell of a task that Dask itself could not bring to an end."""
        if _is_suspected(error):
            return lost_workers(error.allowed_failures + 1)
        if isinstance(error, CancelledError):
            return self.lost()
        if isinstance(error, ImportError) or "deserializ" in str(error):
            return OutscoreError(
                f"The Dask cluster at {self.address} cannot import outscore.",
                "Install the same version on the scheduler and on every worker.",
            )
        return OutscoreError(
            f"The Dask cluster at {self.address} failed: {error}.", "Use `local`, or several jobs without Dask."
        )

    def threads(self) -> int:
        """How many threads the workers have together."""
        with self.answering():
            return sum(self.client.nthreads().values())

    @contextmanager
    def answering(self) -> Iterator[None]:
        """Calls that fail only when the scheduler is gone."""
        try:
            yield
        except (OSError, RuntimeError):
            raise self.lost() from None

    def lost(self) -> OutscoreError:
        """What to tell when nobody answers any more."""
        return OutscoreError(f"The Dask scheduler at {self.address} was lost.", "Start it again, and then this.")


class _Flight:
    """Tasks under way.

    When a worker is lost, Dask suspects all tasks that were waiting there, and gives up on one that it has suspected too often.
    Such a task is sent again when all others have landed: what is lost to it then is lost to no other.
    """

    def __init__(self, connection: Connection, parcel: bytes) -> None:
        self._connection, self._client = connection, connection.client
        self._width = PER_THREAD * max(1, connection.threads())
        self._function = parcel
        self._shared = self._share()
        self._futures: dict[int, Future[bytes]] = {}
        self._parcels: dict[int, bytes] = {}
        self._grounded: dict[int, Outcome] = {}
        self._suspects: set[int] = set()
        self._alone: int | None = None
        self._done: queue.SimpleQueue[int] = queue.SimpleQueue()
        self._told: set[int] = set()
        self._heard = time.monotonic()

    @property
    def room(self) -> int:
        """How many more tasks may be launched."""
        return 0 if self._suspects or self._alone in self._futures else self._width - len(self._futures)

    @property
    def earliest(self) -> float:
        """The first task that is under way."""
        return min((*self._parcels, *self._grounded), default=float("inf"))

    @property
    def is_over(self) -> bool:
        """Whether no task is under way."""
        return not self._parcels and not self._grounded

    def launch(self, tasks: Mapping[int, object]) -> None:
        """Send tasks; one that cannot be pickled fails alone."""
        parcels = {}
        for index, task in tasks.items():
            try:
                parcels[index] = packed(task)
            except Exception as error:  # noqa: BLE001 - whatever it is, it is raised when its turn has come
                self._grounded[index] = False, error
        if parcels:
            self._parcels |= parcels
            self._send(list(parcels))

    def landed(self) -> dict[int, Outcome]:
        """Outcomes that have come, after waiting for some for a moment."""
        found, self._grounded = self._grounded, {}
        done = self._settled(0 if found else POLL)
        self._check()
        futures = {index: self._futures.pop(index) for index in done}
        finished = {index: future for index, future in futures.items() if future.status == "finished"}
        found |= self._fetched(finished)
        for index in futures.keys() - finished.keys():
            error = futures[index].exception()
            if _is_suspected(error) and index != self._alone:
                self._suspects.add(index)
            else:
                found[index] = False, self._connection.fault(error)
        for index in futures.keys() & found.keys():
            del self._parcels[index]
        if self._suspects and not self._futures:
            self._alone = min(self._suspects)
            self._suspects.remove(self._alone)
            self._send([self._alone])
        return found

    def _settled(self, timeout: float) -> list[int]:
        """Tasks that are done, well or badly; not those that were done, and are done again as their worker was lost."""
        with suppress(queue.Empty):
            self._told.add(self._done.get(timeout=timeout))
            while True:
                self._told.add(self._done.get_nowait())
        done = [index for index in self._told if self._futures[index].status not in UNSETTLED]
        if done:
            self._heard = time.monotonic()
            self._told.difference_update(done)
        return done

    def _send(self, indices: list[int]) -> None:
        if self._shared.status == "error":
            self._shared = self._share()
        parcels = [self._parcels[index] for index in indices]
        with self._connection.answering():
            futures = self._client.map(_answer, parcels, shared=self._shared, pure=False)
        for index, future in zip(indices, futures, strict=True):
            self._futures[index] = future
            future.add_done_callback(partial(_tell, self._done, index))

    def _share(self) -> Future[_Shared]:
        with self._connection.answering():
            return self._client.submit(_Shared, self._function, pure=False)

    def abandon(self) -> None:
        """Take back what is still under way, so that the cluster does not work for nobody."""
        # Where the scheduler is gone there is nobody to tell.
        with suppress(OSError, RuntimeError):
            self._client.cancel([*self._futures.values(), self._shared], force=True)

    def _fetched(self, futures: Mapping[int, Future[bytes]]) -> dict[int, Outcome]:
        """Outcomes from where they are."""
        try:
            replies = self._client.gather(list(futures.values()))
        except Exception as error:  # noqa: BLE001 - whatever it is, it is Dask's: tasks themselves do not fail
            raise self._connection.fault(error) from None
        return {index: _unpacked(reply) for index, reply in zip(futures, replies, strict=True)}

    def _check(self) -> None:
        """Raise if there is nothing to wait for."""
        if self._client.status != "running":
            raise self._connection.lost()
        if time.monotonic() - self._heard > PATIENCE:
            self._heard = time.monotonic()
            if not self._connection.threads():
                raise OutscoreError(
                    f"The Dask cluster at {self._connection.address} has no workers left.", "Start some, and then this again."
                )


def _tell(done: queue.SimpleQueue[int], index: int, _: object) -> None:
    done.put(index)


def _is_suspected(error: BaseException | None) -> TypeGuard[KilledWorker]:
    from distributed import KilledWorker

    return isinstance(error, KilledWorker)


def _unpacked(reply: bytes) -> Outcome:
    try:
        found: Outcome = pickle.loads(reply)  # noqa: S301 - our own task wrote it
    except Exception as error:  # noqa: BLE001 - what cannot be loaded fails alone
        return False, error
    return found


class _Shared:
    """The function, at a worker: it travels packed and is loaded once, when it is first called."""

    def __init__(self, parcel: bytes) -> None:
        self._parcel = parcel
        self.function: Callable[[], Callable[[Any], Any]] = cache(partial(loaded, parcel))

    def __reduce__(self) -> tuple[type[_Shared], tuple[bytes]]:
        return _Shared, (self._parcel,)


def _answer(parcel: bytes, *, shared: _Shared) -> bytes:
    """One task, at a worker."""
    return outcome(shared.function, parcel)
