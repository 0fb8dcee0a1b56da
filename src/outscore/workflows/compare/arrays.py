"""Two systems, one answer: where metrics and inference meet.

`permutation_p` returns the p-value alone, `compare_rows` the whole result: scores, difference, interval, p, effects, power, the
design's path from rows to clusters, and the verdict. `families` asks the same of parts of the data as one family.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, cast

import numpy as np

from outscore.core.errors import ClustersError, OutscoreError
from outscore.core.metric import AdditiveMetric
from outscore.core.options import check_seed, complete
from outscore.core.reduction import Kind
from outscore.core.rows import PairedScores, Repeats
from outscore.inference.base.differences import with_exact_integers
from outscore.inference.base.own_score import both_sides, interval_method, own_intervals
from outscore.inference.base.question import Alternative, TestRequest
from outscore.inference.describe.curves import runs_curve
from outscore.inference.describe.effects import SIZES, evaluation_units, members, unit_advisor
from outscore.inference.describe.repeats import pair_variances
from outscore.inference.populations import ITEMS, THESE_ITEMS
from outscore.inference.power.observed import POWER, items_needed
from outscore.inference.registry import ALL, TESTS
from outscore.inference.shifted import KERNELS_OF_MARGINS, items_to_show
from outscore.language.numbers import format_probability
from outscore.language.signature import comparison_signature
from outscore.language.verdict.comparison import with_verdict
from outscore.results.analysis import EvaluationUnit, RunsCurve, UnitRow
from outscore.results.comparison import Comparison, Margin, SystemScore, TestResult
from outscore.results.design import Alignment, Decision, Design, PathStep
from outscore.results.note import Note
from outscore.results.pvalue import PValue
from outscore.workflows.compare.evidence import all_tests, evidence, labels_of, margin_of, path_of, scores_of
from outscore.workflows.compare.inputs import pair_given
from outscore.workflows.compare.populations import Answer, answer_of, as_known, p_as_known, unequal_runs_note
from outscore.workflows.validate import Question, check_side, paired

SHUFFLES = 10
"""Shuffles over which p is looked at, where units are made of shuffled items."""


def permutation_p(
    a: object,
    b: object,
    *,
    metric: str | AdditiveMetric,
    items: object,
    clusters: object,
    method: str,
    resamples: int | None,
    alternative: str,
    delta: float,
    seed: int,
) -> PValue:
    """The p-value of the paired permutation test alone; see `outscore.permutation_test`."""
    both = pair_given(a, b, items=items, clusters=clusters)
    pairs, additive = paired(both.a, both.b, metric, both.items, both.clusters)
    check_side(alternative, delta)
    check_seed("seed", seed)
    given = {"method": method} | ({} if resamples is None else {"resamples": resamples})
    options = complete("permutation", TESTS["permutation"].options, given)
    request = TestRequest(cast("Alternative", alternative), delta, seed=seed, options=options, interval=False)
    return TESTS["permutation"].run(pairs, additive, request).p


def compare_rows(
    a: object,
    b: object,
    question: Question,
    *,
    metric: str | AdditiveMetric,
    names: tuple[str, str],
    items: object = None,
    clusters: object = None,
    labels: Sequence[str] | None = None,
    repeats: Repeats | None = None,
) -> Comparison:
    """Compare two systems' rows, (n,) scores or (n, k) counts of the same items in the same order.

    `items` and `clusters` are labels of the rows or None, `labels` the names of the rows, `repeats` what is known about items
    that were run several times.
    """
    rows, additive = paired(a, b, metric, items, clusters, () if repeats is None else repeats.averaged)
    # Once here, because every test and every effect would look for it again.
    rows = with_exact_integers(rows)
    if labels is not None and len(labels) != rows.rows:
        raise OutscoreError(f"There are {len(labels)} `labels` for {rows.rows} rows.", "Give one for each row.")
    request, entry = question.of_test, question.entry
    advice = _unit_advice(rows, additive, question) if question.unit_advice else []
    pairs, remainder = _units(rows, additive, question)
    by_items = as_known(entry.run(pairs, additive, request), repeats)
    answer = answer_of(pairs, additive, question, repeats, by_items, spec=metric)
    item_names = labels_of(rows, labels, items, clusters)
    unit_names = item_names if question.unit_size == 1 else [f"unit {i + 1}" for i in range(pairs.rows)]
    others, remarks = all_tests(pairs, additive, request) if question.test == ALL else ([], [])
    by_items = replace(by_items, notes=[*by_items.notes, *remarks])
    margin, about_margin = _margin(answer, pairs, additive, question)
    shuffled = question.unit_size > 1 and question.shuffle is not None
    if shuffled:
        by_items = replace(by_items, notes=[*by_items.notes, _over_shuffles(rows, additive, question)])
    of_items: dict[str, Any] = {"normality_alpha": question.normality_alpha, "unshuffled": rows if shuffled else None}
    parts: dict[str, Any] = {
        **evidence(pairs, additive, request, by_items.p, unit_names, entry=entry, **of_items),
        "tests": [p_as_known(p, repeats) for p in others],
        "margin": margin,
        "bayes": by_items.bayes,
        "unit_advice": advice,
        "units": _with_members(pairs, unit_names, item_names, additive, question),
        "population": answer.population,
        "other_populations": answer.others,
        "smallest_p": answer.smallest_p,
        "runs": answer.runs,
    }
    if repeats is not None and repeats.metric is None and question.unit_size == 1 and additive.higher_is_better:
        parts["pictures"] = replace(parts["pictures"], runs=_curve_of_runs(pairs, repeats, question))
    path = path_of(pairs, additive, by_items.p, request, entry)
    if repeats is not None and pairs.items is None and question.unit_size == 1:
        # Systems with unequal numbers of runs are compared by item means, which are not rows of the data.
        path[0] = replace(path[0], view="items")
    if answer.population != ITEMS:
        parts, by_items = _without_test_of_items(parts, by_items, answer)
        view = cast("Literal['items-and-runs', 'these-items']", answer.population)
        path.append(PathStep(view, answer.result.p.n, path[-1].difference, answer.result.p.value))
    design = _design(rows, additive, remainder, question.unit_size, path, repeats)
    design = replace(design, unit_statistic=question.unit_statistic)
    unequal = [] if answer.population == THESE_ITEMS else unequal_runs_note(pairs, additive, repeats)
    result = replace(answer.result, notes=[*answer.notes, *unequal, *by_items.notes, *about_margin])
    return _assemble(pairs, rows, additive, question, result, design, names, parts)


def _margin(
    answer: Answer, pairs: PairedScores, metric: AdditiveMetric, question: Question
) -> tuple[Margin | None, list[Note]]:
    """What is known about the margin, if one was given, and notes on it."""
    if question.margin is None:
        return None, []
    request = question.of_test
    margin, notes = margin_of(answer.run, pairs, metric, request, question.margin)
    if answer.more_items_help and not margin.noninferiority.rejects(question.alpha):
        shift = -question.margin if metric.higher_is_better else question.margin
        asked = replace(request, alternative="greater", delta=shift)
        if margin.noninferiority.kernel in KERNELS_OF_MARGINS:
            needed = items_to_show(question.entry, pairs, metric, asked, POWER)
        else:
            needed = items_needed(pairs, metric, asked, question.entry)
        margin = replace(margin, needed=needed)
    return margin, notes


def _curve_of_runs(pairs: PairedScores, repeats: Repeats, question: Question) -> RunsCurve | None:
    """How the score grows with the number of runs, from all rows."""
    kind: Kind = "pass^" if repeats.reduced.startswith("pass^") else "pass@"
    clusters = pairs.per_item().clusters
    return runs_curve(repeats.systems, kind, alpha=question.alpha, clusters=clusters, seed=question.seed)


def _without_test_of_items(parts: Mapping[str, Any], result: TestResult, answer: Answer) -> tuple[dict[str, Any], TestResult]:
    """The parts and notes that remain if the test of items does not decide."""
    pictures = replace(parts["pictures"], sizes=[], sizes_test="")
    idle = ["method", "interval"]
    if answer.population == THESE_ITEMS:
        pictures = replace(pictures, null=answer.null)
        idle.append("warning")
    notes = [note for note in result.notes if note.kind not in idle]
    return {**parts, "power": answer.power, "fragility": None, "pictures": pictures}, replace(result, notes=notes)


def _with_members(
    units: PairedScores, names: Sequence[str], items: Sequence[str], metric: AdditiveMetric, question: Question
) -> list[EvaluationUnit]:
    """The evaluation units, each with the names of its items; none if every item is one."""
    if question.unit_size == 1:
        return []
    a, b = (metric.score(side / units.scale).tolist() for side in (units.a, units.b))
    places = members(len(items), question.unit_size, question.shuffle).tolist()
    return [
        EvaluationUnit(name, first, second, first - second, [items[i] for i in own])
        for name, first, second, own in zip(names, a, b, places, strict=True)
    ]


def _units(rows: PairedScores, metric: AdditiveMetric, question: Question) -> tuple[PairedScores, int]:
    """The evaluation units, and how many items are left over."""
    if question.unit_size == 1:
        return rows, 0
    return evaluation_units(rows, metric, question.unit_size, question.unit_statistic, question.shuffle)


def _over_shuffles(rows: PairedScores, metric: AdditiveMetric, question: Question) -> Note:
    """How much p depends on which items came together: on these units, and on those of as many other seeds."""
    asked = replace(question.of_test, interval=False)
    values = []
    for seed in range(question.shuffle or 0, (question.shuffle or 0) + SHUFFLES):
        units, _ = evaluation_units(rows, metric, question.unit_size, question.unit_statistic, seed)
        values.append(question.entry.run(units, metric, asked).p.value)
    low, middle, high = (format_probability(float(x)) for x in (min(values), np.median(values), max(values)))
    text = (
        f"Which items share a unit is left to chance by the shuffle: over {SHUFFLES} shuffles (seeds {question.shuffle} to"
        f" {(question.shuffle or 0) + SHUFFLES - 1}) p is {low} to {high}, in the middle {middle}."
    )
    return Note("design", text)


def _unit_advice(rows: PairedScores, metric: AdditiveMetric, question: Question) -> list[UnitRow]:
    """What units of the standard sizes and of the chosen one give for the same question as the comparison."""
    if rows.clusters is not None:
        raise ClustersError(
            "Advice on the unit size cannot be combined with clusters.",
            "Leave one of the two out: a cluster already is a unit of several items.",
        )
    asked = TestRequest(question.alternative, question.delta, seed=question.seed, alpha=question.alpha)
    sizes = sorted({*SIZES, question.unit_size})
    try:
        return unit_advisor(rows, metric, sizes, question.unit_statistic, question.shuffle, asked)
    except OutscoreError as refusal:
        if not question.delta:
            raise
        # The hint of the refusal names another test, which the advice cannot use.
        message = f"Advice on the unit size uses the permutation test: {refusal.message}"
        raise OutscoreError(message, "Leave out the advice, or `delta`.") from None


def _unit_mark(pairs: PairedScores, question: Question, population: str) -> str:
    """What the n units of the test are, for the signature."""
    if population == THESE_ITEMS:
        return "runs"
    if question.unit_size > 1:
        shuffled = "" if question.shuffle is None else f", shuffled by {question.shuffle}"
        return f"{question.unit_size}-item {question.unit_statistic}{shuffled}"
    return "items" if pairs.clusters is None else "clusters"


def _repeats_mark(design: Design) -> str:
    """How often items were run, for the signature."""
    if design.repeat_kind is None or design.repeats_of is None:
        return ""
    a, b = (f"{times:.4g}" for times in design.repeats_of)
    return f"{a if a == b else f'{a}/{b}'} {design.repeat_kind}"


def _design(
    rows: PairedScores,
    metric: AdditiveMetric,
    remainder: int,
    unit_size: int,
    path: list[PathStep],
    repeats: Repeats | None,
) -> Design:
    items = rows.per_item().rows
    several = pair_variances(rows, metric) if rows.rows > items else None
    between, within = several or (None, None)
    design = Design(rows.rows, items, rows.rows / items, path, unit_size, remainder, between, within)
    if repeats is None:
        return design
    return replace(
        design,
        repeats=sum(repeats.times) / 2,
        repeat_kind=repeats.kind,
        repeat_column=repeats.column,
        repeats_of=(repeats.times[0], repeats.times[1]),
        reduced=repeats.reduced,
    )


def _assemble(
    pairs: PairedScores,
    rows: PairedScores,
    metric: AdditiveMetric,
    question: Question,
    answer: TestResult,
    design: Design,
    names: tuple[str, str],
    parts: Mapping[str, Any],
) -> Comparison:
    items, p = pairs.per_item(), answer.p
    scores = scores_of(items, metric)
    sides = both_sides(pairs, rows) if answer.own is None else []
    own = answer.own or own_intervals(sides, metric, question.alpha)
    method = answer.own_method or interval_method(sides, metric)
    groups = None if pairs.clusters is None else int(pairs.clusters.max()) + 1
    options = question.options
    result = Comparison(
        systems=names,
        metric=metric.name,
        signature=comparison_signature(
            metric.name,
            p,
            margin=question.margin,
            bayes=answer.bayes,
            options={
                **{o.name: options[o.name] for o in question.entry.options if options[o.name] != o.default},
                **answer.chosen,
            },
            unit=_unit_mark(pairs, question, parts["population"]),
            resamples=cast("int | None", options.get("resamples")),
            seed=question.seed,
            higher_is_better=metric.higher_is_better,
            repeats=_repeats_mark(design),
            population=parts["population"] if design.repeat_kind else "",
            **question.side,
        ),
        higher_is_better=metric.higher_is_better,
        n=items.rows,
        clusters=groups,
        design=design,
        alignment=Alignment(common=design.items),
        scores=(
            SystemScore(names[0], scores[0], *own[0], method),
            SystemScore(names[1], scores[1], *own[1], method),
        ),
        difference=scores[0] - scores[1],
        p=p,
        interval=answer.interval,
        decision=Decision(None, "undecided"),
        verdict="",
        sentence="",
        notes=answer.notes,
        **parts,
    )
    return with_verdict(result, **question.side, identical=bool((items.a == items.b).all()))
