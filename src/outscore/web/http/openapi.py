"""The OpenAPI description of the interface: every route, with the schemas of what goes in and comes out.

The schemas of results are made from the dataclasses that are saved, and those of settings from the forms, so that page,
command line and library have one declaration of each.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, get_args

from outscore._version import __version__
from outscore.web.jobs.form import COMMANDS, Field, Kind, form
from outscore.web.jobs.queue import MAX_WAIT, State
from outscore.web.jobs.render import TYPES
from outscore.web.jobs.worker import CHART_TYPES
from outscore.web.messages import FileDescription, ResultRequest, SettingsFileRequest, TextRequest

Schema = dict[str, Any]
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
}
REFUSALS |= {
    421: "The request names another host.",
    422: "It cannot be computed from these files and settings.",
    429: "Too many jobs are waiting or running.",
}
REFUSALS |= {503: "No worker process could be started.", 507: "The disk is full."}


HOW_TO_ENTER = "The token in the address that `outscore serve` prints."


def _maybe(schema: Schema) -> Schema:
    return {"anyOf": [schema, {"type": "null"}]}


def _list(schema: Schema) -> Schema:
    return {"type": "array", "items": schema}


def _object(properties: Mapping[str, Schema], *, optional: tuple[str, ...] = ()) -> Schema:
    required = [name for name in properties if name not in optional]
    return {"type": "object", "properties": dict(properties), "required": required}


def _ref(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


def _own_schemas() -> dict[str, Schema]:
    """What only the page has."""
    choice = _object({"value": TEXT, "label": TEXT, "help": TEXT})
    progress = _object({"doing": TEXT, "done": WHOLE, "total": WHOLE})
    entry = {"name": TEXT, "label": TEXT, "help": TEXT, "type": {"enum": list(get_args(Kind))}, "group": TEXT}
    entry |= {
        "default": {},
        "unset": TEXT,
        "choices": _list(choice),
        "for": {"type": "object", "additionalProperties": _list(TEXT)},
    }
    entry |= {"many": {"type": "boolean"}, "least": WHOLE, "most": _maybe(WHOLE)}
    about = {"name": TEXT, "title": TEXT, "about": TEXT, "parameters": TEXT, "view": TEXT}
    parts = {"type": "object", "additionalProperties": _list(ID)}
    settings = {"type": "object"}
    return {
        "Refusal": _object({"error": TEXT, "hint": _maybe(TEXT), "setting": _maybe(TEXT)}),
        "File": {"allOf": [_object({"id": ID, "name": TEXT, "size": WHOLE}), _ref("FileDescription")]},
        "Field": _object(entry, optional=("least", "most")),
        "Example": _object({**about, "files": _list(TEXT), "settings": settings}),
        "Taken": _object({"files": _list(_ref("File")), "view": TEXT, "parts": parts, "settings": settings}),
        "Job": _object(
            {
                "id": ID,
                "state": {"enum": list(get_args(State))},
                "progress": _maybe(progress),
                "result": _maybe(ID),
                "error": _maybe(TEXT),
                "setting": _maybe(TEXT),
                "notes": _list(TEXT),
                "name": TEXT,
                "kept": {"type": "boolean"},
                "command_line": TEXT,
                "python": TEXT,
            }
        ),
        "About": _object(
            {
                "id": ID,
                "name": TEXT,
                "kept": {"type": "boolean"},
                "command": {"enum": list(COMMANDS)},
                "systems": _list(TEXT),
                "headline": _maybe(TEXT),
                "made": {"type": "number"},
                "size": WHOLE,
                "files": parts,
                "settings": {"type": "object", "additionalProperties": _list(TEXT)},
                "available": {"type": "boolean"},
            }
        ),
        "JobRequest": {"oneOf": [_job_schema(command) for command in COMMANDS]},
        "Headline": _object({"headline": TEXT, "why": TEXT, "won": {"type": "boolean"}, "named": {"type": "boolean"}}),
        "Chart": _object({"name": TEXT, "title": TEXT, "caption": TEXT}),
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
        schema["anyOf"].append(_list(value))
    if field.option.minimum is not None:
        schema["minimum"] = field.option.minimum
    return {"title": field.label, "description": field.help, "default": field.default, **schema}


def _job_schema(command: str) -> Schema:
    """The request for a job of one command."""
    files = {field.name: _list(ID) for field in form(command) if field.type == "file"}
    parts = {"type": "object", "properties": files, "additionalProperties": False}
    return _object(
        {"command": {"const": command}, "files": parts, "settings": _ref(_settings_name(command))},
        optional=("files", "settings"),
    )


def _operation(
    summary: str,
    status: int,
    content: Mapping[str, Schema] | None,
    *,
    body: Mapping[str, Schema] | None = None,
    parameters: Mapping[str, Schema] | None = None,
    query: Mapping[str, Schema] | None = None,
) -> Schema:
    """One method of a path."""
    places = [("path", parameters or {}), ("query", query or {})]
    done: Schema = {"description": "Done."}
    if content is not None:
        done["content"] = {kind: {"schema": schema} for kind, schema in content.items()}
    refusal = {"application/json": {"schema": _ref("Refusal")}}
    answers = {str(code): {"description": text, "content": refusal} for code, text in REFUSALS.items()}
    named = [
        {"name": name, "in": place, "required": place == "path", "schema": schema}
        for place, several in places
        for name, schema in several.items()
    ]
    operation: Schema = {"summary": summary, "parameters": named, "responses": {str(status): done, **answers}}
    if body is not None:
        operation["requestBody"] = {"required": True, "content": {kind: {"schema": schema} for kind, schema in body.items()}}
    return operation


def _json(schema: Schema) -> dict[str, Schema]:
    return {"application/json": schema}


def _binary(types: Mapping[str, str]) -> dict[str, Schema]:
    return {kind.partition(";")[0]: {} for kind in types.values()}


def _file_paths() -> dict[str, Schema]:
    # An upload of more files than a request may hold: each says how many there are, all but the first which one came first.
    parts = {"file": _list({"type": "string", "format": "binary"}), "total": {"type": "integer", "minimum": 1}, "first": TEXT}
    upload = {"multipart/form-data": _object(parts, optional=("total", "first"))}
    one = {"id": ID}
    return {
        "/api/files": {
            "post": _operation("Upload files", 201, _json(_object({"files": _list(_ref("File"))})), body=upload),
        },
        "/api/text": {"post": _operation("Paste a text as a file", 201, _json(_ref("File")), body=_json(_ref("TextRequest")))},
        "/api/files/{id}": {
            "get": _operation("Describe a file", 200, _json(_ref("File")), parameters=one),
            "delete": _operation("Remove a file", 204, None, parameters=one),
        },
        "/api/examples": {"get": _operation("Examples to try", 200, _json(_list(_ref("Example"))))},
        "/api/examples/{name}": {
            "post": _operation("Upload the files of an example", 201, _json(_ref("Taken")), parameters={"name": TEXT}),
        },
    }


def _job_paths(results: Schema, plans: Schema) -> dict[str, Schema]:
    one, command = {"id": ID}, {"command": {"enum": list(COMMANDS)}}
    wait = {"wait": {"type": "number", "minimum": 0, "maximum": MAX_WAIT}}
    form, chart = {"form": {"enum": list(TYPES)}}, {"name": TEXT, "form": {"enum": list(CHART_TYPES)}}
    settings = _ref(_settings_name("plan"))
    return {
        "/api/options/{command}": {
            "get": _operation("The form of a command", 200, _json(_list(_ref("Field"))), parameters=command),
        },
        "/api/jobs": {"post": _operation("Start a job", 202, _json(_ref("Job")), body=_json(_ref("JobRequest")))},
        "/api/jobs/{id}": {
            "get": _operation(
                "The state of a job, which ends if nobody asks", 200, _json(_ref("Job")), parameters=one, query=wait
            ),
            "delete": _operation("Cancel a job", 200, _json(_ref("Job")), parameters=one, query={"after": wait["wait"]}),
        },
        "/api/settings/{command}": {
            "post": _operation(
                "The settings in a file",
                200,
                _json(_object({"settings": {"type": "object"}, "files": _list(TEXT)})),
                body=_json(_ref("SettingsFileRequest")),
                parameters=command,
            ),
        },
        "/api/results/{id}": {
            "get": _operation("A result", 200, _json(results), parameters=one),
            "delete": _operation("Remove a result", 204, None, parameters=one),
        },
        "/api/results/{id}/about": {
            "get": _operation("A result as the list shows it", 200, _json(_ref("About")), parameters=one),
            "post": _operation(
                "Name a result, or keep it",
                200,
                _json(_ref("About")),
                body=_json(_ref("ResultRequest")),
                parameters=one,
            ),
        },
        "/api/results/{id}/settings.yaml": {
            "get": _operation("The settings of a result", 200, {"application/yaml": {}}, parameters=one),
        },
        "/api/results/{id}/headline": {
            "get": _operation("The headline of a result", 200, _json(_maybe(_ref("Headline"))), parameters=one),
        },
        "/api/results/{id}/download.{form}": {
            "get": _operation("A result in another form", 200, _binary(TYPES), parameters=one | form),
        },
        "/api/results/{id}/charts": {
            "get": _operation("The charts of a result", 200, _json(_list(_ref("Chart"))), parameters=one),
        },
        "/api/results/{id}/charts/{name}.{form}": {
            "get": _operation("One chart", 200, _binary(CHART_TYPES), parameters=one | chart),
        },
        "/api/plan": {"post": _operation("A plan from numbers, at once", 200, _json(plans), body=_json(settings))},
        "/api/plan/headline": {
            "post": _operation("The headline of a plan from numbers", 200, _json(_ref("Headline")), body=_json(settings)),
        },
        "/api/openapi.json": {"get": _operation("This description", 200, _json({"type": "object"}))},
    }


def _schema_of_line(_kind: type) -> dict[str, Any]:
    """Signatures are lines in JSON."""
    return {"type": "string"}


@cache
def description() -> Schema:
    """The whole description.

    Examples
    --------
    >>> found = description()
    >>> found["openapi"], "/api/jobs" in found["paths"], "Comparisons" in found["components"]["schemas"]
    ('3.1.0', True, True)
    """
    import msgspec

    from outscore.results.plan import PlanResult, PossibleP
    from outscore.results.possible import PossibleTable
    from outscore.results.saved import DOCUMENTS

    held = [*DOCUMENTS.values(), TextRequest, ResultRequest, SettingsFileRequest, FileDescription]
    references, schemas = msgspec.json.schema_components(
        held, schema_hook=_schema_of_line, ref_template="#/components/schemas/{name}"
    )
    schema_of = dict(zip(map(str, held), references, strict=True))
    results, plans = (
        {"anyOf": [schema_of[str(kind)] for kind in kinds]}
        for kinds in (DOCUMENTS.values(), (PlanResult, PossibleP, PossibleTable))
    )
    # All of it is told about every file.
    schemas["FileDescription"]["required"] = list(schemas["FileDescription"]["properties"])
    return {
        "openapi": "3.1.0",
        "info": {"title": "outscore", "version": __version__, "summary": "Did system A really outscore system B?"},
        "paths": _file_paths() | _job_paths(results, plans),
        "security": [{"token": []}],
        "components": {
            "schemas": schemas | _own_schemas() | _settings_schemas(),
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer", "description": HOW_TO_ENTER}},
        },
    }
