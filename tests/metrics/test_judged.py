"""Numbers beside right answers: probabilities against scikit-learn, agreement with people against scipy and naive twins."""

from __future__ import annotations

import itertools
import math
import os
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
import scipy.stats
import sklearn.metrics
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

import outscore as osc
from outscore.cli.app import app
from outscore.metrics.judged import delong
from outscore.metrics.registry import resolve

SHARED = Path(os.environ.get("OUTSCORE_SHARED_DATA", "../shared/data"))
SKLEARN = SHARED / "repro" / "scores" / "sklearn"
needs_data = pytest.mark.skipif(not SKLEARN.exists(), reason="the shared data are not here (OUTSCORE_SHARED_DATA)")


def write(path: Path, columns: dict[str, list]) -> Path:
    lines = [",".join(columns), *(",".join(map(str, row)) for row in zip(*columns.values(), strict=True))]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def run(*words: object) -> str:
    done = CliRunner().invoke(app, [str(word) for word in words])
    return done.output + str(done.exit_code)


# Probabilities.


@settings(max_examples=60)
@given(st.lists(st.tuples(st.integers(1, 99), st.booleans()), min_size=3, max_size=30))
def test_probabilities_against_scikit_learn(rows):
    p, y = (np.array(column) for column in zip(*rows, strict=True))
    table = np.stack([p / 100, y], axis=1)
    expected = {
        "brier": sklearn.metrics.brier_score_loss(y, p / 100, pos_label=True),
        "log-loss": sklearn.metrics.log_loss(y, p / 100, labels=[False, True]),
        "accuracy-at": sklearn.metrics.accuracy_score(y, p >= 50),
        "accuracy-at:threshold=0.9": sklearn.metrics.accuracy_score(y, p >= 90),
    }
    for metric, value in expected.items():
        additive, own, _ = resolve(metric, table, table)
        assert float(additive.score(own.sum(axis=0))) == pytest.approx(value, rel=1e-12)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(*[st.integers(0, 20)] * 2, st.booleans()), min_size=2, max_size=9))
def test_p_of_brier_scores_against_all_swaps(rows):
    """Squares of decimals are exact: all 2^n swaps in fractions give the same p."""
    a, b, y = (np.array(column) for column in zip(*rows, strict=True))
    p = osc.permutation_test(np.stack([a / 20, y], axis=1), np.stack([b / 20, y], axis=1), metric="brier")
    gaps = [(Fraction(one, 20) - right) ** 2 - (Fraction(other, 20) - right) ** 2 for one, other, right in rows]
    sums = [abs(sum(map(lambda s, d: s * d, signs, gaps))) for signs in itertools.product((1, -1), repeat=len(gaps))]
    assert p.method == "exact"
    assert p.value == sum(size >= abs(sum(gaps)) for size in sums) / len(sums)


@needs_data
def test_classifiers_of_breast_cancer():
    """Frozen from scikit-learn 1.9.1: brier_score_loss, log_loss of what was given, accuracy at .5."""
    files = [SKLEARN / "proba_lr.csv", SKLEARN / "proba_rf.csv"]
    found = osc.compare(*files, metric="brier")
    assert [one.value for one in found.scores] == pytest.approx([0.020013440545841917, 0.0333074594805702], rel=1e-12)
    assert found.p.method == "certified"
    assert (found.p.lower, found.p.upper) == pytest.approx((0.000145, 0.000145), rel=0.01)
    assert not found.higher_is_better
    found = osc.compare(*files, metric="accuracy-at")
    assert [one.value for one in found.scores] == pytest.approx([0.9806678383128296, 0.9595782073813708], rel=1e-12)
    with pytest.raises(osc.OutscoreError, match="line 42: `proba_rf` gives probability 0 to what is right") as refusal:
        osc.compare(*files, metric="log-loss")
    assert (refusal.value.file, refusal.value.line) == (str(files[1]), 42)
    clipped = osc.compare(*files, metric="log-loss:least=0.001")
    assert any("2 probabilities were raised to 0.001" in note.text for note in clipped.notes), clipped.notes


def test_layouts_of_probabilities(tmp_path):
    """A column per system, a row per system, a file per system and a data frame: one answer."""
    pandas = pytest.importorskip("pandas")
    y, a, b = ["yes", "no", "no", "yes", "yes"], [0.9, 0.2, 0.6, 0.7, 0.8], [0.6, 0.4, 0.7, 0.2, 0.8]
    ids = [f"q{i}" for i in range(5)]
    wide = write(tmp_path / "wide.csv", {"id": ids, "gold": y, "new": a, "old": b})
    names = ["new"] * 5 + ["old"] * 5
    long = write(tmp_path / "long.csv", {"id": ids * 2, "system": names, "label": y * 2, "probability": a + b})
    files = [write(tmp_path / f"{name}.csv", {"id": ids, "y_true": y, "y_prob": p}) for name, p in (("new", a), ("old", b))]
    frame = pandas.read_csv(wide)
    expected = np.mean([(p - (answer == "yes")) ** 2 for p, answer in zip(a, y, strict=True)])
    for given_data in ([wide], [long], files, [frame]):
        found = osc.compare(*given_data, metric="brier")
        assert found.systems == ("new", "old")
        assert found.scores[0].value == pytest.approx(expected)
        assert any("Numbers are for `yes`, which is right for 60% of the items" in note.text for note in found.notes)
    assert "new has the best brier 0.1080" in osc.rank(wide, metric="brier").verdict
    assert "p = " in run("gate", wide, "--metric", "brier", "--margin", "0.3", "--system", "old", "--system", "new")


@pytest.mark.parametrize(
    ("gold", "numbers", "metric", "said"),
    [
        (["a", "b", "a"], [0.1, 0.2, 0.3], "brier", "not clear which of `a` and `b`"),
        (["a", "b", "c"], [0.1, 0.2, 0.3], "brier", "of 3 classes"),
        (["a", "b", "a"], [0.1, 0.2, 0.3], "brier:positive=z", "no class `z`"),
        ([0, 1, 1], [0.1, 1.2, 0.3], "brier", "line 3: `wide` has 1.2 beside 1, which is no probability"),
        ([0, 1, 1], [0.1, "", 0.3], "brier", "line 3: the number of `wide` is missing"),
        ([0, 1, 1], [0.1, "high", 0.3], "brier", "line 3: the number of `wide` is `high`, not a number"),
    ],
)
def test_what_are_no_probabilities_is_refused_with_its_line(tmp_path, gold, numbers, metric, said):
    file = write(tmp_path / "wide.csv", {"id": [1, 2, 3], "gold": gold, "probability": numbers})
    text = run("score", file, "--metric", metric)
    assert said in " ".join(text.split())
    assert text.endswith("2")


def of_classes(rng: np.random.Generator, n: int, prefix: str = "") -> tuple[np.ndarray, np.ndarray, dict[str, list]]:
    """Probabilities of three classes in hundredths, the right ones, and both as columns."""
    cuts = np.sort(rng.integers(1, 100, (n, 2)), axis=1)
    p = np.diff(np.concatenate([np.zeros((n, 1)), cuts, np.full((n, 1), 100)], axis=1), axis=1) / 100
    y = rng.permutation(np.arange(n) % 3)
    names = np.array(["bird", "cat", "dog"])
    columns = {prefix + name: p[:, k].tolist() for k, name in enumerate(names.tolist())}
    return p, y, {"id": list(range(n)), "gold": names[y].tolist(), **columns}


@pytest.mark.parametrize("prefix", ["", "prob_"])
def test_a_column_of_probabilities_for_each_class(tmp_path, prefix):
    """Against scikit-learn: each file is one system."""
    rng = np.random.default_rng(6)
    (p, y, new), (q, _, old) = of_classes(rng, 30, prefix), of_classes(rng, 30, prefix)
    files = [write(tmp_path / "new.csv", new), write(tmp_path / "old.csv", {**old, "gold": new["gold"]})]
    naive = {
        "brier": lambda given_data: float(((given_data - np.eye(3)[y]) ** 2).sum(axis=1).mean()),
        "log-loss:least=0.001": lambda x: float(np.mean(-np.log(np.maximum(x[np.arange(30), y], 0.001)))),
        "accuracy-at": lambda x: float(np.mean([(row >= row[k]).sum() == 1 for row, k in zip(x, y, strict=True)])),
        "brier:positive=cat": lambda x: sklearn.metrics.brier_score_loss(y == 1, x[:, 1], pos_label=True),
        "auc:positive=cat": lambda x: sklearn.metrics.roc_auc_score(y == 1, x[:, 1]),
    }
    for metric, score in naive.items():
        found, ranked = osc.compare(*files, metric=metric), osc.rank(files, metric=metric)
        expected = {"new": score(p), "old": score(q)}
        assert found.systems == ("new", "old")
        assert {one.system: one.value for one in found.scores} == pytest.approx(expected, rel=1e-9), metric
        assert {one.system: one.value for one in ranked.scores} == pytest.approx(expected, rel=1e-9), metric
        assert osc.score(files[0], metric=metric).systems[0].value == pytest.approx(expected["new"])
    assert sklearn.metrics.log_loss(y, p, labels=[0, 1, 2]) == pytest.approx(
        osc.compare(*files, metric="log-loss").scores[0].value
    )
    brier = osc.compare(*files, metric="brier")
    assert brier.p.method == "exact"
    assert any("classes `bird`, `cat` and `dog`. The Brier score adds up" in note.text for note in brier.notes)


def test_the_p_of_brier_scores_of_several_classes_against_all_swaps(tmp_path):
    rng = np.random.default_rng(8)
    (p, y, one), (q, _, other) = of_classes(rng, 8), of_classes(rng, 8)
    files = [write(tmp_path / "new.csv", one), write(tmp_path / "old.csv", {**other, "gold": one["gold"]})]
    whole = [np.rint(100 * table).astype(int) - 100 * np.eye(3, dtype=int)[y] for table in (p, q)]
    gaps = [int(d) for d in (whole[0] ** 2 - whole[1] ** 2).sum(axis=1)]
    sums = [abs(sum(s * d for s, d in zip(signs, gaps, strict=True))) for signs in itertools.product((1, -1), repeat=8)]
    assert osc.compare(*files, metric="brier").p.value == sum(size >= abs(sum(gaps)) for size in sums) / len(sums)


def test_probabilities_of_several_classes_that_are_none(tmp_path):
    _, _, table = of_classes(np.random.default_rng(1), 6)
    file = write(tmp_path / "new.csv", table)
    bad = write(tmp_path / "bad.csv", {**table, "cat": [*table["cat"][:3], 0.999, *table["cat"][4:]]})
    fewer = write(tmp_path / "fewer.csv", {"id": table["id"], "gold": table["gold"], "probability": table["cat"]})
    for words, said in (
        ((file, bad, "--metric", "brier"), "line 5: the probabilities of the 3 classes are not between 0 and 1, or add up to"),
        ((file, fewer, "--metric", "brier"), "`fewer.csv` has no column of probabilities for each of `bird`, `cat` and `dog`"),
        ((file, bad, "--metric", "auc"), "Name one class: --metric auc:positive=dog"),
        ((file, bad, "--metric", "accuracy-at:threshold=0.7"), "A threshold is for the probability of one class"),
        ((file, "--metric", "brier"), "Its columns of probabilities are one system's, of each class one"),
    ):
        text = " ".join(run("compare", *words).replace(f"{tmp_path}/", "").split())
        assert said in text
        assert text.endswith("2")


RANKED = {"id": [1, 1, 2, 3, 4], "gold": [1, 1, 0, 1, 0], "new": [0.9, 0.7, 0.2, 0.6, 0.1], "old": [0.8, 0.6, 0.3, 0.2, 0.4]}


@pytest.mark.parametrize("metric", ["brier", "auc"])
def test_the_mean_of_two_probabilities_is_not_taken(tmp_path, metric):
    """Its score is another than the mean of theirs, as that of runs is."""
    file = write(tmp_path / "twice.csv", RANKED)
    for words in ((), ("--duplicates", "mean")):
        text = " ".join(run("compare", file, "--metric", metric, *words).split())
        assert "line 3: `new` has the score 0.7, 1 on item `1`, but 0.9, 1 on line 2. Choose --duplicates first or last" in text
        assert text.endswith("2")
    last = osc.compare(file, metric=metric, duplicates="last")
    once = {name: values[1:] for name, values in RANKED.items()}
    assert last.difference == osc.compare(write(tmp_path / "once.csv", once), metric=metric).difference


def test_rows_without_a_probability_are_left_out_if_asked(tmp_path):
    table = {"id": [1, 2, 3, 4], "gold": [1, 0, 1, 0], "new": [0.9, "", 0.6, 0.1], "old": [0.8, 0.3, 0.2, "NA"]}
    file = write(tmp_path / "gaps.csv", table)
    text = " ".join(run("compare", file, "--metric", "brier").split())
    assert "line 3: the number of `new` is missing" in text
    assert "--missing drop" in text
    left = osc.compare(file, metric="brier", missing="drop")
    assert left.scores[0].value == pytest.approx((0.1**2 + 0.4**2) / 2)
    assert left.reading.left_out == 2


@pytest.mark.parametrize("metric", ["brier", "brier:positive=1", "brier:positive=1.0", "auc", "macro-f1", None])
def test_right_answers_may_be_written_as_decimals_in_one_file(tmp_path, metric):
    """pandas writes 1.0 where a column had a gap."""
    column = "answer" if metric in ("macro-f1", None) else "probability"
    files = []
    for name, gold, given_data in (("new", [1, 0, 1], [1, 0, 0]), ("old", ["1.0", "0.0", "1.0"], ["1.0", "1.0", "0.0"])):
        files.append(write(tmp_path / f"{name}.csv", {"id": [1, 2, 3], "gold": gold, column: given_data}))
    named = {"gold": "gold", "prediction": column} if column == "answer" else {}
    found = osc.compare(*files, metric=metric, **named)
    right, answers = np.array([1, 0, 1]), np.array([[1, 0, 0], [1, 1, 0]])
    expected = {
        "brier": lambda given_data: float(np.mean((given_data - right) ** 2)),
        "auc": lambda given_data: float(naive_auc(given_data.tolist(), (right == 1).tolist())),
        "macro-f1": lambda given_data: sklearn.metrics.f1_score(right, given_data, average="macro"),
        "None": lambda given_data: float(np.mean(given_data == right)),
    }[str(metric).partition(":")[0]]
    assert [one.value for one in found.scores] == pytest.approx([expected(given_data) for given_data in answers])
    if metric == "macro-f1":
        assert any("the right ones have 2 different values" in note.text for note in found.notes)
        assert not any("not one of the right classes" in note.text for note in found.notes)


@pytest.mark.parametrize(
    ("metric", "said"),
    [
        ("log-loss:least=2", "of two probabilities one is below 0.5"),
        ("log-loss:least=0.5", "of two probabilities one is below 0.5"),
        ("log-loss:least=-0.1", "`least` is -0.1"),
        ("accuracy-at:threshold=1.5", "Give a probability between 0 and 1"),
    ],
)
def test_options_that_no_probability_can_have_are_refused(tmp_path, metric, said):
    file = write(tmp_path / "wide.csv", {"id": [1, 2, 3], "gold": [0, 1, 1], "probability": [0.1, 0.7, 0.3]})
    text = run("score", file, "--metric", metric)
    assert said in " ".join(text.split())
    assert text.endswith("2")


@pytest.mark.parametrize("metric", ["brier", "auc", "macro-f1", "kendall"])
@pytest.mark.parametrize("update", [[], ["--update"]])
def test_a_baseline_file_keeps_no_answers(tmp_path, metric, update):
    """It has one score per item: whether an answer equals the right one, which no probability does."""
    file = write(tmp_path / "new.csv", {"id": [1, 2], "gold": [0, 1], "probability": [0.2, 0.7]})
    kept = tmp_path / "base.csv"
    text = run("gate", file, "--baseline-file", kept, "--metric", metric, "--margin", "0.1", *update)
    assert "a baseline file has one score per item" in " ".join(text.split())
    assert text.endswith("2")
    assert not kept.exists()


# The area under the ROC curve.


def psi(x: float, y: float) -> float:
    return (x > y) + (x == y) / 2


def naive_auc(scores: list[float], positive: list[bool]) -> Fraction:
    sides = [[x for x, y in zip(scores, positive, strict=True) if y == side] for side in (True, False)]
    return sum((Fraction(psi(x, y)) for x in sides[0] for y in sides[1]), Fraction(0)) / (len(sides[0]) * len(sides[1]))


def swapped_ranks(a: list[float], b: list[float], positive: list[bool], units: list[int]) -> float:
    """p by all swaps of mid-ranks within each system, the AUC of both counted again each time."""
    ranks = [scipy.stats.rankdata(x).tolist() for x in (a, b)]
    observed, hits = None, 0
    for swap in itertools.product((False, True), repeat=max(units) + 1):
        sides = [[ranks[side ^ swap[units[i]]][i] for i in range(len(a))] for side in (0, 1)]
        size = abs(naive_auc(sides[0], positive) - naive_auc(sides[1], positive))
        observed = size if observed is None else observed
        hits += size >= observed
    return hits / 2 ** (max(units) + 1)


few_scores = st.lists(st.tuples(*[st.integers(0, 5)] * 2, st.booleans()), min_size=3, max_size=8)


@settings(max_examples=60, deadline=None)
@given(few_scores.filter(lambda rows: 0 < sum(y for _, _, y in rows) < len(rows)), st.booleans())
def test_swapped_areas_against_all_swaps(rows, clustered):
    a, b, y = (list(column) for column in zip(*rows, strict=True))
    units = [i // 2 for i in range(len(a))] if clustered else list(range(len(a)))
    tables = [np.stack([np.array(x, dtype=float), y], axis=1) for x in (a, b)]
    p = osc.permutation_test(*tables, metric="auc", clusters=units)
    assert p.statistic == pytest.approx(float(naive_auc(a, y) - naive_auc(b, y)), abs=1e-14)
    assert p.method == "exact"
    assert p.value == swapped_ranks(a, b, y, units)


def naive_delong(a: list[float], b: list[float], positive: list[bool]) -> tuple[float, float]:
    """DeLong, DeLong and Clarke-Pearson (1988), equations 4 to 6, pair by pair."""
    of = {side: [i for i, y in enumerate(positive) if y == side] for side in (True, False)}
    v10 = [[np.mean([psi(x[i], x[j]) for j in of[False]]) for i in of[True]] for x in (a, b)]
    v01 = [[np.mean([psi(x[i], x[j]) for i in of[True]]) for j in of[False]] for x in (a, b)]
    s = np.cov(v10) / len(of[True]) + np.cov(v01) / len(of[False])
    return float(np.mean(v10[0]) - np.mean(v10[1])), float(np.sqrt(max(0.0, s[0, 0] + s[1, 1] - 2 * s[0, 1])))


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.integers(4, 40))
def test_delong_against_its_definition(seed, n):
    rng = np.random.default_rng(seed)
    a, b, y = rng.integers(0, 9, n), rng.integers(0, 9, n), np.arange(n) % 3 == 0
    found = delong(*(np.stack([x, y], axis=1).astype(float) for x in (a, b)))
    if y.sum() < 2:
        assert found is None
        return
    assert found == pytest.approx(naive_delong(a.tolist(), b.tolist(), y.tolist()), abs=1e-12)


@needs_data
def test_areas_of_classifiers():
    """Frozen from scikit-learn 1.9.1 (roc_auc_score); the interval of one system is about DeLong's."""
    files = [SKLEARN / "proba_lr.csv", SKLEARN / "proba_rf.csv"]
    found = osc.compare(*files, metric="auc")
    assert [one.value for one in found.scores] == pytest.approx([0.9948337825696316, 0.987335500237831], rel=1e-12)
    assert found.p.method == "exact"
    assert found.p.value == pytest.approx(0.0855, abs=0.0005)
    assert any("DeLong's large-sample test of equal areas gives p = .0" in note.text for note in found.notes)
    alone = [osc.score(file, metric="auc").systems[0] for file in files]
    ranked = osc.rank(files, metric="auc")
    for one, own in zip(found.scores, alone, strict=True):
        assert (one.low, one.high) == pytest.approx((own.low, own.high), rel=1e-12)
    assert ranked.pairs[0].p.value == pytest.approx(found.p.value, rel=1e-12)


def test_many_areas_in_a_ranking(tmp_path):
    """Each pair of a ranking is that pair compared alone, as are the intervals of the systems."""
    rng = np.random.default_rng(0)
    y = rng.random(40) < 0.4
    table = {"id": list(range(40)), "gold": y.astype(int).tolist()}
    table |= {name: (y * lift + rng.normal(size=40)).round(2).tolist() for name, lift in (("a", 2), ("b", 1), ("c", 0.2))}
    file = write(tmp_path / "scores.csv", table)
    ranked = osc.rank(file, metric="auc", correction="none")
    for pair in ranked.pairs:
        alone = osc.compare(file, metric="auc", systems=list(pair.systems))
        assert pair.p.value == pytest.approx(alone.p.value, rel=1e-12)
        assert pair.difference == pytest.approx(alone.difference, abs=1e-14)
    table["part"] = ["first", "second"] * 20
    first = {name: values[::2] for name, values in table.items()}
    parts = osc.compare(write(tmp_path / "parts.csv", table), metric="auc", systems=["a", "c"], slices="part")
    alone = osc.compare(write(tmp_path / "first.csv", first), metric="auc", systems=["a", "c"])
    assert parts.comparisons[1].p.value == alone.p.value
    ranked = osc.rank(tmp_path / "parts.csv", metric="auc", slices="part")
    expected = naive_auc(first["a"], [bool(x) for x in first["gold"]])
    assert ranked.slices[0].scores[0].value == pytest.approx(float(expected), abs=1e-12)


def test_an_interval_of_areas_stays_within_their_range():
    table = {"id": range(9), "gold": [1] * 4 + [0] * 5, "a": [9, 8, 7, 6, 1, 2, 3, 4, 5]}
    for seed in range(20):
        b = np.random.default_rng(seed).permutation(9).tolist()
        found = osc.compare(pandas_frame({**table, "b": b}), metric="auc").interval
        assert all(end is None or -1 <= end <= 1 for end in (found.low, found.high))
        assert found.low >= -1


def test_areas_that_are_the_same_pass_a_margin_only_with_items_of_the_rarer_class():
    """A crash on positive items alone has to show: p is about (1 - margin)^positives, with any number of negatives."""
    for n, positives in ((40, 10), (400, 10), (400, 100)):
        table = {"id": range(n), "gold": [int(i < positives) for i in range(n)], "a": [i * 37 % n for i in range(n)]}
        found = osc.gate(pandas_frame({**table, "b": table["a"]}), metric="auc", margin=0.05)
        p = found.comparison.margin.noninferiority
        assert p.kernel == "crashes"
        assert p.value == pytest.approx((1 - 0.05 * positives / n) ** n, rel=1e-6)
        assert p.value == pytest.approx(0.95**positives, rel=0.3)
        assert not any("--bounds" in note.text for note in found.comparison.notes)
        assert found.outcome == ("pass" if positives == 100 else "inconclusive")
    with pytest.raises(osc.OutscoreError, match="cannot differ by more than 1"):
        osc.gate(pandas_frame({**table, "b": table["a"]}), metric="auc", margin=1)


def pandas_frame(table):
    return pytest.importorskip("pandas").DataFrame(table)


def test_areas_take_one_run_of_each_item(tmp_path):
    table = {
        "id": [1, 1, 2, 2],
        "run": [1, 2, 1, 2],
        "gold": [0, 0, 1, 1],
        "new": [0.1, 0.2, 0.8, 0.9],
        "old": [0.3, 0.2, 0.1, 0.9],
    }
    text = run("compare", write(tmp_path / "scores.csv", table), "--metric", "auc")
    assert "several runs" in " ".join(text.split())
    assert text.endswith("2")


@settings(max_examples=12, deadline=None)
@given(st.integers(0, 10**6), st.booleans())
def test_areas_of_several_datasets_against_all_swaps(seed, clustered):
    """Items are ranked within their dataset, and swapped within it: the mean of the areas, recounted for every swap."""
    rng = np.random.default_rng(seed)
    sizes, y, a, b = (4, 5), [1, 0, 1, 0, 1, 0, 0, 1, 1], rng.integers(0, 5, 9), rng.integers(0, 5, 9)
    ends = [(0, sizes[0]), (sizes[0], sum(sizes))]
    unit = [i // 2 for i in range(4)] + [2 + i // 2 for i in range(5)] if clustered else list(range(9))
    ranks = [np.concatenate([scipy.stats.rankdata(x[low:high]) for low, high in ends]) for x in (a, b)]

    def gap(swapped):
        sides = [np.where(swapped, ranks[1 - k], ranks[k]) for k in (0, 1)]
        areas = [[naive_auc(x[low:high].tolist(), [bool(v) for v in y[low:high]]) for low, high in ends] for x in sides]
        return (sum(areas[0]) - sum(areas[1])) / 2

    observed = gap(np.zeros(9, dtype=bool))
    coins = itertools.product((False, True), repeat=max(unit) + 1)
    gaps = [abs(gap(np.array([coin[u] for u in unit]))) for coin in coins]
    table = {"id": range(9), "task": ["x"] * 4 + ["y"] * 5, "document": unit, "gold": y, "new": a, "old": b}
    asked = {"metric": "auc", "dataset": "task", "clusters": "document" if clustered else None}
    frame = pandas_frame({name: column for name, column in table.items() if clustered or name != "document"})
    found, ranked = osc.compare(frame, **asked), osc.rank(frame, **asked)
    assert found.difference == pytest.approx(float(observed), abs=1e-12)
    assert found.p.method == ("exact" if any(gaps) else found.p.method)
    assert found.p.value == sum(size >= abs(observed) for size in gaps) / len(gaps)
    assert ranked.pairs[0].p.value == pytest.approx(found.p.value, rel=1e-12)
    with pytest.raises(osc.OutscoreError, match="--dataset none"):
        osc.gate(frame, margin=0.1, **asked)
    assert not any("DeLong" in note.text for note in found.notes)


# Agreement with people.


def outputs(rng: np.random.Generator, items: int, systems: int, *, gaps: bool = False) -> dict[str, list]:
    """A table of outputs; people give few different scores, and so do metrics, so that there are ties."""
    cells = [(i, s) for i in range(items) for s in range(systems) if not gaps or s < 2 or rng.random() < 0.7]
    people = rng.integers(1, 4, len(cells))
    return {
        "segment": [f"s{i}" for i, _ in cells],
        "system": [f"mt{s}" for _, s in cells],
        "human": people.tolist(),
        "comet": (people + rng.integers(-1, 2, len(cells))).tolist(),
        "ter": (9 - people + rng.integers(-3, 4, len(cells))).tolist(),
    }


def by_item(table: dict[str, list], column: str) -> list[tuple[list[float], list[float]]]:
    """The scores of each item's outputs by a metric, turned if lower is better, and by people."""
    sign = -1 if column == "ter" else 1
    rows = [row for row, _ in enumerate(table["segment"])]
    groups = [[row for row in rows if table["segment"][row] == item] for item in dict.fromkeys(table["segment"])]
    return [([sign * table[column][row] for row in group], [table["human"][row] for row in group]) for group in groups]


def sign(x: float) -> int:
    return (x > 0) - (x < 0)


def naive_pairs(scores: list[float], people: list[float], *, skip: bool = False) -> float:
    pairs = [(i, j) for i, j in itertools.combinations(range(len(scores)), 2) if not skip or people[i] != people[j]]
    agreed = sum(sign(scores[i] - scores[j]) == sign(people[i] - people[j]) for i, j in pairs)
    return agreed / len(pairs) if pairs else math.nan


def naive_kendall(scores: list[float], people: list[float]) -> float:
    if len(set(people)) == 1:
        return math.nan
    return 0.0 if len(set(scores)) == 1 else float(scipy.stats.kendalltau(scores, people).statistic)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.booleans())
def test_agreement_by_items_against_naive_twins(tmp_path_factory, seed, gaps):
    table = outputs(np.random.default_rng(seed), 7, 4, gaps=gaps)
    file = write(tmp_path_factory.mktemp("outputs") / "wmt.csv", table)
    naive = {
        "pairwise-accuracy": naive_pairs,
        "pairwise-accuracy:ties=skip": lambda x, h: naive_pairs(x, h, skip=True),
        "kendall": naive_kendall,
    }
    for metric, twin in naive.items():
        found = osc.score(file, metric=metric)
        for system in found.systems:
            values = [value for x, h in by_item(table, system.system) if not math.isnan(value := twin(x, h))]
            assert system.n == len(values)
            assert system.value == pytest.approx(np.mean(values), abs=1e-12)


def test_correlation_and_order_of_systems(tmp_path):
    table = outputs(np.random.default_rng(4), 12, 5)
    file = write(tmp_path / "wmt.csv", table)
    pearson, order = osc.score(file, metric="pearson"), osc.score(file, metric="system-accuracy")
    for place, column in enumerate(("comet", "ter")):
        x = np.array(table[column]) * (-1 if column == "ter" else 1)
        assert pearson.systems[place].value == pytest.approx(scipy.stats.pearsonr(x, table["human"]).statistic, rel=1e-12)
        means = [x.reshape(12, 5).mean(axis=0), np.reshape(table["human"], (12, 5)).mean(axis=0)]
        assert order.systems[place].value == pytest.approx(naive_pairs(*(mean.round(9).tolist() for mean in means)))
        assert order.systems[place].low is None  # It moves by steps, so no spread is known.


def swapped_differences(table: dict[str, list], statistic) -> list[float]:
    """The difference between both metrics under every swap of an item's standardised scores, the observed one first."""
    items = len(dict.fromkeys(table["segment"]))
    columns = [np.array(table["comet"], dtype=float), -np.array(table["ter"], dtype=float)]
    a, b = (((x - x.mean()) / x.std()).reshape(items, -1) for x in columns)
    people = np.reshape(np.array(table["human"], dtype=float), (items, -1))
    found = []
    for swap in itertools.product((False, True), repeat=items):
        chosen = np.array(swap)[:, None]
        found.append(statistic(np.where(chosen, b, a), people) - statistic(np.where(chosen, a, b), people))
    return found


def flat_pearson(x: np.ndarray, h: np.ndarray) -> float:
    return float(np.corrcoef(x.ravel(), h.ravel())[0, 1])


def order_of_means(x: np.ndarray, h: np.ndarray) -> float:
    return naive_pairs(x.sum(axis=0).round(9).tolist(), h.sum(axis=0).tolist())


def mean_of_pairs(x: np.ndarray, h: np.ndarray) -> float:
    return float(np.mean([naive_pairs(*row) for row in zip(x.tolist(), h.tolist(), strict=True)]))


@pytest.mark.parametrize(
    ("metric", "statistic"),
    [("pairwise-accuracy", mean_of_pairs), ("pearson", flat_pearson), ("system-accuracy", order_of_means)],
)
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_difference_of_two_metrics_against_all_swaps(tmp_path, metric, statistic, seed):
    """H0: on every item the two metrics' standardised scores of all its outputs could as well be the other's."""
    table = outputs(np.random.default_rng(seed), 7, 4)
    found = osc.compare(write(tmp_path / "wmt.csv", table), metric=metric)
    differences = swapped_differences(table, statistic)
    hits = sum(abs(one) >= abs(differences[0]) - 1e-9 for one in differences)
    assert found.difference == pytest.approx(differences[0], abs=1e-12)
    assert found.p.method == "exact"
    assert found.p.value == pytest.approx(hits / len(differences), rel=1e-12)


def test_a_tie_by_epsilon(tmp_path):
    table = {"item": [1, 1, 2, 2], "system": ["a", "b"] * 2, "human": [1, 1, 2, 3], "m": [0.5, 0.52, 0.1, 0.9]}
    file = write(tmp_path / "wmt.csv", table)
    assert osc.score(file, metric="pairwise-accuracy").systems[0].value == 0.5
    assert osc.score(file, metric="pairwise-accuracy:epsilon=0.05").systems[0].value == 1.0


def test_what_the_reading_says_of_metrics_beside_people(tmp_path):
    file = write(tmp_path / "wmt.csv", outputs(np.random.default_rng(0), 30, 4))
    text = " ".join(run("compare", file, "--metric", "pairwise-accuracy", "-v").split())
    assert "metrics or judges: `comet` and `ter` beside `human`" in text
    assert "outputs of: `system`" in text
    assert "lower is better for `ter`, so its sign was turned" in text


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"system": None}, "does not say which system made which output"),
        ({"human": None}, "no column of people's scores"),
        ({"system": ["a", "a", "a", "b"]}, "line 3: `a` has a second output of `1`"),
        ({"human": [1, 1, 2, 2]}, "no item has outputs that people ordered"),
    ],
)
def test_tables_that_do_not_set_metrics_beside_people(tmp_path, change, said):
    table = {"item": [1, 1, 2, 2], "system": ["a", "b"] * 2, "human": [1, 2, 2, 3], "m": [0.5, 0.6, 0.1, 0.9]} | change
    file = write(tmp_path / "wmt.csv", {name: values for name, values in table.items() if values is not None})
    text = run("score", file, "--metric", "kendall")
    assert said in " ".join(text.split())
    assert text.endswith("2")


@needs_data
def test_judges_of_llmbar_against_people():
    """Verdicts are labels: kappa with people as in the data's README, and judges are ranked by their agreement."""
    file = SHARED / "judges" / "llmbar-vanilla.csv"
    judges = [f"{name} original" for name in ("GPT-4", "ChatGPT", "LLaMA2", "PaLM2")]
    found = osc.score(file, gold="human", systems=judges, metric="kappa")
    assert [one.value for one in found.systems] == pytest.approx([0.656503, -0.183683, -0.113843, 0.367005], abs=1e-6)


def probabilities_file(tmp_path: Path, gold: list[str]) -> Path:
    path = tmp_path / "probabilities.csv"
    rows = [f"q{i},{right},{(i * 7 % 10) / 10 + 0.05},{(i * 3 % 10) / 10 + 0.05}" for i, right in enumerate(gold)]
    path.write_text("\n".join(["id,gold,new,old", *rows]))
    return path


@pytest.mark.parametrize("ask", [osc.compare, osc.rank, osc.score])
def test_an_area_needs_both_classes(tmp_path, ask):
    path = probabilities_file(tmp_path, ["1"] * 20)
    with pytest.raises(osc.OutscoreError, match="All items are of one class"):
        ask(path, metric="auc", gold="gold")


def test_one_is_not_positive_beside_two(tmp_path):
    path = probabilities_file(tmp_path, ["1", "2"] * 10)
    with pytest.raises(osc.OutscoreError, match="not clear which of `1` and `2`"):
        osc.compare(path, metric="brier", gold="gold")
    assert osc.compare(path, metric="brier:positive=2", gold="gold").p.value > 0


@pytest.mark.parametrize("metric", ["brier", "log-loss", "auc"])
@pytest.mark.parametrize("ask", [osc.compare, osc.rank, osc.score])
def test_runs_of_probabilities_are_refused(tmp_path, ask, metric):
    """Some commands averaged the probabilities of an item, and others their scores."""
    path = tmp_path / "runs.csv"
    rows = [
        f"q{i},{k},{i % 2},{(i * 7 + k) % 10 / 10 + 0.05},{(i * 3 + k) % 10 / 10 + 0.05}" for i in range(12) for k in (1, 2)
    ]
    path.write_text("\n".join(["id,epoch,gold,new,old", *rows]))
    with pytest.raises(osc.OutscoreError, match="several runs"):
        ask(path, metric=metric, gold="gold")


def test_both_systems_have_the_same_right_answers():
    rng = np.random.default_rng(2)
    a, b = (np.stack([rng.random(20), rng.integers(0, 2, 20)], axis=1) for _ in "ab")
    with pytest.raises(osc.OutscoreError, match="positive for one system and negative for the other"):
        osc.compare(a, b, metric="auc")


@pytest.mark.parametrize("metric", ["kendall", "pairwise-accuracy", "system-accuracy"])
def test_a_file_for_each_metric_says_the_same_as_one_table(tmp_path, metric):
    """The direction was looked up by the names of files, and outputs were numbered in the order of each file."""
    table = outputs(np.random.default_rng(7), 10, 4)
    whole = osc.compare(write(tmp_path / "wide.csv", table), metric=metric)
    parts = []
    for name, turn in (("comet", 1), ("ter", -1)):
        part = {column: values[::turn] for column, values in table.items() if column not in {"comet", "ter"} - {name}}
        parts.append(write(tmp_path / f"f{turn}.csv", part))
    found = osc.compare(*parts, metric=metric)
    assert [one.value for one in found.scores] == pytest.approx([one.value for one in whole.scores])
    assert found.p.value == pytest.approx(whole.p.value)
    unclear = write(tmp_path / "unclear.csv", {("no_error" if name == "ter" else name): x for name, x in table.items()})
    with pytest.raises(osc.OutscoreError, match="not clear from the name `no_error`"):
        osc.compare(unclear, metric=metric)


def test_areas_have_no_evidence_at_every_look(tmp_path):
    path = probabilities_file(tmp_path, ["1", "0"] * 10)
    with pytest.raises(osc.OutscoreError, match="--anytime needs one score per item"):
        osc.compare(path, metric="auc", gold="gold", anytime=True, bounds=(-5, 5))
