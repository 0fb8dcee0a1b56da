"""What there is at a path: nothing, a link that leads nowhere, or a folder of files."""

from __future__ import annotations

import difflib
import errno
import glob
import os
import re
from collections.abc import Iterable
from pathlib import Path, PurePath

from outscore.core.errors import OutscoreError
from outscore.scores.system import STANDARD_INPUT, label_of

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
