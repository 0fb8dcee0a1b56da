"""Two samples of different items: read, checked that they share none, and compared by divisions of their scores."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal, NoReturn, cast

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.labelled import is_labelled
from outscore.core.metric import AdditiveMetric
from outscore.core.numeric import Array
from outscore.core.paired import codes_of
from outscore.core.records import dataclass
from outscore.formats.logs.registry import LOGS
from outscore.inference.base.own_score import Limits, OwnRows, own_intervals
from outscore.inference.describe.histograms import null_of_samples, two_histograms
from outscore.inference.registry import DEFAULT
from outscore.inference.unpaired.divisions import likelihood_p
from outscore.inference.unpaired.samples import Samples, mid_ranks
from outscore.inference.unpaired.tests import margin_of_samples, run_unpaired, welch_interval, welch_p
from outscore.language.numbers import count, format_probability
from outscore.language.signature import comparison_signature
from outscore.language.verdict.comparison import with_verdict
from outscore.metrics.registry import resolve
from outscore.results.analysis import ChartData, Effect
from outscore.results.comparison import Comparison, Comparisons, SystemScore, Unpaired
from outscore.results.design import Alignment, Decision, Design, Missing
from outscore.results.note import Note
from outscore.results.pvalue import PValue
from outscore.results.signature import Signature
from outscore.scores.answers import facts_of_answers
from outscore.scores.duplicates import check_rule, settle
from outscore.scores.system import Labels, Scores
from outscore.workflows.reading import answer_notes, directed, reading_of, scale_notes, score_names
from outscore.workflows.requests.compare import CompareRequest
from outscore.workflows.validate import Question, numbers_of, question_of

if TYPE_CHECKING:
    from outscore.scores.duplicates import DuplicateRule

__all__ = ["TwoSamples", "compare_samples", "samples_given"]

LIBERAL, CAUTIOUS = 1.5, 0.5
"""A level of so many times alpha is worth a warning, or a note."""
MOSTLY = 0.5
"""The share of the smaller sample from which on shared items are the rule, and no accident."""
STUDENT = "student"
NO_IDS = "Where an id names different items, write --item none."
BARE_VALUES = "Where a label names different items, give the bare values (`.to_numpy()`)."
PAIRED_IS_STRONGER = "Leave --unpaired out: pairing is stronger, because the items' difficulty cancels."


@dataclass(frozen=True, eq=False)
class TwoSamples:
    """Two systems' scores before anything is matched, and what they are called."""

    a: Scores
    b: Scores
    names: tuple[str, str]
    notes: tuple[Note, ...] = ()
    missing: tuple[Missing, ...] = ()
    better: Literal["higher", "lower"] | None = None

    def turned(self) -> TwoSamples:
        """The same two, the second one first."""
        return replace(self, a=self.b, b=self.a, names=self.names[::-1])


def samples_given(a: object, b: object, *, clusters: object, names: tuple[str, ...]) -> TwoSamples:
    """Two samples as Python callers have them: scores that were read, or arrays; `clusters` are labels of A's and of B's rows.

    Examples
    --------
    >>> found = samples_given([1, 0, 1], [0, 1], clusters=(["d1", "d1", "d2"], ["d3", "d4"]), names=())
    >>> found.a.rows, found.b.rows, found.names, found.b.clusters.names
    (3, 2, ('A', 'B'), ('d3', 'd4'))
    """
    if isinstance(a, Scores) and isinstance(b, Scores):
        if clusters is not None:
            raise OutscoreError("`clusters` was given, and scores that were read have their own.", "Leave `clusters` out.")
        return TwoSamples(a, b, cast("tuple[str, str]", names or (a.name, b.name)))
    labels: tuple[object, object] = (None, None)
    if clusters is not None:
        if not isinstance(clusters, Sequence) or isinstance(clusters, str) or len(clusters) != 2:
            raise OutscoreError(
                "`clusters` of different items are those of A's rows and those of B's.",
                "Give a pair of lists: clusters=(of_a, of_b).",
                parameter="cluster",
            )
        labels = clusters[0], clusters[1]
    _refuse_shared_index(a, b)
    called = cast("tuple[str, str]", names or ("A", "B"))
    first, second = (_scores_of(x, role, own) for x, role, own in zip((a, b), ("a", "b"), labels, strict=True))
    return TwoSamples(first, second, called)


def _refuse_shared_index(a: object, b: object) -> None:
    """Refuse series of pandas whose rows have the same names; rows that are merely numbered have none."""
    if not (is_labelled(a) and is_labelled(b)):
        return
    first, second = (list(x.index) for x in (a, b))  # type: ignore[attr-defined] # that is what labelled means
    if first == list(range(len(first))) and second == list(range(len(second))):
        return
    shared = [label for label in first if label in set(second)]
    if shared:
        _refuse_pairs(len(shared), str(shared[0]), min(len(set(first)), len(set(second))), BARE_VALUES)


def _scores_of(given: object, role: str, clusters: object) -> Scores:
    values = numbers_of(given, role)
    codes = codes_of(clusters, len(values), "clusters")
    return Scores(role.upper(), values, clusters=None if codes is None else Labels.of(np.asarray(clusters).tolist()))


def compare_samples(request: CompareRequest, found: TwoSamples) -> Comparisons:
    """Compare two samples of different items.

    Examples
    --------
    >>> found = samples_given([6, 7, 9], [1, 2, 4, 5], clusters=None, names=("new", "old"))
    >>> answer = compare_samples(CompareRequest(unpaired=True), found).comparisons[0]
    >>> answer.p.value, answer.unpaired.n
    (0.05714285714285714, (3, 4))
    """
    _refuse_counts(found)
    _refuse_shared(found)
    check_rule(cast("DuplicateRule", request.duplicates))
    question = question_of(**request.asked())
    origins = tuple(dict.fromkeys(x.origin for x in (found.a, found.b) if x.origin is not None))
    better = directed(request.metric or "mean", request.direction, score_names(origins, found.names), told=found.better)
    (a, dropped_a, conflicts_a), (b, dropped_b, conflicts_b) = (
        settle(x, cast("DuplicateRule", request.duplicates)) for x in (found.a, found.b)
    )
    first, second = _items_of(a), _items_of(b)
    metric, rows_a, rows_b = resolve(better.metric, first.values, second.values)
    samples = Samples(rows_a[:, 0], rows_b[:, 0], _clusters_of(first, second, found), 1 if metric.higher_is_better else -1)
    result = run_unpaired(question.entry.name, samples, question.of_test)
    beside = _beside(samples, question)
    rows, n = a.rows + b.rows, sum(samples.sizes)
    own = _own_intervals((rows_a, rows_b), samples, metric, question.alpha)
    met = Alignment(0, *samples.sizes, dropped_a + dropped_b, conflicts_a + conflicts_b, list(found.missing))
    notes = [
        *better.notes,
        *found.notes,
        *scale_notes(found.names, [first.values, second.values]),
        *answer_notes(origins),
        *facts_of_answers((a, b)),
        *_design_notes(found, first, second),
        *_cautions(samples, beside, question, found.names),
        *result.notes,
    ]
    comparison = Comparison(
        systems=found.names,
        metric=metric.name,
        signature=_signature(samples, metric, result.p, question),
        higher_is_better=metric.higher_is_better,
        n=n,
        clusters=None if samples.clusters is None else samples.n,
        design=Design(rows, n, rows / n, []),
        alignment=met,
        scores=(SystemScore(found.names[0], samples.means[0], *own[0]), SystemScore(found.names[1], samples.means[1], *own[1])),
        difference=samples.difference,
        p=result.p,
        interval=result.interval,
        decision=Decision(None, "undecided"),
        verdict="",
        sentence="",
        notes=notes,
        effects=_effects(samples),
        pictures=ChartData(
            two_histograms(samples.a.astype(float), samples.b.astype(float)), null=null_of_samples(samples, question.seed)
        ),
        reading=reading_of(origins, rows=rows, systems=found.names, direction=(better.better, better.source)),
        margin=None if question.margin is None else margin_of_samples(question.entry.name, samples, question.margin),
        unpaired=beside,
    )
    return Comparisons([with_verdict(comparison, **question.side)], request.settings(origins))


def _signature(samples: Samples, metric: AdditiveMetric, p: PValue, question: Question) -> Signature:
    return comparison_signature(
        metric.name,
        p,
        margin=question.margin,
        unit="unpaired items" if samples.clusters is None else "unpaired clusters",
        resamples=cast("int | None", question.options.get("resamples")),
        seed=question.seed,
        higher_is_better=metric.higher_is_better,
        **question.side,
    )


@dataclass(frozen=True, eq=False)
class _Items:
    """One score per item, the cluster of each, and whether any is the mean of several rows."""

    values: Array
    clusters: Labels | None
    averaged: bool = False


def _items_of(scores: Scores) -> _Items:
    """Rows of one item averaged, so that each item counts once."""
    if scores.ids is None:
        return _Items(scores.values, scores.clusters)
    keys = scores.ids.codes
    if scores.datasets is not None:
        keys = keys * len(scores.datasets.names) + scores.datasets.codes
    _, first, member, times = np.unique(keys, return_index=True, return_inverse=True, return_counts=True)
    if len(first) == scores.rows:
        return _Items(scores.values, scores.clusters)
    means = np.bincount(member, weights=scores.values.astype(float)) / times
    order = np.argsort(first, kind="stable")
    clusters = None if scores.clusters is None else scores.clusters.take(first[order])
    return _Items(means[order], clusters, averaged=True)


def _clusters_of(first: _Items, second: _Items, found: TwoSamples) -> tuple[Array, Array] | None:
    """Codes of each system's own clusters; those that hold items of both are refused."""
    if first.clusters is None and second.clusters is None:
        return None
    if first.clusters is None or second.clusters is None:
        without = found.names[first.clusters is not None]
        raise OutscoreError(
            f"`{without}` has no clusters, and the other system has.",
            "Name the clusters of both, or write --cluster none.",
            parameter="cluster",
        )
    shared = set(first.clusters.texts()) & set(second.clusters.texts())
    if shared:
        raise OutscoreError(
            f"Cluster `{min(shared)}` holds items of both systems, and whole clusters are divided between them.",
            "Name what lies in one system's sample only, or write --cluster none.",
            parameter="cluster",
        )
    a, b = (codes_of(x.codes, len(x), "clusters") for x in (first.clusters, second.clusters))
    assert a is not None
    assert b is not None
    return a, b


def _refuse_counts(found: TwoSamples) -> None:
    if found.a.values.ndim > 1 or found.b.values.ndim > 1:
        raise OutscoreError(
            "--unpaired compares means of one score per item, and the rows hold several numbers.",
            "Give one score for each item.",
            parameter="unpaired",
        )


def _refuse_shared(found: TwoSamples) -> None:
    """Refuse items that both systems have: these are pairs, and more would be known of them."""
    a, b = found.a, found.b
    if a.ids is None or b.ids is None:
        if a.origin is not None and a.origin is b.origin and "system" not in a.origin.columns:
            raise OutscoreError(
                f"The columns of {a.label} have a score of both systems on every row: these are the same items.",
                PAIRED_IS_STRONGER,
                parameter="unpaired",
            )
        return
    first, second = _names_of(a, with_datasets=b.datasets is not None), _names_of(b, with_datasets=a.datasets is not None)
    shared = first & second
    if shared:
        # Logs know their items, and have no column that could be left out.
        logged = a.origin is not None and a.origin.format in LOGS
        _refuse_pairs(len(shared), min(shared)[1], min(len(first), len(second)), "" if logged else NO_IDS)


def _refuse_pairs(shared: int, example: str, fewer: int, unless: str) -> NoReturn:
    """Refuse `shared` items of both systems, the system with fewer of them having so many; `unless` they are others."""
    pairs = "this is a pair" if shared == 1 else "these are pairs"
    cure = PAIRED_IS_STRONGER
    if shared < MOSTLY * fewer:
        # Without --unpaired these few alone would be compared.
        them = "it" if shared == 1 else "them"
        cure = f"Leave {them} out of one file at least, so that the samples are apart."
    told = f"Both systems have {count(shared, 'item')}, such as `{example}`: {pairs}."
    raise OutscoreError(told, f"{cure} {unless}".rstrip(), parameter="unpaired")


def _names_of(scores: Scores, *, with_datasets: bool) -> set[tuple[str, str]]:
    assert scores.ids is not None
    ids = scores.ids.texts()
    datasets = scores.datasets.texts() if scores.datasets is not None and with_datasets else [""] * len(ids)
    return set(zip(datasets, ids, strict=True))


def _beside(samples: Samples, question: Question) -> Unpaired:
    asked = question.of_test
    # Of shares the score interval and Fisher's test say more.
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


def _own_intervals(rows: tuple[Array, Array], samples: Samples, metric: AdditiveMetric, alpha: float) -> tuple[Limits, Limits]:
    groups = (None, None) if samples.clusters is None else samples.clusters
    first, second = own_intervals(
        [OwnRows(x.astype(float), x.astype(float), own) for x, own in zip(rows, groups, strict=True)], metric, alpha
    )
    return first, second


def _design_notes(found: TwoSamples, first: _Items, second: _Items) -> list[Note]:
    notes = []
    if found.a.ids is None and found.b.ids is None and found.a.rows == found.b.rows and found.a.origin is not found.b.origin:
        text = "Both files have as many rows and no ids: if row by row they are the same items, leave --unpaired out."
        notes.append(Note("design", text))
    if first.averaged or second.averaged:
        notes.append(Note("design", "Items with several rows count once, with their mean score."))
    return notes


def _cautions(samples: Samples, beside: Unpaired, question: Question, names: tuple[str, str]) -> list[Note]:
    """How the two-sided p was ordered, and what unequal spreads do to divisions."""
    notes = []
    if beside.by_likelihood is not None:
        text = (
            "Fisher's two-sided p counts the tables whose difference is at least as large; ordered by their probability, as R's"
            f" fisher.test has it, p = {format_probability(beside.by_likelihood)}."
        )
        notes.append(Note("method", text))
    still = [name for name, sd in zip(names, beside.sd, strict=True) if sd == 0]
    if question.entry.name == STUDENT and len(still) == 1:
        # Its standard error is that of the other sample alone, as if the mean of this one were known.
        cure = "--test permutation needs no spreads"
        if samples.worth is not None and samples.clusters is None:
            cure = "of scores that are right or wrong --test permutation is Fisher's exact test, which needs no spreads"
        text = f"The scores of {still[0]} do not vary, so that the t test takes its mean as known and p may be too small;"
        notes.append(Note("warning", f"{text} {cure}."))
    level, alpha = beside.level, question.alpha
    if question.entry.name != DEFAULT or level is None or beside.welch is None:
        return notes
    if CAUTIOUS * alpha < level < LIBERAL * alpha:
        return notes
    sd_a, sd_b = beside.sd
    about = (
        f"The samples differ in size ({samples.units[0]:,} and {samples.units[1]:,}) and in spread (sd {sd_a:.3g} of {names[0]}"
        f" and {sd_b:.3g} of {names[1]}): systems of equal means would be told apart with probability"
        f" {format_probability(level)} at alpha = {alpha:g}. The test is of one distribution; for means alone see Welch's test,"
        f" p = {format_probability(beside.welch.value)}."
    )
    notes.append(Note("warning" if level > alpha else "data", about))
    return notes


def _effects(samples: Samples) -> list[Effect]:
    """Cohen's d by the pooled spread, and how often an item of A scores above one of B, ties half."""
    found = []
    (n_a, n_b), (sd_a, sd_b) = samples.sizes, samples.spreads
    if sd_a is not None and sd_b is not None:
        pooled = math.sqrt(((n_a - 1) * sd_a**2 + (n_b - 1) * sd_b**2) / (n_a + n_b - 2))
        found.append(Effect("cohen_d", samples.difference / pooled if pooled else None))
    ranks = mid_ranks(np.concatenate([samples.a, samples.b]))
    won = (int(ranks[:n_a].sum()) - n_a * (n_a + 1)) / 2
    found.append(Effect("superiority", won / (n_a * n_b)))
    return found
