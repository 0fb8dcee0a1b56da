"""A planned study: its design checked, and the one equation that ties n, effect and power together, solved for each of them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, cast

from outscore.errors import OutscoreError
from outscore.inference.flipped import Alternative
from outscore.inference.power_binary import mcnemar_power, mcnemar_sample_size

__all__ = ["Study", "checked_n", "study_of"]

Method = Literal["normal", "t", "exact"]
METHODS: dict[str, tuple[Method, ...]] = {
    # The first of each is what "auto" means.
    "sd": ("normal", "t"),
    "standardised": ("t", "normal"),
    "discordance": ("exact", "normal"),
}


@dataclass(frozen=True)
class Study:
    """A design with everything but n, effect and power; effects here are positive in the direction of the test."""

    basis: Literal["sd", "discordance", "standardised"]
    method: Method
    sd: float
    discordance: float
    alpha: float
    alternative: Alternative
    cluster_size: float
    icc: float

    @property
    def design_effect(self) -> float:
        """How many items in clusters are worth one item alone (Kish, 1965)."""
        return 1 + (self.cluster_size - 1) * self.icc

    @property
    def side(self) -> float:
        """The level of the tail that the effect points to."""
        return self.alpha / 2 if self.alternative == "two-sided" else self.alpha

    def towards(self, effect: float) -> float:
        """The effect as the test sees it; a rate of discordance must leave room for it."""
        if not math.isfinite(effect):
            raise OutscoreError(f"`effect` is {effect}.", "Give a finite number.")
        if self.basis == "discordance" and abs(effect) > self.discordance:
            raise OutscoreError(
                f"`discordance` is {self.discordance:g}, less than the effect {abs(effect):g}.",
                "Accuracies cannot differ by more than the share of items on which the systems differ.",
            )
        return abs(effect) if self.alternative == "two-sided" else effect if self.alternative == "greater" else -effect

    def checked_power(self, target: float) -> float:
        """A power that can be asked for."""
        if not self.alpha < target < 1:
            found = "certainty needs endlessly many items" if target >= 1 else "no more than alpha, which needs no items"
            raise OutscoreError(f"`power` is {target:g}: {found}.", "Give a number between alpha and 1, such as 0.8.")
        return target

    def power(self, n: float, effect: float) -> float:
        """Power at n items."""
        import scipy.special as sp

        if self.method == "exact":
            worth = math.floor(n / self.design_effect * (1 + 1e-12))
            return mcnemar_power(worth, effect, self.discordance, self.alpha, self._exact_side)
        if self.method == "t":
            self._require_two_units(n)
            return self._t_power(n, self._noncentrality(n, effect))
        z = -float(sp.ndtri(self.side))
        if self.basis == "discordance":
            spread = math.sqrt(self.discordance - effect**2)
            gap = effect * math.sqrt(n / self.design_effect) - z * math.sqrt(self.discordance)
            return float(sp.ndtr(gap / spread)) if spread else float(gap >= 0)
        return float(sp.ndtr(self._noncentrality(n, effect) - z))

    def sample_size(self, effect: float, target: float) -> float:
        """Items for an effect in the direction of the test."""
        if effect <= 0:
            reason = "points away from the alternative" if effect else "is 0, and no number of items detects no difference"
            raise OutscoreError(f"`effect` {reason}.", "Give the smallest difference that matters, positive when A is better.")
        if self.method == "exact":
            guess = self._closed_form(effect, target) / self.design_effect
            found = mcnemar_sample_size(effect, self.discordance, target, self.alpha, self._exact_side, guess)
            return found * self.design_effect
        if self.method == "normal":
            return self._closed_form(effect, target)
        low = 2.0 * self.cluster_size
        return _root(lambda n: self._t_power(n, self._noncentrality(n, effect)), target, low)

    def detectable_effect(self, n: float, target: float) -> float:
        """The positive effect that n items detect."""
        import scipy.special as sp

        if self.basis == "discordance":
            if self.power(n, self.discordance) < target:
                raise OutscoreError(
                    f"With n = {n:g} and discordance {self.discordance:g} no difference reaches a power of {target:g}.",
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
        return "two-sided" if self.alternative == "two-sided" else "greater"

    def _noncentrality(self, n: float, effect: float) -> float:
        return effect * math.sqrt(n / self.design_effect) / self.sd

    def _t_power(self, n: float, noncentrality: float) -> float:
        """Noncentral t with one degree of freedom less than there are independent units."""
        import scipy.special as sp

        df = n / self.cluster_size - 1
        critical = -float(sp.stdtrit(df, self.side))
        if noncentrality < 0:
            return _wrong_tail(df, -noncentrality, critical)
        right = 1 - float(sp.nctdtr(df, noncentrality, critical))
        wrong = _wrong_tail(df, noncentrality, critical) if self.alternative == "two-sided" else 0.0
        return min(1.0, right + wrong)

    def _closed_form(self, effect: float, target: float) -> float:
        """Miller (2024) for means; Connor (1987, Biometrics 43, eq. 3) for discordant pairs."""
        import scipy.special as sp

        z, z_beta = -float(sp.ndtri(self.side)), float(sp.ndtri(target))
        if self.basis == "discordance":
            root = z * math.sqrt(self.discordance) + z_beta * math.sqrt(self.discordance - effect**2)
            return (root / effect) ** 2 * self.design_effect
        return ((z + z_beta) * self.sd / effect) ** 2 * self.design_effect

    def _require_two_units(self, n: float) -> None:
        if n < 2 * self.cluster_size:
            unit = "items" if self.cluster_size == 1 else f"clusters of {self.cluster_size:g}"
            raise OutscoreError(f"`n` is {n:g}: a t test needs two {unit} at least.", "Plan for more items.")


def _wrong_tail(df: float, noncentrality: float, critical: float) -> float:
    """P(T ≤ -critical) of a noncentral t that points the other way."""
    import scipy.special as sp

    value = float(sp.nctdtr(df, noncentrality, -critical))
    if not math.isnan(value):
        return value
    # scipy has no digits left where this tail all but vanishes; Johnson and Welch's (1940) approximation has.
    return float(sp.ndtr(-(critical * (1 - 0.25 / df) + noncentrality) / math.sqrt(1 + critical**2 / (2 * df))))


def study_of(
    sd: float | None,
    discordance: float | None,
    alpha: float = 0.05,
    alternative: str = "two-sided",
    repeats: int = 1,
    cluster_size: float = 1,
    icc: float = 0.0,
    within: float = 0.0,
    method: str = "auto",
) -> Study:
    """Check a design and settle its equation."""
    if sd is not None and discordance is not None:
        raise OutscoreError("Both `sd` and `discordance` were given.", "Give `discordance` for right-or-wrong items only.")
    _between("alpha", alpha, 0 < alpha < 1, "Give a number between 0 and 1, such as 0.05.")
    if alternative not in ("two-sided", "greater", "less"):
        raise OutscoreError(f"`alternative` is {alternative!r}.", "Choose one of: two-sided, greater, less.")
    if sd is not None:
        _between(
            "sd",
            sd,
            0 <= sd < math.inf and (sd > 0 or within > 0),
            "Give a positive standard deviation of the items' differences.",
        )
    if discordance is not None:
        _between("discordance", discordance, 0 < discordance <= 1, "Give the share of items that one system alone gets right.")
    _between("within", within, 0 <= within < math.inf, "Give a standard deviation, or 0 for runs that never differ.")
    _between("repeats", repeats, repeats >= 1 and int(repeats) == repeats, "Give a whole number of runs from 1 up.")
    _between("cluster_size", cluster_size, 1 <= cluster_size < math.inf, "Give the number of items per cluster, 1 or more.")
    _between("icc", icc, 0 <= icc <= 1, "Give a correlation between 0 and 1.")
    _check_repeats(sd, repeats, within)
    basis: Literal["sd", "discordance", "standardised"] = (
        "discordance" if discordance is not None else "sd" if sd is not None else "standardised"
    )
    allowed = METHODS[basis]
    if method != "auto" and method not in allowed:
        raise OutscoreError(f"`method` is {method!r}.", f"Here it may be one of: auto, {', '.join(allowed)}.")
    return Study(
        basis=basis,
        method=allowed[0] if method == "auto" else cast("Method", method),
        sd=1.0 if sd is None else math.hypot(sd, within / math.sqrt(repeats)),
        discordance=0.0 if discordance is None else float(discordance),
        alpha=float(alpha),
        alternative=cast("Alternative", alternative),
        cluster_size=float(cluster_size),
        icc=float(icc),
    )


def _check_repeats(sd: float | None, repeats: int, within: float) -> None:
    if repeats > 1 and not within:
        raise OutscoreError(
            f"`repeats` is {repeats}, but nothing says how much runs on one item differ.",
            "Give `within`, the sd of the difference between two single runs on one item.",
        )
    if within and sd is None:
        raise OutscoreError(
            "`within` was given without `sd`.", "Repeats turn every item's score into a mean: give the sd of the differences."
        )


def _between(name: str, value: float, fine: bool, hint: str) -> None:  # noqa: FBT001 - the condition is the point
    if not fine:
        raise OutscoreError(f"`{name}` is {value:g}.", hint)


def checked_n(n: float) -> float:
    """A number of items that makes sense."""
    _between("n", n, 1 <= n < math.inf, "Give a number of items, 1 or more.")
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
