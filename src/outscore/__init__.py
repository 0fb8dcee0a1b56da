"""Did system A really outscore system B? Exact answers for NLP and LLM evaluation.

Exact paired-permutation p-values, intervals from the same design, and a verdict in words. Names are imported on first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from outscore._version import __version__

if TYPE_CHECKING:
    from outscore.core.errors import OutscoreError
    from outscore.core.metric import AdditiveMetric
    from outscore.exact.distribution import NullDistribution, null_distribution
    from outscore.formats.readers import read
    from outscore.inference.power.planning import detectable_effect, power, sample_size
    from outscore.metrics.counts import confusion
    from outscore.results.comparison import Comparison, Comparisons, SystemScore, TestResult
    from outscore.results.diff import Diff
    from outscore.results.interval import Interval
    from outscore.results.note import Note
    from outscore.results.plan import PlanResult, PossibleP, SimulatedCurve
    from outscore.results.pvalue import PValue
    from outscore.results.ranking import Ranking
    from outscore.results.saved import load
    from outscore.workflows.compare.arrays import compare, permutation_test
    from outscore.workflows.diff.run import diff
    from outscore.workflows.rank.boards import rank
    from outscore.workflows.texts.corpus import compare_texts

__all__ = [
    "AdditiveMetric",
    "Comparison",
    "Comparisons",
    "Diff",
    "Interval",
    "Note",
    "NullDistribution",
    "OutscoreError",
    "PValue",
    "PlanResult",
    "PossibleP",
    "Ranking",
    "SimulatedCurve",
    "SystemScore",
    "TestResult",
    "__version__",
    "compare",
    "compare_texts",
    "confusion",
    "detectable_effect",
    "diff",
    "load",
    "null_distribution",
    "permutation_test",
    "power",
    "rank",
    "read",
    "sample_size",
]

_HOME = {
    "TestResult": "outscore.results.comparison",
    "SystemScore": "outscore.results.comparison",
    "SimulatedCurve": "outscore.results.plan",
    "PossibleP": "outscore.results.plan",
    "PlanResult": "outscore.results.plan",
    "Note": "outscore.results.note",
    "AdditiveMetric": "outscore.core.metric",
    "Comparison": "outscore.results.comparison",
    "Comparisons": "outscore.results.comparison",
    "Diff": "outscore.results.diff",
    "Interval": "outscore.results.interval",
    "NullDistribution": "outscore.exact.distribution",
    "OutscoreError": "outscore.core.errors",
    "PValue": "outscore.results.pvalue",
    "Ranking": "outscore.results.ranking",
    "confusion": "outscore.metrics.counts",
    "detectable_effect": "outscore.inference.power.planning",
    "diff": "outscore.workflows.diff.run",
    "load": "outscore.results.saved",
    "power": "outscore.inference.power.planning",
    "rank": "outscore.workflows.rank.boards",
    "read": "outscore.formats.readers",
    "sample_size": "outscore.inference.power.planning",
    "null_distribution": "outscore.exact.distribution",
    "compare": "outscore.workflows.compare.arrays",
    "compare_texts": "outscore.workflows.texts.corpus",
    "permutation_test": "outscore.workflows.compare.arrays",
}


def __getattr__(name: str) -> object:
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    raise AttributeError(f"module 'outscore' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
