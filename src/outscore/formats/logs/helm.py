"""HELM: a run folder with `per_instance_stats.json`, a list of instances with their statistics, and `run_spec.json` beside it.

Most statistics are bookkeeping (tokens, run time, cost); the scores are those that the run's metric specifications name.
Perturbed copies of an instance are filters of their own: pooled with the originals they would count some questions twice.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from outscore.core.errors import OutscoreError
from outscore.formats.logs.document import Document, decode, field_of, open_document
from outscore.formats.logs.entry import LogPeek
from outscore.formats.logs.evaluation import Evaluation, Row

__all__ = ["NAME", "looks_like_stats", "read_stats"]

NAME = "helm"
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
    instance_id: str
    train_trial_index: int = 0
    perturbation: dict[str, Any] | None = None
    stats: list[_Stat] = []


class _Spec(msgspec.Struct):
    name: str | None = None
    adapter_spec: dict[str, Any] = {}
    metric_specs: list[dict[str, Any]] = []


def looks_like_stats(peek: LogPeek) -> bool:
    """Whether the list begins with the statistics of an instance."""
    return peek.is_list and peek.has_keys("instance_id", "train_trial_index", "stats")


def read_stats(path: str) -> list[Evaluation]:
    """The evaluations of a run: one, or one for each perturbation."""
    spec = _beside(path, "run_spec.json", _Spec) or _Spec()
    reported = _beside(path, "stats.json", list[_Stat]) or []
    with open_document(path) as document:
        instances = decode(document.data, list[_Instance], path)
        if not instances:
            raise OutscoreError(f"{document.label} holds no instance.", "Run the evaluation again.", file=path)
        named = _score_names(spec, instances)
        trials = len({instance.train_trial_index for instance in instances}) > 1
        kinds = dict.fromkeys(_perturbation(instance) for instance in instances)
        return [_evaluation(document, spec, kind, _rows(instances, kind, named, trials=trials), reported) for kind in kinds]


def _beside(path: str, name: str, kind: Any) -> Any:  # noqa: ANN401 - of the kind asked for
    beside = Path(path).parent / name
    if not beside.is_file():
        return None
    with open_document(beside) as document:
        return decode(document.data, kind, str(beside))


def _score_names(spec: _Spec, instances: Sequence[_Instance]) -> list[str]:
    """The statistics that the run was asked for, or all that are not known to be bookkeeping."""
    present = dict.fromkeys(stat.name.name for instance in instances for stat in instance.stats)
    asked = [name for one in spec.metric_specs for name in field_of(one, "args", "names") or []]
    return [name for name in asked if name in present] or [name for name in present if not _BOOKKEEPING.match(name)]


def _perturbation(instance: _Instance) -> str | None:
    if instance.perturbation is None:
        return None
    return str(instance.perturbation.get("name", "perturbed"))


def _rows(instances: Sequence[_Instance], kind: str | None, named: Sequence[str], *, trials: bool) -> list[Row]:
    rows = []
    for instance in instances:
        if _perturbation(instance) != kind:
            continue
        means = {stat.name.name: stat.mean for stat in instance.stats}
        scores = {name: math.nan if means.get(name) is None else float(means[name] or 0.0) for name in named}
        split = next((stat.name.split for stat in instance.stats if stat.name.split), None)
        state = "unscored" if all(map(math.isnan, scores.values())) else "scored"
        repeat = str(instance.train_trial_index) if trials else None
        rows.append(Row(instance.instance_id, scores, state, repeat, None, {"split": split} if split else {}))  # type: ignore[arg-type]
    return rows


def _evaluation(
    document: Document, spec: _Spec, kind: str | None, rows: Sequence[Row], reported: Sequence[_Stat]
) -> Evaluation:
    folder = Path(document.path).resolve().parent.name
    adapter = spec.adapter_spec
    conditions = {"few-shot examples": adapter.get("max_train_instances"), "limit": adapter.get("max_eval_instances")}
    return Evaluation.of(
        rows,
        harness=NAME,
        system=str(adapter.get("model") or folder),
        task=_MODEL.sub("", spec.name or folder),
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
