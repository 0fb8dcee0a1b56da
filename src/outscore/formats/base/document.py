"""One JSON document in a file: where its records lie, and the values inside them by dotted names.

Evaluation tools write a list of records, or an object with such a list inside, beside JSON lines. Readers of tables see the
records of a document as JSON lines; readers that know a tool's files find the whole document in `Peek.document`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

_BEGINS = re.compile(r"\s*(\{\s*(\"|\}|$)|\[\s*([\[{\"\]\-\d]|true|false|null|$))")
MAX_DEPTH = 4
"""Objects inside one another that are searched for records and for named values."""
KEY, VALUE = "key", "value"
"""What the columns of an object are called whose keys are the items."""
Path = tuple[str, ...]


def may_be_json(head: Sequence[str]) -> bool:
    r"""Whether lines begin one JSON document; if the first of several lines is whole, they are JSON lines.

    Examples
    --------
    >>> may_be_json(['[{"id": 1},\n', '{"id": 2}]\n']), may_be_json(['{"id": 1}\n', '{"id": 2}\n']), may_be_json(["[ O\n"])
    (True, False, False)
    """
    filled = [line for line in head if line.strip()]
    if not filled or _BEGINS.match(filled[0]) is None:
        return False
    return len(filled) == 1 or parse_document(filled[0]) is None


def parse_document(text: str) -> Any:  # noqa: ANN401 - what JSON can hold
    """The JSON value of a text, None where it is not JSON. NaN and infinities, which Python writes, are numbers here."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def document_lines(document: object, columns: Sequence[str] = ()) -> list[str] | None:
    r"""The records of a document as JSON lines, or its numbers as lines; None where it has none, or several lists of them.

    Of several lists, the one is taken that all `columns` lie in by their dotted names. An object whose keys are the items is
    taken for records where a column is called `key`; numbers in it are then called `value`.

    Examples
    --------
    >>> document_lines({"model": "new", "results": [{"id": "q1", "score": 1}]})
    ['{"id": "q1", "score": 1}\n']
    >>> document_lines([1, 0, 1])
    ['1\n', '0\n', '1\n']
    >>> document_lines({"runs": [{"id": "q1"}], "errors": [{"at": 7}]}, ["runs.id"])
    ['{"runs": {"id": "q1"}}\n']
    >>> document_lines({"q1": {"score": 1}, "q2": {"score": 0}}, ["key", "score"])
    ['{"key": "q1", "score": 1}\n', '{"key": "q2", "score": 0}\n']
    >>> document_lines({"model": "new", "samples": {"0": {"score": 1}, "1": {"score": 0}}})
    ['{"key": "0", "score": 1}\n', '{"key": "1", "score": 0}\n']
    >>> document_lines({"columns": ["id", "score"], "data": [["q1", 1]]})
    ['{"id": "q1", "score": 1}\n']
    >>> document_lines({"id": {"0": "q1", "1": "q2"}, "score": {"0": 1, "1": 0}})
    ['{"key": "0", "id": "q1", "score": 1}\n', '{"key": "1", "id": "q2", "score": 0}\n']
    """
    if isinstance(document, list) and document and all(isinstance(value, (int, float)) for value in document):
        return [f"{json.dumps(value)}\n" for value in document]
    lists = lists_in(document)
    records: list[dict[str, Any]] | None = None
    if lists:
        only = next(iter(lists.values())) if len(lists) == 1 else None
        records = _chosen(lists, columns) or only
    elif (by_columns := _rows_of(document) or _by_index(document)) is not None:
        records = by_columns
    elif KEY in columns:
        records = _keyed(map_of_objects(document)[1]) or _keyed(document)
    elif (counted := map_of_objects(document, _are_numbered)[1]) is not None:
        records = _keyed(counted)
    return None if records is None else [f"{json.dumps(record, ensure_ascii=False)}\n" for record in records]


def _chosen(lists: Mapping[str, list[dict[str, Any]]], columns: Sequence[str]) -> list[dict[str, Any]] | None:
    """The records of the list that all columns lie in, under its name, unless they have an object of that name themselves."""
    for name, records in lists.items():
        first, *_ = name.split(".")
        inner = any(first in record for record in records)
        if columns and not inner and all(column.startswith(f"{name}.") for column in columns):
            inside = []
            for record in records:
                for key in reversed(name.split(".")):
                    record = {key: record}  # noqa: PLW2901 - one more object around it
                inside.append(record)
            return inside
    return None


def _are_numbered(document: Mapping[str, Any]) -> bool:
    """Whether an object holds records under numbers, as those of items are."""
    return len(document) > 1 and all(key.isdigit() and isinstance(value, Mapping) for key, value in document.items())


def _rows_of(document: object) -> list[dict[str, Any]] | None:
    """The rows of a table that is written as `columns` and `data`, as pandas (split) and W&B do."""
    names, rows = (document.get("columns"), document.get("data")) if isinstance(document, Mapping) else (None, None)
    if not isinstance(names, list) or not isinstance(rows, list) or not rows or len(set(map(str, names))) < len(names):
        return None
    if not all(isinstance(row, list) and len(row) == len(names) for row in rows):
        return None
    return [dict(zip(map(str, names), row, strict=True)) for row in rows]


def _by_index(document: object) -> list[dict[str, Any]] | None:
    """The rows of a table that is written as an object for each column, with values under numbers of rows, as pandas does."""
    if not isinstance(document, Mapping) or KEY in document or not document:
        return None
    columns = [column for column in document.values() if isinstance(column, Mapping)]
    keys = list(columns[0]) if columns else []
    alike = len(columns) == len(document) and all(list(column) == keys for column in columns)
    if not keys or not alike or not all(key.isdigit() for key in keys) or any(map(_holds_objects, columns)):
        return None
    return [{KEY: key, **{name: column[key] for name, column in document.items()}} for key in keys]


def _holds_objects(value: Mapping[str, Any]) -> bool:
    return any(isinstance(inner, Mapping) for inner in value.values())


def _are_alike(document: Mapping[str, Any]) -> bool:
    """Whether an object holds objects with a key in common, as those of items have."""
    values = list(document.values())
    return len(values) > 1 and all(isinstance(value, Mapping) for value in values) and bool(set.intersection(*map(set, values)))


def map_of_objects(
    document: object, are_items: Callable[[Mapping[str, Any]], bool] = _are_alike, depth: int = MAX_DEPTH
) -> tuple[str, Mapping[str, Any] | None]:
    """The only object in a document that holds items, and its dotted name.

    Examples
    --------
    >>> map_of_objects({"meta": {"seed": 1}, "items": {"q1": {"score": 1}, "q2": {"score": 0}}})[0]
    'items'
    """
    if not isinstance(document, Mapping) or not depth:
        return "", None
    if are_items(document):
        return "", document
    found = [(key, *map_of_objects(value, are_items, depth - 1)) for key, value in document.items()]
    inside = [(f"{key}.{name}".rstrip("."), one) for key, name, one in found if one is not None]
    return inside[0] if len(inside) == 1 else ("", None)


def _keyed(document: object) -> list[dict[str, Any]] | None:
    """The values of an object as records with their keys; None where some value is neither an object nor a number."""
    if not isinstance(document, Mapping) or not document:
        return None
    records = []
    for key, value in document.items():
        record = {VALUE: value} if isinstance(value, (int, float)) else value
        if not isinstance(record, Mapping) or KEY in record:
            return None
        records.append({KEY: key, **record})
    return records


def lists_in(document: object, depth: int = MAX_DEPTH) -> dict[str, list[dict[str, Any]]]:
    """The lists of objects in a document by their dotted names, those nearest to the top only; the document itself has no name.

    Examples
    --------
    >>> sorted(lists_in({"a": [{"id": 1}], "b": {"c": [{"id": 1}]}, "n": 1}))
    ['a']
    """
    if _is_records(document):
        return {"": document}  # type: ignore[dict-item] # just checked
    if not isinstance(document, Mapping) or not depth:
        return {}
    here = {key: value for key, value in document.items() if _is_records(value)}
    if here:
        return here
    return {f"{key}.{name}": records for key, value in document.items() for name, records in lists_in(value, depth - 1).items()}


def _is_records(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(record, dict) for record in value)


def leaves(record: Mapping[str, Any], depth: int = MAX_DEPTH) -> Iterator[tuple[str, Path]]:
    """The values inside the objects of a record: their dotted names, and the keys that lead to them.

    Examples
    --------
    >>> list(leaves({"id": 1, "scores": {"pass@1": 1, "by": {"judge": 0}}}))
    [('scores.pass@1', ('scores', 'pass@1')), ('scores.by.judge', ('scores', 'by', 'judge'))]
    """
    for key, value in record.items():
        if isinstance(value, Mapping) and depth:
            yield from ((f"{key}.{inner}", (key, inner)) for inner, deep in value.items() if not isinstance(deep, Mapping))
            yield from ((f"{key}.{name}", (key, *path)) for name, path in leaves(value, depth - 1))


def value_at(record: object, path: Path) -> Any:  # noqa: ANN401 - what JSON can hold
    """The value that keys lead to, None where there is none; a number is a place in a list.

    Examples
    --------
    >>> value_at({"scores": [{"value": 1}]}, ("scores", "0", "value"))
    1
    """
    for key in path:
        if isinstance(record, Mapping):
            record = record.get(key)
        elif isinstance(record, list) and key.isdigit() and int(key) < len(record):
            record = record[int(key)]
        else:
            return None
    return record
