"""From file names to two systems' arrays: which systems the files contain, how their rows are matched, what they are called.

On request, several runs of an item become one score, or only the first runs are used (`reduced`).
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.reduction import Reduction, parse_reduction
from outscore.core.rows import occurrences
from outscore.results.note import Note
from outscore.scores.pairing import TwoSystems, pair
from outscore.scores.reduce import first_runs, reduce_runs
from outscore.scores.system import Labels, Scores
from outscore.workflows.names import read_each, refuse_same_columns, unique_names
from outscore.workflows.requests.compare import CompareRequest
from outscore.workflows.requests.shared import DUPLICATES, READER

if TYPE_CHECKING:
    from outscore.core.metric import AdditiveMetric

TwoNames = tuple[str, str]
UNNAMED: TwoNames = ("A", "B")
"""The names of systems that have none."""


def read_systems(
    paths: Sequence[str],
    names: tuple[str, str] | None = None,
    *,
    duplicates: str = DUPLICATES.default,
    format: str = READER.default,
    systems: Sequence[str] = (),
    metric: str | AdditiveMetric | None = None,
    **columns: Any,  # noqa: ANN401 - as `formats.read` takes them
) -> TwoSystems:
    """Read one file with both systems, or one file for each, and match their rows.

    `names` are the names to use for the systems, `systems` the two of the file to compare; `columns` are those of
    `outscore.read`: item, system, score, cluster, repeat, slice, dataset.
    """
    a, b, found_names = choose_systems(paths, format=format, systems=systems, **columns)
    return pair_scores(a, b, names or found_names, duplicates, metric)


def choose_systems(
    paths: Sequence[str],
    *,
    format: str = READER.default,
    systems: Sequence[str] = (),
    **columns: Any,  # noqa: ANN401 - as `formats.read` takes them
) -> tuple[Scores, Scores, TwoNames]:
    """Read one file with both systems, or one file for each, without matching items yet."""
    from outscore.formats.readers import read_scores

    if systems and (len(systems) != 2 or systems[0] == systems[1]):
        chosen = ", ".join(f"`{name}`" for name in systems)
        raise OutscoreError(
            f"--system chose {chosen}, but two different systems are needed.", "Give --system twice.", parameter="system"
        )
    if len(paths) == 1:
        (systems_read,) = read_each(paths, partial(read_scores, format=format, systems=systems or None, gaps=True), columns)
        a, b, names = _from_one(systems_read, chosen=bool(systems))
    else:
        files = read_each(paths, partial(read_scores, format=format), columns)
        a, b, names = _from_two(files[0], files[1], systems, paths)
    return a, b, names


def pair_scores(
    a: Scores, b: Scores, names: tuple[str, str], duplicates: str, metric: str | AdditiveMetric | None = None
) -> TwoSystems:
    """Two systems' scores matched by item id, and what was left out, in what `metric` makes of answers."""
    from outscore.workflows.gold import scored_beside_gold

    a, b = scored_beside_gold((a, b), metric)
    return pair(a, b, duplicates, names)  # type: ignore[arg-type] # an unknown rule is refused there


def named_in(a: object, b: object, names: object) -> tuple[object, object, object]:
    """Two systems without the dictionaries that name them, one with both or one for each, and their names.

    Examples
    --------
    >>> named_in({"new": [1, 0]}, {"old": [0, 0]}, None), named_in([1, 0], [0, 0], None)
    (([1, 0], [0, 0], ('new', 'old')), ([1, 0], [0, 0], None))
    """
    given = [one for one in (a, b) if one is not None]
    if not any(isinstance(one, Mapping) for one in given):
        return a, b, names
    cure = 'Name each system with its scores: {"new": [1, 0, 1], "old": [0, 0, 1]}.'
    systems = [entry for one in given if isinstance(one, Mapping) for entry in one.items()]
    if not all(isinstance(one, Mapping) for one in given):
        raise OutscoreError("One of the two systems is in a dictionary and the other is not.", cure)
    if len(systems) != 2 or any(len(one) != len(systems) / len(given) for one in given if isinstance(one, Mapping)):
        found = "The dictionary has" if len(given) == 1 else "The two dictionaries have"
        entries = "1 entry" if len(systems) == 1 else f"{len(systems)} entries"
        raise OutscoreError(f"{found} {entries}, but two systems are compared.", cure)
    (first, scores), (second, others) = systems
    if str(first) == str(second) and not names:
        raise OutscoreError(f"Both systems are named `{first}`.", "Give each a different name.", parameter="names")
    return scores, others, names or (str(first), str(second))


def pair_given(
    a: object,
    b: object,
    *,
    items: object = None,
    clusters: object = None,
    labels: Sequence[str] | None = None,
    names: tuple[str, ...] = (),
    duplicates: str = DUPLICATES.default,
    metric: str | AdditiveMetric | None = None,
) -> TwoSystems:
    """Two systems as Python callers pass them: scores that were read are matched by item id, arrays by position.

    Examples
    --------
    >>> import numpy as np
    >>> from outscore.scores.system import Labels, Scores
    >>> new = Scores("new", np.array([1, 0, 1]), Labels.of(["q1", "q2", "q3"]))
    >>> old = Scores("old", np.array([0, 0]), Labels.of(["q3", "q1"]))
    >>> both = pair_given(new, old)
    >>> both.a.tolist(), both.b.tolist(), both.names, both.labels
    ([1, 1], [0, 0], ('new', 'old'), ['q1', 'q3'])
    """
    if type(a) is type(b) is np.ndarray:
        # They bring neither labels nor columns nor names.
        return TwoSystems(a, b, cast("TwoNames", names or UNNAMED), items=items, clusters=clusters, labels=labels)
    from outscore.scores.system import Scores

    if not isinstance(a, Scores) and not isinstance(b, Scores):
        return _pair_arrays(a, b, names, items=items, clusters=clusters, labels=labels)
    if not isinstance(a, Scores) or not isinstance(b, Scores):
        raise OutscoreError(
            "One of `a` and `b` was read from a file and the other was not.", "Read both, or give the `values` of both."
        )
    for name, given in (("items", items), ("clusters", clusters), ("labels", labels)):
        if given is not None:
            raise OutscoreError(f"`{name}` was given, but scores that were read have their own.", f"Leave `{name}` out.")
    return pair_scores(a, b, cast("TwoNames", names or (a.name, b.name)), duplicates, metric)


def _pair_arrays(a: object, b: object, names: tuple[str, ...], **per_row: Any) -> TwoSystems:  # noqa: ANN401
    """Match arrays by position, or by the labels of their rows if they have an index, as in pandas."""
    from outscore.core.rows import in_order_of
    from outscore.workflows.frames import counts_in, is_table
    from outscore.workflows.reading import series_names

    other, moved = in_order_of(a, b, "b")
    placed: dict[str, Any] = {name: in_order_of(a, given, name)[0] for name, given in per_row.items()}
    rows_a, rows_b = (counts_in(x) if is_table(x) else x for x in (a, other))
    text = "The rows of B were in a different order; they were matched with those of A by their index labels."
    notes = (Note("input", text),) if moved else ()
    called = cast("TwoNames", names or names_of_series(a, b))
    return TwoSystems(rows_a, rows_b, called, notes=notes, measures=series_names((a, b)), **placed)


def names_of_series(a: object, b: object) -> TwoNames:
    """The systems that two columns are named after; where both have the same name, or none, it says nothing.

    Examples
    --------
    >>> import polars as pl
    >>> names_of_series(pl.Series("new", [1]), pl.Series("old", [0])), names_of_series(pl.Series("wer", [1]), [0])
    (('new', 'old'), ('A', 'B'))
    """
    first, second = getattr(a, "name", None), getattr(b, "name", None)
    if isinstance(first, str) and isinstance(second, str) and first and second and first != second:
        return first, second
    return UNNAMED


def pair_tables(tables: Sequence[object], request: CompareRequest) -> TwoSystems:
    """Dataframes in place of files: one with both systems, or one for each."""
    a, b, names = choose_tables(tables, request)
    return pair_scores(a, b, names, request.duplicates, request.metric)


def choose_tables(tables: Sequence[object], request: CompareRequest) -> tuple[Scores, Scores, TwoNames]:
    """The two systems of dataframes and their names, without matching items yet."""
    from outscore.formats.base.entry import Choice
    from outscore.workflows.frames import systems_in

    columns = request.columns()
    by_table = [systems_in(table, Choice(**columns, systems=request.system if len(tables) == 1 else ())) for table in tables]
    if len(by_table) == 1:
        a, b, names = _from_one(by_table[0], chosen=bool(request.system))
    else:
        if not request.system:
            refuse_same_columns(*by_table)
        a, b = _choose(by_table[0], request.system, 0), _choose(by_table[1], request.system, 1)
        names = (a.name, b.name) if a.name != b.name else UNNAMED
    return a, b, cast("TwoNames", request.names or names)


def _from_one(systems: list[Scores], *, chosen: bool) -> tuple[Scores, Scores, tuple[str, str]]:
    from outscore.formats.tables.assemble import refuse_implausible
    from outscore.formats.tables.names import join_names

    refuse_implausible(systems, chosen=chosen, item_named=True)
    if len(systems) == 2:
        return systems[0], systems[1], (systems[0].name, systems[1].name)
    label = systems[0].label
    if len(systems) > 2:
        raise OutscoreError(
            f"{label} contains {len(systems)} systems: {join_names([scores.name for scores in systems])}.",
            "Choose two of them: --system NAME --system NAME.",
            parameter="system",
        )
    if _is_bare(systems):
        raise OutscoreError(
            f"{label} has one column, so it contains the scores of one system only.",
            "Name the other system's file too, or give one file with two columns.",
        )
    hint = "Name the other system's file too, or use --system-column to name the column that contains the system names."
    columns = {} if systems[0].origin is None else systems[0].origin.columns
    if "gold" in columns:
        (answer,), (gold,) = columns["answer"], columns["gold"]
        hint = (
            f"`{answer}` was read as answers to `{gold}`: name the other system's file too, or write "
            f"--system {shlex.quote(answer)} --system {shlex.quote(gold)} if both are systems."
        )
    raise OutscoreError(
        f"{label} contains the scores of one system only, `{systems[0].name}`.", hint, parameter="system_column"
    )


def _from_two(
    first: list[Scores], second: list[Scores], systems: Sequence[str] | None, paths: Sequence[str]
) -> tuple[Scores, Scores, tuple[str, str]]:
    if _is_bare(first) and _is_bare(second):
        a, b = _from_bare(first, second)
    else:
        if not systems:
            refuse_same_columns(first, second)
        a, b = _choose(first, systems, 0), _choose(second, systems, 1)
    by_path = unique_names(paths, stems=True)
    named = all(scores.origin is not None and "system" in scores.origin.columns for scores in (a, b))
    names = (a.name, b.name) if named and a.name != b.name else by_path
    for chosen, scores, name in zip(systems or (), (a, b), names, strict=False):
        if chosen not in (scores.name, name):
            raise OutscoreError(
                f"--system chose `{chosen}`, but {scores.label} contains one system, `{name}`.",
                "Name the systems in the order of their files, or leave --system out.",
                parameter="system",
            )
    return a, b, names


def _from_bare(first: list[Scores], second: list[Scores]) -> tuple[Scores, Scores]:
    """Two files of bare numbers: one score per line, or counts of right and wrong."""
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


def _choose(in_file: list[Scores], systems: Sequence[str] | None, place: int) -> Scores:
    """The only system of a file, or the one chosen for this position."""
    from outscore.formats.tables.names import join_names, suggest_name

    if len(in_file) == 1:
        return in_file[0]
    names = [scores.name for scores in in_file]
    if not systems:
        raise OutscoreError(
            f"{in_file[0].label} contains {len(in_file)} systems: {join_names(names)}.",
            "Choose one system from each file: --system NAME --system NAME.",
            parameter="system",
        )
    if systems[place] not in names:
        raise OutscoreError(f"{in_file[0].label} has no system `{systems[place]}`.", suggest_name(systems[place], names))
    return in_file[names.index(systems[place])]


def _is_bare(systems: list[Scores]) -> bool:
    from outscore.formats.tables.numbers import BARE_FORMATS

    origin = systems[0].origin
    return origin is not None and origin.format in BARE_FORMATS.values()


def metric_of(reduction: Reduction) -> str:
    """The metric for reduced scores: their mean, named after the reduction.

    Examples
    --------
    >>> metric_of(Reduction("pass@", 2))
    'mean:of=pass@2'
    """
    return f"mean:of={reduction.name}"


def reduced(systems: TwoSystems, request: CompareRequest) -> tuple[TwoSystems, Reduction | None]:
    """The systems with their runs treated as the request says, and the reduction; unchanged if it says nothing."""
    reduction = parse_reduction(request.reduce)
    if reduction is None and not request.equal_runs:
        return systems, None
    scores = list(systems.scores or _scores_of(systems, request))
    notes: list[Note] = []
    if request.equal_runs:
        scores, notes = first_runs(scores, request.duplicates)  # type: ignore[arg-type] # an unknown rule is refused there
    if reduction is None:
        return _paired_again(systems, scores, notes, request), None
    reduction_result = reduce_runs(scores, reduction, request.duplicates)  # type: ignore[arg-type] # as above
    again = _paired_again(systems, reduction_result.scores, [*notes, *reduction_result.notes], request)
    return replace(again, repeats=reduction_result.repeats()), reduction


def _paired_again(systems: TwoSystems, scores: list[Scores], notes: list[Note], request: CompareRequest) -> TwoSystems:
    """The same systems with other rows, matched again; notes about the files stay."""
    new = pair_scores(scores[0], scores[1], systems.names, request.duplicates)
    alignment = new.alignment
    if alignment is not None and systems.alignment is not None:
        alignment = replace(
            alignment,
            duplicates=systems.alignment.duplicates,
            conflicts=systems.alignment.conflicts,
            missing=systems.alignment.missing,
        )
    # Notes about averaged runs are no longer true.
    kept = [note for note in systems.notes if note.kind != "design"]
    return replace(
        new,
        tables=systems.tables,
        alignment=alignment,
        better=systems.better,
        notes=tuple(dict.fromkeys([*kept, *notes, *new.notes])),
    )


def _scores_of(systems: TwoSystems, request: CompareRequest) -> tuple[Scores, Scores]:
    """Arrays with an item label for each row, in the form of systems that were read."""
    if systems.items is None:
        raise OutscoreError(
            "There are no repeats: each item was scored once.",
            "Give `items`, a label for each row, so that rows of one item are its runs.",
            parameter="reduce" if request.reduce != "mean" else "equal_runs",
        )
    ids = Labels.of(np.asarray(systems.items).tolist())
    runs = occurrences(ids.codes)
    repeats = Labels(runs, tuple(map(str, range(1, int(runs.max(initial=0)) + 2))))
    clusters = None if systems.clusters is None else Labels.of(np.asarray(systems.clusters).tolist())
    slices = {column: Labels.of(values) for column, values in systems.slices.items()}
    first, second = (
        Scores(name, np.asarray(values), ids, repeats, clusters, slices=slices)
        for name, values in zip(systems.names, (systems.a, systems.b), strict=True)
    )
    return first, second
