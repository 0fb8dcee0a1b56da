"""Did system A really outscore system B? Exact answers for NLP and LLM evaluation.

Exact paired-permutation p-values, intervals from the same design, and a verdict in words. Names are imported on first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from outscore._version import __version__

if TYPE_CHECKING:
    from outscore.data import AdditiveMetric
    from outscore.diffs import Diff
    from outscore.errors import OutscoreError
    from outscore.exact.distribution import NullDistribution, null_distribution
    from outscore.formats import read
    from outscore.inference.power import detectable_effect, power, sample_size
    from outscore.metrics import confusion
    from outscore.procedure.compare import compare, permutation_test
    from outscore.procedure.diff import diff
    from outscore.procedure.rank import rank
    from outscore.procedure.saved import load
    from outscore.procedure.texts import compare_texts
    from outscore.rankings import Ranking
    from outscore.results import Comparison, Comparisons, Interval, PValue

__all__ = [
    "AdditiveMetric",
    "Comparison",
    "Comparisons",
    "Diff",
    "Interval",
    "NullDistribution",
    "OutscoreError",
    "PValue",
    "Ranking",
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
    "AdditiveMetric": "outscore.data",
    "Comparison": "outscore.results",
    "Comparisons": "outscore.results",
    "Diff": "outscore.diffs",
    "Interval": "outscore.results",
    "NullDistribution": "outscore.exact.distribution",
    "OutscoreError": "outscore.errors",
    "PValue": "outscore.results",
    "Ranking": "outscore.rankings",
    "confusion": "outscore.metrics",
    "detectable_effect": "outscore.inference.power",
    "diff": "outscore.procedure.diff",
    "load": "outscore.procedure.saved",
    "power": "outscore.inference.power",
    "rank": "outscore.procedure.rank",
    "read": "outscore.formats",
    "sample_size": "outscore.inference.power",
    "null_distribution": "outscore.exact.distribution",
    "compare": "outscore.procedure.compare",
    "compare_texts": "outscore.procedure.texts",
    "permutation_test": "outscore.procedure.compare",
}


def __getattr__(name: str) -> object:
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    raise AttributeError(f"module 'outscore' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
