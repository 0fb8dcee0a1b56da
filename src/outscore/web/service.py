"""What all routes share while the page runs: the store, the workers and the jobs."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO

import anyio.to_thread
from starlette.requests import Request as HttpRequest

from outscore.web.commands import Command, Request, build
from outscore.web.jobs import Job, Jobs
from outscore.web.refusals import RefusedError
from outscore.web.settings import Settings
from outscore.web.store import Store, Upload, safe_name
from outscore.web.workers import Workers

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
        self.store.check_room(size)
        id_, folder = self.store.new_folder()
        upload = Upload(id_, folder, safe_name(name), size)
        try:
            await anyio.to_thread.run_sync(_write, upload.path, content)
            answer = await self.workers.moment({"task": "inspect", "folder": str(folder)})
        except BaseException:
            # Whoever sent it has gone, or there is no place: nothing may stay that no id leads to.
            shutil.rmtree(folder, ignore_errors=True)
            raise
        upload = replace(upload, about=answer.answer or _unknown(answer.error))
        self.store.uploads.put(upload)
        return upload

    def command(self, request: Request) -> Command:
        """The command that answers a request, with the uploads it names."""
        found = {part: [self._upload(id_) for id_ in ids] for part, ids in request.files.items()}
        return build(request, {part: uploads for part, uploads in found.items() if uploads})

    def _upload(self, id_: str) -> Upload:
        return self.store.uploads.get(id_)

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
    nothing: Mapping[str, object] = {"format": None, "rows": None, "columns": [], "systems": [], "head": [], "suits": []}
    return {**nothing, "problem": problem or "The file could not be read."}


@asynccontextmanager
async def running(settings: Settings) -> AsyncIterator[Service]:
    """A service with its workers started; at the end nothing of it is left."""
    store = Store(settings)
    workers = Workers(settings, store.folder)
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
    lifetime = service.settings.lifetime
    while True:
        await asyncio.sleep(lifetime / SWEEPS)
        service.store.uploads.sweep(lifetime)
        service.jobs.shelf.sweep(lifetime)


async def _cancelled(tasks: Iterable[asyncio.Task[None]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def service_of(request: HttpRequest) -> Service:
    """The service that a request is for."""
    service: Service = request.app.state.service
    return service
