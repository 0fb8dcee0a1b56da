"""Records of rankings: systems, and pairs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields

from outscore.report.document import Record, Records
from outscore.report.rows.places import cells, group_names, groups_by_system, losses, places, wins
from outscore.results.ranking import JointSystem, Ranking, Standing

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
"""What resampling items for all systems adds to a system, if requested."""
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


def ranked_systems(ranking: Ranking) -> Records:
    """One record per system, dataset and metric; the whole comes first, with an empty dataset where it has no name."""
    rows = [row for standing in _standings(ranking) for row in _systems(standing)]
    if ranking.joint is None:
        return Records(SCORE_COLUMNS, tuple(rows))
    # Joint numbers are about the whole, which comes first.
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
    by_systems = cells(standing, alpha)
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
            "outcome": by_systems[first, second].outcome,
            "note": pair.note,
        }
