"""The HTTP interface: files in, jobs run, results out, all as JSON; `openapi` describes it."""

from __future__ import annotations

import io
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from importlib import import_module
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import TypeVar

import anyio
import anyio.to_thread
import msgspec
from starlette.datastructures import UploadFile
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Route

from outscore.web.forms import options
from outscore.web.http.bodies import JobRequest, SettingsRequest, TextRequest
from outscore.web.http.openapi import description
from outscore.web.http.refusals import RefusedError
from outscore.web.jobs import commands, render
from outscore.web.jobs.jobs import LONGEST_WAIT
from outscore.web.jobs.service import service_of

__all__ = ["routes"]

MOST_FILES = 100
Asked = TypeVar("Asked")


async def _body(request: Request, form: type[Asked]) -> Asked:
    """The body of a request as what is expected."""
    try:
        return msgspec.json.decode(await request.body(), type=form)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        reason = str(error).replace("`", "").partition("\n")[0]
        raise RefusedError(400, f"The request does not fit: {reason}.", "See /api/openapi.json.") from None


async def post_files(request: Request) -> Response:
    """Take uploads in."""
    service = service_of(request)
    async with request.form(max_files=MOST_FILES, max_fields=MOST_FILES) as form:
        sent = [part for part in form.getlist("file") if isinstance(part, UploadFile)]
        if not sent:
            raise RefusedError(400, "No file was sent.", "Send them as multipart/form-data in fields called `file`.")
        taken = await service.take_all((_name_of(part), part.file, part.size or 0) for part in sent)
    return JSONResponse({"files": [upload.described() for upload in taken]}, 201)


def _name_of(part: UploadFile) -> str:
    """The name of a file, in which browsers write these three signs in another way."""
    name = part.filename or ""
    for written, meant in (("%22", '"'), ("%0D", " "), ("%0A", " ")):
        name = name.replace(written, meant)
    return name


async def post_text(request: Request) -> Response:
    """Take a pasted text in as a file."""
    asked = await _body(request, TextRequest)
    content = asked.text.encode("utf-8", "surrogatepass")
    upload = await service_of(request).take(asked.name, io.BytesIO(content), len(content))
    return JSONResponse(upload.described(), 201)


async def get_file(request: Request) -> Response:
    """What is known about an upload."""
    return JSONResponse(service_of(request).store.uploads.get(request.path_params["id"]).described())


async def delete_file(request: Request) -> Response:
    """Remove an upload."""
    service_of(request).store.uploads.drop(request.path_params["id"])
    return Response(status_code=204)


async def _examples() -> ModuleType:
    """The examples, which need numpy: no page waits for that before it is asked for one."""
    return await anyio.to_thread.run_sync(import_module, "outscore.web.pages.examples")


async def get_examples(request: Request) -> Response:
    """All examples."""
    del request
    examples = await _examples()
    return JSONResponse(await anyio.to_thread.run_sync(examples.listed))


async def post_example(request: Request) -> Response:
    """Take the files of an example in."""
    examples = await _examples()
    entry, texts = await anyio.to_thread.run_sync(examples.example, request.path_params["name"])
    contents = {name: text.encode() for name, text in texts.items()}
    uploads = await service_of(request).take_all((name, io.BytesIO(sent), len(sent)) for name, sent in contents.items())
    taken = dict(zip(contents, uploads, strict=True))
    found = {
        "files": [upload.described() for upload in taken.values()],
        "view": entry.view,
        "parts": {part: [taken[name].id for name in names] for part, names in entry.parts.items()},
        "settings": dict(entry.settings),
    }
    return JSONResponse(found, 201)


async def get_options(request: Request) -> Response:
    """The form of a command."""
    fields = await anyio.to_thread.run_sync(options.form, request.path_params["command"])
    return JSONResponse([one.to_dict() for one in fields])


async def post_job(request: Request) -> Response:
    """Start a job."""
    service = service_of(request)
    command = await service.command(await _body(request, JobRequest))
    client = "" if request.client is None else request.client.host
    return JSONResponse(service.jobs.start(command, client).described(), 202)


async def get_job(request: Request) -> Response:
    """How far a job is; `wait` waits for its state to change."""
    job = service_of(request).jobs.shelf.get(request.path_params["id"])
    await job.wait(_seconds(request.query_params.get("wait", "0")))
    return JSONResponse(job.described())


def _seconds(written: str) -> float:
    try:
        seconds = float(written)
    except ValueError:
        seconds = -1.0
    # Written so that nan is refused, too.
    if not 0 <= seconds <= LONGEST_WAIT:
        raise RefusedError(400, f"`wait` is {written[:20]!r}.", f"Give seconds from 0 to {LONGEST_WAIT:g}.")
    return seconds


async def delete_job(request: Request) -> Response:
    """Cancel a job."""
    jobs = service_of(request).jobs
    job = jobs.shelf.get(request.path_params["id"])
    jobs.cancel(job)
    return JSONResponse(job.described())


async def get_result(request: Request) -> Response:
    """A result as the command line saves it."""
    job = service_of(request).result(request.path_params["id"])
    return FileResponse(job.result, media_type=render.TYPES["json"])


async def get_download(request: Request) -> Response:
    """A result in one of its forms."""
    service, form = service_of(request), request.path_params["form"]
    job = service.result(request.path_params["id"])
    path = await render.download(job, form, service.jobs)
    return FileResponse(path, media_type=render.TYPES[form], filename=f"outscore-{job.command.name}.{form}")


async def get_headline(request: Request) -> Response:
    """What a result comes to."""
    service = service_of(request)
    return JSONResponse(await render.headline(service.result(request.path_params["id"]), service.jobs))


async def get_charts(request: Request) -> Response:
    """The charts of a result."""
    service = service_of(request)
    return JSONResponse(await render.charts(service.result(request.path_params["id"]), service.jobs))


async def get_chart(request: Request) -> Response:
    """One chart of a result."""
    service, (name, form) = service_of(request), (request.path_params[key] for key in ("name", "form"))
    path = await render.chart(service.result(request.path_params["id"]), name, form, service.jobs)
    return FileResponse(path, media_type=render.CHART_TYPES[form])


@asynccontextmanager
async def _planned(request: Request) -> AsyncIterator[str]:
    """The folder of a plan from numbers, made at once."""
    asked = await _body(request, SettingsRequest)
    service = service_of(request)
    command = await service.command(JobRequest("plan", {}, asked))
    with TemporaryDirectory(dir=service.store.folder) as folder:
        answer = await service.workers.moment({"argv": command.words(), "folder": folder})
        if answer.code:
            raise command.refusal(answer.error or "There is no such plan.")
        yield folder


async def post_plan(request: Request) -> Response:
    """A plan from numbers, at once."""
    async with _planned(request) as folder:
        content = await anyio.Path(folder, commands.RESULT).read_bytes()
    return Response(content, media_type=render.TYPES["json"])


async def post_plan_headline(request: Request) -> Response:
    """What a plan from numbers comes to."""
    async with _planned(request) as folder:
        answer = await service_of(request).workers.moment({"task": "headline", "folder": folder})
    return JSONResponse(render.told_headline(answer))


async def get_description(request: Request) -> Response:
    """The description of all this."""
    del request
    return JSONResponse(await anyio.to_thread.run_sync(description))


Endpoint = Callable[[Request], Awaitable[Response]]


def _route(method: str, path: str, endpoint: Endpoint) -> Route:
    return Route(f"/api{path}", endpoint, methods=[method])


routes = [
    _route("POST", "/files", post_files),
    _route("POST", "/text", post_text),
    _route("GET", "/files/{id}", get_file),
    _route("DELETE", "/files/{id}", delete_file),
    _route("GET", "/examples", get_examples),
    _route("POST", "/examples/{name}", post_example),
    _route("GET", "/options/{command}", get_options),
    _route("POST", "/jobs", post_job),
    _route("GET", "/jobs/{id}", get_job),
    _route("DELETE", "/jobs/{id}", delete_job),
    _route("GET", "/results/{id}", get_result),
    _route("GET", "/results/{id}/headline", get_headline),
    _route("GET", "/results/{id}/download.{form}", get_download),
    _route("GET", "/results/{id}/charts", get_charts),
    _route("GET", "/results/{id}/charts/{name}.{form}", get_chart),
    _route("POST", "/plan", post_plan),
    _route("POST", "/plan/headline", post_plan_headline),
    _route("GET", "/openapi.json", get_description),
]
"""All routes; the description has exactly these."""
