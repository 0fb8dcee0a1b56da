"""From paths to evaluations: which harness wrote a file, which files of a folder are logs, and which are parts of one."""

from __future__ import annotations

import os
import re
import zipfile
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path, PurePath
from typing import Any

from outscore.core.errors import OutscoreError, require_polars
from outscore.core.records import dataclass
from outscore.formats.base.pipes import open_raw, scannable
from outscore.formats.base.source import explain_failures, files_below, open_bytes, pattern_name, runs_in, unpacked
from outscore.formats.json import number_of
from outscore.formats.logs.document import PEEK, UNNAMED_TASK, LogPeek, open_document
from outscore.formats.logs.evaluation import Evaluation, join_parts, join_runs
from outscore.formats.logs.registry import LOGS, LogEntry
from outscore.scores.system import label_of

_ZIP, _PARQUET = b"PK\x03\x04", b"PAR1"
# Three fields, the first or the second of which begins with a letter: a measure and a query, as `trec_eval -q` writes them.
_PER_QUERY = re.compile(rb"(?:[A-Za-z1]\S*[ \t]+\S+|\S+[ \t]+[A-Za-z1]\S*)[ \t]+-?[\d.]+(?:e-?\d+)?[ \t]*\r?\n")
# A query, Q0, a document, its rank, its score and the name of the run.
_RANKED = re.compile(rb"\S+[ \t]+Q0[ \t]+\S+[ \t]+\d+[ \t]+[-+.\deE]+[ \t]+\S+\s*\n")
AUTO = "auto"
# Files that cannot be read are named one by one, up to so many.
MAX_NAMED = 5
ENDINGS = {".eval", ".json", ".jsonl", ".parquet"}


def peek_at(path: str | os.PathLike[str]) -> LogPeek:
    """The beginning of a file, as far as recognising a log takes it."""
    name = os.fspath(path)
    with explain_failures(name), open_bytes(name) as (stream, packed):
        start = stream.peek(PEEK)[:PEEK] if packed else stream.read(PEEK)
    if start.startswith(_ZIP) and not packed:
        members: tuple[str, ...] = ()
        # A damaged archive is refused by its reader, if a name or another file says that it is a log.
        with suppress(zipfile.BadZipFile, OSError, ValueError), open_raw(name) as raw, zipfile.ZipFile(raw) as archive:
            members = tuple(archive.namelist())
        return LogPeek(name, start, members)
    if start.startswith(_PARQUET) and not packed:
        return LogPeek(name, start, columns=_parquet_columns(name))
    return LogPeek(name, start)


def _parquet_columns(path: str) -> tuple[str, ...]:
    require_polars("read Parquet files")
    import polars as pl

    with suppress(pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError):
        return tuple(pl.read_parquet_schema(scannable(path)))
    return ()


def recognise(path: str | os.PathLike[str]) -> LogEntry | None:
    """The format of logs that a file is in, or None; a file that may be in several is refused with their names."""
    peek = peek_at(path)
    if not _may_be_log(peek):
        return None
    entries = [entry for entry in LOGS.values() if entry.format.recognise(peek)]
    if len(entries) > 1:
        finding = f"looks like a log in {len(entries)} formats: {' and '.join(entry.name for entry in entries)}"
        cure = f"Say which it is: --reader {entries[0].name}."
        raise OutscoreError(f"{label_of(peek.path)} {finding}.", cure, parameter="reader", file=peek.path)
    return entries[0] if entries else None


def _may_be_log(peek: LogPeek) -> bool:
    """Whether a file is a document, an archive or a Parquet file, or is called like one, which a damaged log is."""
    if peek.is_object or peek.is_list or peek.start.startswith((_ZIP, _PARQUET)) or _ends_like_log(peek.path):
        return True
    return _PER_QUERY.match(peek.start) is not None


def _ends_like_log(name: str) -> bool:
    return unpacked(name).suffix in ENDINGS


def are_logs(paths: Sequence[str | os.PathLike[str]], format: str = AUTO) -> bool:
    """Whether every path is a log or a folder with one; files that cannot be read are left to the other readers."""
    if format != AUTO:
        return format in LOGS
    recognised = [all(map(_is_log, runs_in(os.fspath(path)))) for path in paths]
    if any(recognised) and not all(recognised):
        log, other = (label_of(os.fspath(paths[recognised.index(kind)])) for kind in (True, False))
        if Path(paths[recognised.index(False)]).exists():
            raise OutscoreError(
                f"{log} is a log of an evaluation harness, but {other} is not a known one.",
                "Give logs only, or read all files as tables: --reader jsonl, with the columns named.",
                parameter="files",
            )
    return bool(recognised) and all(recognised)


def _is_log(path: str) -> bool:
    if Path(path).is_dir():
        refused: list[OutscoreError] = []
        has_logs = bool(find_logs(path, first=True, refused=refused))
        # Beside a log they are refused when it is read, all of them at once.
        if refused and not has_logs:
            raise _together(refused)
        return has_logs
    try:
        return recognise(path) is not None
    except OutscoreError as error:
        if error.parameter == "reader":
            raise
        return False


def is_ranking(path: str) -> bool:
    """Whether a file begins like a TREC run."""
    if not Path(path).is_file():
        return False
    with open_bytes(path) as (stream, _):
        return _RANKED.match(stream.readline(4096)) is not None


def find_logs(
    path: str | os.PathLike[str], *, first: bool = False, refused: list[OutscoreError] | None = None
) -> list[tuple[str, LogEntry]]:
    """The logs at a path: the file itself, or every log in a folder and those below it, in order of their names.

    `first` asks for one of them only. What is wrong with files of a folder that cannot be read is added to `refused`.
    """
    if not Path(path).is_dir():
        entry = recognise(path)
        return [] if entry is None else [(os.fspath(path), entry)]
    logs = []
    for name in files_below(path):
        try:
            entry = _recognise_inside(name)
        except OutscoreError as error:
            if refused is None or error.parameter == "reader":
                raise
            refused.append(error)
            continue
        if entry is not None:
            logs.append((name, entry))
        if logs and first:
            break
    return logs


def refuse_folders(paths: Sequence[str | os.PathLike[str]], *, empty: bool = False) -> None:
    """Refuse folders in which no log was found, where nothing else is read from them; if `empty`, only those without files."""
    for path in paths:
        if not Path(path).is_dir():
            continue
        inside = files_below(path)
        if not inside or not empty:
            what = "that" if inside else "without files: it"
            parts = any(name.endswith(".parquet") for name in inside)
            ranked = " A folder of Parquet files is read by `outscore rank`, with --system for some of its systems."
            raise OutscoreError(
                f"{label_of(os.fspath(path))} is a folder {what} contains no log of an evaluation harness.",
                "Name the folder or file that the harness wrote, or a table with an item and a score per row."
                + (ranked if parts else ""),
                parameter="files",
                file=os.fspath(path),
            )


def _recognise_inside(name: str) -> LogEntry | None:
    """The format of a file of a folder; one that cannot be read is passed over if logs never end like it."""
    try:
        return recognise(name)
    except OutscoreError:
        if _ends_like_log(name):
            raise
        return None


def is_companion(file: str | os.PathLike[str], folder: str | os.PathLike[str]) -> bool:
    """Whether a file of a folder belongs to one of the logs in it, such as the totals of a run to its samples."""
    return any(entry.format.accompanies(log, os.fspath(file)) for log, entry in find_logs(folder))


def read_runs(path: str | os.PathLike[str], format: str | None = None, task: str | None = None) -> list[Evaluation]:
    """All evaluations at a path; files that a pattern matches are runs of one system."""
    files = runs_in(os.fspath(path))
    if len(files) == 1:
        return read_logs(files, format, task)
    return join_runs([read_logs([file], format, task) for file in files], pattern_name(os.fspath(path)))


def read_logs(paths: Sequence[str | os.PathLike[str]], format: str | None = None, task: str | None = None) -> list[Evaluation]:
    """All evaluations at these paths, or those of a task that they have; files of the same system, task and filter are one.

    `format` names the format of logs, instead of recognising it. Files of folders that cannot be read are refused all at once:
    whoever has a folder of a hundred logs wants to see them all, not one after the other. Those of other tasks are passed over.
    """
    found: list[Evaluation] = []
    refused: list[OutscoreError] = []
    tasks: dict[str, str | None] = {}
    for path in paths:
        inside = Path(path).is_dir()
        for name, entry in _logs_at(os.fspath(path), format, refused):
            try:
                found += entry.format.read(name)
            except OutscoreError as error:
                if not inside:
                    raise
                refused.append(error)
                tasks[error.file or name] = None if task is None else entry.format.task_of(name)
    others = {one.task for one in found} - {task}
    if len(others) < len({one.task for one in found}):
        found = [one for one in found if one.task in (task, UNNAMED_TASK)]
        passed = [error for error in refused if _is_of_other(error.file, task, tasks, others)]
        refused = [error for error in refused if error not in passed]
        found = [_with_passed(one, passed, str(task)) for one in found]
    if refused:
        raise _together(refused)
    parts: dict[tuple[str, str, str, str | None], list[Evaluation]] = {}
    for one in found:
        parts.setdefault((one.harness, one.system, one.task, one.filter), []).append(one)
    return [join_parts(several) for several in parts.values()]


def _is_of_other(path: str | None, task: str | None, tasks: Mapping[str, str | None], others: Collection[str]) -> bool:
    """Whether a file that cannot be read is of another task: it says so, or names one of the others and not this one."""
    if path is None or task is None:
        return False
    said = tasks.get(path)
    if said is not None:
        return said != task
    with suppress(OutscoreError):
        written = path.encode() + peek_at(path).start
        named = (re.search(rb"(?<![^\W_])" + re.escape(other.encode()) + rb"(?![^\W_])", written) for other in others)
        return task.encode() not in written and any(named)
    return False


def _with_passed(evaluation: Evaluation, passed: Sequence[OutscoreError], task: str) -> Evaluation:
    """The evaluation, with a note on files of other tasks that cannot be read."""
    if not passed:
        return evaluation
    names = ", ".join(label_of(error.file or "") for error in passed[:MAX_NAMED]) + (" …" if len(passed) > MAX_NAMED else "")
    are = "is" if len(passed) == 1 else "are"
    note = f"Only logs of {task} were looked at; {names} cannot be read, but {are} of other tasks."
    return replace(evaluation, notes=(*evaluation.notes, note))


def _together(refused: Sequence[OutscoreError]) -> OutscoreError:
    """One error for several files; none is left out silently, because the rest would look like the whole."""
    first = refused[0]
    if len({error.message for error in refused}) == 1:
        # One file, or one cause, such as a library that is not installed.
        cure = f"{first.hint} Or move {'it' if len(refused) == 1 else 'them'} out of the folder."
        return OutscoreError(first.message, cure, parameter=first.parameter, file=first.file, line=first.line)
    named = " ".join(error.message for error in refused[:MAX_NAMED])
    more = "" if len(refused) <= MAX_NAMED else f" And {len(refused) - MAX_NAMED:,} more."
    return OutscoreError(
        f"{len(refused):,} files cannot be used: {named}{more}",
        "Repair them, or move them out of the folder: what is left out of a comparison should be your choice.",
        parameter=first.parameter,
        file=first.file,
    )


def _logs_at(path: str, format: str | None, refused: list[OutscoreError]) -> list[tuple[str, LogEntry]]:
    """The logs of a path; of a folder those in the format that is asked for, and a file as being in it."""
    if format is not None and not Path(path).is_dir():
        return [(path, LOGS[format])]
    logs = [(name, entry) for name, entry in find_logs(path, refused=refused) if format in (None, entry.name)]
    if not logs and not refused:
        refuse_totals([path])
        considered = _titles() if format is None else LOGS[format].title
        raise OutscoreError(
            f"{label_of(path)} contains no log of {considered}.",
            "Name the folder or file that the harness wrote, or give a table with an item and a score per row.",
            file=path,
        )
    return logs


def _titles() -> str:
    return ", ".join(dict.fromkeys(entry.title for entry in LOGS.values()))


# Files that hold totals only: what they are, and the command that says what their totals allow.


SAME_SHARE = 1e-9
"""A total is a share of right answers if some number of them is as large, up to this."""
MOST_ITEMS = 100_000
_NAME = r"(?:\.(?:gz|bz2|xz|zst))?"


@dataclass(frozen=True)
class Share:
    """A share of right answers as it is printed, and of how many items; None if the file says only the least."""

    printed: str
    items: int | None = None
    least: int = 1


Shares = dict[tuple[str, str], Share]
"""By task and measure."""


@dataclass(frozen=True)
class Totals:
    """A kind of file with totals: who writes it, how it is called and begins, its shares, and how to get scores of items."""

    title: str
    name: re.Pattern[str]
    begins: re.Pattern[bytes]
    shares: Callable[[Mapping[str, Any]], Shares]
    cure: str

    def at(self, path: str) -> list[str]:
        """The files of this kind that a path is, or that a folder holds."""
        names = files_below(path) if Path(path).is_dir() else [path]
        with suppress(OutscoreError):
            return [name for name in names if self.name.fullmatch(PurePath(name).name) and self._is(name)]
        return []

    def _is(self, name: str) -> bool:
        with explain_failures(name), open_bytes(name) as (stream, _):
            return self.begins.search(stream.peek(PEEK)[:PEEK]) is not None

    def shares_at(self, files: Sequence[str]) -> Shares:
        """The shares of files; of a task that several have, those of the last."""
        shares: Shares = {}
        for file in files:
            # What a version lays out in another way is not said, but still refused.
            with open_document(file) as document, suppress(AttributeError, KeyError, TypeError, ValueError):
                shares |= self.shares(document.decode_all(dict[str, Any]))
        return shares


def _of_lm_eval(content: Mapping[str, Any]) -> Shares:
    found = {}
    for task, scores in content["results"].items():
        items = content.get("n-samples", {}).get(task, {}).get("effective", 0)
        for name, value in scores.items():
            share = number_of(value)
            right = "," in name and "_stderr," not in name and 0 <= share <= 1 and items > 0
            if right and abs(round(share * items) / items - share) < SAME_SHARE:
                found[task, name.removesuffix(",none")] = Share(f"{share:.6g}", items)
    return found


def _of_mteb(content: Mapping[str, Any]) -> Shares:
    """The accuracy of each part of a task for which it is the main score."""
    task, scores = str(content.get("task_name", "")), content.get("scores")
    parts = [one for several in scores.values() for one in several] if task and isinstance(scores, Mapping) else []
    right = [one for one in parts if number_of(one.get("accuracy")) == number_of(one.get("main_score"))]
    return {(task, "accuracy"): Share(f"{right[0]['accuracy']:.6g}")} if len(parts) == len(right) == 1 else {}


def _of_explainaboard(content: Mapping[str, Any]) -> Shares:
    """The accuracy, as printed, of all items; some may lie in no bucket."""
    results = content["results"]
    parts = next(iter(results["fine_grained"].values()), ())
    items = sum(one["n_samples"] for one in _with_key(parts, "n_samples"))
    overall = {str(one["metric_name"]): str(one["value"]) for one in _with_key(results["overall"], "metric_name")}
    task = str(content.get("dataset_name") or content.get("task_name") or "")
    return {(task, "accuracy"): Share(overall["Accuracy"], least=items)} if "Accuracy" in overall and items else {}


def _with_key(value: object, key: str) -> Iterator[Mapping[str, Any]]:
    """The objects with a key inside lists and objects, at any depth."""
    if isinstance(value, Mapping) and key in value:
        yield value
    elif isinstance(value, (Mapping, list)):
        for inner in value.values() if isinstance(value, Mapping) else value:
            yield from _with_key(inner, key)


_TABLE = "Give scores of single items, or a table with a row for each system and a column for each task, and --transpose."
KINDS = (
    Totals(
        "lm-evaluation-harness",
        re.compile(rf"results(?:_.*)?\.json{_NAME}"),
        # Of each task the scores, called by a measure and a filter.
        re.compile(rb'^\s*\{\s*"results"\s*:\s*\{\s*"[^"]+"\s*:\s*\{[^{}]*"[^",]+,[^",]+"\s*:\s*-?\d'),
        _of_lm_eval,
        "Run it again with --log_samples.",
    ),
    Totals("MTEB", re.compile(rf".*\.json{_NAME}"), re.compile(rb'"mteb_version"\s*:'), _of_mteb, _TABLE),
    Totals(
        "ExplainaBoard",
        re.compile(rf".*\.json{_NAME}"),
        re.compile(rb'^\s*\{(?=[^\0]*"task_name"\s*:)(?=[^\0]*"overall"\s*:)(?=[^\0]*"fine_grained"\s*:)'),
        _of_explainaboard,
        "Give the system's predictions instead of the report.",
    ),
)


def refuse_totals(paths: Sequence[str | os.PathLike[str]]) -> None:
    """Refuse results without scores of single items, with the command that says what their totals allow."""
    for kind in KINDS if paths else ():
        files = [kind.at(os.fspath(path)) for path in paths]
        if all(files):
            message = f"{label_of(os.fspath(paths[0]))} has the totals of {kind.title} only, and no scores of single items."
            found = [kind.shares_at(several) for several in files]
            raise OutscoreError(message, kind.cure + _planned(found), parameter="files", file=os.fspath(paths[0]))


def _planned(found: Sequence[Shares]) -> str:
    """What one or two systems can be told apart by, on the first task that all of them have; empty if nothing can be said."""
    shared = [key for key in found[0] if all(key in one and one[key].items == found[0][key].items for one in found)]
    if not shared or len(found) > 2:
        return ""
    printed = [one[shared[0]].printed for one in found]
    said = found[0][shared[0]].items
    items = said or fewest_items(printed, max(one[shared[0]].least for one in found))
    if items is None:
        return ""
    asked = ["--accuracy", *printed] if len(found) == 1 else ["--scores", *printed]
    command = " ".join(["outscore", "plan", *asked, "--n", str(items)])
    about = " ".join(shared[0])
    if said is None:
        return (
            f" How many items there are is not said; what {about} would tell with the fewest that give such scores is said by "
            f"`{command}`."
        )
    return f" Until then, what its {about} can tell is said by `{command}`."


def fewest_items(printed: Sequence[str], least: int = 1) -> int | None:
    """The smallest number of items, `least` or more, of which some number is each of these shares, as it is printed.

    Examples
    --------
    >>> fewest_items(["0.825", "0.525"]), fewest_items(["0.5"]), fewest_items(["1.5"])
    (40, 2, None)
    """
    shares = [(float(text), len(text.partition(".")[2])) for text in printed]
    if any(not 0 <= share <= 1 for share, _ in shares):
        return None
    sizes = range(least, least + MOST_ITEMS)
    return next((n for n in sizes if all(round(round(share * n) / n, digits) == share for share, digits in shares)), None)
