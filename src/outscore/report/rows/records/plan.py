"""Records of plans."""

from __future__ import annotations

from outscore.report.document import Records
from outscore.results.plan import PlanResult, PossibleP

__all__ = ["plan"]


def plan(found: PlanResult | PossibleP) -> Records:
    """The answer, then the points of its curves; `row` says which is which."""
    if isinstance(found, PossibleP):
        answers = {"lowest": found.lowest, "highest": found.highest, "independent": found.independent}
        differ = {"lowest": found.discordant[0], "highest": found.discordant[1]}
        rows = [{"row": name, "differ": differ.get(name), "p": p.value} for name, p in answers.items()]
        rows += [{"row": "curve", "differ": point.differ, "p": point.p} for point in found.curve]
        return Records(("row", "differ", "p"), tuple(rows))
    answer = {"row": "answer", "items": found.items, "effect": found.effect, "power": found.power}
    curve = [{"row": "curve", "items": point.n, "effect": found.effect, "power": point.power} for point in found.curve]
    needs = [{"row": "need", "items": need.items, "effect": need.effect, "power": found.target} for need in found.needs]
    return Records(("row", "items", "effect", "power"), (answer, *curve, *needs))
