"""Different items for each system: the power of a planned study, and of one like the samples at hand."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.numeric import Array
from outscore.core.records import dataclass
from outscore.inference.base.question import Alternative
from outscore.inference.power.binary import last_crossing, log_binomial, near
from outscore.inference.power.design import Study, noncentral_t_power, root_of, study_of
from outscore.inference.power.observed import POWER
from outscore.inference.unpaired import Samples
from outscore.results.plan import StudyDesign

# Different items for each system: the power of Fisher's exact test, and of divisions of scores, with n items of each.
#
# Right-or-wrong items have Fisher's test. With x and y right ones of n each, given how many there are in all, x is
# hypergeometric, symmetric about half of them, and the test rejects in its tails; the power is the sum over x and y. Scores
# have divisions of them, whose power is that of the t test of two samples, which they become (Hoeffding, 1952, Ann. Math.
# Stat. 23), at the level that their number allows. Clusters are divided whole.


SUMMED = 400
"""Beyond this variance of right items the formula of Casagrande, Pike and Smith (1978) has the same first digits."""
SLACK = 1 + 1e-12
FEW = 12
"""With more items of each system the levels that divisions can have lie close together."""


def fisher_power(n: int, first: float, second: float, alpha: float, alternative: Alternative) -> float:
    """The chance that Fisher's test rejects, with n items of each system and these accuracies.

    Examples
    --------
    >>> round(fisher_power(100, 0.7, 0.5, 0.05, "two-sided"), 4)
    0.7924
    """
    of_first, of_second = near(n, first), near(n, second)
    low, high = int(of_first[0] + of_second[0]), int(of_first[-1] + of_second[-1])
    critical = _critical(n, low, high, alpha / 2 if alternative == "two-sided" else alpha)
    x, y = of_first[:, None], of_second
    needed = critical[x + y - low]
    rejected = {"two-sided": (x >= needed) | (y >= needed), "greater": x >= needed, "less": y >= needed}[alternative]
    weights = [np.exp(log_binomial(n, k, q)) for k, q in ((of_first, first), (of_second, second))]
    return float(min(1.0, weights[0] @ rejected @ weights[1] / (weights[0].sum() * weights[1].sum())))


def _critical(n: int, low: int, high: int, side: float) -> Array:
    """The fewest right items of one system that are rare enough, for every number of right ones of both; n + 1 for none."""
    logs = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1.0, 2 * n + 1)))])
    total = np.arange(low, high + 1)
    reach = math.ceil(10 * math.sqrt(n / 8)) + 20
    x = (total + 1)[:, None] // 2 + np.arange(reach)
    other = total[:, None] - x
    possible = (x <= n) & (other >= 0)
    x, other = np.where(possible, x, 0), np.where(possible, other, 0)
    ways = 2 * logs[n] - logs[x] - logs[n - x] - logs[other] - logs[n - other]
    whole = logs[2 * n] - logs[total] - logs[2 * n - total]
    mass = np.where(possible, np.exp(ways - whole[:, None]), 0.0)
    tails = np.cumsum(mass[:, ::-1], axis=1)[:, ::-1]
    rare = possible & (tails <= side * SLACK)
    found = (total + 1) // 2 + rare.argmax(axis=1)
    return np.where(rare.any(axis=1), found, n + 1)


@dataclass(frozen=True)
class TwoSampleStudy(Study):
    """A planned study of different items; n counts those of each system."""

    def power(self, n: float, effect: float) -> float:
        """Power with n items of each system."""
        if self.method == "exact":
            q, share = self._accuracies(effect)
            size = math.floor(n * SLACK)
            return fisher_power(size, share, q, self.design.alpha, self.design.alternative)  # type: ignore[arg-type]
        if self.method == "normal":
            return self._normal_power(n, effect)
        if self.method == "permutation" and n / self.design.cluster_size * SLACK < self.design.min_units:
            return 0.0
        self._require_two_units(n)
        return self._t_power(n, effect)

    def sample_size(self, effect: float, target: float) -> float:
        """Items of each system."""
        away = self._checked_away(effect)
        formula = self._closed_form(effect, target)
        if self.method == "normal":
            return formula
        if self.method == "exact":
            share = away / self.design.unit
            guess = formula / 4 * (1 + math.sqrt(1 + 4 / (formula * share))) ** 2
            if guess * min(q * (1 - q) for q in self._accuracies(effect)) > SUMMED:
                return math.ceil(guess)
            return last_crossing(lambda n: self.power(n, effect) >= target, guess, 2, math.ceil(1 / share))
        size = self.design.cluster_size
        needed = root_of(lambda n: self._t_power(n, effect), target, 2.0 * size)
        if self.method == "t" or needed / size > FEW:
            return needed
        units = max(math.ceil(needed / size * (1 - 1e-12)), self.design.min_units)
        return next(k for k in itertools.count(units) if self.power(k * size, effect) >= target) * size

    def unit_sd(self, effect: float) -> float:
        """Standard deviation of the difference between a unit of one system and one of the other."""
        spread = math.sqrt(2) * self.sd
        if self.design.basis == "discordance":
            spread = self.design.unit * math.sqrt(sum(q * (1 - q) for q in self._accuracies(effect)))
        return spread * math.sqrt(self.design.design_effect / self.design.cluster_size)

    def _accuracies(self, effect: float) -> tuple[float, float]:
        self.discordance(effect)
        assert self.design.accuracy is not None
        return self.design.accuracy, min(max(self.design.accuracy + effect / self.design.unit, 0.0), 1.0)

    @property
    def _connor(self) -> bool:
        return False

    def _t_power(self, n: float, effect: float) -> float:
        """Noncentral t of two samples."""
        two_sided, units, side = self.design.alternative == "two-sided", n / self.design.cluster_size, self.side
        if self.method == "permutation" and units <= FEW:
            # p is a multiple of one division's chance, so that the test works at alpha rounded down to such a multiple.
            divisions = math.comb(2 * math.floor(units * SLACK), math.floor(units * SLACK))
            side = max(1, math.floor(side * divisions * SLACK)) / divisions
        return noncentral_t_power(2 * units - 2, self._unit_shift(effect) * math.sqrt(units), side, two_sided=two_sided)


def two_sample_study(design: StudyDesign) -> TwoSampleStudy:
    """Check a design of different items and settle its equation.

    Examples
    --------
    >>> math.ceil(two_sample_study(StudyDesign(sd=1.0, unpaired=True, method="t")).sample_size(0.5, 0.8))
    64
    """
    if design.discordance is not None:
        raise OutscoreError(
            "Systems with different items have no discordance.", "Give --accuracy, or --sd.", parameter="discordance"
        )
    checked = study_of(design)
    return TwoSampleStudy(design, checked.method, checked.sd)


# What two samples of different items say of a study like theirs, and how many items of each system it takes.


METHODS = {"permutation": "permutation", "student": "t"}
"""The tests of means, and what their power is that of."""


def design_of_samples(samples: Samples, method: str = "permutation") -> StudyDesign | None:
    """The design that two samples come from: spread or accuracy, and clusters; None where nothing varies."""
    n_a, n_b = samples.sizes
    if samples.worth is not None and samples.clusters is None and method == "permutation":
        share = samples.worth.share(samples.means[1])
        accuracy = share if samples.orientation > 0 else 1 - share
        return StudyDesign(accuracy=accuracy, unit=samples.worth.unit, method="exact", unpaired=True)
    (v_a, df_a), (v_b, df_b) = samples.variances
    plain = sum(float(np.var(x, ddof=1)) for x in (samples.a, samples.b) if len(x) > 1) / 2
    if not df_a or not df_b or not plain:
        return None
    design = StudyDesign(sd=math.sqrt(plain), method=method, unpaired=True)
    if samples.clusters is None:
        return design
    # A mean of clusters varies as if there were fewer items.
    effect = (v_a * n_a + v_b * n_b) / 2 / plain
    return replace(design, cluster_size=(n_a + n_b) / samples.n, observed_effect=effect)


def needed_of_samples(samples: Samples, test: str, alpha: float, alternative: Alternative) -> int | None:
    """How many items, or clusters, of each system detect a true difference as large as the observed one.

    Examples
    --------
    >>> right = Samples(np.repeat([1.0, 0.0], [14, 6]), np.repeat([1.0, 0.0], [10, 10]))
    >>> needed_of_samples(right, "permutation", 0.05, "two-sided")
    102
    """
    design = design_of_samples(samples, METHODS[test]) if test in METHODS else None
    if design is None or not samples.difference:
        return None
    try:
        study = two_sample_study(replace(design, alpha=alpha, alternative=alternative))
        items = study.sample_size(samples.orientation * samples.difference, POWER)
    except OutscoreError:
        # It points the other way, or is so small that nobody collects so many items.
        return None
    return max(2, math.ceil(items / design.cluster_size * (1 - 1e-12)))
