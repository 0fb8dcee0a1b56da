"""What is asked of a test, apart from the data, and the p-value that answers it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import field, replace
from typing import Literal, TypeVar, get_args

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.numeric import LOG2, Array, finite
from outscore.core.options import OptionValue
from outscore.core.records import dataclass
from outscore.exact.bracket import WIDTH, Bounds
from outscore.exact.lattice import Tail
from outscore.laws import clopper_pearson, log_t_tail
from outscore.results.pvalue import Estimand, Interval, Kind, PValue

# What is asked of a test, apart from the data.


Alternative = Literal["two-sided", "greater", "less"]
SIDES: tuple[Alternative, ...] = get_args(Alternative)
Differences = TypeVar("Differences", float, Array)
MAX_RESAMPLES = 1_000_000
"""Beyond this the noise of sampling is far below that of the data, and a slip of the finger would run for days."""
RESAMPLES = 9_999
"""How many are drawn where no number is given."""


@dataclass(frozen=True)
class TestRequest:
    """What is asked of a test, and of the kernels behind it.

    `alpha` sets the interval's level and where bounds must be decisive; `width` is how far apart they may be, relative to p.
    Without `interval` the p-value alone is asked for, and a test whose interval costs more than its p leaves it out. `bounds`
    are the smallest and the largest score of an item, and `assume` names what may be assumed about margins
    (`inference.shifted`).
    """

    # Not a test class, whatever its name says to pytest.
    __test__ = False

    alternative: Alternative = "two-sided"
    delta: float = 0.0
    alpha: float = 0.05
    seed: int = 0
    options: Mapping[str, OptionValue] = field(default_factory=dict)
    interval: bool = True
    bounds: tuple[float, ...] = ()
    assume: str = ""
    width: float = WIDTH

    def __post_init__(self) -> None:
        checked_resamples(self.resamples)

    @property
    def method(self) -> str:
        """How a permutation p is computed."""
        return str(self.options.get("method", "auto"))

    @property
    def resamples(self) -> int:
        """How many resamples to draw."""
        return int(str(self.options.get("resamples", RESAMPLES)))

    def favours(self, sign: int) -> bool:
        """Whether an oriented difference of this sign points where a one-sided alternative looks."""
        return sign == 0 or (sign > 0) == (self.alternative == "greater")

    @property
    def side(self) -> float:
        """The probability left outside one limit: a two-sided interval shares α between both."""
        return self.alpha / 2 if self.alternative == "two-sided" else self.alpha

    def direction(self, orientation: int = 1) -> int:
        """The sign of a difference A - B that speaks for a one-sided alternative; 0 for a two-sided one."""
        return {"two-sided": 0, "greater": orientation, "less": -orientation}[self.alternative]


def checked_resamples(resamples: int) -> int:
    """The number of resamples asked for, unless it is too large."""
    if resamples > MAX_RESAMPLES:
        raise OutscoreError(
            f"Option `resamples` is {resamples:,}.", f"It must be at most {MAX_RESAMPLES:,}.", parameter="resamples"
        )
    return resamples


def check_alternative(alternative: str) -> None:
    """Refuse what no test looks for."""
    if alternative not in SIDES:
        raise OutscoreError(
            f"`alternative` is {alternative!r}.", f"Choose one of: {', '.join(SIDES)}.", parameter="alternative"
        )


PLAIN = TestRequest()
"""What is asked where nothing else is said."""


def reach(x: Differences, alternative: Alternative) -> Differences:
    """How far an oriented difference lies in the direction that the alternative looks.

    Examples
    --------
    >>> reach(-2.0, "two-sided"), reach(-2.0, "greater"), reach(-2.0, "less")
    (2.0, -2.0, 2.0)
    """
    if alternative == "two-sided":
        return abs(x)
    return x if alternative == "greater" else -x


def as_extreme(values: Array, observed: float, slack: float, direction: int) -> Array:
    """Which values are at least as extreme as the observed one, in a direction or, if that is 0, in size.

    Examples
    --------
    >>> import numpy as np
    >>> values = np.array([-3.0, 1.0, 2.0])
    >>> as_extreme(values, 2.0, 0.0, 0).tolist(), as_extreme(values, 2.0, 0.0, -1).tolist()
    ([True, False, True], [True, True, True])
    """
    if direction == 0:
        return np.asarray(np.abs(values) >= abs(observed) - slack)
    return np.asarray(direction * values >= direction * observed - slack)


def log_p_of_t(df: float, t: float, request: TestRequest) -> float:
    """log p of an oriented t."""
    return log_t_tail(df, reach(t, request.alternative)) + (LOG2 if request.alternative == "two-sided" else 0.0)


def interval_for(
    limits: tuple[float | None, float | None],
    request: TestRequest,
    orientation: int,
    *,
    method: str,
    dual: bool,
    estimate: float | None = None,
    estimand: Estimand = "difference",
) -> Interval:
    """An interval of the sides that the alternative asks for: "greater" bounds from below, unless lower is better."""
    direction = request.direction(orientation)
    low, high = finite(limits[0]) if direction >= 0 else None, finite(limits[1]) if direction <= 0 else None
    return Interval(low, high, 1 - request.alpha, method, dual, estimand, estimate)


# From the tail of a symmetric statistic to the p-value that was asked for.
#
# Under swaps T and -T have the same law, so with tail = P(T ≥ |t|) and tie = P(T = |t|)
#
#     two-sided                 P(|T| ≥ |t|) = 2·tail          (1 when t = 0)
#     one-sided, t that way     P(T ≥ t)     = tail
#     one-sided, t the other    P(T ≥ t)     = 1 - tail + tie


SNAPPED_UNITS = 32
"""Up to this many units an exact p is rounded to the nearest multiple of 2^-n, which removes the last rounding error."""


def log(x: float) -> float:
    """Natural logarithm with log 0 = -inf."""
    return math.log(x) if x > 0 else -math.inf


def identical_p(n: int = 0, *, test: str = "permutation", method: Kind = "exact", kernel: str = "identity") -> PValue:
    """p = 1: no swap changes anything, or nothing is less extreme than no difference at all."""
    return PValue(1.0, 1.0, 1.0, 0.0, method, kernel, test, n=n)


def exact_p(tail: Tail, sign: int, n: int, kernel: str, request: TestRequest) -> PValue:
    """An exact p from the tail at |t|; `sign` is that of the oriented t, n the number of units that differ.

    Examples
    --------
    >>> tail = Tail(math.log(1 / 64), math.log(1 / 64))  # all of six coins
    >>> exact_p(tail, 1, 6, "binomial", TestRequest()).value, exact_p(tail, 1, 6, "binomial", TestRequest("less")).value
    (0.03125, 1.0)
    """
    tail = Tail(tail.log, min(tail.log_atom, tail.log))
    if request.alternative == "two-sided":
        if sign == 0:
            return identical_p(n)
        log_p, log_mid = tail.log + LOG2, tail.log_mid + LOG2
    elif request.favours(sign):
        log_p, log_mid = tail.log, tail.log_mid
    else:
        share, tie = math.exp(tail.log), math.exp(tail.log_atom)
        log_p, log_mid = log(1 - share + tie), log(1 - share + tie / 2)
    p = PValue.from_logs(log_p, log_p, method="exact", kernel=kernel, log_mid=min(log_mid, 0.0))
    return _snap(p, n) if n <= SNAPPED_UNITS else p


def _snap(p: PValue, n: int) -> PValue:
    value = math.ldexp(max(1, round(math.ldexp(p.value, n))), -n)
    p = replace(p, value=value, lower=value, upper=value, log10=math.log10(value) + 0.0)
    if p.mid is None:
        return p
    mid = math.ldexp(max(1, round(math.ldexp(p.mid, n + 1))), -n - 1)
    return replace(p, mid=mid, mid_log10=math.log10(mid) + 0.0)


def certified_p(bounds: Bounds, sign: int, request: TestRequest, kernel: str = "bracket") -> PValue:
    """A certified p from bounds of the tail at |t|; of P(T > |t|) when a one-sided alternative looks the other way."""
    if request.alternative == "two-sided":
        lower, upper = bounds.lower + LOG2, bounds.upper + LOG2
    elif request.favours(sign):
        lower, upper = bounds.lower, bounds.upper
    else:
        lower, upper = log(1 - math.exp(bounds.upper)), log(1 - math.exp(bounds.lower))
    return PValue.from_logs(lower, upper, method="certified", kernel=kernel)


def sampled_p(
    hits: int, resamples: int, drawn: str, *, test: str = "permutation", statistic: float = 0.0, n: int = 0
) -> PValue:
    """A Monte-Carlo p: the observed arrangement counts as one more resample, so p is never 0 and the test is valid.

    `drawn` says what a resample is.

    Examples
    --------
    >>> p = sampled_p(49, 999, "sign-flips")
    >>> p.value, p.kernel
    (0.05, 'sign-flips:999')
    """
    value, bounds = (hits + 1) / (resamples + 1), clopper_pearson(hits, resamples)
    return PValue(
        value=value,
        lower=min(bounds[0], value),
        upper=max(bounds[1], value),
        log10=math.log10(value),
        method="monte-carlo",
        kernel=f"{drawn}:{resamples}",
        test=test,
        statistic=statistic,
        n=n,
    )
