"""What a report says beside the numbers of a comparison."""

from __future__ import annotations

import re

import numpy as np
import pytest

import outscore as osc
from outscore.report.rows.facts import next_step


def undecided(lead: float, n: int = 300):
    random = np.random.default_rng(1)
    a = random.random(n)
    return a, a + random.normal(lead, 0.3, n)


def test_what_is_undecided_says_how_many_items_it_would_take():
    a, b = undecided(0.01)
    found = osc.compare(a, b)
    said = next_step(found)
    assert len(said) == 1
    assert said[0] in re.sub(r"\s+", " ", found.to_text())
    assert said[0] in found.to_html()
    # A plan for the same difference and spread asks for as many, to the two digits that are said.
    spread = float(np.std(a - b, ddof=1))
    needed = osc.plan(effect=abs(found.difference), sd=spread).items
    about = int(re.search(r"about ([\d,]+) items", said[0])[1].replace(",", ""))
    assert about == pytest.approx(needed, rel=0.05)
    assert about % 100 == 0


def test_beyond_the_curve_it_takes_more_than_that():
    found = osc.compare(*undecided(0.001))
    assert next_step(found) == [
        f"a true difference as large as the observed one would take more than {found.power.curve[-1].n:,} items (power .80)"
    ]


def test_a_winner_needs_no_next_step():
    a, b = undecided(0.2)
    found = osc.compare(a, b)
    assert found.decision.winner is not None
    assert next_step(found) == []
    assert next_step(osc.compare(a, a)) == []
