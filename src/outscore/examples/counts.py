"""Counts per item: correctly tagged words of sentences, and entities found in documents.

The tagging simulation follows the accuracy and length distribution of part-of-speech taggers on English
sentences that the literature on exact paired tests uses (Zmigrod, Vieira and Cotterell, 2022, section 5).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from outscore.examples.entry import Example, random_stream

Counts = NDArray[np.int64]

POS_MEAN, POS_SD = 0.9543, 0.1116
LENGTH_MEAN, LENGTH_SD = 12.08, 10.60
SENTENCES, MULTIPLIER = 2_000, 0.99
DOCUMENTS, ENTITIES, WRONG = 500, 6, 1
RECALL = (0.80, 0.76)


def simulate_pos(n: int, multiplier: float, rng: np.random.Generator) -> tuple[Counts, Counts, Counts]:
    """Correctly tagged words per sentence for two taggers, and the sentence lengths they share.

    Lengths are rounded normals, at least 1; the accuracy of each sentence is a normal clipped to [0, 1],
    drawn for each tagger separately, with the mean of the second multiplied by `multiplier`.

    Examples
    --------
    >>> first, second, lengths = simulate_pos(100, 0.9, np.random.default_rng(0))
    >>> bool((first <= lengths).all()), bool(first.sum() > second.sum())
    (True, True)
    """
    lengths = np.maximum(1, np.rint(rng.normal(LENGTH_MEAN, LENGTH_SD, n))).astype(np.int64)
    correct = [
        np.rint(np.clip(rng.normal(mean, POS_SD, n), 0.0, 1.0) * lengths).astype(np.int64)
        for mean in (POS_MEAN, POS_MEAN * multiplier)
    ]
    return correct[0], correct[1], lengths


def simulate_f1(
    n: int, recall: tuple[float, float], rng: np.random.Generator, *, entities: float = 6.0, wrong: float = 1.0
) -> tuple[Counts, Counts]:
    """True positives and errors per document, (n, 2) for each of two systems.

    Documents have Poisson(entities) true entities; a system finds each with its recall and adds
    Poisson(wrong) wrong ones.

    Examples
    --------
    >>> a, b = simulate_f1(100, (1.0, 0.5), np.random.default_rng(0), wrong=0.0)
    >>> int(a[:, 1].sum()), bool((a.sum(axis=1) == b.sum(axis=1)).all())
    (0, True)
    """
    true = rng.poisson(entities, n)
    tables = []
    for chance in recall:
        right = rng.binomial(true, chance)
        tables.append(np.column_stack([right, true - right + rng.poisson(wrong, n)]).astype(np.int64))
    return tables[0], tables[1]


def _table(header: Sequence[str], values: Counts) -> str:
    return "".join("\t".join(map(str, row)) + "\n" for row in [header, *values.tolist()])


def _tagging(seed: int) -> dict[str, str]:
    first, second, lengths = simulate_pos(SENTENCES, MULTIPLIER, random_stream("tagging", seed))
    return {
        f"tagger-{name}.tsv": _table(("correct", "errors"), np.column_stack([right, lengths - right]))
        for name, right in (("A", first), ("B", second))
    }


def _counts(seed: int) -> dict[str, str]:
    a, b = simulate_f1(DOCUMENTS, RECALL, random_stream("counts", seed), entities=ENTITIES, wrong=WRONG)
    return {"entities.tsv": _table(("tp-A", "errors-A", "tp-B", "errors-B"), np.hstack([a, b]))}


TAGGING = Example(
    "A small difference that is real",
    "Two taggers about a point of accuracy apart. On this many sentences that is not chance, and the p-value is exact.",
    f"{SENTENCES:,} sentences, accuracy per sentence N({POS_MEAN}, {POS_SD}²) clipped to 0 to 1, lengths "
    f"N({LENGTH_MEAN}, {LENGTH_SD:.2f}²), the second tagger's mean times {MULTIPLIER}.",
    "compare",
    _tagging,
    {"files": ("tagger-A.tsv", "tagger-B.tsv")},
    {"metric": "accuracy"},
)
COUNTS = Example(
    "F1 from counts",
    "True positives and errors per document are all that F1 needs. Its p-value is exact, "
    "although F1 is not a mean over documents.",
    f"{DOCUMENTS} documents with Poisson({ENTITIES}) entities, recall {RECALL[0]:.2f} and {RECALL[1]:.2f}, Poisson({WRONG}) "
    "wrong entities for each system.",
    "compare",
    _counts,
    {"files": ("entities.tsv",)},
    {"names": "A,B"},
)
