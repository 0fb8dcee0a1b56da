"""lm-evaluation-harness: `samples_<task>_<time>.jsonl` with a line per document and filter, beside `results_<time>.json`.

Names of the scores stand in `metrics` of every line, their values at its top level. A corpus metric (BLEU, chrF, TER) has a
pair of texts there instead of a number. The name of the model, the direction and the totals stand in the results only.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from outscore.core.errors import OutscoreError
from outscore.formats.logs.document import Document, decode, field_of, json_lines, open_document
from outscore.formats.logs.entry import LogPeek
from outscore.formats.logs.evaluation import Evaluation, Exchange, Row

__all__ = ["NAME", "looks_like_samples", "read_samples"]

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
    higher_is_better: dict[str, dict[str, Any]] = {}
    versions: dict[str, Any] = {}
    config: dict[str, Any] = {}
    n_shot: dict[str, Any] = msgspec.field(default={}, name="n-shot")
    model_name: str | None = None


def looks_like_samples(peek: LogPeek) -> bool:
    """Whether the first line is that of a document with its metrics."""
    return {"doc_id", "metrics"} <= peek.first_line.keys() or (
        _FILE.fullmatch(_PACKED.sub("", peek.name)) is not None and peek.has_keys("doc_id")
    )


def read_samples(path: str) -> list[Evaluation]:
    """The evaluations of a file of samples, one for each filter."""
    task, results = _beside(path)
    with open_document(path) as document:
        first = next(json_lines(document), None)
        if first is None:
            raise OutscoreError(f"{document.label} is empty.", "Run the harness with --log_samples.", file=path)
        shape = _line_shape(decode(first.data, dict, path, first.number))
        rows: dict[str, list[Row]] = {}
        starts: dict[str, list[tuple[int, int]]] = {}
        corpus: dict[str, set[str]] = {}
        for line in json_lines(document):
            record = decode(line.data, shape, path, line.number)
            rows.setdefault(record.filter, []).append(_row(record, corpus.setdefault(record.filter, set())))
            starts.setdefault(record.filter, []).append((line.start, len(line.data)))
        return [_evaluation(document, task, name, listed, results, corpus[name], starts[name]) for name, listed in rows.items()]


def _beside(path: str) -> tuple[str, _Results]:
    """The task by the name of the file, and the results that were written with it."""
    name = _PACKED.sub("", Path(path).name)
    match = _FILE.fullmatch(name)
    if match is None:
        return name.removesuffix(".jsonl").removeprefix("samples_"), _Results()
    for written in (f"results_{match['time']}.json", f"results_{match['time']}.json.gz"):
        beside = Path(path).parent / written
        if beside.is_file():
            with open_document(beside) as document:
                return match["task"], decode(document.data, _Results, str(beside))
    return match["task"], _Results()


def _line_shape(first: Mapping[str, Any]) -> type[Any]:
    """The fields to decode: those of every task, the scores that this one names, and short values inside the document."""
    names = [str(name) for name in first.get("metrics") or [] if str(name) not in _Line.__struct_fields__]
    inside = first.get("doc")
    short = [key for key, value in inside.items() if _is_label(value)] if isinstance(inside, dict) else []
    doc = msgspec.defstruct("Doc", [(f"f{i}", Any, msgspec.field(default=None, name=key)) for i, key in enumerate(short)])
    fields = [(f"score_{i}", Any, msgspec.field(default=None, name=name)) for i, name in enumerate(names)]
    return msgspec.defstruct(
        "SampleLine",
        [
            *fields,
            ("doc", doc | None if short else msgspec.Raw, msgspec.field(default=None if short else msgspec.Raw(b"null"))),
        ],
        bases=(_Line,),
        namespace={"measure_names": tuple(names), "group_names": tuple(short)},
    )


def _is_label(value: object) -> bool:
    return isinstance(value, (int, bool)) or (isinstance(value, str) and 0 < len(value) <= _MAX_LABEL)


def _row(record: Any, corpus: set[str]) -> Row:  # noqa: ANN401 - a line of the shape above
    scores = {}
    for index, name in enumerate(record.measure_names):
        value = getattr(record, f"score_{index}")
        if isinstance(value, list):
            corpus.add(name)
        scores[name] = float(value) if isinstance(value, (int, float)) else math.nan
    groups = {}
    if record.group_names and record.doc is not None:
        found = {name: getattr(record.doc, f"f{index}") for index, name in enumerate(record.group_names)}
        groups = {name: str(value) for name, value in found.items() if _is_label(value)}
    content = None if record.doc_hash is None else f"{record.doc_hash}{record.target_hash or ''}"
    state = "unscored" if all(map(math.isnan, scores.values())) and not corpus else "scored"
    return Row(str(record.doc_id), scores, state, content=content, groups=groups)  # type: ignore[arg-type]


def _evaluation(
    document: Document,
    task: str,
    filtered: str,
    rows: Iterable[Row],
    results: _Results,
    corpus: set[str],
    places: Sequence[tuple[int, int]],
) -> Evaluation:
    listed = list(rows)
    values = results.results.get(task, {})
    totals = {name: values.get(f"{name},{filtered}") for name in listed[0].scores}
    directions = results.higher_is_better.get(task, {})
    conditions = {
        "few-shot examples": results.n_shot.get(task),
        "limit": results.config.get("limit"),
        "version": results.versions.get(task),
    }
    notes = (
        ()
        if results.model_name
        else (f"{document.label} has no results file beside it: the system is called after its folder.",)
    )
    return Evaluation.of(
        listed,
        harness=NAME,
        system=results.model_name or Path(document.path).resolve().parent.name,
        task=task,
        filter=None if filtered == "none" else filtered,
        origin=document.origin(NAME, len(listed), item="doc_id"),
        directions={name: bool(directions[name]) for name in directions if directions[name] is not None},
        totals={name: float(value) for name, value in totals.items() if isinstance(value, (int, float))},
        corpus=corpus,
        conditions={name: str(value) for name, value in conditions.items() if value is not None},
        notes=notes,
        exchanges=lambda wanted: _exchanges(document.path, [places[row] for row in wanted]),
        texts=lambda measure: _texts(document.path, places, measure),
    )


def _texts(path: str, places: Sequence[tuple[int, int]], measure: str) -> list[tuple[str, str]]:
    """The reference and the output that a corpus metric has in place of a score, of all lines."""
    with open_document(path) as document:
        found = [decode(bytes(document.data[start : start + size]), dict, path).get(measure) for start, size in places]
    pairs = []
    for row, pair in enumerate(found, 1):
        if not isinstance(pair, list) or len(pair) != 2 or not isinstance(pair[1], str):
            raise OutscoreError(
                f"`{path}`, row {row}: `{measure}` is not a reference and an output.", "Compare the texts themselves."
            )
        reference = pair[0][0] if isinstance(pair[0], list) and pair[0] else pair[0]
        pairs.append((str(reference), pair[1]))
    return pairs


def _exchanges(path: str, places: Sequence[tuple[int, int]]) -> list[Exchange]:
    """Question, target and first answer of some lines, read again."""
    with open_document(path) as document:
        return [_exchange(decode(bytes(document.data[start : start + size]), dict, path)) for start, size in places]


def _exchange(record: Mapping[str, Any]) -> Exchange:
    arguments = field_of(record, "arguments", "gen_args_0", "arg_0")
    answers = record.get("filtered_resps") or []
    answer = answers[0] if answers else None
    # The answer to a multiple-choice question is a list of likelihoods, which nobody reads.
    said = answer if isinstance(answer, str) else None
    target = record.get("target")
    return Exchange(arguments if isinstance(arguments, str) else None, None if target is None else str(target), said)
