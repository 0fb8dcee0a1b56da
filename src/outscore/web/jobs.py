"""Jobs: one command each, waiting, running, done, failed or cancelled, with how far it is and who may look at it."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from outscore.web.calls import python_call
from outscore.web.commands import RESULT, Command
from outscore.web.refusals import RefusedError
from outscore.web.settings import Settings
from outscore.web.store import Shelf, Store
from outscore.web.workers import Workers

__all__ = ["Job", "Jobs"]

State = Literal["waiting", "running", "done", "failed", "cancelled"]
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
    doing: asyncio.Task[None] | None = None
    _changed: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def busy(self) -> bool:
        """Whether it is not over yet."""
        return self.state in ("waiting", "running")

    @property
    def result(self) -> Path:
        """The file that the command wrote."""
        return self.folder / RESULT

    def become(self, state: State, error: str | None = None) -> None:
        """Change the state, and wake those who wait for that."""
        self.state, self.error = state, error
        if not self.busy:
            self.progress = None
        self._changed.set()
        self._changed = asyncio.Event()

    def tell(self, progress: dict[str, Any]) -> None:
        """Take note of how far it is."""
        self.progress = progress

    async def wait(self, seconds: float) -> None:
        """Wait until the state changes, at most so long."""
        if self.busy:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._changed.wait(), seconds)

    def described(self) -> dict[str, Any]:
        """The job as answers show it."""
        return {
            "id": self.id,
            "state": self.state,
            "progress": self.progress,
            "result": self.id if self.state == "done" else None,
            "error": self.error,
            "command_line": self.command.line,
            "python": self.python,
        }


class Jobs:
    """All jobs, and the workers that do them."""

    def __init__(self, settings: Settings, store: Store, workers: Workers) -> None:
        self._settings, self._store, self._workers = settings, store, workers
        self.shelf: Shelf[Job] = Shelf("job", settings.most_results)

    def start(self, command: Command, client: str) -> Job:
        """Take a job in, unless there are too many."""
        busy = [job for job in self.shelf if job.busy]
        own = sum(job.client == client for job in busy)
        if own >= self._settings.jobs_per_client or len(busy) >= self._settings.jobs_in_all:
            whose = f"You have {own} jobs" if own >= self._settings.jobs_per_client else f"There are {len(busy)} jobs"
            raise RefusedError(429, f"{whose} waiting or running, which is all there may be.", "Wait for one, or cancel one.")
        id_, folder = self._store.new_folder()
        _place(command, folder / FILES)
        job = Job(id_, folder, client, command, python_call(command))
        self.shelf.put(job)
        job.doing = asyncio.create_task(self._do(job))
        return job

    def cancel(self, job: Job) -> None:
        """Stop a job; one that is over stays as it is."""
        if job.busy and job.doing is not None:
            job.doing.cancel()
            job.become("cancelled")

    async def stop(self) -> None:
        """Stop all jobs."""
        doing = [job.doing for job in self.shelf if job.busy and job.doing is not None]
        for task in doing:
            task.cancel()
        await asyncio.gather(*doing, return_exceptions=True)

    async def _do(self, job: Job) -> None:
        begun: Callable[[], None] = lambda: job.become("running")  # noqa: E731
        task = {"argv": job.command.words("../"), "folder": str(job.folder / FILES)}
        try:
            answer = await self._workers.job(task, begun, job.tell)
        except RefusedError as refusal:
            job.become("failed", str(refusal))
            return
        if answer.code == 0:
            job.become("done")
        else:
            job.become("failed", answer.error)


def _place(command: Command, folder: Path) -> None:
    """Put the files where the command names them; links cost nothing, and stay when the upload is removed."""
    folder.mkdir(mode=0o700)
    for place, upload in command.places.items():
        target = folder / place
        target.parent.mkdir(mode=0o700, exist_ok=True)
        os.link(upload.path, target)
