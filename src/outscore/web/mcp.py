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
from outscore.web.worker import attempt, run_request
from outscore.workflows.requests.registry import REQUESTS

if TYPE_CHECKING:
    from mcp import types
    from mcp.server import Server

    from outscore.workflows.requests.base import Request, Written

WHOLE = "whole"
WIDTH = 100
MAX_NAME, MAX_TEXT = 255, 2_000
MAX_PARTS = 100
"""Longer texts, and those of more parts, name nothing."""
BETWEEN = "[,:=]"
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
    notes: list[str] = []
    done = attempt(lambda: _answer(command, given, root, notes), notes, sys.stderr)
    said = str(done["error"]) if done["code"] else json.dumps(done["answer"], ensure_ascii=False)
    # Names of files may hold bytes that are no text, which the protocol cannot carry.
    return said.encode("utf-8", "backslashreplace").decode("utf-8"), bool(done["code"])


def _answer(command: str, given: Mapping[str, Any], root: Path, notes: list[str]) -> dict[str, Any]:
    from outscore.report.render import kind_of, render

    if command not in REQUESTS:
        raise OutscoreError(f"There is no tool `{command}`.", f"Choose one of: {', '.join(REQUESTS)}.")
    request = REQUESTS[command].from_written(_written(given))
    for option in request.options():
        if request.is_given(option):
            refuse_outside(root, option, request.value(option.name))
    result, _ = run_request(request, remark=notes.append)
    screen = render(result, "screen", width=WIDTH)
    kind = kind_of(result)
    answered: dict[str, Any] = {
        "verdict": screen.partition("\n")[0],
        "answer": screen,
        "values": [] if kind.lines is None else list(kind.lines(result)),
        "notes": notes,
    }
    return {**answered, "result": result.to_dict()} if given.get(WHOLE) else answered


def _written(given: Mapping[str, Any]) -> dict[str, Written]:
    """Arguments as text, which is what requests are read from."""
    if not isinstance(given.get(WHOLE, False), bool):
        raise OutscoreError(f"`{WHOLE}` is neither true nor false.", "Give one of them.", parameter=WHOLE)
    return {
        name: _text(name, value) for name, value in given.items() if name != WHOLE and value is not None and value is not False
    }


def _text(name: str, value: Any) -> Written:  # noqa: ANN401 - any value of JSON
    if isinstance(value, Mapping):
        return {str(key): _one_text(name, inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_one_text(name, inner) for inner in value]
    return _one_text(name, value)


def _one_text(name: str, value: Any) -> str:  # noqa: ANN401
    if value is None or isinstance(value, (Mapping, list)):
        raise OutscoreError(f"`{name}` holds {json.dumps(value):.40}.", "Give texts, numbers, true or false.", parameter=name)
    return "true" if value is True else str(value)


def refuse_outside(root: Path, option: Option, value: object) -> None:
    """Refuse an argument that names anything outside the folder, however it is written.

    Some options hold a file inside their text, such as ``COMET=a.comet,b.comet``: every part of a text is looked at.
    """
    for text in dict.fromkeys(_texts(value)):
        if len(text) > MAX_TEXT or len(re.findall(BETWEEN, text)) > MAX_PARTS:
            message = f"`{option.name}` holds {len(text):,} characters: {text[:40]} …"
            raise OutscoreError(message, "Give a name of a usual length.", parameter=option.name)
        if option.kind == "file" and (not text or any(len(os.fsencode(part)) > MAX_NAME for part in Path(text).parts)):
            raise OutscoreError(f"`{text:.40}` can be no name of a file.", "Check the spelling.", parameter=option.name)
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
            if os.path.exists(real) and not (os.path.isfile(real) or os.path.isdir(real)):  # noqa: PTH110, PTH112, PTH113
                # Reading a pipe would wait for its writer, and every later question with it.
                raise OutscoreError(f"`{path}` is neither a file nor a folder.", "Name a file.", parameter=option.name)


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        yield from map(str, value.values())
    elif isinstance(value, tuple):
        yield from map(str, value)


def _reached(text: str, option: Option) -> Iterator[str]:
    """Every path that a text may name, and for files what reading them also opens."""
    starts = [0, *(match.end() for match in re.finditer(BETWEEN, text))]
    ends = [*(match.start() for match in re.finditer(BETWEEN, text)), len(text)]
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
    """What is no file inside a folder, such as a link, and links beside a log that its reader may follow to its totals."""
    # Unlike those of paths, these functions take names that are too long.
    if os.path.isdir(path):  # noqa: PTH112
        found = [Path(folder, name) for folder, folders, files in os.walk(path) for name in (*folders, *files)]
    else:
        found = list(path.parent.glob("*.json")) if os.path.isfile(path) else []  # noqa: PTH113
    yield from (str(entry) for entry in found if entry.is_symlink() or not (entry.is_file() or entry.is_dir()))
