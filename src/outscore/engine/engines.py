"""Many tasks, in this process, on several processors or on a cluster: the results are the same, in the order of the tasks.

`engine_of` chooses the engine; callers of `map` need not know which one they have. For several calls of `map`
use `with open_engine(engine) as engine`, so that a cluster is started once. What an engine needs is loaded when it is used:
most commands have one process.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from typing import Protocol, TypeVar

from outscore.core.errors import OutscoreError
from outscore.core.records import dataclass
from outscore.engine.progress import Progress

Task = TypeVar("Task")
Answer = TypeVar("Answer")

MIN_WORK = 1.0
"""Seconds of work below which workers cost more than they save: each spends .15 to .3 s on importing numpy."""


class Engine(Protocol):
    """Runs tasks: the one method that an engine has, and what it guarantees.

    Results are in the order of the tasks and do not depend on the engine. If several tasks fail, the
    exception of the first is raised. `function` and tasks must be picklable and come from importable modules;
    `function` is sent once to each worker, so put what all tasks share into a `functools.partial`. `progress`
    counts finished tasks and can cancel the rest, which raises CancelledError. The task of a lost worker is
    given to another, so a task may be started more than once; it fails if several workers are lost during it.
    """

    def map(
        self, function: Callable[[Task], Answer], tasks: Iterable[Task], *, progress: Progress | None = None
    ) -> list[Answer]:
        """Apply `function` to every task."""
        ...


@dataclass(frozen=True)
class Processes:
    """Tasks one after the other in this process, or on worker processes that every call of `map` starts and ends."""

    workers: int

    def map(
        self, function: Callable[[Task], Answer], tasks: Iterable[Task], *, progress: Progress | None = None
    ) -> list[Answer]:
        """Apply `function` to every task; the next free worker takes the next task.

        Examples
        --------
        >>> SERIAL.map(abs, [-2, 3]), Processes(2).map(abs, [-2, 3, -4])
        ([2, 3], [2, 3, 4])
        """
        progress = progress or Progress()
        if self.workers > 1:
            tasks = list(tasks)
            if len(tasks) > 1:
                from outscore.engine.workers import run_on_workers

                return run_on_workers(function, tasks, min(self.workers, len(tasks)), progress)
        results = []
        for task in tasks:
            if progress.cancelled:
                from concurrent.futures import CancelledError

                raise CancelledError
            results.append(function(task))
            progress.advance()
        return results


SERIAL = Processes(1)
"""This process alone."""


def open_engine(engine: Engine) -> AbstractContextManager[Engine]:
    """The engine, ready for several calls of `map`: a cluster is started or connected once, and left at the end.

    Examples
    --------
    >>> with open_engine(engine_of(1)) as engine:
    ...     engine.map(abs, [-2]), engine.map(abs, [-3])
    ([2], [3])
    """
    connect: Callable[[], AbstractContextManager[Engine]] | None = getattr(engine, "connect", None)
    return nullcontext(engine) if connect is None else connect()


def engine_of(jobs: int | None = None, *, work: float | None = None, dask: str | None = None) -> Engine:
    """The engine for `jobs` processes: None or 1 is this process alone, 0 one process for each processor.

    `work` estimates the seconds that one process would need; below `MIN_WORK` no other process is started.
    `dask` asks for a Dask cluster: "local" for one of `jobs` processes on this machine (None means one for
    each processor), or the address of a scheduler.

    Examples
    --------
    >>> engine_of(None), engine_of(2), engine_of(8, work=0.2)
    (Processes(workers=1), Processes(workers=2), Processes(workers=1))
    >>> engine_of(2, dask="local")
    Dask(address='local', workers=2, memory='2 GB')
    """
    if jobs is not None and jobs < 0:
        raise OutscoreError(f"`jobs` is {jobs}.", "Give the number of processes, or 0 for one on each processor.")
    if dask is not None:
        if jobs and dask != "local":
            raise OutscoreError(
                f"`jobs` is {jobs}, but the Dask cluster at {dask} decides how many workers there are.", "Leave `jobs` out."
            )
        from outscore.engine.dask_cluster import Dask

        return Dask(dask, jobs or processors())
    workers = 1 if jobs is None else jobs or processors()
    if workers == 1 or (work is not None and work < MIN_WORK):
        return SERIAL
    return Processes(workers)


def processors() -> int:
    """The number of processors that this process may use, which can be fewer than the machine has."""
    allowed = getattr(os, "sched_getaffinity", None)
    return len(allowed(0)) if allowed else os.cpu_count() or 1
