"""What can be read only once: standard input, FIFOs and the pipes of a shell.

Recognising a format takes a look at a file before it is read, and a pipe loses whatever is looked at. So what comes through one
is kept when it is first opened, and everything inside `reading_once` reads what was kept. A pipe has no name either: its system
is called by its place, A, B, C.
"""

from __future__ import annotations

import io
import mmap
import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from contextvars import ContextVar
from dataclasses import field
from pathlib import Path
from string import ascii_uppercase
from typing import Any, BinaryIO

from outscore.core.errors import OutscoreError
from outscore.core.records import dataclass
from outscore.scores.system import STANDARD_INPUT, label_of

IN_MEMORY = 1 << 26
"""Bytes of a pipe beyond which it is kept in a temporary file."""
BLOCK = 1 << 20
HANDLES = ("/dev/stdin", "/dev/fd/", "/proc/self/fd/")
"""Where a shell hands over what it has opened: these names name nothing."""
Identity = tuple[int, int] | str


@dataclass(frozen=True)
class _Door:
    """What has come through pipes so far, by the identity of the pipe, and the names of systems without one."""

    names: dict[str, str]
    closing: ExitStack
    kept: dict[Identity, bytes | mmap.mmap] = field(default_factory=dict)


_DOOR: ContextVar[_Door | None] = ContextVar("door", default=None)


@contextmanager
def reading_once(systems: Sequence[str] = ()) -> Iterator[None]:
    """Whatever is opened inside is read from its pipe once; `systems` are the files of systems, in order.

    Inside another one this changes nothing.
    """
    if _DOOR.get() is not None:
        yield
        return
    with ExitStack() as closing:
        token = _DOOR.set(_Door(_letters(systems), closing))
        try:
            yield
        finally:
            _DOOR.reset(token)


def call_by_place(systems: Sequence[str]) -> None:
    """Call systems from pipes by their places among these, where others are systems than it seemed at the door."""
    door = _DOOR.get()
    if door is not None:
        door.names.update(_letters(systems))


def _letters(systems: Sequence[str]) -> dict[str, str]:
    return {path: _letter(place) for place, path in enumerate(systems) if is_nameless(path)}


def _letter(place: int) -> str:
    return ascii_uppercase[place] if place < len(ascii_uppercase) else f"system {place + 1}"


def name_by_place(path: str) -> str | None:
    """What the system of this path is called if it has come through a pipe, or None."""
    door = _DOOR.get()
    return None if door is None else door.names.get(path)


def is_nameless(path: str) -> bool:
    """Whether a path names no file: it is a pipe, or what a shell has opened.

    Examples
    --------
    >>> is_nameless("-"), is_nameless("/dev/fd/63"), is_nameless("absent.csv")
    (True, True, False)
    """
    return path.startswith(HANDLES) or is_pipe(path)


def is_pipe(path: str | os.PathLike[str]) -> bool:
    """Whether a path can be read only once; a device such as /dev/null can be read again.

    Examples
    --------
    >>> is_pipe("-"), is_pipe("/dev/null"), is_pipe("absent.csv")
    (True, False, False)
    """
    if os.fspath(path) == STANDARD_INPUT:
        return True
    try:
        info = Path(path).stat()
    except (OSError, ValueError):
        return False
    if stat.S_ISCHR(info.st_mode):
        return _identity(STANDARD_INPUT) == (info.st_dev, info.st_ino) and sys.stdin.isatty()
    return stat.S_ISFIFO(info.st_mode) or stat.S_ISSOCK(info.st_mode)


def _identity(path: str) -> Identity:
    """What two names of one pipe have in common."""
    if path != STANDARD_INPUT:
        info = Path(path).stat()
        return info.st_dev, info.st_ino
    try:
        info = os.fstat(sys.stdin.fileno())
    except (AttributeError, OSError, ValueError):
        # It is closed, or somebody has put something else in its place.
        return STANDARD_INPUT
    return STANDARD_INPUT if stat.S_ISREG(info.st_mode) else (info.st_dev, info.st_ino)


def refuse_repeated(paths: Sequence[str]) -> None:
    """Refuse a pipe that is named twice: it would have to be read twice."""
    seen: set[Identity] = set()
    for path in filter(is_pipe, paths):
        identity = _identity(path)
        if identity in seen:
            raise OutscoreError(
                f"{label_of(path)} is named twice, but it can be read only once.", "Save it to a file first.", parameter="files"
            )
        seen.add(identity)


@contextmanager
def open_raw(path: str) -> Iterator[BinaryIO]:
    """The bytes of a file, or what was kept of a pipe."""
    data = kept(path)
    if data is not None:
        yield io.BufferedReader(_Reader(data), BLOCK)
        return
    with _opened(path) as raw:
        yield raw


def kept(path: str) -> bytes | mmap.mmap | None:
    """What has come through a pipe, all of it; None for a file, and where nobody reads once."""
    door = _DOOR.get()
    if door is None or not is_pipe(path):
        return None
    identity = _identity(path)
    if identity not in door.kept:
        with _opened(path) as raw:
            door.kept[identity] = _keep(raw, door.closing)
    return door.kept[identity]


def scannable(path: str) -> str | io.BytesIO:
    """What polars scans: a file by its path, a pipe as what was kept of it."""
    data = kept(path)
    return path if data is None else io.BytesIO(data)


@contextmanager
def _opened(path: str) -> Iterator[BinaryIO]:
    # A socket cannot be opened by its name, and what standard input has read ahead is in its buffer.
    if path == STANDARD_INPUT or (is_pipe(path) and _identity(path) == _identity(STANDARD_INPUT)):
        if sys.stdin is None:
            raise OutscoreError("Standard input is closed.", "Name a file, or write into it: `… | outscore …`.")
        yield sys.stdin.buffer
        return
    with Path(path).open("rb") as raw:
        yield raw


def _keep(raw: BinaryIO, closing: ExitStack) -> bytes | mmap.mmap:
    start = raw.read(IN_MEMORY)
    if len(start) < IN_MEMORY:
        return start
    # Without a name, so that nothing is left of it whatever happens to the process.
    file = closing.enter_context(tempfile.TemporaryFile())  # noqa: SIM115 - closed at the end of the door
    file.write(start)
    shutil.copyfileobj(raw, file, BLOCK)
    return closing.enter_context(mapped(file))


@contextmanager
def mapped(file: BinaryIO) -> Iterator[bytes | mmap.mmap]:
    """The bytes of an open file, mapped into memory."""
    file.flush()
    if not os.fstat(file.fileno()).st_size:
        yield b""
        return
    data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    try:
        yield data
    finally:
        # The frames of an error may hold parts of it; then it is closed with them.
        with suppress(BufferError):
            data.close()


class _Reader(io.RawIOBase):
    """Reads what was kept from its beginning, however many others do."""

    def __init__(self, data: bytes | mmap.mmap) -> None:
        self._data, self._at = data, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        start = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: len(self._data)}[whence]
        self._at = max(0, start + offset)
        return self._at

    def readinto(self, buffer: Any, /) -> int:  # noqa: ANN401 - any writable buffer
        part = self._data[self._at : self._at + len(buffer)]
        buffer[: len(part)] = part
        self._at += len(part)
        return len(part)
