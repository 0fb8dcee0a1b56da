"""`outscore compare --units`: the evaluation units with their members."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import numpy as np
import pytest

import outscore as osc


@pytest.fixture
def scores(tmp_path, monkeypatch) -> str:
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(5)
    rows = [f"item {i};x,{x:.2f},{y:.2f}" for i, (x, y) in enumerate(rng.random((23, 2)))]
    Path("scores.csv").write_text("\n".join(["id,new,old", *rows]))
    return "scores.csv"


def read(path: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(Path(path).read_text())))


@pytest.mark.parametrize("more", [(), ("--shuffle", "3"), ("--unit-statistic", "median")], ids=["mean", "shuffled", "median"])
def test_every_unit_with_its_items(scores, outscore, more):
    """The scores of a unit are those of the items that it names, and no item is in two units."""
    outscore("compare", scores, "--unit-size", "5", *more, "--units", "units.csv", "-o", "result.json")
    given = {row["id"]: (float(row["new"]), float(row["old"])) for row in read(scores)}
    summary = np.median if "median" in more else np.mean
    units, seen = read("units.csv"), []
    assert [unit["unit"] for unit in units] == [f"unit {i + 1}" for i in range(4)]
    for unit in units:
        assert (unit["metric"], unit["system_a"], unit["system_b"], unit["slice"]) == ("mean", "new", "old", "")
        items = json.loads(unit["items"])
        assert len(items) == 5
        seen += items
        a, b = summary([given[item] for item in items], axis=0)
        found = [float(unit[name]) for name in ("a", "b", "difference")]
        assert found == pytest.approx([a, b, a - b], abs=1e-12)
    assert len(set(seen)) == len(seen) == 20
    assert (seen != list(given)[:20]) == ("--shuffle" in more)
    saved = osc.load("result.json").units
    assert [unit.items for unit in saved] == [json.loads(unit["items"]) for unit in units]
    assert np.mean([unit.difference for unit in saved]) == pytest.approx(osc.load("result.json").difference)


def test_single_items_are_no_units(scores, refusal):
    assert "every item is a unit" in refusal("compare", scores, "--units", "units.csv")
    assert osc.compare(scores).units == []


def test_other_endings_are_refused(scores, refusal):
    assert "units.txt" in refusal("compare", scores, "--unit-size", "5", "--units", "units.txt")
