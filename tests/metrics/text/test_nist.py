"""NIST: small cases by hand with one and four references, nltk where it is right, and a naive twin."""

from __future__ import annotations

import math
from collections import Counter
from math import log2

import numpy as np
import pytest

from outscore.metrics.text.nist import information
from outscore.metrics.text.registry import segment_statistics, text_metric


def score(hypotheses, references, spec="nist"):
    metric, options = text_metric(spec)
    rows = segment_statistics("nist", hypotheses, references, options, metric.prepare(references, options))
    return float(metric.make(options).score(rows.sum(axis=0)))


ONE = [["a b a", "c d"]]
# Five words: a twice, b, c, d once; so log2(5/2) for a and log2(5) for the others. "a b" follows one of two a: 1 bit;
# "b a", "c d" and "a b a" follow their only history: 0 bits.


def test_information_by_hand():
    _, options = text_metric("nist")
    found = information(ONE, options)
    expected = {("a",): log2(2.5), ("b",): log2(5), ("c",): log2(5), ("d",): log2(5)}
    expected |= {("a", "b"): 1.0}
    assert found == pytest.approx(expected)


def test_one_reference_by_hand():
    """a, b (one of two), c, d match among six words; "a b" and "c d" among four pairs; no brevity penalty."""
    assert score(["a b b", "c d e"], ONE) == pytest.approx((log2(2.5) + 3 * log2(5)) / 6 + 1 / 4)


def test_brevity_by_hand():
    """Two words for five: (log 0.4 / log 1.5)² halvings."""
    penalty = 0.5 ** ((math.log(0.4) / math.log(1.5)) ** 2)
    assert score(["a b", ""], ONE) == pytest.approx(((log2(2.5) + log2(5)) / 2 + 1) * penalty)


def test_two_thirds_of_the_length_keep_half():
    assert score(["a b"], [["a b c"]]) == pytest.approx(0.5 * (log2(3) + 0))


FOUR = [["a b"], ["a a c"], ["d"], ["b a"]]
# Eight words: a four times (1 bit), b twice (2 bits), c and d once (3 bits). "a b", "a a", "a c" follow one of four a
# (2 bits each), "b a" one of two b (1 bit). Most in one reference: a twice, b, c, d once. Mean length 2.


def test_four_references_by_hand():
    """Words a, a, b, d: 1 + 1 + 2 + 3 bits of four; pairs "a a", "a b": 2 + 2 bits of three; no triple."""
    assert score(["a a b d"], FOUR) == pytest.approx(7 / 4 + 4 / 3)


def test_four_references_and_brevity_by_hand():
    """One word for a mean of two."""
    assert score(["d"], FOUR) == pytest.approx(3 * 0.5 ** ((math.log(0.5) / math.log(1.5)) ** 2))


def test_rows_by_hand():
    metric, options = text_metric("nist")
    rows = segment_statistics("nist", ["a a b d", ""], [[*lines, ""] for lines in FOUR], options)
    assert rows[0].tolist() == [7, 4, 0, 0, 0, 4, 3, 2, 1, 0, 4, 2]
    assert not rows[1].any()
    assert len(metric.make(options).columns) == 12


def test_nothing_matches():
    assert score(["x y"], [["a b"]]) == 0
    assert score(["", ""], [["a", "b"]]) == 0
    assert score(["a"], [[""]]) == 0


def test_case_is_ignored_unless_told():
    assert score(["A b"], [["a B"]]) == score(["a b"], [["a b"]])
    assert score(["A b"], [["a B"]], "nist:lowercase=false") == 0


def test_against_nltk_with_one_reference(wmt17):
    from nltk.translate.nist_score import corpus_nist

    hypotheses, reference = wmt17("FBK", 300), wmt17("ref", 300)
    expected = corpus_nist([[line.split()] for line in reference], [line.split() for line in hypotheses])
    assert score(hypotheses, [reference], "nist:tokenize=none:lowercase=false") == pytest.approx(expected, rel=1e-12)


def naive(hypotheses, references, order=5):
    """The same score in loops over orders instead of statistics."""
    grams = lambda words, n: Counter(zip(*(words[i:] for i in range(n)), strict=False))  # noqa: E731
    refs = [[line.split() for line in lines] for lines in references]
    counts = [sum((grams(words, n) for lines in refs for words in lines), Counter()) for n in range(1, order + 1)]
    total = 0.0
    for n in range(1, order + 1):
        top = bottom = 0.0
        for i, line in enumerate(hypotheses):
            words = line.split()
            bottom += max(len(words) - n + 1, 0)
            for gram, count in grams(words, n).items():
                most = max(grams(lines[i], n)[gram] for lines in refs)
                history = counts[n - 2][gram[:-1]] if n > 1 else sum(counts[0].values())
                top += min(count, most) * log2(history / counts[n - 1][gram]) if most else 0.0
        total += top / max(bottom, 1)
    ratio = sum(len(x.split()) for x in hypotheses) / (sum(len(words) for lines in refs for words in lines) / len(refs))
    return total * (1.0 if ratio >= 1 else math.exp(math.log(0.5) * (math.log(ratio) / math.log(1.5)) ** 2))


def test_against_a_naive_twin_with_four_references(wmt17):
    hypotheses = wmt17("FBK", 60)
    references = [wmt17(name, 60) for name in ("ref", "online-A", "KIT", "SYSTRAN")]
    found = score(hypotheses, references, "nist:tokenize=none:lowercase=false")
    assert found == pytest.approx(naive(hypotheses, references), rel=1e-12)


def test_weights_come_from_all_references(wmt17):
    """A piece of the corpus scored with its own weights only is another metric."""
    metric, options = text_metric("nist")
    hypotheses, references = wmt17("FBK", 40), [wmt17("ref", 40)]
    weights = metric.prepare(references, options)
    piece = hypotheses[:10], [lines[:10] for lines in references]
    right = segment_statistics("nist", *piece, options, weights)
    np.testing.assert_array_equal(right, segment_statistics("nist", hypotheses, references, options)[:10])
    assert (segment_statistics("nist", *piece, options) != right).any()
