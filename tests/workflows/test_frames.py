"""Series and dataframes in place of arrays and files: matched by their labels, read as tables are."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from tests.variants import a_few

import outscore as osc
from outscore.core.errors import OutscoreError

pd = pytest.importorskip("pandas")

RNG = np.random.default_rng(4)
LABELS = [f"q{i}" for i in range(120)]
RIGHT = (RNG.random((120, 2)) < [0.8, 0.6]).astype(int)
TOPIC = np.array(["x", "y", "z"])[np.arange(120) % 3]
WIDE = pd.DataFrame({"new": RIGHT[:, 0], "old": RIGHT[:, 1], "topic": TOPIC}, index=LABELS)
SHUFFLED = WIDE.sample(frac=1, random_state=1)


def plain(**more):
    return osc.compare(RIGHT[:, 0], RIGHT[:, 1], **more)


def test_series_in_another_order_are_matched_by_their_labels():
    found = osc.compare(WIDE.new, SHUFFLED.old)
    assert found.p.value == plain().p.value
    assert any("by their index labels" in note.text for note in found.notes)
    assert not any("index labels" in note.text for note in osc.compare(WIDE.new, WIDE.old).notes)
    assert osc.permutation_test(WIDE.new, SHUFFLED.old).value == plain().p.value


def test_labels_of_rows_follow_the_scores():
    by_topic = osc.compare(WIDE.new, SHUFFLED.old, clusters=SHUFFLED.topic, slices={"topic": SHUFFLED.topic})
    wanted = plain(clusters=TOPIC, slices={"topic": TOPIC})
    assert [c.p.value for c in by_topic.comparisons] == [c.p.value for c in wanted.comparisons]


def test_series_of_other_labels_are_refused():
    with pytest.raises(osc.OutscoreError, match="only one of them has the label 'q0'"):
        osc.compare(WIDE.new, WIDE.old.iloc[1:])
    with pytest.raises(osc.OutscoreError, match="has repeated labels: rows cannot be matched"):
        osc.compare(WIDE.new, WIDE.old.set_axis(["same"] * 120))


def test_a_series_beside_an_array_is_paired_by_position():
    assert osc.compare(SHUFFLED.new, SHUFFLED.old.to_numpy()).p.value == plain().p.value


def test_rank_matches_series_by_their_labels():
    found = osc.rank({"new": WIDE.new, "old": SHUFFLED.old}, dataset=SHUFFLED.topic)
    wanted = osc.rank({"new": RIGHT[:, 0], "old": RIGHT[:, 1]}, dataset=TOPIC)
    assert found.pairs[0].p == wanted.pairs[0].p
    with pytest.raises(osc.OutscoreError, match="only one of them has the label"):
        osc.rank({"new": WIDE.new, "old": WIDE.old.rename(lambda label: label.upper())})


LONG = pd.DataFrame({"system": ["new"] * 120 + ["old"] * 120, "correct": RIGHT.T.ravel()}, index=LABELS * 2)


@pytest.mark.parametrize(
    "table",
    [
        LONG.rename_axis("id"),
        LONG,
        LONG.rename_axis("id").iloc[::-1],
        LONG.rename_axis("id").reset_index().set_index(["system", "id"]),
        LONG.rename_axis("id").set_index("system", append=True),
    ],
)
def test_the_index_of_a_dataframe_is_read_as_its_file_has_it(table, tmp_path):
    table.to_csv(tmp_path / "long.csv")
    of_file, of_frame = (osc.compare(data, systems=["new", "old"]) for data in (tmp_path / "long.csv", table))
    assert of_frame.p.value == of_file.p.value == plain().p.value
    assert of_frame.reading.item == of_file.reading.item


def test_an_index_of_counted_rows_names_no_items():
    for table in (LONG.reset_index(drop=True), LONG.reset_index(drop=True).sample(frac=1, random_state=2)):
        with pytest.raises(osc.OutscoreError, match="has no item column among `system` and `correct`"):
            osc.compare(table)


def test_diff_and_confusion_match_series_by_their_labels():
    gold, answers = pd.Series(list("aabb") * 5), pd.Series(list("abbb") * 5)
    shuffled = answers.sample(frac=1, random_state=3)
    assert list(shuffled) != list(answers)
    found = osc.diff(gold, {"x": shuffled, "y": gold}, task="label")
    wanted = osc.diff(list(gold), {"x": list(answers), "y": list(gold)}, task="label")
    assert found.scores == wanted.scores
    assert any("x had a different order from gold" in note.text for note in found.notes)
    assert not any("another order" in note.text for note in osc.diff(gold, answers, task="label").notes)
    ranked = osc.rank({"x": shuffled, "y": gold}, gold=gold, task="label")
    assert [(one.system, one.value) for one in ranked.scores] == [("y", 1.0), ("x", 0.75)]
    counts = osc.confusion(gold, shuffled, positive="a")
    assert counts.tolist() == osc.confusion(list(gold), list(answers), positive="a").tolist()
    other = answers.rename(lambda label: label + 1)
    with pytest.raises(osc.OutscoreError, match="The index of `x` differs from that of gold: only one of them has the label 0"):
        osc.diff(gold, {"x": other}, task="label")
    with pytest.raises(osc.OutscoreError, match="The index of `predicted` differs from that of `gold`"):
        osc.confusion(gold, other, positive="a")


def tables():
    wide = {"id": LABELS, "new": RIGHT[:, 0], "old": RIGHT[:, 1], "task": TOPIC}
    long = {"id": LABELS * 2, "model": ["new"] * 120 + ["old"] * 120, "score": [*RIGHT[:, 0], *RIGHT[:, 1]]}
    for columns in (wide, long):
        yield pd.DataFrame(columns)
        yield pl.DataFrame(columns)
        yield pl.DataFrame(columns).lazy()


@pytest.mark.parametrize("table", a_few(list(tables()), 3), ids=lambda table: f"{type(table).__module__.partition('.')[0]}")
def test_compare_and_rank_take_a_dataframe(table):
    assert osc.compare(table).p.value == plain().p.value
    assert osc.compare(table).systems == ("new", "old")
    assert osc.rank(table).pairs[0].p.value == pytest.approx(plain().p.value, rel=1e-13)
    assert osc.compare(table, systems=["old", "new"]).difference == -plain().difference


def test_a_dataframe_and_its_file_are_compared_alike(tmp_path):
    table = next(tables())
    table.to_csv(tmp_path / "both.csv", index=False)
    asked = {"slices": "task", "clusters": "task", "names": ("N", "O")}
    from_file, from_table = osc.compare(tmp_path / "both.csv", **asked), osc.compare(table, **asked)
    assert [c.p for c in from_file.comparisons] == [c.p for c in from_table.comparisons]
    assert from_table.comparisons[0].reading.item == ["id"]
    assert osc.compare(str(Path(tmp_path, "both.csv"))).p == osc.compare(table).p


def test_two_dataframes_are_a_system_each():
    one = pd.DataFrame({"id": LABELS, "wer": RIGHT[:, 0] / 2})
    other = pd.DataFrame({"id": LABELS[::-1], "wer": RIGHT[::-1, 1] / 2})
    found = osc.compare(one, other)
    assert found.p.value == plain().p.value
    assert found.systems == ("A", "B")
    assert not found.higher_is_better
    assert found.reading.direction_source == "column"


def test_dataframes_of_counts_are_counts():
    counts = pd.DataFrame({"fn": RIGHT[:, 1], "tp": RIGHT[:, 0], "fp": 1 - RIGHT[:, 0]})
    others = counts.assign(tp=RIGHT[:, 1])
    found = osc.compare(counts, others.iloc[::-1], metric="f1")
    wanted = osc.compare(*(table[["tp", "fp", "fn"]].to_numpy() for table in (counts, others)), metric="f1")
    assert found.p.value == wanted.p.value


def test_what_is_wrong_with_a_table_is_said_in_one_sentence():
    with pytest.raises(osc.OutscoreError, match="no system `older`"):
        osc.compare(next(tables()), systems=["new", "older"])
    with pytest.raises(osc.OutscoreError, match="`items` is not the name of a column"):
        osc.compare(next(tables()), items=LABELS)
    with pytest.raises(osc.OutscoreError, match="`score` is for files"):
        osc.rank({"new": RIGHT[:, 0], "old": RIGHT[:, 1]}, score="x")


def test_answers_in_dataframes_are_scored_as_those_of_files_are(tmp_path):
    frames = [pd.DataFrame({"id": range(30), "gold": [0, 1, 2] * 10, "pred": pred * 10}) for pred in ([0, 1, 1], [2, 1, 2])]
    for name, frame in zip("ab", frames, strict=True):
        frame.to_csv(tmp_path / f"{name}.csv", index=False)
    wanted = osc.compare(tmp_path / "a.csv", tmp_path / "b.csv")
    found = osc.compare(*frames)
    assert (found.difference, found.p.value) == (wanted.difference, wanted.p.value)
    wide = frames[0].rename(columns={"pred": "a"}).assign(b=frames[1].pred)
    assert [one.value for one in osc.rank(wide).scores] == pytest.approx([2 / 3, 2 / 3])


def test_a_table_that_cannot_be_collected_is_refused():
    broken = pl.LazyFrame({"a": [1, 2], "b": [0, 1]}).with_columns(pl.col("absent"))
    for ask in (osc.compare, osc.rank):
        with pytest.raises(OutscoreError, match="could not be collected: unable to find column"):
            ask(broken)


def test_words_that_judge_answers_are_scores():
    new, old = pd.Series(["yes", "no"] * 10), pd.Series(["no", "no"] * 10)
    assert osc.compare(new, old).scores[0].value == 0.5
    with pytest.raises(OutscoreError, match="not numbers"):
        osc.compare(pd.Series(["yes", "perhaps"] * 10), old)


def test_masked_entries_are_refused_and_a_mask_of_nothing_is_none():
    old = np.arange(20) % 2
    with pytest.raises(OutscoreError, match="`a` has masked entries"):
        osc.compare(np.ma.masked_equal(np.arange(20), 3), old)
    assert osc.compare(np.ma.array(np.arange(20), mask=False), old) == osc.compare(np.arange(20), old)


def test_columns_of_the_same_name_are_refused_where_they_are_needed():
    twice = pd.DataFrame([[0, 1, 0, 1], [1, 0, 1, 1]] * 10, columns=["id", "new", "new", "old"])
    twice["id"] = range(20)
    asked = [lambda: osc.compare(twice), lambda: osc.rank(twice), lambda: osc.compare(twice["new"], twice["old"])]
    for ask in [*asked, lambda: osc.score(twice["new"]), lambda: osc.gate(twice["old"], twice["new"], margin=0.1)]:
        with pytest.raises(OutscoreError, match="The table has two columns named `new`"):
            ask()
    other = twice.assign(old=0)
    assert osc.compare(twice, other, items="id", score="old").difference == 1


class TestASearchOfScikitLearn:
    """Its table has a row for each setting, and names beside the scores that would be systems."""

    FOUND = {  # noqa: RUF012 - read only
        "mean_fit_time": [0.1, 0.2],
        "param_C": [1.0, 10.0],
        "params": ["{'C': 1}", "{'C': 10}"],
        "split0_test_score": [0.7, 0.8],
        "mean_test_score": [0.7, 0.8],
    }

    @pytest.mark.parametrize("ask", [osc.compare, osc.rank, osc.score])
    def test_it_is_refused(self, ask, tmp_path):
        pd.DataFrame(self.FOUND).to_csv(tmp_path / "cv.csv", index=False)
        for given in (pd.DataFrame(self.FOUND), tmp_path / "cv.csv", *([] if ask is osc.compare else [self.FOUND])):
            with pytest.raises(OutscoreError, match="`cv_results_` of a search by scikit-learn"):
                ask(given)
        with pytest.raises(OutscoreError, match="`cv_results_` of a search by scikit-learn"):
            osc.show(tmp_path / "cv.csv")

    def test_the_cure_runs(self):
        linear, selection = pytest.importorskip("sklearn.linear_model"), pytest.importorskip("sklearn.model_selection")
        x = np.random.default_rng(0).normal(size=(60, 3))
        y = x[:, 0] > 0
        models = {str(c): linear.LogisticRegression(C=c) for c in (0.01, 1)}
        with pytest.raises(OutscoreError) as refused:
            osc.rank(self.FOUND)
        cure = refused.value.hint.split("`")[1]
        known = {"osc": osc, "models": models, "X": x, "y": y, "cross_val_predict": selection.cross_val_predict}
        assert eval(cure, known).systems  # noqa: S307 - the text of a hint
