"""Which column plays which part: the one the caller names, otherwise the one with a usual name.

Names are grouped in tiers: a name of an earlier tier wins over those of later ones. Two names of the same
tier are ambiguous, and the error lists them.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NoReturn

from outscore.core.errors import OutscoreError
from outscore.core.options import nearest
from outscore.formats.base.entry import Choice
from outscore.formats.tables.cells import FLAT, is_blank, is_scalar, looks_numeric
from outscore.formats.tables.number_text import is_name, is_number, problem_with
from outscore.formats.tables.records import Records

__all__ = [
    "NO_CLUSTERS",
    "SLICES",
    "USUAL",
    "ColumnFinder",
    "Layout",
    "Tiers",
    "find_layout",
    "is_known",
    "is_nested",
    "is_score",
    "join_names",
    "names_counts",
    "normalize_name",
    "suggest_name",
]

Tiers = tuple[tuple[str, ...], ...]

NO_CLUSTERS = "none"
"""The name that says there are no clusters, although a column has a usual name of clusters."""

USUAL: dict[str, Tiers] = {
    "item": (
        ("item_id", "question_id", "doc_id", "sample_id", "example_id", "instance_id", "segment_id", "problem_id", "prompt_id"),
        ("id", "uid", "uuid", "qid", "_id"),
        ("item", "question", "example", "instance", "segment", "sentence_id", "problem", "prompt"),
        ("index", "idx", "nr", "line"),
    ),
    "system": (
        ("model", "system", "model_id", "system_id", "model_name", "system_name"),
        ("submission", "method", "team"),
    ),
    "score": (
        ("score",),
        ("correct", "is_correct", "accuracy", "acc", "value", "exact_match", "em", "f1", "bleu", "chrf", "ter", "wer", "comet"),
    ),
    "repeat": (("epoch", "repeat", "sample", "seed", "run", "trial", "attempt", "replicate"),),
    "cluster": (
        ("cluster", "cluster_id"),
        ("document", "doc", "document_id", "conversation", "conversation_id", "dialogue", "dialogue_id", "passage_id"),
    ),
    "dataset": (("dataset", "benchmark", "testset", "test_set"),),
}
# A table may have several of them: a comparison can be split by each.
SLICES = {"task", "category", "subtask", "subject", "subset", "domain", "language", "lang", "difficulty", "slice"}
# Next to one of these, `correct` and the like are counts instead of scores.
COUNTS = {"wrong", "incorrect", "error", "errors", "tp", "fp", "fn", "tn"}
# On the command line --system names a system, not a column.
OPTIONS = {"system": "system-column"}
_MAX_NAMES = 12


@dataclass(frozen=True)
class Layout:
    """The columns of a table by the part they play; `wide` if each of `scores` is a system.

    `open` means that the caller did not name the scores, so that every other column of numbers would be one
    of them.
    """

    item: str | None
    system: str | None
    scores: tuple[str, ...]
    cluster: str | None
    repeat: str | None
    dataset: str | None
    slices: tuple[str, ...]
    wide: bool
    open: bool = False

    @property
    def used(self) -> dict[str, str]:
        """The column of each part, for the report."""
        parts = {name: getattr(self, name) for name in ("item", "system", "cluster", "repeat", "dataset")}
        found = {name: column for name, column in parts.items() if column is not None}
        lists = {"score": () if self.wide else self.scores, "slice": self.slices}
        return found | {name: ", ".join(columns) for name, columns in lists.items() if columns}

    @property
    def needed(self) -> tuple[str, ...]:
        """All columns to read."""
        single = (self.item, self.system, self.cluster, self.repeat, self.dataset)
        return tuple(dict.fromkeys([*(column for column in single if column is not None), *self.slices, *self.scores]))


def is_known(name: str) -> bool:
    """Whether a column name is a usual one."""
    key = normalize_name(name)
    return key in SLICES or any(key in tier for tiers in USUAL.values() for tier in tiers)


def is_score(name: str) -> bool:
    """Whether a column name is a usual one of scores."""
    return any(normalize_name(name) in tier for tier in USUAL["score"])


def names_counts(name: str) -> bool:
    """Whether a column of this name makes those beside it counts."""
    return normalize_name(name) in COUNTS


def find_layout(records: Records, choice: Choice) -> Layout:
    """Decide which column plays which part; if that is not clear, raise an error that lists the candidates."""
    unclustered = choice.cluster == NO_CLUSTERS and NO_CLUSTERS not in records.columns
    if unclustered:
        choice = replace(choice, cluster=None)
    for columns in ([choice.item, choice.system, choice.cluster, choice.repeat, choice.dataset], choice.score, choice.slice):
        for column in columns:
            if column is not None:
                _require(records, column)
    finder = ColumnFinder(records, choice.named)
    wide = bool(choice.systems) and set(choice.systems) <= set(records.columns) and not (choice.system or choice.score)
    if wide:
        system, scores = None, choice.systems
    else:
        system = _find(finder, "system", choice.system)
        scores = choice.score or tuple(filter(None, [_find(finder, "score", None)]))
    item = _find(finder, "item", choice.item)
    repeat = _find(finder, "repeat", choice.repeat)
    cluster = None if unclustered else _find(finder, "cluster", choice.cluster)
    dataset = _find(finder, "dataset", choice.dataset)
    slices = choice.slice or finder.take_all(SLICES)
    unnamed = not scores
    if unnamed:
        scores = _numeric_columns(records, choice, finder, system)
        wide = len(scores) > 1
    layout = Layout(item, system, scores, cluster, repeat, dataset, slices, wide, open=unnamed)
    _check(records, layout)
    return layout


class ColumnFinder:
    """Finds columns by their usual names, each at most once; columns that the caller named are taken already."""

    def __init__(self, records: Records, taken: Iterable[str]) -> None:
        self._records, self._taken = records, set(taken)

    def free(self) -> list[str]:
        """Columns that play no part yet, in the order of the file, without the unnamed index that pandas writes."""
        return [name for name in self._records.columns if name and name not in self._taken and name != "Unnamed: 0"]

    def take(self, part: str, tiers: Tiers, hint: str) -> str | None:
        """The column whose name is in the earliest tier, or None; two names of one tier raise an error."""
        flat = self._flat()
        for tier in tiers:
            candidates = [name for name in flat if normalize_name(name) in tier]
            if len(candidates) > 1:
                message = f"{self._records.label}: {join_names(candidates)} could each be the {part} column."
                raise OutscoreError(message, hint, parameter=OPTIONS.get(part, part))
            if candidates:
                self._taken.add(candidates[0])
                return candidates[0]
        return None

    def take_all(self, names: Container[str]) -> tuple[str, ...]:
        """All free columns with one of these names."""
        columns = tuple(name for name in self._flat() if normalize_name(name) in names)
        self._taken.update(columns)
        return columns

    def _flat(self) -> list[str]:
        return [name for name in self.free() if not is_nested(self._records.sample[name])]


def _find(finder: ColumnFinder, part: str, named: str | None) -> str | None:
    """The column that the caller named, or the one with a usual name."""
    if named is not None:
        return named
    hint = f"Name the one meant with --{OPTIONS.get(part, part)} COLUMN ({part}=... in Python)."
    return finder.take(part, USUAL[part], hint)


def _numeric_columns(records: Records, choice: Choice, finder: ColumnFinder, system: str | None) -> tuple[str, ...]:
    """The columns of numbers without a usual name: the score of a long table, or the systems of a wide one."""
    # A usual name such as `index` that lost to a better one does not name a system either.
    free = [name for name in finder.free() if not is_known(name)]
    numeric = tuple(name for name in free if looks_numeric(records.sample[name]))
    if numeric and choice.gaps and system is None:
        # A system may lack the first items: an empty sample leaves the decision to the values below.
        numeric = tuple(name for name in free if name in numeric or all(map(is_blank, records.sample[name])))
    for name in choice.systems if system is None else ():
        _require(records, name, "system")
    if not any(records.sample.values()):
        records.refuse_empty()
    if not numeric:
        _refuse_no_numbers(records, finder.free())
    if len(numeric) > 1 and system is not None:
        raise OutscoreError(
            f"{records.label}: {join_names(numeric)} could each be the score column.",
            "Name the one meant with --score COLUMN (score=... in Python).",
            parameter="score",
        )
    return numeric


def _refuse_no_numbers(records: Records, free: Iterable[str]) -> NoReturn:
    """Raise the most helpful error for a table without a column of numbers."""
    # An unclosed quotation mark swallows the columns after it: reading on raises an error that names its
    # line.
    for _ in records.blocks(()):
        pass
    _refuse_malformed_numbers(records, free)
    message = f"{records.label} has no column of numbers among {join_names(records.columns)}"
    nested = [name for name in records.columns if is_nested(records.sample[name])]
    if nested:
        raise OutscoreError(f"{message}; {join_names(nested)} holds lists or objects.", FLAT)
    raise OutscoreError(f"{message}.", "Name the score column with --score COLUMN (score=... in Python).", parameter="score")


def _refuse_malformed_numbers(records: Records, names: Iterable[str]) -> None:
    """Refuse the first value that is nearly a number (50%, 0,5): its hint helps more than naming a column."""
    for name in names:
        texts = [value.strip() for value in records.sample[name] if isinstance(value, str)]
        malformed = next((text for text in texts if text and not is_number(text) and not is_name(text)), "")
        problem = problem_with(malformed, column=name) if malformed else None
        if problem is not None:
            raise OutscoreError(f"{records.label}: {problem[0]}.", problem[1])


def _check(records: Records, layout: Layout) -> None:
    records.refuse_repeated(layout.needed)
    if layout.item is None and (layout.repeat is not None or not layout.wide):
        repeats = "" if layout.repeat is None else f"repeats (`{layout.repeat}`) but "
        raise OutscoreError(
            f"{records.label} has {repeats}no item column among {join_names(records.columns)}.",
            "Name it with --item COLUMN (item=... in Python); usual names such as id and question_id are recognised.",
            parameter="item",
        )


def is_nested(sample: Sequence[object]) -> bool:
    """Whether a column holds lists or objects, by its first value."""
    return not is_scalar(next((value for value in sample if value is not None), None))


def _require(records: Records, column: str, kind: str = "column") -> None:
    if column not in records.columns:
        names = [name for name in records.columns if name]
        raise OutscoreError(f"{records.label} has no {kind} `{column}`.", suggest_name(column, names))


def suggest_name(word: str, known: Iterable[str]) -> str:
    """A hint for a name that does not exist: similar names, or all names."""
    names = list(known)
    longer = [name for name in names if word.lower() in name.lower()]
    if word and longer:
        return f"Did you mean {'one of ' if len(longer) > 1 else ''}{join_names(longer)}?"
    lower = {name.lower(): name for name in names}
    near = nearest(word.lower(), lower)
    return f"There is {join_names(names)}." if near is None else f"Did you mean `{lower[near]}`?"


def join_names(names: Sequence[str]) -> str:
    """Names as part of a sentence, at most twelve of them.

    Examples
    --------
    >>> join_names(["id", "new", "old"])
    '`id`, `new` and `old`'
    """
    quoted = [f"`{name}`" for name in names[:_MAX_NAMES]]
    if len(names) > _MAX_NAMES:
        return f"{', '.join(quoted)} and {len(names) - _MAX_NAMES} more"
    if len(quoted) > 1:
        return f"{', '.join(quoted[:-1])} and {quoted[-1]}"
    return quoted[0] if quoted else "none"


def normalize_name(name: str) -> str:
    """A column name in lower case, with underscores for blanks, hyphens and points."""
    return name.strip().lower().replace(" ", "_").replace("-", "_").replace(".", "_")
