"""Names of files and of systems that have none, and the door of every command: all files are looked at before one is read."""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from itertools import takewhile
from pathlib import PurePath
from typing import Concatenate, ParamSpec, TypeVar

from outscore.formats.base.pipes import reading_once, refuse_repeated
from outscore.formats.base.source import is_pattern, pattern_name, refuse_missing
from outscore.language.phrases import short_names
from outscore.workflows.requests.base import Request
from outscore.workflows.requests.groups import LogRequest
from outscore.workflows.requests.shared import EACH_DATASET

# Names of files, and names for systems that have none.


def path_texts(given: Iterable[object]) -> tuple[str, ...] | None:
    """Paths as text; None if something else is among them.

    Examples
    --------
    >>> path_texts([PurePath("a.txt"), "b.txt"]), path_texts(["a.txt", [1, 0]])
    (('a.txt', 'b.txt'), None)
    """
    texts = []
    for path in given:
        if not isinstance(path, (str, os.PathLike)):
            return None
        texts.append(os.fspath(path))
    return tuple(texts)


def unique_names(names: Sequence[str], *, stems: bool = False) -> tuple[str, str]:
    """Two different names: as given, or for files the shortest distinguishing path, or with a number.

    Examples
    --------
    >>> unique_names(("run1/scores.txt", "run2/scores.txt.gz"), stems=True)
    ('run1/scores', 'run2/scores')
    >>> unique_names(("x", "x"))
    ('x', 'x (2)')
    """
    first, second = distinct_names(names) if stems else _number_repeats(names)
    return first, second


def distinct_names(paths: Sequence[str]) -> list[str]:
    """Unique names for files: the shortest distinguishing paths, numbered if the paths are the same.

    Endings are left out unless they distinguish files with the same stem, and long names lose what all of them begin and end
    with. A pattern of runs is called by what stands before its wildcard.

    Examples
    --------
    >>> distinct_names(["a/dev.conllu", "b/dev.conllu", "gold.conllu", "gold.conllu"])
    ['a/dev', 'b/dev', 'gold', 'gold (2)']
    >>> distinct_names(["out.new", "out.old"])
    ['out.new', 'out.old']
    >>> distinct_names(["model_outputs_amber_5shots.json", "model_outputs_birch_5shots.json"])
    ['amber', 'birch']
    >>> distinct_names(["amber/*/results.json", "birch/*/results.json"])
    ['amber', 'birch']
    """
    parts = _told_apart_by_endings([_parts(path) for path in paths], paths)
    depths = [1] * len(parts)
    while True:
        names = ["/".join(part[-depth:]) for part, depth in zip(parts, depths, strict=True)]
        clashing = [i for i, name in enumerate(names) if names.count(name) > 1 and depths[i] < len(parts[i])]
        if not clashing:
            return _number_repeats(list(map(short_names(names).__getitem__, names)))
        for i in clashing:
            depths[i] += 1


def _told_apart_by_endings(parts: Sequence[list[str]], paths: Sequence[str]) -> list[list[str]]:
    """Parts of paths that end in the whole file name if files with the same stem have different endings."""
    stems: dict[str, set[str]] = {}
    for part, path in zip(parts, paths, strict=True):
        stems.setdefault(part[-1], set()).add(_without_packing(path))
    return [
        [*part[:-1], _without_packing(path)] if len(stems[part[-1]]) > 1 else part
        for part, path in zip(parts, paths, strict=True)
    ]


def _without_packing(path: str) -> str:
    """The name of a file, without the ending of a compression."""
    from outscore.formats.base.source import PACKED

    pure = PurePath(path)
    return pure.stem if pure.suffix in PACKED else pure.name


def _number_repeats(names: Sequence[str]) -> list[str]:
    taken: list[str] = []
    for name in names:
        numbered, number = name, 1
        while numbered in taken:
            number += 1
            numbered = f"{name} ({number})"
        taken.append(numbered)
    return taken


def _parts(path: str) -> list[str]:
    from outscore.formats.base.pipes import name_by_place
    from outscore.formats.base.source import stem_of

    if path == "-" or name_by_place(path) is not None:
        return [stem_of(path)]
    if is_pattern(path):
        called = pattern_name(path)
        before = list(takewhile(lambda part: not glob.has_magic(part), PurePath(path).parts))
        return [*(part for part in before if part not in ("/", "..", ".", called)), called]
    return [*(part for part in PurePath(path).parts[:-1] if part not in ("/", "..", ".")), stem_of(path)]


# The door of every command: the files of a request are looked at together before the first of them is read.


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
