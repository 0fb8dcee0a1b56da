"""METEOR (Lavie, Agarwal, 2007) over nltk's alignment: exact words, then stems, then WordNet's synonyms where installed.

`meteor` is the mean of the segments' scores, as nltk's users report it. `meteor-corpus` adds up matches,
chunks and lengths first, as the original program does. They are different numbers. A segment counts against
its best reference in both.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.metric import AdditiveMetric
from outscore.core.numeric import Array
from outscore.core.options import Option
from outscore.metrics.entry import Options
from outscore.metrics.text import sacre
from outscore.metrics.text.entry import Foreign, Lines, References, TextMetric, load, segment_mean, segments, to_rows, version

COLUMNS = ("matches", "chunks", "hypothesis length", "reference length")


NO_SYNONYMS: Foreign = SimpleNamespace(synsets=lambda _: [])
"""Stands in for WordNet where its data are not installed or not wanted: nothing is known of any word."""


def _synonyms(options: Options) -> tuple[Foreign, str]:
    """What nltk asks for synonyms, and its name for the signature."""
    if options["synonyms"] == "none":
        return NO_SYNONYMS, "none"
    reader = load("nltk.corpus", "meteor").wordnet
    try:
        reader.ensure_loaded()
    except LookupError:
        if options["synonyms"] == "wordnet":
            raise OutscoreError(
                "nltk's WordNet data are not installed.", "Run `python -m nltk.downloader wordnet`, or use synonyms=none."
            ) from None
        return NO_SYNONYMS, "none"
    return reader, "wordnet"


def _constants(options: Options) -> dict[str, Any]:
    return {option.name: float(str(options[option.name])) for option in CONSTANTS}


def _meteor(totals: Array, *, alpha: float, beta: float, gamma: float) -> Array:
    """(1 - γ·(chunks/matches)^β) · P·R / (α·P + (1 - α)·R), and 0 without a match.

    Lavie, Agarwal (2007), section 2; the F-mean is matches / (α·reference length + (1 - α)·hypothesis
    length).

    Examples
    --------
    >>> _meteor(np.array([[6, 2, 7, 8], [0, 0, 5, 5]]), alpha=0.9, beta=3.0, gamma=0.5).round(4)
    array([0.7454, 0.    ])
    """
    matches, chunks, length, reference = np.moveaxis(np.asarray(totals, dtype=np.float64), -1, 0)
    some = np.where(matches > 0, matches, 1.0)
    mean = matches / np.where(matches > 0, alpha * reference + (1 - alpha) * length, 1.0)
    return np.asarray((1 - gamma * (chunks / some) ** beta) * mean)


def _function(options: Options) -> Callable[[Array], Array]:
    # A closure could not travel to other processes.
    return partial(_meteor, **_constants(options))


def _chunks(matches: Sequence[tuple[int, int]]) -> int:
    """How many runs of neighbours the matches make, on both sides at once."""
    breaks = sum((b[0] - a[0], b[1] - a[1]) != (1, 1) for a, b in pairwise(matches))
    return breaks + bool(matches)


def _rows(hypotheses: Lines, references: References, options: Options, _: object = None) -> Array:
    """The four counts of each segment against its best reference."""
    align, words = load("nltk.translate.meteor_score", "meteor").align_words, _words(options)
    stemmer, (synonyms, _) = sacre.stemmer("meteor", str(options["language"])), _synonyms(options)

    def count(hypothesis: list[str], reference: list[str]) -> tuple[int, int, int, int]:
        matches, _, _ = align(hypothesis, reference, stemmer=stemmer, wordnet=synonyms)
        return len(matches), _chunks(matches), len(hypothesis), len(reference)

    tables = [[count(words(line), words(other)) for line, other in zip(hypotheses, lines, strict=True)] for lines in references]
    rows = np.array(tables, dtype=np.int64)
    best = _function(options)(rows).argmax(axis=0)
    return np.asarray(rows[best, np.arange(len(hypotheses))])


def _segment_scores(hypotheses: Lines, references: References, options: Options, _: object = None) -> Array:
    return to_rows(_function(options)(_rows(hypotheses, references, options)))


def _words(options: Options) -> Callable[[str], list[str]]:
    return sacre.tokeniser(str(options["tokenize"]), "meteor", lowercase=False)


def _mean_of_segments(hypotheses: Lines, references: References, options: Options) -> float:
    """The mean of nltk's own scores."""
    score, words = load("nltk.translate.meteor_score", "meteor").meteor_score, _words(options)
    synonyms, _ = _synonyms(options)
    pairs = segments(hypotheses, references)
    how = {"wordnet": synonyms, "stemmer": sacre.stemmer("meteor", str(options["language"])), **_constants(options)}
    scores = [score([words(x) for x in others], words(line), **how) for line, others in pairs]
    return float(np.mean(scores))


def _signature(name: str) -> Callable[[Options, int | str], str]:
    def signature(options: Options, references: int | str) -> str:
        constants = "|".join(f"{name}:{value:g}" for name, value in _constants(options).items())
        _, synonyms = _synonyms(options)
        stems = "porter" if options["language"] == "english" else options["language"]
        versions = f"nltk:{version('nltk', name)}|sacrebleu:{version('sacrebleu', name)}"
        matching = f"case:lc|tok:{options['tokenize']}|stem:{stems}|synonyms:{synonyms}"
        return f"{name}|nrefs:{references}|{matching}|{constants}|{versions}"

    return signature


CONSTANTS = (
    Option("alpha", float, 0.9, "weight of recall against precision", minimum=0),
    Option("beta", float, 3.0, "how fast the penalty grows with fragmentation", minimum=0),
    Option("gamma", float, 0.5, "largest penalty for fragmentation", minimum=0),
)
METEOR_OPTIONS = (
    sacre.TOKENIZE,
    Option(
        "language",
        str,
        "english",
        "language of the stemmer that joins forms of a word; none for no stemming",
        choices=(*sacre.STEMMED, sacre.UNSTEMMED),
    ),
    Option(
        "synonyms", str, "auto", "WordNet's synonyms: auto uses them if they are installed", choices=("auto", "wordnet", "none")
    ),
    *CONSTANTS,
)

METEOR = TextMetric(
    name="meteor",
    label="METEOR",
    summary="mean of the segments' METEOR",
    formula=(
        r"\frac{1}{n} \sum_{i} ( 1 - γ ( \frac{\text{chunks}_i}{\text{matches}_i} )^β )"
        r" \frac{P_i R_i}{α P_i + ( 1 - α ) R_i}"
    ),
    citations=("lavie2007",),
    direction="higher",
    unit="fraction",
    library="nltk",
    statistics=_segment_scores,
    make=lambda _: segment_mean("meteor"),
    signature=_signature("METEOR"),
    corpus_score=_mean_of_segments,
    options=METEOR_OPTIONS,
)
ENTRIES = (
    METEOR,
    replace(
        METEOR,
        name="meteor-corpus",
        label="METEOR-corpus",
        summary="METEOR of matches, chunks and lengths added up over the corpus",
        formula=(
            r"( 1 - γ ( \frac{\sum_{i} \text{chunks}_i}{\sum_{i} \text{matches}_i} )^β )"
            r" \frac{P R}{α P + ( 1 - α ) R}"
        ),
        statistics=_rows,
        make=lambda options: AdditiveMetric("meteor-corpus", COLUMNS, _function(options), bounds=(0.0, 1.0)),
        signature=_signature("METEOR-corpus"),
        corpus_score=None,
    ),
)
