"""Texts whose scores mean less than they seem to: said at the verdict, in `compare` and in `rank`."""

from __future__ import annotations

import math
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


def sentences(n: int, word: str = "plain") -> list[str]:
    return [f"This is the {word} sentence with the number {i} of a long text." for i in range(n)]


def warned(reference: list[str], **systems: list[str]) -> list[str]:
    notes = cautions([text_metric("bleu")], {name: [lines] for name, lines in systems.items()}, [reference])
    return [note.text for note in notes if "post-edited" in note.text]


def test_a_reference_that_was_made_from_one_system():
    """Its own system equals it far more often than all others do."""
    a, b, c = sentences(100), sentences(100, "other"), sentences(100, "third")
    edited = [f"Indeed: {line}" if i % 3 else line for i, line in enumerate(a)]
    (said,) = warned(edited, old=b, tool=a, third=c)
    assert said.startswith(
        "The reference looks post-edited from tool: of 100 segments of 40 or more characters, it equals tool in 34"
    )
    assert "no other system in more than 0. Scores then favour tool." in said


@pytest.mark.parametrize(
    ("equal_a", "equal_b", "n", "told"),
    [
        (28, 7, 100, True),  # four times as often, p = .0005
        (20, 5, 100, False),  # four times as often, but p = .004
        (20, 6, 100, False),  # not far more often
        (4, 0, 100, False),  # too rarely
        (5, 0, 100, False),  # 5:0 is p = .0625, as chance may bring it
        (11, 0, 100, True),  # p = .00098
        (10, 0, 100, False),  # p = .00195
        (100, 0, 100, False),  # all of it: the reference itself, which is said otherwise
    ],
)
def test_far_more_often_than_the_others_and_not_by_chance(equal_a, equal_b, n, told):
    gold, a, b = sentences(n), sentences(n, "one"), sentences(n, "two")
    a[:equal_a] = gold[:equal_a]
    if equal_b:
        b[-equal_b:] = gold[-equal_b:]
    p = sum(math.comb(equal_a + equal_b, k) for k in range(equal_b + 1)) * 2 / 2 ** (equal_a + equal_b)
    expected = n > equal_a >= max(3, 0.05 * n) and equal_a >= 4 * max(equal_b, 1) and p <= 0.001
    assert expected == told
    assert bool(warned(gold, A=a, B=b)) == expected


def test_short_segments_are_equal_by_themselves():
    short = [f"Yes, {i}." for i in range(60)]
    assert warned(short, A=[*short[:40], *["No."] * 20], B=["No."] * 60) == []
    assert warned(sentences(50), A=sentences(50)[:30] + sentences(20, "a")) == []


def test_compare_and_rank_say_so():
    gold, a, b = sentences(60), sentences(60), sentences(60, "two")
    a[40:] = sentences(20, "one")
    compared = osc.compare_texts(a, b, gold).comparisons[0]
    told = [compared.notes, osc.rank({"A": a, "B": b, "C": b}, reference=gold).notes]
    for notes in told:
        assert any("looks post-edited from A" in note.text and note.kind == "warning" for note in notes)
