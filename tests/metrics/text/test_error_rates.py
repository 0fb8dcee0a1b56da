"""WER and CER: counts by hand and jiwer's own rates, option by option."""

from __future__ import annotations

import jiwer
import pytest

from outscore.metrics.text.registry import segment_statistics, text_metric


def test_words_by_hand():
    """Hits, substitutions, deletions, insertions."""
    _, options = text_metric("wer")
    rows = segment_statistics("wer", ["a x c", "a b c d", "", "new"], [["a b c", "a b", "a b", ""]], options)
    assert rows.tolist() == [[2, 1, 0, 0], [2, 0, 0, 2], [0, 0, 2, 0], [0, 0, 0, 1]]


def test_characters_by_hand():
    _, options = text_metric("cer")
    rows = segment_statistics("cer", ["abcd", "a b", ""], [["axc", "ab", "ü"]], options)
    assert rows.tolist() == [[2, 1, 0, 1], [2, 0, 0, 1], [0, 0, 1, 0]]


@pytest.mark.parametrize("name", ["wer", "cer"])
@pytest.mark.parametrize("changes", ["", ":lowercase=true", ":no_punct=true", ":lowercase=true:no_punct=true"])
def test_against_jiwer(name, changes, wmt17):
    metric, options = text_metric(name + changes)
    hypotheses, reference = wmt17("FBK", 80), wmt17("ref", 80)
    rows = segment_statistics(name, hypotheses, [reference], options)
    ours = float(metric.make(options).score(rows.sum(axis=0)))
    steps = [step() for key, step in (("lowercase", jiwer.ToLowerCase), ("no_punct", jiwer.RemovePunctuation)) if options[key]]
    changed = [jiwer.Compose(steps)(lines) if steps else lines for lines in (reference, hypotheses)]
    assert ours == pytest.approx(getattr(jiwer, name)(*changed), rel=1e-12)


def test_signature():
    metric, options = text_metric("wer:lowercase=true")
    assert metric.signature(options, 1).startswith("WER|nrefs:1|case:lc|punct:yes|jiwer:")
