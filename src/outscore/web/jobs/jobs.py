"""Jobs: one command each, waiting, running, done, failed or cancelled, with how far it is and what is made of its result."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Literal

from outscore.web.http.refusals import RefusedError
from outscore.web.jobs.calls import python_call
from outscore.web.jobs.commands import RESULT, Command
from outscore.web.jobs.store import Shelf, Store
from outscore.web.jobs.workers import Answer, Workers
from outscore.web.settings import Settings

__all__ = ["LONGEST_WAIT", "Job", "Jobs", "State"]

LOG = logging.getLogger(__name__)
State = Literal["waiting", "running", "done", "failed", "cancelled"]
OVER = ("done", "failed", "cancelled")
LONGEST_WAIT = 20.0
"""Seconds that a request may wait for a state to change."""
FILES = "files"
"""The folder, inside that of a job, in which its command runs: a file called like the result cannot be in its way."""


@dataclass
class Job:
    """One command and what became of it; its result is in its folder."""

    id: str
    folder: Path
    client: str
    command: Command
    python: str
    state: State = "waiting"
    progress: dict[str, Any] | None = None
    error: str | None = None
    setting: str | None = None
    notes: Sequence[str] = ()
    size: int = 0
    doing: asyncio.Task[None] | None = None
    making: dict[str, asyncio.Task[Answer]] = field(default_factory=dict)
    _changed: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def is_over(self) -> bool:
        """Whether its state will not change any more."""
        return self.state in OVER

    @property
    def busy(self) -> bool:
        """Whether something is done in its folder."""
        return not self.is_over or bool(self.making)

    @property
    def holds(self) -> Mapping[str, int]:
        """What it made, and until it is over the files it is made from, even when their uploads are removed."""
        files = {} if self.is_over else {upload.id: upload.size for upload in self.command.places.values()}
        return {**files, self.id: self.size}

    @property
    def result(self) -> Path:
        """The file that the command wrote."""
        return self.folder / RESULT

    def become(self, state: State, error: str | None = None) -> None:
        """Change the state, and wake those who wait for that; what is over stays as it is."""
        if self.is_over:
            return
        self.state, self.error = state, error
        self.progress = None if state in OVER else self.progress
        self._changed.set()
        self._changed = asyncio.Event()

    def tell(self, progress: dict[str, Any]) -> None:
        """Take note of how far it is."""
        self.progress = progress

    async def wait(self, seconds: float) -> None:
        """Wait until the state changes, at most so long."""
        if not self.is_over:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    await self._changed.wait()

    def described(self) -> dict[str, Any]:
        """The job as answers show it."""
        return {
            "id": self.id,
            "state": self.state,
            "progress": self.progress,
            "result": self.id if self.state == "done" else None,
            "error": self.error,
            "setting": self.setting,
            "notes": list(self.notes),
            "command_line": self.command.line,
            "python": self.python,
        }


class Jobs:
    """All jobs, and the workers that do them."""

    def __init__(self, settings: Settings, store: Store, workers: Workers) -> None:
        self._settings, self._store, self._workers = settings, store, workers
        self.shelf: Shelf[Job] = store.results

    def start(self, command: Command, client: str) -> Job:
        """Take a job in, unless there are too many."""
        busy = [job for job in self.shelf if not job.is_over]
        own = sum(job.client == client for job in busy)
        if own >= self._settings.jobs_per_client or len(busy) >= self._settings.jobs_in_all:
            whose = f"You have {own} jobs" if own >= self._settings.jobs_per_client else f"There are {len(busy)} jobs"
            raise RefusedError(429, f"{whose} waiting or running, which is all there may be.", "Wait for one, or cancel one.")
        id_, folder = self._store.new_folder()
        try:
            job = Job(id_, folder, client, command, python_call(command), size=_place(command, folder / FILES))
        except BaseException:
            # Nothing may stay that no id leads to.
            shutil.rmtree(folder, ignore_errors=True)
            raise
        self.shelf.put(job)
        job.doing = asyncio.create_task(self._do(job))
        job.doing.add_done_callback(lambda _: self._clear(job))
        return job

    def cancel(self, job: Job) -> None:
        """Stop a job; one that is over stays as it is."""
        if not job.is_over and job.doing is not None:
            job.doing.cancel()
            job.become("cancelled")

    async def make(self, job: Job, what: str, task: dict[str, Any]) -> Answer:
        """Have something more made of a result; whoever asks for the same thing meanwhile waits for the same task."""
        if what not in job.making:
            job.making[what] = asyncio.create_task(self._make(job, what, task))
        # Who goes away does not take it from the others.
        return await asyncio.shield(job.making[what])

    async def stop(self) -> None:
        """Stop all jobs."""
        doing: list[asyncio.Task[Any]] = [job.doing for job in self.shelf if job.doing is not None]
        doing += [task for job in self.shelf for task in job.making.values()]
        for task in doing:
            task.cancel()
        await asyncio.gather(*doing, return_exceptions=True)

    async def _do(self, job: Job) -> None:
        task = {"argv": job.command.words("../"), "folder": str(job.folder / FILES)}
        try:
            answer = await self._workers.job(task, partial(job.become, "running"), job.tell)
            if answer.code:
                refusal = job.command.refusal(answer.error or "The job failed.")
                job.setting = refusal.setting
                job.become("failed", refusal.message)
            else:
                job.notes = answer.notes
                job.become("done")
        except RefusedError as refusal:
            job.become("failed", str(refusal))
        except Exception as mistake:
            LOG.exception("A job failed unexpectedly.")
            job.become("failed", f"This failed unexpectedly ({type(mistake).__name__}). Please report it with what you did.")

    async def _make(self, job: Job, what: str, task: dict[str, Any]) -> Answer:
        try:
            return await self._workers.moment(task)
        finally:
            del job.making[what]
            self._measure(job)

    def _clear(self, job: Job) -> None:
        """Remove the files of a job that is over: its result does not need them."""
        shutil.rmtree(job.folder / FILES, ignore_errors=True)
        self._measure(job)

    def _measure(self, job: Job) -> None:
        """Count what a job made, for which older results may have to make room."""
        job.size = _bytes_in(job.folder)
        self._store.trim(but=job.id)


def _bytes_in(folder: Path) -> int:
    """The size of all files; one that a worker renames or removes meanwhile is none."""
    size = 0
    for parent, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(FileNotFoundError):
                size += Path(parent, name).stat().st_size
    return size


def _place(command: Command, folder: Path) -> int:
    """Put the files where the command names them; the bytes that this took.

    Links cost nothing, and stay when the upload is removed.
    """
    copied = 0
    folder.mkdir(mode=0o700)
    for place, upload in command.places.items():
        target = folder / place
        target.parent.mkdir(mode=0o700, exist_ok=True)
        try:
            os.link(upload.path, target)
        except FileNotFoundError:
            raise RefusedError(404, "There is no such file.", "It was removed: upload it again.") from None
        except OSError:
            # Not every file system has links.
            shutil.copyfile(upload.path, target)
            copied += upload.size
    return copied
