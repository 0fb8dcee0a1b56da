"""Many tasks, one after the other, on several processors or on a cluster: the results are the same, and in order.

`engine_of` chooses; whoever calls `map` need not know which engine it has. Whoever calls it several times does so within
`with opened(engine) as engine`, so that what is costly to start is started once.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import CancelledError
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Protocol, TypeVar

from outscore.core.errors import OutscoreError
from outscore.engine.dask_cluster import Dask
from outscore.engine.progress import Progress, Steps, terminal_progress
from outscore.engine.workers import run_on_workers

__all__ = [
    "START_UP",
    "CancelledError",
    "Dask",
    "Engine",
    "Processes",
    "Progress",
    "Serial",
    "Steps",
    "engine_of",
    "opened",
    "processors",
    "terminal_progress",
]

Task = TypeVar("Task")
Answer = TypeVar("Answer")

START_UP = 1.0
"""Seconds of work below which workers cost more than they save: each needs .15 to .3 s of its processor to import numpy."""


class Engine(Protocol):
    """What runs tasks. An engine of another kind has this one method and keeps its promises.

    Results come in the order of the tasks and do not depend on the engine. Of several tasks that fail, the exception of the
    first one is raised. `function` and tasks can be pickled and come from modules that can be imported; `function` travels
    once to each worker, so what all tasks share belongs into a `functools.partial`. `progress` is told of every finished task
    and can cancel the rest, which raises CancelledError. A worker that is lost costs time only: its task is given to another,
    so a task may be begun more than once, and is an error only when several workers were lost to it.
    """

    def map(
        self, function: Callable[[Task], Answer], tasks: Iterable[Task], *, progress: Progress | None = None
    ) -> list[Answer]:
        """`function` of every task."""
        ...


@dataclass(frozen=True)
class Serial:
    """One task after the other, in this process."""

    def map(
        self, function: Callable[[Task], Answer], tasks: Iterable[Task], *, progress: Progress | None = None
    ) -> list[Answer]:
        """`function` of every task.

        Examples
        --------
        >>> Serial().map(abs, [-2, 3])
        [2, 3]
        """
        steps = progress or Steps()
        results = []
        for task in tasks:
            if steps.cancelled:
                raise CancelledError
            results.append(function(task))
            steps.advance()
        return results


@dataclass(frozen=True)
class Processes:
    """Tasks on several worker processes, which live as long as one call of `map` and end with it, whatever happens."""

    workers: int

    def map(
        self, function: Callable[[Task], Answer], tasks: Iterable[Task], *, progress: Progress | None = None
    ) -> list[Answer]:
        """`function` of every task; the next free worker takes the next task.

        Examples
        --------
        >>> Processes(2).map(abs, [-2, 3, -4])
        [2, 3, 4]
        """
        waiting = list(tasks)
        workers = min(self.workers, len(waiting))
        if workers < 2:
            return Serial().map(function, waiting, progress=progress)
        return run_on_workers(function, waiting, workers, progress or Steps())


def opened(engine: Engine) -> AbstractContextManager[Engine]:
    """The engine, ready for any number of calls of `map`: a cluster is started or connected to once, and left at the end.

    Examples
    --------
    >>> with opened(engine_of(1)) as engine:
    ...     engine.map(abs, [-2]), engine.map(abs, [-3])
    ([2], [3])
    """
    return engine.opened() if isinstance(engine, Dask) else nullcontext(engine)


def engine_of(jobs: int | None = None, *, work: float | None = None, dask: str | None = None) -> Engine:
    """The engine for `jobs` processes: None or 1 is this process alone, 0 one process for each processor.

    `work` is a guess of the seconds one process would need; where that is less than starting others costs, nothing is started.
    `dask` asks for a Dask cluster: "local" for one of `jobs` processes on this machine (None, too, is one for each processor),
    or the address of a scheduler.

    Examples
    --------
    >>> engine_of(None), engine_of(2), engine_of(8, work=0.2)
    (Serial(), Processes(workers=2), Serial())
    >>> engine_of(2, dask="local")
    Dask(address='local', workers=2, memory='2 GB')
    """
    if jobs is not None and jobs < 0:
        raise OutscoreError(f"`jobs` is {jobs}.", "Give the number of processes, or 0 for one on each processor.")
    if dask is not None:
        if jobs and dask != "local":
            raise OutscoreError(
                f"`jobs` is {jobs}, but the Dask cluster at {dask} has the workers it has.", "Leave `jobs` out."
            )
        return Dask(dask, jobs or processors())
    workers = 1 if jobs is None else jobs or processors()
    if workers == 1 or (work is not None and work < START_UP):
        return Serial()
    return Processes(workers)


def processors() -> int:
    """How many processors this process may use, which on a shared machine are fewer than it has."""
    allowed = getattr(os, "sched_getaffinity", None)
    return len(allowed(0)) if allowed else os.cpu_count() or 1
