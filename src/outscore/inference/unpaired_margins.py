r"""The margin between two samples of different items.

As with the same items (`inference.shifted`), "worse by less than m" is shown by what was seen, never by silence:

right-or-wrong items
    The score test of Miettinen and Nurminen (1985); where every item of both systems is right, or wrong, no less than
    (1 - m)^n, the chance that a loss of m has not shown in the n items of the system that would have shown it.
scores with a known range, and clusters
    The difference between two bounded means (`exact.bounded`), each with one more item at its worst.
other scores
    Welch's test, and a note on what it leaves open. Scores that do not vary show nothing.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from outscore.core.metric import AdditiveMetric
from outscore.exact.bounded import LowerMean, Sample, difference_limit, log_p_of_difference, lower_mean
from outscore.inference.base import question
from outscore.inference.base.discordance import Worth
from outscore.inference.base.entry import NoSpreadError
from outscore.inference.base.question import Alternative, TestRequest
from outscore.inference.populations import FISHER, TWO_SAMPLES, WELCH
from outscore.inference.power.gate import MAX_ITEMS
from outscore.inference.shifted import NAMED_TEST, NOTHING_KNOWN, SYMMETRIC, UNKNOWN_RANGE, known_range, refuse_wide, two_scores
from outscore.inference.unpaired import WRONG_OR_RIGHT, Samples, pair_of
from outscore.laws import log_normal, log_t_tail, normal_quantile
from outscore.results.comparison import Margin
from outscore.results.note import Note
from outscore.results.pvalue import PValue

SCORE_TEST, UNSEEN, RANGES = "miettinen-nurminen", "unseen-loss", "bounded-means"
LEAST_LOG = -1e6
POWER = 0.8


def shifted_p(test: str, samples: Samples, alternative: Alternative, delta: float) -> PValue:
    """The one-sided test of a difference A - B of `delta`, `alternative` meaning better or worse whatever the direction.

    Divisions are of samples of one distribution, so that they cannot test another difference: right-or-wrong items have the
    score test of Miettinen and Nurminen (1985), which their interval inverts, and other scores Welch's.

    Examples
    --------
    >>> both = Samples(np.ones(10), np.array([1.0] * 20 + [0.0] * 10))
    >>> round(shifted_p("permutation", both, "greater", -0.1).value, 4)
    0.0057
    """
    turn = samples.orientation if alternative == "greater" else -samples.orientation
    if test == "permutation" and samples.worth is not None and samples.clusters is None:
        log_p = log_normal(-turn * pair_of(samples, samples.worth).score(WRONG_OR_RIGHT, delta / samples.worth.unit))
        log_p = max(log_p, LEAST_LOG)
        return PValue.from_logs(log_p, log_p, method="asymptotic", kernel=SCORE_TEST, test=FISHER, n=samples.n)
    welch = samples.welch
    if welch is None:
        raise NoSpreadError(
            "The margin cannot be tested: the scores of the items do not vary, or one system has a single item.",
            "Leave the margin out, or give more items.",
            parameter="margin",
        )
    error, df = welch
    t = (samples.difference - delta) / error
    log_p = log_t_tail(df, turn * t)
    return PValue.from_logs(log_p, log_p, method="asymptotic", kernel="welch-t", test=WELCH, statistic=t, n=samples.n)


def margin_of_samples(
    test: str, samples: Samples, metric: AdditiveMetric, asked: TestRequest, margin: float
) -> tuple[Margin, list[Note]]:
    """Non-inferiority at -margin, and equivalence by two one-sided tests (Schuirmann, 1987), of different items; and notes.

    Examples
    --------
    >>> mean = AdditiveMetric("mean", ("score", "items"), ratio=((1, 0), (0, 1)))
    >>> graded = np.linspace(0.5, 1.0, 101)
    >>> margin, _ = margin_of_samples("permutation", Samples(graded, graded[::2]), mean, TestRequest(), 0.1)
    >>> margin.noninferiority.kernel, round(margin.noninferiority.value, 4), round(margin.limit, 4)
    ('bounded-means', 0.0005, -0.0553)
    """
    worth = samples.worth if samples.clusters is None else None
    low, high = known_range([samples.a, samples.b], metric, asked)
    if worth is not None:
        refuse_wide(margin, worth.unit if low is None or high is None else max(worth.unit, high - low))
    elif low is not None and high is not None:
        refuse_wide(margin, high - low)
    if test != "permutation" or asked.assume == SYMMETRIC:
        named = [Note("assumption", NAMED_TEST.format(test=test))] if test != "permutation" else []
        return _margin(margin, *_both_sides(test, samples, margin)), named
    # Scores of .75 and 1 can still fall to 0.
    if worth is not None and (low is None or high is None or high - low <= worth.unit):
        return _of_shares(samples, worth, asked, margin)
    if low is not None and high is not None:
        return _of_ranges(samples, (low, high), asked, margin)
    if samples.identical:
        nothing = replace(question.identical_p(samples.n), test=TWO_SAMPLES)
        return _margin(margin, nothing, nothing), [NOTHING_KNOWN]
    return _margin(margin, *_both_sides(test, samples, margin)), [UNKNOWN_RANGE]


def _margin(margin: float, not_worse: PValue, not_better: PValue) -> Margin:
    return Margin(margin, not_worse, max(not_worse, not_better, key=lambda p: p.upper))


def _both_sides(test: str, samples: Samples, margin: float) -> tuple[PValue, PValue]:
    down = -samples.orientation * margin
    return shifted_p(test, samples, "greater", down), shifted_p(test, samples, "less", -down)


def _of_shares(samples: Samples, worth: Worth, asked: TestRequest, margin: float) -> tuple[Margin, list[Note]]:
    """Right-or-wrong items; silence counts for as little as it says."""
    found = _margin(margin, *_both_sides("permutation", samples, margin))
    if not samples.identical:
        return found, list(two_scores(worth.wrong, worth.right))
    # A loss of the candidate shows in its own items where all are at the top, and at the bottom in the other's.
    at_top = (float(samples.a[0]) == worth.right) == (samples.orientation > 0)
    first, second = samples.sizes if at_top else samples.sizes[::-1]
    log_share = math.log1p(-margin / worth.unit)
    not_worse, not_better = (
        PValue.from_logs(n * log_share, n * log_share, method="exact", kernel=UNSEEN, test=FISHER, n=samples.n)
        for n in (first, second)
    )
    limit = math.expm1(math.log(asked.alpha) / first) * worth.unit
    needed = math.ceil(math.log(asked.alpha) / log_share / first * sum(samples.sizes) - 1e-9)
    shown = not_worse.rejects(asked.alpha)
    found = _margin(margin, not_worse, not_better)
    return replace(found, limit=samples.orientation * limit, needed=None if shown else needed), []


def _of_ranges(samples: Samples, ends: tuple[float, float], asked: TestRequest, margin: float) -> tuple[Margin, list[Note]]:
    """Means of scores between two ends, more being better."""
    low, high = ends if samples.orientation > 0 else (-ends[1], -ends[0])
    codes = samples.clusters or (None, None)
    a, b = (Sample(samples.orientation * x, low, high, own) for x, own in zip((samples.a, samples.b), codes, strict=True))
    losing = lower_mean(a), lower_mean(b.negative)
    not_worse = _melded(losing, margin, samples)
    not_better = _melded((lower_mean(b), lower_mean(a.negative)), margin, samples)
    limit = difference_limit(*losing, asked.alpha)
    needed = None if not_worse.rejects(asked.alpha) else _items_to_show(samples, limit, high - low, asked.alpha, margin)
    found = replace(_margin(margin, not_worse, not_better), limit=samples.orientation * limit, needed=needed)
    notes = [Note("method", NO_SHAPE.format(low=ends[0], high=ends[1]))]
    if samples.clusters is not None:
        largest = max(int(np.bincount(own).max()) for own in samples.clusters)
        notes.append(Note("assumption", CLUSTERS.format(largest=largest)))
    return found, notes


def _melded(both: tuple[LowerMean, LowerMean], margin: float, samples: Samples) -> PValue:
    log_p = log_p_of_difference(*both, margin)
    return PValue.from_logs(
        log_p, log_p, method="exact", kernel=RANGES, test=TWO_SAMPLES, statistic=samples.difference, n=samples.n
    )


def _items_to_show(samples: Samples, limit: float, worst: float, alpha: float, margin: float) -> int | None:
    """How many items of both like these exclude the margin: chance shrinks with the root of n, the item at its worst with n."""
    lead = samples.orientation * samples.difference
    if lead + margin <= 0:
        return None
    error = math.sqrt(sum(variance for variance, _ in samples.variances))
    z = -normal_quantile(alpha)
    unseen = max(0.0, lead - limit - z * error)
    spread = (z + normal_quantile(POWER)) * error
    # unseen·y² + spread·y = lead + margin, for n/y² items.
    y = 2 * (lead + margin) / (spread + math.sqrt(spread * spread + 4 * unseen * (lead + margin)))
    n = sum(samples.sizes)
    least = math.log(alpha) / math.log1p(-margin / worst) * n / samples.sizes[0]
    size = max(n / (y * y), least) if error == 0 else n / (y * y)
    return max(n + 1, math.ceil(size - 1e-9)) if size <= MAX_ITEMS else None


NO_SHAPE = (
    "The margin is tested without assuming anything about the shape of the scores: they lie between {low:g} and {high:g}, and"
    " each sample has one more item at its worst (Gaffke, 2005; Fay, Proschan and Brittain, 2015)."
)
CLUSTERS = "At the margin the claim is about clusters of at most {largest:g} items, like the largest of these."
