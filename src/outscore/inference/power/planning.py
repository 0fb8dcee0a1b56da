"""Power before the data by formula, and after them by simulation."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Literal

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.metric import AdditiveMetric
from outscore.core.numeric import Array
from outscore.core.rows import PairedScores
from outscore.inference.base.differences import item_scores, mean_like, rows_of, with_exact_integers
from outscore.inference.base.discordance import discordance
from outscore.inference.base.entry import NoSpreadError, TestEntry
from outscore.inference.base.question import Alternative, TestRequest
from outscore.inference.power.design import checked_n, flip_power, study_of
from outscore.laws import clopper_pearson, normal_quantile
from outscore.results.analysis import PowerPoint
from outscore.results.plan import SimulatedCurve, StudyDesign

# Power before the data: how many items, how small an effect, how likely a verdict.
#
# Three questions about one equation. Which equation depends on what is known about the items:
#
# =====================  ========================================  ==================================================
# given                  `effect` is                               power of
# =====================  ========================================  ==================================================
# `sd`                   the difference of the two scores          the normal test with known variance (Miller, 2024)
# `discordance`          the difference of the two accuracies      the exact McNemar test, summed without approximation
# neither                Cohen's d_z, a difference in units of sd  the paired t test (noncentral t)
# =====================  ========================================  ==================================================
#
# ``method="t"`` asks for the t test where `sd` is given: it has to estimate the sd, which costs about two items more at
# alpha .05 and matters below some hundred items. ``method="normal"`` asks for the closed formula where another one is the
# default.
#
# Repeats and clusters enter through the variance of an item's difference and through the design effect (Miller, 2024,
# "Adding error bars to evals", sections 3 and 5; Kish, 1965, for the design effect):
#
#     n = (z_{α/2} + z_β)² · (ω² + σ²/K)/δ² · (1 + (cluster size - 1)·icc)
#
# ω is `sd`, the standard deviation between items of the difference that endless repeats would leave; σ is `within`, the
# standard deviation of the difference between two single runs on one item, σ² = σ_A² + σ_B²; K is `repeats`, the runs of
# each system per item. Without `within` the item's difference is taken to be free of run-to-run noise, or, what is the
# same, `sd` to be the standard deviation of the differences as they will be observed.


PowerMethod = Literal["auto", "normal", "t", "exact"]
CURVE = (0.1, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0)
"""Where curves are drawn, in multiples of the observed or required n."""


def power(
    n: float,
    effect: float,
    *,
    sd: float | None = None,
    discordance: float | None = None,
    alpha: float = 0.05,
    alternative: Alternative = "two-sided",
    repeats: int = 1,
    cluster_size: float = 1,
    icc: float = 0.0,
    within: float = 0.0,
    method: PowerMethod = "auto",
) -> float:
    """Probability that n items lead to a rejection when the true difference is `effect`.

    H0: the two systems do not differ. What is known about the items chooses the test: the normal test with
    known variance (Miller, 2024) for `sd`, the exact McNemar test for `discordance`, the paired t test
    (noncentral t) for neither.

    Parameters
    ----------
    n
        Number of items.
    effect
        The true difference, positive when A is better. Without `sd` and `discordance` in units of the sd
        (Cohen's d_z).
    sd
        Standard deviation between items of the difference A - B.
    discordance
        Share of right-or-wrong items on which exactly one system is right; then `effect` is the difference in
        accuracy.
    alpha, alternative
        The level of the test, and its side: ``"two-sided"``, ``"greater"`` (A better) or ``"less"``.
    repeats, within
        Runs of each system per item, and the sd of the difference between two single runs on one item,
        sqrt(σ_A² + σ_B²).
    cluster_size, icc
        Items per cluster (document, passage), and the correlation of differences within a cluster: n items in
        clusters are worth n / (1 + (cluster_size - 1) · icc) items alone (Kish, 1965).
    method
        ``"auto"``, ``"normal"``, ``"t"`` or ``"exact"``, see the top of this module. The normal power counts
        rejections in the right direction only, as the sample-size formula does; the other two count every
        rejection.

    Returns
    -------
    float
        The power, between 0 and 1.

    See Also
    --------
    sample_size : the items for a power that is asked for.
    detectable_effect : the difference that n items detect.

    Examples
    --------
    >>> round(power(1000, 0.03, sd=1 / 3), 4), round(power(1000, 0.03, discordance=0.1), 4), round(power(50, 0.4), 4)
    (0.8122, 0.8346, 0.7918)
    """
    study = study_of(StudyDesign(sd, discordance, alpha, alternative, repeats, cluster_size, icc, within, method))
    return study.power(checked_n(n), effect)


def sample_size(
    effect: float,
    *,
    power: float = 0.8,
    alpha: float = 0.05,
    alternative: Alternative = "two-sided",
    method: PowerMethod = "auto",
    sd: float | None = None,
    discordance: float | None = None,
    within: float = 0.0,
    repeats: int = 1,
    cluster_size: float = 1,
    icc: float = 0.0,
) -> float:
    """Number of items that detect `effect` with the power asked for, as computed; round it up to have a number to collect.

    H0: the two systems do not differ. For `sd` it is the closed formula of Miller (2024, section 5)

        n = (z_{α/2} + z_β)² · (sd² + within²/repeats)/effect² · (1 + (cluster_size - 1)·icc)

    For `discordance` it is the whole number from which on the exact McNemar test never falls short, and for
    neither the root of the noncentral t power of the paired t test.

    Parameters
    ----------
    effect
        The smallest difference that matters, positive when A is better: a difference of scores with `sd`, of
        accuracies with `discordance`, else Cohen's d_z.
    power
        The probability of a rejection that the study shall have.
    alpha, alternative
        Level and side of the planned test; ``"greater"`` looks for A being better. One-sided tests need fewer
        items.
    method
        Whose power is planned for: ``"normal"``, ``"t"``, ``"exact"``, or ``"auto"`` for the one that suits
        what is given.
    sd
        How much the items' differences A - B vary, as a standard deviation. Items grow with its square.
    discordance
        The share of items, right or wrong, that one system alone gets right.
    within, repeats
        The sd of the difference between two single runs on one item, and how many runs of each system every
        item will get: repeats average this noise out, and nothing else.
    cluster_size, icc
        How many items a document or passage brings, and how alike their differences are.

    Returns
    -------
    float
        The items, not rounded.

    See Also
    --------
    power : the power that a number of items has.
    detectable_effect : the difference that n items detect.

    Examples
    --------
    >>> round(sample_size(0.03, sd=1 / 3), 4), round(sample_size(0.2), 2), sample_size(0.03, discordance=0.1)
    (968.9975, 198.15, 920.0)
    """
    study = study_of(StudyDesign(sd, discordance, alpha, alternative, repeats, cluster_size, icc, within, method))
    target = study.checked_power(power)
    return study.sample_size(effect, target)


def detectable_effect(
    n: float,
    *,
    power: float = 0.8,
    sd: float | None = None,
    discordance: float | None = None,
    method: PowerMethod = "auto",
    repeats: int = 1,
    within: float = 0.0,
    cluster_size: float = 1,
    icc: float = 0.0,
    alternative: Alternative = "two-sided",
    alpha: float = 0.05,
) -> float:
    """The smallest difference, as a size without sign, that n items detect with the power asked for.

    H0: the two systems do not differ. It solves the equation of `sample_size` for the effect (Miller, 2024,
    section 5, for `sd`; the exact McNemar test for `discordance`; the noncentral t for neither). A difference
    that is smaller may be found too, with less power.

    Parameters
    ----------
    n
        How many items there are.
    power
        How likely a rejection shall be at the difference that is looked for.
    sd
        The spread of the items' differences A - B. Without it and `discordance` the answer is Cohen's d_z.
    discordance
        The share of items on which exactly one of two systems is right; the answer is then a difference in
        accuracy.
    method
        ``"auto"`` for the test that suits what is given, or ``"normal"``, ``"t"``, ``"exact"`` by name.
    repeats, within
        How often every item is run, and the sd of the difference between two such runs.
    cluster_size, icc
        Items that come together, and the correlation of their differences: fewer independent items detect
        less.
    alternative, alpha
        The side of the test, one of ``"two-sided"``, ``"greater"`` and ``"less"``, and its level.

    Returns
    -------
    float
        The difference, in the unit that `sd` or `discordance` sets.

    See Also
    --------
    power : the power at another difference.
    sample_size : the items that a smaller difference needs.

    Examples
    --------
    >>> round(detectable_effect(1000, sd=1 / 3), 5), round(detectable_effect(1000, discordance=0.1), 5)
    (0.02953, 0.02874)
    """
    study = study_of(StudyDesign(sd, discordance, alpha, alternative, repeats, cluster_size, icc, within, method))
    return study.detectable_effect(checked_n(n), study.checked_power(power))


def sizes_around(n: int) -> list[int]:
    """Whole numbers below and beyond n at which a curve is drawn; n is one of them."""
    return sorted({max(2, round(n * factor)) for factor in CURVE})


# Power after the data: how often the chosen test rejects in samples drawn from a model of the data at hand.
#
# Two models: a normal distribution with the observed mean and spread of the items' differences, and the sample itself,
# drawn with replacement (paper 003, section 3.4.2, does both). Either takes the observed difference as the true one. The
# power it gives at the observed n is then a function of the p-value alone and is not evidence of its own (Hoenig and
# Heisey, 2001, "The abuse of power"); what the curve does show is how the answer would move with more items.
#
# Replicate r at size n draws from its own stretch of a counter-based random stream, so that a curve does not depend on
# which other points, replicates or blocks were computed with it. Most samples are far from alpha, and there the decision of
# the test is known without its p-value (`TestEntry.screen`).
#
# How strongly a pilot's own clusters show a difference is measured likewise: the flip test is tried on samples of them
# (`measured_shift`). Clusters of unequal size have no power formula of their own. Large ones bring both more effect and
# more noise, and a sample without the largest spreads less than the pilot does, so that a formula from the variance alone
# misses simulated power by up to .1. Samples of whole clusters are drawn with replacement at one size, shifted to the
# difference in question, and tested by sign flips; the rate of rejections is turned into the mean over the sd of a unit's
# contribution that normal units would need for the same power. One number found in this way holds for other sizes too.


RETROSPECTIVE = (
    "Retrospective: the observed difference is taken as the true one. Power at the observed n is a function of p alone and "
    "adds no evidence; read the curve for what more items would do."
)
CHOSEN = "The spread is that of the data; the true difference is the chosen one."
BAND = 0.95

Sampler = Callable[[np.random.Generator, int], tuple[PairedScores, AdditiveMetric]]
SAMPLES = 4_000
"""The rate of rejections is then known within .013 (95 %)."""
CHUNK = 200
MIN_FLIPS, MAX_FLIPS = 999, 19_999
FLIPPED = 100
"""The sums of more signs have a law that an expansion knows well enough, in a hundredth of the time."""
MAX_UNITS = 400
"""Larger samples take seconds and differ little from normal ones."""
TELLING = (0.1, 0.97)
"""Rates outside say little about how strong the difference is."""


def simulated_curve(
    pairs: PairedScores,
    metric: AdditiveMetric,
    entry: TestEntry,
    request: TestRequest,
    *,
    kind: Literal["normal", "bootstrap"] = "bootstrap",
    effect: float | None = None,
    sizes: Sequence[int] | None = None,
    replicates: int = 500,
    advance: Callable[[], None] = lambda: None,
    items_are: Literal["items", "units"] = "items",
) -> SimulatedCurve:
    """Rejection rates of a test at sizes below and beyond the observed one, with 95 % Clopper-Pearson bands.

    Parameters
    ----------
    pairs, metric
        The data; repeats are averaged first, and clusters, where there are any, are drawn as one and counted
        as n.
    entry, request
        The test, and what is asked of it. A rejection is p.upper ≤ alpha, as in a comparison.
    kind
        ``"normal"`` needs a mean of item scores; ``"bootstrap"`` takes any metric.
    effect
        The true difference A - B, for means of item scores; the observed one where it is left out. The sample itself is then
        shifted to it, or, where items are right or wrong, drawn with as many discordant items, more of them won by A.
    sizes, replicates
        Where to draw the curve, and how many samples to test at each size.
    advance
        Called after each test; raise from it to stop.
    items_are
        What an item of these data is called.

    Examples
    --------
    >>> import numpy as np
    >>> from outscore.inference.registry import TESTS
    >>> wins = np.array([[1, 1]] * 12 + [[0, 1]] * 8)
    >>> data = PairedScores(wins, np.array([[0, 1]] * 20))
    >>> mean = AdditiveMetric("mean", ("score", "items"), ratio=((1, 0), (0, 1)))
    >>> request = TestRequest(options={"method": "auto", "resamples": 99})
    >>> curve = simulated_curve(data, mean, TESTS["permutation"], request, sizes=[5, 20], replicates=50)
    >>> [(p.n, p.power) for p in curve.points]
    [(5, 0.0), (20, 1.0)]
    """
    if replicates < 1:
        raise OutscoreError(f"`replicates` is {replicates}.", "Give a whole number from 1 up.", parameter="replicates")
    items = with_exact_integers(pairs).per_item()
    units = observed_size(items)
    if kind == "normal":
        draw, shift = _normal(items, metric, entry.name, effect)
    elif effect is None:
        draw, shift = _bootstrap(items, metric)
    else:
        draw, shift = _bootstrap_at(items, metric, entry.name, effect), effect
    chosen = sizes_around(units) if sizes is None else list(sizes)
    if not chosen or min(chosen) < 1:
        raise OutscoreError(
            "`sizes` must contain numbers of items from 1 up.", "Leave it out for sizes around the observed one."
        )
    points = []
    for n in chosen:
        hits = 0
        for r in range(replicates):
            hits += _rejects(draw, entry, request, n, r)
            advance()
        points.append(PowerPoint(n, hits / replicates, *clopper_pearson(hits, replicates, BAND)))
    unit: Literal["items", "units", "clusters"] = items_are if items.clusters is None else "clusters"
    note = RETROSPECTIVE if effect is None else CHOSEN
    return SimulatedCurve(kind, entry.name, shift, units, unit, replicates, request.seed, points, note)


def observed_size(pairs: PairedScores) -> int:
    """How many items, or clusters of them, there are."""
    return pairs.per_item().rows if pairs.clusters is None else int(pairs.clusters.max()) + 1


def _rejects(draw: Sampler, entry: TestEntry, request: TestRequest, n: int, replicate: int) -> bool:
    # The counter's upper words name the replicate and the size; the lower ones are left to its draws.
    stream = np.random.Generator(np.random.Philox(key=request.seed, counter=[0, 0, replicate, n]))
    pairs, metric = draw(stream, n)
    # Resampling tests must not use the same draws in every replicate.
    asked = replace(request, seed=int(stream.integers(2**63)))
    clear = None if entry.screen is None else entry.screen(pairs, metric, asked)
    if clear is not None:
        return clear
    try:
        return (entry.simulated or entry.run)(pairs, metric, asked).p.upper <= asked.alpha
    except NoSpreadError:
        # A small sample of equal differences: the test cannot answer, so it does not reject.
        return False


def _normal(items: PairedScores, metric: AdditiveMetric, name: str, effect: float | None) -> tuple[Sampler, float]:
    """Normal differences with the units' spread; clusters count as one difference each."""
    scores = item_scores(items, metric, name)
    d = scores.d
    if scores.clusters is not None:
        # Cluster sums over the mean cluster size: their plain mean is the mean over all items.
        d = np.bincount(scores.clusters, weights=d) * (int(scores.clusters.max()) + 1) / len(d)
    if len(d) < 2:
        raise OutscoreError("One unit has no spread to simulate from.", "Give at least two.")
    mean, sd = float(d.mean()) if effect is None else effect, float(d.std(ddof=1))
    linear = mean_like(metric)
    return lambda stream, n: (rows_of(stream.normal(mean, sd, n)), linear), mean


def _bootstrap_at(items: PairedScores, metric: AdditiveMetric, name: str, effect: float) -> Sampler:
    """Items, or whole clusters, of another difference than their own."""
    pair = discordance(items, metric)
    scores = item_scores(items, metric, name)
    if pair is not None:
        rate, share = (pair.only_a + pair.only_b) / pair.n, effect / pair.unit
        if abs(share) > rate:
            raise OutscoreError(
                f"The pilot's systems differ on {rate:.4g} of the items, less than the effect {abs(share):.4g}.",
                "Accuracies cannot differ by more than the share of items on which the systems differ.",
                parameter="effect",
            )
        first = items.part(*(np.concatenate([a, b]) for a, b in ((items.a, items.b), (items.b, items.a))))
        # Each item and its mirror image: A wins a discordant one with this chance.
        wins = (rate + share) / (2 * rate) if rate else 0.5
        d = np.concatenate([scores.d, -scores.d])
        weights = np.where(d > 0, wins, np.where(d < 0, 1 - wins, 0.5))
        return _bootstrap(first, metric, weights / weights.sum())[0]
    return _bootstrap(rows_of(scores.d - scores.d.mean() + effect, scores.clusters), mean_like(metric))[0]


def _bootstrap(items: PairedScores, metric: AdditiveMetric, weights: Array | None = None) -> tuple[Sampler, float]:
    """Items, or whole clusters, drawn with replacement; `weights` are the chances of items."""
    total_a, total_b = items.totals()
    difference = float(metric.score(total_a) - metric.score(total_b))
    codes = items.clusters
    if codes is None:

        def draw(stream: np.random.Generator, n: int) -> tuple[PairedScores, AdditiveMetric]:
            rows = stream.integers(items.rows, size=n) if weights is None else stream.choice(items.rows, size=n, p=weights)
            return items.part(items.a[rows], items.b[rows]), metric

        return draw, difference
    order = np.argsort(codes, kind="stable")
    members = np.split(order, np.flatnonzero(np.diff(codes[order])) + 1)

    def draw_clusters(stream: np.random.Generator, n: int) -> tuple[PairedScores, AdditiveMetric]:
        drawn = [members[g] for g in stream.integers(len(members), size=n)]
        rows = np.concatenate(drawn)
        labels = np.repeat(np.arange(n), [len(group) for group in drawn])
        return items.part(items.a[rows], items.b[rows], labels), metric

    return draw_clusters, difference


def measured_shift(
    residuals: Array, sizes: Array, effect: float, *, units: int, alpha: float, alternative: Alternative
) -> float | None:
    """Mean over sd of normal units that are rejected as often as samples of these clusters; None where samples cannot tell.

    Parameters
    ----------
    residuals, sizes
        For every cluster the sum of its items' differences from their mean, positive where A is better, and its items.
    effect
        The true difference, positive where A is better.
    units
        How many clusters a sample has, about as many as are planned.
    alpha, alternative
        The test.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> shift = measured_shift(rng.normal(size=500), np.ones(500), 0.4, units=50, alpha=0.05, alternative="two-sided")
    >>> abs(shift - 0.4) < 0.05
    True
    """
    tried = min(units, MAX_UNITS)
    # A larger difference has the same power with fewer units.
    larger = math.sqrt(units / tried)
    effect = effect * larger
    while True:
        rate = rejection_rate(residuals, sizes, effect, units=tried, alpha=alpha, alternative=alternative)
        if rate <= TELLING[1] or tried < 12:
            break
        tried = tried // 2
    if not TELLING[0] < rate < 1:
        return None
    side: Alternative = "two-sided" if alternative == "two-sided" else "greater"
    low, high = 0.0, 9.0
    while high - low > 1e-9:
        middle = (low + high) / 2
        low, high = (low, middle) if flip_power(tried, middle, alpha, side) >= rate else (middle, high)
    return high / larger


def rejection_rate(
    residuals: Array,
    sizes: Array,
    effect: float,
    *,
    units: int,
    alpha: float,
    alternative: Alternative,
    seed: int = 0,
    samples: int = SAMPLES,
) -> float:
    """How often sign flips reject in samples of so many clusters, drawn with replacement and shifted to the effect."""
    stream = np.random.Generator(np.random.Philox(key=seed))
    sums = residuals + sizes * effect
    if alternative == "less":
        sums = -sums
    two_sided, rejected = alternative == "two-sided", 0
    for start in range(0, samples, CHUNK):
        drawn = sums[stream.integers(len(sums), size=(min(CHUNK, samples - start), units))]
        observed = np.abs(drawn.sum(axis=1)) if two_sided else drawn.sum(axis=1)
        if units > FLIPPED:
            rejected += int((observed >= _critical_sums(drawn, alpha / 2 if two_sided else alpha)).sum())
            continue
        flips = min(max(MIN_FLIPS, math.ceil(8 * (1 + two_sided) / alpha) - 1), MAX_FLIPS)
        flipped = drawn @ np.where(stream.random((units, flips)) < 0.5, -1.0, 1.0)
        if two_sided:
            flipped = np.abs(flipped)
        slack = 1e-9 * np.abs(drawn).sum(axis=1)
        hits = (flipped >= (observed - slack)[:, None]).sum(axis=1)
        rejected += int(((hits + 1) / (flips + 1) <= alpha).sum())
    return rejected / samples


def _critical_sums(drawn: Array, side: float) -> Array:
    """The sum that flips of each row's signs exceed with probability `side`: Cornish and Fisher's expansion to sixth order."""
    z, squares = -normal_quantile(side), drawn * drawn
    variance = squares.sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        fourth, sixth = -2 * (squares**2).sum(axis=1) / variance**2, 16 * (squares**3).sum(axis=1) / variance**3
    turned = z + fourth * (z**3 - 3 * z) / 24 + sixth * (z**5 - 10 * z**3 + 15 * z) / 720
    turned = turned - fourth**2 * (3 * z**5 - 24 * z**3 + 29 * z) / 384
    return np.asarray(np.sqrt(variance) * turned)
