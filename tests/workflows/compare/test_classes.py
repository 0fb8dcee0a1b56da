"""Macro-F1 and the like of answers with several classes, in every command that takes answers."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pandas as pd
import pytest
import sklearn.metrics as sk

import outscore as osc
from outscore.core.errors import OutscoreError

CLASSES = ("ape", "cat", "dog", "hen")


def answered(n: int, seed: int = 0, shares=(0.7, 0.55, 0.4)) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    gold = rng.choice(CLASSES, n, p=[0.5, 0.3, 0.15, 0.05])
    columns = {"id": np.arange(n), "gold": gold}
    for name, share in zip(("amber", "birch", "cedar"), shares, strict=True):
        columns[name] = np.where(rng.random(n) < share, gold, rng.choice(CLASSES, n))
    return pd.DataFrame(columns)


def naive(metric: str, gold, answers) -> Fraction:
    """F1 of each class, one after the other."""
    classes = sorted({*gold, *(answer for answer in answers if answer)})
    total, weights = Fraction(0), 0
    for one in classes:
        hits = sum(g == a == one for g, a in zip(gold, answers, strict=True))
        size = sum(g == one for g in gold) + sum(a == one for a in answers)
        weight = 1 if metric == "macro-f1" else sum(g == one for g in gold)
        total += weight * Fraction(2 * hits, size)
        weights += weight
    return total / weights


@pytest.mark.parametrize("metric", ["macro-f1", "weighted-f1"])
@pytest.mark.parametrize("seed", [0, 1])
def test_few_items_against_all_swaps(metric, seed):
    """Every way to exchange the answers of items, scored class by class."""
    table = answered(9, seed)
    gold, a, b = (table[name].tolist() for name in ("gold", "amber", "birch"))
    observed = abs(naive(metric, gold, a) - naive(metric, gold, b))
    hits = 0
    for swaps in product((False, True), repeat=len(gold)):
        first = [y if swap else x for x, y, swap in zip(a, b, swaps, strict=True)]
        second = [x if swap else y for x, y, swap in zip(a, b, swaps, strict=True)]
        hits += abs(naive(metric, gold, first) - naive(metric, gold, second)) >= observed
    found = osc.compare(table, systems=["amber", "birch"], gold="gold", metric=metric)
    assert found.p.value == hits / 2 ** len(gold)
    assert found.p.method == "exact"
    assert (found.scores[0].value, found.scores[1].value) == pytest.approx(
        (float(naive(metric, gold, a)), float(naive(metric, gold, b)))
    )


def test_many_items_are_sampled_and_say_so():
    table = answered(300)
    found = osc.compare(table, systems=["amber", "birch"], gold="gold", metric="macro-f1")
    expected = [sk.f1_score(table["gold"], table[name], average="macro") for name in ("amber", "birch")]
    assert [score.value for score in found.scores] == pytest.approx(expected)
    assert found.p.method == "monte-carlo"
    assert found.p.lower < found.p.value < found.p.upper
    assert found.metric == "macro-f1"
    assert "counted by class" in " ".join(str(found).split())


def test_the_same_by_file_and_by_table(tmp_path):
    table = answered(120)
    path = tmp_path / "answers.csv"
    table.to_csv(path, index=False)
    by_file = osc.compare(path, systems=["amber", "birch"], gold="gold", metric="macro-f1")
    by_table = osc.compare(table, systems=["amber", "birch"], gold="gold", metric="macro-f1")
    assert by_file.p == by_table.p
    assert by_file.scores == by_table.scores
    assert by_file.reading.by_class
    ranked = osc.rank(path, metric="macro-f1")
    assert [one.value for one in ranked.scores[:2]] == pytest.approx([score.value for score in by_file.scores])


def test_rank_and_score_agree_with_scikit_learn(tmp_path):
    table = answered(200)
    for metric, average in (("macro-f1", "macro"), ("weighted-f1", "weighted")):
        expected = {name: sk.f1_score(table["gold"], table[name], average=average) for name in ("amber", "birch", "cedar")}
        ranked = osc.rank(table, gold_column="gold", metric=metric)
        assert {one.system: one.value for one in ranked.scores} == pytest.approx(expected)
        scored = osc.score(table, gold="gold", metric=metric)
        assert {one.system: one.value for one in scored.systems} == pytest.approx(expected)
        outputs = osc.rank(
            {name: table[name].tolist() for name in expected}, task="label", gold=table["gold"].tolist(), metric=metric
        )
        assert {one.system: one.value for one in outputs.scores} == pytest.approx(expected)
        # The same flips of the same rows.
        assert [pair.p.value for pair in outputs.pairs] == [pair.p.value for pair in ranked.pairs]


def test_diff_tests_the_same_scores():
    table = answered(200)
    found = osc.diff(table["gold"].tolist(), {name: table[name].tolist() for name in ("amber", "birch")}, task="label")
    compared = osc.compare(table, systems=["birch", "amber"], gold="gold", metric="weighted-f1")
    change = next(change for change in found.pairs[0].metrics if change.metric == "weighted-f1")
    assert (change.first, change.second) == (compared.scores[1].value, compared.scores[0].value)
    assert change.p.value == pytest.approx(compared.p.value, abs=0.02)
    assert found.scores["amber"]["weighted_f1"] == change.first


def test_gate_takes_them_too():
    table = answered(200, shares=(0.5, 0.9, 0.4))
    found = osc.gate(table, systems=["amber", "birch"], gold="gold", metric="macro-f1", margin=0.02)
    assert found.outcome == "pass"


def test_empty_and_strange_answers():
    table = pd.DataFrame(
        {
            "id": range(8),
            "gold": list("abcabcab"),
            "new": ["a", "b", "c", "a", None, "c", "a", "x"],
            "old": list("abbabbab"),
        }
    )
    found = osc.compare(table, systems=["new", "old"], gold="gold", metric="macro-f1")
    gold, new = table["gold"].tolist(), table["new"].fillna("").tolist()
    assert found.scores[0].value == pytest.approx(float(naive("macro-f1", gold, new)))
    said = " ".join(note.text for note in found.notes)
    assert "1 answer of new is not one of the right classes, such as `x`" in said
    assert "1 of 8 predictions of new is empty" in said


def test_clusters_and_repeats():
    table = answered(60)
    table["doc"] = table["id"] // 3
    by_cluster = osc.compare(table, systems=["amber", "birch"], gold="gold", metric="macro-f1", clusters="doc")
    assert by_cluster.design.path[-1].n == 20
    long = pd.concat([answered(40, seed).assign(epoch=seed) for seed in (0, 0)])
    twice = osc.compare(
        long.assign(epoch=np.repeat([1, 2], 40)), systems=["amber", "birch"], gold="gold", metric="macro-f1", repeat="epoch"
    )
    once = osc.compare(answered(40), systems=["amber", "birch"], gold="gold", metric="macro-f1")
    assert [score.value for score in twice.scores] == pytest.approx([score.value for score in once.scores])


def test_free_answers_are_refused():
    table = pd.DataFrame({"id": range(300), "gold": [f"g{i}" for i in range(300)]})
    table["new"], table["old"] = table["gold"], table["gold"]
    with pytest.raises(OutscoreError, match="300 different values, which are too many to be classes"):
        osc.compare(table, gold="gold", metric="macro-f1")
    gold = table["gold"].tolist()
    with pytest.raises(OutscoreError, match="300 different values, which are too many to be classes"):
        osc.rank({"new": gold, "old": gold}, task="label", gold=gold, metric="macro-f1")


def test_scores_are_no_answers():
    with pytest.raises(OutscoreError, match="predictions beside right answers"):
        osc.compare([1, 0, 1], [0, 0, 1], metric="weighted-f1")
    with pytest.raises(OutscoreError, match="name a metric of classes such as macro-f1"):
        osc.rank({"new": ["a", "b"], "old": ["a", "a"]}, task="label", gold=["a", "b"], metric="f1")
