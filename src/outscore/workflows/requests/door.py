"""The door of every command: the files of a request are looked at together before the first of them is read."""

from __future__ import annotations

import glob
from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

from outscore.formats.base.pipes import reading_once, refuse_repeated
from outscore.formats.base.source import refuse_missing
from outscore.workflows.requests.base import Request
from outscore.workflows.requests.groups import LogRequest
from outscore.workflows.requests.shared import EACH_DATASET

_Request = TypeVar("_Request", bound=Request)
_More = ParamSpec("_More")
_Result = TypeVar("_Result")


def at_the_door(
    run: Callable[Concatenate[_Request, _More], _Result],
) -> Callable[Concatenate[_Request, _More], _Result]:
    """Let a function of a request read pipes once, and refuse files that are missing before it interprets the others."""

    @wraps(run)
    def entered(request: _Request, /, *given: _More.args, **more: _More.kwargs) -> _Result:
        refuse_repeated(request.inputs)
        refuse_missing([path for path in request.data_files if not glob.has_magic(path) and EACH_DATASET not in path])
        with reading_once(request.system_paths):
            return run(request.with_judgements() if isinstance(request, LogRequest) else request, *given, **more)

    return entered
