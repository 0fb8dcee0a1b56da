"""What the page shows of files: what each of them is, and the items behind an answer with the texts beside them.

Both are read in a worker, since a file may be large, packed or broken.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from outscore.core.errors import OutscoreError
from outscore.core.records import count_of
from outscore.formats.base.source import open_source, unpacks_to_more
from outscore.formats.logs.choose import has_answers
from outscore.formats.logs.evaluation import Evaluation
from outscore.formats.logs.find import is_companion, read_logs, recognise
from outscore.formats.logs.registry import LogEntry
from outscore.formats.registry import diff_task
from outscore.formats.tables import parquet
from outscore.formats.tables.assemble import open_table
from outscore.formats.tables.cells import label_text, looks_numeric
from outscore.formats.tables.numbers import is_bare
from outscore.inference.describe.histograms import described
from outscore.scores.panel import Panel, panel_of
from outscore.scores.system import Origin, Scores, label_of
from outscore.web.form import SUFFIXES, names_in
from outscore.workflows.load import exchanges_of, load
from outscore.workflows.prefer.inputs import battles_of
from outscore.workflows.prepare import prepare
from outscore.workflows.requests.compare import CompareRequest, TextsRequest
from outscore.workflows.requests.prefer import PreferRequest
from outscore.workflows.requests.rank import ScoreRequest
from outscore.workflows.show.describe import MAX_SYSTEMS, FileDescription, describe, listed
from outscore.workflows.texts.labels import ONE
from outscore.workflows.texts.members import members_of
from outscore.workflows.texts.run import read_texts
from outscore.workflows.texts.statistics import Statistics, Texts

MOST_ITEMS, MOST_COLUMNS, LONGEST = 20_000, 12, 2_000
MOST_CHARACTERS = 6_000_000
"""All texts together: an answer is one line that a process sends to another."""
Beside = Mapping[tuple[str, str], Sequence[str]]
"""Texts by column and system ("" for both), one for each item."""


def items_of(command: str, written: Mapping[str, Any]) -> dict[str, Any]:
    """Items in the order of their files, with the scores `a` and `b`, None where there is none.

    `columns` name the texts of each and whose they are; `of` says which systems an item is about where that is not all of
    them, and `by` its two scores and what it adds to the difference for each metric of texts.
    """
    if command == "score":
        return _scored(ScoreRequest.from_written(written))
    if command == "prefer":
        return _battles(PreferRequest.from_written(written))
    if command == "texts":
        return _segments(TextsRequest.from_written(written))
    return _compared(CompareRequest.from_written(written))


def _compared(request: CompareRequest) -> dict[str, Any]:
    """The items of two systems in the order of the comparison."""
    systems = load(request)
    if systems.corpus:
        raise OutscoreError("These files have no single score for each item.", "The report counts what they hold.")
    prepared = prepare(replace(request, reduce="mean", equal_runs=False), systems)
    if prepared.systems.counts:
        raise OutscoreError("These files have no single score for each item.", "The report counts what they hold.")
    panel = panel_of(prepared.aligned, "mean")
    rows = panel.matched_rows()
    a, b = rows.a[:, 0] / rows.scale, rows.b[:, 0] / rows.scale
    ids = panel.items if rows.items is None or panel.items is None else [panel.items[i] for i in rows.items.tolist()]
    names = list(ids or (f"row {i + 1}" for i in range(len(a))))[:MOST_ITEMS]
    if systems.evaluations:
        texts = _exchanged(systems.evaluations, systems.names, names)
    else:
        texts = _beside(systems.scores, systems.names, names, by_name=panel.items is not None)
    return _listed(systems.names, names, texts, a.tolist(), b.tolist())


def _scored(request: ScoreRequest) -> dict[str, Any]:
    """The rows of one system with their scores and texts; of several, the scores of each as texts."""
    scores = load(request).scores
    if any(one.values.ndim > 1 for one in scores):
        raise OutscoreError("These files have no single score for each item.", "The report counts what they hold.")
    first = scores[0]
    names = [f"row {i + 1}" for i in range(first.rows)] if first.ids is None else list(first.ids.texts())
    if len(scores) > 1:
        by_name = [
            dict(zip(names if one.ids is None else one.ids.texts(), one.values.tolist(), strict=False)) for one in scores
        ]
        unique = list(dict.fromkeys(name for own in by_name for name in own))
        texts: dict[tuple[str, str], Sequence[str]] = {
            ("score", one.name): [f"{own[name]:g}" if name in own else "" for name in unique]
            for one, own in zip(scores, by_name, strict=True)
        }
        told = [_columns(one, unique, by_name=one.ids is not None) for one in scores]
        # An item may be missing in the first file.
        for column in dict.fromkeys(name for own in told for name in own):
            texts[column, ""] = [
                next(filter(None, cells), "") for cells in zip(*(own[column] for own in told if column in own), strict=True)
            ]
        of = [[one.name for one, own in zip(scores, by_name, strict=True) if name in own] for name in unique]
        return _listed([one.name for one in scores], unique, texts, of=of)
    beside = _columns(first, names[:MOST_ITEMS], by_name=first.ids is not None)
    runs = {} if first.repeats is None else {("repeat", ""): list(first.repeats.texts())}
    shown: Beside = runs | {(column, ""): cells for column, cells in beside.items()}
    return _listed([first.name], names, shown, first.values.astype(float).tolist())


def _battles(request: PreferRequest) -> dict[str, Any]:
    """Every battle with its two systems and who won it."""
    battles = battles_of(request, request.files)
    first, second = ([battles.systems[i] for i in side.tolist()] for side in (battles.first, battles.second))

    def winner(one: str, other: str, share: float) -> str:
        if math.isnan(share):
            return ""
        if share == 0.5:
            return "tie"
        return one if share > 0.5 else other

    pairs = list(zip(first, second, strict=True))
    shares = battles.share.tolist()
    texts: dict[tuple[str, str], Sequence[str]] = {
        ("systems", ""): [" and ".join(sorted(pair)) for pair in pairs],
        ("winner", ""): [winner(one, other, share) for (one, other), share in zip(pairs, shares, strict=True)],
    }
    if battles.shown is not None:
        known = zip(shares, battles.shown.tolist(), strict=True)
        texts["position", ""] = [winner("shown first", "shown second", share) if order else "" for share, order in known]
    for name, labels in (("judge", battles.judges), ("category", battles.categories)):
        if labels is not None:
            texts[name, ""] = list(labels.texts())
    return _listed(battles.systems, list(battles.prompts.texts()), texts, of=pairs)


def _segments(request: TextsRequest) -> dict[str, Any]:
    """Every segment with its references and both outputs."""
    texts = read_texts(request)
    columns: dict[tuple[str, str], Sequence[str]] = {} if texts.source is None else {("source", ""): list(texts.source)}
    columns |= _numbered("reference", "", texts.references)
    for name, runs in texts.systems.items():
        columns |= _numbered("output", name, runs)
    columns |= {(name, ""): list(map(str, labels)) for name, labels in _labelled(texts).items()}
    by = {} if request.unit_size > 1 else _by_metric(request, texts)
    return _listed(texts.names, [f"segment {i + 1}" for i in range(len(texts.references[0]))], columns, by=by)


def _labelled(texts: Texts) -> dict[str, Sequence[object]]:
    """The labels by which segments are told apart: documents, and the columns of buckets."""
    return {**({"document": texts.documents} if texts.documents else {}), **texts.buckets}


def _by_metric(request: TextsRequest, texts: Texts) -> dict[str, list[list[float]]]:
    """What the pictures of each metric count of every segment; segments of one document count as one."""
    texts = replace(texts, datasets=ONE)
    members, _ = members_of(texts, request.metrics, request.scores, Statistics())
    found = {member.label: _counted(member.panels(texts)[0]) for member in members}
    return {label: values for label, values in found.items() if values}


def _counted(panel: Panel) -> list[list[float]]:
    values = described(panel.pair(0, 1), panel.metric)
    if values is None:
        return []
    rows = list(map(list, zip(*(column.tolist() for column in values), strict=True)))
    return rows if panel.clusters is None or len(rows) == len(panel.clusters) else [rows[i] for i in panel.clusters.tolist()]


def _numbered(name: str, system: str, several: Sequence[Sequence[str]]) -> dict[tuple[str, str], Sequence[str]]:
    """Texts by their name, with a number where there are several."""
    return {(f"{name} {i + 1}" if len(several) > 1 else name, system): list(lines) for i, lines in enumerate(several)}


def _listed(
    systems: Sequence[str],
    names: Sequence[str],
    texts: Beside,
    a: Sequence[float] | None = None,
    b: Sequence[float] | None = None,
    *,
    of: Sequence[Sequence[str]] = (),
    by: Mapping[str, Sequence[Sequence[float]]] | None = None,
) -> dict[str, Any]:
    """The answer: not more items, columns and letters than a page takes."""
    kept = dict(list(texts.items())[:MOST_COLUMNS])
    shown = names[:MOST_ITEMS]
    longest = min(LONGEST, MOST_CHARACTERS // max(1, len(shown) * len(kept)))
    return {
        "systems": list(systems),
        "total": len(names) if a is None else len(a),
        "columns": [{"name": name, "system": system} for name, system in kept],
        "items": [
            {"id": name, "a": a and a[i], "b": b and b[i], "texts": [_cut(column[i], longest) for column in kept.values()]}
            | ({"of": list(of[i])} if of else {})
            | ({"by": {metric: list(values[i]) for metric, values in by.items()}} if by else {})
            for i, name in enumerate(shown)
        ],
    }


def _cut(text: str, longest: int) -> str:
    readable = text.encode("utf-8", "replace").decode()
    return readable if len(readable) <= longest else readable[:longest] + "…"


def _exchanged(pair: Sequence[Evaluation], names: Sequence[str], items: Sequence[str]) -> Beside:
    """Question, right answer and both answers, from logs."""
    first, second = ([one.get(item) for item in items] for one in (exchanges_of(evaluation, items) for evaluation in pair))
    either = [one or other for one, other in zip(first, second, strict=True)]
    found = {
        ("question", ""): [(one and one.question) or "" for one in either],
        ("right answer", ""): [(one and one.target) or "" for one in either],
        ("answer", names[0]): [(one and one.answer) or "" for one in first],
        ("answer", names[1]): [(one and one.answer) or "" for one in second],
    }
    return {column: texts for column, texts in found.items() if any(texts)}


def _beside(pair: Sequence[Scores], names: Sequence[str], items: Sequence[str], *, by_name: bool) -> Beside:
    """Columns of text that play no part: of both systems where they are the same, and else of each."""
    columns = [_columns(one, items, by_name=by_name) for one in pair]
    found: dict[tuple[str, str], Sequence[str]] = {}
    for column in dict.fromkeys([*columns[0], *columns[1]]):
        of_a, of_b = (one.get(column) for one in columns)
        if of_a is None or of_b is None or of_a == of_b:
            found[column, "" if of_a == of_b else names[of_a is None]] = of_a or of_b or ()
        else:
            found |= {(column, names[0]): of_a, (column, names[1]): of_b}
    return found


def _columns(scores: Scores, items: Sequence[str], *, by_name: bool) -> dict[str, list[str]]:
    """The texts of one system's rows by column, in the order of the items; of several rows of one item, those of the first."""
    origin = scores.origin
    if origin is None or is_bare(origin) or (by_name and "item" not in origin.columns):
        return {}
    with open_source(origin.path) as source:
        records = open_table(source)[1]
        used = {column for columns in origin.columns.values() for column in columns}
        # These play a part, and are what a reader wants to see or to choose by.
        told = [column for part in ("gold", "answer", "slice", "dataset") for column in origin.columns.get(part, ())]
        free = [name for name, values in records.sample.items() if name and name not in used and not looks_numeric(values)]
        wanted = [*free, *told][:MOST_COLUMNS]
        if not wanted:
            return {}
        rows: dict[str, list[str]] = {}
        for block in records.blocks([*wanted, *_naming(origin)]):
            for i, key in enumerate(_keys(origin, block.columns, len(rows), len(block.lines), scores.name)):
                if key is not None:
                    rows.setdefault(key, [_text(block.columns[column][i]) for column in wanted])
    keys = items if by_name else [f"row {i + 1}" for i in range(len(items))]
    return {column: [rows[key][j] if key in rows else "" for key in keys] for j, column in enumerate(wanted)}


def _naming(origin: Origin) -> list[str]:
    return [*origin.columns.get("item", ()), *origin.columns.get("system", ())]


def _keys(origin: Origin, columns: Mapping[str, Sequence[object]], seen: int, rows: int, system: str) -> list[str | None]:
    """What the item of each row is called; None for rows of other systems."""
    named = origin.columns.get("item", ())
    keys: list[str | None] = [f"row {seen + i + 1}" for i in range(rows)]
    if len(named) == 1:
        keys = [label_text(value) for value in columns[named[0]]]
    for column in origin.columns.get("system", ()):
        keys = [key if label_text(value) == system else None for key, value in zip(keys, columns[column], strict=True)]
    return keys


def _text(value: object) -> str:
    return "" if value is None else str(value)


# A file: its format, first rows, the part each column plays, its systems, and its uses.


LOGGED = ["compare", "rank", "score", "gate"]


def inspect(path: Path, max_bytes: int) -> dict[str, Any]:
    r"""Describe a file; one that unpacks to more than `max_bytes` is refused before it is read.

    The path leads from the folder with all files that came with it to this one: a log may be explained by those beside it.

    Examples
    --------
    >>> import contextlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
    ...     _ = Path("runs.csv").write_text("question_id,new,old\nq1,1,0\nq2,1,1\n")
    ...     found = inspect(Path("runs.csv"), 1000)
    >>> found["format"], found["rows"], found["systems"], found["suits"]
    ('csv', 2, ['new', 'old'], ['compare', 'rank', 'plan', 'score', 'gate'])
    >>> [(column["name"], column["part"]) for column in found["columns"]]
    [('question_id', 'item'), ('new', 'scores'), ('old', 'scores')]
    """
    if unpacks_to_more(path, max_bytes) or parquet.holds_more(path, max_bytes):
        raise OutscoreError(
            f"{label_of(path.name)} contains more than {max_bytes >> 20:,} MB when unpacked, which is the limit of the page.",
            "Give the items and columns that are needed, or use the command line.",
        )
    try:
        description = _describe(path)
    except OutscoreError as error:
        description = FileDescription(None, problem=str(error))
    if description.format is not None:
        description = replace(description, task=diff_task(description.format, description.head))
    return {key: _clean(value) for key, value in asdict(description).items()}


def _describe(path: Path) -> FileDescription:
    if path.suffix.lower() in SUFFIXES:
        return FileDescription("settings", reading=f"settings ({', '.join(names_in(path))}), used for the files they come with")
    if (entry := recognise(path)) is not None:
        return _log(path, entry)
    if is_companion(path, "."):
        return FileDescription("companion", reading="belongs to the logs that it came with", companion=True)
    return describe(path)


def _log(path: Path, entry: LogEntry) -> FileDescription:
    """What a log holds, in one line."""
    logs = read_logs([path], entry.name)
    if any(one.system == Path.cwd().name for one in logs):
        # Loose files lie in a folder that only the page knows, whose name says nothing.
        raise OutscoreError(
            f"{label_of(path.name)} does not say which system it belongs to.",
            "Drop the folder that contains it, with the files beside it.",
        )

    def distinct(of: Callable[[Evaluation], Iterable[str]]) -> list[str]:
        return list(dict.fromkeys(name for one in logs for name in of(one)))

    systems, tasks = distinct(lambda one: [one.system]), distinct(lambda one: [one.task])
    scores, filters = distinct(lambda one: one.measures), distinct(lambda one: [one.filter] if one.filter else [])
    items = len({(one.task, item) for one in logs for item in one.ids.names})
    facts = [
        f"a log of {entry.title}",
        listed("system", systems),
        listed("task", tasks),
        listed("score", scores),
        *([listed("filter", filters)] if len(filters) > 1 else []),
        count_of(items, "item"),
    ]
    answered = any(map(has_answers, logs))
    return FileDescription(
        entry.name,
        sum(one.rows for one in logs),
        systems=systems[:MAX_SYSTEMS],
        suits=[*LOGGED, "diff"] if answered else LOGGED,
        whole=answered and len(systems) > 1,
        reading=", ".join(facts),
        tasks=tasks[:MAX_SYSTEMS],
        scores=scores[:MAX_SYSTEMS],
        filters=filters[:MAX_SYSTEMS],
    )


def _clean(value: Any) -> Any:  # noqa: ANN401 - what JSON can hold
    """The same with texts of a length that fits, and without bytes that are no text."""
    match value:
        case str():
            readable = value.encode("utf-8", "replace").decode()
            return readable if len(readable) <= LONGEST else readable[:LONGEST] + "…"
        case list() | tuple():
            return [_clean(one) for one in value]
        case dict():
            return {key: _clean(one) for key, one in value.items()}
        case _:
            return value
