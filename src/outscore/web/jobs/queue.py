"""Jobs: one command each, with its state, its progress, its result and the files made from that."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import re
import shutil
import time
from collections.abc import Mapping, Sequence
from dataclasses import field
from functools import partial
from pathlib import Path
from typing import Any, Literal

from outscore.core.records import dataclass
from outscore.web.jobs.store import ExpiringRegistry, Store, link, safe_name
from outscore.web.jobs.submission import RESULT, Submission
from outscore.web.jobs.workers import Answer, Workers
from outscore.web.messages import HTTPProblem
from outscore.web.settings import Settings

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
            job = Job(id_, folder, client, submission, size=_place(submission, folder / FILES), name=submission.title)
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
                problem = job.submission.problem(answer.error or "The job failed.", answer.parameter)
                job.setting = problem.setting
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


def _place(submission: Submission, folder: Path) -> int:
    """Link the uploads into the folder under the names the command uses, and return the bytes that had to be copied.

    Links take no space, and survive the removal of the upload.
    """
    copied = 0
    folder.mkdir(mode=0o700)
    for place, upload in submission.places.items():
        if not link(upload.path, folder / place):
            copied += upload.size
    return copied
