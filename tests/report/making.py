"""A comparison that has every part, with numbers made by hand."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise
from statistics import NormalDist
from typing import Any

from tests.conftest import make_comparison, make_p

from outscore.results.analysis import (
    Advice,
    Analysis,
    ChartData,
    Effect,
    Histogram,
    Normality,
    NullHistogram,
    Power,
    PowerPoint,
    SizePoint,
    Summary,
    TestAdvice,
    UnitRow,
)
from outscore.results.comparison import Bayes, Comparisons, Margin, SystemScore
from outscore.results.design import DecidingItem, Design, PathStep
from outscore.results.note import Note

SETTINGS: dict[str, Any] = {
    "test": "permutation",
    "alternative": "two-sided",
    "alpha": 0.05,
    "resamples": None,
    "seed": 0,
    "inputs": [{"path": "scores.tsv", "rows": 2000, "sha256": "00ff" * 16}],
    "versions": {"outscore": "0", "numpy": "2"},
}


def bell(edges: list[float], middle: float, spread: float) -> Histogram:
    middles = [(low + high) / 2 for low, high in pairwise(edges)]
    return Histogram(edges, [round(300 * math.exp(-(((m - middle) / spread) ** 2) / 2)) for m in middles])


def make_pictures() -> ChartData:
    scores = [round(0.5 + 0.025 * i, 3) for i in range(21)]
    differences = [round(-0.3 + 0.03 * i, 2) for i in range(21)]
    x = [round(-0.02 + 0.0005 * i, 4) for i in range(81)]
    histograms = {"a": bell(scores, 0.95, 0.1), "b": bell(scores, 0.93, 0.11), "difference": bell(differences, 0.0143, 0.08)}
    sizes = [SizePoint(n, math.exp(-n / 700), math.exp(-n / 300), math.exp(-n / 1800)) for n in range(100, 2001, 100)]
    quantiles = [(z, 0.0143 + 0.08 * z**3 / 3) for z in (NormalDist().inv_cdf((i + 0.5) / 60) for i in range(60))]
    null = NullHistogram(x, [math.exp(-((v / 0.0057) ** 2) / 2) for v in x], 0.0143, width=0.0005, drawn=0)
    return ChartData(histograms, null, sizes, quantiles)


def make_analysis() -> Analysis:
    return Analysis(
        systems={
            "a": Summary(2000, 0.9543, 0.975, 0.1116, 0.5, 1.0, 0.9, 1.0),
            "b": Summary(2000, 0.94, 0.96, 0.1207, 0.43, 1.0, 0.88, 1.0),
            "difference": Summary(2000, 0.0143, 0.0, 0.0812, -0.31, 0.33, -0.02, 0.05),
        },
        skewness=-0.2637,
        skewness_band="roughly symmetric",
        normality=Normality("Shapiro-Wilk", 3.1e-12),
        normality_reason="not normal",
        statistic="mean",
        statistic_reason="the differences are roughly symmetric",
        zero_share=0.412,
        correlation=0.764,
        pairing_gain=2.03,
        lag1=0.18,
        warnings=["Neighbouring items are alike (lag-1 autocorrelation .18): give clusters or use block-bootstrap."],
        tests=TestAdvice(
            [Advice("permutation", "Tests the mean itself, without assumptions about its distribution.")],
            [Advice("student", "The mean of many items is close to normal.")],
            [Advice("mcnemar", "Needs items that are right or wrong.")],
        ),
        nlpstattest=TestAdvice(),
    )


def make_full(**changes) -> Comparisons:
    """Every part of a comparison, in a result; changes may be given by name."""
    base = make_comparison(
        clusters=100,
        design=Design(4000, 2000, 2.0, [PathStep("rows", 4000, 0.0143, 0.00012), PathStep("clusters", 100, 0.0143, 0.0123)]),
        notes=[Note("data", "The interval comes from the same design.")],
        scores=(SystemScore("A", 0.9543, 0.9494, 0.9592), SystemScore("B", 0.94, 0.9347, 0.9453)),
    )
    parts = {
        "effects": [Effect("cohen_dz", 0.1761, 0.0312, 0.3209), Effect("discordant_odds_ratio", 1.8, 1.1, None)],
        "tests": [
            make_p(0.0123),
            make_p(0.0211, "monte-carlo", 0.0182, 0.0244, test="bootstrap", kernel="resamples:9999"),
            make_p(0.0199, "asymptotic", test="student", kernel="t"),
        ],
        "margin": Margin(0.005, make_p(0.0004), make_p(0.91)),
        "bayes": Bayes(0.973, 0.021, 0.006, 0.001),
        "analysis": make_analysis(),
        "power": Power(0.0113, [PowerPoint(n, round(1 - math.exp(-n / 900), 4)) for n in (100, 500, 1000, 2000, 4000, 8000)]),
        "deciding_items": [DecidingItem("doc_17/#3", 1.0, 0.4, 0.6, 0.0003), DecidingItem("doc 9", 0.2, 0.9, -0.7, -0.00035)],
        "fragility": 12,
        "pictures": make_pictures(),
        "unit_advice": [UnitRow(1, 2000, 0, 0.0812, 0.1761, 0.0123), UnitRow(3, 666, 2, 0.0469, 0.305, 0.0117)],
    }
    return Comparisons([replace(base, **parts | changes)], SETTINGS)
