"""Documents and lines of bytes: the source of logs, which would be too dear to read as text.

A file is mapped into memory and decoded into the fields that a format declares, so that texts beside the scores are passed over
and never kept. Compressed files are unpacked to a temporary file first. Harnesses written in Python leave bare `NaN` and halves
of characters in their JSON, which JSON does not have: such a document is mended and decoded again.

Many harnesses write the system and the task into names of folders and files only, and totals into files beside the log. A pipe
lies nowhere: its system is called by its place, its task is that of the other logs, if they agree on one, and no file is beside
it, whatever there is in the folder in which a command happens to run.
"""

from __future__ import annotations

import hashlib
import mmap
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path, PurePath
from typing import Any, NamedTuple, NoReturn

import msgspec

from outscore.core.errors import OutscoreError
from outscore.core.records import dataclass
from outscore.formats.base.pipes import is_nameless, kept, mapped, reading_once
from outscore.formats.base.source import explain_failures, open_bytes, stem_of
from outscore.formats.json import UNREADABLE, Bytes, brief, decoded
from outscore.scores.system import label_of

# A multiple of every page size there is.
BLOCK = 1 << 22
# How far a document is looked into: the keys that tell one harness from another are at its beginning.
PEEK = 1 << 16
# A longer text tells items apart instead of grouping them.
MAX_LABEL = 64
UNNAMED_TASK = "unnamed task"
"""The task of a log from a pipe that does not name it."""


@dataclass(frozen=True)
class LogPeek:
    """The beginning of a file: its name, its first bytes, the members of an archive, the columns of a Parquet file.

    Examples
    --------
    >>> peek = LogPeek("runs/a.json", b'{"submitted_ids": ["x"], "resolved_ids": ["x"]')
    >>> peek.has_keys("submitted_ids", "resolved_ids"), peek.has_keys("eval")
    (True, False)
    """

    path: str
    start: bytes
    members: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The name of the file without its folder."""
        return PurePath(self.path).name

    @property
    def is_object(self) -> bool:
        """Whether the file begins with a JSON object."""
        return self.start.lstrip()[:1] == b"{"

    @property
    def is_list(self) -> bool:
        """Whether the file begins with a JSON list."""
        return self.start.lstrip()[:1] == b"["

    @cached_property
    def first_line(self) -> dict[str, Any]:
        """The object on the first line; empty if there is none, or it is longer than the peek."""
        line = self.start.lstrip().split(b"\n", 1)[0]
        try:
            record = msgspec.json.decode(line)
        except UNREADABLE:
            return {}
        return record if isinstance(record, dict) else {}

    @property
    def stem(self) -> str:
        """The name of the file without its endings."""
        return stem_of(self.path)

    def has_keys(self, *keys: str) -> bool:
        """Whether all keys are near the beginning, at any depth."""
        return all(f'"{key}"'.encode() in self.start for key in keys)


class Piece(NamedTuple):
    """A piece of a document: a line with its number from 1, where it begins and ends, or what a member of an archive has."""

    data: Bytes
    line: int | None = None
    start: int = 0
    end: int = 0
    inside: str | None = None


@dataclass(eq=False)
class Document:
    """The bytes of a file, unpacked, and what it says once for all samples."""

    path: str
    data: bytes | mmap.mmap
    header: Any = None

    @cached_property
    def sha256(self) -> str:
        """The digest of the file as it is; whoever reads it for its texts or its totals does not wait for it."""
        with _all_bytes(self.path) as data:
            return _digest(data)

    @property
    def label(self) -> str:
        """What messages call the file."""
        return label_of(self.path)

    @property
    def stem(self) -> str:
        """The name of the file without its endings; a pipe is called by its place."""
        return stem_of(self.path)

    @property
    def folder(self) -> str:
        """The name of the folder that the file is in; a pipe is called by its place."""
        return self.stem if is_nameless(self.path) else Path(self.path).resolve().parent.name

    def name_task(self, name: str) -> str:
        """The task that the `name` of a file or folder says, unless it is that of a pipe, which says nothing."""
        return UNNAMED_TASK if is_nameless(self.path) else name

    def lines(self) -> Iterator[Piece]:
        """The lines that are not blank, without their ends."""
        data = self.data
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
                yield Piece(line, number, start, end)
            start = end + 1

    def values(self) -> list[msgspec.Raw]:
        """The values of a document that is one list."""
        values: list[msgspec.Raw] = self.decode_all(list[msgspec.Raw])
        return values

    def decode_all(self, kind: Any) -> Any:  # noqa: ANN401 - of that kind
        """The whole document, decoded into the declared fields."""
        return self.decode(self.data, kind)

    def decode(self, sample: Piece | Bytes, kind: Any) -> Any:  # noqa: ANN401 - of that kind
        """A piece of the document, decoded into the declared fields; all that is wrong is refused but NaN and infinities.

        What is not finite becomes null, or a number too large to compute with.
        """
        piece = sample if isinstance(sample, Piece) else Piece(sample)
        try:
            return decoded(piece.data, kind)
        except msgspec.ValidationError as error:
            finding = f"is not laid out as its harness writes it: {brief(error)}"
        except RecursionError:
            finding = "is not whole JSON: it is nested too deeply"
        except UNREADABLE as error:
            finding = f"is not whole JSON: {brief(error)}"
        member = "" if piece.inside is None else f": `{piece.inside}`"
        return self.refuse(f"{member} {finding}.", "Copy the log again, or have its harness write it again.", piece.line)

    def beside(self, name: str, kind: Any) -> Any:  # noqa: ANN401 - of the declared type
        """The file of this name in the same folder, decoded; None if there is none."""
        path = Path(self.path).with_name(name)
        if is_nameless(self.path) or not path.is_file():
            return None
        with open_document(path) as document:
            return document.decode_all(kind)

    def refuse(self, finding: str, cure: str, line: int | None = None) -> NoReturn:
        """Refuse the file, or one of its lines: what is wrong follows its name in the sentence."""
        place = self.label if line is None else f"{self.label}, line {line}"
        raise OutscoreError(f"{place}{finding}", cure, file=self.path, line=line)


@contextmanager
def open_document(path: str | os.PathLike[str]) -> Iterator[Document]:
    """Map a file, or unpack it and map what was unpacked."""
    name = os.fspath(path)
    with reading_once(), explain_failures(name), open_bytes(name) as (stream, packed):
        if not packed:
            with _all_bytes(name) as data:
                yield Document(name, data)
            return
        with tempfile.TemporaryFile() as unpacked:
            shutil.copyfileobj(stream, unpacked, BLOCK)
            with mapped(unpacked) as data:
                yield Document(name, data)


@contextmanager
def _all_bytes(name: str) -> Iterator[bytes | mmap.mmap]:
    """All bytes of a file, mapped, or of a pipe, as they were kept."""
    data = kept(name)
    if data is not None:
        yield data
        return
    with Path(name).open("rb") as raw, mapped(raw) as data:
        yield data


def _digest(data: bytes | mmap.mmap) -> str:
    """The digest of a mapped file, which is not kept in memory on the way."""
    digest = hashlib.sha256()
    for start in range(0, len(data), BLOCK):
        with memoryview(data) as view, view[start : start + BLOCK] as block:
            digest.update(block)
        _forget(data, start, start + BLOCK)
    return digest.hexdigest()


def _forget(data: bytes | mmap.mmap, start: int, end: int) -> None:
    """Give back the memory of a mapped part that has been read; `start` lies on the border of a page."""
    if isinstance(data, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED"):
        data.madvise(mmap.MADV_DONTNEED, start, min(end, len(data)) - start)


def text_of(value: object) -> str | None:
    """A text as it is, None for anything else."""
    return value if isinstance(value, str) else None


def labels_of(record: Mapping[str, Any] | None, longest: int | None = MAX_LABEL) -> dict[str, str]:
    """The values of a record that items could be grouped by: whole numbers and short texts."""
    return {name: str(value) for name, value in (record or {}).items() if is_label(value, longest)}


def is_label(value: object, longest: int | None = MAX_LABEL) -> bool:
    """Whether a value may be the name of a group of items."""
    if isinstance(value, str) and longest is not None:
        return 0 < len(value) <= longest
    return isinstance(value, (str, int))
