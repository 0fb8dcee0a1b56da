"""Simulated comparisons with stated parameters: something to look at before there are data of one's own.

The tagging simulation follows the accuracy and length distribution of part-of-speech taggers on English sentences that the
literature on exact paired tests uses; the others are made for showing F1 and real-valued scores.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["EXAMPLES", "Example", "simulate_f1", "simulate_pos", "simulate_scores"]

Counts = NDArray[np.int64]

POS_MEAN, POS_SD = 0.9543, 0.1116
LENGTH_MEAN, LENGTH_SD = 12.08, 10.60


def simulate_pos(n: int, multiplier: float, rng: np.random.Generator) -> tuple[Counts, Counts, Counts]:
    """Correctly tagged words per sentence for two taggers, and the sentence lengths they share.

    Lengths are rounded normals, at least 1; the accuracy of each sentence is a normal clipped to [0, 1], drawn for each tagger
    on its own, the second one's mean multiplied by `multiplier`.
    """
    lengths = np.maximum(1, np.rint(rng.normal(LENGTH_MEAN, LENGTH_SD, n))).astype(np.int64)
    correct = [
        np.rint(np.clip(rng.normal(mean, POS_SD, n), 0.0, 1.0) * lengths).astype(np.int64)
        for mean in (POS_MEAN, POS_MEAN * multiplier)
    ]
    return correct[0], correct[1], lengths


def simulate_f1(n: int, recall: tuple[float, float], rng: np.random.Generator) -> tuple[Counts, Counts]:
    """True positives and errors per document, (n, 2) for each of two systems.

    Documents have Poisson(6) true entities; a system finds each with its recall and adds Poisson(1) wrong ones.
    """
    entities = rng.poisson(6.0, n)
    tables = []
    for chance in recall:
        found = rng.binomial(entities, chance)
        tables.append(np.column_stack([found, entities - found + rng.poisson(1.0, n)]).astype(np.int64))
    return tables[0], tables[1]


def simulate_scores(n: int, lead: float, rng: np.random.Generator) -> NDArray[np.float64]:
    """Real-valued scores of two systems, (n, 2): a difficulty they share, N(.5, .15), and noise of their own, N(0, .1)."""
    difficulty = rng.normal(0.5, 0.15, n)
    noise = rng.normal(0.0, 0.1, (n, 2))
    scores: NDArray[np.float64] = difficulty[:, None] + noise + np.array([lead, 0.0])
    return scores


@dataclass(frozen=True)
class Example:
    """One simulated comparison: its files (name to header and numbers) and the options that read them."""

    title: str
    files: dict[str, tuple[tuple[str, ...], NDArray[Any]]]
    metric: str | None
    names: tuple[str, str]


def _tagging(rng: np.random.Generator) -> Example:
    n, multiplier = 2_000, 0.985
    first, second, lengths = simulate_pos(n, multiplier, rng)
    header = ("correct", "errors")
    return Example(
        f"Part-of-speech tagging, simulated: {n:,} sentences, accuracy per sentence N({POS_MEAN}, {POS_SD}), lengths "
        f"N({LENGTH_MEAN}, {LENGTH_SD:.2f}), the second tagger's mean times {multiplier}.",
        {
            "tagger-A.tsv": (header, np.column_stack([first, lengths - first])),
            "tagger-B.tsv": (header, np.column_stack([second, lengths - second])),
        },
        "accuracy",
        ("tagger-A", "tagger-B"),
    )


def _entities(rng: np.random.Generator) -> Example:
    n, recall = 500, (0.80, 0.78)
    a, b = simulate_f1(n, recall, rng)
    return Example(
        f"Entity recognition, simulated: {n} documents with Poisson(6) entities, recall {recall[0]:.2f} and {recall[1]:.2f}, "
        "Poisson(1) wrong entities each.",
        {"entities.tsv": (("tp-A", "errors-A", "tp-B", "errors-B"), np.hstack([a, b]))},
        None,
        ("A", "B"),
    )


def _quality(rng: np.random.Generator) -> Example:
    n, lead = 400, 0.02
    scores = simulate_scores(n, lead, rng)
    return Example(
        f"Quality scores, simulated: {n} items of shared difficulty N(.5, .15), noise N(0, .1) per system, the first one "
        f"{lead} ahead.",
        {"quality.tsv": (("model-A", "model-B"), scores)},
        None,
        ("model-A", "model-B"),
    )


# Each draws from a stream of its own, so that changing one leaves the others as they are.
EXAMPLES = (_tagging, _entities, _quality)
