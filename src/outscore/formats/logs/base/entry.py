"""What a reader of logs declares: its name, how it recognises a file, and how it reads one.

Many harnesses write the system and the task into names of folders and files only, and totals into files beside the log. A pipe
lies nowhere: its system is called by its place, its task is that of the other logs, if they agree on one, and no file is beside
it, whatever there is in the folder in which a command happens to run.
"""

from __future__ import annotations

from fnmatch import fnmatch
from functools import cached_property
from importlib import import_module
from pathlib import Path, PurePath
from typing import Any

import msgspec

from outscore.core.records import dataclass
from outscore.formats.base.pipes import is_nameless
from outscore.formats.base.source import stem_of
from outscore.formats.logs.base.evaluation import Evaluation

# How far a document is looked into: the keys that tell one harness from another are at its beginning.
PEEK = 1 << 16
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
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return {}
        return record if isinstance(record, dict) else {}

    def has_keys(self, *keys: str) -> bool:
        """Whether all keys are near the beginning, at any depth."""
        return all(f'"{key}"'.encode() in self.start for key in keys)

    def beside(self, name: str) -> Path:
        """A file in the same folder."""
        return Path(self.path).parent / name


@dataclass(frozen=True)
class LogEntry:
    """A format of logs.

    Parameters
    ----------
    name
        What `--reader` and `outscore formats` call it.
    title
        The harness, as sentences name it.
    summary
        What its files look like, in one line.
    module
        Where it is read, imported when somebody asks: most commands read no logs.
    kind
        What its functions there are called after: `looks_like_<kind>` and `read_<kind>`.
    companions
        What else the harness writes, by pattern: names in the same folder, or paths from anywhere if they hold a slash.
    """

    name: str
    title: str
    summary: str
    module: str
    kind: str
    companions: tuple[str, ...] = ()

    def recognise(self, peek: LogPeek) -> bool:
        """Whether a file is in this format, by its beginning."""
        return bool(getattr(import_module(self.module), f"looks_like_{self.kind}")(peek))

    def read(self, path: str) -> list[Evaluation]:
        """The evaluations that a file holds."""
        evaluations: list[Evaluation] = getattr(import_module(self.module), f"read_{self.kind}")(path)
        return evaluations

    def accompanies(self, log: str, other: str) -> bool:
        """Whether another file belongs to a log of this format.

        Examples
        --------
        >>> entry = LogEntry("x", "X", "", "harness", "samples", ("results_*.json",))
        >>> [entry.accompanies("runs/samples.jsonl", other) for other in ("runs/results_1.json", "other/results_1.json")]
        [True, False]
        """
        near, far = PurePath(log), PurePath(other)
        return any(
            fnmatch(far.as_posix(), pattern) if "/" in pattern else near.parent == far.parent and fnmatch(far.name, pattern)
            for pattern in self.companions
        )


def folder_name(path: str) -> str:
    """The name of the folder that a file is in; a pipe is called by its place.

    Examples
    --------
    >>> folder_name("/runs/amber/log.json"), folder_name("-")
    ('amber', 'stdin')
    """
    return stem_of(path) if is_nameless(path) else Path(path).resolve().parent.name


def task_by_name(path: str, name: str) -> str:
    """The task that the `name` of a file or folder says, unless it is that of a pipe, which says nothing."""
    return UNNAMED_TASK if is_nameless(path) else name


def path_beside(path: str, name: str) -> Path | None:
    """The file of this name in the same folder, if there is one."""
    beside = Path(path).with_name(name)
    return beside if not is_nameless(path) and beside.is_file() else None
