"""Refusals: texts that do not fit, libraries that are missing or have changed."""

from __future__ import annotations

import sys
from dataclasses import replace

import pytest

from outscore.core.errors import OutscoreError
from outscore.metrics.text.check import verify
from outscore.metrics.text.registry import TEXT_METRICS, segment_statistics, text_metric


def refusal(function, *arguments):
    with pytest.raises(OutscoreError) as caught:
        function(*arguments)
    return str(caught.value)


def test_texts_must_lie_side_by_side():
    _, options = text_metric("bleu")
    said = refusal(segment_statistics, "bleu", ["a", "b"], [["a", "b"], ["a"]], options)
    assert said.startswith("Reference 2 has 1 segments, the system has 2.")
    assert refusal(segment_statistics, "bleu", ["a"], [], options).startswith("Metric `bleu` needs a reference.")
    assert refusal(segment_statistics, "bleu", [], [[]], options).startswith("The system's text has no segments.")


@pytest.mark.parametrize("name", ["wer", "cer"])
def test_error_rates_have_one_reference(name):
    _, options = text_metric(name)
    said = refusal(segment_statistics, name, ["a"], [["a"], ["b"]], options)
    assert said == f"Metric `{name}` uses 1 reference; 2 were given. Leave out `{name}`, or give one reference."


@pytest.mark.parametrize("name", ["ter", "wer", "cer"])
def test_nothing_to_divide_by(name):
    metric, options = text_metric(name)
    rows = segment_statistics(name, ["a b", ""], [["", ""]], options)
    assert "all of them are empty" in refusal(verify, metric, ["a b", ""], [["", ""]], rows, options)


def test_a_sample_of_empty_references_is_not_the_corpus():
    metric, options = text_metric("wer")
    hypotheses, reference = ["a"] * 999, [""] * 998
    reference.insert(1, "a b")
    rows = segment_statistics("wer", hypotheses, [reference], options)
    verify(metric, hypotheses, [reference], rows, options, segments=10)


def test_a_changed_library_is_noticed():
    from importlib.metadata import version

    metric, options = text_metric("bleu")
    texts = ["the cat sat on the mat"], [["the cat sat on a mat"]]
    rows = segment_statistics("bleu", *texts, options)
    other = replace(metric, corpus_score=lambda *_: 50.0)
    said = refusal(verify, other, *texts, rows, options)
    assert f"but sacrebleu {version('sacrebleu')} says 50.0 for the same 1 segments" in said


def test_statistics_of_other_texts_are_noticed():
    metric, options = text_metric("ter")
    rows = segment_statistics("ter", ["a b c"], [["a b d"]], options)
    assert "comes to" in refusal(verify, metric, ["a b d"], [["a b d"]], rows, options)


@pytest.mark.parametrize(
    ("name", "module", "library"),
    [
        ("bleu", "sacrebleu.metrics", "sacrebleu"),
        ("chrf", "sacrebleu.metrics", "sacrebleu"),
        ("ter", "rapidfuzz.distance.Levenshtein", "rapidfuzz"),
        ("wer", "jiwer", "jiwer"),
        ("nist", "sacrebleu.metrics", "sacrebleu"),
        ("meteor", "nltk.translate.meteor_score", "nltk"),
        ("rougeL", "rouge_score.rouge_scorer", "rouge-score"),
    ],
)
def test_missing_libraries(name, module, library, monkeypatch):
    _, options = text_metric(name)
    monkeypatch.setitem(sys.modules, module, None)
    said = refusal(segment_statistics, name, ["a"], [["a"]], options)
    assert said == f"{library} must be installed to use {name}. Run `pip install 'outscore[text]'`."


def test_missing_versions(monkeypatch):
    from outscore.metrics.text import entry

    def missing(_):
        raise entry.metadata.PackageNotFoundError

    monkeypatch.setattr(entry.metadata, "version", missing)
    metric, options = text_metric("wer")
    assert refusal(metric.signature, options, 1).startswith("jiwer must be installed to use wer.")


def test_missing_tokenisers(monkeypatch):
    metric, options = text_metric("bleu:tokenize=ja-mecab")
    monkeypatch.setitem(sys.modules, "MeCab", None)
    monkeypatch.delitem(sys.modules, "sacrebleu.tokenizers.tokenizer_ja_mecab", raising=False)
    said = refusal(segment_statistics, "bleu", ["a"], [["a"]], options)
    assert said.startswith("bleu cannot tokenise with `ja-mecab`: ")
    assert "sacrebleu[ja]" in said
    assert metric is TEXT_METRICS["bleu"]
