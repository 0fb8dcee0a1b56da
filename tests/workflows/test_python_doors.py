"""What Python callers hand over besides files: arrays, scores that were read, lists of segments, labels."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import outscore as osc
from outscore.core.errors import OutscoreError
from outscore.scores.system import Labels, Scores

A, B = [1, 1, 0, 1, 1, 1, 0, 1], [0, 1, 0, 0, 1, 0, 0, 1]
REFERENCE = ["the cat sat on the mat", "it was late", "we go home now", "a dog ran home"]
NEW, OLD = [*REFERENCE[:3], "a dog ran"], [line.split()[0] for line in REFERENCE]
GOLD, FIRST, SECOND = list("ABAB"), list("ABAA"), list("BBAB")


class TestCompare:
    def test_slices_come_alone_by_column_or_with_the_scores(self):
        labels = list("xxxxyyyy")
        alone, named = osc.compare(A, B, slices=labels), osc.compare(A, B, slices={"topic": labels})
        assert [c.slice.column for c in alone.comparisons[1:]] == ["slice", "slice"]
        assert [(c.slice.column, c.slice.value) for c in named.comparisons[1:]] == [("topic", "x"), ("topic", "y")]
        ids = Labels.of(range(8))
        read = [Scores(name, np.array(x), ids, slices={"topic": Labels.of(labels)}) for name, x in (("a", A), ("b", B))]
        found = osc.compare(*read, slices="topic")
        assert [c.p.adjusted for c in found.comparisons[1:]] == [c.p.adjusted for c in named.comparisons[1:]]
        assert found.comparisons[0].systems == ("a", "b")

    @pytest.mark.parametrize(
        ("asked", "message"),
        [
            ({"slices": ["x"]}, "`slice` has shape .1,., the scores have 8 rows."),
            ({"weights": [1, 2]}, "`weight` has shape .2,., the scores have 8 rows."),
            ({"slices": {"a": A, "b": B}}, "`slices` names 2 columns."),
            ({"slices": "topic"}, "The scores of `A` have no slice column `topic`."),
            ({"systems": ["a", "b"]}, "`systems` is for files"),
            ({"score": "s"}, "`score` is for files"),
            ({"reader": "csv"}, "`reader` is for files"),
        ],
    )
    def test_what_arrays_cannot_serve_is_refused(self, asked, message):
        with pytest.raises(OutscoreError, match=message):
            osc.compare(A, B, **asked)

    @pytest.mark.parametrize(
        "same",
        [
            [1, 2, 1, 2],
            [1.5, 2.5, 1.5, 2.5],
            (True, False, True, False),
            np.array(["x", "y", "x", "y"], dtype=object),
            [b"x", 1] * 2,
        ],
        ids=str,
    )
    def test_labels_of_any_type(self, same):
        """Items in order of appearance, and their repeats, are told by whatever labels are equal."""
        found = osc.compare(A[:4], B[:4], items=same, clusters=same)
        assert (found.n, found.clusters, found.design.repeats) == (2, 2, 2.0)
        assert found.difference == osc.compare(A[:4], B[:4], items=["x", "y", "x", "y"]).difference

    @pytest.mark.parametrize(
        ("given", "message"),
        [
            ((A,), "`b` was not given. Give one score per item"),
            ((A, 0.5), "`b` is 0.5, which is not a list of scores."),
            (({"f1": 0.5, "em": 0.4}, {"f1": 0.6, "em": 0.4}), "The two dictionaries have 4 entries, but two systems"),
            (((x for x in A), B), r"`a` is <generator.*\. Make a list of it: `list\(scores\)`"),
            ((dict(enumerate(A)).values(), B), r"`a` is dict_values.* Make a list of it"),
            (({"new": {"q1": 1, "q2": "?"}, "old": [1, 0]},), r"Make a list of its values: `list\(scores.values\(\)\)`"),
        ],
    )
    def test_what_is_no_list_is_named(self, given, message):
        with pytest.raises(OutscoreError, match=message):
            osc.compare(*given)

    def test_files_name_columns(self, tmp_path):
        path = tmp_path / "t.csv"
        path.write_text("id,new,old\n" + "".join(f"q{i},{a},{b}\n" for i, (a, b) in enumerate(zip(A, B, strict=True))))
        found = osc.compare(path, items="id", systems=["old", "new"])
        assert found.systems == ("old", "new")
        assert found.difference == -osc.compare(A, B).difference
        for asked in ({"items": A}, {"labels": ["x"] * 8}, {"slices": A}):
            with pytest.raises(OutscoreError):
                osc.compare(path, **asked)
        with pytest.raises(OutscoreError, match="One of `a` and `b` is a file"):
            osc.compare(path, B)


class TestRank:
    def test_texts_in_lists_equal_texts_in_files(self, tmp_path):
        texts = {"new": NEW, "old": OLD}
        for name, lines in {**texts, "ref": REFERENCE, "docs": list("xxyy")}.items():
            Path(tmp_path, f"{name}.txt").write_text("\n".join(lines) + "\n")
        paths = {name: tmp_path / f"{name}.txt" for name in texts}
        for asked in ({}, {"documents": list("xxyy")}):
            listed = osc.rank(texts, reference=REFERENCE, metric="wer", **asked)
            given = {"documents": tmp_path / "docs.txt"} if asked else {}
            read = osc.rank(paths, reference=tmp_path / "ref.txt", metric="wer", **given)
            assert listed.pairs == read.pairs
            assert listed.scores == read.scores
        assert len(read.settings["inputs"]) == 4
        several = osc.rank(texts, reference=[REFERENCE, NEW], metric="bleu")
        assert "nrefs:2" in str(several.notes)

    def test_outputs_in_lists(self):
        found = osc.rank({"first": FIRST, "second": SECOND}, gold=GOLD, task="label")
        assert {score.system: score.value for score in found.scores} == {"first": 0.75, "second": 0.75}

    @pytest.mark.parametrize(
        ("scores", "asked", "message"),
        [
            ({"a": NEW, "b": OLD}, {"reference": REFERENCE, "items": A}, "`items` is for scores, not for texts."),
            ([NEW, OLD], {"reference": REFERENCE}, "texts of two or more systems were expected"),
            ({"a": FIRST, "b": SECOND}, {"gold": GOLD}, "--gold is given without --task."),
            ({"a": NEW, "b": OLD}, {"reference": REFERENCE, "gold": GOLD, "task": "label"}, "--gold is for outputs"),
            ({"a": A, "b": B}, {"metric": "bleu"}, "`bleu` is a metric for texts"),
        ],
    )
    def test_what_does_not_fit_together_is_refused(self, scores, asked, message):
        with pytest.raises(OutscoreError, match=message):
            osc.rank(scores, **asked)

    @pytest.mark.parametrize("keyword", ["items", "clusters", "weights", "slices"])
    def test_labels_of_rows_are_for_scores(self, keyword):
        labels = {keyword: ["q1"] * len(FIRST)}
        with pytest.raises(OutscoreError, match=f"`{keyword}` is for scores, not for outputs."):
            osc.rank({"a": FIRST, "b": SECOND}, gold=GOLD, task="label", **labels)
        with pytest.raises(OutscoreError, match=f"`{keyword}` is for scores, not for texts."):
            osc.rank({"a": NEW, "b": OLD}, reference=REFERENCE, **labels)
        with pytest.raises(OutscoreError, match=f"`{keyword}` is for scores, not for texts."):
            osc.score(["a text", "another"], reference=["a text", "another one"], **labels)

    @pytest.mark.parametrize("keyword", ["items", "clusters", "dataset", "weights", "slices"])
    @pytest.mark.parametrize("labels", [np.array(["q1", "q2"]), ["q1", "q2"]], ids=["array", "list"])
    def test_a_table_has_columns_instead_of_labels(self, keyword, labels):
        table = {"id": ["q1", "q2"], "new": [1, 1], "old": [0, 1]}
        with pytest.raises(OutscoreError, match=f"`{keyword}` is not the name of a column") as refused:
            osc.rank(pl.DataFrame(table), **{keyword: labels})
        assert refused.value.parameter == keyword.removesuffix("s")


class TestPlan:
    def test_a_pilot_of_arrays_equals_one_of_files(self, tmp_path):
        for name, values in (("a", A), ("b", B)):
            Path(tmp_path, f"{name}.txt").write_text("".join(f"{x}\n" for x in values))
        arrays = osc.plan(effect=0.1, pilot=(A, B))
        files = osc.plan(effect=0.1, pilot=[tmp_path / "a.txt", tmp_path / "b.txt"])
        assert (arrays.items, arrays.notes) == (files.items, files.notes)
        assert osc.plan(effect=0.1, pilot=(A, B), clusters=list("aabbccdd")).design.cluster_size == 2

    def test_a_test_is_tried_on_samples_like_the_pilot(self):
        steps = osc.plan(effect=0.1, pilot=(A, B), retrospective=True, replicates=2)
        assert [curve.test for curve in steps.retrospective] == ["permutation"]

    @pytest.mark.parametrize(
        ("asked", "message"),
        [
            ({"pilot": (A, B), "sd": 1.0}, "--sd is estimated from the pilot"),
            ({"pilot": 5, "effect": 0.1}, "`pilot` is a int."),
            ({"pilot": [A], "effect": 0.1}, "`pilot` is a list."),
            ({"scores": (0.8, 0.7)}, "without the number of items"),
            ({}, "There is nothing to plan from."),
        ],
    )
    def test_what_cannot_be_asked_is_refused(self, asked, message):
        with pytest.raises(OutscoreError, match=message):
            osc.plan(**asked)


def test_everything_returned_is_public():
    for name in ("Scores", "Outputs", "PlanResult", "PossibleP", "TestResult", "Effect", "Family", "Note"):
        assert name in osc.__all__
        assert getattr(osc, name) is not None


RIGHT, OTHER = [1, 0, 1, 1, 0, 1, 1, 1] * 5, [0, 0, 1, 1, 0, 1, 0, 1] * 5


class TestDictionaries:
    """A dictionary names systems, or columns of battles, wherever one is taken."""

    @pytest.mark.parametrize("given", [({"new": RIGHT, "old": OTHER},), ({"new": RIGHT}, {"old": np.array(OTHER)})])
    @pytest.mark.parametrize("unpaired", [False, True])
    def test_a_comparison(self, given, unpaired):
        found = osc.compare(*given, unpaired=unpaired)
        expected = osc.compare(RIGHT, OTHER, names=("new", "old"), unpaired=unpaired)
        assert (found.systems, found.p, found.verdict) == (expected.systems, expected.p, expected.verdict)

    def test_given_names_win(self):
        assert osc.compare({"x": RIGHT, "y": OTHER}, names=("new", "old")).systems == ("new", "old")

    @pytest.mark.parametrize("given", [({"old": OTHER, "new": RIGHT},), ({"old": OTHER}, {"new": RIGHT})])
    def test_a_gate(self, given):
        found, expected = osc.gate(*given, margin=0.02), osc.gate(OTHER, RIGHT, margin=0.02)
        assert (found.outcome, found.comparison.p) == (expected.outcome, expected.comparison.p)
        assert found.comparison.systems == ("new", "old")

    @pytest.mark.parametrize("door", [osc.compare, lambda *both: osc.gate(*both, margin=0.02)])
    @pytest.mark.parametrize(
        ("given", "said"),
        [
            (({"a": RIGHT, "b": OTHER, "c": OTHER},), "The dictionary has 3 entries, but two systems are compared"),
            (({"a": RIGHT},), "The dictionary has 1 entry, but two systems are compared"),
            (({"q1": 1, "q2": 0}, {"q3": 1, "q4": 1}), "no item in common"),
            (({"q1": 1, "q2": float("nan")}, {"q1": 1, "q2": 1}), "`A` is nan at row 2"),
            (({"a": RIGHT, "b": OTHER}, {}), "but two systems are compared"),
            (({"a": RIGHT}, OTHER), "One of the two systems is in a dictionary and the other is not"),
            (({"a": RIGHT}, {"a": OTHER}), "Both systems are named `a`"),
            ((["x", "y"], ["x", "z"]), "contains text, not numbers"),
            ((object(), object()), "is not a list of scores"),
        ],
    )
    def test_what_is_refused(self, door, given, said):
        with pytest.raises(OutscoreError, match=said):
            door(*given)

    def test_single_numbers_are_those_of_items(self, tmp_path):
        """As in files that name the items: matched by these, and what only one has is left out."""
        first = {f"q{i}": x for i, x in enumerate(RIGHT)}
        second = {f"q{i}": np.bool_(x) for i, x in reversed(list(enumerate(OTHER)))} | {"more": 1}
        for name, scores in (("new", first), ("old", second)):
            (tmp_path / f"{name}.csv").write_text("id,score\n" + "".join(f"{i},{int(x)}\n" for i, x in scores.items()))
        paths = [tmp_path / "new.csv", tmp_path / "old.csv"]
        expected = osc.compare(*paths)
        for given in ((first, second), ({"new": first, "old": second},), ({"new": first}, {"old": second})):
            found = osc.compare(*given)
            assert (found.difference, found.p, found.n) == (expected.difference, expected.p, 40)
            assert found.systems == (("A", "B") if len(given) == 2 and "q1" in given[0] else ("new", "old"))
            assert found.alignment == expected.alignment
        assert osc.gate(second, first, margin=0.1).comparison.p == osc.gate(paths[1], paths[0], margin=0.1).comparison.p
        assert osc.rank({"new": first, "old": second}).scores == osc.rank(paths).scores
        assert osc.score(second, names=["old"]).systems[0].value == osc.score(paths[1]).systems[0].value
        assert osc.score(second, names=["old"]).systems[0].n == 41

    def test_battles(self):
        columns = {"model_a": ["new", "old", "new"], "model_b": ["old", "new", "old"], "winner": ["model_a", "model_b", "tie"]}
        found, expected = osc.prefer(columns), osc.prefer(pl.DataFrame(columns))
        assert (found.verdict, found.pairs) == (expected.verdict, expected.pairs)
        arrays = {name: np.array(values) for name, values in columns.items()}
        assert osc.prefer(arrays).verdict == found.verdict

    @pytest.mark.parametrize(
        "columns", [{"model_a": ["x"], "model_b": ["y", "x"], "winner": ["tie"]}, {"model_a": "x"}, {"a": 5}]
    )
    def test_what_are_no_columns(self, columns):
        with pytest.raises(OutscoreError, match="a dictionary, but not of columns of the same length"):
            osc.prefer(columns)


@pytest.mark.parametrize("scalar", [np.float64, np.float32])
def test_numbers_of_numpy_give_the_same_plan(scalar):
    spread = np.std(np.array(RIGHT))
    assert osc.plan(effect=0.1, sd=spread).to_dict() == osc.plan(effect=0.1, sd=float(spread)).to_dict()
    share = scalar(0.25)
    assert osc.plan(effect=scalar(0.125), discordance=share).to_dict() == osc.plan(effect=0.125, discordance=0.25).to_dict()
    plain = osc.compare(RIGHT, OTHER, alpha=0.0625, test="bootstrap", seed=3, margin=0.125)
    given = osc.compare(RIGHT, OTHER, alpha=scalar(0.0625), test="bootstrap", seed=np.int64(3), margin=scalar(0.125))
    assert given.to_dict() == plain.to_dict()


class TestMarginsAndRanges:
    """What is no number, and no two numbers, is refused in a sentence."""

    @pytest.mark.parametrize("door", [osc.compare, osc.gate])
    @pytest.mark.parametrize("margin", [True, np.bool_(True), "x", -1, [0.1], float("nan")])
    def test_a_margin_is_a_number(self, door, margin):
        with pytest.raises(OutscoreError, match=r"^`margin` is .+ Give a (finite|positive) number"):
            door(RIGHT, OTHER, margin=margin)

    @pytest.mark.parametrize("door", [osc.compare, osc.gate])
    @pytest.mark.parametrize("bounds", [[0], (1, 0), "01", 5, (0, 0.5, 1), (0, True), (0, None), (0, float("inf")), [[0, 1]]])
    def test_a_range_is_two_numbers(self, door, bounds):
        with pytest.raises(OutscoreError, match=r"^`bounds` (is|has) .+ Give (a finite number|the smallest and the largest)"):
            door(RIGHT, OTHER, margin=0.1, bounds=bounds)

    @pytest.mark.parametrize("bounds", [[0], 5, "01", (0, 1, 2), (0, True), (0, float("nan")), (1, 0)])
    def test_of_a_stream_too(self, bounds):
        with pytest.raises(OutscoreError, match=r"^`bounds` is .+ Give the smallest and the largest"):
            osc.Anytime(bounds=bounds)
