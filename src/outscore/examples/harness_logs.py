"""Logs in the layouts of evaluation harnesses, of answers that were made up: for the recipes, and for the tests of readers."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

__all__ = ["Sample", "digest", "inspect_log", "lm_eval_results", "lm_eval_row", "swe_bench_report"]


class Sample(NamedTuple):
    """One answer to one question; `more` is what else the question has, the passage it is about for instance."""

    id: str
    question: str
    target: str
    said: str
    right: bool
    epoch: int = 1
    more: Mapping[str, str] = {}


def digest(text: str) -> str:
    """What logs say instead of the text."""
    return hashlib.sha256(text.encode()).hexdigest()


def lm_eval_row(number: int, sample: Sample, filtered: str) -> dict[str, Any]:
    """A line of the samples of lm-evaluation-harness, read by one filter."""
    return {
        "doc_id": number,
        "doc": {"question": sample.question, **sample.more},
        "target": sample.target,
        "arguments": {"gen_args_0": {"arg_0": sample.question}},
        "resps": [[sample.said]],
        "filtered_resps": [sample.said],
        "filter": filtered,
        "metrics": ["exact_match"],
        "doc_hash": digest(sample.question),
        "target_hash": digest(sample.target),
        "exact_match": float(sample.right),
    }


def lm_eval_results(model: str, task: str, scores: Mapping[str, float], *, shots: int, version: float) -> dict[str, Any]:
    """The results beside them, with the score by each filter."""
    return {
        "results": {task: {f"exact_match,{filtered}": score for filtered, score in scores.items()}},
        "higher_is_better": {task: {"exact_match": True}},
        "n-shot": {task: shots},
        "versions": {task: version},
        "config": {"limit": None},
        "model_name": model,
    }


def inspect_log(model: str, task: str, samples: Sequence[Sample], *, status: str = "success") -> dict[str, Any]:
    """One log as Inspect's JSON has it; archives hold the same in members."""
    ids = list(dict.fromkeys(sample.id for sample in samples))
    plan = {
        "eval_id": digest(model)[:8],
        "run_id": digest(model)[8:16],
        "task": task,
        "task_version": 0,
        "model": model,
        "dataset": {"samples": len(ids), "sample_ids": ids},
        "config": {"epochs": max(sample.epoch for sample in samples)},
        "scorers": [{"name": "match"}],
    }
    accuracy = float(np.mean([sample.right for sample in samples]))
    scores = [{"name": "match", "scorer": "match", "metrics": {"accuracy": {"value": accuracy}}}]
    rows = [_inspect_sample(sample) for sample in samples]
    return {"version": 2, "status": status, "eval": plan, "results": {"scores": scores}, "samples": rows}


def _inspect_sample(sample: Sample) -> dict[str, Any]:
    return {
        "id": sample.id,
        "epoch": sample.epoch,
        "input": sample.question,
        "target": sample.target,
        **({"metadata": dict(sample.more)} if sample.more else {}),
        "scores": {"match": {"value": "C" if sample.right else "I", "answer": sample.said}},
    }


def swe_bench_report(resolved: Mapping[str, bool], total: int) -> dict[str, Any]:
    """A report of SWE-bench: whether each submitted instance was resolved, and how many instances there are."""
    done = [name for name, verdict in resolved.items() if verdict]
    return {
        "total_instances": total,
        "submitted_instances": len(resolved),
        "resolved_instances": len(done),
        "submitted_ids": list(resolved),
        "resolved_ids": done,
        "unresolved_ids": [name for name, verdict in resolved.items() if not verdict],
        "empty_patch_ids": [],
        "error_ids": [],
    }
