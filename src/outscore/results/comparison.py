"""The result of a comparison, with its evidence."""

from __future__ import annotations

import html
from dataclasses import dataclass, field
from typing import Any, Literal

from outscore.results.analysis import Analysis, Effect, Power, UnitRow
from outscore.results.chart_data import Pictures
from outscore.results.design import Alignment, DecidingItem, Decision, Design, Family, Segment, Slice
from outscore.results.interval import Interval
from outscore.results.note import Note
from outscore.results.pvalue import PValue
from outscore.results.rendering import Result, ends_html, verdict_html

__all__ = ["Bayes", "Bucket", "Comparison", "Comparisons", "Margin", "Runs", "SystemScore", "TestResult"]


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
    notes = "".join(f"<li>{html.escape(note.text)}</li>" for note in c.notes)
    table = f"<table><thead>{head}</thead><tbody>{''.join(f'<tr>{row}</tr>' for row in cells)}</tbody></table>"
    return f"<div>{verdict_html(c)}{table}{f'<ul>{notes}</ul>' if notes else ''}</div>"


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
    notes: list[Note] = field(default_factory=list)
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
    headline: str = ""
    reason: str = ""
    identical: bool = False
    notes: list[Note] = field(default_factory=list)
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

    def _repr_html_(self) -> str:
        """The verdict, and under it the numbers and notes."""
        return _comparison_html(self)


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

    def _repr_html_(self) -> str:
        """Every comparison, one under the other."""
        return "\n".join(_comparison_html(c) for c in self.comparisons)
