"""Simulated comparisons with stated parameters: something to look at before there are data of one's own.

The tagging simulation follows the accuracy and length distribution of part-of-speech taggers on English sentences that the
literature on exact paired tests uses; the others are made for showing F1 and real-valued scores.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "EXAMPLES",
    "Example",
    "TaggedText",
    "simulate_f1",
    "simulate_pos",
    "simulate_scores",
    "simulate_tags",
    "tagged_text",
]

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


# Invented words, of which some are spelt like two kinds.
WORDS = {
    "NOUN": ["bridge", "river", "letter", "teacher", "garden", "song", "market", "window", "answer", "light", "run", "talk"],
    "VERB": ["opens", "reads", "carries", "wants", "finds", "talk", "run", "answer", "light", "sings"],
    "ADJ": ["small", "early", "green", "light", "quiet", "open", "early"],
    "ADV": ["early", "often", "here", "well", "soon"],
    "DET": ["the", "a", "this", "every"],
    "PRON": ["she", "they", "it", "who", "this"],
    "ADP": ["in", "on", "under", "with", "after"],
    "PROPN": ["Ada", "Brno", "Chen", "Delhi"],
}
SHARES = (0.25, 0.16, 0.1, 0.07, 0.16, 0.08, 0.12, 0.06)
CONFUSED = {
    "NOUN": ("PROPN", "VERB"),
    "VERB": ("NOUN", "ADJ"),
    "ADJ": ("NOUN", "ADV"),
    "ADV": ("ADJ", "ADP"),
    "DET": ("PRON", "ADP"),
    "PRON": ("DET", "PROPN"),
    "ADP": ("ADV", "DET"),
    "PROPN": ("NOUN", "ADJ"),
}
ERRORS = {"old-tagger": (0.10, {}), "new-tagger": (0.09, {"PROPN": 0.25, "VERB": 0.03})}


@dataclass(frozen=True)
class TaggedText:
    """Gold tags and two taggers' answers as files of columns: a word and its tag per line, a blank line between sentences."""

    title: str
    files: dict[str, str]


def simulate_tags(sentences: int, rng: np.random.Generator) -> tuple[list[list[str]], dict[str, list[list[str]]]]:
    """Words of so many sentences (3 + Poisson(8) words each), and their tags by file: gold, old-tagger, new-tagger.

    A tagger is wrong with its own chance (10 and 9 %; the new one 25 % on names and 3 % on verbs), and then gives one of two
    tags that are often taken for the right one.
    """
    kinds = list(WORDS)
    words: list[list[str]] = []
    tags: dict[str, list[list[str]]] = {name: [] for name in ("gold", *ERRORS)}
    for length in 3 + rng.poisson(8.0, sentences):
        gold = [kinds[k] for k in rng.choice(len(kinds), int(length), p=SHARES)]
        words.append([WORDS[kind][rng.integers(len(WORDS[kind]))] for kind in gold])
        tags["gold"].append(gold)
        for name, (usual, special) in ERRORS.items():
            wrong = rng.random(len(gold)) < [special.get(kind, usual) for kind in gold]
            tags[name].append(
                [CONFUSED[kind][rng.integers(2)] if missed else kind for kind, missed in zip(gold, wrong, strict=True)]
            )
    return words, tags


def tagged_text(rng: np.random.Generator) -> TaggedText:
    """400 sentences with their tags, as files."""
    n = 400
    words, tags = simulate_tags(n, rng)

    def column(name: str) -> str:
        return "\n".join(
            "".join(f"{w}\t{t}\n" for w, t in zip(*both, strict=True)) for both in zip(words, tags[name], strict=True)
        )

    return TaggedText(
        f"Tags of words, simulated: {n} sentences of 3 + Poisson(8) words; the old tagger is wrong on 10 %, the new one on 9 %,"
        " but on 25 % of names and 3 % of verbs.",
        {f"{name}.tsv": column(name) for name in tags},
    )
