"""Names of files, of systems and of measures, and the door of every command: all files are looked at before one is read."""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import wraps
from itertools import takewhile
from pathlib import PurePath
from typing import Any, Concatenate, ParamSpec, TypeVar

from outscore.core.errors import MeasuresError, OutscoreError
from outscore.formats.base.pipes import name_by_place, reading_once, refuse_repeated
from outscore.formats.base.source import is_pattern, pattern_name, refuse_missing, runs_in, stem_of, unpacked
from outscore.formats.tables.assemble import id_columns
from outscore.formats.tables.names import naming
from outscore.language.phrases import short_names
from outscore.scores.join import join_runs
from outscore.scores.system import Scores
from outscore.workflows.requests.base import Request
from outscore.workflows.requests.compare import CompareRequest
from outscore.workflows.requests.groups import LogRequest
from outscore.workflows.requests.rank import ScoreRequest
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


def files_given(reference: object = None, **given: object) -> dict[str, Any] | None:
    """All inputs as file names by their options, which make a request that can be repeated; None if not everything is a file.

    A list of references is one of paths: a list of strings is a text, segment by segment.

    Examples
    --------
    >>> files_given("r.txt", files=["a.txt", PurePath("b.txt")], documents=None)
    {'files': ('a.txt', 'b.txt'), 'reference': ('r.txt',)}
    >>> files_given(["first segment", "second segment"], files=["a.txt"])
    """
    if isinstance(reference, (list, tuple)):
        if not all(isinstance(path, os.PathLike) for path in reference):
            return None
        given["reference"] = reference
    elif reference is not None:
        given["reference"] = [reference]
    found: dict[str, Any] = {}
    for name, value in given.items():
        if value is None:
            continue
        texts = path_texts(value if isinstance(value, (list, tuple)) else [value])
        if texts is None:
            return None
        found[name] = texts if isinstance(value, (list, tuple)) else texts[0]
    return found


def distinct_names(paths: Sequence[str]) -> list[str]:
    """Unique names for files: the shortest distinguishing paths, numbered if the paths are the same.

    Endings are left out unless they distinguish files with the same stem, and long names lose what all of them begin and end
    with. A pattern of runs is called by what stands before its wildcard.

    Examples
    --------
    >>> distinct_names(["a/dev.conllu", "b/dev.conllu", "gold.conllu", "gold.conllu"])
    ['a/dev', 'b/dev', 'gold', 'gold (2)']
    >>> distinct_names(["runs/new.txt", "runs/new.txt"]), distinct_names(["run1/scores.txt", "run2/scores.txt.gz"])
    (['new', 'new (2)'], ['run1/scores', 'run2/scores'])
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
        paths_of = [{tuple(part) for part, other in zip(parts, names, strict=True) if other == name} for name in names]
        clashing = [i for i, several in enumerate(paths_of) if len(several) > 1 and depths[i] < len(parts[i])]
        if not clashing:
            return number_repeats(list(map(short_names(names).__getitem__, names)))
        for i in clashing:
            depths[i] += 1


def _told_apart_by_endings(parts: Sequence[list[str]], paths: Sequence[str]) -> list[list[str]]:
    """Parts of paths that end in the whole file name if files with the same stem have different endings."""
    stems: dict[str, set[str]] = {}
    for part, path in zip(parts, paths, strict=True):
        stems.setdefault(part[-1], set()).add(unpacked(path).name)
    return [
        [*part[:-1], unpacked(path).name] if len(stems[part[-1]]) > 1 else part for part, path in zip(parts, paths, strict=True)
    ]


def number_repeats(names: Sequence[str]) -> list[str]:
    """Names that differ, with a number where one stands for the second time.

    Examples
    --------
    >>> number_repeats(["x", "x"])
    ['x', 'x (2)']
    """
    taken: list[str] = []
    for name in names:
        numbered, number = name, 1
        while numbered in taken:
            number += 1
            numbered = f"{name} ({number})"
        taken.append(numbered)
    return taken


def _parts(path: str) -> list[str]:
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


Reader = Callable[..., list[Scores]]
"""Reads one file, with columns by the parameters of `outscore.read`."""


def read_each(paths: Sequence[str], read: Reader, columns: Mapping[str, Any]) -> list[list[Scores]]:
    """Read all files; if columns of theirs are measures, the refusal names those that all of these files have.

    Files that a pattern matches are runs of one system. Ids that no two files share, as every run makes new ones, yield to
    those of another column that they do share.
    """
    files = _read(paths, read, columns)
    if len(paths) < 2 or "item" in columns or _share_ids(files):
        return files
    taken = {name for file in files for one in file if one.origin is not None for name in one.origin.columns.get("item", ())}
    candidates = [id_columns(path) for written in paths for path in runs_in(written)] if taken else []
    for name in (name for name in candidates[0] if name not in taken) if candidates else ():
        if all(name in found for found in candidates):
            with suppress(OutscoreError):
                others = _read(paths, read, {**columns, "item": name})
                if _share_ids(others):
                    return others
    return files


def _read(paths: Sequence[str], read: Reader, columns: Mapping[str, Any]) -> list[list[Scores]]:
    files, refusals = [], list[MeasuresError]()
    for path in paths:
        try:
            runs = [read(file, **columns) for file in runs_in(path)]
            files.append([join_runs(runs)] if is_pattern(path) else runs[0])
        except MeasuresError as refusal:
            refusals.append(refusal)
    if refusals:
        first = refusals[0]
        first.measures = tuple(name for name in first.measures if all(name in other.measures for other in refusals))
        raise first
    return files


def _share_ids(files: Sequence[Sequence[Scores]]) -> bool:
    """Whether the first two files have an item in common, or do not name their items."""
    first, second = (file[0].ids for file in files[:2])
    return first is None or second is None or not set(first.names).isdisjoint(second.names)


def refuse_same_columns(first: Sequence[Scores], second: Sequence[Scores]) -> None:
    """Refuse two files, one for each system, that have the same several columns of numbers: these can only be measures."""
    names = [scores.name for scores in first]
    wide = all(one.origin is not None and not one.origin.columns.keys() & {"system", "gold"} for one in (*first, *second))
    if len(names) > 1 and wide and set(names) == {scores.name for scores in second}:
        columns = " and ".join(f"`{name}`" for name in names) if len(names) == 2 else f"the same {len(names)} columns"
        raise MeasuresError.of(
            f"{first[0].label} and {second[0].label} both have {columns}, so these are measures, not systems; systems on two "
            "datasets are for `outscore rank`.",
            f"Name the one meant with {naming('score')}.",
            names,
        )


@contextmanager
def proposing_measures(request: Request) -> Iterator[None]:
    """Say with a whole command how measures that were not expected can be used."""
    try:
        yield
    except MeasuresError as refusal:
        raise OutscoreError(refusal.message, _cure(request, refusal), parameter=refusal.parameter) from None


def _cure(request: Request, refusal: MeasuresError) -> str:
    first = refusal.measures[:1]
    if len(refusal.measures) < 2:
        return refusal.hint
    files: Sequence[str] = request.value("files")
    compares = request.subcommand == CompareRequest.subcommand and not request.value("unpaired")
    if not files:
        one, several = f"score={first[0]!r}", f"measure={list(refusal.measures)!r}"
        return f"Write {several} to compare by all of them, or {one}." if compares else f"Write {one} to use one of them."
    by_one = request.command_line(score=first)
    if refusal.by_system or len(files) > 1 or request.subcommand == ScoreRequest.subcommand:
        by_all = _among(CompareRequest, request, measure=refusal.measures)
        if not (compares or (len(files) == 2 and request.subcommand == "rank")):
            return f"Write `{by_one}` to use one of them{_or_systems(request, refusal)}."
        return f"Write `{by_all.command_line()}` to compare by all of them, or `{by_one}` to use one."
    alone = _among(ScoreRequest, request, score=first).command_line()
    options = " ".join(f"--measure {name}" for name in refusal.measures)
    return (
        f"Write `{alone}` to score this system, or name the file of another one, too, in `outscore compare` with "
        f"{options}{_or_systems(request, refusal)}."
    )


def _or_systems(request: Request, refusal: MeasuresError) -> str:
    """How to say that the columns of a single file are systems after all."""
    if refusal.by_system or len(request.value("files")) != 1:
        return ""
    systems = refusal.measures if request.subcommand in ("rank", ScoreRequest.subcommand) else refusal.measures[:2]
    return f"; if they are systems, write `{request.command_line(system=systems)}`"


def _among(kind: type[Request], request: Request, **changed: Any) -> Request:  # noqa: ANN401 - values of options
    """The request of another kind with the options that both have; `gold` means a file in some and a column in others."""
    shared = {option.name for option in kind.options()} - {"gold"}
    given = {option.name: request.value(option.name) for option in request.options() if request.is_given(option)}
    return kind.of({**{name: value for name, value in given.items() if name in shared}, **changed})
