"""Inspect: `.eval` archives, whose summaries hold every score without the texts, and the same log as one JSON document.

Members of an archive are compressed with zstd (method 93, which `zipfile` does not know), in as many frames as the writer
began. A run that was killed has no header, only its journal: the plan it began with and the summaries it had flushed.
"""

from __future__ import annotations

import hashlib
import io
import math
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, BinaryIO

import msgspec

from outscore.core.errors import OutscoreError
from outscore.formats.base.source import explain_failures, label_of, open_bytes
from outscore.formats.logs.document import decode, field_of, open_document
from outscore.formats.logs.entry import LogPeek
from outscore.formats.logs.evaluation import Evaluation, Exchange, Row, State
from outscore.scores.system import Origin

__all__ = ["NAME", "looks_like_archive", "looks_like_json", "read_archive", "read_json"]

NAME = "inspect"
_ZSTD, _STORED, _DEFLATED = 93, zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED
_GRADES = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
_WORDS = {"yes": 1.0, "true": 1.0, "correct": 1.0, "no": 0.0, "false": 0.0, "incorrect": 0.0}
_MAX_LABEL = 64
# A summary is a few hundred bytes: what unpacks to more than this is no list of them.
_MAX_MEMBER = 1 << 32
_BLOCK = 1 << 20


class _Score(msgspec.Struct):
    value: Any = None
    answer: str | None = None


class _Sample(msgspec.Struct):
    id: int | str
    epoch: int = 1
    input: Any = None
    target: Any = None
    metadata: dict[str, Any] = {}
    scores: dict[str, _Score] | None = None
    error: Any = None


class _Log(msgspec.Struct):
    eval: dict[str, Any]
    status: str = "started"
    results: dict[str, Any] | None = None
    samples: list[_Sample] | None = None


def looks_like_archive(peek: LogPeek) -> bool:
    """Whether the archive has the journal or the header of a log."""
    return "_journal/start.json" in peek.members or "header.json" in peek.members


def looks_like_json(peek: LogPeek) -> bool:
    """Whether the document begins as a log does."""
    return peek.is_object and peek.has_keys("eval", "task", "model") and (peek.has_keys("eval_id") or peek.has_keys("run_id"))


def read_archive(path: str) -> list[Evaluation]:
    """The evaluation of an archive, from its summaries."""
    with _open_archive(path) as (archive, raw):
        names = set(archive.namelist())
        plan = "header.json" if "header.json" in names else "_journal/start.json"
        log = decode(_member(archive, raw, plan, path), _Log, path)
        samples = _summaries(archive, raw, names, path)
        origin = Origin(path, _digest(raw), len(samples), NAME, {"item": "id"}, "row")
    return [_evaluation(log, samples, origin)]


def read_json(path: str) -> list[Evaluation]:
    """The evaluation of a log in one JSON document."""
    with open_document(path) as document:
        log = decode(document.data, _Log, path)
        if log.samples is None:
            raise OutscoreError(
                f"{document.label} is an Inspect log without its samples.",
                "Write it with its samples: `inspect log dump` keeps them.",
            )
        return [_evaluation(log, log.samples, document.origin(NAME, len(log.samples), item="id"))]


@contextmanager
def _open_archive(path: str) -> Iterator[tuple[zipfile.ZipFile, BinaryIO]]:
    """An archive and the bytes it lies in."""
    with explain_failures(path), open_bytes(path) as (stream, packed):
        raw: BinaryIO = io.BytesIO(stream.read()) if packed else stream
        try:
            with zipfile.ZipFile(raw) as archive:
                yield archive, raw
        except (zipfile.BadZipFile, zipfile.LargeZipFile, ValueError, NotImplementedError) as error:
            raise OutscoreError(
                f"{label_of(path)} is a damaged archive: {str(error).rstrip('.')}.", "Copy the log again.", file=path
            ) from None


def _digest(raw: BinaryIO) -> str:
    raw.seek(0)
    digest = hashlib.sha256()
    while block := raw.read(_BLOCK):
        digest.update(block)
    return digest.hexdigest()


def _member(archive: zipfile.ZipFile, raw: BinaryIO, name: str, path: str) -> bytes:
    """A member of an archive, unpacked; method 93 is read from its bytes, across all its frames."""
    info = archive.getinfo(name)
    if info.compress_type in (_STORED, _DEFLATED):
        return archive.read(info)
    if info.compress_type != _ZSTD:
        raise OutscoreError(
            f"{label_of(path)}: `{name}` is compressed by method {info.compress_type}.",
            "Write the log again with Inspect.",
            file=path,
        )
    import zstandard

    # The lengths in the local header decide where the data begin; the directory may hold others.
    raw.seek(info.header_offset)
    header = raw.read(30)
    start = info.header_offset + 30 + int.from_bytes(header[26:28], "little") + int.from_bytes(header[28:30], "little")
    raw.seek(start)
    packed = io.BytesIO(raw.read(info.compress_size))
    try:
        reader = zstandard.ZstdDecompressor().stream_reader(packed, read_across_frames=True)
        data = reader.read(min(info.file_size, _MAX_MEMBER) + 1)
    except zstandard.ZstdError as error:
        raise OutscoreError(f"{label_of(path)}: `{name}` is damaged ({error}).", "Copy the log again.", file=path) from None
    if len(data) != info.file_size:
        raise OutscoreError(
            f"{label_of(path)}: `{name}` has {len(data):,} bytes where its archive promises {info.file_size:,}.",
            "Copy the log again.",
            file=path,
        )
    return data


def _summaries(archive: zipfile.ZipFile, raw: BinaryIO, names: set[str], path: str) -> list[_Sample]:
    if "summaries.json" in names:
        return decode(_member(archive, raw, "summaries.json", path), list[_Sample], path)
    journal = sorted((name for name in names if name.startswith("_journal/summaries/")), key=lambda name: (len(name), name))
    return [sample for name in journal for sample in decode(_member(archive, raw, name, path), list[_Sample], path)]


def _evaluation(log: _Log, samples: Sequence[_Sample], origin: Origin) -> Evaluation:
    config = field_of(log.eval, "config") or {}
    epochs = config.get("epochs") or 1
    rows = [_row(sample, repeated=epochs > 1) for sample in samples]
    rows += _never_run(log, samples, epochs)
    return Evaluation.of(
        rows,
        harness=NAME,
        system=str(log.eval.get("model")),
        task=str(log.eval.get("task")),
        origin=origin,
        totals=_totals(log.results),
        conditions=_conditions(log.eval, config),
        repeat_column="epoch",
        notes=() if log.status == "success" else (f"{origin.label} is of a run with the status `{log.status}`.",),
        exchanges=lambda wanted: _exchanges(origin.path, wanted),
    )


def _row(sample: _Sample, *, repeated: bool) -> Row:
    scores: dict[str, float] = {}
    for scorer, score in (sample.scores or {}).items():
        if isinstance(score.value, Mapping):
            scores |= {f"{scorer}.{key}": _number(value) for key, value in score.value.items()}
        else:
            scores[scorer] = _number(score.value)
    state: State = "scored"
    if sample.error is not None:
        state = "errored"
    elif not scores or all(map(math.isnan, scores.values())):
        state = "unscored"
    question = msgspec.json.encode([sample.input, sample.target])
    groups = {key: str(value) for key, value in sample.metadata.items() if _is_label(value)}
    content = hashlib.sha256(question).hexdigest()
    return Row(str(sample.id), scores, state, str(sample.epoch) if repeated else None, content, groups)


def _number(value: object) -> float:
    """A score as a number: grades as Inspect counts them, words of right and wrong, NaN for what it did not score."""
    if isinstance(value, (bool, int, float)):
        return float(value)
    if isinstance(value, str):
        if value in _GRADES:
            return _GRADES[value]
        if value.lower() in _WORDS:
            return _WORDS[value.lower()]
        try:
            return float(value)
        except ValueError:
            return math.nan
    return math.nan


def _is_label(value: object) -> bool:
    return isinstance(value, (int, bool)) or (isinstance(value, str) and 0 < len(value) <= _MAX_LABEL)


def _never_run(log: _Log, samples: Sequence[_Sample], epochs: int) -> Iterable[Row]:
    """Rows of the plan that the log does not have, where it lists the items it was to run."""
    planned = field_of(log.eval, "dataset", "sample_ids")
    limit = field_of(log.eval, "config", "limit")
    if not isinstance(planned, list) or limit is not None:
        return
    done = {(str(sample.id), sample.epoch) for sample in samples}
    for item in map(str, planned):
        for epoch in range(1, epochs + 1):
            if (item, epoch) not in done:
                yield Row(item, {}, "not run", str(epoch) if epochs > 1 else None)


def _totals(results: Mapping[str, Any] | None) -> dict[str, float]:
    """What the log reports, by scorer, or by scorer and key where a score has several parts; averaged over epochs only."""
    totals = {}
    for score in (results or {}).get("scores") or []:
        metrics = score.get("metrics") or {}
        value = field_of(metrics, "accuracy", "value")
        if value is None:
            value = field_of(metrics, "mean", "value")
        if isinstance(value, (int, float)) and score.get("reducer") in (None, "mean"):
            name, scorer = str(score.get("name")), str(score.get("scorer"))
            totals[name if name == scorer else f"{scorer}.{name}"] = float(value)
            totals.setdefault(name, float(value))
    return totals


def _conditions(plan: Mapping[str, Any], config: Mapping[str, Any]) -> dict[str, str]:
    found = {
        "version": plan.get("task_version"),
        "arguments of the task": plan.get("task_args") or None,
        "limit": config.get("limit"),
        "scorers": [field_of(scorer, "name") for scorer in plan.get("scorers") or []] or None,
    }
    return {name: str(value) for name, value in found.items() if value is not None}


def _exchanges(path: str, wanted: Sequence[int]) -> list[Exchange]:
    """Questions and answers of some rows, read again; rows that were never run have none."""
    if zipfile.is_zipfile(path):
        with _open_archive(path) as (archive, raw):
            samples = _summaries(archive, raw, set(archive.namelist()), path)
    else:
        with open_document(path) as document:
            samples = decode(document.data, _Log, path).samples or []
    return [_exchange(samples[row]) if row < len(samples) else Exchange(None, None, None) for row in wanted]


def _exchange(sample: _Sample) -> Exchange:
    answers = [score.answer for score in (sample.scores or {}).values() if score.answer]
    question = sample.input if isinstance(sample.input, str) else None
    return Exchange(question, sample.target if isinstance(sample.target, str) else None, answers[0] if answers else None)
