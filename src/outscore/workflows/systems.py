"""What a command has read or was given: systems with their scores, what these are called, and what to know about them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from numbers import Real
from typing import Any, Literal, TypeVar

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.records import dataclass
from outscore.core.rows import in_order_of, occurrences
from outscore.formats.base.entry import Choice
from outscore.formats.logs.evaluation import Evaluation
from outscore.formats.tables.assemble import refuse_search
from outscore.formats.tables.measures import is_measure
from outscore.results.design import Missing
from outscore.results.note import Note
from outscore.scores.system import Labels, Origin, Scores, combined, origins_of, rename
from outscore.workflows.frames import counts_in, encode_labels, is_table, systems_in
from outscore.workflows.names import number_repeats
from outscore.workflows.reading import Better, series_names
from outscore.workflows.requests import base
from outscore.workflows.requests.rank import RankRequest, ScoreRequest
from outscore.workflows.validate import numbers_of

TwoNames = tuple[str, str]
Asked = TypeVar("Asked", bound=base.Request)
UNNAMED: TwoNames = ("A", "B")
"""The names of systems that have none."""
PARTS = {"items": "item", "clusters": "cluster", "dataset": "dataset"}
"""The parts of columns that labels of rows stand for, by their keywords; all other labels are slices."""
GIVE = "Give a dictionary of arrays by system, the path of a file, the scores that `read` returns, or a table with columns."
GIVE_LABELS = "Give one label for each row."


@dataclass(frozen=True, eq=False)
class Systems:
    """One system, two or many as they were read or given, before their rows are matched.

    Parameters
    ----------
    scores
        Their scores; none where logs hold texts that have to be scored.
    names
        What they are called.
    files
        The files; None where scores say themselves which they come from.
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
        The logs of each, and the measure by which they score all their texts together, if they do.
    """

    scores: tuple[Scores, ...]
    names: tuple[str, ...]
    files: Sequence[Origin] | None = None
    notes: Sequence[Note] = ()
    better: Better | None = None
    missing: Sequence[Missing] = ()
    measures: Sequence[str] = ()
    labels: Sequence[str] | None = None
    evaluations: tuple[Evaluation, ...] = ()
    corpus: str = ""

    @classmethod
    def of(cls, scores: Sequence[Scores], **known: Any) -> Systems:  # noqa: ANN401 - the other fields
        """Systems that are called as their scores are."""
        return cls(tuple(scores), tuple(one.name for one in scores), **known)

    @property
    def origins(self) -> Sequence[Origin]:
        """The files."""
        return origins_of(self.scores) if self.files is None else self.files

    @property
    def counts(self) -> bool:
        """Whether counts were read."""
        return any(one.values.ndim == 2 for one in self.scores)

    @property
    def pair(self) -> TwoNames:
        """The names of two."""
        first, second = self.names
        return first, second

    def swap_systems(self) -> Systems:
        """The same, the last first; files stay in their order."""
        scores, names, evaluations = self.scores[::-1], self.names[::-1], self.evaluations[::-1]
        return replace(self, scores=scores, names=names, evaluations=evaluations, files=self.origins)

    @property
    def called(self) -> tuple[Scores, ...]:
        """Their scores by the names that they are called."""
        return tuple(rename(self.scores, self.names))


# What Python callers pass instead of files: arrays, dataframes, dictionaries by item, or scores that were read.


def by_item(given: object, name: str) -> object:
    """The scores in a dictionary of single numbers, whose keys are the items unless they name measures; else what was given.

    Examples
    --------
    >>> by_item({"q1": 1, "q2": 0}, "new"), by_item({"accuracy": 0.5, "f1": 0.4}, "new"), by_item([1, 0], "new")
    (<Scores new: 2 scores, mean 0.5>, {'accuracy': 0.5, 'f1': 0.4}, [1, 0])
    """
    if not isinstance(given, Mapping) or not given or any(is_measure(str(key)) for key in given):
        return given
    if not all(isinstance(value, (Real, np.bool_)) for value in given.values()):
        return given
    return Scores(name, numbers_of(list(given.values()), name), Labels.of(list(given)))


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
    if len(given) == 2:
        first, second = (by_item(one, name) for one, name in zip(given, UNNAMED, strict=True))
        if isinstance(first, Scores) and isinstance(second, Scores):
            return first, second, names
    cure = 'Name each system with its scores: {"new": [1, 0, 1], "old": [0, 0, 1]}.'
    systems = [entry for one in given if isinstance(one, Mapping) for entry in one.items()]
    if not all(isinstance(one, Mapping) for one in given):
        raise OutscoreError("One of the two systems is in a dictionary and the other is not.", cure)
    if len(systems) != 2 or any(len(one) != len(systems) / len(given) for one in given if isinstance(one, Mapping)):
        found = "The dictionary has" if len(given) == 1 else "The two dictionaries have"
        entries = "1 entry" if len(systems) == 1 else f"{len(systems)} entries"
        raise OutscoreError(f"{found} {entries}, but two systems are compared.", cure)
    (first, scores), (second, others) = ((str(name), by_item(x, str(name))) for name, x in systems)
    if first == second and not names:
        raise OutscoreError(f"Both systems are named `{first}`.", "Give each a different name.", parameter="names")
    return scores, others, names or (first, second)


def pair_given(
    a: object,
    b: object,
    *,
    labels: Sequence[str] | None = None,
    names: tuple[str, ...] = (),
    **rows: Any,  # noqa: ANN401 - as `rows_in` returns them
) -> Systems:
    """Two systems as Python callers pass them: scores that were read, or arrays, whose rows are matched by position.

    `rows` are labels of the rows, and `labels` their names.

    Examples
    --------
    >>> both = pair_given([1, 0, 1, 1], [0, 0, 1, 0], items=["q1", "q1", "q2", "q2"])
    >>> both.names, both.scores[0].ids.texts(), both.scores[0].repeats.texts()
    (('A', 'B'), ['q1', 'q1', 'q2', 'q2'], ['1', '2', '1', '2'])
    """
    if isinstance(a, Scores) and isinstance(b, Scores):
        return Systems(_read_before((a, b), {"labels": labels, **rows}), names or tuple(number_repeats((a.name, b.name))))
    if isinstance(a, Scores) or isinstance(b, Scores):
        raise OutscoreError(
            "One of `a` and `b` was read from a file and the other was not.", "Read both, or give the `values` of both."
        )
    names = names or names_of_series(a, b)
    scores = arrays_given({"a": a, "b": b}, rows, names)
    row_names = None if labels is None else [str(label) for label in in_order_of(a, labels, "labels")[0]]
    if row_names is not None and len(row_names) != scores[0].rows:
        raise OutscoreError(f"There are {len(row_names)} `labels` for {scores[0].rows} rows.", "Give one for each row.")
    text = "The rows of B were in a different order; they were matched with those of A by their index labels."
    return Systems(
        tuple(scores),
        names,
        notes=(Note("input", text),) if in_order_of(a, b, "b")[1] else (),
        measures=series_names((a, b)),
        labels=row_names,
    )


def many_given(
    scores: object,
    request: RankRequest | ScoreRequest,
    **rows: Any,  # noqa: ANN401 - as `rows_in` returns them
) -> Systems:
    """Systems from data that are not files; `rows` are labels of their rows, of which a table has columns instead.

    Examples
    --------
    >>> from outscore.workflows.requests.rank import RankRequest
    >>> right = {"new": [1, 1, 0, 1], "old": [0, 1, 0, 0]}
    >>> new, old = many_given(right, RankRequest(), items=["q1", "q1", "q2", "q2"]).scores
    >>> new.name, new.values.tolist(), new.ids.texts()
    ('new', [1, 1, 0, 1], ['q1', 'q1', 'q2', 'q2'])
    """
    if is_table(scores):
        return Systems.of(systems_in(scores, Choice(**request.columns(), systems=request.system, gaps=True)))
    request.refuse_outside(base.FILES)
    if isinstance(scores, (Mapping, Sequence)) and not scores:
        raise OutscoreError("`scores` is empty.", GIVE)
    if isinstance(scores, Mapping):
        named_arrays = {str(name): x for name, x in scores.items()}
        if len(named_arrays) < len(scores):
            raise OutscoreError("Two systems have the same name.", "Give each a different name.")
        refuse_search(named_arrays)
        scores = [by_item(x, name) for name, x in named_arrays.items()]
        if not all(isinstance(one, Scores) for one in scores):
            return Systems.of(arrays_given(named_arrays, rows), measures=series_names(named_arrays.values()))
    if isinstance(scores, Sequence) and all(isinstance(system, Scores) for system in scores):
        return Systems.of(_read_before(scores, rows))
    raise OutscoreError(f"`scores` is a {type(scores).__name__}.", GIVE)


def _read_before(scores: Sequence[Scores], rows: Mapping[str, Any]) -> tuple[Scores, ...]:
    """Scores that were read with further labels of their rows, which must not be of parts that they have themselves."""
    own = next((name for name, labels in rows.items() if name != "slices" and labels is not None), None)
    if own is not None:
        raise OutscoreError(f"`{own}` was given, but scores that were read have their own.", f"Leave `{own}` out.")
    columns = rows.get("slices", {})
    return tuple(replace(one, slices={**one.slices, **_columns_given(columns, one.rows)}) for one in scores)


def arrays_given(arrays: Mapping[str, object], rows: Mapping[str, Any], names: Sequence[str] | None = None) -> list[Scores]:
    """Arrays by position, or by the labels of their rows if they have an index, as in pandas; `rows` are labels of these.

    Scores are called by the `names`, or else as refusals call their arrays.
    """
    first = next(iter(arrays.values()), None)
    placed = {name: in_order_of(first, x, name)[0] for name, x in arrays.items()}
    counted = {name: counts_in(x) if is_table(x) else None for name, x in placed.items()}
    values = {name: numbers_of(x if counted[name] is None else counted[name], name) for name, x in placed.items()}
    shapes = {name: x.shape for name, x in values.items()}
    (one, shape), *others = shapes.items() or [("", (0,))]
    for other, there in others:
        if there[0] != shape[0]:
            raise OutscoreError(
                f"`{one}` has {shape[0]:,} rows, but `{other}` has {there[0]:,}.",
                "All systems must be scored on the same items, in the same order; give a long table if some lack items.",
            )
        if there != shape:
            raise OutscoreError(f"`{one}` has shape {shape}, but `{other}` has {there}.", "Give all systems the same columns.")
    labels = {name: in_order_of(first, rows.get(name), name)[0] for name in PARTS}
    ids, clusters, sets = (labels_given(given, shape[0], name) for name, given in labels.items())
    columns = {name: in_order_of(first, given, name)[0] for name, given in rows.get("slices", {}).items()}
    slices = _columns_given(columns, shape[0])
    # Rows of one item are repeats of it, however equal their scores.
    repeats = None if ids is None else numbered(ids, sets)
    both = zip(names or values, values.values(), strict=True)
    return [Scores(name, x, ids, repeats, clusters, sets, slices) for name, x in both]


def _columns_given(columns: Mapping[str, object], rows: int) -> dict[str, Labels]:
    """Further labels of rows by their columns."""
    return {name: labels for name, given in columns.items() if (labels := labels_given(given, rows, name)) is not None}


def rows_in(kind: type[base.Request], given: dict[str, Any]) -> dict[str, Any]:
    """Labels of rows among keyword arguments, by their keywords; what names a column in files and tables is taken out of these.

    Labels without a part of their own are slices of the rows: the keyword names their column, which is called like its option
    unless a dictionary names it.

    Examples
    --------
    >>> from outscore.workflows.requests.compare import CompareRequest
    >>> given = {"items": ["q1", "q2"], "weights": [1, 2], "slices": {"topic": ["x", "y"]}}
    >>> rows_in(CompareRequest, given)
    {'items': ['q1', 'q2'], 'slices': {'weight': [1, 2], 'topic': ['x', 'y']}}
    >>> given
    {'weights': 'weight', 'slices': 'topic'}
    """
    rows: dict[str, Any] = {}
    columns: dict[str, object] = {}
    for option in kind.options():
        keyword = str(option.keyword)
        label = given.get(keyword) if option.by_row else None
        if label is None:
            continue
        if keyword in PARTS:
            rows[keyword] = given.pop(keyword)
        elif not isinstance(label, str):
            named = label if isinstance(label, Mapping) else {option.name: label}
            if len(named) != 1:
                raise OutscoreError(f"`{keyword}` names {len(named)} columns.", "Give one column.", parameter=option.name)
            ((column, labels),) = named.items()
            columns[str(column)] = labels
            given[keyword] = str(column)
    return {**rows, "slices": columns} if columns else rows


def refuse_labels(given: Mapping[str, object], kind: Literal["texts", "outputs"]) -> None:
    """Refuse keywords that label the rows of scores beside texts or outputs, whose calculation would leave them out."""
    for keyword in (str(option.keyword) for option in ScoreRequest.options() if option.by_row):
        known = kind == "texts" and keyword == "dataset"
        if given.get(keyword) is not None and not known:
            cure = f"Leave `{keyword}` out."
            raise OutscoreError(f"`{keyword}` is for scores, not for {kind}.", cure, parameter=keyword)


def numbered(ids: Labels, sets: Labels | None = None) -> Labels:
    """A number for each row among the rows of its item, as the label of its repeat."""
    codes = occurrences(combined(ids, sets))
    return Labels(codes, tuple(map(str, range(1, int(codes.max(initial=0)) + 2))))


def labels_given(given: object, rows: int, name: str) -> Labels | None:
    """Labels of rows as a caller passes them; None where there are none."""
    if given is None:
        return None
    try:
        raw = np.asarray(given)
    except ValueError:
        raise OutscoreError(f"`{name}` holds lists of different lengths.", GIVE_LABELS, parameter=name) from None
    if raw.ndim != 1 or len(raw) != rows:
        raise OutscoreError(f"`{name}` has shape {raw.shape}, the scores have {rows} rows.", GIVE_LABELS, parameter=name)
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
