"""One system's scores as they were read: numbers, their labels and lines, the answers behind them, and what folds are."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import Any, Literal, overload

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.numeric import Array, float_of
from outscore.core.records import Brief, brief_number, count_of, dataclass
from outscore.results.note import Note

# One system's scores as they were read: numbers, their labels, and the lines they come from.


NO_ANSWER = "(none)"
"""What an empty answer is called."""
STANDARD_INPUT = "-"
_NUMBER = re.compile(r"(-?)([0-9]+)(?:\.([0-9]*))?")
Rows = Array | slice
"""Indices of rows, a mask, or a slice."""


def label_of(path: str) -> str:
    """A file's name at the start of a sentence."""
    return "Standard input" if path == STANDARD_INPUT else f"`{path}`"


class Names(Sequence[str]):
    """Names of a table's rows as they were written, in ASCII: texts are made of those alone that are asked for.

    Examples
    --------
    >>> names = Names(np.array([b"q1", b"q10"]))
    >>> names[1], names == ("q1", "q10"), len(names)
    ('q10', True, 2)
    """

    def __init__(self, written: Array) -> None:
        self.written = written

    def __len__(self) -> int:
        return len(self.written)

    def __iter__(self) -> Iterator[str]:
        # At once: to decode one after the other would take five times as long.
        return iter(b"\n".join(self.written.tolist()).decode("ascii").split("\n") if len(self) else ())

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[str, ...]: ...
    def __getitem__(self, place: int | slice) -> str | tuple[str, ...]:
        if isinstance(place, slice):
            return tuple(Names(self.written[place]))
        return str(self.written[place].decode("ascii"))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return repr(tuple(self))


@dataclass(frozen=True, eq=False, repr=False)
class Labels(Brief):
    """A label per row, as codes into the distinct names.

    Examples
    --------
    >>> labels = Labels.of(["q1", "q2", "q1"])
    >>> labels.codes.tolist(), labels.names, labels[2]
    ([0, 1, 0], ('q1', 'q2'), 'q1')
    """

    codes: Array
    names: Sequence[str]

    @classmethod
    def of(cls, labels: Iterable[object]) -> Labels:
        """Encode labels in order of first appearance."""
        known: dict[str, int] = {}
        codes = [known.setdefault(str(label), len(known)) for label in labels]
        return cls(np.array(codes, dtype=np.int64), tuple(known))

    def __len__(self) -> int:
        return len(self.codes)

    def _brief(self) -> str:
        return f"of {count_of(len(self), 'row')}, {count_of(len(self.names), 'name')}: {', '.join(self.names[:100])}"

    def __getitem__(self, row: int) -> str:
        return self.names[int(self.codes[row])]

    def texts(self) -> list[str]:
        """The label of every row."""
        if len(self.names) == len(self.codes) and np.array_equal(self.codes, np.arange(len(self.codes))):
            return list(self.names)
        names = tuple(self.names)
        return [names[code] for code in self.codes.tolist()]

    def take(self, rows: Rows) -> Labels:
        """The labels of these rows."""
        return Labels(self.codes[rows], self.names)


def combined(first: Labels, *others: Labels | None) -> Array:
    """One integer per row for its combination of labels.

    Examples
    --------
    >>> combined(Labels.of(["q1", "q2", "q1"]), None, Labels.of(["x", "y", "y"])).tolist()
    [0, 3, 1]
    """
    keys = first.codes
    for column in others:
        if column is not None:
            keys = keys * len(column.names) + column.codes
    return keys


@dataclass(frozen=True, eq=False)
class Origin:
    """The file that scores come from: its digest, its number of records, and which column played which part.

    `systems` counts all that the file has, those that were not asked for included; `left_out` the rows without a score that
    were left out, and `filled` those that count as the worst score, if higher or lower ones are better (`filled_for`). `unused`
    are its columns of numbers that played no part.
    """

    path: str
    sha256: str
    rows: int
    format: str
    columns: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    unit: Literal["line", "row"] = "line"
    systems: int = 1
    left_out: int = 0
    filled: int = 0
    filled_for: Literal["higher", "lower"] = "higher"
    unused: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """What messages call the file."""
        return label_of(self.path)

    def column(self, part: str) -> str | None:
        """The column that played a part, or several of them as one text; None where none did."""
        return ", ".join(self.columns[part]) if part in self.columns else None


def origins_of(systems: Iterable[Scores]) -> list[Origin]:
    """All files that systems come from, each once."""
    origins = (origin for one in systems for origin in (one.origin, *one.further))
    return list(dict.fromkeys(origin for origin in origins if origin is not None))


def rows_by_file(origins: Iterable[Origin]) -> dict[str, int]:
    """How many rows each file has: a log is an origin for each of its systems, and a table one for each measure that it has.

    Examples
    --------
    >>> logs = [Origin("log.json", "5e1f", rows, "promptfoo") for rows in (12, 11)]
    >>> table = [Origin("board.csv", "a0c2", 80, "csv", {"score": (name,)}) for name in ("quality", "cost")]
    >>> rows_by_file([*logs, *table])
    {'log.json': 23, 'board.csv': 80}
    """
    by_columns = Counter[tuple[str, str]]()
    for origin in dict.fromkeys(origins):
        by_columns[origin.path, str(origin.columns)] += origin.rows
    rows: dict[str, int] = {}
    for (path, _), count in by_columns.items():
        rows[path] = max(count, rows.get(path, 0))
    return rows


def score_columns(origins: Iterable[Origin]) -> list[str]:
    """The names of the score columns of tables that have one, or the measure that the columns of systems are named after."""
    names = (origin.column("score" if "score" in origin.columns else "measure") for origin in origins)
    return list(dict.fromkeys(name for name in names if name is not None))


@dataclass(frozen=True, eq=False, repr=False)
class Scores(Brief):
    """One system's (n,) scores or (n, k) counts with the labels of their rows, in the order of the file.

    Parameters
    ----------
    name
        The name of the system.
    values
        int64 if every number is an integer as written, float64 otherwise.
    ids
        The item of each row; None if rows are identified by their position.
    repeats
        The repeat of its item that each row is (epoch, seed, sample).
    clusters, datasets, slices
        The groups that each row belongs to; slices by the name of their column.
    origin, lines
        The file, and the line of each row (its row number in a Parquet file).
    answers
        What was answered on each row, where scores say whether that is right.
    further
        The other files that rows come from, where a system stands in several.
    gold, padded
        The right answers beside them, and which answers had blanks around them that were left out.
    of_classes
        The probabilities of each class as they are written, where a system has a column of them for each.
    averages
        Whether the mean of two rows of an item has the mean of their scores: not that of two probabilities.

    Examples
    --------
    >>> new = Scores("new", np.array([1, 0, 1]), Labels.of(["q1", "q2", "q3"]))
    >>> new.rows, new.place(2)
    (3, '`new`, row 3')
    """

    name: str
    values: Array
    ids: Labels | None = None
    repeats: Labels | None = None
    clusters: Labels | None = None
    datasets: Labels | None = None
    slices: Mapping[str, Labels] = field(default_factory=dict)
    origin: Origin | None = None
    lines: Array | None = None
    answers: Labels | None = None
    gold: Labels | None = None
    padded: Array | None = None
    further: tuple[Origin, ...] = ()
    of_classes: Mapping[str, Labels] = field(default_factory=dict)
    averages: bool = True

    @property
    def rows(self) -> int:
        """The number of rows."""
        return len(self.values)

    @property
    def item_ids(self) -> Labels:
        """The item of each row, of scores that name their items."""
        assert self.ids is not None, f"{self.label} names no items"
        return self.ids

    def _brief(self) -> str:
        if self.values.ndim > 1:
            facts = [f"{count_of(self.rows, 'row')} of {self.values.shape[1]} counts"]
        else:
            facts = [count_of(self.rows, "score")]
            if self.rows:
                facts.append(f"mean {brief_number(float(self.values.mean()))}")
        groups = {"repeat": self.repeats, "cluster": self.clusters, "dataset": self.datasets}
        facts += [count_of(len(labels.names), noun) for noun, labels in groups.items() if labels is not None]
        return f"{self.name}: {', '.join(facts)}"

    @property
    def label(self) -> str:
        """What messages call the source."""
        return f"`{self.name}`" if self.origin is None else self.origin.label

    @property
    def repeat_column(self) -> str:
        """What the data call the repeats, which tells epochs from runs; empty where nothing does."""
        return "" if self.origin is None else self.origin.column("repeat") or ""

    def place(self, row: int) -> str:
        """The file and line of a row, for messages, or the system where the rows are those of several files."""
        return f"`{self.name}`, {self.position(row)}" if self.further else f"{self.label}, {self.position(row)}"

    def position(self, row: int) -> str:
        """The line of a row, without the file."""
        unit = "row" if self.origin is None or self.further else self.origin.unit
        return f"{unit} {row + 1 if self.lines is None else int(self.lines[row])}"

    def row_error(self, row: int, message: str, hint: str, *, parameter: str | None = None) -> OutscoreError:
        """An error about a row, with its file and line, and the option that would cure it."""
        if self.origin is None or self.further:
            return OutscoreError(message, hint, parameter=parameter)
        line = None if self.lines is None or self.origin.unit == "row" else int(self.lines[row])
        return OutscoreError(message, hint, parameter=parameter, file=self.origin.path, line=line)

    def take(self, rows: Rows) -> Scores:
        """The scores of these rows, in this order."""
        return replace(self, **{name: _rows_of(getattr(self, name), rows) for name in BY_ROW})


def rename(systems: Sequence[Scores], names: Sequence[str]) -> list[Scores]:
    """The systems by these names."""
    both = zip(systems, names, strict=True)
    return [one if one.name == name else replace(one, name=name) for one, name in both]


BY_ROW = ("values", "ids", "repeats", "clusters", "datasets", "slices", "lines", "answers", "gold", "padded", "of_classes")
"""The fields of scores that say something of every row: numbers, labels, or labels by column."""


def _rows_of(column: Any, rows: Rows) -> Any:  # noqa: ANN401 - a field of `BY_ROW`
    """A column, or several by name, on these rows; None where there is none."""
    if isinstance(column, Mapping):
        return {name: labels.take(rows) for name, labels in column.items()}
    if column is None:
        return None
    return column.take(rows) if isinstance(column, Labels) else column[rows]


def pooled(scores: Scores) -> Scores:
    """The same scores of one dataset; an item is then called by its dataset and its id.

    Examples
    --------
    >>> ids, datasets = Labels.of(["1", "1"]), Labels.of(["easy", "hard"])
    >>> found = pooled(Scores("new", np.ones(2), ids, datasets=datasets))
    >>> found.ids.texts(), found.datasets
    (['easy: 1', 'hard: 1'], None)
    """
    if scores.datasets is None or scores.ids is None:
        return replace(scores, datasets=None)
    datasets, ids = scores.datasets, scores.ids
    keys, codes = np.unique(combined(datasets, ids), return_inverse=True)
    names = tuple(f"{datasets.names[key // len(ids.names)]}: {ids.names[key % len(ids.names)]}" for key in keys.tolist())
    return replace(scores, datasets=None, ids=Labels(codes, names))


# Answers behind scores of right and wrong: what was answered and what is right, row by row.
#
# Scores of 0 and 1 do not show that two files disagree on the right answers, or that no answer is of their kind; answers do.


def refuse_other_kind(scores: Scores) -> None:
    """Refuse a system none of whose answers is one of the right ones: a position instead of a letter, or other capitals."""
    if scores.answers is None or scores.gold is None:
        return
    answered = np.flatnonzero(_is_answered(scores.answers))
    names = [scores.answers.names[code] for code in np.unique(scores.answers.codes[answered]).tolist()]
    right = {scores.gold.names[code] for code in np.unique(scores.gold.codes).tolist()}
    if all(name.lstrip("+-").isdigit() for name in right):
        _refuse_fractions(scores, answered)
    if not names or not right.isdisjoint(names):
        return
    folded = {name.casefold() for name in right}
    example = f"`{scores.answers[int(answered[0])]}` where `{scores.gold[int(answered[0])]}` is right"
    cure = "Name columns whose answers are of the same kind, or give a column of scores 0 and 1."
    if any(name.casefold() in folded for name in names):
        cure = "They would be if capitals did not count: write both the same way, or give a column of scores 0 and 1."
    raise OutscoreError(
        f"{scores.label}: none of the {len(answered):,} answers of `{scores.name}` is one of the right answers ({example}).",
        cure,
        parameter="prediction",
    )


def _refuse_fractions(scores: Scores, answered: Array) -> None:
    """Refuse answers most of which are fractions where the right ones are whole numbers: probabilities, not classes."""
    assert scores.answers is not None
    fractions = np.array([_is_fraction(name) for name in scores.answers.names], dtype=bool)[scores.answers.codes[answered]]
    if not len(answered) or 2 * fractions.sum() < len(answered):
        return
    raise OutscoreError(
        f"{scores.label}: {int(fractions.sum()):,} of {len(answered):,} answers of `{scores.name}` are fractions, such as "
        f"{scores.answers[int(answered[fractions][0])]}, where the right answers are whole numbers.",
        "If they are probabilities, give the classes that they predict, or a column of scores.",
        parameter="prediction",
    )


def _is_fraction(text: str) -> bool:
    value = float_of(text)
    return math.isfinite(value) and not value.is_integer()


def _is_answered(answers: Labels) -> Array:
    return np.array([name != NO_ANSWER for name in answers.names], dtype=bool)[answers.codes]


def spelled(labels: Labels) -> Labels:
    """Labels whose names are numbers, each written in one way; others as they are.

    Examples
    --------
    >>> spelled(Labels.of(["1.0", "0.50", "-2"])).names, spelled(Labels.of(["1.0", "one"])).names
    (('1', '0.5', '-2'), ('1.0', 'one'))
    """
    names = [labels.names[code] for code in np.unique(labels.codes).tolist()]
    if not all(_NUMBER.fullmatch(name) for name in names):
        return labels
    return Labels(labels.codes, tuple(spelled_number(name) for name in labels.names))


def spelled_number(name: str) -> str:
    """A decimal number without zeros that say nothing; another name as it is."""
    found = _NUMBER.fullmatch(name)
    if found is None:
        return name
    sign, whole, part = found[1], found[2].lstrip("0") or "0", (found[3] or "").rstrip("0")
    return f"{sign if (whole, part) != ('0', '') else ''}{whole}{'.' if part else ''}{part}"


def refuse_other_gold(systems: Sequence[Scores]) -> None:
    """Refuse systems that were scored by different right answers to the same item."""
    # By dataset and item, the first right answer that was found, and the system it was found with.
    known: dict[tuple[str, str], tuple[str, str]] = {}
    shared: set[tuple[str, str]] = set()
    read: list[Labels] = []
    differing: dict[tuple[str, str], tuple[str, str]] = {}
    for one in systems:
        if one.gold is None or any(one.gold is other for other in read):
            # The columns of one table share their right answers.
            continue
        read.append(one.gold)
        ids = one.ids.texts() if one.ids is not None else [str(row) for row in range(1, one.rows + 1)]
        sets = one.datasets.texts() if one.datasets is not None else [""] * one.rows
        for key, answer in zip(zip(sets, ids, strict=True), spelled(one.gold).texts(), strict=True):
            if key in known:
                shared.add(key)
            if known.setdefault(key, (answer, one.name))[0] != answer:
                differing.setdefault(key, (answer, one.name))
    if not differing:
        return
    key, (answer, system) = next(iter(differing.items()))
    first, before = known[key]
    raise OutscoreError(
        f"The right answers differ on {len(differing):,} of {count_of(len(shared), 'item')}: to `{key[1]}` it is `{first}`"
        f" with `{before}` and `{answer}` with `{system}`.",
        "Score both systems by the same right answers.",
        parameter="gold",
    )


def facts_of_answers(systems: Sequence[Scores]) -> list[Note]:
    """How many answers are empty, and how many had blanks around them that were left out."""
    notes = []
    for one in systems:
        if one.answers is None or one.gold is None:
            continue
        empty = int((~_is_answered(one.answers)).sum())
        blanks = 0 if one.padded is None else int(one.padded.sum())
        if empty:
            verb = "is empty and counts" if empty == 1 else "are empty and count"
            notes.append(Note("input", f"{empty:,} of {one.rows:,} predictions of {one.name} {verb} as wrong."))
        if blanks:
            verb = "has" if blanks == 1 else "have"
            text = f"{blanks:,} of {one.rows:,} predictions of {one.name} {verb} blanks around it that do not count."
            notes.append(Note("input", text if blanks == 1 else text.replace("around it", "around them")))
    return notes


# What a column of folds is: folds that share out the items are clusters of them, folds that all hold every item are runs.


def settle_folds(systems: Sequence[Scores]) -> list[Scores]:
    """The systems of one file, with a column of folds in the part that its values play.

    Items of one fold were scored by one trained system, so they depend on one another. Where every item occurs in every fold,
    a fold is a run of the whole, and where it was named as repeats and no item occurs twice, it is a cluster after all.

    Examples
    --------
    >>> from outscore.scores.system import Origin
    >>> origin = Origin("a.csv", "", 4, "csv", {"item": ("id",), "cluster": ("fold",)})
    >>> ids, folds = Labels.of(["q1", "q2", "q1", "q2"]), Labels.of(["1", "1", "2", "2"])
    >>> (found,) = settle_folds([Scores("new", np.ones(4), ids, clusters=folds, origin=origin)])
    >>> found.clusters, found.repeat_column
    (None, 'fold')
    """
    origin = systems[0].origin if systems else None
    columns = {} if origin is None else dict(origin.columns)
    if origin is None or any(one.origin is not origin or one.ids is None for one in systems):
        return list(systems)
    if _is_fold(origin.column("cluster")) and "repeat" not in columns and all(_crossed(one, one.clusters) for one in systems):
        columns["repeat"] = columns.pop("cluster")
        moved = replace(origin, columns=columns)
        return [replace(one, clusters=None, repeats=one.clusters, origin=moved) for one in systems]
    if _is_fold(origin.column("repeat")) and "cluster" not in columns and all(map(_once, systems)):
        columns["cluster"] = columns.pop("repeat")
        moved = replace(origin, columns=columns)
        return [replace(one, clusters=one.repeats, repeats=None, origin=moved) for one in systems]
    return list(systems)


def _is_fold(column: str | None) -> bool:
    return column is not None and bool({"fold", "folds"} & set(re.split(r"[^a-z]+", column.lower())))


def _crossed(system: Scores, folds: Labels | None) -> bool:
    """Whether every item occurs once in every fold, of which there are several."""
    if folds is None:
        return False
    items, several = len(np.unique(combined(system.item_ids, system.datasets))), len(np.unique(folds.codes))
    cells = len(np.unique(combined(system.item_ids, system.datasets, folds)))
    return several > 1 and system.rows == cells == items * several


def _once(system: Scores) -> bool:
    """Whether no item occurs twice."""
    return system.repeats is not None and len(np.unique(combined(system.item_ids, system.datasets))) == system.rows
