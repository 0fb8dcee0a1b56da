"""The answers that logs contain beside the right ones, as outputs to be compared label by label.

Harnesses judge answers in their own ways: a scorer may look for the target anywhere in a text. Here an answer is right if
it equals the target; how often the score in the log disagrees is reported as part of the reading.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

import numpy as np

from outscore.core.brief import count_of
from outscore.core.numeric import Array
from outscore.formats.base.pipes import call_by_place
from outscore.formats.logs.choose import LogQuestion, check_same, choose_filter, choose_systems, choose_task, name_tasks
from outscore.formats.logs.evaluation import Evaluation, Exchange
from outscore.formats.logs.find import read_logs
from outscore.formats.tables.cells import NO_LABEL
from outscore.outputs.model import Items, OutputData
from outscore.scores.system import Labels

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


def read_answers(paths: Sequence[str | os.PathLike[str]], question: LogQuestion, gold_name: str = "gold") -> OutputData[Items]:
    """The answers of all systems in these logs; a log without answers, or with several runs of an item, is refused."""
    # Logs hold the right answers, so none of them is gold: the first is of a system, too.
    call_by_place([os.fspath(path) for path in paths])
    read = read_logs(paths)
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
    gold = _gold(chosen, targets, shown, gold_name)
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


def _gold(evaluations: Sequence[Evaluation], targets: Mapping[str, str], shown: Mapping[str, str], name: str) -> Items:
    """The right answers, with the columns of the first log that has each item, and the questions to show."""
    columns = set.intersection(*(set(one.groups) for one in evaluations))
    groups: dict[str, dict[str, str]] = {column: {} for column in evaluations[0].groups if column in columns}
    for evaluation in evaluations:
        for column, labels in groups.items():
            for item, label in zip(evaluation.ids.texts(), evaluation.groups[column].texts(), strict=True):
                labels.setdefault(item, label)
    items = list(targets)
    return Items(
        name,
        Labels.of(items),
        Labels.of(targets.values()),
        slices={column: Labels.of(labels[item] for item in items) for column, labels in groups.items()},
        texts={QUESTION: Labels.of(shown.get(item, "") for item in items)} if shown else {},
        origin=evaluations[0].origins[0],
    )
