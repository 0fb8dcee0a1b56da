"""SWE-bench reports: lists of instance ids by outcome, one file per system or one for each of its parts.

Boards count what was submitted: an empty patch or a run that failed is not resolved and scores 0. `incomplete_ids` are
instances of the benchmark that were never submitted, and `total_instances` counts them too.
"""

from __future__ import annotations

import math
from pathlib import PurePath

import msgspec

from outscore.core.errors import OutscoreError
from outscore.formats.base.pipes import is_nameless
from outscore.formats.base.source import stem_of
from outscore.formats.logs.base.document import decode, open_document
from outscore.formats.logs.base.entry import LogPeek
from outscore.formats.logs.base.evaluation import Evaluation, Row, State

NAME = "swe-bench"


class _Report(msgspec.Struct):
    resolved_ids: list[str]
    submitted_ids: list[str] | None = None
    completed_ids: list[str] = []
    unresolved_ids: list[str] = []
    empty_patch_ids: list[str] = []
    error_ids: list[str] = []
    resolved_instances: int | None = None


def looks_like_report(peek: LogPeek) -> bool:
    """Whether the document begins as a report does."""
    return peek.is_object and (
        peek.has_keys("submitted_instances", "resolved_instances") or peek.has_keys("resolved_ids", "unresolved_ids")
    )


def read_report(path: str) -> list[Evaluation]:
    """The evaluation of a report."""
    with open_document(path) as document:
        report = decode(document.data, _Report, path)
        resolved, empty, errors = set(report.resolved_ids), set(report.empty_patch_ids), set(report.error_ids)
        if report.resolved_instances is not None and report.resolved_instances != len(resolved):
            raise OutscoreError(
                f"{document.label} counts {report.resolved_instances} resolved instances but lists {len(resolved)}.",
                "Copy the report again.",
                file=path,
            )
        listed = report.submitted_ids
        if listed is None:
            listed = [*report.resolved_ids, *report.unresolved_ids, *report.empty_patch_ids, *report.error_ids]
        _check_lists(document.label, path, report, set(listed))
        rows = [_row(item, resolved, empty, errors) for item in listed]
        return [
            Evaluation.of(
                rows,
                harness=NAME,
                system=stem_of(path) if is_nameless(path) else PurePath(path).name.split(".")[0],
                task=NAME,
                origin=document.origin(NAME, len(rows), item="submitted_ids"),
                directions={"resolved": True},
                totals={} if report.resolved_instances is None else {"resolved": report.resolved_instances / max(1, len(rows))},
                zero_missing=True,
            )
        ]


def _check_lists(label: str, path: str, report: _Report, listed: set[str]) -> None:
    """Refuse a report whose lists contradict one another."""
    failed = {*report.empty_patch_ids, *report.error_ids, *report.unresolved_ids}
    twice = [item for item in report.resolved_ids if item in failed]
    unknown = [item for item in (*report.resolved_ids, *failed) if item not in listed]
    for wrong, contradiction in (
        (twice, "is both resolved and not resolved"),
        (unknown, "has a verdict but was not submitted"),
    ):
        if wrong:
            raise OutscoreError(f"{label}: `{wrong[0]}` {contradiction}.", "Copy the report again.", file=path)


def _row(item: str, resolved: set[str], empty: set[str], errors: set[str]) -> Row:
    repository = {"repository": item.split("__", maxsplit=1)[0]} if "__" in item else {}
    state: State = "scored"
    score = 1.0 if item in resolved else 0.0
    if item in empty:
        state, score = "empty", math.nan
    elif item in errors:
        state, score = "errored", math.nan
    return Row(item, {"resolved": score}, state, groups=repository)
