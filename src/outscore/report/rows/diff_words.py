"""What the tables of a diff share: names, points, p-values, and the sheet that knows its best and worst cells."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from outscore.language.numbers import finer, format_ends, format_number, format_p_number, format_percent, format_probability
from outscore.report.document import Table, make_table
from outscore.results.diff import Diff, Pair
from outscore.results.interval import Interval
from outscore.results.pvalue import PValue

__all__ = [
    "adjusted_p",
    "alpha_of",
    "ends",
    "interval_name",
    "metric_name",
    "p_number",
    "pair_name",
    "points",
    "wide_table",
]

TOUCHING = 1e-6
NAMES = {
    "sentences": "sents",
    "uas": "UAS",
    "ls": "LS",
    "las": "LAS",
    "upos": "UPOS",
    "xpos": "XPOS",
    "feats": "FEATS",
    "f1": "F1",
    "mcc": "MCC",
    "muc": "MUC",
    "b3": "B³",
    "ceafe": "CEAFe",
    "lea": "LEA",
    "mela": "MELA",
    "conll": "CoNLL",
    "arcs": "ARCS",
}


def wide_table(
    key: str,
    title: str,
    columns: Sequence[str],
    align: str,
    rows: Iterable[Sequence[str]],
    notes: Iterable[str] = (),
) -> Table:
    """A table that may have a column for each of many systems, and lines across them."""
    return replace(make_table(key, title, columns, align, rows, notes), splits=True)


def metric_name(name: str) -> str:
    """What people call a metric or a criterion.

    Examples
    --------
    >>> metric_name("sentences_las"), metric_name("arcs-any"), metric_name("macro_f1")
    ('sents LAS', 'ARCS any', 'macro F1')
    """
    return " ".join(NAMES.get(part, part) for part in name.replace("_", " ").replace("-", " ").split())


def points(value: float | None, *, sign: bool = False) -> str:
    """A share or a difference of shares, times a hundred; small ones keep a digit that is not zero.

    Examples
    --------
    >>> points(0.8894), points(0.00545, sign=True), points(-0.00001, sign=True)
    ('88.94', '+0.55', '-0.0010')
    """
    if value is None:
        return ""
    return format_number(100 * value, _places(100 * value), sign=sign)


def ends(low: float | None, high: float | None) -> str:
    """Both ends of an interval in points."""
    shown = [100 * x for x in (low, high) if x is not None]
    places = max(map(_places, shown), default=2)
    return format_ends(None if low is None else 100 * low, None if high is None else 100 * high, places)


def _places(shown: float) -> int:
    """Two decimals, or more for a number that would look like 0 and is not; an end that only touches 0 stays 0.00."""
    return 2 if round(shown, 2) or abs(shown) < TOUCHING else finer(2, shown)


def pair_name(pair: Pair) -> str:
    """The step as an arrow."""
    return f"{pair.systems[0]} → {pair.systems[1]}"


def alpha_of(diff: Diff) -> float | None:
    """The level of the decisions, if the settings name it."""
    alpha = diff.settings.get("alpha")
    return float(alpha) if isinstance(alpha, int | float) else None


def p_number(p: PValue | None, alpha: float | None = None) -> str:
    """The p-value, nothing where nothing was tested."""
    return "" if p is None else format_p_number(p, alpha)


def adjusted_p(p: PValue | None) -> str:
    """The p-value after correction within its table."""
    return "" if p is None or p.adjusted is None else format_probability(p.adjusted)


def interval_name(interval: Interval | None) -> str:
    """The heading of a column of intervals."""
    return "interval" if interval is None else f"{format_percent(interval.level)} interval"
