"""Refusals: texts that do not fit, libraries that are missing or have changed."""

from __future__ import annotations

import importlib.metadata
import sys
from dataclasses import replace

import numpy as np
import pytest

from outscore.core.errors import OutscoreError
from outscore.metrics.text import entry
from outscore.metrics.text.entry import find_doubt, rows_of_library, verify
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
    assert find_doubt(metric, hypotheses, [reference], rows, options, segments=10) is None


def test_a_segment_that_would_take_minutes_is_not_scored_again():
    metric, options = text_metric("ter")
    hypotheses, reference = ["w " * 200_000, *["a cat"] * 11], ["a cat sat"] * 12
    asked = []
    seen = replace(metric, corpus_score=lambda texts, *_: asked.append(list(texts)) or 100 / 3)
    rows = segment_statistics("ter", hypotheses, [reference], options)
    assert find_doubt(seen, hypotheses, [reference], rows, options) is None
    assert asked == [["a cat"] * 4, *[["a cat"]] * 5]


PLAIN = [f"line {i} of a plain and rather ordinary text that is the same on both sides" for i in range(400)]
BLOCK, REST = " ".join(f"b{i}" for i in range(12)), " ".join(f"r{i}" for i in range(13))


@pytest.mark.parametrize(
    ("spec", "line", "reference"),
    [
        pytest.param("ter", f"{BLOCK} {REST}", f"{REST} {BLOCK}", id="moved words"),
        pytest.param("ter:normalized=true", "It's, I think.", "It's, I think.", id="changed by a second tokenising"),
        pytest.param("bleu", f"{BLOCK} x {REST} {BLOCK}", f"{REST} {BLOCK} x {BLOCK}", id="long"),
        pytest.param("sentence-ter", f"{BLOCK} {REST}", f"{REST} {BLOCK}", id="moved words of a segment score"),
    ],
)
def test_the_riskiest_segment_is_checked(spec, line, reference):
    """One segment of four hundred, at a place that an even spread leaves out."""
    metric, options = text_metric(spec)
    hypotheses, references = list(PLAIN), [list(PLAIN)]
    hypotheses[151], references[0][151] = line, reference
    rows = segment_statistics(metric.name, hypotheses, references, options)
    assert find_doubt(metric, hypotheses, references, rows, options) is None
    rows[151, -1] += 1
    assert find_doubt(metric, hypotheses, references, rows, options).where == "segment 152"


@pytest.mark.parametrize("name", [name for name, entry in TEXT_METRICS.items() if entry.corpus_score is not None])
def test_rows_of_the_library_are_ours(name):
    """They take the place of ours where a score differs."""
    metric, options = text_metric(name)
    hypotheses, reference = ["the cat sat on the mat", f"{BLOCK} {REST}", "x"], ["a cat sat on a mat", f"{REST} {BLOCK}", "y z"]
    references = [reference, [*reference[1:], "x y"]][: metric.max_references]
    rows = segment_statistics(name, hypotheses, references, options)
    theirs = rows_of_library(metric, hypotheses, references, options)
    assert theirs.dtype == rows.dtype
    np.testing.assert_allclose(theirs, rows, rtol=1e-12)


def test_a_changed_library_is_noticed():
    metric, options = text_metric("bleu")
    texts = ["the cat sat on the mat"], [["the cat sat on a mat"]]
    rows = segment_statistics("bleu", *texts, options)
    other = replace(metric, corpus_score=lambda *_: 50.0)
    said = refusal(verify, other, *texts, rows, options)
    assert f"but sacrebleu {importlib.metadata.version('sacrebleu')} says 50.0 for segment 1" in said


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
    """ChrF is counted without it, and not believed before it was asked."""
    metric, options = text_metric(name)
    monkeypatch.setitem(sys.modules, module, None)

    def score():
        assert find_doubt(metric, ["a"], [["a"]], segment_statistics(name, ["a"], [["a"]], options), options) is None

    said = refusal(score)
    assert said == f"{library} must be installed to use {name}. Run `pip install 'outscore[text]'`."


def test_missing_versions(fresh_versions, monkeypatch, tmp_path):
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    metric, options = text_metric("wer")
    assert refusal(metric.signature, options, 1).startswith("jiwer must be installed to use wer.")


@pytest.fixture
def fresh_versions():
    entry._named_version.cache_clear()
    yield
    entry._named_version.cache_clear()


@pytest.mark.parametrize("library", ["sacrebleu", "jiwer", "nltk", "rouge-score", "rapidfuzz"])
def test_versions_are_those_of_the_metadata(library, fresh_versions):
    assert entry._named_version(library) == entry.version(library, "x") == importlib.metadata.version(library)


def test_a_version_is_asked_of_the_metadata_where_no_name_says_it(fresh_versions, monkeypatch, tmp_path):
    """The first place on the path counts, and two names in it say nothing."""
    for name in ("sacrebleu-1.0.dist-info", "sacrebleu-2.0.dist-info"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "METADATA").write_text("Metadata-Version: 2.1\nName: sacrebleu\nVersion: 7.0\n")
    monkeypatch.setattr(sys, "path", [str(tmp_path / "absent"), str(tmp_path), *sys.path])
    assert entry._named_version("sacrebleu") is None
    assert entry.version("sacrebleu", "bleu") == "7.0"


def test_missing_tokenisers(monkeypatch):
    metric, options = text_metric("bleu:tokenize=ja-mecab")
    monkeypatch.setitem(sys.modules, "MeCab", None)
    monkeypatch.delitem(sys.modules, "sacrebleu.tokenizers.tokenizer_ja_mecab", raising=False)
    said = refusal(segment_statistics, "bleu", ["a"], [["a"]], options)
    assert said.startswith("bleu cannot tokenise with `ja-mecab`: ")
    assert "sacrebleu[ja]" in said
    assert metric is TEXT_METRICS["bleu"]
