"""Which kind a result is: `report/build` has a module for each, which says how it is reported.

Adding a kind of result takes its module and its case here. Modules are imported when they are asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from outscore.report.build.kind import Kind

if TYPE_CHECKING:  # a result is known by the name of its class, so that no other kind is loaded
    from typing import TypeAlias

    from outscore.results.comparison import Comparison, Comparisons, SystemScore, TestResult
    from outscore.results.diff import Diff
    from outscore.results.gate import GateResult
    from outscore.results.interval import Interval
    from outscore.results.logs import Logs
    from outscore.results.plan import PlanResult, PossibleP, SimulatedCurve
    from outscore.results.possible import PossibleTable
    from outscore.results.preference import Preference
    from outscore.results.pvalue import PValue
    from outscore.results.ranking import Ranking
    from outscore.results.score import ScoreResult

    Value: TypeAlias = PValue | Interval | TestResult | SystemScore | SimulatedCurve
    AnyResult: TypeAlias = (
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

__all__ = ["kind_of"]


def kind_of(result: AnyResult) -> Kind:
    """How a result is reported."""
    match type(result).__name__:
        case "Comparison" | "Comparisons":
            from outscore.report.build.comparison import KIND
        case "Ranking":
            from outscore.report.build.ranking import KIND
        case "Diff":
            from outscore.report.build.diff import KIND
        case "PlanResult" | "PossibleP":
            from outscore.report.build.plan import KIND
        case "PossibleTable":
            from outscore.report.build.possible import KIND
        case "Preference":
            from outscore.report.build.preference import KIND
        case "Logs":
            from outscore.report.build.logs import KIND
        case "ScoreResult":
            from outscore.report.build.score import KIND
        case "GateResult":
            from outscore.report.build.gate import KIND
        case _:
            from outscore.report.build.value import KIND
    return KIND
