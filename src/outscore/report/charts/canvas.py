"""What all charts are drawn with: sizes, lines, bars and names that fit."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from outscore.report.charts.theme import COLOURS
from outscore.report.table import clean
from outscore.results.analysis import Histogram

if TYPE_CHECKING:
    import altair as alt

__all__ = [
    "DASHED",
    "DOTTED",
    "WIDE",
    "WIDTH",
    "Drawing",
    "bars",
    "bins",
    "data",
    "layered",
    "padded",
    "rule",
    "scaled",
    "short",
]

HEIGHT = 150
# With an axis of numbers beside it or without, every picture is about as wide as the others.
WIDTH, WIDE = 276, 308
LONGEST_NAME = 32
WIDE_RANGE, MOST_TICKS = 20, 7
SOLID, DASHED, DOTTED = (1, 0), (4, 3), (1, 3)


@dataclass(frozen=True)
class Drawing:
    """A chart with its key, caption and description."""

    key: str
    caption: str
    description: str
    chart: alt.TopLevelMixin


def data(rows: list[Any]) -> Any:  # noqa: ANN401 - Altair's data
    """Rows as Altair takes them."""
    import altair as alt

    return alt.InlineData(values=rows)


def bins(histogram: Histogram) -> list[dict[str, Any]]:
    """A histogram as rows."""
    return [
        {"low": low, "high": high, "count": count}
        for low, high, count in zip(histogram.edges[:-1], histogram.edges[1:], histogram.counts, strict=True)
    ]


def bars(chart: Any, x: Any, colour: str | None) -> Any:  # noqa: ANN401 - Altair's charts
    """Bars of binned counts."""
    import altair as alt

    marked = chart.mark_bar(binSpacing=1) if colour is None else chart.mark_bar(binSpacing=1, color=colour)
    return marked.encode(x, alt.X2("high:Q"), alt.Y("count:Q", title=None))


def rule(at: float, x: Any, *, colour: str = "ink", width: float = 1, dash: tuple[float, float] = SOLID) -> Any:  # noqa: ANN401
    """A line across the picture at one place."""
    import altair as alt

    marked = alt.Chart(data([{"x": at}])).mark_rule(color=COLOURS[colour], strokeWidth=width, strokeDash=list(dash))
    return marked.encode(x)


def layered(layers: Iterable[Any], width: int = WIDTH, height: int = HEIGHT) -> Any:  # noqa: ANN401 - Altair's charts
    """Layers as one picture."""
    import altair as alt

    return alt.layer(*layers).properties(width=width, height=height)


def padded(values: list[float], share: float = 0.12) -> tuple[float, float]:
    """A domain with some air on both sides."""
    low, high = min(values), max(values)
    air = share * (high - low) or 0.1 * max(abs(high), 1e-3)
    return low - air, high + air


def scaled(values: Sequence[float], form: str = "~s") -> dict[str, Any]:
    """Scale and axis over the range of the values: logarithmic where it is wide, with ticks at 1, 2, 5, 10, 20, 50."""
    import altair as alt

    low, high = min(values), max(values)
    if low <= 0 or high <= WIDE_RANGE * low:
        return {"scale": alt.Scale(domain=[low, high], nice=False, zero=False), "axis": alt.Axis(format=form)}
    tens = [10.0**k for k in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)]
    ticks = [step * ten for ten in tens for step in (1, 2, 5) if low <= step * ten <= high]
    shown = ticks if len(ticks) <= MOST_TICKS else [ten for ten in tens if low <= ten <= high]
    return {
        "scale": alt.Scale(type="log", domain=[low, high], nice=False, zero=False),
        "axis": alt.Axis(format=form, values=shown),
    }


def short(name: str) -> str:
    """A name that fits into a picture."""
    text = clean(name)
    return text if len(text) <= LONGEST_NAME else text[: LONGEST_NAME - 1] + "…"
