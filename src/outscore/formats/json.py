"""JSON as it is found in files: decoded into declared fields, mended where Python wrote it, and refused with its line."""

from __future__ import annotations

import json
import math
import mmap
import re
from collections.abc import Mapping
from types import NoneType
from typing import Any, cast, get_args

import msgspec

from outscore.formats.base.document import value_at
from outscore.formats.base.source import line_error

Bytes = bytes | mmap.mmap | msgspec.Raw
# What JSON does not have, outside of strings; and strings, which are passed over.
_NOT_JSON = re.compile(rb'"(?:[^"\\]++|\\.)*+"|-?Infinity|NaN', re.DOTALL)
_SURROGATES = re.compile(rb"\\\\|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[dD][89a-fA-F][0-9a-fA-F]{2}")
_DECODED_HALF = re.compile("[\ud800-\udfff]")
_REPLACED = rb"\ufffd"
_HALF = 6
UNREADABLE = (msgspec.DecodeError, UnicodeError, RecursionError)


class Shape:
    """The fields of a JSON object that a format reads, by dotted path, with their types; whatever else it has is passed over.

    A field whose type allows None may be absent, and so may a list of objects, for which their shape stands in brackets. What
    is decoded is a dictionary by path.

    Examples
    --------
    >>> shape = Shape({"run.seed": int | None, "run.limit": int | None, "parts": [Shape({"size": int})]})
    >>> decoded(b'{"run": {"seed": 7}, "text": "...", "parts": [{"size": 2}]}', shape)
    {'run.seed': 7, 'run.limit': None, 'parts': [{'size': 2}]}
    """

    def __init__(self, fields: Mapping[str, Any]) -> None:
        self.kind = _struct(fields)
        self._attributes = [(path, [_attribute(key) for key in path.split(".")]) for path in fields]
        self._is_flat = all(attributes == [path] for path, attributes in self._attributes)
        self._lists = [(path, kind[0]) for path, kind in fields.items() if isinstance(kind, list)]

    def of(self, value: object) -> Any:  # noqa: ANN401 - a dictionary, or a list of them
        """The values of all fields of decoded JSON, or of each object of a list."""
        if isinstance(value, list):
            objects = msgspec.convert(value, list[self.kind])  # type: ignore[name-defined] # known when it runs
            return [self.flatten(one) for one in objects]
        return self.flatten(msgspec.convert(value, self.kind))

    def flatten(self, record: msgspec.Struct) -> dict[str, Any]:
        """The values of all fields."""
        values = msgspec.structs.asdict(record) if self._is_flat else {}
        for path, attributes in () if self._is_flat else self._attributes:
            value: Any = record
            for attribute in attributes:
                value = getattr(value, attribute)
                if value is None:
                    break
            values[path] = value
        for path, shape in self._lists:
            values[path] = [shape.flatten(one) for one in values[path] or ()]
        return values


def _struct(fields: Mapping[str, Any]) -> type[msgspec.Struct]:
    parts: dict[str, dict[str, Any]] = {}
    for path, kind in fields.items():
        key, _, rest = path.partition(".")
        parts.setdefault(key, {})[rest] = list[kind[0].kind] | None if isinstance(kind, list) else kind  # type: ignore[misc] # known when it runs
    members: list[Any] = []
    for key, inside in parts.items():
        kind = inside[""] if "" in inside else _struct(inside)
        if all(map(_is_optional, inside.values())):
            members.append((_attribute(key), kind | None, msgspec.field(default=None, name=key)))
        else:
            members.append((_attribute(key), kind, msgspec.field(name=key)))
    # Fields that must be there may stand behind others.
    return msgspec.defstruct("Object", members, kw_only=True)


def _is_optional(kind: object) -> bool:
    return NoneType in get_args(kind)


def _attribute(key: str) -> str:
    return key if key.isidentifier() else "field_" + re.sub(r"\W", "_", key)


def decoded(data: Bytes | str, kind: Any) -> Any:  # noqa: ANN401 - of the declared type
    """JSON, or what Python writes for it, in the declared fields; whatever is wrong is one of `UNREADABLE`."""
    if isinstance(kind, Shape):
        return kind.flatten(decoded(data, kind.kind))
    try:
        return msgspec.json.decode(cast("bytes", data), type=kind)
    except msgspec.ValidationError:
        raise
    except UNREADABLE:
        # Python writes NaN and Infinity, which JSON does not have: once these are mended, what is still wrong is refused.
        return msgspec.json.decode(_mended(_encoded(data) if isinstance(data, str) else bytes(data)), type=kind)


def _encoded(text: str) -> bytes:
    """A text in UTF-8, without halves of letters that were decoded with the document around them."""
    return _DECODED_HALF.sub("\ufffd", text).encode()


def _mended(data: bytes) -> bytes:
    """JSON as Python writes it, without what JSON does not have."""
    return _NOT_JSON.sub(_mend, data)


def _mend(match: re.Match[bytes]) -> bytes:
    written = match[0]
    if written == b"NaN":
        return b"null"
    if written.endswith(b"Infinity"):
        return written.replace(b"Infinity", b"1.7976931348623157e308")
    if b"\\u" not in written:
        return written
    return _whole(written)


def _whole(written: bytes) -> bytes:
    """Strings without halves of letters, which no text can hold."""
    return _SURROGATES.sub(lambda half: _REPLACED if len(half[0]) == _HALF else half[0], written)


def brief(error: Exception) -> str:
    """What a decoder says, on one line that is not too long."""
    text = " ".join(str(error).split())
    return text if len(text) <= 120 else text[:117] + "..."


def json_value(text: str, path: str, line: int, hint: str) -> Any:  # noqa: ANN401 - what JSON can hold
    """The JSON value on a line; what is none is refused. NaN and infinities, which Python writes, are numbers here."""
    try:
        found = decoded(text, Any)
        return json.loads(_whole(_encoded(text)), strict=False) if "NaN" in text or "Infinity" in text else found
    except UNREADABLE as error:
        reason = "it is nested too deeply" if isinstance(error, RecursionError) else brief(error)
        raise line_error(path, line, f"this is not JSON ({reason})", hint) from None


def number_of(value: object) -> float:
    """A number as a float, infinite where it is too large for one; NaN for anything else.

    Examples
    --------
    >>> number_of(True), number_of("1"), number_of(10**400)
    (1.0, nan, inf)
    """
    if not isinstance(value, (bool, int, float)):
        return math.nan
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def field_of(record: Any, path: str) -> Any:  # noqa: ANN401 - any JSON
    """The value at a dotted path of keys and places in lists, or None where one of them is absent.

    Examples
    --------
    >>> field_of({"eval": {"model": "amber"}}, "eval.model"), field_of({"eval": None}, "eval.model")
    ('amber', None)
    """
    return value_at(record, tuple(path.split(".")))
