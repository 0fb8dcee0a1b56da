"""Where the statistics of segments are computed: here, or by workers where that is worth starting them."""

from __future__ import annotations

import os
from collections import Counter

import numpy as np
import pytest

from outscore.engine.engines import Processes, Progress
from outscore.metrics.cache import StatisticsCache
from outscore.workflows.texts import statistics

PIECES = [((str(i),), ()) for i in range(6)]


def whose(piece):
    return np.array([[int(piece[0][0]), os.getpid()]])


@pytest.mark.slow
@pytest.mark.parametrize(("enough", "here"), [(60.0, 6), (0.0, 1)], ids=["too little for workers", "the rest is worth it"])
def test_workers_are_started_for_enough_work_only(monkeypatch, enough, here):
    monkeypatch.setattr(statistics, "MIN_WORK", enough)
    monkeypatch.setattr(statistics, "FIRST_LOOK", 0.0)
    steps = Progress()
    rows = np.concatenate(statistics.Statistics(Processes(2), StatisticsCache(None), steps)._scored(whose, PIECES))
    assert rows[:, 0].tolist() == list(range(6))
    assert Counter(rows[:, 1].tolist())[os.getpid()] == here
    assert steps.done == 6
