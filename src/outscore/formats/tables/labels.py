"""A label per item: CSV, TSV, JSON lines or Parquet with an item column, an answer column, and perhaps the right answers.

Columns are recognised by their usual names. Of one name that may mean either, such as `label` and `answer`, a column of
predictions beside it decides: then it holds the right answers. Whatever else the file has is kept to split by or to show.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.numeric import Array
from outscore.formats.detect import CHAINS, TREES, refuse_kinds
from outscore.formats.source import Source, open_source, stem_of
from outscore.formats.tables import delimited, jsonl, parquet
from outscore.formats.tables.cells import LabelColumn, is_scalar
from outscore.formats.tables.columns import SLICES, USUAL, listed, nearest, plain
from outscore.formats.tables.table import Choice, Records
from outscore.outputs.model import Items
from outscore.scores.system import Labels, Origin

__all__ = ["has_answers", "items_of", "read_labels"]

Tiers = tuple[tuple[str, ...], ...]
Role = Literal["system", "gold", "either"]
PREDICTED: Tiers = (
    ("prediction", "predicted", "pred", "predicted_label", "predicted_answer", "model_answer", "system_answer", "model_output"),
    ("output", "response", "completion", "generation", "hypothesis"),
)
RIGHT: Tiers = (
    ("gold", "gold_label", "gold_answer", "gold_standard"),
    ("target", "reference", "truth", "ground_truth", "true_label", "expected", "correct_answer", "correct_label", "answer_key"),
)
EITHER: Tiers = (("label", "labels", "class", "tag"), ("answer",))
# A column of so many values is a text to show, not a way to split the items.
MOST_SLICES = 50


def read_labels(
    path: str | os.PathLike[str],
    name: str | None = None,
    *,
    role: Role = "system",
    item: str | None = None,
    answer: str | None = None,
    gold: str | None = None,
    cluster: str | None = None,
    slices: Sequence[str] = (),
) -> Items:
    r"""Read a label per item; ``-`` is standard input, and compressed files are unpacked on the way.

    Answers that are empty, null or not a number are a class of their own, ``(none)``. Without an item column, items are known
    by their number, which serves as long as nothing has to be matched with another file.

    Parameters
    ----------
    path
        The file.
    name
        What the system is called; the file's name if not given.
    role
        ``"gold"`` takes the right answers for the file's answers; ``"system"`` keeps them beside, where there are any;
        ``"either"`` is ``"system"``, but for files of right answers alone.
    item, answer, gold, cluster
        Columns; left out, they are recognised by their usual names (but for `cluster`).
    slices
        Columns to split by; left out, all other columns of few values.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "new.csv")
    ...     _ = path.write_text("id,label,prediction,topic\nq1,yes,yes,law\nq2,no,,law\nq3,no,yes,art\nq4,no,no,art\n")
    ...     items = read_labels(path)
    >>> items.answers.names, items.gold.names, items.slices["topic"].names, items.ids[1]
    (('yes', '(none)', 'no'), ('yes', 'no'), ('law', 'art'), 'q2')
    """
    with open_source(path) as source:
        return items_of(source, name, role=role, item=item, answer=answer, gold=gold, cluster=cluster, slices=slices)


def items_of(
    source: Source,
    name: str | None = None,
    *,
    role: Role = "system",
    item: str | None = None,
    answer: str | None = None,
    gold: str | None = None,
    cluster: str | None = None,
    slices: Sequence[str] = (),
) -> Items:
    """The items of a table that is open already."""
    refuse_kinds(source, (TREES, CHAINS), "a table with a label per item was")
    records = _records(source)
    layout = _layout(records, role, item=item, answer=answer, gold=gold, cluster=cluster, slices=slices)
    columns, lines = _columns(records, layout)
    return _items(source, records, layout, columns, lines, stem_of(source.path) if name is None else name)


def has_answers(columns: Iterable[str]) -> bool:
    """Whether a column bears a usual name of answers."""
    usual = {name for tier in (*PREDICTED, *RIGHT, *EITHER) for name in tier}
    return any(plain(column) in usual for column in columns)


def _records(source: Source) -> Records:
    if parquet.looks_like_parquet(source, Choice()):
        return parquet.records(source)
    if jsonl.looks_like_json(source, Choice()):
        return jsonl.records(source)
    return delimited.records(source, delimited.separator_of(source) or ",")


@dataclass(frozen=True)
class _Layout:
    """Which column serves as what."""

    item: str | None
    answer: str
    gold: str | None
    cluster: str | None
    slices: tuple[str, ...]
    others: tuple[str, ...]

    @property
    def used(self) -> dict[str, str]:
        parts = {"item": self.item, "answer": self.answer, "gold": self.gold, "cluster": self.cluster}
        return {part: column for part, column in parts.items() if column is not None}

    @property
    def needed(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys([*self.used.values(), *self.slices, *self.others]))


def _layout(
    records: Records,
    role: Role,
    *,
    item: str | None,
    answer: str | None,
    gold: str | None,
    cluster: str | None,
    slices: Sequence[str],
) -> _Layout:
    """Decide which column serves as what, or say what was considered."""
    for column in (item, answer, gold, cluster, *slices):
        if column is not None and column not in records.columns:
            raise OutscoreError(f"{records.label} has no column `{column}`.", nearest(column, records.columns))
    free = [name for name in records.columns if name and _is_flat(records, name)]
    finder = _Finder(records.label, [name for name in free if name not in (item, answer, gold, cluster, *slices)])
    if role == "gold":
        answer, gold = answer or finder.take("answer", (*RIGHT, *EITHER)), None
    else:
        answer = answer or finder.take("answer", PREDICTED)
        # Beside a prediction, `label` is what is right; by itself it is the answer.
        beside = (*RIGHT, *EITHER) if answer is not None else RIGHT
        gold = gold or finder.take("gold", beside)
        answer = answer or finder.take("answer", EITHER)
    if answer is None and role == "either":
        answer, gold = gold, None
    if answer is None:
        raise OutscoreError(
            f"{records.label} has no column of {'right ' if role == 'gold' else ''}answers among {listed(records.columns)}.",
            f"Call it `{'gold' if role == 'gold' else 'prediction'}` in the line of column names.",
        )
    item = item or finder.take("item", USUAL["item"])
    used = {item, answer, gold, cluster, *slices}
    layout = _Layout(item, answer, gold, cluster, tuple(slices), tuple(name for name in free if name not in used))
    for name in layout.needed:
        if records.columns.count(name) > 1:
            raise OutscoreError(f"{records.label} has two columns named `{name}`.", "Give every column a name of its own.")
    return layout


class _Finder:
    """Hands out columns by their usual names, each once."""

    def __init__(self, label: str, free: list[str]) -> None:
        self._label, self._free = label, free

    def take(self, part: str, tiers: Tiers) -> str | None:
        """The column whose name stands in the earliest tier; two names of one tier leave it unsure."""
        for tier in tiers:
            found = [name for name in self._free if plain(name) in tier]
            if len(found) > 1:
                raise OutscoreError(
                    f"{self._label}: {listed(found)} could each be the {part} column.",
                    "Rename the others, or take them out.",
                )
            if found:
                self._free.remove(found[0])
                return found[0]
        return None


def _is_flat(records: Records, name: str) -> bool:
    return is_scalar(next((value for value in records.sample[name] if value is not None), None))


def _columns(records: Records, layout: _Layout) -> tuple[dict[str, Labels], Array]:
    must = {layout.item, layout.gold, layout.cluster}
    columns = {name: LabelColumn(records, name, optional=name not in must) for name in layout.needed}
    lines: list[Array] = []
    for block in records.blocks(layout.needed):
        lines.append(block.lines)
        for name, column in columns.items():
            column.add(block.columns[name], block.lines)
    if not lines:
        raise OutscoreError(f"{records.label} has column names and no records.", "Give one record per item.")
    return {name: column.labels() for name, column in columns.items()}, np.concatenate(lines)


def _items(source: Source, records: Records, layout: _Layout, columns: dict[str, Labels], lines: Array, name: str) -> Items:
    rows = len(lines)
    numbers = Labels(np.arange(rows), tuple(map(str, range(1, rows + 1))))
    split = {column: columns[column] for column in layout.slices or _few(layout, columns, rows)}
    return Items(
        name=name,
        ids=numbers if layout.item is None else columns[layout.item],
        answers=columns[layout.answer],
        gold=None if layout.gold is None else columns[layout.gold],
        clusters=None if layout.cluster is None else columns[layout.cluster],
        slices=split,
        texts={column: columns[column] for column in layout.others if column not in split},
        origin=Origin(source.path, source.sha256(), rows, "labels", layout.used, records.unit),
        lines=lines,
    )


def _few(layout: _Layout, columns: dict[str, Labels], rows: int) -> Iterator[str]:
    """Columns whose values come up again and again."""
    for name in layout.others:
        count = len(columns[name].names)
        if plain(name) in SLICES or count <= min(MOST_SLICES, rows // 2):
            yield name
