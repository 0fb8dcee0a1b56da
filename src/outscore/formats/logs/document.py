"""Whole documents and lines of bytes: the source of logs, which would be too dear to read as text.

A file is mapped into memory and decoded into the fields that a reader declares, so that texts beside the scores are passed over
and never kept. Compressed files are unpacked first. Harnesses written in Python leave bare `NaN` in their JSON, which JSON does
not have: such a document is decoded again by a tolerant parser.
"""

from __future__ import annotations

import hashlib
import json
import mmap
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn, TypeVar, cast

import msgspec

from outscore.core.errors import OutscoreError
from outscore.formats.base.source import label_of, open_bytes
from outscore.scores.system import Origin

__all__ = ["Document", "Line", "decode", "json_lines", "open_document"]

T = TypeVar("T")
Bytes = bytes | mmap.mmap | memoryview
# A multiple of every page size there is.
BLOCK = 1 << 22


@dataclass(frozen=True)
class Document:
    """The bytes of a file, unpacked, and what identifies them."""

    path: str
    data: Bytes
    sha256: str

    @property
    def label(self) -> str:
        """What messages call the file."""
        return label_of(self.path)

    def origin(self, format: str, rows: int, **columns: str) -> Origin:
        """The record of this file for the result."""
        return Origin(self.path, self.sha256, rows, format, columns, "row")


@dataclass(frozen=True)
class Line:
    """A line of a document: its number from 1, where it begins, and its bytes."""

    number: int
    start: int
    data: bytes


@contextmanager
def open_document(path: str | os.PathLike[str]) -> Iterator[Document]:
    """Map a file, or unpack it if it is compressed."""
    name = os.fspath(path)
    with open_bytes(name) as (stream, packed):
        if packed or name == "-":
            data: Bytes = stream.read()
            yield Document(name, data, hashlib.sha256(data).hexdigest())
            return
        with Path(name).open("rb") as raw:
            if not os.fstat(raw.fileno()).st_size:
                yield Document(name, b"", hashlib.sha256(b"").hexdigest())
                return
            with mmap.mmap(raw.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
                yield Document(name, mapped, _digest(mapped))


def _digest(mapped: mmap.mmap) -> str:
    """The digest of a mapped file, which is not kept in memory on the way."""
    digest = hashlib.sha256()
    for start in range(0, len(mapped), BLOCK):
        digest.update(mapped[start : start + BLOCK])
        _forget(mapped, start, start + BLOCK)
    return digest.hexdigest()


def _forget(data: Bytes, start: int, end: int) -> None:
    """Give back the memory of a mapped part that has been read; `start` lies on the border of a page."""
    if isinstance(data, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED"):
        data.madvise(mmap.MADV_DONTNEED, start, min(end, len(data)) - start)


def decode(data: Bytes, kind: type[T], path: str, line: int | None = None) -> T:
    """Decode JSON into the declared fields; NaN and infinities are accepted, anything else that is wrong is refused."""
    place = label_of(path) if line is None else f"{label_of(path)}, line {line}"
    try:
        return msgspec.json.decode(cast("bytes", data), type=kind)
    except msgspec.ValidationError as error:
        _refuse(f"{place} is not laid out as its harness writes it: {_brief(error)}", path, line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return _decode_tolerantly(bytes(data), kind, path, line, place)


def _decode_tolerantly(data: bytes, kind: type[T], path: str, line: int | None, place: str) -> T:
    try:
        return msgspec.convert(json.loads(data), kind)
    except msgspec.ValidationError as error:
        _refuse(f"{place} is not laid out as its harness writes it: {_brief(error)}", path, line)
    except (ValueError, RecursionError) as error:
        reason = "it is nested too deeply" if isinstance(error, RecursionError) else _brief(error)
        _refuse(f"{place} is not whole JSON: {reason}", path, line)


def _brief(error: Exception) -> str:
    text = " ".join(str(error).split())
    return text if len(text) <= 120 else text[:117] + "..."


def _refuse(message: str, path: str, line: int | None) -> NoReturn:
    raise OutscoreError(f"{message}.", "Copy the log again, or write it anew with its harness.", file=path, line=line) from None


def json_lines(document: Document) -> Iterator[Line]:
    """The lines of a document that are not blank, without their ends."""
    data = document.data
    if isinstance(data, memoryview):
        data = bytes(data)
    start, number, size, held = 0, 0, len(data), 0
    while start < size:
        number += 1
        if start - held > BLOCK:
            _forget(data, held, held + BLOCK)
            held += BLOCK
        end = data.find(b"\n", start)
        end = size if end < 0 else end
        line = bytes(data[start:end])
        if line.strip():
            yield Line(number, start, line)
        start = end + 1


def field_of(record: Any, *path: str) -> Any:  # noqa: ANN401 - any JSON
    """The value at a path of keys, or None where one of them is absent.

    Examples
    --------
    >>> field_of({"eval": {"model": "amber"}}, "eval", "model"), field_of({"eval": None}, "eval", "model")
    ('amber', None)
    """
    for key in path:
        if not isinstance(record, dict):
            return None
        record = record.get(key)
    return record
