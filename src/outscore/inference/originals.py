"""What the programs behind the papers print, beside the numbers of this one: rules of theirs, computed anew.

The paired tests of sacreBLEU are here number for number, so that p-values in old papers can be checked. Not for new ones, for
which `permutation` and `bootstrap` are the tests to use. What is wrong with them, each reproduced here:

- A trial counts only if its difference is *larger* than the observed one. Ties do not count, so two identical outputs get the
  smallest p there is, 1 / (trials + 1), and so do outputs that differ in one segment.
- The bootstrap, which follows a script of Moses, subtracts the mean of the *absolute* differences from absolute differences.
  That is not the law of the difference under the null hypothesis: at a nominal level of 5 % it rejects a true one in about 11 %
  of the cases.
- The bootstrap adds up and scores in single precision.
- A seed of 0 means no seed there. Here it is a seed like any other.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.metric import AdditiveMetric
from outscore.core.numeric import Array
from outscore.core.rows import PairedScores
from outscore.inference.base import question
from outscore.inference.base.differences import ItemScores, scores_if_any
from outscore.inference.base.question import TestRequest
from outscore.laws import normal
from outscore.results.note import Note
from outscore.results.pvalue import PValue

PRUNED = 1e-8
"""Probabilities that paired-perm-test leaves out of its table, item by item."""
FEW = 20
"""Below so many differences NLPStatTest's sign test counts; from here on it uses the normal law."""
MOST_CELLS = 2e9
"""Sums times items that its table is made for here."""


def of_originals(
    name: str,
    pairs: PairedScores,
    metric: AdditiveMetric,
    request: TestRequest,
    size: int = 1,
    statistic: str = "mean",
    shuffle: int | None = None,
) -> Note:
    """What the program of that name prints for the same items, and why it may be another number.

    Evaluation units have a `size`, are summarised by a `statistic`, and are made after a `shuffle` with this seed, if any.

    Examples
    --------
    >>> mean = AdditiveMetric("mean", ("score", "items"), ratio=((1, 0), (0, 1)))
    >>> a, b = (np.stack([x, np.ones(6, int)], axis=1) for x in ([8, 6, 5, 9, 7, 4], [5, 4, 5, 3, 6, 6]))
    >>> print(of_originals("paired-perm-test", PairedScores(a, b), mean, TestRequest()))
    paired-perm-test prints p = .25; it leaves out sums of probability below 1e-8.
    """
    scores = scores_if_any(pairs, metric)
    if scores is None or pairs.clusters is not None:
        text = f"{name} has no number for these data: it takes one score per item and no clusters."
    else:
        text = ORIGINALS[name](scores, its_units(scores.d, size, statistic, shuffle), request)
    return Note("peer", text)


def _paired_perm_test(scores: ItemScores, units: Array, request: TestRequest) -> str:
    """Zmigrod, Vieira and Cotterell (2022): the dynamic programme, two-sided."""
    d = scores.whole
    if request.delta:
        return "paired-perm-test tests no other difference than 0."
    if len(units) < scores.n:
        return "paired-perm-test knows no evaluation units."
    if d is None:
        return "paired-perm-test has no number for these data: it takes whole numbers."
    if float(np.abs(d).sum()) * len(d) > MOST_CELLS:
        return "paired-perm-test would fill too large a table for these data."
    side = "" if request.alternative == "two-sided" else " (two-sided; it knows no other)"
    return f"paired-perm-test prints p = {_bare(pruned_p(d))}{side}; it leaves out sums of probability below 1e-8."


def pruned_p(d: Array) -> float:
    """P(|Σ ±d| ≥ |Σ d|) by a table from which small probabilities are dropped at every item.

    Examples
    --------
    >>> pruned_p(np.array([1, 1, 1, 1, 1])), pruned_p(np.array([1, -1]))
    (0.0625, 1.0)
    """
    reach = int(np.abs(d).sum())
    law = np.zeros(2 * reach + 1)
    law[reach] = 1.0
    for size in np.abs(d[d != 0]).tolist():
        kept = np.where(law < PRUNED, 0.0, law)
        law = np.zeros_like(law)
        law[size:] += 0.5 * kept[:-size]
        law[:-size] += 0.5 * kept[size:]
    observed = abs(int(d.sum()))
    return float(law[reach + observed :].sum() + law[: reach - observed + 1].sum()) if observed else float(law.sum())


def _nlpstattest(scores: ItemScores, units: Array, request: TestRequest) -> str:
    """Zhu, Mak, Gioannini and Xia (2020): its tests that draw nothing, rounded as it rounds them."""
    x = units - request.delta
    t, wilcoxon, sign = (round(p, 5) for p in (_student(x, request), wilcoxon_p(x, request), sign_p(x, request)))
    shift = float(x.mean() + request.delta) / float(x.std(ddof=1)) if x.std() else math.nan
    g = f"Hedges' g = {shift * (1 - 3 / (4 * len(x) - 9)):.5f}" if len(x) > 3 else "no Hedges' g"
    of_units = f"for its {len(x)} units " if len(units) < scores.n else ""
    wrong = "" if request.alternative == "two-sided" else " (its one-sided Wilcoxon p has the sides of the tail mixed up)"
    return (
        f"NLPStatTest prints {of_units}t test p = {_bare(t)}, Wilcoxon p = {_bare(wilcoxon)}{wrong}, "
        f"sign test p = {_bare(sign)}, {g}; "
        "ties count by their values in its Wilcoxon test, and g is corrected as for two samples."
    )


def its_units(d: Array, size: int, statistic: str = "mean", shuffle: int | None = None) -> Array:
    """The differences of evaluation units as NLPStatTest forms them: a remainder makes the first units larger by one item.

    Examples
    --------
    >>> its_units(np.array([1.0, 3.0, 5.0, 0.0, 2.0]), 2).tolist()
    [3.0, 1.0]
    """
    places = list(range(len(d)))
    if shuffle is not None:
        random.Random(shuffle).shuffle(places)  # noqa: S311 - the generator of that program
    summary = np.median if statistic == "median" else np.mean
    return np.array([summary(d[part]) for part in np.array_split(places, max(1, len(d) // size))])


def _student(x: Array, request: TestRequest) -> float:
    import scipy.special

    t = float(x.mean() / (x.std(ddof=1) / math.sqrt(len(x)))) if x.std() else math.nan
    below = float(scipy.special.stdtr(len(x) - 1, t))
    return {"two-sided": 2 * min(below, 1 - below), "less": below, "greater": 1 - below}[request.alternative]


def wilcoxon_p(x: Array, request: TestRequest) -> float:
    """The signed-rank test by the normal law, with its correction for ties and its one-sided tails as they are there.

    Examples
    --------
    >>> round(wilcoxon_p(np.array([0.1, 0.3, -0.2, 0.5]), TestRequest()), 5)
    0.36131
    """
    x = x[x != 0]
    n = len(x)
    _, place, counts = np.unique(np.abs(x), return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[place]
    tied = x[counts[place] > 1]
    above, middle = float(ranks[x > 0].sum()), n * (n + 1) / 4
    variance = n * (n + 1) * (2 * n + 1) / 24 - float((tied**3 - tied).sum()) / 48
    z = (abs(above - middle) - 0.5) / math.sqrt(variance) if above != middle else 0.0
    return {"two-sided": 2 * normal(-z), "less": normal(-z), "greater": normal(z)}[request.alternative]


def sign_p(x: Array, request: TestRequest) -> float:
    """The sign test, by the normal law from twenty differences on."""
    wins, n = int((x > 0).sum()), int((x != 0).sum())
    upper, lower = _at_least(wins, n), _at_least(n - wins, n)
    p = {"two-sided": 2 * min(upper, lower), "less": lower, "greater": upper}[request.alternative]
    return 1.0 if 2 * wins == n and request.alternative == "two-sided" else p


def _at_least(k: int, n: int) -> float:
    if n < FEW:
        return float(sum(math.comb(n, i) for i in range(k, n + 1)) / 2**n)
    return normal(-(k - n / 2 - 0.5) / math.sqrt(n / 4))


def _bare(p: float) -> str:
    return f"{p:.5g}".removeprefix("0") if 0 < p < 1 else f"{p:g}"


ORIGINALS: dict[str, Callable[[ItemScores, Array, TestRequest], str]] = {
    "paired-perm-test": _paired_perm_test,
    "nlpstattest": _nlpstattest,
}
"""The programs whose numbers can be shown, by name."""


SACREBLEU_SEED = 12345
"""What sacreBLEU uses unless the variable SACREBLEU_SEED overrides it."""
BLOCK_ENTRIES = 1 << 21
BITS_PER_WORD = 32
"""The generator takes coins from whole words: a block of a multiple of 32 trials leaves no half-used word behind."""

Score = Callable[[Array], Array]


def sacrebleu_ar(
    statistics_a: Array, statistics_b: Array, score: Score, *, trials: int = 10_000, seed: int = SACREBLEU_SEED
) -> PValue:
    """p of sacreBLEU's approximate randomisation (`--paired-ar`).

    Segments are swapped by coins of the seed; p = (1 + number of trials with a larger absolute difference) /
    (1 + trials). The ties that `permutation` counts and this test does not matter when few segments differ.
    `statistics_a` are the baseline's statistics per segment, `score` turns (m, k) totals into m scores.

    Examples
    --------
    >>> def precision(totals):
    ...     return totals[:, 0] / totals[:, 1]
    >>> a, b = np.array([[3, 4], [2, 4], [4, 4]]), np.array([[1, 4], [2, 4], [1, 4]])
    >>> sacrebleu_ar(a, b, precision, trials=999).value, sacrebleu_ar(a, a, precision, trials=999).value
    (0.001, 0.001)
    """
    a, b = _tables(statistics_a, statistics_b)
    observed = abs(_difference(a.sum(axis=0), b.sum(axis=0), score))
    stream = np.random.default_rng(seed)
    hits = 0
    for count in _blocks(trials, len(a)):
        stay = stream.integers(2, size=(count, len(a)), dtype=bool)
        swapped_a, swapped_b = (_kept(stay, x) + _kept(~stay, y) for x, y in ((a, b), (b, a)))
        hits += int((np.abs(score(swapped_a) - score(swapped_b)) > observed).sum())
    return _p(hits, trials, "sacrebleu-ar", a, b, score)


def sacrebleu_bs(
    statistics_a: Array, statistics_b: Array, score: Score, *, trials: int = 1_000, seed: int = SACREBLEU_SEED
) -> PValue:
    """p of sacreBLEU's paired bootstrap (`--paired-bs`).

    For each resample, the absolute difference minus the mean of all absolute differences is compared with the
    observed one. It rejects true null hypotheses too often, `bootstrap` does not. `score` gets totals in
    single precision, as sacreBLEU's own functions do; one that computes with them in double precision may
    differ by a resample or two.

    Examples
    --------
    >>> def precision(totals):
    ...     return totals[:, 0] / totals[:, 1]
    >>> a, b = np.array([[3, 4], [2, 4], [4, 4]] * 9), np.array([[3, 4], [2, 4], [2, 4]] * 9)
    >>> sacrebleu_bs(a, b, precision, trials=999).value
    0.001
    """
    a, b = _tables(statistics_a, statistics_b)
    observed = abs(_difference(a.sum(axis=0), b.sum(axis=0), score))
    single_a, single_b = a.astype(np.float32), b.astype(np.float32)
    stream = np.random.default_rng(seed)
    gaps = []
    for count in _blocks(trials, len(a)):
        drawn = stream.integers(len(a), size=(count, len(a)))
        # Row after row: in single precision the order of addition matters.
        of_a, of_b = (score(np.stack([single[rows].sum(axis=0) for rows in drawn])) for single in (single_a, single_b))
        gaps.append(np.abs(of_b - of_a))
    moves = np.concatenate(gaps)
    hits = int((moves - moves.mean() > observed).sum())
    return _p(hits, trials, "sacrebleu-bs", a, b, score)


COMPAT: dict[str, Callable[..., PValue]] = {"sacrebleu-ar": sacrebleu_ar, "sacrebleu-bs": sacrebleu_bs}


def _tables(a: Array, b: Array) -> tuple[Array, Array]:
    a, b = np.asarray(a), np.asarray(b)
    if a.shape != b.shape or a.ndim != 2 or not len(a):
        raise OutscoreError(
            f"The statistics have shapes {a.shape} and {b.shape}.", "Give one row for each segment, the same for both systems."
        )
    return a, b


def _difference(total_a: Array, total_b: Array, score: Score) -> float:
    """Difference of the scores of two rows of totals."""
    return float(score(total_a[None])[0] - score(total_b[None])[0])


def _blocks(trials: int, segments: int) -> Iterator[int]:
    """Numbers of trials that are drawn at a time."""
    block = BITS_PER_WORD * max(1, BLOCK_ENTRIES // (BITS_PER_WORD * segments))
    for first in range(0, trials, block):
        yield min(block, trials - first)


def _kept(chosen: Array, table: Array) -> Array:
    """Totals of the chosen rows, in the kind of number the table has; products of floats are fast, and exact below 2^53."""
    return np.asarray((chosen.astype(float) @ table.astype(float)).astype(table.dtype))


def _p(hits: int, trials: int, name: str, a: Array, b: Array, score: Score) -> PValue:
    statistic = _difference(a.sum(axis=0), b.sum(axis=0), score)
    return question.sampled_p(hits, trials, name, test=name, statistic=statistic, n=len(a))
