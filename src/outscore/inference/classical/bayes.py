"""Posterior probabilities: A better, practically equal, B better.

There is no null hypothesis; the question is how probable each of the three answers is, given the data and a
weak prior. Prefer it where a decision has to be taken either way, and "practically equal" (within
the region of practical equivalence, ROPE) would be an answer too. These probabilities are not p-values:
beside them the result carries the p of the permutation test.

Right-or-wrong items: the four cells (both right, only A, only B, none) have a Dirichlet(1, 1, 1, 1) prior.
With T items that only A got right, U that only B did and C others, s = p_A-only + p_B-only ~ Beta(T + U + 2,
C + 2), independently q = p_A-only / s ~ Beta(T + 1, U + 1), and θ_A - θ_B = s(2q - 1). Hence P(θ_A > θ_B) = 1
- I_½(T + 1, U + 1), and

    P(θ_A - θ_B > x) = ∫ f(s) · P(q > (1 + x/s)/2) ds,    x ≥ 0

Other scores: the mean difference has Student's posterior, t with n - 1 degrees of freedom about d̄ with scale
s/√n, which follows from the prior 1/σ (Benavoli, Corani, Demšar and Zaffalon, 2017, without their
correlation).
"""

from __future__ import annotations

import functools
import math

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.metric import AdditiveMetric
from outscore.core.numeric import Array
from outscore.core.options import Option
from outscore.core.rows import PairedScores
from outscore.inference.base.differences import ItemScores, skew_warning
from outscore.inference.base.discordance import Discordance, discordance
from outscore.inference.base.entry import NEEDS_SCORES, TestEntry, unclustered_scores
from outscore.inference.base.question import TestRequest, interval_for
from outscore.inference.classical.student import Estimate, mean_of, no_spread, t_interval
from outscore.inference.permutation import permutation
from outscore.laws import log_t_tail
from outscore.results.comparison import Bayes, TestResult
from outscore.results.note import Note
from outscore.results.pvalue import Interval

NAME = "bayes"
POSTERIOR = "posterior"
NODES = 200
OUTSIDE = 1e-18
"""Mass of the posterior of s left out at either end."""


def binary_exceeds(pair: Discordance, x: float) -> float:
    """P(θ_A - θ_B > x) after the discordant counts, -1 < x < 1.

    Examples
    --------
    >>> pair = Discordance(n=100, only_a=15, only_b=5, unit=1.0, orientation=1)
    >>> round(binary_exceeds(pair, 0.0), 6), round(binary_exceeds(pair, 0.05), 6)
    (0.986698, 0.856948)
    """
    import scipy.special

    only_a, only_b = (pair.only_a, pair.only_b) if x >= 0 else (pair.only_b, pair.only_a)
    if x == 0.0:
        return float(scipy.special.betaincc(only_a + 1, only_b + 1, 0.5))
    size, discordant = abs(x), only_a + only_b
    a, b = discordant + 2, pair.n - discordant + 2
    # Below s = |x| the difference cannot reach x.
    low = max(size, float(scipy.special.betaincinv(a, b, OUTSIDE)))
    high = float(scipy.special.betainccinv(a, b, OUTSIDE))
    beyond = 0.0
    if low < high:
        nodes, weights = _gauss_legendre()
        s = low + (high - low) * (nodes + 1) / 2
        log_density = (a - 1) * np.log(s) + (b - 1) * np.log1p(-s) - scipy.special.betaln(a, b)
        inside = np.exp(log_density) * scipy.special.betaincc(only_a + 1, only_b + 1, np.minimum((1 + size / s) / 2, 1.0))
        beyond = min(float((high - low) / 2 * (weights @ inside)), 1.0)
    return beyond if x > 0 else 1.0 - beyond


@functools.cache
def _gauss_legendre() -> tuple[Array, Array]:
    """Nodes and weights on (-1, 1), which take longer to find than to use."""
    return np.polynomial.legendre.leggauss(NODES)


def binary_posterior(pair: Discordance, rope: float) -> Bayes:
    """The three probabilities for right-or-wrong items; `rope` is in the unit of the scores.

    Examples
    --------
    >>> posterior = binary_posterior(Discordance(n=100, only_a=15, only_b=5, unit=1.0, orientation=1), 0.05)
    >>> round(posterior.a_better, 4), round(posterior.equal, 4), round(posterior.b_better, 4)
    (0.8569, 0.1425, 0.0005)
    """
    reach = rope / pair.unit
    mirrored = Discordance(pair.n, pair.only_b, pair.only_a, pair.unit, pair.orientation)
    above, below = (binary_exceeds(table, reach) if reach < 1 else 0.0 for table in (pair, mirrored))
    return _three(above, below, pair.orientation, rope)


def mean_posterior(mean: Estimate, rope: float, orientation: int) -> Bayes:
    """The three probabilities for a mean difference.

    Examples
    --------
    >>> posterior = mean_posterior(Estimate(0.5, 0.25, 20, 19), 0.1, 1)
    >>> round(posterior.a_better, 4), round(posterior.equal, 4), round(posterior.b_better, 4)
    (0.937, 0.0496, 0.0134)
    """
    if mean.error == 0.0:
        return _three(float(mean.value > rope), float(mean.value < -rope), orientation, rope)
    above, below = (math.exp(log_t_tail(mean.df, (rope - x) / mean.error)) for x in (mean.value, -mean.value))
    return _three(above, below, orientation, rope)


def _three(above: float, below: float, orientation: int, rope: float) -> Bayes:
    """From the sides of A - B to A and B: where lower is better, a negative difference favours A."""
    equal = max(0.0, 1.0 - above - below) if rope or above + below == 0.0 else 0.0
    return Bayes(above, equal, below, rope) if orientation > 0 else Bayes(below, equal, above, rope)


def _quantile(pair: Discordance, share: float) -> float:
    low, high = -1.0, 1.0
    for _ in range(45):
        middle = (low + high) / 2
        low, high = (middle, high) if binary_exceeds(pair, middle) > 1 - share else (low, middle)
    return (low + high) / 2


def _run(pairs: PairedScores, metric: AdditiveMetric, asked: TestRequest) -> TestResult:
    scores = unclustered_scores(pairs, metric, NAME, "`permutation` or `student`, which take them")
    if asked.delta:
        raise OutscoreError(
            f"`delta` is {asked.delta:g}, but `bayes` does not take one.",
            "Set its option `rope`, or use `permutation` or `student`.",
            parameter="delta",
        )
    rope = float(str(asked.options["rope"]))
    pair = discordance(pairs, metric)
    bayes = _posterior(pair, scores, rope)
    model = "Student's posterior of the mean" if pair is None else "Dirichlet(1, 1, 1, 1) prior on right and wrong"
    p = permutation(pairs, metric, TestRequest(asked.alternative, seed=asked.seed, alpha=asked.alpha))
    return TestResult(
        p, _interval(pair, scores, asked) if asked.interval else None, [*_notes(rope, model), *_few(pair, scores)], bayes
    )


def _posterior(pair: Discordance | None, scores: ItemScores, rope: float) -> Bayes:
    if pair is not None:
        return binary_posterior(pair, rope)
    mean = mean_of(scores)
    if mean.error == 0.0 and mean.value:
        raise no_spread(mean, scores, NAME)
    return mean_posterior(mean, rope, scores.orientation)


def _interval(pair: Discordance | None, scores: ItemScores, asked: TestRequest) -> Interval:
    if pair is not None:
        # Equal-tailed limits of the posterior of θ_A - θ_B.
        limits = pair.unit * _quantile(pair, asked.side), pair.unit * _quantile(pair, 1 - asked.side)
        return interval_for(limits, asked, pair.orientation, method=POSTERIOR, dual=False, estimate=pair.difference)
    return t_interval(mean_of(scores), asked, scores.orientation, method=POSTERIOR, dual=False)


def _few(pair: Discordance | None, scores: ItemScores) -> list[Note]:
    """What few skewed differences do to the posterior of a mean, which is Student's."""
    warning = skew_warning(scores) if pair is None else None
    return [] if warning is None else [warning]


def _notes(rope: float, model: str) -> list[Note]:
    region = "no difference counts as practically equal (rope = 0)"
    if rope:
        region = f"within {rope:g} of 0 counts as practically equal"
    beside = "p is that of the permutation test, shown beside the posterior probabilities, which are the answer of `bayes`."
    posterior = (
        f"The interval is a posterior interval: it contains the difference with the stated probability; {model}; {region}."
    )
    return [Note("method", beside), Note("interval", posterior)]


THREE_ANSWERS = "It gives probabilities for A, B or practically equal instead of a p-value."


ENTRY = TestEntry(
    name=NAME,
    summary="how probable it is that A is better, practically equal, or worse; no null hypothesis",
    phrase="Bayesian test",
    formula=r"P ( Δ > ρ | d ) , P ( |Δ| ≤ ρ | d ) , P ( Δ < - ρ | d )",
    citations=("benavoli2017",),
    estimand="mean",
    delta=False,
    run=_run,
    suits={
        "mean": ("usable", THREE_ANSWERS, 6),
        "accuracy": ("usable", THREE_ANSWERS, 4),
        "metric": ("unsuited", NEEDS_SCORES, 11),
    },
    options=(Option("rope", float, 0.0, "differences up to this size count as practically equal", minimum=0),),
    posterior=True,
    unsimulated="it has no null hypothesis to reject",
)
