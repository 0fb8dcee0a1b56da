"""Opening files: what there is at a path, standard input, compression, encodings, and clear errors for what cannot be read."""

from __future__ import annotations

import bz2
import difflib
import errno
import glob
import gzip
import hashlib
import io
import itertools
import lzma
import os
import re
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import field, replace
from pathlib import Path, PurePath
from typing import Any, BinaryIO, Literal, cast

from outscore.core.errors import OutscoreError, load_extra
from outscore.core.records import dataclass
from outscore.formats.base.document import document_lines, may_be_json, parse_document
from outscore.formats.base.pipes import is_pipe, name_by_place, open_raw
from outscore.scores.system import STANDARD_INPUT, label_of

# What there is at a path: nothing, a link that leads nowhere, or a folder of files.


# Similarity of file names that differ by one letter in a stem of six.
MIN_SIMILARITY = 0.8
MAX_FILES = 10_000
"""A folder of runs holds caches and pictures too; one with more files than this is not a folder of runs."""


def files_below(folder: str | os.PathLike[str], wanted: str = "runs") -> list[str]:
    """All files whose names, and those of their folders, do not begin with a dot, in order; too many are refused.

    The search ends there: whoever names the root of the file system should not wait for all of it.
    """
    files: list[str] = []
    for count, (parent, folders, names) in enumerate(os.walk(folder), 1):
        folders[:] = [name for name in folders if not name.startswith(".")]
        files += (str(Path(parent, name)) for name in names if not name.startswith("."))
        if len(files) > MAX_FILES or count > MAX_FILES:
            what = "files" if len(files) > count else "folders"
            raise OutscoreError(
                f"{label_of(os.fspath(folder))} contains more than {MAX_FILES:,} {what}.",
                f"Name the folder of the {wanted}.",
                file=os.fspath(folder),
            )
    return sorted(files)


def is_pattern(written: str) -> bool:
    """Whether this is a pattern for several files, not the name of one."""
    return glob.has_magic(written) and not Path(written).exists()


def runs_in(written: str) -> list[str]:
    """The files that a quoted pattern matches, which are runs of one system; of one that matches none, the pattern itself."""
    if not is_pattern(written):
        return [written]
    return sorted(glob.glob(written)) or [written]  # noqa: PTH207 - patterns may be absolute


def pattern_name(written: str) -> str:
    """What the runs that a pattern matches are called: the folder above the first wildcard, or the name without it.

    Examples
    --------
    >>> pattern_name("runs/amber/*/results.json"), pattern_name("runs/amber-seed*.json")
    ('amber', 'amber-seed')
    """
    parts = PurePath(written).parts
    first = next(place for place, part in enumerate(parts) if glob.has_magic(part))
    inside = re.sub(r"[._-]*(?:[*?]|\[[^]]*\])+", "", PurePath(parts[first]).stem)
    return inside or (parts[first - 1] if first else PurePath(written).stem)


def refuse_missing(paths: Iterable[str]) -> None:
    """Refuse the first path at which there is nothing: a mistake in its name must not be blamed on another file."""
    for path in paths:
        if path == STANDARD_INPUT:
            continue
        try:
            Path(path).stat()
        except OSError as error:
            # Whatever else is wrong, its reader reports.
            if error.errno in (errno.ENOENT, errno.ENOTDIR, errno.ELOOP):
                raise missing_error(path) from None


def missing_error(name: str) -> OutscoreError:
    """The error of a path at which there is nothing, of a link that leads nowhere, or of a pattern without files."""
    try:
        Path(name).stat()
    except OSError as error:
        if error.errno == errno.ELOOP:
            return OutscoreError(
                f"{label_of(name)} leads in a circle of symbolic links, not to a file.", "Name the file itself.", file=name
            )
    if Path(name).is_symlink():
        target = Path(name).readlink()
        return OutscoreError(
            f"{label_of(name)} is a symbolic link to `{target}`, which does not exist.",
            "Restore that file, or name another.",
            file=name,
        )
    if glob.has_magic(name):
        return OutscoreError(f"No file matches {label_of(name)}.", "Check the pattern and the folder you are in.", file=name)
    return OutscoreError(f"{label_of(name)} does not exist.", _suggest_path(name), file=name)


def _suggest_path(name: str) -> str:
    """A hint for a file that does not exist: a similar name in the same folder if there is one."""
    path = Path(name)
    try:
        siblings = [entry.name for entry in path.parent.iterdir() if not entry.name.startswith(".")]
    except OSError:
        siblings = []
    near = max(siblings, key=lambda other: _similarity(path.name, other), default="")
    if near and _similarity(path.name, near) >= MIN_SIMILARITY:
        return f"Did you mean `{path.parent / near}`?"
    return "Check the spelling and the folder you are in."


def _similarity(name: str, other: str) -> float:
    """Similarity of two file names from 0 to 1, by their stems: most files of a folder share their ending."""
    stems = (Path(name.lower()).stem, Path(other.lower()).stem)
    return difflib.SequenceMatcher(None, *stems).ratio() - (Path(name).suffix != Path(other).suffix) / 100


# Opening files: standard input, compression, encodings, and clear errors for what cannot be read.
#
# A `Source` is a file that is opened once and read line by line, compressed or not. It is a `Peek`, which is all that detection
# may look at. Compression and Parquet, the one format that is not text, are recognised by the first bytes and not by the name.
# Bytes that are not UTF-8 are passed on as lone surrogates, so that a reader can name the line they are on.


PACKED = {".gz", ".bz2", ".xz", ".zst", ".zip"}
HEAD_LINES = 20
BLOCK = 1 << 16
PIECE = 1 << 18
# A few bytes of zstd can unpack to 128 KB, and each block of input is unpacked whole: this block size costs
# at most 32 MB.
ZSTD_BLOCK = 1 << 10
# A file without line ends must not be loaded into memory as one line.
MAX_LINE = 1 << 24
# A JSON document may be one line, and is read whole anyway.
MAX_DOCUMENT = 1 << 28
_MAX_SHOWN = 40

_GZIP, _BZIP2, _XZ, _ZSTD = b"\x1f\x8b", b"BZh", b"\xfd7zXZ\x00", b"\x28\xb5\x2f\xfd"
_PARQUET = b"PAR1"
_ZIP = b"PK\x03\x04"
_PICTURES = (b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"%PDF-")
_WEB_PAGE = (b"<!doctype html", b"<html")
_UNDECODED = re.compile("[\udc80-\udcff]")


@dataclass(frozen=True)
class Peek:
    r"""The beginning of a file, which is all that detection looks at: its name, and its first lines unless it is Parquet.

    Examples
    --------
    >>> peek = Peek("runs/new.csv.gz", ["id,score\n", "\n", "q1,1\n"])
    >>> peek.suffix, peek.filled
    ('.csv', ['id,score\n', 'q1,1\n'])
    """

    path: str
    head: Sequence[str]
    is_parquet: bool = False
    document: object = field(default=None, repr=False, compare=False)
    """What the file holds if it is one JSON document, which was read whole."""
    unit: Literal["line", "row"] = "line"
    """What a line is: of a document with a list of records, `head` and the lines of the source are those."""

    @property
    def suffix(self) -> str:
        """The ending of the name in lower case, without that of a compression."""
        return unpacked(self.path).suffix.lower()

    @property
    def label(self) -> str:
        """What messages call the file."""
        return label_of(self.path)

    @property
    def filled(self) -> list[str]:
        """The first lines that are not blank."""
        return [line for line in self.head if line.strip()]


@dataclass(frozen=True)
class Source(Peek):
    """A file opened for reading: beside what a peek tells, its text to read once, and its digest afterwards.

    `pieces` are the whole text in large pieces of whole lines, for readers that split it themselves; use either these or
    `lines`. A Parquet file has no lines: `parquet` holds its bytes, and `packed` says whether they differ from those on disk.
    """

    pieces: Iterator[str] = field(default=iter(()), repr=False, compare=False)
    digest: Any = field(default=None, repr=False, compare=False)
    parquet: io.BufferedReader[Any] | None = None
    packed: bool = False

    def lines(self) -> Iterator[str]:
        """All lines, the first included; call it once."""
        return itertools.chain.from_iterable(map(split_lines, self.pieces))

    def sha256(self) -> str:
        """The digest of the bytes on disk; complete once all lines have been read."""
        return str(self.digest.hexdigest())


@contextmanager
def open_source(
    path: str | os.PathLike[str], *, line_ends: Literal["translated", "kept"] = "translated", columns: Sequence[str] = ()
) -> Iterator[Source]:
    """Open a file, or standard input for ``-``, as lines of text; every failure becomes an `OutscoreError`.

    Where line ends are kept, a carriage return alone ends no line. `columns` are those that the caller names, which tell the
    records of one JSON document from other lists in it.
    """
    name = os.fspath(path)
    with explain_failures(name), open_raw(name) as raw:
        digesting = _Digesting(raw)
        digest = digesting.digest
        packed = io.BufferedReader(digesting, BLOCK)
        stream = _unpack(packed)
        if stream.peek(4).startswith(_PARQUET):
            unpacked = stream is not packed or is_pipe(name)
            yield Source(name, (), is_parquet=True, digest=digest, parquet=stream, packed=unpacked)
            return
        text = _as_text(stream, name, None if line_ends == "translated" else "")
        pieces = _bounded_pieces(text, label_of(name))
        begun: list[str] = []
        while sum(piece.count("\n") for piece in begun) < HEAD_LINES and (piece := next(pieces, "")):
            begun.append(piece)
        head = list(itertools.islice(itertools.chain.from_iterable(map(split_lines, begun)), HEAD_LINES))
        if may_be_json(head) and not (head[0].lstrip().startswith("{") and Peek(name, head).suffix == ".jsonl"):
            begun.extend(pieces)
            yield _document_source(Source(name, head, pieces=iter(begun), digest=digest), "".join(begun), columns)
            return
        yield Source(name, head, pieces=itertools.chain(begun, pieces), digest=digest)


@contextmanager
def open_bytes(path: str | os.PathLike[str]) -> Iterator[tuple[io.BufferedReader[Any], bool]]:
    """Open a file as bytes, unpacked, and say whether it was compressed; every failure becomes an `OutscoreError`."""
    name = os.fspath(path)
    with explain_failures(name), open_raw(name) as raw:
        packed = cast("io.BufferedReader[Any]", raw)
        stream = _unpack(packed)
        yield stream, stream is not packed and not stream.peek(4).startswith(_ZIP)


@contextmanager
def explain_failures(name: str) -> Iterator[None]:
    """Turn whatever goes wrong while a file is open into a sentence about that file."""
    label = label_of(name)
    shown = name.encode("utf-8", "replace").decode()
    if shown != name:
        # Results record it in their JSON.
        cure = "Rename the file; its contents can stay as they are."
        raise OutscoreError(f"The name of the file `{shown}` is not UTF-8.", cure)
    try:
        yield
    except OutscoreError as error:
        error.file = error.file or name
        raise
    except FileNotFoundError:
        raise missing_error(name) from None
    except (EOFError, OSError, UnicodeDecodeError, lzma.LZMAError, zipfile.BadZipFile, zlib.error) as error:
        problem, cure = _failure(error)
        raise OutscoreError(f"{label} {problem}.", cure, file=name) from None


def _failure(error: Exception) -> tuple[str, str]:
    """What has gone wrong with a file, and the cure."""
    if isinstance(error, UnicodeDecodeError):
        return "is damaged: its UTF-16 text is cut short or wrong", "Save it again."
    if isinstance(error, IsADirectoryError):
        return "is a folder, but a file was expected", "Name a file inside it."
    if isinstance(error, PermissionError):
        return "cannot be read: permission denied", "Ask for read access or copy the file."
    if isinstance(error, OSError) and not isinstance(error, gzip.BadGzipFile):
        return f"could not be read: {error.strerror or str(error)}", "Copy the file and try again."
    return f"is damaged: {str(error).rstrip('.')}", "Compress the original file again."


def _document_source(source: Source, text: str, columns: Sequence[str]) -> Source:
    """The records of a JSON document as lines, or the text itself where it has none."""
    document = parse_document(text)
    records = None
    if document is not None and not is_result(document):
        records = document_lines(document, columns)
    if records is None:
        return replace(source, document=document)
    return replace(source, head=records[:HEAD_LINES], document=document, unit="row", pieces=iter(records))


def is_result(document: object) -> bool:
    """Whether this is a saved result, whose lists are not a table."""
    return isinstance(document, dict) and str(document.get("schema", "")).startswith("outscore/")


def unpacks_to_more(path: str | os.PathLike[str], most: int) -> bool:
    """Whether a compressed file unpacks to more than `most` bytes; it is unpacked no further than that, and nothing is kept."""
    left = most
    # The reader reports damaged files.
    with suppress(EOFError, OSError, zlib.error, lzma.LZMAError), Path(path).open("rb") as raw:
        packed = cast("io.BufferedReader[Any]", raw)
        stream = _unpack(packed)
        while stream is not packed and not stream.peek(4).startswith(_ZIP) and left >= 0 and (block := stream.read(PIECE)):
            left -= len(block)
    return left < 0


def line_error(path: str, line: int, problem: str, hint: str, unit: str = "line") -> OutscoreError:
    """The error of a single line, or of a row where the file has no lines."""
    message = f"{label_of(path)}, {unit} {line}: {problem}."
    return OutscoreError(message, hint, file=path, line=line if unit == "line" else None)


def refuse_undecoded(path: str, line: int, text: str) -> None:
    """Refuse a line with bytes that are not UTF-8."""
    problem = decoding_problem(text)
    if problem is not None:
        raise line_error(path, line, *problem) from None


def decoding_problem(text: str) -> tuple[str, str] | None:
    """Error message and hint for the first byte that is not UTF-8, or None."""
    undecoded = _UNDECODED.search(text)
    if undecoded is None:
        return None
    return f"found the byte 0x{ord(undecoded[0]) - 0xDC00:02x}, which is not UTF-8 text", "Save the file as UTF-8."


def nul_byte_error(path: str, line: int) -> OutscoreError:
    """The error of a NUL byte, which text never has."""
    problem = "found a NUL byte, as in binary files; expected text"
    return line_error(path, line, problem, "Save it as plain UTF-8 text.")


def shorten(text: str) -> str:
    """At most 40 printable characters of a text, for error messages."""
    clean = "".join(c if c.isprintable() else "?" for c in " ".join(text.split()))
    return clean if len(clean) <= _MAX_SHOWN else clean[: _MAX_SHOWN - 3] + "..."


def stem_of(path: str) -> str:
    """A file's name without folders and endings, which names its system.

    Examples
    --------
    >>> stem_of("runs/gpt.v2.csv.gz"), stem_of("-")
    ('gpt.v2', 'stdin')
    """
    return name_by_place(path) or ("stdin" if path == STANDARD_INPUT else unpacked(path).stem)


def unpacked(path: str) -> PurePath:
    """A path without the ending of a compression.

    Examples
    --------
    >>> str(unpacked("runs/new.wer.gz")), str(unpacked("new.wer"))
    ('runs/new.wer', 'new.wer')
    """
    pure = PurePath(path)
    return pure.with_suffix("") if pure.suffix in PACKED else pure


class _Digesting(io.RawIOBase):
    """Passes bytes through and hashes them on the way, so that no file is read twice."""

    def __init__(self, raw: BinaryIO) -> None:
        self._raw = cast("io.RawIOBase", raw)
        self.digest = hashlib.sha256()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int | None:  # noqa: ANN401 - any writable buffer
        size = self._raw.readinto(buffer)
        if size:
            self.digest.update(memoryview(buffer)[:size])
        return size


def _unpack(packed: io.BufferedReader[Any]) -> io.BufferedReader[Any]:
    magic = packed.peek(8)[:8]
    if magic.startswith(_GZIP):
        return io.BufferedReader(cast("io.RawIOBase", gzip.GzipFile(fileobj=packed)), BLOCK)
    if magic.startswith(_BZIP2):
        return io.BufferedReader(cast("io.RawIOBase", bz2.BZ2File(packed)), BLOCK)
    if magic.startswith(_XZ):
        return io.BufferedReader(cast("io.RawIOBase", lzma.LZMAFile(packed)), BLOCK)
    if magic.startswith(_ZSTD):
        return io.BufferedReader(_Zstd(packed), BLOCK)
    return _only_member(packed) if magic.startswith(_ZIP) else packed


def _only_member(packed: io.BufferedReader[Any]) -> io.BufferedReader[Any]:
    """The only file in an archive; an archive of several, as spreadsheets and logs are, as it is."""
    whole = packed if packed.seekable() else io.BufferedReader(cast("io.RawIOBase", io.BytesIO(packed.read())), BLOCK)
    with suppress(zipfile.BadZipFile, NotImplementedError, ValueError):
        archive = zipfile.ZipFile(whole)
        files = [one for one in archive.infolist() if not one.is_dir() and not one.filename.startswith("__MACOSX/")]
        if len(files) == 1 and not files[0].flag_bits & 1:
            return io.BufferedReader(cast("io.RawIOBase", archive.open(files[0])), BLOCK)
    whole.seek(0)
    return whole


class _Zstd(io.RawIOBase):
    """Unpacks zstd frames; the package's own reader does not notice a truncated file."""

    def __init__(self, packed: io.BufferedReader[Any]) -> None:
        zstandard = load_extra("zstandard", "read files that zstd packed", "zst")
        self._packed, self._error = packed, zstandard.ZstdError
        self._new = zstandard.ZstdDecompressor().decompressobj
        self._frame = self._new()
        self._ready = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:  # noqa: ANN401 - any writable buffer
        view = memoryview(buffer)
        while not self._ready:
            block = self._frame.unused_data or self._packed.read(ZSTD_BLOCK)
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


def _as_text(stream: io.BufferedReader[Any], path: str, newline: str | None) -> io.TextIOWrapper[Any]:
    label = label_of(path)
    start = stream.peek(BLOCK)[:BLOCK]
    if start.startswith((b"\xff\xfe", b"\xfe\xff")):
        return io.TextIOWrapper(stream, encoding="utf-16", newline=newline)
    if start.startswith(_ZIP):
        cure = "Export a sheet as CSV, in UTF-8; unpack an archive, and name the files in it."
        raise OutscoreError(f"{label} is a spreadsheet or an archive of several files, but text was expected.", cure)
    if start.startswith(_PICTURES):
        raise OutscoreError(
            f"{label} is a picture or a PDF, but text was expected.", "Save the numbers or texts that it shows as plain text."
        )
    if start.lstrip(b"\xef\xbb\xbf \t\r\n")[:14].lower().startswith(_WEB_PAGE):
        raise OutscoreError(
            f"{label} is a web page, but text was expected.", "Save the data that it shows, for example as CSV."
        )
    # Every other byte is 0, as in UTF-16 text without a byte order mark.
    pairs = start[: len(start) // 2 * 2]
    if len(pairs) > 2 and any(not any(pairs[i::2]) and all(pairs[1 - i :: 2]) for i in (0, 1)):
        raise OutscoreError(f"{label} seems to be written in UTF-16, but UTF-8 was expected.", "Save it as UTF-8 text.")
    before, nul, _ = start.partition(b"\x00")
    if nul:
        raise nul_byte_error(path, before.count(b"\n") + 1)
    return io.TextIOWrapper(stream, encoding="utf-8-sig", errors="surrogateescape", newline=newline)


def _bounded_pieces(text: io.TextIOWrapper[Any], label: str) -> Iterator[str]:
    """Text in large pieces of whole lines."""
    begun, limit = "", MAX_LINE
    while piece := text.read(PIECE):
        if limit == MAX_LINE and not begun and piece.lstrip()[:1] in ("[", "{"):
            limit = MAX_DOCUMENT
        whole, end, rest = piece.rpartition("\n")
        if end:
            yield begun + whole + end
            begun = rest
        else:
            begun += piece
        if len(begun) > limit:
            raise OutscoreError(
                f"{label} has a line of more than {limit:,} characters.", "Give one item per line, in plain text."
            )
    if begun:
        yield begun


def split_lines(piece: str) -> list[str]:
    """Lines with their ends; reading line by line from the stream would take four times as long."""
    return io.StringIO(piece, newline="\n").readlines()
