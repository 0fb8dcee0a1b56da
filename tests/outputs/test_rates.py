"""Recall, precision and confusions by label, against a naive twin."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from outscore import diff
from outscore.workflows.diff.pair import Statistics, label_f1_of
from outscore.workflows.diff.run import OutputData, study_of
from outscore.workflows.requests.diff import DiffRequest


@given(st.integers(1, 30).flatmap(lambda n: st.tuples(*[st.text("xyz", min_size=n, max_size=n)] * 2)))
def test_rates_and_confusions(rows):
    gold, system = (list(row) for row in rows)
    found = diff(gold, {"S": system}, task="label")
    for row in found.label_rates:
        right = sum(g == s == row.label for g, s in zip(gold, system, strict=True))
        assert row.n == gold.count(row.label)
        assert row.rates.r == pytest.approx(right / row.n if row.n else 0)
        assert row.rates.p == pytest.approx(right / max(system.count(row.label), 1))
    assert {row.label for row in found.label_rates} == {*gold, *system}
    wrong = [(g, s) for g, s in zip(gold, system, strict=True) if g != s]
    assert {(row.gold, row.answer): row.count for row in found.confusions} == {pair: wrong.count(pair) for pair in wrong}


def test_f1_of_a_label_is_tested_by_swapping_clusters():
    """All swaps of six clusters, counted out."""
    draw = np.random.default_rng(3)
    gold = draw.integers(0, 2, 36)
    systems = {name: np.where(draw.random(36) < share, 1 - gold, gold) for name, share in (("a", 0.4), ("b", 0.1))}
    units = study_of(DiffRequest(task="label"), OutputData(gold, systems)).together
    clusters = np.arange(36) // 6
    units = type(units)(**{**units.__dict__, "clusters": clusters})
    (row,) = (part for part in label_f1_of(units, 0, 1, Statistics(min_support=1)) if part.value == "1")

    def f1(answers):
        return 2 * ((answers == 1) & (gold == 1)).sum() / ((answers == 1).sum() + (gold == 1).sum())

    swaps = []
    for bits in range(2**6):
        swapped = ((bits >> clusters) & 1).astype(bool)
        first, second = (np.where(swapped, systems[y], systems[x]) for x, y in (("a", "b"), ("b", "a")))
        swaps.append(abs(f1(second) - f1(first)))
    observed = abs(f1(systems["b"]) - f1(systems["a"]))
    assert row.p.value == pytest.approx(np.mean(np.array(swaps) >= observed - 1e-12))
    assert (row.first, row.second) == pytest.approx((f1(systems["a"]), f1(systems["b"])))


def test_whole_sentences_of_a_combination(tmp_path):
    """Of three sentences, each system has one right; the second is right if the best word of both is taken."""
    tags = {"gold": "NN NN NN", "a": "NX NN XX", "b": "XN NX XX"}
    for name, text in tags.items():
        rows = [f"w{i}{j}\t{tag}\n" for i, pair in enumerate(text.split()) for j, tag in enumerate(pair)]
        (tmp_path / f"{name}.tsv").write_text("\n".join("".join(rows[i : i + 2]) for i in (0, 2, 4)))
    found = diff(tmp_path / "gold.tsv", [tmp_path / "a.tsv", tmp_path / "b.tsv"], task="pos").oracle.sentences
    assert (found.n, found.scores, found.rate) == (3, pytest.approx([1 / 3, 0]), pytest.approx(2 / 3))
