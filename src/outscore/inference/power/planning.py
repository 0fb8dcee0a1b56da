"""Power before the data: how many items, how small an effect, how likely a verdict.

Three questions about one equation. Which equation depends on what is known about the items:

=====================  ========================================  ==================================================
given                  `effect` is                               power of
=====================  ========================================  ==================================================
`sd`                   the difference of the two scores          the normal test with known variance (Miller, 2024)
`discordance`          the difference of the two accuracies      the exact McNemar test, summed without approximation
neither                Cohen's d_z, a difference in units of sd  the paired t test (noncentral t)
=====================  ========================================  ==================================================

``method="t"`` asks for the t test where `sd` is given: it has to estimate the sd, which costs about two items
more at alpha .05 and matters below some hundred items. ``method="normal"`` asks for the closed formula where
another one is the default.

Repeats and clusters enter through the variance of an item's difference and through the design effect (Miller,
2024, "Adding error bars to evals", sections 3 and 5; Kish, 1965, for the design effect):

    n = (z_{α/2} + z_β)² · (ω² + σ²/K)/δ² · (1 + (cluster size - 1)·icc)

ω is `sd`, the standard deviation between items of the difference that endless repeats would leave; σ is
`within`, the standard deviation of the difference between two single runs on one item, σ² = σ_A² + σ_B²; K is
`repeats`, the runs of each system per item. Without `within` the item's difference is taken to be free of
run-to-run noise, or, what is the same, `sd` to be the standard deviation of the differences as they will be
observed.
"""

from __future__ import annotations

from typing import Literal

from outscore.inference.base.question import Alternative
from outscore.inference.power.design import checked_n, study_of
from outscore.results.plan import StudyDesign

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


def sizes_around(n: int, least: int = 2) -> list[int]:
    """Whole numbers below and beyond n at which a curve is drawn; n is one of them."""
    return sorted({max(least, round(n * factor)) for factor in CURVE})
