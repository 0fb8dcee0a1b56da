"""Charts of a comparison. Data come binned from the result; nothing is computed here but places on the paper."""

from __future__ import annotations

from typing import Any

import altair as alt
import numpy as np

from outscore.core.numeric import finite
from outscore.inference.populations import FISHER, TWO_SAMPLES
from outscore.language.numbers import format_ends, format_level, format_number, format_p_number, format_probability
from outscore.language.phrases import decimals_of, interval_noun, name_of_test
from outscore.report.charts import canvas
from outscore.report.charts.curves import power_chart, runs_chart, size_chart
from outscore.report.charts.distributions import differences_chart, quantile_chart, scores_histograms
from outscore.report.document import minus
from outscore.report.palette import COLOURS
from outscore.report.rows.comparison import estimates
from outscore.report.rows.facts import alternative_of
from outscore.results.analysis import NullHistogram
from outscore.results.comparison import Comparison, Comparisons
from outscore.results.gate import GateResult
from outscore.results.pvalue import Interval

NEAR = 1e-6
"""Positions closer than this share of a bar are the same."""
MAX_STRETCHED = 4
"""Two pictures have one axis unless that would squeeze one of them into less than a quarter of it."""
HEADROOM, LINE = 1.36, 1.1
"""Heights of the chart and of the line at the observed difference, relative to the distribution; the tails' names are above."""
LETTER = 6
"""How wide a letter is at most, on average, in pixels."""
SURE = ("exact", "certified")
SMALLEST_HALVED = 1e-300
Domain = tuple[float, float]


def difference_chart(c: Comparison, whole: Comparisons) -> canvas.Chart | None:
    """The difference with its interval and 0 beside it; an interval about something else has a row of its own."""
    if finite(c.difference) is None:
        return None
    rows = _marks(c)
    margins = [] if c.margin is None else [-c.margin.value, c.margin.value]
    tested = float(whole.settings.get("delta") or 0)
    domain = _domains(c)[0]
    # A system's colour only where it won.
    colour = COLOURS["ink" if c.decision.winner is None else "ab"[c.decision.winner]]
    scale, title = canvas.fixed(domain), _axis_title(c)
    x = alt.X("x:Q", scale=scale, title=title)
    y = alt.Y("what:N", sort=[row["what"] for row in rows], title=None, axis=None)
    dotted = [*margins, *([tested] if tested else [])]
    layers = [
        canvas.rule(0.0, x, dash=canvas.DASHED),
        *(canvas.rule(end, x, colour="muted", dash=canvas.DOTTED) for end in dotted),
    ]
    drawn = [row for row in rows if row["interval"]]
    if drawn:
        layers += _lines(drawn, domain, alt.X("low:Q", scale=scale, title=title), x, y, colour)
    shown = [row for row in rows if row["x"] is not None]
    layers.append(canvas.marks(shown).mark_point(filled=True, size=110, color=colour, opacity=1).encode(x, y))
    placed = [row | {"x": _within(row["x"], row["label"], domain)} for row in shown]
    written = canvas.marks(placed, told=False).encode(x, y, text=alt.Text("label:N"))
    # A line behind the words would strike them out.
    layers += [written.mark_text(dy=-16, stroke=COLOURS["paper"], strokeWidth=5), written.mark_text(dy=-16)]
    text = "; ".join(row["words"] for row in rows)
    caption = "The difference"
    if drawn:
        caption += " and its interval" if len(rows) == 1 else f" and the {rows[1]['what']}"
    about = f"Difference {canvas.short(c.systems[0])} - {canvas.short(c.systems[1])}: {text}. The dashed line is 0."
    lines_are = "the dashed line is no difference"
    if dotted:
        named = [*(["the margin"] if margins else []), *([f"the tested {tested:g}"] if tested else [])]
        lines_are += f", the dotted {'ones are' if len(dotted) > 1 else 'one is'} {' and '.join(named)}"
    numbers: list[dict[str, object]] = [
        {"what": row["what"], "estimate": row["x"], "low": row["low"], "high": row["high"]} for row in rows
    ]
    if margins:
        numbers.append({"what": "margin", "low": margins[0], "high": margins[1]})
    return canvas.Chart(
        "difference", f"{caption}: {lines_are}", about, canvas.layered(layers, canvas.WIDE, 40 + 70 * len(rows)), numbers
    )


def _lines(rows: list[dict[str, Any]], domain: Domain, x_low: Any, x: Any, y: Any, colour: str) -> list[Any]:  # noqa: ANN401
    """Intervals; an open one runs to the edge of the chart, with an arrow there."""
    lines, arrows = [], []
    for row in rows:
        ends = [edge if row[key] is None else row[key] for key, edge in zip(("low", "high"), domain, strict=True)]
        lines.append({"what": row["what"], "low": ends[0], "high": ends[1], "hover": row["hover"]})
        sides = [side for side, key in (("left", "low"), ("right", "high")) if row[key] is None]
        arrows += [{"what": row["what"], "x": domain[side == "right"], "side": side} for side in sides]
    layers = [canvas.marks(lines).mark_rule(strokeWidth=3, color=colour).encode(x_low, alt.X2("high:Q"), y)]
    if arrows:
        shapes = alt.Scale(domain=["left", "right"], range=["triangle-left", "triangle-right"])
        heads = canvas.marks(arrows).mark_point(filled=True, size=90, color=colour, opacity=1)
        layers.append(heads.encode(x, y, shape=alt.Shape("side:N", scale=shapes, legend=None)))
    return layers


def _axis_title(c: Comparison) -> list[str]:
    """The title of an axis of differences: which side of 0 is better."""
    a, b = canvas.side_names(c.systems)
    better = a if c.higher_is_better else b
    return canvas.between(c.systems, f"{canvas.short(c.metric, 24)}: {a} − {b} (above 0: {better} is better)")


def _within(x: float, label: str, domain: Domain) -> float:
    """Where to centre a label: over its point, or as close to it as the chart allows."""
    half = min(LETTER * len(label) / canvas.WIDE, 1) * (domain[1] - domain[0]) / 2
    return min(max(x, domain[0] + half), domain[1] - half)


def _marks(c: Comparison) -> list[dict[str, Any]]:
    """A row for the difference, and one for the estimand of the interval if that is another."""
    rows = []
    for i, (name, value, interval, places) in enumerate(estimates(c)):
        label = "" if value is None else minus(format_number(value, places, sign=True))
        rows.append(_mark(name if i else c.metric, value, label, interval, places))
    if len(rows) > 1:
        difference, other = rows
        other["words"] = f"{other['what']} {other['words']}"
        for row, name in ((difference, canvas.short(c.metric)), (other, other["what"])):
            row["label"] = f"{name} {row['label']}"
    return rows


def _mark(what: str, x: float | None, label: str, interval: Interval | None, decimals: int) -> dict[str, Any]:
    low, high = (None, None) if interval is None else (interval.low, interval.high)
    ends = "" if interval is None else f", {interval_noun(interval)} {format_ends(low, high, decimals)}"
    return {
        "what": what,
        "x": x,
        "label": label,
        "low": low,
        "high": high,
        "interval": interval is not None,
        "words": label + ends,
        "hover": f"{what}: {label}{ends}",
    }


def _domains(c: Comparison) -> tuple[Domain, Domain | None]:
    """The axes of the difference and of the null distribution: one for both, unless it would make either hard to read."""
    margins = [] if c.margin is None else [-c.margin.value, c.margin.value]
    ends = [row[key] for row in _marks(c) for key in ("x", "low", "high") if row[key] is not None]
    observed = canvas.padded([0.0, *margins, *ends])
    picture = None if c.pictures is None else c.pictures.null
    if picture is None or not picture.x:
        return observed, None
    reach, away = picture.width / 2, abs(picture.observed - picture.centre)
    points = [picture.observed, picture.centre - away, picture.centre + away, picture.x[0] - reach, picture.x[-1] + reach]
    law = canvas.padded(points, share=0.03)
    shared = (min(observed[0], law[0]), max(observed[1], law[1]))
    shortest = min(observed[1] - observed[0], law[1] - law[0])
    return (shared, shared) if shared[1] - shared[0] <= MAX_STRETCHED * shortest else (observed, law)


def null_chart(c: Comparison, whole: Comparisons) -> canvas.Chart | None:
    """The differences that chance alone would give, the observed one among them, and both tails by name."""
    picture = None if c.pictures is None else c.pictures.null
    domain = None if finite(c.difference) is None else _domains(c)[1]
    if picture is None or domain is None:
        return None
    alternative = alternative_of(c, whole) or "two-sided"
    starts = _tail_starts(picture, alternative, turn=1 if c.higher_is_better else -1)
    shares = _shares(c, picture, list(starts))
    centre = minus(f"{picture.centre:g}") if picture.centre else ""
    a, b = canvas.side_names(c.systems)
    if_alike = f"it were {centre}" if centre else "the systems were alike"
    x = alt.X(
        "x:Q",
        title=canvas.between(c.systems, f"{canvas.short(c.metric, 24)}: {a} − {b} if {if_alike}"),
        scale=canvas.fixed(domain),
    )
    peak = max(picture.density)
    y = alt.Y("y:Q", title=None, axis=None, scale=alt.Scale(domain=[0, HEADROOM * peak], nice=False))
    layers = _law(picture, starts, x, y) if picture.width else _curve_of_law(picture, starts, x, y)
    layers += _tails(starts, shares, domain, peak, x, y)
    if picture.centre:
        layers.append(_upright(picture.centre, peak, x, y, "muted", 1, canvas.DOTTED))
    layers.append(_upright(picture.observed, peak, x, y, "ink", 2))
    observed = format_number(picture.observed, decimals_of(c), sign=True)
    alike = f"{a} - {b} were {centre}" if centre else "the systems were alike"
    text = f"Distribution of the difference if {alike}, with the observed {observed} marked"
    against = f", tested against {centre}, dotted" if centre else ""
    moved, moving = "swaps", "randomly swapping the systems"
    if c.unpaired is not None:
        moved, moving = "divisions", "randomly dividing the items again"
    sampled = f" ({picture.drawn:,} random {moved})" if picture.drawn else ""
    sides = " and ".join(side for side in ("below", "above") if side in starts)
    # The picture is of swapped systems; another test's p is not the area under it.
    if c.p.test in ("permutation", TWO_SAMPLES, FISHER):
        text += f"; differences at least as extreme have p = {format_p_number(c.p)}"
        if shares:
            text += ", " + " and ".join(f"{format_probability(share)} {side}" for side, share in shares.items())
        caption = f"What chance alone would give{sampled}; the line is the observed difference ({observed}{against})"
        caption += f", and purple is at least as far {sides}"
    else:
        text += f". It belongs to the permutation test, not to the {name_of_test(c.p.test)}"
        caption = (
            f"What {moving} would give{sampled}, for comparison; the line is the observed difference"
            f" ({observed}{against}), and purple is at least as far {sides}"
        )
    return canvas.Chart("null", caption, f"{text}.", canvas.layered(layers, canvas.WIDE), _numbers(picture, starts, shares))


def _upright(at: float, peak: float, x: Any, y: Any, colour: str, width: float, dash: tuple[float, float] = (1, 0)) -> Any:  # noqa: ANN401
    """A line at one place that ends below the names of the tails."""
    line = canvas.marks([{"x": at, "y": 0, "top": LINE * peak, "hover": f"{at:.6g}"}])
    return line.mark_rule(color=COLOURS[colour], strokeWidth=width, strokeDash=list(dash)).encode(x, y, alt.Y2("top:Q"))


def _tail_starts(picture: NullHistogram, alternative: str, turn: int) -> dict[str, float]:
    """Where what is at least as extreme as the observed begins: on both sides of the tested difference, or on one."""
    away = abs(picture.observed - picture.centre)
    if alternative == "two-sided":
        return {"below": picture.centre - away, "above": picture.centre + away}
    return {"above" if (alternative == "greater") == (turn > 0) else "below": picture.observed}


def _shares(c: Comparison, picture: NullHistogram, sides: list[str]) -> dict[str, float]:
    """The probability of each tail, where the test knows it.

    Swapping the names of both systems mirrors the law, so two tails that do not meet have half of p each.
    """
    if c.p.test != "permutation" or c.p.method not in SURE or c.p.value < SMALLEST_HALVED:
        return {}
    if len(sides) == 2 and picture.observed == picture.centre:
        return {}
    return dict.fromkeys(sides, c.p.value / len(sides))


def _tails(starts: dict[str, float], shares: dict[str, float], domain: Domain, peak: float, x: Any, y: Any) -> list[Any]:  # noqa: ANN401
    """A line on the axis where each tail lies, however thin it is, and its name in the corner above it."""
    reached, names = [], []
    for side, at in starts.items():
        end = domain[0] if side == "below" else domain[1]
        share = f"share {format_probability(shares[side])}" if side in shares else ""
        reached.append({"x": at, "end": end, "y": 0, "hover": f"at least as far {side}: {share or f'from {at:.6g}'}"})
        words = ["at least as far", f"{side}: {share}"] if share else ["at least", f"as far {side}"]
        names.append({"x": end, "y": HEADROOM * peak, "text": words, "side": side})
    layers = [canvas.marks(reached).mark_rule(color=COLOURS["tail"], strokeWidth=4).encode(x, alt.X2("end:Q"), y)]
    for row in names:
        aligned: Any = "left" if row["side"] == "below" else "right"
        text = canvas.marks([row]).mark_text(color=COLOURS["tail"], align=aligned, baseline="top", lineHeight=13)
        layers.append(text.encode(x, y, text=alt.Text("text:N")))
    return layers


def _law(picture: NullHistogram, starts: dict[str, float], x: Any, y: Any) -> list[Any]:  # noqa: ANN401 - Altair's
    """The bars, and the part of them in the tails."""
    rows: list[dict[str, Any]] = [
        {"x": low, "end": high, "y": density, "foot": 0, "hover": f"{low:.4g} to {high:.4g}: share {share:.3g}"}
        for low, high, density, share in _bars_of(picture)
    ]
    tails = []
    for middle, row in zip(picture.x, rows, strict=True):
        # The bar of a single point of the lattice counts whole, as ties do; any other begins at the observed difference.
        on_the_point = {side: abs(middle - start) <= NEAR * picture.width for side, start in starts.items()}
        if "above" in starts and (on_the_point["above"] or row["end"] > starts["above"]):
            tails.append(row | {"x": row["x"] if on_the_point["above"] else max(row["x"], starts["above"])})
        if "below" in starts and (on_the_point["below"] or row["x"] < starts["below"]):
            tails.append(row | {"end": row["end"] if on_the_point["below"] else min(row["end"], starts["below"])})
    ends = (x, alt.X2("end:Q"), y, alt.Y2("foot:Q"))
    layers = [canvas.marks(rows).mark_rect(color=COLOURS["null"], opacity=0.55).encode(*ends)]
    return layers + ([canvas.marks(tails).mark_rect(color=COLOURS["tail"], opacity=0.9).encode(*ends)] if tails else [])


def _bars_of(picture: NullHistogram) -> list[tuple[float, float, float, float]]:
    """Each bar's ends, density and probability."""
    half, whole = picture.width / 2, sum(picture.density)
    return [(at - half, at + half, y, y / whole) for at, y in zip(picture.x, picture.density, strict=True)]


def _curve_of_law(picture: NullHistogram, starts: dict[str, float], x: Any, y: Any) -> list[Any]:  # noqa: ANN401 - Altair's
    """A distribution saved as a curve by version 0.1.0, and its tails, which begin between two of its points."""
    rows = [{"x": at, "y": density} for at, density in zip(picture.x, picture.density, strict=True)]
    tails = []
    for side, start in starts.items():
        edge = {"x": start, "y": float(np.interp(start, picture.x, picture.density, left=0.0, right=0.0))}
        beyond = [row for row in rows if (row["x"] < start if side == "below" else row["x"] > start)]
        tails.append([*beyond, edge] if side == "below" else [edge, *beyond])
    areas = [canvas.marks(rows).mark_area(color=COLOURS["null"], opacity=0.55)]
    areas += [canvas.marks(tail).mark_area(color=COLOURS["tail"], opacity=0.9) for tail in tails if len(tail) > 1]
    return [area.encode(x, y) for area in areas]


def _numbers(picture: NullHistogram, starts: dict[str, float], shares: dict[str, float]) -> list[dict[str, object]]:
    """The distribution bar by bar, with the observed difference and where each tail begins."""
    rows: list[dict[str, object]] = [
        {"part": "law", "low": low, "high": high, "density": density, "share": share}
        for low, high, density, share in _bars_of(picture)
    ]
    rows.append({"part": "observed", "low": picture.observed, "high": picture.observed})
    for side, start in starts.items():
        end = {"low": start} if side == "above" else {"high": start}
        rows.append({"part": f"at least as far {side}", **end, "share": shares.get(side)})
    return rows


def gate_chart(result: GateResult) -> canvas.Chart | None:
    """The one chart, where there is an interval."""
    if result.interval is None:
        return None
    c, interval = result.comparison, result.interval
    margin = -result.margin if c.higher_is_better else result.margin
    low, high = (c.difference if end is None else end for end in (interval.low, interval.high))
    numbers = f"{c.difference:.4g}, {low:.4g} to {high:.4g}"
    row = {"low": low, "high": high, "x": c.difference, "colour": "ink", "hover": numbers}
    scale = canvas.fixed(canvas.padded([low, high, margin, 0.0]))
    x = alt.X("x:Q", scale=scale)
    layers = [
        canvas.rule(0.0, x, dash=canvas.DASHED),
        canvas.rule(margin, x, colour="muted", width=2, dash=canvas.DOTTED),
        *canvas.intervals([row], _axis_title(c), scale, line="ink", width=3, size=70),
    ]
    caption = (
        f"The difference with its interval (two one-sided tests at {format_level(result.alpha)}); the dashed line is no"
        " difference, and the dotted one the margin"
    )
    description = f"{caption}: {numbers}; margin {margin:.4g}; {result.outcome}."
    rows = [
        {"what": c.metric, "difference": c.difference, "low": interval.low, "high": interval.high},
        {"what": "margin", "difference": margin},
    ]
    return canvas.Chart("gate", caption, description, canvas.layered(layers, canvas.WIDE, 60), rows)


CHARTS = (
    difference_chart,
    null_chart,
    scores_histograms,
    differences_chart,
    quantile_chart,
    power_chart,
    size_chart,
    runs_chart,
)
GATE = (gate_chart,)
