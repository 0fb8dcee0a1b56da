"""Naive twins: the smallest correct versions of what the library does fast."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from decimal import Decimal
from fractions import Fraction
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
    units_a, units_b = grouped(a, clusters), grouped(b, clusters)
    turn = 1 if higher else -1
    # Every swap's pair of totals, the observed one first.
    swaps: list[tuple[list[Fraction], list[Fraction]]] = [([Fraction(0)] * len(units_a[0]),) * 2]
    for x, y in zip(units_a, units_b, strict=True):
        swaps = [(_add(s, x), _add(t, y)) for s, t in swaps] + [(_add(s, y), _add(t, x)) for s, t in swaps]
    known: dict[tuple[Fraction, ...], Any] = {}

    def cached(totals: list[Fraction]) -> Any:
        key = tuple(totals)
        if key not in known:
            known[key] = score(totals)
        return known[key]

    def statistic(first: list[Fraction], second: list[Fraction]) -> Any:
        value = turn * (cached(first) - cached(second))
        return {"two-sided": abs(value), "greater": value, "less": -value}[alternative]

    observed = statistic(*swaps[0])
    gaps = [statistic(*pair) - observed for pair in swaps]
    ties = sum(abs(g) < Decimal("1e-20") if isinstance(g, Decimal) else g == 0 for g in gaps)
    hits = ties + sum(g >= Decimal("1e-20") if isinstance(g, Decimal) else g > 0 for g in gaps)
    return Fraction(hits, len(swaps)), Fraction(2 * hits - ties, 2 * len(swaps))


def _add(x: Sequence[Fraction], y: Sequence[Fraction]) -> list[Fraction]:
    return [a + b for a, b in zip(x, y, strict=True)]


def big_integer_tail(values: Sequence[int], counts: Sequence[int], observed: int) -> tuple[int, int]:
    """#{signs : Σ ε k ≥ observed} and the number of coins, by multiplying polynomials packed into one big integer."""
    n = sum(counts)
    extreme = sum(k * c for k, c in zip(values, counts, strict=True))
    width = n + 1
    packed = 1
    for k, c in zip(values, counts, strict=True):
        for _ in range(c):
            packed += packed << (width * k)
    rest = packed >> (width * max(0, -(-(observed + extreme) // 2)))
    data = rest.to_bytes((rest.bit_length() + 7) // 8 or 1, "little")
    total, mask = 0, (1 << width) - 1
    # Digit by digit; slices of the byte string keep this linear.
    digits = -(-rest.bit_length() // width)
    for i in range(digits):
        low, shift = divmod(i * width, 8)
        total += (int.from_bytes(data[low : low + width // 8 + 2], "little") >> shift) & mask
    return total, n


def log_fraction(top: int, n: int) -> float:
    """log(top / 2^n) for integers of any size."""
    return math.log(top) - n * math.log(2.0)
