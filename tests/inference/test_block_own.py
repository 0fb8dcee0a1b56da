"""The block bootstrap's own design: its block length is told, and each system's interval comes from the same blocks."""

from __future__ import annotations

import numpy as np

import outscore as osc
from outscore.core.metric import AdditiveMetric


def walk(seed: int) -> np.ndarray:
    """Scores that drift, so that neighbours are alike."""
    rng = np.random.default_rng(seed)
    steps = rng.normal(size=400)
    found = np.zeros(400)
    for i in range(1, 400):
        found[i] = 0.9 * found[i - 1] + steps[i]
    return found


def test_longer_blocks_widen_the_systems_own_intervals():
    a, b = walk(1), walk(2)
    widths = []
    for length in (1.0, 20.0):
        found = osc.compare(a, b, test="block-bootstrap", options={"block_length": length, "resamples": 999})
        widths.append([score.high - score.low for score in found.scores])
        assert f"block_length:{length}" in str(found.signature)
    assert all(long > 1.5 * short for short, long in zip(*widths, strict=True))


def test_the_chosen_length_stands_in_the_signature():
    found = osc.compare(walk(1), walk(2), test="block-bootstrap", options={"resamples": 99})
    length = found.signature.value("block_length")
    assert length is not None
    assert any(f"Blocks of {float(length):.1f} items" in note.text for note in found.notes)


def test_no_systems_interval_leaves_the_scale():
    """Scores near the end of a scale: what resamples reach beyond it is cut, and how the interval was made is said."""
    bounded = AdditiveMetric("points", ("points", "items"), ratio=((1, 0), (0, 1)), graded=True, bounds=(0.0, 100.0))
    rows = np.array([[99.0, 1], [100.0, 1], [0.0, 1], [100.0, 1], [100.0, 1], [98.0, 1]])
    found = osc.compare(rows, rows[::-1], metric=bounded, test="block-bootstrap", options={"block_length": 2, "resamples": 199})
    assert found.scores[0].high == 100.0
    assert found.scores[1].high < 100.0
    assert [score.method for score in found.scores] == ["centred block bootstrap"] * 2
    assert "intervals (centred block bootstrap)" in " ".join(found.to_text().split())
