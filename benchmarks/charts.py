"""The look that all benchmark charts share, and saving them as files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import altair as alt

__all__ = ["GREY", "OKABE_ITO", "axis", "save"]

OKABE_ITO = ("#000000", "#0072B2", "#009E73", "#E69F00", "#D55E00", "#CC79A7")
"""Colours that people with any kind of colour vision can tell apart (Okabe and Ito, 2008)."""
GREY = "#767676"
FONT = "Helvetica, Arial, sans-serif"


def axis(title: str, values: list[float], format_: str = ",") -> alt.Axis:
    """An axis with chosen ticks: a logarithmic scale labels too many of its own."""
    return alt.Axis(title=title, values=values, format=format_, grid=True, labelOverlap=False)


def save(chart: Any, folder: Path, name: str) -> list[str]:  # noqa: ANN401
    """Write the chart as SVG and PNG."""
    folder.mkdir(parents=True, exist_ok=True)
    styled = (
        chart.configure(font=FONT, background="white", padding=12)
        .configure_axis(labelFontSize=12, titleFontSize=13, titleFontWeight="normal", gridColor="#e6e6e6", domainColor=GREY)
        .configure_legend(labelFontSize=12, titleFontSize=12, titleFontWeight="normal", symbolStrokeWidth=2.5, labelLimit=260)
        .configure_title(fontSize=15, anchor="start", subtitleFontSize=12, subtitleColor="#444444", offset=12)
        .configure_view(stroke=None)
        .configure_header(labelFontSize=13, title=None)
    )
    styled.save(folder / f"{name}.svg")
    styled.save(folder / f"{name}.png", scale_factor=2)
    return [f"{name}.svg", f"{name}.png"]
