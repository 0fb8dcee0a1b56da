"""Uploads and results: a private folder of this process, unguessable names, nothing kept longer than needed.

The folder is removed when the page ends, entries not used for an hour are removed before that, and folders left behind by a
killed process are removed when the next one starts. A page locks its folder for as long as it runs: process ids would not do,
since another container has other ids and may share the temporary folder.
"""

from __future__ import annotations

import fcntl
import os
import re
import secrets
import shutil
import tempfile
import time
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import field
from pathlib import Path, PurePosixPath
from typing import Any, Generic, Protocol, TypeVar

from outscore.core.records import dataclass
from outscore.web.messages import HTTPProblem
from outscore.web.settings import Settings

PREFIX = "outscore-web-"
OURS = re.compile(re.escape(PREFIX) + r"\d+-.+")
LOCK, CACHE = ".lock", ".cache"
MAX_NAME, MAX_DEPTH = 120, 8
DEFAULT_NAME = "file.txt"


class Entry(Protocol):
    """What a registry holds: an id, and a folder that is removed with it."""

    @property
    def id(self) -> str:
        """The unguessable name."""
        ...

    @property
    def folder(self) -> Path:
        """The folder of its files."""
        ...

    @property
    def busy(self) -> bool:
        """Whether it is in use even though nobody asks for it."""
        ...

    @property
    def holds(self) -> Mapping[str, int]:
        """Bytes on disk by the id of their owner, which may be another entry."""
        ...


E = TypeVar("E", bound=Entry)


@dataclass(frozen=True)
class Upload:
    """An uploaded file and its description; `readable` says whether it could be inspected at all.

    `place` is its path among the files that were sent together as one `drop`, and `beside` are the ids of those that belong
    to it. `first` is the id of the first file of its upload, which may take several requests.
    """

    id: str
    folder: Path
    name: str
    size: int
    about: dict[str, Any] = field(default_factory=dict)
    readable: bool = True
    busy: bool = False
    place: str = ""
    drop: str = ""
    beside: tuple[str, ...] = ()
    first: str = ""

    @property
    def holds(self) -> Mapping[str, int]:
        """Its own size."""
        return {self.id: self.size}

    @property
    def path(self) -> Path:
        """The file itself."""
        return self.folder / self.name

    def to_dict(self) -> dict[str, Any]:
        """The file as the interface returns it."""
        return {"id": self.id, "name": self.name, "size": self.size, **self.about}


class ExpiringRegistry(Generic[E]):
    """Entries by id, each with the time of its last use; `noun` is what problems call an entry."""

    def __init__(self, noun: str, limit: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._noun, self._limit, self._clock = noun, limit, clock
        self._entries: dict[str, E] = {}
        self._used: dict[str, float] = {}

    def __len__(self) -> int:
        return len(self._entries)

    def __iter__(self) -> Iterator[E]:
        return iter(list(self._entries.values()))

    def add(self, entry: E) -> None:
        """Add an entry; beyond the limit the least recently used idle ones are removed."""
        self._entries[entry.id] = entry
        self._used[entry.id] = self._clock()
        for old in self.idle(but=entry.id)[: max(0, len(self) - self._limit)]:
            self.remove(old.id)

    def idle(self, but: str = "") -> list[E]:
        """Entries not in use, the least recently used first; `but` may name one to leave out."""
        idle = (entry for entry in self if not entry.busy and entry.id != but)
        return sorted(idle, key=lambda entry: self._used[entry.id])

    def get(self, id_: str, *, use: bool = True) -> E:
        """The entry of this id, which counts as used unless it is only looked at."""
        if id_ not in self._entries:
            raise HTTPProblem(404, f"There is no such {self._noun}.", "It was removed, or the address is not complete.")
        if use:
            self._used[id_] = self._clock()
        return self._entries[id_]

    def find(self, id_: str) -> E | None:
        """The entry of this id, if it is still there."""
        return self.get(id_) if id_ in self._entries else None

    def remove(self, id_: str) -> None:
        """Remove an entry and its folder."""
        entry = self.get(id_)
        del self._entries[id_], self._used[id_]
        shutil.rmtree(entry.folder, ignore_errors=True)

    def sweep(self, lifetime: float) -> None:
        """Remove idle entries that were last used more than `lifetime` seconds ago."""
        limit = self._clock() - lifetime
        for entry in self:
            if self._used[entry.id] < limit and not entry.busy:
                self.remove(entry.id)


class Store:
    """The private folder and its contents."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        remove_abandoned(settings.folder)
        self.folder, self._lock = _locked_folder(settings.folder)
        self.cache = self.folder / CACHE
        """Cached statistics of texts, which must be removed with the texts."""
        self.uploads: ExpiringRegistry[Upload] = ExpiringRegistry("file", settings.max_uploads)
        self.results: ExpiringRegistry[Any] = ExpiringRegistry("job", settings.max_results)
        self.awaited: dict[str, tuple[int, int]] = {}
        """Incomplete uploads by the id of their first file: how many files have arrived, and of how many."""
        self._reserved = 0

    def new_folder(self) -> tuple[str, Path]:
        """Create an empty folder with an unguessable id."""
        id_ = secrets.token_urlsafe(16)
        folder = self.folder / id_
        folder.mkdir(mode=0o700)
        return id_, folder

    @contextmanager
    def reserve(self, more: int) -> Iterator[None]:
        """Reserve bytes for what is about to be stored, or refuse if the total would exceed the limit."""
        idle = {result.id for result in self.results.idle()}
        staying = [*self.uploads, *(result for result in self.results if result.id not in idle)]
        if self._held(staying) + more > self._settings.max_bytes:
            raise HTTPProblem(
                413,
                f"More than {self._settings.max_bytes >> 20:,} MB would be stored.",
                "Remove files and kept results that you no longer need.",
            )
        self.trim(more)
        self._reserved += more
        try:
            yield
        finally:
            self._reserved -= more

    def trim(self, more: int = 0, but: str = "") -> None:
        """Remove results, the least recently used first, until `more` bytes fit."""
        for old in self.results.idle(but):
            if self._held([*self.uploads, *self.results]) + more <= self._settings.max_bytes:
                return
            self.results.remove(old.id)

    def _held(self, entries: Iterable[Entry]) -> int:
        """Bytes of entries plus the reserved ones; files shared by several entries count once."""
        sizes: dict[str, int] = {}
        for entry in entries:
            sizes |= entry.holds
        return sum(sizes.values()) + self._reserved

    def sweep(self) -> None:
        """Remove everything that has expired."""
        lifetime = self._settings.lifetime
        self.uploads.sweep(lifetime)
        self.results.sweep(lifetime)
        there = {upload.first for upload in self.uploads}
        self.awaited = {first: awaited for first, awaited in self.awaited.items() if first in there}
        for path in self.cache.glob("*"):
            # Workers remove some themselves.
            with suppress(FileNotFoundError):
                if time.time() - path.stat().st_mtime > lifetime:
                    path.unlink()

    def close(self) -> None:
        """Remove everything."""
        os.close(self._lock)
        shutil.rmtree(self.folder, ignore_errors=True)


def _locked_folder(parent: Path) -> tuple[Path, int]:
    """Create a folder that only this user may enter, and lock it."""
    # It has another name until it is locked: a page starting right now could take it for an abandoned one.
    new = Path(tempfile.mkdtemp(prefix="outscore-new-", dir=parent))
    lock = os.open(new / LOCK, os.O_RDWR | os.O_CREAT, 0o600)
    # Where files cannot be locked nobody else can lock it either, so nobody removes the folder.
    with suppress(OSError):
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    return new.rename(parent / f"{PREFIX}{os.getpid()}-{secrets.token_urlsafe(8)}"), lock


def remove_abandoned(parent: Path) -> None:
    """Remove the folders of processes that were killed before they could clean up."""
    for folder in parent.glob(f"{PREFIX}*"):
        if OURS.fullmatch(folder.name) and not folder.is_symlink() and not _is_in_use(folder):
            shutil.rmtree(folder, ignore_errors=True)


def _is_in_use(folder: Path) -> bool:
    """Whether a page holds the lock of a folder, or might."""
    try:
        lock = os.open(folder / LOCK, os.O_RDWR | os.O_NOFOLLOW)
    except FileNotFoundError:
        # Somebody is removing it.
        return False
    except OSError:
        return True
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(lock)
    return False


def safe_name(written: str) -> str:
    r"""The name of an upload, made safe for a folder and a command line.

    Folders, control characters, leading dots and leading dashes are removed; every other visible character stays, because
    the name of a file becomes the name of its system.

    Examples
    --------
    >>> safe_name("../../etc/passwd"), safe_name("C:\\runs\\new model.txt"), safe_name("-rf"), safe_name("\x00..")
    ('passwd', 'new model.txt', 'rf', 'file.txt')
    >>> safe_name("<b>Größe</b>.csv")
    'b>.csv'
    """
    base = re.split(r"[/\\]", written)[-1]
    visible = "".join(c for c in base if unicodedata.category(c)[0] != "C" and unicodedata.category(c) not in ("Zl", "Zp"))
    name = _strip_start(visible).rstrip()
    stem, dot, suffix = name.rpartition(".")
    if len(name) > MAX_NAME:
        name = f"{stem[: MAX_NAME - len(suffix) - 1]}.{suffix}" if dot and len(suffix) < 16 else name[:MAX_NAME]
    # A short text may be long in bytes; file systems allow 255.
    while len(name.encode()) > 240:
        name = _strip_start(name[1:])
    return name.rstrip() or DEFAULT_NAME


def link(source: Path, target: Path) -> bool:
    """Show a file in a second folder, and return whether that took no space: links survive the removal of the first."""
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        os.link(source, target)
    except FileNotFoundError:
        raise HTTPProblem(404, "There is no such file.", "It was removed: upload it again.") from None
    except OSError:
        # Not every file system supports links.
        shutil.copyfile(source, target)
        return False
    return True


def clashes(place: str, taken: Collection[str]) -> bool:
    """Whether a file cannot stand at a place because of others: it is taken, or one is a folder where the other is a file.

    Examples
    --------
    >>> clashes("a", {"a/b"}), clashes("a/b", {"a"}), clashes("a/b", {"a/c"})
    (True, True, False)
    """
    above = {str(parent) for parent in PurePosixPath(place).parents}
    return any(other == place or other in above or other.startswith(f"{place}/") for other in taken)


def safe_place(written: str) -> str:
    """The path of an upload in the folder that it was dropped with, or its name alone.

    Examples
    --------
    >>> safe_place("runs/amber/samples.jsonl"), safe_place("../../etc/passwd"), safe_place("/etc/passwd"), safe_place("a.txt")
    ('runs/amber/samples.jsonl', 'passwd', 'passwd', 'a.txt')
    """
    parts = written.split("/")
    unsafe = "\\" in written or len(parts) > MAX_DEPTH or any(part in ("", ".", "..") for part in parts)
    return safe_name(written) if unsafe else "/".join(map(safe_name, parts))


def _strip_start(name: str) -> str:
    """The name without a start that a command line would read as something else."""
    return re.sub(r"^[\s.\-~]+", "", name)
