"""Records of comparisons."""

from __future__ import annotations

from outscore.report.document import Record, Records
from outscore.results.comparison import Comparison, Comparisons
from outscore.results.pvalue import PValue
from outscore.results.subset import Bucket

__all__ = ["comparisons"]


def comparisons(whole: Comparisons) -> Records:
    """One record per comparison and per bucket of it."""
    rows = [row for c in whole.comparisons for row in (_comparison(c), *(_bucket(c, bucket) for bucket in c.buckets))]
    return Records(tuple(rows[0]) if rows else (), tuple(rows))


def _bucket(c: Comparison, bucket: Bucket) -> Record:
    """A bucket in the columns of a slice, which it is; who won is said of slices only."""
    return {
        **_comparison(c),
        "slice_column": bucket.column,
        "slice": bucket.value,
        "n": bucket.n,
        "clusters": None,
        "score_a": bucket.first,
        "score_b": bucket.second,
        "difference": bucket.difference,
        "low": bucket.low,
        "high": bucket.high,
        **_test(bucket.p),
        "winner": None,
        "claim": None,
    }


def _test(p: PValue) -> Record:
    return {
        "test": p.test,
        "method": p.method,
        "p": p.value,
        "p_lower": p.lower,
        "p_upper": p.upper,
        "p_adjusted": p.adjusted,
    }


def _comparison(c: Comparison) -> Record:
    low, high, level = (None, None, None) if c.interval is None else (c.interval.low, c.interval.high, c.interval.level)
    column, value = (None, None) if c.slice is None else (c.slice.column, c.slice.value)
    return {
        "system_a": c.systems[0],
        "system_b": c.systems[1],
        "metric": c.metric,
        "dataset": c.dataset,
        "slice_column": column,
        "slice": value,
        "n": c.n,
        "clusters": c.clusters,
        "runs_a": None if c.design.repeats_of is None else c.design.repeats_of[0],
        "runs_b": None if c.design.repeats_of is None else c.design.repeats_of[1],
        "population": c.population,
        "score_a": c.scores[0].value,
        "score_b": c.scores[1].value,
        "difference": c.difference,
        "low": low,
        "high": high,
        "level": level,
        "interval_of": None if c.interval is None else c.interval.estimand,
        **_test(c.p),
        "winner": None if c.decision.winner is None else c.systems[c.decision.winner],
        "claim": c.decision.claim,
    }
