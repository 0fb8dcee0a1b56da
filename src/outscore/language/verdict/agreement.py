"""Whether several metrics tell the same story about the same two systems."""

from __future__ import annotations

from collections.abc import Sequence

from outscore.results.comparison import Comparison
from outscore.results.design import Verdict

__all__ = ["agreement"]


def agreement(found: Sequence[Comparison], correction: str) -> Verdict:
    """Whom several metrics favour, and how many of them significantly so after `correction`; headlines have no full stop."""
    m, leaders = len(found), [name for c in found if (name := _ahead(c)) is not None]
    if not leaders:
        return Verdict(f"{'Neither metric' if m == 2 else f'None of the {m} metrics'} sees a difference")
    winners = [c.systems[c.decision.winner] for c in found if c.decision.winner is not None]
    significant = f"{len(winners) or 'none'}{f' of {m}' if winners else ''} significantly after correction ({correction})"
    if len(set(winners)) > 1:
        return Verdict("The metrics contradict each other", f"each system wins by some of the {m}, {significant}.")
    if len(set(leaders)) == 1:
        tied = m - len(leaders)
        favour = f"{leaders[0]}, {significant}"
        if not tied:
            return Verdict(f"{'Both' if m == 2 else f'All {m}'} metrics favour {favour}")
        some = f"{len(leaders)} of {m} metrics favour{'s' if len(leaders) == 1 else ''} {favour}"
        return Verdict(f"{some}; the other{' sees' if tied == 1 else f' {tied} see'} no difference")
    won = f"{winners[0]} wins by {significant}" if winners else "none shows a winner"
    return Verdict(f"The {m} metrics do not agree on which system is ahead; {won}")


def _ahead(c: Comparison) -> str | None:
    if c.difference == 0:
        return None
    return c.systems[(c.difference > 0) != c.higher_is_better]
