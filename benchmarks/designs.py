"""Levels and coverage on the designs that users meet: unequal clusters, own scores, ratio metrics, few and skewed items.

    python -m benchmarks.designs               ten minutes on two busy cores
    python -m benchmarks.designs --times 5     five times as many replicates, for those who have the time
    python -m benchmarks.designs own-runs      this design alone; the others stay as they were measured

Writes `results/designs.json` and the tables of `calibration.md`. Every replicate has a random stream of
its own, so that numbers depend on the seed alone.
"""

from __future__ import annotations

import argparse
import json
import math
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np
from benchmarks import average_designs, battle_designs, joint_designs, unpaired_designs
from benchmarks.tables import markdown

from outscore.core.metric import AdditiveMetric
from outscore.core.numeric import Array
from outscore.core.options import OptionValue
from outscore.core.rows import PairedScores, Runs
from outscore.inference.base.differences import item_scores, skew_warning
from outscore.inference.base.entry import NoSpreadError
from outscore.inference.base.own_score import OwnRows, own_intervals
from outscore.inference.base.question import TestRequest
from outscore.inference.describe.curves import runs_curve
from outscore.inference.registry import TESTS
from outscore.inference.runs import exchange_of
from outscore.inference.two_way import two_way_of_means
from outscore.laws import t_quantile
from outscore.metrics.registry import resolve
from outscore.results.pvalue import Interval
from outscore.scores.system import Labels, Scores
from outscore.workflows.requests.rank import ScoreRequest
from outscore.workflows.score.run import run as run_score
from outscore.workflows.systems import Systems

__all__ = ["DESIGNS", "Cell", "main", "measure", "page"]

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "benchmarks" / "results" / "designs.json"
PAGE = ROOT / "benchmarks" / "calibration.md"
BEGIN, END = "<!-- designs: begin -->", "<!-- designs: end -->"
SEED = 2_025
REPLICATES = {"clusters": 2_000, "flips": 300, "own": 2_000, "ratios": 300, "skewness": 300, "own-runs": 1_000, "gate": 2_000}
REPLICATES |= {"battles": 2_000, "strengths": 2_000, "battle-tests": 2_000, "labels": 4_000, "judges": 2_000}
REPLICATES |= {"these-items": 1_000, "pass@K": 400}
REPLICATES |= {"unpaired": 2_000, "unpaired-shares": 1_000, "unpaired-spreads": 1_000, "whole-runs": 2_000}
REPLICATES |= {"unpaired-gate": 2_000, "joint": 1_000, "single-runs": 2_000, "items-and-runs": 2_000, "unequal-prompts": 1_000}
REPLICATES |= {"codings": 2_000, "macro": 400}
"""A share near .05 is known to within .01 from 2,000 replicates, .014 from 1,000, .022 from 400 and .025 from 300."""
RESAMPLES = 399
PARTS = 24
ALPHA = 0.05
QUALITY = (0.8, 0.95)
"""Sensitivity and specificity of a classifier."""


@dataclass(frozen=True)
class Cell:
    """One number of a table: how often something happened."""

    table: str
    row: str
    column: str
    share: float


Counts = dict[tuple[str, str, str], tuple[int, int]]
Look = tuple[str, str, str, bool | None]
"""Table, row, column, and whether it happened; None where it could not."""
Design = Callable[[np.random.Generator], Iterator[Look]]
"""One replicate."""


def measure(name: str, replicates: range) -> Counts:
    """How often everything happened in these replicates of a design."""
    counts: Counts = {}
    for replicate in replicates:
        rng = np.random.default_rng([SEED, list(DESIGNS).index(name), replicate])
        for table, row, column, happened in DESIGNS[name](rng):
            times, looks = counts.get((table, row, column), (0, 0))
            if happened is not None:
                counts[table, row, column] = times + happened, looks + 1
    return counts


def _rejects(test: str, d: Array, clusters: Array | None = None, **options: OptionValue) -> bool:
    """Whether a test rejects a mean difference of 0; the permutation test on a grid a thirtieth of the spread wide."""
    metric, a, b = resolve("mean", d, np.zeros_like(d))
    pairs = PairedScores(a, b, 1, None, None if clusters is None else Labels.of(clusters).codes)
    entry = TESTS[test]
    defaults = {option.name: option.default for option in entry.options}
    request = TestRequest(options={**defaults, "resamples": RESAMPLES, **options}, interval=False)
    return (entry.simulated or entry.run)(pairs, metric, request).p.value <= ALPHA


SIZES: dict[str, Callable[[int, np.random.Generator], Array]] = {
    "of 10 items": lambda groups, _: np.full(groups, 10),
    "of unequal size (lognormal)": lambda groups, rng: np.maximum(
        1, np.rint(rng.lognormal(math.log(10), 1, groups)).astype(int)
    ),
    "one of 100 items, the others of 5": lambda groups, _: np.r_[100, np.full(groups - 1, 5)],
}
GROUPS = {"of 10 items": (5, 8), "of unequal size (lognormal)": (5, 8, 15, 30), "one of 100 items, the others of 5": (8, 30)}


def clusters(rng: np.random.Generator) -> Iterator[Look]:
    """Mean difference 0, normal items, cluster effects that are a share of the variance (ICC)."""
    for kind, draw in SIZES.items():
        for groups in GROUPS[kind]:
            sizes = draw(groups, rng)
            codes = np.repeat(np.arange(groups), sizes)
            row = f"{groups} clusters {kind}"
            for icc in (0.05, 0.2, 0.5):
                effects = rng.normal(size=groups)
                d = math.sqrt(icc) * effects[codes] + math.sqrt(1 - icc) * rng.normal(size=len(codes))
                yield "clusters", row, f"student, ICC {icc:g}", _rejects("student", d, codes)
            effects = (rng.lognormal(size=groups) - math.exp(0.5)) / math.sqrt((math.e - 1) * math.e)
            d = math.sqrt(0.5) * (effects[codes] + rng.normal(size=len(codes)))
            yield "clusters", row, "student, lognormal effects", _rejects("student", d, codes)


def flips(rng: np.random.Generator) -> Iterator[Look]:
    """The same by the permutation test, half of the variance between clusters."""
    for kind, draw in SIZES.items():
        for groups in GROUPS[kind]:
            codes = np.repeat(np.arange(groups), draw(groups, rng))
            d = rng.normal(size=groups)[codes] + rng.normal(size=len(codes))
            yield "clusters", f"{groups} clusters {kind}", "permutation, ICC 0.5", _rejects("permutation", d, codes)


def own_scores(rng: np.random.Generator) -> Iterator[Look]:
    """Intervals of one system's own score."""
    for n in (20, 50, 200):
        rows, truths = _decisions(rng, n)
        for name, truth in truths.items():
            yield "own", f"{name}, 10 % positives", f"n = {n}", _holds(name, rows, truth)
        for share in (0.5, 0.9):
            right = (rng.random(n) < share).astype(int)
            yield "own", f"accuracy {share:g}", f"n = {n}", _holds("accuracy", right, share)
        yield "own", "mean of graded scores, beta(2, 1)", f"n = {n}", _holds("mean", rng.beta(2, 1, n), 2 / 3)
    for kind, share, icc in ((0, 0.5, 0.2), (0, 0.9, 0.5), (1, 0.5, 0.2), (1, 0.9, 0.2), (1, 0.9, 0.5), (1, 0.97, 0.5)):
        name = list(SIZES)[kind]
        for groups in (8, 15, 30):
            sizes, strength = SIZES[name](groups, rng), (1 - icc) / icc
            codes = np.repeat(np.arange(groups), sizes)
            rates = rng.beta(share * strength, (1 - share) * strength, groups)
            right = (rng.random(len(codes)) < rates[codes]).astype(int)
            row = f"accuracy {share:g} in clusters {name}, ICC {icc:g}"
            yield "own in clusters", row, f"{groups} clusters", _holds("accuracy", right, share, codes)


def _decisions(rng: np.random.Generator, n: int) -> tuple[Array, dict[str, float]]:
    """A classifier on 10 % positives: rows of its table, and its true scores."""
    rows = np.repeat(np.eye(4, dtype=int), rng.multinomial(n, _table(*QUALITY)), axis=0)
    names = ("balanced-accuracy", "macro-f1", "mcc", "kappa", "f1", "precision")
    return rows, {name: _true_score(name, *QUALITY) for name in names}


def _table(sensitivity: float, specificity: float) -> list[float]:
    """The probabilities of tp, fp, fn and tn with 10 % positives."""
    return [0.1 * sensitivity, 0.9 * (1 - specificity), 0.1 * (1 - sensitivity), 0.9 * specificity]


def _true_score(name: str, sensitivity: float, specificity: float) -> float:
    whole = np.rint(np.array(_table(sensitivity, specificity)) * 1e6).astype(int)[None]
    metric, own, _ = resolve(name, whole, whole)
    return float(metric.score(own[0]))


def _holds(name: str, rows: Array, truth: float, codes: Array | None = None) -> bool:
    metric, own, _ = resolve(name, rows, rows)
    low, high = own_intervals([OwnRows(own, own, codes)], metric)[0]
    return low is not None and high is not None and low <= truth <= high


def ratios(rng: np.random.Generator) -> Iterator[Look]:
    """Level of the permutation test for two classifiers of one quality, coverage of its interval for two that differ."""
    run = TESTS["permutation"].run
    better = (0.9, 0.97)
    for n in (20, 50, 200):
        gold = rng.random(n) < 0.1
        weak, same, strong = (_answers(rng, gold, *quality) for quality in (QUALITY, QUALITY, better))
        for name in ("f1", "precision", "macro-f1", "balanced-accuracy", "mcc"):
            metric, a, b = resolve(name, weak, same)
            request = TestRequest(options={"method": "auto", "resamples": RESAMPLES})
            level = run(PairedScores(a, b), metric, replace(request, interval=False)).p.value <= ALPHA
            yield "ratios", name, f"level, n = {n}", level
            metric, a, b = resolve(name, strong, weak)
            truth = _true_score(name, *better) - _true_score(name, *QUALITY)
            interval = run(PairedScores(a, b), metric, request).interval
            yield "ratios", name, f"coverage, n = {n}", None if interval is None else _within(interval, truth)


def _answers(rng: np.random.Generator, gold: Array, sensitivity: float, specificity: float) -> Array:
    """A classifier's decisions as rows of its table."""
    answers = np.where(gold, rng.random(len(gold)) < sensitivity, rng.random(len(gold)) > specificity)
    return np.stack([gold & answers, ~gold & answers, gold & ~answers, ~gold & ~answers], axis=1).astype(int)


def _within(interval: Interval, truth: float) -> bool:
    low, high = interval.low, interval.high
    return low is not None and high is not None and low <= truth <= high


def skewness(rng: np.random.Generator) -> Iterator[Look]:
    """Mean difference 0, gamma differences of skewness γ (shape 4/γ²): levels, and how often the warning speaks."""
    for gamma in (0, 1, 2, 4, 6):
        for n in (20, 50, 200):
            shape = 4 / gamma**2 if gamma else 0.0
            d = (rng.gamma(shape, size=n) - shape) / math.sqrt(shape) if gamma else rng.normal(size=n)
            row = f"{gamma}, n = {n}"
            yield "skewness", row, "permutation", _rejects("permutation", d)
            yield "skewness", row, "student", _rejects("student", d)
            yield "skewness", row, "bootstrap-t", _rejects("bootstrap-t", d)
            yield "skewness", row, "bootstrap-t, equal-tailed", _rejects("bootstrap-t", d, interval="equal-tailed")
            metric, a, b = resolve("mean", d, np.zeros_like(d))
            yield "skewness", row, "warned", skew_warning(item_scores(PairedScores(a, b), metric, "student")) is not None


def own_runs(rng: np.random.Generator) -> Iterator[Look]:
    """Intervals of one system's own score over new items and new runs: right-or-wrong items of logit N(1.2, 1.5²)."""
    for n, runs in ((100, 3), (1000, 3), (1000, 5), (1000, 2)):
        for sd in (0.0, 0.1, 0.2):
            ease, luck = rng.normal(1.2, 1.5, n), rng.normal(0.0, sd, runs)
            right = (rng.random((n, runs)) < 1 / (1 + np.exp(-(ease[:, None] + luck)))).astype(int)
            table = Scores(
                "system",
                right.ravel(),
                Labels(np.repeat(np.arange(n), runs), tuple(map(str, range(n)))),
                Labels(np.tile(np.arange(runs), n), tuple(map(str, range(runs)))),
            )
            for population in ("items-and-runs", "items"):
                system = run_score(ScoreRequest(population=population, repeats="runs"), Systems.of([table])).systems[0]
                assert system.low is not None and system.high is not None  # noqa: PT018
                holds = system.low <= _true_rate(sd) <= system.high
                yield "own-runs", f"{n:,} items, {runs} runs", f"{population}, sd {sd:g}", holds


@cache
def _true_rate(sd: float) -> float:
    """The expected score over new items and new runs, by quadrature."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(101)
    logits = 1.2 + math.hypot(1.5, sd) * nodes
    return float((weights / (1 + np.exp(-logits))).sum() / weights.sum())


GATES: dict[str, tuple[int, float, float]] = {
    "right or wrong, 10 % differ": (200, 0.1, 0.05),
    "right or wrong, 1 % differ": (200, 0.01, 0.02),
    "right or wrong, 4 % differ": (1000, 0.04, 0.02),
    "right or wrong, 20 % differ": (50, 0.2, 0.1),
    "graded, noise, few": (20, 0.1, 0.1),
    "graded, noise": (200, 0.2, 0.05),
    "graded, rare crashes, few": (20, 0.0, 0.05),
    "graded, rare crashes": (100, 0.0, 0.01),
    "graded, crashes": (200, 0.0, 0.02),
    "graded, crashes, many": (1000, 0.0, 0.01),
    "graded, crashes of clusters": (200, 0.0, 0.02),
    "F1, crashes": (300, 0.0, 0.02),
    "macro-F1, crashes": (300, 0.0, 0.05),
}
"""Items, the share that differ or the sd of the noise, and the margin. A crash costs the whole score of an item."""
GRADES = (0.25, 0.5, 0.75, 1.0)
CLASSES = (0.5, 0.3, 0.2)


def gate(rng: np.random.Generator) -> Iterator[Look]:
    """How often a gate fails a candidate that is as good as the baseline, and passes one that is worse by the margin."""
    for row, (n, spread, margin) in GATES.items():
        for truth, column in ((0.0, "as good"), (-margin, "worse by the margin")):
            pairs, metric, test = _gated(rng, row, n, spread, truth)
            own = {"method": "auto"} if test == "permutation" else {"interval": "symmetric"}
            request = TestRequest(options={"resamples": RESAMPLES, **own}, interval=False)
            question = replace(request, alternative="greater", delta=-margin)
            name = f"{row}, n = {n:,}, margin {margin:g}"
            passes = _rejects_shifted(test, pairs, metric, question)
            yield "gate", name, f"{column}: passes", passes
            assumed = replace(question, assume="symmetric")
            yield "gate", name, f"{column}: passes, symmetry assumed", _rejects_shifted(test, pairs, metric, assumed)
            fails = _rejects_shifted(test, pairs, metric, replace(request, alternative="less"))
            yield "gate", name, f"{column}: fails", fails and not passes


def _rejects_shifted(test: str, pairs: PairedScores, metric: AdditiveMetric, request: TestRequest) -> bool:
    try:
        return TESTS[test].run(pairs, metric, request).p.upper <= ALPHA
    except NoSpreadError:
        return False


def _gated(rng: np.random.Generator, row: str, n: int, spread: float, truth: float) -> tuple[PairedScores, AdditiveMetric, str]:
    """A baseline, and a candidate whose true lead is `truth`; the metric, and the test that a gate uses."""
    if row.startswith("right"):
        # A loss of more than what differs takes items that differ more.
        differ = max(spread, -1.2 * truth)
        d = rng.choice([1, -1, 0], n, p=[(differ + truth) / 2, (differ - truth) / 2, 1 - differ])
        metric, own, other = resolve("mean", (d == 1).astype(int), (d == -1).astype(int))
        return PairedScores(own, other), metric, "permutation"
    if "F1" in row:
        return _crashing_labels(rng, row, n, truth)
    if "noise" in row:
        # In whole hundredths, and far enough from both ends.
        base = np.full(n, 0.5)
        new = np.rint(100 * np.clip(base + truth + rng.normal(0, spread, n), 0, 1)) / 100
        clusters = None
    else:
        base = rng.choice(GRADES, n)
        size = 5 if "clusters" in row else 1
        crashed = np.repeat(rng.random(n // size) < -truth / np.mean(GRADES), size)
        new = np.where(crashed, 0.0, base)
        clusters = None if size == 1 else np.repeat(np.arange(n // size), size)
    metric, own, other = resolve("mean", new, base)
    return PairedScores(own, other, clusters=clusters), metric, "permutation"


def _crashing_labels(rng: np.random.Generator, row: str, n: int, truth: float) -> tuple[PairedScores, AdditiveMetric, str]:
    """Entities of documents with 1, 10 or 20 of them, or labels of three classes; crashes cost the margin on average."""
    if row.startswith("F1"):
        size = rng.choice([1, 10, 20], n)
        found = rng.binomial(size, 0.8)
        base = np.stack([found, rng.binomial(size, 0.15), size - found], axis=1)

        def after(q: float) -> float:
            hits = 0.8 * (1 - q)
            return 2 * hits / (2 * hits + 0.15 + 1 - hits)

        crashed = rng.random(n) < _share_of_crashes(after, truth)
        new = np.where(crashed[:, None], base @ np.array([[0, 0, 1], [0, 1, 0], [0, 0, 1]]), base)
        metric, own, other = resolve("f1", new, base)
        return PairedScores(own, other), metric, "bootstrap"
    gold = rng.choice(3, n, p=CLASSES)
    said = np.where(rng.random(n) < 0.85, gold, rng.choice(3, n, p=CLASSES))
    one_hot = np.eye(3, dtype=int)
    base = np.concatenate([one_hot[gold] * (gold == said)[:, None], one_hot[said], one_hot[gold]], axis=1)
    right = 0.85 + 0.15 * np.array(CLASSES)
    crashed = rng.random(n) < _share_of_crashes(lambda q: float(((1 - q) * right).mean()), truth)
    new = base.copy()
    new[crashed, :3] = 0
    metric, own, other = resolve("macro-f1", new, base)
    return PairedScores(own, other), metric, "bootstrap"


def _share_of_crashes(after: Callable[[float], float], truth: float) -> float:
    """The share of crashes after which the score has fallen by -truth, by bisection."""
    low, high = 0.0, 1.0
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if after(middle) > after(0.0) + truth else (low, middle)
    return low


RATES: dict[str, tuple[float, float]] = {"any": (1.0, 1.0), "mostly 0 or 1": (0.12, 0.12)}
"""Shapes of the beta distribution that items' rates of right runs come from."""


def these_items(rng: np.random.Generator) -> Iterator[Look]:
    """New runs of the same items: level where both systems have the same rates, coverage where each has its own."""
    for n, first, second in ((15, 4, 4), (15, 2, 2), (100, 3, 3), (30, 16, 16), (30, 8, 4)):
        row = f"{n} items, {first} and {second} runs"
        for name, shape in RATES.items():
            same, other = rng.beta(*shape, n), rng.beta(*shape, n)
            for rates, column in ((same, "same rates: rejects"), (other, "own rates: holds")):
                exchange = exchange_of(_runs(rng, same, first), _runs(rng, rates, second))
                p = exchange.p()
                if rates is same:
                    yield "these-items", row, f"{column}, rates {name}", p.value <= ALPHA
                    own = exchange.own(ALPHA)
                    holds = None if own is None else own[0][0] <= float(same.mean()) <= own[0][1]
                    yield "these-items", row, f"own score: holds, rates {name}", holds
                else:
                    interval = exchange.interval(TestRequest(alpha=ALPHA), p)
                    holds = None if interval is None else _within(interval, float((same - other).mean()))
                    yield "these-items", row, f"{column}, rates {name}", holds


SINGLE: dict[str, Callable[[np.random.Generator, int], tuple[Array, Array]]] = {
    "A .5, B .95": lambda _, n: (np.full(n, 0.5), np.full(n, 0.95)),
    "A .3 to .7, B .02 or .98": lambda rng, n: (rng.uniform(0.3, 0.7, n), rng.choice([0.02, 0.98], n)),
    "A .95, B .5": lambda _, n: (np.full(n, 0.95), np.full(n, 0.5)),
    "any rates of their own": lambda rng, n: (rng.random(n), rng.random(n)),
}


def items_and_runs(rng: np.random.Generator) -> Iterator[Look]:
    """Few right-or-wrong items of logit N(1.2, 1.5²) and few runs that span them: levels, and power with and without runs."""
    for n in (10, 20, 50):
        for runs in (2, 3, 5, 10):
            row = f"{n} items, {runs} runs"
            lead = 10 / math.sqrt(n * runs)
            designs = {
                "rejects, runs alike": _crossed_runs(rng, n, runs),
                "rejects, items differ by system": _crossed_runs(rng, n, runs, by_system=1.5),
                "rejects, run effects .5": _crossed_runs(rng, n, runs, effects=(0.5, 0.5)),
                "rejects, run effects 1 in A": _crossed_runs(rng, n, runs, effects=(1.0, 0.0)),
                "power": _crossed_runs(rng, n, runs, lead=lead),
            }
            for column, (a, b) in designs.items():
                test = two_way_of_means(a, b)
                if not test.error:
                    continue
                yield "items-and-runs", row, column, test.p().value <= ALPHA
                if column == "power":
                    reach = t_quantile(n - 1, ALPHA) * math.sqrt(test.items.variance)
                    yield "items-and-runs", row, "power of items alone", abs(test.difference) > reach > 0


def _crossed_runs(
    rng: np.random.Generator,
    n: int,
    runs: int,
    *,
    effects: tuple[float, float] = (0.0, 0.0),
    by_system: float = 0.0,
    lead: float = 0.0,
) -> tuple[Array, Array]:
    """Right-or-wrong scores of items by runs, with effects of whole runs, of items on one system, and a lead of A in logits."""
    ease, taste = rng.normal(1.2, 1.5, (n, 1)), rng.normal(0, by_system, (n, 1))
    logits = (ease + shift + rng.normal(0, sd, runs) for shift, sd in zip((taste + lead, -taste), effects, strict=True))
    a, b = ((rng.random((n, runs)) < 1 / (1 + np.exp(-logit))).astype(float) for logit in logits)
    return a, b


def single_runs(rng: np.random.Generator) -> Iterator[Look]:
    """New runs of the same items, of which A has one and B several."""
    for n, runs in ((30, 4), (100, 8)):
        for row, rates in SINGLE.items():
            a, b = rates(rng, n)
            exchange = exchange_of(_runs(rng, a, 1), _runs(rng, b, runs))
            interval, own = exchange.interval(TestRequest(alpha=ALPHA), exchange.p()), exchange.own(ALPHA)
            holds = None if interval is None else _within(interval, float((a - b).mean()))
            yield "single runs", row, f"{n} items, 1 and {runs} runs: difference", holds
            holds = None if own is None else own[0][0] <= float(a.mean()) <= own[0][1]
            yield "single runs", row, f"{n} items, 1 and {runs} runs: own score of A", holds


def pass_curve(rng: np.random.Generator) -> Iterator[Look]:
    """The band of the difference in pass@K over K = 1 … n: new items, A's rates above B's."""
    for n, runs in ((15, 4), (50, 5), (200, 8)):
        a, b = _leading(rng, n)
        curve = runs_curve((_runs(rng, a, runs), _runs(rng, b, runs)), seed=int(rng.integers(2**32)))
        assert curve is not None
        truth = _true_curve(runs)
        held = [point.low <= x <= point.high for point, x in zip(curve.points, truth, strict=True)]
        yield "pass@K", f"{n} items, {runs} runs", "at K = 1", held[0]
        yield "pass@K", f"{n} items, {runs} runs", "at all K at once", all(held)


def _runs(rng: np.random.Generator, rates: Array, runs: int) -> Runs:
    n = len(rates)
    return Runs((rng.random((n, runs)) < rates[:, None]).astype(int).ravel(), np.repeat(np.arange(n), runs))


def _leading(rng: np.random.Generator, n: int) -> tuple[Array, Array]:
    first = rng.beta(0.6, 0.5, n)
    return first, np.clip(first - rng.beta(1, 8, n), 0, 1)


@cache
def _true_curve(runs: int) -> tuple[float, ...]:
    a, b = _leading(np.random.default_rng(SEED), 1_000_000)
    return tuple(float(((1 - b) ** k - (1 - a) ** k).mean()) for k in range(1, runs + 1))


DESIGNS: dict[str, Design] = {
    "clusters": clusters,
    "flips": flips,
    "own": own_scores,
    "ratios": ratios,
    "skewness": skewness,
    "own-runs": own_runs,
    "gate": gate,
    "battles": battle_designs.win_rate,
    "strengths": battle_designs.strengths,
    "battle-tests": battle_designs.tests,
    "labels": battle_designs.labels,
    "judges": battle_designs.agreement,
    "these-items": these_items,
    "pass@K": pass_curve,
    "unpaired": unpaired_designs.numbers,
    "unpaired-shares": unpaired_designs.shares,
    "unpaired-spreads": unpaired_designs.spreads,
    "whole-runs": unpaired_designs.whole_runs,
    "unpaired-gate": unpaired_designs.gate,
    "joint": joint_designs.together,
    "single-runs": single_runs,
    "items-and-runs": items_and_runs,
    "unequal-prompts": battle_designs.unequal,
    "codings": average_designs.codings,
    "macro": average_designs.macro,
}
TITLES = {
    "clusters": ("Clusters: type-I error at α = .05", "clusters"),
    "own": ("A system's own score: coverage of the 95 % interval", "score"),
    "codings": ("Right-or-wrong items written as other numbers: coverage of the 95 % intervals", "right and wrong"),
    "macro": ("Macro averages over datasets: type-I error at α = .05, and the 95 % interval", "datasets"),
    "own in clusters": ("The same with right-or-wrong items in clusters", "score"),
    "own-runs": ("The same over new items and new runs, run effects of sd 0, .1 and .2 on the logit scale", "items and runs"),
    "ratios": ("Ratio metrics, 10 % positives: the permutation test and its centred-bootstrap interval", "metric"),
    "gate": ("Gates: how often they pass and fail, α = .05 one-sided", "items"),
    "these-items": ("New runs of these items: type-I error at α = .05, and coverage of the 95 % interval", "items and runs"),
    "single runs": (
        "One run of these items against several: coverage of the 95 % intervals",
        "rates",
    ),
    "items-and-runs": ("Few items and few runs that span them: type-I error and power at α = .05, two-way", "items and runs"),
    "pass@K": ("The difference in pass@K over K: coverage of the 95 % band", "items and runs"),
    "whole-runs": ("Whole runs exchanged: type-I error at α = .05, and coverage of the 95 % interval", "run scores"),
    "unpaired": ("Different items: type-I error at α = .05, and coverage of the 95 % intervals", "scores, items"),
    "unpaired shares": ("Different right-or-wrong items: the same", "items and rates"),
    "unpaired spreads": ("Different items of equal means, unequal sizes and spreads: rejections at α = .05", "items"),
    "unpaired gate": ("Gates of different items: how often they pass and fail, α = .05 one-sided", "items"),
    "joint": ("All systems at once, `rank --joint`: coverage of all 95 % intervals of pairs together", "items"),
    "skewness": ("Few and skewed items: type-I error at α = .05, and how often the result warns", "skewness, items"),
    "battles": ("Battles: coverage of the 95 % interval of a win rate", "prompts"),
    "strengths": ("Battles of six systems: coverage of the 95 % interval of a strength", "prompts"),
    "unequal prompts": ("Strengths with unequal numbers of battles on prompts: coverage, level and family error", "prompts"),
    "battle tests": ("Tests of battles: type-I error at α = .05", "prompts"),
    "labels": ("A judge on 1,000 prompts, people on some: coverage of the interval of people's win rate", "labels"),
    "judges": ("Agreement of judges: coverage of the 95 % interval", "prompts"),
}
ABOUT = {
    "clusters": "Lognormal cluster effects are out of bounds for all sizes; the result warns of skewness there.",
    "own": "Tables of decisions are padded by one in every cell and cover a little more than 95 % near the ends of the range.",
    "codings": "A is right on 95 % of the items, B on 85 %. In samples of one value, only 0 or 1 tells what the other is.",
    "macro": "The interval inverts the test, and so never disagrees with it; discrete tests stay below α.",
    "own in clusters": "Nearly perfect scores in unequal clusters are the hard case: a sample has few clusters with errors.",
    "own-runs": "Intervals that ignore new runs miss the score of a newly trained system; two runs say little about runs.",
    "ratios": "Samples without an interval are left out. It is too short for few units or positives; below 50 a note says so.",
    "gate": "Passing a system worse by the margin, and failing one as good, are errors; the rest is inconclusive.",
    "these-items": "With equal numbers of runs the test is conservative; the interval is stretched to agree with it about 0.",
    "single runs": "Items that A ran once count with their spread, which contains the noise within; A has Wilson's interval.",
    "items-and-runs": "Effects are sd on the logit scale; power is against a lead of 10/√(items × runs) where runs are alike.",
    "pass@K": "The band is for all K at once, so it covers more often at a single K.",
    "whole-runs": "Both are exact, so few runs, with few divisions, stay below the level and above the coverage.",
    "unpaired": "Scores have one decimal. Welch assumes normal means, which those of few skewed items are not.",
    "unpaired shares": "Fisher's test is discrete, and the interval is moved to agree with it about 0.",
    "unpaired spreads": "Divisions test for one distribution, and these are two: the report warns and shows Welch's test too.",
    "unpaired gate": "Passing a system worse by the margin, and failing one as good, are errors.",
    "joint": "True scores are evenly spaced, and items are equally hard for all; 999 resamples of items, or of whole clusters.",
    "skewness": "Below 25 γ² items (γ estimated from the data) the result warns beside its verdict.",
    "battles": "Two votes in both orders on each prompt, which has a taste of its own. Rows alone: votes taken as independent.",
    "strengths": "One prompt left out at a time, with t; by rows, votes count as independent.",
    "unequal prompts": "Five systems, eight on prompts of lognormal size; level and family error where all are equally strong.",
    "battle tests": "Exact tests are discrete and stay below α. In fixed orders, being shown first is worth 1 in log-odds.",
    "labels": "The judge is right on 80 or 95 % of the prompts; its weight for a prompt is fitted to the other labels.",
    "judges": "Prompts of four equally hard items; the jackknife leaves out one prompt at a time.",
}


def page(cells: list[Cell], replicates: dict[str, int]) -> str:
    """The second part of the documentation page."""
    counts = ", ".join(f"{number:,} ({name})" for name, number in replicates.items())
    parts = [f"Replicates: {counts}; seed {SEED}, {RESAMPLES} resamples where the test resamples."]
    for table, (title, first) in TITLES.items():
        here = [cell for cell in cells if cell.table == table]
        columns = list(dict.fromkeys(cell.column for cell in here))
        shares = {(cell.row, cell.column): cell.share for cell in here}
        rows = [(row, *(_decimal(shares[row, c]) for c in columns)) for row in dict.fromkeys(cell.row for cell in here)]
        parts.append(f"### {title}\n\n{markdown((first, *columns), rows)}\n\n{ABOUT[table]}")
    return "\n\n".join(parts)


def _decimal(x: float) -> str:
    return f"{x:.3f}".removeprefix("0")


def main() -> None:
    """Measure, and write results and page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=1)
    parser.add_argument("designs", nargs="*", choices=[*DESIGNS, []], default=[])
    options = parser.parse_args()
    wanted = options.designs or list(DESIGNS)
    replicates = {name: options.times * number for name, number in REPLICATES.items()}
    tasks = [(name, range(k, replicates[name], PARTS)) for name in wanted for k in range(PARTS)]
    totals: Counts = {}
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        for counts in pool.map(measure, *zip(*tasks, strict=True)):
            for key, (times, looks) in counts.items():
                before = totals.get(key, (0, 0))
                totals[key] = before[0] + times, before[1] + looks
    cells = [Cell(*key, times / looks) for key, (times, looks) in totals.items()]
    if options.designs:
        new = {cell.table for cell in cells}
        kept = [Cell(**cell) for cell in json.loads(RESULTS.read_text(encoding="utf-8"))]
        cells = [*(cell for cell in kept if cell.table not in new), *cells]
    RESULTS.write_text(json.dumps([asdict(cell) for cell in cells], indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    whole = PAGE.read_text(encoding="utf-8")
    above, below = whole.split(BEGIN)[0], whole.split(END)[1]
    PAGE.write_text(f"{above}{BEGIN}\n{page(cells, replicates)}\n{END}{below}", encoding="utf-8")


if __name__ == "__main__":
    main()
