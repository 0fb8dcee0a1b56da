"""A planned study: its design checked, and the one equation that ties n, effect and power together, solved for each of them.

The paired permutation test flips the signs of n units, and its power on normal differences has no closed form (`flip_power`).
Its two-sided p is a multiple of 2/2ⁿ, so the level it works at is α rounded down to such a multiple: 0 below six
units at α = .05, .031 at six, .047 at seven. Where no more than three sign patterns are extreme enough, they are
known by name and their probability is an integral over one variable. With more of them the test soon is as powerful
as the paired t test at the level it works at, which it becomes (Hoeffding, 1952, Ann. Math. Stat. 23). In between,
what three patterns cost against that t test, as a distance of normal quantiles, is taken to fade as k^-¾ with their
number k: an interpolation that was measured, within .025 of simulated power at levels from .001 to .1.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Literal, cast

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.numeric import Array, narrowed
from outscore.core.options import MOST_ITEMS, check_level
from outscore.core.records import dataclass
from outscore.inference.base.question import Alternative, check_alternative
from outscore.inference.power.binary import mcnemar_power, mcnemar_sample_size
from outscore.laws import noncentral_student, normal, normal_quantile, student_quantile
from outscore.results.plan import StudyDesign

NAMED = 3
"""Of all sign patterns the three with the largest sums are always the same: all pluses, and one minus at the smallest
or the second smallest size."""
WIDTH = 9.0
"""The integrals end so many standard deviations beyond the mean."""
NODES = 120
FADED = 2_000
"""From so many extreme patterns on nothing is left of what few of them cost."""
FADING = 0.75
Method = Literal["normal", "t", "exact", "permutation", "margin"]
METHODS: dict[str, tuple[Method, ...]] = {
    # The first of each is what "auto" means.
    "sd": ("normal", "t", "permutation"),
    "standardised": ("t", "normal", "permutation"),
    "discordance": ("exact", "normal", "permutation"),
}
MANY_UNITS = 20_000
"""Flips of more units than these take too long, and nearly have the power of a t test."""
FEW_UNITS = 500
"""Up to so many units power goes up and down with the levels that flips can have."""
VAST = 1e6
"""So many standard deviations are a difference that every test detects that can detect any."""
ROUNDING = 1e-12
Direction = Literal["better", "worse"]


@dataclass(frozen=True)
class Study:
    """A design whose equation is settled; effects are true differences A - B, positive where A is better.

    `sd` is the standard deviation of an item's difference as it will be observed, 1 where effects are
    standardised.
    """

    design: StudyDesign
    method: Method
    sd: float

    @property
    def side(self) -> float:
        """The level of the tail that the effect points to."""
        return self.design.alpha / 2 if self.design.alternative == "two-sided" else self.design.alpha

    def discordance(self, effect: float) -> float:
        """The share of items on which one system alone is right, if accuracies differ by so much.

        With accuracies q and q', and ρ the correlation of right answers, it is q + q' - 2qq' - 2ρ√(q(1 - q)q'(1 - q')), as
        far as two systems of these accuracies can be so much alike, or unlike.

        Examples
        --------
        >>> study = study_of(StudyDesign(accuracy=0.95))
        >>> round(study.discordance(0.0), 4), round(study.discordance(-0.1), 4), round(study.discordance(0.05), 4)
        (0.095, 0.185, 0.05)
        """
        given, q, gap = self.design.discordance, self.design.accuracy, effect / self.design.unit
        rate, most = given, 1.0
        if q is not None:
            other = q + gap
            if not -ROUNDING <= other <= 1 + ROUNDING:
                raise OutscoreError(
                    f"`accuracy` is {q:g} and the effect {gap:+g}.",
                    "Both systems' accuracies must lie between 0 and 1.",
                    parameter="accuracy",
                )
            other = min(max(other, 0.0), 1.0)
            most = min(q + other, 2 - q - other)
            if rate is None:
                alike = 2 * self.design.correlation * math.sqrt(q * (1 - q) * other * (1 - other))
                return min(max(q + other - 2 * q * other - alike, abs(other - q)), most)
        assert rate is not None
        if rate > most * (1 + ROUNDING):
            raise OutscoreError(
                f"`discordance` is {rate:g}, but accuracies of {q:g} and {(q or 0.0) + gap:g} allow at most {most:.6g}.",
                "Check the two numbers.",
                parameter="discordance",
            )
        if abs(gap) > rate * (1 + ROUNDING):
            raise OutscoreError(
                f"`discordance` is {rate:.4g}, less than the effect {abs(gap):.4g}.",
                "Accuracies cannot differ by more than the share of items on which the systems differ.",
                parameter="discordance",
            )
        return rate

    def checked_power(self, target: float) -> float:
        """A power that can be asked for."""
        alpha = self.design.alpha
        if not alpha < target < 1:
            reason = f"no more than alpha ({alpha:g}), which needs no items"
            if target >= 1:
                reason = "certainty would need infinitely many items"
            raise OutscoreError(
                f"`power` is {target:g}: {reason}.", "Give a number between alpha and 1, such as 0.8.", parameter="power"
            )
        return target

    def power(self, n: float, effect: float) -> float:
        """Power at n items if the true difference is `effect`."""
        away = self._towards(effect)
        if self.method == "exact":
            worth, share = math.floor(n / self.design.design_effect * (1 + 1e-12)), away / self.design.unit
            return mcnemar_power(worth, share, self.discordance(effect), self.design.alpha, self._turned_side)
        if self.method == "permutation":
            return flip_power(self._whole_units(n), self._unit_shift(effect), self.design.alpha, self._turned_side)
        if self.method == "normal":
            return self._normal_power(n, effect)
        self._require_two_units(n)
        return self._t_power(n, effect)

    def sample_size(self, effect: float, target: float) -> float:
        """Items for a true difference, as the equation says."""
        away = self._checked_away(effect)
        # Every other test needs more than the formula, which says when that is out of reach.
        formula = self._closed_form(effect, target)
        if self.method == "exact":
            pairs, share = formula / self.design.design_effect, away / self.design.unit
            rate, alpha = self.discordance(effect), self.design.alpha
            return mcnemar_sample_size(share, rate, target, alpha, self._turned_side, pairs) * self.design.design_effect
        if self.method == "permutation" and formula < FEW_UNITS * self.design.cluster_size:
            units = self._flipped_units(effect, target, formula)
            if units is not None:
                return units * self.design.cluster_size
        if self.method == "normal":
            return formula
        return root_of(lambda n: self._t_power(n, effect), target, 2.0 * self.design.cluster_size)

    def detectable_effect(self, n: float, target: float) -> float:
        """How far from the tested difference n items detect a true one: the less favourable direction that is possible."""
        found = [size for size in self.directions(n, target).values() if size is not None]
        if found:
            return max(found)
        if self.design.basis != "discordance":
            raise OutscoreError(
                f"With n = {n:,.10g} no difference reaches the power asked for: the clusters differ too much in size.",
                "Plan for more clusters, or for clusters of a similar size.",
                parameter="n",
            )
        if self.design.discordance is None:
            known, cause = f"accuracy {self.design.accuracy:.4g}", "if the other system were always right, or never"
        else:
            known = f"discordance {self.design.discordance:.4g}"
            cause = "if one system won every item they differ on"
        raise OutscoreError(
            f"With n = {n:,.10g} and {known} no difference reaches a power of {target:g}.",
            f"Not even {cause}: more items are needed.",
        )

    def directions(self, n: float, target: float) -> dict[Direction, float | None]:
        """How far from the tested difference a better and a worse system is detected; None where none can be.

        Examples
        --------
        >>> study = study_of(StudyDesign(accuracy=0.95))
        >>> sizes = study.directions(100, 0.8)
        >>> round(sizes["worse"], 4), sizes["better"]
        (0.1326, None)
        """
        least, size, units = self.design.min_units, self.design.cluster_size, self._whole_units(n)
        if self.method == "permutation" and units < least:
            count, unit = (f"{n:,.10g} items", "items") if size == 1 else (f"{units:,} clusters", "clusters")
            raise OutscoreError(
                f"With {count} the permutation test cannot reach p <= {self.design.alpha:g}, however large the difference.",
                f"Plan for at least {least} {unit}.",
                parameter="n",
            )
        sides: dict[Direction, int] = {"better": 1, "worse": -1}
        if self.design.alternative != "two-sided":
            sides = {"better": 1} if self.design.alternative == "greater" else {"worse": -1}
        if self.design.accuracy is None and not self.design.delta:
            # Both directions are alike.
            return dict.fromkeys(sides, self._detected(n, target, next(iter(sides.values()))))
        return {name: self._detected(n, target, sign) for name, sign in sides.items()}

    def _detected(self, n: float, target: float, sign: int) -> float | None:
        start, room = self.design.delta, self._room(sign)

        def power(away: float) -> float:
            return self.power(n, start + sign * away)

        if room is not None and (room <= 0 or power(room) < target):
            return None
        if room is not None:
            return root_of(power, target, 0.0, room)
        unit = self.unit_sd(0.0)
        # Flips of clusters of unequal size: however large the difference, their sums differ.
        if self._unevenness() and power(VAST * unit) < target:
            return None
        return unit * root_of(lambda shift: power(shift * unit), target, 0.0)

    def _room(self, sign: int) -> float | None:
        """How far a true difference can lie from the tested one; None where nothing limits it."""
        if self.design.basis != "discordance":
            return None
        q, rate = self.design.accuracy, self.design.discordance
        room = [] if rate is None else [rate]
        if q is not None:
            room.append(1 - q if sign > 0 else q)
        if q is not None and rate is not None:
            # A share of items on which one system alone is right leaves so much room for accuracies.
            room.append(2 - 2 * q - rate if sign > 0 else 2 * q - rate)
        return min(room) * self.design.unit - sign * self.design.delta

    def _towards(self, effect: float) -> float:
        """How far the effect lies from the tested difference, positive where a one-sided test looks."""
        if not math.isfinite(effect):
            raise OutscoreError(f"`effect` is {effect}.", "Give a finite number.", parameter="effect")
        away = effect - self.design.delta
        return {"two-sided": abs(away), "greater": away, "less": -away}[self.design.alternative]

    def _checked_away(self, effect: float) -> float:
        """How far an effect lies from the tested difference, if a test that looks there can find it."""
        away = self._towards(effect)
        if away <= 0:
            reason = "points away from the alternative" if away else "is 0, and no number of items detects no difference"
            raise OutscoreError(f"`effect` {reason}.", "Give the smallest difference that matters, positive when A is better.")
        return away

    @property
    def _connor(self) -> bool:
        """Whether the variance of discordant pairs under the null hypothesis is known, as it is item by item."""
        return self.design.basis == "discordance" and self.method != "permutation" and not self.design.delta

    @property
    def _turned_side(self) -> Alternative:
        # Effects are turned already: a positive one is what a one-sided test looks for.
        return "two-sided" if self.design.alternative == "two-sided" else "greater"

    def _whole_units(self, n: float) -> int:
        return math.floor(n / self.design.cluster_size * (1 + 1e-12))

    def _flipped_units(self, effect: float, target: float, formula: float) -> int | None:
        """The fewest units from which on flips of their signs have the power; None where a level is too small to tell."""
        shift = self._unit_shift(effect)

        def enough(units: int) -> bool:
            return flip_power(units, shift, self.design.alpha, self._turned_side) >= target

        high = max(math.ceil(formula / self.design.cluster_size), self.design.min_units) + 16
        while not enough(high):
            high = 2 * high
            if high > MANY_UNITS:
                return None
        return next(units for units in range(high, 0, -1) if not enough(units)) + 1

    def unit_sd(self, effect: float) -> float:
        """Standard deviation of what one unit adds to the mean, in units of the mean cluster size, apart from unequal sizes."""
        sd = self.sd
        if self.design.basis == "discordance":
            sd = math.sqrt(max(0.0, self.discordance(effect) * self.design.unit**2 - effect**2))
        return sd * math.sqrt(self.design.design_effect / self.design.cluster_size)

    def _unevenness(self) -> float:
        """Variation of cluster sizes, which spreads the sums that are flipped: a large cluster adds more effect."""
        # What a pilot showed holds the sizes of its clusters already.
        return self.design.cluster_cv if self.method == "permutation" and self.design.observed_effect is None else 0.0

    def _unit_shift(self, effect: float) -> float:
        """How far the mean of what a unit adds lies from the tested one, over its standard deviation."""
        away = self._towards(effect)
        spread = math.hypot(self.unit_sd(effect), away * self._unevenness())
        if not spread:
            return math.copysign(math.inf, away) if away else 0.0
        return away / spread

    def _t_power(self, n: float, effect: float) -> float:
        """Noncentral t with one degree of freedom less than there are independent units."""
        two_sided, units = self.design.alternative == "two-sided", n / self.design.cluster_size
        return noncentral_t_power(units - 1, self._unit_shift(effect) * math.sqrt(units), self.side, two_sided=two_sided)

    def _normal_power(self, n: float, effect: float) -> float:
        """The power of the closed formula, which counts rejections in the right direction only."""
        z = -normal_quantile(self.side)
        if self._connor:
            away, rate = self._towards(effect) / self.design.unit, self.discordance(effect)
            spread = math.sqrt(max(0.0, rate - away**2))
            gap = away * math.sqrt(n / self.design.design_effect) - z * math.sqrt(rate)
            return normal(gap / spread) if spread else float(gap >= 0)
        return normal(self._unit_shift(effect) * math.sqrt(n / self.design.cluster_size) - z)

    def _closed_form(self, effect: float, target: float) -> float:
        """Miller (2024) for means; Connor (1987, Biometrics 43, eq. 3) for discordant pairs."""
        z, z_beta = -normal_quantile(self.side), normal_quantile(target)
        if self._connor:
            away, rate = self._towards(effect) / self.design.unit, self.discordance(effect)
            root = z * math.sqrt(rate) + z_beta * math.sqrt(max(0.0, rate - away**2))
            needed = (root / away) * (root / away) * self.design.design_effect
        else:
            root = (z + z_beta) / self._unit_shift(effect)
            needed = root * root * self.design.cluster_size
        if needed > MOST_ITEMS:
            raise OutscoreError(f"More than {MOST_ITEMS:,} items would be needed.", "Plan for a larger effect.")
        return needed

    def _require_two_units(self, n: float) -> None:
        if n < 2 * self.design.cluster_size:
            unit = "items" if self.design.cluster_size == 1 else f"clusters of {self.design.cluster_size:g}"
            raise OutscoreError(f"`n` is {n:,.10g}: a t test needs at least two {unit}.", "Plan for more items.", parameter="n")


def study_of(design: StudyDesign) -> Study:
    """Check a design and settle its equation."""
    _check(design)
    allowed = METHODS[design.basis]
    if design.method != "auto" and design.method not in allowed:
        raise OutscoreError(
            f"`method` is {design.method!r}.", f"Here it may be one of: auto, {', '.join(allowed)}.", parameter="method"
        )
    return Study(
        design,
        method=allowed[0] if design.method == "auto" else cast("Method", design.method),
        # Repeats average out what differs between runs (Miller, 2024, section 3), never what differs between
        # items.
        sd=1.0 if design.sd is None else math.hypot(design.sd, design.within / math.sqrt(design.repeats)),
    )


def _check(design: StudyDesign) -> None:
    """Refuse a design that makes no sense, naming the number that is wrong."""
    sd, discordance = design.sd, design.discordance
    if sd is not None and discordance is not None:
        raise OutscoreError("Both `sd` and `discordance` were given.", "Give `discordance` for right-or-wrong items only.")
    check_alternative(design.alternative)
    check_level("alpha", design.alpha)
    if sd is not None:
        fine = 0 <= sd < math.inf and (sd > 0 or design.within > 0)
        _require("sd", sd, fine, "Give a positive standard deviation of the items' differences.")
    if design.accuracy is not None:
        if sd is not None:
            raise OutscoreError("Both `sd` and `accuracy` were given.", "Give `accuracy` for right-or-wrong items only.")
        _require("accuracy", design.accuracy, 0 <= design.accuracy <= 1, "Both systems' accuracies must lie between 0 and 1.")
    _require("correlation", design.correlation, -1 <= design.correlation <= 1, "Give a correlation between -1 and 1.")
    if discordance is not None:
        # Systems that never differ may pass a gate.
        fine = 0 < discordance <= 1 or (not discordance and design.margin is not None)
        _require("discordance", discordance, fine, "Give the share of items that one system alone gets right.")
    if design.margin is not None:
        _check_margin(design, design.margin)
    _require(
        "within", design.within, 0 <= design.within < math.inf, "Give a standard deviation, or 0 for runs that never differ."
    )
    whole = design.repeats >= 1 and int(design.repeats) == design.repeats
    _require("repeats", design.repeats, whole, "Give a whole number of runs from 1 up.")
    clusters = 1 <= design.cluster_size < math.inf
    _require("cluster_size", design.cluster_size, clusters, "Give the number of items per cluster, 1 or more.")
    _require("icc", design.icc, 0 <= design.icc <= 1, "Give a correlation between 0 and 1.")
    if design.repeats > 1 and not design.within:
        raise OutscoreError(
            f"`repeats` is {design.repeats}, but nothing says how much runs on one item differ.",
            "Give `within`, the sd of the difference between two single runs on one item.",
            parameter="repeats",
        )
    if design.within and sd is None:
        raise OutscoreError(
            "`within` was given without `sd`.", "Repeats turn every item's score into a mean: give the sd of the differences."
        )


def _check_margin(design: StudyDesign, margin: float) -> None:
    """Refuse a margin that is none, or that no loss can exceed."""
    _require("margin", margin, 0 < margin < math.inf, "Give a positive number, in units of the score.")
    if design.basis == "standardised":
        raise OutscoreError(
            "A margin needs the spread in units of the scores.", "Give --sd, --discordance or --accuracy.", parameter="sd"
        )
    most = design.largest_loss
    if most is not None:
        _require("margin", margin, margin < most, f"Scores allow no loss beyond {most:g}: give less.")


def _require(name: str, value: float, fine: bool, hint: str) -> None:  # noqa: FBT001 - the condition is the point
    if not fine:
        raise OutscoreError(f"`{name}` is {value:,.10g}.", hint, parameter=name)


def checked_n(n: float) -> float:
    """A number of items that makes sense."""
    _require("n", n, 1 <= n <= MOST_ITEMS, f"Give a number of items from 1 to {MOST_ITEMS:,}.")
    return float(n)


def root_of(function: Callable[[float], float], target: float, low: float, high: float | None = None) -> float:
    """Where an increasing function reaches the target, to the last digit; `low` itself where it is there already."""
    if function(low) >= target:
        return low
    if high is None:
        high = 2 * low + 1
        while function(high) < target:
            low, high = high, 2 * high
    low, high = narrowed(function, target, low, high)
    while low < (middle := (low + high) / 2) < high:
        low, high = (low, middle) if function(middle) >= target else (middle, high)
    return high


def flip_power(units: int, shift: float, alpha: float, alternative: Alternative) -> float:
    """Chance that sign flips of normal differences reject; `shift` is their mean over their sd, positive as the test looks.

    Examples
    --------
    >>> [round(flip_power(n, 1.0, 0.05, "two-sided"), 3) for n in (5, 6, 8, 20)]
    [0.0, 0.355, 0.653, 0.989]
    """
    tails = 2 if alternative == "two-sided" else 1
    # Beyond sixty units no double tells the levels apart.
    steps = min(units, 60)
    extreme = math.floor(alpha / tails * 2.0**steps * (1 + 1e-12))
    if extreme < 1:
        return 0.0
    if shift > WIDTH:
        return 1.0
    if extreme <= NAMED:
        wrong = _named(units, -shift, extreme) if tails == 2 else 0.0
        return min(1.0, _named(units, shift, extreme) + wrong)

    def like_t(patterns: int) -> float:
        return noncentral_t_power(units - 1, shift * math.sqrt(units), patterns / 2.0**steps, two_sided=tails == 2)

    smooth = like_t(extreme)
    if extreme >= FADED or shift <= 0:
        return smooth
    cost = _quantile(like_t(NAMED)) - _quantile(_named(units, shift, NAMED))
    return normal(_quantile(smooth) - max(0.0, cost) * (NAMED / extreme) ** FADING)


def _quantile(chance: float) -> float:
    return normal_quantile(min(max(chance, 1e-15), 1 - 1e-15))


def _named(units: int, shift: float, patterns: int) -> float:
    """P(the signs are among the most extreme patterns): all plus; a minus at the smallest size; at the second smallest."""
    chance = normal(shift) ** units
    if patterns == 1:
        return chance
    points, weights = _nodes()
    reach = WIDTH + abs(shift)
    size = reach * (points + 1) / 2
    # A minus of size u, and all others plus and larger; or one of them smaller.
    density = np.exp(-((size + shift) ** 2) / 2) / math.sqrt(2 * math.pi) * weights * reach / 2
    larger = np.array([normal(shift - s) for s in size.tolist()])
    smaller = normal(shift) - larger
    chance += units * float(density @ larger ** (units - 1))
    if patterns == NAMED:
        chance += units * (units - 1) * float(density @ (smaller * larger ** (units - 2)))
    return chance


@functools.cache
def _nodes() -> tuple[Array, Array]:
    """Gauss and Legendre's points and weights, which are dear to find."""
    return np.polynomial.legendre.leggauss(NODES)


def noncentral_t_power(df: float, noncentrality: float, side: float, *, two_sided: bool) -> float:
    """Power of a t test whose tails hold `side` each; a negative noncentrality points away from the side tested."""
    critical, noncentrality = -student_quantile(df, side), max(-VAST, min(VAST, noncentrality))
    if noncentrality < 0:
        return noncentral_student(df, -noncentrality, -critical)
    right = 1 - noncentral_student(df, noncentrality, critical)
    wrong = noncentral_student(df, noncentrality, -critical) if two_sided else 0.0
    return min(1.0, right + wrong)
