"""HELM: a run folder with `per_instance_stats.json`, a list of instances with their statistics, and `run_spec.json` beside it.

Most statistics are bookkeeping (tokens, run time, cost); the scores are those that the run's metric specifications name.
Perturbed copies of an instance are filters of their own: pooled with the originals they would count some questions twice.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from outscore.core.errors import OutscoreError
from outscore.formats.base.source import stem_of
from outscore.formats.logs.base.document import Document, decode, open_document
from outscore.formats.logs.base.entry import LogPeek, folder_name, path_beside, task_by_name
from outscore.formats.logs.base.evaluation import Evaluation, Row, State

NAME = "helm"
_STEM = "per_instance_stats"
_MODEL = re.compile(r"[,:]model=[^,]*")
_BOOKKEEPING = re.compile(
    r"num_|training_|inference_|finish_reason_|batch_size|prompt_truncated|max_prob|logprob|estimated_|denoised_|idealized_"
)


class _Name(msgspec.Struct):
    name: str
    split: str | None = None
    perturbation: dict[str, Any] | None = None


class _Stat(msgspec.Struct):
    name: _Name
    mean: float | None = None
    count: int = 0


class _Instance(msgspec.Struct):
    instance_id: str | int
    train_trial_index: int = 0
    perturbation: dict[str, Any] | None = None
    stats: list[_Stat] = []


class _Adapter(msgspec.Struct, frozen=True):
    model: str | None = None
    max_train_instances: int | None = None
    max_eval_instances: int | None = None


class _Arguments(msgspec.Struct):
    names: list[str] = []


class _Metric(msgspec.Struct):
    args: _Arguments | None = None


class _Spec(msgspec.Struct):
    name: str | None = None
    adapter_spec: _Adapter = _Adapter()
    metric_specs: list[_Metric] = []


def looks_like_stats(peek: LogPeek) -> bool:
    """Whether the list begins with the statistics of an instance, or the name says so."""
    if peek.is_list and peek.has_keys("instance_id", "train_trial_index", "stats"):
        return True
    return stem_of(peek.path) == _STEM


def read_stats(path: str) -> list[Evaluation]:
    """The evaluations of a run: one, or one for each perturbation."""
    spec = _beside(path, "run_spec.json", _Spec) or _Spec()
    reported = _beside(path, "stats.json", list[_Stat]) or []
    with open_document(path) as document:
        instances = decode(document.data, list[msgspec.Raw], path)
        if not instances:
            raise OutscoreError(f"{document.label} contains no instance.", "Run the evaluation again.", file=path)
        rows: dict[str | None, list[Row]] = {}
        for raw in instances:
            instance = decode(raw, _Instance, path)
            rows.setdefault(_perturbation(instance), []).append(_row(instance))
        names = [name for one in spec.metric_specs if one.args is not None for name in one.args.names]
        return [_evaluation(document, spec, kind, _scored(scored, names), reported) for kind, scored in rows.items()]


def _beside(path: str, name: str, kind: Any) -> Any:  # noqa: ANN401 - of the kind asked for
    beside = path_beside(path, name)
    if beside is None:
        return None
    with open_document(beside) as document:
        return decode(document.data, kind, str(beside))


def _scored(rows: Sequence[Row], wanted: Sequence[str]) -> list[Row]:
    """Rows with the statistics that the run was asked for, or all that are not known to be bookkeeping."""
    present = dict.fromkeys(name for row in rows for name in row.scores)
    chosen = [name for name in wanted if name in present] or [name for name in present if not _BOOKKEEPING.match(name)]
    trials = len({row.repeat for row in rows}) > 1
    scored = []
    for row in rows:
        scores = {name: row.scores.get(name, math.nan) for name in chosen}
        state: State = "unscored" if all(map(math.isnan, scores.values())) else "scored"
        scored.append(row._replace(scores=scores, state=state, repeat=row.repeat if trials else None))
    return scored


def _perturbation(instance: _Instance) -> str | None:
    if instance.perturbation is None:
        return None
    return str(instance.perturbation.get("name", "perturbed"))


def _row(instance: _Instance) -> Row:
    """A row with all its statistics; every trial is a repeat."""
    scores = {stat.name.name: math.nan if stat.mean is None else stat.mean for stat in instance.stats}
    split = next((stat.name.split for stat in instance.stats if stat.name.split), None)
    groups = {"split": split} if split else {}
    return Row(str(instance.instance_id), scores, "scored", str(instance.train_trial_index), None, groups)


def _evaluation(
    document: Document, spec: _Spec, kind: str | None, rows: Sequence[Row], reported: Sequence[_Stat]
) -> Evaluation:
    folder = folder_name(document.path)
    adapter = spec.adapter_spec
    conditions = {"few-shot examples": adapter.max_train_instances, "limit": adapter.max_eval_instances}
    return Evaluation.of(
        rows,
        harness=NAME,
        system=adapter.model or folder,
        task=_MODEL.sub("", spec.name or task_by_name(document.path, folder)),
        filter=kind,
        origin=document.origin(NAME, len(rows), item="instance_id"),
        totals=_totals(rows, reported) if kind is None else {},
        conditions={name: str(value) for name, value in conditions.items() if value is not None},
        repeat_column="train_trial_index",
    )


def _totals(rows: Sequence[Row], reported: Sequence[_Stat]) -> dict[str, float]:
    """The total over all splits of what HELM reports split by split."""
    sizes: dict[str | None, int] = {}
    for row in rows:
        split = row.groups.get("split")
        sizes[split] = sizes.get(split, 0) + 1
    totals: dict[str, float] = {}
    for name in rows[0].scores:
        means: Mapping[str | None, float] = {
            stat.name.split: stat.mean
            for stat in reported
            if stat.name.name == name and stat.name.perturbation is None and stat.mean is not None
        }
        if sizes.keys() <= means.keys():
            totals[name] = sum(means[split] * size for split, size in sizes.items()) / len(rows)
    return totals
