"""Which task, filter and measure of a log is compared, and the answers that logs contain beside the right ones."""

from __future__ import annotations

import math
import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import NoReturn

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.numeric import Array
from outscore.core.options import did_you_mean
from outscore.core.records import count_of, dataclass
from outscore.formats.base.pipes import call_by_place
from outscore.formats.logs.document import UNNAMED_TASK
from outscore.formats.logs.evaluation import Evaluation, Exchange, list_counts
from outscore.formats.logs.find import read_logs
from outscore.formats.tables.cells import NO_LABEL
from outscore.formats.tables.names import join_names
from outscore.outputs.model import Items, OutputData
from outscore.scores.system import Labels

# Which task, filter and measure of a log is compared: the one asked for, or the only one; otherwise a list is the answer.
#
# Those chosen must be of the same questions under the same conditions: by content where a log has it, not by id alone.


FORCE = "If you know that they are the same, add --force-same."
# Harnesses round what they print, or add floats in another order.
TOLERANCE = 1e-6


@dataclass(frozen=True)
class LogQuestion:
    """What the caller asks of logs; None where nothing was said.

    `missing` is one of ``"stop"``, ``"drop"`` and ``"zero"``; `force_same` compares what the logs call different.
    `answers` asks for what was answered on each row, too; `roster` is a file of all items, or their
    number; `qrels` are the judgements of TREC runs.
    """

    task: str | None = None
    measure: str | None = None
    filter: str | None = None
    missing: str | None = None
    force_same: bool = False
    cluster: str | None = None
    slices: tuple[str, ...] = ()
    systems: tuple[str, ...] = ()
    answers: bool = False
    roster: str | None = None
    qrels: str | None = None


def choose_systems(evaluations: Sequence[Evaluation], names: Sequence[str]) -> list[Evaluation]:
    """The evaluations of the systems that are asked for, or of all."""
    systems = list(dict.fromkeys(evaluation.system for evaluation in evaluations))
    for name in names:
        _check_name(name, systems, "system", "system")
    return [evaluation for evaluation in evaluations if not names or evaluation.system in names]


def _check_name(name: str, names: Sequence[str], kind: str, parameter: str) -> None:
    if name not in names:
        cure = did_you_mean(name, names) or f"They contain {join_names(names)}."
        raise OutscoreError(f"The logs contain no {kind} `{name}`.", cure, parameter=parameter)


def name_tasks(evaluations: Sequence[Evaluation], tasks: Collection[str], task: str | None) -> list[Evaluation]:
    """The evaluations; a task that a pipe does not name is the one asked for, or the only one among all `tasks`."""
    candidates = {task} if task is not None else set(tasks) - {UNNAMED_TASK}
    if len(candidates) != 1:
        return list(evaluations)
    (only,) = candidates
    return [replace(one, task=only) if one.task == UNNAMED_TASK else one for one in evaluations]


def choose_task(evaluations: Sequence[Evaluation], task: str | None, *, several: bool = False) -> list[Evaluation]:
    """The evaluations of one task; all of them if `several` tasks can be taken together."""
    tasks = list(dict.fromkeys(evaluation.task for evaluation in evaluations))
    if task is not None:
        _check_name(task, tasks, "task", "log_task")
        return [evaluation for evaluation in evaluations if evaluation.task == task]
    if len(tasks) > 1 and not several:
        _refuse_strangers(evaluations)
        finding = f"The logs contain {len(tasks)} tasks: {join_names(tasks)}."
        raise OutscoreError(finding, "Choose one with --log-task NAME.", parameter="log_task")
    return list(evaluations)


def _refuse_strangers(evaluations: Sequence[Evaluation]) -> None:
    """Refuse several systems of which no two have a task in common: choosing a task would leave one of them."""
    systems = {task: {one.system for one in evaluations if one.task == task} for task in {one.task for one in evaluations}}
    if len({one.system for one in evaluations}) > 1 and all(len(names) == 1 for names in systems.values()):
        first, second = list({one.system: one.task for one in evaluations}.items())[:2]
        cure = "Give logs of the same task for every system."
        if UNNAMED_TASK in systems:
            cure = f"Say with --log-task which of these the pipe is: {join_names(sorted(set(systems) - {UNNAMED_TASK}))}."
        raise OutscoreError(
            f"The systems in the logs have no task in common: `{first[0]}` has `{first[1]}`, `{second[0]}` has `{second[1]}`.",
            cure,
            parameter="log_task",
        )


def choose_filter(evaluations: Sequence[Evaluation], name: str | None) -> list[Evaluation]:
    """The evaluations read by one filter; two of them are never pooled."""
    if name is not None:
        _check_name(name, list(dict.fromkeys(one.filter or "none" for one in evaluations)), "filter", "filter")
        return [one for one in evaluations if (one.filter or "none") == name]
    filters: dict[str, dict[str, None]] = {}
    for evaluation in evaluations:
        filters.setdefault(evaluation.task, {})[evaluation.filter or "none"] = None
    for task, names in filters.items():
        if len(names) > 1:
            finding = f"The answers of `{task}` were scored by {len(names)} filters: {join_names(list(names))}."
            raise OutscoreError(finding, "Choose one with --filter NAME.", parameter="filter")
    return list(evaluations)


def choose_measure(evaluations: Sequence[Evaluation], name: str | None) -> str:
    """The measure that all evaluations have: the one asked for, or the only one."""
    for evaluation in evaluations:
        if not evaluation.measures:
            reasons = list_counts(evaluation.counts)
            finding = f" contains no score of {evaluation.system} at all ({reasons})."
            evaluation.refuse(finding, "Run the evaluation again, or leave this log out.")
    shared = [measure for measure in evaluations[0].measures if all(measure in one.measures for one in evaluations)]
    telling = [measure for measure in shared if constant_in(evaluations, measure) is None]
    if name is None and len(telling) == 1:
        return telling[0]
    if name in shared or (name is None and (len(shared) == 1 or _are_same(evaluations, shared))):
        return name or shared[0]
    if name is not None:
        finding = f"The logs have no score `{name}` in common."
        cure = did_you_mean(name, shared) if shared else "Compare logs that were scored in the same way."
        if all(one.harness == "answers" for one in evaluations):
            finding = f"Answers beside a file of right ones have no score `{name}`."
            cure += " Metrics of classes, such as macro-f1, are for `outscore rank --task label`, with the same --gold."
    elif shared:
        finding, cure = f"The logs have {len(shared)} scores: {join_names(shared)}.", "Choose one with --metric NAME."
    else:
        first, last = (join_names(list(one.measures)) for one in (evaluations[0], evaluations[-1]))
        finding = f"The logs have no score in common: {first} in one, {last} in another."
        cure = "Compare logs that were scored in the same way."
    raise OutscoreError(finding, cure, parameter="metric")


def constant_in(evaluations: Sequence[Evaluation], measure: str) -> float | None:
    """The score that every row of every evaluation has by a measure, which then tells nothing; None if they differ."""
    found = [one.measures[measure] for one in evaluations]
    values = np.concatenate([one.values for one in found])
    same = len(values) > 0 and np.array_equal(values, np.full_like(values, values[0]), equal_nan=True)
    return float(values[0]) if same and not any(one.corpus for one in found) else None


def _are_same(evaluations: Sequence[Evaluation], names: Sequence[str]) -> bool:
    """Whether several measures are one under several names: every row has the same score by all of them."""
    for one in evaluations:
        first, *others = (one.measures[name] for name in names) if names else (None,)
        if first is None or first.corpus or len({one.measures[name].higher_is_better is False for name in names}) > 1:
            return False
        if not all(np.array_equal(first.values, other.values, equal_nan=True) for other in others):
            return False
    return True


def check_same(evaluations: Sequence[Evaluation]) -> None:
    """Refuse evaluations of one task whose conditions differ, or whose equal ids are of different questions."""
    by_task: dict[str, list[Evaluation]] = {}
    for evaluation in evaluations:
        by_task.setdefault(evaluation.task, []).append(evaluation)
    for same_task in by_task.values():
        for other in same_task[1:]:
            _check_conditions(same_task[0], other)
            _check_contents(same_task[0], other)


def _check_conditions(first: Evaluation, other: Evaluation) -> None:
    for name, text in first.conditions.items():
        value = other.conditions.get(name)
        if value is not None and value != text:
            _refuse_pair(first, other, f"were run differently on {first.task}: {name} {text} and {value}")
    if first.harness != other.harness:
        finding = f"{first.label} is from {first.harness} and {other.label} from {other.harness}"
        raise OutscoreError(f"{finding}, which may score answers differently.", FORCE, parameter="force_same")


def _check_contents(first: Evaluation, other: Evaluation) -> None:
    if first.contents is None or other.contents is None:
        return
    contents = {item: content for item, content in zip(first.ids.texts(), first.contents.texts(), strict=True) if content}
    pairs = zip(other.ids.texts(), other.contents.texts(), strict=True)
    different = [item for item, content in pairs if content and contents.get(item, content) != content]
    if different:
        share = f"{len(set(different)):,} of {len(contents):,} items, the first is `{different[0]}`"
        _refuse_pair(first, other, f"ask different questions under the same id: {share}")


def _refuse_pair(first: Evaluation, other: Evaluation, difference: str) -> NoReturn:
    raise OutscoreError(f"{first.label} and {other.label} {difference}.", FORCE, parameter="force_same")


def _agree(mean: float, total: float) -> bool:
    return math.isfinite(total) and abs(mean - total) <= TOLERANCE * max(1.0, abs(total))


def _mean_of_items(evaluation: Evaluation, values: Array) -> float:
    """The mean over items of their means over runs, which harnesses report where items were run unequally often."""
    scored = ~np.isnan(values)
    codes = evaluation.ids.codes[scored]
    runs = np.bincount(codes)
    means = np.bincount(codes, weights=values[scored])[runs > 0] / runs[runs > 0]
    return float(means.mean())


def check_total(evaluation: Evaluation, measure: str) -> str | None:
    """Refuse rows that do not add up to what the harness reports; otherwise what was checked, in a sentence.

    Rows without a score are left out, or count as 0, as their harness does.
    """
    scores = evaluation.measures[measure]
    values = np.nan_to_num(scores.values, nan=0.0) if evaluation.zero_missing else scores.values
    scored = evaluation.counted(values)
    if scores.total is None or not len(scored):
        return None
    mean = float(scored.mean())
    if not any(_agree(total, scores.total) for total in (mean, _mean_of_items(evaluation, values))):
        raise OutscoreError(
            f"{evaluation.label}: the rows of {evaluation.system} give {measure} {mean:.6g}, "
            f"but its log reports {scores.total:.6g}: rows are missing, or were written twice.",
            f"Run the evaluation again. {FORCE}",
            parameter="force_same",
        )
    return f"{evaluation.system} {scores.total:.6g}"


# The answers that logs contain beside the right ones, as outputs to be compared label by label.
#
# Harnesses judge answers in their own ways: a scorer may look for the target anywhere in a text. Here an answer is right if
# it equals the target; how often the score in the log disagrees is reported as part of the reading.


QUESTION = "question"
MAX_DISAGREEING = 0.1
"""If the log disagrees with the comparison about a larger share of the answers, they are not labels."""
FIRST_ROWS = 20
COMPARE = "Compare the scores with `outscore compare`."


def has_answers(evaluation: Evaluation) -> bool:
    """Whether the first rows of a log have answers beside the right ones, one row per item."""
    if evaluation.exchanges is None or len(evaluation.ids.names) < len(evaluation.ids):
        return False
    if evaluation.measures and all(measure.corpus for measure in evaluation.measures.values()):
        return False
    exchanges = evaluation.exchanges(range(min(FIRST_ROWS, len(evaluation.ids))))
    return any(exchange.target is not None and exchange.answer is not None for exchange in exchanges)


def read_answers(paths: Sequence[str | os.PathLike[str]], question: LogQuestion) -> OutputData[Items]:
    """The answers of all systems in these logs; a log without answers, or with several runs of an item, is refused."""
    # Logs hold the right answers, so none of them is gold: the first is of a system, too.
    call_by_place([os.fspath(path) for path in paths])
    read = read_logs(paths, task=question.task)
    named = name_tasks(read, {evaluation.task for evaluation in read}, question.task)
    evaluations = choose_systems(named, question.systems)
    chosen = choose_filter(choose_task(evaluations, question.task), question.filter)
    if not question.force_same:
        check_same(chosen)
    systems, reading, targets = {}, [], dict[str, str]()
    shown: dict[str, str] = {}
    for evaluation in chosen:
        exchanges = _exchanges(evaluation)
        _check_targets(evaluation, exchanges, targets)
        shown |= {item: one.question for item, one in exchanges.items() if one.question is not None}
        reading += _notes(evaluation, exchanges)
        systems[evaluation.system] = _items(evaluation, {item: one.answer for item, one in exchanges.items()})
    first = chosen[0]
    columns = first.origins[0].column("item") or "item"
    summary = f"{first.label}: answers in {first.harness} logs are compared with their targets; items are `{columns}`."
    gold = _gold(chosen, targets, shown)
    return OutputData(gold, systems, (summary, *dict.fromkeys(reading)))


def _exchanges(evaluation: Evaluation) -> dict[str, Exchange]:
    """What was asked, expected and answered, by item."""
    items = evaluation.ids.texts()
    if len(evaluation.ids.names) < len(items):
        runs = f"{len(items):,} runs of {count_of(len(evaluation.ids.names), 'item')}"
        evaluation.refuse(f" contains {runs}: only one label per item can be compared.", COMPARE)
    if all(measure.corpus for measure in evaluation.measures.values()) and evaluation.measures:
        evaluation.refuse(f": {evaluation.task} is scored as a whole, so its answers are texts, not labels.", COMPARE)
    if evaluation.exchanges is None:
        evaluation.refuse(" contains scores but no answers.", COMPARE)
    exchanges = dict(zip(items, evaluation.exchanges(range(len(items))), strict=True))
    lacking = [kind for kind in ("target", "answer") if all(getattr(one, kind) is None for one in exchanges.values())]
    if lacking:
        evaluation.refuse(f" contains no {lacking[0]} for any item.", COMPARE)
    return exchanges


def _check_targets(evaluation: Evaluation, exchanges: Mapping[str, Exchange], targets: dict[str, str]) -> None:
    """Take in the right answers of one more log; they must be those of the others."""
    for item, one in exchanges.items():
        if one.target is None:
            continue
        if targets.setdefault(item, one.target) != one.target:
            finding = f": the right answer to `{item}` is `{one.target}`, but `{targets[item]}` in another log."
            evaluation.refuse(finding, "Compare logs of the same questions.")


def _notes(evaluation: Evaluation, exchanges: Mapping[str, Exchange]) -> list[str]:
    """What has no answer or target, and how often the score in the log judges an answer differently."""
    system, notes = evaluation.system, []
    silent = sum(one.answer is None for one in exchanges.values())
    if silent:
        notes.append(f"{system} gave no answer to {count_of(silent, 'item')}; no answer counts as wrong.")
    targetless = sum(one.target is None for one in exchanges.values())
    if targetless:
        notes.append(f"Left out {count_of(targetless, 'item')} of {system} without a target.")
    judged = np.array([one.answer == one.target for one in exchanges.values()], dtype=float)
    per_item = {name: measure for name, measure in evaluation.measures.items() if not measure.corpus}
    disagreements = {name: _disagreements(measure.values, judged) for name, measure in per_item.items()}
    if not disagreements:
        return notes
    # Of several scores, the one that calls most answers right or wrong tells whether they are labels.
    name, (different, judgements) = min(disagreements.items(), key=lambda entry: (-entry[1][1], entry[1][0]))
    if different > MAX_DISAGREEING * judgements:
        share = f"{different:,} of {count_of(judgements, 'answer')} of {system}"
        finding = f": `{name}` judges {share} differently from a comparison with their targets, so they are not labels."
        cure = f"Choose a filter that extracts the answers, or {COMPARE[0].lower()}{COMPARE[1:]}"
        evaluation.refuse(finding, cure, "filter")
    if different:
        notes.append(f"`{name}` of the log judges {count_of(different, 'answer')} of {system} differently.")
    return notes


def _disagreements(values: Array, judged: Array) -> tuple[int, int]:
    """How many answers a score judges differently, and how many it judges right or wrong at all."""
    binary = np.isin(values, (0.0, 1.0))
    return int((values[binary] != judged[binary]).sum()), int(binary.sum())


def _items(evaluation: Evaluation, answers: Mapping[str, str | None]) -> Items:
    texts = evaluation.ids.texts()
    labels = Labels.of(NO_LABEL if answers[item] is None else answers[item] for item in texts)
    return Items(evaluation.system, evaluation.ids, labels, origin=evaluation.origins[0])


def _gold(evaluations: Sequence[Evaluation], targets: Mapping[str, str], shown: Mapping[str, str]) -> Items:
    """The right answers, with the columns of the first log that has each item, and the questions to show."""
    columns = set.intersection(*(set(one.groups) for one in evaluations))
    groups: dict[str, dict[str, str]] = {column: {} for column in evaluations[0].groups if column in columns}
    for evaluation in evaluations:
        for column, labels in groups.items():
            for item, label in zip(evaluation.ids.texts(), evaluation.groups[column].texts(), strict=True):
                labels.setdefault(item, label)
    items = list(targets)
    return Items(
        "gold",
        Labels.of(items),
        Labels.of(targets.values()),
        slices={column: Labels.of(labels[item] for item in items) for column, labels in groups.items()},
        texts={QUESTION: Labels.of(shown.get(item, "") for item in items)} if shown else {},
        origin=evaluations[0].origins[0],
    )
