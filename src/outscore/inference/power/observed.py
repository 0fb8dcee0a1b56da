"""The study that data come from: what they say of its spread, what it could detect, and how many more items it takes.

A comparison, a ranking, a gate and a plan from a pilot all ask here, so that they cannot contradict each other. Right-or-wrong
items keep their share of discordant ones, scores their standard deviation, and clusters what they did to the variance of the
mean. A metric that has no score of an item (F1, BLEU) takes the spread from what units contribute (the jackknife's
pseudo-values). The true difference is taken to be the one that was observed.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.metric import AdditiveMetric
from outscore.core.numeric import Array
from outscore.core.records import dataclass
from outscore.core.rows import PairedScores
from outscore.inference.base.differences import is_sum, item_scores, scores_if_any, units_of
from outscore.inference.base.discordance import discordance
from outscore.inference.base.entry import TestEntry
from outscore.inference.base.influence import contributions
from outscore.inference.base.question import Alternative, TestRequest
from outscore.inference.power.design import Study, study_of
from outscore.inference.power.planning import TELLING, measured_shift, sizes_around
from outscore.laws import normal_quantile
from outscore.results.analysis import Power, PowerPoint
from outscore.results.plan import StudyDesign

if TYPE_CHECKING:
    # Comparisons and plans without battles do not load what battles come to.
    from outscore.results.preference import PreferencePair

POWER = 0.8
"""What a comparison says that it can detect, it detects with this probability."""
MIN_CLUSTERS = 10
"""Resampling fewer clusters does not resemble drawing new ones."""
EXACT_ITEMS = 10**6
"""Beyond this many right-or-wrong items exact power takes a second, and the closed formula has the same first digits."""


@dataclass(frozen=True)
class Spread:
    """What a pilot says about items: mean difference A - B, sd between items (ω), sd within (σ), and clustering.

    `discordance` replaces the sd if every item is right or wrong and was run once, and `unit` is what a right one is worth.
    `observed` is the variance of an item's difference in the pilot. `design_effect` is what the pilot's clusters, with the
    sizes they have, did to the variance of the mean, and `icc` the correlation that explains it. `doubt` is the standard error
    of the logarithm of that variance, and so of the number of units that a plan requires. `residuals` are the sums of the
    units' residuals, positive if A is better, and `sizes` their numbers of items.
    """

    n: int
    difference: float
    sd: float
    within: float
    discordance: float | None
    unit: float
    observed: float
    cluster_size: float
    cluster_cv: float
    icc: float
    design_effect: float
    residuals: Array
    sizes: Array
    doubt: float
    orientation: int

    @property
    def units(self) -> int:
        """The number of clusters, or of items without clusters."""
        return len(self.sizes)

    def design_effect_at(self, variance: float, measured: float | None = None) -> float:
        """The design effect if an item's difference has another variance: the covariance of items does not change with it."""
        here = self.design_effect if measured is None else measured
        return 1 + (here - 1) * self.observed / variance if here > 1 else here


def spread_of(
    pairs: PairedScores, metric: AdditiveMetric, variances: tuple[float, float] | None = None, test: str = "plan"
) -> Spread:
    """Estimate the components of an item's variance (Miller, 2024): ω² remains under repeats, σ² averages out.

    `variances` are these two where items were run several times and new ones will be run another number of times.
    """
    scores = item_scores(pairs, metric, test)
    if scores.n < 2:
        raise OutscoreError("The pilot has one item, which has no spread.", "Give at least two, preferably fifty.")
    # Squares of tiny differences have few digits.
    scale = float(np.abs(scores.d).max()) or 1.0
    observed = float((scores.d / scale).std(ddof=1)) * scale
    sd, within = (observed, 0.0) if variances is None else map(math.sqrt, variances)
    pair = discordance(pairs, metric)
    clustering = _clustering(scores.orientation * scores.d, np.arange(scores.n) if scores.clusters is None else scores.clusters)
    return Spread(
        n=scores.n,
        difference=float(scores.d.mean()),
        sd=sd,
        within=within,
        discordance=None if pair is None else (pair.only_a + pair.only_b) / pair.n,
        unit=1.0 if pair is None else pair.unit,
        observed=observed**2,
        orientation=scores.orientation,
        **clustering,
    )


def _clustering(d: Array, clusters: Array) -> dict[str, Any]:
    """Sizes, design effect and correlation of clusters of any sizes; single items are clusters of one.

    The mean of the differences has the variance G/(G - 1) Σ S²/n², with S the clusters' sums of residuals (Liang and
    Zeger, 1986), and s²/n without clusters; the design effect is their ratio. It equals 1 + (Σn²/Σn - 1)·icc
    (Eldridge, Ashby and Kerry, 2006, Int. J. Epidemiol. 35), which gives the correlation. The standard error of the
    logarithm of that variance per unit is the infinitesimal jackknife's over clusters.
    """
    sizes = np.bincount(clusters).astype(float)
    sums = np.bincount(clusters, weights=d - d.mean())
    groups, mean = len(sizes), float(sizes.mean())
    cv2 = float(sizes.var()) / mean**2
    squares, variance = sums**2, float(d.var(ddof=1))
    effect = 1.0
    if mean > 1 and groups > 1 and variance:
        effect = max(1.0, groups / (groups - 1) * float(squares.sum()) / (len(d) * variance))
    own, level, doubt = mean * (1 + cv2), float(squares.mean()), 0.0
    if groups > 1 and level:
        # The standard error of log(mean of squares / mean size squared).
        pulls = squares / level - 1 - 2 * (sizes / mean - 1)
        doubt = math.sqrt(float((pulls**2).sum()) / (groups * (groups - 1)))
    return {
        "cluster_size": mean,
        "cluster_cv": math.sqrt(cv2),
        "icc": min(1.0, (effect - 1) / (own - 1)) if own > 1 else 0.0,
        "design_effect": effect,
        "residuals": sums,
        "sizes": sizes,
        "doubt": doubt,
    }


def clustered(design: StudyDesign, spread: Spread, *, effect: float | None, n: float | None, power: float) -> StudyDesign:
    """The design with the effect of the pilot's clusters on sign flips, measured on samples of them near the answer."""
    variance = spread.sd**2 + spread.within**2 / design.repeats
    design = replace(design, observed_effect=spread.design_effect_at(variance))
    # The squares of differences below 1e-162 are 0: nothing can be measured on these.
    if design.method not in ("auto", "permutation") or spread.units < MIN_CLUSTERS or not spread.observed:
        return design
    study = study_of(replace(design, method="permutation"))
    size = design.cluster_size
    try:
        if effect is None:
            assert n is not None
            effect = design.delta + (-1 if design.alternative == "less" else 1) * study.detectable_effect(n, power)
        if n is not None and TELLING[0] < study.power(n, effect) < TELLING[1]:
            units = math.floor(n / size)
        else:
            units = math.ceil(study.sample_size(effect, study.checked_power(power)) / size)
    except OutscoreError:
        # Nothing detects it, and so there is nothing to measure.
        return design
    away = effect - design.delta
    shift = measured_shift(
        spread.residuals,
        spread.sizes,
        away,
        units=max(design.min_units, units),
        alpha=design.alpha,
        alternative=cast("Alternative", design.alternative),
    )
    if shift is None:
        return design
    # A unit with this variance shows the difference as strongly as was measured.
    measured = (away / shift) ** 2 * size / spread.observed
    return replace(design, observed_effect=spread.design_effect_at(variance, measured))


@dataclass(frozen=True)
class _Finished:
    """A study that was done: its design, what it found, and how many items and units it had."""

    design: StudyDesign
    spread: Spread | None
    effect: float
    n: int
    units: int

    def study(self, *, effect: float | None, n: float | None) -> Study:
        """Its equation, settled where the answer is wanted."""
        if self.spread is None or self.spread.cluster_size == 1:
            return study_of(self.design)
        return study_of(clustered(self.design, self.spread, effect=effect, n=n, power=POWER))

    def needed(self, study: Study) -> int | None:
        """How many units detect a true difference as large as the observed one; None where no number of them does."""
        try:
            items = replace(study, method="normal").sample_size(self.effect, POWER) if study.method == "exact" else 0.0
            if items <= EXACT_ITEMS:
                items = study.sample_size(self.effect, POWER)
        except OutscoreError:
            # It points the other way, or is so small that nobody collects so many items.
            return None
        return max(math.ceil(items / self.design.cluster_size * (1 - 1e-12)), self.design.min_units if self.flips else 2)

    @property
    def flips(self) -> bool:
        return self.design.method in ("permutation", "exact")

    @property
    def varies(self) -> bool:
        return bool(self.design.discordance or self.design.sd)

    def missing(self) -> int | None:
        """How many units detect a true difference as large as the observed one; if none varies, as soon as anything can be."""
        if self.varies:
            return self.needed(self.study(effect=self.effect, n=None))
        return self.design.min_units if self.flips and self.effect else None


def observed_power(
    pairs: PairedScores, metric: AdditiveMetric, request: TestRequest, entry: TestEntry, *, decided: bool
) -> Power | None:
    """What a finished comparison says about its reach; None where neither items nor units have a spread to know it from.

    The numbers of its curve, and those needed where nothing was decided, count items, or clusters where there are any.

    Examples
    --------
    >>> from outscore.inference.registry import TESTS
    >>> mean = AdditiveMetric("mean", ("score", "items"), ratio=((1, 0), (0, 1)))
    >>> a, b = (np.stack([x, np.ones(20)], axis=1) for x in ([1] * 15 + [0] * 5, [1] * 8 + [0] * 7 + [1] * 5))
    >>> found = observed_power(PairedScores(a, b), mean, TestRequest(), TESTS["permutation"], decided=False)
    >>> found.needed, round(found.detectable_effect, 3)
    (487, 0.478)
    """
    done = None if is_sum(metric) else _finished(pairs, metric, request, entry)
    if done is None:
        return None
    jackknife = done.spread is None
    if not done.varies:
        return Power(None, [], jackknife, None if decided else done.missing(), request.delta)
    size = done.n / done.units
    try:
        detectable = done.study(effect=None, n=done.n).detectable_effect(done.n, POWER)
    except OutscoreError:
        # No difference is detected by so few.
        detectable = None
    study = done.study(effect=done.effect, n=None)
    curve = [PowerPoint(k, study.power(k * size, done.effect)) for k in sizes_around(done.units)]
    return Power(detectable, curve, jackknife, None if decided else done.needed(study), request.delta)


def units_needed(pairs: PairedScores, metric: AdditiveMetric, request: TestRequest, entry: TestEntry) -> int | None:
    """What `observed_power` says is needed where nothing was decided, without the rest of it.

    Examples
    --------
    >>> from outscore.inference.registry import TESTS
    >>> mean = AdditiveMetric("mean", ("score", "items"), ratio=((1, 0), (0, 1)))
    >>> a, b = (np.stack([x, np.ones(20)], axis=1) for x in ([1] * 15 + [0] * 5, [1] * 8 + [0] * 7 + [1] * 5))
    >>> units_needed(PairedScores(a, b), mean, TestRequest(), TESTS["permutation"])
    487
    """
    done = None if is_sum(metric) else _finished(pairs, metric, request, entry)
    return None if done is None else done.missing()


def items_needed(pairs: PairedScores, metric: AdditiveMetric, request: TestRequest, entry: TestEntry) -> int | None:
    """How many items like these detect a true difference as large as the observed one; more than there are."""
    needed = units_needed(pairs, metric, request, entry)
    if needed is None:
        return None
    items = pairs.per_item().rows
    return max(items + 1, math.ceil(needed * items / units_of(pairs).rows))


def needed_of_wins(wins: int, losses: int, n: int, alpha: float) -> int | None:
    """How many right-or-wrong items, or battles, detect a difference as large as the observed one.

    Examples
    --------
    >>> needed_of_wins(7, 5, 20, 0.05)
    487
    """
    design = StudyDesign(discordance=(wins + losses) / n, alpha=alpha, method="exact")
    return _Finished(design, None, (wins - losses) / n, n, n).needed(study_of(design)) if wins != losses else None


def design_of_battles(pair: PreferencePair) -> StudyDesign | None:
    """The study that two systems' direct games come from; None where a single prompt has no spread.

    Effects are what the win rate has above one half. Prompts with one battle each have the sign test, others flips of whole
    prompts, with the clustered standard error of the win rate.

    Examples
    --------
    >>> from outscore.results.preference import PreferencePair
    >>> pair = PreferencePair("x", "y", 7, 8, 5, 0.55, None, None, None, 20, standard_error=0.08)
    >>> design_of_battles(pair).discordance, design_of_battles(replace(pair, clusters=10)).cluster_size
    (0.6, 2.0)
    """
    battles = pair.wins + pair.ties + pair.losses
    if pair.clusters == battles:
        return StudyDesign(discordance=(pair.wins + pair.losses) / battles, unit=0.5, method="exact", battles=True)
    if not pair.standard_error or pair.clusters < 2:
        return None
    size, alone = battles / pair.clusters, pair.rows_standard_error or pair.standard_error
    effect = (pair.standard_error / alone) ** 2
    return StudyDesign(
        sd=alone * math.sqrt(battles),
        cluster_size=size,
        icc=min(1.0, max(0.0, (effect - 1) / (size - 1))),
        observed_effect=effect,
        method="permutation",
        battles=True,
    )


def needed_of_battles(pair: PreferencePair, alpha: float) -> int | None:
    """How many prompts detect a preference as strong as the observed one.

    Examples
    --------
    >>> from outscore.results.preference import PreferencePair
    >>> needed_of_battles(PreferencePair("x", "y", 7, 8, 5, 0.55, None, None, None, 20), 0.05)
    487
    """
    design = design_of_battles(pair)
    if design is None or pair.win_rate is None or pair.win_rate == 0.5 or design.discordance == 0:
        return None
    design = replace(design, alpha=alpha)
    battles = pair.wins + pair.ties + pair.losses
    return _Finished(design, None, pair.win_rate - 0.5, battles, pair.clusters).needed(study_of(design))


def times_of_interval(estimate: float | None, low: float | None, high: float | None, alpha: float) -> float | None:
    """How many times as much data detect an estimate that has this interval of level 1 - α, as the closed formula says.

    Examples
    --------
    >>> round(times_of_interval(0.5, -0.2, 1.2, 0.05), 2)
    4.0
    """
    if not estimate or low is None or high is None:
        return None
    error = (high - low) / 2 / -normal_quantile(alpha / 2)
    return study_of(StudyDesign(sd=error, alpha=alpha, method="normal")).sample_size(abs(estimate), POWER)


def _finished(pairs: PairedScores, metric: AdditiveMetric, request: TestRequest, entry: TestEntry) -> _Finished | None:
    flips = entry.null in ("swaps", "signs") or entry.on == "binary"
    orientation = 1 if metric.higher_is_better else -1
    asked: dict[str, Any] = {
        "alpha": request.alpha,
        "alternative": request.alternative,
        "delta": orientation * request.delta,
        "method": "permutation" if flips else "t",
    }
    if scores_if_any(pairs, metric) is None:
        # A unit's contribution takes the place of its difference.
        pulls = contributions(units_of(pairs), metric)
        if pulls is None:
            return None
        effect, units = orientation * float(pulls.mean()), len(pulls)
        return _Finished(StudyDesign(sd=float(pulls.std(ddof=1)), **asked), None, effect, units, units)
    if pairs.per_item().rows < 2:
        return None
    spread = spread_of(pairs, metric, test=entry.name)
    if spread.units < 2:
        return None
    effect = orientation * spread.difference
    if spread.discordance is not None and flips:
        # Another difference than 0 is tested by Tango's score, which is normal.
        asked["method"] = "normal" if request.delta else "exact"
        design = StudyDesign(discordance=spread.discordance, unit=spread.unit, **asked)
    else:
        asked |= {"cluster_size": spread.cluster_size, "cluster_cv": spread.cluster_cv, "icc": spread.icc}
        design = StudyDesign(sd=spread.sd, **asked)
    return _Finished(design, spread, effect, spread.n, spread.units)
