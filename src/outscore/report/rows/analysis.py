"""The data before any test, as tables: summaries, checks, suitable tests, and the effect of larger units."""

from __future__ import annotations

from outscore.core.numeric import finite
from outscore.language.numbers import decimals_for, format_number, format_probability
from outscore.language.phrases import difference_called, sides_called
from outscore.report.document import Table
from outscore.report.rows.columns import Column, number, tabulate, texts, words
from outscore.report.rows.comparison import scored_noun
from outscore.results.analysis import Summary, TestAdvice, UnitRow, lag1_bound
from outscore.results.comparison import Comparison

SUMMARY = {
    "n": "n",
    "mean": "mean",
    "median": "median",
    "sd": "standard deviation",
    "min": "smallest",
    "q1": "first quartile",
    "q3": "third quartile",
    "max": "largest",
}
CHECKS: list[Column[tuple[str, str, str]]] = [
    words("check", lambda row: row[0]),
    Column("value", lambda row: row[1]),
    words("meaning", lambda row: row[2]),
]
UNITS = (
    "Spread, effect and p of the permutation test when that many adjacent items form one unit. Choose a size before you see "
    "its p-value."
)
GROUPS = {"recommended": "recommended", "usable": "usable", "unsuited": "not suited"}


def summaries(c: Comparison) -> Table | None:
    """The numbers of each system and of their difference at a glance."""
    analysis = c.analysis
    if analysis is None:
        return None
    by_side = [analysis.systems.get(key) for key in ("a", "b", "difference")]
    names = [
        name for name, summary in zip((*c.systems, difference_called(c.systems)), by_side, strict=True) if summary is not None
    ]
    columns = [summary for summary in by_side if summary is not None]
    # One rule for the whole table: the decimals that show the difference of the means, but no rounding noise.
    decimals = min(decimals_for(*(s.mean for s in columns), difference=min((abs(s.mean) for s in columns), default=0.0)), 6)

    def column(name: str, summary: Summary) -> Column[tuple[str, str]]:
        return Column(name, lambda row: summary.n if row[0] == "n" else finite(getattr(summary, row[0])), show)

    def show(value: float) -> str:
        return f"{value:,}" if isinstance(value, int) else format_number(value, decimals)

    label: Column[tuple[str, str]] = words("", lambda row: row[1])
    filled = [label, *(column(name, summary) for name, summary in zip(names, columns, strict=True))]
    return tabulate("summary", "The data at a glance", filled, SUMMARY.items() if columns else [])


def checks(c: Comparison) -> Table | None:
    """What the data look like to a test."""
    analysis = c.analysis
    if analysis is None:
        return None
    rows: list[tuple[str, str, str]] = []

    def add(label: str, value: str | None, meaning: str = "") -> None:
        if value is not None:
            rows.append((label, value, meaning))

    def number(value: float | None, *, sign: bool = False) -> str | None:
        return None if finite(value) is None else format_number(value, 3, sign=sign)

    add(f"skewness of {difference_called(c.systems)}", number(analysis.skewness, sign=True), analysis.skewness_band or "")
    if analysis.normality is not None:
        of = f"{analysis.normality.test}{'; ' if analysis.normality_reason else ''}{analysis.normality_reason}"
        add(f"normality of {difference_called(c.systems)}", f"p = {format_probability(analysis.normality.p)}", of)
    zeros = None if analysis.zero_share is None else f"{100 * analysis.zero_share:.1f} %"
    add(f"{scored_noun(c)}s without a difference", zeros)
    add(f"correlation of {' and '.join(sides_called(c.systems))}", number(analysis.correlation, sign=True))
    add("gain from pairing", number(analysis.pairing_gain), "standard error unpaired / paired")
    lag = "lag-1 autocorrelation in file order"
    bound = lag1_bound(analysis.lag1_n or c.clusters or c.n)
    if analysis.lag1 is not None and analysis.lag1 > bound:
        lag += f", beyond 3/√n = {bound:.2f}: check this first"
    add("dependence of neighbours", number(analysis.lag1, sign=True), lag)
    add("suggested statistic", analysis.statistic, analysis.statistic_reason)
    return tabulate("checks", "Checks", CHECKS, rows)


def advice(c: Comparison) -> Table | None:
    """Which tests suit the data."""
    return None if c.analysis is None else _advice("advice", "Which tests suit these data", c.analysis.tests)


def nlpstattest(c: Comparison) -> Table | None:
    """What another toolkit would advise."""
    title = "What the published table of NLPStatTest says"
    return None if c.analysis is None else _advice("nlpstattest", title, c.analysis.nlpstattest)


def _advice(key: str, title: str, advice: TestAdvice) -> Table:
    rows = [(label, entry.test, entry.why) for group, label in GROUPS.items() for entry in getattr(advice, group)]
    return tabulate(key, title, texts("suits", "test", "why"), rows, merges=True)


def unit_advice(c: Comparison) -> Table:
    """What evaluation units of other sizes would do to spread, effect and p."""
    spread = decimals_for(*(row.sd for row in c.unit_advice if row.sd is not None))
    columns: list[Column[UnitRow]] = [
        Column("size", lambda row: row.size),
        Column("units", lambda row: row.units),
        Column("left over", lambda row: row.remainder),
        Column("sd", lambda row: finite(row.sd), number(spread)),
        Column("d_z", lambda row: finite(row.d_z), number(3, sign=True)),
        Column("p", lambda row: row.p, format_probability),
    ]
    return tabulate("units", "Larger evaluation units", columns, c.unit_advice, [UNITS])
