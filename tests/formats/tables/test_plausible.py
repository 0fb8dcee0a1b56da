"""Columns that were taken for systems and can hardly be any, and tables with a system in every row."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

import outscore as osc
from outscore.cli.app import app
from outscore.core.errors import OutscoreError

RNG = np.random.default_rng(8)
NEW, OLD = (RNG.random((2, 40)) < [[0.8], [0.5]]).astype(int)
IDS = [f"q{i}" for i in range(40)]


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*words: str):
    result = CliRunner().invoke(app, [*words, "-v"], prog_name="outscore")
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def table(**columns) -> pl.DataFrame:
    return pl.DataFrame({"id": IDS, "new": NEW, "old": OLD, **columns})


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("counter", np.arange(40)),
        ("shuffled", RNG.permutation(40) + 1),
        ("chars", RNG.integers(10, 50, 40)),
        ("percent", RNG.random(40) * 100),
    ],
)
@pytest.mark.parametrize("command", ["rank", "compare"])
def test_a_column_that_is_no_system_is_refused_by_name(folder, command, name, values):
    table(**{name: values}).write_csv("table.csv")
    result = run(command, "table.csv")
    assert result.exit_code == 2
    assert f"`{name}` was found beside `new` and `old`" in result.output
    assert run(command, "table.csv", "--system", "new", "--system", "old").exit_code == 0


def test_a_table_in_python_is_checked_alike():
    with pytest.raises(osc.OutscoreError, match="`counter` was found beside"):
        osc.rank(table(counter=np.arange(40)))
    with pytest.raises(osc.OutscoreError, match="`counter` was found beside"):
        osc.compare(table(counter=np.arange(40)))


@pytest.mark.parametrize(
    "columns",
    [
        {"a": RNG.integers(0, 90, 40), "b": RNG.integers(10, 99, 40)},
        {"a": RNG.random(40), "b": RNG.random(40) * 1.6},
        {"a": np.arange(40), "b": np.arange(40)[::-1].copy()},
        {"a": np.zeros(40, dtype=int), "b": NEW},
    ],
)
def test_scores_of_systems_are_not_refused(columns):
    assert len(osc.rank(pl.DataFrame({"id": IDS, **columns})).systems) == 2


@pytest.fixture
def by_row(folder) -> pl.DataFrame:
    """A table with a row for each of three systems and a column for each of forty items."""
    scores = np.stack([NEW, OLD, RNG.integers(0, 2, 40)])
    items = {f"rte_{i}": scores[:, i] for i in range(40)}
    found = pl.DataFrame({"userid": ["new", "old", "base"], **items})
    found.write_csv("turned.csv")
    return found


def test_columns_that_look_like_items_are_refused_with_the_cure(by_row):
    result = run("rank", "turned.csv")
    assert result.exit_code == 2
    assert "`turned.csv` has 40 columns `rte_0`, `rte_1`, `rte_2` and 37 more, which look like items" in result.output
    assert "--transpose" in result.output
    assert run("rank", "turned.csv", "--item", "userid").exit_code == 0


def test_a_transposed_table_is_the_table_turned(by_row):
    wanted = osc.compare(NEW, OLD)
    for given in ("turned.csv", by_row):
        assert osc.compare(given, transpose=True, systems=["new", "old"]).p.value == wanted.p.value
        assert set(osc.rank(given, transpose=True).systems) == {"new", "old", "base"}
    text = run("rank", "turned.csv", "--transpose").output
    assert "`new`, `old` and `base`" in " ".join(text.split())


def test_a_transposed_table_that_does_not_fit_is_refused(folder):
    pl.DataFrame({"model": ["a", "a"], "q1": [0, 1], "q2": [1, 1]}).write_csv("twice.csv")
    assert "line 3: the system `a` appears for the second time" in run("rank", "twice.csv", "--transpose").output
    pl.DataFrame({"model": ["a", "b"], "q1": [0, 1], "note": ["x", "y"]}).write_csv("note.csv")
    assert "no numbers in `note`" in run("rank", "note.csv", "--transpose").output
    Path("empty.json").write_text("[{}]")
    assert "`empty.json` has no columns." in run("rank", "empty.json", "--transpose").output


@pytest.mark.parametrize("command", ["compare", "rank"])
@pytest.mark.parametrize("column", ["task", "category", "sentence", "name"])
def test_a_summary_is_found_in_whatever_column_names_rows(folder, command, column):
    named = [f"t{i}" for i in range(39)]
    pl.DataFrame({column: [*named, "Mean"], "new": NEW, "old": OLD}).write_csv("summed.csv")
    result = run(command, "summed.csv")
    assert result.exit_code == 2
    assert f"line 41: found `Mean` as the last item of `{column}`" in result.output
    pl.DataFrame({column: ["sum", *named[:-1], "sum"], "new": NEW, "old": OLD}).write_csv("kinds.csv")
    if column in ("task", "category"):
        assert run(command, "kinds.csv").exit_code == 0


@pytest.mark.parametrize("name", ["mean", "Total", "all", "Overall"])
@pytest.mark.parametrize("column", ["id", "name"])
def test_a_summary_is_refused_as_the_first_row_too_and_in_dataframes(folder, name, column):
    first = pl.DataFrame({column: [name, *(f"t{i}" for i in range(39))], "new": NEW, "old": OLD})
    last = first.reverse()
    for frame, line, place in ((first, 2, "first"), (last, 41, "last")):
        frame.write_csv("summed.csv")
        for command in ("compare", "rank"):
            assert f"line {line}: found `{name}` as the {place} item of `{column}`" in run(command, "summed.csv").output
        for door in (osc.compare, osc.rank):
            with pytest.raises(osc.OutscoreError, match=f"row {line - 1}: found `{name}` as the {place} item of `{column}`"):
                door(frame)


def test_a_summary_in_the_index_of_a_dataframe_is_refused():
    pd = pytest.importorskip("pandas")
    labels = [f"q{i}" for i in range(39)]
    for index, place in (
        ([*labels, "mean"], "row 40: found `mean` as the last"),
        (["all", *labels], "row 1: found `all` as the first"),
    ):
        frame = pd.DataFrame({"new": NEW, "old": OLD}, index=index)
        for door in (osc.compare, osc.rank):
            with pytest.raises(osc.OutscoreError, match=f"{place} item of `index`"):
                door(frame)
    assert osc.rank(pd.DataFrame({"new": NEW, "old": OLD}, index=["q", *labels])).systems


@pytest.mark.parametrize("head", [",new,old", "Unnamed: 0,new,old"])
def test_a_summary_in_an_index_without_a_name_is_refused(folder, head):
    rows = [f"{i},{new},{old}" for i, (new, old) in enumerate(zip(NEW, OLD, strict=True))]
    Path("table.csv").write_text("\n".join([head, *rows, "mean,0.8,0.5"]))
    for command in ("compare", "rank", "score"):
        refused = run(command, "table.csv")
        assert (refused.exit_code, "line 42: found `mean` as the last item" in refused.output) == (2, True)


@pytest.mark.parametrize("name", ["micro avg", "weighted avg", "Macro Average"])
def test_averages_of_classification_reports_are_no_items(folder, name):
    rows = [f"q{i},{new},{old}" for i, (new, old) in enumerate(zip(NEW, OLD, strict=True))]
    Path("table.csv").write_text("\n".join(["id,new,old", *rows, f"{name},0.8,0.5"]))
    assert f"found `{name}` as the last item of `id`" in run("compare", "table.csv").output


@pytest.mark.parametrize("start", [0, 1, 17])
@pytest.mark.parametrize("header", ["", "x,y\n"])
def test_bare_numbers_that_count_the_lines_are_no_scores(folder, start, header):
    """They won by far, and in front of three more numbers they were true positives."""
    pairs = "\n".join(f"{start + i},{score:.3f}" for i, score in enumerate(RNG.random(40)))
    Path("two.csv").write_text(header + pairs)
    four = "\n".join(f"{start + i},{i % 7},{new},{old}" for i, (new, old) in enumerate(zip(NEW, OLD, strict=True)))
    Path("four.csv").write_text(four)
    for name in ("two.csv", "four.csv"):
        for command in ("compare", "score"):
            refused = run(command, name)
            assert (refused.exit_code, "column 1 counts the lines" in refused.output) == (2, True)


def test_a_column_of_infinite_numbers_is_still_a_column(folder):
    table(new=["inf"] * 40).write_csv("table.csv")
    for command in ("compare", "score"):
        refused = run(command, "table.csv")
        assert (refused.exit_code, 'line 2: found "inf" in column `new`' in refused.output) == (2, True)


def test_a_table_of_labels_alone_is_refused_whatever_they_are(folder):
    Path("table.csv").write_text("cluster,document\n1,z\n0,y\n")
    refused = run("score", "table.csv", "--cluster", "document")
    assert (refused.exit_code, "has no column of numbers" in refused.output) == (2, True)


def test_systems_that_are_named_are_ranked_beside_other_columns(folder):
    table = pl.DataFrame({"id": IDS, "new": NEW, "old": OLD, "length": RNG.integers(5, 50, 40)})
    table.write_csv("one.csv")
    table.write_csv("two.csv")
    assert "Name the systems with --system NAME" in run("rank", "one.csv").output
    chosen = ("--system", "old", "--system", "new")
    assert run("rank", "one.csv", *chosen).exit_code == 0
    assert set(osc.rank("one.csv", systems=["new", "old"]).systems) == {"new", "old"}
    several = run("rank", "one.csv", "two.csv", *chosen)
    assert several.exit_code == 0, several.output
    assert "each file is a dataset" in " ".join(several.output.split())
    assert "There is no system `third`" in run("rank", "one.csv", "two.csv", *chosen, "--system", "third").output


def test_rank_names_its_own_option_for_the_right_answers(folder):
    pl.DataFrame({"id": IDS, "label": OLD, "new": NEW, "old": OLD}).write_csv("labels.csv")
    assert "Write --gold-column label to score" in " ".join(run("rank", "labels.csv").output.split())
    assert "Write --gold label to score" in " ".join(run("compare", "labels.csv").output.split())
    assert run("rank", "labels.csv", "--gold-column", "label").exit_code == 0
    pl.DataFrame({"id": IDS, "mine": ["x"] * 40}).write_csv("words.csv")
    refused = run("rank", "words.csv", "words.csv", "--prediction", "mine").output
    assert "--gold-column COLUMN (gold_column=... in Python)" in " ".join(refused.split())


def test_systems_in_rows_beside_numbered_items_are_read_as_such(folder):
    items = {f"q{i}": [NEW[i], OLD[i]] for i in range(40)}
    pl.DataFrame({"system": ["new", "old"], **items}).write_csv("rows.csv")
    by_itself, asked = run("rank", "rows.csv"), run("rank", "rows.csv", "--transpose")
    assert by_itself.exit_code == asked.exit_code == 0
    assert "items: `columns (transposed)`" in " ".join(by_itself.output.split())
    assert by_itself.output.splitlines()[0] == asked.output.splitlines()[0]
    few = {name: items[name] for name in list(items)[:12]}
    pl.DataFrame({"system": ["new", "old"], **few}).write_csv("few.csv")
    assert "add --transpose" in run("rank", "few.csv").output


def test_a_json_list_is_called_json(folder):
    table().write_json("list.json")
    assert "(json)" in run("compare", "list.json").output
    table().write_ndjson("lines.jsonl")
    assert "(jsonl)" in run("compare", "lines.jsonl").output


def test_four_columns_of_right_or_wrong_are_four_systems(folder):
    names = ["gpt", "llama", "claude", "mistral"]
    pl.DataFrame({name: np.roll(NEW, i) for i, name in enumerate(names)}).write_csv("four.csv")
    said = " ".join(run("rank", "four.csv").output.split())
    assert "a column per system, `gpt`, `llama`, `claude` and `mistral`" in said
    assert run("compare", "four.csv", "--system", "gpt", "--system", "llama").exit_code == 0


@pytest.mark.parametrize("header", ["tp,errors,tp,errors", "tp_a,err_a,tp_b,err_b"])
def test_four_columns_that_are_named_as_counts_are_counts(folder, header):
    rows = [f"{3 + i % 3},{i % 2},{2 + i % 4},{(i + 1) % 2}" for i in range(12)]
    Path("counts.csv").write_text("\n".join([header, *rows]))
    assert "true positives and errors" in " ".join(run("compare", "counts.csv").output.split())


def test_an_id_beside_three_counts_is_one_system(folder):
    counts = {"id": IDS, "tp": NEW + 3, "fp": OLD, "fn": 1 - OLD}
    for name in ("one", "two"):
        pl.DataFrame({**counts, "id": range(40)}).write_csv(f"{name}.csv")
    assert "one system only" in run("compare", "one.csv").output
    assert "`tp`, `fp` and `fn`" in " ".join(run("compare", "one.csv", "two.csv").output.split())


@pytest.mark.parametrize("mark", [",", "\t", " "])
def test_answers_are_no_systems(folder, mark):
    Path("answers.txt").write_text("\n".join([f"gold{mark}pred", *(f"{i % 3}{mark}{i % 4}" for i in range(20))]))
    result = run("compare", "answers.txt")
    assert result.exit_code == 2
    assert "outscored" not in result.output


def test_beside_shares_a_code_is_no_system(folder):
    table(category_code=np.arange(40) % 7).write_csv("coded.csv")
    assert "`category_code` was found beside `new` and `old`, but goes up to" in run("rank", "coded.csv").output
    assert run("rank", "coded.csv", "--system", "new", "--system", "old").exit_code == 0


def test_a_column_called_mean_is_no_system(folder):
    table(mean=(NEW + OLD) / 2).write_csv("averaged.csv")
    assert "`mean` was found beside `new` and `old`, but is named like a summary" in run("rank", "averaged.csv").output


@pytest.mark.parametrize("stem", ["s", "sys", "System ", "model_"])
def test_many_numbered_systems_beside_ids_of_items_are_systems(folder, stem):
    scores = {f"{stem}{i}": RNG.integers(0, 2, 40) for i in range(40)}
    pl.DataFrame({"id": IDS, **scores}).write_csv("systems.csv")
    assert len(osc.rank("systems.csv").systems) == 40
    pl.DataFrame({"userid": IDS, **scores}).write_csv("people.csv")
    with pytest.raises(OutscoreError, match="which look like items"):
        osc.rank("people.csv")
    pl.DataFrame({"id": IDS, **{f"q{i}": RNG.integers(0, 2, 40) for i in range(40)}}).write_csv("questions.csv")
    with pytest.raises(OutscoreError, match="which look like items"):
        osc.rank("questions.csv")
