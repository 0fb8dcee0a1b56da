"""EvalPlus and BigCodeBench: `*_eval_results.json`, whose `eval` holds the verdicts on every sample of every task.

EvalPlus has two verdicts, by the original tests and by the added ones; its older layout keeps them as lists of pairs. A sample
passes `plus` if it passes both.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

import msgspec

from outscore.core.errors import OutscoreError
from outscore.formats.base.source import stem_of
from outscore.formats.logs.base.document import Document, decode, open_document
from outscore.formats.logs.base.entry import LogPeek, path_beside
from outscore.formats.logs.base.evaluation import Evaluation, Row

EVALPLUS, BIGCODEBENCH = "evalplus", "bigcodebench"
_BIGCODEBENCH = "--bigcodebench-"
_VERDICTS = {"pass": 1.0, "success": 1.0, "fail": 0.0, "failed": 0.0, "timeout": 0.0, "timed out": 0.0}
_ENDING = re.compile(r"(_samples)?[_-]eval_results$")


class _Sample(msgspec.Struct):
    status: str | None = None
    base_status: str | None = None
    plus_status: str | None = None


class _Older(msgspec.Struct):
    base: list[list[Any] | None]
    plus: list[list[Any] | None] = []


class _PassAt(msgspec.Struct, frozen=True):
    one: float | None = msgspec.field(default=None, name="pass@1")


class _Passed(msgspec.Struct):
    base: _PassAt = _PassAt()
    plus: _PassAt = _PassAt()


class _Report(msgspec.Struct):
    """What BigCodeBench writes beside the verdicts."""

    one: float | None = msgspec.field(default=None, name="pass@1")
    model: str | None = None
    split: str | None = None
    subset: str | None = None
    calibrated: bool | None = None


class _Results(msgspec.Struct):
    eval: dict[str, list[_Sample] | _Older]
    hash: str | None = None
    pass_at_k: _Passed | None = None


def looks_like_evalplus(peek: LogPeek) -> bool:
    """Whether the document begins as EvalPlus writes it, in either layout, or is called so."""
    if peek.is_object and peek.has_keys("eval") and (peek.has_keys("base_status") or peek.has_keys("nfiles", "base")):
        return True
    return _is_named(peek) and _BIGCODEBENCH not in peek.name and not looks_like_bigcodebench(peek)


def looks_like_bigcodebench(peek: LogPeek) -> bool:
    """Whether the document begins as BigCodeBench writes it, or is called so."""
    # Logs of Inspect have an `eval` with a `task_id` too, and name the run.
    others = peek.has_keys("base_status") or peek.has_keys("run_id") or peek.has_keys("eval_id")
    if peek.is_object and peek.has_keys("eval", "task_id", "status") and not others:
        return True
    return _is_named(peek) and _BIGCODEBENCH in peek.name


def _is_named(peek: LogPeek) -> bool:
    return stem_of(peek.path).endswith("_eval_results") and (peek.is_object or not peek.start.strip())


def read_evalplus(path: str) -> list[Evaluation]:
    """The evaluation of a file of EvalPlus."""
    with open_document(path) as document:
        results = decode(document.data, _Results, path)
        passed = results.pass_at_k or _Passed()
        totals = {"base": passed.base.one, "plus": passed.plus.one}
        conditions = {} if results.hash is None else {"hash of the benchmark": results.hash}
        name = _ENDING.sub("", stem_of(path))
        return [_evaluation(document, EVALPLUS, name, results, ("base", "plus"), totals, conditions)]


def read_bigcodebench(path: str) -> list[Evaluation]:
    """The evaluation of a file of BigCodeBench, with the report beside it."""
    stem = stem_of(path)
    beside = path_beside(path, stem.replace("_eval_results", "_pass_at_k") + ".json")
    report = _Report()
    if beside is not None:
        with open_document(beside) as document:
            report = decode(document.data, _Report, str(beside))
    with open_document(path) as document:
        results = decode(document.data, _Results, path)
        settings = {"split": report.split, "subset": report.subset, "calibrated": report.calibrated}
        conditions = {name: str(value) for name, value in settings.items() if value is not None}
        name = report.model or stem.split(_BIGCODEBENCH)[0]
        return [_evaluation(document, BIGCODEBENCH, name, results, ("passed",), {"passed": report.one}, conditions)]


def _evaluation(
    document: Document,
    harness: str,
    system: str,
    results: _Results,
    measures: tuple[str, ...],
    totals: Mapping[str, float | None],
    conditions: Mapping[str, str],
) -> Evaluation:
    samples = [
        (item, index, dict(zip(measures, verdicts, strict=True)))
        for item, runs in results.eval.items()
        for index, verdicts in enumerate(_verdicts(runs, harness), 1)
    ]
    if not samples:
        raise OutscoreError(f"{document.label} contains no task.", "Run the evaluation again.", file=document.path)
    repeated = any(index > 1 for _, index, _ in samples)
    rows = [
        Row(item, scores, "unscored" if all(map(math.isnan, scores.values())) else "scored", str(index) if repeated else None)
        for item, index, scores in samples
    ]
    return Evaluation.of(
        rows,
        harness=harness,
        system=system,
        task=samples[0][0].split("/", maxsplit=1)[0],
        origin=document.origin(harness, len(rows), item="eval"),
        directions=dict.fromkeys(measures, True),
        totals={name: total for name, total in totals.items() if total is not None},
        conditions=conditions,
        repeat_column="sample",
    )


def _verdicts(samples: list[_Sample] | _Older, harness: str) -> list[tuple[float, ...]]:
    if isinstance(samples, _Older):
        base, plus = ([_verdict(one[0] if one else None) for one in several] for several in (samples.base, samples.plus))
        # Without the added tests there is no verdict by them.
        padded = plus if len(plus) == len(base) else [math.nan] * len(base)
        return [_both(first, second) for first, second in zip(base, padded, strict=True)]
    if harness == BIGCODEBENCH:
        return [(_verdict(sample.status),) for sample in samples]
    return [_both(_verdict(sample.base_status), _verdict(sample.plus_status)) for sample in samples]


def _verdict(written: object) -> float:
    """Whether a sample passed; NaN where the word is none that the harness writes."""
    return _VERDICTS.get(written, math.nan) if isinstance(written, str) else math.nan


def _both(base: float, plus: float) -> tuple[float, float]:
    return base, math.nan if math.isnan(base) or math.isnan(plus) else base * plus
