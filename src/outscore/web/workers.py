"""Warm worker processes: a few interpreters that have already imported what a job needs.

A process is given a task by a line of JSON and answers by lines. One that is interrupted, takes too long or is lost is ended,
and another takes its place at once. A task may be handed to a process that is still starting: it waits in the pipe.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from outscore.web.refusals import RefusedError
from outscore.web.settings import Settings

__all__ = ["Answer", "Workers"]

MODULE = "outscore.cli.worker"
LONGEST_LINE = 1 << 24
Told = Callable[[dict[str, Any]], None]


def _nobody(progress: dict[str, Any]) -> None:
    """Who is told where nobody asked."""
    del progress


@dataclass(frozen=True)
class Answer:
    """What came of a task: 0 and an answer, or another code and why."""

    code: int
    error: str | None = None
    answer: Any = None


class _LostError(Exception):
    """The process ended in the middle of a task."""


class _Worker:
    """One process, started at once and ready a second later."""

    def __init__(self, settings: Settings, folder: Path) -> None:
        self._starting = asyncio.create_task(self._start(settings, folder))

    @staticmethod
    async def _start(settings: Settings, folder: Path) -> asyncio.subprocess.Process:
        return await asyncio.create_subprocess_exec(
            # Without -P a file in the current folder could take the place of a module.
            *(sys.executable, "-P", "-m", MODULE, str(settings.memory), str(int(settings.warm))),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            limit=LONGEST_LINE,
            cwd=folder,
            start_new_session=True,
        )

    async def ask(self, task: dict[str, Any], told: Told) -> Answer:
        """Hand the task over, pass on how far it is, and return its answer."""
        process = await asyncio.shield(self._starting)
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(json.dumps(task).encode() + b"\n")
            await process.stdin.drain()
            while line := await process.stdout.readline():
                message = json.loads(line)
                if "progress" not in message:
                    return Answer(**message)
                told(message["progress"])
        except (ConnectionError, ValueError) as error:
            raise _LostError from error
        raise _LostError

    async def end(self) -> int:
        """End the process, whatever it is doing; the code it ended with."""
        try:
            process = await self._starting
        except OSError:
            # It never began, which whoever asked it was told.
            return 0
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        return await process.wait()


class Workers:
    """All processes. Jobs share all of them but one, which is there for what takes a moment."""

    def __init__(self, settings: Settings, folder: Path) -> None:
        self._settings, self._folder = settings, folder
        self._all: set[_Worker] = set()
        self._free: asyncio.Queue[_Worker] = asyncio.Queue()
        self._jobs = asyncio.Semaphore(settings.workers)
        self._ending: set[asyncio.Task[int]] = set()
        self._stopped = False

    def start(self) -> None:
        """Start all processes in the background."""
        for _ in range(self._settings.workers + 1):
            self._add()

    async def stop(self) -> None:
        """End all processes."""
        self._stopped = True
        await asyncio.gather(*(worker.end() for worker in self._all), *self._ending, return_exceptions=True)
        self._all.clear()

    async def moment(self, task: dict[str, Any]) -> Answer:
        """Do what takes a moment."""
        return await self._ask(task, self._settings.moment_seconds, lambda: None, _nobody)

    async def job(self, task: dict[str, Any], begun: Callable[[], None], told: Told) -> Answer:
        """Do what may take minutes; `begun` is called when a process takes it, `told` how far it is."""
        async with self._jobs:
            return await self._ask(task, self._settings.job_seconds, begun, told)

    async def _ask(self, task: dict[str, Any], seconds: float, begun: Callable[[], None], told: Told) -> Answer:
        worker = await self._free.get()
        whole = False
        begun()
        try:
            answer = await asyncio.wait_for(worker.ask(task, told), seconds)
            whole = True
        except TimeoutError:
            return Answer(1, f"It took longer than {seconds:g} seconds, which is all it may. The command line has no limit.")
        except _LostError:
            return Answer(1, f"The process was lost{await self._replace(worker)}. Is memory short? Use fewer or smaller files.")
        except OSError as error:
            raise RefusedError(429, f"No process could be started: {error.strerror}.", "Try again later.") from None
        finally:
            if whole:
                self._free.put_nowait(worker)
            elif worker in self._all:
                ending = asyncio.create_task(self._end(worker))
                self._ending.add(ending)
                ending.add_done_callback(self._ending.discard)
        return answer

    def _add(self) -> None:
        worker = _Worker(self._settings, self._folder)
        self._all.add(worker)
        self._free.put_nowait(worker)

    async def _replace(self, worker: _Worker) -> str:
        code = await self._end(worker)
        return f" (signal {-code})" if code < 0 else f" (code {code})"

    async def _end(self, worker: _Worker) -> int:
        """End a process and start another, unless all are to end."""
        self._all.discard(worker)
        if not self._stopped:
            self._add()
        return await worker.end()
