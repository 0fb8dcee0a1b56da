"""METEOR: counts by hand, nltk's own scores, and which synonyms were used."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from outscore.core.errors import OutscoreError
from outscore.metrics.text.meteor import NO_SYNONYMS
from outscore.metrics.text.registry import segment_statistics, text_metric


class WordNet:
    """As much of nltk's reader as METEOR uses, with one synonym in it; nltk asks it for stems, and "auto" is its own."""

    def ensure_loaded(self):
        pass

    def synsets(self, word):
        lemma = SimpleNamespace(name=lambda: "auto")
        return [SimpleNamespace(lemmas=lambda: [lemma])] if word == "car" else []


class Missing:
    def ensure_loaded(self):
        raise LookupError


def test_counts_by_hand():
    """ "the cat" and "sleeps" (a stem of "sleeping" is "sleep") match in two runs; the empty line matches nothing."""
    _, options = text_metric("meteor-corpus:synonyms=none")
    rows = segment_statistics("meteor-corpus", ["the cat now sleeps", ""], [["the cat is not sleeping", "x"]], options)
    assert rows.tolist() == [[3, 2, 4, 5], [0, 0, 0, 1]]


def test_segments_and_corpus_are_different_numbers():
    """Two segments: one with all of 4 words in one run, one with 1 of 2."""
    texts = ["a b c d", "a x"], [["a b c d", "a y"]]
    whole, half = 1 - 0.5 * (1 / 4) ** 3, 0.5 * (1 - 0.5)
    found = {}
    for name in ("meteor", "meteor-corpus"):
        metric, options = text_metric(f"{name}:synonyms=none")
        found[name] = float(metric.make(options).score(segment_statistics(name, *texts, options).sum(axis=0)))
    assert found["meteor"] == pytest.approx((whole + half) / 2)
    assert found["meteor-corpus"] == pytest.approx((1 - 0.5 * (2 / 5) ** 3) * 5 / 6)


@pytest.mark.parametrize("constants", ["", ":alpha=0.85:beta=0.2:gamma=0.6"])
def test_segments_of_both_against_nltk(constants, wmt17):
    from nltk.translate.meteor_score import meteor_score

    hypotheses, references = wmt17("FBK", 80), [wmt17("ref", 80), wmt17("online-A", 80)]
    corpus, options = text_metric(f"meteor-corpus:tokenize=none:synonyms=none{constants}")
    expected = [
        meteor_score(
            [x.split() for x in others],
            line.split(),
            wordnet=NO_SYNONYMS,
            **{name: options[name] for name in ("alpha", "beta", "gamma")},
        )
        for line, others in zip(hypotheses, zip(*references, strict=True), strict=True)
    ]
    rows = segment_statistics("meteor-corpus", hypotheses, references, options)
    np.testing.assert_allclose(corpus.make(options).score(rows), expected, rtol=1e-12)
    np.testing.assert_allclose(segment_statistics("meteor", hypotheses, references, options)[:, 0], expected, rtol=1e-12)


@pytest.mark.parametrize(
    ("asked", "reader", "said", "matches"),
    [
        ("auto", WordNet, "wordnet", 2),
        ("wordnet", WordNet, "wordnet", 2),
        ("none", WordNet, "none", 1),
        ("auto", Missing, "none", 1),
    ],
)
def test_synonyms_are_used_where_there_are_any(asked, reader, said, matches, monkeypatch):
    monkeypatch.setattr("nltk.corpus.wordnet", reader())
    metric, options = text_metric(f"meteor-corpus:synonyms={asked}")
    assert segment_statistics("meteor-corpus", ["a car"], [["a auto"]], options)[0, 0] == matches
    assert f"|synonyms:{said}|" in metric.signature(options, 1)


def test_synonyms_that_are_missing(monkeypatch):
    monkeypatch.setattr("nltk.corpus.wordnet", Missing())
    _, options = text_metric("meteor:synonyms=wordnet")
    with pytest.raises(OutscoreError, match=r"nltk\.downloader wordnet"):
        segment_statistics("meteor", ["a"], [["a"]], options)
