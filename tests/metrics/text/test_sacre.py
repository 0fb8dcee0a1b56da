"""Signatures written without sacreBLEU, which need not be loaded where all statistics are known."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.metrics import BLEU, CHRF, TER

import outscore as osc
from outscore.metrics.cache import StatisticsCache
from outscore.metrics.text import sacre
from outscore.metrics.text.registry import text_metric

SCORERS = {"bleu": BLEU, "chrf": CHRF, "chrf++": CHRF, "ter": TER}
TITLES = {
    "bleu": "BLEU",
    "bleu:tokenize=none": "BLEU",
    "bleu:tokenize=zh:lowercase=true": "BLEU",
    "bleu:tokenize=intl:effective_order=true": "BLEU",
    "bleu:smooth_method=none": "BLEU",
    "bleu:smooth_method=floor": "BLEU",
    "bleu:smooth_method=add-k:smooth_value=2.5": "BLEU",
    "chrf": "chrF2",
    "chrf:beta=3:char_order=4": "chrF3",
    "chrf:lowercase=true:whitespace=true:eps_smoothing=true": "chrF2",
    "chrf++": "chrF2++",
    "ter": "TER",
    "ter:normalized=true:asian_support=true": "TER",
    "ter:no_punct=true:case_sensitive=true": "TER",
}


@pytest.mark.parametrize("spec", TITLES)
@pytest.mark.parametrize("references", [1, 4])
def test_against_sacrebleu(spec, references):
    metric, options = text_metric(spec)
    library = SCORERS[metric.name](**{name: value for name, value in options.items() if name != "model"})
    library.num_refs = references
    assert metric.signature(options, references) == f"{TITLES[spec]}|{library.get_signature().format()}"


def test_known_statistics_need_no_library(tmp_path):
    """A second comparison of the same texts reads the cache, and nothing of sacreBLEU, nltk or jiwer is loaded."""
    texts = (["a b c", "d e"], ["a b d", "e"], ["a b c", "d e f"])
    metrics = ["bleu", "chrf", "ter", "nist", "wer"]
    known, new = tmp_path / "known", tmp_path / "new"
    osc.compare_texts(*texts, metrics=metrics, cache=StatisticsCache(known))
    call = (
        "import sys; import outscore as osc\n"
        "from outscore.metrics.cache import StatisticsCache; from pathlib import Path\n"
        f"for folder in ({str(known)!r}, {str(new)!r}):\n"
        f"    osc.compare_texts(*{texts}, metrics={metrics}, cache=StatisticsCache(Path(folder)))\n"
        "    print(sorted({'sacrebleu', 'nltk', 'jiwer', 'scipy.stats'} & set(sys.modules)))"
    )
    said = subprocess.run([sys.executable, "-c", call], capture_output=True, text=True, check=True).stdout
    assert said.splitlines() == ["[]", "['jiwer', 'sacrebleu']"]


CHARACTERS = "aB1 .,-&;'<>quot/\t\u00a0é€\n"


@settings(max_examples=300)
@given(st.lists(st.sampled_from([*CHARACTERS, "&quot;", "<skipped>", "-\n"]), max_size=14).map("".join), st.booleans())
def test_words_against_sacrebleu(line, lowercase):
    """Lines are split word by word, which the rules of 13a cannot tell from whole lines."""
    words = sacre.tokeniser("13a", "bleu", lowercase=lowercase)
    assert words(line) == BLEU(lowercase=lowercase)._preprocess_segment(line).split()
