"""Words about many systems at once: rankings against a baseline, and battles."""

from __future__ import annotations

import pytest

import outscore as osc
from outscore.language.verdict.preference import rate_ends
from outscore.language.verdict.ranking import Claims, ranking_verdict
from outscore.results.design import Family
from outscore.results.ranking import PairCounts, Standing

NAMES = ["base", "amber", "birch", "cedar"]


@pytest.mark.parametrize(
    ("better", "worse", "tied", "said"),
    [
        ([], [], [], "No system shares an item with base"),
        ([], [], ["amber"], "No system can be told apart from base"),
        ([], ["amber"], [], "1 system is significantly worse than base"),
        ([], ["amber"], ["birch", "cedar"], "1 system is significantly worse than base; 2 cannot be told apart from it"),
        (["amber"], [], [], "1 system is significantly better than base"),
        (["amber", "birch"], ["cedar"], [], "2 systems are significantly better than base"),
    ],
)
def test_what_a_baseline_is_told(better, worse, tied, said):
    counts = PairCounts(3, 3, len(better) + len(worse))
    top = Standing(None, "mean", True, 10, NAMES, [], [], counts, [], "score", "permutation", "lattice", "inversion")
    claims = Claims("base", better, worse, tied, "exact")
    assert (
        ranking_verdict(top, claims, Family("holm", "family-wise error rate", 3), 0.05, baseline=True).headline.partition(" (")[
            0
        ]
        == said
    )


def test_a_win_rate_has_an_interval_of_two_ends_or_none():
    assert rate_ends(0.4, 0.85, 0.05) == "95% CI 40.0 to 85.0%"
    assert [rate_ends(None, 0.85, 0.05), rate_ends(0.4, None, 0.05), rate_ends(None, None, 0.05)] == ["", "", ""]


@pytest.mark.parametrize(("winner", "said"), [("tie", "all battles are ties"), ("model_a", "the strongest is amber")])
def test_only_ties_are_all_ties(winner, said, tmp_path):
    """Wins without a loss, though too few to tell anybody apart, are no ties."""
    pairs = [("amber", "birch"), ("birch", "cedar"), ("amber", "cedar")]
    rows = [f"q{i},{a},{b},{winner}\n" for i, (a, b) in enumerate(pairs)]
    (tmp_path / "battles.csv").write_text("prompt,model_a,model_b,winner\n" + "".join(rows))
    found = osc.prefer(tmp_path / "battles.csv")
    assert (found.headline, said in found.reason) == ("No winner", True)
