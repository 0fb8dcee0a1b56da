"""Rankings whose numbers belong together: simulated scores, a normal test of every pair, Holm over those that share items."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache
from itertools import combinations

import numpy as np

from outscore.inference.families import adjust
from outscore.inference.leaderboard import Groups, groups_of
from outscore.results.design import Family
from outscore.results.note import Note, Signature
from outscore.results.ranking import (
    Coverage,
    CriticalDifference,
    PairCounts,
    PairP,
    RankedPair,
    RankedSystem,
    Ranking,
    Replicated,
    Standing,
)

ALPHA = 0.05
OF_STANDING = ("metric", "higher", "baseline", "keep_pairs", "test", "kernel")
HOSTILE = "<script>document.title='x'</script>\"A\" & 'a' |_%\x1b[31m"
LONG = "a-model-with-a-name-that-says-everything-about-how-it-was-trained-2024-11-16-instruct-32k-q4"
CHINESE = "一个名字很长的中文大语言模型"
MT = (
    "SogouKnowing-nmt",
    "uedin-nmt",
    "xmunmt",
    "online-B",
    "online-A",
    "NRC",
    "jhu-nmt",
    "afrl-mitll-opennmt",
    "CASICT-cons",
    "ROCMT",
    "Oregon-State-Uni-S",
    "PROMT-SMT",
    "NMT-Model-Average-Multi-Cards",
    "UU-HNMT",
    "online-F",
    "online-G",
)


def simulate(k: int, n: int, *, seed: int = 1, spread: float = 0.02, base: float = 0.5, missing: float = 0.0) -> np.ndarray:
    """(k, n) scores, the first system best in truth; some items are missing at random."""
    random = np.random.default_rng(seed)
    items = random.normal(0.0, 0.15, n)
    scores = base - spread * np.arange(k)[:, None] + items + random.normal(0.0, 0.2, (k, n))
    scores[random.random((k, n)) < missing] = np.nan
    return scores


def _pair(scores: np.ndarray, names: list[str], i: int, j: int) -> RankedPair:
    d = scores[i] - scores[j]
    d = d[~np.isnan(d)]
    if not len(d):
        return RankedPair((names[i], names[j]), 0, None, None, None, PairP(1.0, 0.0, "exact"), "They share no item.")
    mean, error = float(d.mean()), float(d.std(ddof=1)) / math.sqrt(len(d))
    p = max(math.erfc(abs(mean / error) / math.sqrt(2)), 5e-324) if error else 1.0
    ends = (mean - 1.96 * error, mean + 1.96 * error)
    return RankedPair((names[i], names[j]), len(d), mean, *ends, PairP(p, math.log10(p), "exact"))


def _better(pairs: list[RankedPair], names: list[str], *, higher: bool) -> np.ndarray:
    better = np.zeros((len(names), len(names)), dtype=bool)
    for pair in pairs:
        if pair.p.adjusted is not None and pair.p.adjusted <= ALPHA:
            i, j = (names.index(s) for s in pair.systems)
            better[(i, j) if (pair.difference > 0) == higher else (j, i)] = True
    return better


def _placed(scores: np.ndarray, names: list[str], better: np.ndarray, groups: Groups) -> list[RankedSystem]:
    whole = np.nanmean(scores)
    placed = []
    for i, (system, row) in enumerate(zip(names, scores, strict=True)):
        n, mean = int((~np.isnan(row)).sum()), float(np.nanmean(row))
        reach = 1.96 * float(np.nanstd(row)) / math.sqrt(n)
        ranks = (1 + int(better[:, i].sum()), len(names) - int(better[i].sum()))
        advantage = float(mean - whole) if np.isnan(scores).any() else None
        placed.append(RankedSystem(system, mean, mean - reach, mean + reach, *ranks, n, groups.letters[i], advantage))
    return placed


def make_standing(
    scores: np.ndarray, names: list[str], *, name: str | None = None, metric: str = "accuracy", **more
) -> Standing:
    """The systems in order, tested pair by pair. `baseline` tests against one; `keep_pairs=False` keeps only counts."""
    higher, baseline = more.get("higher", True), more.get("baseline")
    values = np.nanmean(scores, axis=1) * (1 if higher else -1)
    order = np.argsort(-values, kind="stable")
    scores, names = scores[order], [names[i] for i in order]
    at = None if baseline is None else names.index(baseline)
    chosen = combinations(range(len(names)), 2) if at is None else ((i, at) for i in range(len(names)) if i != at)
    raw = [_pair(scores, names, i, j) for i, j in chosen]
    tested = [pair for pair in raw if pair.n]
    adjusted = dict(zip((p.systems for p in tested), adjust([p.p.value for p in tested], "holm").tolist(), strict=True))
    method = "monte-carlo" if more.get("kernel", "").startswith("shared") else "exact"
    pairs = [replace(p, p=replace(p.p, adjusted=adjusted.get(p.systems), method=method)) for p in raw]
    better = _better(pairs, names, higher=higher)
    groups = Groups([], [""] * len(names)) if at is not None else groups_of(better)
    placed = _placed(scores, names, better, groups)
    significant = int(better.sum())
    return Standing(
        name,
        metric,
        higher,
        scores.shape[1],
        list(names),
        placed,
        pairs if more.get("keep_pairs", True) else [],
        PairCounts(len(pairs), len(tested), significant),
        [[names[i] for i in members] for members in groups.members],
        "advantage" if np.isnan(scores).any() else "score",
        more.get("test", "permutation"),
        more.get("kernel", "binomial"),
        "Student's t on the items",
    )


def make_ranking(scores: np.ndarray, names, *, datasets: list[Standing] | None = None, **more) -> Ranking:
    """A whole result around a standing."""
    baseline = more.get("baseline")
    top = make_standing(scores, list(names), **{key: more.pop(key) for key in OF_STANDING if key in more})
    leader = top.scores[0]
    ahead = len(names) - leader.rank_high
    sharing = [s for s in next((g for g in top.groups if leader.system in g), []) if s != leader.system]
    tied = f"; it cannot be told apart from {' and '.join(sharing[:2])}" if sharing else ""
    said = f"{top.metric} {leader.value:.4f}, significantly better than {ahead} of {len(names) - 1} systems{tied}"
    missing = int(np.isnan(scores).sum())
    fields = {name: getattr(top, name) for name in Standing.__dataclass_fields__ if name != "notes"}
    found = Ranking(
        **fields,
        correction="holm",
        family=Family("holm", "FWER", top.counts.testable),
        coverage=Coverage(len(names), scores.shape[1], missing, duplicates=590 if missing else 0),
        alpha=ALPHA,
        baseline=baseline,
        verdict=f"{leader.system} leads: {said}.",
        headline=f"{leader.system} leads",
        reason=f"{said}.",
        sentence=f"Of {len(names)} systems on {top.n:,} items, {leader.system} has the best {top.metric} ({leader.value:.4f}).",
        signature=Signature.parse(
            f"rank:pairs|metric:{top.metric}|test:{top.test}|kernel:{top.kernel}|correction:holm|n:{top.n}|alpha:0.05|outscore:0"
        ),
        settings={"test": top.test, "correction": "holm", "alpha": ALPHA, "seed": 0, "versions": {"outscore": "0"}},
        datasets=datasets or [],
    )
    return replace(found, **more)


def sixteen() -> Ranking:
    """A shared task: 16 systems with overlapping groups."""
    notes = [Note("data", "The interval of a score is that of the system alone; pairs have intervals of their own.")]
    return make_ranking(
        simulate(16, 1500, seed=4, spread=0.006, base=0.3), MT, metric="bleu", kernel="shared flips", notes=notes
    )


def ninety_three() -> Ranking:
    """An incomplete leaderboard: some pairs share nothing, the order is by advantage."""
    scores = simulate(93, 400, seed=5, spread=0.004, base=0.7, missing=0.1)
    scores[88:, :200] = np.nan
    scores[80:88, 200:] = np.nan
    names = [
        f"{('oak', 'birch', 'chestnut', 'elm', 'hawthorn')[i % 5]}-{i // 5 + 1}-{('mini', 'large', 'instruct')[i % 3]}"
        for i in range(93)
    ]
    return make_ranking(scores, names, notes=[Note("data", "590 repeated rows were averaged.")])


def two_hundred() -> Ranking:
    """So many pairs over datasets that only their counts are kept."""
    names = [f"system-{i:03}" for i in range(200)]
    found = make_ranking(simulate(200, 200, seed=9), names, keep_pairs=False)
    parts = [replace(found.standing, name=f"task-{d}") for d in range(3)]
    return replace(found, name="macro average", datasets=parts, datasets_family=Family("holm", "FWER", 59_700))


def several_datasets() -> Ranking:
    """Five systems on four datasets, with further metrics, replicability and a critical-difference diagram."""
    names = ["north", "south", "east", "west", "centre"]
    sets = ("news", "law", "chat", "medicine")
    parts = [make_standing(simulate(5, 300, seed=20 + i, spread=0.015), names, name=s) for i, s in enumerate(sets)]
    top = make_ranking(simulate(5, 1200, seed=19, spread=0.015), names, datasets=parts, name="macro average")
    pairs = [(a, b) for a, b in combinations(top.systems, 2)]
    again = [
        Replicated(p, 4, max(4 - i // 2, 0), min(4, max(4 - i // 3, 0)), list(sets[: max(4 - i // 2, 0)]))
        for i, p in enumerate(pairs)
    ]
    ranks = {s: 1.25 + 0.8 * i for i, s in enumerate(top.systems)}
    return replace(
        top,
        datasets_family=Family("holm", "FWER", 40),
        metrics=[make_standing(-simulate(5, 1200, seed=18), names, metric="error rate", higher=False)],
        replicability=again,
        critical_difference=CriticalDifference(4, "datasets", ranks, 0.0089, 3.05, [top.systems[:4], top.systems[1:]]),
    )


def against_a_baseline() -> Ranking:
    """Eight systems, each against one of them."""
    names = ["baseline", *(f"variant {i}" for i in range(1, 8))]
    scores = simulate(8, 900, seed=30, spread=0.012)
    return make_ranking(scores[[3, 0, 1, 2, 4, 5, 6, 7]], names, baseline="baseline")


def two_systems() -> Ranking:
    """The fewest there can be."""
    return make_ranking(simulate(2, 50, seed=40, spread=0.0), ["A", "B"])


def odd_names() -> Ranking:
    """Names that would be markup, would steer a terminal, or would not fit."""
    names = [HOSTILE, LONG, CHINESE, "a_b^c{d}$e\\f~g#h", "5% & more | less"]
    parts = [make_standing(simulate(5, 80, seed=50 + i, spread=0.05), names, name=s) for i, s in enumerate((HOSTILE, CHINESE))]
    again = [Replicated((HOSTILE, LONG), 2, 1, 2, [HOSTILE]), Replicated((CHINESE, LONG), 2, 0, 0, [])]
    ranks = {s: 1.5 + i / 2 for i, s in enumerate(names)}
    return replace(
        make_ranking(simulate(5, 300, seed=49, spread=0.05), names, datasets=parts),
        notes=[Note("data", HOSTILE)],
        replicability=again,
        critical_difference=CriticalDifference(60, "items", ranks, 1e-9, 0.8, [names[:2], names[3:]]),
    )


MADE = {
    "sixteen": cache(sixteen),
    "ninety-three": cache(ninety_three),
    "two-hundred": cache(two_hundred),
    "datasets": cache(several_datasets),
    "baseline": cache(against_a_baseline),
    "two": cache(two_systems),
    "odd": cache(odd_names),
}
"""Results are frozen, so each is made once."""
