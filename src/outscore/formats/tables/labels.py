"""A label per item: tables with an item and an answer, a label per line, `{id: answer}`, and the questions of SQuAD."""

from __future__ import annotations

import os
import re
import string
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, TypedDict, Unpack

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.numeric import Array
from outscore.formats.base.pipes import reading_once
from outscore.formats.base.source import Peek, Source, line_error, open_source, stem_of
from outscore.formats.tables import delimited, jsonl
from outscore.formats.tables.assemble import open_table
from outscore.formats.tables.cells import NO_LABEL, LabelColumn, Records, label_text, looks_numeric
from outscore.formats.tables.columns import Answers, answer_columns
from outscore.formats.tables.jsonl import looks_like_json
from outscore.formats.tables.names import (
    BESIDE_PREDICTED,
    EITHER,
    PREDICTED,
    RIGHT,
    SLICES,
    USUAL,
    ColumnFinder,
    Tiers,
    holds_answers,
    is_known,
    is_list,
    is_nested,
    is_score,
    join_names,
    listed,
    normalize_name,
    paired_answers,
    right_names,
    suggest_name,
)
from outscore.outputs.model import LABEL_LINES, SET_SEPARATOR, SQUAD, Items, OutputData
from outscore.scores.system import Labels, Origin

# Answers that are no table: a label per line, `{id: answer}`, and the questions of SQuAD.
#
# Labels without ids are matched by their lines, as scores and texts are. SQuAD compares answers without case, punctuation,
# articles and doubled blanks (`normalize_answer` of its evaluation script), and accepts any of several.


_TABLES = (".csv", ".tsv", ".json", ".jsonl", ".parquet")
_MARKS = ("\t", ",", ";", "|")
_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_PUNCTUATION = str.maketrans("", "", string.punctuation)


def are_label_lines(peek: Peek) -> bool:
    r"""Whether a file has a label on each line: nothing separates columns, and its first line does not name one.

    Examples
    --------
    >>> are_label_lines(Peek("a.txt", ["yes\n", "no\n"])), are_label_lines(Peek("a.txt", ["label\n", "no\n"]))
    (True, False)
    """
    if peek.is_parquet or peek.suffix in _TABLES or looks_like_json(peek) or not peek.filled:
        return False
    return not any(mark in line for line in peek.filled for mark in _MARKS) and not holds_answers(peek.filled[0].strip())


def label_lines(source: Source, name: str, *, right: bool) -> Items:
    """The label on each line; a blank line is no answer, and refused where it should be the right one."""
    labels = [line.strip() for line in source.lines()]
    while labels and not labels[-1]:
        labels.pop()
    if not labels:
        raise OutscoreError(f"{source.label} is empty.", "Write a label on each line.", file=source.path)
    if right and "" in labels:
        problem = "the line is blank, but every item needs a right answer"
        raise line_error(source.path, labels.index("") + 1, problem, "Fill it in, or remove the line from all files.")
    lines = np.arange(1, len(labels) + 1)
    origin = Origin(source.path, source.sha256(), len(labels), LABEL_LINES, {"answer": ("line",)}, "line")
    answers = Labels.of(label or NO_LABEL for label in labels)
    return Items(name, Labels.of(map(str, lines.tolist())), answers, origin=origin, lines=lines)


def answers_by_id(source: Source, name: str) -> Items | None:
    """The answers of a JSON object, `{id: answer}` or the questions of SQuAD; None for any other document."""
    document = source.document
    if not isinstance(document, dict) or not document:
        return None
    if isinstance(document.get("data"), list):
        questions = _questions(document["data"])
        if not questions:
            return None
        return _items(source, name, {item: accepted_answers(texts) for item, texts in questions.items()}, SQUAD)
    if all(isinstance(answer, str) for answer in document.values()):
        return _items(source, name, {item: answer.strip() or NO_LABEL for item, answer in document.items()}, "labels")
    return None


def _items(source: Source, name: str, answers: Mapping[str, str], kind: str) -> Items:
    used = {"item": ("id",), "answer": ("answers" if kind == SQUAD else "answer",)}
    origin = Origin(source.path, source.sha256(), len(answers), kind, used, "row")
    return Items(name, Labels.of(answers), Labels.of(answers.values()), origin=origin, are_sets=kind == SQUAD)


def _questions(articles: Sequence[Any]) -> dict[str, list[str]]:
    """The accepted answers to each question by its id; empty unless all are laid out as SQuAD's."""
    found: dict[str, list[str]] = {}
    try:
        for article in articles:
            for paragraph in article["paragraphs"]:
                for question in paragraph["qas"]:
                    found[str(question["id"])] = [answer["text"] for answer in question["answers"]]
    except (KeyError, TypeError):
        return {}
    return found


def accepted_answers(texts: Iterable[object]) -> str:
    """All accepted answers, normalised; those of which nothing is left do not count unless there is no other."""
    kept = dict.fromkeys(normalised(str(text)) for text in texts)
    return SET_SEPARATOR.join(text for text in kept if text != NO_LABEL) or NO_LABEL


def exact_and_f1(accepted: Sequence[str], answer: str) -> tuple[float, float]:
    """Whether an answer is one of those accepted, and the best F1 of its words against one of them; all are normalised.

    No answer is right, with F1 1, where none is accepted, as in the evaluation of SQuAD 2.0.

    Examples
    --------
    >>> exact_and_f1(["middle rhine", "rhine"], "upper rhine"), exact_and_f1(["(none)"], "(none)")
    ((0.0, 0.6666666666666666), (1.0, 1.0))
    """
    right = [text for text in accepted if text != NO_LABEL] or [NO_LABEL]
    return float(answer in right), max(_word_f1(text, answer) for text in right)


def _word_f1(right: str, answer: str) -> float:
    if NO_LABEL in (right, answer):
        return float(right == answer)
    ours, theirs = right.split(), answer.split()
    shared = (Counter(ours) & Counter(theirs)).total()
    if not shared:
        return 0.0
    precision, recall = shared / len(theirs), shared / len(ours)
    return 2 * precision * recall / (precision + recall)


def normalised(answer: str) -> str:
    """An answer as SQuAD's evaluation compares it.

    Examples
    --------
    >>> normalised("The Middle  Rhine."), normalised("the")
    ('middle rhine', '(none)')
    """
    if answer == NO_LABEL:
        return answer
    plain = _ARTICLES.sub(" ", answer.lower().translate(_PUNCTUATION))
    return " ".join(plain.split()) or NO_LABEL


# A label per item: CSV, TSV, JSON lines or Parquet with an item column, an answer column, and perhaps the right answers.
#
# Columns are recognised by their usual names. Names such as `label` and `answer` can mean both: next to a column of
# predictions they hold the right answers. All other columns are kept, to split by or to show. One table may hold the
# answers of several systems: a column for each beside the right answers, or a row per item and system (`read_label_table`).


Role = Literal["system", "gold", "either"]
# A column with more values than this is a text to show, not a way to split the items.
MAX_SLICES = 50
_SHAPES = "Give columns id, gold and one for each system; or id, system, prediction and gold."
_RENAME = "Rename the others, or take them out."


class LabelOptions(TypedDict, total=False):
    """How to read a table of labels.

    Parameters
    ----------
    role
        ``"system"``, the default, reads a system's answers, with the right ones if the file has them.
        ``"gold"`` reads the right answers as the file's answers. ``"either"`` is ``"system"``, or ``"gold"``
        if the file has right answers only.
    item, answer, gold, cluster
        Columns. Those left out are recognised by their usual names, except `cluster`.
    slices
        Columns to split by; by default all other columns with few values.
    """

    role: Role
    item: str | None
    answer: str | None
    gold: str | None
    cluster: str | None
    slices: Sequence[str]


def items_of(source: Source, name: str | None = None, **options: Unpack[LabelOptions]) -> Items:
    """The items of an open table.

    Answers that are empty, null or not a number are a class of their own, ``(none)``. Without an item column,
    items are numbered, which is enough as long as no other file has to be matched.
    """
    if isinstance(listed := source.document, list) and not any(isinstance(value, dict) for value in listed):
        name_of = "gold" if options.get("role") == "gold" else "prediction"
        raise OutscoreError(
            f"{source.label} is a JSON list of {len(listed):,} values without ids.",
            f'Write an object for each item, {{"id": ..., "{name_of}": ...}}.',
        )
    called = stem_of(source.path) if name is None else name
    if not any(options.get(part) for part in ("item", "answer", "gold", "cluster", "slices")):
        if are_label_lines(source):
            return label_lines(source, called, right=options.get("role") == "gold")
        answers = answers_by_id(source, called)
        if answers is not None:
            return answers
    _, records = open_table(source)
    return _items_of_table(source, records, called, options)


def looks_like_labels(peek: Peek) -> bool:
    """Whether this is a table of answers without a single column of scores."""
    if peek.is_parquet:
        return False
    is_json = jsonl.looks_like_json(peek)
    sample = jsonl.sample(peek) if is_json else delimited.sample(peek, delimited.separator_of(peek) or ",")
    numeric = [name for name, values in sample.items() if looks_numeric(values)]
    return any(map(holds_answers, sample)) and not any(is_score(name) or not is_known(name) for name in numeric)


def _find_parts(records: Records, options: LabelOptions) -> dict[str, str]:
    """Decide which column plays which part; if that is not clear, raise an error that lists the candidates."""
    item, cluster = options.get("item"), options.get("cluster")
    named = [name for name in (item, options.get("answer"), options.get("gold"), cluster) if name is not None]
    named += options.get("slices", ())
    for column in named:
        if column not in records.columns:
            raise OutscoreError(f"{records.label} has no column `{column}`.", suggest_name(column, records.columns))
    finder = ColumnFinder(records, named, lists=True)
    answer, gold = _find_answers(records, finder, options)
    parts = {"item": item or _take(finder, "item", USUAL["item"]), "answer": answer, "gold": gold, "cluster": cluster}
    return {part: column for part, column in parts.items() if column is not None}


def _find_answers(records: Records, finder: ColumnFinder, options: LabelOptions) -> tuple[str, str | None]:
    """The column of the file's answers, and that of the right ones beside it."""
    answer, gold, role = options.get("answer"), options.get("gold"), options.get("role", "system")
    if role == "gold":
        answer, gold = answer or _take(finder, "answer", (*RIGHT, *EITHER, *BESIDE_PREDICTED)), None
    else:
        answer = answer or _take(finder, "answer", PREDICTED)
        # Next to a prediction, `label` holds the right answer; alone it is the answer.
        gold = gold or _take(finder, "gold", RIGHT if answer is None else right_names(answer))
        answer = answer or _take(finder, "answer", EITHER)
    if answer is None and role == "either":
        answer, gold = gold, None
    if answer is None:
        what, name = ("right answers", "gold") if role == "gold" else ("answers", "prediction")
        if len(records.columns) == 1:
            first = f"{records.label} has one column, and its first line, {join_names(records.columns)},"
            cure = f"Put a first line id,{name} above the data, and an id and a comma before each label."
            raise OutscoreError(f"{first} does not name a column of {what}.", cure)
        raise OutscoreError(
            f"{records.label} has no column of {what} among {join_names(records.columns)}.", f"Call it `{name}` in the header."
        )
    return answer, gold


def _take(finder: ColumnFinder, part: str, tiers: Tiers) -> str | None:
    return finder.take(part, tiers, "Rename the others, or take them out.")


def _read_columns(
    records: Records, parts: Mapping[str, str], needed: Sequence[str], role: Role
) -> tuple[dict[str, Labels], Array]:
    """All columns and lines; an answer may be missing unless it is the right one, and a list of right ones may be empty."""
    sets = [name for name in needed if is_list(records.sample[name])]
    must = {column for part, column in parts.items() if part != "answer" or (role == "gold" and column not in sets)}
    columns = {name: LabelColumn(records, name, optional=name not in must) for name in needed}
    lines: list[Array] = []
    for block in records.blocks(needed):
        lines.append(block.lines)
        for name, column in columns.items():
            values = block.columns[name]
            column.add([_set_text(value) for value in values] if name in sets else values, block.lines)
    if not lines:
        records.refuse_empty()
    return {name: column.labels() for name, column in columns.items()}, np.concatenate(lines)


def _set_text(value: object) -> object:
    """A list of labels as one label, whatever their order; anything else as it is."""
    if _is_squad(value):
        return accepted_answers(listed(value) or ())
    values = listed(value)
    return value if values is None else SET_SEPARATOR.join(sorted({text for x in values if (text := label_text(x))}))


def _is_squad(value: object) -> bool:
    """Whether these are the answers to a question with their places in its context."""
    return isinstance(value, Mapping) and "answer_start" in value and listed(value) is not None


def _items_of_table(source: Source, records: Records, name: str, options: LabelOptions) -> Items:
    parts, slices = _find_parts(records, options), tuple(options.get("slices", ()))
    flat = [column for column in records.columns if column and not is_nested(records.sample[column])]
    others = [column for column in flat if column not in (*parts.values(), *slices)]
    needed = list(dict.fromkeys([*parts.values(), *slices, *others]))
    records.refuse_repeated(needed)
    columns, lines = _read_columns(records, parts, needed, options.get("role", "system"))
    rows, answers = len(lines), records.sample[parts["answer"]]
    by_words = _is_squad(next((value for value in answers if value is not None), None))
    used = {part: (column,) for part, column in parts.items()}
    labels = {part: columns[column] for part, column in parts.items()}
    split = {column: columns[column] for column in slices or _find_slices(columns, others, rows)}
    return Items(
        name=name,
        ids=labels["item"] if "item" in labels else Labels(np.arange(rows), tuple(map(str, range(1, rows + 1)))),
        answers=labels["answer"],
        gold=labels.get("gold"),
        clusters=labels.get("cluster"),
        slices=split,
        texts={column: columns[column] for column in others if column not in split},
        origin=Origin(source.path, source.sha256(), rows, SQUAD if by_words else "labels", used, records.unit),
        lines=lines,
        are_sets=is_list(answers),
    )


def _find_slices(columns: Mapping[str, Labels], others: Sequence[str], rows: int) -> Iterator[str]:
    """Columns with a usual name of slices, or with few values."""
    for name in others:
        if normalize_name(name) in SLICES or len(columns[name].names) <= min(MAX_SLICES, rows // 2):
            yield name


def read_label_table(path: str | os.PathLike[str]) -> OutputData[Items]:
    r"""The right answers and the answers of all systems in one table.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "answers.csv")
    ...     _ = path.write_text("id,gold,old,new\nq1,yes,no,yes\nq2,no,no,no\n")
    ...     table = read_label_table(path)
    >>> list(table.systems), table.systems["new"].answers.names
    (['old', 'new'], ('yes', 'no'))
    """
    with reading_once():
        columns, system, label = _find_columns(path)
        if system is None:
            return _wide(path, label, columns)
        return _long(path, label, columns, system)


def _find_columns(path: str | os.PathLike[str]) -> tuple[Answers, str | None, str]:
    """The columns of the right answers and of the systems' answers, and of the systems; and what messages call the file."""
    with open_source(path) as source:
        records = open_table(source)[1]
    finder = ColumnFinder(records, ())
    system = finder.find("system", USUAL["system"], _RENAME)
    prediction = finder.find("prediction", PREDICTED, _RENAME)
    gold = finder.find("gold", (*RIGHT, *EITHER, *BESIDE_PREDICTED), _RENAME)
    pairs = paired_answers(finder.free()) if gold is None else []
    if pairs:
        right, answers = zip(*pairs, strict=True)
        return Answers(right[0], answers, wide=True, twins=right[1:]), None, records.label
    if gold is None:
        raise OutscoreError(f"{records.label} has no column of right answers among {join_names(records.columns)}.", _SHAPES)
    if system is not None and prediction is not None:
        return Answers(gold, (prediction,), wide=False), system, records.label
    answers = answer_columns(records, finder, gold) or (() if prediction is None else (prediction,))
    if not answers:
        others = [name for name in records.columns if name != gold]
        raise OutscoreError(
            f"{records.label} has no column with answers like those of `{gold}` among {join_names(others)}.", _SHAPES
        )
    return Answers(gold, answers, wide=True), None, records.label


def _wide(path: str | os.PathLike[str], label: str, columns: Answers) -> OutputData[Items]:
    def read(name: str, column: str, role: Role) -> Items:
        with open_source(path) as source:
            items = items_of(source, name, role=role, answer=column)
        return _without(replace(items, gold=None), (columns.gold, *columns.answers, *columns.twins))

    gold = read("gold", columns.gold, "gold")
    for twin in columns.twins:
        other = read("gold", twin, "gold")
        row = next((row for row in range(gold.rows) if gold.answers[row] != other.answers[row]), None)
        if row is not None:
            found = f"found `{other.answers[row]}` in `{twin}` beside `{gold.answers[row]}` in `{columns.gold}`"
            cure = "Give every item the same one in all columns."
            raise OutscoreError(f"{gold.place(row)}: {found}, expected one right answer.", cure)
    systems = {name: read(name, name, "system") for name in columns.answers}
    what = "is a system's answers" if len(systems) == 1 else "are the systems' answers"
    said = f"{label}: `{columns.gold}` holds the right answers, {join_names(columns.answers)} {what}."
    return OutputData(gold, systems, (said,))


def _long(path: str | os.PathLike[str], label: str, columns: Answers, system: str) -> OutputData[Items]:
    with open_source(path) as source:
        everything = items_of(source, role="system", answer=columns.answers[0], gold=columns.gold, slices=(system,))
    labels = everything.slices[system]
    items = _without(everything, (system,))
    systems = {
        name: replace(items.take(np.flatnonzero(labels.codes == code)), name=name) for code, name in enumerate(labels.names)
    }
    parts = f"`{columns.answers[0]}` the answers of the {len(systems)} systems in `{system}`"
    said = f"{label}: `{columns.gold}` holds the right answers, {parts}."
    return OutputData(_right_answers(items), systems, (said,))


def _right_answers(items: Items) -> Items:
    """The right answers of a table that repeats an item for each system, once for each item."""
    assert items.gold is not None
    first = _first_rows(items.ids)
    differ = np.flatnonzero(items.gold.codes != items.gold.codes[first[items.ids.codes]])
    if len(differ):
        row = int(differ[0])
        raise OutscoreError(
            f"{items.place(row)}: the right answer to `{items.ids[row]}` is `{items.gold[row]}`, but earlier it was "
            f"`{items.gold[int(first[items.ids.codes[row]])]}`.",
            "Give an item the same right answer in every row.",
        )
    gold = items.take(first)
    assert gold.gold is not None
    return replace(gold, name="gold", answers=gold.gold, gold=None)


def _first_rows(ids: Labels) -> Array:
    return np.unique(ids.codes, return_index=True)[1]


def _without(items: Items, columns: Iterable[str]) -> Items:
    """The items without columns that are not texts: answers of other systems, or the systems' names."""
    left = set(columns)
    return replace(
        items,
        slices={name: labels for name, labels in items.slices.items() if name not in left},
        texts={name: labels for name, labels in items.texts.items() if name not in left},
    )
