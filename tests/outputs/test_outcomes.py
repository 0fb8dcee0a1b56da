"""Outcomes, rates of labels and oracles, counted one by one"""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from outscore import diff
from outscore.outputs.model import OutputData, Units
from outscore.outputs.outcomes import (
    OUTCOMES,
    agreement,
    confusions,
    count_differing,
    independent_rate,
    majority_vote,
    mirror_of,
    oracle_rate,
    outcomes,
    overlap_of_correct,
    solved_by,
    solved_only_by,
    transitions,
)
from outscore.workflows.diff.pair import label_f1_of
from outscore.workflows.diff.run import study_of
from outscore.workflows.requests.diff import DiffRequest


def units_of(gold, *answers, detail=None):
    labels = tuple(sorted({x for row in (gold, *answers) for x in row}))
    code = [[labels.index(x) for x in row] for row in (gold, *answers)]
    g, a = np.array(code[0], dtype=int), np.array(code[1:], dtype=int).reshape(len(answers), len(gold)).T
    right = a == g[:, None]
    extra = None if detail is None else np.array(detail).T
    if extra is not None:
        right &= extra == 0
    return Units("label", tuple(f"S{i + 1}" for i in range(len(answers))), labels, g, a, right, extra)


WORKED = units_of("ABCDE", "ABCXY", "ZBCDU", "ZWCDE")


@pytest.mark.parametrize(
    ("pair", "differing", "changes", "dice"),
    [((0, 1), 3, (1, 1, 1), 2 / 3), ((1, 2), 2, (1, 1, 0), 2 / 3), ((0, 2), 4, (2, 2, 0), 1 / 3)],
)
def test_worked_example(pair, differing, changes, dice):
    counts = np.bincount(outcomes(WORKED, *pair), minlength=5)
    assert (WORKED.correct.mean(axis=0) == 0.6).all()
    assert count_differing(WORKED, *pair) == differing
    assert tuple(counts[1:4]) == changes
    assert overlap_of_correct(WORKED, *pair) == pytest.approx(dice)


@given(st.lists(st.tuples(st.sampled_from("ABC"), st.sampled_from("ABC")), min_size=1, max_size=40))
def test_confusions_are_listed_most_frequent_first(rows):
    gold, answers = zip(*rows, strict=True)
    found = confusions(units_of(gold, answers), 0)
    counts = Counter(row for row in rows if row[0] != row[1])
    assert [(row.gold, row.answer, row.count) for row in found] == sorted(
        ((*row, times) for row, times in counts.items()), key=lambda row: (-row[2], row[:2])
    )


def test_worked_example_together():
    assert oracle_rate(WORKED.correct[:, :2]) == 0.8
    assert oracle_rate(WORKED.correct) == 1.0
    assert solved_by(WORKED.correct) == [0, 2, 2, 1]
    assert solved_only_by(WORKED.correct) == [1, 0, 1]
    assert agreement(WORKED).round(9).tolist() == [[1, 0.4, 0.2], [0.4, 1, 0.6], [0.2, 0.6, 1]]


def texts(k):
    return st.integers(0, 12).flatmap(lambda n: st.tuples(*[st.text("abc", min_size=n, max_size=n)] * k))


def naive(gold, first, second):
    """Algorithm 1 of the paper, with the two outcomes it leaves out."""
    table = Counter()
    for g, x, y in zip(gold, first, second, strict=True):
        if x == y:
            kind = "both_right" if x == g else "shared_error"
        else:
            kind = "correction" if y == g else "new_error" if x == g else "changed_error"
        table[kind, g, x, y] += 1
    return table


@given(texts(3))
def test_against_the_naive_twin(rows):
    units, table = units_of(*rows), naive(*rows)
    kinds = Counter(OUTCOMES[k] for k in outcomes(units))
    assert kinds == Counter(k for (k, *_), c in table.items() for _ in range(c))
    found = {(OUTCOMES[kind], *(units.labels[i] for i in codes)): n for (kind, *codes), n in transitions(units).items()}
    assert found == {key: c for key, c in table.items() if key[0] not in ("both_right", "shared_error")}


@given(texts(3))
def test_identity_and_exchange(rows):
    units = units_of(*rows)
    there, back = (np.bincount(outcomes(units, *pair), minlength=5) for pair in ((0, 1), (1, 0)))
    right = units.correct.sum(axis=0)
    assert there[1] - there[2] == right[1] - right[0]
    assert there.tolist() == back[[0, 2, 1, 3, 4]].tolist()
    changes, mirrors = transitions(units), transitions(units, 1, 0)
    assert count_differing(units) == there[1:4].sum() == sum(changes.values())
    # Exchanging the systems turns a row into the one with source and target exchanged.
    assert {mirror_of(change): n for change, n in changes.items()} == mirrors
    swap = {1: 2, 2: 1, 3: 3}
    for change in changes:
        kind, gold, source, target = change
        named = OUTCOMES[swap[kind]], *(units.labels[i] for i in (gold, target, source))
        assert changes.get(mirror_of(change), 0) == naive(*rows)[named]


def test_same_label_with_another_detail_is_a_change():
    units = units_of("nn", "nn", "nn", detail=[[0, 1], [1, 2]])
    assert [OUTCOMES[k] for k in outcomes(units)] == ["new_error", "changed_error"]
    assert count_differing(units) == 2
    assert [(source == target, n) for (_, _, source, target), n in transitions(units).items()] == [(True, 1), (True, 1)]


@given(texts(4))
def test_together(rows):
    units = units_of(*rows)
    naive_solved = Counter(sum(row) for row in units.correct.tolist())
    assert solved_by(units.correct) == [naive_solved[k] for k in range(4)]
    assert sum(solved_only_by(units.correct)) == naive_solved[1]
    if units.n:
        assert oracle_rate(units.correct) >= max(units.correct.mean(axis=0))
        votes = [max(x, key=lambda y, x=x: (x.count(y), -x.index(y))) for x in zip(*rows[1:], strict=True)]
        assert majority_vote(units) == pytest.approx(np.mean([v == g for v, g in zip(votes, rows[0], strict=True)]))
        assert independent_rate(units.correct[:, :1]) == pytest.approx(units.correct[:, 0].mean())


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
    (row,) = (part for part in label_f1_of(units, 0, 1, DiffRequest(min_support=1)) if part.value == "1")

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
