"""Rankings of systems that were run several times: the same answer as comparisons, pair by pair."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import scipy.special
from tests.variants import a_few

import outscore as osc
from outscore.core.errors import OutscoreError
from outscore.core.rows import Runs
from outscore.inference.runs import UNEQUAL_LAWS, exchange_of, macro_exchange
from outscore.inference.two_way import macro_two_way, two_way_of_means

RUNS = {"amber": 3, "birch": 4, "cedar": 3}


def scored(n: int = 60, seed: int = 5) -> dict[str, np.ndarray]:
    """(n, K) right-or-wrong scores by system."""
    rng = np.random.default_rng(seed)
    logit = rng.normal(0.5, 1.5, (n, 1))
    shifts = {"amber": 1.2, "birch": 0.2, "cedar": 0.0}
    return {
        name: (rng.random((n, k)) < scipy.special.expit(logit + shifts[name] + rng.normal(0, 0.3, k))).astype(int)
        for name, k in RUNS.items()
    }


def written(path, tables, column: str = "seed", dataset: str = "") -> str:
    lines = [f"id,model,{column},correct{',dataset' if dataset else ''}"]
    for name, table in tables.items():
        tail = f",{dataset}" if dataset else ""
        lines += [f"q{i},{name},{r + 1},{x}{tail}" for (i, r), x in np.ndenumerate(table)]
    path.write_text("\n".join(lines) + "\n")
    return str(path)


def crossed(tables, a: str, b: str):
    return two_way_of_means(tables[a].astype(float), tables[b].astype(float))


@pytest.mark.parametrize("metric", a_few(["mean", "accuracy"], 1))
def test_pairs_are_those_of_compare(tmp_path, metric):
    tables = scored()
    path = written(tmp_path / "seeds.csv", tables)
    found = osc.rank(path, metric=metric)
    assert (found.population, found.test) == ("items-and-runs", "two-way")
    for pair in found.pairs:
        compared = osc.compare(path, systems=pair.systems, metric=metric)
        assert pair.p.value == pytest.approx(compared.p.value, rel=1e-9)
        assert (pair.low, pair.high) == pytest.approx((compared.interval.low, compared.interval.high))
        own = {score.system: (score.value, score.low, score.high) for score in found.scores}
        for score in compared.scores:
            assert own[score.system] == pytest.approx((score.value, score.low, score.high))
    other, these = found.other_populations
    assert (other.population, other.counts.testable) == ("items", 3)
    assert (these.population, these.test) == ("these-items", "permutation of runs")
    assert other.counts == osc.rank(path, metric=metric, population="items").counts
    assert "the claims are about new items and new runs" in found.sentence
    assert "population:items-and-runs" in str(found.signature)
    assert "about new items and new runs" in " ".join(found.to_text().split())


def test_the_kind_of_repeats_decides(tmp_path):
    tables = {name: table[:, :3] for name, table in scored().items()}
    epochs = osc.rank(written(tmp_path / "epochs.csv", tables, "epoch"))
    assert (epochs.population, epochs.test, epochs.design.repeat_kind) == ("items", "permutation", "epochs")
    assert "3 epochs each" in epochs.sentence
    again = osc.rank(written(tmp_path / "epochs.csv", tables, "epoch"), repeats="runs")
    assert again.population == "items-and-runs"
    with pytest.raises(OutscoreError, match="epochs, which are unrelated from item to item"):
        osc.rank(written(tmp_path / "epochs.csv", tables, "epoch"), population="items-and-runs")


def test_arrays(tmp_path):
    tables = {name: table[:, :3] for name, table in scored().items()}
    flat = {name: table.ravel() for name, table in tables.items()}
    found = osc.rank(flat, items=np.repeat(np.arange(60), 3), repeats="runs")
    assert {pair.systems: pair.p.value for pair in found.pairs} == pytest.approx(
        {pair.systems: crossed(tables, *pair.systems).p().value for pair in found.pairs}
    )


def test_a_system_with_one_run_leaves_the_claim_to_these_runs(tmp_path):
    tables = scored()
    tables["cedar"] = tables["cedar"][:, :1]
    found = osc.rank(written(tmp_path / "seeds.csv", tables))
    assert (found.population, found.other_populations) == ("items", [])
    assert any("about these runs, not about new ones: cedar has a single run" in note.text for note in found.notes)
    with pytest.raises(OutscoreError, match="is not available: cedar has a single run"):
        osc.rank(written(tmp_path / "seeds.csv", tables), population="items-and-runs")


def test_items_that_a_system_lacks(tmp_path):
    tables = scored()
    path = written(tmp_path / "seeds.csv", tables)
    kept = [line for line in Path(path).read_text().splitlines() if not line.startswith(("q0,cedar", "q7,cedar"))]
    (tmp_path / "gaps.csv").write_text("\n".join(kept))
    found = osc.rank(str(tmp_path / "gaps.csv"))
    there = np.delete(np.arange(60), [0, 7])
    (pair,) = (pair for pair in found.pairs if set(pair.systems) == {"amber", "cedar"})
    a, b = (tables[name][there].astype(float) for name in pair.systems)
    assert pair.p.value == pytest.approx(two_way_of_means(a, b).p().value)


def test_the_macro_average_matches_runs_over_datasets(tmp_path):
    first, second = scored(40, 1), scored(30, 2)
    lines = Path(written(tmp_path / "a.csv", first, dataset="one")).read_text().splitlines()
    lines += Path(written(tmp_path / "b.csv", second, dataset="two")).read_text().splitlines()[1:]
    (tmp_path / "both.csv").write_text("\n".join(lines))
    found = osc.rank(str(tmp_path / "both.csv"))
    assert found.test == "two-way"
    for pair in found.pairs:
        macro = macro_two_way([crossed(tables, *pair.systems) for tables in (first, second)])
        assert pair.p.value == pytest.approx(macro.p().value)
        assert pair.difference == pytest.approx(macro.difference)
        assert (pair.low, pair.high) == pytest.approx((macro.interval().low, macro.interval().high))


def test_counts_that_are_averaged_have_to_be_counts_one_by_one(tmp_path):
    tables = scored()
    path = written(tmp_path / "epochs.csv", tables, "epoch")
    assert osc.rank(path, metric="accuracy").scores[0].value == pytest.approx(max(t.mean() for t in tables.values()))
    graded = {name: table / 2 for name, table in tables.items()}
    with pytest.raises(OutscoreError, match="neither 0 nor 1"):
        osc.rank(written(tmp_path / "graded.csv", graded, "epoch"), metric="accuracy")


@pytest.mark.parametrize("column", ["epoch", "seed"])
def test_pairs_of_these_items_are_those_of_compare(tmp_path, column):
    path = written(tmp_path / "runs.csv", scored(), column)
    found = osc.rank(path, population="these-items")
    assert found.population == "these-items"
    for pair in found.pairs:
        compared = osc.compare(path, systems=pair.systems, population="these-items")
        assert pair.p.value == pytest.approx(compared.p.value, rel=1e-9)
        ends = compared.interval.low, compared.interval.high
        assert (pair.low, pair.high) == (ends if None in ends else pytest.approx(ends))
        own = {score.system: (score.value, score.low, score.high) for score in found.scores}
        for score in compared.scores:
            assert own[score.system] == pytest.approx((score.value, score.low, score.high))
    assert "the claims are about these items and new runs" in found.sentence
    assert [one.population for one in found.other_populations] == (
        ["items"] if column == "epoch" else ["items", "items-and-runs"]
    )
    assert "exchange" in found.to_text()


def test_these_items_of_counts_are_those_of_compare(tmp_path):
    """`compare` exchanged runs of F1 at random, and `rank` refused to."""
    rng = np.random.default_rng(4)
    rows = [
        f"q{i},{name},{run},{rng.binomial(9, rate)},{rng.integers(0, 5)}\n"
        for name, rate in (("a", 0.6), ("b", 0.5), ("c", 0.4))
        for i in range(20)
        for run in range(3)
    ]
    path = tmp_path / "counts.csv"
    path.write_text("item,system,epoch,tp,errors\n" + "".join(rows))
    asked = {"score": ["tp", "errors"], "metric": "f1"}
    found = osc.rank(path, population="these-items", **asked)
    assert (found.test, found.kernel) == ("exchange", "divisions")
    assert "exchanged at random" in " ".join(note.text for note in found.notes)
    own = {score.system: (score.value, score.low, score.high) for score in found.scores}
    for pair in found.pairs:
        compared = osc.compare(path, systems=pair.systems, population="these-items", **asked)
        assert (pair.p.value, pair.low, pair.high) == (compared.p.value, None, None)
        assert {score.system: (score.value, score.low, score.high) for score in compared.scores}.items() <= own.items()
    (other,) = osc.rank(path, **asked).other_populations
    assert (other.population, other.counts.significant) == ("these-items", found.counts.significant)


def test_these_items_of_several_datasets(tmp_path):
    first, second = scored(12, 1), scored(9, 2)
    lines = Path(written(tmp_path / "a.csv", first, "epoch", dataset="one")).read_text().splitlines()
    lines += Path(written(tmp_path / "b.csv", second, "epoch", dataset="two")).read_text().splitlines()[1:]
    (tmp_path / "both.csv").write_text("\n".join(lines))
    found = osc.rank(str(tmp_path / "both.csv"), population="these-items")
    for pair in found.pairs:
        parts = [
            exchange_of(*(Runs(t[name].ravel(), np.repeat(np.arange(len(t[name])), t[name].shape[1])) for name in pair.systems))
            for t in (first, second)
        ]
        macro = macro_exchange(parts)
        assert pair.p.value == pytest.approx(macro.p().value)
        assert pair.difference == pytest.approx(macro.difference)


def test_rankings_of_single_runs_have_no_new_runs(tmp_path):
    tables = {name: table[:, :1] for name, table in scored().items()}
    with pytest.raises(OutscoreError, match="these-items is not available: each item was scored once"):
        osc.rank(written(tmp_path / "once.csv", tables), population="these-items")


def test_aime_pairs(shared_data):
    """135 of 171 pairs differ at .05 on these items, 108 on items like these, before any correction."""
    path = str(shared_data / "llm-scores" / "aime-2025-II.csv")
    for population, number in (("these-items", 135), ("items", 108)):
        found = osc.rank(path, population=population, correction="none")
        assert sum(pair.p.value <= 0.05 for pair in found.pairs) == number


def test_runs_of_unequal_number_are_told_as_a_range(tmp_path):
    tables = scored()
    first, second, *_ = tables
    path = written(tmp_path / "epochs.csv", {first: tables[first][:, :3], second: tables[second][:, :1]}, "epoch")
    found = osc.rank(path)
    assert (found.design.repeats, found.design.repeats_range) == (2.0, (1, 3))
    assert "(1 to 3 epochs each, averaged)" in found.sentence
    assert "|repeats:1-3 epochs|" in str(found.signature)


@pytest.mark.parametrize("column", ["epoch", "seed"])
def test_unequal_numbers_of_epochs_are_warned_of(tmp_path, column):
    """Means of unequally many draws of an item have different laws; runs are swapped as wholes."""
    tables = scored()
    found = osc.rank(written(tmp_path / "unequal.csv", tables, column), population="these-items")
    assert (UNEQUAL_LAWS in [note.text for note in found.notes]) == (column == "epoch")
    equal = {name: table[:, :3] for name, table in tables.items()}
    found = osc.rank(written(tmp_path / "equal.csv", equal, column), population="these-items")
    assert UNEQUAL_LAWS not in [note.text for note in found.notes]


def test_a_pair_that_shares_some_datasets_is_counted(tmp_path):
    there = [("new", 0), ("new", 1), ("new", 2), ("older", 0), ("older", 1)]
    rows = [f"q{i},{model},d{d},{(i * 7 + len(model) + d) % 3 > 0:d}" for model, d in there for i in range(20)]
    (tmp_path / "sets.csv").write_text("\n".join(["id,model,dataset,correct", *rows]) + "\n")
    found = osc.rank(tmp_path / "sets.csv")
    assert "1 pair is compared on the datasets that both systems have, not on all." in [note.text for note in found.notes]
