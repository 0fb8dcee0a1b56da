"""What a log says: one system on one task, row by row, with every score that its harness gave.

A row is one run of one item. Formats make `Row`s; `Evaluation.of` puts them into columns. Nothing is decided here: rows that
have no score keep the reason, measures keep the total that the harness printed, and `choose` picks among them.
"""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import field, replace
from typing import Any, Literal, NamedTuple, NoReturn

import msgspec
import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.numeric import Array
from outscore.core.records import Brief, count_of, dataclass
from outscore.formats.tables.names import is_answer_field
from outscore.scores.align import encode_together
from outscore.scores.join import repeats_of_run
from outscore.scores.system import Labels, Origin, label_of

State = Literal["scored", "unscored", "errored", "empty", "not run"]
STATES: tuple[State, ...] = ("scored", "unscored", "errored", "empty", "not run")
"""Why a row has a score or has none: it was not scored, its run failed, there was no output, or it was never run."""

NOWHERE = (-1, -1)
"""The place of a row that was never run."""
NOT_RUN = "(not run)"
"""The group of a row that was never run, whose group is not known."""
# Columns with more values than this tell items apart instead of grouping them.
_MAX_SHARE = 0.5


class Row(msgspec.Struct, gc=False):
    """One run of one item.

    `scores` are by measure, NaN where the harness could give none; without a `state`, they say whether the row is scored.
    `content` identifies the question whatever its id; `groups` are columns the item could be clustered or sliced by. Rows of
    one `part` belong to the same system and filter. `line` is that of the file, where it has lines, and `place` where the
    sample can be found again.
    """

    item: str
    scores: Mapping[str, float]
    state: State | None = None
    repeat: str | None = None
    content: str | None = None
    groups: Mapping[str, str] = {}
    part: Hashable = None
    line: int | None = None
    place: tuple[int, int] = NOWHERE


class Exchange(NamedTuple):
    """What was asked, what was expected and what the system answered, as far as the log has it."""

    question: str | None
    target: str | None
    answer: str | None


NOTHING = Exchange(None, None, None)


def exchange_of(*values: object) -> Exchange:
    """Question, right answer and answer, whatever they are, as texts."""
    return Exchange(*(None if value is None else str(value) for value in values))


@dataclass(frozen=True, eq=False)
class Measure:
    """One score of every row.

    Parameters
    ----------
    values
        A number for each row, NaN where it has none.
    higher_is_better
        The direction, if the log says it.
    total
        What the harness itself reports for all rows, if it does.
    corpus
        Whether rows hold texts to be scored together instead of numbers, so that `values` are all NaN.
    """

    values: Array
    higher_is_better: bool | None = None
    total: float | None = None
    corpus: bool = False


@dataclass(frozen=True, eq=False, repr=False)
class Evaluation(Brief):
    """One system on one task, as one or several files of a harness tell it.

    Parameters
    ----------
    harness
        The name of the format in the registry.
    system, task
        As the log names them.
    filter
        Which of several ways to read an answer the rows are scored by; None where the harness has one.
    origins
        The files.
    ids, repeats, contents
        The item of each row, which of its runs it is, and what identifies its question; None where the log does not say.
    states
        An index into `STATES` for each row.
    measures
        Scores by name.
    groups
        Columns that rows can be clustered or sliced by.
    conditions
        What has to be the same for two evaluations to be of the same task: few-shot examples, limits, versions.
    repeat_column
        What the log calls a repeat.
    zero_missing
        Whether boards of this harness count rows without a score as 0.
    needs_roster
        Whether the log leaves out items that failed, so that its rows alone say nothing.
    notes
        What the reader should know about how the log was read.
    exchanges
        Reads question and answers of some rows again, which are not kept.
    texts
        Reads the reference and the output of every row again, of a measure that scores the whole corpus.
    """

    harness: str
    system: str
    task: str
    filter: str | None
    origins: tuple[Origin, ...]
    ids: Labels
    states: Array
    measures: Mapping[str, Measure]
    repeats: Labels | None = None
    contents: Labels | None = None
    groups: Mapping[str, Labels] = field(default_factory=dict)
    conditions: Mapping[str, str] = field(default_factory=dict)
    repeat_column: str = "repeat"
    zero_missing: bool = False
    needs_roster: bool = False
    notes: tuple[str, ...] = ()
    exchanges: Callable[[Sequence[int]], list[Exchange]] | None = None
    texts: Callable[[str], list[tuple[str, str]]] | None = None

    @property
    def rows(self) -> int:
        """The number of rows."""
        return len(self.ids)

    @property
    def suggested(self) -> dict[str, int]:
        """Columns that items could be clustered by, with the number of their values: several, and recurring."""
        items = len(self.ids.names)
        sizes = {name: len([label for label in labels.names if label != NOT_RUN]) for name, labels in self.groups.items()}
        return {
            name: size
            for name, size in sizes.items()
            # Items with the same right answer do not depend on one another.
            if 1 < size <= max(2, _MAX_SHARE * items) and not is_answer_field(name)
        }

    @property
    def label(self) -> str:
        """What messages call the log: its file, or the first of several."""
        first = label_of(self.origins[0].path)
        return first if len(self.origins) == 1 else f"{first} and {count_of(len(self.origins) - 1, 'other part')}"

    def refuse(self, finding: str, cure: str, parameter: str | None = None) -> NoReturn:
        """Refuse the log: what is wrong follows its name in the sentence."""
        raise OutscoreError(f"{self.label}{finding}", cure, parameter=parameter, file=self.origins[0].path)

    def counted(self, values: Array) -> Array:
        """What a total is about: the scores there are, with 0 for the others where these count as 0."""
        return np.nan_to_num(values, nan=0.0) if self.zero_missing else values[~np.isnan(values)]

    @property
    def counts(self) -> dict[str, int]:
        """How many rows there are in each state."""
        counts = Counter(STATES[state] for state in self.states.tolist())
        return {state: counts[state] for state in STATES if counts[state]}

    def missing(self, measure: str) -> dict[str, int]:
        """How many rows have no score, by reason."""
        unscored = np.isnan(self.measures[measure].values)
        counts = Counter(STATES[state] for state in self.states[unscored].tolist())
        # A row of the harness that counts as scored may lack one of several scores.
        counts["unscored"] += counts.pop("scored", 0)
        return {state: counts[state] for state in STATES if counts[state]}

    def _brief(self) -> str:
        filtered = "" if self.filter is None else f" ({self.filter})"
        return f"{self.system} on {self.task}{filtered}: {count_of(self.rows, 'row')}, {', '.join(self.measures)}"

    @classmethod
    def of(
        cls,
        rows: Sequence[Row],
        *,
        harness: str,
        system: str,
        task: str,
        origin: Origin,
        filter: str | None = None,  # noqa: A002 - what the harness calls it
        directions: Mapping[str, bool | None] | bool | None = None,
        totals: Mapping[str, float | None] | None = None,
        corpus: Collection[str] = (),
        conditions: Mapping[str, object] | None = None,
        **more: Any,  # noqa: ANN401 - the remaining fields, by name
    ) -> Evaluation:
        """Put rows into columns; `totals` are by measure, and so are `directions` unless all are the same.

        `corpus` names measures that have no numbers. Totals and conditions that are None are not known.
        """
        _refuse_twice(rows, origin)
        nan = math.nan
        reported = {name: total for name, total in (totals or {}).items() if total is not None and not math.isnan(total)}
        measures = {}
        for name in dict.fromkeys(name for row in rows for name in row.scores):
            values = np.array([row.scores.get(name, nan) for row in rows], dtype=np.float64)
            better = directions.get(name) if isinstance(directions, Mapping) else directions
            measures[name] = Measure(values, better, reported.get(name), corpus=name in corpus)
        codes = {state: code for code, state in enumerate(STATES)}
        return cls(
            harness,
            system,
            task,
            filter,
            (origin,),
            Labels.of(row.item for row in rows),
            np.array([codes[row.state or _state_of(row.scores)] for row in rows], dtype=np.int8),
            measures,
            _labels([row.repeat for row in rows]),
            # Rows that were never run have no question to compare.
            _labels(["" if row.state == "not run" else row.content for row in rows]),
            _groups(rows),
            {name: str(value) for name, value in (conditions or {}).items() if value is not None},
            **more,
        )


def _state_of(scores: Mapping[str, float]) -> State:
    return "unscored" if all(map(math.isnan, scores.values())) else "scored"


def drop_single_runs(_: object, rows: list[Row]) -> list[Row]:
    """The rows, whose number of the run says nothing where all are of the same run."""
    if len({row.repeat for row in rows}) == 1:
        for row in rows:
            row.repeat = None
    return rows


def digest_of(question: object) -> str:
    """What identifies a question: the digest of its text, or of values as JSON."""
    return hashlib.sha256(question.encode() if isinstance(question, str) else msgspec.json.encode(question)).hexdigest()


def _refuse_twice(rows: Sequence[Row], origin: Origin) -> None:
    """Refuse a file that holds a run of an item twice: a mean would hide it, and counts would not."""
    if len({(row.item, row.repeat) for row in rows}) == len(rows):
        return
    lines: dict[tuple[str, str | None], int] = {}
    for number, row in enumerate(rows, 1):
        unit, place = ("row", number) if row.line is None else ("line", row.line)
        first = lines.setdefault((row.item, row.repeat), place)
        if first != place:
            run = "" if row.repeat is None else f", run {row.repeat}"
            twice = sum(count > 1 for count in Counter((row.item, row.repeat) for row in rows).values())
            more = "" if twice == 1 else f" It is one of {twice:,} such items."
            raise OutscoreError(
                f"{origin.label}, {unit} {place}: item `{row.item}`{run} is already on {unit} {first}.{more}",
                "Remove the rows that were written twice, or run the evaluation again.",
                file=origin.path,
                line=row.line,
            )


def _labels(values: Sequence[str | None]) -> Labels | None:
    return None if any(value is None for value in values) else Labels.of(values)


def _groups(rows: Sequence[Row]) -> dict[str, Labels]:
    """Columns that every row has which was run."""
    names = dict.fromkeys(name for row in rows for name in row.groups)
    run = [row for row in rows if row.state != "not run"]
    return {
        name: Labels.of(row.groups.get(name, NOT_RUN) for row in rows)
        for name in names
        if all(name in row.groups for row in run)
    }


def list_counts(counts: Mapping[str, int]) -> str:
    """Rows by state, in words.

    Examples
    --------
    >>> list_counts({"errored": 1200, "empty": 1})
    '1,200 errored, 1 empty'
    """
    return ", ".join(f"{count:,} {state}" for state, count in counts.items())


def join_runs(runs: Sequence[Sequence[Evaluation]], name: str) -> list[Evaluation]:
    """The evaluations of a system that was run several times, each time into files of its own, with the runs as repeats.

    The system is called `name`, unless all of its files agree on what it is called.
    """
    systems = {evaluation.system for run in runs for evaluation in run}
    system = systems.pop() if len(systems) == 1 else name
    together: dict[tuple[str, str | None], list[Evaluation]] = {}
    for number, run in enumerate(runs, 1):
        for evaluation in run:
            repeats = repeats_of_run(number, evaluation.repeats, evaluation.rows)
            key = (evaluation.task, evaluation.filter)
            together.setdefault(key, []).append(replace(evaluation, system=system, repeats=repeats))
    return [join_parts(parts) for parts in together.values()]


def with_roster(evaluation: Evaluation, items: Sequence[str]) -> Evaluation:
    """An evaluation with a row that was never run for each of these items that it has no row of."""
    known = set(evaluation.ids.names)
    repeat = None if evaluation.repeats is None else evaluation.repeats[0]
    groups = dict.fromkeys(evaluation.groups, NOT_RUN)
    added = [Row(item, {}, "not run", repeat, groups=groups) for item in items if item not in known]
    if not added:
        return evaluation
    unrun = Evaluation.of(
        added,
        harness=evaluation.harness,
        system=evaluation.system,
        task=evaluation.task,
        origin=evaluation.origins[0],
        conditions=evaluation.conditions,
        exchanges=lambda wanted: [NOTHING] * len(wanted),
    )
    return replace(joined([evaluation, unrun]), origins=evaluation.origins)


def join_parts(parts: Sequence[Evaluation]) -> Evaluation:
    """Several files of one system and task as one evaluation; rows that are in two of them are refused."""
    if len(parts) == 1:
        return parts[0]
    seen: dict[tuple[str, str | None], Evaluation] = {}
    for part in parts:
        repeats = part.repeats
        for row, item in enumerate(part.ids.texts()):
            key = (item, None if repeats is None else repeats[row])
            other = seen.setdefault(key, part)
            if other is not part:
                raise OutscoreError(
                    f"{other.label} and {part.label} both contain {part.system} on {part.task}, item `{item}`.",
                    "Name the run that you mean instead of the folder, or give the runs as two systems.",
                    file=part.origins[0].path,
                )
    return joined(parts)


def joined(parts: Sequence[Evaluation]) -> Evaluation:
    """The rows of several evaluations one below the other, under the names of the first."""
    first = parts[0]
    if len(parts) == 1:
        return first
    names = dict.fromkeys(name for part in parts for name in part.measures)
    groups = {name: _joined_labels([part.groups.get(name) for part in parts]) for name in first.groups}
    return replace(
        first,
        origins=tuple(origin for part in parts for origin in part.origins),
        ids=Labels(*encode_together([part.ids for part in parts])),
        states=np.concatenate([part.states for part in parts]),
        measures={name: _joined_measure([part.measures.get(name) for part in parts], parts) for name in names},
        repeats=_joined_labels([part.repeats for part in parts]),
        contents=_joined_labels([part.contents for part in parts]),
        groups={name: labels for name, labels in groups.items() if labels is not None},
        conditions={
            name: text for name, text in first.conditions.items() if all(part.conditions.get(name) == text for part in parts)
        },
        notes=tuple(dict.fromkeys(note for part in parts for note in part.notes)),
        exchanges=_joined_exchanges(parts),
        texts=None,
    )


def _joined_measure(measures: Sequence[Measure | None], parts: Sequence[Evaluation]) -> Measure:
    values = [
        np.full(part.rows, math.nan) if measure is None else measure.values
        for measure, part in zip(measures, parts, strict=True)
    ]
    present = [measure for measure in measures if measure is not None]
    scored = [len(part.counted(scores)) for scores, part in zip(values, parts, strict=True)]
    total, rows = None, sum(scored)
    if rows and all(measure is not None and measure.total is not None for measure in measures):
        # The total of all parts is nowhere printed: it is that of each, by the rows that it is about.
        total = sum((measure.total or 0.0) * count for measure, count in zip(present, scored, strict=True)) / rows
    corpus = any(measure.corpus for measure in present)
    return Measure(np.concatenate(values), present[0].higher_is_better, total, corpus=corpus)


def _joined_labels(columns: Sequence[Labels | None]) -> Labels | None:
    known = [labels for labels in columns if labels is not None]
    return Labels(*encode_together(known)) if len(known) == len(columns) else None


def _joined_exchanges(parts: Sequence[Evaluation]) -> Callable[[Sequence[int]], list[Exchange]] | None:
    readers = [part.exchanges for part in parts if part.exchanges is not None]
    if len(readers) < len(parts):
        return None
    starts = np.cumsum([0, *(part.rows for part in parts)])

    def read(rows: Sequence[int]) -> list[Exchange]:
        exchanges = []
        for row in rows:
            place = int(np.searchsorted(starts, row, side="right")) - 1
            exchanges += readers[place]([row - int(starts[place])])
        return exchanges

    return read
