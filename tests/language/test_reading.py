"""What the input was taken to mean is said in one line of every report, and kept in every result."""

from __future__ import annotations

import pytest
from tests.variants import a_few

import outscore as osc
from outscore.language.lines import reading_line
from outscore.results.design import Reading

FORMS = ("to_text", "to_markdown", "to_latex", "to_html", "_repr_html_")


def plain(text: str) -> str:
    """The words alone, whatever marks a form has for names of columns and wherever it breaks lines."""
    for mark in ("\\texttt{", "}", "\\`", "`", "<code>", "</code>", "\\"):
        text = text.replace(mark, "")
    return " ".join(text.replace("\u00a0", " ").split())


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "runs.csv"
    rows = "".join(f"q{i},{int(i % 5 > 0)},{int(i % 3 > 0)}\n" for i in range(30))
    path.write_text(f"question_id,new,old\n{rows}")
    return path


def test_a_line_names_every_part():
    reading = Reading("table", 90, 1, ["csv"], ["f1"], item=["id"], system=["model"], repeat=["seed"], cluster=["doc"])
    said = "scores: `f1`; items: `id`; systems: `model`; repeats: `seed`; clusters: `doc`; 90 rows in 1 file (csv)"
    assert reading_line(reading) == f"{said}; higher is better"


def test_many_columns_are_counted():
    line = reading_line(Reading("table", 9, 1, ["csv"], systems=list("abcdefg")))
    assert line.startswith("scores: a column per system, `a`, `b`, `c`, `d` and 3 more; items: row order")


def test_answers_are_compared_with_the_right_ones():
    line = reading_line(Reading("table", 9, 2, ["jsonl"], prediction=["pred"], gold=["answer"], item=["id"]))
    assert line.startswith("scores: `pred` = `answer` (1 right, 0 wrong); items: `id`")
    line = reading_line(Reading("table", 9, 2, ["csv"], systems=["new", "old"], gold=["label"]))
    assert line.startswith("scores: `new` and `old`, each = `label` (1 right, 0 wrong); items: row order")


@pytest.mark.parametrize("form", a_few(FORMS, 4))
@pytest.mark.parametrize("command", [osc.compare, osc.rank])
def test_every_form_of_a_report_shows_the_line_once(command, form, table):
    found = command(table)
    said = plain(getattr(found, form)())
    line = "scores: a column per system, new and old; items: question_id; 30 rows in 1 file (csv); higher is better (assumed"
    # Pages and papers name no option of the command line.
    line += ")" if form in ("to_html", "_repr_html_", "to_latex") else ";"
    assert said.count(line) == 1
    assert said.index(line) < 2000 or form == "to_html"


@pytest.mark.parametrize("form", FORMS[:-1])
def test_slices_show_the_line_once(form, tmp_path):
    path = tmp_path / "runs.csv"
    rows = "".join(f"q{i},{'xy'[i % 2]},{int(i % 5 > 0)},{int(i % 3 > 0)}\n" for i in range(30))
    path.write_text(f"id,category,new,old\n{rows}")
    found = osc.compare(path, slices="category")
    said = plain(getattr(found, form)())
    assert said.count("items: id; slices: category; 30 rows in 1 file (csv)") == 1
    assert [c.reading.slices for c in found.comparisons] == [["category"]] * 3


def test_bare_numbers_and_arrays_have_their_line(tmp_path):
    for name in ("a", "b"):
        tmp_path.joinpath(name).write_text("1\n0\n1\n")
    bare = osc.compare(tmp_path / "a", tmp_path / "b")
    assert reading_line(bare.reading).startswith("scores: one number per line; items: line order; 6 rows in 2 files")
    given = osc.rank({"new": [1, 0, 1], "old": [0, 0, 1]})
    assert reading_line(given.reading) == "scores: arrays; items: their order; 3 rows; higher is better"


def test_texts_have_their_line():
    found = osc.compare_texts(["a b c d"] * 3, ["a b d"] * 3, ["a b c d"] * 3)
    assert plain(found.to_text()).count("scores: texts against references; items: line order; 3 rows") == 1


def test_results_keep_it(table, tmp_path):
    found = osc.rank(table)
    assert osc.load(found.save(tmp_path / "r.json")).reading == found.reading
    assert found.reading == Reading("table", 30, 1, ["csv"], systems=["new", "old"], item=["question_id"])
    assert osc.rank({"a": [1, 0], "b": [0, 0]}, metric="error-rate").reading.direction == "lower"


@pytest.fixture
def answers(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, column, labels in (("gold", "gold", "ababab"), ("old", "prediction", "aaabab"), ("new", "prediction", "abaaab")):
        rows = "".join(f"q{i},{label}\n" for i, label in enumerate(labels))
        tmp_path.joinpath(f"{name}.csv").write_text(f"question_id,{column}\n{rows}")
    return tmp_path


LINE = (
    "right answers: gold.csv (gold); outputs: old.csv and new.csv (prediction); items: question_id; 18 rows in 3 files (labels)"
)


@pytest.mark.parametrize("form", FORMS)
def test_a_diff_says_which_file_is_what(answers, form):
    found = osc.diff("gold.csv", ["old.csv", "new.csv"], task="label")
    assert plain(getattr(found, form)()).count(LINE) == 1
    assert osc.load(found.save("r.json")) == found


def test_a_diff_of_words_and_of_one_table(answers):
    for name in ("gold", "x"):
        answers.joinpath(f"{name}.conllu").write_text(
            "1\tIt\t_\tPRON\t_\t_\t2\tnsubj\t_\t_\n2\tis\t_\tAUX\t_\t_\t0\troot\t_\t_\n\n"
        )
    found = osc.diff("gold.conllu", ["x.conllu"], task="pos")
    line = "right answers: `gold.conllu`; outputs: `x.conllu`; items: as in the gold file; 4 rows in 2 files (conllu)"
    assert reading_line(found.reading) == line
    answers.joinpath("t.csv").write_text("id,gold,old,new\n1,a,a,b\n2,b,b,b\n")
    one = osc.diff("t.csv", [], task="label")
    assert reading_line(one.reading).startswith("right answers: `t.csv` (`gold`); outputs: `t.csv` (`old` and `new`)")
    answers.joinpath("long.csv").write_text("id,system,prediction,gold\n1,x,a,a\n1,y,b,a\n2,x,b,b\n2,y,b,b\n")
    line = reading_line(osc.diff("long.csv", [], task="label").reading)
    assert line.startswith("right answers: `long.csv` (`gold`); outputs: `long.csv` (`prediction`); items: `id`")
    given = osc.diff(list("ab"), {"x": list("aa")}, task="label")
    assert reading_line(given.reading).startswith("right answers and outputs: lists; items: their order; 2 rows")
