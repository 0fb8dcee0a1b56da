"""Warm worker processes: a few interpreters that have already imported what a job needs.

A process is given a task by a line of JSON and answers by lines. One that is interrupted, takes too long or is lost is ended,
and another takes its place at once. A task may be handed to a process that is still starting: it waits in the pipe.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from outscore.engine.subprocesses import interpreter
from outscore.web.http.refusals import RefusedError
from outscore.web.settings import Settings

__all__ = ["Answer", "Workers"]

LONGEST_LINE = 1 << 24
Told = Callable[[dict[str, Any]], None]


def _nobody(progress: dict[str, Any]) -> None:
    """Who is told where nobody asked."""
    del progress


@dataclass(frozen=True)
class Answer:
    """What came of a task: 0 and an answer, or another code and why; `notes` are what a person should know all the same."""

    code: int
    error: str | None = None
    answer: Any = None
    notes: Sequence[str] = ()


class _LostError(Exception):
    """The process ended, after it had begun with the task or before."""

    def __init__(self, *, begun: bool) -> None:
        super().__init__()
        self.begun = begun


class _Worker:
    """One process, started at once and ready a second later."""

    def __init__(self, command: list[str], environment: dict[str, str], folder: Path) -> None:
        self._starting = asyncio.create_task(self._start(command, environment, folder))

    @staticmethod
    async def _start(command: list[str], environment: dict[str, str], folder: Path) -> asyncio.subprocess.Process:
        return await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            limit=LONGEST_LINE,
            env=environment,
            cwd=folder,
            start_new_session=True,
        )

    async def ask(self, task: dict[str, Any], told: Told) -> Answer:
        """Hand the task over, pass on how far it is, and return its answer."""
        process = await asyncio.shield(self._starting)
        assert process.stdin is not None
        assert process.stdout is not None
        begun = False
        try:
            process.stdin.write(json.dumps(task).encode() + b"\n")
            await process.stdin.drain()
            while line := await process.stdout.readline():
                message = json.loads(line)
                if "progress" in message:
                    told(message["progress"])
                elif "begun" in message:
                    begun = True
                else:
                    return Answer(**message)
        except (ConnectionError, ValueError) as error:
            raise _LostError(begun=begun) from error
        raise _LostError(begun=begun)

    async def end(self) -> int:
        """End the process, whatever it is doing; the code it ended with."""
        try:
            process = await self._starting
        except OSError:
            # It never began, which whoever asked it was told.
            return 0
        if process.returncode is None:
            # Not `process.kill`, which takes the code of one that has just ended away from `wait`.
            with contextlib.suppress(ProcessLookupError):
                os.kill(process.pid, signal.SIGKILL)
        return await process.wait()


class Workers:
    """All processes. Jobs share all of them but one and so does what takes a moment, so that neither has to wait for the other.

    `module` is what the processes run: its function `serve` takes `memory` and `warm`, and answers tasks as `cli.worker` says.
    `environment` is what they find beside the environment of this process.
    """

    def __init__(self, settings: Settings, folder: Path, module: str, environment: dict[str, str]) -> None:
        self._settings, self._folder = settings, folder
        self._command, inherited = interpreter(module, memory=settings.memory, warm=settings.warm)
        self._environment = inherited | environment
        self._all: set[_Worker] = set()
        self._free: asyncio.Queue[_Worker] = asyncio.Queue()
        self._jobs = asyncio.Semaphore(settings.workers)
        self._moments = asyncio.Semaphore(settings.workers)
        self._asked = 0
        self._ending: set[asyncio.Task[int]] = set()
        self._stopped = False

    def start(self) -> None:
        """Start all processes in the background."""
        for _ in range(self._settings.workers + 1):
            self._free.put_nowait(self._new())

    async def stop(self) -> None:
        """End all processes."""
        self._stopped = True
        await asyncio.gather(*(worker.end() for worker in self._all), *self._ending, return_exceptions=True)
        self._all.clear()

    async def moment(self, task: dict[str, Any]) -> Answer:
        """Do what takes a moment, unless too many are waiting for that already."""
        if self._asked >= self._settings.moments_in_all:
            raise RefusedError(429, f"{self._asked} requests are waiting, which is all there may be.", "Try again in a moment.")
        self._asked += 1
        try:
            async with self._moments:
                return await self._ask(task, self._settings.moment_seconds, lambda: None, _nobody)
        finally:
            self._asked -= 1

    async def job(self, task: dict[str, Any], begun: Callable[[], None], told: Told) -> Answer:
        """Do what may take minutes; `begun` is called when a process takes it, `told` how far it is."""
        async with self._jobs:
            return await self._ask(task, self._settings.job_seconds, begun, told)

    async def _ask(self, task: dict[str, Any], seconds: float, begun: Callable[[], None], told: Told) -> Answer:
        worker = await self._free.get()
        whole = False
        begun()
        try:
            # Not `wait_for`, which in Python 3.11 forgets a cancellation that comes at the same time as the answer.
            async with asyncio.timeout(seconds):
                try:
                    answer = await worker.ask(task, told)
                except _LostError as lost:
                    if lost.begun:
                        raise
                    # The task is not to blame for what happened before it, perhaps while nobody asked anything.
                    worker = self._instead_of(worker)
                    answer = await worker.ask(task, told)
            whole = True
        except TimeoutError:
            return Answer(1, f"It took longer than {seconds:g} seconds, which is all it may. The command line has no limit.")
        except _LostError:
            code = await worker.end()
            how = f"signal {-code}" if code < 0 else f"code {code}"
            return Answer(1, f"The process was lost ({how}). Is memory short? Use fewer or smaller files.")
        except OSError as error:
            raise RefusedError(503, f"No process could be started: {error.strerror}.", "Try again later.") from None
        finally:
            self._free.put_nowait(worker if whole else self._instead_of(worker))
        return answer

    def _new(self) -> _Worker:
        worker = _Worker(self._command, self._environment, self._folder)
        self._all.add(worker)
        return worker

    def _instead_of(self, worker: _Worker) -> _Worker:
        """Another process in the place of one, which is ended; no other is started once all are to end."""
        if self._stopped:
            return worker
        self._all.discard(worker)
        ending = asyncio.create_task(worker.end())
        self._ending.add(ending)
        ending.add_done_callback(self._ending.discard)
        return self._new()
