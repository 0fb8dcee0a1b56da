"""The charts: run time against size, Monte Carlo's error against the number of resamples, and p against the sample size."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import altair as alt
from benchmarks.charts import OKABE_ITO, axis, save
from benchmarks.figure5 import ALPHA, PANELS

__all__ = ["draw_errors", "draw_runtime", "draw_sizes"]

BLACK, BLUE, GREEN, YELLOW, ORANGE, PINK = OKABE_ITO
MONTE_CARLO_SHADES = ("#f2b98c", "#ec9a5b", ORANGE, "#8f3e00")
DASHES = ([1, 0], [6, 3], [2, 2], [8, 3, 2, 3])


def draw_runtime(results: dict[str, Any], folder: Path) -> list[str]:
    """Seconds against sentences, both logarithmic: on straight scales the slowest method would flatten all the others."""
    methods = list(dict.fromkeys(point["method"] for point in results["points"]))
    resampled = [name for name in methods if name.startswith("Monte Carlo")]
    largest = results["design"]["sentences"][-1]
    final = {point["method"]: point["median"] for point in results["points"] if point["n"] == largest}
    # The legend in the order of the lines' right ends reads like labels on them.
    order = sorted(methods, key=lambda name: -final[name])
    colour = {"spectral": BLACK, "fft": BLUE, "dp": GREEN} | dict(zip(resampled, MONTE_CARLO_SHADES, strict=False))
    dash = dict(zip(resampled, DASHES, strict=False))
    scale = alt.Scale(domain=order, range=[colour.get(name, PINK) for name in order])
    dashes = alt.Scale(domain=order, range=[dash.get(name, [1, 0]) for name in order])
    chart = (
        alt.Chart(alt.InlineData(values=results["points"]), width=560, height=400)
        .mark_line(point=alt.OverlayMarkDef(size=32, filled=True), strokeWidth=2.2)
        .encode(
            x=alt.X(
                "n:Q",
                scale=alt.Scale(type="log", nice=False, padding=12),
                axis=axis("sentences N", [250, 500, 1e3, 2e3, 4e3, 1e4]),
            ),
            y=alt.Y(
                "median:Q", scale=alt.Scale(type="log", nice=False, padding=10), axis=axis("seconds per test", TEN_POWERS, "~g")
            ),
            color=alt.Color("method:N", scale=scale, legend=alt.Legend(title="method", symbolType="stroke", symbolSize=400)),
            strokeDash=alt.StrokeDash(
                "method:N", scale=dashes, legend=alt.Legend(title="method", symbolType="stroke", symbolSize=400)
            ),
        )
        .properties(
            title=alt.TitleParams(
                "Time of one paired permutation test",
                subtitle="Difference in tagging accuracy, simulated; medians of one interleaved run; lower is faster.",
            )
        )
    )
    return save(chart, folder, "runtime")


TEN_POWERS = [1e-4, 1e-3, 1e-2, 1e-1, 1.0, 1e1]


def draw_errors(results: dict[str, Any], folder: Path) -> list[str]:
    """Relative error against K: as the paper measures it, and what many pairs would show."""
    design = results["design"]
    kinds = {
        "mean": f"measured: {design['pairs']} pairs × {design['runs']} runs",
        "expected": f"expected: {design['many_pairs']} pairs",
    }
    rows = [
        {"n": f"{point['n']:,}", "resamples": point["resamples"], "error": max(point[key], 1e-6), "kind": kinds[key]}
        for point in results["errors"]
        for key in kinds
    ]
    sizes = [f"{n:,}" for n in design["sentences"]]
    colours = alt.Scale(domain=sizes, range=list(OKABE_ITO[: len(sizes)]))
    chart = (
        alt.Chart(alt.InlineData(values=rows), width=330, height=340)
        .mark_line(point=alt.OverlayMarkDef(size=32, filled=True), strokeWidth=2)
        .encode(
            x=alt.X(
                "resamples:Q",
                scale=alt.Scale(type="log", nice=False, padding=12),
                axis=axis("resamples K", [1e3, 2e3, 5e3, 1e4, 2e4, 4e4], "~s"),
            ),
            y=alt.Y(
                "error:Q",
                scale=alt.Scale(type="log", nice=False, padding=10),
                axis=axis("mean relative error of p", ERRORS, "~%"),
            ),
            color=alt.Color(
                "n:N", scale=colours, sort=sizes, legend=alt.Legend(title="sentences N", symbolType="stroke", symbolSize=400)
            ),
            column=alt.Column("kind:N", sort=list(kinds.values())),
        )
        .properties(
            title=alt.TitleParams(
                "Monte Carlo against the exact p-value",
                subtitle="Mean of |hits/K - p| / p, the tagging simulation; no run is discarded.",
            )
        )
    )
    return save(chart, folder, "monte_carlo_error")


ERRORS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50]


def draw_sizes(results: dict[str, Any], folder: Path) -> list[str]:
    """Four panels of p against the sample size: the range as a shade, the mean as a line, alpha dotted."""
    panels = []
    for panel in PANELS:
        rows = [point for point in results["points"] if point["panel"] == panel.key]
        x = alt.X(
            "n:Q",
            scale=alt.Scale(type="log", nice=False),
            axis=axis("sample size", [30, 100, 300, 1e3, 3e3, 1e4, 25e3], "~s"),
        )
        y = alt.Y("mean:Q", scale=alt.Scale(domain=[0, 1]), axis=axis("p", [0, 0.2, 0.4, 0.6, 0.8, 1], "~g"))
        base = alt.Chart(alt.InlineData(values=rows), width=330, height=200)
        shade = base.mark_area(color=PINK, opacity=0.3).encode(x, alt.Y("least:Q"), alt.Y2("largest:Q"))
        line = base.mark_line(color=BLUE, strokeWidth=2.2).encode(x, y)
        level = alt.Chart(alt.InlineData(values=[{"p": ALPHA}])).mark_rule(color=ORANGE, strokeDash=[3, 3]).encode(y="p:Q")
        panels.append(alt.layer(shade, line, level).properties(title=f"({panel.key}) {panel.title}"))
    chart = alt.vconcat(*(alt.hconcat(*panels[i : i + 2]) for i in (0, 2))).properties(
        title=alt.TitleParams(
            "p against the sample size",
            subtitle=f"Mean (line) and range (shade) of {results['design']['tests']} tests, simulated; dotted: alpha = .05.",
        )
    )
    return save(chart, folder, "figure5")
