"""Texts whose scores mean less than they seem to: said at the verdict, in `compare` and in `rank`."""

from __future__ import annotations

import unicodedata

import pytest

pytest.importorskip("sacrebleu")

import outscore as osc
from outscore.metrics.text.registry import text_metric
from outscore.workflows.texts.corpus import cautions

PLAIN = ["The house is old.", "Where is it?", "We go home.", "All is well.", "It was late."]
TOKENISED = ["The house is old .", "Where is it ?", "We go home .", "All is well .", "It was late ."]
CHINESE = ["这房子很旧。", "它在哪里?", "我们回家。", "一切都好。", "已经很晚了。"]
FRENCH = ["La fenêtre est fermée.", "Où est le garçon ?", "L'été est passé.", "Le café est là.", "Ça va très bien."]


def told(metric: str, a: list[str], b: list[str], reference: list[str]) -> list[str]:
    notes = cautions([text_metric(metric)], {"A": [a], "B": [b]}, [reference])
    # That a text equals the reference is another matter.
    return [note.text for note in notes if note.kind == "reading"]


def test_plain_text_needs_no_caution():
    for metric in ("bleu", "chrf", "ter", "wer", "meteor", "rougeL", "nist"):
        assert told(metric, PLAIN, PLAIN, PLAIN) == []


def test_tokenised_text_under_a_tokeniser():
    (said,) = told("bleu", TOKENISED, PLAIN, TOKENISED)
    assert said.startswith("BLEU separates words from punctuation, but these texts are already tokenised (A and the reference)")
    assert told("bleu:tokenize=none", TOKENISED, PLAIN, TOKENISED) == []
    assert told("chrf", TOKENISED, TOKENISED, TOKENISED) == []


def test_half_of_the_full_stops_apart_is_not_most_of_them():
    apart, joined = ["A b ."] * 3, ["A b."] * 3
    assert told("bleu", [*apart, *joined], PLAIN, PLAIN) == []
    assert len(told("bleu", [*apart, "A b .", *joined], PLAIN, PLAIN)) == 1


def test_writing_without_spaces():
    for metric in ("bleu", "rouge1", "wer", "ter", "meteor:language=none"):
        assert any("without spaces between words" in text for text in told(metric, CHINESE, CHINESE, CHINESE)), metric
    for metric in ("bleu:tokenize=zh", "chrf", "cer", "ter:normalized=true:asian_support=true"):
        assert told(metric, CHINESE, CHINESE, CHINESE) == []


def test_two_ways_to_write_accents():
    apart = [unicodedata.normalize("NFD", line) for line in FRENCH]
    (said,) = told("bleu", FRENCH, apart, FRENCH)
    assert said.startswith("B writes accents as separate characters (Unicode NFD) in up to 100% of the segments")
    assert told("bleu", apart, apart, apart) == []


def test_meteor_stems_the_language_it_is_told():
    assert any("stems words as English" in text for text in told("meteor", FRENCH, FRENCH, FRENCH))
    assert told("meteor:language=french", FRENCH, FRENCH, FRENCH) == []
    entry, options = text_metric("meteor:language=german:synonyms=none")
    rows = entry.statistics(["die Häuser"], [["das Haus"]], options, None)
    assert entry.corpus_score(["die Häuser"], [["das Haus"]], options) == pytest.approx(rows[0, 0])
    english = text_metric("meteor:synonyms=none")
    assert rows[0, 0] > english[0].statistics(["die Häuser"], [["das Haus"]], english[1], None)[0, 0]


def test_it_stands_at_the_verdict_in_every_form():
    found = osc.compare_texts(TOKENISED, TOKENISED[::-1], TOKENISED, metrics=["bleu", "chrf"])
    text = " ".join(found.to_text().split())
    assert text.index("are already tokenised") < text.index("metric A B")
    assert text.count("are already tokenised") == 1
    assert "are already tokenised" in found.to_latex()
    ranked = osc.rank({"A": TOKENISED, "B": TOKENISED[::-1]}, reference=TOKENISED, metric="bleu")
    ranked = " ".join(ranked.to_text().split())
    assert ranked.index("are already tokenised") < ranked.index("Ranking by")
