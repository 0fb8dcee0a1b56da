"""`--explain`: which words make the difference, whatever the metric."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from outscore.core.numeric import Array
from outscore.core.records import dataclass
from outscore.inference.families.max_t import MAX_T
from outscore.inference.families.multiplicity import correct_family
from outscore.metrics.registry import resolve
from outscore.metrics.text.matches import BANDS, band_name, better_ngrams, count_words, frequency_rows
from outscore.results.subset import WordBucket, WordStudy
from outscore.workflows.compare.arrays import permutation_p
from outscore.workflows.texts.buckets import Labels
from outscore.workflows.texts.datasets import Datasets
from outscore.workflows.texts.runs import mean_of_runs
from outscore.workflows.texts.statistics import Lines, Texts

__all__ = ["Corpus", "study_words"]

SHOWN = 10
"""N-grams of each system."""


@dataclass(frozen=True)
class Corpus:
    """A text in which words are counted, and what it is called."""

    name: str
    lines: Lines


def study_words(
    texts: Texts, datasets: Datasets, documents: Labels | None, correction: str, seed: int, corpus: Corpus | None = None
) -> WordStudy:
    """Words by how rare they are, tested by swaps of segments, and n-grams that one system gets right more often.

    Words are counted in `corpus`, or in the first reference, of each dataset by itself. Of several runs n-grams show the first.
    """
    runs_a, runs_b = ([_rows(run, texts.references, datasets, corpus) for run in side] for side in (texts.a, texts.b))
    buckets = [
        found
        for band in range(len(BANDS))
        if (found := _bucket(band, [rows[:, band] for rows in runs_a], [rows[:, band] for rows in runs_b], documents, seed))
    ]
    if buckets and correction != "none":
        # The metrics' correction by joint swaps knows nothing of these.
        by = "holm" if correction == MAX_T else correction
        corrected, _ = correct_family([bucket.p for bucket in buckets], by)
        buckets = [replace(bucket, p=p) for bucket, p in zip(buckets, corrected, strict=True)]
    for_a, for_b = better_ngrams(texts.a[0], texts.b[0], texts.references, most=SHOWN)
    return WordStudy("the reference" if corpus is None else corpus.name, buckets, for_a, for_b)


def _rows(run: Lines, references: Sequence[Lines], datasets: Datasets, corpus: Corpus | None) -> Array:
    everywhere = {"": np.arange(len(run))}
    rows_of: Mapping[str, Array] = datasets.rows if datasets else everywhere
    found = np.zeros((len(run), len(BANDS), 3), dtype=np.int64)
    for rows in rows_of.values():
        mine = rows.tolist()
        gold = [tuple(lines[i] for i in mine) for lines in references]
        counts = count_words(gold[0] if corpus is None else corpus.lines)
        found[rows] = frequency_rows([run[i] for i in mine], gold, counts)
    return found


def _bucket(band: int, a: Sequence[Array], b: Sequence[Array], documents: Labels | None, seed: int) -> WordBucket | None:
    """One range of frequencies, tested by F1; None where no reference has a word of it."""
    words = int(a[0][:, [0, 2]].sum())
    if not words:
        return None
    # F1 does not tell the two kinds of errors apart.
    right_wrong = [[np.stack([rows[:, 0], rows[:, 1] + rows[:, 2]], axis=1) for rows in runs] for runs in (a, b)]
    metric, _, _ = resolve("f1", right_wrong[0][0], right_wrong[1][0])
    (first, second), together = mean_of_runs(metric, right_wrong)
    one, other = (float(together.score(rows.sum(axis=0))) for rows in (first, second))
    p = permutation_p(
        first,
        second,
        metric=together,
        items=None,
        clusters=documents,
        method="auto",
        resamples=None,
        alternative="two-sided",
        delta=0.0,
        seed=seed,
    )
    return WordBucket(band_name(band), words, one, other, one - other, p)
