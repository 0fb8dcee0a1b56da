"""What files contain: logs of evaluation harnesses, tables, texts, and how they would be read."""

from __future__ import annotations

from dataclasses import field
from typing import Any, Literal

from outscore.core.records import brief_name, count_of, dataclass
from outscore.results.note import Note
from outscore.results.rendering import Result


@dataclass(frozen=True)
class LoggedScore:
    """One of the scores that a harness gave every row.

    Attributes
    ----------
    name
        Its name for `--metric`.
    value
        The mean over rows that have it, or over all rows if the harness's leaderboard counts the others as 0; None if there is
        none.
    reported
        What the log itself reports, if it does.
    higher_is_better
        The direction, if the log says it.
    missing
        How many rows have no score, by reason.
    corpus
        Whether the score is for the whole corpus, and rows contain texts.
    """

    name: str
    value: float | None
    reported: float | None = None
    higher_is_better: bool | None = None
    missing: dict[str, int] = field(default_factory=dict)
    corpus: bool = False


@dataclass(frozen=True)
class LoggedEvaluation:
    """One system on one task.

    Attributes
    ----------
    harness
        The format of the log.
    system, task, filter
        As the log names them; `filter` is None if the harness has no filters.
    items, repeats, rows
        How many items, how often each was run on average, and how many rows in all.
    scores
        The scores of the rows; empty if no row was scored.
    states
        How many rows were scored, failed, are empty, or were never run.
    groups
        Columns that items could be clustered or sliced by, with the number of their values.
    conditions
        The settings of the task: few-shot examples, limits, versions.
    files
        Its files.
    """

    harness: str
    system: str
    task: str
    filter: str | None
    items: int
    repeats: float
    rows: int
    scores: list[LoggedScore]
    groups: dict[str, int] = field(default_factory=dict)
    conditions: dict[str, str] = field(default_factory=dict)
    files: list[str] = field(default_factory=list)
    states: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class ShownColumn:
    """A column of a table.

    Attributes
    ----------
    part, name
        The part that it plays, None if it plays none, and its name.
    example
        Its first value.
    why
        Why it plays that part.
    kind
        Whether it holds numbers or text.
    """

    part: str | None
    name: str
    example: str = ""
    why: str = ""
    kind: Literal["", "number", "text"] = ""


@dataclass(frozen=True)
class ShownFile:
    """A file that is no log, or one that cannot be read.

    Attributes
    ----------
    path
        The file.
    format
        Its format; empty if it is not known.
    rows
        How many rows, segments or words it has, if that is known.
    systems
        The systems in it.
    columns
        The columns that play a part.
    reading
        How it would be read, in a sentence.
    problem
        Why it cannot be read; empty if it can.
    """

    path: str
    format: str = ""
    rows: int | None = None
    systems: list[str] = field(default_factory=list)
    columns: list[ShownColumn] = field(default_factory=list)
    reading: str = ""
    problem: str = ""


@dataclass(frozen=True, repr=False)
class Logs(Result):
    """What files contain: systems, tasks, filters, scores, items, repeats, rows without a score, and the parts of columns.

    Attributes
    ----------
    evaluations
        Those of logs, one by one, in the order of the files.
    next_command
        A command that compares, ranks or scores the systems; empty if there is none.
    verdict
        What was found, in a sentence.
    settings
        The settings that repeat the listing.
    notes
        Notes for the reader.
    files
        Files that are no logs, and files that cannot be read.
    commands
        Commands that the files can answer, the next one first.
    reading
        How a command would read the files, in a sentence, if it was asked for a dry run.
    schema
        The schema of the saved file.
    """

    evaluations: list[LoggedEvaluation]
    next_command: str
    verdict: str
    settings: dict[str, Any] = field(default_factory=dict)
    notes: list[Note] = field(default_factory=list)
    files: list[ShownFile] = field(default_factory=list)
    commands: list[str] = field(default_factory=list)
    reading: str = ""
    schema: Literal["outscore/logs/1"] = "outscore/logs/1"

    def _brief(self) -> str:
        systems = list(dict.fromkeys(one.system for one in self.evaluations))
        if not systems:
            return count_of(len(self.files), "file")
        return f"{len(self.evaluations)} of {', '.join(brief_name(name) for name in systems[:4])}"
