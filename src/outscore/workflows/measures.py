"""Columns that are measures of one system instead of systems: what all files have of them, and the commands that use them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from outscore.core.errors import MeasuresError, OutscoreError
from outscore.formats.tables.finder import naming
from outscore.scores.system import Scores
from outscore.workflows.requests.base import Request
from outscore.workflows.requests.compare import CompareRequest
from outscore.workflows.requests.score import ScoreRequest


def read_each(paths: Sequence[str], read: Callable[[str], list[Scores]]) -> list[list[Scores]]:
    """Read all files; if columns of theirs are measures, the refusal names those that all of these files have."""
    files, refusals = [], list[MeasuresError]()
    for path in paths:
        try:
            files.append(read(path))
        except MeasuresError as refusal:
            refusals.append(refusal)
    if refusals:
        first = refusals[0]
        first.measures = tuple(name for name in first.measures if all(name in other.measures for other in refusals))
        raise first
    return files


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
    by_one = replace(request, score=first)  # type: ignore[call-arg] # all requests for scores have it
    if refusal.by_system or len(files) > 1 or request.subcommand == ScoreRequest.subcommand:
        by_all = _among(CompareRequest, request, measure=refusal.measures)
        if not (compares or (len(files) == 2 and request.subcommand == "rank")):
            return f"Write `{by_one.command_line()}` to use one of them{_or_systems(request, refusal)}."
        return f"Write `{by_all.command_line()}` to compare by all of them, or `{by_one.command_line()}` to use one."
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
    as_systems = replace(request, system=systems)  # type: ignore[call-arg] # all requests for scores have it
    return f"; if they are systems, write `{as_systems.command_line()}`"


def _among(kind: type[Request], request: Request, **changed: Any) -> Request:  # noqa: ANN401 - values of options
    """The request of another kind with the options that both have; `gold` means a file in some and a column in others."""
    shared = {option.name for option in kind.options()} - {"gold"}
    given = {option.name: request.value(option.name) for option in request.options() if request.is_given(option)}
    return kind.of({**{name: value for name, value in given.items() if name in shared}, **changed})
