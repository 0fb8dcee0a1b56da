"""JSON: one object per line, or the list of objects that a document holds; keys are the columns, dotted ones inside objects."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NoReturn

import msgspec
import numpy as np

from outscore.core.errors import OutscoreError
from outscore.formats.base.document import KEY, leaves, lists_in, map_of_objects, parse_document, value_at
from outscore.formats.base.source import Peek, Source, line_error, refuse_undecoded
from outscore.formats.tables.cells import BLOCK_ROWS, Block, Records, looks_numeric
from outscore.formats.tables.measures import is_measure
from outscore.formats.tables.names import is_known


def looks_like_json(peek: Peek) -> bool:
    """Whether the first line begins like an object or a list."""
    first = next((line.lstrip() for line in peek.filled), "")
    return first.startswith("{") or bool(re.match(r"\[\s*($|[\[{])", first))


def begins_with_object(peek: Peek) -> bool:
    """Whether the first line that is not a comment is a whole object: a word in braces may begin other files."""
    first = next((line.rstrip() for line in peek.filled if not line.startswith("#")), "")
    return first.startswith("{") and first.endswith("}")


def records(source: Source) -> Records:
    """Open the objects of a file as a stream of records; values inside objects have dotted names."""
    first = sample(source)
    paths = _paths_in([record for _, record in _objects(source.head, source)])
    columns = tuple(name for name in first if name not in paths)
    known = frozenset(columns)
    late: dict[str, int] = {}

    def row(line: int, record: dict[str, Any], keys: Sequence[tuple[str, ...]]) -> tuple[int, tuple[Any, ...]]:
        if not record.keys() <= known:
            for key, value in record.items():
                if key not in known and looks_numeric([value]):
                    late.setdefault(key, line)
        return line, tuple(record.get(path[0]) if len(path) == 1 else value_at(record, path) for path in keys)

    def blocks(needed: Sequence[str]) -> Iterator[Block]:
        keys = [paths.get(name, (name,)) for name in needed]
        rows = (row(line, record, keys) for line, record in _objects(source.lines(), source))
        while block := list(itertools.islice(rows, BLOCK_ROWS)):
            lines = np.fromiter((line for line, _ in block), dtype=np.int64, count=len(block))
            fields = zip(*(row for _, row in block), strict=True)
            yield Block(lines, dict(zip(needed, fields, strict=True)), late)

    return Records(source.label, columns, first, blocks, source.unit, source.path, tuple(paths))


def sample(peek: Peek) -> dict[str, list[Any]]:
    """The first values of each column, None where an object lacks it; those with dotted names come last."""
    if next(iter(peek.filled), "").lstrip().startswith("["):
        raise _document_error(peek)
    _refuse_nested(peek)
    first = [record for _, record in _objects(peek.head, peek)]
    if not first:
        raise OutscoreError(f"{peek.label} is empty, but JSON objects were expected.", "Give one object per line.")
    names = dict.fromkeys(key for record in first for key in record)
    values = {name: [record.get(name) for record in first] for name in names}
    return values | {name: [value_at(record, path) for record in first] for name, path in _paths_in(first).items()}


def _paths_in(records: Sequence[dict[str, Any]]) -> dict[str, tuple[str, ...]]:
    """The keys that lead to the values inside objects by their dotted names; a key with points in it goes first."""
    taken = {key for record in records for key in record}
    return {name: path for record in records for name, path in leaves(record) if name not in taken}


def _document_error(peek: Peek) -> OutscoreError:
    """The error of a document without one list of records."""
    lists = lists_in(peek.document)
    if peek.document is None:
        return OutscoreError(f"{peek.label} is JSON that is cut short or malformed.", "Save it again.")
    if len(lists) > 1:
        names = [f"`{name}`" for name in lists]
        one = next(iter(lists))
        return OutscoreError(
            f"{peek.label} is one JSON object with {len(lists)} lists of records: {', '.join(names)}.",
            f"Name columns inside one of them, such as --item {one}.ID --score {one}.SCORE.",
            parameter="item",
        )
    return OutscoreError(
        f"{peek.label} is one JSON document without a list of records.",
        'Give a list of objects such as [{"id": ..., "score": ...}], or one object per line.',
    )


def _refuse_nested(peek: Peek) -> None:
    """Refuse an object that is not a record: one with several lists of records, or with an object for each item."""
    document = peek.document
    if peek.unit == "row" or not isinstance(document, Mapping):
        return
    if lists_in(document):
        raise _document_error(peek)
    objects = all(isinstance(value, Mapping) for value in document.values())
    numbers = all(isinstance(value, (int, float)) for value in document.values())
    if len(document) <= 1 or not (objects or (numbers and not any(is_known(key) or is_measure(key) for key in document))):
        return
    name, found = map_of_objects(document)
    keys = list(document if found is None else found)
    inside = f"{'objects' if objects else 'numbers'} inside{f' `{name}`' if name else ''}"
    raise OutscoreError(
        f"{peek.label} is one JSON object with {len(keys):,} {inside}, from `{keys[0]}` to `{keys[-1]}`.",
        f"If each of them is an item, add --item {KEY}{' and name the score with --score' if objects else ''}.",
        parameter="item",
    )


def _objects(lines: Sequence[str] | Iterator[str], peek: Peek) -> Iterator[tuple[int, dict[str, Any]]]:
    decode = msgspec.json.Decoder().decode
    for number, line in enumerate(lines, 1):
        if line.isspace():
            continue
        try:
            record = decode(line)
        except RecursionError:
            hint = "Keep the keys that are needed, with one value each."
            raise line_error(peek.path, number, "found values nested too deeply", hint, peek.unit) from None
        except (msgspec.DecodeError, UnicodeError) as error:
            # Python writes NaN and Infinity, which JSON does not have: the first is a missing value, as in other tables.
            record = parse_document(line)
            if record is None:
                _refuse(peek, number, line, error)
        if not isinstance(record, dict):
            raise line_error(
                peek.path,
                number,
                f"found {_KINDS.get(type(record), 'text')}, expected a JSON object",
                'Write each record as {"id": ..., "score": ...} on a line of its own.',
                peek.unit,
            )
        yield number, record


_KINDS: dict[type, str] = {list: "a list", int: "a number", float: "a number", bool: "true or false", type(None): "null"}


def _refuse(peek: Peek, number: int, line: str, error: Exception) -> NoReturn:
    refuse_undecoded(peek.path, number, line)
    if peek.document is not None:
        raise _document_error(peek) from None
    reason = str(error).removeprefix("JSON is malformed: ")
    hint = "Write each object on one line, without line ends inside it."
    raise line_error(peek.path, number, f"this line is not a whole JSON object ({reason})", hint) from None
