"""Leaderboards on which systems lack items or datasets: their order, what contradicts it, and what is said of it."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import outscore as osc

SKILL = {"strong": 0.5, "good": 0.2, "fair": 0.0, "weak": -0.4}
EASE = {"easy": 0.3, "middle": 0.0, "hard": -0.3}


def board(missing: dict[str, str], **wins: dict[str, float]) -> pl.DataFrame:
    """Scores without noise but for what is said in `wins`, of systems that may lack one dataset each."""
    rng, rows = np.random.default_rng(1), []
    for name, skill in SKILL.items():
        for dataset, ease in EASE.items():
            if missing.get(name) == dataset:
                continue
            level = 0.5 + 0.4 * skill + ease + wins.get(name, {}).get(dataset, 0.0)
            # Rounded, so that swaps are counted on a lattice, which takes a tenth of the time.
            rows += [(dataset, i, name, round(level + 0.02 * rng.normal(), 3)) for i in range(40)]
    return pl.DataFrame(rows, schema=["dataset", "id", "model", "score"], orient="row")


def test_a_system_that_skips_the_hard_dataset_gains_nothing():
    found = osc.rank(board({"fair": "hard"}))
    assert found.systems == list(SKILL)
    assert found.ordered_by == "advantage"
    # By score the one that was spared the hard items would stand before `good`.
    by_score = sorted(found.scores, key=lambda s: -s.value)
    assert [s.system for s in by_score] == ["strong", "fair", "good", "weak"]
    effects = [s.advantage for s in found.scores]
    wanted = 0.4 * (np.array(list(SKILL.values())) - np.mean(list(SKILL.values())))
    assert effects == pytest.approx(wanted.tolist(), abs=0.02)
    assert not [note for note in found.notes if note.kind == "warning"]


def test_words_do_not_compare_scores_of_different_items():
    found = osc.rank(board({"fair": "hard"}))
    assert found.headline == "strong leads"
    assert ", each pair on the items that both systems have, 4 systems were compared" in found.sentence
    assert any("Advantages over the average system" in chart.caption for chart in found.charts())
    whole = osc.rank(board({}))
    assert whole.headline.startswith("strong leads with macro-averaged mean")
    assert "each pair on" not in whole.sentence


def test_an_order_that_contradicts_a_significant_pair_says_so():
    """`good` wins all that it shares with `fair`, and loses by far to the others on what `fair` lacks."""
    turned = board({"fair": "hard"}, good={"hard": -1.5})
    found = osc.rank(turned)
    assert found.systems.index("fair") < found.systems.index("good")
    (warning,) = (note.text for note in found.notes if note.kind == "warning")
    assert warning.startswith(
        "In 1 pair, the system placed lower is significantly better on the items that both have: good (place"
    )
    assert "than fair (" in warning
    assert "placed lower is significantly better" in " ".join(found.to_text().split())


@pytest.mark.parametrize("missing", [False, True])
def test_two_items_of_graded_scores_are_no_right_or_wrong_ones(missing):
    """Half a point and none on two items say little of what an item may be worth, however many systems share them."""
    found = osc.rank(pl.DataFrame({"id": [1, 2], "new": [0.5, 0.0], "old": [None if missing else 0.5, 0.5]}))
    assert found.pairs[0].p.value == 1.0


def test_the_share_of_missing_scores_has_one_decimal():
    rows = [
        (f"q{i}", name, (i + len(name)) % 2)
        for i in range(7)
        for name in ("new", "older")
        if (i, name) not in {(0, "new"), (5, "older")}
    ]
    found = osc.rank(pl.DataFrame(rows, schema=["id", "model", "correct"], orient="row"))
    assert any("2 of 14 scores are missing (14.3%)" in note.text for note in found.notes)


def test_a_sum_of_decimals_is_in_their_unit():
    found = osc.rank({"new": [0.25, 0.5, 0.75], "old": [0.1, 0.2, 0.4]}, metric="sum")
    assert [(score.system, score.value) for score in found.scores] == [("new", 1.5), ("old", pytest.approx(0.7, rel=1e-15))]
