"""The scores of the systems in logs, and everything that was decided on the way to them.

Rows without a score never count as 0 silently: by default a log that has some is refused with their numbers, and `missing` says
whether they are dropped or count as 0. Leaderboards of some harnesses count them as 0; that is then the default, with a note.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import Final, NamedTuple

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.numeric import LARGEST_SCORE, Array, as_integers
from outscore.core.options import did_you_mean
from outscore.core.records import count_of, dataclass
from outscore.formats.base.pipes import is_nameless
from outscore.formats.base.source import stem_of
from outscore.formats.logs.choose import (
    LogQuestion,
    check_same,
    check_total,
    choose_filter,
    choose_measure,
    choose_systems,
    choose_task,
    constant_in,
    name_tasks,
)
from outscore.formats.logs.document import open_document
from outscore.formats.logs.evaluation import Evaluation, join_parts, joined, list_counts, with_roster
from outscore.formats.logs.find import read_runs
from outscore.results.design import Missing
from outscore.results.note import Note
from outscore.scores.system import Labels, Scores

STOP: Final = "stop"
DROP: Final = "drop"
ZERO: Final = "zero"


@dataclass(frozen=True, eq=False)
class LogSystems:
    """What was chosen from logs.

    Parameters
    ----------
    scores
        One entry for each system, its tasks as datasets if there are several.
    evaluations
        Where each row comes from: the evaluations of each system, in the order of its rows.
    measure, higher_is_better
        The score that was taken, and its direction where the logs say it.
    missing
        Rows without a score, by system, of those that have some.
    notes
        What was decided, for the report.
    """

    scores: list[Scores]
    evaluations: list[list[Evaluation]]
    measure: str
    higher_is_better: bool | None
    missing: dict[str, Missing]
    notes: tuple[Note, ...]

    @property
    def is_corpus(self) -> bool:
        """Whether the score is one of the whole corpus, of which logs hold the texts; `scores` is then empty."""
        return any(one.measures[self.measure].corpus for evaluations in self.evaluations for one in evaluations)


def read_systems(
    paths: Sequence[str | os.PathLike[str]], question: LogQuestion, *, format: str | None = None, several: bool = False
) -> LogSystems:
    """The systems at these paths; several tasks are datasets if `several` is true, and refused otherwise.

    A system that is found at two paths with the same items is two systems, called after the paths.
    """
    if question.qrels is None:
        by_path = [(os.fspath(path), read_runs(path, format, question.task)) for path in paths]
    else:
        judge = _judge_of(question.qrels)
        by_path = [(os.fspath(path), [judge(os.fspath(path), question.qrels, question.measure)]) for path in paths]
    tasks = {evaluation.task for _, evaluations in by_path for evaluation in evaluations}
    logged = name_apart([(path, name_tasks(evaluations, tasks, question.task)) for path, evaluations in by_path])
    chosen, measure, totals = choose_evaluations(logged, question, several=several)
    notes = [Note("input", text) for evaluation in chosen for text in evaluation.notes]
    if question.measure is None:
        notes += _measure_notes(chosen, measure)
    if totals:
        notes.append(Note("input", f"Rows add up to what the logs report: {measure} {', '.join(totals)}."))
    systems = list(dict.fromkeys(evaluation.system for evaluation in chosen))
    by_system = [[evaluation for evaluation in chosen if evaluation.system == system] for system in systems]
    if any(evaluation.measures[measure].corpus for evaluation in chosen):
        return LogSystems([], by_system, measure, _direction(chosen, measure), {}, tuple(dict.fromkeys(notes)))
    missing = {one.system: one for several in by_system if (one := _missing(several, measure, question.missing)).reasons}
    if question.missing is None and missing:
        notes.append(_board_note(missing.values()))
    notes += _cluster_notes(chosen, question)
    several_tasks = len({evaluation.task for evaluation in chosen}) > 1
    scores = [_scores(evaluations, measure, question, datasets=several_tasks) for evaluations in by_system]
    return LogSystems(scores, by_system, measure, _direction(chosen, measure), missing, tuple(dict.fromkeys(notes)))


def _measure_notes(chosen: Sequence[Evaluation], measure: str) -> list[Note]:
    """Why one of several scores was taken: of several that differ and vary, one has to be named."""
    others = [name for name in chosen[0].measures if name != measure and all(name in one.measures for one in chosen)]
    constants = {name: value for name in others if (value := constant_in(chosen, name)) is not None}
    same = [name for name in others if name not in constants]
    notes = [f"`{name}` is {value:g} on every row, so `{measure}` is taken." for name, value in constants.items()]
    if same:
        notes.append(f"{' and '.join(f'`{name}`' for name in (measure, *same))} are the same on every row.")
    return [Note("input", text) for text in notes]


def _judge_of(judgements: str) -> Callable[[str, str, str | None], Evaluation]:
    """What evaluates runs by a file: relevance judgements of documents, or the right answers."""
    from outscore.formats.logs.judged import evaluate_answers
    from outscore.formats.logs.retrieval import are_qrels, evaluate_run

    return evaluate_run if are_qrels(judgements) else evaluate_answers


class Chosen(NamedTuple):
    """What a question is about; `totals` are those of the logs that the rows were found to add up to."""

    evaluations: list[Evaluation]
    measure: str
    totals: list[str]


def choose_evaluations(evaluations: Sequence[Evaluation], question: LogQuestion, *, several: bool = False) -> Chosen:
    """The evaluations and the measure that a question is about; a question that they cannot answer is refused."""
    of_systems = choose_systems(evaluations, question.systems)
    chosen = choose_filter(choose_task(of_systems, question.task, several=several), question.filter)
    chosen = _complete(chosen, question.roster)
    measure = choose_measure(chosen, question.measure)
    for evaluation in chosen:
        _check_size(evaluation, measure)
    totals: list[str] = []
    if not question.force_same:
        check_same(chosen)
        totals = [total for evaluation in chosen if (total := check_total(evaluation, measure)) is not None]
    if not any(evaluation.measures[measure].corpus for evaluation in chosen):
        _refuse_missing(chosen, measure, question.missing)
    return Chosen(chosen, measure, totals)


def _complete(evaluations: list[Evaluation], roster: str | None) -> list[Evaluation]:
    """The evaluations with a row for every item of the roster, as which a number of items is enough.

    Items that no log names failed everywhere, so it does not matter what they are called.
    """
    if roster is None:
        for evaluation in evaluations:
            if evaluation.needs_roster:
                finding = f" names only {count_of(evaluation.rows, 'item')}: those that failed its tests are not among them."
                evaluation.refuse(
                    finding, "List all items in a file, or give their number: --roster FILE or --roster 300.", "roster"
                )
        return evaluations
    named = dict.fromkeys(item for evaluation in evaluations for item in evaluation.ids.names)
    if roster.isdecimal():
        if int(roster) < len(named):
            message = f"--roster {roster} is fewer than the {count_of(len(named), 'item')} that the logs name."
            raise OutscoreError(message, "Give the number of all items of the benchmark.", parameter="roster")
        items = [*named, *(f"unnamed {number}" for number in range(1, int(roster) - len(named) + 1))]
    else:
        items = _listed(roster)
        strange = sorted(named.keys() - set(items))
        if strange:
            message = f"`{roster}` does not list `{strange[0]}`, of which the logs have a row."
            raise OutscoreError(message, "Give the list of all items of the benchmark.", parameter="roster", file=roster)
    return [with_roster(evaluation, items) for evaluation in evaluations]


def _listed(path: str) -> list[str]:
    """The items of a file: a JSON list of them, or one on each line."""
    with open_document(path) as document:
        if bytes(document.data[:64]).lstrip().startswith(b"["):
            listed: list[str] = document.decode_all(list[str])
        else:
            listed = [bytes(piece.data).decode(errors="replace").strip() for piece in document.lines()]
        if not listed:
            document.refuse(" lists no item.", "Write one id on each line.")
    return list(dict.fromkeys(listed))


def _check_size(evaluation: Evaluation, measure: str) -> None:
    """Refuse scores that are not finite, or whose squares are not."""
    values = evaluation.measures[measure].values
    wrong = np.flatnonzero(np.abs(values) > LARGEST_SCORE)
    if len(wrong):
        row = int(wrong[0])
        written = f"{values[row]:.3g}" if np.isfinite(values[row]) else "an infinite number"
        place = f": item `{evaluation.ids[row]}` of {evaluation.system}"
        cure = f"Choose another score with --metric, or rescale it below {LARGEST_SCORE:.0e}."
        evaluation.refuse(f"{place} has {written} as `{measure}`, which is too large to compute with.", cure, "metric")


def name_apart(by_path: Sequence[tuple[str, list[Evaluation]]]) -> list[Evaluation]:
    """All evaluations, those of one system at several paths renamed after these unless they are parts of one another."""
    places: dict[tuple[str, str, str | None], list[tuple[str, Evaluation]]] = {}
    for path, evaluations in by_path:
        for evaluation in evaluations:
            places.setdefault((evaluation.system, evaluation.task, evaluation.filter), []).append((path, evaluation))
    joined = []
    for (system, _, _), entries in places.items():
        parts = [evaluation for _, evaluation in entries]
        items = [set(part.ids.names) for part in parts]
        if len(parts) == 1 or sum(map(len, items)) == len(set().union(*items)):
            joined.append(join_parts(parts))
            continue
        names = _short_names([path for path, _ in entries])
        joined += [replace(part, system=f"{system} ({name})") for part, name in zip(parts, names, strict=True)]
    return joined


def _short_names(paths: Sequence[str]) -> list[str]:
    """What tells paths apart: their last parts, or the whole of them."""
    last = [stem_of(path) if is_nameless(path) else PurePath(path).name for path in paths]
    return last if len(set(last)) == len(last) else list(paths)


def _refuse_missing(evaluations: Sequence[Evaluation], measure: str, treatment: str | None) -> None:
    """Refuse rows without a score, system by system, unless the caller decided how to treat them."""
    refused = []
    for evaluation in evaluations:
        missing = evaluation.missing(measure)
        if missing and _treatment(evaluation, treatment) == STOP:
            rows = f"{sum(missing.values()):,} of {count_of(evaluation.rows, 'row')}"
            refused.append(f"{evaluation.system} has no score on {rows} ({list_counts(missing)})")
    if refused:
        raise OutscoreError(
            f"{'; '.join(refused)}.",
            "Decide how to treat them: --missing drop leaves them out, --missing zero counts them as 0.",
            parameter="missing",
        )
    _refuse_zero(evaluations, measure, treatment)


def _missing(evaluations: Sequence[Evaluation], measure: str, treatment: str | None) -> Missing:
    """What has no score of one system, all tasks together."""
    counts: Counter[str] = Counter()
    for evaluation in evaluations:
        counts.update(evaluation.missing(measure))
    return Missing(
        evaluations[0].system,
        counts["errored"],
        counts["unscored"],
        counts["empty"],
        counts["not run"],
        ZERO if _treatment(evaluations[0], treatment) == ZERO else DROP,
    )


def _board_note(missing: Iterable[Missing]) -> Note:
    """A note that rows without a score count as 0 by default."""
    rows = "; ".join(f"{one.system} {list_counts(one.reasons)}" for one in missing)
    return Note("reading", f"Rows without a score count as 0, as on the leaderboards of their harness: {rows}.")


def missing_notes(missing: Iterable[Missing]) -> list[Note]:
    """What became of rows without a score, for results that have no line of their own for it."""
    treatments = {DROP: "are left out", ZERO: "count as 0"}
    return [
        Note("data", f"Rows of {one.system} without a score {treatments[one.treatment]}: {list_counts(one.reasons)}.")
        for one in missing
    ]


def _treatment(evaluation: Evaluation, treatment: str | None) -> str:
    if treatment is not None:
        return treatment
    return ZERO if evaluation.zero_missing else STOP


def _refuse_zero(evaluations: Sequence[Evaluation], measure: str, treatment: str | None) -> None:
    """Refuse to give what was never scored the best score there is."""
    if treatment == ZERO and _direction(evaluations, measure) is False:
        raise OutscoreError(
            f"`{measure}` is better the lower it is, so 0 for a missing score would be the best score of all.",
            "Leave them out with --missing drop.",
            parameter="missing",
        )


def _cluster_notes(evaluations: Sequence[Evaluation], question: LogQuestion) -> list[Note]:
    """An offer of the columns by which items could be clustered."""
    suggested = evaluations[0].suggested
    if question.cluster is not None or not suggested:
        return []
    offers = ", ".join(f"`{name}` ({count_of(size, 'value')})" for name, size in suggested.items())
    advice = "if items of a group depend on one another, name that column with --cluster"
    return [Note("design", f"The logs group items by {offers}: {advice}.")]


def _direction(evaluations: Sequence[Evaluation], measure: str) -> bool | None:
    return next((higher for one in evaluations if (higher := one.measures[measure].higher_is_better) is not None), None)


def _scores(evaluations: Sequence[Evaluation], measure: str, question: LogQuestion, *, datasets: bool) -> Scores:
    names = [name for name in (question.cluster, *question.slices) if name not in (None, "none")]
    for evaluation in evaluations:
        for name in names:
            if name not in evaluation.groups:
                cure = did_you_mean(str(name), evaluation.groups) if evaluation.groups else "It has none."
                evaluation.refuse(f" has no column `{name}` that its items could be grouped by.", cure, "cluster")
    parts = [_values(evaluation, measure, question) for evaluation in evaluations]
    whole, values = joined(evaluations), np.concatenate(parts)
    rows = np.flatnonzero(~np.isnan(values))

    def kept(labels: Labels) -> Labels:
        return Labels.of(labels.take(rows).texts())

    tasks = Labels(np.repeat(np.arange(len(parts)), [len(part) for part in parts]), [one.task for one in evaluations])
    first = evaluations[0]
    return Scores(
        first.system,
        as_integers(values[rows]),
        kept(whole.ids),
        None if whole.repeats is None else kept(whole.repeats),
        kept(whole.groups[str(question.cluster)]) if question.cluster in names else None,
        kept(tasks) if datasets else None,
        {name: kept(whole.groups[name]) for name in question.slices},
        replace(first.origins[0], columns=_columns(first, measure, question)),
        answers=_answers(whole, rows) if question.answers else None,
    )


def _answers(whole: Evaluation, rows: Array) -> Labels | None:
    """What was answered on each row; None where a log does not say it."""
    texts = [None] if whole.exchanges is None else [exchange.answer for exchange in whole.exchanges(rows.tolist())]
    return None if None in texts else Labels.of(str(text).strip() for text in texts)


def _columns(evaluation: Evaluation, measure: str, question: LogQuestion) -> dict[str, tuple[str, ...]]:
    """Which part of the log plays which part of a table, for the line that says so."""
    columns = {
        **evaluation.origins[0].columns,
        "score": (measure,),
        "system": evaluation.origins[0].columns.get("system", ("model",)),
    }
    if evaluation.repeats is not None:
        columns["repeat"] = (evaluation.repeat_column,)
    if question.cluster not in (None, "none"):
        columns["cluster"] = (str(question.cluster),)
    if question.slices:
        columns["slice"] = tuple(question.slices)
    return columns


def _values(evaluation: Evaluation, measure: str, question: LogQuestion) -> Array:
    """The score of every row of one evaluation, NaN where it is left out."""
    values = evaluation.measures[measure].values
    if _treatment(evaluation, question.missing) == ZERO:
        return np.where(np.isnan(values), 0.0, values)
    if np.isnan(values).all():
        evaluation.refuse(f": {evaluation.system} has no score of `{measure}` at all.", "Score the run first.")
    return values
