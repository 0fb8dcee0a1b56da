"""What all routes share while the page runs: the store, the workers and the jobs."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any

import anyio.to_thread
from starlette.requests import Request

from outscore.core.records import dataclass
from outscore.web.form import form, read_settings, yaml_of_result
from outscore.web.jobs import Job, Jobs, Workers
from outscore.web.messages import HTTPProblem, JobRequest
from outscore.web.settings import Settings
from outscore.web.store import Store, Upload, clashes, link, safe_name, safe_place
from outscore.web.submission import Submission, submit
from outscore.web.worker import CHART_LIST, CHART_TYPES, CHARTS
from outscore.workflows.requests.registry import REQUESTS
from outscore.workflows.requests.settings_file import settings_yaml
from outscore.workflows.show.describe import FileDescription

TYPES = {
    "json": "application/json",
    "html": "text/html; charset=utf-8",
    "md": "text/markdown; charset=utf-8",
    "tex": "application/x-tex; charset=utf-8",
    "txt": "text/plain; charset=utf-8",
    "csv": "text/csv; charset=utf-8",
}
"""The forms of a result."""
SWEEPS = 60
"""How many times per lifetime expired entries are looked for."""


@dataclass(frozen=True)
class Service:
    """Everything that outlives a single request."""

    settings: Settings
    store: Store
    workers: Workers
    jobs: Jobs

    async def save_uploads(
        self, files: Iterable[tuple[str, IO[bytes], int]], total: int | None = None, first: str | None = None
    ) -> list[Upload]:
        """Store several files, or none of them, and inspect each beside those that it came with.

        They are all of their upload, or a part of its `total`, which other requests follow with the id of its `first` file.
        """
        sent = list(files)
        self._awaited(len(sent), total, first)
        saved: list[Upload] = []
        with self.store.reserve(sum(size for _, _, size in sent)), TemporaryDirectory(dir=self.store.folder) as together:
            try:
                for name, content, size in sent:
                    id_, folder = self.store.new_folder()
                    saved.append(Upload(id_, folder, safe_name(name), size, place=safe_place(name)))
                    await anyio.to_thread.run_sync(_write, saved[-1].path, content)
                places = _apart(saved)
                for place, upload in places.items():
                    await anyio.to_thread.run_sync(link, upload.path, Path(together, place))
                described = [await self._described(upload, together, place) for place, upload in places.items()]
                # Other files of it may have come in meanwhile.
                arrived, total = self._awaited(len(sent), total, first)
            except BaseException:
                # Clean up: nothing refers to these folders yet.
                for upload in saved:
                    shutil.rmtree(upload.folder, ignore_errors=True)
                raise
            beside = tuple(upload.id for upload in described if upload.about.get("companion"))
            # Some examples have no files.
            first = first or next((upload.id for upload in saved), "")
            uploads = [replace(one, first=first, beside=beside if one.about.get("scores") else ()) for one in described]
            self.store.awaited.pop(first, None)
            if arrived < total:
                self.store.awaited[first] = arrived, total
            for upload in uploads:
                self.store.uploads.add(upload)
        return uploads

    def _awaited(self, count: int, total: int | None, first: str | None) -> tuple[int, int]:
        """How many files of an upload have arrived with these, and of how many; it has to have room for them."""
        before, total = (0, total or count) if first is None else self.store.awaited.get(first, (0, 0))
        if before + count > total:
            message = "These files belong to no upload that is under way, or are more than it has."
            raise HTTPProblem(409, message, "Send all files again.")
        return before + count, total

    async def _described(self, upload: Upload, folder: str, place: str) -> Upload:
        task = {"task": "inspect", "folder": folder, "file": place, "max_bytes": self.settings.max_unpacked}
        answer = await self.workers.run_quick(task)
        return replace(upload, about=answer.answer or _unknown(answer.error), readable=answer.code == 0)

    async def submission(self, request: JobRequest) -> Submission:
        """Read what a client asks for, with the uploads it names."""
        named = {part: [self._upload(id_) for id_ in ids] for part, ids in request.files.items()}
        # In a thread: the first form of a command imports the registries it lists.
        uploads = {part: several for part, several in named.items() if several}
        beside = dict.fromkeys(id_ for several in uploads.values() for upload in several for id_ in upload.beside)
        companions = [upload for id_ in beside if (upload := self.store.uploads.find(id_)) is not None]
        return await anyio.to_thread.run_sync(submit, request.command, request.settings, uploads, companions)

    def _upload(self, id_: str) -> Upload:
        upload = self.store.uploads.get(id_)
        if upload.first in self.store.awaited:
            arrived, total = self.store.awaited[upload.first]
            far = f"{arrived:,} of {total:,} files"
            raise HTTPProblem(409, f"Only {far} of this upload have arrived.", "Wait for the others, or send all files again.")
        if not upload.readable:
            # The job would fail in the same way, after as much time or memory.
            raise HTTPProblem(422, str(upload.about["problem"]))
        return upload

    async def read_settings(self, command: str, id_: str) -> dict[str, Any]:
        """The settings in an upload, as the form of a command has them."""
        form(command)
        if command not in REQUESTS:
            raise HTTPProblem(422, "This view has no settings.")
        return await anyio.to_thread.run_sync(read_settings, command, self._upload(id_).path)

    async def settings_of(self, job: Job) -> str:
        """The settings that a result was made with, as YAML."""
        if job.submission.request is not None:
            return await anyio.to_thread.run_sync(settings_yaml, job.submission.request)
        return await anyio.to_thread.run_sync(yaml_of_result, job.result)

    def has_files(self, job: Job) -> bool:
        """Whether the files are still there that a result was made from."""
        known = {upload.id for upload in self.store.uploads}
        return all(id_ in known for ids in job.submission.ids.values() for id_ in ids)

    def result(self, id_: str) -> Job:
        """The job that made a result."""
        job = self.jobs.registry.get(id_)
        if job.state != "done":
            raise HTTPProblem(404, "There is no such result.", "The job has not finished, or failed.")
        return job

    async def download(self, job: Job, form: str) -> Path:
        """The file of a result in one form; it is made now, by a worker, unless it exists."""
        if form not in TYPES:
            raise HTTPProblem(404, f"A result has no form `{form[:20]}`.", f"Choose one of: {', '.join(TYPES)}.")
        path = job.folder / f"result.{form}"
        if not path.exists():
            answer = await self.jobs.make(job, path.name, {"task": "report", "suffix": form, "folder": str(job.folder)})
            answer.content("This form could not be written.")
        return path

    async def charts(self, job: Job) -> list[dict[str, str]]:
        """The name, title and caption of every chart of a result; they are drawn now unless they exist."""
        path = job.folder / CHARTS / CHART_LIST
        if not path.exists():
            answer = await self.jobs.make(job, CHARTS, {"task": "draw", "folder": str(job.folder)})
            answer.content("The charts could not be drawn.")
        listed: list[dict[str, str]] = json.loads(path.read_text(encoding="utf-8"))
        return listed

    async def chart(self, job: Job, name: str, form: str) -> Path:
        """The file of a chart."""
        known = [entry["name"] for entry in await self.charts(job)]
        if name not in known or form not in CHART_TYPES:
            raise HTTPProblem(404, "There is no such chart.", "The list of charts has all names.")
        return job.folder / CHARTS / f"{name}.{form}"

    async def headline(self, job: Job) -> Any:  # noqa: ANN401 - JSON
        """The headline of a result, which is shown before its report is made."""
        answer = await self.jobs.make(job, "headline", {"task": "headline", "folder": str(job.folder)})
        return answer.content("The result could not be read.")


def _apart(uploads: Sequence[Upload]) -> dict[str, Upload]:
    """Files that were sent together, by a place of its own for each; one whose place is taken is a drop by itself."""
    places: dict[str, Upload] = {}
    for upload in uploads:
        if clashes(upload.place, places):
            places[f"{upload.id}/{upload.name}"] = replace(upload, place=upload.name, drop=upload.id)
        else:
            places[upload.place] = replace(upload, drop=uploads[0].id)
    return places


def _write(path: Path, content: IO[bytes]) -> None:
    with path.open("xb") as file:
        shutil.copyfileobj(content, file, 1 << 20)


def _unknown(problem: str | None) -> dict[str, object]:
    """The description of a file that could not be inspected."""
    return asdict(FileDescription(None, problem=problem or "The file could not be read."))


@asynccontextmanager
async def run_service(settings: Settings) -> AsyncIterator[Service]:
    """Start a service with its workers; on exit all processes and files are removed."""
    store = Store(settings)
    workers = Workers(settings, store.folder, {"OUTSCORE_CACHE": str(store.cache)})
    service = Service(settings, store, workers, Jobs(settings, store, workers))
    workers.start()
    sweeping = asyncio.create_task(_sweep_regularly(service))
    try:
        yield service
    finally:
        sweeping.cancel()
        await asyncio.gather(sweeping, return_exceptions=True)
        await service.jobs.stop()
        await workers.stop()
        store.close()


async def _sweep_regularly(service: Service) -> None:
    while True:
        await asyncio.sleep(service.settings.lifetime / SWEEPS)
        service.store.sweep()


def service_of(request: Request) -> Service:
    """The service that handles a request."""
    service: Service = request.app.state.service
    return service
