"""Which task, filter and measure of a log is compared: the one asked for, or the only one; otherwise a list is the answer."""

from __future__ import annotations

from collections.abc import Sequence

from outscore.core.errors import OutscoreError
from outscore.core.options import did_you_mean
from outscore.core.records import dataclass
from outscore.formats.logs.base.evaluation import Evaluation

__all__ = ["LogQuestion", "choose_filter", "choose_measure", "choose_systems", "choose_task"]

_MAX_SHOWN = 12


@dataclass(frozen=True)
class LogQuestion:
    """What the caller asks of logs; None where nothing was said.

    `missing` is one of ``"stop"``, ``"drop"`` and ``"zero"``; `force_same` compares what the logs call different.
    `answers` asks for what was answered on each row, too.
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


def choose_systems(evaluations: Sequence[Evaluation], asked: Sequence[str]) -> list[Evaluation]:
    """The evaluations of the systems that are asked for, or of all."""
    systems = list(dict.fromkeys(evaluation.system for evaluation in evaluations))
    for name in asked:
        if name not in systems:
            raise OutscoreError(
                f"The logs have no system `{name}`.",
                did_you_mean(name, systems) or f"They have {_list(systems)}.",
                parameter="system",
            )
    return [evaluation for evaluation in evaluations if not asked or evaluation.system in asked]


def choose_task(evaluations: Sequence[Evaluation], asked: str | None, *, several: bool = False) -> list[Evaluation]:
    """The evaluations of one task; all of them if `several` tasks can be taken together."""
    tasks = list(dict.fromkeys(evaluation.task for evaluation in evaluations))
    if asked is not None:
        found = [evaluation for evaluation in evaluations if evaluation.task == asked]
        if not found:
            raise OutscoreError(
                f"The logs hold no task `{asked}`.",
                did_you_mean(asked, tasks) or f"They hold {_list(tasks)}.",
                parameter="log_task",
            )
        return found
    if len(tasks) > 1 and not several:
        raise OutscoreError(
            f"The logs hold {len(tasks)} tasks: {_list(tasks)}.", "Choose one with --log-task NAME.", parameter="log_task"
        )
    return list(evaluations)


def choose_filter(evaluations: Sequence[Evaluation], asked: str | None) -> list[Evaluation]:
    """The evaluations read by one filter; two of them are never pooled."""
    filters = list(dict.fromkeys(evaluation.filter or "none" for evaluation in evaluations))
    if asked is not None:
        found = [evaluation for evaluation in evaluations if (evaluation.filter or "none") == asked]
        if not found:
            raise OutscoreError(
                f"The logs hold no filter `{asked}`.",
                did_you_mean(asked, filters) or f"They hold {_list(filters)}.",
                parameter="filter",
            )
        return found
    by_task: dict[str, list[str]] = {}
    for evaluation in evaluations:
        by_task.setdefault(evaluation.task, []).append(evaluation.filter or "none")
    for task, found_filters in by_task.items():
        distinct = list(dict.fromkeys(found_filters))
        if len(distinct) > 1:
            raise OutscoreError(
                f"The answers of `{task}` were scored by {len(distinct)} filters: {_list(distinct)}.",
                "Choose one with --filter NAME.",
                parameter="filter",
            )
    return list(evaluations)


def choose_measure(evaluations: Sequence[Evaluation], asked: str | None) -> str:
    """The measure that all evaluations have: the one asked for, or the only one."""
    for evaluation in evaluations:
        if not evaluation.measures:
            reasons = ", ".join(f"{count:,} {state}" for state, count in evaluation.counts.items())
            raise OutscoreError(
                f"{evaluation.label} holds no score of {evaluation.system} at all ({reasons}).",
                "Run the evaluation again, or leave this log out.",
                file=evaluation.origins[0].path,
            )
    shared = [name for name in evaluations[0].measures if all(name in evaluation.measures for evaluation in evaluations)]
    if asked is not None:
        if asked not in shared:
            raise OutscoreError(
                f"The logs have no score `{asked}` in common.",
                did_you_mean(asked, shared) or f"They have {_list(shared) if shared else 'none'}.",
                parameter="metric",
            )
        return asked
    if len(shared) == 1:
        return shared[0]
    if not shared:
        raise OutscoreError(
            f"The logs have no score in common: {_list(list(evaluations[0].measures))} in one, "
            f"{_list(list(evaluations[-1].measures))} in another.",
            "Compare logs that were scored alike.",
            parameter="metric",
        )
    raise OutscoreError(
        f"The logs have {len(shared)} scores: {_list(shared)}.", "Choose one with --metric NAME.", parameter="metric"
    )


def _list(names: Sequence[str]) -> str:
    shown = ", ".join(f"`{name}`" for name in names[:_MAX_SHOWN])
    return shown if len(names) <= _MAX_SHOWN else f"{shown} and {len(names) - _MAX_SHOWN} more"
