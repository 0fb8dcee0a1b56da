"""Means of segment scores: sentence-level BLEU, chrF and TER, as sacreBLEU scores single segments.

The scores are the corpus functions applied to each segment's statistics; sacreBLEU's own segment scores check
them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from outscore.core.numeric import Array
from outscore.core.options import Option
from outscore.metrics.entry import Options
from outscore.metrics.text import bleu, chrf, sacre, ter
from outscore.metrics.text.entry import Foreign, Lines, References, TextMetric, segment_mean, segments, to_rows

# Segments shorter than four words would score 0 whatever they say.
EFFECTIVE = Option("effective_order", bool, True, "leave out orders longer than the segment")


def _entry(base: TextMetric, scorer: Callable[[Options], Foreign], formula: str, options: tuple[Option, ...]) -> TextMetric:
    name = f"sentence-{base.name}"

    def statistics(hypotheses: Lines, references: References, options: Options, prepared: object = None) -> Array:
        return to_rows(base.make(options).score(base.statistics(hypotheses, references, options, prepared)))

    def corpus_score(hypotheses: Lines, references: References, options: Options) -> float:
        score = scorer(options)
        pairs = segments(hypotheses, references)
        # A corpus of one segment scores as the segment does, without a word in sacreBLEU's log.
        return float(np.mean([sacre.corpus_score(score, [line], [[other] for other in others]) for line, others in pairs]))

    return replace(
        base,
        name=name,
        label=f"sentence-{base.label}",
        summary=f"mean of the segments' {base.label}",
        formula=formula,
        statistics=statistics,
        make=lambda _: segment_mean(name, base.direction, graded=True),
        signature=lambda options, references: f"{base.signature(options, references)}|mean:segments",
        corpus_score=corpus_score,
        options=options,
        # sacreBLEU tests scores of the corpus only.
        tested_by=(),
        parts=None,
        alone={},
        library_rows=None,
    )


(BLEU,) = bleu.ENTRIES
(TER,) = ter.ENTRIES
CHRF = chrf.ENTRIES[0]

ENTRIES = (
    _entry(
        BLEU,
        bleu.library_scorer,
        r"\frac{1}{n} \sum_{i} \text{BLEU}_i",
        (*(x for x in BLEU.options if x.name != EFFECTIVE.name), EFFECTIVE),
    ),
    _entry(CHRF, chrf.library_scorer, r"\frac{1}{n} \sum_{i} \text{chrF}_i", CHRF.options),
    _entry(TER, ter.library_scorer, r"\frac{1}{n} \sum_{i} \text{TER}_i", TER.options),
)
