"""The same questions as tools of the Model Context Protocol, for agents.

Each request is a tool, and its options are the arguments: both are made from the declarations, as on the command line. Whatever
an argument names is resolved, through symbolic links, before anything is opened, and must lie below one folder.
"""

from __future__ import annotations

import glob
import json
import os
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from outscore._version import __version__
from outscore.core.errors import OutscoreError
from outscore.core.options import Option
from outscore.web.worker import Listener, attempt, run_request
from outscore.workflows.requests.registry import REQUESTS

if TYPE_CHECKING:
    from mcp import types
    from mcp.server import Server

    from outscore.workflows.requests.base import Request, Written

WHOLE = "whole"
WIDTH = 100
PLACEHOLDER = re.compile(r"\{\w+\}")
TYPES = {bool: "boolean", int: "integer", float: "number"}
INSTRUCTIONS = (
    "Asks whether differences between systems' scores are real. Files are tables with a row per item, logs of evaluation "
    "harnesses, or texts. `verdict` is the answer: quote it and every warning. `No winner` does not mean equally good: to "
    "claim that nothing was lost, call `gate`, or give `margin`. An error is one sentence with a cure: do what it says."
)


async def serve(root: Path) -> None:
    """Answer one client over standard input and output, until it leaves."""
    from mcp.server.stdio import stdio_server

    server = server_of(root)
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


def server_of(root: Path) -> Server[Any]:
    """The server: a tool for each request, one call at a time, on files below `root`."""
    import anyio
    from mcp import types
    from mcp.server import Server

    turn = anyio.CapacityLimiter(1)

    async def listed(_context: object, _given: object) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[_tool(request) for request in REQUESTS.values()])

    async def called(_context: object, given: types.CallToolRequestParams) -> types.CallToolResult:
        text, failed = await anyio.to_thread.run_sync(answer, given.name, given.arguments or {}, root, limiter=turn)
        return types.CallToolResult(content=[types.TextContent(type="text", text=text)], is_error=failed)

    return Server("outscore", version=__version__, instructions=INSTRUCTIONS, on_list_tools=listed, on_call_tool=called)


def _tool(request: type[Request]) -> types.Tool:
    from mcp import types

    about = (request.__doc__ or "").partition("\n")[0]
    return types.Tool(
        name=request.command,
        description=f"{about} As `outscore {request.subcommand}`.",
        input_schema=schema_of(request),
        annotations=types.ToolAnnotations(read_only_hint=True, open_world_hint=False),
    )


def schema_of(request: type[Request]) -> dict[str, Any]:
    """The arguments of a tool as JSON Schema: the options of the request, and how much to return.

    Examples
    --------
    >>> found = schema_of(REQUESTS["gate"])
    >>> found["required"], found["properties"]["margin"]["type"], found["properties"]["files"]["type"]
    (['files'], 'number', 'array')
    """
    options = request.options()
    whole = {"type": "boolean", "description": "Also return the whole result, as --format json prints it."}
    return {
        "type": "object",
        "properties": {**{option.name: _schema(option) for option in options}, WHOLE: whole},
        "required": [option.name for option in options if option.kind == "file" and option.least],
        "additionalProperties": False,
    }


def _schema(option: Option) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": TYPES.get(option.type, "string")}
    if isinstance(option.choices, tuple) and option.choices:
        schema["enum"] = list(option.choices)
    if option.kind == "settings":
        schema = {"type": "object", "additionalProperties": {"type": "string"}}
    elif option.many or option.least > 1 or option.kind == "names":
        schema = {"type": "array", "items": schema}
    text = f"{option.help} Default: {option.default_text}." if option.default_text else option.help
    return {**schema, "description": text}


def answer(command: str, given: Mapping[str, Any], root: Path) -> tuple[str, bool]:
    """The answer of a tool as JSON, the verdict first; or the sentence of a refusal, and that it is one."""
    done = attempt(lambda listener: _answer(command, given, root, listener), sys.stderr)
    return (str(done["error"]), True) if done["code"] else (json.dumps(done["answer"], ensure_ascii=False), False)


def _answer(command: str, given: Mapping[str, Any], root: Path, listener: Listener) -> dict[str, Any]:
    from outscore.report.render import kind_of, render

    if command not in REQUESTS:
        raise OutscoreError(f"There is no tool `{command}`.", f"Choose one of: {', '.join(REQUESTS)}.")
    request = REQUESTS[command].from_written(_written(given))
    for option in request.options():
        if request.is_given(option):
            refuse_outside(root, option, request.value(option.name))
    result, _ = run_request(request, remark=listener.notes.append)
    screen = render(result, "screen", width=WIDTH)
    kind = kind_of(result)
    answered: dict[str, Any] = {
        "verdict": screen.partition("\n")[0],
        "answer": screen,
        "values": [] if kind.lines is None else list(kind.lines(kind.whole(result))),
        "notes": listener.notes,
    }
    return {**answered, "result": result.to_dict()} if given.get(WHOLE) else answered


def _written(given: Mapping[str, Any]) -> dict[str, Written]:
    """Arguments as text, which is what requests are read from."""
    return {name: _text(value) for name, value in given.items() if name != WHOLE and value is not None and value is not False}


def _text(value: Any) -> Written:  # noqa: ANN401 - any value of JSON
    if isinstance(value, Mapping):
        return {str(key): str(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [str(inner) for inner in value]
    return "true" if value is True else str(value)


def refuse_outside(root: Path, option: Option, value: object) -> None:
    """Refuse an argument that names anything outside the folder, however it is written.

    Some options hold a file inside their text, such as ``COMET=a.comet,b.comet``: every part of a text is looked at.
    """
    for text in _texts(value):
        if option.kind == "file" and text == "-":
            raise OutscoreError("`-` is standard input, which carries the protocol.", "Name a file.", parameter=option.name)
        for path in _reached(text, option) if "\0" not in text else [os.sep]:
            real = os.path.realpath(root / path)
            if os.path.commonpath((real, os.path.realpath(root))) != os.path.realpath(root):
                raise OutscoreError(
                    f"`{path}` is not below `{root}`, the only folder that this server reads.",
                    "Name a file below it, or start `outscore mcp` with another --root.",
                    parameter=option.name,
                )


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        yield from map(str, value.values())
    elif isinstance(value, tuple):
        yield from map(str, value)


def _reached(text: str, option: Option) -> Iterator[str]:
    """Every path that a text may name, and for files what reading them also opens."""
    starts = [0, *(match.end() for match in re.finditer("[,:=]", text))]
    ends = [*(match.start() for match in re.finditer("[,:=]", text)), len(text)]
    for start in starts:
        for end in ends:
            part = text[start:end]
            # A word alone stays in the folder, unless it is a link.
            if part and (os.sep in part or part == os.pardir or os.path.islink(part)):  # noqa: PTH114 - as it is written
                yield part
    if option.kind == "file":
        matched = glob.glob(PLACEHOLDER.sub("*", text), recursive=True) if glob.has_magic(text) or "{" in text else []  # noqa: PTH207
        for path in (text, *matched):
            yield path
            yield from _opened_with(Path(path))


def _opened_with(path: Path) -> Iterator[str]:
    """The links inside a folder, and those beside a log that its reader may follow to the log's totals."""
    if path.is_dir():
        found = [Path(folder, name) for folder, folders, files in os.walk(path) for name in (*folders, *files)]
    else:
        found = list(path.parent.glob("*.json")) if path.is_file() else []
    yield from (str(entry) for entry in found if entry.is_symlink())
