"""Which kind a result is: `report/build` has a module for each, which says how it is reported.

Adding a kind of result takes its module and its line in `BUILDERS`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import TypeAlias

    from outscore.report.build.kind import Kind
    from outscore.results.saved import Saved

    AnyResult: TypeAlias = Saved

__all__ = ["BUILDERS", "kind_of"]

# A result is known by the name of its class, and its module is imported when it is asked for: no other kind is loaded.
BUILDERS = {
    "Comparison": "outscore.report.build.comparison",
    "Comparisons": "outscore.report.build.comparison",
    "Diff": "outscore.report.build.diff",
    "GateResult": "outscore.report.build.gate",
    "Interval": "outscore.report.build.value",
    "Logs": "outscore.report.build.logs",
    "PValue": "outscore.report.build.value",
    "PlanResult": "outscore.report.build.plan",
    "PossibleP": "outscore.report.build.plan",
    "PossibleTable": "outscore.report.build.possible",
    "Preference": "outscore.report.build.preference",
    "Ranking": "outscore.report.build.ranking",
    "ScoreResult": "outscore.report.build.score",
    "SimulatedCurve": "outscore.report.build.value",
    "SystemScore": "outscore.report.build.value",
    "TestResult": "outscore.report.build.value",
}
"""By the class of a result: the module whose `KIND` says how it is reported."""


def kind_of(result: AnyResult) -> Kind:
    """How a result is reported."""
    name = type(result).__name__
    if name not in BUILDERS:
        raise TypeError(f"nothing says how a {name} is reported: it has no line in outscore.report.kinds.BUILDERS")
    kind: Kind = import_module(BUILDERS[name]).KIND
    return kind
