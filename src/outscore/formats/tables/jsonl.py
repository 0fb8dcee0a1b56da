"""JSON lines: one object per line, its keys the columns."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from typing import Any, NoReturn

import msgspec
import numpy as np

from outscore.core.errors import OutscoreError
from outscore.formats.source import Source
from outscore.formats.tables.cells import looks_numeric
from outscore.formats.tables.field import undecoded
from outscore.formats.tables.table import BLOCK_ROWS, Block, Choice, Records

__all__ = ["looks_like_json", "records", "sample"]

_NO_JSON = re.compile(r"\b(NaN|Infinity)\b")


def looks_like_json(source: Source, _choice: Choice) -> bool:
    """Whether the first line begins as an object or a list does."""
    first = next((line.lstrip() for line in source.head if line.strip()), "")
    return first.startswith("{") or bool(re.match(r"\[\s*($|[\[{])", first))


def records(source: Source) -> Records:
    """Open the objects of a file as a stream of records."""
    label, first = source.label, sample(source)
    late: dict[str, int] = {}

    def row(line: int, record: dict[str, Any], needed: Sequence[str]) -> tuple[int, tuple[Any, ...]]:
        if not record.keys() <= first.keys():
            for key, value in record.items():
                if key not in first and looks_numeric([value]):
                    late.setdefault(key, line)
        return line, tuple(map(record.get, needed))

    def blocks(needed: Sequence[str]) -> Iterator[Block]:
        rows = (row(line, record, needed) for line, record in _objects(source.lines(), label))
        while block := list(itertools.islice(rows, BLOCK_ROWS)):
            lines = np.fromiter((line for line, _ in block), dtype=np.int64, count=len(block))
            fields = zip(*(row for _, row in block), strict=True)
            yield Block(lines, dict(zip(needed, fields, strict=True)), late)

    return Records(label, tuple(first), first, blocks)


def sample(source: Source) -> dict[str, list[Any]]:
    """The first values of each column, None where an object lacks it."""
    if next((line for line in source.head if line.strip()), "").lstrip().startswith("["):
        raise OutscoreError(
            f"{source.label} is one JSON list, an object per line was expected.",
            f"Convert it with `jq -c '.[]' {source.path}`.",
        )
    found = [record for _, record in _objects(source.head, source.label)]
    if not found:
        raise OutscoreError(f"{source.label} is empty, JSON objects were expected.", "Give one object per line.")
    return {name: [record.get(name) for record in found] for name in dict.fromkeys(key for record in found for key in record)}


def _objects(lines: Sequence[str] | Iterator[str], label: str) -> Iterator[tuple[int, dict[str, Any]]]:
    decode = msgspec.json.Decoder().decode
    for number, line in enumerate(lines, 1):
        if line.isspace():
            continue
        try:
            record = decode(line)
        except (msgspec.DecodeError, UnicodeError) as error:
            _refuse(label, number, line, error)
        if not isinstance(record, dict):
            raise OutscoreError(
                f"{label}, line {number}: found {_KINDS.get(type(record), 'text')}, expected a JSON object.",
                'Write each record as {"id": ..., "score": ...} on a line of its own.',
            )
        yield number, record


_KINDS: dict[type, str] = {list: "a list", int: "a number", float: "a number", bool: "true or false", type(None): "null"}


def _refuse(label: str, number: int, line: str, error: Exception) -> NoReturn:
    problem = undecoded(line)
    if problem is not None:
        raise OutscoreError(f"{label}, line {number}: {problem[0]}.", problem[1]) from None
    bad = _NO_JSON.search(line)
    if bad is not None:
        raise OutscoreError(
            f"{label}, line {number}: found {bad[0]}, which JSON does not have.",
            "Give the item a score, or remove it from both systems.",
        ) from None
    reason = str(error).removeprefix("JSON is malformed: ")
    raise OutscoreError(
        f"{label}, line {number}: this line is not a whole JSON object ({reason}).",
        "Write each object on one line, without line ends inside it.",
    ) from None
