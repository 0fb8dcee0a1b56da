"""What there is at a path: evaluations that logs recorded, other files with how they would be read, and what cannot be read.

Nothing stops the listing: a file that cannot be read is listed with the reason.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field
from pathlib import Path

from outscore.core.errors import OutscoreError
from outscore.core.records import dataclass
from outscore.formats.base.source import files_below, is_pattern, pattern_name, runs_in
from outscore.formats.logs.evaluation import Evaluation, join_parts, join_runs
from outscore.formats.logs.find import recognise, refuse_totals
from outscore.formats.logs.registry import LOGS, LogEntry
from outscore.results.logs import ShownColumn, ShownFile
from outscore.workflows.requests.base import Request
from outscore.workflows.requests.compare import CompareRequest, TextsRequest
from outscore.workflows.requests.diff import DiffRequest
from outscore.workflows.requests.prefer import PreferRequest
from outscore.workflows.requests.rank import RankRequest, ScoreRequest
from outscore.workflows.show.describe import FileDescription, describe

MAX_DESCRIBED = 200
"""Of a folder without logs, so many files are described."""
GOLD_NAMES, REFERENCE_NAMES = ("gold", "key", "truth", "answers"), ("ref", "gold", "target")
BLEU = "bleu"
TABLES = {"csv", "tsv", "jsonl", "json", "parquet", "labels"}


@dataclass(frozen=True)
class Contents:
    """What there is at a path as it was given; `described` are the files that could be read, with what they hold."""

    path: str
    evaluations: list[Evaluation] = field(default_factory=list)
    files: list[ShownFile] = field(default_factory=list)
    described: list[tuple[str, FileDescription]] = field(default_factory=list)

    @property
    def problems(self) -> list[ShownFile]:
        """The files that cannot be read."""
        return [file for file in self.files if file.problem]


def contents_of(path: str, format: str | None) -> Contents:
    """Everything at a path; `format` is the format of logs, if it was named."""
    found = Contents(path)
    folder = Path(path).is_dir()
    try:
        names = files_below(path) if folder else runs_in(path)
    except OutscoreError as refusal:
        found.files.append(ShownFile(path, problem=str(refusal)))
        return found
    logs, others = _logs_among(names, format, found)
    runs = [list(_read(name, entry, found)) for name, entry in logs.items()]
    if is_pattern(path) and logs:
        found.evaluations.extend(_joined(runs, path, found))
    else:
        found.evaluations.extend(_parts([one for run in runs for one in run], found))
    if folder and logs:
        # What else lies in a folder of logs belongs to them, or to nobody.
        return found
    for name in others[:MAX_DESCRIBED]:
        _describe(name, found)
    if folder and not others and not found.files:
        found.files.append(ShownFile(path, problem="The folder contains no file."))
    return found


def _logs_among(names: Sequence[str], format: str | None, found: Contents) -> tuple[dict[str, LogEntry], list[str]]:
    logs: dict[str, LogEntry] = {}
    others = []
    for name in names:
        try:
            entry = LOGS[format] if format is not None else recognise(name)
        except OutscoreError as refusal:
            found.files.append(ShownFile(name, problem=str(refusal)))
            continue
        if entry is None:
            others.append(name)
        else:
            logs[name] = entry
    return logs, others


def _read(name: str, entry: LogEntry, found: Contents) -> Iterator[Evaluation]:
    try:
        yield from entry.format.read(name)
    except OutscoreError as refusal:
        found.files.append(ShownFile(name, entry.name, problem=str(refusal)))


def _joined(runs: Sequence[Sequence[Evaluation]], path: str, found: Contents) -> list[Evaluation]:
    try:
        return join_runs([run for run in runs if run], pattern_name(path))
    except OutscoreError as refusal:
        found.files.append(ShownFile(path, problem=str(refusal)))
        return [one for run in runs for one in run]


def _parts(evaluations: Sequence[Evaluation], found: Contents) -> list[Evaluation]:
    """Files of the same system, task and filter are parts of one; those that are not are listed one by one."""
    parts: dict[tuple[str, str, str, str | None], list[Evaluation]] = {}
    for one in evaluations:
        parts.setdefault((one.harness, one.system, one.task, one.filter), []).append(one)
    joined: list[Evaluation] = []
    for several in parts.values():
        try:
            joined.append(join_parts(several))
        except OutscoreError as refusal:
            joined += several
            found.files.append(ShownFile(several[-1].origins[0].path, several[-1].harness, problem=str(refusal)))
    return joined


def _describe(name: str, found: Contents) -> None:
    try:
        refuse_totals([name])
        description = describe(Path(name))
    except OutscoreError as refusal:
        found.files.append(ShownFile(name, problem=str(refusal)))
        return
    found.described.append((name, description))
    columns = [ShownColumn(one.part, one.name, one.example, one.why) for one in description.columns if one.part]
    reading = description.reading or ""
    form = description.format or ""
    found.files.append(ShownFile(name, form, description.rows, list(description.systems), columns, reading))


def candidates(described: Sequence[tuple[str, FileDescription]], given: Sequence[str]) -> Iterator[Request]:
    """Commands for files that are no logs, the likeliest first; whether they run is for the caller to try."""
    suits = {suit for _, one in described for suit in one.suits}
    forms = {one.format for _, one in described}
    names = tuple(given)
    if "prefer" in suits:
        yield PreferRequest(files=names)
    if suits & {"compare", "rank"} or forms <= TABLES or not described:
        yield from _scored(sum(max(len(one.systems), 1) for _, one in described), names)
    if described and ("diff" in suits or forms == {"segments"}):
        yield from _diffs(described)
    if "texts" in suits and len(names) > 2:
        reference, systems = _apart(names, REFERENCE_NAMES)
        yield from _texts(systems, reference)
    if forms <= TABLES and "score" not in suits and names:
        # Sentences in columns, with their references.
        yield from _texts(names, names[0])


def is_fallback(request: Request) -> bool:
    """Whether a command is only for tables that hold no scores as they stand: items in columns, or sentences."""
    texts = isinstance(request, TextsRequest) and request.reference == request.files[:1]
    return texts or bool(getattr(request, "transpose", False))


def _scored(systems: int, names: tuple[str, ...]) -> Iterator[Request]:
    if systems == 2 or len(names) == 2:
        yield CompareRequest(files=names)
    if systems > 1:
        yield RankRequest(files=names)
    yield ScoreRequest(files=names)
    if len(names) == 1:
        yield RankRequest(files=names, transpose=True)


def _diffs(described: Sequence[tuple[str, FileDescription]]) -> Iterator[Request]:
    """Outputs against those that are named like right answers, or else against the first ones."""
    names = [name for name, _ in described]
    own = [{column.part for column in one.columns} >= {"gold", "answer"} for _, one in described]
    gold, others = _apart(names, GOLD_NAMES)
    if all(own) or (len(described) == 1 and described[0][1].whole):
        if "compare" not in described[0][1].suits:
            # Whole responses are not equal to the right answers, however good they are.
            return
        gold, others = names[0], names if all(own) else []
    elif len(names) == 1 and described[0][1].format not in ("labels", "word-columns"):
        return
    for task in dict.fromkeys(task for _, one in described for task in _tasks(one)):
        yield DiffRequest(task=task, gold=gold, files=tuple(others))


def _tasks(one: FileDescription) -> tuple[str, ...]:
    if one.format == "conllu":
        return ("dep", "pos")
    return ("label",) if one.format == "segments" else (one.task or "label",)


def _texts(systems: Sequence[str], reference: str) -> Iterator[Request]:
    if len(systems) <= 2:
        yield TextsRequest(files=tuple(systems), reference=(reference,), metric=BLEU)
    else:
        yield RankRequest(files=tuple(systems), reference=(reference,), metric=BLEU)


def _apart(names: Sequence[str], words: Sequence[str]) -> tuple[str, list[str]]:
    """The file that one of these words names, or the first, and the others."""
    first = next((name for word in words for name in names if word in Path(name).name.lower()), names[0])
    return first, [name for name in names if name != first]
