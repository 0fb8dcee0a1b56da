"""Many tasks, one after the other or on several processors: the results are the same, and in order.

`engine_of` chooses; whoever calls `map` need not know which engine it has.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import CancelledError
from dataclasses import dataclass
from typing import Protocol, TypeVar

from outscore.engine.progress import Progress, Steps, terminal_progress
from outscore.engine.workers import run_on_workers
from outscore.errors import OutscoreError

__all__ = [
    "START_UP",
    "CancelledError",
    "Engine",
    "Processes",
    "Progress",
    "Serial",
    "Steps",
    "engine_of",
    "terminal_progress",
]

Task = TypeVar("Task")
Answer = TypeVar("Answer")

START_UP = 1.0
"""Seconds of work below which workers cost more than they save: each needs .15 to .3 s of its processor to import numpy."""


class Engine(Protocol):
    """What runs tasks. An engine of another kind, a cluster say, has this one method and keeps its promises.

    Results come in the order of the tasks and do not depend on the engine. Of several tasks that fail, the exception of the
    first one is raised. `function` and tasks can be pickled and come from modules that can be imported; `function` travels
    once to each worker, so what all tasks share belongs into a `functools.partial`. `progress` is told of every finished task
    and can cancel the rest, which raises CancelledError.
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


def engine_of(jobs: int | None = None, *, work: float | None = None) -> Engine:
    """The engine for `jobs` processes: None or 1 is this process alone, 0 one process for each processor.

    `work` is a guess of the seconds one process would need; where that is less than starting others costs, nothing is started.

    Examples
    --------
    >>> engine_of(None), engine_of(2), engine_of(8, work=0.2)
    (Serial(), Processes(workers=2), Serial())
    """
    if jobs is not None and jobs < 0:
        raise OutscoreError(f"`jobs` is {jobs}.", "Give the number of processes, or 0 for one on each processor.")
    workers = 1 if jobs is None else jobs or _processors()
    if workers == 1 or (work is not None and work < START_UP):
        return Serial()
    return Processes(workers)


def _processors() -> int:
    """How many processors this process may use, which on a shared machine are fewer than it has."""
    allowed = getattr(os, "sched_getaffinity", None)
    return len(allowed(0)) if allowed else os.cpu_count() or 1
