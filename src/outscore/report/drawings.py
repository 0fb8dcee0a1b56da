"""What each chart shows. Data come binned from the result; nothing is computed here but places on the paper."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from outscore.numerals import format_ends, format_level, format_number, format_p_number, format_percent
from outscore.plans import Power
from outscore.report.table import clean
from outscore.report.tables import alpha_of, decimals_of, finite, part, units_of
from outscore.report.theme import COLOURS
from outscore.results import Comparison, Comparisons
from outscore.summaries import Histogram

if TYPE_CHECKING:
    import altair as alt

__all__ = [
    "Drawing",
    "difference_chart",
    "differences_histogram",
    "null_chart",
    "power_chart",
    "scores_histograms",
    "size_chart",
]

HEIGHT = 150
# With an axis of numbers beside it or without, every picture is about as wide as the others.
WIDTH, WIDE = 276, 308
LONGEST_NAME = 32
SOLID, DASHED, DOTTED = (1, 0), (4, 3), (1, 3)


@dataclass(frozen=True)
class Drawing:
    """A chart with its key, caption and description."""

    key: str
    caption: str
    description: str
    chart: alt.TopLevelMixin


def difference_chart(c: Comparison, whole: Comparisons) -> Drawing | None:
    """The difference with its interval, and 0 beside it."""
    if finite(c.difference) is None:
        return None
    import altair as alt

    del whole
    decimals, margin = decimals_of(c), part(c, "margin")
    low, high = (None, None) if c.interval is None else (c.interval.low, c.interval.high)
    bounds = [x for x in (0.0, c.difference, low, high) if x is not None]
    bounds += [] if margin is None else [margin.value, -margin.value]
    least, most = _padded(bounds)
    # A system's colour only where it won.
    colour = COLOURS["ink" if c.decision.winner is None else "ab"[c.decision.winner]]
    scale = alt.Scale(domain=[least, most], nice=False, zero=False)
    title = f"A - B (above 0: {'A' if c.higher_is_better else 'B'} is better)"
    x = alt.X("x:Q", scale=scale, title=title)
    layers = [_rule(0.0, x, dash=DASHED)]
    if margin is not None:
        layers += [_rule(end, x, colour="muted", dash=DOTTED) for end in (-margin.value, margin.value)]
    if c.interval is not None:
        ends = {"low": least if low is None else low, "high": most if high is None else high}
        line = alt.Chart(_data([ends])).mark_rule(strokeWidth=3, color=colour)
        layers.append(line.encode(alt.X("low:Q", scale=scale, title=title), alt.X2("high:Q")))
    point = {"x": c.difference, "label": format_number(c.difference, decimals, sign=True)}
    base = alt.Chart(_data([point])).encode(x)
    layers += [base.mark_point(filled=True, size=110, color=colour, opacity=1), base.mark_text(dy=-16).encode(text="label:N")]
    ends_text = (
        "" if c.interval is None else f", {format_percent(c.interval.level)} interval {format_ends(low, high, decimals)}"
    )
    caption = "The difference and its interval" if c.interval is not None else "The difference"
    text = f"Difference {_short(c.systems[0])} - {_short(c.systems[1])}: {point['label']}{ends_text}. The dashed line is 0."
    return Drawing("difference", f"{caption}: the dashed line is no difference", text, _layered(layers, WIDE, 110))


def null_chart(c: Comparison, whole: Comparisons) -> Drawing | None:
    """The differences that chance alone would give, and the observed one among them."""
    picture = part(part(c, "pictures"), "null")
    if picture is None or not picture.x:
        return None
    import altair as alt

    alternative = str(whole.settings.get("alternative", "two-sided"))
    rows = [{"x": x, "y": y} for x, y in zip(picture.x, picture.density, strict=True)]
    tails = _tails(rows, picture.observed, alternative, turn=1 if c.higher_is_better else -1)
    domain = _padded([picture.observed, *picture.x], share=0.03)
    x = alt.X("x:Q", title="A - B if the systems were alike", scale=alt.Scale(domain=list(domain), nice=False, zero=False))
    y = alt.Y("y:Q", title=None, axis=None)
    layers = [alt.Chart(_data(rows)).mark_area(color=COLOURS["null"], opacity=0.55).encode(x, y)]
    layers += [
        alt.Chart(_data(tail)).mark_area(color=COLOURS["b"], opacity=0.9).encode(x, y) for tail in tails if len(tail) > 1
    ]
    layers.append(_rule(picture.observed, x, width=2))
    observed = format_number(picture.observed, decimals_of(c), sign=True)
    text = (
        f"Distribution of the difference if the systems were alike, with the observed {observed} marked; "
        f"differences at least as extreme have p = {format_p_number(c.p)}."
    )
    caption = f"What chance alone would give; the line is what was observed ({observed})"
    return Drawing("null", caption, text, _layered(layers, WIDE))


def _tails(rows: list[dict[str, float]], observed: float, alternative: str, turn: int) -> list[list[dict[str, float]]]:
    size = abs(observed)
    upper = [row for row in rows if row["x"] >= (size if alternative == "two-sided" else observed)]
    lower = [row for row in rows if row["x"] <= (-size if alternative == "two-sided" else observed)]
    if alternative == "two-sided":
        return [lower, upper]
    return [upper] if (alternative == "greater") == (turn > 0) else [lower]


def scores_histograms(c: Comparison, whole: Comparisons) -> Drawing | None:
    """The scores of A over those of B, on the same axis."""
    del whole
    found: dict[str, Histogram] = part(part(c, "pictures"), "histograms") or {}
    pairs = [(role, found[role], name) for role, name in zip("ab", c.systems, strict=True) if role in found]
    if not pairs:
        return None
    import altair as alt

    edges = [edge for _, h, _ in pairs for edge in h.edges]
    scale = alt.Scale(domain=[min(edges), max(edges)], nice=False, zero=False)
    panels = []
    for role, histogram, name in pairs:
        last = role == pairs[-1][0]
        x = alt.X(
            "low:Q",
            bin="binned",
            scale=scale,
            title=clean(c.metric) + " per item" if last else None,
            axis=alt.Axis(labels=last, ticks=last),
        )
        bars = alt.Chart(_data(_bins(histogram)), title=alt.TitleParams(_short(name), color=COLOURS[role]))
        panels.append(_bars(bars, x, COLOURS[role]).properties(width=WIDTH, height=58))
    text = (
        "Histograms of the item scores of "
        + " and ".join(f"{_short(name)} ({sum(h.counts):,.0f} items)" for _, h, name in pairs)
        + "."
    )
    return Drawing("scores", "How the items scored", text, alt.vconcat(*panels, spacing=8))


def differences_histogram(c: Comparison, whole: Comparisons) -> Drawing | None:
    """The item differences, coloured by who was better."""
    del whole
    histogram: Histogram | None = (part(part(c, "pictures"), "histograms") or {}).get("difference")
    if histogram is None:
        return None
    import altair as alt

    above, below = ("a", "b") if c.higher_is_better else ("b", "a")
    rows = [row | {"side": above if row["low"] >= 0 else below if row["high"] <= 0 else "null"} for row in _bins(histogram)]
    x = alt.X("low:Q", bin="binned", title="A - B per item", scale=alt.Scale(nice=False, zero=False))
    sides = ("a", "b", "null")
    colours = alt.Scale(domain=list(sides), range=[COLOURS[side] for side in sides])
    bars = _bars(alt.Chart(_data(rows)), x, None).encode(color=alt.Color("side:N", scale=colours, legend=None))
    zero = [_rule(0.0, alt.X("x:Q"), dash=DASHED)] if min(histogram.edges) < 0 < max(histogram.edges) else []
    text = f"Histogram of the differences of {sum(histogram.counts):,.0f} items, blue where {_short(c.systems[0])} was better."
    caption = f"Where the items differ: blue for {_short(c.systems[0])}, orange for {_short(c.systems[1])}"
    return Drawing("differences", caption, text, _layered([bars, *zero]))


def power_chart(c: Comparison, whole: Comparisons) -> Drawing | None:
    """Power against the number of units, with the observed number marked."""
    del whole
    power: Power | None = part(c, "power")
    if power is None or len(power.curve) < 2:
        return None
    import altair as alt

    observed, unit = units_of(c)
    rows = [{"n": point.n, "power": point.power} for point in power.curve]
    sizes = [point.n for point in power.curve]
    kind: Any = "log" if max(sizes) > 20 * max(min(sizes), 1) else "linear"
    scale = alt.Scale(type=kind, domain=[min(sizes), max(sizes)], nice=False, zero=False)
    x = alt.X("n:Q", title=unit, scale=scale, axis=alt.Axis(format="~s"))
    y = alt.Y("power:Q", title=None, scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(format="%"))
    line = alt.Chart(_data(rows)).mark_line(color=COLOURS["a"], strokeWidth=2.5).encode(x, y)
    target = alt.Chart(_data([{"power": 0.8}])).mark_rule(color=COLOURS["muted"], strokeDash=list(DOTTED)).encode(y)
    here = alt.Chart(_data([{"n": observed}])).mark_rule(color=COLOURS["ink"], strokeDash=list(DASHED)).encode(x)
    marked = min(sizes) <= observed <= max(sizes)
    mark = f"; the dashed line is your {observed:,} {unit}" if marked else ""
    text = f"Power against the number of {unit}, from {min(sizes):,} to {max(sizes):,}{mark}."
    layers = [target, line, *([here] if marked else [])]
    return Drawing("power", f"Power to find the observed difference{mark}", text, _layered(layers))


def size_chart(c: Comparison, whole: Comparisons) -> Drawing | None:
    """p against the number of items as in Zhu et al. (2020), figure 5: the mean, the range, and alpha."""
    points = part(part(c, "pictures"), "sizes")
    if not points:
        return None
    import altair as alt

    alpha = alpha_of(whole)
    rows = [{"n": q.n, "p": q.p, "low": part(q, "low"), "high": part(q, "high")} for q in points]
    x = alt.X("n:Q", title="items", scale=alt.Scale(zero=False, nice=False), axis=alt.Axis(format="~s"))
    y = alt.Y("p:Q", title="p", scale=alt.Scale(domain=[0, 1]))
    base = alt.Chart(_data(rows))
    layers = []
    if all(row["low"] is not None and row["high"] is not None for row in rows):
        layers.append(base.mark_area(color=COLOURS["null"], opacity=0.4).encode(x, alt.Y("low:Q", title="p"), alt.Y2("high:Q")))
    layers.append(base.mark_line(color=COLOURS["a"], strokeWidth=2.5).encode(x, y))
    level = ""
    if alpha is not None:
        layers.append(alt.Chart(_data([{"p": alpha}])).mark_rule(color=COLOURS["b"], strokeDash=list(DOTTED)).encode(y))
        level = f"; the dotted line is alpha = {format_level(alpha)}"
    caption = f"p against the number of items{level}"
    return Drawing("sizes", caption, f"{caption}.", _layered(layers))


def _data(rows: list[Any]) -> Any:  # noqa: ANN401 - Altair's data
    import altair as alt

    return alt.InlineData(values=rows)


def _bins(histogram: Histogram) -> list[dict[str, Any]]:
    return [
        {"low": low, "high": high, "count": count}
        for low, high, count in zip(histogram.edges[:-1], histogram.edges[1:], histogram.counts, strict=True)
    ]


def _bars(chart: Any, x: Any, colour: str | None) -> Any:  # noqa: ANN401 - Altair's charts
    import altair as alt

    marked = chart.mark_bar(binSpacing=1) if colour is None else chart.mark_bar(binSpacing=1, color=colour)
    return marked.encode(x, alt.X2("high:Q"), alt.Y("count:Q", title=None))


def _rule(at: float, x: Any, *, colour: str = "ink", width: float = 1, dash: tuple[float, float] = SOLID) -> Any:  # noqa: ANN401
    import altair as alt

    marked = alt.Chart(_data([{"x": at}])).mark_rule(color=COLOURS[colour], strokeWidth=width, strokeDash=list(dash))
    return marked.encode(x)


def _layered(layers: Iterable[Any], width: int = WIDTH, height: int = HEIGHT) -> Any:  # noqa: ANN401 - Altair's charts
    import altair as alt

    return alt.layer(*layers).properties(width=width, height=height)


def _padded(values: list[float], share: float = 0.12) -> tuple[float, float]:
    """A domain with some air on both sides."""
    low, high = min(values), max(values)
    air = share * (high - low) or 0.1 * max(abs(high), 1e-3)
    return low - air, high + air


def _short(name: str) -> str:
    text = clean(name)
    return text if len(text) <= LONGEST_NAME else text[: LONGEST_NAME - 1] + "…"
