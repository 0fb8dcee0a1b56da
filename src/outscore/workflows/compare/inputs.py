"""From file names, dataframes or arrays to two systems: which ones they contain, and what these are called."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.records import dataclass
from outscore.core.reduction import Reduction
from outscore.core.rows import in_order_of, occurrences
from outscore.formats.logs.evaluation import Evaluation
from outscore.results.design import Missing
from outscore.results.note import Note
from outscore.scores.align import Aligned, DuplicateRule, align_pair
from outscore.scores.system import Labels, Origin, Scores, origins_of
from outscore.workflows.frames import encode_labels
from outscore.workflows.names import read_each, refuse_same_columns, unique_names
from outscore.workflows.reading import Better
from outscore.workflows.requests.compare import CompareRequest
from outscore.workflows.requests.shared import READER
from outscore.workflows.validate import numbers_of

if TYPE_CHECKING:
    from outscore.core.metric import AdditiveMetric

TwoNames = tuple[str, str]
UNNAMED: TwoNames = ("A", "B")
"""The names of systems that have none."""


@dataclass(frozen=True, eq=False)
class Systems:
    """Two systems as they were read or given, before their rows are matched.

    Parameters
    ----------
    scores
        Their scores; none where logs hold texts that have to be scored.
    names
        What they are called.
    origins
        The files.
    notes
        What a reader should know about these.
    better
        The direction of the scores, if their source states it.
    missing
        What logs lack.
    measures
        The names that arrays bring along.
    labels
        The names of the rows of arrays.
    evaluations, corpus
        The logs, and the measure by which they score all their texts together, if they do.
    """

    scores: tuple[Scores, ...]
    names: TwoNames
    origins: Sequence[Origin] = ()
    notes: Sequence[Note] = ()
    better: Better | None = None
    missing: Sequence[Missing] = ()
    measures: Sequence[str] = ()
    labels: Sequence[str] | None = None
    evaluations: tuple[Evaluation, ...] = ()
    corpus: str = ""

    @property
    def counts(self) -> bool:
        """Whether counts were read."""
        return bool(self.scores) and self.scores[0].values.ndim == 2

    def swap_systems(self) -> Systems:
        """The same two, B first."""
        names = (self.names[1], self.names[0])
        return replace(self, scores=self.scores[::-1], names=names, evaluations=self.evaluations[::-1])

    @property
    def called(self) -> tuple[Scores, ...]:
        """Their scores by the names that they are called."""
        return tuple(replace(one, name=name) for one, name in zip(self.scores, self.names, strict=True))

    def aligned(self, duplicates: str) -> Aligned:
        """Both on the items that both have."""
        first, second = self.called
        return align_pair(first, second, cast("DuplicateRule", duplicates))


def read_systems(
    paths: Sequence[str],
    names: tuple[str, str] | None = None,
    *,
    format: str = READER.default,
    systems: Sequence[str] = (),
    metric: str | AdditiveMetric | None = None,
    **columns: Any,  # noqa: ANN401 - as `formats.read` takes them
) -> Systems:
    """Read one file with both systems, or one file for each.

    `names` are the names to use for the systems, `systems` the two of the file to compare; `columns` are those of
    `outscore.read`: item, system, score, cluster, repeat, slice, dataset. If `metric` needs it, answers are counted by class.
    """
    a, b, found_names = choose_systems(paths, format=format, systems=systems, **columns)
    return of_scores(a, b, names or found_names, metric)


def of_scores(a: Scores, b: Scores, names: tuple[str, str], metric: str | AdditiveMetric | None = None) -> Systems:
    """Two systems that were read, in what `metric` makes of answers."""
    from outscore.workflows.gold import scored_beside_gold

    scores = tuple(scored_beside_gold((a, b), metric))
    return Systems(scores, names, tuple(origins_of(scores)))


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


def systems_given(
    a: object,
    b: object,
    *,
    items: object = None,
    clusters: object = None,
    labels: Sequence[str] | None = None,
    names: tuple[str, ...] = (),
    metric: str | AdditiveMetric | None = None,
) -> Systems:
    """Two systems as Python callers pass them: scores that were read, or arrays, whose rows are matched by position.

    Examples
    --------
    >>> both = systems_given([1, 0, 1, 1], [0, 0, 1, 0], items=["q1", "q1", "q2", "q2"])
    >>> both.names, both.scores[0].ids.texts(), both.scores[0].repeats.texts()
    (('A', 'B'), ['q1', 'q1', 'q2', 'q2'], ['1', '2', '1', '2'])
    """
    if not isinstance(a, Scores) and not isinstance(b, Scores):
        return _of_arrays(a, b, names, labels, items=items, clusters=clusters)
    if not isinstance(a, Scores) or not isinstance(b, Scores):
        raise OutscoreError(
            "One of `a` and `b` was read from a file and the other was not.", "Read both, or give the `values` of both."
        )
    for name, given in (("items", items), ("clusters", clusters), ("labels", labels)):
        if given is not None:
            raise OutscoreError(f"`{name}` was given, but scores that were read have their own.", f"Leave `{name}` out.")
    return of_scores(a, b, cast("TwoNames", names or unique_names((a.name, b.name))), metric)


def _of_arrays(a: object, b: object, names: tuple[str, ...], labels: Sequence[str] | None, **per_row: object) -> Systems:
    """Arrays by position, or by the labels of their rows if they have an index, as in pandas."""
    from outscore.workflows.frames import counts_in, is_table
    from outscore.workflows.reading import series_names

    other, moved = in_order_of(a, b, "b")
    first, second = (numbers_of(counts_in(x) if is_table(x) else x, name) for name, x in (("a", a), ("b", other)))
    if len(first) != len(second):
        raise OutscoreError(
            f"`a` has {len(first)} rows, but `b` has {len(second)}.",
            "Both systems must be scored on the same items, in the same order.",
        )
    if first.shape != second.shape:
        raise OutscoreError(f"`a` has shape {first.shape}, but `b` has {second.shape}.", "Give both systems the same columns.")
    ids, groups = (labels_given(in_order_of(a, given, name)[0], len(first), name) for name, given in per_row.items())
    row_names = None if labels is None else [str(label) for label in in_order_of(a, labels, "labels")[0]]
    if row_names is not None and len(row_names) != len(first):
        raise OutscoreError(f"There are {len(row_names)} `labels` for {len(first)} rows.", "Give one for each row.")
    # Rows of one item are repeats of it, however equal their scores.
    repeats = None if ids is None else numbered(ids)
    called = cast("TwoNames", names or names_of_series(a, b))
    text = "The rows of B were in a different order; they were matched with those of A by their index labels."
    return Systems(
        tuple(Scores(name, values, ids, repeats, groups) for name, values in zip(called, (first, second), strict=True)),
        called,
        notes=(Note("input", text),) if moved else (),
        measures=series_names((a, b)),
        labels=row_names,
    )


def numbered(ids: Labels, sets: Labels | None = None) -> Labels:
    """A number for each row among the rows of its item, as the label of its repeat."""
    keys = ids.codes if sets is None else np.unique(ids.codes * len(sets.names) + sets.codes, return_inverse=True)[1]
    codes = occurrences(keys)
    return Labels(codes, tuple(map(str, range(1, int(codes.max(initial=0)) + 2))))


def labels_given(given: object, rows: int, name: str) -> Labels | None:
    """Labels of rows as a caller passes them; None where there are none."""
    if given is None:
        return None
    try:
        raw = np.asarray(given)
    except ValueError:
        raise OutscoreError(f"`{name}` holds lists of different lengths.", "Give one label for each row.") from None
    if raw.ndim != 1 or len(raw) != rows:
        raise OutscoreError(f"`{name}` has shape {raw.shape}, the scores have {rows} rows.", "Give one label for each row.")
    return encode_labels(raw, name)


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


def systems_of_tables(tables: Sequence[object], request: CompareRequest) -> Systems:
    """Dataframes in place of files: one with both systems, or one for each."""
    a, b, names = choose_tables(tables, request)
    return of_scores(a, b, names, None if request.unpaired else request.metric)


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
    from outscore.formats.tables.cells import is_number
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
    if systems[0].of_classes:
        hint = "Its columns of probabilities are one system's, of each class one: name the other system's file too."
    elif "gold" in columns:
        (answer,), (gold,) = columns["answer"], columns["gold"]
        hint = f"`{answer}` was read as answers to `{gold}`: name the other system's file too"
        both = f"--system {shlex.quote(answer)} --system {shlex.quote(gold)}"
        # Words that are right answers are no scores.
        right = systems[0].gold
        hint += f", or write {both} if both are systems." if right is not None and all(map(is_number, right.names)) else "."
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
