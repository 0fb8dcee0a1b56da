"""BLEU, chrF and TER against the installed sacreBLEU, segment by segment, on texts that try to break them."""

from __future__ import annotations

import random

import numpy as np
import pytest

from outscore.metrics.text import bleu, chrf, error_rates
from outscore.metrics.text.entry import rows_of_library
from outscore.metrics.text.registry import segment_statistics, text_metric

sacrebleu = pytest.importorskip("sacrebleu")

MANY, FEW = 20_000, 120
SHORT = 11
"""Words of a short segment."""
SETTINGS = [
    "bleu",
    "bleu:tokenize=none",
    "bleu:tokenize=intl:lowercase=true",
    "bleu:tokenize=char",
    "bleu:tokenize=zh:smooth_method=floor",
    "bleu:max_ngram_order=2:effective_order=true:smooth_method=add-k",
    "chrf",
    "chrf:whitespace=true:lowercase=true",
    "chrf:eps_smoothing=true:char_order=4:beta=1",
    "chrf++",
    "ter",
    "ter:case_sensitive=true",
    "ter:no_punct=true",
    "ter:normalized=true",
    "ter:normalized=true:asian_support=true",
    "ter:no_punct=true:asian_support=true:case_sensitive=true",
    "ter:normalized=true:no_punct=true:asian_support=true",
]
QUICK = ["bleu", "chrf++", "ter", "ter:normalized=true:asian_support=true"]
SCORERS = {
    "bleu": bleu.library_scorer,
    "chrf": chrf.library_scorer,
    "chrf++": chrf.library_scorer,
    "ter": error_rates.ter_scorer,
}
SEVERAL = 3
"""References of each segment."""
# Tokens that a tokeniser changes again when it sees them a second time, marks, escapes, digits, other scripts, letters whose
# lower case is longer or depends on their neighbours, blanks of all kinds, characters that show nothing.
ODD = [
    *("McDonald's,", "it's.", "'s", "3.5", "1,000,", "-5-", "9-", "a-b", "&amp;lt;", "&quot;", "&amp;", "<skipped>", "$5."),
    *("U.S.", "...", ".,", "?!", '"so"', "(x)", "[y]", "{z}", "~", "#1", "a/b", "'", "`", "--", "\u2014", "«", "»", "¿"),
    *("e.g.,", "%", "+", "東京は、首都です。", "北京，", "カタカナ", "ひらがな", "㈱", "。", "、", "！", "ｆｕｌｌ", "한국어."),
    *("สวัสดี", "مرحبا،", "שלום", "नमस्ते।", "İstanbul", "ΟΔΟΣ", "Σ", "ß", "ẞ", "ǅ", "naïve", "nai\u0308ve", "👍"),
    *("👩\u200d👩\u200d👧", "🇩🇪", "\U00020000", "\u00a0", "\u3000", "\u200b", "\u00ad", "\ufeff", "\u2028", "\x85"),
    *("\x1c", "\x07", "\x00", "\t", "\r", "  ", "x\ty", "a\u00a0b"),
]


class Maker:
    """Segments and their references from a seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)  # noqa: S311 - no secret

    def words(self, length: int) -> list[str]:
        """So many words of a large or a small vocabulary, some of them odd."""
        # Few different words in a long segment have shifts that take sacreBLEU seconds.
        kinds = self.random.choice([1, 2, 3, 8, 40] if length <= SHORT else [30, 100, 400])
        odd = self.random.choice([0.0, 0.0, 0.1, 0.5] if length <= SHORT else [0.0, 0.05])
        return [
            self.random.choice(ODD) if self.random.random() < odd else f"w{self.random.randrange(kinds)}" for _ in range(length)
        ]

    def length(self) -> int:
        """Mostly of a sentence, sometimes nothing, sometimes a paragraph."""
        low, high = self.random.choices([(0, 3), (3, SHORT), (SHORT, 30), (30, 60)], [0.15, 0.65, 0.17, 0.03])[0]
        return self.random.randint(low, high)

    def edited(self, words: list[str]) -> list[str]:
        """The words with blocks moved, words replaced, left out and added."""
        words = list(words)
        for _ in range(self.random.randint(0, 5)):
            place, long = self.random.randint(0, len(words)), self.random.randint(1, 16)
            kind = self.random.random()
            if kind < 0.45:
                block = words[place : place + long]
                del words[place : place + long]
                to = self.random.randint(0, len(words))
                words[to:to] = block
            elif kind < 0.65:
                words[place : place + 1] = self.words(1)
            elif kind < 0.85:
                del words[place : place + self.random.randint(1, 3)]
            else:
                words[place:place] = self.words(self.random.randint(1, 4))
        return words

    def line(self, words: list[str]) -> str:
        """The words with blanks between them, and a few of their letters as capitals."""
        blank = self.random.choice([" ", " ", " ", "  ", " \u00a0", "\t"])
        written = [word.upper() if self.random.random() < 0.05 else word for word in words]
        ends = [self.random.choice(["", "", "", " ", "\n", "  ", "."]) for _ in range(2)]
        return ends[0].replace(".", "") + blank.join(written) + ends[1]

    def texts(self, segments: int) -> tuple[list[str], list[list[str]]]:
        """Lines of a system, and of its references: made from each other, or independent."""
        rows = []
        for _ in range(segments):
            reference = self.words(self.length())
            related = self.random.random() < 0.85
            hypothesis = self.edited(reference) if related else self.words(self.length())
            others = [self.edited(reference) for _ in range(SEVERAL - 1)]
            rows.append([self.line(words) for words in (hypothesis, reference, *others)])
        lines, *references = map(list, zip(*rows, strict=True))
        return lines, references


def check_scores(spec: str, segments: int, seed: int) -> None:
    """All rows against one reference, some of them against several, and the score of each row."""
    metric, options = text_metric(spec)
    lines, references = Maker(seed).texts(segments)
    part = segments // 8
    for hypotheses, gold in ((lines, references[:1]), (lines[:part], [one[:part] for one in references])):
        ours = segment_statistics(metric.name, hypotheses, gold, options)
        theirs = rows_of_library(metric, hypotheses, gold, options)
        differing = np.flatnonzero((ours != theirs).any(axis=1)).tolist()
        assert [(hypotheses[i], [one[i] for one in gold], ours[i], theirs[i]) for i in differing[:3]] == []
        score, times = SCORERS[metric.name](options)._compute_score_from_stats, len(gold) if metric.name == "ter" else 1
        expected = [score([value / times for value in row]).score for row in theirs.tolist()]
        np.testing.assert_allclose(metric.make(options).score(ours), expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("spec", QUICK)
def test_a_few_segments(spec):
    check_scores(spec, FEW, seed=1)


@pytest.mark.slow
@pytest.mark.parametrize("spec", SETTINGS)
def test_many_segments(spec):
    check_scores(spec, MANY, seed=2)
