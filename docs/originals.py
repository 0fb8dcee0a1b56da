"""Where the programs behind the papers print other numbers: their rules, written anew and run beside ours.

    python docs/originals.py

`docs/build.py` puts the table into `docs/papers.md`, so that no number there is copied. The rules were read in the public
sources: rycolab/paired-perm-test and nlp-stat-test/nlp-stat-test. Random numbers are seeded; shares are rounded to what
their number of samples supports.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from fractions import Fraction
from itertools import product

import numpy as np
import scipy.stats

import outscore as osc
from outscore.inference.base.question import TestRequest
from outscore.inference.describe.effects import hedges_factor, noncentrality_limits
from outscore.inference.originals import its_units, pruned_p, sign_p, wilcoxon_p

SEED = 20
ITEMS = 30
"""Items of an example, unless it says otherwise."""

Counts = list[tuple[int, int, int, int]]
Case = tuple[str, str, str, str, str]
"""Program and number, its rule, the example, what it prints, and what is printed here."""


def table() -> str:
    """The table of the page."""
    rows = ["| program: number | its rule | example | it prints | here |", "|---|---|---|--:|--:|"]
    rows += ["| " + " | ".join(case) + " |" for case in cases()]
    return "\n".join(rows) + "\n"


def cases() -> list[Case]:
    """Every difference with an example."""
    return [
        *_dynamic_programme(),
        _ties_of_f1(),
        _many_counts(),
        _one_sided_wilcoxon(),
        _one_sided_errors(),
        _tied_ranks(),
        _sign_test(),
        _one_sided_bootstrap(),
        _hedges(),
        _median_interval(),
        _pseudomedian_interval(),
        _hedges_interval(),
        _units(),
        _bleu(),
    ]


def _dynamic_programme() -> list[Case]:
    rule = "drops sums of probability below 1e-8 at every item (commit 55fb5e3)"
    found = []
    for wins, losses in ((2115, 1885), (2300, 1700)):
        p = pruned_p(np.array([1] * wins + [-1] * losses))
        ours = float(osc.permutation_test([1] * wins + [0] * losses, [0] * wins + [1] * losses))
        off = f" ({100 * (p / ours - 1):.1f}%)" if p else ""
        example = f"{wins + losses:,} items, {wins:,} to {losses:,}"
        found.append(("paired-perm-test: p of accuracy", rule, example, f"{_p(p)}{off}", _p(ours)))
    return found


def f1_by_floats(rows: Counts) -> float:
    """Both systems' true positives and errors per item: all swaps, differences of F1 compared as floats."""
    a, b = np.array(rows)[:, :2], np.array(rows)[:, 2:]
    observed = abs(_f1(*a.sum(0)) - _f1(*b.sum(0)))
    hits = 0
    for swaps in product((False, True), repeat=len(rows)):
        swapped = np.array(swaps)[:, None]
        x, y = np.where(swapped, b, a).sum(0), np.where(swapped, a, b).sum(0)
        hits += abs(_f1(*x) - _f1(*y)) >= observed
    return hits / 2 ** len(rows)


def f1_in_fractions(rows: Counts) -> Fraction:
    """The same, in fractions."""
    total = np.array(rows).sum(0).tolist()
    observed = abs(_f1_fraction(*total[:2]) - _f1_fraction(*total[2:]))
    hits = 0
    for swaps in product((False, True), repeat=len(rows)):
        x = [sum(row[2 * swap + k] for row, swap in zip(rows, swaps, strict=True)) for k in (0, 1)]
        y = [total[k] + total[2 + k] - x[k] for k in (0, 1)]
        hits += abs(_f1_fraction(*x) - _f1_fraction(*y)) >= observed
    return Fraction(hits, 2 ** len(rows))


def _f1(right: int, wrong: int) -> float:
    return float(right / (right + 0.5 * wrong)) if right + wrong else 0.0


def _f1_fraction(right: int, wrong: int) -> Fraction:
    return Fraction(2 * right, 2 * right + wrong) if right + wrong else Fraction(0)


def _ties_of_f1() -> Case:
    random = np.random.default_rng(SEED)
    while True:
        rows: Counts = [tuple(row) for row in random.integers(0, 4, (8, 4)).tolist()]
        theirs, exact = f1_by_floats(rows), f1_in_fractions(rows)
        if theirs != exact:
            break
    ours = float(osc.compare(np.array(rows)[:, :2], np.array(rows)[:, 2:], metric="f1").p)
    if not math.isclose(ours, exact):
        raise SystemExit(f"p of F1 is {ours} here and {exact} in fractions.")
    return (
        "paired-perm-test: p of F1",
        "compares floats, so swaps that tie are lost",
        f"{len(rows)} items, all {2 ** len(rows)} swaps",
        f"{_p(theirs)}",
        f"{_p(ours)} = {exact}",
    )


DROPPED = 1e-6
"""Outcomes of F1 that paired-perm-test leaves out."""


def f1_trimmed(rows: Counts) -> float:
    """Its recursion over halves: a box of outcomes, trimmed after every product, unlikely ones left out at the end."""

    def law(part: Counts) -> tuple[np.ndarray, np.ndarray]:
        if len(part) == 1:
            (a, b, c, d) = part[0]
            low = np.array([min(a, c), min(b, d)])
            box = np.zeros(np.array([max(a, c), max(b, d)]) - low + 1)
            box[a - low[0], b - low[1]] += 0.5
            box[c - low[0], d - low[1]] += 0.5
            return box, low
        half = len(part) // 2
        (x, i), (y, j) = law(part[:half]), law(part[half:])
        box = scipy.signal.convolve(x, y)
        kept = np.argwhere(box > DROPPED)
        first, last = kept.min(0), kept.max(0) + 1
        return box[first[0] : last[0], first[1] : last[1]], i + j + first

    box, low = law(rows)
    total = np.array(rows).sum(0)
    both = total[:2] + total[2:]
    observed = abs(_f1(*total[:2]) - _f1(*total[2:]))
    p = 0.0
    for place in np.argwhere(box > DROPPED):
        x = place + low
        p += float(box[tuple(place)]) if abs(_f1(*x) - _f1(*(both - x))) >= observed else 0.0
    return p


def _many_counts() -> Case:
    random = np.random.default_rng(SEED)
    right, wrong = random.binomial(12, (0.77, 0.70), (400, 2)), random.binomial(6, 0.5, (400, 2))
    rows: Counts = [(int(a), int(c), int(b), int(d)) for (a, b), (c, d) in zip(right, wrong, strict=True)]
    ours = float(osc.compare(np.array(rows)[:, :2], np.array(rows)[:, 2:], metric="f1").p)
    theirs = f1_trimmed(rows)
    return (
        "paired-perm-test: p of F1",
        "drops outcomes of probability below 1e-6",
        "400 items, counts up to 12",
        f"{_p(theirs)} ({100 * (theirs / ours - 1):.0f}%)",
        _p(ours),
    )


def _scores() -> np.ndarray:
    """Differences like those of a normal law with mean .5 and deviation 1: its quantiles, without chance."""
    return 0.5 + scipy.stats.norm.ppf((np.arange(ITEMS) + 0.5) / ITEMS)


def signed_rank_law(n: int) -> np.ndarray:
    """P(W = w) of the signed-rank statistic, rank after rank."""
    law = np.ones(1)
    for rank in range(1, n + 1):
        law = (np.pad(law, (0, rank)) + np.pad(law, (rank, 0))) / 2
    return law


def _one_sided_wilcoxon() -> Case:
    x = _scores()
    theirs = wilcoxon_p(x, TestRequest(alternative="greater"))
    ours = float(osc.compare(x, np.zeros(ITEMS), test="wilcoxon", alternative="greater").p)
    rule = "takes the tail of the absolute deviation, whichever side is asked for"
    return ("NLPStatTest: Wilcoxon's test, `greater`", rule, f"{ITEMS} items, A better", _p(round(theirs, 5)), _p(ours))


def _one_sided_errors() -> Case:
    law = signed_rank_law(ITEMS)
    ranks = np.arange(1.0, ITEMS + 1)
    samples = [np.where(_subset(w), ranks, -ranks) for w in range(len(law))]
    less = TestRequest(alternative="less")
    theirs = sum(float(share) for share, x in zip(law, samples, strict=True) if wilcoxon_p(x, less) < 0.05)

    def ours_at(w: int) -> float:
        return float(osc.compare(samples[w], np.zeros(ITEMS), test="wilcoxon", alternative="less").p)

    ours = ours_at(bisect_right(range(len(law)), 0.05, key=ours_at) - 1)
    example = f"true null hypotheses rejected at .05, {ITEMS} items"
    return ("NLPStatTest: Wilcoxon's test, `less`", "the same", example, _share(theirs, 1), _share(ours, 1))


def _tied_ranks() -> Case:
    x = np.random.default_rng(SEED).choice([-2.0, -1.0, 1.0, 2.0, 3.0], ITEMS)
    theirs = wilcoxon_p(x, TestRequest())
    ours = float(osc.compare(x, np.zeros(ITEMS), test="wilcoxon").p)
    rule = "corrects the variance by the tied values, not by how many are tied"
    return ("NLPStatTest: Wilcoxon's test with ties", rule, f"{ITEMS} ratings", _p(round(theirs, 5)), _p(ours))


def _sign_test() -> Case:
    x = np.array([1.0] * 15 + [-1.0] * 5)
    ours = float(osc.compare(x, np.zeros(20), test="sign").p)
    rule = "uses the normal law from 20 differences on"
    return ("NLPStatTest: sign test", rule, "15 wins, 5 losses", _p(round(sign_p(x, TestRequest()), 5)), _p(ours))


def one_sided_bootstrap(x: np.ndarray, draws: int) -> float:
    """Its search for p of `greater`: the lower bound of a falling level is read off the wrong end of the ratios."""
    random = np.random.default_rng(SEED)
    again = random.choice(x, (draws, len(x)))
    error = x.std(ddof=1) / math.sqrt(len(x))
    ratios = (again.mean(1) - x.mean()) / (again.std(axis=1, ddof=1) / math.sqrt(len(x)))
    p, bound = 1.0, x.mean() - float(np.quantile(ratios, 0.0)) * error
    while p > 0.001 and bound > 0:
        p -= 0.001
        bound = x.mean() - float(np.quantile(ratios, p)) * error
    return round(p, 5)


def _one_sided_bootstrap() -> Case:
    x = _scores()
    ours = float(osc.compare(x, np.zeros(ITEMS), test="bootstrap-t", alternative="greater", seed=SEED).p)
    rule = "searches from the wrong end of the resampled t ratios"
    return ("NLPStatTest: bootstrap, `greater`", rule, "the same 30 items", _p(one_sided_bootstrap(x, 1000)), _p(ours))


def _hedges() -> Case:
    x = _scores()[2::4]
    theirs = x.mean() / x.std(ddof=1) * (1 - 3 / (4 * len(x) - 9))
    effects = {effect.name: effect.value for effect in osc.compare(x, np.zeros(len(x))).effects}
    rule = "corrects by 1 - 3/(4n - 9), which is for two samples of n in all"
    return ("NLPStatTest: Hedges' g", rule, f"{len(x)} items", f"{theirs:.3f}", f"{effects['hedges_g']:.3f}")


def _median_interval() -> Case:
    n = 100
    z = scipy.stats.norm.ppf(0.95)
    low, high = round(n / 2 - z * math.sqrt(n) / 2), round(1 + n / 2 + z * math.sqrt(n) / 2)
    x = np.random.default_rng(SEED).normal(0, 1, n)
    interval = osc.compare(x, np.zeros(n), test="sign").interval

    def covered(low: int, high: int) -> float:
        """Of the interval between two of the sorted values, counted from 0."""
        return sum(math.comb(n, k) for k in range(low + 1, high + 1)) / 2**n

    ours = covered(*(int(np.argmin(abs(np.sort(x) - end))) for end in (interval.low, interval.high)))
    rule = "one-sided quantiles in a two-sided interval"
    return (
        "NLPStatTest: 95% interval of the median",
        rule,
        f"covers, {n} items",
        _share(covered(low, high), 1),
        _share(ours, 1),
    )


def _pseudomedian_interval() -> Case:
    law = signed_rank_law(ITEMS)
    count = len(law) - 1
    reach = scipy.stats.norm.ppf(0.975) * math.sqrt(count * (ITEMS + 2) / 12)
    x = np.random.default_rng(SEED).normal(0, 1, ITEMS)
    above = np.triu_indices(ITEMS)
    walsh = np.sort((x[above[0]] + x[above[1]]) / 2)
    interval = osc.compare(x, np.zeros(ITEMS), test="wilcoxon").interval

    def covered(low: int, high: int) -> float:
        """Of the interval between two of the sorted means of pairs: so many of them are above the centre."""
        return float(law[count - high : count - low].sum())

    theirs = covered(math.floor(count / 2 - reach) + 1, math.ceil(count / 2 + reach))
    ours = covered(*(int(np.argmin(abs(walsh - end))) for end in (interval.low, interval.high)))
    rule = "a variance with n + 2 in the place of 2n + 1"
    return ("NLPStatTest: 95% interval of Hodges-Lehmann", rule, f"covers, {ITEMS} items", _share(theirs, 1), _share(ours, 1))


def _subset(total: int) -> np.ndarray:
    """Ranks whose sum is given, as a mask: the signed-rank statistic takes every value."""
    mask = np.zeros(ITEMS, dtype=bool)
    for rank in range(ITEMS, 0, -1):
        if rank <= total:
            mask[rank - 1], total = True, total - rank
    return mask


def _hedges_interval() -> Case:
    """BCa at levels .05 and .95, and the limits of the noncentral t law."""
    random = np.random.default_rng(SEED)
    truth, draws, sets = 0.5, 400, 1000
    theirs = ours = 0
    shrink, factor = 1 - 3 / (4 * ITEMS - 9), hedges_factor(ITEMS - 1)
    for x in random.normal(truth, 1, (sets, ITEMS)):
        again = random.choice(x, (draws, ITEMS))
        values = shrink * again.mean(1) / again.std(axis=1, ddof=1)
        observed = x.mean() / x.std(ddof=1)
        without = np.broadcast_to(x, (ITEMS, ITEMS))[~np.eye(ITEMS, dtype=bool)].reshape(ITEMS, ITEMS - 1)
        others = without.mean(1) / without.std(axis=1, ddof=1)
        away = others.mean() - others
        speed = (away**3).sum() / 6 / ((away**2).sum()) ** 1.5
        middle = scipy.stats.norm.ppf(np.mean(values < shrink * observed))
        z = middle + scipy.stats.norm.ppf([0.05, 0.95])
        low, high = np.quantile(values, scipy.stats.norm.cdf(middle + z / (1 - speed * z)))
        theirs += bool(low <= truth <= high)
        low, high = (
            factor * limit / math.sqrt(ITEMS) for limit in noncentrality_limits(observed * math.sqrt(ITEMS), ITEMS - 1, 0.05)
        )
        ours += bool(low <= truth <= high)
    example = f"covers, {ITEMS} items, {sets:,} samples"
    return (
        "NLPStatTest: 95% interval of Hedges' g",
        "BCa quantiles at α, not α/2",
        example,
        _share(theirs / sets),
        _share(ours / sets),
    )


def _units() -> Case:
    theirs = len(its_units(np.zeros(2001), 15))
    rule = "spreads a remainder over the units; ours leaves it out and says so"
    return ("NLPStatTest: evaluation units", rule, "2,001 items by 15", f"{theirs} of 15 or 16", f"{2001 // 15} of 15")


def _bleu() -> Case:
    """The example below the poster's definition, which has a sum of logarithms where BLEU has their mean."""
    output, reference = (
        "Israeli officials responsibility of airport safety",
        "Israeli officials are responsible for airport security",
    )
    theirs = 3 / 6 * 1 / 5 * 6 / 7
    found = osc.compare_texts([output], [output], [reference], metrics=["bleu:max_ngram_order=2"])
    ours = found.comparisons[0].scores[0].value
    rule = "leaves out the root, and takes c/r for the brevity penalty"
    return ("Okita and Way: BLEU-2", rule, "the one in their appendix", f"{100 * theirs:.1f}", f"{ours:.1f}")


def _p(p: float) -> str:
    if p >= 1:
        return "1"
    if p == 0:
        return "0"
    return f"{p:.3g}".replace("0.", ".", 1) if p >= 1e-4 else f"{p:.2g}".replace("e-0", "e-")


def _share(share: float, digits: int = 0) -> str:
    return f"{100 * share:.{digits}f}%"


if __name__ == "__main__":
    print(table())
