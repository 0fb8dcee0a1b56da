"""From file names to two systems' arrays: which systems the files hold, how their rows are matched, what they are called."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from outscore.core.errors import OutscoreError
from outscore.results.note import Note

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from outscore.results.design import Alignment
    from outscore.scores.system import Labels, Origin, Scores

__all__ = ["TwoSystems", "distinct_names", "parse_names", "read_systems", "unique_names"]


@dataclass(frozen=True, eq=False)
class TwoSystems:
    """Both systems' numbers, (n,) scores or (n, k) counts, row by row of the same item, and where they come from.

    `items` and `clusters` are codes per row or None, as `compare` takes them; `ids`, `datasets` and `slices` (by column) keep
    their names. `alignment` counts what was matched and left out, `notes` say what the reader should know about it, and
    `unequal_repeats` that the rows are item means because the systems were run unequally often. `tables` are the files.
    """

    a: NDArray[Any]
    b: NDArray[Any]
    names: tuple[str, str]
    counts: bool
    tables: tuple[Origin, ...]
    alignment: Alignment
    items: NDArray[Any] | None = None
    clusters: NDArray[Any] | None = None
    ids: Labels | None = None
    datasets: Labels | None = None
    slices: Mapping[str, Labels] = field(default_factory=dict)
    unequal_repeats: bool = False
    notes: tuple[Note, ...] = ()


def read_systems(
    paths: Sequence[str],
    names: tuple[str, str] | None = None,
    *,
    duplicates: str = "stop",
    format: str = "auto",
    systems: Sequence[str] | None = None,
    **columns: Any,  # noqa: ANN401 - as `formats.read` takes them
) -> TwoSystems:
    """Read one file with both systems, or one file for each, and match their rows.

    `names` is what the systems are to be called, `systems` which two of the file to take; `columns` are those of
    `outscore.formats.registry.read`: item, system, score, cluster, repeat, slice, dataset.
    """
    from outscore.formats.readers import read_scores
    from outscore.scores.pairing import pair

    if list(paths).count("-") > 1:
        raise OutscoreError("Standard input was named twice.", "Read one system from a file.")
    if systems and (len(systems) != 2 or systems[0] == systems[1]):
        chosen = ", ".join(f"`{name}`" for name in systems)
        raise OutscoreError(f"--system chose {chosen}, two different systems are compared.", "Give --system twice.")
    if len(paths) == 1:
        found = read_scores(paths[0], format=format, systems=systems, **columns)
        a, b, called = _from_one(found)
    else:
        files = [read_scores(path, format=format, **columns) for path in paths]
        a, b, called = _from_two(files[0], files[1], systems)
    paired = pair(a, b, duplicates)  # type: ignore[arg-type] # an unknown rule is refused there
    tables = [scores.origin for scores in (a, b) if scores.origin is not None]
    return TwoSystems(
        paired.a,
        paired.b,
        names or called,
        counts=paired.a.ndim == 2,
        tables=tuple(dict.fromkeys(tables)),
        alignment=paired.alignment,
        items=paired.items,
        clusters=paired.clusters,
        ids=paired.ids,
        datasets=paired.datasets,
        slices=paired.slices,
        unequal_repeats=paired.unequal_repeats,
        notes=paired.notes,
    )


def _from_one(found: list[Scores]) -> tuple[Scores, Scores, tuple[str, str]]:
    from outscore.formats.tables.columns import join_names

    if len(found) == 2:
        return found[0], found[1], (found[0].name, found[1].name)
    label = found[0].label
    if len(found) > 2:
        raise OutscoreError(
            f"{label} holds {len(found)} systems: {join_names([scores.name for scores in found])}.",
            "Choose two of them: --system NAME --system NAME.",
        )
    if _is_bare(found):
        raise OutscoreError(
            f"{label} has one column: the scores of one system only.",
            "Name the other system's file too, or give one file with two columns.",
        )
    raise OutscoreError(
        f"{label} holds the scores of one system only, `{found[0].name}`.",
        "Name the other system's file too, or the column that tells the systems apart with --system-column.",
    )


def _from_two(
    first: list[Scores], second: list[Scores], systems: Sequence[str] | None
) -> tuple[Scores, Scores, tuple[str, str]]:
    if _is_bare(first) and _is_bare(second):
        a, b = _from_bare(first, second)
    else:
        a, b = _choose(first, systems, 0), _choose(second, systems, 1)
    by_path = unique_names((_path(a), _path(b)), stems=True)
    said = all(scores.origin is not None and "system" in scores.origin.columns for scores in (a, b))
    return a, b, (a.name, b.name) if said and a.name != b.name else by_path


def _from_bare(first: list[Scores], second: list[Scores]) -> tuple[Scores, Scores]:
    """Two files of bare numbers: one score each, or the counts right and wrong."""
    from outscore.formats.tables.numbers import BARE_FORMATS, columns_phrase, counts_of

    widths = {name: width for width, name in BARE_FORMATS.items()}
    left, right = (widths[file[0].origin.format] for file in (first, second) if file[0].origin is not None)
    if left != right or left == 4:
        raise OutscoreError(
            f"{first[0].label} has {columns_phrase(left)} and {second[0].label} has {columns_phrase(right)}.",
            "Give two files with one score per line, or two with the counts right,wrong, or one file with both systems.",
        )
    if first[0].rows != second[0].rows or left == 1:
        return first[0], second[0]
    return counts_of(first), counts_of(second)


def _choose(found: list[Scores], systems: Sequence[str] | None, place: int) -> Scores:
    """The one system of a file, or the one chosen for its place."""
    from outscore.formats.tables.columns import join_names, suggest_name

    if len(found) == 1:
        return found[0]
    names = [scores.name for scores in found]
    if not systems:
        raise OutscoreError(
            f"{found[0].label} holds {len(found)} systems: {join_names(names)}.",
            "Of two files each gives one system: choose them with --system NAME --system NAME.",
        )
    if systems[place] not in names:
        raise OutscoreError(f"{found[0].label} has no system `{systems[place]}`.", suggest_name(systems[place], names))
    return found[names.index(systems[place])]


def _is_bare(found: list[Scores]) -> bool:
    from outscore.formats.tables.numbers import BARE_FORMATS

    origin = found[0].origin
    return origin is not None and origin.format in BARE_FORMATS.values()


def _path(scores: Scores) -> str:
    return scores.name if scores.origin is None else scores.origin.path


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
    first, second = distinct_names(names) if stems else _numbered(names)
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
            return _numbered(names)
        for i in clashing:
            depths[i] += 1


def _numbered(names: Sequence[str]) -> list[str]:
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
