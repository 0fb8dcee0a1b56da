"""How the items scored and where they differ: histograms, the cloud of differences over its box and mean, and the QQ plot."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt

from outscore.language.numbers import format_ends, format_number, format_probability
from outscore.language.phrases import decimals_of, interval_noun
from outscore.report.charts import canvas
from outscore.report.document import clean
from outscore.report.palette import COLOURS
from outscore.report.rows.comparison import alone, other_estimand, scored_noun
from outscore.results.analysis import Histogram, Summary
from outscore.results.comparison import Comparison, Comparisons
from outscore.results.pvalue import Interval

SAME = 1e-6
"""Positions closer than this share of a bar are the same."""
MAX_TICKS = 7
CLOUD, BOX, MEAN, TICK = 104, 22, 18, 6
"""Heights of the cloud, of the box under it, of the mean under that, and of half the tick at it."""
GAP, FEW, WIDE_GAP = 3, 6, 14
"""Pixels between the bars of single values, and between those of a few."""


def _bins(histogram: Histogram, values: Sequence[float] | None, one: str) -> list[dict[str, Any]]:
    """A histogram as rows with the text of each bar; `values` are the values of single-valued bars."""
    rows = []
    for i, (low, high, count) in enumerate(zip(histogram.edges[:-1], histogram.edges[1:], histogram.counts, strict=True)):
        at = f"{low:.4g} to {high:.4g}" if values is None else f"{values[i]:.4g}"
        noun = one if count == 1 else f"{one}s"
        rows.append({"low": low, "high": high, "count": count, "hover": f"{at}: {count:,.0f} {noun}"})
    return rows


def _values_of(histogram: Histogram, summaries: Sequence[Summary]) -> list[float] | None:
    """The values of the bars if each is around one value, as for right-or-wrong items; else None."""
    if not summaries:
        return None
    edges = histogram.edges
    width = (edges[-1] - edges[0]) / (len(edges) - 1)
    least, most = min(s.min for s in summaries), max(s.max for s in summaries)
    if max(abs(edges[0] + width / 2 - least), abs(edges[-1] - width / 2 - most)) > SAME * width:
        return None
    return [least + (most - least) * i / max(len(edges) - 2, 1) for i in range(len(edges) - 1)]


def _axis(values: Sequence[float] | None) -> dict[str, Any]:
    """Settings of an axis: ticks only at the values of the bars."""
    if values is None:
        return {}
    every = -(-len(values) // MAX_TICKS)
    # Among those shown is 0, if there is one.
    first = next((i for i, value in enumerate(values) if abs(value) < SAME), 0) % every
    return {"values": list(values[first::every]), "format": ".3~g"}


def _gap(values: Sequence[float] | None) -> float:
    if values is None:
        return 1
    return WIDE_GAP if len(values) <= FEW else GAP


def _summaries(c: Comparison, *names: str) -> list[Summary]:
    values = {} if c.analysis is None else c.analysis.systems
    return [values[name] for name in names if name in values]


def scores_histograms(c: Comparison, _whole: Comparisons) -> canvas.Chart | None:
    """The scores of A over those of B, on the same axes."""
    histograms = {} if c.pictures is None else c.pictures.histograms
    pairs = [(role, histograms[role], name) for role, name in zip("ab", c.systems, strict=True) if role in histograms]
    if not pairs:
        return None
    edges = [edge for _, h, _ in pairs for edge in h.edges]
    scale = canvas.fixed((min(edges), max(edges)))
    most = max(count for _, h, _ in pairs for count in h.counts)
    one, by_itself = scored_noun(c), alone(c)
    axis = f"{clean(c.metric)} of each {one} alone" if by_itself else f"{clean(c.metric)} per {one}"
    values = _values_of(pairs[0][1], _summaries(c, "a", "b"))
    panels, numbers = [], []
    for role, histogram, name in pairs:
        last = role == pairs[-1][0]
        x = alt.X(
            "low:Q",
            bin="binned",
            scale=scale,
            title=axis if last else None,
            axis=alt.Axis(labels=last, ticks=last, **_axis(values)),
        )
        # Equal heights are equal counts in both panels.
        y = alt.Y("count:Q", title=f"{one}s", scale=alt.Scale(domain=[0, most]), axis=canvas.count_axis(most, tickCount=3))
        rows = _bins(histogram, values, one)
        panel = canvas.bars(rows, x, y, gap=_gap(values), color=COLOURS[role])
        panels.append(panel.properties(width=canvas.WIDTH, height=58, title=canvas.short(name)))
        numbers += [{"system": name, **{key: row[key] for key in ("low", "high", "count")}} for row in rows]
    scores = {s.system: format_number(s.value, decimals_of(c)) for s in c.scores}
    described = [
        f"{canvas.short(name)} ({sum(h.counts):,.0f} {one}s, {clean(c.metric)} {scores[name]})" for _, h, name in pairs
    ]
    text = f"Histograms of the {one} scores of {' and '.join(described)}."
    caption = f"Scores of the {one}s" + (", each on its own" if by_itself else "")
    return canvas.Chart("scores", caption, text, canvas.stacked(panels, spacing=8), numbers)


def differences_chart(c: Comparison, _whole: Comparisons) -> canvas.Chart | None:
    """The differences, coloured by who was better; under them, on the same axis, their box and the mean with its interval."""
    histogram = None if c.pictures is None else c.pictures.histograms.get("difference")
    if histogram is None:
        return None
    one = scored_noun(c)
    summary = next(iter(_summaries(c, "difference")), None)
    boxed = summary if summary is not None and summary.q1 < summary.q3 else None
    interval = _interval_of_mean(c, summary)
    values = _values_of(histogram, _summaries(c, "difference"))
    ends = [] if interval is None else [end for end in (interval.low, interval.high) if end is not None]
    domain = (min([*histogram.edges, *ends]), max([*histogram.edges, *ends]))
    scale = canvas.fixed(domain)
    under = boxed is not None or interval is not None
    words = _difference_said(c)

    def x(field: str, *, shown: bool, **more: Any) -> Any:  # noqa: ANN401 - Altair's
        axis = alt.Axis(labels=shown, ticks=shown, domain=shown, **_axis(values))
        return alt.X(field, scale=scale, axis=axis, title=canvas.between(c.systems, words) if shown else None, **more)

    rows = _sided(c, histogram, values, one)
    sides = ("a", "b", "null")
    colours = alt.Color("side:N", scale=alt.Scale(domain=list(sides), range=[COLOURS[side] for side in sides]), legend=None)
    y = alt.Y("count:Q", title=f"{one}s", axis=canvas.count_axis(max(histogram.counts)))
    shown = canvas.bars(rows, x("low:Q", shown=not under, bin="binned"), y, gap=_gap(values)).encode(colours)
    zero = domain[0] < 0 < domain[1]
    cloud = [shown, *([canvas.rule(0.0, x("x:Q", shown=not under), dash=canvas.DASHED)] if zero else [])]
    drawing: Any = canvas.layered(cloud, height=CLOUD if under else CLOUD + BOX + MEAN)
    if under:
        below = x("x:Q", shown=True)
        rain = [*([canvas.rule(0.0, below, dash=canvas.DASHED)] if zero else []), *_box(boxed, below, one)]
        rain += _mean(c, interval, domain, below, at=MEAN / 2 + (BOX if boxed is not None else 0))
        height = (BOX if boxed is not None else 0) + (MEAN if interval is not None else 0)
        drawing = canvas.stacked([drawing, canvas.layered(rain, height=height)], spacing=4)
    caption, text = _in_words(c, histogram, boxed, interval)
    return canvas.Chart("differences", caption, text, drawing, _numbers(c, rows, boxed, interval))


def _interval_of_mean(c: Comparison, summary: Summary | None) -> Interval | None:
    """The interval if it is about the mean of these differences, not about contributions, medians or macro averages."""
    if alone(c) or summary is None or c.interval is None or other_estimand(c) is not None:
        return None
    apart = abs(summary.mean - c.difference)
    return c.interval if apart <= SAME * max(summary.max - summary.min, abs(c.difference)) else None


def _sided(c: Comparison, histogram: Histogram, values: Sequence[float] | None, one: str) -> list[dict[str, Any]]:
    """The bars, each with the system that was better there."""
    above, below = ("a", "b") if c.higher_is_better else ("b", "a")
    rows = []
    for row in _bins(histogram, values, one):
        side = "null"
        if row["low"] >= 0 or row["high"] <= 0:
            side = above if row["low"] >= 0 else below
        rows.append(row | {"side": side})
    return rows


def _box(summary: Summary | None, x: Any, one: str) -> list[Any]:  # noqa: ANN401 - Altair's
    """The middle half as a box, the median in it, and whiskers to the ends."""
    if summary is None:
        return []
    number = {key: f"{value:.4g}" for key, value in vars(summary).items() if isinstance(value, float)}
    all_of = f"all {summary.n:,} {one}s: {number['min']} to {number['max']}"
    box = f"middle half: {number['q1']} to {number['q3']}; median {number['median']}"
    whiskers = [(summary.min, summary.q1), (summary.q3, summary.max)]
    outer = canvas.marks({"x": low, "end": high, "hover": all_of} for low, high in whiskers)
    inner = canvas.marks([{"x": summary.q1, "end": summary.q3, "hover": box}])
    median = canvas.marks([{"x": summary.median, "hover": box}])
    end, top, foot = alt.X2("end:Q"), canvas.at_pixel("Y", 4), canvas.at_pixel("Y2", BOX - 4)
    return [
        outer.mark_rule(color=COLOURS["muted"], strokeWidth=1.5).encode(x, end, canvas.at_pixel("Y", BOX / 2)),
        inner.mark_rect(color=COLOURS["grid"], stroke=COLOURS["muted"], strokeWidth=1).encode(x, end, top, foot),
        median.mark_rule(color=COLOURS["ink"], strokeWidth=2).encode(x, top, foot),
    ]


def _mean(c: Comparison, interval: Interval | None, domain: tuple[float, float], x: Any, *, at: float) -> list[Any]:  # noqa: ANN401
    """The mean as a tick on its interval; a side without an end is an arrow to the edge."""
    if interval is None:
        return []
    low, high = (edge if end is None else end for end, edge in zip((interval.low, interval.high), domain, strict=True))
    hover = _mean_in_words(c, interval)
    line = canvas.marks([{"x": low, "end": high, "hover": hover}]).mark_rule(color=COLOURS["ink"], strokeWidth=4)
    tick = canvas.marks([{"x": c.difference, "hover": hover}]).mark_rule(color=COLOURS["ink"], strokeWidth=2)
    layers = [
        line.encode(x, alt.X2("end:Q"), canvas.at_pixel("Y", at)),
        tick.encode(x, canvas.at_pixel("Y", at - TICK), canvas.at_pixel("Y2", at + TICK)),
    ]
    for end, edge, side in zip((interval.low, interval.high), domain, ("left", "right"), strict=True):
        if end is None:
            shape = f"triangle-{side}"
            head = canvas.marks([{"x": edge}]).mark_point(filled=True, shape=shape, size=70, color=COLOURS["ink"], opacity=1)
            layers.append(head.encode(x, canvas.at_pixel("Y", at)))
    return layers


def _mean_in_words(c: Comparison, interval: Interval) -> str:
    decimals = decimals_of(c)
    ends = format_ends(interval.low, interval.high, decimals)
    return f"mean {format_number(c.difference, decimals, sign=True)}, {interval_noun(interval)} {ends}"


def _in_words(c: Comparison, histogram: Histogram, boxed: Summary | None, interval: Interval | None) -> tuple[str, str]:
    """Caption and description."""
    one, (a, b) = scored_noun(c), map(canvas.short, c.systems)
    begun = f"What each {one} contributes to the difference (jackknife)" if alone(c) else f"Where the {one}s differ"
    right, left = (f"{a} (blue)", f"{b} (orange)")[:: 1 if c.higher_is_better else -1]
    caption = f"{begun}: right of 0 for {right}, left for {left}"
    counts = list(zip(histogram.counts, histogram.edges[:-1], histogram.edges[1:], strict=True))
    most, low, high = max(counts, key=lambda bar: bar[0])
    text = (
        f"Histogram of the differences of {sum(histogram.counts):,.0f} {one}s, blue where {a} was better; "
        f"the highest bar has {most:,.0f} {one}s from {format_number(low)} to {format_number(high)}."
    )
    under = []
    if boxed is not None:
        under.append("a box around the middle half with the median")
        quartiles = f"{format_number(boxed.q1)} to {format_number(boxed.q3)}"
        text += f" The middle half is {quartiles}, the median {format_number(boxed.median)}."
    if interval is not None:
        under.append(f"the mean with its {interval_noun(interval)}")
        text += f" {_mean_in_words(c, interval).capitalize()}."
    if under:
        caption += f"; below, {' and '.join(under)}"
    return caption, text


def _numbers(
    c: Comparison, rows: Sequence[dict[str, Any]], boxed: Summary | None, interval: Interval | None
) -> list[dict[str, object]]:
    numbers: list[dict[str, object]] = [
        {"part": "bar", "low": row["low"], "high": row["high"], "count": row["count"]} for row in rows
    ]
    if boxed is not None:
        numbers += [
            {"part": "range", "low": boxed.min, "high": boxed.max, "count": boxed.n},
            {"part": "middle half and median", "low": boxed.q1, "high": boxed.q3, "value": boxed.median},
        ]
    if interval is not None:
        part = f"mean and {interval_noun(interval)}"
        numbers.append({"part": part, "low": interval.low, "high": interval.high, "value": c.difference})
    return numbers


def _difference_said(c: Comparison) -> str:
    """The title of an axis of differences."""
    a, b = canvas.side_names(c.systems)
    return f"contribution to {a} − {b}" if alone(c) else f"{a} − {b} per {scored_noun(c)}"


def quantile_chart(c: Comparison, _whole: Comparisons) -> canvas.Chart | None:
    """The differences against the quantiles of a normal distribution: on the line where they are normal (QQ plot)."""
    points = sorted(c.pictures.quantiles) if c.pictures is not None else []
    # Right-or-wrong items differ by -1, 0 or 1, of which nobody wonders whether they are normal.
    if len({v for _, v in points}) < 4 or points[0][0] == points[-1][0]:
        return None
    one = scored_noun(c)
    x = alt.X("x:Q", title="quantiles of a normal distribution", scale=alt.Scale(nice=False, zero=False, padding=6))
    y = alt.Y("y:Q", title=_difference_said(c), scale=alt.Scale(zero=False))
    rows = [{"x": u, "y": v, "hover": f"normal quantile {u:.3g}: {v:.4g}"} for u, v in points]
    dots = canvas.marks(rows).mark_point(filled=True, size=14, color=COLOURS["ink"], opacity=0.8)
    line = canvas.marks(_through_quartiles(points)).mark_line(color=COLOURS["muted"], strokeDash=list(canvas.DASHED))
    caption = "The differences against normal quantiles; normal differences would follow the dashed line"
    text = (
        f"Quantiles of the differences of the {one}s against those of a normal distribution, {len(points):,} points "
        "and the line through the quartiles."
    )
    if c.analysis is not None and c.analysis.normality is not None:
        text += f" {c.analysis.normality.test} test of normality: p = {format_probability(c.analysis.normality.p)}."
    numbers = [{"normal_quantile": u, "difference": v} for u, v in points]
    drawing = canvas.layered([dots.encode(x, y), line.encode(x, y)])
    return canvas.Chart("quantiles", caption, text, drawing, numbers)


def _through_quartiles(points: list[tuple[float, float]]) -> list[dict[str, float]]:
    """The ends of the line through the first and third quartile, kept within the reach of the differences."""
    (x1, y1), (x3, y3) = points[len(points) // 4], points[(3 * len(points)) // 4]
    slope = (y3 - y1) / (x3 - x1) if x3 > x1 else 0.0
    lowest, highest = min(y for _, y in points), max(y for _, y in points)
    ends = [points[0][0], points[-1][0]]
    if slope > 0:
        # A steep line leaves the picture before the last quantile does.
        ends = [max(ends[0], x1 + (lowest - y1) / slope), min(ends[1], x1 + (highest - y1) / slope)]
    return [{"x": end, "y": y1 + slope * (end - x1)} for end in ends]
