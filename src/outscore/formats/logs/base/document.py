"""Whole documents and lines of bytes: the source of logs, which would be too dear to read as text.

A file is mapped into memory and decoded into the fields that a reader declares, so that texts beside the scores are passed over
and never kept. Compressed files are unpacked to a temporary file first. Harnesses written in Python leave bare `NaN` and halves
of characters in their JSON, which JSON does not have: such a document is mended and decoded again.
"""

from __future__ import annotations

import hashlib
import math
import mmap
import os
import re
import shutil
import tempfile
from array import array
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import field
from pathlib import Path
from typing import Any, BinaryIO, NoReturn, TypeVar, cast

import msgspec

from outscore.core.errors import OutscoreError
from outscore.core.records import dataclass
from outscore.formats.base.pipes import kept, reading_once
from outscore.formats.base.source import explain_failures, open_bytes
from outscore.scores.system import Origin, label_of

T = TypeVar("T")
Bytes = bytes | mmap.mmap | msgspec.Raw
# A multiple of every page size there is.
BLOCK = 1 << 22
# What JSON does not have, outside of strings; and strings, which are passed over.
_NOT_JSON = re.compile(rb'"(?:[^"\\]++|\\.)*+"|-?Infinity|NaN', re.DOTALL)
_SURROGATES = re.compile(rb"\\\\|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[dD][89a-fA-F][0-9a-fA-F]{2}")
_REPLACED = rb"\ufffd"
_HALF = 6


@dataclass(frozen=True)
class Document:
    """The bytes of a file, unpacked, and the digest of the file as it is."""

    path: str
    data: bytes | mmap.mmap
    sha256: str

    @property
    def label(self) -> str:
        """What messages call the file."""
        return label_of(self.path)

    def origin(self, format: str, rows: int, **columns: str) -> Origin:
        """The record of this file for the result."""
        return Origin(self.path, self.sha256, rows, format, {part: (name,) for part, name in columns.items()}, "row")


@dataclass(frozen=True)
class Line:
    """A line of a document: its number from 1, where it begins, and its bytes."""

    number: int
    start: int
    data: bytes


@dataclass(frozen=True)
class Places:
    """Where the lines of rows are in a file, so that their texts can be read again.

    Examples
    --------
    >>> places = Places()
    >>> places.add(Line(3, 120, b"{}"))
    >>> places[0]
    (120, 2)
    """

    starts: array[int] = field(default_factory=lambda: array("q"))
    sizes: array[int] = field(default_factory=lambda: array("q"))

    def add(self, line: Line) -> None:
        """Note the line of the next row."""
        self.starts.append(line.start)
        self.sizes.append(len(line.data))

    def __getitem__(self, row: int) -> tuple[int, int]:
        return self.starts[row], self.sizes[row]

    def read(self, path: str, rows: Sequence[int], kind: type[T]) -> list[T]:
        """The lines of some rows, decoded."""
        with open_document(path) as document:
            places = map(self.__getitem__, rows)
            return [decode(document.data[start : start + size], kind, path) for start, size in places]


@contextmanager
def open_document(path: str | os.PathLike[str]) -> Iterator[Document]:
    """Map a file, or unpack it and map what was unpacked."""
    name = os.fspath(path)
    with reading_once(), explain_failures(name), open_bytes(name) as (stream, packed):
        if not packed:
            with _whole(name) as data:
                yield Document(name, data, _digest(data))
            return
        with tempfile.TemporaryFile() as unpacked:
            shutil.copyfileobj(stream, unpacked, BLOCK)
            with _whole(name) as data:
                digest = _digest(data)
            with _mapped(unpacked) as data:
                yield Document(name, data, digest)


@contextmanager
def _whole(name: str) -> Iterator[bytes | mmap.mmap]:
    """All bytes of a file, mapped, or of a pipe, as they were kept."""
    data = kept(name)
    if data is not None:
        yield data
        return
    with Path(name).open("rb") as raw, _mapped(raw) as data:
        yield data


@contextmanager
def _mapped(raw: BinaryIO) -> Iterator[bytes | mmap.mmap]:
    raw.flush()
    if not os.fstat(raw.fileno()).st_size:
        yield b""
        return
    mapped = mmap.mmap(raw.fileno(), 0, access=mmap.ACCESS_READ)
    try:
        yield mapped
    finally:
        # The frames of an error may hold parts of it; then it is closed with them.
        with suppress(BufferError):
            mapped.close()


def _digest(data: bytes | mmap.mmap) -> str:
    """The digest of a mapped file, which is not kept in memory on the way."""
    digest = hashlib.sha256()
    for start in range(0, len(data), BLOCK):
        with memoryview(data) as whole, whole[start : start + BLOCK] as block:
            digest.update(block)
        _forget(data, start, start + BLOCK)
    return digest.hexdigest()


def _forget(data: bytes | mmap.mmap, start: int, end: int) -> None:
    """Give back the memory of a mapped part that has been read; `start` lies on the border of a page."""
    if isinstance(data, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED"):
        data.madvise(mmap.MADV_DONTNEED, start, min(end, len(data)) - start)


def decode(data: Bytes, kind: type[T], path: str, line: int | None = None, *, inside: str | None = None) -> T:
    """Decode JSON into the declared fields; NaN and infinities are accepted, anything else that is wrong is refused.

    `inside` names the member of an archive. What is not finite becomes null, or a number too large to compute with.
    """
    try:
        return msgspec.json.decode(cast("bytes", data), type=kind)
    except msgspec.ValidationError as error:
        _refuse_layout(error, _place(path, line, inside), path, line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        # Python writes NaN and Infinity, which JSON does not have: once these are mended, what is still wrong is refused.
        pass
    try:
        return msgspec.json.decode(_mended(bytes(data)), type=kind)
    except msgspec.ValidationError as error:
        _refuse_layout(error, _place(path, line, inside), path, line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        reason = "it is nested too deeply" if isinstance(error, RecursionError) else _brief(error)
        _refuse(f"{_place(path, line, inside)} is not whole JSON: {reason}", path, line)


def _place(path: str, line: int | None, inside: str | None) -> str:
    place = label_of(path) if line is None else f"{label_of(path)}, line {line}"
    return place if inside is None else f"{place}: `{inside}`"


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
    return _SURROGATES.sub(lambda half: _REPLACED if len(half[0]) == _HALF else half[0], written)


def _brief(error: Exception) -> str:
    text = " ".join(str(error).split())
    return text if len(text) <= 120 else text[:117] + "..."


def _refuse_layout(error: Exception, place: str, path: str, line: int | None) -> NoReturn:
    _refuse(f"{place} is not laid out as its harness writes it: {_brief(error)}", path, line)


def _refuse(message: str, path: str, line: int | None) -> NoReturn:
    raise OutscoreError(
        f"{message}.", "Copy the log again, or have its harness write it again.", file=path, line=line
    ) from None


def json_lines(document: Document) -> Iterator[Line]:
    """The lines of a document that are not blank, without their ends."""
    data = document.data
    start, number, size, held = 0, 0, len(data), 0
    while start < size:
        number += 1
        if start - held > BLOCK:
            _forget(data, held, held + BLOCK)
            held += BLOCK
        end = data.find(b"\n", start)
        end = size if end < 0 else end
        line = data[start:end]
        if line.strip():
            yield Line(number, start, line)
        start = end + 1


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
