"""Jobs, and the pool of warm worker processes that run them.

A job is one command with its state, its progress, its result and the files made from that. A process has already imported what
a job needs; it receives a task as a line of JSON and answers in lines of JSON. A process that is cancelled, takes too long or
dies is replaced at once. A task may be handed to a process that is still starting: it waits in the pipe.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import re
import shutil
import signal
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, field
from functools import partial
from pathlib import Path
from typing import Any, Literal

from outscore.core.records import dataclass
from outscore.engine.workers import interpreter_command
from outscore.web.messages import Cure, HTTPProblem
from outscore.web.settings import Settings
from outscore.web.store import ExpiringRegistry, Store, link, safe_name
from outscore.web.submission import RESULT, Submission

LOG = logging.getLogger(__name__)
State = Literal["waiting", "running", "done", "failed", "cancelled"]
OVER = ("done", "failed", "cancelled")
MAX_WAIT = 20.0
"""Seconds a request may wait for the state of a job to change."""
NOT_IN_A_NAME = re.compile(r"[^\w.]+", re.ASCII)
MAX_NAMED, MAX_NAME = 3, 40
MAX_TITLE = 120
FILES = "files"
"""The subfolder in which a command runs, so that an upload named like the result cannot collide with it."""
MAX_LINE = 1 << 24
ProgressCallback = Callable[[dict[str, Any]], None]
PATIENCE = 2.0
MODULE = "outscore.web.worker"


@dataclass(frozen=True)
class Answer:
    """The outcome of a task: code 0 and an answer, or another code and an error; `notes` are worth knowing either way."""

    code: int
    error: str | None = None
    parameter: str | None = None
    answer: Any = None
    notes: Sequence[str] = ()
    hint: str = ""

    def content(self, otherwise: str) -> Any:  # noqa: ANN401 - what the task answers
        """The answer; without one, the problem, which is called `otherwise` if nothing else is known."""
        if self.code:
            raise HTTPProblem(422, self.error or otherwise)
        return self.answer


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
                return await self._ask(task, self._settings.quick_seconds)
        finally:
            self._waiting -= 1

    async def run_job(self, task: dict[str, Any], on_start: Callable[[], None], on_progress: ProgressCallback) -> Answer:
        """Run a task that may take minutes; `on_start` is called when a process takes it."""
        async with self._jobs:
            return await self._ask(task, self._settings.job_seconds, on_start, on_progress)

    async def _ask(
        self,
        task: dict[str, Any],
        seconds: float,
        on_start: Callable[[], None] = lambda: None,
        on_progress: ProgressCallback = lambda _: None,
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


@dataclass
class Job:
    """One command and its outcome; the result is in the folder."""

    id: str
    folder: Path
    client: str
    submission: Submission
    state: State = "waiting"
    progress: dict[str, Any] | None = None
    error: str | None = None
    setting: str | None = None
    cures: Sequence[Cure] = ()
    notes: Sequence[str] = ()
    systems: Sequence[str] = ()
    made: float = field(default_factory=time.time)
    name: str = ""
    kept: bool = False
    headline: str | None = None
    size: int = 0
    task: asyncio.Task[None] | None = None
    leaving: asyncio.TimerHandle | None = None
    making: dict[str, asyncio.Task[Answer]] = field(default_factory=dict)
    _changed: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def label(self) -> str:
        """What its files are called: its name, or the command and the systems as long as that is a name and not a list."""
        if self.name:
            # A name is no path: what stands before a slash is part of it.
            return safe_name(re.sub(r"[/\\]", "-", self.name))
        names = [NOT_IN_A_NAME.sub("-", name).strip("-.")[:MAX_NAME] for name in self.systems]
        if len(names) > MAX_NAMED:
            names = [f"{len(names)} systems".replace(" ", "-")]
        return "-".join(filter(None, ["outscore", self.submission.name, "-vs-".join(filter(None, names))]))

    @property
    def is_over(self) -> bool:
        """Whether the state is final."""
        return self.state in OVER

    @property
    def busy(self) -> bool:
        """Whether something is happening in the folder, or somebody wants to keep it."""
        return not self.is_over or bool(self.making) or self.kept

    @property
    def holds(self) -> Mapping[str, int]:
        """Bytes of its own files and, until it is over, of its inputs, even if their uploads are removed."""
        files = {} if self.is_over else {upload.id: upload.size for upload in self.submission.places.values()}
        return {**files, self.id: self.size}

    @property
    def result(self) -> Path:
        """The file that the command wrote."""
        return self.folder / RESULT

    def set_state(self, state: State, error: str | None = None) -> None:
        """Change the state and wake everybody waiting for that; a final state stays."""
        if self.is_over:
            return
        self.state, self.error = state, error
        self.progress = None if state in OVER else self.progress
        self._changed.set()
        self._changed = asyncio.Event()

    def set_progress(self, progress: dict[str, Any]) -> None:
        """Store the latest progress."""
        self.progress = progress

    async def wait(self, seconds: float) -> None:
        """Wait until the state changes, but no longer than this."""
        if not self.is_over:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    await self._changed.wait()

    def to_dict(self) -> dict[str, Any]:
        """The job as the interface returns it."""
        return {
            "id": self.id,
            "state": self.state,
            "progress": self.progress,
            "result": self.id if self.state == "done" else None,
            "error": self.error,
            "setting": self.setting,
            "cures": [asdict(cure) for cure in self.cures],
            "notes": list(self.notes),
            "name": self.name,
            "kept": self.kept,
            "command_line": self.submission.line,
            "python": self.submission.python,
        }

    def about(self) -> dict[str, Any]:
        """What a list of results says of this one; `files` are the ids of the files it was made from, by their part."""
        return {
            "id": self.id,
            "name": self.name,
            "kept": self.kept,
            "command": self.submission.name,
            "systems": list(self.systems),
            "headline": self.headline,
            "made": self.made,
            "size": self.size,
            "files": {part: list(ids) for part, ids in self.submission.ids.items()},
            "settings": {name: list(texts) for name, texts in self.submission.given.items()},
        }


class Jobs:
    """All jobs, and the workers that run them."""

    def __init__(self, settings: Settings, store: Store, workers: Workers) -> None:
        self._settings, self._store, self._workers = settings, store, workers
        self.registry: ExpiringRegistry[Job] = store.results

    def start(self, submission: Submission, client: str) -> Job:
        """Start a job, unless too many are waiting or running; a result of the same files and settings is used again."""
        same = next((job for job in self.registry if job.state == "done" and job.submission.is_like(submission)), None)
        if same is not None:
            return self.registry.get(same.id)
        busy = [job for job in self.registry if not job.is_over]
        mine = sum(job.client == client for job in busy)
        if mine >= self._settings.max_jobs_per_client or len(busy) >= self._settings.max_jobs:
            whose = f"You have {mine} jobs" if mine >= self._settings.max_jobs_per_client else f"There are {len(busy)} jobs"
            raise HTTPProblem(429, f"{whose} waiting or running, which is the limit.", "Wait for one, or cancel one.")
        id_, folder = self._store.new_folder()
        try:
            job = Job(id_, folder, client, submission, size=place(submission, folder / FILES), name=submission.title)
        except BaseException:
            # Clean up: nothing refers to this folder yet.
            shutil.rmtree(folder, ignore_errors=True)
            raise
        self.registry.add(job)
        self.attend(job)
        job.task = asyncio.create_task(self._run(job))
        job.task.add_done_callback(lambda _: self._clear(job))
        return job

    def change(self, job: Job, *, name: str | None, kept: bool | None) -> None:
        """Name a result, keep it, or let it go."""
        if name is not None:
            job.name = _title(name)
        if kept and not job.kept and sum(other.kept for other in self.registry) >= self._settings.max_kept:
            most = f"{self._settings.max_kept} results are kept, which is the limit."
            raise HTTPProblem(422, most, "Stop keeping one of them, or export this one as JSON.")
        if kept is not None:
            job.kept = kept

    def attend(self, job: Job) -> None:
        """Somebody asks for a job: it is cancelled when nobody has done so for a while."""
        seconds = self._settings.abandoned_seconds
        self._cancel_later(job, seconds, f"This was cancelled because nobody asked for it for {seconds:g} seconds.")

    def cancel(self, job: Job, after: float = 0.0) -> None:
        """Cancel a job, now or unless somebody asks for it within some seconds; one that is over stays as it is."""
        if after > 0:
            self._cancel_later(job, after)
        else:
            self._cancel(job)

    def _cancel_later(self, job: Job, seconds: float, why: str | None = None) -> None:
        if job.leaving is not None:
            job.leaving.cancel()
        job.leaving = asyncio.get_running_loop().call_later(seconds, self._cancel, job, why)

    def _cancel(self, job: Job, why: str | None = None) -> None:
        if not job.is_over and job.task is not None:
            job.task.cancel()
            job.set_state("cancelled", why)

    async def make(self, job: Job, what: str, task: dict[str, Any]) -> Answer:
        """Make something from a result; concurrent requests for the same thing share one task."""
        if what not in job.making:
            job.making[what] = asyncio.create_task(self._make(job, what, task))
        # shield(): one client disconnecting must not cancel the work for the others.
        return await asyncio.shield(job.making[what])

    async def stop(self) -> None:
        """Stop all jobs."""
        tasks: list[asyncio.Task[Any]] = [job.task for job in self.registry if job.task is not None]
        tasks += [task for job in self.registry for task in job.making.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _run(self, job: Job) -> None:
        task = job.submission.task(str(job.folder / FILES), "..")
        try:
            answer = await self._workers.run_job(task, partial(job.set_state, "running"), job.set_progress)
            if answer.code:
                problem = job.submission.problem(answer.error or "The job failed.", answer.parameter, answer.hint)
                job.setting, job.cures = problem.setting, problem.cures
                job.set_state("failed", problem.message)
            else:
                job.notes, summary = answer.notes, answer.answer or {}
                job.systems, job.headline = summary.get("systems", ()), summary.get("headline")
                job.set_state("done")
        except HTTPProblem as problem:
            job.set_state("failed", str(problem))
        except Exception as error:
            LOG.exception("A job failed unexpectedly.")
            job.set_state("failed", f"This failed unexpectedly ({type(error).__name__}). Please report it with what you did.")

    async def _make(self, job: Job, what: str, task: dict[str, Any]) -> Answer:
        try:
            return await self._workers.run_quick(task)
        finally:
            del job.making[what]
            self._measure(job)

    def _clear(self, job: Job) -> None:
        """Remove the inputs of a job that is over; the result does not need them."""
        shutil.rmtree(job.folder / FILES, ignore_errors=True)
        self._measure(job)

    def _measure(self, job: Job) -> None:
        """Update the size of a job, and remove older results if the store is now over its limit."""
        job.size = _bytes_in(job.folder)
        self._store.trim(but=job.id)


def _title(written: str) -> str:
    """A name as one line of visible characters."""
    line = " ".join("".join(c if c.isprintable() else " " for c in written).split())
    if len(line) > MAX_TITLE:
        raise HTTPProblem(422, f"This name has {len(line)} characters.", f"Use at most {MAX_TITLE}.")
    return line


def _bytes_in(folder: Path) -> int:
    """The total size of all files, except those a worker renames or removes meanwhile."""
    size = 0
    for parent, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(FileNotFoundError):
                size += Path(parent, name).stat().st_size
    return size


def place(submission: Submission, folder: Path) -> int:
    """Link the uploads into the folder under the names the command uses, and return the bytes that had to be copied.

    Links take no space, and survive the removal of the upload.
    """
    copied = 0
    folder.mkdir(mode=0o700, exist_ok=True)
    for path, upload in submission.places.items():
        if not link(upload.path, folder / path):
            copied += upload.size
    return copied
