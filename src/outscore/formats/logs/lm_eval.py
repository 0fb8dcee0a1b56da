"""lm-evaluation-harness: `samples_<task>_<time>.jsonl` with a line per document and filter, beside `results_<time>.json`.

Names of the scores stand in `metrics` of every line, their values at its top level. A corpus metric (BLEU, chrF, TER) has a
pair of texts there instead of a number. The name of the model, the direction and the totals stand in the results only.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec

from outscore.core.records import dataclass
from outscore.formats.base.pipes import is_nameless
from outscore.formats.base.source import shorten
from outscore.formats.json import Shape, field_of, number_of
from outscore.formats.logs.document import Document, Piece, is_label, text_of
from outscore.formats.logs.engine import LogFormat
from outscore.formats.logs.evaluation import Exchange, Row

_FILE = re.compile(r"samples_(?P<task>.+)_(?P<time>\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(?:\.\d+)?)\.jsonl")
_PACKED = re.compile(r"\.(gz|bz2|xz|zst)$")


class _Line(msgspec.Struct):
    doc_id: int | str
    metrics: list[str] = []
    filter: str = "none"
    doc_hash: str | None = None
    target_hash: str | None = None


_FIRST = Shape({"metrics": list[str] | None, "doc": Any | None})
_RESULTS = Shape(
    {
        "results": dict[str, dict[str, Any]] | None,
        "higher_is_better": dict[str, dict[str, bool | None] | None] | None,
        "versions": dict[str, Any] | None,
        "config.limit": Any | None,
        "n-shot": dict[str, Any] | None,
        "model_name": str | None,
    }
)


def _header(document: Document) -> dict[str, Any]:
    """The task by the name of the file, the results that were written with it, and what the lines so far have."""
    name = _PACKED.sub("", Path(document.path).name)
    match = _FILE.fullmatch(name)
    task = match["task"] if match else document.name_task(name.removesuffix(".jsonl").removeprefix("samples_"))
    written = None if match is None else document.beside(f"results_{match['time']}.json", _RESULTS)
    if match is not None and written is None:
        written = document.beside(f"results_{match['time']}.json.gz", _RESULTS)
    # By filter, the scores of the whole corpus.
    return {**(written or {}), "task": task, "fields": None, "corpus": defaultdict(set)}


@dataclass(frozen=True)
class _Fields:
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

    def with_scores(self, names: Iterable[str], document: Document, line: int | None) -> _Fields:
        """The same with more scores."""
        measures = tuple(dict.fromkeys([*self.scores, *names]))
        for name in measures:
            if not _is_plain(name) or name in _Line.__struct_fields__ or name == "doc":
                document.refuse(
                    f" names a score `{shorten(name)}`, which is not a valid name.", "Run the evaluation again.", line
                )
        return _Fields(measures, self.groups)


def _is_plain(name: str) -> bool:
    """Whether a field can be called so: JSON would have to escape anything else."""
    return name.isprintable() and not {'"', "\\"} & set(name)


def _row(document: Document, line: Piece) -> Row:
    header: dict[str, Any] = document.header
    fields: _Fields | None = header["fields"]
    if fields is None:
        first = document.decode(line, _FIRST)
        inside = first["doc"].items() if isinstance(first["doc"], dict) else ()
        labels = tuple(key for key, value in inside if is_label(value) and _is_plain(key))
        fields = header["fields"] = _Fields((), labels).with_scores(first["metrics"] or (), document, line.line)
    record = document.decode(line, fields.kind)
    if not fields.names.issuperset(record.metrics):
        # A document may be scored by more than those before it.
        fields = header["fields"] = fields.with_scores(record.metrics, document, line.line)
        record = document.decode(line, fields.kind)
    of_scores, of_groups = fields.fields
    corpus, scores = header["corpus"][record.filter], {}
    for name, attribute in of_scores:
        value = getattr(record, attribute)
        if isinstance(value, list):
            corpus.add(name)
        scores[name] = number_of(value)
    groups = {}
    if of_groups and record.doc is not None:
        groups = {name: str(value) for name, key in of_groups if is_label(value := getattr(record.doc, key))}
    content = None if record.doc_hash is None else f"{record.doc_hash}{record.target_hash or ''}"
    return Row(str(record.doc_id), scores, "scored" if corpus else None, None, content, groups, record.filter)


def _facts(document: Document, rows: Sequence[Row]) -> dict[str, Any]:
    header, task, filter_name = document.header, document.header["task"], str(rows[0].part)
    ending = f",{filter_name}"
    notes: tuple[str, ...] = ()
    if not header.get("model_name"):
        after = "its place" if is_nameless(document.path) else "the folder"
        notes = (f"{document.label} has no results beside it that name the model: the model is named after {after}.",)

    def of_task(name: str) -> Any:  # noqa: ANN401 - what the results say of each task
        return (header.get(name) or {}).get(task)

    reported = (of_task("results") or {}).items()
    return {
        "system": header.get("model_name") or document.folder,
        "task": task,
        "filter": None if filter_name == "none" else filter_name,
        "directions": of_task("higher_is_better"),
        "totals": {key.removesuffix(ending): number_of(value) for key, value in reported if key.endswith(ending)},
        "corpus": header["corpus"][filter_name],
        "conditions": {
            "few-shot examples": of_task("n-shot"),
            "limit": header.get("config.limit"),
            "version": of_task("versions"),
        },
        "notes": notes,
    }


def _pair(record: Mapping[str, Any], measure: str) -> tuple[str, str] | None:
    """The reference and the output that a corpus metric has in place of a score."""
    pair = record.get(measure)
    if not isinstance(pair, list) or len(pair) != 2 or not isinstance(pair[1], str):
        return None
    reference = pair[0][0] if isinstance(pair[0], list) and pair[0] else pair[0]
    return str(reference), pair[1]


def _exchange(record: Mapping[str, Any]) -> Exchange:
    question = text_of(field_of(record, "arguments.gen_args_0.arg_0"))
    answers, target = record.get("filtered_resps"), record.get("target")
    choices = _choices(record, answers)
    if choices is not None:
        return Exchange(question, _chosen(choices, target), choices[_likeliest(answers)])  # type: ignore[arg-type]
    answer = answers[0] if isinstance(answers, list) and answers else None
    return Exchange(question, None if target is None else str(target), text_of(answer))


def _choices(record: Mapping[str, Any], answers: object) -> list[str] | None:
    """What a multiple-choice question offers, where the answer is a likelihood for each; None for other questions."""
    if not isinstance(answers, list) or len(answers) < 2 or not all(_likelihood(one) is not None for one in answers):
        return None
    offered = field_of(record, "doc.choices")
    if isinstance(offered, list) and len(offered) == len(answers) and all(isinstance(one, str) for one in offered):
        return offered
    choices = [field_of(record, f"arguments.gen_args_{index}.arg_1") for index in range(len(answers))]
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


LM_EVAL = LogFormat(
    harness="lm-eval",
    recognise=lambda peek: (
        {"doc_id", "metrics"} <= peek.first_line.keys() or _FILE.fullmatch(_PACKED.sub("", peek.name)) is not None
    ),
    header=_header,
    row=_row,
    facts=_facts,
    columns={"item": "doc_id"},
    exchange=_exchange,
    pair=_pair,
    empty=("is empty", "Run the harness with --log_samples."),
    companions=("results_*.json",),
)
