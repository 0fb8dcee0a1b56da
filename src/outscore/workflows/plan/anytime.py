"""What looking early takes, beside a plan with one look."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

from outscore.core.errors import OutscoreError
from outscore.inference.anytime.expected import PATHS, binary_stops, bounded_stops
from outscore.inference.anytime.process import Alternative
from outscore.inference.power.design import study_of
from outscore.results.note import Note
from outscore.results.plan import AnytimePlan, PlanResult
from outscore.workflows.requests.plan import PlanRequest

__all__ = ["with_looks"]

IN_ORDER = Note("assumption", "Looking early takes items in random order, each by itself.")


def with_looks(found: PlanResult, request: PlanRequest) -> PlanResult:
    """The same plan with the items after which evidence at every look is expected to stop.

    Examples
    --------
    >>> from outscore.workflows.plan.run import run
    >>> plan = run(PlanRequest(effect=0.1, discordance=0.2, anytime=True))
    >>> plan.items, plan.anytime.median, round(plan.anytime.mean), plan.anytime.method
    (168, 145, 169, 'exact')
    """
    design = found.design
    if design.cluster_size != 1:
        raise OutscoreError(
            "--anytime plans items by themselves, and clusters enter as one bet each.",
            "Leave --anytime out, or the clusters.",
            parameter="anytime",
        )
    if design.basis == "standardised":
        raise OutscoreError(
            "--anytime needs the spread in the unit of the scores.", "Give --sd, --discordance or --accuracy.", parameter="sd"
        )
    study = study_of(replace(design, method=found.method))
    effect, side = study.towards(found.effect), cast("Alternative", design.alternative)
    if design.basis == "discordance":
        stops = binary_stops(study.discordance, effect, design.alpha, side)
    else:
        low, high = request.bounds or (0.0, 1.0)
        stops = bounded_stops(effect, study.sd, high - low, found.items, design.alpha, side, seed=request.seed)
    simulated = stops.horizon is not None
    plan = AnytimePlan(
        stops.mean,
        stops.quantile(0.5),
        stops.quantile(found.target),
        found.items,
        stops.share(found.items),
        "simulated" if simulated else "exact",
        PATHS if simulated else None,
        request.seed if simulated else None,
        stops.horizon,
    )
    return replace(found, anytime=plan, notes=[*found.notes, IN_ORDER])
