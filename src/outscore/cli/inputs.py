"""From file names to two systems' arrays: what one or two number files mean, and what the systems are called."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from outscore.errors import OutscoreError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from outscore.formats import NumberTable

__all__ = ["TwoSystems", "parse_names", "read_systems", "unique_names"]

PACKED = {".gz", ".bz2", ".xz"}


@dataclass(frozen=True)
class TwoSystems:
    """Both systems' numbers, (n,) scores or (n, 2) counts, and where they come from."""

    a: NDArray[Any]
    b: NDArray[Any]
    names: tuple[str, str]
    counts: bool
    tables: tuple[NumberTable, ...]


def read_systems(paths: Sequence[str], names: tuple[str, str] | None = None) -> TwoSystems:
    """Read one file with both systems, or one file for each."""
    from outscore.formats import read

    if list(paths).count("-") > 1:
        raise OutscoreError("Standard input was named twice.", "Read one system from a file.")
    tables = tuple(read(path) for path in paths)
    return _from_one(tables[0], names) if len(tables) == 1 else _from_two(tables[0], tables[1], names)


def _from_one(table: NumberTable, names: tuple[str, str] | None) -> TwoSystems:
    values = table.values
    if table.width == 1:
        raise OutscoreError(
            f"{table.label} has one column: the scores of one system only.",
            "Name the other system's file too, or give one file with two columns.",
        )
    if table.width == 4:
        return TwoSystems(values[:, :2], values[:, 2:], names or ("A", "B"), counts=True, tables=(table,))
    found = unique_names(table.columns) if len(table.columns) == 2 and all(table.columns) else ("A", "B")
    return TwoSystems(values[:, 0], values[:, 1], names or found, counts=False, tables=(table,))


def _from_two(first: NumberTable, second: NumberTable, names: tuple[str, str] | None) -> TwoSystems:
    from outscore.formats.numbers import plural, require_equal_length, whole_counts

    names = names or unique_names((first.path, second.path), stems=True)
    if first.width != second.width or first.width == 4:
        raise OutscoreError(
            f"{first.label} has {plural(first.width)} and {second.label} has {plural(second.width)}.",
            "Give two files with one score per line, or two with the counts right,wrong, or one file with both systems.",
        )
    require_equal_length(first, second)
    if first.width == 1:
        return TwoSystems(first.values[:, 0], second.values[:, 0], names, counts=False, tables=(first, second))
    a, b = whole_counts(first), whole_counts(second)
    return TwoSystems(a.values, b.values, names, counts=True, tables=(a, b))


def parse_names(text: str | None) -> tuple[str, str] | None:
    """The two names of ``--names A,B``."""
    if text is None:
        return None
    parts = [part.strip() for part in text.split(",")]
    if len(parts) != 2 or not all(parts) or parts[0] == parts[1]:
        raise OutscoreError(f'--names is "{text}".', "Give two different names with one comma between them: --names A,B.")
    return parts[0], parts[1]


def unique_names(names: Sequence[str], *, stems: bool = False) -> tuple[str, str]:
    """Two names that differ: as given, or of files the shortest distinguishing path, or with a number.

    Examples
    --------
    >>> unique_names(("run1/scores.txt", "run2/scores.txt.gz"), stems=True)
    ('run1/scores', 'run2/scores')
    >>> unique_names(("x", "x"))
    ('x', 'x (2)')
    """
    first, second = names
    if stems:
        parts = [_parts(name) for name in names]
        for depth in range(1, max(map(len, parts)) + 1):
            first, second = ("/".join(p[-depth:]) for p in parts)
            if first != second:
                break
    return (first, second) if first != second else (first, f"{second} (2)")


def _parts(path: str) -> list[str]:
    if path == "-":
        return ["stdin"]
    pure = PurePath(path)
    stem = PurePath(pure.stem).stem if pure.suffix in PACKED else pure.stem
    return [*(part for part in pure.parts[:-1] if part not in ("/", "..", ".")), stem]
