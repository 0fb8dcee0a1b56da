"""Systems as `read` gives them are compared as the command line compares them."""

from __future__ import annotations

import numpy as np
import pytest

import outscore as osc
from outscore.core.errors import OutscoreError
from outscore.workflows.systems import pair_given

ROWS = [f"q{i},d{i // 4},{(i * 7) % 5 > 1:d},{(i * 3) % 4 > 1:d}" for i in range(40)]
TABLE = "\n".join(["question_id,document,new,old", *ROWS, ""])
RUNS = [("new", 0), ("new", 1), ("old", 0)]
UNEQUAL = "\n".join(
    ["item,model,seed,score", *(f"q{i},{model},{run},{(i * 7 + run) % 3}" for i in range(8) for model, run in RUNS), ""]
)


@pytest.fixture
def systems(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(TABLE)
    return osc.read(path)


def test_items_clusters_and_names_come_along(systems):
    new, old = systems
    found = osc.compare(new, old)
    rows = osc.compare(new.values, old.values, clusters=[f"d{i // 4}" for i in range(40)], names=("new", "old"))
    assert found.systems == ("new", "old")
    assert (found.clusters, found.p, found.interval) == (10, rows.p, rows.interval)
    assert osc.permutation_test(new, old) == found.p
    assert osc.compare(new, old, names=("x", "y")).systems == ("x", "y")


def test_items_are_matched_by_id(systems, tmp_path):
    new, old = systems
    order = np.random.default_rng(1).permutation(40)[:30]
    found, inorder = osc.compare(new, old.take(order)), osc.compare(new.take(np.sort(order)), old.take(np.sort(order)))
    assert found.alignment.only_a == 10
    assert found.p == inorder.p
    assert [item.item for item in found.deciding_items] == [item.item for item in inorder.deciding_items]


def test_what_cannot_be_matched_is_refused(systems, tmp_path):
    new, old = systems
    with pytest.raises(OutscoreError, match="One of `a` and `b` was read from a file"):
        osc.compare(new, old.values)
    for name in ("items", "clusters", "labels"):
        with pytest.raises(OutscoreError, match=f"`{name}` was given, but scores that were read have their own"):
            pair_given(new, old, **{name: ["x"] * 40})
    path = tmp_path / "runs.csv"
    path.write_text(UNEQUAL)
    for test in ("permutation", "student"):
        assert "item means are compared" in osc.compare(*osc.read(path), test=test).notes[0].text


LONG = "\n".join(["item,model,score", *(f"q{i},m{k},{(i * (k + 3)) % 5}" for i in range(12) for k in range(4)), ""])
WIDE = "\n".join(["item,m0,m1,m2,m3,year", *(f"q{i},{i % 2},{i % 3},{i % 4},{i % 5},x" for i in range(12)), ""])


# The index of a data frame and lengths are no systems either.
INDEXED = "\n".join(
    [
        "Unnamed: 0,item,m0,m1,m2,m3,length_1,length_2",
        *(f"{i},q{i},{i % 2},{i % 3},{i % 4},{i % 5},7,{i}" for i in range(12)),
        "",
    ]
)


@pytest.mark.parametrize("table", [LONG, WIDE, INDEXED])
def test_two_systems_picked_from_more_are_said_to_be(tmp_path, table):
    (tmp_path / "board.csv").write_text(table)
    found = osc.compare(tmp_path / "board.csv", systems=["m0", "m2"])
    (note,) = (note.text for note in found.notes if note.kind == "warning")
    assert note.startswith("m0 and m2 are two of the 4 systems in ")
    assert note.endswith("use `outscore rank`: it tests all 6 pairs and corrects for that.")
    # At the verdict in every form that has one, and only there.
    text, page = found.to_text(width=200), found.to_html()
    assert text.index("are two of the 4 systems") < text.index("scores")
    assert page.index("Check first.") < page.index("are two of the 4 systems") < page.index('class="numbers')
    assert page.count("are two of the 4 systems") == text.count("are two of the 4 systems") == 1


def test_two_systems_of_two_are_no_choice(systems):
    assert not [note for note in osc.compare(*systems).notes if note.kind == "warning"]


def test_what_undermines_a_verdict_stands_beside_it():
    steps = np.random.default_rng(0).normal(size=100).cumsum().round(1)
    found = osc.compare(steps, np.zeros(100))
    page = found.to_html()
    assert page.index("Check first.") < page.index("Neighbouring items are correlated") < page.index('class="numbers')


@pytest.mark.parametrize("chosen", [("new", "elsewhere"), ("old", "new")])
@pytest.mark.parametrize("ending", ["csv", "txt"])
def test_systems_that_two_files_do_not_hold_in_this_order_are_refused(tmp_path, chosen, ending):
    """They were left unread, and the report was about others than those asked for."""
    for name, shift in (("new", 0), ("old", 1)):
        rows = [str((i + shift) % 2) for i in range(12)]
        lines = ["id,score", *(f"q{i},{x}" for i, x in enumerate(rows))] if ending == "csv" else rows
        (tmp_path / f"{name}.{ending}").write_text("\n".join(lines))
    files = [tmp_path / f"{name}.{ending}" for name in ("new", "old")]
    with pytest.raises(osc.OutscoreError, match=r"--system chose `.*`, but .* contains one system, `.*`"):
        osc.compare(*files, systems=chosen)
    assert osc.compare(*files, systems=("new", "old")).systems == ("new", "old")


def unnamed(path, datasets: str) -> str:
    """Scores without ids, of a dataset each."""
    path.write_text("\n".join(["dataset,score", *(f"{name},{i % 3}" for i, name in enumerate(datasets)), ""]))
    return str(path)


@pytest.mark.parametrize(("other", "line"), [("yyyyyy", 2), ("xxxxyy", 6)])
def test_rows_without_ids_whose_datasets_differ_are_refused(tmp_path, other, line):
    a, b = unnamed(tmp_path / "a.csv", "xxxxxx"), unnamed(tmp_path / "b.csv", other)
    with pytest.raises(OutscoreError, match=f"a.csv`, line {line}: .* `x`, .*b.csv`, line {line}, is `y`") as caught:
        osc.compare(a, b, items="none", dataset="dataset")
    assert (caught.value.line, caught.value.parameter) == (line, "item")
    same = unnamed(tmp_path / "b.csv", "xxxxxx")
    assert osc.compare(a, same, items="none", dataset="dataset").n == 6
