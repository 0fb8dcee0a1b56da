"""The pool of warm worker processes: a few interpreters that have already imported what a job needs.

A process receives a task as a line of JSON and answers in lines of JSON. A process that is cancelled, takes too long or dies
is replaced at once. A task may be handed to a process that is still starting: it waits in the pipe.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from outscore.core.records import dataclass
from outscore.engine.subprocesses import interpreter_command
from outscore.web.messages import HTTPProblem
from outscore.web.settings import Settings

MAX_LINE = 1 << 24
ProgressCallback = Callable[[dict[str, Any]], None]
PATIENCE = 2.0
MODULE = "outscore.web.jobs.worker"


def _ignore_progress(progress: dict[str, Any]) -> None:
    """No-op progress callback."""
    del progress


@dataclass(frozen=True)
class Answer:
    """The outcome of a task: code 0 and an answer, or another code and an error; `notes` are worth knowing either way."""

    code: int
    error: str | None = None
    parameter: str | None = None
    answer: Any = None
    notes: Sequence[str] = ()


class _LostError(Exception):
    """The process died, either before or after it began the task."""

    def __init__(self, *, begun: bool) -> None:
        super().__init__()
        self.begun = begun


class _Worker:
    """One process; it starts immediately and is ready about a second later."""

    def __init__(self, command: list[str], environment: dict[str, str], folder: Path) -> None:
        self._starting = asyncio.create_task(self._start(command, environment, folder))

    @staticmethod
    async def _start(command: list[str], environment: dict[str, str], folder: Path) -> asyncio.subprocess.Process:
        return await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            limit=MAX_LINE,
            env=environment,
            cwd=folder,
            start_new_session=True,
        )

    async def ask(self, task: dict[str, Any], on_progress: ProgressCallback) -> Answer:
        """Send the task, pass on its progress, and return its answer."""
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
                    on_progress(message["progress"])
                elif "begun" in message:
                    begun = True
                else:
                    return Answer(**message)
        except (ConnectionError, ValueError) as error:
            raise _LostError(begun=begun) from error
        raise _LostError(begun=begun)

    async def end(self, patience: float = 0.0) -> int:
        """Kill the process, whatever it is doing, unless it exits within so many seconds; return its exit code."""
        try:
            process = await self._starting
        except OSError:
            # The process failed to start; the caller already got the error.
            return 0
        if patience:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(patience):
                    return await process.wait()
        if process.returncode is None:
            # Not `process.kill`: it would hide the exit code of a process that has just ended from `wait`.
            with contextlib.suppress(ProcessLookupError):
                os.kill(process.pid, signal.SIGKILL)
        return await process.wait()


class Workers:
    """All worker processes. Jobs may use all but one, and so may quick tasks, so that neither waits for the other.

    `environment` is added to the environment of this process. The processes run `serve` of `module`, which takes `memory`
    and `warm`, and answers tasks as `worker` describes.
    """

    def __init__(self, settings: Settings, folder: Path, environment: dict[str, str], module: str = MODULE) -> None:
        self._settings, self._folder = settings, folder
        self._command, inherited = interpreter_command(module, memory=settings.memory, warm=settings.warm)
        self._environment = inherited | environment
        self._all: set[_Worker] = set()
        self._free: asyncio.Queue[_Worker] = asyncio.Queue()
        self._jobs = asyncio.Semaphore(settings.workers)
        self._quick = asyncio.Semaphore(settings.workers)
        self._waiting = 0
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

    async def run_quick(self, task: dict[str, Any]) -> Answer:
        """Run a task that takes a moment, unless too many are waiting already."""
        if self._waiting >= self._settings.max_quick:
            raise HTTPProblem(
                429, f"{self._waiting} requests are already waiting, which is the limit.", "Try again in a moment."
            )
        self._waiting += 1
        try:
            async with self._quick:
                return await self._ask(task, self._settings.quick_seconds, lambda: None, _ignore_progress)
        finally:
            self._waiting -= 1

    async def run_job(self, task: dict[str, Any], on_start: Callable[[], None], on_progress: ProgressCallback) -> Answer:
        """Run a task that may take minutes; `on_start` is called when a process takes it."""
        async with self._jobs:
            return await self._ask(task, self._settings.job_seconds, on_start, on_progress)

    async def _ask(
        self, task: dict[str, Any], seconds: float, on_start: Callable[[], None], on_progress: ProgressCallback
    ) -> Answer:
        worker = await self._free.get()
        answered = False
        on_start()
        try:
            # Not `wait_for`: in Python 3.11 it loses a cancellation that arrives together with the answer.
            async with asyncio.timeout(seconds):
                try:
                    answer = await worker.ask(task, on_progress)
                except _LostError as lost:
                    if lost.begun:
                        raise
                    # The task did not cause this: the process died before it, perhaps while idle.
                    worker = self._replace(worker)
                    answer = await worker.ask(task, on_progress)
            answered = True
        except TimeoutError:
            return Answer(1, f"This took longer than the limit of {seconds:g} seconds. The command line has no limit.")
        except _LostError:
            # It has closed its output, so it is exiting by itself and its own code says why.
            code = await worker.end(PATIENCE)
            how = f"signal {-code}" if code < 0 else f"code {code}"
            return Answer(1, f"The worker process died ({how}). It may have run out of memory: use fewer or smaller files.")
        except OSError as error:
            raise HTTPProblem(503, f"No worker process could be started: {error.strerror}.", "Try again later.") from None
        finally:
            self._free.put_nowait(worker if answered else self._replace(worker))
        return answer

    def _new(self) -> _Worker:
        worker = _Worker(self._command, self._environment, self._folder)
        self._all.add(worker)
        return worker

    def _replace(self, worker: _Worker) -> _Worker:
        """Kill a process and start another in its place, unless the pool is stopping."""
        if self._stopped:
            return worker
        self._all.discard(worker)
        ending = asyncio.create_task(worker.end())
        self._ending.add(ending)
        ending.add_done_callback(self._ending.discard)
        return self._new()
