"""One line that makes a number reproducible, for every kind of result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from outscore._version import __version__
from outscore.results.note import Signature
from outscore.results.pvalue import PValue

if TYPE_CHECKING:  # each command makes one kind of result, and need not load the others
    from outscore.language.verdict.preference import BattleFacts
    from outscore.language.verdict.ranking import Claims
    from outscore.results.comparison import Bayes
    from outscore.results.design import Family
    from outscore.results.plan import PlanFacts
    from outscore.results.ranking import RankDesign, Standing
    from outscore.results.score import ScoredSystem

NAMED = {"method", "resamples", "rope"}
"""Options of tests that the signature treats separately."""
VERSION = ("outscore", __version__)


def comparison_signature(
    metric: str,
    p: PValue,
    *,
    alternative: str,
    alpha: float,
    delta: float = 0.0,
    margin: float | None = None,
    bayes: Bayes | None = None,
    options: Mapping[str, object] | None = None,
    unit: str = "items",
    resamples: int | None = None,
    seed: int | None = None,
    higher_is_better: bool = True,
    repeats: str = "",
    population: str = "",
) -> Signature:
    """What reproduces a comparison; resamples and seed only where something was sampled.

    `options` are the test's own options that were not left at their defaults. With `bayes`, that is the test, and the test of
    the p-value is named separately. `repeats` says how often items were run, and `population` what p is about; both are empty
    where each item was run once.

    Examples
    --------
    >>> p = PValue(0.5, 0.5, 0.5, -0.3, "exact", "plane", n=80)
    >>> print(comparison_signature("f1", p, alternative="two-sided", alpha=0.05))
    metric:f1|test:permutation|method:exact|kernel:plane|n:80|unit:items|alternative:two-sided|alpha:0.05|outscore:0.1.0
    """
    parts: list[tuple[str, object]] = [("metric", metric), *_direction(higher_is_better=higher_is_better)]
    if bayes is None:
        parts += p.signature.parts
    else:
        (name, test), *others = p.signature.parts
        parts += [("test", "bayes"), ("rope", f"{bayes.rope:g}"), (f"p-{name}", test), *others]
    parts.append(("unit", unit))
    parts += [(key, value) for key, value in (("repeats", repeats), ("population", population)) if value]
    parts += [("alternative", alternative), ("alpha", f"{alpha:g}")]
    if delta:
        parts.append(("delta", f"{delta:g}"))
    if margin is not None:
        parts.append(("margin", f"{margin:g}"))
    parts += [(key, value) for key, value in (options or {}).items() if key not in NAMED]
    if p.method == "monte-carlo":
        parts += [(key, value) for key, value in (("resamples", resamples), ("seed", seed)) if value is not None]
    return Signature([*parts, VERSION])


def _direction(*, higher_is_better: bool) -> list[tuple[str, object]]:
    return [] if higher_is_better else [("better", "lower")]


def ranking_signature(
    top: Standing,
    claims: Claims,
    family: Family,
    *,
    design: RankDesign,
    alpha: float,
    baseline: str | None,
    datasets: int,
    seed: int | None,
    population: str = "items",
) -> Signature:
    """What reproduces a ranking; the seed only where something was sampled."""
    parts: list[tuple[str, object]] = [
        ("rank", "pairs" if baseline is None else f"against {baseline}"),
        ("metric", top.metric),
        *_direction(higher_is_better=top.higher_is_better),
        ("test", top.test),
        ("method", claims.kind),
        ("kernel", top.kernel),
        ("systems", len(top.systems)),
        ("n", top.n),
        ("unit", _unit_mark(design)),
    ]
    if design.clusters is not None:
        parts.append(("clusters", design.clusters))
    if design.repeats != 1.0:
        times = "{}-{}".format(*design.repeats_range) if design.repeats_range else f"{design.repeats:.4g}"
        parts.append(("repeats", " ".join(filter(None, (times, design.repeat_kind)))))
    if design.repeat_kind is not None:
        parts.append(("population", population))
    if datasets > 1:
        parts.append(("datasets", datasets))
    if claims.datasets_test is not None:
        parts.append(("datasets-test", claims.datasets_test))
    parts += [("correction", family.correction), ("m", family.m), ("alternative", "two-sided"), ("alpha", f"{alpha:g}")]
    if claims.kind == "monte-carlo" and seed is not None:
        parts.append(("seed", seed))
    return Signature([*parts, VERSION])


def score_signature(
    systems: Sequence[ScoredSystem],
    metric: str,
    *,
    interval: str,
    alpha: float,
    population: str,
    repeat_kind: str | None,
    higher_is_better: bool,
) -> Signature:
    """What reproduces the scores of single systems.

    Examples
    --------
    >>> from outscore.results.score import ScoredSystem
    >>> one = ScoredSystem("new", 0.75, 0.53, 0.89, 20, 20)
    >>> asked = {"alpha": 0.05, "population": "items", "repeat_kind": None, "higher_is_better": True}
    >>> print(score_signature([one], "accuracy", interval="Wilson's score interval", **asked))
    score:each|metric:accuracy|interval:Wilson's score interval|systems:1|n:20|alpha:0.05|outscore:0.1.0
    """
    parts: list[tuple[str, object]] = [("score", "each"), ("metric", metric), *_direction(higher_is_better=higher_is_better)]
    parts += [("interval", interval or "none"), ("systems", len(systems)), ("n", max(one.n for one in systems))]
    clusters = [one.clusters for one in systems if one.clusters is not None]
    if clusters:
        parts.append(("clusters", max(clusters)))
    datasets = max(len(one.datasets) for one in systems)
    if datasets:
        parts.append(("datasets", f"{datasets}, macro average"))
    if repeat_kind is not None:
        repeats = max(one.repeats for one in systems)
        parts += [("repeats", f"{repeats:.4g} {repeat_kind}"), ("population", population)]
    return Signature([*parts, ("alpha", f"{alpha:g}"), VERSION])


def _unit_mark(design: RankDesign) -> str:
    """What is swapped, in the words of a comparison's signature."""
    if design.unit_size > 1:
        shuffled = "" if design.shuffle is None else f", shuffled by {design.shuffle}"
        return f"{design.unit_size}-{design.noun} {design.unit_statistic}{shuffled}"
    return f"{design.noun if design.clusters is None else design.group}s"


def plan_signature(plan: PlanFacts) -> Signature:
    """What reproduces a plan."""
    design = plan.design
    parts: list[tuple[str, object]] = [("plan", plan.question)]
    if plan.question != "items":
        parts.append(("n", plan.items))
    if plan.question != "effect":
        parts.append(("effect", f"{plan.effect:g}"))
    if plan.question != "power":
        parts.append(("power", f"{plan.power:g}"))
    spread = [("margin", design.margin), ("sd", design.sd), ("discordance", design.discordance)]
    if design.unpaired or design.battles:
        parts.append(("unit", "unpaired items" if design.unpaired else "battles"))
    if design.unpaired:
        spread.append(("accuracy", design.accuracy))
    parts += [(name, f"{value:g}") for name, value in spread if value is not None]
    if design.within:
        parts += [("within", f"{design.within:g}"), ("repeats", design.repeats)]
    if design.cluster_size > 1:
        parts += [("cluster-size", f"{design.cluster_size:g}"), ("icc", f"{design.icc:g}")]
    parts += [("method", plan.method), ("alternative", design.alternative), ("alpha", f"{design.alpha:g}")]
    return Signature([*parts, VERSION])


def possible_p_signature(scores: Sequence[str], n: int, alternative: str, alpha: float) -> Signature:
    """What reproduces the range of p for two printed scores."""
    return Signature(
        [
            ("plan", "possible-p"),
            ("scores", " ".join(scores)),
            ("n", n),
            ("test", "mcnemar"),
            ("alternative", alternative),
            ("alpha", f"{alpha:g}"),
            VERSION,
        ]
    )


def preference_signature(facts: BattleFacts, *, order: str, ties: str) -> Signature:
    """What reproduces the numbers of battles."""
    tests = [("strengths" if pair.decided_by_strength else pair.by, pair.deciding) for pair in facts.pairs]
    methods = list(dict.fromkeys(f"{by} {p.method}" for by, p in tests if p is not None))
    parts: list[tuple[str, object]] = [
        ("prefer", "pairs" if facts.baseline is None else f"against {facts.baseline}"),
        ("test", ", ".join(methods) or "none"),
        ("systems", len(facts.systems)),
        ("battles", facts.battles),
        ("unit", f"{facts.unit}s"),
        ("n", facts.clusters),
        ("order", order),
    ]
    if facts.strength > 1:
        parts.append(("strength", facts.strength))
    if facts.labels is not None:
        labels = facts.labels
        how = f"ppi++ {labels.p.method}" if labels.judged else f"labels {labels.p.method}"
        parts += [
            ("people", labels.people),
            ("people-test", how),
            ("labels", labels.labelled),
            ("weight", f"{labels.weight:.4g}"),
        ]
    if len(facts.systems) > 2:
        parts += [("ties", ties), ("correction", facts.family.correction), ("m", facts.family.m)]
    return Signature([*parts, ("alternative", "two-sided"), ("alpha", f"{facts.alpha:g}"), VERSION])
