"""A listing of files: what was found, every score, the parts of columns, and the commands that come next."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from outscore.core.records import brief_name
from outscore.language.numbers import count
from outscore.report.build.common import Kind, Line, bare, facts_block, settings, short_document
from outscore.report.document import Article, Block, Document, Fact, Records, Screen, Section, Table, Verdict, clean, statements
from outscore.report.rows.columns import Column, Text, between, digits, number, tabulate, words
from outscore.results.logs import LoggedEvaluation, LoggedScore, Logs, ShownColumn, ShownFile
from outscore.results.note import note_texts

COLUMNS = (
    "harness", "system", "task", "filter", "items", "repeats", "rows", "score", "mean", "reported", "higher_is_better",
    "missing",
)  # fmt: skip
MAX_SHOWN = 14
"""How many rows fit on one screen with what stands around them."""
MAX_TOLD = 4
"""How many readings of files, and how many reasons why files cannot be read, are told on one screen."""
PARTICULAR = re.compile(r"(?:(?:, | and )?`[^`]*`|\d[\d,]*)+")
"""Names and numbers, by which sentences differ that say the same."""
Logged = tuple[LoggedEvaluation, LoggedScore]
Played = tuple[ShownFile, ShownColumn]


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
        Column(
            "reported", lambda row: row[1].reported, number(4), when=any(row[1].reported is not None for row in _each(logs))
        ),
        words("without a score", lambda row: ", ".join(f"{n:,} {reason}" for reason, n in row[1].missing.items())),
    ]
    return tabulate("scores", "Scores", columns, _each(logs))


def by_task(logs: Logs) -> Table:
    """Every task and score in a row, with the systems that have it: more logs than fit on a screen, one by one."""
    rows: dict[tuple[str, str], list[Logged]] = {}
    for evaluation, score in _each(logs):
        rows.setdefault((evaluation.task, score.name), []).append((evaluation, score))

    def means(several: list[Logged]) -> str:
        values = [score.value for _, score in several if score.value is not None]
        ends = [f"{end(values):.3g}" for end in (min, max) if values]
        return " to ".join(dict.fromkeys(ends))

    def items(several: list[Logged]) -> Text:
        sizes = [evaluation.items for evaluation, _ in several]
        return between(min(sizes), max(sizes))

    def missing(several: list[Logged]) -> str:
        return f"{total:,}" if (total := sum(sum(score.missing.values()) for _, score in several)) else ""

    columns: list[Column[list[Logged]]] = [
        words("task", lambda row: brief_name(row[0][0].task)),
        words("score", lambda row: brief_name(row[0][1].name)),
        Column("systems", lambda row: len({evaluation.system for evaluation, _ in row})),
        Column("items", items),
        Column("means", lambda row: Text(means(row))),
        words("without a score", missing),
    ]
    return tabulate("tasks", "Tasks", columns, list(rows.values()))


def _alike(files: Sequence[ShownFile]) -> bool:
    """Whether the same columns play the same parts in all files."""
    return len({tuple((one.part, one.name, one.why) for one in file.columns) for file in files}) == 1


def parts(logs: Logs) -> Table:
    """The part of every column that plays one, with an example and the reason."""
    readable = [file for file in logs.files if file.columns]
    alike = _alike(readable)
    rows = [(file, column) for file in (readable[:1] if alike else readable) for column in file.columns]
    columns: list[Column[Played]] = [
        words("file", lambda row: row[0].path, when=not alike),
        words("part", lambda row: row[1].part),
        words("column", lambda row: row[1].name),
        words("example", lambda row: row[1].example),
        words("why", lambda row: row[1].why),
    ]
    return tabulate("parts", "How columns would be read", columns, rows)


def listed(files: Sequence[ShownFile]) -> Table:
    """Every file that is no log, with what it is or why it cannot be read."""
    columns: list[Column[ShownFile]] = [
        words("file", lambda file: file.path),
        words("format", lambda file: file.format),
        Column("rows", lambda file: file.rows),
        words("systems", lambda file: str(len(file.systems)) if file.systems else ""),
        words("cannot be read", lambda file: file.problem, when=any(file.problem for file in files)),
    ]
    return tabulate("files", "Files", columns, files)


def by_format(files: Sequence[ShownFile]) -> Table:
    """Every format in a row: more files than fit on a screen, one by one."""
    forms: dict[str, list[ShownFile]] = {}
    for file in files:
        forms.setdefault(file.format, []).append(file)

    def rows(several: list[ShownFile]) -> Text | None:
        known = [file.rows for file in several if file.rows is not None]
        return between(min(known), max(known)) if known else None

    columns: list[Column[list[ShownFile]]] = [
        words("format", lambda several: several[0].format),
        Column("files", len),
        Column("rows", rows),
        Column("systems", lambda several: len({name for file in several for name in file.systems})),
        words("for example", lambda several: several[0].path),
    ]
    return tabulate("formats", "Formats", columns, list(forms.values()))


def _tables(logs: Logs, *, short: bool) -> list[Table]:
    """What was found: scores of logs, files if there are several, and the parts of columns.

    On a `short` screen, the parts are those of files that are all alike, and what cannot be read is a fact.
    """
    tables = []
    if logs.evaluations:
        tables.append(by_task(logs) if short and len(_each(logs)) > MAX_SHOWN else scores(logs))
    readable = [file for file in logs.files if not file.problem]
    if not short and (len(logs.files) > 1 or len(readable) < len(logs.files)):
        tables.append(listed(logs.files))
    elif short and len(readable) > 1:
        tables.append(listed(_by_short_names(readable)) if len(readable) <= MAX_SHOWN else by_format(_by_short_names(readable)))
    if any(file.columns for file in logs.files) and (not short or _alike(readable)):
        tables.append(parts(logs))
    return tables


def _by_short_names(files: Sequence[ShownFile]) -> list[ShownFile]:
    """The files by their paths below the folder that holds them all."""
    if len({Path(file.path).anchor for file in files}) > 1:
        return list(files)
    folder = os.path.commonpath([Path(file.path).parent for file in files])
    return [replace(file, path=os.path.relpath(file.path, folder)) for file in files]


def _told(sentences: Sequence[str]) -> list[str]:
    """Each sentence once, as it is said of the first file, and of how many others it is true; not more than fit on a screen."""
    alike: dict[str, list[str]] = {}
    for sentence in sentences:
        alike.setdefault(PARTICULAR.sub("", sentence), []).append(sentence)
    told = [f"{first} ({count(len(others), 'other file')} likewise)" if others else first for first, *others in alike.values()]
    more = len(told) - MAX_TOLD
    return [*told[:MAX_TOLD], *([f"and {more} more (-v shows all)"] if more > 0 else [])]


def _problem(file: ShownFile) -> str:
    """Why a file cannot be read, with its name."""
    return file.problem if f"`{file.path}`" in file.problem else f"`{file.path}`: {file.problem}"


def facts(logs: Logs) -> tuple[Fact, ...]:
    """What else the logs say, without what is missing."""
    groups = {name: size for evaluation in logs.evaluations for name, size in evaluation.groups.items()}
    files = list(dict.fromkeys(file for evaluation in logs.evaluations for file in evaluation.files))
    more = ", ..." if len(files) > 3 else ""
    conditions = {(name, text) for evaluation in logs.evaluations for name, text in evaluation.conditions.items()}
    return statements(
        ("groups", [", ".join(f"{name} ({size} values)" for name, size in groups.items())] if groups else []),
        ("settings", [f"{name}: {text}" for name, text in sorted(conditions)]),
        ("files", [f"{len(files)}: {', '.join(files[:3])}{more}"] if files else []),
        ("read as", list(dict.fromkeys(filter(None, [logs.reading, *(file.reading for file in logs.files)])))),
        ("next", logs.commands or ([logs.next_command] if logs.next_command else [])),
        ("notes", note_texts(logs.notes)),
        commands="next",
    )


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
        # Each as wide as the page.
        *(Section(table.key, "", partial(list[Block], [table])) for table in _tables(logs, short=False)),
        Section("facts", "", lambda: [facts_block(facts(logs))]).but("latex"),
        settings(logs.settings, "logs-settings"),
    )
    title = "Contents of the logs" if logs.evaluations else "Contents of the files"
    return Document(title, (Article("", title, sections),))


def card(logs: Logs) -> Document:
    """The scores alone, for notebooks."""
    return short_document([_verdict(logs), *_tables(logs, short=True)])


def _verdict(logs: Logs) -> Verdict:
    line = clean(logs.verdict)
    return Verdict((line,), line.removesuffix("."), tone="told")


def screen(logs: Logs) -> Screen:
    """The first scores, what to be careful about, and the command that comes next."""
    read = _told([reading for reading in (logs.reading, *(file.reading for file in logs.files)) if reading])
    problems = _told([_problem(file) for file in logs.files if file.problem])
    found = {fact.label: fact for fact in (*facts(logs), *statements(("read as", read), ("not read", problems)))}
    noted = tuple(found[label] for label in ("groups", "read as", "not read", "next") if label in found)
    tables = tuple(bare(table, most=MAX_SHOWN) for table in _tables(logs, short=True))
    # Why a file cannot be read is said once.
    notes = [text for text in note_texts(logs.notes) if not any(file.problem and file.problem in text for file in logs.files)]
    return Screen(_verdict(logs).headline, noted, tuple(map(clean, notes)), tables, "told")


def lines(logs: Logs) -> list[Line]:
    """Every score of logs, or every file, as keys and values."""
    if not logs.evaluations:
        return [{"file": one.path, "format": one.format, "rows": one.rows, "systems": len(one.systems)} for one in logs.files]
    return [
        {"system": one.system, "task": one.task, "metric": score.name, "score": score.value, "n": one.items}
        for one, score in _each(logs)
    ]


KIND = Kind(build, card, {"scores": records}, screen=screen, lines=lines)
