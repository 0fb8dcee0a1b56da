"""Statistics of texts, kept on disk: the edits of TER cost seconds a system, and the same files are compared again and again.

A file's name is the hash of everything its numbers depend on, so nothing in the folder can be out of date: a
changed text, option or library has another name. The folder may be deleted at any time. A file ends on a
checksum of its name and content and holds numbers only, never pickled objects; one that is damaged or bears
another's name counts as missing and is replaced. Files appear whole or not at all, so several processes may
share the folder. Whatever goes wrong with the disk is a note, not an error: the statistics are computed as if
there were no cache.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import field
from pathlib import Path

import numpy as np

from outscore.core.numeric import Array
from outscore.core.records import dataclass

STATISTICS_VERSION = 2
"""Part of every key. Raise it when a metric's statistics change although its library and options do not."""
LIMIT = 256 * 2**20
"""Bytes the folder may hold: WMT17's sixteen systems take 12 MB for BLEU, chrF and TER together."""
STALE = 3600.0
"""Seconds after which an unfinished file was left by a process that no longer lives."""
DIGEST = hashlib.sha256().digest_size
OURS = re.compile(r"[0-9a-f]{64}\.npy")
UNFINISHED = re.compile(r"[0-9a-f]{64}\..*\.part")


def statistics_key(
    metric: str,
    options: Mapping[str, object],
    library: str,
    hypotheses: Sequence[str],
    references: Sequence[Sequence[str]],
) -> str:
    """The name of one system's statistics: a hash of all they depend on.

    `library` names what computes them, with its version. Every text is hashed with its length, so that no two
    different lists of segments are the same string of bytes.

    Examples
    --------
    >>> key = statistics_key("ter", {"normalized": False}, "sacrebleu 2.4", ["a cat"], [["the cat"]])
    >>> len(key), key == statistics_key("ter", {"normalized": True}, "sacrebleu 2.4", ["a cat"], [["the cat"]])
    (64, False)
    """
    header = [STATISTICS_VERSION, metric, sorted((name, repr(value)) for name, value in options.items()), library]
    digest = hashlib.sha256(json.dumps([*header, len(references)]).encode())
    for texts in (hypotheses, *references):
        parts = [text.encode("utf-8", "surrogatepass") for text in texts]
        digest.update(np.array([len(parts), *map(len, parts)], dtype="<i8").tobytes())
        digest.update(b"".join(parts))
    return digest.hexdigest()


def cache_folder(environment: Mapping[str, str] | None = None) -> Path | None:
    """Where statistics are kept, or None for nowhere.

    The variable OUTSCORE_CACHE names the folder, and empty or ``off`` means none; else it is `outscore` in
    XDG_CACHE_HOME, else in `.cache` of the home folder.

    Examples
    --------
    >>> cache_folder({"OUTSCORE_CACHE": "off"}) is None
    True
    >>> cache_folder({"XDG_CACHE_HOME": "/var/tmp"}).as_posix()
    '/var/tmp/outscore'
    """
    variables = os.environ if environment is None else environment
    named, shared = variables.get("OUTSCORE_CACHE"), Path(variables.get("XDG_CACHE_HOME", ""))
    if named is not None and named.strip().lower() in {"", "off"}:
        return None
    try:
        if named is not None:
            return Path(named).expanduser()
        # The XDG specification: a relative path is invalid and to be ignored.
        return (shared if shared.is_absolute() else Path.home() / ".cache") / "outscore"
    except RuntimeError:
        # There is no home folder.
        return None


@dataclass
class StatisticsCache:
    """A folder of arrays. Without a folder nothing is found and nothing is kept.

    After every new file the folder is brought back to `limit` bytes: the files that were not used for the
    longest time go first. Only files that bear a name of ours are looked at. `notes` says, once, why the
    folder could not be used.

    Examples
    --------
    >>> cache = StatisticsCache(None)
    >>> cache.store("0" * 64, np.arange(3)), cache.load("0" * 64), cache.notes
    (None, None, [])
    """

    folder: Path | None
    limit: int = LIMIT
    notes: list[str] = field(default_factory=list)

    def load(self, key: str) -> Array | None:
        """The array stored under a key, or None if it is missing or damaged."""
        if self.folder is None:
            return None
        path = self.folder / f"{key}.npy"
        try:
            content = path.read_bytes()
        except OSError:
            return None
        with suppress(OSError):
            os.utime(path)
        if len(content) < DIGEST or _checksum(key, content[:-DIGEST]) != content[-DIGEST:]:
            return None
        try:
            return np.asarray(np.load(io.BytesIO(content), allow_pickle=False))
        except ValueError:
            return None

    def store(self, key: str, array: Array) -> None:
        """Keep an array of numbers. An array larger than the limit is not kept."""
        buffer = io.BytesIO()
        np.save(buffer, array, allow_pickle=False)
        content = buffer.getvalue()
        if self.folder is None or len(content) + DIGEST > self.limit:
            return
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            _write_whole(self.folder / f"{key}.npy", content + _checksum(key, content))
            self._trim(self.folder, f"{key}.npy")
        except OSError as error:
            note = f"The cache folder {self.folder} cannot be used ({error.strerror}): statistics will be recomputed each time."
            if note not in self.notes:
                self.notes.append(note)

    def _trim(self, folder: Path, newest: str) -> None:
        """Remove the least recently used files beyond the limit, and what killed processes left."""
        for entry, about in _entries(folder, UNFINISHED):
            if time.time() - about.st_mtime > STALE:
                Path(entry).unlink(missing_ok=True)
        # The newest file stays whatever the clocks say.
        files = sorted(_entries(folder, OURS), key=lambda file: (file[0].name != newest, -file[1].st_mtime))
        size = 0
        for entry, about in files:
            size += about.st_size
            if size > self.limit:
                Path(entry).unlink(missing_ok=True)


def _checksum(key: str, content: bytes) -> bytes:
    """What ends a file: numbers that were copied under another name would be another text's."""
    return hashlib.sha256(key.encode() + content).digest()


def _entries(folder: Path, pattern: re.Pattern[str]) -> Iterator[tuple[os.DirEntry[str], os.stat_result]]:
    """Files whose name matches; another process may remove one while we look."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if pattern.fullmatch(entry.name):
                with suppress(FileNotFoundError):
                    yield entry, entry.stat()


def _write_whole(path: Path, content: bytes) -> None:
    """Write under another name first, so that nobody ever reads half a file."""
    handle, name = tempfile.mkstemp(prefix=f"{path.stem}.", suffix=".part", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        Path(name).replace(path)
    except BaseException:
        with suppress(OSError):
            Path(name).unlink()
        raise
