"""Two systems, one answer: where metrics and inference meet.

`permutation_test` returns the p-value alone, `compare_panel` the whole result: scores, difference, interval, p, effects, power,
the design's path from rows to clusters, and the verdict. `families` asks the same of parts of the data as one family.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np

from outscore.core.errors import ClustersError, OutscoreError
from outscore.core.metric import AdditiveMetric
from outscore.core.options import check_seed, complete
from outscore.core.rows import PairedScores
from outscore.inference.base.differences import with_exact_integers
from outscore.inference.base.question import Alternative, TestRequest
from outscore.inference.describe.effects import SIZES, evaluation_units, unit_advisor
from outscore.inference.describe.repeats import pair_variances
from outscore.inference.pairwise.table import lacking_of, own_scores
from outscore.inference.populations import ITEMS, THESE_ITEMS
from outscore.inference.registry import ALL, TESTS
from outscore.language.lines import comparison_signature
from outscore.language.numbers import count, format_number, format_p, format_probability
from outscore.language.verdict.comparison import Numbers
from outscore.results.analysis import UnitRow
from outscore.results.comparison import Bayes, SystemScore, TestResult
from outscore.results.design import Alignment, Design, PathStep
from outscore.results.note import Note
from outscore.results.pvalue import PValue
from outscore.scores.align import align_pair
from outscore.scores.panel import Panel, panel_of
from outscore.workflows.compare.evidence import (
    Answer,
    Rows,
    all_tests,
    answer_of,
    as_known,
    explained,
    margin_of,
    p_as_known,
    path_of,
    scores_of,
    unequal_runs_note,
)
from outscore.workflows.question import Question, name_of_test
from outscore.workflows.requests.shared import ALTERNATIVE
from outscore.workflows.systems import pair_given
from outscore.workflows.validate import check_delta

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
    ALTERNATIVE.refuse_senseless(alternative)
    check_delta(delta)
    check_seed("seed", seed)
    given = {"method": method} | ({} if resamples is None else {"resamples": resamples})
    options = complete("permutation", TESTS["permutation"].options, given)
    request = TestRequest(cast("Alternative", alternative), delta, seed=seed, options=options)
    return TESTS["permutation"].p(with_exact_integers(panel.matched_rows()), panel.metric, request)


def compare_panel(
    panel: Panel,
    question: Question,
    *,
    datasets: Sequence[Panel] = (),
    noun: str = "item",
    called: str = "",
    notes: Sequence[Note] = (),
) -> Numbers:
    """The numbers of a comparison of the two systems of a panel; `comparison_of` finds the words for them.

    `datasets` are its parts, if there are several, whose macro average is compared. A row is called `noun`, and the metric by
    its name unless it is `called` otherwise. `notes` follow its own.
    """
    # Once here, because every test and every effect would look for it again.
    rows, additive, repeats = with_exact_integers(panel.matched_rows()), panel.metric, panel.repeats
    advice = _unit_advice(rows, additive, question) if question.unit_advice else []
    pairs, remainder = evaluation_units(rows, additive, *question.units)
    data = Rows(panel, rows, pairs, called or additive.name)
    unequal = repeats is not None and repeats.unequal
    if datasets and question.delta:
        _refuse_shift(datasets)

    def over_items(asked: TestRequest) -> TestResult:
        """What the named test answers for new items."""
        result = question.entry.run(pairs, additive, asked)
        return as_known(result) if unequal else result

    by_items = over_items(question.of_test)
    missing = lacking_of([panel], unit_size=question.unit_size, sampled=True)
    answer = answer_of([panel], question, over_items, by_items, missing)
    averaged, about_datasets = _on_datasets(data, datasets, question, answer.result.p, noun) if datasets else (None, [])
    answer = averaged or answer
    others, remarks = all_tests(pairs, additive, question.of_test) if question.test == ALL else ([], [])
    margin, about_margin = None, list[Note]()
    if question.margin is not None:
        margin, about_margin = margin_of(data, question, answer, question.margin)
    marks: dict[str, Any] = {"noun": noun, "datasets": len(datasets) if averaged else 1, "remainder": remainder}
    path = [] if averaged else path_of(data, by_items.p, question, answer)
    shuffled = [_over_shuffles(rows, additive, question)] if question.unit_size > 1 and question.shuffle is not None else []
    gone = _idle_notes(answer, by_items.p, averaged=averaged is not None)
    design = _design(data, question, path, **marks)
    bayes = None if averaged else by_items.bayes
    return {
        **_answered(data, question, answer, design, bayes),
        **explained(data, question, by_items.p, answer, averaged=averaged is not None),
        "tests": [p_as_known(p) if unequal else p for p in others],
        "margin": margin,
        "bayes": bayes,
        "unit_advice": advice,
        "design": design,
        "alignment": Alignment(common=rows.per_item().rows),
        "notes": [
            *about_datasets,
            *answer.notes,
            *(unequal_runs_note(pairs, additive) if unequal and answer.population != THESE_ITEMS else []),
            *(note for note in (*by_items.notes, *remarks, *shuffled) if note.kind not in gone),
            *about_margin,
            *notes,
        ],
    }


def _refuse_shift(panels: Sequence[Panel]) -> None:
    """Refuse another difference than 0 before the pooled items do, which would name a test that does not help."""
    if not all(panel.linear() for panel in panels):
        from outscore.inference.pairwise.macro import takes_no_margin

        raise takes_no_margin(panels[0].metric.name)


def _on_datasets(
    data: Rows, panels: Sequence[Panel], question: Question, p: PValue, noun: str
) -> tuple[Answer | None, list[Note]]:
    """What the macro average of several datasets says, of whose pooled items p is."""
    # Imported only here, because it loads the tests of many systems on many datasets.
    from outscore.workflows.compare.datasets import compare_datasets

    items, names = data.pairs.per_item(), data.panel.systems
    scores = scores_of(items, data.panel.metric)

    def pooled(difference: float) -> Note:
        """What pooling would say, and whether that contradicts the macro average."""
        first, second = (f"{name} {format_number(value)}" for name, value in zip(names, scores, strict=True))
        opposite = (scores[0] - scores[1]) * difference < 0 and p.rejects(question.alpha)
        sign = ": the sign is the opposite, and significant" if opposite else ""
        size, told = count(items.rows, noun), format_p(p, brief=True)
        return Note("reading", f"Pooled over all {size}: {data.called} {first}, {second}, {told}{sign}.")

    return compare_datasets(panels, question, noun, pooled)


def _idle_notes(answer: Answer, p: PValue, *, averaged: bool) -> tuple[str, ...]:
    """The kinds of notes of the test of items that say nothing where it does not decide."""
    if averaged:
        return ("interval", *(("method",) if answer.result.p.method != p.method else ()))
    if answer.population == ITEMS:
        return ()
    return ("method", "interval", *(("warning",) if answer.population == THESE_ITEMS else ()))


def _over_shuffles(rows: PairedScores, metric: AdditiveMetric, question: Question) -> Note:
    """How much p depends on which items came together: on these units, and on those of as many other seeds."""
    values = []
    for seed in range(question.shuffle or 0, (question.shuffle or 0) + SHUFFLES):
        units, _ = evaluation_units(rows, metric, question.unit_size, question.unit_statistic, seed)
        values.append(question.entry.p(units, metric, question.of_test).value)
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


def _design(data: Rows, question: Question, path: list[PathStep], **marks: Any) -> Design:  # noqa: ANN401 - other fields
    rows, repeats = data.rows, data.panel.repeats
    items = rows.per_item().rows
    between, within = (pair_variances(rows, data.panel.metric) if rows.rows > items else None) or (None, None)
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


def _answered(data: Rows, question: Question, answer: Answer, design: Design, bayes: Bayes | None) -> Numbers:
    """What was compared, and the answer for the population that decides."""
    pairs, metric = data.pairs, data.panel.metric
    names = (data.panel.systems[0], data.panel.systems[1])
    items, result = pairs.per_item(), answer.result
    scores = answer.scores or scores_of(items, metric)
    own, method = answer.own or result.own, result.own_method
    if own is None:
        test = name_of_test(answer.population, [data.panel], question.test)
        found = own_scores(data.panel, test, question.alpha, question.units)
        own, method = found.limits, found.method
    options = question.of_test.options
    signature = comparison_signature(
        metric.name,
        result.p,
        margin=question.margin,
        bayes=bayes,
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
    return {
        "systems": names,
        "metric": data.called,
        "signature": signature,
        "higher_is_better": metric.higher_is_better,
        "n": items.rows,
        "clusters": None if pairs.clusters is None else int(pairs.clusters.max()) + 1,
        "scores": tuple(
            SystemScore(name, score, *limits, method) for name, score, limits in zip(names, scores, own, strict=True)
        ),
        "difference": scores[0] - scores[1],
        "p": result.p,
        "interval": result.interval,
        "identical": bool((items.a == items.b).all()),
        "population": answer.population,
        "other_populations": answer.others,
        "smallest_p": answer.smallest_p,
        "runs": answer.runs,
        "buckets": answer.buckets,
        "replicability": answer.replicability,
    }
