r"""How many items it takes until a gate decides: whether a candidate is worse, or not worse by more than a margin.

A gate passes by the rules of `inference.shifted`, and its power is that of the same tests, at a true difference:

right-or-wrong items (`Shares`)
    Tango's score (1998), summed over how many items one system alone may get right, and no pass before a loss of the margin
    would have shown: outputs that are identical on every item pass from n = log α / log(1 - m) on, 149 for m = .02 and α = .05.
scores with a known range (`Bounded`)
    The bound of a bounded mean on items like these, whose mean lies lower by what chance takes away with that power.

Everything else, and every failure, is the question of how many items a difference takes (`design`).

Different items for each system have no such equation here: the interval of level 1 - 2α decides, which holds exactly the
differences that neither one-sided test rejects. With w its half width and d the gap between the lead and what has to be
excluded, half widths shrink like 1/√n, so that items like these decide, with the power asked for, from

    n' = n (k w / d)²,   k = 1 + z_power/z_α

items in all.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.numeric import Array, distinct
from outscore.core.records import dataclass
from outscore.exact.bounded import log_p_of_mean
from outscore.inference.base import discordance
from outscore.inference.power.binary import last_crossing, log_binomial, near, times_log
from outscore.inference.power.design import Study, study_of
from outscore.laws import normal, normal_quantile
from outscore.results.plan import StudyDesign

MAX_ITEMS = 10**9
"""Nobody collects more items."""
SUMMED = 400
"""Beyond this variance of the number of discordant items the normal law of Tango's score is as good as the sum over them."""
LUCK = 9.0
"""No sample lies so many standard errors from the truth."""
FEW, CLOSE = 2_000, 1e-3
POINTS = 200
"""Items that stand for a normal law."""


@dataclass(frozen=True)
class Shares:
    """Right-or-wrong items: the share on which one system alone is right, and what being right is worth."""

    discordance: float
    unit: float = 1.0

    def power(self, n: float, effect: float, margin: float, alpha: float) -> float:
        """The chance that n items pass at a true difference.

        Examples
        --------
        >>> [round(Shares(0.05).power(n, 0.0, 0.02, 0.05), 4) for n in (148, 149, 1000)]
        [0.0, 0.2431, 0.8665]
        """
        size, margin = math.floor(n * (1 + 1e-12)), margin / self.unit
        if margin > 0 and size * math.log1p(-margin) > math.log(alpha):
            return 0.0
        share = min(max((self.discordance + effect / self.unit) / 2 / (self.discordance or 1.0), 0.0), 1.0)
        of_both = near(size, self.discordance)
        wins = np.arange(near(int(of_both[0]), share)[0], near(int(of_both[-1]), share)[-1] + 1)
        logs = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1.0, of_both[-1] + 1)))])
        mass = np.exp(log_binomial(size, of_both, self.discordance))
        losses = of_both[:, None] - wins
        possible = losses >= 0
        losses = np.where(possible, losses, 0)
        given = logs[of_both][:, None] - logs[wins] - logs[losses] + times_log(wins, share) + times_log(losses, 1 - share)
        z = discordance.tango_score(float(size), wins + 0.0, losses + 0.0, -margin, np)
        passes = possible & (z >= -normal_quantile(alpha))
        return float(min(1.0, mass @ (np.exp(given) * passes).sum(axis=1) / mass.sum()))

    def size(self, effect: float, margin: float, alpha: float, power: float) -> float | None:
        """The fewest items from which on a gate passes with the power; None where no number does.

        Examples
        --------
        >>> Shares(0.0).size(0.0, 0.02, 0.05, 0.8), Shares(0.35).size(-0.15, 0.05, 0.05, 0.8)
        (149, None)
        """
        share = margin / self.unit
        if effect + margin <= 0 or share >= 1:
            return None
        # To be better by some amount, a negative margin, is never shown by silence.
        least = math.ceil(math.log(alpha) / math.log1p(-share)) if share > 0 else 1
        guess = self._normal_items(effect, share, alpha, power)
        if guess is None or not self.discordance:
            return None if guess is None else max(least, math.ceil(guess - 1e-6))
        if guess * self.discordance * (1 - self.discordance) > SUMMED:
            return max(least, math.ceil(guess - 1e-6))
        return last_crossing(lambda n: self.power(n, effect, margin, alpha) >= power, guess, least, math.ceil(1 / abs(share)))

    def _normal_items(self, effect: float, share: float, alpha: float, power: float) -> float | None:
        """Where Tango's z of the expected items leaves room for chance with the power."""
        # What never varies is the same in every sample, and needs no room for chance.
        wanted = _z(1 - alpha) + (_z(power) if self.discordance else 0.0)
        wins, losses = ((self.discordance + turn * effect / self.unit) / 2 for turn in (1, -1))

        def decides(size: float) -> bool:
            return float(discordance.tango_score(size, size * wins, size * losses, -share, discordance.NUMBERS)) >= wanted

        low, high = 0.0, 1.0
        while not decides(high):
            low, high = high, 2 * high
            if high > MAX_ITEMS:
                return None
        while high - low > 1e-6 * high:
            middle = (low + high) / 2
            low, high = (low, middle) if decides(middle) else (middle, high)
        return high


@dataclass(frozen=True, eq=False)
class Bounded:
    """Scores of a known range: what units at hand add, more being better for the claim, and how much one item can lose.

    Clusters have `sizes`; `items` is how many there are in all.
    """

    x: Array
    worst: float
    items: int
    sizes: Array | None = None

    @classmethod
    def of(cls, x: Array, worst: float, items: int, sizes: Array) -> Bounded:
        """Units of these sizes, which say nothing where all are alike."""
        return cls(x / sizes[0], worst, items) if (sizes == sizes[0]).all() else cls(x, worst, items, sizes)

    @classmethod
    def normal(cls, sd: float, worst: float, cluster_size: float) -> Bounded:
        """Units of normal differences."""
        x = np.array([_z((k + 0.5) / POINTS) for k in range(POINTS)])
        return cls(sd * x / x.std(), worst, max(1, round(POINTS * cluster_size)))

    def power(self, n: float, effect: float, margin: float, alpha: float) -> float:
        """The chance that n items pass at a true difference.

        Examples
        --------
        >>> found = Bounded.normal(0.2, 1.0, 1.0)
        >>> n = found.size(0.0, 0.05, 0.05, 0.8)
        >>> math.ceil(n), round(found.power(n, 0.0, 0.05, 0.05), 3)
        (148, 0.8)
        """
        shows = self._shows(effect, margin, alpha)
        low, high = -LUCK, LUCK
        if not shows(n / self.items, low):
            return 0.0
        while high - low > 1e-6:
            middle = (low + high) / 2
            low, high = (middle, high) if shows(n / self.items, middle) else (low, middle)
        return normal(low)

    def size(self, effect: float, margin: float, alpha: float, power: float) -> float | None:
        """The items, as many as these times a number, that pass with the power; None where no number does."""
        if effect + margin <= 0 or margin >= self.worst:
            return None
        shows, z = self._shows(effect, margin, alpha), _z(power)
        low, high = 0.0, 1.0
        while not shows(high, z):
            low, high = high, 2 * high
            if high * self.items > MAX_ITEMS:
                return None
        # Few different numbers are counted to the item; of many, three digits are enough.
        close = CLOSE / self.items if len(distinct(self.x)) <= FEW else CLOSE
        while high - low > close * max(1.0, high):
            middle = (low + high) / 2
            low, high = (low, middle) if shows(middle, z) else (middle, high)
        return high * self.items

    @property
    def mean(self) -> float:
        """The difference that the units at hand show."""
        return float(self.x.sum()) / (len(self.x) if self.sizes is None else float(self.sizes.sum()))

    def scaled(self, factor: float) -> Bounded:
        """The same units with another spread about their mean."""
        weights = 1.0 if self.sizes is None else self.sizes
        return Bounded(weights * self.mean + factor * (self.x - weights * self.mean), self.worst, self.items, self.sizes)

    def _shows(self, effect: float, margin: float, alpha: float) -> Callable[[float, float], bool]:
        """Whether so many times these units pass in a sample whose mean lies z standard errors below the true one."""
        x, sizes = _few(self.x, self.sizes)
        total = len(x) if sizes is None else float(sizes.sum())
        weights = 1.0 if sizes is None else sizes
        x = x - weights * float(x.sum()) / total
        spread = math.sqrt(float((x * x).sum())) / total
        still = not spread > 0

        def shows(times: float, z: float) -> bool:
            chance = 0.0 if still else z * spread / math.sqrt(times)
            if margin - chance >= self.worst:
                return False
            return log_p_of_mean(x + weights * effect, margin - chance, self.worst, sizes, times=times) <= math.log(alpha)

        return shows


def _few(x: Array, sizes: Array | None) -> tuple[Array, Array | None]:
    """As many numbers, but few different ones, so that asking about them again and again costs little."""
    if sizes is not None or len(distinct(x)) <= FEW:
        return x, sizes
    parts = np.array_split(np.sort(x), FEW)
    return np.concatenate([np.full(len(part), part.mean()) for part in parts]), None


@dataclass(frozen=True)
class GateStudy(Study):
    """A planned gate; the `law` of right-or-wrong items, None, follows from the true difference."""

    law: Bounded | None = None

    def power(self, n: float, effect: float) -> float:
        """The chance that the gate passes."""
        return self._law(effect).power(n, effect, self._margin, self.design.alpha)

    def sample_size(self, effect: float, target: float) -> float:
        """Items with which the gate passes with this probability."""
        found = self._law(effect).size(effect, self._margin, self.design.alpha, target)
        if found is None:
            raise OutscoreError(
                f"At a true difference of {effect:g} no number of items passes a gate with a margin of {self._margin:g}.",
                "Plan for a larger margin, or for a true difference above minus the margin.",
                parameter="margin",
            )
        return float(found)

    @property
    def _margin(self) -> float:
        assert self.design.margin is not None
        return self.design.margin

    def _law(self, effect: float) -> Shares | Bounded:
        # A difference that two systems cannot have is refused.
        return Shares(self.discordance(effect), self.design.unit) if self.law is None else self.law


def gate_study(design: StudyDesign, law: Bounded | None = None) -> GateStudy:
    """The study of a gate: of a pilot's `law`, or of what the numbers of the design say.

    Examples
    --------
    >>> gate_study(StudyDesign(discordance=0.05, margin=0.02, largest_loss=1.0)).sample_size(0.0, 0.8)
    819.0
    """
    checked = study_of(design)
    assert design.largest_loss is not None
    if law is None and (design.basis == "sd" or design.cluster_size > 1):
        law = Bounded.normal(checked.unit_sd(0.0), design.largest_loss, design.cluster_size)
    return GateStudy(design, "margin", checked.sd, law)


def items_by_width(n: int, gap: float, width: float | None, *, alpha: float, power: float) -> int | None:
    """The fewest items like these whose interval leaves a gap; None where no number of them does, or nothing tells how many.

    Parameters
    ----------
    n
        Items at hand.
    gap
        How far the lead is from what has to be excluded.
    width
        How far the interval of level 1 - 2α reaches beyond the lead on that side; None where it has no end.

    Examples
    --------
    >>> items_by_width(100, 0.04, 0.06, alpha=0.05, power=0.8)
    515
    """
    if gap <= 0 or width is None:
        return None
    ratio = (1 + _z(power) / _z(1 - alpha)) * width / gap
    # A product becomes infinite where a power would be an error.
    size = n * ratio * ratio
    return max(n + 1, math.ceil(size - 1e-9)) if size <= MAX_ITEMS else None


def _z(share: float) -> float:
    return normal_quantile(share)
