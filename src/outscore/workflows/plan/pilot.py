"""Planning from data at hand: the spread comes from a pilot, and the chosen test can be tried on samples like it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, cast

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.metric import AdditiveMetric
from outscore.core.numeric import Array
from outscore.core.options import complete, did_you_mean
from outscore.core.paired import PairedScores
from outscore.inference.base.discordance import discordance
from outscore.inference.base.entry import TestEntry, TestRequest
from outscore.inference.base.item_scores import item_scores
from outscore.inference.base.sign_flips import Alternative
from outscore.inference.describe.repeats import variance_parts
from outscore.inference.power.simulate import simulated_curve
from outscore.inference.registry import TESTS
from outscore.language.numbers import count, rounded
from outscore.results.note import Note
from outscore.results.plan import PlanResult, SimulatedCurve, StudyDesign
from outscore.workflows.plan.answer import plan_numbers, whole_items
from outscore.workflows.requests import shared
from outscore.workflows.requests.plan import POWER, REPLICATES
from outscore.workflows.validate import paired

__all__ = ["Spread", "paired_pilot", "plan_from_pilot", "retrospective_curves", "spread_of"]


@dataclass(frozen=True)
class Spread:
    """What a pilot says about items: mean difference A - B, sd between items (ω), sd within (σ), and clustering.

    `discordance` stands for the sd where every item is right or wrong and was run once.
    """

    n: int
    difference: float
    sd: float
    within: float
    discordance: float | None
    cluster_size: float
    icc: float
    orientation: int


def plan_from_pilot(
    a: object,
    b: object,
    *,
    effect: float | None = None,
    n: float | None = None,
    power: float = POWER.default,
    items: object = None,
    clusters: object = None,
    metric: str = "mean",
    **given: Any,  # noqa: ANN401 - fields of StudyDesign
) -> PlanResult:
    """Plan a study with the spread of a pilot: sd or discordance, noise between repeats, correlation within clusters.

    What is `given` of a `StudyDesign` stands in place of what the pilot says. Without an effect and without n, the pilot's own
    difference is what shall be detected. `repeats` of the planned study are one per item unless given, also when the pilot has
    several.

    Examples
    --------
    >>> plan_from_pilot([1, 1, 0, 1, 1, 0, 1, 1], [1, 0, 0, 1, 0, 0, 1, 1], n=500).effect.__round__(4)
    0.0641
    """
    pairs, additive = paired_pilot(a, b, items=items, clusters=clusters, metric=metric)
    spread = spread_of(pairs, additive)
    # Binary items stay binary only when they are run once.
    binary = spread.discordance is not None and given.get("repeats", 1) == 1
    if not (spread.discordance if binary else spread.sd or spread.within):
        raise OutscoreError("The pilot's differences are all alike: they say nothing about spread.", "Give `sd` instead.")
    own = effect is None and n is None
    found: dict[str, Any] = {"cluster_size": spread.cluster_size, "icc": spread.icc}
    found |= {"discordance": spread.discordance} if binary else {"sd": spread.sd, "within": spread.within}
    turned = spread.orientation * spread.difference if own else effect
    result = plan_numbers(StudyDesign(**(found | given)), effect=turned, n=n, power=power)
    return replace(result, notes=[*_notes(spread, result, own=own), *result.notes])


def spread_of(pairs: PairedScores, metric: AdditiveMetric) -> Spread:
    """Estimate the parts of an item's variance (Miller, 2024): ω² is what repeats leave, σ² what they average out."""
    scores = item_scores(pairs, metric, "plan")
    if scores.n < 2:
        raise OutscoreError("The pilot has one item, which has no spread.", "Give at least two, better fifty.")
    within2, shrink = _within(pairs, metric, scores.a, scores.b)
    observed = float(scores.d.var(ddof=1))
    pair = discordance(pairs, metric)
    share = None if pair is None else (pair.only_a + pair.only_b) / pair.n
    groups = 0 if scores.clusters is None else int(scores.clusters.max()) + 1
    return Spread(
        n=scores.n,
        difference=float(scores.d.mean()),
        sd=math.sqrt(max(0.0, observed - within2 * shrink)),
        within=math.sqrt(within2),
        # Scores of 0 and 100 have their differences in per cent: the sd keeps the unit, the discordance would not.
        discordance=share if pair is not None and pair.unit == 1 else None,
        cluster_size=scores.n / groups if groups else 1.0,
        icc=0.0 if scores.clusters is None else _icc(scores.d, scores.clusters),
        orientation=scores.orientation,
    )


def _within(pairs: PairedScores, metric: AdditiveMetric, mean_a: Array, mean_b: Array) -> tuple[float, float]:
    """σ_A² + σ_B² pooled over the items' repeats, and the mean of 1/K."""
    if pairs.items is None:
        return 0.0, 0.0
    runs = np.bincount(pairs.items)
    spare = int((runs - 1).sum())
    if not spare:
        return 0.0, 0.0
    # Scores of single rows, in the same unit as the item means.
    rows = item_scores(replace(pairs, items=None, clusters=None), metric, "plan")
    squares = ((rows.a - mean_a[pairs.items]) ** 2).sum() + ((rows.b - mean_b[pairs.items]) ** 2).sum()
    return float(squares) / spare, float((1 / runs).mean())


def _icc(d: Array, clusters: Array) -> float:
    """Share of the variance that lies between clusters, by one-way analysis of variance (Donner, 1986, Int. Stat. Rev. 54)."""
    between, within = variance_parts(d, clusters) or (0.0, 0.0)
    return between / (between + within) if between else 0.0


def paired_pilot(
    a: object, b: object, *, items: object = None, clusters: object = None, metric: str = "mean"
) -> tuple[PairedScores, AdditiveMetric]:
    """A pilot's rows in the columns of its metric, checked as those of a comparison are."""
    return paired(a, b, metric, items, clusters)


def retrospective_curves(
    pairs: PairedScores,
    metric: AdditiveMetric,
    *,
    test: str = shared.TEST.default,
    options: Mapping[str, object] | None = None,
    alternative: str = shared.ALTERNATIVE.default,
    alpha: float = shared.ALPHA.default,
    replicates: int = REPLICATES,
    seed: int = shared.SEED.default,
    progress: Callable[[int, int], None] | None = None,
) -> list[SimulatedCurve]:
    """Power of the chosen test on samples like the data, below and beyond their size: from a normal law, and from themselves.

    Right-or-wrong items are never normal, so they get the second curve alone.
    """
    entry = _testable(test)
    settled = complete(test, entry.options, options or {})
    request = TestRequest(cast("Alternative", alternative), 0.0, alpha, seed, settled, interval=False)
    binary = discordance(pairs, metric) is not None
    kinds: tuple[Literal["normal", "bootstrap"], ...] = ("bootstrap",) if binary else ("normal", "bootstrap")
    run = entry.simulation.run or entry.run
    report = progress or (lambda _done, _total: None)
    shared: dict[str, Any] = {"name": test, "screen": entry.simulation.screen, "replicates": replicates}
    curves = []
    for k, kind in enumerate(kinds):

        def onwards(done: int, total: int, k: int = k) -> None:
            report(k * total + done, len(kinds) * total)

        curves.append(simulated_curve(pairs, metric, run, request, kind=kind, progress=onwards, **shared))
    return curves


def _testable(test: str) -> TestEntry:
    """The entry of a test whose rejections in samples drawn item by item mean something."""
    if test not in TESTS:
        raise OutscoreError(f"There is no test `{test}`.", did_you_mean(test, TESTS))
    entry = TESTS[test]
    if entry.simulation.refusal:
        raise OutscoreError(
            f"`{test}` cannot be tried on samples: {entry.simulation.refusal}.", "Use --test permutation.", parameter="test"
        )
    return entry


def _notes(spread: Spread, result: PlanResult, *, own: bool) -> list[Note]:
    """Where the numbers come from, and how far they can be trusted."""
    notes = []
    if own:
        text = (
            f"The difference is the pilot's own, {rounded(spread.difference)}, which is uncertain itself: better give the "
            "smallest one that matters as the effect."
        )
        notes.append(Note("assumption", text))
    notes.append(Note("assumption", f"Spread from a pilot of {count(spread.n, 'item')}."))
    if result.question == "items" and result.design.basis == "sd":
        low, high = _sd_limits(spread.n)
        few, many = (whole_items(result.n * factor**2) for factor in (low, high))
        text = f"A pilot of this size leaves the sd open: {few:,} to {many:,} items may be needed (95 %)."
        notes.append(Note("assumption", text))
    if spread.cluster_size > 1:
        text = f"Clusters of {spread.cluster_size:.3g} items on average; correlation within them {rounded(spread.icc)}."
        notes.append(Note("design", text))
    return notes


def _sd_limits(n: int) -> tuple[float, float]:
    """Factors of the 95 % interval of a standard deviation of normal data (chi-square)."""
    import scipy.special as sp

    return tuple(math.sqrt((n - 1) / float(sp.chdtri(n - 1, tail))) for tail in (0.025, 0.975))  # type: ignore[return-value]
