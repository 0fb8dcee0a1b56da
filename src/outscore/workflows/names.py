"""Names of files, and what systems are called that have no other name."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import PurePath

__all__ = ["distinct_names", "path_texts", "unique_names"]


def path_texts(given: Iterable[object]) -> tuple[str, ...] | None:
    """Paths as text; None where something else is among them.

    Examples
    --------
    >>> path_texts([PurePath("a.txt"), "b.txt"]), path_texts(["a.txt", [1, 0]])
    (('a.txt', 'b.txt'), None)
    """
    found = []
    for path in given:
        if not isinstance(path, (str, os.PathLike)):
            return None
        found.append(os.fspath(path))
    return tuple(found)


def unique_names(names: Sequence[str], *, stems: bool = False) -> tuple[str, str]:
    """Two names that differ: as given, or of files the shortest distinguishing path, or with a number.

    Examples
    --------
    >>> unique_names(("run1/scores.txt", "run2/scores.txt.gz"), stems=True)
    ('run1/scores', 'run2/scores')
    >>> unique_names(("x", "x"))
    ('x', 'x (2)')
    """
    first, second = distinct_names(names) if stems else _number_repeats(names)
    return first, second


def distinct_names(paths: Sequence[str]) -> list[str]:
    """Names for files that all differ: the shortest distinguishing paths, numbered where the paths are the same.

    Examples
    --------
    >>> distinct_names(["a/dev.conllu", "b/dev.conllu", "gold.conllu", "gold.conllu"])
    ['a/dev', 'b/dev', 'gold', 'gold (2)']
    """
    parts = [_parts(path) for path in paths]
    depths = [1] * len(parts)
    while True:
        names = ["/".join(part[-depth:]) for part, depth in zip(parts, depths, strict=True)]
        clashing = [i for i, name in enumerate(names) if names.count(name) > 1 and depths[i] < len(parts[i])]
        if not clashing:
            return _number_repeats(names)
        for i in clashing:
            depths[i] += 1


def _number_repeats(names: Sequence[str]) -> list[str]:
    found: list[str] = []
    for name in names:
        numbered, number = name, 1
        while numbered in found:
            number += 1
            numbered = f"{name} ({number})"
        found.append(numbered)
    return found


def _parts(path: str) -> list[str]:
    from outscore.formats.base.source import stem_of

    if path == "-":
        return [stem_of(path)]
    return [*(part for part in PurePath(path).parts[:-1] if part not in ("/", "..", ".")), stem_of(path)]
