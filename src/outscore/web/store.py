"""Uploads and results: a private folder of this process, unguessable names, nothing kept longer than needed.

The folder is removed when the page ends, what nobody used for an hour is removed before that, and folders that a killed process
left behind are removed when the next one starts.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
import tempfile
import time
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from outscore.web.refusals import RefusedError
from outscore.web.settings import Settings

__all__ = ["Held", "Shelf", "Store", "Upload", "safe_name"]

PREFIX = "outscore-web-"
LEFT = re.compile(re.escape(PREFIX) + r"(\d+)-.+")
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


Thing = TypeVar("Thing", bound=Held)


@dataclass(frozen=True)
class Upload:
    """A file as it was uploaded, and what was found out about it."""

    id: str
    folder: Path
    name: str
    size: int
    about: dict[str, Any] = field(default_factory=dict)
    busy: bool = False

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
        spare = sorted((one for one in self if not one.busy and one.id != thing.id), key=lambda one: self._used[one.id])
        for old in spare[: max(0, len(self) - self._most)]:
            self.drop(old.id)

    def get(self, id_: str) -> Thing:
        """The thing of this name, which counts as used."""
        if id_ not in self._things:
            raise RefusedError(404, f"There is no such {self._noun}.", "It was removed, or the address is not complete.")
        self._used[id_] = self._clock()
        return self._things[id_]

    def drop(self, id_: str) -> None:
        """Remove a thing and its folder."""
        thing = self.get(id_)
        del self._things[id_], self._used[id_]
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
        # mkdtemp makes a folder that nobody else may enter.
        self.folder = Path(tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-", dir=settings.folder))
        self.uploads: Shelf[Upload] = Shelf("file", settings.most_uploads)

    def new_folder(self) -> tuple[str, Path]:
        """An unguessable id, and an empty folder for it."""
        id_ = secrets.token_urlsafe(16)
        folder = self.folder / id_
        folder.mkdir(mode=0o700)
        return id_, folder

    def check_room(self, more: int) -> None:
        """Refuse to take more than may be held at the same time."""
        if sum(upload.size for upload in self.uploads) + more > self._settings.most_bytes:
            raise RefusedError(
                413, f"More than {self._settings.most_bytes >> 20:,} MB would be held.", "Remove files that you no longer need."
            )

    def close(self) -> None:
        """Remove everything."""
        shutil.rmtree(self.folder, ignore_errors=True)


def remove_left_behind(parent: Path) -> None:
    """Remove the folders of processes that were killed before they could do it."""
    for folder in parent.glob(f"{PREFIX}*"):
        named = LEFT.fullmatch(folder.name)
        if named is not None and not folder.is_symlink() and not _is_running(int(named[1])):
            shutil.rmtree(folder, ignore_errors=True)


def _is_running(process: int) -> bool:
    # This process has no folder yet: one of its number is that of an earlier process.
    if process == os.getpid():
        return False
    try:
        os.kill(process, 0)
    except PermissionError:
        return True
    except (ProcessLookupError, OverflowError):
        return False
    return True


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
