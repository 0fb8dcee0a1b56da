"""Several metrics as one family: names, swaps, floors and words that are true of each of them."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

pytest.importorskip("sacrebleu")

import outscore as osc
from outscore.metrics.text.registry import TEXT_METRICS, shown_name, text_metric
from outscore.results.note import note_texts

REFERENCE = [
    f"the {animal} sat on the {place} all day" for animal in ("cat", "dog", "cow") for place in ("mat", "road", "hill")
] * 4


def noisy(seed: int, share: float) -> list[str]:
    rng = np.random.default_rng(seed)
    return [" ".join("x" if rng.random() < share else word for word in line.split()) for line in REFERENCE]


SYSTEMS = {f"s{share}": noisy(i, share) for i, share in enumerate((0.1, 0.15, 0.3, 0.35))}


@pytest.fixture(scope="module")
def ranked():
    return osc.rank(SYSTEMS, reference=REFERENCE, metric="BLEU,ter")


def test_names_as_papers_write_them():
    for written, name in (("BLEU", "bleu"), ("chrF", "chrf"), ("chrF2++", "chrf++"), ("Rouge-L", "rougeL"), ("TER", "ter")):
        assert text_metric(written)[0].name == name
    assert shown_name("chrf++:lowercase=true") == "chrF++ (lowercase=true)"
    found = osc.compare_texts(SYSTEMS["s0.1"], SYSTEMS["s0.3"], REFERENCE, metrics=["BLEU", "TER"])
    assert [c.metric for c in found.comparisons] == ["BLEU", "TER"]
    assert found.headline.startswith("Both metrics favour A")
    assert found.to_dict()["headline"] == found.headline
    assert "correction:holm|m:2|outscore:" in str(found.comparisons[0].signature)
    assert "BLEU ↑" in found.to_text()
    assert "TER ↓" in found.to_text()


@pytest.mark.parametrize("name", TEXT_METRICS)
def test_every_metric_travels_to_other_processes(name):
    entry, options = text_metric(name)
    made = entry.make(options)
    there = pickle.loads(pickle.dumps(made))  # noqa: S301 - our own
    row = np.ones(len(made.columns))
    assert there.columns == made.columns
    assert there.score(row) == made.score(row)


def test_a_large_family_gets_more_swaps(ranked):
    # 12 tests: 12 / .001 swaps let the smallest adjusted p reach .001.
    assert "sign-flips:12000" in ranked.kernel
    assert "sign-flips:30" in osc.rank(SYSTEMS, reference=REFERENCE, metric="bleu", options={"resamples": 30}).kernel


def test_the_floor_is_that_of_the_sampled_metric():
    found = osc.rank(SYSTEMS, reference=REFERENCE, metric="bleu,ter", options={"resamples": 400})
    (said,) = [text for text in note_texts(found.notes) if "no adjusted p" in text]
    assert "no adjusted p of BLEU can be below" in said
    floor = float(said.partition("below ")[2].partition(";")[0])
    sampled = [pair.p.adjusted for pair in found.pairs if pair.p.method == "monte-carlo"]
    # The note shows two digits.
    assert min(sampled) == pytest.approx(floor, rel=0.05)


def test_every_metric_has_its_clause_test_and_pairs(ranked):
    assert "by BLEU and TER" in ranked.sentence
    assert "; by TER, " in ranked.sentence
    assert "TER: exact paired permutation test for each pair" in ranked.sentence
    assert "Pairs by TER (lower is better)" in ranked.to_text()
    assert "TER: exact" in ranked.to_latex()


def test_no_correction_is_a_choice_that_is_said():
    systems = SYSTEMS["s0.1"], SYSTEMS["s0.3"]
    found = osc.compare_texts(*systems, REFERENCE, metrics=["bleu", "ter"], correction="none")
    assert found.family.error_rate == "PCER"
    assert all(c.p.adjusted == c.p.value for c in found.comparisons)
    assert "2 of 2 significantly without correction" in found.headline
    assert "p not corrected" in " ".join(found.to_latex().split())
    ranked = osc.rank(SYSTEMS, reference=REFERENCE, metric="bleu", correction="none")
    assert "no correction for 6 tests" in ranked.verdict
    assert "p not corrected" in ranked.sentence
