"""The smallest p that each claim of a ranking can reach."""

from __future__ import annotations

import numpy as np
import pytest

import outscore as osc


def table(tmp_path, systems: int, items: int, runs: int, column: str, seed: int = 1, gap: float = 0.12):
    rng = np.random.default_rng(seed)
    rows = [
        f"{i},s{s},{r},{int(rng.random() < 0.5 + gap * s)}" for s in range(systems) for i in range(items) for r in range(runs)
    ]
    path = tmp_path / f"{column}-{systems}-{items}-{runs}.csv"
    path.write_text("\n".join([f"id,system,{column},score", *rows]))
    return path


def floors(ranking) -> dict[str, tuple[float | None, float | None]]:
    own = {ranking.population: (ranking.smallest_p, ranking.smallest_adjusted_p)}
    return own | {one.population: (one.smallest_p, one.smallest_adjusted_p) for one in ranking.other_populations}


@pytest.mark.parametrize(("items", "runs", "column"), [(20, 3, "seed"), (4, 3, "sample"), (12, 5, "seed"), (9, 2, "epoch")])
def test_two_systems_get_those_of_compare(tmp_path, items, runs, column):
    path = table(tmp_path, 2, items, runs, column)
    pair = osc.compare(path)
    expected = {pair.population: pair.smallest_p} | {one.population: one.smallest_p for one in pair.other_populations}
    found = floors(osc.rank(path))
    assert {name: p for name, (p, _) in found.items()} == {
        name: p if p is None else pytest.approx(p, rel=1e-12) for name, p in expected.items()
    }
    assert all(p == adjusted for p, adjusted in found.values())


def test_a_correction_raises_what_can_be_reached(tmp_path):
    """3 + 3 runs give .1 at best, and six pairs by Holm .6."""
    path = table(tmp_path, 4, 20, 3, "seed")
    ranking = osc.rank(path)
    assert floors(ranking)["these-items"] == (pytest.approx(0.1), pytest.approx(0.6))
    assert floors(ranking)["items-and-runs"] == (None, None)
    assert floors(ranking)["items"] == (2.0**-19, pytest.approx(6 * 2.0**-19))
    text = " ".join(ranking.to_text().split())
    assert "about new items and new runs; any p is possible" in text
    assert "cannot be shown with 3 runs, as no p is below .100, and no adjusted p below .600" in text
    assert "permutation test; no p is below 1.9e-6, and no adjusted p below 1.1e-5" in text
    uncorrected = osc.rank(path, correction="none")
    assert floors(uncorrected)["these-items"] == (pytest.approx(0.1), pytest.approx(0.1))


def test_no_pair_is_below(tmp_path):
    path = table(tmp_path, 3, 5, 3, "seed", gap=0.24)
    for population in ("items", "these-items"):
        ranking = osc.rank(path, population=population)
        assert min(pair.p.value for pair in ranking.pairs) >= ranking.smallest_p * (1 - 1e-12)
        assert min(pair.p.adjusted for pair in ranking.pairs) >= ranking.smallest_adjusted_p * (1 - 1e-12)


def test_new_runs_that_cost_a_claim_say_what_they_cost(tmp_path):
    costly = osc.rank(table(tmp_path, 4, 20, 3, "seed"))
    alone = next(one for one in costly.other_populations if one.population == "items")
    assert alone.counts.significant > costly.counts.significant
    price = "A claim about new runs costs power: if runs do not differ, 3 runs on 20 items have .36"
    assert any(price in note.text for note in costly.notes)
    free = osc.rank(table(tmp_path, 2, 20, 3, "seed"))
    assert not any("costs power" in note.text for note in free.notes)


def test_without_repeats_there_is_nothing_to_say():
    ranking = osc.rank({"a": [1, 0, 1, 1], "b": [0, 0, 1, 0]})
    assert ranking.smallest_p is None
    assert ranking.smallest_adjusted_p is None
