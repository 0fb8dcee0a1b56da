"""Opening files: standard input, compression, encodings, and refusals in plain words.

A `Source` is a file opened once and read line by line, whatever its packing. Compression is recognised by the first bytes and
not by the name, and so is Parquet, the one format that is not text. Bytes that are not UTF-8 come through as lone surrogates,
so that a reader can name the line they stand on.
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
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import Any, BinaryIO, Protocol, cast

from outscore.core.errors import OutscoreError
from outscore.scores.system import STANDARD_INPUT, label_of

__all__ = ["PACKED", "Source", "label_of", "nul_byte", "open_source", "stem_of", "unpacks_to_more"]

PACKED = {".gz", ".bz2", ".xz", ".zst"}
HEAD_LINES = 20
BLOCK = 1 << 16
PIECE = 1 << 18
# A few bytes of zstd may unpack to 128 KB, and a piece is unpacked whole: this much of it takes 32 MB at most.
FED = 1 << 10
# A file without line ends must not be taken into memory as one line.
LONGEST_LINE = 1 << 24
# One letter too many, too few or wrong in a stem of six.
ALIKE = 0.8

_GZIP, _BZIP2, _XZ, _ZSTD = b"\x1f\x8b", b"BZh", b"\xfd7zXZ\x00", b"\x28\xb5\x2f\xfd"
_PARQUET = b"PAR1"
_ZIP = b"PK\x03\x04"
_PICTURES = (b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"%PDF-")
_WEB_PAGE = (b"<!doctype html", b"<html")


@dataclass(frozen=True)
class Source:
    """A file opened for reading: its first lines to look at, all its lines to read once, and its digest afterwards.

    A Parquet file has no lines: `parquet` holds its bytes, and `packed` says whether they differ from those on disk.
    """

    path: str
    head: Sequence[str]
    _pieces: Iterator[str] = field(repr=False)
    _bytes: _Digesting = field(repr=False)
    parquet: io.BufferedReader[Any] | None = None
    packed: bool = False

    @property
    def suffix(self) -> str:
        """The ending of the name, without that of a compression."""
        pure = PurePath(self.path)
        return (PurePath(pure.stem) if pure.suffix in PACKED else pure).suffix.lower()

    @property
    def label(self) -> str:
        """What messages call it."""
        return label_of(self.path)

    def lines(self) -> Iterator[str]:
        """All lines, the head included; to be called once."""
        return itertools.chain.from_iterable(map(_cut, self._pieces))

    def pieces(self) -> Iterator[str]:
        """The same text in large pieces of whole lines, instead of `lines`: for readers that cut it by themselves."""
        return self._pieces

    def sha256(self) -> str:
        """The digest of the bytes on disk; complete once all lines were read."""
        return self._bytes.digest.hexdigest()


@contextmanager
def open_source(path: str | os.PathLike[str]) -> Iterator[Source]:
    """Open a file, or standard input for ``-``, as lines of text; every failure becomes one sentence."""
    name = os.fspath(path)
    label = label_of(name)
    _check_name(name)
    try:
        with _open_bytes(name) as raw:
            digesting = _Digesting(raw)
            packed = io.BufferedReader(digesting, BLOCK)
            stream = _unpack(packed, label)
            if stream.peek(4).startswith(_PARQUET):
                yield Source(name, (), iter(()), digesting, stream, packed=stream is not packed or name == STANDARD_INPUT)
                return
            pieces = _bounded_pieces(_as_text(stream, label), label)
            begun: list[str] = []
            while sum(piece.count("\n") for piece in begun) < HEAD_LINES and (piece := next(pieces, "")):
                begun.append(piece)
            head = list(itertools.islice(itertools.chain.from_iterable(map(_cut, begun)), HEAD_LINES))
            yield Source(name, head, itertools.chain(begun, pieces), digesting)
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


def unpacks_to_more(path: str | os.PathLike[str], most: int) -> bool:
    """Whether a compressed file unpacks to more than so many bytes; none of them are kept, and no more are unpacked."""
    left = most
    # What is damaged is for the reader to say.
    with suppress(EOFError, OSError, zlib.error, lzma.LZMAError), Path(path).open("rb") as raw:
        packed = cast("io.BufferedReader[Any]", raw)
        stream = _unpack(packed, label_of(os.fspath(path)))
        while stream is not packed and left >= 0 and (block := stream.read(PIECE)):
            left -= len(block)
    return left < 0


def nul_byte(label: str, line: int) -> tuple[str, str]:
    """What is wrong with a NUL byte on a line, and the cure: no text has one."""
    return f"{label}, line {line}: found a NUL byte, as binary files have; text was expected.", "Save it as plain UTF-8 text."


def stem_of(path: str) -> str:
    """A file's name without folders and endings, which names its system.

    Examples
    --------
    >>> stem_of("runs/gpt.v2.csv.gz"), stem_of("-")
    ('gpt.v2', 'stdin')
    """
    if path == STANDARD_INPUT:
        return "stdin"
    pure = PurePath(path)
    return PurePath(pure.stem).stem if pure.suffix in PACKED else pure.stem


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


def _check_name(name: str) -> None:
    """Refuse a name that no result could hold: it is written down with every number that came from the file."""
    shown = name.encode("utf-8", "replace").decode()
    if shown != name:
        raise OutscoreError(f"The name of the file `{shown}` is not UTF-8.", "Rename the file; what it holds may stay.")


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
        return io.BufferedReader(_Zstd(packed, label), BLOCK)
    return packed


class _Zstd(io.RawIOBase):
    """Unpacks zstd frames; the package's own reader would take a cut file for a whole one."""

    def __init__(self, packed: io.BufferedReader[Any], label: str) -> None:
        try:
            import zstandard
        except ImportError:
            raise OutscoreError(
                f"{label} is compressed with zstd, and zstandard must be installed to read .zst files.",
                "Run `pip install zstandard`, or unpack the file first.",
            ) from None
        self._packed, self._error = packed, zstandard.ZstdError
        self._new = zstandard.ZstdDecompressor().decompressobj
        self._frame = self._new()
        self._ready = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:  # noqa: ANN401 - any writable buffer
        view = memoryview(buffer)
        while not self._ready:
            block = self._frame.unused_data or self._packed.read(FED)
            if not block:
                if not self._frame.eof:
                    raise EOFError("Compressed file ended before the end of its last frame")
                return 0
            if self._frame.eof:
                self._frame = self._new()
            try:
                self._ready = memoryview(self._frame.decompress(block))
            except self._error as error:
                raise EOFError(str(error)) from None
        size = min(len(view), len(self._ready))
        view[:size] = self._ready[:size]
        self._ready = self._ready[size:]
        return size


def _as_text(stream: io.BufferedReader[Any], label: str) -> io.TextIOWrapper[Any]:
    start = stream.peek(BLOCK)[:BLOCK]
    if start.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise OutscoreError(f"{label} is written in UTF-16, UTF-8 was expected.", "Save it as UTF-8 text.")
    if start.startswith(_ZIP):
        cure = "Export a sheet as CSV, and take files out of an archive first."
        raise OutscoreError(f"{label} is a spreadsheet or an archive, text was expected.", cure)
    if start.startswith(_PICTURES):
        raise OutscoreError(f"{label} is a picture or a PDF, text was expected.", "Give the numbers or texts that it shows.")
    if start.lstrip(b"\xef\xbb\xbf \t\r\n")[:14].lower().startswith(_WEB_PAGE):
        raise OutscoreError(f"{label} is a web page, text was expected.", "Save the data that it shows, as CSV for example.")
    if _is_wide(start):
        raise OutscoreError(f"{label} seems to be written in UTF-16, UTF-8 was expected.", "Save it as UTF-8 text.")
    before, nul, _ = start.partition(b"\x00")
    if nul:
        raise OutscoreError(*nul_byte(label, before.count(b"\n") + 1))
    return io.TextIOWrapper(stream, encoding="utf-8-sig", errors="surrogateescape")


def _is_wide(start: bytes) -> bool:
    """Whether every other byte is 0, as in plain text whose letters take two bytes each and have no mark before them."""
    pairs = start[: len(start) // 2 * 2]
    return len(pairs) > 2 and any(not any(pairs[i::2]) and all(pairs[1 - i :: 2]) for i in (0, 1))


def _bounded_pieces(text: io.TextIOWrapper[Any], label: str) -> Iterator[str]:
    """Text in large pieces of whole lines."""
    begun = ""
    while piece := text.read(PIECE):
        whole, end, rest = piece.rpartition("\n")
        if end:
            yield begun + whole + end
            begun = rest
        else:
            begun += piece
        if len(begun) > LONGEST_LINE:
            raise OutscoreError(
                f"{label} has a line of more than {LONGEST_LINE:,} characters.", "Give one item per line, in plain text."
            )
    if begun:
        yield begun


def _cut(piece: str) -> list[str]:
    """Lines with their ends: asking for every line by itself takes four times as long."""
    return io.StringIO(piece, newline="\n").readlines()


def _nearest(name: str) -> str:
    """A likely spelling mistake, or where the search started."""
    path = Path(name)
    try:
        siblings = [entry.name for entry in path.parent.iterdir() if not entry.name.startswith(".")]
    except OSError:
        siblings = []
    near = max(siblings, key=lambda other: _likeness(path.name, other), default="")
    if near and _likeness(path.name, near) >= ALIKE:
        return f"Did you mean `{path.parent / near}`?"
    return "Check the spelling and the folder you are in."


def _likeness(name: str, other: str) -> float:
    """How alike two file names are, from 0 to 1: most files of a folder share their ending, so the stems count."""
    stems = (Path(name.lower()).stem, Path(other.lower()).stem)
    return difflib.SequenceMatcher(None, *stems).ratio() - (Path(name).suffix != Path(other).suffix) / 100
