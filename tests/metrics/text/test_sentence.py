"""Means of segment scores, segment by segment as sacreBLEU scores them."""

from __future__ import annotations

import numpy as np
import pytest
import sacrebleu

from outscore.metrics.text.registry import segment_statistics, text_metric

ODD = ["", "kurz", "", "zwei Wörter"], [["etwas", "", "", "zwei Wörter"]]


@pytest.mark.parametrize(
    ("name", "library"),
    [
        ("sentence-bleu", sacrebleu.sentence_bleu),
        ("sentence-chrf", sacrebleu.sentence_chrf),
        ("sentence-ter", sacrebleu.sentence_ter),
    ],
)
def test_against_sacrebleu(name, library, wmt17):
    hypotheses = [*wmt17("FBK", 60), *ODD[0]]
    references = [[*wmt17("ref", 60), *ODD[1][0]], [*wmt17("online-A", 60), *ODD[1][0]]]
    _, options = text_metric(name)
    rows = segment_statistics(name, hypotheses, references, options)
    expected = [
        library(line, list(others)).score for line, others in zip(hypotheses, zip(*references, strict=True), strict=True)
    ]
    np.testing.assert_allclose(rows[:, 0], expected, rtol=1e-12, atol=1e-12)
    assert (rows[:, 1] == 1).all()


def test_effective_order_is_on_by_default():
    _, options = text_metric("sentence-bleu")
    assert segment_statistics("sentence-bleu", ["zwei Wörter"], [["zwei Wörter"]], options)[0, 0] == pytest.approx(100)
    _, options = text_metric("sentence-bleu:effective_order=false")
    assert segment_statistics("sentence-bleu", ["zwei Wörter"], [["zwei Wörter"]], options)[0, 0] == 0


def test_signatures_say_what_was_averaged():
    metric, options = text_metric("sentence-ter")
    assert metric.signature(options, 1).startswith("TER|nrefs:1|")
    assert metric.signature(options, 1).endswith("|mean:segments")
