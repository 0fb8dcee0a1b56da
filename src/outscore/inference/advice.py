"""Which tests suit the claim: advice in three groups, with one sentence for each test.

What decides is the estimand, the quantity a claim is about, and not a test of normality: choosing a test by the outcome of
another one changes its error rate. Nothing here switches a test; `permutation` stays the default.

=====================  =====================  ==========================================  ===================================
estimand               recommended            usable                                      unsuited
=====================  =====================  ==========================================  ===================================
mean of scores         permutation            student, the bootstraps of the mean, bayes  mcnemar
                                              (of another estimand: wilcoxon, sign, …)
accuracy, binary       permutation            mcnemar, bootstraps, bayes,                 wilcoxon, tests of the median
                                              student from 50 items on
median, asked for      sign; wilcoxon when    bootstrap-median, permutation-median        tests of the mean
                       |γ| < .5
any other metric       permutation            bootstrap, block-bootstrap                  all that need one score per item
=====================  =====================  ==========================================  ===================================

Beside it stands the table of NLPStatTest (Zhu et al., 2020), which goes by skewness and normality alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from outscore.results.analysis import Advice, TestAdvice

__all__ = ["SYMMETRIC", "Claim", "Estimand", "advise", "nlpstattest_advice"]

Estimand = Literal["mean", "accuracy", "median", "metric"]
Group = Literal["recommended", "usable", "unsuited"]
Table = dict[str, tuple[Group, str]]

SYMMETRIC = 0.5
"""Bulmer's (1979) mark: below it a distribution is roughly symmetric."""
FEW = 50
CLUSTERED = ("permutation", "student", "bootstrap", "bootstrap-t", "bootstrap-median")
"""The tests that take clusters."""


@dataclass(frozen=True)
class Claim:
    """What the claim is about, and the few facts the advice depends on: independent units (clusters, or items), skewness."""

    estimand: Estimand
    n: int
    skewness: float | None
    clusters: bool = False

    @property
    def symmetric(self) -> bool:
        """Whether nothing speaks against symmetry."""
        return self.skewness is None or abs(self.skewness) < SYMMETRIC

    @property
    def few(self) -> str:
        """A clause for tests that lean on large samples."""
        return f"; with {self.n} {self.units} (fewer than {FEW}) it rejects somewhat too often" if self.n < FEW else ""

    @property
    def units(self) -> str:
        """What is counted."""
        return "clusters" if self.clusters else "items"


def advise(claim: Claim) -> TestAdvice:
    """All tests in three groups for a claim.

    Examples
    --------
    >>> [advice.test for advice in advise(Claim("median", 200, skewness=0.1)).recommended]
    ['sign', 'wilcoxon']
    """
    table = {"mean": _mean, "accuracy": _accuracy, "median": _median, "metric": _metric}[claim.estimand](claim)
    if claim.clusters:
        knows_none: tuple[Group, str] = ("unsuited", "It takes items one by one and knows no clusters.")
        table = {name: row if name in CLUSTERED else knows_none for name, row in table.items()}
    return _grouped(table)


def _grouped(table: Table) -> TestAdvice:
    found = TestAdvice()
    for test, (group, why) in table.items():
        getattr(found, group).append(Advice(test, why))
    return found


def _mean(claim: Claim) -> Table:
    rough = "" if claim.symmetric else ", which these skewed differences contradict"
    return {
        "permutation": ("recommended", "It tests the mean itself, assumes no shape and is exact for any number of items."),
        "student": ("usable", f"It tests the mean; its p leans on normal means, good for many {claim.units}{_small(claim)}."),
        "bootstrap": ("usable", f"It tests the mean without assuming a shape{claim.few}."),
        "bootstrap-t": ("usable", f"It tests the mean and allows for skewness{claim.few}."),
        "block-bootstrap": ("usable", f"It tests the mean when neighbouring items depend on one another{claim.few}."),
        "bayes": ("usable", "It gives probabilities for A, B or practically equal instead of a p-value."),
        "wilcoxon": ("usable", f"Another estimand: the pseudomedian; it speaks of the mean under symmetry only{rough}."),
        "sign": ("usable", "Another estimand: the median difference; it ignores how large the differences are."),
        "permutation-median": ("usable", "Another estimand: the median difference."),
        "bootstrap-median": ("usable", f"Another estimand: the median difference{claim.few}."),
        "mcnemar": ("unsuited", "It needs right-or-wrong items."),
    }


def _small(claim: Claim) -> str:
    return f", and {claim.n} may be too few" if claim.n < FEW else ""


def _accuracy(claim: Claim) -> Table:
    enough: Group = "usable" if claim.n >= FEW else "unsuited"
    student = "It tests the same mean; " + (
        f"with this many {claim.units} its normal approximation is good." if claim.n >= FEW else f"it needs at least {FEW}."
    )
    still = "For right-or-wrong items the median difference is 0 unless most items change."
    exact = "swaps every cluster as one" if claim.clusters else "is the exact McNemar test"
    return {
        "permutation": ("recommended", f"It tests the difference in accuracy and {exact}."),
        "mcnemar": ("usable", "Made for right-or-wrong items; its exact form gives the same p as permutation."),
        "bootstrap": ("usable", f"It tests the difference in accuracy by resampling{claim.few}."),
        "bayes": ("usable", "It gives probabilities for A, B or practically equal instead of a p-value."),
        "block-bootstrap": ("usable", f"For items whose neighbours depend on one another{claim.few}."),
        "student": (enough, student),
        "bootstrap-t": (enough, student),
        "wilcoxon": ("unsuited", "All non-zero differences have the same size, so ranks add nothing."),
        "sign": ("unsuited", still),
        "permutation-median": ("unsuited", still),
        "bootstrap-median": ("unsuited", still),
    }


def _median(claim: Claim) -> Table:
    mean = "It tests the mean, not the median."
    wilcoxon: tuple[Group, str] = (
        ("recommended", "It uses the sizes too and tests the median as long as differences are roughly symmetric.")
        if claim.symmetric
        else ("unsuited", "It tests the median under symmetry only, and these differences are skewed.")
    )
    resampled: Group = "recommended" if claim.clusters else "usable"
    return {
        "sign": ("recommended", "It tests the median difference exactly and assumes no shape."),
        "wilcoxon": wilcoxon,
        "bootstrap-median": (resampled, f"It tests the median by resampling {claim.units}{claim.few}."),
        "permutation-median": ("usable", "It tests exchangeability of the systems by the median difference."),
        "permutation": ("unsuited", mean),
        "student": ("unsuited", mean),
        "bootstrap": ("unsuited", mean),
        "bootstrap-t": ("unsuited", mean),
        "block-bootstrap": ("unsuited", mean),
        "bayes": ("unsuited", mean),
        "mcnemar": ("unsuited", "It tests the difference in accuracy, not the median."),
    }


def _metric(claim: Claim) -> Table:
    needs = "It needs one score per item, and this metric is computed from all items at once."
    return {
        "permutation": ("recommended", "It recomputes the metric itself under every swap of the two systems."),
        "bootstrap": ("usable", f"It recomputes the metric on resampled items{claim.few}."),
        "block-bootstrap": ("usable", f"The same for items whose neighbours depend on one another{claim.few}."),
        **dict.fromkeys(
            ("student", "wilcoxon", "sign", "mcnemar", "permutation-median", "bootstrap-t", "bootstrap-median", "bayes"),
            ("unsuited", needs),
        ),
    }


PUBLISHED = ("student", "wilcoxon", "sign", "bootstrap", "bootstrap-median", "permutation", "permutation-median")
"""The tests NLPStatTest has, by the names they have here."""


def nlpstattest_advice(skewness: float | None, *, normal: bool | None) -> TestAdvice:
    """The groups of NLPStatTest's own table; empty where skewness or normality is undefined.

    It sends skewed data to the median and turns on a test of normality; both change the claim or the error rate, so it stands
    beside the recommendation and not in its place.

    Examples
    --------
    >>> [advice.test for advice in nlpstattest_advice(-0.26, normal=False).recommended]
    ['wilcoxon']
    """
    if skewness is None or normal is None:
        return TestAdvice()
    if abs(skewness) >= SYMMETRIC:
        best, bad = "sign", {"student", "wilcoxon", "bootstrap", "permutation"}
        whys = ("skewed differences: test the median", "skewed differences: it tests the median", "skewed differences")
    elif normal:
        best, bad = "student", set()
        whys = ("roughly symmetric and normal differences", "its assumptions hold, with less power", "")
    else:
        best, bad = "wilcoxon", {"student"}
        whys = ("roughly symmetric, not normal", "it does not assume normality", "it assumes normality, which was rejected")
    order = [best, *(test for test in PUBLISHED if test != best)]
    return _grouped({t: _published(t, best, bad, whys) for t in order})


def _published(test: str, best: str, bad: set[str], whys: tuple[str, str, str]) -> tuple[Group, str]:
    place = 0 if test == best else 2 if test in bad else 1
    groups: tuple[Group, Group, Group] = ("recommended", "usable", "unsuited")
    return groups[place], f"By skewness and normality alone: {whys[place]}."
