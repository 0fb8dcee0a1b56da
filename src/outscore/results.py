"""What comes out: frozen results that survive a JSON round trip.

One schema serves the command line, `to_dict`, and saved files. Fractions stay fractions, precision stays full, and what is
not finite (an unbounded limit) is null.
"""

from __future__ import annotations

import html
import math
from dataclasses import dataclass, field
from typing import Any, Literal, Self

import msgspec

from outscore.details import (
    Alignment,
    DecidingItem,
    Decision,
    Design,
    Family,
    NullPicture,
    PathStep,
    Pictures,
    Segment,
    SizePoint,
    Slice,
)
from outscore.errors import OutscoreError
from outscore.summaries import Analysis, Effect, Power, UnitRow

__all__ = [
    "Alignment",
    "Bayes",
    "Bucket",
    "Comparison",
    "Comparisons",
    "DecidingItem",
    "Decision",
    "Design",
    "Family",
    "Interval",
    "Margin",
    "NullPicture",
    "PValue",
    "PathStep",
    "Pictures",
    "Result",
    "Runs",
    "Segment",
    "SizePoint",
    "Slice",
    "SystemScore",
    "TestResult",
    "ends_html",
]

Kind = Literal["exact", "certified", "monte-carlo", "asymptotic"]
SMALLEST = 5e-324
ROUNDING = 2.0**-50
LN10 = math.log(10.0)


class Result:
    """Mixin: dictionaries in and out, and a plain rendering in notebooks."""

    def to_dict(self) -> dict[str, Any]:
        """The result as JSON-ready dictionaries, lists and numbers."""
        plain = _without_non_finite(msgspec.to_builtins(self))
        assert isinstance(plain, dict)
        return plain

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """The inverse of `to_dict`."""
        try:
            return msgspec.convert(data, cls)
        except msgspec.ValidationError as error:
            raise OutscoreError(f"This is not a saved {cls.__name__}: {error}.") from None

    def _repr_html_(self) -> str:
        """The verdict, and under that of a comparison its numbers and notes: no script, no style but the notebook's own."""
        parts = getattr(self, "comparisons", [self])
        return "\n".join(_comparison_html(part) if isinstance(part, Comparison) else _verdict_html(part) for part in parts)


def _verdict_html(result: Result) -> str:
    # Every result has a verdict; a property of the mixin would forbid `Comparison` to store its own.
    return f"<p>{html.escape(getattr(result, 'verdict'))}</p>"  # noqa: B009


def _comparison_html(c: Comparison) -> str:
    """What fits under a cell: rounded for the eye, since the verdict above has every number as it should be quoted."""
    own = c.interval if c.interval is not None and c.interval.estimand == "difference" else None
    rows = [(s.system, f"{s.value:.4g}", ends_html(s.low, s.high)) for s in c.scores]
    rows.append(("A - B", f"{c.difference:+.3g}", "" if own is None else ends_html(own.low, own.high)))
    if c.interval is not None and own is None:
        estimate = "" if c.interval.estimate is None else f"{c.interval.estimate:+.3g}"
        rows.append((f"{c.interval.estimand} of A - B", estimate, ends_html(c.interval.low, c.interval.high)))
    p = f"{c.p.value:.3g}" if c.p.log10 > -300 else f"10^{c.p.log10:.1f}"
    rows.append(("p", p, f"{c.p.test}, {c.p.method}"))
    cells = ["".join(f"<td>{html.escape(cell)}</td>" for cell in row) for row in rows]
    level = "interval" if c.interval is None else f"{c.interval.level:.0%} interval"
    head = f"<tr><th></th><th>{html.escape(c.metric)}</th><th>{level}</th></tr>"
    notes = "".join(f"<li>{html.escape(note)}</li>" for note in c.notes)
    table = f"<table><thead>{head}</thead><tbody>{''.join(f'<tr>{row}</tr>' for row in cells)}</tbody></table>"
    return f"<div>{_verdict_html(c)}{table}{f'<ul>{notes}</ul>' if notes else ''}</div>"


def ends_html(low: float | None, high: float | None) -> str:
    """The ends of an interval in a cell of a notebook's table."""
    if low is None and high is None:
        return ""
    return f"{'-∞' if low is None else f'{low:.4g}'} to {'∞' if high is None else f'{high:.4g}'}"


def _without_non_finite(value: Any) -> Any:  # noqa: ANN401 - any JSON value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _without_non_finite(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_without_non_finite(inner) for inner in value]
    return value


@dataclass(frozen=True)
class PValue(Result):
    """A p-value with its error: `value` for people, `upper` for decisions, `log10` for the very small.

    `method` is the kind ("exact", "certified", "monte-carlo", "asymptotic"), `kernel` the algorithm that served. Exact values
    are correct to about eleven digits and have lower = upper = value; certified ones lie between `lower` and `upper` and
    `value` is their geometric middle; Monte-Carlo bounds are the 99 % Clopper-Pearson interval. `mid` is the mid-p of an
    exact test on discrete data. Nothing underflows: below 5e-324 `value` is 5e-324, `lower` is 0, and `log10` is to be trusted.
    """

    value: float
    lower: float
    upper: float
    log10: float
    method: Kind
    kernel: str
    test: str = "permutation"
    statistic: float = 0.0
    n: int = 0
    dropped: dict[str, int] = field(default_factory=dict)
    mid: float | None = None
    adjusted: float | None = None

    @classmethod
    def from_logs(cls, log_lower: float, log_upper: float, *, method: Kind, kernel: str, log_mid: float | None = None) -> Self:
        """Build one from natural logarithms of its bounds, which may lie far below the smallest float."""
        if method == "certified":
            # Bounds are rounded outwards: exp moves its result by the rounding of its argument and of itself.
            log_lower -= ROUNDING * (1 + abs(log_lower))
            log_upper += ROUNDING * (1 + abs(log_upper))
        log_lower, log_upper = min(log_lower, 0.0), min(log_upper, 0.0)
        # Without a lower bound there is no middle: the upper end is all that is known.
        log_value = (log_lower + log_upper) / 2 if math.isfinite(log_lower) else log_upper
        return cls(
            value=max(math.exp(log_value), SMALLEST),
            lower=_exp(log_lower),
            upper=max(math.exp(log_upper), SMALLEST),
            log10=log_value / LN10 + 0.0,
            method=method,
            kernel=kernel,
            mid=None if log_mid is None else max(math.exp(log_mid), SMALLEST),
        )

    @property
    def exact(self) -> bool:
        """Whether the value was computed without sampling, bounding or approximation."""
        return self.method == "exact"

    @property
    def verdict(self) -> str:
        """The p-value with its test and method."""
        return f"p = {self.value:.4g} ({self.test} test, {self.method}: {self.kernel})"

    @property
    def signature(self) -> str:
        """One line that says how the number came about."""
        return f"test:{self.test}|method:{self.method}|kernel:{self.kernel}|n:{self.n}"

    def __float__(self) -> float:
        return self.value


def _exp(log: float) -> float:
    """exp for a lower bound: 0 where it would be subnormal, since that would no longer be below."""
    return math.exp(log) if log > -708.0 else 0.0


@dataclass(frozen=True)
class Interval(Result):
    """A confidence interval; None is an unbounded side.

    `dual` says that the interval holds exactly the values its own test does not reject. `estimand` is what the interval is
    about and `estimate` its value: the difference A - B in the metric, or the typical difference that a rank test speaks of.
    """

    low: float | None
    high: float | None
    level: float
    method: str
    dual: bool
    estimand: Literal["difference", "median", "pseudomedian"] = "difference"
    estimate: float | None = None

    @property
    def verdict(self) -> str:
        """The interval with its level and method."""
        low = "-inf" if self.low is None else f"{self.low:.6g}"
        high = "inf" if self.high is None else f"{self.high:.6g}"
        return f"{self.level:.0%} interval [{low}, {high}] ({self.method})"


@dataclass(frozen=True)
class Bayes:
    """Posterior probabilities: A better, practically equal (within `rope` either way), B better."""

    a_better: float
    equal: float
    b_better: float
    rope: float


@dataclass(frozen=True)
class TestResult(Result):
    """What every test returns: its p-value, the interval of the same design, and what the reader should know."""

    # Not a test class, whatever its name says to pytest.
    __test__ = False

    p: PValue
    interval: Interval | None = None
    notes: list[str] = field(default_factory=list)
    bayes: Bayes | None = None

    @property
    def verdict(self) -> str:
        """The p-value in words."""
        return self.p.verdict


@dataclass(frozen=True)
class SystemScore(Result):
    """One system's score on the metric."""

    system: str
    value: float
    low: float | None = None
    high: float | None = None

    @property
    def verdict(self) -> str:
        """The score in a sentence."""
        return f"{self.system} scores {self.value:.6g}"


@dataclass(frozen=True)
class Margin:
    """An acceptable difference, and the p-values of A being not worse by it and of both being equal within it."""

    value: float
    noninferiority: PValue
    equivalence: PValue


@dataclass(frozen=True)
class Bucket:
    """The same comparison on some of the segments."""

    column: str
    value: str
    n: int
    a: float
    b: float
    difference: float
    low: float | None
    high: float | None
    p: PValue


@dataclass(frozen=True)
class Runs:
    """Several runs of each system: their scores, and how far runs and test sets make the difference vary.

    `test_set` is the standard error from the choice of segments, units or documents, `runs` that from the choice of runs; `p`
    tests the scores of the runs alone, by exchanging runs between the systems.
    """

    a: list[float]
    b: list[float]
    test_set: float | None
    runs: float | None
    p: PValue


@dataclass(frozen=True)
class Comparison(Result):
    """Two systems, one metric, one answer with its evidence."""

    systems: tuple[str, str]
    metric: str
    signature: str
    higher_is_better: bool
    n: int
    clusters: int | None
    design: Design
    alignment: Alignment
    scores: tuple[SystemScore, SystemScore]
    difference: float
    p: PValue
    interval: Interval | None
    decision: Decision
    verdict: str
    sentence: str
    notes: list[str] = field(default_factory=list)
    dataset: str | None = None
    slice: Slice | None = None
    effects: list[Effect] = field(default_factory=list)
    tests: list[PValue] = field(default_factory=list)
    margin: Margin | None = None
    bayes: Bayes | None = None
    analysis: Analysis | None = None
    power: Power | None = None
    deciding_items: list[DecidingItem] = field(default_factory=list)
    fragility: int | None = None
    pictures: Pictures | None = None
    unit_advice: list[UnitRow] = field(default_factory=list)
    segments: list[Segment] = field(default_factory=list)
    buckets: list[Bucket] = field(default_factory=list)
    runs: Runs | None = None


@dataclass(frozen=True)
class Comparisons(Result):
    """What `compare` saves: the comparisons of one call, their family, and the settings that repeat it."""

    comparisons: list[Comparison]
    settings: dict[str, Any]
    family: Family | None = None
    schema: Literal["outscore/result/1"] = "outscore/result/1"

    @property
    def verdict(self) -> str:
        """All verdicts, one after the other."""
        return " ".join(c.verdict for c in self.comparisons)
