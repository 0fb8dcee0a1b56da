"""The objects of a JSON file, whether it is one value or one value per line."""

from __future__ import annotations

import re
from typing import Any

import msgspec

from outscore.core.errors import OutscoreError
from outscore.formats.base.source import Peek, Source, line_error
from outscore.formats.tables.jsonl import begins_with_object

__all__ = ["first_value", "is_json", "objects_of", "refuse_shape"]

_BEGIN = re.compile(r"[\[{]\s*$|\[\s*[\[{]|\{\s*\"")


def is_json(peek: Peek) -> bool:
    """Whether a file begins as JSON does; a word in braces may begin a file of words."""
    first = next((line.strip() for line in peek.filled), "")
    return begins_with_object(peek) or _BEGIN.match(first) is not None


def first_value(peek: Peek) -> Any:  # noqa: ANN401 - any JSON value
    """The first of the values that `objects_of` would give; None where the beginning is not JSON."""
    if peek.document is not None:
        return next(iter(_several(peek.document)), None)
    first = next((line for line in peek.filled), "")
    if not first.lstrip().startswith(("{", "[")):
        return None
    try:
        return msgspec.json.decode(first)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return None


def objects_of(source: Source) -> list[Any]:
    """The values of a file: those of one list, one object, or one value per line."""
    text = "".join(source.pieces())
    if source.peek.document is not None:
        # Of a document with one list of records inside, the pieces are those.
        return _several(source.peek.document)
    decode = msgspec.json.Decoder().decode
    try:
        whole = decode(text)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return [_value(source, number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    return _several(whole)


def _several(whole: object) -> list[Any]:
    return list(whole) if isinstance(whole, list) else [whole]


def _value(source: Source, number: int, line: str) -> Any:  # noqa: ANN401 - any JSON value
    try:
        return msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        reason = "it is nested too deeply" if isinstance(error, RecursionError) else error
        hint = "Write one JSON value per line, or one list."
        raise line_error(source.path, number, f"this is not JSON ({reason})", hint) from None


def refuse_shape(source: Source, expected: str, hint: str) -> OutscoreError:
    """The error of JSON that holds something else."""
    return OutscoreError(f"{source.label} is JSON, but does not contain {expected}.", hint)
