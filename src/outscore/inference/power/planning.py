"""Power before the data: how many items, how small an effect, how likely a verdict.

Three questions about one equation. Which equation depends on what is known about the items:

=====================  ========================================  ==================================================
given                  `effect` is                               power of
=====================  ========================================  ==================================================
`sd`                   the difference of the two scores          the normal test with known variance (Miller, 2024)
`discordance`          the difference of the two accuracies      the exact McNemar test, summed without approximation
neither                Cohen's d_z, a difference in units of sd  the paired t test (noncentral t)
=====================  ========================================  ==================================================

``method="t"`` asks for the t test where `sd` is given: it has to estimate the sd, which costs about two items more at alpha .05
and matters below some hundred items. ``method="normal"`` asks for the closed formula where another one is the default.

Repeats and clusters enter through the variance of an item's difference and through the design effect (Miller, 2024, "Adding
error bars to evals", sections 3 and 5; Kish, 1965, for the design effect):

    n = (z_{α/2} + z_β)² · (ω² + σ²/K)/δ² · (1 + (cluster size - 1)·icc)

ω is `sd`, the standard deviation between items of the difference that endless repeats would leave; σ is `within`, the standard
deviation of the difference between two single runs on one item, σ² = σ_A² + σ_B²; K is `repeats`, the runs of each system per
item. Without `within` the item's difference is taken to be free of run-to-run noise, or, what is the same, `sd` to be the
standard deviation of the differences as they will be observed.
"""

from __future__ import annotations

from outscore.inference.power.design import checked_n, study_of
from outscore.results.plan import Power, PowerPoint, StudyDesign

__all__ = ["analytic_curve", "detectable_effect", "power", "sample_size", "sizes_around"]

CURVE = (0.1, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0)
"""Where curves are drawn, in multiples of the observed or required n."""


def power(
    n: float,
    effect: float,
    *,
    sd: float | None = None,
    discordance: float | None = None,
    alpha: float = 0.05,
    alternative: str = "two-sided",
    repeats: int = 1,
    cluster_size: float = 1,
    icc: float = 0.0,
    within: float = 0.0,
    method: str = "auto",
) -> float:
    """Probability that n items lead to a rejection when the true difference is `effect`.

    Parameters
    ----------
    n
        Number of items.
    effect
        The true difference, positive when A is better. Without `sd` and `discordance` in units of the sd (Cohen's d_z).
    sd
        Standard deviation between items of the difference A - B.
    discordance
        Share of right-or-wrong items on which exactly one system is right; then `effect` is the difference in accuracy.
    alpha, alternative
        The level of the test, and its side: ``"two-sided"``, ``"greater"`` (A better) or ``"less"``.
    repeats, within
        Runs of each system per item, and the sd of the difference between two single runs on one item, sqrt(σ_A² + σ_B²).
    cluster_size, icc
        Items per cluster (document, passage), and the correlation of differences within a cluster.
    method
        ``"auto"``, ``"normal"``, ``"t"`` or ``"exact"``; see above. The normal power counts rejections in the right direction
        only, as the sample-size formula does; the other two count every rejection.

    Examples
    --------
    >>> round(power(1000, 0.03, sd=1 / 3), 4), round(power(1000, 0.03, discordance=0.1), 4), round(power(50, 0.4), 4)
    (0.8122, 0.8346, 0.7918)
    """
    study = study_of(StudyDesign(sd, discordance, alpha, alternative, repeats, cluster_size, icc, within, method))
    return study.power(checked_n(n), study.towards(effect))


def sample_size(
    effect: float,
    *,
    power: float = 0.8,
    sd: float | None = None,
    discordance: float | None = None,
    alpha: float = 0.05,
    alternative: str = "two-sided",
    repeats: int = 1,
    cluster_size: float = 1,
    icc: float = 0.0,
    within: float = 0.0,
    method: str = "auto",
) -> float:
    """Number of items that detect `effect` with the power asked for, as computed; round it up to have a number to collect.

    Parameters are those of `power`. With `discordance` it is the whole number from which on the exact test never falls short.

    Examples
    --------
    >>> round(sample_size(0.03, sd=1 / 3), 4), round(sample_size(0.2), 2), sample_size(0.03, discordance=0.1)
    (968.9975, 198.15, 920.0)
    """
    study = study_of(StudyDesign(sd, discordance, alpha, alternative, repeats, cluster_size, icc, within, method))
    target = study.checked_power(power)
    return study.sample_size(study.towards(effect), target)


def detectable_effect(
    n: float,
    *,
    power: float = 0.8,
    sd: float | None = None,
    discordance: float | None = None,
    alpha: float = 0.05,
    alternative: str = "two-sided",
    repeats: int = 1,
    cluster_size: float = 1,
    icc: float = 0.0,
    within: float = 0.0,
    method: str = "auto",
) -> float:
    """The smallest difference, as a size without sign, that n items detect with the power asked for.

    Parameters are those of `power`; without `sd` and `discordance` the answer is Cohen's d_z.

    Examples
    --------
    >>> round(detectable_effect(1000, sd=1 / 3), 5), round(detectable_effect(1000, discordance=0.1), 5)
    (0.02953, 0.02874)
    """
    study = study_of(StudyDesign(sd, discordance, alpha, alternative, repeats, cluster_size, icc, within, method))
    return study.detectable_effect(checked_n(n), study.checked_power(power))


def analytic_curve(
    effect: float, sd: float, n: int, *, alpha: float = 0.05, alternative: str = "two-sided", target: float = 0.8
) -> Power:
    """What a finished comparison says about its reach: the effect it could detect, and power at `effect` below and beyond n.

    By the noncentral t, from the observed difference (positive when A is better) and the observed sd of the items' differences;
    for clusters give their number and the sd of their totals over the mean cluster size.

    Examples
    --------
    >>> found = analytic_curve(0.02, 0.3, 1000)
    >>> round(found.detectable_effect, 4), [(p.n, round(p.power, 2)) for p in found.curve][:5]
    (0.0266, [(100, 0.1), (250, 0.18), (500, 0.32), (750, 0.45), (1000, 0.56)])
    """
    if not sd > 0 or n < 2:
        return Power(None, [])
    study = study_of(StudyDesign(sd, alpha=alpha, alternative=alternative, method="t"))
    curve = [PowerPoint(k, study.power(k, study.towards(effect))) for k in sizes_around(n)]
    return Power(study.detectable_effect(n, target), curve)


def sizes_around(n: int, least: int = 2) -> list[int]:
    """Whole numbers below and beyond n at which a curve is drawn; n is one of them."""
    return sorted({max(least, round(n * factor)) for factor in CURVE})
