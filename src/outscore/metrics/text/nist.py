"""NIST (Doddington, 2002) with any number of references, as mteval-v13a and v14 compute it.

A matched n-gram counts for the information it carries, log₂(occurrences of its first n - 1 words / its own
occurrences), taken over all references together: these weights are fixed by the references and the same for
every system and resample.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping

import numpy as np

from outscore.core.metric import AdditiveMetric, moving
from outscore.core.numeric import Array
from outscore.core.options import Option
from outscore.metrics.entry import Options
from outscore.metrics.text import sacre
from outscore.metrics.text.entry import Lines, References, TextMetric, segments, version
from outscore.metrics.text.ngrams import count_ngrams, most_of

Ngram = tuple[str, ...]

ORDER = 5
# Doddington (2002), equation 3: a system of two thirds of the reference's length keeps half of its score.
BETA = math.log(0.5) / math.log(1.5) ** 2


def _words(options: Options) -> Callable[[str], list[str]]:
    return sacre.tokeniser(str(options["tokenize"]), "nist", lowercase=bool(options["lowercase"]))


def information(references: References, options: Options) -> dict[Ngram, float]:
    """Doddington (2002), equation 2, for the n-grams of the references that carry any; most long ones carry none."""
    words, counts = _words(options), Counter[Ngram]()
    for lines in references:
        for line in lines:
            counts.update(count_ngrams(words(line), ORDER))
    # The history of a single word is empty and occurs before every word.
    counts[()] = sum(count for ngram, count in counts.items() if len(ngram) == 1)
    return {
        ngram: math.log2(counts[ngram[:-1]] / count) for ngram, count in counts.items() if ngram and count < counts[ngram[:-1]]
    }


def _row(hypothesis: list[str], references: list[list[str]], weights: Mapping[Ngram, float]) -> list[float]:
    """Information of the matches and number of n-grams by order, length, mean reference length."""
    most = most_of(count_ngrams(words, ORDER) for words in references)
    information = [0.0] * ORDER
    for ngram, count in count_ngrams(hypothesis, ORDER).items():
        if ngram in most:
            information[len(ngram) - 1] += weights.get(ngram, 0.0) * min(count, most[ngram])
    possible = [max(len(hypothesis) - n, 0) for n in range(ORDER)]
    return [*information, *possible, len(hypothesis), sum(map(len, references)) / len(references)]


def _statistics(hypotheses: Lines, references: References, options: Options, prepared: object = None) -> Array:
    """`prepared` are the weights of all references; without them, these references are taken to be all."""
    weights = information(references, options) if prepared is None else prepared
    assert isinstance(weights, dict)
    words = _words(options)
    pairs = segments(hypotheses, references)
    rows = [_row(words(line), [words(other) for other in others], weights) for line, others in pairs]
    return np.array(rows, dtype=np.float64)


def nist_of_totals(totals: Array) -> Array:
    """Information per n-gram, summed over the orders, times exp(β·log²(length / reference length)) for short systems.

    Doddington (2002), equation 3.

    Examples
    --------
    >>> nist_of_totals(np.array([30.0, 8, 2, 0, 0, 10, 9, 8, 7, 6, 10, 15])).round(4)
    np.float64(2.0694)
    """
    x = np.asarray(totals, dtype=np.float64)
    precision = (x[..., :ORDER] / np.maximum(x[..., ORDER : 2 * ORDER], 1.0)).sum(axis=-1)
    length, reference = x[..., -2], x[..., -1]
    short = (length < reference) & (length > 0)
    ratio = np.where(short, length / np.where(short, reference, 1.0), 1.0)
    return np.asarray(precision * np.exp(BETA * np.log(ratio) ** 2))


def _signature(options: Options, references: int | str) -> str:
    case = "lc" if options["lowercase"] else "mixed"
    installed = version("sacrebleu", "nist")
    return (
        f"NIST|nrefs:{references}|case:{case}|n:{ORDER}|algorithm:mteval-v13a|tok:{options['tokenize']}|sacrebleu:{installed}"
    )


COLUMNS = (
    *(f"{n}-gram information" for n in range(1, ORDER + 1)),
    *(f"{n}-grams" for n in range(1, ORDER + 1)),
    "hypothesis length",
    "mean reference length",
)

ENTRIES = (
    TextMetric(
        name="nist",
        label="NIST",
        summary="n-gram precision weighted by information",
        formula=(
            r"\sum_{n} \frac{\text{information of matched n-grams}}{\text{number of n-grams}}"
            r" \cdot \exp ( β \log^2 \min ( 1 , \frac{\text{length}}{\text{length of the reference}} ) )"
        ),
        citations=("doddington2002",),
        direction="higher",
        unit="bits",
        library="sacrebleu",
        statistics=_statistics,
        make=lambda _: AdditiveMetric(
            "nist", COLUMNS, nist_of_totals, bounds=(0.0, None), emptied=moving(COLUMNS, dict.fromkeys(COLUMNS[:-1]))
        ),
        signature=_signature,
        corpus_score=None,
        options=(sacre.TOKENIZE, Option("lowercase", bool, True, "ignore case, as mteval does by default")),
        prepare=information,
    ),
)
