"""Two systems, one answer: where metrics and inference meet.

`permutation_test` returns the p-value alone, `compare_panel` the whole result: scores, difference, interval, p, effects, power,
the design's path from rows to clusters, and the verdict. `families` asks the same of parts of the data as one family.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Literal, cast

import numpy as np

from outscore.core.errors import ClustersError, OutscoreError
from outscore.core.metric import AdditiveMetric
from outscore.core.options import check_seed, complete
from outscore.core.records import dataclass
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
from outscore.language.lines import comparison_signature
from outscore.language.numbers import format_probability
from outscore.language.verdict.comparison import with_omission, with_verdict
from outscore.results.analysis import EvaluationUnit, RunsCurve, UnitRow
from outscore.results.comparison import Comparison, Margin, SystemScore, TestResult
from outscore.results.design import Alignment, Decision, Design, PathStep
from outscore.results.note import Note
from outscore.results.pvalue import PValue
from outscore.scores.align import align_pair
from outscore.scores.panel import Panel, panel_of
from outscore.workflows.compare.evidence import (
    Answer,
    OnDatasets,
    Pooled,
    Wants,
    all_tests,
    answer_of,
    as_known,
    evidence,
    margin_of,
    missing_of,
    p_as_known,
    path_of,
    scores_of,
    unequal_runs_note,
)
from outscore.workflows.question import Question
from outscore.workflows.systems import pair_given
from outscore.workflows.validate import check_side

SHUFFLES = 10
"""Shuffles over which p is looked at, where units are made of shuffled items."""


def permutation_test(
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
    panel = panel_of(align_pair(pair_given(a, b, items=items, clusters=clusters).called), metric)
    check_side(alternative, delta)
    check_seed("seed", seed)
    given = {"method": method} | ({} if resamples is None else {"resamples": resamples})
    options = complete("permutation", TESTS["permutation"].options, given)
    request = TestRequest(cast("Alternative", alternative), delta, seed=seed, options=options, interval=False)
    return TESTS["permutation"].run(with_exact_integers(panel.matched_rows()), panel.metric, request).p


def compare_panel(
    panel: Panel,
    question: Question,
    *,
    datasets: Sequence[Panel] = (),
    noun: str = "item",
    called: str = "",
    before: Sequence[Note] = (),
    after: Sequence[Note] = (),
    known: Mapping[str, Any] | None = None,
) -> Comparison:
    """Compare the two systems of a panel.

    `datasets` are its parts, if there are several, whose macro average is compared. A row is called `noun`, and the metric by
    its name unless it is `called` otherwise. `before` and `after` are notes beside its own, and `known` other fields of the
    result.
    """
    # Once here, because every test and every effect would look for it again.
    rows, additive, repeats = with_exact_integers(panel.matched_rows()), panel.metric, panel.repeats
    advice = _unit_advice(rows, additive, question) if question.unit_advice else []
    pairs, remainder = _units(rows, additive, question)
    data = _Rows(panel, rows, pairs, called or additive.name)
    if datasets and question.delta:
        _refuse_shift(datasets)
    by_items = data.run(question, question.of_test)
    repeated = [] if repeats is None else [panel]
    answer = answer_of(repeated, question, partial(data.run, question), by_items, missing_of(repeated, question))
    found = _on_datasets(data, datasets, question, answer.result.p, noun)
    averaged, answer = found.answer is not None, found.answer or answer
    others, remarks = all_tests(pairs, additive, question.of_test) if question.test == ALL else ([], [])
    margin, about_margin = _margin(answer, pairs, additive, question)
    marks: dict[str, Any] = {"noun": noun, "datasets": len(datasets) if averaged else 1, "remainder": remainder}
    path = [] if averaged else _path(data, by_items.p, question, answer)
    shuffled = [_over_shuffles(rows, additive, question)] if question.unit_size > 1 and question.shuffle is not None else []
    gone = _idle_notes(answer, by_items.p, averaged=averaged)
    parts: dict[str, Any] = {
        **_explained(data, question, by_items.p, answer, averaged=averaged),
        "tests": [p_as_known(p, unequal=data.unequal) for p in others],
        "margin": margin,
        "bayes": None if averaged else by_items.bayes,
        "unit_advice": advice,
        "buckets": found.buckets,
        "replicability": found.replicability,
        "design": _design(data, question, path, **marks),
        "alignment": Alignment(common=rows.per_item().rows),
        "notes": [
            *found.notes,
            *answer.notes,
            *([] if answer.population == THESE_ITEMS else unequal_runs_note(pairs, additive, repeats)),
            *(note for note in (*by_items.notes, *remarks, *shuffled) if note.kind not in gone),
            *about_margin,
            *found.about_test,
            *after,
        ],
        **(known or {}),
    }
    whole = _assemble(data, question, answer, parts)
    return with_omission(replace(whole, notes=[*before, *whole.notes]) if before else whole)


@dataclass(frozen=True, eq=False)
class _Rows:
    """Two systems, their matched rows and the units made of these, in the columns of a metric that is `called` so."""

    panel: Panel
    rows: PairedScores
    pairs: PairedScores
    called: str

    @property
    def metric(self) -> AdditiveMetric:
        """What scores the rows."""
        return self.panel.metric

    @property
    def repeats(self) -> Repeats | None:
        """What is known of items that were run several times."""
        return self.panel.repeats

    @property
    def unequal(self) -> bool:
        """Whether the systems were run unequally often."""
        return self.repeats is not None and self.repeats.unequal

    def run(self, question: Question, asked: TestRequest) -> TestResult:
        """What the named test answers for new items."""
        return as_known(question.entry.run(self.pairs, self.metric, asked), unequal=self.unequal)


def _refuse_shift(panels: Sequence[Panel]) -> None:
    """Refuse another difference than 0 before the pooled items do, which would name a test that does not help."""
    if not all(panel.linear() for panel in panels):
        from outscore.inference.pairwise.macro import takes_no_margin

        raise takes_no_margin(panels[0].metric.name)


def _on_datasets(data: _Rows, panels: Sequence[Panel], question: Question, p: PValue, noun: str) -> OnDatasets:
    """What several datasets say, of whose pooled items p is; nothing without any."""
    if not panels:
        return OnDatasets()
    # Imported only here, because it loads the tests of many systems on many datasets.
    from outscore.workflows.compare.datasets import compare_datasets

    items = data.pairs.per_item()
    return compare_datasets(panels, question, Pooled(scores_of(items, data.metric), p, data.called, items.rows, noun))


def _explained(data: _Rows, question: Question, p: PValue, answer: Answer, *, averaged: bool) -> dict[str, Any]:
    """The evidence beside the answer, and what several runs of items add to it."""
    items = data.panel.unit_names()
    unit_names = items if question.unit_size == 1 else [f"unit {i + 1}" for i in range(data.pairs.rows)]
    shuffled = question.unit_size > 1 and question.shuffle is not None
    runs = None
    if question.unit_size == 1 and data.metric.higher_is_better:
        runs = _curve_of_runs(data, question)
    found = evidence(
        data.pairs,
        data.metric,
        question.of_test,
        p,
        unit_names,
        entry=question.entry,
        wants=_wants(question, answer, averaged=averaged),
        normality_alpha=question.normality_alpha,
        unshuffled=data.rows if shuffled else None,
        null=answer.null,
        runs=runs,
    )
    return {
        **found,
        "power": answer.power if answer.population != ITEMS or averaged else found["power"],
        "units": _with_members(data.pairs, unit_names, items, data.metric, question),
        "population": answer.population,
        "other_populations": answer.others,
        "smallest_p": answer.smallest_p,
        "runs": answer.runs,
    }


def _wants(question: Question, answer: Answer, *, averaged: bool) -> Wants:
    """What is told beside the answer: a gate shows no null law, and macro averages nothing that is about single items."""
    brief = averaged or question.gate
    return Wants(
        swaps=not brief and answer.population != THESE_ITEMS,
        exchange=not brief and answer.population == THESE_ITEMS,
        further=not brief and answer.population == ITEMS,
        effects=not averaged,
    )


def _idle_notes(answer: Answer, p: PValue, *, averaged: bool) -> tuple[str, ...]:
    """The kinds of notes of the test of items that say nothing where it does not decide."""
    if averaged:
        return ("interval", *(("method",) if answer.result.p.method != p.method else ()))
    if answer.population == ITEMS:
        return ()
    return ("method", "interval", *(("warning",) if answer.population == THESE_ITEMS else ()))


def _path(data: _Rows, p: PValue, question: Question, answer: Answer) -> list[PathStep]:
    """The answer in each view of the data, that of the population last."""
    path = path_of(data.pairs, data.metric, p, question.of_test, question.entry)
    if data.repeats is not None and data.pairs.items is None and question.unit_size == 1:
        # Systems with unequal numbers of runs are compared by item means, which are not rows of the data.
        path[0] = replace(path[0], view="items")
    if answer.population == ITEMS:
        return path
    view = cast("Literal['items-and-runs', 'these-items']", answer.population)
    return [*path, PathStep(view, answer.result.p.n, path[-1].difference, answer.result.p.value)]


def _margin(
    answer: Answer, pairs: PairedScores, metric: AdditiveMetric, question: Question
) -> tuple[Margin | None, list[Note]]:
    """What is known about the margin, if one was given, and notes on it."""
    if question.margin is None:
        return None, []
    request = question.of_test
    shift = -question.margin if metric.higher_is_better else question.margin
    asked = replace(request, alternative="greater", delta=shift)

    def needed(p: PValue) -> int | None:
        if not answer.more_items_help or p.rejects(question.alpha):
            return None
        if p.kernel in KERNELS_OF_MARGINS:
            return items_to_show(question.entry, pairs, metric, asked, POWER)
        return items_needed(pairs, metric, asked, question.entry)

    return margin_of(answer.run, pairs, metric, request, question.margin, needed=needed, both=question.gate)


def _curve_of_runs(data: _Rows, question: Question) -> RunsCurve | None:
    """How the score grows with the number of runs, from all rows."""
    runs = data.panel.run_scores()
    if data.repeats is None or runs is None:
        return None
    kind: Kind = "pass^" if data.repeats.reduced.startswith("pass^") else "pass@"
    return runs_curve(runs, kind, alpha=question.alpha, clusters=data.pairs.per_item().clusters, seed=question.seed)


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


def _design(data: _Rows, question: Question, path: list[PathStep], **marks: Any) -> Design:  # noqa: ANN401 - other fields
    rows, repeats = data.rows, data.repeats
    items = rows.per_item().rows
    between, within = (pair_variances(rows, data.metric) if rows.rows > items else None) or (None, None)
    of_repeats: dict[str, Any] = {"repeats": rows.rows / items}
    if repeats is not None:
        of_repeats = {
            "repeats": sum(repeats.times) / 2,
            "repeat_kind": repeats.kind,
            "repeat_column": repeats.column,
            "repeats_of": (repeats.times[0], repeats.times[1]),
            "reduced": repeats.reduced,
        }
    return Design(
        rows=rows.rows,
        items=items,
        path=path,
        unit_size=question.unit_size,
        between=between,
        within=within,
        unit_statistic=question.unit_statistic,
        **of_repeats,
        **marks,
    )


def _assemble(data: _Rows, question: Question, answer: Answer, parts: Mapping[str, Any]) -> Comparison:
    pairs, metric, design = data.pairs, data.metric, cast("Design", parts["design"])
    names = (data.panel.systems[0], data.panel.systems[1])
    items, result = pairs.per_item(), answer.result
    scores = answer.scores or scores_of(items, metric)
    own, method = answer.own or result.own, answer.own_method or result.own_method
    if own is None:
        sides = both_sides(pairs, data.rows)
        own, method = own_intervals(sides, metric, question.alpha), interval_method(sides, metric)
    options = question.of_test.options
    signature = comparison_signature(
        metric.name,
        result.p,
        margin=question.margin,
        bayes=parts["bayes"],
        options={
            **{o.name: options[o.name] for o in question.entry.options if options[o.name] != o.default},
            **result.chosen,
        },
        unit=_unit_mark(pairs, question, answer.population),
        resamples=cast("int | None", options.get("resamples")),
        seed=question.seed,
        higher_is_better=metric.higher_is_better,
        repeats=_repeats_mark(design),
        population=answer.population if design.repeat_kind else "",
        **question.side,
    )
    if design.datasets > 1:
        signature = signature.before("outscore", ("datasets", f"{design.datasets}, macro average"))
    comparison = Comparison(
        systems=names,
        metric=data.called,
        signature=signature,
        higher_is_better=metric.higher_is_better,
        n=items.rows,
        clusters=None if pairs.clusters is None else int(pairs.clusters.max()) + 1,
        scores=(
            SystemScore(names[0], scores[0], *own[0], method),
            SystemScore(names[1], scores[1], *own[1], method),
        ),
        difference=scores[0] - scores[1],
        p=result.p,
        interval=result.interval,
        decision=Decision(None, "undecided"),
        verdict="",
        sentence="",
        **parts,
    )
    return with_verdict(comparison, **question.side, identical=bool((items.a == items.b).all()))
