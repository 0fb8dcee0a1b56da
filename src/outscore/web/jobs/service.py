"""What all routes share while the page runs: the store, the workers and the jobs."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import IO

import anyio.to_thread
from starlette.requests import Request

from outscore.web.http.bodies import Description, JobRequest
from outscore.web.http.refusals import RefusedError
from outscore.web.jobs.commands import Command, build
from outscore.web.jobs.jobs import Job, Jobs
from outscore.web.jobs.store import Store, Upload, safe_name
from outscore.web.jobs.workers import Workers
from outscore.web.settings import Settings

__all__ = ["Service", "running", "service_of"]

SWEEPS = 60
"""How often, in its lifetime, a thing is looked at whether it may go."""


@dataclass(frozen=True)
class Service:
    """Everything that outlives a request."""

    settings: Settings
    store: Store
    workers: Workers
    jobs: Jobs

    async def take(self, name: str, content: IO[bytes], size: int) -> Upload:
        """Keep a file and find out what it is."""
        with self.store.room(size):
            id_, folder = self.store.new_folder()
            upload = Upload(id_, folder, safe_name(name), size)
            try:
                await anyio.to_thread.run_sync(_write, upload.path, content)
                looking = {"task": "inspect", "folder": str(folder), "most": self.settings.largest_unpacked}
                answer = await self.workers.moment(looking)
            except BaseException:
                # Nothing may stay that no id leads to.
                shutil.rmtree(folder, ignore_errors=True)
                raise
            upload = replace(upload, about=answer.answer or _unknown(answer.error), readable=answer.code == 0)
            self.store.uploads.put(upload)
        return upload

    async def take_all(self, files: Iterable[tuple[str, IO[bytes], int]]) -> list[Upload]:
        """Keep several files, or none of them."""
        taken: list[Upload] = []
        try:
            for name, content, size in files:
                taken.append(await self.take(name, content, size))
        except BaseException:
            for upload in taken:
                self.store.uploads.discard(upload.id)
            raise
        return taken

    async def command(self, request: JobRequest) -> Command:
        """The command that answers a request, with the uploads it names."""
        found = {part: [self._upload(id_) for id_ in ids] for part, ids in request.files.items()}
        # The first form that is asked for imports what it lists.
        uploads = {part: several for part, several in found.items() if several}
        return await anyio.to_thread.run_sync(build, request.command, request.settings, uploads)

    def _upload(self, id_: str) -> Upload:
        upload = self.store.uploads.get(id_)
        if not upload.readable:
            # A job would take as long, or as much memory, for nothing.
            raise RefusedError(422, str(upload.about["problem"]))
        return upload

    def result(self, id_: str) -> Job:
        """The job that made a result."""
        job = self.jobs.shelf.get(id_)
        if job.state != "done":
            raise RefusedError(404, "There is no such result.", "The job has not finished, or failed.")
        return job


def _write(path: Path, content: IO[bytes]) -> None:
    with path.open("xb") as file:
        shutil.copyfileobj(content, file, 1 << 20)


def _unknown(problem: str | None) -> dict[str, object]:
    """The description of a file that could not even be looked at."""
    return asdict(Description(None, problem=problem or "The file could not be read."))


@asynccontextmanager
async def running(settings: Settings, worker: str) -> AsyncIterator[Service]:
    """A service with its workers started, each of which runs the module `worker`; at the end nothing of it is left."""
    store = Store(settings)
    workers = Workers(settings, store.folder, worker, {"OUTSCORE_CACHE": str(store.cache)})
    service = Service(settings, store, workers, Jobs(settings, store, workers))
    workers.start()
    sweeping = asyncio.create_task(_sweep(service))
    try:
        yield service
    finally:
        await _cancelled([sweeping])
        await service.jobs.stop()
        await workers.stop()
        store.close()


async def _sweep(service: Service) -> None:
    while True:
        await asyncio.sleep(service.settings.lifetime / SWEEPS)
        service.store.sweep()


async def _cancelled(tasks: Iterable[asyncio.Task[None]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def service_of(request: Request) -> Service:
    """The service that a request is for."""
    service: Service = request.app.state.service
    return service
