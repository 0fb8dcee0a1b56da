"""What explains a difference: words by how rare they are, and n-grams that one system gets right more often."""

from __future__ import annotations

import itertools
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("sacrebleu")

import outscore as osc
from outscore.core.errors import OutscoreError
from outscore.metrics.text.ngrams import BANDS, band_of, better_ngrams, frequency_rows
from outscore.workflows.requests.compare import TextsRequest
from outscore.workflows.texts.run import run

REFERENCE = ["the cat sat on the mat", "the dog and the cow", "a heron saw the cat", "no ibis today", "the end"]
A = ["the cat sat on the mat", "the dog and a cow", "a heron saw the dog", "no ibis today", "the end"]
B = ["the cat sat on the rug", "the dog and the pig", "a bird saw the cat", "no bird today", "an end"]


def explained(a=A, b=B, reference=REFERENCE, metrics=("wer",), **asked):
    return osc.compare_texts(a, b, reference, metrics=list(metrics), explain=True, **asked).words


line = st.lists(st.sampled_from("abcde"), max_size=6).map(" ".join)


@given(st.lists(st.tuples(line, line, line), min_size=1, max_size=5), st.integers(1, 2))
@settings(max_examples=60)
def test_rows_are_those_of_a_naive_count(segments, references):
    """Each word by itself: it is found as often as both sides have it."""
    hypotheses = [one for one, _, _ in segments]
    gold = [[two for _, two, _ in segments], [three for _, _, three in segments]][:references]
    counts = Counter(word for lines in gold[:1] for text in lines for word in text.split())
    rows = frequency_rows(hypotheses, gold, counts)
    for i, text in enumerate(hypotheses):
        wanted = np.zeros((len(BANDS), 3), dtype=int)
        for word in "abcde":
            mine, right = text.split().count(word), max(lines[i].split().count(word) for lines in gold)
            found = min(mine, right)
            wanted[band_of(counts[word])] += (found, mine - found, right - found)
        assert rows[i].tolist() == wanted.tolist()


@given(st.lists(st.tuples(line, line, line), min_size=1, max_size=6))
@settings(max_examples=60)
def test_ngrams_are_those_of_a_naive_count(segments):
    a, b, gold = ([row[k] for row in segments] for k in range(3))

    def grams(text: str, n: int) -> Counter:
        words = text.split()
        return Counter(zip(*(words[i:] for i in range(n)), strict=False))

    matched: dict[tuple[str, ...], list[int]] = {}
    for x, y, ref in zip(a, b, gold, strict=True):
        for n in range(1, 5):
            for gram, times in grams(ref, n).items():
                found = matched.setdefault(gram, [0, 0, 0])
                found[0] += times
                found[1] += min(times, grams(x, n)[gram])
                found[2] += min(times, grams(y, n)[gram])
    for place, listed in enumerate(better_ngrams(a, b, [gold], most=1000), 1):
        for ngram in listed:
            assert [ngram.reference, ngram.a, ngram.b] == matched[tuple(ngram.text.split(" "))]
            assert (ngram.a - ngram.b) * (1 if place == 1 else -1) > 0
        # One that lies in a longer one of the same counts adds nothing.
        texts = {(ngram.text, ngram.a, ngram.b) for ngram in listed}
        for gram, (_, x, y) in matched.items():
            ahead = (x - y) * (1 if place == 1 else -1) > 0
            text = " ".join(gram)
            within = any(f" {text} " in f" {other} " and (x, y) == (m, n) for other, m, n in texts)
            assert within == ahead or not ahead


def test_words_are_bucketed_by_their_frequency_in_the_reference():
    found = explained()
    assert found.counted_in == "the reference"
    by_band = {bucket.value: bucket for bucket in found.buckets}
    # "the" occurs 6 times, "cat" twice, everything else once.
    assert {value: bucket.words for value, bucket in by_band.items()} == {"1": 13, "2": 2, "5-9": 6}
    once = by_band["1"]
    counts = Counter(word for text in REFERENCE for word in text.split())
    scores = []
    for lines in (A, B):
        right = made = 0
        for text, ref in zip(lines, REFERENCE, strict=True):
            mine, wanted = (Counter(w for w in t.split() if counts[w] == 1) for t in (text, ref))
            right += sum((mine & wanted).values())
            made += sum(mine.values()) + sum(wanted.values())
        scores.append(2 * right / made)
    assert (once.a, once.b) == pytest.approx(tuple(scores))
    assert once.difference == pytest.approx(scores[0] - scores[1])


def test_p_is_that_of_all_swaps():
    found = next(bucket for bucket in explained().buckets if bucket.value == "1")
    counts = Counter(word for text in REFERENCE for word in text.split())
    rows = np.array([frequency_rows(lines, [REFERENCE], counts)[:, band_of(1)] for lines in (A, B)])

    def gap(chosen):
        first = sum(rows[k, i] for i, k in enumerate(chosen))
        second = sum(rows[1 - k, i] for i, k in enumerate(chosen))
        one, other = (2 * t[0] / (2 * t[0] + t[1] + t[2]) for t in (first, second))
        return abs(one - other)

    law = [gap(chosen) for chosen in itertools.product((0, 1), repeat=len(REFERENCE))]
    assert found.p.value == pytest.approx(np.mean(np.array(law) >= gap([0] * len(REFERENCE)) - 1e-12))
    assert found.p.adjusted >= found.p.value


def test_frequencies_from_another_text(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("train.txt").write_text("the cat\n" * 12 + "heron\n")
    for name, lines in {"ref": REFERENCE, "a": A, "b": B}.items():
        Path(f"{name}.txt").write_text("\n".join(lines) + "\n")
    asked = {"files": ["a.txt", "b.txt"], "reference": ["ref.txt"], "metric": "wer", "explain": "true", "corpus": "train.txt"}
    found = run(TextsRequest.from_written(asked))
    assert found.words.counted_in == "`train.txt`"
    assert {bucket.value: bucket.words for bucket in found.words.buckets} == {"0": 12, "1": 1, "10-99": 8}
    assert any(one["path"].endswith("train.txt") for one in found.settings["inputs"])
    assert found.words == explained(corpus="train.txt")
    with pytest.raises(OutscoreError, match=r"--corpus .* --explain"):
        TextsRequest.from_written({k: v for k, v in asked.items() if k != "explain"}).validate()


def test_it_is_shown_saved_and_only_made_where_it_is_asked_for(tmp_path):
    found = osc.compare_texts(A, B, REFERENCE, metrics=["wer", "ter"], explain=True)
    text = found.to_text()
    assert "Words by frequency in the reference" in text
    assert "N-grams that A gets right more often" in text
    assert "no ibis today" in text
    assert osc.load(found.save(tmp_path / "r.json")) == found
    for form in (found.to_html(), found.to_markdown(), found.to_latex(verbose=True)):
        assert "ibis" in form
    assert osc.compare_texts(A, B, REFERENCE, metrics=["wer"]).words is None


def test_runs_documents_and_datasets():
    runs = explained([A, B], [B, B])
    once, whole = (next(b for b in found.buckets if b.value == "1") for found in (runs, explained()))
    assert once.a == pytest.approx((whole.a + whole.b) / 2)
    assert once.b == pytest.approx(whole.b)
    assert explained(documents=list("xxyyy")).buckets[0].p.value == 0.5
    # Every dataset has frequencies of its own.
    apart = explained(dataset=["x", "y", "y", "y", "y"])
    assert {b.value: b.words for b in apart.buckets} == {"1": 15, "2": 2, "4": 4}
    # Writing without spaces is taken by characters.
    found = explained(["猫坐"], ["狗坐"], ["猫坐"])
    assert [(b.value, b.a, b.b) for b in found.buckets] == [("1", 1.0, pytest.approx(2 / 3))]


def test_identical_outputs_have_nothing_to_explain():
    found = explained(A, A)
    assert {bucket.p.value for bucket in found.buckets} == {1.0}
    assert found.ngrams_a == found.ngrams_b == []
