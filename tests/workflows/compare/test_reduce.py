"""`--reduce` and `--equal-runs` from request to report, in `compare` and `rank`, with the numbers of real data."""

from __future__ import annotations

import json

import numpy as np
import pytest
from tests.variants import a_few

import outscore as osc
from outscore.core.errors import OutscoreError
from outscore.workflows.compare.run import run
from outscore.workflows.requests.compare import CompareRequest

GPQA = {
    "mean": (0.675758, 0.617172, 0.0395408),
    "pass@1": (0.675758, 0.617172, 0.0395408),
    "pass@2": (0.762121, 0.696465, 0.0205681),
    "pass@3": (0.802525, 0.739394, 0.0266445),
    "pass@4": (0.826263, 0.769697, None),
    "pass@5": (0.843434, 0.792929, 0.121449),
    "pass^2": (0.589394, 0.537879, 0.110957),
    "pass^5": (0.494949, 0.459596, 0.418754),
    "majority": (0.691919, 0.606061, 0.0270083),
}
BIGCODEBENCH = {
    "mean": (0.63, 0.46, 0.00250244),
    "pass@2": (0.86, 0.705, 0.0131836),
    "pass@3": (0.965, 0.83, None),
    "pass@5": (1, 0.95, None),
    "pass^2": (0.4, 0.215, None),
}
INSPECT = {
    "mean": (0.766667, 0.6, 0.0872803),
    "pass@2": (0.933333, 0.8, 0.125),
    "pass@3": (1, 0.85, None),
    "pass^2": (0.6, 0.4, None),
    "pass^3": (0.5, 0.25, None),
}


def written(path, runs: dict[str, dict[str, list[int]]], answers=None) -> str:
    lines = ["item,model,epoch,correct"]
    for model, items in runs.items():
        lines += [f"{item},{model},{k + 1},{x}" for item, values in items.items() for k, x in enumerate(values)]
    path.write_text("\n".join(lines) + "\n")
    return str(path)


def table(seed: int = 1, n: int = 30, runs: int = 4) -> dict[str, dict[str, list[int]]]:
    rng = np.random.default_rng(seed)
    rates = rng.random(n)
    return {
        name: {f"q{i}": (rng.random(runs) < min(1, rates[i] + lead)).astype(int).tolist() for i in range(n)}
        for name, lead in (("new", 0.2), ("old", 0.0), ("mid", 0.1))
    }


def check_numbers(found, expected) -> None:
    a, b, p = expected
    assert [score.value for score in found.scores] == pytest.approx([a, b], abs=5e-7)
    assert found.p.exact
    if p is not None:
        assert found.p.value == pytest.approx(p, rel=5e-6)


@pytest.mark.parametrize("reduce", a_few(GPQA, 3))
def test_gpqa(shared_data, reduce):
    check_numbers(osc.compare(str(shared_data / "llm-scores" / "gpqa-diamond.csv"), reduce=reduce), GPQA[reduce])


@pytest.mark.parametrize("reduce", BIGCODEBENCH)
def test_bigcodebench(shared_data, reduce):
    check_numbers(osc.compare(str(shared_data / "harness-logs" / "bigcodebench"), reduce=reduce), BIGCODEBENCH[reduce])


@pytest.mark.parametrize("reduce", INSPECT)
def test_inspect(shared_data, reduce):
    folder = str(shared_data / "harness-logs" / "inspect" / "epochs")
    check_numbers(osc.compare(folder, metric="includes", reduce=reduce), INSPECT[reduce])


def test_aime_in_a_ranking(shared_data):
    path = str(shared_data / "llm-scores" / "aime-2025-II.csv")
    for reduce, first, second in (("pass@2", 0.988889, 0.866667), ("pass@4", 1, 0.933333), ("pass^4", 0.8, 0.533333)):
        own = {score.system: score.value for score in osc.rank(path, reduce=reduce).scores}
        assert (own["o3-mini (high)"], own["DeepSeek-R1"]) == pytest.approx((first, second), abs=5e-7)


def test_everything_that_is_said_of_it(tmp_path):
    path = written(tmp_path / "runs.csv", table())
    found = osc.compare(path, systems=["new", "old"], reduce="pass@2")
    assert (found.metric, found.design.reduced, found.design.repeat_kind) == ("pass@2", "pass@2", "epochs")
    assert "by pass@2 of 4 epochs of each item" in found.sentence
    assert "pass@2 0." in found.verdict
    assert "metric:pass@2" in str(found.signature)
    assert found.other_populations == []
    assert found.pictures.runs.score == "pass@"
    assert [point.k for point in found.pictures.runs.points] == [1, 2, 3, 4]
    assert found.pictures.runs.points[1].difference == pytest.approx(found.difference)
    assert "simultaneously for all K" in found.to_html()
    for text in (found.to_text(), found.to_markdown(), found.to_latex()):
        assert "pass@2" in text
    saved = json.loads(found.save(tmp_path / "found.json").read_text())
    assert saved["comparisons"][0]["metric"] == "pass@2"
    asked = CompareRequest.from_written({"files": path, "system": ["new", "old"], "reduce": "pass@2"})
    assert run(asked).settings["reduce"] == "pass@2"
    assert asked.words() == ["compare", "--system", "new", "--system", "old", "--reduce", "pass@2", path]
    assert osc.load(tmp_path / "found.json") == found
    power = osc.compare(path, systems=["new", "old"], reduce="pass^3")
    assert power.pictures.runs.score == "pass^"


def test_arrays_and_files_say_the_same(tmp_path):
    runs = table()
    path = written(tmp_path / "runs.csv", runs)
    a, b = (np.array([x for values in runs[name].values() for x in values]) for name in ("new", "old"))
    items = np.repeat(np.arange(30), 4)
    for reduce in ("pass@3", "max", "majority"):
        read = osc.compare(path, systems=["new", "old"], reduce=reduce)
        given = osc.compare(a, b, items=items, reduce=reduce)
        assert (given.p, given.difference) == (read.p, read.difference)
        ranked = osc.rank(path, reduce=reduce)
        (pair,) = (pair for pair in ranked.pairs if set(pair.systems) == {"new", "old"})
        assert pair.p.value == pytest.approx(read.p.value)
    assert (ranked.metric, ranked.design.reduced) == ("majority", "majority")
    assert "4 epochs each, reduced to majority" in ranked.sentence
    by_array = osc.rank({"new": a, "old": b}, items=items, reduce="max")
    assert by_array.pairs[0].p.value == pytest.approx(osc.compare(a, b, items=items, reduce="max").p.value)


def test_answers_vote(tmp_path):
    """Right answers that fewer than half of the runs give win where the wrong ones do not agree."""
    lines = ["item,model,epoch,prediction,gold"]
    for i in range(12):
        lines += [f"q{i},new,{k},{x},A" for k, x in enumerate(("A", "A", "B", "C", "D"))]
        lines += [f"q{i},old,{k},{x},A" for k, x in enumerate(("A", "A", "B", "B", "B"))]
    path = tmp_path / "answers.csv"
    path.write_text("\n".join(lines) + "\n")
    found = osc.compare(str(path), reduce="majority")
    assert [score.value for score in found.scores] == [1.0, 0.0]
    assert not any("No answers are known" in note.text for note in found.notes)
    mean = osc.compare(str(path))
    assert [score.value for score in mean.scores] == pytest.approx([0.4, 0.4])


def test_logs_vote_by_their_answers(shared_data):
    folder = str(shared_data / "harness-logs" / "inspect" / "epochs")
    found = osc.compare(folder, metric="includes", reduce="majority")
    assert not any("No answers are known" in note.text for note in found.notes)


def test_unequally_many_runs(tmp_path):
    runs = {name: dict(items) for name, items in table(n=20).items()}
    runs["old"] = {item: values[: 2 + i % 3] for i, (item, values) in enumerate(runs["old"].items())}
    path = written(tmp_path / "runs.csv", runs)
    found = osc.compare(path, systems=["new", "old"], reduce="pass@2")
    assert any("run unequally often" in note.text for note in found.notes)
    # Swaps of such scores are no exact test, whoever says so.
    assert (found.p.method, found.p.mid, found.interval.method) == ("asymptotic", None, "permutation inversion, asymptotic")
    assert "|method:asymptotic|" in str(found.signature)
    assert "exact" not in found.to_text().replace("exactly these items", "")
    pairs = osc.rank(path, reduce="pass@2").pairs
    assert {frozenset(pair.systems): pair.p.method for pair in pairs} == {
        frozenset(("new", "old")): "asymptotic",
        frozenset(("old", "mid")): "asymptotic",
        frozenset(("new", "mid")): "exact",
    }
    assert "|method:asymptotic|" in str(osc.rank(path).signature)
    with pytest.raises(OutscoreError, match="max over more runs is a different score"):
        osc.compare(path, systems=["new", "old"], reduce="max")
    with pytest.raises(OutscoreError, match="max over more runs is a different score"):
        osc.rank(path, reduce="max")
    cut = {name: {item: values[: len(runs["old"][item])] for item, values in runs[name].items()} for name in ("new", "old")}
    other = written(tmp_path / "cut.csv", cut)
    for reduce in ("max", "mean"):
        equal = osc.compare(path, systems=["new", "old"], reduce=reduce, equal_runs=True)
        assert equal.p == osc.compare(other, reduce=reduce).p
        assert any("rows were left out" in note.text for note in equal.notes)
    assert osc.rank(path, reduce="max", equal_runs=True).pairs


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"reduce": "pass@9"}, "has 4 runs of item `q0`, and pass@9 needs 9"),
        ({"reduce": "best"}, "`reduce` is 'best'"),
        ({"reduce": "pass@2", "metric": "sum"}, "compares means, but the metric is `sum`"),
        ({"reduce": "max", "population": "these-items"}, "these-items is not available: max is one score of all runs"),
        ({"reduce": "max", "repeats": "runs", "population": "items-and-runs"}, "max is one score of all runs"),
    ],
)
def test_refusals(tmp_path, given, sentence):
    path = written(tmp_path / "runs.csv", table())
    with pytest.raises(OutscoreError, match=sentence):
        osc.compare(path, systems=["new", "old"], **given)
    with pytest.raises(OutscoreError, match=sentence):
        osc.rank(path, **given)


@pytest.mark.parametrize("kind", ["epochs", "runs"])
@pytest.mark.parametrize("population", ["these-items", "items-and-runs"])
def test_cures_cure(tmp_path, population, kind):
    """What a refusal advises is taken."""
    path = written(tmp_path / "runs.csv", table(n=12))
    for ask, given in ((osc.compare, {"systems": ["new", "old"]}), (osc.rank, {})):
        with pytest.raises(OutscoreError, match="is one score of all runs of an item") as refusal:
            ask(path, reduce="majority", population=population, repeats=kind, **given)
        advice = refusal.value.hint
        assert advice.startswith("Write --reduce mean")
        cured = {"repeats": "runs"} if "--repeats runs" in advice else {"repeats": kind}
        assert ask(path, reduce="mean", population=population, **cured, **given).population == population


def test_every_question_has_its_line(tmp_path):
    """One score of all runs answers one question: it is asked in words, and why the others have no answer is told."""
    path = written(tmp_path / "runs.csv", table(n=12))
    text = " ".join(osc.compare(path, systems=["new", "old"], reduce="pass@2").to_text().split())
    assert "claims new items (would new and old differ on new items?): p = " in text
    why = "no answer, because pass@2 is one score for all runs of an item; --reduce mean gives one"
    draw = "would new runs of new and old differ on exactly these items, or was it chance?"
    assert f"these items and new runs ({draw}): {why}" in text
    assert "newly trained" not in text
    runs = " ".join(osc.compare(path, systems=["new", "old"], reduce="pass@2", repeats="runs").to_text().split())
    assert f"differ on new items?): {why} these items and new runs" in runs


def test_nothing_to_reduce():
    for given in ({"reduce": "pass@2"}, {"equal_runs": True}):
        with pytest.raises(OutscoreError, match="There are no repeats"):
            osc.compare([1, 0, 1], [0, 0, 1], **given)


def test_slices_and_clusters_follow_the_items(tmp_path):
    lines = ["item,model,epoch,correct,topic"]
    runs = table()
    for name in ("new", "old"):
        lines += [
            f"{item},{name},{k},{x},t{int(item[1:]) % 3}" for item, values in runs[name].items() for k, x in enumerate(values)
        ]
    path = tmp_path / "topics.csv"
    path.write_text("\n".join(lines) + "\n")
    found = osc.compare(str(path), reduce="pass@2", slices="topic")
    assert [c.n for c in found.comparisons] == [30, 10, 10, 10]
    assert osc.compare(str(path), reduce="pass@2", clusters="topic").clusters == 3


def test_runs_of_an_item_in_several_slices_have_one_only_if_the_files_agree(tmp_path):
    path = tmp_path / "topics.csv"
    runs = [("new", 1), ("new", 2), ("old", 2), ("old", 1)]
    lines = [f"q{i},{name},{run},{(i + run) % 3 % 2},t{run}" for i in range(8) for name, run in runs]
    path.write_text("\n".join(["item,model,epoch,correct,topic", *lines, ""]))
    assert [c.n for c in osc.compare(str(path), slices="topic").comparisons] == [8, 8, 8]
    torn = "Runs of item `q0` have both `t[12]` and `t[12]` as `topic`, but its runs make one max"
    for ask in (osc.compare, osc.rank, osc.score, lambda *given, **more: osc.gate(*given, margin=0.1, **more)):
        with pytest.raises(OutscoreError, match=torn):
            ask(str(path), reduce="max", slices="topic")


def test_items_of_arrays_keep_the_label_of_their_first_run():
    a, b = [1, 1, 0, 1, 1, 1], [0, 0, 0, 0, 0, 1]
    given = {"items": ["q0", "q0", "q1", "q1", "q2", "q2"], "labels": [f"l{i}" for i in range(6)]}
    for more in ({}, {"reduce": "max"}, {"equal_runs": True}):
        found = osc.compare(a, b, **given, **more)
        assert {item.item for item in found.deciding_items} <= {"l0", "l2", "l4"}, more
    assert {item.item for item in osc.compare(a, b, **given, reduce="max").deciding_items} == {"l0", "l2"}
