"""lm-evaluation-harness: `samples_<task>_<time>.jsonl` with a line per document and filter, beside `results_<time>.json`.

Names of the scores stand in `metrics` of every line, their values at its top level. A corpus metric (BLEU, chrF, TER) has a
pair of texts there instead of a number. The name of the model, the direction and the totals stand in the results only.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec

from outscore.core.errors import OutscoreError
from outscore.core.records import dataclass
from outscore.formats.base.pipes import is_nameless
from outscore.formats.base.source import shorten
from outscore.formats.logs.base.document import Document, Places, decode, field_of, json_lines, number_of, open_document
from outscore.formats.logs.base.entry import LogPeek, folder_name, path_beside, task_by_name
from outscore.formats.logs.base.evaluation import Evaluation, Exchange, Row, State
from outscore.scores.system import label_of

NAME = "lm-eval"
_FILE = re.compile(r"samples_(?P<task>.+)_(?P<time>\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(?:\.\d+)?)\.jsonl")
_PACKED = re.compile(r"\.(gz|bz2|xz|zst)$")
_MAX_LABEL = 64


class _Line(msgspec.Struct):
    doc_id: int | str
    metrics: list[str] = []
    filter: str = "none"
    doc_hash: str | None = None
    target_hash: str | None = None


class _Results(msgspec.Struct):
    results: dict[str, dict[str, Any]] = {}
    higher_is_better: dict[str, dict[str, bool | None] | None] = {}
    versions: dict[str, Any] = {}
    config: dict[str, Any] = {}
    n_shot: dict[str, Any] = msgspec.field(default={}, name="n-shot")
    model_name: str | None = None


def looks_like_samples(peek: LogPeek) -> bool:
    """Whether the first line is that of a document with its metrics, or the name is that of samples."""
    return {"doc_id", "metrics"} <= peek.first_line.keys() or _FILE.fullmatch(_PACKED.sub("", peek.name)) is not None


class _Table:
    """The rows of one filter, where their lines are, and the scores of the whole corpus."""

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self.places = Places()
        self.corpus: set[str] = set()


def read_samples(path: str) -> list[Evaluation]:
    """The evaluations of a file of samples, one for each filter."""
    task, results = _beside(path)
    with open_document(path) as document:
        shape: _Shape | None = None
        tables: dict[str, _Table] = {}
        for line in json_lines(document):
            if shape is None:
                shape = _shape_of(decode(line.data, _First, path, line.number), path, line.number)
            record = decode(line.data, shape.kind, path, line.number)
            if not shape.names.issuperset(record.metrics):
                # A document may be scored by more than those before it.
                shape = shape.with_scores(record.metrics, path, line.number)
                record = decode(line.data, shape.kind, path, line.number)
            table = tables.get(record.filter)
            if table is None:
                table = tables[record.filter] = _Table()
            table.rows.append(_row(record, shape, table.corpus, line.number))
            table.places.add(line)
        if not tables:
            raise OutscoreError(f"{document.label} is empty.", "Run the harness with --log_samples.", file=path)
        return [_evaluation(document, task, name, table, results) for name, table in tables.items()]


def _beside(path: str) -> tuple[str, _Results]:
    """The task by the name of the file, and the results that were written with it."""
    name = _PACKED.sub("", Path(path).name)
    match = _FILE.fullmatch(name)
    if match is None:
        return task_by_name(path, name.removesuffix(".jsonl").removeprefix("samples_")), _Results()
    for written in (f"results_{match['time']}.json", f"results_{match['time']}.json.gz"):
        beside = path_beside(path, written)
        if beside is not None:
            with open_document(beside) as document:
                return match["task"], decode(document.data, _Results, str(beside))
    return match["task"], _Results()


class _First(msgspec.Struct):
    metrics: list[str] = []
    doc: Any = None


@dataclass(frozen=True)
class _Shape:
    """The fields to decode: those of every task, the scores that this one names, and short values inside the document."""

    scores: tuple[str, ...]
    groups: tuple[str, ...]

    @cached_property
    def names(self) -> frozenset[str]:
        return frozenset(self.scores)

    @cached_property
    def fields(self) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
        """Of scores and of groups, what each is called and the field that holds it."""
        return (
            [(name, f"score_{index}") for index, name in enumerate(self.scores)],
            [(name, f"f{index}") for index, name in enumerate(self.groups)],
        )

    @cached_property
    def kind(self) -> type[Any]:
        keys = enumerate(self.groups)
        doc = msgspec.defstruct("Doc", [(f"f{i}", Any, msgspec.field(default=None, name=key)) for i, key in keys])
        fields = [(f"score_{i}", Any, msgspec.field(default=None, name=name)) for i, name in enumerate(self.scores)]
        inside: tuple[str, Any, Any] = ("doc", msgspec.Raw, msgspec.field(default=msgspec.Raw(b"null")))
        if self.groups:
            inside = ("doc", doc | None, msgspec.field(default=None))
        return msgspec.defstruct("SampleLine", [*fields, inside], bases=(_Line,))

    def with_scores(self, names: Iterable[str], path: str, line: int) -> _Shape:
        """The same with more scores."""
        measures = tuple(dict.fromkeys([*self.scores, *names]))
        for name in measures:
            if not _is_plain(name) or name in _Line.__struct_fields__ or name == "doc":
                raise OutscoreError(
                    f"{label_of(path)}, line {line} names a score `{shorten(name)}`, which is not a valid name.",
                    "Run the evaluation again.",
                    file=path,
                    line=line,
                )
        return _Shape(measures, self.groups)


def _shape_of(first: _First, path: str, line: int) -> _Shape:
    inside = first.doc.items() if isinstance(first.doc, dict) else ()
    groups = tuple(key for key, value in inside if _is_label(value) and _is_plain(key))
    return _Shape((), groups).with_scores(first.metrics, path, line)


def _is_plain(name: str) -> bool:
    """Whether a field can be called so: JSON would have to escape anything else."""
    return name.isprintable() and not {'"', "\\"} & set(name)


def _is_label(value: object) -> bool:
    return isinstance(value, (int, bool)) or (isinstance(value, str) and 0 < len(value) <= _MAX_LABEL)


def _row(record: Any, shape: _Shape, corpus: set[str], line: int) -> Row:  # noqa: ANN401 - a line of the shape
    of_scores, of_groups = shape.fields
    scores = {}
    for name, field in of_scores:
        value = getattr(record, field)
        if isinstance(value, list):
            corpus.add(name)
        scores[name] = number_of(value)
    groups = {}
    if of_groups and record.doc is not None:
        for name, field in of_groups:
            value = getattr(record.doc, field)
            if _is_label(value):
                groups[name] = str(value)
    content = None if record.doc_hash is None else f"{record.doc_hash}{record.target_hash or ''}"
    state: State = "unscored" if all(map(math.isnan, scores.values())) and not corpus else "scored"
    return Row(str(record.doc_id), scores, state, content=content, groups=groups, line=line)


def _evaluation(document: Document, task: str, filtered: str, table: _Table, results: _Results) -> Evaluation:
    places = table.places
    values = results.results.get(task, {})
    ending = f",{filtered}"
    totals = {key.removesuffix(ending): number_of(value) for key, value in values.items() if key.endswith(ending)}
    directions = results.higher_is_better.get(task) or {}
    conditions = {
        "few-shot examples": results.n_shot.get(task),
        "limit": results.config.get("limit"),
        "version": results.versions.get(task),
    }
    notes: tuple[str, ...] = ()
    if not results.model_name:
        after = "its place" if is_nameless(document.path) else "the folder"
        notes = (f"{document.label} has no results beside it that name the model: the model is named after {after}.",)
    return Evaluation.of(
        table.rows,
        harness=NAME,
        system=results.model_name or folder_name(document.path),
        task=task,
        filter=None if filtered == "none" else filtered,
        origin=document.origin(NAME, len(table.rows), item="doc_id"),
        directions=directions,
        totals=totals,
        corpus=table.corpus,
        conditions={name: str(value) for name, value in conditions.items() if value is not None},
        notes=notes,
        exchanges=lambda wanted: [_exchange(record) for record in places.read(document.path, wanted, dict)],
        texts=lambda measure: _texts(document.path, places, measure),
    )


def _texts(path: str, places: Places, measure: str) -> list[tuple[str, str]]:
    """The reference and the output that a corpus metric has in place of a score, of all lines."""
    kind = msgspec.defstruct("Pair", [("pair", Any, msgspec.field(default=None, name=measure))])
    logged = [line.pair for line in places.read(path, range(len(places.starts)), kind)]  # type: ignore[attr-defined]
    pairs = []
    for row, pair in enumerate(logged, 1):
        if not isinstance(pair, list) or len(pair) != 2 or not isinstance(pair[1], str):
            raise OutscoreError(
                f"`{path}`, row {row}: `{measure}` is not a pair of a reference and an output.",
                "Compare the texts themselves.",
                file=path,
            )
        reference = pair[0][0] if isinstance(pair[0], list) and pair[0] else pair[0]
        pairs.append((str(reference), pair[1]))
    return pairs


def _exchange(record: Mapping[str, Any]) -> Exchange:
    question = field_of(record, "arguments", "gen_args_0", "arg_0")
    answers, target = record.get("filtered_resps"), record.get("target")
    choices = _choices(record, answers)
    if choices is not None:
        return Exchange(_text(question), _chosen(choices, target), choices[_likeliest(answers)])  # type: ignore[arg-type]
    answer = answers[0] if isinstance(answers, list) and answers else None
    text = answer if isinstance(answer, str) else None
    return Exchange(_text(question), None if target is None else str(target), text)


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _choices(record: Mapping[str, Any], answers: object) -> list[str] | None:
    """What a multiple-choice question offers, where the answer is a likelihood for each; None for other questions."""
    if not isinstance(answers, list) or len(answers) < 2 or not all(_likelihood(one) is not None for one in answers):
        return None
    offered = field_of(record, "doc", "choices")
    if isinstance(offered, list) and len(offered) == len(answers) and all(isinstance(one, str) for one in offered):
        return offered
    choices = [field_of(record, "arguments", f"gen_args_{index}", "arg_1") for index in range(len(answers))]
    if all(isinstance(one, str) for one in choices) and len(set(choices)) == len(choices):
        return [one.strip() for one in choices]
    return [str(index) for index in range(len(answers))]


def _likelihood(answer: object) -> float | None:
    """The log-likelihood of a choice, which comes before whether the choice is the likeliest text."""
    if not isinstance(answer, list) or len(answer) != 2:
        return None
    try:
        return float(answer[0])
    except (TypeError, ValueError, OverflowError):
        return None


def _likeliest(answers: Sequence[object]) -> int:
    likelihoods = [_likelihood(one) for one in answers]
    return max(range(len(likelihoods)), key=lambda index: likelihoods[index])  # type: ignore[arg-type,return-value] # all are numbers


def _chosen(choices: Sequence[str], target: object) -> str | None:
    """The right choice, where the target is its number, or the target itself."""
    if isinstance(target, (int, str)) and str(target).isdecimal() and int(target) < len(choices):
        return choices[int(target)]
    return None if target is None else str(target)
