"""What a ranking of many systems finds: frozen records that survive a JSON round trip.

Differences are raw, first system of the pair minus the second, whatever direction is better; a pair names the better one first
unless a baseline was asked for, which then comes second in all of them.
"""

from __future__ import annotations

import html
from dataclasses import dataclass, field, fields
from typing import Any, Literal

from outscore.results.design import Family
from outscore.results.note import Note
from outscore.results.pvalue import Kind
from outscore.results.rendering import Result, ends_html

__all__ = [
    "MOST_PAIRS",
    "Coverage",
    "CriticalDifference",
    "PairCounts",
    "PairP",
    "RankDesign",
    "RankedPair",
    "RankedSystem",
    "Ranking",
    "Replicated",
    "Standing",
]

SHOWN = 10
"""Systems that a notebook shows."""
MOST_PAIRS = 50_000
"""Beyond so many pairs, over all datasets, a result keeps their counts only; the pairs themselves go into a Parquet file."""


@dataclass(frozen=True)
class RankedSystem:
    """One system's place.

    `rank_low` and `rank_high` are the best and the worst place the tests leave open: one more than the number of systems that
    are significantly better, and the number of systems less those significantly worse. `letters` name the groups it is in.
    """

    system: str
    value: float
    low: float | None
    high: float | None
    rank_low: int
    rank_high: int
    n: int
    letters: str = ""
    advantage: float | None = None


@dataclass(frozen=True)
class PairP:
    """A pair's p: what a leaderboard needs of a p-value. `value` is the one to claim: of certified bounds the upper end."""

    value: float
    log10: float
    method: Kind
    adjusted: float | None = None


@dataclass(frozen=True)
class RankedPair:
    """Two systems of a ranking; n is 0, p is 1 and the note says why where they share no item."""

    systems: tuple[str, str]
    n: int
    difference: float | None
    low: float | None
    high: float | None
    p: PairP
    note: str | None = None


@dataclass(frozen=True)
class PairCounts:
    """All pairs, those that share items, and those that differ significantly after correction."""

    pairs: int
    testable: int
    significant: int


@dataclass(frozen=True)
class Standing:
    """The systems on one dataset by one metric, best first.

    `ordered_by` is "score", or "advantage" (the mean paired advantage over the other systems) where systems have different
    items. `groups` are the largest sets of systems no two of which differ significantly, by place; `kernel` and `interval` say
    how p and the intervals of the pairs were computed.
    """

    name: str | None
    metric: str
    higher_is_better: bool
    n: int
    systems: list[str]
    scores: list[RankedSystem]
    pairs: list[RankedPair]
    counts: PairCounts
    groups: list[list[str]]
    ordered_by: Literal["score", "advantage"]
    test: str
    kernel: str
    interval: str
    notes: list[Note] = field(default_factory=list)


@dataclass(frozen=True)
class Replicated:
    """On how many datasets one system is better than another, from one-sided p-values of the datasets.

    The first system is the one ahead in the data; to make up for that choice each direction is tested at alpha/2. Each pair is
    taken by itself. `bonferroni` holds for any dependence between datasets, `fisher` for independent ones: with confidence
    1 - alpha the first system is better on at least so many. `holm` names the datasets on which it is significantly better,
    corrected for their number.
    """

    systems: tuple[str, str]
    datasets: int
    bonferroni: int
    fisher: int
    holm: list[str]


@dataclass(frozen=True)
class CriticalDifference:
    """Friedman's test over datasets (or items), and the difference in mean rank that Nemenyi's test asks for.

    `form` says how its p came about: counted exactly, by Iman and Davenport's F, or by chi-square.
    """

    blocks: int
    over: Literal["datasets", "items"]
    mean_ranks: dict[str, float]
    p: float
    critical_difference: float
    groups: list[list[str]]
    form: Literal["exact", "F", "chi-square"] | None = None


@dataclass(frozen=True)
class Coverage:
    """How complete the leaderboard is."""

    systems: int
    items: int
    missing: int
    duplicates: int = 0
    conflicts: int = 0
    strangers: int = 0


@dataclass(frozen=True)
class RankDesign:
    """What was swapped between two systems, over all datasets.

    `noun` is what one of the `items` is called and `group` what those that are swapped as one are, of which there are
    `clusters`. With a `unit_size` above 1 so many items are scored as one, which makes `units` and leaves a `remainder`, both
    None where systems have different items; `shuffle` is the seed that mixed the items first. `repeats` are the runs of each
    item of a system, on average, which were averaged first.
    """

    items: int
    noun: str = "item"
    group: str = "cluster"
    clusters: int | None = None
    unit_size: int = 1
    unit_statistic: str = "mean"
    units: int | None = None
    remainder: int | None = None
    shuffle: int | None = None
    repeats: float = 1.0


@dataclass(frozen=True, kw_only=True)
class Ranking(Standing, Result):
    """Many systems: who is ahead, and which differences are real.

    The top level is the answer: one dataset, or the macro average over datasets. `datasets` has the same for each dataset,
    `metrics` for each further metric.
    """

    correction: str
    family: Family
    coverage: Coverage
    alpha: float
    baseline: str | None
    verdict: str
    sentence: str
    signature: str
    settings: dict[str, Any]
    headline: str = ""
    reason: str = ""
    datasets: list[Standing] = field(default_factory=list)
    datasets_family: Family | None = None
    metrics: list[Standing] = field(default_factory=list)
    replicability: list[Replicated] = field(default_factory=list)
    critical_difference: CriticalDifference | None = None
    design: RankDesign | None = None
    schema: Literal["outscore/ranking/1"] = "outscore/ranking/1"

    def _repr_html_(self) -> str:
        """The verdict and the first systems: no script, no style but the notebook's own."""
        cells = [
            (str(i), s.system, f"{s.value:.4g}", ends_html(s.low, s.high), f"{s.rank_low} to {s.rank_high}", s.letters)
            for i, s in enumerate(self.scores[:SHOWN], 1)
        ]
        rows = "".join(f"<tr>{''.join(f'<td>{html.escape(cell)}</td>' for cell in row)}</tr>" for row in cells)
        names = ("", "system", self.metric, f"{1 - self.alpha:.0%} interval", "ranks", "groups")
        head = "".join(f"<th>{html.escape(name)}</th>" for name in names)
        left = len(self.scores) - len(cells)
        more = f"<p>and {left} more systems</p>" if left else ""
        verdict = f"<p>{html.escape(self.verdict)}</p>"
        return f"<div>{verdict}<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>{more}</div>"

    @property
    def standing(self) -> Standing:
        """The top level in the form the datasets have; the notes are those of the whole ranking and stay with it."""
        return Standing(**{part.name: getattr(self, part.name) for part in fields(Standing) if part.name != "notes"})
