"""A ranking as two tables of numbers with all digits, for spreadsheets: a line for every system, or a line for every pair."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from outscore.report.rows.ranking_words import cells, group_names, groups_by_system, losses, places, wins
from outscore.results.ranking import Ranking, Standing

__all__ = ["PAIR_COLUMNS", "SCORE_COLUMNS", "pairs_csv", "scores_csv"]

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


def scores_csv(ranking: Ranking) -> str:
    """One line per system, dataset and metric; the whole comes first, with an empty dataset where it has no name."""
    return _written(SCORE_COLUMNS, (row for standing in _standings(ranking) for row in _score_rows(standing)))


def pairs_csv(ranking: Ranking) -> str:
    """One line per pair, dataset and metric; `outcome` is that of the first system at the ranking's alpha."""
    return _written(PAIR_COLUMNS, (row for standing in _standings(ranking) for row in _pair_rows(standing, ranking.alpha)))


def _standings(ranking: Ranking) -> Sequence[Standing]:
    return [ranking.standing, *ranking.datasets, *ranking.metrics]


def _score_rows(standing: Standing) -> Iterator[dict[str, Any]]:
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


def _pair_rows(standing: Standing, alpha: float) -> Iterator[dict[str, Any]]:
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


def _written(columns: Sequence[str], rows: Iterable[dict[str, Any]]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()
