"""EvalPlus and BigCodeBench: `*_eval_results.json`, whose `eval` holds the verdicts on every sample of every task.

EvalPlus has two verdicts, by the original tests and by the added ones; its older layout keeps them as lists of pairs. A sample
passes `plus` if it passes both.
"""

from __future__ import annotations

import math
import re
from pathlib import Path, PurePath
from typing import Any

import msgspec

from outscore.core.errors import OutscoreError
from outscore.formats.base.source import PACKED
from outscore.formats.logs.document import decode, field_of, open_document
from outscore.formats.logs.entry import LogPeek
from outscore.formats.logs.evaluation import Evaluation, Row

__all__ = ["BIGCODEBENCH", "EVALPLUS", "looks_like_bigcodebench", "looks_like_evalplus", "read_results"]

EVALPLUS, BIGCODEBENCH = "evalplus", "bigcodebench"
_PASSED = {"pass", "success"}
_ENDING = re.compile(r"(_samples)?[_-]eval_results$")


class _Sample(msgspec.Struct):
    status: str | None = None
    base_status: str | None = None
    plus_status: str | None = None


class _Older(msgspec.Struct):
    base: list[list[Any]]
    plus: list[list[Any]] = []


class _Results(msgspec.Struct):
    eval: dict[str, list[_Sample] | _Older]
    pass_at_k: dict[str, Any] | None = None


def looks_like_evalplus(peek: LogPeek) -> bool:
    """Whether the document begins as EvalPlus writes it, in either layout."""
    return peek.is_object and peek.has_keys("eval") and (peek.has_keys("base_status") or peek.has_keys("nfiles", "base"))


def looks_like_bigcodebench(peek: LogPeek) -> bool:
    """Whether the document begins as BigCodeBench writes it."""
    return peek.is_object and peek.has_keys("eval", "task_id", "status") and not peek.has_keys("base_status")


def read_results(path: str) -> list[Evaluation]:
    """The evaluation of a file."""
    with open_document(path) as document:
        results = decode(document.data, _Results, path)
        samples = [
            (item, index, scores) for item, found in results.eval.items() for index, scores in enumerate(_verdicts(found), 1)
        ]
        if not samples:
            raise OutscoreError(f"{document.label} holds no task.", "Run the evaluation again.", file=path)
        repeated = any(index > 1 for _, index, _ in samples)
        rows = [Row(item, scores, "scored", str(index) if repeated else None) for item, index, scores in samples]
        harness = BIGCODEBENCH if "passed" in samples[0][2] else EVALPLUS
        system, totals, task = _named(path, harness, results, samples[0][0])
        return [
            Evaluation.of(
                rows,
                harness=harness,
                system=system,
                task=task,
                origin=document.origin(harness, len(rows), item="eval"),
                directions=dict.fromkeys(samples[0][2], True),
                totals=totals,
                repeat_column="sample",
            )
        ]


def _verdicts(found: list[_Sample] | _Older) -> list[dict[str, float]]:
    if isinstance(found, _Older):
        base = [bool(verdict) and verdict[0] in _PASSED for verdict in found.base]
        plus = [bool(verdict) and verdict[0] in _PASSED for verdict in found.plus]
        # Without the added tests there is no verdict by them.
        padded = plus if len(plus) == len(base) else [None] * len(base)
        return [_both(first, second) for first, second in zip(base, padded, strict=True)]
    return [_of_sample(sample) for sample in found]


def _of_sample(sample: _Sample) -> dict[str, float]:
    if sample.status is not None and sample.base_status is None:
        return {"passed": float(sample.status in _PASSED)}
    plus = None if sample.plus_status is None else sample.plus_status in _PASSED
    return _both(sample.base_status in _PASSED, plus)


def _both(base: bool, plus: bool | None) -> dict[str, float]:  # noqa: FBT001 - two verdicts
    return {"base": float(base), "plus": math.nan if plus is None else float(base and plus)}


def _named(path: str, harness: str, results: _Results, item: str) -> tuple[str, dict[str, float], str]:
    """The system by the name of the file, the totals that the harness printed, and the benchmark by its first task."""
    pure = PurePath(path)
    stem = PurePath(pure.stem).stem if pure.suffix in PACKED else pure.stem
    task = item.split("/", maxsplit=1)[0]
    if harness == EVALPLUS:
        totals = {name: field_of(results.pass_at_k or {}, name, "pass@1") for name in ("base", "plus")}
        return _ENDING.sub("", stem), {name: float(value) for name, value in totals.items() if value is not None}, task
    beside = Path(path).with_name(stem.replace("_eval_results", "_pass_at_k") + ".json")
    totals = {}
    if beside.is_file():
        with open_document(beside) as document:
            value = decode(document.data, dict[str, Any], str(beside)).get("pass@1")
        totals = {"passed": value}
    return stem.split("--bigcodebench-")[0], {name: float(value) for name, value in totals.items() if value is not None}, task
