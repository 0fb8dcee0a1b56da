"""A listing of logs: what was found, every score, and the command that comes next."""

from __future__ import annotations

from outscore.report.build.common import bare, facts_block, settings
from outscore.report.build.kind import Kind
from outscore.report.charts.canvas import stylesheet
from outscore.report.document import Article, Document, Fact, Records, Screen, Section, Table, Verdict, clean
from outscore.report.rows.columns import Column, Text, digits, number, tabulate, words
from outscore.results.logs import LoggedEvaluation, LoggedScore, Logs
from outscore.results.note import note_texts

COLUMNS = (
    "harness", "system", "task", "filter", "items", "repeats", "rows", "score", "mean", "reported", "higher_is_better",
    "missing",
)  # fmt: skip
MAX_SHOWN = 14
"""How many rows fit on one screen with what stands around them."""
Logged = tuple[LoggedEvaluation, LoggedScore]


def _each(logs: Logs) -> list[Logged]:
    """Every score with its evaluation; one without a score says why."""
    listed = []
    for evaluation in logs.evaluations:
        unscored = {state: n for state, n in evaluation.states.items() if state != "scored"}
        listed += [(evaluation, score) for score in evaluation.scores or [LoggedScore("none", None, missing=unscored)]]
    return listed


def scores(logs: Logs) -> Table:
    """Every score of every system and task; empty columns are left out."""
    columns: list[Column[Logged]] = [
        words("system", lambda row: row[0].system),
        words("task", lambda row: row[0].task),
        words("filter", lambda row: row[0].filter or "none", when=any(one.filter for one in logs.evaluations)),
        Column("items", lambda row: row[0].items),
        Column("repeats", lambda row: row[0].repeats, "{:.3g}".format, when=any(one.repeats > 1 for one in logs.evaluations)),
        words("score", lambda row: row[1].name),
        Column("mean", lambda row: Text("texts") if row[1].corpus else row[1].value, number(4)),
        words("without a score", lambda row: ", ".join(f"{n:,} {reason}" for reason, n in row[1].missing.items())),
    ]
    return tabulate("scores", "Scores", columns, _each(logs))


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
    return Records(COLUMNS, tuple(_record(*row) for row in _each(logs)))


def _record(evaluation: LoggedEvaluation, score: LoggedScore) -> dict[str, object]:
    return {
        **digits(evaluation, "harness", "system", "task", "filter", "items", "repeats", "rows"),
        **digits(score, "reported", "higher_is_better", score="name", mean="value"),
        "missing": sum(score.missing.values()),
    }


def build(logs: Logs) -> Document:
    """The whole listing."""
    sections = (
        Section("answer", "", lambda: [_verdict(logs)]),
        Section("scores", "", lambda: [scores(logs)]),
        Section("facts", "", lambda: [facts_block(facts(logs))]).but("latex"),
        settings(logs.settings, "logs-settings"),
    )
    return Document("Contents of the logs", (Article("", "Contents of the logs", sections),), style=stylesheet)


def card(logs: Logs) -> Document:
    """The scores alone, for notebooks."""
    return Document("", (Article("", "", (Section("card", "", lambda: [_verdict(logs), scores(logs)]),)),))


def _verdict(logs: Logs) -> Verdict:
    line = clean(logs.verdict)
    return Verdict((line,), line.removesuffix("."), tone="told")


def screen(logs: Logs) -> Screen:
    """The first scores, what to be careful about, and the command that comes next."""
    table, found = scores(logs), {fact.label: fact for fact in facts(logs)}
    noted = tuple(fact for label in ("groups", "next") if (fact := found.get(label)) is not None)
    return Screen(clean(logs.verdict), noted, tuple(map(clean, note_texts(logs.notes))), (bare(table, most=MAX_SHOWN),), "told")


KIND = Kind(build, card, {"scores": records}, screen=screen)
