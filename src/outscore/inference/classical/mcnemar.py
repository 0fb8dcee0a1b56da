"""McNemar's test for right-or-wrong items.

H0: both systems have the same accuracy. Items that both get right, or both wrong, say nothing; among the
others each system should be the right one half of the time. The exact variant is the binomial test, and
equals `permutation` on such items. The large-sample variants are there to compare with published numbers:
chi-square rejects a little too often, its corrected form too seldom, and mid-p (Fagerland, Lydersen and
Laake, 2013) lies between them and is close to the nominal level.

For δ ≠ 0 the test is Tango's score test of p_A - p_B = δ, whatever the variant.
"""

from __future__ import annotations

import math
from dataclasses import replace

from outscore.core.errors import OutscoreError
from outscore.core.metric import AdditiveMetric
from outscore.core.numeric import LOG2
from outscore.core.options import Option
from outscore.core.rows import PairedScores
from outscore.exact import binomial
from outscore.inference.base import question
from outscore.inference.base.discordance import Discordance, discordance, tango_interval, tango_test
from outscore.inference.base.entry import NEEDS_SCORES, TestEntry, normal_log_p, unclustered_scores
from outscore.inference.base.question import TestRequest
from outscore.inference.classical.median import binomial_p
from outscore.results.comparison import TestResult
from outscore.results.note import Note
from outscore.results.pvalue import Interval, PValue

NAME = "mcnemar"
VARIANTS = ("exact", "mid-p", "chi-square", "corrected")
SMALL = 1e-290


def table_of(pairs: PairedScores, metric: AdditiveMetric, test: str) -> Discordance:
    """The discordant counts of right-or-wrong items; other data are refused in one sentence."""
    table = discordance(pairs, metric)
    if table is not None:
        return table
    unclustered_scores(pairs, metric, test, "`permutation`, which swaps whole clusters")
    raise OutscoreError(
        f"`{test}` needs items that are right or wrong (1 or 0), with one row each.",
        "Use `permutation`: it gives the same p on such items, and takes scores, repeats and clusters too.",
    )


def mcnemar(pair: Discordance, request: TestRequest, variant: str = "exact") -> PValue:
    """p-value of H0: p_A - p_B = δ.

    The statistic is how many items only A got right for ``"exact"`` and ``"mid-p"``, (b - c)²/(b + c) for
    ``"chi-square"``, (|b - c| - 1)²/(b + c) for ``"corrected"`` (Edwards, 1948), and Tango's z for δ ≠ 0.

    Examples
    --------
    >>> pair = Discordance(n=100, only_a=15, only_b=5, unit=1.0, orientation=1)
    >>> [round(mcnemar(pair, TestRequest(), variant).value, 5) for variant in VARIANTS]
    [0.04139, 0.0266, 0.02535, 0.04417]
    """
    if request.delta:
        p, statistic = tango_test(pair, request), pair.score(request.delta / pair.unit)
    elif variant in ("exact", "mid-p"):
        p, statistic = _p_from_counts(pair, request, variant), float(pair.only_a)
    else:
        p, statistic = _chi_square(pair, request, 1.0 if variant == "corrected" else 0.0, variant)
    return replace(p, test=NAME, statistic=statistic, n=pair.n)


def _p_from_counts(pair: Discordance, request: TestRequest, variant: str) -> PValue:
    wins, losses = (pair.only_a, pair.only_b) if pair.orientation > 0 else (pair.only_b, pair.only_a)
    p = binomial_p(wins, losses, request)
    if variant == "exact" or p.mid is None:
        return replace(p, kernel="binomial" if variant == "exact" else variant)
    log_mid = math.log(p.mid)
    if p.mid < SMALL:
        # `mid` is a float and may have underflowed; its logarithm has not.
        log_mid = binomial.tail(wins + losses, max(wins, losses)).log_mid
        log_mid += LOG2 if request.alternative == "two-sided" else 0.0
    return PValue.from_logs(log_mid, log_mid, method="exact", kernel=variant)


def _chi_square(pair: Discordance, request: TestRequest, correction: float, variant: str) -> tuple[PValue, float]:
    """χ² on one degree of freedom is z², so that one-sided p-values come from the same formula."""
    gap, discordant = pair.only_a - pair.only_b, pair.only_a + pair.only_b
    if not discordant:
        return question.identical_p(method="asymptotic", kernel=variant), 0.0
    log_p = normal_log_p(pair.orientation * gap, math.sqrt(discordant), correction, request.alternative)
    statistic = max(abs(gap) - correction, 0.0) ** 2 / discordant
    return PValue.from_logs(log_p, log_p, method="asymptotic", kernel=variant), statistic


def _interval(pair: Discordance, asked: TestRequest, variant: str) -> Interval:
    """Tango's interval, holding 0 wherever this variant's own p at 0 does not reject."""
    at_zero = mcnemar(pair, replace(asked, delta=0.0), variant)
    interval = tango_interval(pair, asked, at_zero)
    holds_zero = (interval.low is None or interval.low <= 0) and (interval.high is None or interval.high >= 0)
    method = f"Tango score, stretched to agree with McNemar's test ({variant})"
    return replace(interval, method=method, dual=holds_zero == (at_zero.upper > asked.alpha))


def _run(pairs: PairedScores, metric: AdditiveMetric, asked: TestRequest) -> TestResult:
    variant = str(asked.options["variant"])
    pair = table_of(pairs, metric, NAME)
    p = mcnemar(pair, asked, variant)
    deciding = f"{pair.only_a + pair.only_b:,} of {pair.n:,} items decide"
    notes = [Note("data", f"{deciding}: on the others both systems are right or both are wrong.")]
    if asked.delta:
        notes.append(Note("method", f"At delta = {asked.delta:g}: Tango's score test, a large-sample approximation."))
    elif variant == "mid-p":
        notes.append(Note("method", "mid-p keeps the level on average, not in every case."))
    return TestResult(p, _interval(pair, asked, variant) if asked.interval else None, notes)


ENTRY = TestEntry(
    name=NAME,
    summary="both systems get the same share of items right; the same p as `permutation` on right-or-wrong items",
    phrase="McNemar test",
    formula=r"p = P ( | X - \frac{b+c}{2} | ≥ \frac{|b-c|}{2} ) , X ∼ \text{Bin} ( b + c , \frac{1}{2} )",
    citations=("mcnemar1947",),
    estimand="accuracy",
    on="binary",
    run=_run,
    suits={
        "mean": ("unsuited", "It needs right-or-wrong items.", 11),
        "accuracy": ("usable", "It is made for right-or-wrong items; its exact form gives the same p as permutation.", 2),
        "metric": ("unsuited", NEEDS_SCORES, 7),
    },
    options=(Option("variant", str, "exact", "how p is computed from the discordant items", choices=VARIANTS),),
    null="signs",
    subsets="itself",
)
