"""Results as records of plain values with all digits, for spreadsheets and further computing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from typing import Any

from outscore.report.document import Record, Records
from outscore.report.rows.places import cells, group_names, groups_by_system, losses, places, wins
from outscore.results.comparison import Comparison, Comparisons
from outscore.results.diff import Diff, Pair, Shift
from outscore.results.plan import PlanResult, PossibleP
from outscore.results.pvalue import PValue
from outscore.results.ranking import JointSystem, Ranking, Standing
from outscore.results.subset import Bucket, ScoredSubset

__all__ = [
    "DIFF_COLUMNS",
    "PAIR_COLUMNS",
    "SCORE_COLUMNS",
    "comparisons",
    "diff",
    "diff_table",
    "plan",
    "ranked_pairs",
    "ranked_systems",
]

SCORE_COLUMNS = (
    "dataset",
    "metric",
    "rank",
    "system",
    "score",
    "low",
    "high",
    "rank_low",
    "rank_high",
    "beats",
    "loses",
    "n",
    "groups",
    "advantage",
)
JOINT_COLUMNS = tuple(part.name for part in fields(JointSystem) if part.name != "system")
"""What drawing items for all systems adds to a system, where it was asked for."""
JOINT_PAIR_COLUMNS = ("joint_low", "joint_high")
PAIR_COLUMNS = (
    "dataset",
    "metric",
    "first",
    "second",
    "n",
    "difference",
    "low",
    "high",
    "p",
    "log10_p",
    "p_adjusted",
    "method",
    "outcome",
    "note",
)
DIFF_COLUMNS = (
    "row",
    "first",
    "second",
    "criterion",
    "column",
    "value",
    "gold",
    "from",
    "to",
    "n",
    "mirror",
    "first_score",
    "second_score",
    "difference",
    "low",
    "high",
    "p",
    "p_adjusted",
)


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


def ranked_systems(ranking: Ranking) -> Records:
    """One record per system, dataset and metric; the whole comes first, with an empty dataset where it has no name."""
    rows = [row for standing in _standings(ranking) for row in _systems(standing)]
    if ranking.joint is None:
        return Records(SCORE_COLUMNS, tuple(rows))
    # What is about all systems at once is about the whole, which comes first.
    joint = {one.system: {name: getattr(one, name) for name in JOINT_COLUMNS} for one in ranking.joint.systems}
    whole = [{**row, **joint[str(row["system"])]} for row in rows[: len(ranking.scores)]]
    return Records((*SCORE_COLUMNS, *JOINT_COLUMNS), (*whole, *rows[len(whole) :]))


def ranked_pairs(ranking: Ranking) -> Records:
    """One record per pair, dataset and metric; `outcome` is that of the first system at the ranking's alpha."""
    rows = [row for standing in _standings(ranking) for row in _ranked_pairs(standing, ranking.alpha)]
    if ranking.joint is None:
        return Records(PAIR_COLUMNS, tuple(rows))
    joint = {pair.systems: {"joint_low": pair.low, "joint_high": pair.high} for pair in ranking.joint.pairs}
    whole = [{**row, **joint[str(row["first"]), str(row["second"])]} for row in rows[: len(ranking.pairs)]]
    return Records((*PAIR_COLUMNS, *JOINT_PAIR_COLUMNS), (*whole, *rows[len(whole) :]))


def _standings(ranking: Ranking) -> list[Standing]:
    return [ranking.standing, *ranking.datasets, *ranking.metrics]


def _systems(standing: Standing) -> Iterator[Record]:
    names, inside = group_names(standing), groups_by_system(standing)
    for place, s in zip(places(standing), standing.scores, strict=True):
        yield {
            "dataset": standing.name,
            "metric": standing.metric,
            "rank": place,
            "system": s.system,
            "score": s.value,
            "low": s.low,
            "high": s.high,
            "rank_low": s.rank_low,
            "rank_high": s.rank_high,
            "beats": wins(s, len(standing.scores)),
            "loses": losses(s),
            "n": s.n,
            "groups": " ".join(names[i] for i in inside.get(s.system, [])),
            "advantage": s.advantage,
        }


def _ranked_pairs(standing: Standing, alpha: float) -> Iterator[Record]:
    found = cells(standing, alpha)
    for pair in standing.pairs:
        first, second = pair.systems
        yield {
            "dataset": standing.name,
            "metric": standing.metric,
            "first": first,
            "second": second,
            "n": pair.n,
            "difference": pair.difference,
            "low": pair.low,
            "high": pair.high,
            "p": pair.p.value,
            "log10_p": pair.p.log10,
            "p_adjusted": pair.p.adjusted,
            "method": pair.p.method,
            "outcome": found[first, second].outcome,
            "note": pair.note,
        }


def diff(found: Diff) -> Records:
    """One record per row of the tables.

    `row` says what it is: pair, metric, label, slice, correction, new_error, changed_error. A single system has labels alone.
    """
    rows: list[Record] = [row for pair in found.pairs for row in _diff_pair(pair)]
    if not found.pairs and found.oracle is not None:
        own = {"row": "label", "first": found.systems[0], "criterion": found.oracle.criterion, "column": "label"}
        rows = [{**own, "value": row.label, "n": row.n, "first_score": row.scores[0]} for row in found.oracle.labels]
    return Records(DIFF_COLUMNS, tuple(rows))


DIFF_TABLES = {
    "pairs": (("pair", "metric"), ("column", "gold", "from", "to", "mirror")),
    "labels": (("label", "slice"), ("gold", "from", "to", "mirror")),
    "transitions": (
        ("correction", "new_error", "changed_error"),
        ("column", "value", "first_score", "second_score", "difference", "low", "high"),
    ),
}
"""The rows that a table of a diff has, and the columns that are never filled in it."""


def diff_table(found: Diff, table: str) -> Records:
    """The rows of one table of a diff, with the columns that it fills."""
    kinds, empty = DIFF_TABLES[table]
    whole = diff(found)
    columns = tuple(name for name in whole.columns if name not in empty)
    return Records(columns, tuple(row for row in whole.rows if row["row"] in kinds))


def plan(found: PlanResult | PossibleP) -> Records:
    """The answer, then the points of its curves; `row` says which is which."""
    if isinstance(found, PossibleP):
        answers = {"lowest": found.lowest, "highest": found.highest, "independent": found.independent}
        differ = {"lowest": found.discordant[0], "highest": found.discordant[1]}
        rows = [{"row": name, "differ": differ.get(name), "p": p.value} for name, p in answers.items()]
        rows += [{"row": "curve", "differ": point.differ, "p": point.p} for point in found.curve]
        return Records(("row", "differ", "p"), tuple(rows))
    answer = {"row": "answer", "items": found.items, "effect": found.effect, "power": found.power}
    curve = [{"row": "curve", "items": point.n, "effect": found.effect, "power": point.power} for point in found.curve]
    needs = [{"row": "need", "items": need.items, "effect": need.effect, "power": found.target} for need in found.needs]
    return Records(("row", "items", "effect", "power"), (answer, *curve, *needs))


def _diff_pair(pair: Pair) -> Iterator[Record]:
    own = {"first": pair.systems[0], "second": pair.systems[1], "criterion": pair.criterion}
    yield {"row": "pair", **own, "value": pair.metric, "n": pair.n, **_change(pair)}
    for metric in pair.metrics:
        yield {"row": "metric", **own, "value": metric.metric, **_change(metric)}
    for kind, parts in (("label", pair.labels), ("slice", pair.slices)):
        yield from ({"row": kind, **own, **_part(part)} for part in parts)
    for name, shifts in pair.transitions.items():
        yield from ({"row": name, **own, **_shift(shift)} for shift in shifts)


def _change(found: Any) -> Record:  # noqa: ANN401 - a pair or one of its scores
    ends = (None, None) if found.interval is None else (found.interval.low, found.interval.high)
    return {**_scores(found.first, found.second, found.difference, *ends), **_p(found.p)}


def _part(part: ScoredSubset) -> Record:
    scores = _scores(part.first, part.second, part.difference, part.low, part.high)
    return {"column": part.column, "value": part.value, "n": part.n, **scores, **_p(part.p)}


def _scores(first: float, second: float, difference: float, low: float | None, high: float | None) -> Record:
    return {"first_score": first, "second_score": second, "difference": difference, "low": low, "high": high}


def _shift(shift: Shift) -> Record:
    labels = {"gold": shift.gold, "from": shift.source, "to": shift.target}
    return {**labels, "n": shift.count, "mirror": shift.mirror, **_p(shift.p)}


def _p(p: PValue | None) -> Record:
    return {} if p is None else {"p": p.value, "p_adjusted": p.adjusted}
