"""JSON lines: one object per line, its keys are the columns."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from typing import Any, NoReturn

import msgspec
import numpy as np

from outscore.core.errors import OutscoreError
from outscore.formats.base.source import Peek, Source, line_error, refuse_undecoded
from outscore.formats.tables.cells import looks_numeric
from outscore.formats.tables.records import BLOCK_ROWS, Block, Records

__all__ = ["begins_with_object", "looks_like_json", "records", "sample"]

_NO_JSON = re.compile(r"\b(NaN|Infinity)\b")


def looks_like_json(peek: Peek) -> bool:
    """Whether the first line begins like an object or a list."""
    first = next((line.lstrip() for line in peek.filled), "")
    return first.startswith("{") or bool(re.match(r"\[\s*($|[\[{])", first))


def begins_with_object(peek: Peek) -> bool:
    """Whether the first line that is no comment is a whole object: a word in braces may begin other files."""
    first = next((line.rstrip() for line in peek.filled if not line.startswith("#")), "")
    return first.startswith("{") and first.endswith("}")


def records(source: Source) -> Records:
    """Open the objects of a file as a stream of records."""
    first = sample(source.peek)
    late: dict[str, int] = {}

    def row(line: int, record: dict[str, Any], needed: Sequence[str]) -> tuple[int, tuple[Any, ...]]:
        if not record.keys() <= first.keys():
            for key, value in record.items():
                if key not in first and looks_numeric([value]):
                    late.setdefault(key, line)
        return line, tuple(map(record.get, needed))

    def blocks(needed: Sequence[str]) -> Iterator[Block]:
        rows = (row(line, record, needed) for line, record in _objects(source.lines(), source.path))
        while block := list(itertools.islice(rows, BLOCK_ROWS)):
            lines = np.fromiter((line for line, _ in block), dtype=np.int64, count=len(block))
            fields = zip(*(row for _, row in block), strict=True)
            yield Block(lines, dict(zip(needed, fields, strict=True)), late)

    return Records(source.label, tuple(first), first, blocks, path=source.path)


def sample(peek: Peek) -> dict[str, list[Any]]:
    """The first values of each column, None where an object lacks it."""
    if next(iter(peek.filled), "").lstrip().startswith("["):
        raise OutscoreError(
            f"{peek.label} is one JSON list, an object per line was expected.",
            f"Convert it with `jq -c '.[]' {peek.path}`.",
        )
    first = [record for _, record in _objects(peek.head, peek.path)]
    if not first:
        raise OutscoreError(f"{peek.label} is empty, JSON objects were expected.", "Give one object per line.")
    return {name: [record.get(name) for record in first] for name in dict.fromkeys(key for record in first for key in record)}


def _objects(lines: Sequence[str] | Iterator[str], path: str) -> Iterator[tuple[int, dict[str, Any]]]:
    decode = msgspec.json.Decoder().decode
    for number, line in enumerate(lines, 1):
        if line.isspace():
            continue
        try:
            record = decode(line)
        except RecursionError:
            hint = "Keep the keys that are needed, with one value each."
            raise line_error(path, number, "found values nested too deeply", hint) from None
        except (msgspec.DecodeError, UnicodeError) as error:
            _refuse(path, number, line, error)
        if not isinstance(record, dict):
            raise line_error(
                path,
                number,
                f"found {_KINDS.get(type(record), 'text')}, expected a JSON object",
                'Write each record as {"id": ..., "score": ...} on a line of its own.',
            )
        yield number, record


_KINDS: dict[type, str] = {list: "a list", int: "a number", float: "a number", bool: "true or false", type(None): "null"}


def _refuse(path: str, number: int, line: str, error: Exception) -> NoReturn:
    refuse_undecoded(path, number, line)
    bad = _NO_JSON.search(line)
    if bad is not None:
        hint = "Give the item a score, or remove it from both systems."
        raise line_error(path, number, f"found {bad[0]}, which JSON does not have", hint) from None
    reason = str(error).removeprefix("JSON is malformed: ")
    hint = "Write each object on one line, without line ends inside it."
    raise line_error(path, number, f"this line is not a whole JSON object ({reason})", hint) from None
