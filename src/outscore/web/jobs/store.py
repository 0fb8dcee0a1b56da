"""Uploads and results: a private folder of this process, unguessable names, nothing kept longer than needed.

The folder is removed when the page ends, what nobody used for an hour is removed before that, and folders that a killed process
left behind are removed when the next one starts. A page locks its folder for as long as it lives: the number of a process would
say little, since another container has other numbers and may share the temporary folder.
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
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from outscore.web.http.refusals import RefusedError
from outscore.web.settings import Settings

__all__ = ["Held", "Shelf", "Store", "Upload", "safe_name"]

PREFIX = "outscore-web-"
OURS = re.compile(re.escape(PREFIX) + r"\d+-.+")
LOCK, CACHE = ".lock", ".cache"
LONGEST_NAME = 120
DEFAULT_NAME = "file.txt"


class Held(Protocol):
    """What a shelf holds: it has an id, and a folder that goes with it."""

    @property
    def id(self) -> str:
        """The unguessable name."""
        ...

    @property
    def folder(self) -> Path:
        """Where its files are."""
        ...

    @property
    def busy(self) -> bool:
        """Whether it is in use although nobody asks for it."""
        ...

    @property
    def holds(self) -> Mapping[str, int]:
        """Bytes on the disk by what they belong to, which may be the id of another thing."""
        ...


Thing = TypeVar("Thing", bound=Held)


@dataclass(frozen=True)
class Upload:
    """A file as it was uploaded, and what was found out about it; `readable` says whether it could be looked at at all."""

    id: str
    folder: Path
    name: str
    size: int
    about: dict[str, Any] = field(default_factory=dict)
    readable: bool = True
    busy: bool = False

    @property
    def holds(self) -> Mapping[str, int]:
        """Its bytes."""
        return {self.id: self.size}

    @property
    def path(self) -> Path:
        """The file itself."""
        return self.folder / self.name

    def described(self) -> dict[str, Any]:
        """The file as answers show it."""
        return {"id": self.id, "name": self.name, "size": self.size, **self.about}


class Shelf(Generic[Thing]):
    """Things by their ids, each with the time it was last asked for."""

    def __init__(self, noun: str, most: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._noun, self._most, self._clock = noun, most, clock
        self._things: dict[str, Thing] = {}
        self._used: dict[str, float] = {}

    def __len__(self) -> int:
        return len(self._things)

    def __iter__(self) -> Iterator[Thing]:
        return iter(list(self._things.values()))

    def put(self, thing: Thing) -> None:
        """Take a thing in; what nobody has used for the longest time makes room."""
        self._things[thing.id] = thing
        self._used[thing.id] = self._clock()
        for old in self.spare(but=thing.id)[: max(0, len(self) - self._most)]:
            self.drop(old.id)

    def spare(self, but: str = "") -> list[Thing]:
        """What is not in use, the longest unused first; `but` may be the id of a thing that is to stay."""
        idle = (one for one in self if not one.busy and one.id != but)
        return sorted(idle, key=lambda one: self._used[one.id])

    def get(self, id_: str) -> Thing:
        """The thing of this name, which counts as used."""
        if id_ not in self._things:
            raise RefusedError(404, f"There is no such {self._noun}.", "It was removed, or the address is not complete.")
        self._used[id_] = self._clock()
        return self._things[id_]

    def drop(self, id_: str) -> None:
        """Remove a thing and its folder."""
        self.get(id_)
        self.discard(id_)

    def discard(self, id_: str) -> None:
        """Remove a thing and its folder, if it is still there."""
        thing = self._things.pop(id_, None)
        if thing is not None:
            del self._used[id_]
            shutil.rmtree(thing.folder, ignore_errors=True)

    def sweep(self, lifetime: float) -> None:
        """Remove what nobody has used for so many seconds."""
        limit = self._clock() - lifetime
        for thing in self:
            if self._used[thing.id] < limit and not thing.busy:
                self.drop(thing.id)


class Store:
    """The private folder and what is in it."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        remove_left_behind(settings.folder)
        self.folder, self._lock = _locked_folder(settings.folder)
        self.cache = self.folder / CACHE
        """Where workers keep statistics of texts, which are to go with the texts."""
        self.uploads: Shelf[Upload] = Shelf("file", settings.most_uploads)
        self.results: Shelf[Any] = Shelf("job", settings.most_results)
        self._coming = 0

    def new_folder(self) -> tuple[str, Path]:
        """An unguessable id, and an empty folder for it."""
        id_ = secrets.token_urlsafe(16)
        folder = self.folder / id_
        folder.mkdir(mode=0o700)
        return id_, folder

    @contextmanager
    def room(self, more: int) -> Iterator[None]:
        """Set so many bytes aside for what comes, or refuse to take more than may be held at the same time."""
        spare = {result.id for result in self.results.spare()}
        staying = [*self.uploads, *(result for result in self.results if result.id not in spare)]
        if self._held(staying) + more > self._settings.most_bytes:
            raise RefusedError(
                413, f"More than {self._settings.most_bytes >> 20:,} MB would be held.", "Remove files that you no longer need."
            )
        self.trim(more)
        self._coming += more
        try:
            yield
        finally:
            self._coming -= more

    def trim(self, more: int = 0, but: str = "") -> None:
        """Remove results, the longest unused first, until so many bytes more may be held."""
        for old in self.results.spare(but):
            if self._held([*self.uploads, *self.results]) + more <= self._settings.most_bytes:
                return
            self.results.drop(old.id)

    def _held(self, things: Iterable[Held]) -> int:
        """Bytes of things, and of what is coming; what belongs to several counts once."""
        found: dict[str, int] = {}
        for thing in things:
            found |= thing.holds
        return sum(found.values()) + self._coming

    def sweep(self) -> None:
        """Remove what nobody has used for its lifetime."""
        lifetime = self._settings.lifetime
        self.uploads.sweep(lifetime)
        self.results.sweep(lifetime)
        for path in self.cache.glob("*"):
            # Workers remove some, too.
            with suppress(FileNotFoundError):
                if time.time() - path.stat().st_mtime > lifetime:
                    path.unlink()

    def close(self) -> None:
        """Remove everything."""
        os.close(self._lock)
        shutil.rmtree(self.folder, ignore_errors=True)


def _locked_folder(parent: Path) -> tuple[Path, int]:
    """A new folder that nobody else may enter, and its lock."""
    # It has another name until it is locked: a page that starts at this very moment could take it for one that was left behind.
    new = Path(tempfile.mkdtemp(prefix="outscore-new-", dir=parent))
    lock = os.open(new / LOCK, os.O_RDWR | os.O_CREAT, 0o600)
    # Where files cannot be locked nobody else can lock it either, so nobody removes it.
    with suppress(OSError):
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    return new.rename(parent / f"{PREFIX}{os.getpid()}-{secrets.token_urlsafe(8)}"), lock


def remove_left_behind(parent: Path) -> None:
    """Remove the folders of processes that were killed before they could do it."""
    for folder in parent.glob(f"{PREFIX}*"):
        if OURS.fullmatch(folder.name) and not folder.is_symlink() and not _is_in_use(folder):
            shutil.rmtree(folder, ignore_errors=True)


def _is_in_use(folder: Path) -> bool:
    """Whether a page holds the lock of a folder, or may hold it."""
    try:
        lock = os.open(folder / LOCK, os.O_RDWR | os.O_NOFOLLOW)
    except FileNotFoundError:
        # Somebody began to remove it.
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
    r"""A file's own name as far as it can stand in a folder and on a command line.

    Folders, control characters and leading dots and dashes go; everything else that can be seen stays, as the name of a file
    becomes the name of its system.

    Examples
    --------
    >>> safe_name("../../etc/passwd"), safe_name("C:\\runs\\new model.txt"), safe_name("-rf"), safe_name("\x00..")
    ('passwd', 'new model.txt', 'rf', 'file.txt')
    >>> safe_name("<b>Größe</b>.csv")
    'b>.csv'
    """
    last = re.split(r"[/\\]", written)[-1]
    seen = "".join(c for c in last if unicodedata.category(c)[0] != "C" and unicodedata.category(c) not in ("Zl", "Zp"))
    name = _begun(seen).rstrip()
    stem, dot, suffix = name.rpartition(".")
    if len(name) > LONGEST_NAME:
        name = f"{stem[: LONGEST_NAME - len(suffix) - 1]}.{suffix}" if dot and len(suffix) < 16 else name[:LONGEST_NAME]
    # What is short as text may be long as bytes, of which a file system takes 255.
    while len(name.encode()) > 240:
        name = _begun(name[1:])
    return name.rstrip() or DEFAULT_NAME


def _begun(name: str) -> str:
    """The name from its first letter on that a command line could not take for anything else."""
    return re.sub(r"^[\s.\-~]+", "", name)
