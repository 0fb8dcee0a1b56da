"""Naive twins: the smallest correct versions of what the library does fast."""

from __future__ import annotations

import bisect
import itertools
import math
from collections.abc import Callable, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache
from typing import Any

Row = Sequence[Fraction]
Score = Callable[[Row], Any]


def ratio(u: Sequence[int], v: Sequence[int]) -> Score:
    """u·x / v·x, 0 where undefined."""

    def score(x: Row) -> Fraction:
        top = sum((a * b for a, b in zip(u, x, strict=True)), Fraction(0))
        bottom = sum((a * b for a, b in zip(v, x, strict=True)), Fraction(0))
        return top / bottom if bottom else Fraction(0)

    return score


def mcc(x: Row) -> Decimal:
    tp, fp, fn, tn = x
    square = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)
    if not square:
        return Decimal(0)
    return Decimal(int(tp * tn - fp * fn)) / Decimal(int(square)).sqrt()


def kappa(x: Row) -> Fraction:
    tp, fp, fn, tn = x
    n = tp + fp + fn + tn
    if not n:
        return Fraction(0)
    observed = (tp + tn) / n
    expected = ((tp + fp) * (tp + fn) + (fn + tn) * (fp + tn)) / (n * n)
    return (observed - expected) / (1 - expected) if expected != 1 else Fraction(0)


def balanced(x: Row) -> Fraction:
    tp, fp, fn, tn = x
    recalls = [a / (a + b) for a, b in ((tp, fn), (tn, fp)) if a + b]
    return sum(recalls, Fraction(0)) / len(recalls) if recalls else Fraction(0)


def macro_f1(x: Row) -> Fraction:
    tp, fp, fn, tn = x
    return sum((2 * a / (2 * a + fp + fn) if 2 * a + fp + fn else Fraction(0) for a in (tp, tn)), Fraction(0)) / 2


def weighted_f1(x: Row) -> Fraction:
    tp, fp, fn, tn = x
    both = [(gold, 2 * a / (2 * a + fp + fn) if 2 * a + fp + fn else Fraction(0)) for a, gold in ((tp, tp + fn), (tn, tn + fp))]
    n = tp + fp + fn + tn
    return sum((gold * f1 for gold, f1 in both), Fraction(0)) / n if n else Fraction(0)


def grouped(rows: Sequence[Sequence[Any]], labels: Sequence[int] | None) -> list[list[Fraction]]:
    """Rows of a cluster added up."""
    if labels is None:
        return [[Fraction(x) for x in row] for row in rows]
    groups: dict[int, list[Fraction]] = {}
    for row, label in zip(rows, labels, strict=True):
        old = groups.setdefault(label, [Fraction(0)] * len(row))
        groups[label] = [a + Fraction(b) for a, b in zip(old, row, strict=True)]
    return list(groups.values())


def brute_force(
    a: Sequence[Sequence[Any]],
    b: Sequence[Sequence[Any]],
    score: Score,
    alternative: str,
    *,
    higher: bool = True,
    clusters: Sequence[int] | None = None,
) -> tuple[Fraction, Fraction]:
    """(p, mid-p) over all 2^n swaps in exact arithmetic (28 digits for roots)."""
    units_a, units_b = _plain(grouped(a, clusters)), _plain(grouped(b, clusters))
    turn = 1 if higher else -1
    observed = tuple(map(sum, zip(*units_a, strict=True))), tuple(map(sum, zip(*units_b, strict=True)))
    # Every pair of totals that swaps can give, with the number of swaps that do.
    ways: dict[tuple[Row, Row], int] = {((0,) * len(units_a[0]),) * 2: 1}
    for x, y in zip(units_a, units_b, strict=True):
        wider: dict[tuple[Row, Row], int] = {}
        for (s, t), count in ways.items():
            for pair in ((_add(s, x), _add(t, y)), (_add(s, y), _add(t, x))):
                wider[pair] = wider.get(pair, 0) + count
        ways = wider

    @cache
    def scored(totals: Row) -> Any:
        return score([Fraction(x) for x in totals])

    def statistic(first: Row, second: Row) -> Any:
        value = turn * (scored(first) - scored(second))
        return {"two-sided": abs(value), "greater": value, "less": -value}[alternative]

    threshold = statistic(*observed)
    ties = hits = 0
    for pair, count in ways.items():
        gap = statistic(*pair) - threshold
        tied = abs(gap) < Decimal("1e-20") if isinstance(gap, Decimal) else gap == 0
        ties += count * tied
        hits += count * (tied or gap > 0)
    whole = 2 ** len(units_a)
    return Fraction(hits, whole), Fraction(2 * hits - ties, 2 * whole)


def _plain(rows: Sequence[Sequence[Fraction]]) -> list[Row]:
    """Whole numbers as integers, which add up many times faster."""
    return [tuple(int(x) if x.denominator == 1 else x for x in row) for row in rows]


def _add(x: Row, y: Row) -> Row:
    return tuple(a + b for a, b in zip(x, y, strict=True))


def big_integer_law(values: Sequence[int], counts: Sequence[int]) -> list[int]:
    """Numbers of sign vectors with Σ ε k = -D, -D + 2, …, D, by multiplying polynomials packed into one big integer."""
    extreme = sum(k * c for k, c in zip(values, counts, strict=True))
    # Eight bits to a byte and a digit to a whole number of bytes: unpacking is slicing.
    width = sum(counts) // 8 + 1
    packed = 1
    for k, c in zip(values, counts, strict=True):
        for _ in range(c):
            packed += packed << (8 * width * k)
    data = packed.to_bytes(width * (extreme + 1), "little")
    return [int.from_bytes(data[width * i : width * (i + 1)], "little") for i in range(extreme + 1)]


def big_integer_tail(values: Sequence[int], counts: Sequence[int], observed: int) -> tuple[int, int]:
    """#{signs : Σ ε k ≥ observed} and the number of coins."""
    law = big_integer_law(values, counts)
    return sum(law[max(0, -(-(observed + len(law) - 1) // 2)) :]), sum(counts)


def log_fraction(top: int, n: int) -> float:
    """log(top / 2^n) for integers of any size."""
    return math.log(top) - n * math.log(2.0)


def whole_law(vectors: Sequence[Sequence[int]]) -> dict[tuple[int, ...], int]:
    """Σ ε v for rows v: every reachable point with its number of sign vectors."""
    # A point is one whole number with a digit per column, each from -reach to reach: numbers add up faster than tuples.
    reaches = [sum(map(abs, column)) for column in zip(*vectors, strict=True)]
    law = {0: 1}
    for vector in vectors:
        packed = 0
        for v, reach in zip(vector, reaches, strict=True):
            packed = packed * (2 * reach + 1) + v
        wider: dict[int, int] = {}
        for point, ways in law.items():
            for there in (point + packed, point - packed):
                wider[there] = wider.get(there, 0) + ways
        law = wider
    return {_digits(point, reaches): ways for point, ways in law.items()}


def _digits(packed: int, reaches: Sequence[int]) -> tuple[int, ...]:
    found = []
    for reach in reversed(reaches):
        digit = (packed + reach) % (2 * reach + 1) - reach
        found.append(digit)
        packed = (packed - digit) // (2 * reach + 1)
    return tuple(reversed(found))


def convolved(parts: Sequence[tuple[Sequence[int], Sequence[int]]]) -> dict[int, int]:
    """The sum of independent laws, each whole numbers with integer weights: every reachable sum with its weight."""
    law = {0: 1}
    for support, weights in parts:
        wider: dict[int, int] = {}
        for s, ways in law.items():
            for x, weight in zip(support, weights, strict=True):
                wider[s + x] = wider.get(s + x, 0) + ways * weight
        law = wider
    return law


def hypergeometric(n_a: int, n_b: int, right: int) -> tuple[list[int], list[int]]:
    """How many right answers fall to A, with the number of divisions in which they do."""
    support = [k for k in range(right + 1) if 0 <= n_a - k <= n_a + n_b - right]
    return support, [math.comb(right, k) * math.comb(n_a + n_b - right, n_a - k) for k in support]


def split_law(values: Sequence[int], k: int) -> dict[int, int]:
    """The sums of all choices of k of the values, each with its number of choices."""
    law: dict[int, int] = {}
    for chosen in itertools.combinations(values, k):
        law[sum(chosen)] = law.get(sum(chosen), 0) + 1
    return law


def log_ratio(top: int, bottom: int) -> float:
    """log(top / bottom) for integers of any size, to all digits."""
    return math.log(Fraction(top, bottom)) if top * 2 > bottom else math.log(top) - math.log(bottom)


def curved_count(a: Sequence[Sequence[int]], b: Sequence[Sequence[int]], score: Score) -> int:
    """How many of the 2^n swaps give a difference in score at least as large as the observed one, in its direction."""
    total = [sum(column) for column in zip(*a, *b, strict=True)]
    observed = [sum(x) - sum(y) for x, y in zip(zip(*a, strict=True), zip(*b, strict=True), strict=True)]

    def statistic(sums: Sequence[int]) -> Any:
        plus = [Fraction(t + s, 2) for t, s in zip(total, sums, strict=True)]
        minus = [Fraction(t - s, 2) for t, s in zip(total, sums, strict=True)]
        return score(plus) - score(minus)

    threshold = statistic(observed)
    turn = -1 if threshold < 0 else 1
    law = whole_law([[p - q for p, q in zip(x, y, strict=True)] for x, y in zip(a, b, strict=True)])
    return sum(ways for point, ways in law.items() if turn * statistic(point) >= abs(threshold))


def real_count(sizes: Sequence[Fraction], observed: Fraction, *, ties: bool = True) -> int:
    """#{signs : Σ ε a ≥ observed} (or > observed) of exact numbers, from the sorted sums of two halves."""
    # Over a common denominator whole numbers do.
    unit = math.lcm(observed.denominator, *(x.denominator for x in sizes))
    whole, threshold = [int(x * unit) for x in sizes], int(observed * unit)
    halves = []
    for part in (whole[::2], whole[1::2]):
        sums = [0]
        for size in part:
            sums = [s + e for s in sums for e in (size, -size)]
        halves.append(sorted(sums))
    find = bisect.bisect_left if ties else bisect.bisect_right
    return sum(len(halves[1]) - find(halves[1], threshold - s) for s in halves[0])


def subset_limit(d: Sequence[Fraction], w: Sequence[Fraction], alpha: float) -> Fraction | None:
    """Smallest δ with #{F : Σ_F d ≤ δ Σ_F w} > α·2^G over all subsets F, the empty one included; None if every δ does."""
    # Whole numbers are added and sorted ten times as fast as fractions.
    part, share = (math.lcm(*(x.denominator for x in row)) for row in (d, w))
    pairs = [(0, 0)]
    for x, weight in zip(d, w, strict=True):
        pairs += [(s + int(x * part), t + int(weight * share)) for s, t in pairs]
    if Fraction(alpha) * len(pairs) < 1:
        return None
    whole = math.lcm(*{t for _, t in pairs[1:]})
    means = sorted(s * (whole // t) for s, t in pairs[1:])
    found = next(mean for k, mean in enumerate(means, start=2) if k > Fraction(alpha) * len(pairs))
    return Fraction(found * share, whole * part)


def signed_ranks(d: Sequence[Any], zeros: str) -> list[int]:
    """Doubled mid-ranks by counting how many sizes lie below and beside each."""
    ranked = [abs(x) for x in d if x or zeros == "pratt"]
    sign = [(x > 0) - (x < 0) for x in d]
    doubled = [2 * sum(y < abs(x) for y in ranked) + sum(y == abs(x) for y in ranked) + 1 for x in d]
    return [s * r for s, r in zip(sign, doubled, strict=True)]


def tango_score(n: int, only_a: int, only_b: int, delta: float) -> float:
    """Tango's z with the constrained maximum of the trinomial likelihood found by golden sections, not by formula."""

    def log_likelihood(q: float) -> float:
        cells = ((only_a, q + delta), (only_b, q), (n - only_a - only_b, 1 - 2 * q - delta))
        return sum(k * math.log(max(p, 1e-300)) for k, p in cells if k)

    low, high = max(0.0, -delta), (1 - delta) / 2
    golden = (math.sqrt(5) - 1) / 2
    for _ in range(200):
        left, right = high - golden * (high - low), low + golden * (high - low)
        low, high = (left, high) if log_likelihood(left) < log_likelihood(right) else (low, right)
    q = (low + high) / 2
    return (only_a - only_b - n * delta) / math.sqrt(n * (2 * q + delta - delta * delta))


def log_binomial_tail(n: int, k: int) -> float:
    """log P(X ≥ k), X ~ Binomial(n, ½), k ≥ n/2: the first term by Stirling's series to 40 digits, then ratios."""
    with localcontext() as context:
        context.prec = 60
        first = _log_factorial(n) - _log_factorial(k) - _log_factorial(n - k) - n * Decimal(2).ln()
        log_first = float(first)
        # The fraction beyond a double's reach still counts: exp of a large logarithm amplifies it.
        rest = float(first - Decimal(log_first))
    term, terms, i = 1.0, [1.0], k
    while i < n and term > 1e-25:
        term *= (n - i) / (i + 1)
        terms.append(term)
        i += 1
    return log_first + (rest + math.log(math.fsum(terms)))


PI = Decimal("3.14159265358979323846264338327950288419716939937510582097494")


def _log_factorial(n: int) -> Decimal:
    if n < 1000:
        return Decimal(math.factorial(n)).ln()
    x = Decimal(n)
    series = sum(Decimal(top) / (Decimal(bottom) * x**power) for top, bottom, power in STIRLING)
    return (x + Decimal("0.5")) * x.ln() - x + (2 * PI).ln() / 2 + series


STIRLING = ((1, 12, 1), (-1, 360, 3), (1, 1260, 5), (-1, 1680, 7), (1, 1188, 9), (-691, 360360, 11))
