"""The same file, the same question, the same answer: `compare` and `rank` treat repeated ids and datasets alike."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import scipy.stats
from click.testing import CliRunner

import outscore as osc
from outscore.cli.app import app

RNG = np.random.default_rng(6)


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    """A current folder with two systems whose problems share ids, two by two."""
    monkeypatch.chdir(tmp_path)
    for name, share in (("new", 0.7), ("old", 0.4)):
        rows = [{"task_id": f"t{i // 2}", "score": int(RNG.random() < share)} for i in range(100)]
        Path(f"{name}.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return tmp_path


def run(*words: str):
    result = CliRunner().invoke(app, list(words), prog_name="outscore")
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


FILES = ("new.jsonl", "old.jsonl", "--item", "task_id")


def test_contradicting_rows_stop_both_commands_with_the_same_cure(folder):
    messages = {run(command, *FILES).output for command in ("compare", "rank")}
    assert len(messages) == 1
    (message,) = messages
    assert "on item `t" in message
    assert "--duplicates mean" in message
    assert "--repeat" in message
    assert "--item none" in message


def test_both_commands_settle_contradicting_rows_alike(folder):
    pair = osc.compare("new.jsonl", "old.jsonl", items="task_id", duplicates="mean")
    board = osc.rank(["new.jsonl", "old.jsonl"], items="task_id", duplicates="mean")
    assert pair.n == board.n == 50
    assert pair.p.value == pytest.approx(board.pairs[0].p.value)


def test_every_row_may_be_an_item_in_a_cluster(folder):
    asked = {"items": "none", "clusters": "task_id"}
    pair, board = osc.compare("new.jsonl", "old.jsonl", **asked), osc.rank(["new.jsonl", "old.jsonl"], **asked)
    assert pair.n == 100
    assert pair.clusters == 50
    assert pair.p.value == pytest.approx(board.pairs[0].p.value)
    assert pair.scores[0].value == np.mean([json.loads(line)["score"] for line in Path("new.jsonl").read_text().splitlines()])


def test_rows_that_lie_in_other_clusters_are_not_paired(folder):
    lines = Path("old.jsonl").read_text().splitlines()
    Path("old.jsonl").write_text("\n".join(lines[::-1]) + "\n")
    for command in ("compare", "rank"):
        result = run(command, "new.jsonl", "old.jsonl", "--item", "none", "--cluster", "task_id")
        assert result.exit_code == 2
        assert "cluster" in result.output


def test_parts_with_contradicting_rows_stop_too(folder):
    Path("parts").mkdir()
    rows = [("q1", "a", 1), ("q1", "a", 0), ("q1", "b", 1), ("q2", "a", 1), ("q2", "b", 0)]
    pl.DataFrame(rows, schema=["id", "model", "score"], orient="row").write_parquet("parts/0.parquet")
    result = run("rank", "parts")
    assert result.exit_code == 2
    assert "1 item has rows that contradict each other" in result.output
    assert run("rank", "parts", "--duplicates", "mean").exit_code == 0


def test_slices_by_dataset_just_work(folder):
    rows = [(str(i), name, model, int(RNG.random() < 0.6)) for model in "ab" for name in ("easy", "hard") for i in range(30)]
    pl.DataFrame(rows, schema=["id", "dataset", "model", "score"], orient="row").write_csv("sets.csv")
    found = osc.compare("sets.csv", slices="dataset")
    assert [c.slice.value for c in found.comparisons[1:]] == ["easy", "hard"]
    assert found.comparisons[0].n == 60


def two_datasets(**share: tuple[float, float]) -> pl.DataFrame:
    """Many easy items and few hard ones: `share` of right answers by system and dataset."""
    rng = np.random.default_rng(12)
    rows = [
        (str(i), name, model, int(rng.random() < level))
        for model, levels in share.items()
        for name, level, n in zip(("easy", "hard"), levels, (300, 60), strict=True)
        for i in range(n)
    ]
    return pl.DataFrame(rows, schema=["id", "dataset", "model", "score"], orient="row")


def test_compare_and_rank_answer_alike_on_several_datasets(folder):
    table = two_datasets(new=(0.97, 0.2), old=(0.9, 0.55))
    pair, board = osc.compare(table), osc.rank(table)
    assert pair.p.value == pytest.approx(board.pairs[0].p.value)
    assert {s.system: s.value for s in pair.scores} == {s.system: s.value for s in board.scores}
    assert pair.difference == pytest.approx(pair.scores[0].value - pair.scores[1].value)
    assert pair.interval.low < pair.difference < pair.interval.high
    assert pair.headline == "old outscored new"
    assert "of 2 datasets" in pair.sentence
    assert "macro-averaged mean" in pair.sentence
    (note,) = (note.text for note in pair.notes if "Pooled" in note.text)
    pooled = osc.compare(table.drop("dataset").with_columns(id=pl.concat_str(table["dataset"], table["id"])))
    assert f"new {pooled.scores[0].value:.4f}" in note
    assert pooled.decision.winner != pair.decision.winner
    assert osc.load(pair.save("pair.json")) == pair
    assert "macro-averaged mean" in pair.to_html()


def test_slices_by_dataset_follow_the_macro_average(folder):
    whole, easy, hard = osc.compare(two_datasets(new=(0.97, 0.2), old=(0.9, 0.55)), slices="dataset").comparisons
    assert whole.scores[0].value == pytest.approx((easy.scores[0].value + hard.scores[0].value) / 2)


def test_sides_margins_and_other_differences_are_about_the_macro_average(folder):
    table = two_datasets(new=(0.9, 0.5), old=(0.9, 0.5))
    for asked in ({"margin": 0.1}, {"alternative": "greater"}, {"delta": 0.1}):
        assert osc.compare(table, **asked).design.datasets == 2
        assert osc.compare(table, dataset="none", **asked).design.datasets == 1
    assert osc.gate(table, margin=0.1).comparison.design.datasets == 2
    found = osc.compare(table, test="all")
    assert found.design.datasets == 1
    assert any("datasets were pooled, because" in note.text for note in found.notes)


def test_the_test_of_a_macro_average_is_named(folder):
    found = osc.compare(two_datasets(new=(0.97, 0.4), old=(0.9, 0.2)), test="student")
    assert found.p.test == "permutation"
    assert any("`student` tests each dataset; the macro average is tested by permutation" in note.text for note in found.notes)


def test_datasets_are_pooled_where_that_is_asked_for(folder):
    """Both number their items alike: an item is told apart by its dataset still."""
    table = two_datasets(new=(0.97, 0.2), old=(0.9, 0.55))
    pair = osc.compare(table, dataset="none")
    assert pair.n == table.height // 2
    assert pair.difference == pytest.approx(
        table.filter(model="new")["score"].mean() - table.filter(model="old")["score"].mean()
    )
    assert osc.rank(table, dataset="none").pairs[0].p.value == pair.p.value
    assert osc.score(table, dataset="none").systems[0].n == pair.n


def test_one_dataset_has_no_macro_average(folder):
    table = two_datasets(new=(0.9, 0.5), old=(0.9, 0.5))
    one = table.filter(pl.col("dataset") == "easy")
    assert not any("datasets" in note.text for note in osc.compare(one).notes)


def test_own_intervals_are_about_new_runs_wherever_the_claim_is():
    rng = np.random.default_rng(4)
    luck = {(name, run): rng.normal(0, 0.15) for name in ("new", "old") for run in range(3)}
    rows = [
        (f"q{i}", name, run, int(rng.random() < 0.5 + luck[name, run]))
        for i in range(40)
        for name in ("new", "old")
        for run in range(3)
    ]
    table = pl.DataFrame(rows, schema=["id", "model", "seed", "score"], orient="row")
    pair, board, alone = osc.compare(table), osc.rank(table), osc.score(table)
    found = [{s.system: (s.low, s.high) for s in listed} for listed in (pair.scores, board.scores, alone.systems)]
    assert found[0] == found[1] == found[2]
    narrow = osc.compare(table, population="items").scores[0]
    assert narrow.high - narrow.low < pair.scores[0].high - pair.scores[0].low


def test_rows_that_say_the_same_again_are_told(tmp_path):
    path = tmp_path / "again.csv"
    path.write_text("id,new,old\n" + "".join(f"q{i % 20},{i % 20 % 2},{i % 20 // 3 % 2}\n" for i in range(22)))
    for ask in (osc.compare, osc.rank):
        assert any("4 rows repeat an item with the same score" in note.text for note in ask(path).notes)


def test_files_that_are_datasets_are_named(tmp_path):
    paths = [tmp_path / f"{name}.csv" for name in ("easy", "hard")]
    for path in paths:
        path.write_text("id,a,b\n" + "".join(f"q{i},1,{i % 3 % 2}\n" for i in range(30)))
    found = osc.rank(paths)
    assert "macro-averaged mean" in found.verdict
    assert (found.reading.rows, found.reading.files, len(found.settings["inputs"])) == (60, 2, 2)
    assert any("each file is a dataset: `easy` and `hard`" in note.text for note in found.notes)


def test_claims_about_these_runs_say_so(tmp_path):
    rng = np.random.default_rng(7)
    rows = [f"q{i},{name},{run},{int(rng.random() < 0.6)}\n" for i in range(30) for name in "ab" for run in range(3)]
    for column in ("seed", "trial"):
        (tmp_path / f"{column}.csv").write_text(f"id,system,{column},score\n" + "".join(rows))
    named = osc.compare(tmp_path / "seed.csv", test="student")
    assert any(note.kind == "warning" and "`student` works on items only" in note.text for note in named.notes)
    assert any("add --repeats runs" in note.text for note in osc.compare(tmp_path / "trial.csv").notes)
    plan = osc.plan(pilot=osc.read(tmp_path / "seed.csv"), effect=0.1)
    assert "a claim about these runs of both systems, not about new ones" in plan.verdict


def test_unit_medians_and_unequal_epochs_are_called_what_they_are(tmp_path):
    rng = np.random.default_rng(8)
    table = pl.DataFrame({"id": [f"q{i}" for i in range(60)], "a": rng.random(60), "b": rng.random(60)})
    found = osc.rank(table, unit_size=5, unit_statistic="median")
    assert "mean of unit medians" in found.verdict
    assert "Ranking by mean of unit medians" in found.to_text()
    rows = [
        (f"q{i}", name, run, int(rng.random() < 0.5)) for i in range(20) for name, k in (("a", 5), ("b", 3)) for run in range(k)
    ]
    pair = osc.compare(pl.DataFrame(rows, schema=["id", "system", "epoch", "score"], orient="row"))
    assert "exact" not in pair.verdict
    assert "exact" not in pair.sentence


def test_own_intervals_about_new_runs_of_these_items_are_those_of_the_runs(tmp_path):
    """Student's t of the run scores, in compare and rank: cells of one run are not independent."""
    random = np.random.default_rng(0)
    hard = random.normal(0, 0.1, 30)
    rows, expected = ["item,seed,system,score"], {}
    for system, level in (("new", 0.6), ("old", 0.5)):
        runs = [np.round(level + hard + random.normal(0, 0.03) + random.normal(0, 0.05, 30), 4) for _ in range(5)]
        rows += [f"q{i},{k},{system},{x}" for k, run in enumerate(runs) for i, x in enumerate(run.tolist())]
        means = np.array([run.mean() for run in runs])
        reach = scipy.stats.t.ppf(0.975, 4) * means.std(ddof=1) / math.sqrt(5)
        expected[system] = (means.mean() - reach, means.mean() + reach)
    path = tmp_path / "runs.csv"
    path.write_text("\n".join(rows))
    compared = osc.compare(path, population="these-items")
    ranked = osc.rank(path, population="these-items")
    for scores in (compared.scores, ranked.scores):
        assert {one.system: (one.low, one.high) for one in scores} == {
            system: pytest.approx(ends, rel=1e-9) for system, ends in expected.items()
        }
    assert compared.scores[0].method == "Student's t of the runs"


def test_files_in_other_orders_ask_the_same_whichever_comes_first(tmp_path):
    """Units of consecutive items and looks at items in their order take one order, that of one of the files."""
    rng = np.random.default_rng(8)
    scores = {f"q{i:02}": rng.integers(0, 2, 2).tolist() for i in range(40)}
    orders = [rng.permutation(sorted(scores)) for _ in "ab"]
    for name, place, order in zip("ab", (0, 1), orders, strict=True):
        rows = "".join(f"{item},{scores[item][place]}\n" for item in order)
        (tmp_path / f"{name}.csv").write_text(f"id,score\n{rows}", encoding="utf-8")
    a, b = tmp_path / "a.csv", tmp_path / "b.csv"
    for more in ({"unit_size": 5}, {"anytime": True}):
        found, turned = osc.compare(a, b, **more), osc.compare(b, a, **more)
        assert found.p.value == turned.p.value, more
        assert found.difference == -turned.difference
    assert found.anytime.e_value == pytest.approx(turned.anytime.e_value)
    ranked, turned = osc.rank([a, b], unit_size=5), osc.rank([b, a], unit_size=5)
    assert ranked.pairs[0].p.value == turned.pairs[0].p.value == osc.compare(a, b, unit_size=5).p.value
