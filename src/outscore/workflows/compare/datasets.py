"""Several datasets in one comparison: the verdict is about their macro average, which weights them equally, as in a ranking."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.records import dataclass
from outscore.inference.base.entry import NoSpreadError
from outscore.inference.base.question import SIDES, TestRequest, identical_p
from outscore.inference.families import correct_family, replication
from outscore.inference.pairwise.macro import COMBINED, combined_limits, macro_notes, macro_scores, macro_test
from outscore.inference.pairwise.per_pair import log_claim, population_run, rows_of_pair
from outscore.inference.pairwise.table import OwnScores, Run, lacking_of, own_scores
from outscore.inference.populations import EXCHANGE, own_test
from outscore.inference.registry import ALL
from outscore.results.analysis import DATASET, Bucket
from outscore.results.comparison import TestResult
from outscore.results.design import HOLM
from outscore.results.note import Note
from outscore.results.pvalue import Interval
from outscore.scores.panel import Panel
from outscore.workflows.compare.evidence import Answer, answer_of, as_known
from outscore.workflows.question import Question, name_of_test


def compare_datasets(
    panels: Sequence[Panel], question: Question, noun: str, pooled: Callable[[float], Note]
) -> tuple[Answer | None, list[Note]]:
    """The comparison of the panels' macro averages, and of each panel; notes alone where items, called `noun`, are pooled.

    `pooled` says what the items of all panels together show, given the difference of the macro averages. What is asked of one
    side, of another difference or of a margin is refused where the macro average does not answer it.
    """
    if question.test in (ALL, "bayes"):
        return None, [untested(len(panels), noun, f"test `{question.test}` is for single items")]
    try:
        answer = _averaged(panels, question)
    except OutscoreError as refusal:
        if question.margin is not None or question.alternative != "two-sided" or question.delta:
            raise
        why = f"their macro average cannot be tested: {refusal.message.rstrip('.')}"
        return None, [untested(len(panels), noun, why)]
    assert answer.scores is not None
    decides = f"The verdict is about the macro average of {len(panels)} datasets, which weights them equally, as in `rank`."
    return answer, [Note("reading", decides), pooled(answer.scores[0] - answer.scores[1])]


def untested(datasets: int, noun: str, why: str) -> Note:
    """That items were pooled, and why."""
    return Note("reading", f"The {noun}s of {datasets} datasets were pooled, because {why}.")


def _averaged(panels: Sequence[Panel], question: Question) -> Answer:
    unequal = any(panel.run_unequally() is not None for panel in panels)

    def over_items(request: TestRequest) -> TestResult:
        result = macro_test(panels, 0, 1, request)
        return as_known(result) if unequal else result

    missing = lacking_of(panels, unit_size=question.unit_size)
    answer = answer_of(panels, question, over_items, over_items(question.of_test), missing)
    test = name_of_test(answer.population, panels, question.test)
    parts = [_part_of(panel, question, test) for panel in panels]
    own, buckets, names = macro_scores([part.own for part in parts]), _buckets(parts), panels[0].systems
    first, second = own.value.tolist()
    sides = np.array([(part.better, part.worse) for part in parts]).T
    ahead = panels[0].orientation * (first - second) >= 0
    about_test = [] if own_test(test) else macro_notes(test, answer.result.p.kernel, in_units=question.unit_size > 1)
    return replace(
        answer,
        scores=(first, second),
        own=own.limits,
        result=_with_interval(answer.result, buckets, question),
        notes=[*answer.notes, *about_test],
        buckets=buckets,
        replicability=replication(
            (names[0], names[1]) if ahead else (names[1], names[0]),
            [part.dataset for part in parts],
            *(sides if ahead else sides[::-1]),
            level=question.alpha / 2,
        ),
    )


@dataclass(frozen=True, eq=False)
class _Part:
    """One dataset: what its test answers, on how many units, log p of both sides, and both systems' own scores."""

    dataset: str
    result: TestResult
    n: int
    better: float
    worse: float
    own: OwnScores


def _part_of(panel: Panel, question: Question, test: str) -> _Part:
    request = question.of_test
    rows = rows_of_pair(panel, 0, 1, question.units)
    run: Run = partial(question.entry.run, rows, panel.metric)
    unequal = panel.run_unequally() is not None
    if own_test(test) is not None:
        (run, _), unequal = population_run([panel], 0, 1, test), False
    plain = TestRequest(alpha=request.alpha, seed=request.seed, options=request.options, interval=False)
    try:
        result = as_known(run(request)) if unequal else run(request)
        better, worse = (log_claim(run(replace(plain, alternative=side)).p) for side in SIDES[1:])
    except NoSpreadError:
        # One dataset that the test cannot judge must not cost the others theirs.
        result, better, worse = TestResult(identical_p(rows.rows)), 0.0, 0.0
    n = rows.rows if test == EXCHANGE else result.p.n or rows.rows
    return _Part(str(panel.dataset), result, n, better, worse, own_scores(panel, test, question.alpha, question.units))


def _buckets(parts: Sequence[_Part]) -> list[Bucket]:
    """The comparison on each dataset, with p corrected over them."""
    corrected, _ = correct_family([part.result.p for part in parts], HOLM)
    rows = []
    for part, p in zip(parts, corrected, strict=True):
        a, b = part.own.value.tolist()
        interval = part.result.interval
        fitting = interval is not None and interval.estimand == "difference"
        low, high = (interval.low, interval.high) if interval is not None and fitting else (None, None)
        rows.append(Bucket(DATASET, part.dataset, part.n, a, b, a - b, low, high, p))
    return rows


def _with_interval(result: TestResult, buckets: Sequence[Bucket], question: Question) -> TestResult:
    """The answer with an interval: where swaps have none, as for F1, that of the datasets combined, if all of them have one."""
    ends = [(one.difference, one.low, one.high) for one in buckets if one.low is not None and one.high is not None]
    if result.interval is not None or len(ends) < len(buckets) or question.alternative != "two-sided":
        return result
    low, high = combined_limits(ends, rejected=result.p.rejects(question.alpha))
    return replace(result, interval=Interval(low, high, 1 - question.alpha, COMBINED, dual=True))
