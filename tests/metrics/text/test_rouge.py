"""ROUGE: by hand, option by option against rouge-score, and alphabets it does not know."""

from __future__ import annotations

import numpy as np
import pytest

from outscore.metrics.text.registry import segment_statistics, text_metric
from outscore.workflows.texts.corpus import cautions

NAMES = ["rouge1", "rouge2", "rougeL", "rougeLsum"]


def scores(spec, hypotheses, references):
    metric, options = text_metric(spec)
    return segment_statistics(metric.name, hypotheses, references, options)[:, 0]


def test_by_hand():
    """ "the cat sat down" and "the cat lay down today": 3 words of 4 and 5, 1 pair of 3 and 4, subsequence of 3."""
    texts = ["the cat sat down"], [["the cat lay down today"]]
    assert scores("rouge1", *texts) == pytest.approx([2 * 3 / (4 + 5)])
    assert scores("rouge2", *texts) == pytest.approx([2 * 1 / (3 + 4)])
    assert scores("rougeL", *texts) == pytest.approx([2 * 3 / (4 + 5)])


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("stemmed", [False, True])
def test_against_rouge_score(name, stemmed, wmt17):
    hypotheses, references = wmt17("FBK", 80), [wmt17("ref", 80), wmt17("online-A", 80)]
    from rouge_score.rouge_scorer import RougeScorer

    library = RougeScorer([name], use_stemmer=stemmed)
    expected = [
        max(library.score(other, line)[name].fmeasure for other in others)
        for line, others in zip(hypotheses, zip(*references, strict=True), strict=True)
    ]
    np.testing.assert_array_equal(scores(f"{name}:use_stemmer={stemmed}", hypotheses, references), expected)


@pytest.mark.parametrize("name", NAMES)
def test_other_alphabets_need_another_tokeniser(name):
    texts = ["Москва большой город"], [["Москва большой город"]]
    assert scores(name, *texts) == [0.0]
    assert scores(f"{name}:tokenize=13a", *texts) == [1.0]
    assert scores(f"{name}:tokenize=zh", ["北京是首都"], [["北京是首都"]]) == [1.0]


def test_stems_with_another_tokeniser():
    texts = ["running dogs"], [["run dog"]]
    assert scores("rouge1:tokenize=none", *texts) == [0.0]
    assert scores("rouge1:tokenize=none:use_stemmer=true", *texts) == [1.0]


def test_signature():
    metric, options = text_metric("rougeL:tokenize=13a:use_stemmer=true")
    said = metric.signature(options, 2)
    assert said.startswith("rougeL|nrefs:2|case:lc|tok:13a|stem:porter|score:fmeasure|rouge-score:")
    assert "|sacrebleu:" in said


class TestSummaries:
    """ROUGE-Lsum takes sentences apart where the texts say so."""

    HYPOTHESIS = "a cat sat. a dog ran."
    REFERENCE = "a dog ran! a cat sat."

    def test_by_hand(self):
        """Sentence by sentence every word is found, in whatever order the sentences stand."""
        broken = [line.replace(". a", ".\na").replace("! a", "!\na") for line in (self.HYPOTHESIS, self.REFERENCE)]
        assert scores("rougeLsum", [broken[0]], [[broken[1]]]) == pytest.approx([1.0])
        plain = [self.HYPOTHESIS], [[self.REFERENCE]]
        assert scores("rougeLsum:split=stop", *plain) == pytest.approx([1.0])
        assert scores("rougeLsum", *plain) == scores("rougeL", *plain) == pytest.approx([0.5])

    def test_full_stops_within_numbers_stay(self):
        from rouge_score.rouge_scorer import RougeScorer

        library = RougeScorer(["rougeLsum"])
        expected = library.score("Who knew?\nIt rained 3.5 mm.", "It rained 3.5 mm.\nWho knew?\nNobody.")["rougeLsum"].fmeasure
        texts = ["It rained 3.5 mm. Who knew? Nobody."], [["Who knew? It rained 3.5 mm."]]
        assert scores("rougeLsum:split=stop", *texts) == pytest.approx([expected])

    def test_plain_lines_are_warned_of(self):
        chosen = [text_metric("rougeLsum")]
        (note,) = cautions(chosen, {"A": [["one. two."]]}, [["one. too."]])
        assert "set split=stop" in note.text
        assert cautions(chosen, {"A": [["one.\ntwo."]]}, [["one. too."]]) == []
        assert cautions([text_metric("rougeLsum:split=stop")], {"A": [["one. two."]]}, [["one. too."]]) == []
