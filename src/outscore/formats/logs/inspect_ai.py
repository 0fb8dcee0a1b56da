"""Inspect: `.eval` archives, whose summaries hold every score without the texts, and the same log as one JSON document.

Members of an archive are compressed with zstd (method 93, which `zipfile` does not know), in as many frames as the writer
began. A run that was killed has no header, only its journal: the plan it began with and the summaries it had flushed.
"""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import field, replace
from fnmatch import fnmatch
from functools import cached_property
from typing import Any, BinaryIO

import msgspec

from outscore.core.errors import OutscoreError, load_extra
from outscore.core.numeric import float_of
from outscore.core.records import dataclass
from outscore.formats.base.source import explain_failures, open_bytes
from outscore.formats.json import Shape, number_of
from outscore.formats.logs.document import Document, LogPeek, Piece, labels_of, open_document, text_of
from outscore.formats.logs.engine import LogFormat
from outscore.formats.logs.evaluation import Exchange, Row, digest_of, drop_single_runs
from outscore.scores.system import label_of

_HEADER, _START = "header.json", "_journal/start.json"
_ZSTD, _STORED, _DEFLATED = 93, zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED
_GRADES = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
_WORDS = {"yes": 1.0, "true": 1.0, "correct": 1.0, "no": 0.0, "false": 0.0, "incorrect": 0.0}
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


_LOG = Shape(
    {
        "status": str | None,
        "samples": list[msgspec.Raw] | None,
        "eval.model": str,
        "eval.task": str,
        "eval.task_version": int | str | None,
        "eval.task_args": dict[str, Any] | None,
        "eval.dataset.sample_ids": list[int | str] | None,
        "eval.config.epochs": int | None,
        "eval.config.limit": int | list[int] | None,
        "eval.config.sample_id": str | int | list[str | int] | None,
        "eval.config.sample_shuffle": Any | None,
        "eval.scorers": [Shape({"name": str | None})],
        "results.scores": [
            Shape({"name": str, "scorer": str, "reducer": str | None, "metrics": dict[str, dict[str, Any]] | None}),
        ],
    }
)


@dataclass(eq=False)
class _Archive(Document):
    """An archive and the bytes it lies in."""

    archive: zipfile.ZipFile = field(kw_only=True)
    raw: BinaryIO = field(kw_only=True)

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
            self.refuse(f": `{name}` unpacks to {info.file_size:,} bytes, more than any log has.", "Copy the log again.")
        if info.compress_type in (_STORED, _DEFLATED):
            return self.archive.read(info)
        if info.compress_type != _ZSTD:
            method = info.compress_type
            self.refuse(f": `{name}` is compressed by an unknown method ({method}).", "Write the log again with Inspect.")
        return self._unpack(info)

    def _unpack(self, info: zipfile.ZipInfo) -> bytes:
        zstandard = load_extra("zstandard", "read this log, which Inspect packed by zstd", "zst")
        # The lengths in the local header decide where the data begin; the directory may hold others.
        self.raw.seek(info.header_offset)
        header = self.raw.read(30)
        start = info.header_offset + 30 + int.from_bytes(header[26:28], "little") + int.from_bytes(header[28:30], "little")
        self.raw.seek(start)
        packed = io.BytesIO(self.raw.read(info.compress_size))
        try:
            reader = zstandard.ZstdDecompressor().stream_reader(packed, read_across_frames=True)
            data: bytes = reader.read(info.file_size + 1)
        except zstandard.ZstdError as error:
            self.refuse(f": `{info.filename}` is damaged ({error}).", "Copy the log again.")
        if len(data) != info.file_size:
            sizes = f"has {len(data):,} bytes, but its archive promises {info.file_size:,}"
            self.refuse(f": `{info.filename}` {sizes}.", "Copy the log again.")
        if zlib.crc32(data) != info.CRC:
            self.refuse(f": `{info.filename}` does not match its checksum.", "Copy the log again.")
        return data


@contextmanager
def _open_archive(path: str) -> Iterator[_Archive]:
    with explain_failures(path), open_bytes(path) as (stream, packed):
        raw: BinaryIO = io.BytesIO(stream.read()) if packed else stream
        try:
            with zipfile.ZipFile(raw) as archive:
                yield _Archive(path, b"", archive=archive, raw=raw)
        except OutscoreError:
            # It is a ValueError that has said already what is wrong, unlike those of the archive below.
            raise
        except (zipfile.BadZipFile, zipfile.LargeZipFile, ValueError, NotImplementedError, RuntimeError, zlib.error) as error:
            raise OutscoreError(
                f"{label_of(path)} is a damaged archive: {str(error).rstrip('.')}.", "Copy the log again.", file=path
            ) from None


def _archive_header(archive: _Archive) -> Any:  # noqa: ANN401 - as `_LOG` says
    plan = next((name for name in (_HEADER, _START) if name in archive.members), None)
    if plan is None:
        finding = f" has neither `{_HEADER}` nor `{_START}`, one of which every log of Inspect has."
        archive.refuse(finding, "Name a log of Inspect, or copy it again.")
    return archive.decode(Piece(archive.read(plan), inside=plan), _LOG)


def _summaries(archive: _Archive) -> Iterator[Piece]:
    """The samples of an archive in its order: by their summaries, or one by one where these were lost."""
    names = ["summaries.json"] if "summaries.json" in archive.members else archive.matching("_journal/summaries/*.json")
    for name in names:
        for raw in archive.decode(Piece(archive.read(name), inside=name), list[msgspec.Raw]):
            yield Piece(raw, inside=name)
    if not names:
        for name in archive.matching("samples/*.json"):
            yield Piece(archive.read(name), inside=name)


def _json_samples(document: Document) -> Sequence[msgspec.Raw]:
    samples: list[msgspec.Raw] | None = document.header.pop("samples")
    if samples is None:
        cure = "Write it with its samples: `inspect log dump` keeps them."
        document.refuse(" is an Inspect log without its samples.", cure)
    return samples


def _row(_: Document, sample: _Sample) -> Row:
    scores: dict[str, float] = {}
    for scorer, score in (sample.scores or {}).items():
        if isinstance(score.value, Mapping):
            scores |= {f"{scorer}.{key}": _number(value) for key, value in score.value.items()}
        else:
            scores[scorer] = _number(score.value)
    return Row(
        str(sample.id),
        scores,
        None if sample.error is None else "errored",
        str(sample.epoch),
        digest_of([sample.input, sample.target]),
        labels_of(sample.metadata),
    )


def _number(value: object) -> float:
    """A score as a number: grades as Inspect counts them, words of right and wrong, NaN for what it did not score."""
    if isinstance(value, str):
        if value in _GRADES:
            return _GRADES[value]
        if value.lower() in _WORDS:
            return _WORDS[value.lower()]
        return float_of(value)
    return number_of(value)


def _with_unrun(document: Document, rows: list[Row]) -> list[Row]:
    """The rows with those of the plan that the log does not have, where it lists the items it was to run."""
    planned, epochs = _planned(document.header), max(document.header["eval.config.epochs"] or 1, 1)
    if len(planned) * epochs > len(rows) + _MAX_MISSING:
        finding = f" promises {epochs:,} epochs of {len(planned):,} samples, but contains {len(rows):,}."
        document.refuse(finding, "Copy the log again.")
    done = {(row.item, row.repeat) for row in rows}
    runs = [str(epoch) for epoch in range(1, epochs + 1)]
    unrun = [Row(item, {}, "not run", run) for item in planned for run in runs if (item, run) not in done]
    if epochs == 1 and all(row.repeat == "1" for row in rows):
        return drop_single_runs(document, [*rows, *unrun])
    return [*rows, *unrun]


def _planned(plan: Mapping[str, Any]) -> list[str]:
    """The items that were to be run, as far as the log tells: a limit counts from the first of them."""
    planned = list(dict.fromkeys(map(str, plan["eval.dataset.sample_ids"] or [])))
    chosen, limit = plan["eval.config.sample_id"], plan["eval.config.limit"]
    if chosen is not None:
        patterns = chosen if isinstance(chosen, list) else [chosen]
        planned = [item for item in planned if any(fnmatch(item, str(pattern)) for pattern in patterns)]
    if limit is None:
        return planned
    bounds = limit if isinstance(limit, list) else [0, limit]
    if len(bounds) != 2 or len(planned) <= bounds[1] - bounds[0]:
        return planned
    # Which samples of a shuffled dataset came first is not known.
    return [] if plan["eval.config.sample_shuffle"] else planned[bounds[0] : bounds[1]]


def _conditions(document: Document, _: Sequence[Row]) -> dict[str, object]:
    log: Mapping[str, Any] = document.header
    arguments = (log["eval.task_args"] or {}).items()
    return {
        "version": log["eval.task_version"],
        "arguments of the task": ", ".join(f"{name}={value}" for name, value in arguments) or None,
        "limit": log["eval.config.limit"],
        "scorers": ", ".join(scorer["name"] or "unnamed" for scorer in log["eval.scorers"]) or None,
    }


def _notes(document: Document, _: Sequence[Row]) -> dict[str, Any]:
    status = document.header["status"] or "started"
    return {"notes": () if status == "success" else (f"{document.label} is from a run with the status `{status}`.",)}


def _totals(document: Document, _: Sequence[Row]) -> dict[str, float | None]:
    """What the log reports, by scorer, or by scorer and key where a score has several parts; averaged over epochs only."""
    totals: dict[str, float | None] = {}
    for score in document.header["results.scores"]:
        metrics, name, scorer = score["metrics"] or {}, score["name"], score["scorer"]
        metric = metrics.get("accuracy") or metrics.get("mean")
        if metric is not None and score["reducer"] in (None, "mean"):
            value = number_of(metric.get("value"))
            totals[name if name == scorer else f"{scorer}.{name}"] = value
            totals.setdefault(name, value)
    return totals


def _exchange(sample: _Sample) -> Exchange:
    answers = [score.answer for score in (sample.scores or {}).values() if score.answer]
    return Exchange(*map(text_of, (sample.input, sample.target, answers[0] if answers else None)))


def _is_archive(peek: LogPeek) -> bool:
    """Whether the archive has the journal or the header of a log; what is damaged goes by its name."""
    if _START in peek.members or _HEADER in peek.members:
        return True
    return peek.name.endswith((".eval", ".eval.gz")) and not peek.members and peek.start[:2] in (b"PK", b"")


INSPECT = LogFormat(
    harness="inspect",
    recognise=_is_archive,
    open=_open_archive,
    header=_archive_header,
    samples=_summaries,
    sample=_Sample,
    row=_row,
    arrange=_with_unrun,
    system=lambda document, _: document.header["eval.model"],
    task=lambda document, _: document.header["eval.task"],
    totals=_totals,
    conditions=_conditions,
    repeat_column="epoch",
    facts=_notes,
    columns={"item": "id"},
    reread=_Sample,
    exchange=_exchange,
)
INSPECT_JSON = replace(
    INSPECT,
    recognise=lambda peek: (
        peek.is_object and peek.has_keys("eval", "task", "model") and (peek.has_keys("eval_id") or peek.has_keys("run_id"))
    ),
    open=open_document,
    header=lambda document: document.decode_all(_LOG),
    samples=_json_samples,
)
