"""How each kind of result is reported: the builder of its document and of its card, its tables of all digits, its charts.

Adding a kind of result takes one entry here. Builders, rows and charts are imported when they are asked for, so that plain text
needs no charting library.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from outscore.report.build.value import Value, value_records
from outscore.results.comparison import Comparison, Comparisons
from outscore.results.diff import Diff
from outscore.results.gate import GateResult
from outscore.results.logs import Logs
from outscore.results.plan import PlanResult, PossibleP
from outscore.results.possible import PossibleTable
from outscore.results.preference import Preference
from outscore.results.ranking import Ranking
from outscore.results.score import ScoreResult

if TYPE_CHECKING:
    from outscore.outputs.changed import Changed, Contexts
    from outscore.report.charts.canvas import Chart
    from outscore.report.document import Document, Records
    from outscore.report.rows.diff_pairs import Sort

    Examples = tuple[Sequence[Changed], Contexts | None]

__all__ = ["AnyResult", "Kind", "Shown", "kind_of"]

AnyResult = (
    Comparison
    | Comparisons
    | GateResult
    | Ranking
    | Diff
    | Logs
    | PlanResult
    | PossibleP
    | PossibleTable
    | Preference
    | ScoreResult
    | Value
)


@dataclass(frozen=True)
class Shown:
    """What is shown of a diff: these tables only, so many rows of each kind, in this order, with these changed units."""

    tables: Sequence[str] = ()
    top: int = 5
    sort: Sort = "evidence"
    examples: Examples | None = None


def _no_charts(_: Any) -> list[list[Chart]]:  # noqa: ANN401 - any result
    return []


@dataclass(frozen=True)
class Kind:
    """How one kind of result is reported.

    Parameters
    ----------
    build
        The document of a result; what is shown of it is up to the caller.
    card
        The document of its card for notebooks.
    tables
        Its tables of all digits by name, the first of which is its `csv`.
    charts
        The charts of each of its parts.
    forms
        Forms that no other kind of result has, by name.
    """

    build: Callable[[Any, Shown], Document]
    card: Callable[[Any], Document]
    tables: Mapping[str, Callable[[Any], Records]] = field(default_factory=dict)
    charts: Callable[[Any], list[list[Chart]]] = _no_charts
    forms: Mapping[str, Callable[[Any], str]] = field(default_factory=dict)


def kind_of(result: AnyResult) -> Kind:
    """How a result is reported."""
    return next(kind for types, kind in KINDS if isinstance(result, types))


def _build_comparison(result: Comparison | Comparisons, _: Shown) -> Document:
    from outscore.report.build import comparison

    return comparison.build(_whole(result))


def _whole(result: Comparison | Comparisons) -> Comparisons:
    return Comparisons([result], {}) if isinstance(result, Comparison) else result


def _build_ranking(result: Ranking, _: Shown) -> Document:
    from outscore.report.build import ranking

    return ranking.build(result)


def _build_diff(result: Diff, shown: Shown) -> Document:
    from outscore.report.build import diff

    if shown.tables:
        return diff.build_tables(result, shown.tables, top=shown.top, sort=shown.sort)
    changed, contexts = ((), None) if shown.examples is None else shown.examples
    return diff.build(result, top=shown.top, sort=shown.sort, changed=changed, contexts=contexts)


def _build_plan(result: PlanResult | PossibleP, _: Shown) -> Document:
    from outscore.report.build import plan

    return plan.build(result)


def _build_possible(result: PossibleTable, _: Shown) -> Document:
    from outscore.report.build import possible

    return possible.build(result)


def _possible_card(result: PossibleTable) -> Document:
    from outscore.report.build import possible

    return possible.card(result)


def _possible_records(result: PossibleTable) -> Records:
    from outscore.report.rows import possible

    return possible.records(result)


def _build_logs(result: Logs, _: Shown) -> Document:
    from outscore.report.build import logs

    return logs.build(result)


def _logs_card(result: Logs) -> Document:
    from outscore.report.build import logs

    return logs.card(result)


def _logs_records(result: Logs) -> Records:
    from outscore.report.rows import logs

    return logs.records(result)


def _build_scores(result: ScoreResult, _: Shown) -> Document:
    from outscore.report.build import score

    return score.build(result)


def _scores_card(result: ScoreResult) -> Document:
    from outscore.report.build import score

    return score.card(result)


def _scores_records(result: ScoreResult) -> Records:
    from outscore.report.rows import score

    return score.records(result)


def _scores_charts(result: ScoreResult) -> list[list[Chart]]:
    from outscore.report.charts import score

    return [score.charts(result)]


def _build_preference(result: Preference, _: Shown) -> Document:
    from outscore.report.build import preference

    return preference.build(result)


def _preference_card(result: Preference) -> Document:
    from outscore.report.build import preference

    return preference.card(result)


def _preference_records(function: str) -> Callable[[Any], Records]:
    def made(result: Preference) -> Records:
        from outscore.report.rows import preference

        found: Records = getattr(preference, function)(result)
        return found

    return made


def _preference_charts(result: Preference) -> list[list[Chart]]:
    from outscore.report.charts import preference

    return [preference.charts(result)]


def _build_gate(result: GateResult, _: Shown) -> Document:
    from outscore.report.build import gate

    return gate.build(result)


def _gate_card(result: GateResult) -> Document:
    from outscore.report.build import gate

    return gate.card(result)


def _gate_records(result: GateResult) -> Records:
    from outscore.report.rows import gate

    return gate.records(result)


def _gate_charts(result: GateResult) -> list[list[Chart]]:
    from outscore.report.charts import gate

    return [gate.charts(result)]


def _github(result: GateResult) -> str:
    from outscore.report.ci import github

    return github.log(result)


def _junit(result: GateResult) -> str:
    from outscore.report.ci import junit

    return junit.xml(result)


def _build_value(result: Value, _: Shown) -> Document:
    from outscore.report.build import value

    return value.build(result)


def _card(result: Comparison | Comparisons | Ranking | Diff | PlanResult | PossibleP | Value) -> Document:
    from outscore.report.build import card

    return card.build(result)


def _records(function: str, *more: str) -> Callable[[Any], Records]:
    """A function of `rows.records`, called with these arguments after the result."""

    def made(result: Any) -> Records:  # noqa: ANN401 - any result
        from outscore.report.rows import records

        found: Records = getattr(records, function)(_whole(result) if isinstance(result, Comparison) else result, *more)
        return found

    return made


def _comparison_charts(result: Comparison | Comparisons) -> list[list[Chart]]:
    from outscore.report.charts import comparison

    whole = _whole(result)
    return [comparison.charts(c, whole) for c in whole.comparisons]


def _ranking_charts(result: Ranking) -> list[list[Chart]]:
    from outscore.report.charts import ranking

    return [ranking.charts(result)]


def _diff_charts(result: Diff) -> list[list[Chart]]:
    from outscore.report.charts import diff

    return [diff.charts(pair) for pair in result.primary_pairs[: diff.MAX_DRAWN]]


def _plan_charts(result: PlanResult | PossibleP) -> list[list[Chart]]:
    from outscore.report.charts import plan

    return [plan.charts(result)]


KINDS: tuple[tuple[Any, Kind], ...] = (
    (
        (Comparison, Comparisons),
        Kind(_build_comparison, _card, {"comparisons": _records("comparisons")}, _comparison_charts),
    ),
    (
        Ranking,
        Kind(
            _build_ranking, _card, {"systems": _records("ranked_systems"), "pairs": _records("ranked_pairs")}, _ranking_charts
        ),
    ),
    (
        Diff,
        Kind(
            _build_diff,
            _card,
            {"diff": _records("diff"), **{name: _records("diff_table", name) for name in ("pairs", "labels", "transitions")}},
            _diff_charts,
        ),
    ),
    ((PlanResult, PossibleP), Kind(_build_plan, _card, {"plan": _records("plan")}, _plan_charts)),
    (
        Preference,
        Kind(
            _build_preference,
            _preference_card,
            {
                "pairs": _preference_records("pair_records"),
                "strengths": _preference_records("strength_records"),
                "categories": _preference_records("category_records"),
            },
            _preference_charts,
        ),
    ),
    (PossibleTable, Kind(_build_possible, _possible_card, {"pairs": _possible_records})),
    (Logs, Kind(_build_logs, _logs_card, {"scores": _logs_records})),
    (ScoreResult, Kind(_build_scores, _scores_card, {"scores": _scores_records}, _scores_charts)),
    (
        GateResult,
        Kind(_build_gate, _gate_card, {"gate": _gate_records}, _gate_charts, {"github": _github, "junit": _junit}),
    ),
    (Value, Kind(_build_value, _card, {"value": value_records})),
)
"""Kinds by the types of their results."""
