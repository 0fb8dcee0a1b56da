"""Table 2 of the literature re-made, and how far Monte Carlo lies from the exact p.

Zmigrod, Vieira and Cotterell simulate five pairs of taggers for each number of sentences and run Monte Carlo five times on each
pair. Five pairs say little about a distribution whose p-values span eight powers of ten; the exact test costs milliseconds, so
the same design is repeated here with 200 pairs, and the table shows between which numbers a mean of five falls nine times in
ten.

A Monte-Carlo p is a binomial proportion, its expected relative error a formula: the smooth curves beside the measured ones.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from benchmarks.tables import markdown
from benchmarks.tagging import SIMULATIONS
from numpy.typing import NDArray

import outscore as osc

__all__ = ["Design", "error_text", "expected_error", "measure", "text"]

Array = NDArray[Any]

PUBLISHED = {
    250: (0.95, 0.0512, 0.1351),
    500: (0.96, 0.0189, 0.0656),
    1_000: (0.97, 0.0153, 0.0534),
    2_000: (0.98, 0.0202, 0.0536),
    4_000: (0.985, 0.0170, 0.0538),
    8_000: (0.99, 0.0360, 0.1146),
}
"""Sentences: multiplier of the second tagger's mean accuracy, published mean and standard deviation of p."""
DISCARDED = 10.0
"""The paper leaves out relative errors above this; here they stay, and are counted."""


@dataclass(frozen=True)
class Design:
    """How much is simulated."""

    sentences: tuple[int, ...] = tuple(PUBLISHED)
    resamples: tuple[int, ...] = (1_000, 2_000, 5_000, 10_000, 20_000, 40_000)
    pairs: int = 5
    runs: int = 5
    many_pairs: int = 200


QUICK = Design(sentences=(250, 500), resamples=(1_000, 2_000), many_pairs=20)


def measure(design: Design) -> dict[str, Any]:
    """Table and errors as plain data."""
    rows = [_row(n, design) for n in design.sentences]
    errors = [point for n in design.sentences for point in _errors(n, design)]
    counts = {key: sum(e[key] for e in errors) for key in ("runs", "above_10", "above_10_with_observed")}
    return {"design": design.__dict__, "table": rows, "errors": errors, "discarded_by_the_paper": counts}


def _exact(n: int, simulation: str, pairs: int) -> Array:
    """Exact p-values; pair i is the same pair wherever it is asked for."""
    tables = (SIMULATIONS[simulation](n, PUBLISHED[n][0], _seed(n, i)) for i in range(pairs))
    return np.array([float(osc.permutation_test(a, b, metric="accuracy", method="exact")) for a, b in tables])


def _seed(n: int, pair: int) -> int:
    return 1_000 * n + pair


def _row(n: int, design: Design) -> dict[str, Any]:
    multiplier, mean, sd = PUBLISHED[n]
    p = _exact(n, "redrawn", design.many_pairs)
    fives = p[: len(p) // 5 * 5].reshape(-1, 5).mean(axis=1)
    return {
        "n": n,
        "multiplier": multiplier,
        "published": {"mean": mean, "sd": sd},
        "few": _moments(p[: design.pairs]),
        "many": _moments(p),
        "five_pair_means": np.quantile(fives, [0.05, 0.95]).tolist(),
        "clipped": _moments(_exact(n, "clipped", design.many_pairs)),
    }


def _moments(p: Array) -> dict[str, float]:
    return {"mean": float(p.mean()), "sd": float(p.std(ddof=1)), "median": float(np.median(p))}


def _errors(n: int, design: Design) -> list[dict[str, Any]]:
    """Mean relative error at every K: five pairs, five runs each, and its expectation over many pairs."""
    many = _exact(n, "redrawn", design.many_pairs)
    tables = [SIMULATIONS["redrawn"](n, PUBLISHED[n][0], _seed(n, i)) for i in range(design.pairs)]
    points = []
    for resamples in design.resamples:
        hits = np.array([[_hits(a, b, resamples, seed) for seed in range(design.runs)] for a, b in tables])
        truth = many[: design.pairs, None]
        error = np.abs(hits / resamples - truth) / truth
        with_observed = np.abs((hits + 1) / (resamples + 1) - truth) / truth
        points.append(
            {
                "n": n,
                "resamples": resamples,
                "runs": error.size,
                "mean": float(error.mean()),
                "above_10": int((error > DISCARDED).sum()),
                "above_10_with_observed": int((with_observed > DISCARDED).sum()),
                "expected": float(np.mean([expected_error(p, resamples) for p in many])),
            }
        )
    return points


def _hits(a: Array, b: Array, resamples: int, seed: int) -> int:
    p = osc.permutation_test(a, b, metric="accuracy", method="monte-carlo", resamples=resamples, seed=seed)
    return round(p.value * (resamples + 1)) - 1


def expected_error(p: float, resamples: int) -> float:
    """E|X/K - p| / p for X ~ Binomial(K, p), in closed form (de Moivre; Diaconis and Zabell, 1991)."""
    if p >= 1:
        return 0.0
    m = math.floor(resamples * p)
    log_choose = math.lgamma(resamples + 1) - math.lgamma(m + 2) - math.lgamma(resamples - m)
    log = math.log(2 * (m + 1)) + log_choose + (m + 1) * math.log(p) + (resamples - m) * math.log1p(-p)
    return math.exp(log) / (resamples * p)


def text(results: dict[str, Any]) -> str:
    """The table as Markdown, with what a reader must know to judge it."""
    many = results["design"]["many_pairs"]
    header = ("N", "mean ×", "published, 5 pairs", "ours, 5 pairs", f"ours, {many} pairs", "90 % of 5-pair means")
    rows = [
        (
            f"{row['n']:,}",
            str(row["multiplier"]),
            *(f"{row[key]['mean']:.4f} ({row[key]['sd']:.4f})" for key in ("published", "few", "many")),
            "{:.4f} – {:.4f}".format(*row["five_pair_means"]),
            f"{row['clipped']['mean']:.4f} ({row['clipped']['sd']:.4f})",
        )
        for row in results["table"]
    ]
    return markdown((*header, f"clipped, {many} pairs"), rows, left=0) + "\n\n" + _remarks(results)


def _remarks(results: dict[str, Any]) -> str:
    counts = results["discarded_by_the_paper"]
    return "\n".join(
        [
            "Mean p (standard deviation). Five pairs are a very noisy design; the last column but one shows how noisy.",
            "Accuracies outside [0, 1] are redrawn, as in the authors' scripts; the last column clips them instead.",
            f"Monte-Carlo runs with a relative error above 10: {counts['above_10']} of {counts['runs']}; none is left out.",
            f"With p = (hits + 1)/(K + 1), never 0: {counts['above_10_with_observed']}, all where p is far below 1/K.",
        ]
    )


def error_text(results: dict[str, Any]) -> str:
    """Mean relative errors, measured and expected, for every N and K."""
    points = {(point["n"], point["resamples"]): point for point in results["errors"]}
    resamples = results["design"]["resamples"]
    rows = [
        (f"{n:,}", *(f"{points[n, k]['mean']:.1%} / {points[n, k]['expected']:.1%}" for k in resamples))
        for n in results["design"]["sentences"]
    ]
    table = markdown(("N", *(f"K = {k:,}" for k in resamples)), rows, left=0)
    return table + "\n\nMean relative error of hits / K: measured on 5 pairs × 5 runs / expected over all pairs."
