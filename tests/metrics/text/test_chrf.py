"""ChrF: its function of totals against sacreBLEU's, smoothing included."""

from __future__ import annotations

import numpy as np
import pytest
from sacrebleu.metrics import CHRF

from outscore.metrics.text.chrf import chrf_of_totals
from outscore.metrics.text.registry import segment_statistics, text_metric


def random_rows(orders, rows=1000, seed=0):
    random = np.random.default_rng(seed)
    sides = random.integers(0, random.choice([2, 5, 400], (rows, 1, 1)), (rows, orders, 2))
    match = random.integers(0, sides.min(axis=2) + 1) * (random.random((rows, orders)) < 0.7)
    return np.concatenate([sides, match[..., None]], axis=2).reshape(rows, 3 * orders)


@pytest.mark.parametrize("smoothed", [False, True])
@pytest.mark.parametrize(("characters", "words", "beta"), [(6, 0, 2), (6, 2, 2), (3, 0, 1), (4, 1, 3)])
def test_against_sacrebleu_on_random_rows(smoothed, characters, words, beta):
    rows = random_rows(characters + words)
    library = CHRF(char_order=characters, word_order=words, beta=beta, eps_smoothing=smoothed)
    theirs = [library._compute_f_score(row) for row in rows.tolist()]
    np.testing.assert_allclose(chrf_of_totals(beta, smoothed=smoothed)(rows), theirs, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize(
    "spec",
    ["chrf:lowercase=true:whitespace=true", "chrf:char_order=4:beta=3", "chrf++:eps_smoothing=true", "chrf:word_order=2"],
)
def test_options_reach_the_library(spec, wmt17):
    metric, options = text_metric(spec)
    texts = wmt17("FBK", 80), [wmt17("ref", 80)]
    rows = segment_statistics(metric.name, *texts, options)
    assert float(metric.make(options).score(rows.sum(axis=0))) == pytest.approx(metric.corpus_score(*texts, options), rel=1e-12)


def test_words_make_chrf_plus_plus():
    (chrf, plain), (plus, options) = text_metric("chrf:word_order=2"), text_metric("chrf++")
    texts = ["das kleine Haus"], [["das große Haus"]]
    np.testing.assert_array_equal(segment_statistics("chrf", *texts, plain), segment_statistics("chrf++", *texts, options))
    assert chrf.make(plain).name == "chrf++"
    assert chrf.signature(plain, 1) == plus.signature(options, 1)
    assert plus.signature(options, 1).startswith("chrF2++|nrefs:1|case:mixed|eff:yes|nc:6|nw:2|space:no|version:")


def test_one_order_by_hand():
    """Characters of "abcd" against "abd": 3 of 4 match and 3 of 3 are found; F2 = 5·(3/4)·1 / (4·(3/4) + 1)."""
    metric, options = text_metric("chrf:char_order=1")
    rows = segment_statistics("chrf", ["abcd"], [["ab d"]], options)
    assert rows.tolist() == [[4, 3, 3]]
    assert float(metric.make(options).score(rows[0])) == pytest.approx(100 * 3.75 / 4)
