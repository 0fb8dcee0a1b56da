"""Which tests suit the claim: advice in three groups, with one sentence for each test.

What decides is the estimand, the quantity a claim is about, and not a test of normality: choosing a test by
the outcome of another one changes its error rate. Nothing here switches a test; `permutation` stays the
default. What a test is good for stands in its entry (`TestEntry.suits`); in short:

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

from collections.abc import Iterable

from outscore.inference.base.entry import SYMMETRIC, Claim, Group
from outscore.inference.registry import TESTS
from outscore.results.analysis import Advice, TestAdvice

__all__ = ["advise", "nlpstattest_advice"]

NO_CLUSTERS = "It takes items one by one and knows no clusters."


def advise(claim: Claim) -> TestAdvice:
    """All tests in three groups for a claim.

    Examples
    --------
    >>> [advice.test for advice in advise(Claim("median", 200, skewness=0.1)).recommended]
    ['sign', 'wilcoxon']
    """
    suited = sorted(((entry, entry.suits(claim)) for entry in TESTS.values()), key=lambda pair: pair[1].place)
    return _group_rows(
        (entry.name, "unsuited", NO_CLUSTERS)
        if claim.clusters and not entry.clusters
        else (entry.name, suitability.group, suitability.why)
        for entry, suitability in suited
    )


def _group_rows(rows: Iterable[tuple[str, Group, str]]) -> TestAdvice:
    found = TestAdvice()
    for test, group, why in rows:
        getattr(found, group).append(Advice(test, why))
    return found


PUBLISHED = ("student", "wilcoxon", "sign", "bootstrap", "bootstrap-median", "permutation", "permutation-median")
"""The tests NLPStatTest has, by the names they have here."""


def nlpstattest_advice(skewness: float | None, *, normal: bool | None) -> TestAdvice:
    """The groups of NLPStatTest's own table; empty where skewness or normality is undefined.

    It sends skewed data to the median and turns on a test of normality; both change the claim or the error
    rate, so it stands beside the recommendation and not in its place.

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
    return _group_rows(_nlpstattest_row(test, best, bad, whys) for test in order)


def _nlpstattest_row(test: str, best: str, bad: set[str], whys: tuple[str, str, str]) -> tuple[str, Group, str]:
    group: Group
    if test == best:
        group, why = "recommended", whys[0]
    elif test in bad:
        group, why = "unsuited", whys[2]
    else:
        group, why = "usable", whys[1]
    return test, group, f"By skewness and normality alone: {why}."
