"""Whom to cite for what a ranking used: its test, its correction, and the further methods that appear in it."""

from __future__ import annotations

from outscore.rankings import Ranking

__all__ = ["citations"]

TESTS = {
    "permutation": "Noreen (1989): Computer-intensive methods for testing hypotheses. Wiley.",
    "permutation-median": "Noreen (1989): Computer-intensive methods for testing hypotheses. Wiley.",
    "student": "Student (1908): The probable error of a mean. Biometrika 6.",
    "wilcoxon": "Wilcoxon (1945): Individual comparisons by ranking methods. Biometrics Bulletin 1.",
    "sign": "Dixon, Mood (1946): The statistical sign test. JASA 41.",
    "mcnemar": "McNemar (1947): Note on the sampling error of the difference between correlated proportions. Psychometrika 12.",
    "bootstrap": "Efron, Tibshirani (1993): An introduction to the bootstrap. Chapman & Hall.",
    "bootstrap-t": "Efron, Tibshirani (1993): An introduction to the bootstrap. Chapman & Hall.",
    "bootstrap-median": "Efron, Tibshirani (1993): An introduction to the bootstrap. Chapman & Hall.",
    "block-bootstrap": "Politis, Romano (1994): The stationary bootstrap. JASA 89.",
}
CORRECTIONS = {
    "bonferroni": "Dunn (1961): Multiple comparisons among means. JASA 56.",
    "holm": "Holm (1979): A simple sequentially rejective multiple test procedure. Scandinavian Journal of Statistics 6.",
    "hochberg": "Hochberg (1988): A sharper Bonferroni procedure for multiple tests of significance. Biometrika 75.",
    "hommel": "Hommel (1988): A stagewise rejective multiple test procedure based on a modified Bonferroni test. Biometrika.",
    "shaffer": "Shaffer (1986): Modified sequentially rejective multiple test procedures. JASA 81.",
    "bh": "Benjamini, Hochberg (1995): Controlling the false discovery rate. JRSS B 57.",
    "by": "Benjamini, Yekutieli (2001): The control of the false discovery rate under dependency. Annals of Statistics 29.",
    "max-t": "Westfall, Young (1993): Resampling-based multiple testing. Wiley.",
}
LETTERS = "Piepho (2004): An algorithm for a letter-based representation of all-pairwise comparisons. JCGS 13."
RANKS = (
    "Al Mohamad, Goeman, van Zwet (2022): Simultaneous confidence intervals for ranks with application to ranking "
    "institutions. Biometrics 78."
)
REPLICABILITY = (
    "Benjamini, Heller (2008): Screening for partial conjunction hypotheses. Biometrics 64.",
    "Dror, Baumer, Bogomolov, Reichart (2017): Replicability analysis for natural language processing. TACL 5.",
)
CRITICAL_DIFFERENCE = (
    "Friedman (1937): The use of ranks to avoid the assumption of normality. JASA 32.",
    "Nemenyi (1963): Distribution-free multiple comparisons. PhD thesis, Princeton.",
    "Demšar (2006): Statistical comparisons of classifiers over multiple data sets. JMLR 7.",
)


def citations(ranking: Ranking) -> list[tuple[str, str]]:
    """What was used, and the work that introduced it; only what this ranking holds."""
    found = [("test", TESTS.get(ranking.test, "")), ("correction", CORRECTIONS.get(ranking.family.correction, ""))]
    if ranking.baseline is None and ranking.groups:
        found.append(("groups", LETTERS))
    # The intervals hold at once only where the family-wise error rate is controlled.
    if ranking.baseline is None and ranking.family.error_rate == "FWER":
        found.append(("rank intervals", RANKS))
    if ranking.replicability:
        found += [("replicability", work) for work in REPLICABILITY]
    if ranking.critical_difference is not None:
        found += [("critical difference", work) for work in CRITICAL_DIFFERENCE]
    return [(use, work) for use, work in found if work]
