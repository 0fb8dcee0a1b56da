"""From what a caller has to rows in a metric's own columns: every check of arrays stands here, once."""

from __future__ import annotations

import math
from numbers import Integral, Real

import numpy as np

from outscore.data import LARGEST_TOTAL, AdditiveMetric, Array, PairedScores, codes_of
from outscore.errors import OutscoreError
from outscore.metrics import resolve

__all__ = ["check_request", "paired"]

LARGEST_SCORE = 1e150
"""Squares and sums of scores up to this size are finite."""
ALTERNATIVES = ("two-sided", "greater", "less")


def paired(
    a: object, b: object, metric: str | AdditiveMetric, items: object, clusters: object
) -> tuple[PairedScores, AdditiveMetric]:
    """Both systems' rows in the metric's columns, and the metric itself."""
    first, second = _numbers(a, "a"), _numbers(b, "b")
    if len(first) != len(second):
        raise OutscoreError(
            f"`a` has {len(first)} rows, `b` has {len(second)}.",
            "Both systems must be scored on the same items, in the same order.",
        )
    if first.shape != second.shape:
        raise OutscoreError(f"`a` has shape {first.shape}, `b` {second.shape}.", "Give both systems the same columns.")
    additive, rows_a, rows_b = resolve(metric, first, second)
    item_codes, cluster_codes = codes_of(items, len(first), "items"), codes_of(clusters, len(first), "clusters")
    return PairedScores(rows_a, rows_b, 1, item_codes, cluster_codes), additive


def _numbers(x: object, name: str) -> Array:
    """An array of finite numbers, (n,) or (n, k), int64 or float64."""
    if np.ma.is_masked(x):
        raise OutscoreError(f"`{name}` has masked entries.", "Every item needs a number; drop or repair it.")
    try:
        raw = np.asarray(x)
    except ValueError:
        raise OutscoreError(f"The rows of `{name}` have different lengths.", "Give every item the same columns.") from None
    if raw.dtype == object and all(isinstance(entry, (int, float, np.number)) for entry in raw.ravel()):
        # Numbers in a column of objects, as dataframes have them.
        raw = np.array(raw.tolist())
    if raw.ndim not in (1, 2):
        raise OutscoreError(f"`{name}` has {raw.ndim} dimensions.", "Give (n,) scores or (n, k) counts.")
    if raw.size == 0:
        raise OutscoreError(f"`{name}` is empty.", "Give at least one item.")
    if raw.dtype.kind not in "iufb":
        raise OutscoreError(f"`{name}` holds {_kind_of(raw)}, not numbers.", "Convert it to numbers that fit 64 bits first.")
    if raw.dtype.kind == "f" and not np.isfinite(raw).all():
        row = int(np.argwhere(~np.isfinite(raw))[0][0])
        raise OutscoreError(f"`{name}` is {raw[row]} at row {row + 1}.", "Every item needs a finite number; drop or repair it.")
    if raw.dtype.kind == "f" and float(np.abs(raw).max()) > LARGEST_SCORE:
        raise OutscoreError(f"`{name}` holds a number beyond {LARGEST_SCORE:g}.", "Rescale the scores.")
    if raw.dtype.kind != "f" and not _adds_up(raw):
        raise OutscoreError(f"The integers of `{name}` add up to more than 2**53.", "Divide them by a common factor.")
    return raw.astype(np.float64 if raw.dtype.kind == "f" else np.int64, copy=False)


def _adds_up(raw: Array) -> bool:
    """Whether no column of integers can add up to more than floats hold exactly; the largest one settles most cases."""
    largest = max(abs(int(raw.max())), abs(int(raw.min())))
    return largest * len(raw) < LARGEST_TOTAL or float(np.abs(raw.astype(float)).sum(axis=0).max()) < LARGEST_TOTAL


def _kind_of(raw: Array) -> str:
    if raw.dtype.kind in "US":
        return "text"
    found = next((type(x).__name__ for x in raw.ravel() if not isinstance(x, (int, float))), "integers beyond 64 bits")
    return found if raw.dtype.kind == "O" else str(raw.dtype)


def check_request(alternative: object, delta: object, seed: object, alpha: object = 0.05) -> None:
    """Refuse what no test could be asked."""
    if alternative not in ALTERNATIVES:
        raise OutscoreError(f"`alternative` is {alternative!r}.", f"Choose one of: {', '.join(ALTERNATIVES)}.")
    if not isinstance(delta, Real) or not math.isfinite(delta):
        raise OutscoreError(f"`delta` is {delta!r}.", "Give a finite number.")
    if not isinstance(seed, Integral) or not 0 <= int(seed) < 2**64:
        raise OutscoreError(f"`seed` is {seed!r}.", "Give a whole number from 0 up to 2**64 - 1.")
    if not isinstance(alpha, Real) or not 0 < float(alpha) < 1:
        shown = f"{alpha:g}" if isinstance(alpha, (int, float)) else repr(alpha)
        raise OutscoreError(f"`alpha` is {shown}.", "Give a number between 0 and 1, such as 0.05.")
