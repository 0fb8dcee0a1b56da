"""ChrF: its counts and its function of them against sacreBLEU's, to the last digit."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.metrics import CHRF

from outscore.metrics.text.chrf import chrf_of_totals
from outscore.metrics.text.registry import segment_statistics, text_metric

SWITCHES = ("lowercase", "whitespace", "eps_smoothing")


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
    ours = partial(chrf_of_totals, beta=beta, smoothed=smoothed)
    assert ours(rows).tolist() == theirs
    assert [float(ours(row)) for row in rows[:50]] == theirs[:50]
    full = rows[(rows > 0).all(axis=1)]
    assert ours(full).tolist() == [library._compute_f_score(row) for row in full.tolist()]


@pytest.mark.parametrize(
    "spec",
    ["chrf:lowercase=true:whitespace=true", "chrf:char_order=4:beta=3", "chrf++:eps_smoothing=true", "chrf:word_order=2"],
)
def test_options_are_those_of_the_library(spec, wmt17):
    metric, options = text_metric(spec)
    texts = wmt17("FBK", 80), [wmt17("ref", 80)]
    rows = segment_statistics(metric.name, *texts, options)
    assert float(metric.make(options).score(rows.sum(axis=0))) == pytest.approx(metric.corpus_score(*texts, options), rel=1e-12)


TEXT = st.text(st.sampled_from("abA ,.(\u00a0\n猫𝄞\ud800"), max_size=12)
LINES = st.integers(1, 3).flatmap(lambda references: st.lists(st.tuples(*[TEXT] * (1 + references)), min_size=1, max_size=4))


@given(
    LINES, st.sampled_from([(6, 0), (6, 2), (2, 1), (1, 0)]), st.fixed_dictionaries({name: st.booleans() for name in SWITCHES})
)
@settings(max_examples=300)
def test_counts_against_sacrebleu(lines, orders, switches):
    """Segment by segment, against the best of several references."""
    hypotheses, *references = zip(*lines, strict=True)
    options = {"char_order": orders[0], "word_order": orders[1], "beta": 2, **switches}
    theirs = CHRF(**options)._extract_corpus_statistics(hypotheses, references)
    assert segment_statistics("chrf", hypotheses, references, options).tolist() == theirs


@pytest.mark.parametrize("spec", ["chrf", "chrf++"])
def test_counts_of_real_texts_against_sacrebleu(spec, wmt17):
    hypotheses, *references = (wmt17(name, 120) for name in ("FBK", "ref", "online-A", "KIT"))
    _, options = text_metric(spec)
    theirs = CHRF(word_order=options["word_order"])._extract_corpus_statistics(hypotheses, references)
    assert segment_statistics(spec, hypotheses, references, options).tolist() == theirs


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
