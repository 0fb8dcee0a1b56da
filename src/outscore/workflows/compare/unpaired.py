"""Two samples of different items: read them, check that they share no item, and compare them by permuting their scores."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import NoReturn, cast

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.metric import AdditiveMetric
from outscore.core.numeric import Array
from outscore.core.rows import is_labelled
from outscore.formats.logs.registry import LOGS
from outscore.inference.base.own_score import own_intervals
from outscore.inference.base.question import TestRequest
from outscore.inference.describe.histograms import null_of_samples, two_histograms
from outscore.inference.pairwise.table import own_rows
from outscore.inference.power.two_samples import needed_of_samples
from outscore.inference.registry import DEFAULT
from outscore.inference.unpaired import (
    Samples,
    likelihood_p,
    margin_of_samples,
    mid_ranks,
    run_unpaired,
    welch_interval,
    welch_p,
)
from outscore.language.lines import comparison_signature
from outscore.language.numbers import count, format_probability
from outscore.language.verdict.comparison import comparison_of
from outscore.results.analysis import ChartData, Effect, Power
from outscore.results.comparison import Comparisons, Margin, SystemScore, Unpaired
from outscore.results.design import Alignment, Design
from outscore.results.note import Note, Signature
from outscore.results.pvalue import PValue
from outscore.scores.panel import Panel
from outscore.scores.system import Scores, facts_of_answers
from outscore.workflows.prepare import Prepared, prepare_each
from outscore.workflows.question import Question
from outscore.workflows.reading import gold_notes, scale_notes
from outscore.workflows.requests.compare import CompareRequest
from outscore.workflows.systems import Systems, arrays_given, names_of_series, pair_given

LIBERAL, CAUTIOUS = 1.5, 0.5
"""An actual level beyond this many times alpha deserves a warning, or a note."""
MOSTLY = 0.5
"""The share of the smaller sample above which shared items are the rule, not an accident."""
STUDENT = "student"
NO_IDS = "If the same id names different items, write --item none."
BARE_VALUES = "If the same label names different items, give the bare values (`.to_numpy()`)."
PAIRED_IS_STRONGER = "Leave --unpaired out: pairing is stronger, because the difficulty of the items cancels."


def samples_given(a: object, b: object, *, clusters: object, names: tuple[str, ...]) -> Systems:
    """Two samples as Python callers pass them: scores that were read, or arrays; `clusters` are labels of A's and of B's rows.

    Examples
    --------
    >>> found = samples_given([1, 0, 1], [0, 1], clusters=(["d1", "d1", "d2"], ["d3", "d4"]), names=())
    >>> [one.rows for one in found.scores], found.names, found.scores[1].clusters.names
    ([3, 2], ('A', 'B'), ('d3', 'd4'))
    """
    if isinstance(a, Scores) and isinstance(b, Scores):
        return pair_given(a, b, clusters=clusters, names=names)
    labels: tuple[object, object] = (None, None)
    if clusters is not None:
        if not isinstance(clusters, Sequence) or isinstance(clusters, str) or len(clusters) != 2:
            raise OutscoreError(
                "With --unpaired, A and B need separate `clusters`.",
                "Give a pair of lists: clusters=(of_a, of_b).",
                parameter="cluster",
            )
        labels = clusters[0], clusters[1]
    _refuse_shared_index(a, b)
    parts = (arrays_given({role: x}, {"clusters": own})[0] for role, x, own in zip("ab", (a, b), labels, strict=True))
    return Systems(tuple(parts), names or names_of_series(a, b))


def _refuse_shared_index(a: object, b: object) -> None:
    """Refuse pandas Series with shared index labels; an index that merely numbers the rows does not count."""
    if not (is_labelled(a) and is_labelled(b)):
        return
    first, second = (list(x.index) for x in (a, b))  # type: ignore[attr-defined] # that is what labelled means
    if first == list(range(len(first))) and second == list(range(len(second))):
        return
    shared = [label for label in first if label in set(second)]
    if shared:
        _refuse_pairs(len(shared), str(shared[0]), min(len(set(first)), len(set(second))), BARE_VALUES)


def compare_samples(request: CompareRequest, data: Systems, *, gate: bool = False) -> Comparisons:
    """Compare two samples of different items, for a `gate` or for themselves.

    Examples
    --------
    >>> found = samples_given([6, 7, 9], [1, 2, 4, 5], clusters=None, names=("new", "old"))
    >>> answer = compare_samples(CompareRequest(unpaired=True), found).comparisons[0]
    >>> answer.p.value, answer.unpaired.n
    (0.05714285714285714, (3, 4))
    """
    question = Question(**request.asked(), gate=gate)
    samples, ready = ready_samples(request, data)
    panels = [one.whole for one in ready]
    metric, rows = panels[0].metric, rows_behind(ready)
    result = run_unpaired(question.entry.name, samples, question.of_test)
    margin, about_margin = _margin(samples, metric, question)
    beside = _beside(samples, question)
    n, values = sum(samples.sizes), [samples.a, samples.b]
    own = own_intervals([own_rows(panel, 0) for panel in panels], metric, question.alpha)
    repeated, contradicting = sum(one.aligned.duplicates for one in ready), sum(one.aligned.conflicts for one in ready)
    notes = [
        *ready[0].better.notes,
        *data.notes,
        *scale_notes(data.names, values),
        *gold_notes(data.names, values, data.origins),
        *facts_of_answers(data.scores),
        *_design_notes(data, panels),
        *_cautions(samples, beside, question, data.pair),
        *result.notes,
        *about_margin,
    ]
    numbers = {
        "systems": data.pair,
        "metric": metric.name,
        "signature": _signature(samples, metric, result.p, question),
        "higher_is_better": metric.higher_is_better,
        "n": n,
        "clusters": None if samples.clusters is None else samples.n,
        "design": Design(rows, n, rows / n, []),
        "alignment": Alignment(0, *samples.sizes, repeated, contradicting, list(data.missing)),
        "scores": tuple(
            SystemScore(name, mean, *limits) for name, mean, limits in zip(data.names, samples.means, own, strict=True)
        ),
        "difference": samples.difference,
        "p": result.p,
        "interval": result.interval,
        "notes": notes,
        "effects": _effects(samples),
        "pictures": ChartData(
            two_histograms(samples.a.astype(float), samples.b.astype(float)),
            null=None if gate else null_of_samples(samples, question.seed),
        ),
        "reading": ready[0].reading(rows),
        "margin": margin,
        "unpaired": beside,
        "power": _power(samples, result.p, question),
    }
    return Comparisons([comparison_of(numbers, **question.side)], request.settings(data.origins))


def _margin(samples: Samples, metric: AdditiveMetric, question: Question) -> tuple[Margin | None, list[Note]]:
    if question.margin is None:
        return None, []
    margin, notes = margin_of_samples(question.entry.name, samples, metric, question.of_test, question.margin)
    if not question.gate:
        return margin, notes
    both = TestRequest(alpha=2 * question.alpha, seed=question.seed, options=question.of_test.options)
    return replace(margin, interval=run_unpaired(question.entry.name, samples, both).interval), notes


def ready_samples(request: CompareRequest, data: Systems) -> tuple[Samples, list[Prepared]]:
    """One score per item of each system, in the direction that is better, and what these were made of.

    Systems that share items are refused.
    """
    _refuse_counts(data)
    _refuse_shared(data)
    prepared = prepare_each(request, data)
    first, second = (one.whole for one in prepared)
    return Samples(_values(first), _values(second), _clusters_of(first, second, data), first.orientation), prepared


def rows_behind(prepared: Sequence[Prepared]) -> int:
    """The number of rows behind the items of all systems."""
    return sum(int(one.whole.times.sum()) for one in prepared)


def _values(panel: Panel) -> Array:
    """The score of each item as it was written; rows of one item are averaged, so that each counts once."""
    return np.asarray(panel.rows[0, :, 0] if panel.scale == 1 else panel.rows[0, :, 0] / panel.scale)


def _power(samples: Samples, p: PValue, question: Question) -> Power | None:
    """How many items of each system a true difference as large as the observed one takes, where nothing was decided."""
    if p.rejects(question.alpha):
        return None
    needed = needed_of_samples(samples, question.entry.name, question.alpha, question.alternative)
    return None if needed is None else Power(None, [], needed=needed)


def _signature(samples: Samples, metric: AdditiveMetric, p: PValue, question: Question) -> Signature:
    return comparison_signature(
        metric.name,
        p,
        margin=question.margin,
        unit="unpaired items" if samples.clusters is None else "unpaired clusters",
        resamples=cast("int | None", question.of_test.options.get("resamples")),
        seed=question.seed,
        higher_is_better=metric.higher_is_better,
        **question.side,
    )


def _clusters_of(first: Panel, second: Panel, data: Systems) -> tuple[Array, Array] | None:
    """The codes of each system's clusters; clusters with items of both systems are refused."""
    of_a, of_b = (one.clusters for one in data.scores)
    if of_a is None and of_b is None:
        return None
    if of_a is None or of_b is None:
        without = data.names[of_a is not None]
        raise OutscoreError(
            f"`{without}` has no clusters, but the other system does.",
            "Name the clusters of both, or write --cluster none.",
            parameter="cluster",
        )
    shared = set(of_a.texts()) & set(of_b.texts())
    if shared:
        raise OutscoreError(
            f"Cluster `{min(shared)}` contains items of both systems, but --unpaired assigns whole clusters to systems.",
            "Name a column whose clusters belong to one system each, or write --cluster none.",
            parameter="cluster",
        )
    assert first.clusters is not None
    assert second.clusters is not None
    return first.clusters, second.clusters


def _refuse_counts(data: Systems) -> None:
    if any(one.values.ndim > 1 for one in data.scores):
        raise OutscoreError(
            "--unpaired compares means of one score per item, but the rows contain several numbers.",
            "Give one score for each item.",
            parameter="unpaired",
        )


def _refuse_shared(data: Systems) -> None:
    """Refuse items that both systems have: these are pairs, and a paired comparison would be stronger."""
    a, b = data.scores
    if a.ids is None or b.ids is None:
        if a.origin is not None and a.origin is b.origin and "system" not in a.origin.columns:
            raise OutscoreError(
                f"Every row of {a.label} has a score for both systems: these are the same items.",
                PAIRED_IS_STRONGER,
                parameter="unpaired",
            )
        return
    first, second = _names_of(a, with_datasets=b.datasets is not None), _names_of(b, with_datasets=a.datasets is not None)
    shared = first & second
    if shared:
        # Logs have item ids that no option can ignore.
        logged = a.origin is not None and a.origin.format in LOGS
        _refuse_pairs(len(shared), min(shared)[1], min(len(first), len(second)), "" if logged else NO_IDS)


def _refuse_pairs(shared: int, example: str, fewer: int, unless: str) -> NoReturn:
    """Refuse samples that share items; `fewer` is the size of the smaller sample, `unless` a way out if the items differ."""
    pairs = "this is a pair" if shared == 1 else "these are pairs"
    cure = PAIRED_IS_STRONGER
    if shared < MOSTLY * fewer:
        # Without --unpaired, only these few would be compared.
        them = "it" if shared == 1 else "them"
        cure = f"Remove {them} from at least one file, so that the samples share no items."
    message = f"Both systems have {count(shared, 'item')}, such as `{example}`: {pairs}."
    raise OutscoreError(message, f"{cure} {unless}".rstrip(), parameter="unpaired")


def _names_of(scores: Scores, *, with_datasets: bool) -> set[tuple[str, str]]:
    ids = scores.item_ids.texts()
    datasets = scores.datasets.texts() if scores.datasets is not None and with_datasets else [""] * len(ids)
    return set(zip(datasets, ids, strict=True))


def _beside(samples: Samples, question: Question) -> Unpaired:
    asked = question.of_test
    # For proportions, the score interval and Fisher's test say more.
    means = samples.worth is None or samples.clusters is not None
    table = question.alternative == "two-sided" and question.entry.name == DEFAULT
    return Unpaired(
        samples.sizes,
        None if samples.clusters is None else samples.units,
        samples.spreads,
        welch_p(samples, asked) if means else None,
        welch_interval(samples, asked, dual=True) if means else None,
        samples.level(question.alpha) if means else None,
        likelihood_p(samples) if table else None,
    )


def _design_notes(data: Systems, panels: Sequence[Panel]) -> list[Note]:
    notes = []
    a, b = data.scores
    if a.ids is None and b.ids is None and a.rows == b.rows and a.origin is not b.origin:
        text = "Both files have the same number of rows and no ids: if the rows are the same items, leave --unpaired out."
        notes.append(Note("design", text))
    if any(panel.repeats is not None for panel in panels):
        notes.append(Note("design", "Items with several rows count once, by their mean score."))
    return notes


def _cautions(samples: Samples, beside: Unpaired, question: Question, names: tuple[str, str]) -> list[Note]:
    """How the two-sided p was ordered, and what unequal spreads do to the permutation test."""
    notes = []
    if beside.by_likelihood is not None:
        text = (
            "Fisher's two-sided p counts the tables whose difference is at least as large; ordering them by probability,"
            f" as R's fisher.test does, gives p = {format_probability(beside.by_likelihood)}."
        )
        notes.append(Note("method", text))
    still = [name for name, sd in zip(names, beside.sd, strict=True) if sd == 0]
    if question.entry.name == STUDENT and len(still) == 1:
        # The standard error comes from the other sample alone, as if the mean of this one were known.
        cure = "--test permutation does not rely on spreads"
        if samples.worth is not None and samples.clusters is None:
            cure = "for right-or-wrong scores, --test permutation is Fisher's exact test, which does not rely on spreads"
        text = f"The scores of {still[0]} do not vary, so the t test treats its mean as known and p may be too small;"
        notes.append(Note("warning", f"{text} {cure}."))
    level, alpha = beside.level, question.alpha
    if question.entry.name != DEFAULT or level is None or beside.welch is None:
        return notes
    if CAUTIOUS * alpha < level < LIBERAL * alpha:
        return notes
    sd_a, sd_b = beside.sd
    about = (
        f"The samples differ in size ({samples.units[0]:,} and {samples.units[1]:,}) and in spread (sd {sd_a:.3g} for"
        f" {names[0]} and {sd_b:.3g} for {names[1]}), so systems with equal means would be found different with probability"
        f" {format_probability(level)} at alpha = {alpha:g}. The test is of equal distributions; for means alone see Welch's"
        f" test, p = {format_probability(beside.welch.value)}."
    )
    notes.append(Note("warning" if level > alpha else "data", about))
    return notes


def _effects(samples: Samples) -> list[Effect]:
    """Cohen's d with the pooled spread, and how often an item of A scores above one of B, with ties counted as half."""
    effects = []
    (n_a, n_b), (sd_a, sd_b) = samples.sizes, samples.spreads
    if sd_a is not None and sd_b is not None:
        pooled = math.sqrt(((n_a - 1) * sd_a**2 + (n_b - 1) * sd_b**2) / (n_a + n_b - 2))
        effects.append(Effect("cohen_d", samples.difference / pooled if pooled else None))
    ranks = mid_ranks(np.concatenate([samples.a, samples.b]))
    won = (int(ranks[:n_a].sum()) - n_a * (n_a + 1)) / 2
    effects.append(Effect("superiority", won / (n_a * n_b)))
    return effects
