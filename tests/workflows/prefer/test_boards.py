"""A board of battles: tiers, a page that begins with them, a feed and a badge."""

from __future__ import annotations

import itertools
import json

import numpy as np
import pytest
from click.testing import CliRunner

from outscore.cli.app import app


@pytest.fixture
def arena(tmp_path):
    """Two strong systems, two weaker ones and a hopeless one, on 60 prompts, with a coin for the order."""
    rng = np.random.default_rng(1)
    strength = {"oak": 2.0, "elm": 1.9, "ash": 0.6, "fir": 0.5, "yew": -2.0}
    rows = ["question_id,model_a,model_b,winner"]
    for prompt in range(60):
        for pair in itertools.combinations(strength, 2):
            a, b = pair if rng.random() < 0.5 else pair[::-1]
            won = rng.random() < 1 / (1 + np.exp(strength[b] - strength[a]))
            rows.append(f"q{prompt},{a},{b},{'model_a' if won else 'model_b'}")
    path = tmp_path / "arena.csv"
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path


def test_a_board_of_battles_begins_with_its_tiers(arena, tmp_path):
    files = [tmp_path / name for name in ("board.html", "board.json", "badge.svg")]
    done = CliRunner().invoke(app, ["prefer", str(arena), *(word for file in files for word in ("-o", str(file)))])
    assert done.exit_code == 0, done.output
    feed = json.loads(files[1].read_text())
    tiers = {one["system"]: one["tier"] for one in feed["strengths"]}
    assert tiers == {"oak": 1, "elm": 1, "ash": 2, "fir": 2, "yew": 3}
    # By the definition: the longest way down from a system that nobody beats, over pairs that differ.
    beaten = {name: set() for name in tiers}
    order = [one["system"] for one in feed["strengths"]]
    for pair in feed["pairs"]:
        if pair["p"]["adjusted"] <= feed["alpha"]:
            better, worse = sorted((pair["a"], pair["b"]), key=order.index)
            beaten[worse].add(better)
    for name, tier in tiers.items():
        assert tier == 1 + max((tiers[better] for better in beaten[name]), default=0)
    page = files[0].read_text()
    assert page.index("Tier 1: nobody is significantly better") < page.index("Tier 3: significantly worse")
    assert "2 of 5 systems share the lead" in files[2].read_text()
