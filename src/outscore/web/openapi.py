"""How the interface is described: each operation with the schemas of what goes in and comes out, as OpenAPI has it.

The schemas of results are made from the dataclasses that are saved, and those of settings from the forms, so that page,
command line and library have one declaration of each.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any, get_args

from starlette.requests import Request
from starlette.responses import Response

from outscore._version import __version__
from outscore.core.records import dataclass
from outscore.web.form import COMMANDS, Field, Kind, form
from outscore.web.jobs import State
from outscore.web.messages import ResultRequest, SettingsFileRequest, TextRequest
from outscore.workflows.show.describe import FileDescription

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
    item = object_of({"id": TEXT, "a": {"type": "number"}, "b": {"type": "number"}, "texts": list_of(TEXT)})
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
    settings = {"type": "object"}
    return {
        "Refusal": object_of({"error": TEXT, "hint": maybe(TEXT), "setting": maybe(TEXT), "cures": cures}),
        "Items": object_of({"systems": list_of(TEXT), "total": WHOLE, "columns": list_of(column), "items": list_of(item)}),
        "File": {"allOf": [object_of({"id": ID, "name": TEXT, "size": WHOLE}), ref("FileDescription")]},
        "Field": object_of(entry, optional=("least", "most")),
        "Example": object_of({**about, "files": list_of(TEXT), "settings": settings}),
        "Taken": object_of({"files": list_of(ref("File")), "view": TEXT, "parts": parts, "settings": settings}),
        "Job": object_of(
            {
                "id": ID,
                "state": {"enum": list(get_args(State))},
                "progress": maybe(progress),
                "result": maybe(ID),
                "error": maybe(TEXT),
                "setting": maybe(TEXT),
                "cures": cures,
                "notes": list_of(TEXT),
                "name": TEXT,
                "kept": {"type": "boolean"},
                "command_line": TEXT,
                "python": TEXT,
            }
        ),
        "About": object_of(
            {
                "id": ID,
                "name": TEXT,
                "kept": {"type": "boolean"},
                "command": {"enum": list(COMMANDS)},
                "systems": list_of(TEXT),
                "headline": maybe(TEXT),
                "made": {"type": "number"},
                "size": WHOLE,
                "files": parts,
                "settings": {"type": "object", "additionalProperties": list_of(TEXT)},
                "available": {"type": "boolean"},
            }
        ),
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
