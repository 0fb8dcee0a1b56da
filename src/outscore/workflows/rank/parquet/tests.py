"""From summed moments to measured datasets: which test works, and a second pass over the files if signs must be flipped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import compress

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.numeric import Array
from outscore.core.records import dataclass
from outscore.engine.engines import Engine
from outscore.engine.progress import Progress
from outscore.inference.base.sign_flips import checked_resamples
from outscore.inference.pairwise.binary import NO_INTERVALS, TANGO
from outscore.inference.pairwise.macro import macro_from_counts, macro_measured, macro_notes, macro_request
from outscore.inference.pairwise.moment_tests import binary_pairs, macro_student, sampled_pairs, student_pairs, system_scores
from outscore.inference.pairwise.moments import PairMoments, fixed_shift
from outscore.inference.pairwise.per_pair import STUDENT
from outscore.inference.pairwise.systems import pairs_of
from outscore.inference.pairwise.table import KINDS, Measured
from outscore.results.note import Note
from outscore.results.ranking import MAX_PAIRS
from outscore.workflows.rank.parquet.task import ONE, Flipping, Reading, Share, flips_of_shares
from outscore.workflows.rank.question import Question

__all__ = ["SERVED", "MomentTest", "measured_of"]

SERVED = ("permutation", "mcnemar", "student")
METRIC = "mean"
FLIP_TASKS = 8
"""Tasks of the second pass: each sends back totals of all resamples, which are larger than moments."""
FLIP_BYTES = 1 << 30
"""Bytes of totals of all tasks held at a time; if they need more, some datasets wait for another pass."""


@dataclass(frozen=True)
class MomentTest:
    """A test that works on sums, and what it needs to know; `baseline` is the one system that all others are compared with."""

    test: str
    resamples: int
    alpha: float
    seed: int
    baseline: str | None
    higher_is_better: bool = True

    @classmethod
    def of(cls, question: Question) -> MomentTest:
        """The test for a question; refuses questions that partitions cannot answer."""
        known = question.check()
        if question.test not in SERVED:
            raise OutscoreError(
                f"`{question.test}` needs all items at once, but partitions only give sums.",
                f"Choose one of {', '.join(SERVED)}, or rank the rows as one table.",
            )
        for name, given in (("unit_size", question.unit_size > 1), ("critical_difference", question.critical_difference)):
            if given:
                raise OutscoreError(f"`{name}` needs all items at once, but partitions only give sums.", "Leave it out.")
        if known.get("method", "auto") != "auto" or known.get("variant", "exact") != "exact":
            raise OutscoreError(
                "For partitions, the method is fixed: exact for right-or-wrong items, sign flips for other scores.",
                "Leave the test's `method` and `variant` out.",
            )
        resamples = checked_resamples(int(str(known["resamples"]))) if "resamples" in known else 0
        return cls(question.test, resamples, question.alpha, question.seed, question.baseline)


def measured_of(
    moments: Mapping[str, PairMoments],
    reading: Reading,
    shares: Sequence[Share],
    asked: MomentTest,
    engine: Engine,
    progress: Progress,
) -> list[Measured]:
    """Every dataset measured by the requested test."""
    for dataset, moments_of_dataset in moments.items():
        _refuse_unserved(dataset, moments_of_dataset, asked)
    flipped = {
        name: moments_of_dataset
        for name, moments_of_dataset in moments.items()
        if asked.test == "permutation" and moments_of_dataset.worth is None
    }
    totals = _flipped_totals(flipped, reading, shares, asked, engine, progress) if flipped else {}
    systems = next(iter(moments.values())).systems
    left, right = pairs_of(len(systems), None if asked.baseline is None else systems.index(asked.baseline))
    intervals = len(left) * len(moments) <= MAX_PAIRS
    measured = [
        _measure(name, moments_of_dataset, totals.get(name), asked, left, right, intervals=intervals)
        for name, moments_of_dataset in moments.items()
    ]
    return [*measured, _macro(list(moments.values()), measured, asked)] if len(measured) > 1 else measured


def _refuse_unserved(dataset: str, moments: PairMoments, asked: MomentTest) -> None:
    where = "" if dataset == ONE else f" on `{dataset}`"
    if moments.worth is not None or asked.test == "student":
        return
    if asked.test == "mcnemar":
        raise OutscoreError(
            f"`mcnemar` needs items that are right or wrong (1 or 0), but the scores{where} are not.",
            "Use `student`, or `permutation` if all systems have the same items.",
        )
    if not moments.complete:
        raise OutscoreError(
            f"Systems have different items{where}, and their scores are not just right or wrong; sums allow no permutation"
            " test.",
            "Choose the test `student`, or rank the rows as one table.",
        )


def _measure(
    dataset: str, moments: PairMoments, totals: Array | None, asked: MomentTest, left: Array, right: Array, *, intervals: bool
) -> Measured:
    notes: list[Note] = []
    if asked.test == "student":
        pairs, kernel, interval = student_pairs(moments, left, right, asked.alpha), "student-t", STUDENT
        still = int((np.isnan(pairs.low) & (pairs.n > 1) & (pairs.difference != 0)).sum())
        if still:
            text = f"The differences of {still:,} pairs do not vary, so they have no t statistic, and their p is given as 1."
            notes.append(Note("data", text))
    elif totals is not None:
        pairs, interval = sampled_pairs(moments, left, right, totals, asked.alpha), STUDENT
        kernel = f"sign-flips:{asked.resamples}"
    else:
        pairs, kernel = binary_pairs(moments, left, right, asked.alpha, intervals=intervals), "binomial"
        interval = TANGO if intervals else NO_INTERVALS
    if not asked.higher_is_better:
        pairs = replace(pairs, log_better=pairs.log_worse, log_worse=pairs.log_better)
    scores = system_scores(moments, asked.alpha)
    if dataset != ONE:
        absent = compress(moments.systems, (scores.n == 0).tolist())
        notes += [Note("input", f"`{name}` has no item on `{dataset}`.") for name in absent]
    return Measured(
        dataset=None if dataset == ONE else dataset,
        metric=METRIC,
        higher_is_better=asked.higher_is_better,
        systems=moments.systems,
        value=scores.value,
        low=scores.low,
        high=scores.high,
        n=scores.n,
        items=moments.items,
        complete=moments.complete,
        pairs=pairs,
        test=asked.test,
        kernel=kernel,
        interval=interval,
        notes=notes,
    )


def _macro(moments: Sequence[PairMoments], measured: Sequence[Measured], asked: MomentTest) -> Measured:
    """The macro average over datasets: by the same swaps for right-or-wrong items, by Student's t for other scores."""
    request = macro_request(asked.alpha, asked.seed, asked.resamples)
    from_counts = macro_from_counts(measured, request) if asked.test != "student" else None
    if from_counts is not None:
        return macro_measured(measured, *from_counts, macro_notes(asked.test, from_counts[2]))
    pairs = measured[0].pairs
    log_p = macro_student(moments, pairs.left, pairs.right)
    kind = np.full(len(log_p), KINDS.index("asymptotic"), dtype=np.int8)
    text = "The macro average over datasets is tested by Student's t, with the datasets' errors pooled."
    return replace(macro_measured(measured, log_p, kind, "student-t", [Note("method", text)]), test="student")


def _flipped_totals(
    moments: Mapping[str, PairMoments],
    reading: Reading,
    shares: Sequence[Share],
    asked: MomentTest,
    engine: Engine,
    progress: Progress,
) -> dict[str, Array]:
    """Flipped totals of whole datasets: one more pass over the files, or several if memory is short."""
    systems = next(iter(moments.values())).systems
    tasks = [list(shares[start::FLIP_TASKS]) for start in range(min(FLIP_TASKS, len(shares)))]
    at_once = max(1, FLIP_BYTES // (8 * (1 + asked.resamples) * len(systems) * len(tasks)))
    names = list(moments)
    progress.begin("flipping coins", len(tasks) * -(-len(names) // at_once))
    totals: dict[str, Array] = {}
    for start in range(0, len(names), at_once):
        shifts = {name: _shift(moments[name]) for name in names[start : start + at_once]}
        flipping = Flipping(systems, shifts, asked.resamples, asked.seed)
        for answer in engine.map(partial(flips_of_shares, reading, flipping), tasks, progress=progress):
            for name, sums in answer.items():
                totals[name] = totals[name] + sums if name in totals else sums
    return totals


def _shift(moments: PairMoments) -> int:
    return fixed_shift(max(-moments.least, moments.largest), moments.items)
