"""Rows of tables without a score: refused with the way on, or left out and counted where they were asked to be."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner
from tests.variants import crossed

import outscore as osc
from outscore.cli.app import app
from outscore.core.errors import OutscoreError

RNG = np.random.default_rng(5)
NEW, OLD = (RNG.integers(0, 9, 40).astype(float).tolist() for _ in range(2))


def run(*words: str):
    done = CliRunner().invoke(app, [*words, "-v"], prog_name="outscore")
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done


def write(form: str, empty: object) -> list[str]:
    """A file for each system, or one of both, with two rows of one system and one of the other without a score."""
    new: list[object] = [empty if i in (3, 17) else x for i, x in enumerate(NEW)]
    old: list[object] = [empty if i == 17 else x for i, x in enumerate(OLD)]
    items = [f"q{i}" for i in range(40)]
    if form == "jsonl":
        for name, scores in (("new", new), ("old", old)):
            rows = [{"question_id": item, "model": name, "score": x} for item, x in zip(items, scores, strict=True)]
            Path(f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        return ["new.jsonl", "old.jsonl"]
    frame = pl.DataFrame({"id": items * 2, "model": ["new"] * 40 + ["old"] * 40, "score": [*new, *old]}, strict=False)
    (frame.write_csv if form == "csv" else frame.write_parquet)(f"both.{form}")
    return [f"both.{form}"]


@pytest.mark.parametrize(("form", "command"), crossed(["jsonl", "csv", "parquet"], ["compare", "rank", "score"]))
def test_rows_without_a_score_are_left_out_where_that_is_asked(form, command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    files = write(form, None)
    refused = run(command, *files)
    assert refused.exit_code == 2
    assert "an empty field in column `score`" in refused.output
    assert "leave out and count such rows with --missing drop" in refused.output
    told = run(command, *files, "--missing", "drop")
    assert told.exit_code == 0, told.output
    assert ", 3 without a score left out; higher is better" in " ".join(told.output.split())
    assert run(command, *files, "--missing", "stop").output == refused.output


@pytest.mark.parametrize("form", ["jsonl", "csv", "parquet"])
def test_the_comparison_is_that_of_the_items_that_both_have(form, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = osc.compare(*write(form, None), missing="drop")
    there = [i for i in range(40) if i not in (3, 17)]
    expected = osc.compare([NEW[i] for i in there], [OLD[i] for i in there])
    assert (found.p.value, found.difference, found.n) == (expected.p.value, expected.difference, 38)
    assert found.reading.left_out == 3
    first, *_ = osc.read(write("csv", None)[0], missing="drop")
    assert first.rows == 38


def test_words_for_no_score_count_and_other_words_do_not(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("a.csv").write_text("id,score\n1,0.5\n2,NaN\n3,n/a\n4,1\n5,0.2\n6,0.1\n")
    Path("b.csv").write_text("id,score\n1,0.1\n2,0.3\n3,0.4\n4,0.6\n5,0.3\n6,0.2\n")
    assert "12 rows in 2 files (csv), 2 without a score left out" in " ".join(
        run("compare", "a.csv", "b.csv", "--missing", "drop").output.split()
    )
    Path("a.csv").write_text("id,score\n1,0.5\n2,inf\n3,0.5\n4,1\n")
    assert 'found "inf" in column `score`' in run("compare", "a.csv", "b.csv", "--missing", "drop").output


def test_a_table_without_items_is_asked_for_them(tmp_path, monkeypatch):
    """Left out, the lines below would be matched with the wrong ones."""
    monkeypatch.chdir(tmp_path)
    Path("a.csv").write_text("score,note\n1,x\n,y\n0,z\n")
    with pytest.raises(OutscoreError, match="no item column"):
        osc.compare("a.csv", "a.csv", missing="drop")
    refused = run("compare", "a.csv", "a.csv", "--item", "none", "--missing", "drop")
    assert refused.exit_code == 2
    assert "Rows of `a.csv` are matched by their order, so none can be left out." in refused.output


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_a_column_for_each_system_has_words_for_gaps_too(form, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    frame = pl.DataFrame({"id": range(40), "new": [float("nan"), *NEW[1:]], "old": OLD})
    (frame.write_csv if form == "csv" else frame.write_parquet)(f"wide.{form}")
    assert "--missing drop" in run("compare", f"wide.{form}").output
    found = osc.compare(f"wide.{form}", missing="drop")
    assert (found.n, found.difference) == (39, osc.compare(NEW[1:], OLD[1:]).difference)


ZEROED = ([0 if i in (3, 17) else x for i, x in enumerate(NEW)], [0 if i == 17 else x for i, x in enumerate(OLD)])


@pytest.mark.parametrize(("form", "command"), crossed(["jsonl", "csv", "parquet"], ["compare", "rank", "score"]))
def test_zero_is_the_worst_score(form, command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    files = write(form, None)
    told = run(command, *files, "--missing", "zero")
    assert told.exit_code == 0, told.output
    assert ", 3 without a score counted as the worst score; higher is better" in " ".join(told.output.split())
    found = osc.compare(*files, missing="zero")
    expected = osc.compare(*ZEROED)
    assert (found.p.value, found.difference, found.n) == (expected.p.value, expected.difference, 40)
    assert (found.reading.filled, found.reading.left_out) == (3, 0)


def test_zero_in_data_frames_in_wide_tables_and_among_bare_numbers(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    expected = osc.compare(*ZEROED)
    gaps = [[None if i in (3, 17) else x for i, x in enumerate(NEW)], [None if i == 17 else x for i, x in enumerate(OLD)]]
    wide = pl.DataFrame({"id": range(40), "new": gaps[0], "old": gaps[1]})
    wide.write_csv("wide.csv")
    Path("pairs.txt").write_text(
        "".join(f"{'nan' if x is None else x} {'n/a' if y is None else y}\n" for x, y in zip(*gaps, strict=True))
    )
    for given in (wide, "wide.csv", "pairs.txt"):
        found = osc.compare(given, missing="zero")
        assert (found.p.value, found.difference, found.n) == (expected.p.value, expected.difference, 40)
        assert found.reading.filled == 2
    gate = run(
        "gate", "wide.csv", "--system", "old", "--system", "new", "--margin", "3", "--bounds", "0", "9", "--missing", "zero"
    )
    assert gate.exit_code in (0, 3), gate.output


def test_zero_for_answers_without_a_right_one_makes_them_wrong(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    gold = ["", "b", "a", "b", "a", "b"] * 5
    table = pl.DataFrame({"id": range(30), "gold": gold, "new": list("abaaab") * 5, "old": list("aabbab") * 5})
    table.write_csv("answers.csv")
    found = osc.compare("answers.csv", missing="zero")
    right = [[int(bool(g) and x == g) for x, g in zip(table[name], gold, strict=True)] for name in ("new", "old")]
    assert (found.difference, found.n, found.reading.filled) == (osc.compare(*right).difference, 30, 5)
    assert osc.compare(table, missing="zero").difference == found.difference


def test_zero_that_would_be_the_best_score_is_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [f"q{i},{'' if i == 3 else x / 10},{y / 10}\n" for i, (x, y) in enumerate(zip(NEW, OLD, strict=True))]
    Path("wer.csv").write_text("id,wer_new,wer_old\n" + "".join(rows))
    refused = run("compare", "wer.csv", "--missing", "zero")
    assert refused.exit_code == 2
    assert "Lower scores are better in `wer.csv`, so 0 for a missing score would be the best score of all." in refused.output
    cured = osc.compare("wer.csv", missing="zero", direction="lower", bounds=(0, 1))
    new = [1.0 if i == 3 else x / 10 for i, x in enumerate(NEW)]
    assert cured.difference == pytest.approx(np.mean(new) - np.mean(OLD) / 10)
    Path("below.csv").write_text(Path("wer.csv").read_text().replace("wer_", "").replace("q5,", "q5,-"))
    refused = run("rank", "below.csv", "--missing", "zero")
    assert refused.exit_code == 2
    assert "so 0 is not the worst of them" in refused.output


WORDS = "id,a,b,c\n" + "".join(f"q{i},{i % 2},{i % 3 % 2},{'NA' if i < 24 else i % 2}\n" for i in range(40))


def test_a_system_that_begins_with_gaps_in_words_is_one(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("three.csv").write_text(WORDS)
    refused = run("rank", "three.csv")
    assert refused.exit_code == 2
    assert 'line 2: found "NA" in column `c`' in refused.stderr
    ranking = osc.rank("three.csv", missing="drop")
    assert sorted(score.system for score in ranking.scores) == ["a", "b", "c"]


def test_rows_that_no_system_has_are_counted_in_a_wide_table_too(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("both.csv").write_text("id,new,old\n" + "".join(f"q{i},{i % 2},{i % 3 % 2}\n" for i in range(20)) + "x,,\ny,,\nz,1,\n")
    found = osc.compare("both.csv", missing="drop")
    assert (found.n, found.reading.rows, found.reading.left_out) == (20, 23, 2)


@pytest.mark.parametrize("command", ["rank", "score"])
def test_a_system_without_any_score_is_named(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [f"q{i},{name},{'NA' if name == 'c' else i % 2}\n" for name in "abc" for i in range(20)]
    Path("long.csv").write_text("id,model,score\n" + "".join(rows))
    refused = run(command, "long.csv", "--missing", "drop")
    assert refused.exit_code == 2
    assert "`c` has no score at all. Name the systems that have some" in refused.stderr


GOLD = list("abc" * 10)
ANSWERS = {"new": [*GOLD[:24], *"zzzzzz"], "old": ["z" if i % 3 == 0 else right for i, right in enumerate(GOLD)]}
UNKNOWN = (4, 9, 28)
"""Places of items without a right answer."""


def answers(form: str, *, ids: bool = True) -> list[object]:
    """A table with both systems, a long one, or a data frame, in which three items have no right answer."""
    gold = [None if i in UNKNOWN else right for i, right in enumerate(GOLD)]
    places = {"id": [f"q{i}" for i in range(30)]} if ids else {}
    wide = pl.DataFrame({**places, "gold": gold, **ANSWERS})
    if form in ("frame", "wide"):
        wide.write_csv("wide.csv")
        return [wide] if form == "frame" else ["wide.csv"]
    for name, given in ANSWERS.items():
        pl.DataFrame({**places, "gold": gold, "prediction": given}).write_ndjson(f"{name}.jsonl")
    return [f"{name}.jsonl" for name in ANSWERS]


@pytest.mark.parametrize("form", ["wide", "frame", "files"])
def test_rows_without_a_right_answer_are_left_out_where_that_is_asked(form, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    given = answers(form)
    with pytest.raises(OutscoreError, match="found nothing in column `gold`, expected a label") as caught:
        osc.compare(*given)
    assert "--missing drop" in caught.value.hint
    known = [i for i in range(30) if i not in UNKNOWN]
    right = {name: [int(list_[i] == GOLD[i]) for i in known] for name, list_ in ANSWERS.items()}
    found, expected = osc.compare(*given, missing="drop"), osc.compare(right["new"], right["old"])
    assert (found.n, found.p.value, found.difference) == (27, expected.p.value, expected.difference)
    assert found.reading.left_out == 3 * len(given)
    both = given if form == "files" else given[0]
    for scored in (osc.score(both, missing="drop").systems, osc.rank(both, missing="drop").scores):
        values = {one.system: one.value for one in scored}
        assert values == {name: pytest.approx(np.mean(list_)) for name, list_ in right.items()}


@pytest.mark.parametrize("form", ["wide", "frame"])
def test_items_without_ids_keep_their_places(form, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = osc.compare(*answers(form, ids=False), missing="drop")
    assert found.n == 27
    assert found.deciding_items[0].item not in {str(place + 1) for place in UNKNOWN}


def test_arrays_name_the_way_to_leave_rows_out():
    """The option is about rows of tables; the refusal of a number that is missing names what takes it."""
    new, old = [1, float("nan"), 0, 1], [0, 1, 1, 0]
    for ask in (osc.compare, lambda *both, **more: osc.rank(dict(zip("ab", both, strict=True)), **more)):
        with pytest.raises(OutscoreError) as refused:
            ask(new, old, missing="drop")
        assert refused.value.parameter == "missing"
    with pytest.raises(OutscoreError, match="nan at row 2") as refused:
        osc.compare(new, old)
    assert 'missing="drop"' in refused.value.hint
    assert osc.compare(pl.DataFrame({"new": [1, None, 0, 1], "old": old}), missing="drop").n == 3


def test_a_long_data_frame_without_a_score_is_read_as_a_file_is():
    rows = {"id": [*range(20)] * 2, "model": ["new"] * 20 + ["old"] * 20, "score": [None, *NEW[1:20], *OLD[:20]]}
    found = osc.compare(pl.DataFrame(rows), missing="drop")
    assert (found.n, found.reading.left_out) == (19, 1)
    assert found.p.value == osc.compare(NEW[1:20], OLD[1:20]).p.value


def test_a_word_that_is_none_of_the_choices_is_refused(tmp_path):
    path = tmp_path / "both.csv"
    path.write_text("id,new,old\n" + "".join(f"q{i},{i % 2},{i % 3 % 2}\n" for i in range(9)))
    with pytest.raises(OutscoreError, match=r"`missing` is 'maybe'\. Choose one of: stop, drop, zero") as refused:
        osc.compare(path, missing="maybe")
    assert refused.value.parameter == "missing"
