"""Battles of several files as one."""

from __future__ import annotations

import numpy as np

from outscore.scores.battles import Battles, join_battles
from outscore.scores.system import Labels


def battles(a, b, prompts, lengths=None):
    n = len(prompts)
    return Battles((a, b), np.zeros(n, dtype=int), np.ones(n, dtype=int), np.ones(n), Labels.of(prompts), lengths=lengths)


def test_files_without_lengths_join_those_that_have_them():
    with_lengths = battles("new", "old", ["q1", "q2"], np.array([[10.0, 20.0], [30.0, 40.0]]))
    without = battles("old", "third", ["q2", "q3", "q4"])
    both = join_battles([without, with_lengths])
    assert both.systems == ("old", "third", "new")
    assert (both.first.tolist(), both.second.tolist()) == ([0, 0, 0, 2, 2], [1, 1, 1, 0, 0])
    assert both.prompts.texts() == ["q2", "q3", "q4", "q1", "q2"]
    assert both.lengths.shape == (5, 2)
    assert np.isnan(both.lengths[:3]).all()
    assert both.lengths[3:].tolist() == [[10.0, 20.0], [30.0, 40.0]]
    assert join_battles([without, without]).lengths is None
