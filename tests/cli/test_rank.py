"""`outscore rank`: what files hold, what is said, what is refused, and what can be repeated."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from tests.diff_files import write_entities, write_labels, write_trees

import outscore as osc

SYSTEMS = ("alpha", "beta", "gamma", "delta")


@pytest.fixture
def board(tmp_path, monkeypatch) -> Path:
    """A current folder with one leaderboard in many forms, and files that go wrong."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(5)
    right = (rng.random((80, 4)) < [0.9, 0.85, 0.6, 0.55]).astype(int)
    tasks = ["maths"] * 30 + ["code"] * 50
    rows = [(f"q{i}", tasks[i], name, int(right[i, k])) for i in range(80) for k, name in enumerate(SYSTEMS)]
    long = pl.DataFrame(rows, schema=["id", "task", "model", "score"], orient="row")
    long.write_csv("long.csv")
    wide = pl.DataFrame({"id": [f"q{i}" for i in range(80)], **{name: right[:, k] for k, name in enumerate(SYSTEMS)}})
    wide.write_csv("wide.csv")
    for k, name in enumerate(SYSTEMS):
        Path(f"{name}.txt").write_text("".join(f"{x}\n" for x in right[:, k]))
    Path("sets").mkdir()
    for part in ("maths", "code"):
        long.filter(pl.col("task") == part).drop("task").write_csv(f"sets/{part}.csv")
    Path("parts").mkdir()
    for i in range(2):
        long[i * 160 : (i + 1) * 160].write_parquet(f"parts/{i}.parquet")
    long.write_parquet("long.parquet")
    wide.write_parquet("wide.parquet")
    Path("mixed").mkdir()
    long.write_parquet("mixed/long.parquet")
    wide.write_csv("mixed/wide.csv")
    Path("one.csv").write_text("id,only\nq1,1\nq2,0\n")
    Path("empty.csv").write_bytes(b"")
    Path("text.txt").write_text("the cat\nit was\n")
    Path("ref.txt").write_text("the cat sat\nit was late\n")
    Path("strangers.csv").write_text("id,model,score\nq1,a,1\nq2,b,1\n")
    Path("words.csv").write_text("id,model,score\nq1,a,good\nq1,b,bad\n")
    return tmp_path


def saved(path: str) -> dict:
    found = json.loads(Path(path).read_text())
    found.pop("settings")
    found.pop("reading")
    return found


def test_text(board, outscore, golden):
    result = outscore("rank", "long.csv")
    assert result.exit_code == 0
    assert all(len(line) <= 80 for line in result.stdout.splitlines())
    golden("cli/rank.txt", result.stdout)


@pytest.mark.parametrize("file", ["wide.csv", "long.parquet", "parts", "parts/*.parquet", "wid?.csv"])
def test_every_form_of_a_table_is_the_same_leaderboard(board, outscore, file):
    assert outscore("rank", "long.csv", "-o", "a.json").exit_code == 0
    assert outscore("rank", file, "-o", "b.json").exit_code == 0
    a, b = saved("a.json"), saved("b.json")
    assert ["parts of one dataset" in note["text"] for note in b.pop("notes")] == [True] * file.startswith("parts")
    assert a.pop("notes") == []
    # Parts are added up, and no item is kept to be judged.
    items = a.pop("items")
    assert items["items"] == a["n"]
    assert b.pop("items") == (None if file.startswith("parts") else items)
    assert a == b


def test_a_file_for_each_system(board, outscore):
    assert outscore("rank", *(f"{name}.txt" for name in SYSTEMS), "-o", "a.json").exit_code == 0
    found, whole = saved("a.json"), osc.rank({name: np.loadtxt(f"{name}.txt", dtype=int) for name in SYSTEMS}).to_dict()
    assert found["systems"] == whole["systems"]
    assert [pair["p"] for pair in found["pairs"]] == [pair["p"] for pair in whole["pairs"]]


def test_a_file_for_each_dataset(board, outscore):
    assert outscore("rank", "long.csv", "--dataset", "task", "-o", "a.json").exit_code == 0
    result = outscore("rank", "sets/maths.csv", "sets/code.csv", "-o", "b.json")
    assert "each file is a dataset" in result.stdout.replace("\n              ", " ")
    a, b = saved("a.json"), saved("b.json")
    assert [part["name"] for part in b["datasets"]] == ["maths", "code"]
    assert (a["datasets"], a["pairs"], a["replicability"]) == (b["datasets"], b["pairs"], b["replicability"])


@pytest.mark.parametrize(
    "files",
    [
        ["sets/maths.parquet", "sets/code.parquet"],
        ["sets/maths.csv", "sets/code.parquet"],
        ["sets/maths.parquet", "sets/code.csv"],
        ["sets/[mc]*.csv"],
    ],
    ids=" ".join,
)
def test_datasets_are_the_same_in_any_format(board, outscore, files):
    for name in ("maths", "code"):
        pl.read_csv(f"sets/{name}.csv").write_parquet(f"sets/{name}.parquet")
    assert outscore("rank", "sets/maths.csv", "sets/code.csv", "-o", "a.json").exit_code == 0
    assert outscore("rank", *files, "-o", "b.json").exit_code == 0
    a, b = saved("a.json"), saved("b.json")
    (note,) = b["notes"]
    assert "each file is a dataset" in note["text"]
    assert ("name their folder instead" in note["text"]) == all(file.endswith(".parquet") for file in files)
    # Pattern or not, a pair is the same whichever dataset was read first.
    assert {part["name"]: part["pairs"] for part in a["datasets"]} == {part["name"]: part["pairs"] for part in b["datasets"]}


def test_parquet_files_with_a_dataset_column_are_the_same_named_or_in_a_folder(board, outscore):
    for files in (["parts"], ["parts/0.parquet", "parts/1.parquet"]):
        assert outscore("rank", *files, "--dataset", "task", "-o", f"{len(files)}.json").exit_code == 0
    parts, whole = saved("1.json"), saved("2.json")
    assert (parts.pop("items"), whole.pop("items")["items"]) == (None, 80)
    assert parts == whole


def test_folders_that_name_a_column_are_parts(board, outscore):
    for name in ("maths", "code"):
        Path(f"sets/dataset={name}").mkdir()
        pl.read_csv(f"sets/{name}.csv").write_parquet(f"sets/dataset={name}/0.parquet")
    result = outscore("rank", "sets/dataset=maths/0.parquet", "sets/dataset=code/0.parquet", "-o", "a.json")
    assert result.exit_code == 0
    assert [part["name"] for part in saved("a.json")["datasets"]] == ["maths", "code"]


def test_large_parquet_files_are_parts(board, outscore, monkeypatch):
    monkeypatch.setattr("outscore.formats.tables.parquet.MAX_WHOLE", 1)
    assert outscore("rank", "parts/0.parquet", "parts/1.parquet", "-o", "a.json").exit_code == 0
    assert (saved("a.json")["datasets"], saved("a.json")["coverage"]["items"]) == ([], 80)


def test_empty_cells_of_a_wide_table_are_items_a_system_lacks(board, outscore):
    lines = Path("wide.csv").read_text().splitlines()
    # delta lacks more items than are looked at to find the columns, and a column of remarks is no system.
    cells = [line.split(",") for line in lines]
    rows = [[*row[:4], "" if i <= 30 else row[4], "odd" if i == 40 else ""] for i, row in enumerate(cells)]
    rows[0] = [*cells[0], "remark"]
    Path("gaps.csv").write_text("".join(",".join(row) + "\n" for row in rows))
    long = pl.read_csv("long.csv").filter(~((pl.col("model") == "delta") & (pl.col("task") == "maths"))).drop("task")
    long.write_csv("gaps-long.csv")
    for form in ("gaps", "gaps-long"):
        assert outscore("rank", f"{form}.csv", "-o", f"{form}.json").exit_code == 0
    assert saved("gaps.json") == saved("gaps-long.json")
    assert saved("gaps.json")["coverage"]["missing"] == 30
    bare = [",".join(row[1:5]) + "\n" for row in rows]
    Path("bare.csv").write_text("".join(bare))
    assert outscore("rank", "bare.csv", "-o", "bare.json").exit_code == 0
    assert saved("bare.json") == saved("gaps.json")


def test_empty_cells_are_items_that_a_system_lacks_in_compare_too(board, outscore):
    rows = [f"q{i},{i % 2},{'' if i < 6 else i // 3 % 2}\n" for i in range(20)]
    Path("gap.csv").write_text("id,a,b\n" + "".join(rows))
    pair, ranking = (outscore(command, "gap.csv").output for command in ("compare", "rank"))
    assert "14 in common, 6 only in a" in " ".join(pair.split())
    assert "6 of 40 scores are missing (15%)" in " ".join(ranking.split())


def test_a_single_item_is_told(board, outscore):
    Path("single.csv").write_text("id,a,b\nq1,1,0\n")
    assert "There is only one item" in outscore("rank", "-v", "single.csv").stdout
    assert "There is only one item" not in outscore("rank", "-v", "wide.csv").stdout


def test_help_offers_one_test(outscore):
    assert ", or all" not in outscore("rank", "--help").stdout
    assert ", or all" in outscore("compare", "--help").stdout


def test_workers_change_nothing(board, outscore):
    # Scores that no fast path serves, so that workers are asked.
    scores = np.random.default_rng(2).normal(size=(60, 5))
    pl.DataFrame({f"s{k}": scores[:, k] for k in range(5)} | {"id": np.arange(60)}).write_csv("real.csv")
    for jobs in (1, 2):
        assert outscore("rank", "real.csv", "--jobs", jobs, "-o", f"{jobs}.json").exit_code == 0
    assert Path("1.json").read_bytes() == Path("2.json").read_bytes()


def test_baseline(board, outscore):
    assert outscore("rank", "long.csv", "--baseline", "delta", "-o", "a.json").exit_code == 0
    found = saved("a.json")
    assert [pair["systems"][1] for pair in found["pairs"]] == ["delta"] * 3
    assert (found["baseline"], found["family"]["m"]) == ("delta", 3)


def test_chosen_systems_and_names(board, outscore):
    assert outscore("rank", "long.csv", "--system", "gamma", "--system", "alpha", "-o", "a.json").exit_code == 0
    assert sorted(saved("a.json")["systems"]) == ["alpha", "gamma"]
    assert outscore("rank", "alpha.txt", "beta.txt", "--names", "new,old", "-o", "b.json").exit_code == 0
    assert sorted(saved("b.json")["systems"]) == ["new", "old"]


def test_texts(board, outscore):
    pytest.importorskip("sacrebleu")
    for name, line in {"good": "the cat sat", "fair": "the cat", "poor": "cat"}.items():
        Path(f"{name}.txt").write_text(f"{line}\nit was late\n" * 10)
    Path("gold.txt").write_text("the cat sat\nit was late\n" * 10)
    files = ["good.txt", "fair.txt", "poor.txt"]
    result = outscore("rank", "--reference", "gold.txt", *files, "--metric", "ter,wer", "-o", "a.json")
    assert result.exit_code == 0
    found = saved("a.json")
    assert (found["systems"], found["metric"], found["metrics"][0]["metric"]) == (["good", "fair", "poor"], "TER", "WER")
    alone = osc.compare_texts("good.txt", "fair.txt", "gold.txt", metrics=["ter"]).comparisons[0]
    assert found["pairs"][0]["p"]["value"] == alone.p.value


@pytest.mark.parametrize(
    ("task", "write", "suffix"),
    [("label", write_labels, "csv"), ("dep", write_trees, "conllu"), ("ner", write_entities, "bio")],
)
def test_outputs_against_diff(board, outscore, task, write, suffix):
    write(board, **{"items" if task == "label" else "sentences": 40})
    files = [f"{name}.{suffix}" for name in ("gold", "old", "new")]
    assert outscore("rank", "--task", task, "--gold", *files, "-o", "a.json").exit_code == 0
    found, pair = saved("a.json"), osc.diff(files[0], files[1:], task=task).pairs[0]
    (ranked,) = found["pairs"]
    assert ranked["p"]["value"] == pytest.approx(pair.p.value, rel=1e-9)
    assert abs(ranked["difference"]) == pytest.approx(abs(pair.difference), abs=1e-12)


def test_pairs(board, outscore):
    assert outscore("rank", "long.csv", "--dataset", "task", "--pairs", "pairs.parquet").exit_code == 0
    table = pl.read_parquet("pairs.parquet")
    assert table.height == 18
    assert set(table["dataset"].to_list()) == {None, "maths", "code"}


def test_saved_rankings_are_repeated_and_rendered(board, outscore):
    first = outscore("rank", "long.csv", "--test", "student", "--alpha", "0.01", "-o", "a.json", "-o", "a.md")
    assert outscore("rank", "--config", "a.json", "-o", "b.json").stdout == first.stdout
    assert Path("a.json").read_bytes() == Path("b.json").read_bytes()
    assert outscore("report", "a.json").stdout == first.stdout
    assert outscore("report", "a.json", "--format", "markdown").stdout == Path("a.md").read_text()
    Path("long.csv").write_text(Path("long.csv").read_text().replace("q0,maths,alpha,1", "q0,maths,alpha,0"))
    assert "has changed since" in outscore("rank", "--config", "a.json").stdout


REFUSED = {
    "no file": [],
    "one system": ["one.csv"],
    "one bare system": ["alpha.txt"],
    "a folder of other files": ["sets"],
    "a folder of several kinds": ["mixed"],
    "a pattern without files": ["absent-*.csv"],
    "a pattern of wide parts": ["wide*.parquet"],
    "an output that a pattern names": ["long*.parquet", "--pairs", "long.parquet"],
    "an empty file": ["empty.csv"],
    "a missing file": ["absent.csv"],
    "texts without a reference": ["text.txt", "ref.txt"],
    "scores that are words": ["words.csv"],
    "an unknown baseline": ["long.csv", "--baseline", "delt"],
    "an unknown system": ["long.csv", "--system", "alpha", "--system", "gama"],
    "an unknown correction": ["long.csv", "--correction", "homl"],
    "max-t across systems": ["long.csv", "--correction", "max-t"],
    "shaffer against a baseline": ["long.csv", "--correction", "shaffer", "--baseline", "beta"],
    "all tests": ["long.csv", "--test", "all"],
    "a test without p": ["long.csv", "--test", "bayes"],
    "an unknown test": ["long.csv", "--test", "wilcoxn"],
    "too few names": ["alpha.txt", "beta.txt", "--names", "x"],
    "gold without a task": ["text.txt", "ref.txt", "--gold", "."],
    "gold that is not there": ["text.txt", "ref.txt", "--gold", "nowhere.txt"],
    "a task without gold": ["text.txt", "ref.txt", "--task", "label"],
    "gold and reference": ["text.txt", "ref.txt", "--gold", "ref.txt", "--task", "label", "--reference", "ref.txt"],
    "documents without a reference": ["long.csv", "--documents", "ref.txt"],
    "a column of texts": ["text.txt", "ref.txt", "--reference", "ref.txt", "--item", "id"],
    "one text": ["text.txt", "--reference", "ref.txt"],
    "pairs of another form": ["long.csv", "--pairs", "pairs.csv"],
    "pairs nowhere": ["long.csv", "--pairs", "nowhere/pairs.parquet"],
    "units of parts": ["parts", "--unit-size", "5"],
    "a metric of parts": ["parts", "--metric", "f1"],
    "critical difference of an incomplete board": ["strangers.csv", "--critical-difference"],
    "a cluster nobody can reach": ["long.csv", "--dask", "nonsense://x"],
}


def test_refusals(board, refusal, golden):
    said = [f"{name}\n    {refusal('rank', *arguments)}" for name, arguments in REFUSED.items()]
    golden("cli/rank-refused.txt", "".join(said))


def test_systems_that_share_nothing(board, outscore):
    result = outscore("rank", "strangers.csv", "-o", "a.json")
    assert result.exit_code == 0
    (pair,) = saved("a.json")["pairs"]
    assert (pair["n"], pair["p"]["value"], saved("a.json")["family"]["m"]) == (0, 1.0, 0)
    assert "share" in pair["note"]


@pytest.mark.slow
def test_livebench(shared_data, outscore, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = shared_data / "llm-scores" / "livebench.parquet"
    # Student's test is quick, quicker than processes for it would start; the exact one of all pairs is a benchmark.
    settings = ("--test", "student", "--duplicates", "mean", "--jobs", "1")
    assert outscore("rank", path, *settings, "-o", "a.json").exit_code == 0
    found = saved("a.json")
    assert found["counts"]["testable"] == found["family"]["m"] == 4158
    assert (found["counts"]["pairs"], found["ordered_by"]) == (4278, "advantage")
    assert (found["coverage"]["systems"], found["coverage"]["duplicates"], found["coverage"]["conflicts"]) == (93, 590, 59)
    assert sum(pair["n"] == 0 for pair in found["pairs"]) == 120
