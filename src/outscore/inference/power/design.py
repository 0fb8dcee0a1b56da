"""A planned study: its design checked, and the one equation that ties n, effect and power together, solved for each of them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, cast

from outscore.core.errors import OutscoreError
from outscore.core.levels import check_level
from outscore.inference.base.sign_flips import Alternative
from outscore.inference.power.binary import mcnemar_power, mcnemar_sample_size
from outscore.results.plan import StudyDesign

__all__ = ["MAX_ITEMS", "Study", "checked_n", "study_of"]

Method = Literal["normal", "t", "exact"]
METHODS: dict[str, tuple[Method, ...]] = {
    # The first of each is what "auto" means.
    "sd": ("normal", "t"),
    "standardised": ("t", "normal"),
    "discordance": ("exact", "normal"),
}
MAX_ITEMS = 10**12
"""No test set is larger, and beyond it distribution functions run out of digits."""
SIDES = ("two-sided", "greater", "less")


@dataclass(frozen=True)
class Study:
    """A design whose equation is settled; effects here are positive in the direction of the test.

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

    @property
    def discordance(self) -> float:
        """The rate of discordance; only a design that has one asks for it."""
        assert self.design.discordance is not None
        return self.design.discordance

    def towards(self, effect: float) -> float:
        """The effect as the test sees it; a rate of discordance must leave room for it."""
        if not math.isfinite(effect):
            raise OutscoreError(f"`effect` is {effect}.", "Give a finite number.", parameter="effect")
        if self.design.basis == "discordance" and abs(effect) > self.discordance:
            raise OutscoreError(
                f"`discordance` is {self.discordance:.4g}, less than the effect {abs(effect):.4g}.",
                "Accuracies cannot differ by more than the share of items on which the systems differ.",
                parameter="discordance",
            )
        return {"two-sided": abs(effect), "greater": effect, "less": -effect}[self.design.alternative]

    def checked_power(self, target: float) -> float:
        """A power that can be asked for."""
        alpha = self.design.alpha
        if not alpha < target < 1:
            found = (
                "certainty needs endlessly many items"
                if target >= 1
                else f"no more than alpha ({alpha:g}), which needs no items"
            )
            raise OutscoreError(
                f"`power` is {target:g}: {found}.", "Give a number between alpha and 1, such as 0.8.", parameter="power"
            )
        return target

    def power(self, n: float, effect: float) -> float:
        """Power at n items."""
        import scipy.special as sp

        if self.method == "exact":
            worth = math.floor(n / self.design.design_effect * (1 + 1e-12))
            return mcnemar_power(worth, effect, self.discordance, self.design.alpha, self._exact_side)
        if self.method == "t":
            self._require_two_units(n)
            return self._t_power(n, self._noncentrality(n, effect))
        z = -float(sp.ndtri(self.side))
        if self.design.basis == "discordance":
            spread = math.sqrt(self.discordance - effect**2)
            gap = effect * math.sqrt(n / self.design.design_effect) - z * math.sqrt(self.discordance)
            return float(sp.ndtr(gap / spread)) if spread else float(gap >= 0)
        return float(sp.ndtr(self._noncentrality(n, effect) - z))

    def sample_size(self, effect: float, target: float) -> float:
        """Items for an effect in the direction of the test."""
        if effect <= 0:
            reason = "points away from the alternative" if effect else "is 0, and no number of items detects no difference"
            raise OutscoreError(f"`effect` {reason}.", "Give the smallest difference that matters, positive when A is better.")
        if self.method == "exact":
            guess = self._closed_form(effect, target) / self.design.design_effect
            found = mcnemar_sample_size(effect, self.discordance, target, self.design.alpha, self._exact_side, guess)
            return found * self.design.design_effect
        if self.method == "normal":
            return self._closed_form(effect, target)
        # The t test needs more than the formula, which says when that is out of reach.
        self._closed_form(effect, target)
        low = 2.0 * self.design.cluster_size
        return _root(lambda n: self._t_power(n, self._noncentrality(n, effect)), target, low)

    def detectable_effect(self, n: float, target: float) -> float:
        """The positive effect that n items detect."""
        import scipy.special as sp

        if self.design.basis == "discordance":
            if self.power(n, self.discordance) < target:
                raise OutscoreError(
                    f"With n = {n:,.10g} and discordance {self.discordance:.4g} no difference reaches a power of {target:g}.",
                    "Not even if one system won every item they differ on: more items are needed.",
                )
            return _root(lambda effect: self.power(n, effect), target, 0.0, self.discordance)
        if self.method == "t":
            self._require_two_units(n)
            shift = _root(lambda nc: self._t_power(n, nc), target, 0.0)
        else:
            shift = float(sp.ndtri(target) - sp.ndtri(self.side))
        return shift / self._noncentrality(n, 1.0)

    @property
    def _exact_side(self) -> Alternative:
        # Effects are turned already: a positive one is what a one-sided test looks for.
        return "two-sided" if self.design.alternative == "two-sided" else "greater"

    def _noncentrality(self, n: float, effect: float) -> float:
        return effect * math.sqrt(n / self.design.design_effect) / self.sd

    def _t_power(self, n: float, noncentrality: float) -> float:
        """Noncentral t with one degree of freedom less than there are independent units."""
        import scipy.special as sp

        df = n / self.design.cluster_size - 1
        critical = -float(sp.stdtrit(df, self.side))
        if noncentrality < 0:
            return _wrong_tail(df, -noncentrality, critical)
        right = 1 - float(sp.nctdtr(df, noncentrality, critical))
        wrong = _wrong_tail(df, noncentrality, critical) if self.design.alternative == "two-sided" else 0.0
        return min(1.0, right + wrong)

    def _closed_form(self, effect: float, target: float) -> float:
        """Miller (2024) for means; Connor (1987, Biometrics 43, eq. 3) for discordant pairs."""
        import scipy.special as sp

        z, z_beta = -float(sp.ndtri(self.side)), float(sp.ndtri(target))
        if self.design.basis == "discordance":
            root = z * math.sqrt(self.discordance) + z_beta * math.sqrt(self.discordance - effect**2)
        else:
            root = (z + z_beta) * self.sd
        needed = (root / effect) * (root / effect) * self.design.design_effect
        if needed > MAX_ITEMS:
            raise OutscoreError(f"More than {MAX_ITEMS:,} items would be needed.", "Look for a larger effect.")
        return needed

    def _require_two_units(self, n: float) -> None:
        if n < 2 * self.design.cluster_size:
            unit = "items" if self.design.cluster_size == 1 else f"clusters of {self.design.cluster_size:g}"
            raise OutscoreError(f"`n` is {n:,.10g}: a t test needs two {unit} at least.", "Plan for more items.", parameter="n")


def _wrong_tail(df: float, noncentrality: float, critical: float) -> float:
    """P(T ≤ -critical) of a noncentral t that points the other way."""
    import scipy.special as sp

    value = float(sp.nctdtr(df, noncentrality, -critical))
    if not math.isnan(value):
        return value
    # scipy has no digits left where this tail all but vanishes; Johnson and Welch's (1940) approximation has.
    return float(sp.ndtr(-(critical * (1 - 0.25 / df) + noncentrality) / math.sqrt(1 + critical**2 / (2 * df))))


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
    """Refuse a design that is no design, by the name of the number that is wrong."""
    sd, discordance = design.sd, design.discordance
    if sd is not None and discordance is not None:
        raise OutscoreError("Both `sd` and `discordance` were given.", "Give `discordance` for right-or-wrong items only.")
    if design.alternative not in SIDES:
        raise OutscoreError(
            f"`alternative` is {design.alternative!r}.", f"Choose one of: {', '.join(SIDES)}.", parameter="alternative"
        )
    check_level("alpha", design.alpha)
    if sd is not None:
        fine = 0 <= sd < math.inf and (sd > 0 or design.within > 0)
        _require("sd", sd, fine, "Give a positive standard deviation of the items' differences.")
    if discordance is not None:
        _require("discordance", discordance, 0 < discordance <= 1, "Give the share of items that one system alone gets right.")
    _require(
        "within", design.within, 0 <= design.within < math.inf, "Give a standard deviation, or 0 for runs that never differ."
    )
    whole = design.repeats >= 1 and int(design.repeats) == design.repeats
    _require("repeats", design.repeats, whole, "Give a whole number of runs from 1 up.")
    clusters = 1 <= design.cluster_size < math.inf
    _require("cluster_size", design.cluster_size, clusters, "Give the number of items per cluster, 1 or more.")
    _require("icc", design.icc, 0 <= design.icc <= 1, "Give a correlation between 0 and 1.")
    _check_repeats(sd, design.repeats, design.within)


def _check_repeats(sd: float | None, repeats: int, within: float) -> None:
    if repeats > 1 and not within:
        raise OutscoreError(
            f"`repeats` is {repeats}, but nothing says how much runs on one item differ.",
            "Give `within`, the sd of the difference between two single runs on one item.",
            parameter="repeats",
        )
    if within and sd is None:
        raise OutscoreError(
            "`within` was given without `sd`.", "Repeats turn every item's score into a mean: give the sd of the differences."
        )


def _require(name: str, value: float, fine: bool, hint: str) -> None:  # noqa: FBT001 - the condition is the point
    if not fine:
        raise OutscoreError(f"`{name}` is {value:,.10g}.", hint, parameter=name)


def checked_n(n: float) -> float:
    """A number of items that makes sense."""
    _require("n", n, 1 <= n <= MAX_ITEMS, f"Give a number of items from 1 to {MAX_ITEMS:,}.")
    return float(n)


def _root(function: Callable[[float], float], target: float, low: float, high: float | None = None) -> float:
    """Where an increasing function reaches the target, to the last digit; `low` itself where it is there already."""
    if function(low) >= target:
        return low
    if high is None:
        high = 2 * low + 1
        while function(high) < target:
            low, high = high, 2 * high
    while low < (middle := (low + high) / 2) < high:
        low, high = (low, middle) if function(middle) >= target else (middle, high)
    return high
