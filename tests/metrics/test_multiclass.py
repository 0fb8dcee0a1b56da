"""Scores of many classes against scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn.metrics as sk
from hypothesis import given
from hypothesis import strategies as st

from outscore.metrics.multiclass import class_counts, macro_f1, multiclass_mcc


@pytest.mark.filterwarnings("ignore:A single label was found")
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=40))
def test_against_scikit_learn(rows):
    gold, answers = np.array(rows).T
    totals = class_counts(gold, answers, 4).sum(axis=0)
    assert float(macro_f1(4).score(totals)) == pytest.approx(sk.f1_score(gold, answers, average="macro", zero_division=0))
    assert float(multiclass_mcc(4).score(totals)) == pytest.approx(sk.matthews_corrcoef(gold, answers), abs=1e-9)


def test_groups_add_up():
    rng = np.random.default_rng(0)
    gold, answers, groups = rng.integers(0, 3, (3, 50))
    assert (class_counts(gold, answers, 3, groups).sum(axis=0) == class_counts(gold, answers, 3).sum(axis=0)).all()
