"""Opening any table, and from its records to systems: turned if need be, and without what can hardly be a system or an item."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import compress

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.numeric import Array, median
from outscore.formats.base.entry import Choice
from outscore.formats.base.source import Source, open_source, shorten, stem_of
from outscore.formats.tables import delimited, jsonl, parquet
from outscore.formats.tables.cells import (
    OR_WRONG,
    AnswerColumn,
    Block,
    GappedColumn,
    LabelColumn,
    NumberColumn,
    Records,
    is_missing,
    is_scalar,
    label_text,
    looks_numeric,
)
from outscore.formats.tables.columns import Layout, find_layout, refuse_no_items, refuse_other_gold
from outscore.formats.tables.names import (
    PANDAS_INDEX,
    RIGHT,
    SUMMARIES,
    USUAL,
    is_known,
    is_setting,
    join_names,
    may_be_ids,
    normalize_name,
    suggest_name,
    suggests_other,
    system_of,
)
from outscore.formats.tables.numbers import MIN_COUNTED, is_bare
from outscore.scores.system import Labels, Origin, Scores, combined, pooled, refuse_other_kind, settle_folds

# Tables with a system in every row and an item in every column, turned so that they read as all others do.


TABLE = "table"
"""The name of a table without a file, in messages and settings."""
ITEM = "item"
"""What the column of the former column names is called."""
BOARD = "columns (transposed)"
"""The same where nobody asked for it, so that the report says so."""
_BEFORE_A_CLASS = re.compile(r"^(?:p|prob|proba|probability)[_ ]", re.IGNORECASE)


def is_board(records: Records, choice: Choice) -> bool:
    """Whether every row is a system of its own and all other columns are numbered, as items are; the caller named none.

    Examples
    --------
    >>> columns = {"model": ["a", "b"], **{f"q{i}": [1, 0] for i in range(30)}}
    >>> is_board(Records("t.csv", tuple(columns), columns, lambda _: iter(())), Choice())
    True
    """
    usual = {name for tier in USUAL["system"] for name in tier}
    names = [column for column in records.columns if normalize_name(column) in usual]
    items = [column for column in records.columns if column not in names]
    if choice.names_columns or len(names) != 1 or len(items) < MIN_ITEMS:
        return False
    systems = [_name(value) for value in records.sample[names[0]]]
    stems = {re.sub(r"\d+$", "", column) for column in items}
    numbered = len(stems) == 1 and stems.isdisjoint(items)
    return numbered and 1 < len(set(systems)) == len(systems) and all(looks_numeric(records.sample[one]) for one in items)


def transposed(records: Records, choice: Choice) -> tuple[Records, Choice]:
    """The table with rows and columns exchanged, and what was said about its columns, as it then holds.

    The column of the systems' names is the one with a usual name of systems or items, or else the first. All other columns are
    items.
    """
    if not records.columns:
        raise OutscoreError(f"{records.label} has no columns.", "Give one record per item.", parameter="transpose")
    name = choice.system or _names_column(records)
    items = [column for column in records.columns if column != name]
    texts = [column for column in items if not looks_numeric(records.sample[column])]
    if texts:
        raise OutscoreError(
            f"{records.label}: no numbers in {join_names(texts)}, but in a transposed table all columns except `{name}` are "
            "items.",
            "Leave such columns out of the file, or name the column of the systems with --system-column.",
            parameter="transpose",
        )
    blocks = list(records.blocks((name, *items)))
    lines = [int(line) for block in blocks for line in block.lines]
    systems = [_name(value) for block in blocks for value in block.columns[name]]
    _refuse_names(records, name, systems, lines)
    label = ITEM if choice.transpose else BOARD
    label = label if label not in systems else f"{label} "
    rows = {column: [value for block in blocks for value in block.columns[column]] for column in items}
    columns: dict[str, list[object]] = {label: list(items)}
    columns |= {system: [rows[column][i] for column in items] for i, system in enumerate(systems)}

    def transposed_blocks(needed: Sequence[str]) -> Iterator[Block]:
        yield Block(np.arange(1, len(items) + 1), {column: columns[column] for column in needed})

    sample = {column: values[:20] for column, values in columns.items()}
    table = Records(records.label, (label, *systems), sample, transposed_blocks, "row", records.path)
    return table, replace(choice, item=label, system=None, systems=choice.systems or tuple(systems), transpose=False)


def _name(value: object) -> str:
    return str(value).strip() if is_scalar(value) and value is not None else ""


def _names_column(records: Records) -> str:
    for part in ("system", "item"):
        for tier in USUAL[part]:
            columns = [column for column in records.columns if normalize_name(column) in tier]
            if columns:
                return columns[0]
    return records.columns[0]


def _refuse_names(records: Records, column: str, systems: Sequence[str], lines: Sequence[int]) -> None:
    if not systems:
        records.refuse_empty()
    seen: set[str] = set()
    for system, line in zip(systems, lines, strict=True):
        if not system:
            records.refuse(line, f"`{column}` is empty", "Name the system of every row.")
        if system in seen:
            records.refuse(
                line, f"the system `{shorten(system)}` appears for the second time", "Give each system only one row."
            )
        seen.add(system)


# What can hardly be what it was taken for: counters and lengths no systems, and rows that sum the others up no items.
#
# Rows of sums would count everything twice.


FACTOR = 5.0
"""A mean so many times the largest score of the others is another quantity."""
MIN_ITEMS = 20
"""So many columns whose names only count are items."""
OF_SYSTEMS = {
    *("s", "sys", "system", "m", "model", "method", "team", "submission", "v", "version", "variant", "run", "agent", "llm"),
    *("exp", "experiment", "ckpt", "checkpoint", "config", "candidate"),
}
"""What systems are called that are counted."""
OF_PEOPLE = {"userid", "user_id"}
"""Ids of whoever answered, which may be systems."""
CHOOSE = "Name the systems with --system NAME --system NAME (systems=[...] in Python)"


def refuse_implausible(scores: Sequence[Scores], *, chosen: bool, item_named: bool) -> None:
    """Refuse a table whose columns were all taken for systems if some of them are unlikely to be one.

    Parameters
    ----------
    scores
        The systems that were found.
    chosen
        Whether the caller named the systems, who then knows best.
    item_named
        Whether the caller named the column of the items: then rows are items, however many columns there are.
    """
    wide = [one for one in scores if _is_a_column(one)]
    if chosen or len(wide) < len(scores) or len(wide) < 2 or any(one.values.ndim > 1 or not one.rows for one in wide):
        return
    if not item_named:
        _refuse_items(wide)
    values = [np.abs(one.values.astype(float)) for one in wide]
    largest = np.array([float(column.max()) for column in values])
    counters = np.array([_counts(one.values) for one in wide])
    for i, one in enumerate(wide):
        others = median(np.delete(largest, i))
        counter = bool(counters[i]) and not counters.all()
        if normalize_name(one.name) in SUMMARIES:
            _refuse(one, wide, "is named like a summary", others)
        # Beside shares, whole numbers beyond 1 are something else, such as the code of a category.
        shares = len(wide) > 2 and float(np.delete(largest, i).max()) <= 1 < largest[i]
        if shares and (one.values == np.rint(one.values)).all():
            _refuse(one, wide, f"goes up to {largest[i]:.4g}", others)
        if counter or (others > 0 and float(values[i].mean()) > FACTOR * others):
            _refuse(one, wide, "counts 1, 2, 3" if counter else f"has the mean {float(one.values.mean()):.4g}", others)


def _is_a_column(one: Scores) -> bool:
    """Whether a system is a column of a table with a column for each."""
    return one.origin is not None and "score" not in one.origin.columns and not is_bare(one.origin)


def _counts(values: Array) -> bool:
    """Whether the values are consecutive whole numbers, in whatever order."""
    if len(values) < MIN_COUNTED or (values != np.rint(values)).any():
        return False
    ordered = np.sort(values)
    return bool((np.diff(ordered) == 1).all())


def _refuse(one: Scores, wide: Sequence[Scores], reason: str, others: float) -> None:
    rest = [other.name for other in wide if other is not one]
    raise OutscoreError(
        f"{one.label}: `{one.name}` was found beside {join_names(rest)}, but {reason} where the others reach {others:.4g}: it "
        "is unlikely to be the score of a system.",
        f"{CHOOSE}, or leave that column out.",
        parameter="system",
    )


def _refuse_items(wide: Sequence[Scores]) -> None:
    """Refuse columns whose names only count, as items do in a table with a system in every row."""
    stems = {re.sub(r"\d+$", "", one.name) for one in wide if re.search(r"\d$", one.name)}
    numbered = all(re.search(r"\d$", one.name) for one in wide)
    if not numbered or len(stems) > 1 or len(wide) < MIN_ITEMS:
        return
    ids = {normalize_name(name) for one in wide if one.origin is not None for name in one.origin.columns.get("item", ())}
    if ids - OF_PEOPLE and {normalize_name(stem).strip("_") for stem in stems} <= OF_SYSTEMS:
        # The rows have ids of items, and the columns are called systems.
        return
    raise OutscoreError(
        f"{wide[0].label} has {len(wide):,} columns {join_names([one.name for one in wide], 3)}, which look like items, not "
        "systems.",
        "Add --transpose if every row is a system, or name the column of the items with --item if every row is an item.",
        parameter="transpose",
    )


def refuse_summary(records: Records, column: str, edges: tuple[str, str], lines: Sequence[int]) -> None:
    """Refuse a first or last row whose name in `column` says that it sums the others up; `lines` are those of both rows."""
    for name, line, place in zip(edges, lines, ("first", "last"), strict=True):
        if normalize_name(name) in SUMMARIES:
            where = f" of `{column}`" if column else ""
            records.refuse(
                line,
                f"found `{shorten(name)}` as the {place} item{where}, which looks like a summary of the others",
                "Remove the row, or give the item another name.",
            )


# Opening any table, and from its records to systems: the columns become one `Scores` per system.


def open_table(source: Source) -> tuple[str, Records]:
    """Open a table, whatever its columns hold: the name of its format, and its records."""
    if source.parquet is not None:
        return "parquet", parquet.records(source)
    if jsonl.looks_like_json(source):
        return "jsonl", jsonl.records(source)
    separator = delimited.separator_of(source) or ","
    return "tsv" if separator == "\t" else "csv", delimited.records(source, separator)


def id_columns(path: str) -> list[str]:
    """The columns of a table, in order, whose names are those of ids."""
    with open_source(path) as source:
        records = open_table(source)[1]
    usual = {name for tier in USUAL["item"] for name in tier}
    return [name for name in records.columns if may_be_ids(name) or normalize_name(name) in usual]


def refuse_search(columns: Iterable[str], label: str = "The dictionary") -> None:
    """Refuse what a search of scikit-learn found: a row for each setting, with scores of splits that share training data."""
    if {"mean_fit_time", "params"} <= set(columns):
        raise OutscoreError(
            f"{label} is the `cv_results_` of a search by scikit-learn: its rows are settings, its columns no systems.",
            "Score the items: `osc.rank({name: cross_val_predict(model, X, y) == y for name, model in models.items()})`.",
        )


def read_table(records: Records, choice: Choice, format: str, source: Source | None = None) -> list[Scores]:
    """The systems of a table, a file or a dataframe without `source`: those chosen, or all in the order of the table."""
    if not choice.names_columns:
        refuse_search(records.columns, records.label)
    if choice.transpose or is_board(records, choice):
        records, choice = transposed(records, choice)
    if choice.among:
        # Of a table with a column for each system these are meant; of others, the caller takes what is wanted.
        choice = replace(choice, systems=tuple(name for name in choice.among if name in records.columns))
    layout = find_layout(records, choice)
    builder = _TableBuilder(records, layout, choice)
    for block in records.blocks(layout.needed):
        builder.add(block)
    builder.check()
    origin = Origin(
        TABLE if source is None else source.path,
        "" if source is None else source.sha256(),
        builder.seen,
        format,
        layout.used,
        records.unit,
        len(builder.systems) or (_count_systems(records, layout) if layout.wide else 1),
        builder.left_out,
        builder.filled,
        choice.fill_for,
        layout.unused,
    )
    systems = builder.scores(origin)
    if layout.guessed and not all(map(_has_ids, systems)):
        systems = _without_ids(records, layout, systems)
    if choice.beside == "probabilities":
        systems = _of_one_system(systems)
    for one in systems if choice.fill == 0 and builder.filled else ():
        _refuse_best_fill(one)
    for one in systems if "gold" in layout.parts and not choice.beside else ():
        refuse_other_kind(one)
    return settle_folds(systems)


def _without_ids(records: Records, layout: Layout, systems: Sequence[Scores]) -> list[Scores]:
    """Systems of a wide table matched by the order of its rows, which what was taken for ids does not tell apart."""
    if not layout.wide:
        refuse_no_items(records, layout)
    columns = {part: names for part, names in layout.used.items() if part != "item"}
    return [replace(one, ids=None, origin=one.origin and replace(one.origin, columns=columns)) for one in systems]


def _of_one_system(systems: list[Scores]) -> list[Scores]:
    """One system where each column is named after a class of the right answers: its probability of that class."""
    first, origin = systems[0], systems[0].origin
    if first.gold is None or origin is None or len(systems) < 2:
        return systems
    classes = {_BEFORE_A_CLASS.sub("", one.name): one.answers for one in systems if one.answers is not None}
    right = {first.gold.names[code] for code in np.unique(first.gold.codes).tolist()}
    if len(right) < 2 or not right <= classes.keys() or len(classes) < len(systems):
        return systems
    columns = {**origin.columns, "answer": tuple(one.name for one in systems)}
    told = replace(origin, columns=columns, systems=1)
    return [replace(first, name=stem_of(origin.path), of_classes=classes, origin=told)]


def _refuse_best_fill(one: Scores) -> None:
    """Refuse to fill in 0 beside scores below 0, of which it may be the best."""
    if one.values.size and one.values.min() < 0:
        raise OutscoreError(
            f"{one.label}: scores go down to {float(one.values.min()):.4g}, so 0 is not the worst of them.",
            "Leave rows without a score out with --missing drop; `compare` and `gate` also take the worst score: --bounds "
            "LOW HIGH.",
            parameter="missing",
        )


def _has_ids(scores: Scores) -> bool:
    """Whether no two rows of a system have the same id in the same run of the same dataset."""
    return len(np.unique(combined(scores.item_ids, scores.repeats, scores.datasets))) == scores.rows


def _count_systems(records: Records, layout: Layout) -> int:
    """How many columns of a wide table could be a system, chosen or not."""
    scores = set(layout.scores)
    others = set(layout.needed) - scores
    free = [name for name in records.columns if name not in PANDAS_INDEX | others and not is_known(name)]
    others = {name for name in free if suggests_other(name) or is_setting(name) or system_of(name, RIGHT) is not None}
    return sum(name in scores or (looks_numeric(records.sample[name]) and name not in others) for name in free)


def _refuse_late(records: Records, block: Block) -> None:
    """Refuse a system that the first lines do not have: it would be dropped silently."""
    late = {name: line for name, line in block.late.items() if not is_known(name)}
    if late:
        name = min(late, key=lambda name: late[name])
        records.refuse(
            late[name],
            f"found a number under `{shorten(name)}`, a name that none of the first lines has",
            "Give the first line that name too, with null where there is no score.",
        )


class _TableBuilder:
    """Builds all columns of a table, block by block."""

    def __init__(self, records: Records, layout: Layout, choice: Choice) -> None:
        self._records, self._layout, self._wanted = records, layout, choice.systems
        self._fill = choice.fill
        if self._fill is not None and float(self._fill).is_integer():
            # Whole scores stay whole.
            self._fill = int(self._fill)
        parts = layout.parts
        labelled = {part: column for part, column in parts.items() if part not in ("system", "gold")}
        self._labels = {name: LabelColumn(records, name, optional=part == "dataset") for part, name in labelled.items()}
        self._labels |= {name: LabelColumn(records, name, optional=True) for name in layout.slices}
        self._system = LabelColumn(records, parts["system"]) if "system" in parts else None
        self._gold: LabelColumn | None = None
        if "gold" in parts:
            self._gold = LabelColumn(records, parts["gold"], optional=self._fill is not None, absent=OR_WRONG)
        with_gaps = self._gold is None and layout.wide and (choice.gaps or choice.drop) and self._fill is None
        self._scores: dict[str, NumberColumn | AnswerColumn] = {}
        self._gapped: dict[str, GappedColumn] = {}
        for name in layout.scores:
            if self._gold is not None:
                self._scores[name] = AnswerColumn(records, name, self._gold)
            elif with_gaps:
                self._gapped[name] = GappedColumn(records, name, wanted=name in self._wanted, words=choice.drop)
            else:
                self._scores[name] = NumberColumn(records, name)
        # An item that a wide table has no score of is a gap.
        self._dropping = choice.drop and not with_gaps
        # An empty answer is a wrong one, but an empty probability is none.
        self._numbers_beside = bool(choice.beside)
        if self._dropping and "item" not in parts and not layout.wide:
            raise OutscoreError(
                f"Rows of {records.label} are matched by their order, so none can be left out.",
                "Name the column of items with --item (item=... in Python), or remove the row from both systems.",
                parameter="missing",
            )
        self._dropped = self.filled = self.seen = 0
        self._codes: list[Array] = []
        self._kept: list[Array] = []
        self._lines: list[Array] = []
        self._words: tuple[str, str] | None = None

    @property
    def systems(self) -> Sequence[str]:
        """The systems seen so far in a long table, wanted or not."""
        return () if self._system is None else self._system.names

    @property
    def left_out(self) -> int:
        """How many rows say nothing of any system that is wanted: those that were dropped, and gaps of all of them."""
        wanted = [one for name, one in self._gapped.items() if one.is_scores and (not self._wanted or name in self._wanted)]
        if not wanted or any(one.whole for one in wanted):
            return self._dropped
        return self._dropped + int((~np.logical_or.reduce([one.present for one in wanted])).sum())

    def check(self) -> None:
        """Refuse a table without rows or without a system that is wanted, and a first or last row called like a summary.

        Nothing else may be called so, but an item may have several rows.
        """
        if not self.seen:
            self._records.refuse_empty()
        absent = next((name for name in self._wanted if name not in self.systems), None) if self._system is not None else None
        if absent is not None:
            raise OutscoreError(f"{self._records.label} has no system `{absent}`.", suggest_name(absent, self.systems))
        lines = np.concatenate(self._lines)
        named = {} if self._layout.row_name is None else {self._layout.row_name: self._words}
        for name, column in self._labels.items():
            labels = column.labels()
            alone = name == self._layout.parts.get("item")
            ends = (0, len(labels) - 1) if len(labels) else ()
            first_and_last = [labels[row] if alone or (labels.codes == labels.codes[row]).sum() == 1 else "" for row in ends]
            named[name] = (first_and_last[0], first_and_last[1]) if first_and_last else None
        for name, edges in named.items():
            if edges is not None:
                refuse_summary(self._records, name, edges, (int(lines[0]), int(lines[-1])))

    def add(self, block: Block) -> None:
        """Add a block; rows of systems that are not wanted are skipped unread."""
        lines, keep, codes = block.lines, None, None
        self.seen += len(lines)
        if self._layout.open:
            _refuse_late(self._records, block)
        refuse_other_gold(self._records, self._layout, block)
        if self._system is not None:
            codes = self._system.encode(block.columns[self._layout.parts["system"]], lines)
            if self._wanted:
                keep = np.array([name in self._wanted for name in self._system.names])[codes]
        if self._dropping:
            keep = self._with_scores(block, keep)
        if codes is not None:
            self._codes.append(codes if keep is None else codes[keep])
        lines = lines if keep is None else lines[keep]
        self._lines.append(lines)
        if self._layout.row_name is not None and len(lines):
            first, last = (str(block.columns[self._layout.row_name][row]) for row in (0, -1))
            self._words = first if self._words is None else self._words[0], last
        gold = {} if self._gold is None else {self._layout.parts["gold"]: self._gold}
        columns = [*self._labels.items(), *gold.items(), *self._scores.items(), *self._gapped.items()]
        read = {name: block.columns[name] for name, _ in columns}
        if keep is not None:
            read = {name: list(compress(values, keep.tolist())) for name, values in read.items()}
        if self._fill is not None:
            read |= self._without_gaps(read)
        for name, column in columns:
            column.add(read[name], lines)

    def _without_gaps(self, read: Mapping[str, Sequence[object]]) -> dict[str, Sequence[object]]:
        """The columns of scores with the worst score where there is none; rows without one, or a right answer, are counted."""
        judged = self._layout.scores if self._gold is None else (self._layout.parts["gold"],)
        absent = {name: [is_missing(value) for value in read[name]] for name in judged}
        self.filled += sum(map(any, zip(*absent.values(), strict=True)))
        if self._gold is not None:
            return {}
        return {
            name: [self._fill if gap else x for x, gap in zip(read[name], gaps, strict=True)] for name, gaps in absent.items()
        }

    def _with_scores(self, block: Block, keep: Array | None) -> Array:
        """Those of the rows to keep that have a score, or a right answer, where others are left out."""
        if self._gold is None:
            columns = (block.columns[name] for name in self._layout.scores)
            absent = [any(map(is_missing, cells)) for cells in zip(*columns, strict=True)]
        else:
            absent = [not label_text(value) for value in block.columns[self._layout.parts["gold"]]]
            for name in self._layout.scores if self._numbers_beside else ():
                absent = [gone or is_missing(value) for gone, value in zip(absent, block.columns[name], strict=True)]
        kept = np.ones(len(absent), dtype=bool) if keep is None else keep
        scored: Array = kept & ~np.array(absent, dtype=bool)
        self._dropped += int(kept.sum() - scored.sum())
        self._kept.append(self.seen - len(absent) + np.flatnonzero(scored))
        return scored

    def scores(self, origin: Origin) -> list[Scores]:
        """One `Scores` for each system."""
        layout, labels = self._layout, {name: column.labels() for name, column in self._labels.items()}
        parts = {part: labels[column] for part, column in layout.parts.items() if column in labels}
        lines = np.concatenate(self._lines)
        if self._dropped:
            # The places of the rows, as ids of those that are left.
            parts.setdefault("item", Labels.of(map(str, (np.concatenate(self._kept) + 1).tolist())))
        whole = Scores(
            stem_of(origin.path),
            np.empty(len(lines)),
            parts.get("item"),
            parts.get("repeat"),
            parts.get("cluster"),
            parts.get("dataset"),
            {name: labels[name] for name in layout.slices},
            origin,
            lines,
            gold=None if self._gold is None else self._gold.labels(),
        )
        if layout.pooled:
            whole = pooled(whole)
        if self._gapped:
            return self._with_gaps(whole)
        columns = {name: column.facts() for name, column in self._scores.items()}
        if layout.wide:
            return [replace(whole, name=name, **facts) for name, facts in columns.items()]
        whole = replace(whole, **columns[layout.scores[0]])
        if len(columns) > 1:
            whole = replace(whole, values=np.column_stack([facts["values"] for facts in columns.values()]))
        if self._system is None:
            return [whole]
        return self._split(whole, Labels(np.concatenate(self._codes), self._system.names))

    def _with_gaps(self, whole: Scores) -> list[Scores]:
        """The systems of a wide table, each with the rows it has; without ids, items are numbered."""
        columns = {name: column for name, column in self._gapped.items() if column.is_scores}
        if whole.ids is None and not all(column.whole for column in columns.values()):
            whole = replace(whole, ids=Labels(np.arange(whole.rows), tuple(map(str, range(1, whole.rows + 1)))))
        systems = [
            replace(whole if column.whole else whole.take(column.present), name=name, values=column.values())
            for name, column in columns.items()
        ]
        if len(systems) == 1 < len(self._gapped):
            # The other columns hold text: this is the file of one system, which is named after the file.
            return [replace(systems[0], name=whole.name)]
        return systems

    def _split(self, whole: Scores, systems: Labels) -> list[Scores]:
        """The systems of a long table, each with its rows."""
        order = np.argsort(systems.codes, kind="stable")
        counts = np.bincount(systems.codes, minlength=len(systems.names))
        rows = dict(zip(systems.names, np.split(order, np.cumsum(counts)[:-1]), strict=True))
        for name in self._wanted or systems.names:
            if self._dropping and not len(rows[name]):
                hint = "Name the systems that have some: --system NAME --system NAME."
                raise OutscoreError(f"{whole.label}: `{name}` has no score at all.", hint, parameter="missing")
        return [replace(whole.take(rows[name]), name=name) for name in self._wanted or systems.names]
