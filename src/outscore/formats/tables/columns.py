"""Which column serves as what: by the caller's word, otherwise by its usual name.

Names are grouped in tiers: a name of an earlier tier wins over those of later ones, and two names of one tier leave the reader
unsure, who then says what was considered instead of choosing.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from outscore.core.errors import OutscoreError
from outscore.formats.tables.cells import FLAT, is_blank, is_scalar, looks_numeric
from outscore.formats.tables.field import is_name, is_number, problem_with
from outscore.formats.tables.table import Choice, Records

__all__ = ["Layout", "find_layout", "is_known", "is_partner_of_counts", "is_score", "listed", "nearest", "plain"]

NO_CLUSTERS = "none"
"""What to call the column of clusters where a usual name must not make one of it."""

USUAL: dict[str, tuple[tuple[str, ...], ...]] = {
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
# All of them at once: a comparison can be cut along each.
SLICES = {"task", "category", "subtask", "subject", "subset", "domain", "language", "lang", "difficulty", "slice"}
# Beside one of these, "correct" and its like are counts and not scores.
COUNTS = {"wrong", "incorrect", "error", "errors", "tp", "fp", "fn", "tn"}
# On the command line --system chooses a system, not a column.
OPTIONS = {"system": "system-column"}
_SHOWN = 12


@dataclass(frozen=True)
class Layout:
    """The columns of a table by the part they play; `wide` when each of `scores` is a system of its own.

    `open` says that nobody named the scores: any other column of numbers would have been one of them.
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
        """Part and column, for the report."""
        parts = {name: getattr(self, name) for name in ("item", "system", "cluster", "repeat", "dataset")}
        found = {name: column for name, column in parts.items() if column is not None}
        lists = {"score": () if self.wide else self.scores, "slice": self.slices}
        return found | {name: ", ".join(columns) for name, columns in lists.items() if columns}

    @property
    def needed(self) -> tuple[str, ...]:
        """All columns to be read."""
        single = (self.item, self.system, self.cluster, self.repeat, self.dataset)
        return tuple(dict.fromkeys([*(column for column in single if column is not None), *self.slices, *self.scores]))


def is_known(name: str) -> bool:
    """Whether a header's name is one of the usual ones."""
    key = plain(name)
    return key in SLICES or any(key in tier for tiers in USUAL.values() for tier in tiers)


def is_score(name: str) -> bool:
    """Whether a header's name is a usual one of scores."""
    return any(plain(name) in tier for tier in USUAL["score"])


def is_partner_of_counts(name: str) -> bool:
    """Whether a header's name says that these are counts."""
    return plain(name) in COUNTS


def find_layout(records: Records, choice: Choice) -> Layout:
    """Decide which column serves as what, or say what was considered."""
    unclustered = choice.cluster == NO_CLUSTERS and NO_CLUSTERS not in records.columns
    if unclustered:
        choice = replace(choice, cluster=None)
    for columns in ([choice.item, choice.system, choice.cluster, choice.repeat, choice.dataset], choice.score, choice.slice):
        for column in columns:
            if column is not None:
                _require(records, column)
    finder = _Finder(records, choice)
    wide = bool(choice.systems) and set(choice.systems) <= set(records.columns) and not (choice.system or choice.score)
    system = None if wide else finder.column("system", choice.system)
    scores = choice.score or (() if wide else finder.columns("score"))
    item = finder.column("item", choice.item)
    repeat = finder.column("repeat", choice.repeat)
    cluster = None if unclustered else finder.column("cluster", choice.cluster)
    dataset = finder.column("dataset", choice.dataset)
    slices = choice.slice or finder.slices()
    unnamed = not scores and not wide
    if not scores:
        scores, wide = _numeric(records, choice, finder, system, wide=wide)
    layout = Layout(item, system, scores, cluster, repeat, dataset, slices, wide, open=unnamed)
    _check(records, layout)
    return layout


class _Finder:
    """Hands out the columns that nobody has taken yet."""

    def __init__(self, records: Records, choice: Choice) -> None:
        self._records = records
        said = (choice.item, choice.system, choice.cluster, choice.repeat, choice.dataset)
        self._taken = {column for column in said if column is not None} | {*choice.score, *choice.slice, *choice.systems}

    def free(self) -> list[str]:
        """Columns without a part, in the order of the file; the index that pandas writes has no name."""
        return [name for name in self._records.columns if name and name not in self._taken and name != "Unnamed: 0"]

    def column(self, part: str, said: str | None) -> str | None:
        """The column the caller named, or the one with a usual name."""
        if said is not None:
            return said
        return next(iter(self.columns(part)), None)

    def columns(self, part: str) -> tuple[str, ...]:
        """The free column with a usual name, as a list of one or none."""
        flat = [name for name in self.free() if not _is_nested(self._records.sample[name])]
        for tier in USUAL[part]:
            found = [name for name in flat if plain(name) in tier]
            if len(found) > 1:
                raise OutscoreError(
                    f"{self._records.label}: {listed(found)} could each be the {part} column.",
                    f"Name the one meant with --{OPTIONS.get(part, part)} COLUMN ({part}=... in Python).",
                )
            if found:
                self._taken.add(found[0])
                return (found[0],)
        return ()

    def slices(self) -> tuple[str, ...]:
        """All free columns whose usual name is that of a slice."""
        flat = [name for name in self.free() if not _is_nested(self._records.sample[name])]
        found = tuple(name for name in flat if plain(name) in SLICES)
        self._taken.update(found)
        return found


def _numeric(
    records: Records, choice: Choice, finder: _Finder, system: str | None, *, wide: bool
) -> tuple[tuple[str, ...], bool]:
    """The columns of numbers without a name of their own: the score of a long table, or the systems of a wide one."""
    if wide:
        return choice.systems, True
    # A name such as `index` that lost to a better one is no system for that.
    free = [name for name in finder.free() if not is_known(name)]
    numeric = tuple(name for name in free if looks_numeric(records.sample[name]))
    if numeric and choice.gaps and system is None:
        # A system may lack the first items: what stands further down decides.
        numeric = tuple(name for name in free if name in numeric or all(map(is_blank, records.sample[name])))
    if system is None and choice.systems:
        for name in choice.systems:
            _require(records, name, "system")
    if not any(records.sample.values()):
        records.refuse_empty()
    if not numeric:
        # A quotation mark that is never closed swallows the columns after it: reading on names its line.
        for _ in records.blocks(()):
            pass
        _refuse_dressed(records, finder.free())
        nested = [name for name in records.columns if _is_nested(records.sample[name])]
        raise OutscoreError(
            f"{records.label} has no column of numbers among {listed(records.columns)}"
            + (f"; {listed(nested)} holds lists or objects." if nested else "."),
            FLAT if nested else "Name the score column with --score COLUMN (score=... in Python).",
        )
    if len(numeric) == 1:
        return numeric, False
    if system is not None:
        raise OutscoreError(
            f"{records.label}: {listed(numeric)} could each be the score column.",
            "Name the one meant with --score COLUMN (score=... in Python).",
        )
    return numeric, True


def _refuse_dressed(records: Records, names: Iterable[str]) -> None:
    """Refuse the first value that is nearly a number (50%, 0,5): its cure helps more than the name of a column."""
    for name in names:
        texts = [value.strip() for value in records.sample[name] if isinstance(value, str)]
        dressed = next((text for text in texts if text and not is_number(text) and not is_name(text)), "")
        problem = problem_with(dressed, column=name) if dressed else None
        if problem is not None:
            raise OutscoreError(f"{records.label}: {problem[0]}.", problem[1])


def _check(records: Records, layout: Layout) -> None:
    for column in layout.needed:
        if records.columns.count(column) > 1:
            raise OutscoreError(f"{records.label} has two columns named `{column}`.", "Give every column a name of its own.")
    if layout.item is None and (layout.repeat is not None or not layout.wide):
        repeats = "" if layout.repeat is None else f"repeats (`{layout.repeat}`) but "
        raise OutscoreError(
            f"{records.label} has {repeats}no item column among {listed(records.columns)}.",
            "Name it with --item COLUMN (item=... in Python); usual names such as id and question_id are recognised.",
        )


def _is_nested(sample: Sequence[object]) -> bool:
    return not is_scalar(next((value for value in sample if value is not None), None))


def _require(records: Records, column: str, kind: str = "column") -> None:
    if column not in records.columns:
        raise OutscoreError(f"{records.label} has no {kind} `{column}`.", nearest(column, [n for n in records.columns if n]))


def nearest(word: str, known: Iterable[str]) -> str:
    """A hint for a misspelt name: the nearest one, or what there is."""
    names = list(known)
    longer = [name for name in names if word.lower() in name.lower()]
    if word and longer:
        return f"Did you mean {'one of ' if len(longer) > 1 else ''}{listed(longer)}?"
    lower = {name.lower(): name for name in names}
    near = difflib.get_close_matches(word.lower(), lower, n=1)
    return f"Did you mean `{lower[near[0]]}`?" if near else f"There is {listed(names)}."


def listed(names: Sequence[str]) -> str:
    """Names in a sentence; of many, the first dozen."""
    quoted = [f"`{name}`" for name in names[:_SHOWN]]
    if len(names) > _SHOWN:
        return f"{', '.join(quoted)} and {len(names) - _SHOWN} more"
    return f"{', '.join(quoted[:-1])} and {quoted[-1]}" if len(quoted) > 1 else "".join(quoted) or "none"


def plain(name: str) -> str:
    """A name without what people write differently."""
    return name.strip().lower().replace(" ", "_").replace("-", "_").replace(".", "_")
