"""Opening files: standard input, compression, encodings, and refusals in plain words.

A `Source` is a file opened once and read line by line, whatever its packing. Compression is recognised by the first bytes and
not by the name. Bytes that are not UTF-8 come through as lone surrogates, so that a reader can name the line they stand on.
"""

from __future__ import annotations

import bz2
import difflib
import gzip
import hashlib
import io
import itertools
import lzma
import os
import sys
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, Protocol, cast

from outscore.errors import OutscoreError

__all__ = ["Source", "label_of", "open_source"]

STANDARD_INPUT = "-"
HEAD_LINES = 20
BLOCK = 1 << 16
# A file without line ends must not be taken into memory as one line.
LONGEST_LINE = 1 << 20

_GZIP, _BZIP2, _XZ, _ZSTD = b"\x1f\x8b", b"BZh", b"\xfd7zXZ\x00", b"\x28\xb5\x2f\xfd"


@dataclass(frozen=True)
class Source:
    """A file opened for reading: its first lines to look at, all its lines to read once, and its digest afterwards."""

    path: str
    head: Sequence[str]
    _rest: Iterator[str] = field(repr=False)
    _bytes: _Digesting = field(repr=False)

    @property
    def label(self) -> str:
        """What messages call it."""
        return label_of(self.path)

    def lines(self) -> Iterator[str]:
        """All lines, the head included; to be called once."""
        return itertools.chain(self.head, self._rest)

    def sha256(self) -> str:
        """The digest of the bytes on disk; complete once all lines were read."""
        return self._bytes.digest.hexdigest()


@contextmanager
def open_source(path: str | os.PathLike[str]) -> Iterator[Source]:
    """Open a file, or standard input for ``-``, as lines of text; every failure becomes one sentence."""
    name = os.fspath(path)
    label = label_of(name)
    try:
        with _open_bytes(name) as raw:
            digesting = _Digesting(raw)
            packed = io.BufferedReader(digesting, BLOCK)
            text = _as_text(_unpack(packed, label), label)
            lines = _bounded_lines(text, label)
            yield Source(name, list(itertools.islice(lines, HEAD_LINES)), lines, digesting)
    except (EOFError, zlib.error, lzma.LZMAError, gzip.BadGzipFile) as error:
        raise OutscoreError(f"{label} is damaged: {str(error).rstrip('.')}.", "Make the compressed file again.") from None
    except FileNotFoundError:
        raise OutscoreError(f"{label} does not exist.", _nearest(name)) from None
    except IsADirectoryError:
        raise OutscoreError(f"{label} is a folder, a file was expected.", "Name a file inside it.") from None
    except PermissionError:
        raise OutscoreError(f"{label} may not be read: permission denied.", "Ask for read access or copy the file.") from None
    except OSError as error:
        reason = error.strerror or str(error)
        raise OutscoreError(f"{label} could not be read: {reason}.", "Copy the file and try again.") from None


def label_of(path: str) -> str:
    """A file's name at the start of a sentence."""
    return "Standard input" if path == STANDARD_INPUT else f"`{path}`"


class _Reads(Protocol):
    def readinto(self, buffer: Any, /) -> int | None: ...  # noqa: ANN401 - any writable buffer


class _Digesting(io.RawIOBase):
    """Passes bytes through and digests them on the way, so that no file is read twice."""

    def __init__(self, raw: BinaryIO) -> None:
        self._raw = cast("_Reads", raw)
        self.digest = hashlib.sha256()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int | None:  # noqa: ANN401 - any writable buffer
        size = self._raw.readinto(buffer)
        if size:
            self.digest.update(memoryview(buffer)[:size])
        return size


@contextmanager
def _open_bytes(name: str) -> Iterator[BinaryIO]:
    if name == STANDARD_INPUT:
        yield sys.stdin.buffer
    else:
        with Path(name).open("rb") as raw:
            yield raw


def _unpack(packed: io.BufferedReader[Any], label: str) -> io.BufferedReader[Any]:
    magic = packed.peek(8)[:8]
    if magic.startswith(_GZIP):
        return io.BufferedReader(cast("io.RawIOBase", gzip.GzipFile(fileobj=packed)), BLOCK)
    if magic.startswith(_BZIP2):
        return io.BufferedReader(cast("io.RawIOBase", bz2.BZ2File(packed)), BLOCK)
    if magic.startswith(_XZ):
        return io.BufferedReader(cast("io.RawIOBase", lzma.LZMAFile(packed)), BLOCK)
    if magic.startswith(_ZSTD):
        raise OutscoreError(f"{label} is compressed with zstd; gzip, bzip2 and xz are read.", "Unpack it first with `unzstd`.")
    return packed


def _as_text(stream: io.BufferedReader[Any], label: str) -> io.TextIOWrapper[Any]:
    start = stream.peek(BLOCK)[:BLOCK]
    if start.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise OutscoreError(f"{label} is written in UTF-16, UTF-8 was expected.", "Save it as UTF-8 text.")
    if b"\x00" in start:
        raise OutscoreError(f"{label} is a binary file, text was expected.", "Export the scores as plain text.")
    return io.TextIOWrapper(stream, encoding="utf-8-sig", errors="surrogateescape")


def _bounded_lines(text: io.TextIOWrapper[Any], label: str) -> Iterator[str]:
    while line := text.readline(LONGEST_LINE):
        if len(line) == LONGEST_LINE and not line.endswith("\n"):
            raise OutscoreError(
                f"{label} has a line of more than {LONGEST_LINE:,} characters.", "Give one item per line, in plain text."
            )
        yield line


def _nearest(name: str) -> str:
    """A likely spelling mistake, or where the search started."""
    path = Path(name)
    try:
        siblings = [entry.name for entry in path.parent.iterdir()] if path.parent.is_dir() else []
    except OSError:
        siblings = []
    near = difflib.get_close_matches(path.name, siblings, n=1)
    if near:
        return f"Did you mean `{path.parent / near[0]}`?"
    return "Check the spelling and the folder you are in."
