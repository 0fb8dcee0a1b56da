"""What the page shows of a file: its format, first rows, the part each column plays, its systems, and its uses.

This runs in a worker, since a file may be large, packed or broken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from outscore.core.errors import OutscoreError
from outscore.core.records import count_of
from outscore.formats.base.source import unpacks_to_more
from outscore.formats.logs.choose import has_answers
from outscore.formats.logs.evaluation import Evaluation
from outscore.formats.logs.find import is_companion, read_logs, recognise
from outscore.formats.logs.registry import LogEntry
from outscore.formats.registry import diff_task
from outscore.formats.tables import parquet
from outscore.scores.system import label_of
from outscore.web.form import SUFFIXES, names_in
from outscore.workflows.show.describe import MAX_SYSTEMS, FileDescription, describe, listed

LONGEST = 2_000
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
