"""TER: the faster search against sacreBLEU's, and exact p-values of real systems."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.metrics import TER
from sacrebleu.metrics.lib_ter import BeamEditDistance, translation_edit_rate

import outscore as osc
from outscore.metrics.text.registry import segment_statistics, text_metric
from outscore.metrics.text.shifts import edit_counter, trace


@st.composite
def edited(draw, longest=14):
    """A reference and a hypothesis made from it by replacing, deleting, inserting and moving words."""
    words = st.sampled_from("abcdefg"[: draw(st.integers(1, 7))])
    reference = draw(st.lists(words, max_size=longest))
    hypothesis = list(reference)
    for _ in range(draw(st.integers(0, 5))):
        start = draw(st.integers(0, len(hypothesis)))
        block = hypothesis[start : start + draw(st.integers(0, 4))]
        del hypothesis[start : start + len(block)]
        place = draw(st.integers(0, len(hypothesis)))
        hypothesis[place:place] = draw(st.one_of(st.just(block), st.lists(words, max_size=2)))
    return hypothesis, reference


@settings(max_examples=250)
@given(edited())
def test_against_sacrebleu(pair):
    assert edit_counter()(*pair) == translation_edit_rate(*pair)[0]


@pytest.mark.parametrize("seed", range(6))
def test_against_sacrebleu_at_the_edge_of_its_beam(seed):
    """Long segments of few or many words, where distance and difference in length sum to about 47."""
    random = np.random.default_rng(seed)
    reference = random.integers(0, [3, 30, 300][seed % 3], 60).astype(str).tolist()
    hypothesis = [*reference[20:45], *random.integers(0, 30, 12 + seed).astype(str), *reference[:14]]
    assert edit_counter()(hypothesis, reference) == translation_edit_rate(hypothesis, reference)[0]


@settings(max_examples=150)
@given(edited())
def test_alignments_against_sacrebleu(pair):
    hypothesis, reference = ("".join(words) for words in pair)
    assert trace(hypothesis, reference) == BeamEditDistance(reference)(hypothesis)[1]


def test_the_whole_search_is_asked_where_its_parts_have_moved(monkeypatch):
    pair = ["to", "market", "he", "went", "today"], ["he", "went", "to", "market", "today"]
    quick = edit_counter()(*pair)
    monkeypatch.delattr("sacrebleu.metrics.lib_ter._shift")
    monkeypatch.setattr("sacrebleu.metrics.lib_ter.translation_edit_rate", lambda *_: (quick + 41, 5))
    assert edit_counter()(*pair) == quick + 41


@pytest.mark.parametrize(
    "spec",
    [
        "ter",
        "ter:normalized=true:case_sensitive=true",
        "ter:no_punct=true",
        "ter:normalized=true:no_punct=true:asian_support=true",
    ],
)
def test_segments_against_sacrebleu(spec, wmt17):
    _, options = text_metric(spec)
    hypotheses, references = wmt17("PROMT-Rule-based", 60), [wmt17("ref", 60), wmt17("online-B", 60)]
    hypotheses, references = [*hypotheses, "東京 は、首都 です。"], [[*lines, "東京は首都です。"] for lines in references]
    rows = segment_statistics("ter", hypotheses, references, options)
    library = TER(**options)
    found = [library.sentence_score(*pair) for pair in zip(hypotheses, zip(*references, strict=True), strict=True)]
    assert rows.tolist() == [[2 * score.num_edits, round(2 * score.ref_length)] for score in found]


def test_by_hand():
    """One shift of "to market" and one substitution; against two references the mean length counts, twice."""
    metric, options = text_metric("ter")
    hypothesis, reference = "to market he went yesterday", "he went to market today"
    assert segment_statistics("ter", [hypothesis], [[reference]], options).tolist() == [[2, 5]]
    two = segment_statistics("ter", [hypothesis], [[reference], ["he went"]], options)
    assert two.tolist() == [[4, 7]]
    assert float(metric.make(options).score(two[0])) == pytest.approx(100 * 2 / 3.5)


@pytest.mark.slow
def test_exact_p_values_of_wmt17(wmt17):
    """The values Monte Carlo runs published for these systems scatter about; see the data's README."""
    expected = {
        "FBK": 0.0982158,
        "RWTH-nmt-ensemble": 0.0755599,
        "online-B": 0.8214861,
        "LMU-nmt-single": 0.0070518,
        "KIT": 4.91393e-4,
        "PROMT-Rule-based": 3.9016e-281,
    }
    metric, options = text_metric("ter")
    rows = {name: segment_statistics("ter", wmt17(name), [wmt17("ref")], options) for name in [*expected, "LIUM-NMT"]}
    for name, value in expected.items():
        p = osc.permutation_test(rows[name], rows["LIUM-NMT"], metric=metric.make(options))
        assert p.exact
        assert p.value == pytest.approx(value, rel=1e-5)
