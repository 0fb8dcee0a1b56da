"""Scores of single systems: the intervals of `compare`, counted by hand, and what the test set can tell."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

import outscore as osc
from outscore.core.errors import OutscoreError
from outscore.inference.power.binary import mcnemar_power

RNG = np.random.default_rng(5)
RIGHT = (RNG.random((60, 2)) < [0.8, 0.6]).astype(int)
GRADED = np.round(RNG.normal(3.0, 1.0, (40, 2)), 2)


def own(found):
    return [(one.value, one.low, one.high) for one in found.systems]


def of_pair(compared):
    return [(one.value, one.low, one.high) for one in compared.scores]


@pytest.mark.parametrize("exponent", [-480, 480])
@pytest.mark.parametrize("datasets", [["x"] * 40, ["x", "y"] * 20], ids=["one", "two"])
def test_scores_of_any_size_are_scored_alike(exponent, datasets):
    data = GRADED - 3.0
    usual, scaled = (
        osc.score(pl.DataFrame({"id": range(40), "dataset": datasets, "a": one[:, 0], "b": one[:, 1]}))
        for one in (data, data * 2.0**exponent)
    )
    for before, after in zip(usual.systems, scaled.systems, strict=True):
        for name in ("value", "low", "high", "error"):
            assert getattr(after, name) / 2.0**exponent == pytest.approx(getattr(before, name), rel=1e-9), name
        assert after.detectable.independent / 2.0**exponent == pytest.approx(before.detectable.independent, rel=1e-9)


class TestTheIntervalsOfCompare:
    """What `compare` shows for each system is what `score` says of it."""

    @pytest.mark.parametrize("data", [RIGHT, GRADED, RIGHT / 2 + 0.25], ids=["right", "graded", "other"])
    def test_items(self, data):
        found = osc.score({"new": data[:, 0], "old": data[:, 1]})
        assert own(found) == of_pair(osc.compare(data[:, 0], data[:, 1], names=("new", "old")))

    @pytest.mark.parametrize("kind", ["epochs", "runs"])
    def test_new_runs_of_these_items(self, kind):
        for data in (RIGHT, np.round(RNG.normal(3.0, 1.0, (60, 2)), 2)):
            asked = {"items": np.arange(60) // 3, "repeats": kind, "population": "these-items"}
            found = osc.score({"a": data[:, 0], "b": data[:, 1]}, **asked)
            assert own(found) == of_pair(osc.compare(data[:, 0], data[:, 1], **asked))
            assert found.population == "these-items"
            assert "about these items and new runs" in found.to_text()

    @pytest.mark.parametrize("reduce", ["pass@2", "pass^3", "max", "min", "majority"])
    def test_one_score_of_several_runs(self, reduce):
        asked = {"items": np.arange(60) // 3, "reduce": reduce}
        found = osc.score({"a": RIGHT[:, 0], "b": RIGHT[:, 1]}, **asked)
        assert own(found) == of_pair(osc.compare(RIGHT[:, 0], RIGHT[:, 1], **asked))
        assert [(one.n, one.rows, one.repeats) for one in found.systems] == [(20, 60, 3.0)] * 2
        assert found.metric == reduce

    def test_clusters(self):
        clusters = np.arange(60) // 7
        found = osc.score({"a": RIGHT[:, 0], "b": RIGHT[:, 1]}, clusters=clusters)
        assert own(found) == of_pair(osc.compare(RIGHT[:, 0], RIGHT[:, 1], clusters=clusters))
        assert [one.clusters for one in found.systems] == [9, 9]

    def test_epochs(self):
        items = np.arange(60) // 3
        found = osc.score({"a": RIGHT[:, 0], "b": RIGHT[:, 1]}, items=items)
        assert own(found) == of_pair(osc.compare(RIGHT[:, 0], RIGHT[:, 1], items=items))
        assert found.systems[0].repeats == 3.0
        assert found.repeat_kind == "epochs"

    @pytest.mark.parametrize("metric", ["f1", "mcc", "macro-f1", "accuracy"])
    def test_counts(self, metric):
        tables = [np.eye(4, dtype=int)[RNG.integers(0, 4, 50)] for _ in "ab"]
        found = osc.score({"a": tables[0], "b": tables[1]}, metric=metric)
        assert own(found) == of_pair(osc.compare(*tables, metric=metric))


def test_wilson_and_student_by_hand():
    n, k = 60, int(RIGHT[:, 0].sum())
    low, high = scipy.stats.binomtest(k, n).proportion_ci(method="wilson")
    one = osc.score(RIGHT[:, 0]).systems[0]
    assert (one.system, one.value) == ("system", k / n)
    assert (one.low, one.high) == pytest.approx((low, high), abs=1e-12)
    assert one.error == pytest.approx(RIGHT[:, 0].std(ddof=1) / math.sqrt(n))
    x = GRADED[:, 0]
    one = osc.score(x, alpha=0.1).systems[0]
    assert (one.low, one.high) == pytest.approx(scipy.stats.t.interval(0.9, 39, x.mean(), scipy.stats.sem(x)), abs=1e-12)
    assert one.sd == pytest.approx(x.std(ddof=1))


def test_systems_with_different_numbers_of_runs_are_each_scored_over_new_ones():
    rng = np.random.default_rng(8)
    rows = [(f"q{i}", name, f"s{k}", rng.random()) for name, n in (("a", 3), ("b", 5)) for i in range(12) for k in range(n)]
    table = pl.DataFrame(rows, schema=["id", "system", "seed", "score"], orient="row")
    both, alone = osc.score(table), osc.score(table.filter(pl.col("system") == "b"))
    assert both.population == alone.population == "items-and-runs"
    assert own(both)[1] == pytest.approx(own(alone)[0])


def test_new_runs_by_hand():
    """V = s²/n - E + R, with Satterthwaite's degrees of freedom, as in a comparison."""
    rng = np.random.default_rng(3)
    n, k = 30, 4
    y = 5 + rng.normal(size=(n, 1)) + 0.8 * rng.normal(size=k) + rng.normal(size=(n, k))
    table = pl.DataFrame({"id": np.repeat(np.arange(n), k), "seed": np.tile(np.arange(k), n), "score": y.round(6).ravel()})
    found = osc.score(table)
    one = found.systems[0]
    assert (found.population, found.repeat_kind, found.repeat_column) == ("items-and-runs", "runs", "seed")
    y = y.round(6)
    runs = y.mean(axis=0)
    between = runs.var(ddof=1) / k
    rest = y - y.mean(axis=1, keepdims=True) - runs + y.mean()
    within = (rest**2).sum() / ((n - 1) * (k - 1)) / (n * k)
    v = y.mean(axis=1).var(ddof=1) / n
    assert between > within < v
    whole = v - within + between
    df = whole**2 / ((v - within) ** 2 / (n - 1) + between**2 / (k - 1))
    reach = scipy.stats.t.ppf(0.975, df) * math.sqrt(whole)
    assert (one.low, one.high) == pytest.approx((y.mean() - reach, y.mean() + reach), rel=1e-9)
    assert one.error == pytest.approx(math.sqrt(whole))
    alone = osc.score(table, population="items").systems[0]
    assert alone.high - alone.low < one.high - one.low
    assert (one.between, one.within) == (alone.between, alone.within)


@settings(max_examples=120)
@given(st.integers(2, 12), st.integers(2, 4), st.integers(0, 2**32))
def test_an_interval_over_few_runs_is_no_wider_than_a_t_of_one_degree_of_freedom_makes_it(n, k, seed):
    """Runs that agree by chance gave it a fraction of a degree, hence widths of 10^190, or an overflow."""
    y = np.random.default_rng(seed).integers(0, 101, (n, k))
    table = pl.DataFrame({"id": np.repeat(np.arange(n), k), "seed": np.tile(np.arange(k), n), "score": y.ravel()})
    one = osc.score(table, population="items-and-runs").systems[0]
    if one.low is None:
        return
    between, items = y.mean(axis=0).var(ddof=1) / k, y.mean(axis=1).var(ddof=1) / n
    rest = y - y.mean(axis=1, keepdims=True) - y.mean(axis=0) + y.mean()
    within = (rest**2).sum() / max((n - 1) * (k - 1), 1) / (n * k)
    most = scipy.stats.t.ppf(0.975, 1) * math.sqrt(max(items, items - within + max(between, within / 2), between, within / 2))
    assert one.low - 1e-9 <= y.mean() <= one.high + 1e-9
    assert one.high - one.low <= 2 * most * (1 + 1e-9)


def test_the_reach_is_what_a_plan_says():
    x, y = GRADED.T
    found = osc.score({"new": x, "old": y})
    sd = x.std(ddof=1) * math.sqrt(2)
    rho = np.corrcoef(x, y)[0, 1]
    one = found.systems[0].detectable
    assert one.independent == pytest.approx(osc.detectable_effect(40, sd=sd, method="t"), rel=1e-9)
    assert one.correlated == pytest.approx(osc.detectable_effect(40, sd=sd * math.sqrt(1 - rho), method="t"), rel=1e-9)
    assert (one.correlation, one.measured) == (pytest.approx(rho), True)
    alone = osc.score(x, power=0.9).systems[0].detectable
    assert (alone.correlation, alone.measured, alone.power) == (0.5, False, 0.9)
    assert alone.independent > one.independent


def test_a_macro_average_is_said_everywhere(tmp_path):
    """120 items of an easy dataset do not hide behind 8 of a hard one, and the reader is told which average it is."""
    right = [1] * 108 + [0] * 12 + [1] * 2 + [0] * 6
    path = tmp_path / "new.csv"
    rows = [f"{i},{'large' if i < 120 else 'small'},{value}" for i, value in enumerate(right)]
    path.write_text("\n".join(["id,dataset,score", *rows]) + "\n")
    found = osc.score(path)
    (one,) = found.systems
    assert (one.value, one.pooled, found.macro) == (pytest.approx((0.9 + 0.25) / 2), pytest.approx(110 / 128), True)
    assert found.verdict.endswith("macro-averaged mean, 128 items from 2 datasets.")
    assert found.sentence.startswith("On 128 items from 2 datasets, the macro-averaged mean of new is 0.5750")
    assert "|datasets:2, macro average|" in str(found.signature)
    assert "macro-averaged mean" in repr(found)
    told = " ".join(found.to_text().split())
    assert "Scores are macro averages of 2 datasets" in told
    assert "Pooled over all 128 items: mean new 0.8594." in told
    assert "macro-averaged mean" in found.to_html()
    saved = found.to_dict()
    assert (saved["macro"], saved["systems"][0]["pooled"]) == (True, one.pooled)
    again = osc.score({"new": right}, dataset=["large"] * 120 + ["small"] * 8)
    assert (again.macro, again.systems[0].pooled) == (True, one.pooled)


def test_one_dataset_is_no_macro_average(tmp_path):
    path = tmp_path / "new.csv"
    path.write_text("id,dataset,score\n1,x,1\n2,x,0\n3,y,1\n")
    for found in (osc.score(path, dataset="none"), osc.score([1, 0, 1], dataset=["x"] * 3)):
        assert (found.macro, found.systems[0].pooled) == (False, None)
        assert "macro" not in found.to_text()


def test_a_dataset_without_an_interval_is_named(tmp_path):
    path = tmp_path / "new.csv"
    rows = [f"{i},{'varied' if i < 9 else 'constant'},{i / 7 if i < 9 else 2}" for i in range(14)]
    path.write_text("\n".join(["id,dataset,score", *rows]) + "\n")
    assert "no interval, because constant has none" in osc.score(path).verdict


def test_several_datasets_are_averaged():
    sets = np.array(["x"] * 20 + ["y"] * 40)
    found = osc.score(RIGHT[:, 0], dataset=sets).systems[0]
    first, second = (osc.score(RIGHT[sets == name, 0]).systems[0] for name in "xy")
    assert found.value == pytest.approx((first.value + second.value) / 2)
    assert [(part.name, part.value, part.low) for part in found.datasets] == [
        ("x", first.value, first.low),
        ("y", second.value, second.low),
    ]
    reach = math.hypot(first.high - first.value, second.high - second.value) / 2
    assert found.high == pytest.approx(found.value + reach)
    assert found.noise is None


def test_slices_are_scored_by_themselves():
    topics = np.array(["law", "maths", "news"] * 20)
    found = osc.score({"a": RIGHT[:, 0], "b": RIGHT[:, 1]}, slices={"topic": topics})
    for one, column in zip(found.systems, RIGHT.T, strict=True):
        assert [(part.column, part.name, part.n) for part in one.slices] == [("topic", t, 20) for t in ("law", "maths", "news")]
        assert [part.value for part in one.slices] == [column[topics == t].mean() for t in ("law", "maths", "news")]
    frame = found.to_frame()
    assert frame.height == 8
    assert frame.filter(pl.col("part") == "law")["value"].to_list() == [one.slices[0].value for one in found.systems]


def test_items_that_others_have_are_counted(tmp_path):
    path = tmp_path / "gaps.csv"
    path.write_text("id,new,old\nq1,1,0\nq2,,1\nq3,0,1\nq4,1,1\n")
    found = osc.score(path)
    assert [(one.system, one.n, one.missing) for one in found.systems] == [("new", 3, {"absent": 1}), ("old", 4, {})]
    assert found.next_command == f"outscore rank {path}"
    assert "1 items that others have" in found.to_text() or "1 absent" in found.to_text()


def test_a_system_that_never_varies_has_only_worse_ones_in_reach():
    one = osc.score(np.ones(20, dtype=int)).systems[0]
    assert (one.value, one.high, one.error) == (1.0, 1.0, None)
    # Every item on which they differ is one that the other gets wrong.
    assert one.detectable.independent_directions.better is None
    assert mcnemar_power(20, one.detectable.independent, one.detectable.independent, 0.05, "two-sided") == pytest.approx(0.8)
    assert one.low == pytest.approx(1 / (1 + 1.959964**2 / 20), rel=1e-6)
    one = osc.score(np.full(20, 3.5)).systems[0]
    assert (one.low, one.high) == (None, None)
    assert "no interval" in osc.score(np.full(20, 3.5)).verdict


def test_a_rule_for_duplicates_that_does_not_exist_is_refused():
    with pytest.raises(OutscoreError, match="`duplicates` is 'middle'"):
        osc.score([1, 0, 1], duplicates="middle")


def test_a_single_item_has_no_interval_and_says_why():
    found = osc.score([1])
    assert (found.systems[0].low, found.interval) == (None, "")
    assert found.reason == "no interval, because there is a single item, mean, 1 item."
    assert "|interval:none|" in str(found.signature)
    text = found.to_text()
    assert "Wilson" not in text
    assert "do not vary" not in text


def test_no_difference_is_larger_than_the_scale():
    """Of few right-or-wrong items only a difference above 1 would be found, which there is none of."""
    none = osc.score([1, 0, 1, 0, 1, 0])
    assert (none.systems[0].detectable.independent, none.systems[0].detectable.correlated) == (None, None)
    told = "cannot detect a difference from another system: none that is possible is large enough"
    assert told in " ".join(none.to_text().split())
    one = osc.score([0] * 4 + [1] * 8, power=0.6).systems[0].detectable
    assert one.correlated <= 8 / 12 < one.possible == 1.0
    hundred = osc.score([0, 100, 0]).systems[0].detectable
    assert hundred.possible == 100.0
    assert osc.score([0.25, 0.5, 0.9]).systems[0].detectable.possible is None


def test_units_that_can_show_nothing_find_nothing():
    """The smallest two-sided p of flipped signs is 2/2^m: .0625 of five units, .03125 of six."""
    graded = np.array([0.2, 0.9, 0.4, 0.7, 0.5, 0.1, 0.8, 0.35, 0.6, 0.45, 0.3, 0.75])
    few = osc.score(graded[:5])
    reach = few.systems[0].detectable
    assert (reach.independent, reach.correlated, reach.smallest_p) == (None, None, 0.0625)
    told = "cannot detect a difference from another system: the smallest possible p with 5 items is .0625 (alpha = .05, paired)"
    assert told in " ".join(few.to_text().split())
    assert osc.score(graded[:5], alpha=0.1).systems[0].detectable.smallest_p is None
    assert osc.score(graded[:6]).systems[0].detectable.smallest_p is None
    documents = osc.score(graded, clusters=np.repeat(np.arange(4), 3))
    assert "the smallest possible p with 4 clusters is .125 (alpha = .05, paired)" in " ".join(documents.to_text().split())
    assert "detectable" not in documents.to_html().split("<table")[0].lower()


def test_a_bound_of_false_alarms_is_called_one():
    """Of graded epochs the rate is not known, but what it cannot exceed is: nothing where no p of so few items is small."""
    scores = np.random.default_rng(4).random((12, 3)).round(2)
    told = {}
    for items in (4, 6, 12):
        frame = pl.DataFrame(
            {"item": np.repeat(np.arange(items), 3), "epoch": np.tile([0, 1, 2], items), "score": scores[:items].ravel()}
        )
        told[items] = " ".join(osc.score(frame).to_text().split())
    assert "would be called different in 0.0% of cases" in told[4]
    assert "would be called different in at most 3.1% of cases" in told[6]
    assert "would be called different in at most 5.0% of cases" in told[12]
    # Epochs that are not equally many.
    assert "would be called different in 0.0% of cases" in " ".join(osc.score(frame[:11]).to_text().split())


def test_lower_is_better_is_said_and_orders_the_headline():
    found = osc.score(pl.DataFrame({"id": range(20), "model": ["a"] * 20, "wer": np.linspace(0.1, 0.3, 20)}))
    assert not found.higher_is_better
    assert found.reading.direction_source == "column"


def test_real_logs(shared_data):
    """The standard errors that Inspect reports, and rows without a score by reason."""
    found = osc.score(shared_data / "harness-logs" / "inspect" / "epochs", metric="includes")
    assert [one.value for one in found.systems] == pytest.approx([0.766667, 0.6], abs=1e-6)
    assert [one.error for one in found.systems] == pytest.approx([0.0597265, 0.0749269], abs=1e-7)
    assert all(one.noise.runs == 3 for one in found.systems)
    found = osc.score(shared_data / "harness-logs" / "inspect" / "unscored", metric="partial", missing="drop")
    assert [round(one.value, 6) for one in found.systems] == [0.916667, 0.638889]
    assert [one.n for one in found.systems] == [18, 18]
    assert all(sum(one.missing.values()) > 0 for one in found.systems)


def test_real_scores(shared_data):
    found = osc.score(shared_data / "llm-scores" / "gpqa-diamond.csv")
    assert [one.value for one in found.systems] == pytest.approx([0.675758, 0.617172], abs=1e-6)
    # More pairs of epochs differ than epochs would: they were not drawn independently of one another.
    assert [(one.noise.significant, one.noise.pairs) for one in found.systems] == [(0, 10), (3, 10)]
    with pytest.raises(OutscoreError, match="epochs, which are unrelated from item to item"):
        osc.score(shared_data / "llm-scores" / "gpqa-diamond.csv", population="items-and-runs")


BAD = {
    "`alpha` is 2": {"alpha": 2.0},
    "`power` is 0.01": {"power": 0.01},
    "There is no metric `accuracie`": {"metric": "accuracie"},
    "is a metric for texts": {"metric": "bleu"},
    "`population` is 'these'": {"population": "these"},
    "these-items is not available: each item was scored once": {"population": "these-items"},
    "`reduce` is 'best'": {"reduce": "best"},
    "There are no repeats": {"repeats": "runs"},
    "is not available: each item was scored once": {"population": "items-and-runs"},
    "There are 2 names for one system": {"names": ["a", "b"]},
    "`slice` has shape": {"slices": ["x", "y", "z"]},
    "have no slice column `topic`": {"slices": "topic"},
}


@pytest.mark.parametrize("message", BAD)
def test_bad_input(message):
    with pytest.raises(OutscoreError, match=message):
        osc.score(RIGHT[:, 0], **BAD[message])


@pytest.mark.parametrize("ask", [osc.rank, osc.score])
def test_no_system_at_all_is_refused_as_such(ask):
    with pytest.raises(OutscoreError, match=r"`scores` is empty\. Give a dictionary of arrays by system"):
        ask({})


def test_two_systems_of_one_name_are_refused():
    same = osc.Scores("new", RIGHT[:, 0])
    with pytest.raises(OutscoreError, match="Two systems are named `new`"):
        osc.score([same, same])


def test_the_error_over_new_runs_by_hand():
    """Items by epochs: the squared error is the mean over items of s²/k, over the items."""
    runs = RNG.normal(0.0, 1.0, (12, 4))
    one = osc.score(runs.ravel(), items=np.repeat(np.arange(12), 4), population="these-items").systems[0]
    assert one.error == pytest.approx(math.sqrt((runs.var(axis=1, ddof=1) / 4).sum()) / 12)
    whole = osc.score(runs.ravel(), items=np.repeat(np.arange(12), 4), population="these-items", repeats="runs").systems[0]
    assert whole.error == pytest.approx(runs.mean(axis=0).std(ddof=1) / 2)
    assert whole.detectable.independent == whole.detectable.correlated


def test_populations_of_reduced_and_incomplete_runs_are_refused_with_a_cure():
    runs = np.tile([1, 0, 1], 12)
    items = np.arange(36) // 3
    for population in ("these-items", "items-and-runs"):
        with pytest.raises(OutscoreError, match="pass@2 is one score of all runs of an item") as caught:
            osc.score(runs, items=items, reduce="pass@2", population=population)
        assert caught.value.hint.startswith("Write --reduce mean")
    with pytest.raises(OutscoreError, match="f1 is not a mean over items"):
        osc.score(np.arange(108).reshape(36, 3), items=items, metric="f1", population="these-items")
    with pytest.raises(OutscoreError, match="no two rows are runs of the same item"):
        osc.score([1, 0, 1], reduce="pass@2")


def test_reduced_real_data(shared_data):
    found = osc.score(shared_data / "llm-scores" / "gpqa-diamond.csv", reduce="pass@2")
    assert [one.value for one in found.systems] == pytest.approx([0.762121, 0.696465], abs=1e-6)
    assert "--reduce pass@2" in found.next_command


class TestSeveralDatasets:
    """A mean over datasets, whose order in one file need not be that of another."""

    def test_limits_of_shares_stay_shares(self):
        table = pl.DataFrame({"id": range(20), "dataset": ["x"] * 10 + ["y"] * 10, "model": "m", "score": [1] * 20})
        (one,) = osc.score(table).systems
        wilson = scipy.stats.binomtest(10, 10).proportion_ci(method="wilson").low
        assert (one.value, one.high) == (1.0, 1.0)
        assert one.low == pytest.approx(1 - math.hypot(1 - wilson, 1 - wilson) / 2)

    def test_datasets_in_another_order_are_the_same_items(self, tmp_path):
        ids, sets = [*range(15), *range(5)], ["x"] * 15 + ["yy"] * 5
        scores = RNG.integers(0, 2, (20, 2))
        first = pl.DataFrame({"id": ids, "dataset": sets, "score": scores[:, 0]})
        second = pl.DataFrame({"id": ids, "dataset": sets, "score": scores[:, 1]})
        for name, table in (("a", first), ("b", second), ("turned", second.reverse())):
            table.write_csv(tmp_path / f"{name}.csv")
        straight, turned = (osc.score([tmp_path / "a.csv", tmp_path / f"{name}.csv"]) for name in ("b", "turned"))
        assert turned.systems[1].missing == {}
        assert turned.systems[1].detectable == straight.systems[1].detectable


def test_a_correlation_that_is_but_rounding_is_none():
    """The sums of these products are 0 in theory, and -2e-17 in floating point."""
    amber, birch = [1, 1, 1] * 3 + [0, 0, 0], [0, 0, 1] * 4
    text = " ".join(osc.score({"amber": amber, "birch": birch}).to_text().split())
    assert "correlate at 0.00 (as these do)" in text


def test_slices_with_an_index_are_matched_by_it():
    labels = list("abcdef")
    scores = pd.Series([1.0, 1, 1, 0, 0, 1], index=labels)
    parts = pd.Series(["u", "u", "u", "v", "v", "v"], index=labels)
    in_order, turned = (osc.score(scores, slices=one).systems[0].slices for one in (parts, parts[::-1]))
    assert {one.name: one.value for one in turned} == {one.name: one.value for one in in_order}
