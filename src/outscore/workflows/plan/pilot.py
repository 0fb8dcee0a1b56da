"""Planning from data: the spread comes from a pilot, and the chosen test can be tried out on samples resembling it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal, cast

from outscore.core.errors import OutscoreError
from outscore.core.metric import AdditiveMetric
from outscore.core.options import complete
from outscore.core.rows import RUNS, PairedScores
from outscore.engine.progress import Progress
from outscore.inference.base.differences import item_scores
from outscore.inference.base.discordance import discordance
from outscore.inference.base.entry import TestEntry
from outscore.inference.base.question import Alternative, TestRequest
from outscore.inference.describe.repeats import pair_variances
from outscore.inference.power.gate import Bounded, Shares
from outscore.inference.power.observed import Spread, clustered, spread_of
from outscore.inference.power.planning import observed_size, simulated_curve, sizes_around
from outscore.inference.registry import DEFAULT, TESTS, suggest_test
from outscore.inference.shifted import UNKNOWN_RANGE, law_of
from outscore.inference.two_way import RunsLaw, two_way_of_means
from outscore.inference.unpaired import Samples
from outscore.language.numbers import count, rounded
from outscore.laws import student_quantile
from outscore.results.note import Note
from outscore.results.plan import PlanFacts, RunsPoint, SimulatedCurve, StudyDesign
from outscore.scores.panel import Panel
from outscore.workflows.plan.answer import Planned, answer, whole_items
from outscore.workflows.requests import shared
from outscore.workflows.requests.plan import POWER, REPLICATES, PlanRequest

MORE_RUNS = (2, 3, 5, 10)
"""Numbers of runs of each system that a plan looks at."""
ENDLESS_RUNS = 1_000_000
"""So many that differences between them average out."""
FEWEST_CLUSTERS = 3
"""With fewer clusters, their spread is estimated from one number, or not at all."""


def answer_from_pilot(
    pairs: PairedScores,
    metric: AdditiveMetric,
    *,
    effect: float | None = None,
    n: float | None = None,
    power: float = POWER.default,
    bounds: tuple[float, ...] = (),
    **given: Any,  # noqa: ANN401 - fields of StudyDesign
) -> Planned:
    """Plan a study with the spread of a pilot: sd or discordance, noise between repeats, correlation within clusters.

    Parts of a `StudyDesign` that are `given` override what the pilot says. Without an effect and without n, the pilot's own
    difference is to be detected. The planned study has one run per item unless `repeats` is given, even if the pilot has
    several.

    Examples
    --------
    >>> from outscore.scores.panel import Panel
    >>> import numpy as np
    >>> pilot = Panel.of("mean", ("new", "old"), np.array([[1, 1, 0, 1, 1, 0, 1, 1], [1, 0, 0, 1, 0, 0, 1, 1]]))
    >>> facts, *_ = answer_from_pilot(pilot.pair(0, 1), pilot.metric, n=500)
    >>> round(facts.effect, 4)
    0.0641
    """
    spread = spread_of_pilot(pairs, metric)
    # Binary items stay binary only if they are run once.
    binary = spread.discordance is not None and given.get("repeats", 1) == 1
    margin: float | None = given.get("margin")
    side: str = given.get("alternative", shared.ALTERNATIVE.default)
    law: Shares | Bounded | None = None
    if margin is None and not (spread.discordance if binary else spread.sd or spread.within):
        raise OutscoreError("The pilot's differences are all equal, so they say nothing about spread.", "Give `sd` instead.")
    own = effect is None and n is None and margin is None
    estimated: dict[str, Any] = {"cluster_size": spread.cluster_size, "cluster_cv": spread.cluster_cv, "icc": spread.icc}
    if binary:
        estimated |= {"discordance": spread.discordance, "unit": spread.unit}
    else:
        estimated |= {"sd": spread.sd, "within": spread.within}
    if "cluster_size" in given:
        estimated["cluster_cv"] = 0.0
    if own:
        turned: float | None = spread.orientation * spread.difference
    elif margin is not None:
        turned = spread.orientation * (effect or 0.0)
    else:
        turned = improvement(effect, spread.orientation, alternative=side, n=n)
    if margin is not None:
        asked = TestRequest("greater", -spread.orientation * margin, given.get("alpha", shared.ALPHA.default), bounds=bounds)
        law = law_of(TESTS[DEFAULT], pairs, metric, asked)
        given |= _at_margin(margin, law)
    bounded = law if isinstance(law, Bounded) else None
    design = StudyDesign(**(estimated | given))
    if bounded is not None:
        # Items that are run another number of times than the pilot's vary more or less.
        planned = math.sqrt(spread.sd**2 + spread.within**2 / design.repeats)
        bounded = bounded.scaled(planned / math.sqrt(spread.observed)) if spread.observed else bounded
    elif spread.cluster_size > 1 and not {"cluster_size", "icc"} & given.keys():
        design = clustered(design, spread, effect=turned, n=n, power=power)
    facts, study, notes = answer(design, effect=turned, n=n, power=power, law=bounded)
    unknown = [UNKNOWN_RANGE] if margin is not None and law is None else []
    return facts, study, [*_notes(spread, facts, own=own), *unknown, *notes]


def _at_margin(margin: float, law: Shares | Bounded | None) -> dict[str, Any]:
    """The design of a gate: without a known range of the scores it flips signs at the margin."""
    if law is None:
        return {"delta": -margin, "largest_loss": None}
    return {"largest_loss": law.worst if isinstance(law, Bounded) else law.unit}


def improvement(effect: float | None, orientation: int, *, alternative: str | None, n: float | None) -> float | None:
    """The effect A - B as an improvement of A, which is a negative difference if lower is better.

    With the alternative "two-sided" only its size counts; None keeps the sign.

    Examples
    --------
    >>> improvement(0.02, -1, alternative="less", n=None), improvement(0.02, -1, alternative="two-sided", n=None)
    (-0.02, 0.02)
    """
    if effect is None:
        return None
    if alternative == "two-sided":
        return abs(effect)
    turned = orientation * effect
    away = (alternative == "greater" and turned < 0) or (alternative == "less" and turned > 0)
    if orientation < 0 and away and n is None:
        state = "better" if turned > 0 else "worse"
        raise OutscoreError(
            f"`effect` points away from the alternative: lower is better, so A is {state} at a difference A - B of {effect:g}.",
            f"Give --effect {-effect:g}.",
            parameter="effect",
        )
    return turned


def spread_of_pilot(pairs: PairedScores, metric: AdditiveMetric) -> Spread:
    """The spread of a pilot, which must have enough clusters to tell, and whose repeats are told from its items."""
    scores = item_scores(pairs, metric, "plan")
    groups = None if scores.clusters is None else int(scores.clusters.max()) + 1
    if groups is not None and groups < FEWEST_CLUSTERS:
        raise OutscoreError(
            f"The pilot has {count(groups, 'cluster')}, too few to tell how much clusters differ.",
            f"Give at least {FEWEST_CLUSTERS}, preferably twenty; or --cluster none if items are independent.",
            parameter="cluster",
        )
    return spread_of(pairs, metric, pair_variances(pairs, metric))


def runs_plan(panel: Panel, result: PlanFacts) -> tuple[list[RunsPoint], list[Note]]:
    """The items that a claim about new runs takes, for several numbers of runs, and what that means in words.

    The plan itself is for new items and the runs at hand, like population `items` of a comparison. More items do not average
    out whole runs, and more runs do not average out items, so that each limits what the other can reach.
    """
    repeats, runs = panel.repeats, panel.run_scores()
    if repeats is None or repeats.kind != RUNS:
        return [], []
    head = f"The pilot's repeats ({repeats.column or 'runs'}) are runs; the plan is for new items and these runs."
    if repeats.lacking or result.design.margin is not None or runs is None:
        return [], [Note("runs", head)]
    a, b = (one.table for one in runs)
    if len(a) < 2:
        return [], [Note("runs", head)]
    law = RunsLaw.of(two_way_of_means(a.astype(float), b.astype(float)))
    design, side = result.design, cast("Alternative", result.design.alternative)
    away = result.effect - design.delta

    def needed(runs: tuple[int, int]) -> int | None:
        return law.items(runs, away, design.alpha, side, result.target)

    seen = a.shape[1], b.shape[1]
    points = [RunsPoint(*runs, needed(runs)) for runs in dict.fromkeys([seen, *((k, k) for k in MORE_RUNS)])]
    points.sort(key=lambda point: (point.runs_a + point.runs_b, point.runs_a))
    least = needed((ENDLESS_RUNS, ENDLESS_RUNS))
    return points, [Note("runs", f"{head} {_of_new_runs(points, least)}")]


def _of_new_runs(points: Sequence[RunsPoint], least: int | None) -> str:
    """What items and runs can reach, and what they never can."""
    within = [point for point in points if point.items is not None]
    told = "; ".join(f"{point.items:,} items with {_runs_of(point)}" for point in within)
    text = f"A claim about new runs takes {told}." if within else ""
    without = [point for point in points if point.items is None]
    if without:
        text += f" With {_runs_of(without[-1])} or fewer, no number of items is enough."
    if least is not None and within:
        text += f" No number of runs makes do with fewer than {count(least, 'item')}."
    return text.strip()


def _runs_of(point: RunsPoint) -> str:
    if point.runs_a == point.runs_b:
        return f"{point.runs_a} runs of each system"
    return f"{point.runs_a} and {point.runs_b} runs"


def retrospective_curves(
    pairs: PairedScores, metric: AdditiveMetric, request: PlanRequest, progress: Progress
) -> list[SimulatedCurve]:
    """Power of the chosen test on smaller and larger samples: from a normal distribution, and resampled from the data.

    Right-or-wrong items are never normal, so they only get the second curve.
    """
    entry = _testable(request.test or shared.TEST.default)
    side = cast("Alternative", request.alternative)
    options = complete(entry.name, entry.options, {})
    asked = TestRequest(side, request.delta, request.alpha, request.seed, options, interval=False)
    binary = discordance(pairs, metric) is not None
    kinds: tuple[Literal["normal", "bootstrap"], ...] = ("bootstrap",) if binary else ("normal", "bootstrap")
    sizes, replicates = sizes_around(observed_size(pairs)), request.replicates or REPLICATES
    progress.begin("samples", len(kinds) * len(sizes) * replicates)
    return [
        simulated_curve(
            pairs,
            metric,
            entry,
            asked,
            kind=kind,
            effect=request.effect,
            sizes=sizes,
            replicates=replicates,
            advance=progress.advance,
            items_are="items" if request.unit_size == 1 else "units",
        )
        for kind in kinds
    ]


def _testable(test: str) -> TestEntry:
    """The entry of a test that can be tried on samples drawn item by item."""
    if test not in TESTS:
        raise OutscoreError(f"There is no test `{test}`.", suggest_test(test))
    entry = TESTS[test]
    if entry.unsimulated:
        raise OutscoreError(
            f"`{test}` cannot be tried out on samples: {entry.unsimulated}.", "Use --test permutation.", parameter="test"
        )
    return entry


def samples_notes(samples: Samples, *, own: bool) -> list[Note]:
    """Where the numbers of a plan for different items come from."""
    notes = [_own_note(samples.difference)] if own else []
    seen = " and ".join(f"{n:,}" for n in samples.sizes)
    return [*notes, Note("assumption", f"Spread from a pilot of {seen} items.")]


def _own_note(difference: float) -> Note:
    text = (
        f"The difference is the pilot's own, {rounded(difference)}, which is itself uncertain; better give the "
        "smallest difference that matters as the effect."
    )
    return Note("assumption", text)


def _notes(spread: Spread, result: PlanFacts, *, own: bool) -> list[Note]:
    """Where the numbers come from, and how far they can be trusted."""
    notes = [_own_note(spread.difference)] if own else []
    notes.append(Note("assumption", f"Spread from a pilot of {count(spread.n, 'item')}."))
    clustered = spread.cluster_size > 1
    if result.question == "items" and (clustered or result.design.basis == "sd"):
        notes.append(Note("assumption", _range(spread, result)))
    if clustered:
        notes.append(Note("design", _clusters_seen(spread)))
    if result.design.observed_effect is not None and result.method == "permutation":
        notes.append(Note("method", "The power is that of sign flips on samples of the pilot's own clusters."))
    return notes


def _clusters_seen(spread: Spread) -> str:
    """The pilot's clusters and their effect on the variance."""
    sizes = f"{count(spread.units, 'cluster')} of {spread.cluster_size:.3g} items on average"
    if spread.cluster_cv:
        own = spread.cluster_size * (1 + spread.cluster_cv**2)
        sizes += f" and of unequal size: the cluster of an average item has {own:.3g}"
    return (
        f"The pilot has {sizes}. Clusters made the variance of the mean {spread.design_effect:.3g} times as large, "
        f"which corresponds to a correlation of {rounded(spread.icc)} within them."
    )


def _range(spread: Spread, result: PlanFacts) -> str:
    """The range of answers: the variance per unit, including the correlation, is itself an estimate."""
    factor = math.exp(student_quantile(spread.units - 1, 0.975) * spread.doubt)
    if result.design.cluster_size == 1:
        few, many = (whole_items(max(result.design.min_units, result.n * f)) for f in (1 / factor, factor))
        return f"A pilot of this size leaves the sd uncertain: {few:,} to {many:,} items may be needed (95%)."
    clusters = result.n / result.design.cluster_size
    few, many = (whole_items(max(result.design.min_units, clusters * f)) for f in (1 / factor, factor))
    seen = count(spread.units, "cluster")
    return f"A pilot of {seen} leaves sd and correlation uncertain: {few:,} to {many:,} clusters may be needed (95%)."
