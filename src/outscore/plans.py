"""What planning gives: required items, detectable effects, power curves, and the range of p behind two printed scores.

Frozen like every other result, with the same dictionaries in and out. Numbers stay as they were computed: 968.9975 items is
what the formula says, `items` what a person has to collect.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from outscore.results import PValue, Result
from outscore.summaries import Power, PowerPoint

__all__ = ["PlanResult", "PossibleP", "Power", "PowerPoint", "SimulatedCurve"]


@dataclass(frozen=True)
class SimulatedCurve(Result):
    """A retrospective power curve: how often a test rejects in samples drawn from a model of the data at hand.

    `kind` is "normal" (a normal law with the observed spread) or "bootstrap" (the sample itself, with replacement); `unit`
    is what n counts. `effect` is the difference taken for the true one.
    """

    kind: Literal["normal", "bootstrap"]
    test: str
    effect: float
    observed_n: int
    unit: Literal["items", "clusters"]
    replicates: int
    seed: int
    points: list[PowerPoint]
    note: str

    @property
    def verdict(self) -> str:
        """The power at the observed n."""
        here = next((p.power for p in self.points if p.n == self.observed_n), None)
        at = "" if here is None else f": {here:.3g} at n = {self.observed_n:,}"
        return f"Retrospective power of the {self.test} test ({self.kind} resampling){at}"


@dataclass(frozen=True)
class PlanResult(Result):
    """The answer to one planning question, with everything that went into it.

    `question` says which of the three numbers was asked for: "items", "effect" or "power"; the other two were given. `n` is
    the number of items as computed and `items` the whole number to collect. `t_items` is what the t test needs where the answer
    came from the normal formula, which takes the standard deviation as known.
    """

    question: Literal["items", "effect", "power"]
    verdict: str
    n: float
    items: int
    effect: float
    power: float
    alpha: float
    alternative: Literal["two-sided", "greater", "less"]
    basis: Literal["sd", "discordance", "standardised"]
    method: Literal["normal", "t", "exact"]
    sd: float | None = None
    within: float = 0.0
    discordance: float | None = None
    accuracy: float | None = None
    repeats: int = 1
    cluster_size: float = 1
    icc: float = 0.0
    design_effect: float = 1.0
    t_items: int | None = None
    curve: list[PowerPoint] = field(default_factory=list)
    retrospective: list[SimulatedCurve] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    schema: Literal["outscore/plan/1"] = "outscore/plan/1"


@dataclass(frozen=True)
class PossibleP(Result):
    """All p-values that two printed accuracies leave possible.

    `right` holds, for each system, the fewest and the most right answers that print as its score. `lowest` and `highest` are
    exact McNemar p-values, reached when the systems differ on `discordant[0]` and `discordant[1]` items. `independent` is the p
    for errors that have nothing to do with each other. `significant_up_to` is the largest number of items the systems may
    differ on for p to stay at or below alpha, None when no overlap gets there.
    """

    scores: tuple[str, str]
    n: int
    alpha: float
    alternative: Literal["two-sided", "greater", "less"]
    right: tuple[tuple[int, int], tuple[int, int]]
    lowest: PValue
    highest: PValue
    discordant: tuple[int, int]
    independent: PValue
    significant_up_to: int | None
    verdict: str = ""
    notes: list[str] = field(default_factory=list)
    schema: Literal["outscore/possible-p/1"] = "outscore/possible-p/1"
