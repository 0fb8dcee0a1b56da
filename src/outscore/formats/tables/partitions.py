"""The files that a folder, a pattern or a list of them stands for, and whether they are parts of one table."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from glob import glob, has_magic
from pathlib import Path

from outscore.core.errors import OutscoreError
from outscore.formats.base.pipes import is_pipe
from outscore.formats.base.source import missing_error
from outscore.formats.tables.long_rows import LongFile, long_file
from outscore.formats.tables.parquet import MARK

Paths = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]
MAX_WHOLE = 1 << 28
"""Bytes of Parquet beyond which files are read part by part even if they are named one by one."""


def expand_pattern(path: str) -> list[str]:
    """The files that a pattern stands for, in order of their names; any other path stands for itself.

    Examples
    --------
    >>> expand_pattern("absent.csv")
    ['absent.csv']
    """
    if not _is_pattern(path):
        return [path]
    files = sorted(file for file in glob(path, recursive=True) if os.path.isfile(file))  # noqa: PTH113, PTH207
    if not files:
        raise missing_error(path)
    return files


def are_partitions(paths: Sequence[str]) -> bool:
    """Whether paths are parts of one large table instead of a table each.

    A folder is, and so are Parquet files that match a pattern, lie in folders named ``dataset=mmlu``, or are
    too large to be read whole. Other Parquet files named one by one are a table each.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     files = [f"{folder}/{name}.parquet" for name in "ab"]
    ...     for file in files:
    ...         _ = Path(file).write_bytes(MARK)
    ...     are_partitions([folder]), are_partitions([f"{folder}/*.parquet"]), are_partitions(files)
    (True, True, False)
    """
    if any(map(os.path.isdir, paths)):
        return True
    files = [file for path in paths for file in expand_pattern(path)]
    if not all(map(is_parquet, files)):
        return False
    named_by_folder = any("=" in part for file in files for part in Path(file).parts[:-1])
    large = sum(os.path.getsize(file) for file in files) > MAX_WHOLE  # noqa: PTH202
    return any(map(_is_pattern, paths)) or (named_by_folder and len(files) > 1) or large


def partition_paths(paths: Paths) -> list[str]:
    """The files that a folder, a pattern or several of them stand for, each once.

    Folders are searched recursively, without names that begin with a dot or an underscore, such as
    ``_SUCCESS``.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name in ("b.parquet", "a.parquet", "_SUCCESS"):
    ...         _ = Path(folder, name).write_text("")
    ...     [Path(path).name for path in partition_paths(folder)]
    ['a.parquet', 'b.parquet']
    """
    several = [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)
    files: dict[str, str] = {}
    for path in several:
        for file in _list_files(os.fspath(path)):
            files.setdefault(os.path.realpath(file), file)
    if not files:
        raise OutscoreError("No Parquet file was named.", "Give a folder of Parquet files, a pattern, or the files.")
    return list(files.values())


def _list_files(path: str) -> list[str]:
    if os.path.isdir(path):  # noqa: PTH112 - a pattern is not a path
        inside = [file for file in sorted(Path(path).rglob("*")) if file.is_file()]
        kept = [str(file) for file in inside if not any(part[0] in "._" for part in file.relative_to(path).parts)]
        if not kept:
            raise OutscoreError(f"`{path}` is a folder without files.", "Name a folder of Parquet files.")
        _refuse_others(path, kept)
        return kept
    return expand_pattern(path)


def _is_pattern(path: str) -> bool:
    return has_magic(path) and not os.path.exists(path)  # noqa: PTH110 - a pattern is not a path


def is_parquet(path: str) -> bool:
    """Whether a file begins like Parquet; the reader reports those that cannot be opened, and reads pipes whole."""
    if is_pipe(path):
        return False
    try:
        with Path(path).open("rb") as raw:
            return raw.read(len(MARK)) == MARK
    except OSError:
        return False


def _refuse_others(folder: str, files: Sequence[str]) -> None:
    """Refuse a folder with files in other formats, each of which may be a dataset or a system."""
    other = next((file for file in files if not file.endswith(".parquet") and not is_parquet(file)), None)
    if other is None:
        return
    wanted = ".parquet" if any(map(is_parquet, files)) else Path(other).suffix
    raise OutscoreError(
        f"`{folder}` is a folder that contains `{Path(other).name}`, but only Parquet files are read from folders.",
        f"Name the files that you mean: {Path(folder) / f'*{wanted}'}.",
    )


def long_files(paths: Sequence[str]) -> tuple[LongFile, ...]:
    """All files that have rows; programs that write partitions may leave empty ones."""
    files: list[LongFile] = []
    before = 0
    for path in paths:
        file = long_file(path, before)
        before += file.rows
        files.append(file)
    full = tuple(file for file in files if file.rows)
    if not full:
        raise OutscoreError(f"{files[0].label} has column names but no records.", "Give one record per item and system.")
    return full
