"""BLEU: its function of totals against sacreBLEU's, smoothing included, and worked examples."""

from __future__ import annotations

import itertools
import math
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.metrics import BLEU

from outscore.metrics.text.bleu import SMOOTH_VALUES, bleu_of_totals
from outscore.metrics.text.registry import segment_statistics, text_metric

# Okita and Way's poster, appendix: 3 of 6 words and 1 of 5 pairs match, lengths 6 and 7. The poster multiplies precisions
# and takes 6/7 for the penalty; by the standard definition it is the geometric mean and exp(1 - 7/6).
POSTER = ["Israeli officials responsibility of airport safety"], [["Israeli officials are responsible for airport security"]]


def score(spec, hypotheses, references):
    metric, options = text_metric(spec)
    return float(metric.make(options).score(segment_statistics(metric.name, hypotheses, references, options).sum(axis=0)))


def test_the_poster_s_example():
    penalty = math.exp(1 - 7 / 6)
    assert score("bleu:max_ngram_order=1", *POSTER) == pytest.approx(100 * penalty / 2, rel=1e-12)
    assert score("bleu:max_ngram_order=2", *POSTER) == pytest.approx(100 * penalty * math.sqrt(1 / 2 * 1 / 5), rel=1e-12)
    assert round(score("bleu:max_ngram_order=1", *POSTER), 2) == 42.32
    assert round(score("bleu:max_ngram_order=2", *POSTER), 2) == 26.77
    assert score("bleu:smooth_method=none", *POSTER) == 0


def test_the_poster_s_statistics():
    _, options = text_metric("bleu")
    assert segment_statistics("bleu", *POSTER, options).tolist() == [[6, 7, 3, 1, 0, 0, 6, 5, 4, 3]]


def random_rows(order, rows=1000, seed=0):
    """Sums as corpora of any size have them, short ones among them: decreasing totals, matches up to the total or none."""
    random = np.random.default_rng(seed)
    length = random.integers(0, random.choice([4, 12, 300], rows))
    total = np.maximum(length[:, None] - np.arange(order) * random.integers(1, 4, (rows, 1)), 0)
    match = random.integers(0, total + 1) * (random.random((rows, order)) < 0.7)
    reference = np.maximum(length + random.integers(-4, 5, rows), 0)
    return np.column_stack([length, reference, match, total])


@pytest.mark.parametrize(
    ("order", "method", "effective"), list(itertools.product((4, 2), ("exp", "floor", "add-k", "none"), (False, True)))
)
def test_against_compute_bleu(order, method, effective):
    rows = random_rows(order)
    values = {None, 0.5} if method in SMOOTH_VALUES else {None}
    for value in values:
        strength = SMOOTH_VALUES.get(method, 0.0) if value is None else value
        ours = partial(bleu_of_totals, order=order, smooth=method, value=strength, effective=effective)
        theirs = [
            BLEU.compute_bleu(
                row[2 : 2 + order].tolist(),
                row[2 + order :].tolist(),
                int(row[0]),
                int(row[1]),
                smooth_method=method,
                smooth_value=value,
                effective_order=effective,
                max_ngram_order=order,
            ).score
            for row in rows
        ]
        np.testing.assert_allclose(ours(rows), theirs, rtol=1e-12, atol=0)
    # The rows are worth the trouble: many are smoothed, many are not.
    assert 0.1 < np.mean((rows[:, 2 : 2 + order] == 0).any(axis=1)) < 0.95


@pytest.mark.parametrize(
    "spec",
    [
        "bleu:tokenize=none",
        "bleu:tokenize=intl:lowercase=true",
        "bleu:tokenize=char",
        "bleu:smooth_method=add-k",
        "bleu:smooth_method=floor:smooth_value=0.01:effective_order=true",
        "bleu:max_ngram_order=3",
    ],
)
def test_options_reach_the_library(spec, wmt17):
    metric, options = text_metric(spec)
    texts = wmt17("FBK", 80), [wmt17("ref", 80)]
    assert score(spec, *texts) == pytest.approx(metric.corpus_score(*texts, options), rel=1e-12)


LINES = st.lists(st.text(st.sampled_from("ab .,"), max_size=12), min_size=3, max_size=3)


@settings(max_examples=100)
@given(st.lists(LINES, min_size=1, max_size=4), st.sampled_from([1, 2, 4]))
def test_statistics_against_sacrebleu(lines, order):
    """Segment by segment, with two references each."""
    hypotheses, *references = zip(*lines, strict=True)
    metric, options = text_metric(f"bleu:max_ngram_order={order}")
    scorer = BLEU(max_ngram_order=order, smooth_method="none", effective_order=True)
    found = [scorer.sentence_score(line, others) for line, *others in lines]
    rows = [[s.sys_len, s.ref_len, *s.counts, *s.totals] for s in found]
    assert segment_statistics(metric.name, hypotheses, references, options).tolist() == rows


def test_add_k_leaves_the_counts_alone():
    plain, smoothed = (text_metric(spec)[1] for spec in ("bleu", "bleu:smooth_method=add-k"))
    rows = [segment_statistics("bleu", *POSTER, options) for options in (plain, smoothed)]
    np.testing.assert_array_equal(*rows)


def test_nothing_goes_to_the_log(caplog):
    _, options = text_metric("sentence-bleu:effective_order=false")
    segment_statistics("sentence-bleu", ["a b ."] * 150, [["a b ."] * 150], options)
    metric, options = text_metric("bleu")
    metric.corpus_score(["a b ."] * 150, [["a b ."] * 150], options)
    assert not caplog.records


def test_signatures_are_sacrebleu_s():
    metric, options = text_metric("bleu:smooth_method=floor:lowercase=true")
    library = BLEU(lowercase=True, smooth_method="floor")
    library.corpus_score(["a"], [["a"], ["b"]])
    assert metric.signature(options, 2) == f"BLEU|{library.get_signature()}"
    metric, options = text_metric("bleu:max_ngram_order=2")
    assert metric.signature(options, 1).startswith("BLEU-2|nrefs:1|")
