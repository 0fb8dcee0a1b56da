"""Shares of 1 beside per cent: whoever wrote per cent would win."""

from __future__ import annotations

import numpy as np
import pytest
from tests.variants import a_few

import outscore as osc

RNG = np.random.default_rng(4)
SHARES, OTHERS = RNG.random((2, 12)).round(2)
SAID = "The scores of new lie between 0 and 1, but those of old go up to "


def warned(found) -> list[str]:
    return [note.text for note in found.notes if note.kind == "warning" and "per cent" in note.text]


@pytest.mark.parametrize("unpaired", [False, True])
def test_two_systems_on_different_scales_are_warned_about(unpaired):
    (said,) = warned(osc.compare(SHARES, 100 * OTHERS, names=("new", "old"), unpaired=unpaired))
    assert said.startswith(SAID)
    assert said.endswith("If some are per cent, divide them by 100.")
    assert not warned(osc.compare(SHARES, OTHERS, names=("new", "old"), unpaired=unpaired))


def test_a_file_in_per_cent_beside_others_is_warned_about(tmp_path):
    files = []
    for name, scores in (("new", SHARES), ("mid", OTHERS), ("old", 100 * OTHERS)):
        files.append(tmp_path / f"{name}.csv")
        files[-1].write_text("id,score\n" + "".join(f"q{i},{x:.3f}\n" for i, x in enumerate(scores)))
    assert warned(osc.rank(files))[0].startswith(SAID)
    found = osc.compare(files[0], files[2])
    assert warned(found)[0].startswith(SAID)
    text = found.to_text()
    assert text.index("per cent") < text.index("\ndata ")
    assert not warned(osc.rank(files[:2]))


@pytest.mark.parametrize("command", ["compare", "rank", "score"])
def test_scales_that_differ_on_one_of_several_datasets(tmp_path, command):
    """Where another dataset is in per cent for all systems, no system has shares alone."""
    path = tmp_path / "both.csv"
    rows = []
    for i, (x, y) in enumerate(zip(SHARES, OTHERS, strict=True)):
        rows += [f"shares,q{i},{x:.3f},{100 * y:.1f}", f"cents,q{i},{100 * y:.1f},{100 * x:.1f}"]
    path.write_text("dataset,id,new,old\n" + "\n".join(rows) + "\n")
    (said,) = warned(getattr(osc, command)(path))
    assert said.startswith(SAID)
    path.write_text("dataset,id,new,old\n" + "\n".join(row for row in rows if row.startswith("cents")) + "\n")
    assert not warned(getattr(osc, command)(path))


@pytest.mark.parametrize(
    ("first", "second"),
    a_few(
        [
            # Marks, counts, negative scores and times may be far apart; nothing but 0 is on every scale.
            (RNG.integers(1, 6, 12), RNG.integers(1, 6, 12)),
            (SHARES, RNG.integers(0, 5, 12)),
            (SHARES, -100 * OTHERS),
            (SHARES, 1000 * OTHERS),
            (np.zeros(12), 100 * OTHERS),
        ],
        3,
    ),
)
def test_other_scores_are_not(first, second):
    assert not warned(osc.compare(first, second))


def test_a_gate_warns_beside_its_outcome():
    found = osc.gate(100 * OTHERS, SHARES, margin=0.1, names=("old", "new"))
    assert warned(found.comparison)[0].startswith(SAID)
    text = found.to_text()
    assert text.index("per cent") < text.index("difference ")


@pytest.mark.parametrize("command", a_few(["compare", "rank"], 1))
def test_scores_of_another_tool_on_different_scales(tmp_path, command):
    """COMET from 0 to 1 for one system, and times 100 for the other."""
    lines = [f"the cat number {i} sat" for i in range(12)]
    for name in ("new", "old", "ref"):
        (tmp_path / f"{name}.txt").write_text("\n".join(line.replace("cat", name) for line in lines) + "\n")
    (tmp_path / "new.comet").write_text("\n".join(f"{x:.3f}" for x in SHARES) + "\n")
    (tmp_path / "old.comet").write_text("\n".join(f"{100 * x:.1f}" for x in OTHERS) + "\n")
    scores = {"COMET": f"{tmp_path / 'new.comet'},{tmp_path / 'old.comet'}"}
    files = [tmp_path / "new.txt", tmp_path / "old.txt"]
    if command == "rank":
        found = osc.rank(files, reference=tmp_path / "ref.txt", metric="chrf", metric_scores=scores)
        assert warned(found)[0].startswith("The COMET scores of new lie between 0 and 1, but those of old go up to ")
        return
    found = osc.compare_texts(*files, tmp_path / "ref.txt", metrics=["chrf"], scores=scores)
    assert warned(found.comparisons[1])[0].startswith("The COMET scores of new lie between 0 and 1, but those of old go up to ")
    text = found.to_text()
    assert text.index("per cent") < text.index("\nmetric ")
