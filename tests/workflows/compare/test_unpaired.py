"""Different items from files, tables, arrays and logs: what is said of them, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import outscore as osc
from outscore.core.errors import OutscoreError
from outscore.inference.unpaired import Samples, division_p


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Ratings of two systems on different segments, by documents: one file each, and both in one."""
    monkeypatch.chdir(tmp_path)
    stream = np.random.default_rng(4)
    both = ["segment,system,document,score"]
    for name, n, lead in (("new", 24, 8), ("old", 33, 0)):
        rows = [f"{name}{i},{name},{name}-d{i // 3},{int(stream.normal(60 + lead, 12))}" for i in range(n)]
        Path(f"{name}.csv").write_text("\n".join(["segment,system,document,score", *rows]) + "\n")
        both += rows
    Path("both.csv").write_text("\n".join(both) + "\n")
    return tmp_path


@pytest.mark.usefixtures("files")
def test_files_tables_and_arrays_say_the_same() -> None:
    polars = pytest.importorskip("polars")
    found = osc.compare("new.csv", "old.csv", unpaired=True, clusters="none")
    new, old = polars.read_csv("new.csv"), polars.read_csv("old.csv")
    arrays = osc.compare(new["score"].to_numpy(), old["score"].to_numpy(), unpaired=True)
    expected = division_p(Samples(new["score"].to_numpy(), old["score"].to_numpy()))
    assert found.p.value == arrays.p.value == expected.value
    assert found.unpaired == arrays.unpaired
    assert found.unpaired.n == (24, 33)
    assert osc.compare("both.csv", unpaired=True, clusters="none").p == found.p
    assert osc.compare(new, old, unpaired=True, clusters="none").p == found.p
    assert (
        osc.compare(osc.read("new.csv", cluster="none")[0], osc.read("old.csv", cluster="none")[0], unpaired=True).p == found.p
    )
    assert found.difference == pytest.approx(float(new["score"].mean() - old["score"].mean()))
    assert (found.n, found.alignment.common, found.alignment.only_a, found.alignment.only_b) == (57, 0, 24, 33)
    assert "57 items (24 of new and 33 others of old)" in found.sentence
    assert "two-sample permutation test" in found.verdict
    assert "unit:unpaired items" in str(found.signature)


@pytest.mark.usefixtures("files")
def test_documents_are_divided_whole() -> None:
    found = osc.compare("new.csv", "old.csv", unpaired=True, clusters="document")
    assert (found.clusters, found.unpaired.clusters, found.p.n, found.p.method) == (19, (8, 11), 19, "exact")
    assert found.interval.method == "Welch t"
    given = [([f"{s}{i // 3}" for i in range(n)]) for s, n in (("a", 24), ("b", 33))]
    new, old = (np.loadtxt(name, delimiter=",", skiprows=1, usecols=3) for name in ("new.csv", "old.csv"))
    assert osc.compare(new, old, unpaired=True, clusters=given).p.value == found.p.value
    assert "in 8 and 11 clusters that are kept whole" in " ".join(found.to_text().split())


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(
    ("test", "name", "estimand"),
    [
        ("permutation", "two-sample permutation", "difference"),
        ("wilcoxon", "rank-sum", "shift"),
        ("student", "welch", "difference"),
    ],
)
def test_every_form_of_the_report(test: str, name: str, estimand: str, tmp_path: Path) -> None:
    found = osc.compare("new.csv", "old.csv", unpaired=True, test=test, clusters="none")
    assert (found.p.test, found.interval.estimand) == (name, estimand)
    for text in (found.to_text(verbose=True), found.to_markdown(), found.to_html(), found.to_latex()):
        assert "others of old" in " ".join(text.split())
    found.save(tmp_path / "found.json")
    assert osc.load(tmp_path / "found.json") == found
    saved = json.loads((tmp_path / "found.json").read_text())["comparisons"][0]["unpaired"]
    assert saved["n"] == [24, 33]
    assert saved["welch"]["value"] == found.unpaired.welch.value


def test_spreads_and_sizes_that_differ_are_warned_of() -> None:
    stream = np.random.default_rng(2)
    a, b = stream.normal(0, 3, 20), stream.normal(0, 1, 80)
    found = osc.compare(a, b, unpaired=True)
    warning = next(note.text for note in found.notes if note.kind == "warning")
    assert "differ in size (20 and 80) and in spread" in warning
    assert found.unpaired.level > 0.2
    assert "Welch" in found.to_text()
    assert not [note for note in osc.compare(a, b[:20], unpaired=True).notes if note.kind == "warning"]


def test_fisher_states_its_order() -> None:
    found = osc.compare([1] * 10, [1] * 20 + [0] * 10, unpaired=True)
    assert round(found.p.value, 4) == 0.0852
    assert any("at least as large" in note.text and ".0428" in note.text for note in found.notes)
    assert found.interval.low == 0.0
    assert found.unpaired.welch is None
    assert not any(
        "at least as large" in note.text
        for note in osc.compare([1] * 10, [1] * 9 + [0] * 9, unpaired=True, alternative="greater").notes
    )


def test_items_with_several_rows_count_once(tmp_path: Path) -> None:
    path = tmp_path / "repeated.csv"
    path.write_text("id,model,epoch,score\na,x,1,1\na,x,2,4\nb,x,1,3\nc,y,1,1\nd,y,1,2\nd,y,2,6\n")
    found = osc.compare(str(path), unpaired=True)
    assert (found.unpaired.n, found.scores[0].value, found.scores[1].value) == ((2, 2), 2.75, 2.5)
    assert any("count once" in note.text for note in found.notes)


REFUSED = [
    ({"anytime": True}, "--anytime needs the same items"),
    ({"margin": 0.1, "test": "wilcoxon"}, "`wilcoxon` is about the typical difference"),
    ({"delta": 0.1}, "--delta needs the same items"),
    ({"population": "items"}, "--population needs the same items"),
    ({"reduce": "max"}, "--reduce needs the same items"),
    ({"unit_size": 2}, "--unit-size needs the same items"),
    ({"test": "sign"}, "`sign` needs pairs"),
    ({"metric": "f1"}, "another metric was named"),
    ({"options": {"method": "dp"}}, "--unpaired has no method `dp`"),
    ({"test": "wilcoxon", "options": {"zeros": "pratt"}}, "Option `zeros` needs pairs"),
    ({"labels": ["a", "b", "c"]}, "`labels` needs items that both systems share"),
    ({"slices": ["a", "b", "c"]}, "--slice needs the same items for both systems"),
    ({"clusters": [1, 2, 3]}, "With --unpaired, A and B need separate `clusters`"),
    ({"clusters": (["d", "e", "e"], ["d", "f"])}, "Cluster `d` contains items of both systems"),
]


@pytest.mark.parametrize(
    ("more", "message"), REFUSED, ids=[str(next(iter(more))) + str(i) for i, (more, _) in enumerate(REFUSED)]
)
def test_what_needs_pairs_is_refused(more: dict[str, object], message: str) -> None:
    with pytest.raises(OutscoreError, match=r".") as caught:
        osc.compare([1.0, 2.0, 3.0], [1.0, 4.0], unpaired=True, **more)
    assert message in caught.value.message


@pytest.mark.usefixtures("files")
def test_shared_ids_are_refused() -> None:
    text = Path("new.csv").read_text().replace(",new,", ",other,").replace("new-d", "x")
    Path("same.csv").write_text(text)
    with pytest.raises(OutscoreError, match="Both systems have 24 items, such as `new0`: these are pairs") as caught:
        osc.compare("new.csv", "same.csv", unpaired=True)
    assert "pairing is stronger" in caught.value.hint
    assert osc.compare("new.csv", "same.csv", unpaired=True, items="none", clusters="none").unpaired.n == (24, 24)
    Path("wide.csv").write_text("new,old\n1,0\n0,1\n1,1\n")
    with pytest.raises(OutscoreError, match="has a score for both systems"):
        osc.compare("wide.csv", unpaired=True)
    with pytest.raises(OutscoreError, match="no item in common") as other:
        osc.compare("new.csv", "old.csv")
    assert "--unpaired" in other.value.hint


@pytest.mark.parametrize("test", ["permutation", "wilcoxon"])
def test_the_law_of_divisions_is_drawn(test) -> None:
    rng = np.random.default_rng(2)
    found = osc.compare(rng.normal(size=20), rng.normal(size=30), unpaired=True, test=test)
    chart = next(chart for chart in found.charts() if chart.key == "null")
    own = test == "permutation"
    assert "4,000 random divisions" in chart.caption
    assert ("What chance alone would give" in chart.caption) is own
    assert ("What randomly dividing the items again would give" in chart.caption) is not own


def test_logs_of_the_same_items_have_one_cure(shared_data) -> None:
    with pytest.raises(OutscoreError, match="Both systems have 20 items") as caught:
        osc.compare(shared_data / "harness-logs" / "bigcodebench", unpaired=True)
    assert "--item" not in caught.value.hint


def test_a_few_shared_ids_are_taken_out(tmp_path) -> None:
    """Pairing would compare the one item that both have: that is no cure."""
    rows = {name: [f"{name}{i},{i % 2}" for i in range(20)] for name in "ab"}
    for name, own in rows.items():
        (tmp_path / f"{name}.csv").write_text("\n".join(["item,score", *own, "x,1"]) + "\n")
    with pytest.raises(OutscoreError, match="Both systems have 1 item, such as `x`: this is a pair") as caught:
        osc.compare(tmp_path / "a.csv", tmp_path / "b.csv", unpaired=True)
    assert caught.value.hint.startswith("Remove it from at least one file")
    assert osc.compare(tmp_path / "a.csv", tmp_path / "b.csv", unpaired=True, items="none").unpaired.n == (21, 21)
    (tmp_path / "b.csv").write_text("\n".join(["item,score", *rows["b"]]) + "\n")
    assert osc.compare(tmp_path / "a.csv", tmp_path / "b.csv", unpaired=True).unpaired.n == (21, 20)


@pytest.mark.parametrize("test", ["fisher", "t", "mcnemar", "all", "bootstrap"])
def test_refusals_name_the_tests_that_there_are(test) -> None:
    with pytest.raises(OutscoreError, match=f"`{test}`") as caught:
        osc.compare([1.0, 2.0, 3.0], [1.0, 4.0], unpaired=True, test=test)
    assert caught.value.parameter == "test"
    cure = caught.value.hint.removeprefix("Choose one of: ")
    assert [part.split()[0] for part in cure.split("), ")] == ["permutation", "wilcoxon", "student"]


def test_series_with_the_same_labels_are_pairs() -> None:
    pandas = pytest.importorskip("pandas")
    a, b = pandas.Series([1.0, 2.0, 4.0], index=["q1", "q2", "q3"]), pandas.Series([1.0, 3.0], index=["q9", "q2"])
    with pytest.raises(OutscoreError, match="Both systems have 1 item, such as `q2`"):
        osc.compare(a, b, unpaired=True)
    numbered = osc.compare(a.reset_index(drop=True), b.reset_index(drop=True), unpaired=True)
    assert numbered.p == osc.compare(a.to_numpy(), b.to_numpy(), unpaired=True).p


def test_counts_are_refused() -> None:
    with pytest.raises(OutscoreError, match="means of one score per item"):
        osc.compare([[1, 2], [3, 4]], [[1, 1]], unpaired=True)


def test_few_items_cannot_show_anything() -> None:
    with pytest.raises(OutscoreError, match="cannot show anything"):
        osc.compare([1.0], [2.0], unpaired=True)


def test_a_sample_that_does_not_vary_is_no_matter_for_the_t_test():
    right, mixed = [1] * 10, [1] * 20 + [0] * 10
    told = [note.text for note in osc.compare(right, mixed, unpaired=True, test="student").notes if note.kind == "warning"]
    assert len(told) == 1
    assert "A do not vary" in told[0]
    assert "--test permutation is Fisher's exact test" in told[0]
    graded = osc.compare([0.5] * 10, [0.1, 0.4, 0.7, 0.2, 0.3], unpaired=True, test="student").notes
    assert any(note.text.endswith("p may be too small; --test permutation does not rely on spreads.") for note in graded)
    for test, a in (("student", mixed), ("permutation", right)):
        assert not any("do not vary" in note.text for note in osc.compare(a, mixed[1:], unpaired=True, test=test).notes)


@pytest.mark.parametrize(("head", "rows", "told"), [("score", 24, True), ("score", 25, False), ("id,score", 24, False)])
def test_as_many_rows_without_ids_may_be_pairs(head, rows, told, tmp_path) -> None:
    stream = np.random.default_rng(2)
    for name, n in (("new", 24), ("old", rows)):
        cells = [f"{name}{i},{x}" if "id" in head else str(x) for i, x in enumerate(stream.normal(size=n).round(2))]
        (tmp_path / f"{name}.csv").write_text("\n".join([head, *cells]) + "\n")
    found = osc.compare(tmp_path / "new.csv", tmp_path / "old.csv", unpaired=True)
    assert any("if the rows are the same items, leave --unpaired out" in note.text for note in found.notes) == told


def test_effects_of_different_items() -> None:
    """Cohen's d with the pooled spread of both samples, and how often an item of A scores above one of B."""
    a, b = np.array([3.0, 5.5, 4.25, 8.0, 5.5]), np.array([1.0, 2.5, 5.5, 4.0, 3.25, 2.0, 1.5])
    found = {effect.name: effect.value for effect in osc.compare(a, b, unpaired=True).effects}
    squares = ((a - a.mean()) ** 2).sum() + ((b - b.mean()) ** 2).sum()
    assert found["cohen_d"] == pytest.approx((a.mean() - b.mean()) / np.sqrt(squares / 10))
    above = (a[:, None] > b).sum() + (a[:, None] == b).sum() / 2
    assert found["superiority"] == pytest.approx(above / 35)
