"""The HTTP interface: upload files, run jobs, fetch results. Each operation is declared once, with its schemas.

The schemas of results, as OpenAPI has them, are made from the dataclasses that are saved, and those of settings from the forms,
so that page, command line and library have one declaration of each.
"""

from __future__ import annotations

import dataclasses
import io
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, TypeVar, get_args
from urllib.parse import quote

import anyio
import anyio.to_thread
import msgspec
from starlette.datastructures import UploadFile
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Route

from outscore._version import __version__
from outscore.core.options import did_you_mean
from outscore.core.records import dataclass
from outscore.web.form import COMMANDS, Field, Kind, form
from outscore.web.jobs import MAX_WAIT, Job, State, place
from outscore.web.messages import HTTPProblem, JobRequest, ResultRequest, SettingsFileRequest, SettingsRequest, TextRequest
from outscore.web.service import TYPES, service_of
from outscore.web.submission import RESULT
from outscore.web.worker import CHART_TYPES, ITEMISED
from outscore.workflows.show.describe import FileDescription

if TYPE_CHECKING:
    from outscore.examples.entry import Example


Schema = dict[str, Any]
Endpoint = Callable[[Request], Awaitable[Response]]
JSON = "application/json"
TEXT: Schema = {"type": "string"}
WHOLE: Schema = {"type": "integer", "minimum": 0}
ID: Schema = {"type": "string", "minLength": 1, "pattern": "^[A-Za-z0-9_-]+$"}
VALUES: dict[str, Schema] = {
    "number": {"type": ["number", "string"]},
    "whole": {"type": ["integer", "string"]},
    "flag": {"type": ["boolean", "string"]},
    "text": {"type": ["string", "number"]},
    "column": TEXT,
    "system": TEXT,
}
"""The allowed values of a setting, by the type of its field."""
REFUSALS = {
    400: "The request is invalid.",
    403: "The request lacks the token of the page, or came from another page.",
    404: "Not found.",
    408: "The request stalled.",
    413: "The request is too large.",
    415: "The content type is not JSON.",
    421: "The request names another host.",
    422: "It cannot be computed from these files and settings.",
    429: "Too many jobs are waiting or running.",
    503: "No worker process could be started.",
    507: "The disk is full.",
}

HOW_TO_ENTER = "The token in the address that `outscore serve` prints."


def maybe(schema: Schema) -> Schema:
    """Something, or null."""
    return {"anyOf": [schema, {"type": "null"}]}


def list_of(schema: Schema) -> Schema:
    """A list of something."""
    return {"type": "array", "items": schema}


def object_of(properties: Mapping[str, Schema], *, optional: tuple[str, ...] = ()) -> Schema:
    """An object; all its properties are required but the optional ones."""
    required = [name for name in properties if name not in optional]
    return {"type": "object", "properties": dict(properties), "required": required}


def ref(name: str) -> Schema:
    """A component by its name."""
    return {"$ref": f"#/components/schemas/{name}"}


def _own_schemas() -> dict[str, Schema]:
    """What only the page has."""
    cures = list_of(object_of({"setting": TEXT, "value": maybe(TEXT)}))
    column = object_of({"name": TEXT, "system": TEXT})
    score, by_metric = {"type": "number"}, {"type": "object", "additionalProperties": list_of({"type": "number"})}
    item = object_of(
        {"id": TEXT, "a": maybe(score), "b": maybe(score), "texts": list_of(TEXT), "of": list_of(TEXT), "by": by_metric},
        optional=("of", "by"),
    )
    choice = object_of({"value": TEXT, "label": TEXT, "help": TEXT})
    progress = object_of({"doing": TEXT, "done": WHOLE, "total": WHOLE})
    entry = {"name": TEXT, "label": TEXT, "help": TEXT, "type": {"enum": list(get_args(Kind))}, "group": TEXT}
    entry |= {
        "default": {},
        "unset": TEXT,
        "choices": list_of(choice),
        "for": {"type": "object", "additionalProperties": list_of(TEXT)},
    }
    entry |= {"many": {"type": "boolean"}, "least": WHOLE, "most": maybe(WHOLE)}
    about = {"name": TEXT, "title": TEXT, "about": TEXT, "parameters": TEXT, "view": TEXT}
    parts = {"type": "object", "additionalProperties": list_of(ID)}
    settings, lists = {"type": "object"}, {"type": "object", "additionalProperties": list_of(TEXT)}
    named = {"id": ID, "name": TEXT, "kept": {"type": "boolean"}}
    job = {**named, "state": {"enum": list(get_args(State))}, "progress": maybe(progress), "result": maybe(ID)}
    job |= {"error": maybe(TEXT), "setting": maybe(TEXT), "cures": cures, "notes": list_of(TEXT)}
    about_result = {**named, "command": {"enum": list(COMMANDS)}, "systems": list_of(TEXT), "headline": maybe(TEXT)}
    about_result |= {"made": {"type": "number"}, "size": WHOLE, "files": parts}
    return {
        "Refusal": object_of({"error": TEXT, "hint": maybe(TEXT), "setting": maybe(TEXT), "cures": cures}),
        "Items": object_of({"systems": list_of(TEXT), "total": WHOLE, "columns": list_of(column), "items": list_of(item)}),
        "File": {"allOf": [object_of({"id": ID, "name": TEXT, "size": WHOLE}), ref("FileDescription")]},
        "Field": object_of(entry, optional=("least", "most")),
        "Example": object_of({**about, "files": list_of(TEXT), "settings": settings}),
        "Taken": object_of({"files": list_of(ref("File")), "view": TEXT, "parts": parts, "settings": settings}),
        "Job": object_of({**job, **dict.fromkeys(("command_line", "python"), TEXT)}),
        "About": object_of({**about_result, "settings": lists, "available": {"type": "boolean"}}),
        "SettingsFound": object_of({"settings": settings, "files": list_of(TEXT)}),
        "JobRequest": {"oneOf": [_job_schema(command) for command in COMMANDS]},
        "Headline": object_of({"headline": TEXT, "why": TEXT, "won": {"type": "boolean"}, "named": {"type": "boolean"}}),
        "Chart": object_of({"name": TEXT, "title": TEXT, "caption": TEXT}),
    }


def _settings_schemas() -> dict[str, Schema]:
    """The settings of every command by name, with their types, defaults, choices and limits."""
    return {_settings_name(command): _settings_schema(form(command)) for command in COMMANDS}


def _settings_name(command: str) -> str:
    return f"{command.capitalize()}Settings"


def _settings_schema(fields: Iterable[Field]) -> Schema:
    properties: dict[str, Schema] = {}
    for field in fields:
        if field.type == "file":
            continue
        schema = _setting_schema(field)
        if field.name in properties:
            # It means one of several things, according to another setting.
            schema = {"anyOf": [properties[field.name], schema]}
        properties[field.name] = schema
    return {"type": "object", "properties": properties, "additionalProperties": False}


def _setting_schema(field: Field) -> Schema:
    """One setting. Numbers and flags may also be written as text, and null stands for the default."""
    if field.type in ("choice", "several"):
        value: Schema = {"enum": [choice.value for choice in field.choices]}
    else:
        value = VALUES[field.type]
    schema: Schema = {"anyOf": [value, {"type": "null"}]}
    if field.many or field.type == "several":
        schema["anyOf"].append(list_of(value))
    if field.option.minimum is not None:
        schema["minimum"] = field.option.minimum
    return {"title": field.label, "description": field.help, "default": field.default, **schema}


def _job_schema(command: str) -> Schema:
    """The request for a job of one command."""
    files = {field.name: list_of(ID) for field in form(command) if field.type == "file"}
    parts = {"type": "object", "properties": files, "additionalProperties": False}
    return object_of(
        {"command": {"const": command}, "files": parts, "settings": ref(_settings_name(command))},
        optional=("files", "settings"),
    )


@dataclass(frozen=True)
class Operation:
    """One method of a path below /api: who serves it, and the schemas of what goes in and comes out.

    The first line of the endpoint's docstring is its summary. `answer` is what comes back as JSON, `files` are the
    media types that come back instead, by their form.
    """

    method: str
    path: str
    endpoint: Endpoint
    answer: Schema | None = None
    status: int = 200
    files: Mapping[str, str] = dataclasses.field(default_factory=dict)
    body: Schema | None = None
    body_type: str = JSON
    query: Mapping[str, Schema] = dataclasses.field(default_factory=dict)

    def described(self) -> Schema:
        """The operation as OpenAPI has it."""
        known = {"id": ID, "name": TEXT, "command": {"enum": list(COMMANDS)}, "form": {"enum": list(self.files)}}
        inside = {name: known[name] for name in re.findall(r"{(\w+)}", self.path)}
        named = [
            {"name": name, "in": place, "required": place == "path", "schema": schema}
            for place, several in (("path", inside), ("query", self.query))
            for name, schema in several.items()
        ]
        content: Schema = {kind.partition(";")[0]: {} for kind in self.files.values()}
        if self.answer is not None:
            content = {JSON: {"schema": self.answer}}
        done = {"description": "Done.", **({"content": content} if content else {})}
        refusal = {JSON: {"schema": ref("Refusal")}}
        answers = {str(code): {"description": text, "content": refusal} for code, text in REFUSALS.items()}
        summary = (self.endpoint.__doc__ or "").partition("\n")[0].rstrip(".")
        operation: Schema = {"summary": summary, "parameters": named, "responses": {str(self.status): done, **answers}}
        if self.body is not None:
            operation["requestBody"] = {"required": True, "content": {self.body_type: {"schema": self.body}}}
        return operation


def _schema_of_line(_kind: type) -> dict[str, Any]:
    """Signatures are lines in JSON."""
    return {"type": "string"}


def description(operations: Iterable[Operation]) -> Schema:
    """The whole description.

    Examples
    --------
    >>> found = description([])
    >>> found["openapi"], "Comparisons" in found["components"]["schemas"]
    ('3.1.0', True)
    """
    import msgspec

    from outscore.results.plan import PlanResult, PossibleP, PossibleTable
    from outscore.results.saved import DOCUMENTS

    held = [*DOCUMENTS.values(), TextRequest, ResultRequest, SettingsFileRequest, FileDescription]
    references, schemas = msgspec.json.schema_components(
        held, schema_hook=_schema_of_line, ref_template="#/components/schemas/{name}"
    )
    schema_of = dict(zip(map(str, held), references, strict=True))
    for name, kinds in {"Result": DOCUMENTS.values(), "Plan": (PlanResult, PossibleP, PossibleTable)}.items():
        schemas[name] = {"anyOf": [schema_of[str(kind)] for kind in kinds]}
    paths: dict[str, Schema] = {}
    for one in operations:
        paths.setdefault(f"/api{one.path}", {})[one.method.lower()] = one.described()
    # All of it is told about every file.
    schemas["FileDescription"]["required"] = list(schemas["FileDescription"]["properties"])
    return {
        "openapi": "3.1.0",
        "info": {"title": "outscore", "version": __version__, "summary": "Did system A really outscore system B?"},
        "paths": paths,
        "security": [{"token": []}],
        "components": {
            "schemas": schemas | _own_schemas() | _settings_schemas(),
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer", "description": HOW_TO_ENTER}},
        },
    }


MAX_FILES, MAX_DIGITS = 100, 10
FORM_DATA, YAML = "multipart/form-data", "application/yaml"
EXAMPLE_SEED = 0
Body = TypeVar("Body")


async def _read_body(request: Request, kind: type[Body]) -> Body:
    """Decode the body of a request as the expected type.

    Pages of others can make a browser send any body as a form or as plain text; to call it JSON they must ask first.
    """
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise HTTPProblem(415, "The content type of this request is not JSON.", "Send it with content-type: application/json.")
    try:
        return msgspec.json.decode(await request.body(), type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        reason = str(error).replace("`", "").partition("\n")[0]
        if isinstance(error, RecursionError):
            reason = "it is nested too deeply"
        raise HTTPProblem(400, f"The request is invalid: {reason}.", "See /api/openapi.json.") from None


async def post_files(request: Request) -> Response:
    """Upload files."""
    service = service_of(request)
    async with request.form(max_files=MAX_FILES, max_fields=MAX_FILES) as form:
        sent = [part for part in form.getlist("file") if isinstance(part, UploadFile)]
        if not sent:
            raise HTTPProblem(400, "No file was sent.", "Send them as multipart/form-data in fields named `file`.")
        files = ((_name_of(part), part.file, part.size or 0) for part in sent)
        uploads = await service.save_uploads(files, _total(form.get("total")), _text(form.get("first")))
    return JSONResponse({"files": [upload.to_dict() for upload in uploads]}, 201)


def _text(sent: UploadFile | str | None) -> str | None:
    return sent if isinstance(sent, str) else None


def _total(sent: UploadFile | str | None) -> int | None:
    """How many files an upload has in all, if a request says so."""
    if sent is None:
        return None
    if not (isinstance(sent, str) and sent.isascii() and sent.isdecimal() and len(sent) < MAX_DIGITS):
        raise HTTPProblem(400, "`total` is not a number of files.", "Give the number of all files of the upload.")
    return int(sent)


def _name_of(part: UploadFile) -> str:
    """The name of a file; browsers escape these three characters in it."""
    name = part.filename or ""
    for escaped, character in (("%22", '"'), ("%0D", " "), ("%0A", " ")):
        name = name.replace(escaped, character)
    return name


async def post_text(request: Request) -> Response:
    """Save a pasted text as a file."""
    body = await _read_body(request, TextRequest)
    content = body.text.encode("utf-8", "surrogatepass")
    (upload,) = await service_of(request).save_uploads([(body.name, io.BytesIO(content), len(content))])
    return JSONResponse(upload.to_dict(), 201)


async def get_file(request: Request) -> Response:
    """Describe an upload."""
    return JSONResponse(service_of(request).store.uploads.get(request.path_params["id"]).to_dict())


async def delete_file(request: Request) -> Response:
    """Remove an upload."""
    service_of(request).store.uploads.remove(request.path_params["id"])
    return Response(status_code=204)


async def get_examples(_request: Request) -> Response:
    """List all examples."""
    return JSONResponse(await anyio.to_thread.run_sync(_list_examples))


def _list_examples() -> list[dict[str, object]]:
    # Imported in a thread: examples need numpy, and no page waits for that before one is asked for.
    from outscore.examples.registry import EXAMPLES

    return [
        {
            "name": name,
            "title": entry.title,
            "about": entry.about,
            "parameters": entry.parameters,
            "view": entry.view,
            "files": [file for files in entry.parts.values() for file in files],
            "settings": dict(entry.settings),
        }
        for name, entry in EXAMPLES.items()
    ]


def _make_example(name: str) -> tuple[Example, dict[str, bytes]]:
    """An example and its files by name."""
    from outscore.examples.registry import EXAMPLES

    if name not in EXAMPLES:
        raise HTTPProblem(404, f"There is no example `{name[:40]}`.", did_you_mean(name[:40], EXAMPLES))
    entry = EXAMPLES[name]
    return entry, {file: text.encode() for file, text in entry.files(EXAMPLE_SEED).items()}


async def post_example(request: Request) -> Response:
    """Save the files of an example as uploads."""
    entry, contents = await anyio.to_thread.run_sync(_make_example, request.path_params["name"])
    files = ((name, io.BytesIO(content), len(content)) for name, content in contents.items())
    uploads = dict(zip(contents, await service_of(request).save_uploads(files), strict=True))
    answer = {
        "files": [upload.to_dict() for upload in uploads.values()],
        "view": entry.view,
        "parts": {part: [uploads[name].id for name in names] for part, names in entry.parts.items()},
        "settings": dict(entry.settings),
    }
    return JSONResponse(answer, 201)


async def get_options(request: Request) -> Response:
    """The form of a command."""
    fields = await anyio.to_thread.run_sync(form, request.path_params["command"])
    return JSONResponse([one.to_dict() for one in fields])


async def post_job(request: Request) -> Response:
    """Start a job."""
    service = service_of(request)
    submission = await service.submission(await _read_body(request, JobRequest))
    client = "" if request.client is None else request.client.host
    return JSONResponse(service.jobs.start(submission, client).to_dict(), 202)


async def post_items(request: Request) -> Response:
    """The items of an answer: scores, battles or segments, with the texts beside them."""
    service = service_of(request)
    submission = await service.submission(await _read_body(request, JobRequest))
    if submission.name not in ITEMISED:
        raise HTTPProblem(422, f"`{submission.name}` has no items.", f"Ask for {', '.join(ITEMISED)}.")
    with TemporaryDirectory(dir=service.store.folder) as folder:
        await anyio.to_thread.run_sync(place, submission, Path(folder))
        answer = await service.workers.run_quick({**submission.task(folder, "."), "task": "items"})
    if answer.code:
        raise submission.problem(answer.error or "The items could not be read.", answer.parameter, answer.hint)
    return JSONResponse(answer.answer)


async def get_job(request: Request) -> Response:
    """The state of a job; `wait` waits for it to change."""
    jobs = service_of(request).jobs
    job = jobs.registry.get(request.path_params["id"])
    seconds = _read_seconds(request, "wait")
    jobs.attend(job)
    await job.wait(seconds)
    return JSONResponse(job.to_dict())


def _read_seconds(request: Request, name: str) -> float:
    written = request.query_params.get(name, "0")
    try:
        seconds = float(written)
    except ValueError:
        seconds = -1.0
    # This form refuses nan, too.
    if not 0 <= seconds <= MAX_WAIT:
        raise HTTPProblem(400, f"`{name}` is {written[:20]!r}.", f"Give seconds from 0 to {MAX_WAIT:g}.")
    return seconds


async def delete_job(request: Request) -> Response:
    """Cancel a job; with `after` in so many seconds, unless somebody asks for it until then."""
    jobs = service_of(request).jobs
    job = jobs.registry.get(request.path_params["id"])
    jobs.cancel(job, _read_seconds(request, "after"))
    return JSONResponse(job.to_dict())


def _result(request: Request) -> Job:
    return service_of(request).result(request.path_params["id"])


async def get_result(request: Request) -> Response:
    """A result as the command line saves it."""
    return FileResponse(_result(request).result, media_type=TYPES["json"])


async def get_about(request: Request) -> Response:
    """What a list of results says of one, which does not count as using it."""
    service = service_of(request)
    job = service.jobs.registry.get(request.path_params["id"], use=False)
    return JSONResponse({**job.about(), "available": service.has_files(job)})


async def post_about(request: Request) -> Response:
    """Name a result, keep it, or let it go."""
    service = service_of(request)
    body = await _read_body(request, ResultRequest)
    job = _result(request)
    service.jobs.change(job, name=body.name, kept=body.kept)
    return JSONResponse({**job.about(), "available": service.has_files(job)})


async def delete_result(request: Request) -> Response:
    """Remove a result."""
    service_of(request).jobs.registry.remove(_result(request).id)
    return Response(status_code=204)


async def get_settings(request: Request) -> Response:
    """The settings of a result as YAML."""
    job = _result(request)
    attached = {"content-disposition": f"attachment; filename*=utf-8''{quote(job.label)}.yaml"}
    return Response(await service_of(request).settings_of(job), media_type=YAML, headers=attached)


async def post_settings(request: Request) -> Response:
    """The settings that an upload holds, as a form has them."""
    body = await _read_body(request, SettingsFileRequest)
    return JSONResponse(await service_of(request).read_settings(request.path_params["command"], body.file))


async def get_download(request: Request) -> Response:
    """A result in one of its forms."""
    job, form = _result(request), request.path_params["form"]
    path = await service_of(request).download(job, form)
    return FileResponse(path, media_type=TYPES[form], filename=f"{job.label}.{form}")


async def get_headline(request: Request) -> Response:
    """The headline of a result."""
    return JSONResponse(await service_of(request).headline(_result(request)))


async def get_charts(request: Request) -> Response:
    """The charts of a result."""
    return JSONResponse(await service_of(request).charts(_result(request)))


async def get_chart(request: Request) -> Response:
    """One chart of a result."""
    form = request.path_params["form"]
    path = await service_of(request).chart(_result(request), request.path_params["name"], form)
    return FileResponse(path, media_type=CHART_TYPES[form])


@asynccontextmanager
async def _run_plan(request: Request) -> AsyncIterator[str]:
    """Run a plan that needs no files, and yield the folder of its result."""
    settings = await _read_body(request, SettingsRequest)
    service = service_of(request)
    submission = await service.submission(JobRequest("plan", {}, settings))
    with TemporaryDirectory(dir=service.store.folder) as folder:
        answer = await service.workers.run_quick(submission.task(folder, "."))
        if answer.code:
            raise submission.problem(answer.error or "There is no such plan.", answer.parameter)
        yield folder


async def post_plan(request: Request) -> Response:
    """Make a plan from numbers, without a job."""
    async with _run_plan(request) as folder:
        content = await anyio.Path(folder, RESULT).read_bytes()
    return Response(content, media_type=TYPES["json"])


async def post_plan_headline(request: Request) -> Response:
    """The headline of a plan from numbers."""
    async with _run_plan(request) as folder:
        answer = await service_of(request).workers.run_quick({"task": "headline", "folder": folder})
    return JSONResponse(answer.content("The result could not be read."))


async def get_description(_request: Request) -> Response:
    """The OpenAPI description."""
    return JSONResponse(await anyio.to_thread.run_sync(_described))


@cache
def _described() -> Schema:
    return description(OPERATIONS)


UPLOAD = object_of(
    {"file": list_of({"type": "string", "format": "binary"}), "total": {"type": "integer", "minimum": 1}, "first": TEXT},
    optional=("total", "first"),
)
"""An upload of more files than a request may hold: each says how many there are, all but the first which one came first."""
WAIT = {"type": "number", "minimum": 0, "maximum": MAX_WAIT}
PLANNED = ref("PlanSettings")
OPERATIONS = (
    Operation("POST", "/files", post_files, object_of({"files": list_of(ref("File"))}), 201, body=UPLOAD, body_type=FORM_DATA),
    Operation("POST", "/text", post_text, ref("File"), 201, body=ref("TextRequest")),
    Operation("GET", "/files/{id}", get_file, ref("File")),
    Operation("DELETE", "/files/{id}", delete_file, status=204),
    Operation("GET", "/examples", get_examples, list_of(ref("Example"))),
    Operation("POST", "/examples/{name}", post_example, ref("Taken"), 201),
    Operation("GET", "/options/{command}", get_options, list_of(ref("Field"))),
    Operation("POST", "/jobs", post_job, ref("Job"), 202, body=ref("JobRequest")),
    Operation("POST", "/items", post_items, ref("Items"), body=ref("JobRequest")),
    Operation("GET", "/jobs/{id}", get_job, ref("Job"), query={"wait": WAIT}),
    Operation("DELETE", "/jobs/{id}", delete_job, ref("Job"), query={"after": WAIT}),
    Operation("POST", "/settings/{command}", post_settings, ref("SettingsFound"), body=ref("SettingsFileRequest")),
    Operation("GET", "/results/{id}", get_result, ref("Result")),
    Operation("DELETE", "/results/{id}", delete_result, status=204),
    Operation("GET", "/results/{id}/about", get_about, ref("About")),
    Operation("POST", "/results/{id}/about", post_about, ref("About"), body=ref("ResultRequest")),
    Operation("GET", "/results/{id}/settings.yaml", get_settings, files={"yaml": YAML}),
    Operation("GET", "/results/{id}/headline", get_headline, maybe(ref("Headline"))),
    Operation("GET", "/results/{id}/download.{form}", get_download, files=TYPES),
    Operation("GET", "/results/{id}/charts", get_charts, list_of(ref("Chart"))),
    Operation("GET", "/results/{id}/charts/{name}.{form}", get_chart, files=CHART_TYPES),
    Operation("POST", "/plan", post_plan, ref("Plan"), body=PLANNED),
    Operation("POST", "/plan/headline", post_plan_headline, ref("Headline"), body=PLANNED),
    Operation("GET", "/openapi.json", get_description, {"type": "object"}),
)
"""Everything that can be asked of the page."""
routes = [Route(f"/api{one.path}", one.endpoint, methods=[one.method]) for one in OPERATIONS]
