"""Inspect: `.eval` archives, whose summaries hold every score without the texts, and the same log as one JSON document.

Members of an archive are compressed with zstd (method 93, which `zipfile` does not know), in as many frames as the writer
began. A run that was killed has no header, only its journal: the plan it began with and the summaries it had flushed.
"""

from __future__ import annotations

import hashlib
import io
import math
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from fnmatch import fnmatch
from functools import cached_property
from typing import Any, BinaryIO, NamedTuple

import msgspec

from outscore.core.errors import OutscoreError
from outscore.core.records import dataclass
from outscore.formats.base.source import explain_failures, open_bytes
from outscore.formats.logs.base.document import decode, number_of, open_document
from outscore.formats.logs.base.entry import LogPeek
from outscore.formats.logs.base.evaluation import Evaluation, Exchange, Row, State
from outscore.scores.system import Origin, label_of

NAME = "inspect"
_HEADER, _START = "header.json", "_journal/start.json"
_ZSTD, _STORED, _DEFLATED = 93, zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED
_GRADES = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
_WORDS = {"yes": 1.0, "true": 1.0, "correct": 1.0, "no": 0.0, "false": 0.0, "incorrect": 0.0}
_MAX_LABEL = 64
# A summary is a few hundred bytes: what unpacks to more than this is not a list of them.
_MAX_MEMBER = 1 << 32
_MAX_MISSING = 10_000_000


class _Score(msgspec.Struct):
    value: Any = None
    answer: Any = None


class _Sample(msgspec.Struct):
    id: int | str
    epoch: int = 1
    input: Any = None
    target: Any = None
    metadata: dict[str, Any] | None = None
    scores: dict[str, _Score] | None = None
    error: Any = None


class _Dataset(msgspec.Struct):
    sample_ids: list[int | str] | None = None


class _Config(msgspec.Struct):
    epochs: int | None = None
    limit: int | list[int] | None = None
    sample_id: str | int | list[str | int] | None = None
    sample_shuffle: Any = None


class _Scorer(msgspec.Struct):
    name: str | None = None


class _Plan(msgspec.Struct):
    model: str
    task: str
    task_version: int | str | None = None
    task_args: dict[str, Any] | None = None
    dataset: _Dataset | None = None
    config: _Config | None = None
    scorers: list[_Scorer] | None = None


class _Metric(msgspec.Struct):
    value: Any = None


class _Reported(msgspec.Struct):
    name: str
    scorer: str
    reducer: str | None = None
    metrics: dict[str, _Metric] = {}


class _Results(msgspec.Struct):
    scores: list[_Reported] = []


class _Log(msgspec.Struct):
    eval: _Plan
    status: str = "started"
    results: _Results | None = None
    samples: list[msgspec.Raw] | None = None


def looks_like_archive(peek: LogPeek) -> bool:
    """Whether the archive has the journal or the header of a log; what is damaged goes by its name."""
    if _START in peek.members or _HEADER in peek.members:
        return True
    return peek.name.endswith((".eval", ".eval.gz")) and not peek.members and peek.start[:2] in (b"PK", b"")


def looks_like_json(peek: LogPeek) -> bool:
    """Whether the document begins as a log does."""
    return peek.is_object and peek.has_keys("eval", "task", "model") and (peek.has_keys("eval_id") or peek.has_keys("run_id"))


def read_archive(path: str) -> list[Evaluation]:
    """The evaluation of an archive, from its summaries."""
    with _open_archive(path) as archive:
        plan = next((name for name in (_HEADER, _START) if name in archive.members), None)
        if plan is None:
            raise OutscoreError(
                f"{label_of(path)} has neither `{_HEADER}` nor `{_START}`, one of which every log of Inspect has.",
                "Name a log of Inspect, or copy it again.",
                file=path,
            )
        log = decode(archive.read(plan), _Log, path, inside=plan)
        samples = list(_samples_of(archive))
        origin = Origin(path, archive.digest(), len(samples), NAME, {"item": ("id",)}, "row")
    return [_evaluation(log, samples, origin)]


def read_json(path: str) -> list[Evaluation]:
    """The evaluation of a log in one JSON document."""
    with open_document(path) as document:
        log = decode(document.data, _Log, path)
        if log.samples is None:
            raise OutscoreError(
                f"{document.label} is an Inspect log without its samples.",
                "Write it with its samples: `inspect log dump` keeps them.",
                file=path,
            )
        samples = [_read(decode(raw, _Sample, path)) for raw in log.samples]
        log.samples = None
        return [_evaluation(log, samples, document.origin(NAME, len(samples), item="id"))]


@dataclass(frozen=True)
class _Archive:
    """An archive and the bytes it lies in."""

    path: str
    archive: zipfile.ZipFile
    raw: BinaryIO

    @cached_property
    def members(self) -> dict[str, zipfile.ZipInfo]:
        return {info.filename: info for info in self.archive.infolist()}

    def matching(self, pattern: str) -> list[str]:
        """The members of a folder, in the order of their numbers."""
        return sorted((name for name in self.members if fnmatch(name, pattern)), key=lambda name: (len(name), name))

    def read(self, name: str) -> bytes:
        """A member, unpacked; method 93 is read from its bytes, across all its frames."""
        info = self.members[name]
        if info.file_size > _MAX_MEMBER:
            raise OutscoreError(
                f"{label_of(self.path)}: `{name}` unpacks to {info.file_size:,} bytes, more than any log has.",
                "Copy the log again.",
                file=self.path,
            )
        if info.compress_type in (_STORED, _DEFLATED):
            return self.archive.read(info)
        if info.compress_type != _ZSTD:
            raise OutscoreError(
                f"{label_of(self.path)}: `{name}` is compressed by an unknown method ({info.compress_type}).",
                "Write the log again with Inspect.",
                file=self.path,
            )
        return self._unpacked(info)

    def _unpacked(self, info: zipfile.ZipInfo) -> bytes:
        import zstandard

        place = f"{label_of(self.path)}: `{info.filename}`"
        # The lengths in the local header decide where the data begin; the directory may hold others.
        self.raw.seek(info.header_offset)
        header = self.raw.read(30)
        start = info.header_offset + 30 + int.from_bytes(header[26:28], "little") + int.from_bytes(header[28:30], "little")
        self.raw.seek(start)
        packed = io.BytesIO(self.raw.read(info.compress_size))
        try:
            reader = zstandard.ZstdDecompressor().stream_reader(packed, read_across_frames=True)
            data = reader.read(info.file_size + 1)
        except zstandard.ZstdError as error:
            raise OutscoreError(f"{place} is damaged ({error}).", "Copy the log again.", file=self.path) from None
        if len(data) != info.file_size:
            raise OutscoreError(
                f"{place} has {len(data):,} bytes, but its archive promises {info.file_size:,}.",
                "Copy the log again.",
                file=self.path,
            )
        if zlib.crc32(data) != info.CRC:
            raise OutscoreError(f"{place} does not match its checksum.", "Copy the log again.", file=self.path)
        return data

    def digest(self) -> str:
        """The digest of the file."""
        self.raw.seek(0)
        return hashlib.file_digest(self.raw, "sha256").hexdigest()  # type: ignore[arg-type] # it has `readinto`


@contextmanager
def _open_archive(path: str) -> Iterator[_Archive]:
    with explain_failures(path), open_bytes(path) as (stream, packed):
        raw: BinaryIO = io.BytesIO(stream.read()) if packed else stream
        try:
            with zipfile.ZipFile(raw) as archive:
                yield _Archive(path, archive, raw)
        except OutscoreError:
            # It is a ValueError that has said already what is wrong, unlike those of the archive below.
            raise
        except (zipfile.BadZipFile, zipfile.LargeZipFile, ValueError, NotImplementedError, RuntimeError, zlib.error) as error:
            raise OutscoreError(
                f"{label_of(path)} is a damaged archive: {str(error).rstrip('.')}.", "Copy the log again.", file=path
            ) from None


def _summaries(archive: _Archive) -> Iterator[_Sample]:
    """The samples of an archive in its order: by their summaries, or one by one where these were lost."""
    names = ["summaries.json"] if "summaries.json" in archive.members else archive.matching("_journal/summaries/*.json")
    for name in names:
        for raw in decode(archive.read(name), list[msgspec.Raw], archive.path, inside=name):
            yield decode(raw, _Sample, archive.path, inside=name)
    if not names:
        for name in archive.matching("samples/*.json"):
            yield decode(archive.read(name), _Sample, archive.path, inside=name)


class _Read(NamedTuple):
    """What is kept of a sample."""

    item: str
    epoch: int
    row: Row


def _samples_of(archive: _Archive) -> Iterator[_Read]:
    return map(_read, _summaries(archive))


def _evaluation(log: _Log, samples: Sequence[_Read], origin: Origin) -> Evaluation:
    config = log.eval.config or _Config()
    epochs = max(config.epochs or 1, 1)
    repeated = epochs > 1 or any(sample.epoch != 1 for sample in samples)
    rows = [sample.row._replace(repeat=str(sample.epoch)) if repeated else sample.row for sample in samples]
    rows += _never_run(log.eval, samples, epochs, origin)
    return Evaluation.of(
        rows,
        harness=NAME,
        system=log.eval.model,
        task=log.eval.task,
        origin=origin,
        totals=_totals(log.results),
        conditions=_conditions(log.eval, config),
        repeat_column="epoch",
        notes=() if log.status == "success" else (f"{origin.label} is from a run with the status `{log.status}`.",),
        exchanges=lambda wanted: _exchanges(origin.path, wanted),
    )


def _read(sample: _Sample) -> _Read:
    scores: dict[str, float] = {}
    for scorer, score in (sample.scores or {}).items():
        if isinstance(score.value, Mapping):
            scores |= {f"{scorer}.{key}": _number(value) for key, value in score.value.items()}
        else:
            scores[scorer] = _number(score.value)
    state: State = "scored"
    if sample.error is not None:
        state = "errored"
    elif all(map(math.isnan, scores.values())):
        state = "unscored"
    question = msgspec.json.encode([sample.input, sample.target])
    groups = {key: str(value) for key, value in (sample.metadata or {}).items() if _is_label(value)}
    row = Row(str(sample.id), scores, state, None, hashlib.sha256(question).hexdigest(), groups)
    return _Read(row.item, sample.epoch, row)


def _number(value: object) -> float:
    """A score as a number: grades as Inspect counts them, words of right and wrong, NaN for what it did not score."""
    if isinstance(value, str):
        if value in _GRADES:
            return _GRADES[value]
        if value.lower() in _WORDS:
            return _WORDS[value.lower()]
        try:
            return float(value)
        except ValueError:
            return math.nan
    return number_of(value)


def _is_label(value: object) -> bool:
    return isinstance(value, (int, bool)) or (isinstance(value, str) and 0 < len(value) <= _MAX_LABEL)


def _never_run(plan: _Plan, samples: Sequence[_Read], epochs: int, origin: Origin) -> list[Row]:
    """Rows of the plan that the log does not have, where it lists the items it was to run."""
    planned = _planned(plan)
    if len(planned) * epochs > len(samples) + _MAX_MISSING:
        raise OutscoreError(
            f"{origin.label} promises {epochs:,} epochs of {len(planned):,} samples, but contains {len(samples):,}.",
            "Copy the log again.",
            file=origin.path,
        )
    done = {(sample.item, sample.epoch) for sample in samples}
    repeated = epochs > 1 or any(sample.epoch != 1 for sample in samples)
    return [
        Row(item, {}, "not run", str(epoch) if repeated else None)
        for item in planned
        for epoch in range(1, epochs + 1)
        if (item, epoch) not in done
    ]


def _planned(plan: _Plan) -> list[str]:
    """The items that were to be run, as far as the log tells: a limit counts from the first of them."""
    dataset, config = plan.dataset or _Dataset(), plan.config or _Config()
    planned = list(dict.fromkeys(map(str, dataset.sample_ids or [])))
    if config.sample_id is not None:
        patterns = config.sample_id if isinstance(config.sample_id, list) else [config.sample_id]
        planned = [item for item in planned if any(fnmatch(item, str(pattern)) for pattern in patterns)]
    if config.limit is None:
        return planned
    bounds = config.limit if isinstance(config.limit, list) else [0, config.limit]
    if len(bounds) != 2 or len(planned) <= bounds[1] - bounds[0]:
        return planned
    # Which samples of a shuffled dataset came first is not known.
    return [] if config.sample_shuffle else planned[bounds[0] : bounds[1]]


def _totals(results: _Results | None) -> dict[str, float]:
    """What the log reports, by scorer, or by scorer and key where a score has several parts; averaged over epochs only."""
    totals: dict[str, float] = {}
    for score in [] if results is None else results.scores:
        metric = score.metrics.get("accuracy") or score.metrics.get("mean")
        if metric is not None and score.reducer in (None, "mean"):
            value = number_of(metric.value)
            totals[score.name if score.name == score.scorer else f"{score.scorer}.{score.name}"] = value
            totals.setdefault(score.name, value)
    return totals


def _conditions(plan: _Plan, config: _Config) -> dict[str, str]:
    settings = {
        "version": plan.task_version,
        "arguments of the task": ", ".join(f"{name}={value}" for name, value in (plan.task_args or {}).items()) or None,
        "limit": config.limit,
        "scorers": ", ".join(scorer.name or "unnamed" for scorer in plan.scorers or []) or None,
    }
    return {name: str(value) for name, value in settings.items() if value is not None}


def _exchanges(path: str, wanted: Sequence[int]) -> list[Exchange]:
    """Questions and answers of some rows, read again; rows that were never run have none."""
    rows = set(wanted)
    with open_bytes(path) as (stream, _):
        is_archive = stream.peek(2)[:2] == b"PK"
    if is_archive:
        with _open_archive(path) as archive:
            exchanges = {row: _exchange(sample) for row, sample in enumerate(_summaries(archive)) if row in rows}
    else:
        with open_document(path) as document:
            samples = decode(document.data, _Log, path).samples or []
            exchanges = {row: _exchange(decode(samples[row], _Sample, path)) for row in rows if row < len(samples)}
    return [exchanges.get(row, Exchange(None, None, None)) for row in wanted]


def _exchange(sample: _Sample) -> Exchange:
    answers = [score.answer for score in (sample.scores or {}).values() if score.answer]
    texts = (sample.input, sample.target, answers[0] if answers else None)
    return Exchange(*(text if isinstance(text, str) else None for text in texts))
