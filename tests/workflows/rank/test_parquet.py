"""Leaderboards in partitions: any cut of the rows into files, and any engine, gives the same bytes as one file."""

from __future__ import annotations

import json
import os
import signal
from dataclasses import replace
from itertools import count

import numpy as np
import polars as pl
import pytest
import scipy.stats
from tests.panels import panels_of
from tests.variants import a_few, crossed

import outscore as osc
from outscore.core.errors import OutscoreError
from outscore.engine.dask_cluster import Dask
from outscore.engine.engines import SERIAL, Processes
from outscore.engine.progress import Progress
from outscore.formats.base.entry import Choice
from outscore.formats.tables.parquet import are_partitions, long_file, long_rows, partition_paths
from outscore.results.note import note_texts
from outscore.workflows.question import Question
from outscore.workflows.rank import parquet as partitions
from outscore.workflows.rank.measure import measure
from outscore.workflows.rank.panels import rank_panels
from outscore.workflows.rank.parquet import measured_from_partitions

FEW = 150
"""Rows of a share in these tests, so that there are several."""


def long_table(values, present=None, datasets=None):
    """One row for each cell, items of all systems together."""
    systems, items = values.shape
    present = np.ones(values.shape, dtype=bool) if present is None else present
    item, system = (found.ravel() for found in np.meshgrid(np.arange(items), np.arange(systems), indexing="ij"))
    keep = present[system, item]
    item, system = item[keep], system[keep]
    columns = {
        "question_id": [f"q{i}" for i in item],
        "model": [f"model-{i}" for i in system],
        "score": values[system, item],
    }
    if datasets is not None:
        columns["dataset"] = [f"set-{datasets[i]}" for i in item]
    return pl.DataFrame(columns)


def written(folder, tables):
    folder.mkdir(exist_ok=True)
    for i, table in enumerate(tables):
        table.write_parquet(folder / f"part-{i:03d}.parquet")
    return folder


def cut(table, files):
    """Whole items in each file."""
    items = table["question_id"].unique(maintain_order=True)
    step = -(-len(items) // files)
    return [table.filter(pl.col("question_id").is_in(items[i : i + step].to_list())) for i in range(0, len(items), step)]


def as_bytes(measured):
    """Everything that was measured."""
    found = []
    for m in getattr(measured, "measured", measured):
        found += [
            repr((m.dataset, m.systems, m.items, m.complete, m.test, m.kernel, m.interval, m.unit, m.notes, m.macro)).encode()
        ]
        found += [array.tobytes() for array in (m.own.value, m.own.low, m.own.high, m.n)]
        pairs = m.pairs
        found += [array.tobytes() for array in (pairs.left, pairs.right, pairs.n, pairs.difference, pairs.low, pairs.high)]
        sides = [array for array in (pairs.log_better, pairs.log_worse, pairs.wins, pairs.losses) if array is not None]
        found += [array.tobytes() for array in (pairs.log_p, pairs.kind, *sides)]
    return b"".join(found)


@pytest.fixture
def few(monkeypatch):
    monkeypatch.setattr(partitions, "ROWS", FEW)


@pytest.fixture
def sums_alone(monkeypatch):
    """As if there were too many rows to keep."""
    monkeypatch.setattr(partitions, "WHOLE", 0)


@pytest.fixture
def binary():
    """Three systems on 150 right-or-wrong items of three datasets, some cells empty."""
    rng = np.random.default_rng(1)
    values = (rng.random((3, 150)) < np.linspace(0.4, 0.8, 3)[:, None]).astype(np.uint8)
    present = rng.random(values.shape) < 0.9
    datasets = rng.integers(0, 3, 150)
    present[2, datasets == 1] = False
    present[0, ~present.any(axis=0)] = True
    return values, present, datasets


@pytest.fixture
def real():
    rng = np.random.default_rng(2)
    return rng.normal(np.linspace(0, 0.4, 4)[:, None], 1, (4, 300)).round(3)


def test_each_pair_against_permutation_test(binary, tmp_path):
    values, present, datasets = binary
    found = measured_from_partitions(written(tmp_path / "one", [long_table(values, present, datasets)]))
    *each, macro = found.measured
    assert {m.dataset for m in each} == {"set-0", "set-1", "set-2"}
    assert macro.macro
    for m in each:
        here = datasets == int(m.dataset[-1])
        assert m.items == here.sum()
        assert not m.complete
        place = [int(name[-1]) for name in m.systems]
        for row in range(len(m.pairs)):
            i, j = place[m.pairs.left[row]], place[m.pairs.right[row]]
            both = present[i] & present[j] & here
            assert m.pairs.n[row] == both.sum()
            if both.any():
                alone = osc.permutation_test(values[i][both], values[j][both])
                assert m.pairs.p[row] == pytest.approx(alone.value, rel=1e-12)
            else:
                assert (m.pairs.log_p[row], np.isnan(m.pairs.difference[row])) == (0.0, True)
        for i, name in enumerate(m.systems):
            mine = values[int(name[-1])][present[int(name[-1])] & here]
            assert m.n[i] == len(mine)
            assert np.isnan(m.own.value[i]) if not len(mine) else m.own.value[i] == mine.mean()


@pytest.mark.parametrize("test", ["permutation", "mcnemar"])
@pytest.mark.parametrize("several", [True, False], ids=["datasets", "one dataset"])
def test_against_boards_in_memory(binary, tmp_path, few, several, test):
    values, present, datasets = binary
    table = long_table(values, present, datasets if several else None)
    here = measure(panels_of(osc.read(written(tmp_path / "one", [table]) / "part-000.parquet")), question=Question(test=test))
    there = measured_from_partitions(written(tmp_path / "cut", cut(table, 4)), question=Question(test=test))
    assert as_bytes(there) == as_bytes(here)


def test_against_boards_in_memory_with_a_baseline_and_per_cent(binary, tmp_path):
    values, present, datasets = binary
    table = long_table(100 * values, present, datasets).sort("model", maintain_order=True)
    folder = written(tmp_path / "one", [table])
    here = measure(panels_of(osc.read(folder / "part-000.parquet")), question=Question(baseline="model-1", alpha=0.01))
    assert as_bytes(measured_from_partitions(folder, question=Question(baseline="model-1", alpha=0.01))) == as_bytes(here)


def test_rankings_against_boards_in_memory(binary, tmp_path, few):
    table = long_table(*binary)
    here = rank_panels(panels_of(osc.read(written(tmp_path / "one", [table]) / "part-000.parquet"))).ranking
    there = measured_from_partitions(written(tmp_path / "cut", cut(table, 4))).ranking()
    # Parts are added up, and no item is kept to be judged.
    assert (here.items.items, there.items) == (binary[1].shape[1], None)
    assert json.dumps(there.to_dict()) == json.dumps(replace(here, items=None).to_dict())
    assert there.coverage.missing == (~binary[1]).sum()


@pytest.mark.parametrize("files", [2, 7])
def test_any_cut_gives_the_same_bytes(binary, tmp_path, few, files):
    table = long_table(*binary)
    whole = as_bytes(measured_from_partitions(written(tmp_path / "one", [table])))
    assert as_bytes(measured_from_partitions(written(tmp_path / "cut", cut(table, files)))) == whole


def test_a_file_too_large_for_a_share_is_read_in_buckets(binary, tmp_path, monkeypatch):
    folder = written(tmp_path / "one", [long_table(*binary)])
    whole = as_bytes(measured_from_partitions(folder))
    monkeypatch.setattr(partitions, "ROWS", 100)
    found = measured_from_partitions(folder)
    assert as_bytes(found) == whole
    assert not found.notes


def test_shares_that_come_together_in_waves(binary, tmp_path, monkeypatch):
    folder = written(tmp_path / "cut", cut(long_table(*binary), 12))
    whole = as_bytes(measured_from_partitions(folder))
    monkeypatch.setattr(partitions, "ROWS", 50)
    monkeypatch.setattr(partitions, "MIN_SHARES", 2)
    monkeypatch.setattr(partitions, "HELD", 10_000)
    steps = Progress()
    assert as_bytes(measured_from_partitions(folder, progress=steps)) == whole
    assert steps.done == steps.total > 8


def test_buckets_may_be_empty(tmp_path, monkeypatch):
    folder = written(tmp_path / "one", [long_table(np.array([[1, 0, 1], [0, 0, 1]]), datasets=np.array([0, 0, 1]))])
    whole = as_bytes(measured_from_partitions(folder))
    monkeypatch.setattr(partitions, "ROWS", 1)
    assert as_bytes(measured_from_partitions(folder)) == whole


def test_items_spread_over_files_are_noticed(binary, tmp_path, few):
    table = long_table(*binary)
    whole = as_bytes(measured_from_partitions(written(tmp_path / "one", [table])))
    # One item in the first and the last file: only the hashes of all files can tell.
    parts = cut(table, 6)
    torn = [*parts[:-1], pl.concat([parts[-1], parts[0][:1]])]
    found = measured_from_partitions(written(tmp_path / "torn", [torn[0][1:], *torn[1:]]))
    # The row that moved comes last, and so does its system's first appearance; scores and pairs are the same.
    assert sum(m.items for m in found.measured[:-1]) == 150
    assert "Items have rows in several files, so each of the 6 files was read 3 times." in found.notes[0].text
    by_system = [
        part for name in table["model"].unique(maintain_order=True) for part in [table.filter(pl.col("model") == name)]
    ]
    found = measured_from_partitions(written(tmp_path / "systems", by_system))
    assert "several files" in found.notes[0].text
    assert as_bytes(found) == whole


@pytest.fixture(scope="module")
def cluster():
    """A cluster takes seconds to start: one for all tests."""
    with Dask("local", 2).connect() as running:
        yield running


@pytest.mark.parametrize(("kind", "name"), crossed(["binary", "real"], ["processes", "cluster"]))
def test_any_engine_gives_the_same_bytes(binary, real, tmp_path, few, sums_alone, request, name, kind):
    engine = Processes(2) if name == "processes" else request.getfixturevalue(name)
    tables = cut(long_table(*binary) if kind == "binary" else long_table(real), 5)
    folder = written(tmp_path / "cut", tables)
    alone, others = Progress(), Progress()
    options = {"resamples": 199}
    here = measured_from_partitions(folder, engine=SERIAL, progress=alone, question=Question(options=options))
    there = measured_from_partitions(folder, engine=engine, progress=others, question=Question(options=options))
    assert as_bytes(there) == as_bytes(here)
    assert (others.done, others.total) == (alone.done, alone.total)


class Killing(Progress):
    """Kills a worker as soon as the first task is done."""

    def __init__(self, pid):
        super().__init__()
        self.pid = pid

    def advance(self, steps=1):
        super().advance(steps)
        if self.pid is not None:
            os.kill(self.pid, signal.SIGKILL)
            self.pid = None


@pytest.mark.posix
def test_a_killed_worker_changes_nothing(binary, tmp_path, monkeypatch, cluster):
    monkeypatch.setattr(partitions, "ROWS", 50)
    folder = written(tmp_path / "cut", cut(long_table(*binary), 30))
    killing = Killing(next(iter(cluster.client.run(os.getpid).values())))
    found = measured_from_partitions(folder, engine=cluster, progress=killing)
    assert killing.pid is None
    assert as_bytes(found) == as_bytes(measured_from_partitions(folder))


def test_other_scores_are_flipped_and_the_cut_changes_no_bit_of_p(real, tmp_path, few, sums_alone):
    table = long_table(real)
    whole = measured_from_partitions(written(tmp_path / "one", [table]), question=Question(options={"resamples": 999}))
    (m,) = whole.measured
    assert m.kernel == "sign-flips:999"
    (other,) = measured_from_partitions(
        written(tmp_path / "cut", cut(table, 7)), question=Question(options={"resamples": 999})
    ).measured
    assert other.pairs.log_p.tobytes() == m.pairs.log_p.tobytes()
    for row in range(len(m.pairs)):
        alone = osc.permutation_test(real[m.pairs.left[row]], real[m.pairs.right[row]])
        assert m.pairs.p[row] == pytest.approx(alone.value, abs=0.05)
    other_seed = measured_from_partitions(
        written(tmp_path / "one", [table]), question=Question(options={"resamples": 999}, seed=1)
    ).measured[0]
    assert (other_seed.pairs.log_p != m.pairs.log_p).any()


@pytest.mark.parametrize("several", [True, False], ids=["datasets", "one dataset"])
def test_few_other_scores_are_tested_like_those_of_one_table(real, tmp_path, few, several):
    """Also where systems lack items, which sums alone cannot permute."""
    present = np.random.default_rng(3).random(real.shape) < 0.9
    table = long_table(real[:, :120], present[:, :120], np.arange(120) % 2 if several else None)
    here = measure(panels_of(osc.read(written(tmp_path / "one", [table]) / "part-000.parquet")))
    there = measured_from_partitions(written(tmp_path / "cut", cut(table, 4))).measured
    for one, other in zip(there, here, strict=True):
        assert (one.test, one.kernel, one.interval, one.systems) == (other.test, other.kernel, other.interval, other.systems)
        np.testing.assert_allclose(one.pairs.log_p, other.pairs.log_p, rtol=1e-12)
        np.testing.assert_allclose(one.pairs.low, other.pairs.low, rtol=1e-12)
        np.testing.assert_allclose(one.own.low, other.own.low, rtol=1e-12)


def test_coins_of_datasets_are_those_of_their_items(real, tmp_path, sums_alone):
    """Each item has coins of its own in its dataset, so that p is near that of all swaps."""
    datasets = np.arange(300) % 2
    folder = written(tmp_path / "one", [long_table(real, datasets=datasets)])
    *each, _ = measured_from_partitions(folder, question=Question(options={"resamples": 999})).measured
    assert [m.kernel for m in each] == ["sign-flips:999"] * 2
    for m in each:
        here = datasets == int(m.dataset[-1])
        for row in range(len(m.pairs)):
            i, j = (int(m.systems[side[row]][-1]) for side in (m.pairs.left, m.pairs.right))
            assert m.pairs.p[row] == pytest.approx(osc.permutation_test(real[i][here], real[j][here]).value, abs=0.05)


def test_coins_of_many_datasets_take_several_passes(real, tmp_path, monkeypatch, sums_alone):
    table = long_table(real, datasets=np.arange(300) % 4)
    folder = written(tmp_path / "one", [table])
    before = as_bytes(measured_from_partitions(folder, question=Question(options={"resamples": 99})))
    monkeypatch.setattr("outscore.workflows.rank.parquet.FLIP_BYTES", 5_000)
    steps = Progress()
    assert as_bytes(measured_from_partitions(folder, progress=steps, question=Question(options={"resamples": 99}))) == before
    assert (steps.doing, steps.done, steps.total) == ("flipping coins", 4, 4)


def test_student_from_moments(real, tmp_path, few):
    present = np.random.default_rng(3).random(real.shape) < 0.8
    folder = written(tmp_path / "cut", cut(long_table(real, present), 4))
    (m,) = measured_from_partitions(folder, question=Question(test="student")).measured
    for row in range(len(m.pairs)):
        i, j = (int(m.systems[side[row]][-1]) for side in (m.pairs.left, m.pairs.right))
        both = present[i] & present[j]
        alone = scipy.stats.ttest_rel(real[i][both], real[j][both])
        assert m.pairs.p[row] == pytest.approx(alone.pvalue, rel=1e-9)
        assert m.pairs.low[row] == pytest.approx(alone.confidence_interval().low, rel=1e-9)


def test_the_macro_average_of_other_scores(real, tmp_path, sums_alone):
    folder = written(tmp_path / "one", [long_table(real, datasets=np.arange(300) % 3)])
    for test in ("permutation", "student"):
        *_, macro = measured_from_partitions(folder, question=Question(test=test)).measured
        assert (macro.macro, macro.test, macro.kernel) == (True, "student", "student-t")
        assert note_texts(macro.notes) == [
            "The macro average over datasets is tested by Student's t, with the datasets' errors pooled."
        ]
        # Datasets of one size: the mean of their means is the mean of all.
        for row in range(len(macro.pairs)):
            d = real[macro.pairs.left[row]] - real[macro.pairs.right[row]]
            assert macro.pairs.difference[row] == pytest.approx(d.mean())
            assert macro.pairs.log_p[row] == pytest.approx(np.log(scipy.stats.ttest_1samp(d, 0).pvalue), abs=0.1)


@pytest.mark.parametrize("items", [2, 3])
def test_constant_differences_have_no_t(tmp_path, items):
    values = np.array([[0.25, 0.5, 0.75], [1.25, 1.5, 1.75]])[:, :items]
    (m,) = measured_from_partitions(written(tmp_path / "one", [long_table(values)]), question=Question(test="student")).measured
    assert m.pairs.log_p.tolist() == [0.0]
    assert note_texts(m.notes) == [
        "The differences of 1 pair do not vary, so they have no t statistic, and their p is given as 1."
    ]


def test_duplicates_are_counted_and_contradictions_averaged(tmp_path):
    table = long_table(np.array([[1, 0, 1, 1], [0, 0, 1, 0]]))
    copied = pl.concat([table, table[:2]])
    found = measured_from_partitions(written(tmp_path / "copied", [copied]))
    assert (found.duplicates, found.conflicts) == (2, 0)
    assert as_bytes(found) == as_bytes(measured_from_partitions(written(tmp_path / "once", [table])))
    against = pl.concat([table, table[:1].with_columns(score=pl.lit(0, dtype=pl.Int64))])
    found = measured_from_partitions(written(tmp_path / "against", [against]), question=Question(test="student"))
    assert (found.duplicates, found.conflicts) == (1, 1)
    assert found.measured[0].own.value.tolist() == [(0.5 + 0 + 1 + 1) / 4, 0.25]
    assert note_texts(found.notes) == ["1 item has rows that contradict each other; they were averaged."]


def test_livebench(shared_data, sums_alone):
    path = shared_data / "llm-scores" / "livebench.parquet"
    found = measured_from_partitions(path, question=Question(test="student"))
    (m,) = found.measured
    assert (len(m.systems), found.duplicates, found.conflicts) == (93, 590, 59)
    assert (int((m.pairs.n > 0).sum()), int((m.pairs.n == 0).sum())) == (4_158, 120)
    with pytest.raises(OutscoreError, match="Systems have different items"):
        measured_from_partitions(path)


def test_repeats_are_averaged(tmp_path):
    table = pl.concat([long_table(np.array([[1, 0, 1], [0, 0, 1]])).with_columns(epoch=pl.lit(i)) for i in range(2)])
    table = table.with_columns(
        score=pl.when((pl.col("epoch") == 1) & (pl.col("question_id") == "q0")).then(0).otherwise("score")
    )
    found = measured_from_partitions(written(tmp_path / "repeats", [table]))
    assert found.duplicates == 0
    assert found.measured[0].own.value.tolist() == [0.5, 1 / 3]
    assert not found.notes
    found = measured_from_partitions(written(tmp_path / "unequal", [table[:-1]]))
    assert found.notes[0].text.startswith("On 1 of 3 items the systems were run unequally often")


def test_labels_are_the_same_however_they_are_stored(tmp_path):
    values = np.array([[1, 0, 1, 1], [0, 0, 1, 0]])
    table = long_table(values).with_columns(question_id=pl.col("question_id").str.slice(1))
    plain = as_bytes(measured_from_partitions(written(tmp_path / "plain", [table])))
    for kind in (pl.Int32, pl.Float64, pl.Categorical):
        other = table.with_columns(
            pl.col("question_id").cast(kind), pl.col("model").cast(pl.Categorical), score=pl.col("score") == 1
        )
        assert as_bytes(measured_from_partitions(written(tmp_path / str(kind), [other]))) == plain
    parts = [table[:4], table[4:].with_columns(question_id=pl.col("question_id").cast(pl.Int64), model=pl.col("model") + " ")]
    assert as_bytes(measured_from_partitions(written(tmp_path / "mixed", parts))) == plain


def test_baseline_and_chosen_systems(binary, tmp_path):
    folder = written(tmp_path / "one", [long_table(*binary)])
    found = measured_from_partitions(folder, question=Question(baseline="model-2"))
    m = found.measured[0]
    assert [m.systems[i] for i in m.pairs.right] == ["model-2"] * 2
    chosen = measured_from_partitions(folder, choice=Choice(systems=("model-1", "model-2")))
    assert sorted(chosen.measured[0].systems) == ["model-1", "model-2"]


def test_empty_files_among_full_ones_are_passed_over(binary, tmp_path):
    table = long_table(*binary)
    folder = written(tmp_path / "some", [table[:0], table, table[:0]])
    (folder / "_SUCCESS").write_text("")
    assert as_bytes(measured_from_partitions(folder)) == as_bytes(measured_from_partitions(written(tmp_path / "one", [table])))


def test_folders_patterns_and_lists(binary, tmp_path):
    folder = written(tmp_path / "cut", cut(long_table(*binary), 3))
    files = [str(folder / f"part-00{i}.parquet") for i in range(3)]
    assert partition_paths(folder) == partition_paths(f"{folder}/*.parquet") == partition_paths(files) == files
    assert partition_paths([folder, files[0]]) == files


def test_folders_that_name_a_column(binary, tmp_path):
    table = long_table(*binary).sort("dataset", maintain_order=True)
    whole = as_bytes(measured_from_partitions(written(tmp_path / "one", [table])))
    (tmp_path / "hive").mkdir()
    for (name,), part in table.group_by("dataset", maintain_order=True):
        written(tmp_path / "hive" / f"dataset={name}", [part.drop("dataset")])
    assert as_bytes(measured_from_partitions(tmp_path / "hive")) == whole


GOOD = pl.DataFrame({"item": ["a", "a"], "system": ["x", "y"], "score": [1, 0]})
REFUSED = {
    "no item": (GOOD.drop("item"), {}, "no item column"),
    "no system": (GOOD.drop("system"), {}, "has no system column"),
    "text": (GOOD.with_columns(score=pl.Series(["1", "x"])), {}, "column `score` is of type String"),
    "missing score": (GOOD.with_columns(score=pl.Series([1, None])), {}, "row 2: found an empty field in column `score`"),
    "nan": (GOOD.with_columns(score=pl.Series([1.0, float("nan")])), {}, 'row 2: found "nan" in column `score`'),
    "infinite": (GOOD.with_columns(score=pl.Series([1.0, float("inf")])), {}, 'row 2: found "inf" in column `score`'),
    "huge": (
        GOOD.with_columns(score=pl.Series([1, 2**60])),
        {},
        "row 2: found 1.15292e+18 in column `score`, which is too large",
    ),
    "no label": (GOOD.with_columns(item=pl.Series(["a", " "])), {}, "row 2: found nothing in column `item`"),
    "null label": (GOOD.with_columns(system=pl.Series(["x", None])), {}, "row 2: found nothing in column `system`"),
    "list": (GOOD.with_columns(item=pl.Series([["a"], ["b"]])), {"choice": Choice(item="item")}, "but labels were expected"),
    "clusters": (GOOD.with_columns(document=pl.lit("d")), {}, "has clusters (`document`), which partitions do not support"),
    "one system": (GOOD[:1], {}, "Only `x` was found, so there is nothing to rank."),
    "unknown system": (GOOD, {"choice": Choice(systems=("x", "z"))}, "has no system `z`"),
    "unknown systems": (GOOD, {"choice": Choice(systems=("u", "v"))}, "has no system `u`"),
    "level": (GOOD, {"question": Question(alpha=1.5)}, "`alpha` is 1.5"),
    "unknown baseline": (GOOD, {"question": Question(baseline="z")}, "There is no system `z` to compare with."),
    "two scores": (
        GOOD,
        {"choice": Choice(score=("score", "system"), system="system")},
        "partitions support only one score column",
    ),
    "unknown column": (GOOD, {"choice": Choice(item="id")}, "has no column `id`"),
    "no rows": (GOOD[:0], {}, "has column names but no records"),
    "unknown test": (GOOD, {"question": Question(test="studnet")}, "There is no test `studnet`."),
    "unserved test": (
        GOOD,
        {"question": Question(test="wilcoxon")},
        "`wilcoxon` needs all items at once, but partitions only give sums.",
    ),
    "method": (GOOD, {"question": Question(options={"method": "fft"})}, "For partitions, the method is fixed"),
    "units": (GOOD, {"question": Question(unit_size=5)}, "`unit_size` needs all items at once, but partitions only give sums."),
    "ranks": (GOOD, {"question": Question(critical_difference=True)}, "`critical_difference` needs all items at once"),
    "mcnemar": (
        GOOD.with_columns(score=pl.Series([0.5, 0.2])),
        {"question": Question(test="mcnemar")},
        "`mcnemar` needs items that are right",
    ),
    "incomplete": (
        pl.concat([GOOD.cast({"score": pl.Float64}), pl.DataFrame({"item": ["b"], "system": ["x"], "score": [0.5]})]),
        {},
        "Systems have different items",
    ),
}


@pytest.mark.parametrize("case", a_few(REFUSED, 13))
def test_refusals_are_one_sentence(case, tmp_path, sums_alone):
    table, asked, words = REFUSED[case]
    folder = written(tmp_path / "bad", [table])
    with pytest.raises(OutscoreError) as refused:
        measured_from_partitions(folder, **asked)
    assert words in str(refused.value)
    assert refused.value.hint


def test_a_single_item_is_told(tmp_path):
    assert tuple(note_texts(measured_from_partitions(written(tmp_path / "one", [GOOD])).notes)) == (
        "There is only one item, and a single item cannot tell systems apart.",
    )


def test_which_paths_are_parts(tmp_path, monkeypatch):
    folder = str(written(tmp_path / "cut", [GOOD, GOOD]))
    files = partition_paths(folder)
    named = str(written(tmp_path / "dataset=x", [GOOD]) / "part-000.parquet")
    (tmp_path / "cut.csv").write_text("item,a,b\n")
    tables = [files, files[:1], [named], [f"{tmp_path}/*.csv"], [*files, f"{tmp_path}/*.csv"], ["-"], [f"{folder}/none"]]
    assert [are_partitions(paths) for paths in tables] == [False] * len(tables)
    parts = [[folder], [f"{folder}/*"], [f"{folder}/*0.parquet", files[1]], [*files, named]]
    assert [are_partitions(paths) for paths in parts] == [True] * len(parts)
    monkeypatch.setattr("outscore.formats.tables.parquet.MAX_WHOLE", 1)
    assert are_partitions(files)
    assert are_partitions(files[:1])
    assert not are_partitions([*files, str(tmp_path / "cut.csv")])


def test_a_file_with_other_columns_is_named(tmp_path):
    folder = written(tmp_path / "bad", [GOOD, GOOD.rename({"score": "points"})])
    with pytest.raises(OutscoreError, match=r"part-001\.parquet` has no column `score`, which other files have"):
        measured_from_partitions(folder)


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("z.csv", b"item,system,score\na,x,1\n", "contains `z.csv`, but only Parquet files are read from folders"),
        ("z.parquet", b"", "z.parquet` is empty"),
        ("z.parquet", b"PAR1 and no more", "z.parquet` is a damaged Parquet file"),
    ],
)
def test_other_files_among_them_are_named(tmp_path, name, content, words):
    folder = written(tmp_path / "bad", [GOOD])
    (folder / name).write_bytes(content)
    with pytest.raises(OutscoreError) as refused:
        measured_from_partitions(folder)
    assert words in str(refused.value)


def test_nothing_there_is_one_sentence(tmp_path):
    with pytest.raises(OutscoreError, match="No file matches"):
        partition_paths(f"{tmp_path}/*.parquet")
    with pytest.raises(OutscoreError, match="is a folder without files"):
        partition_paths(tmp_path)
    with pytest.raises(OutscoreError, match="No Parquet file was named"):
        partition_paths([])
    with pytest.raises(OutscoreError, match="could not be read: No such file"):
        measured_from_partitions(tmp_path / "none.parquet")


def test_a_file_that_a_worker_does_not_see_is_named(tmp_path):
    file = long_file(str(written(tmp_path / "one", [GOOD]) / "part-000.parquet"))
    gone = replace(file, place=str(tmp_path / "elsewhere.parquet"))
    with pytest.raises(OutscoreError, match=r"part-000\.parquet` could not be read: .* every worker sees it"):
        long_rows([gone], {"item": "item", "system": "system", "score": "score"})


def test_a_worker_that_hashes_otherwise_is_refused(binary, tmp_path, monkeypatch):
    # This process asks first, and each worker after it: every answer is another.
    monkeypatch.setattr(partitions, "hash_check", count().__next__)
    with pytest.raises(OutscoreError, match="a different version of polars"):
        measured_from_partitions(written(tmp_path / "one", [long_table(*binary)]))
