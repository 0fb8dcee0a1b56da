"""A column of folds: clusters of the items that it shares out, or runs where every item occurs in every fold."""

from __future__ import annotations

import pytest

import outscore as osc


def written(path, rows) -> str:
    path.write_text("id,model,fold,correct\n" + "".join(f"{','.join(map(str, row))}\n" for row in rows))
    return str(path)


def test_folds_that_share_out_the_items_are_clusters(tmp_path):
    rows = [(f"q{i}", m, i % 8, (i + (m == "new")) % 3 > 0) for m in ("new", "old") for i in range(40)]
    path = written(tmp_path / "folds.csv", [(*row[:3], int(row[3])) for row in rows])
    found = osc.compare(path)
    assert (found.clusters, found.design.repeat_kind) == (8, None)
    assert found.reading.cluster == ["fold"]
    named = osc.compare(path, repeat="fold")
    assert named.p == found.p


def test_folds_that_hold_every_item_are_runs(tmp_path):
    rows = [(f"q{i}", m, k, int((i * k + (m == "new")) % 3 > 0)) for m in ("new", "old") for k in range(3) for i in range(20)]
    found = osc.compare(written(tmp_path / "folds.csv", rows))
    assert (found.clusters, found.design.repeat_kind, found.population) == (None, "runs", "items-and-runs")
    assert found.reading.repeat == ["fold"]


@pytest.mark.parametrize("clusters", ["none", "fold"])
def test_what_the_caller_names_stays(tmp_path, clusters):
    rows = [(f"q{i}", m, i % 8, i % 2) for m in ("new", "old") for i in range(40)]
    found = osc.compare(written(tmp_path / "folds.csv", rows), clusters=clusters)
    assert found.clusters == (None if clusters == "none" else 8)
