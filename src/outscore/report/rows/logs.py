"""The contents of logs, in rows of texts."""

from __future__ import annotations

from collections.abc import Iterator

from outscore.language.numbers import format_number
from outscore.report.document import Fact, Records, Table, clean, make_table
from outscore.results.logs import LoggedEvaluation, LoggedScore, Logs
from outscore.results.note import note_texts

COLUMNS = (
    "harness", "system", "task", "filter", "items", "repeats", "rows", "score", "mean", "reported", "higher_is_better",
    "missing",
)  # fmt: skip


def _each(logs: Logs) -> Iterator[tuple[LoggedEvaluation, LoggedScore]]:
    for evaluation in logs.evaluations:
        unscored = {state: number for state, number in evaluation.states.items() if state != "scored"}
        for score in evaluation.scores or [LoggedScore("none", None, missing=unscored)]:
            yield evaluation, score


def scores(logs: Logs) -> Table:
    """Every score of every system and task; empty columns are left out."""
    filtered = any(logged.filter for logged in logs.evaluations)
    repeated = any(logged.repeats > 1 for logged in logs.evaluations)
    head = ["system", "task", *(["filter"] if filtered else []), "items", *(["repeats"] if repeated else [])]
    rows = []
    for evaluation, score in _each(logs):
        named = [evaluation.system, evaluation.task, *([evaluation.filter or "none"] if filtered else [])]
        runs = [f"{evaluation.repeats:.3g}"] if repeated else []
        missing = ", ".join(f"{number:,} {reason}" for reason, number in score.missing.items())
        rows.append([*named, f"{evaluation.items:,}", *runs, score.name, _value(score), missing])
    align = "l" * (2 + filtered) + "r" * (1 + repeated) + "lrl"
    return make_table("scores", "Scores", [*head, "score", "mean", "without a score"], align, rows)


def _value(score: LoggedScore) -> str:
    if score.corpus:
        return "texts"
    return "" if score.value is None else format_number(score.value, 4)


def facts(logs: Logs) -> list[Fact]:
    """What else the logs say, without what is missing."""
    groups = {name: size for evaluation in logs.evaluations for name, size in evaluation.groups.items()}
    files = list(dict.fromkeys(file for evaluation in logs.evaluations for file in evaluation.files))
    conditions = {(name, text) for evaluation in logs.evaluations for name, text in evaluation.conditions.items()}
    listed = [
        ("groups", [", ".join(f"{name} ({size} values)" for name, size in groups.items())] if groups else []),
        ("settings", [f"{name}: {text}" for name, text in sorted(conditions)]),
        ("files", [f"{len(files)}: {', '.join(files[:3])}{', ...' if len(files) > 3 else ''}"]),
        ("next", [logs.next_command] if logs.next_command else []),
        ("notes", note_texts(logs.notes)),
    ]
    return [
        Fact(label, tuple(clean(line) for line in lines), guarded=label == "notes", command=label == "next")
        for label, lines in listed
        if lines
    ]


def records(logs: Logs) -> Records:
    """A record for every score, with all digits."""
    rows = [
        {
            "harness": evaluation.harness,
            "system": evaluation.system,
            "task": evaluation.task,
            "filter": evaluation.filter,
            "items": evaluation.items,
            "repeats": evaluation.repeats,
            "rows": evaluation.rows,
            "score": score.name,
            "mean": score.value,
            "reported": score.reported,
            "higher_is_better": score.higher_is_better,
            "missing": sum(score.missing.values()),
        }
        for evaluation, score in _each(logs)
    ]
    return Records(COLUMNS, tuple(rows))
