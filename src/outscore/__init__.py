"""Did system A really outscore system B? Exact answers for NLP and LLM evaluation.

Exact paired-permutation p-values, intervals from the same design, and a verdict in words. Names are imported on first use. The
table below is the one statement of what is public: `make api` writes the stub beside this file from it, for editors and type
checkers.
"""

from __future__ import annotations

from importlib import import_module

from outscore._version import __version__

PUBLIC = {
    "outscore.api": (
        "compare",
        "compare_texts",
        "convert",
        "diff",
        "gate",
        "permutation_test",
        "plan",
        "prefer",
        "rank",
        "score",
        "show",
    ),
    "outscore.core.errors": ("OutscoreError",),
    "outscore.core.metric": ("AdditiveMetric",),
    "outscore.exact.distribution": ("NullDistribution", "null_distribution"),
    "outscore.formats.readers": ("read",),
    "outscore.inference.anytime": ("Anytime",),
    "outscore.inference.power.planning": ("detectable_effect", "power", "sample_size"),
    "outscore.metrics.registry": ("confusion",),
    "outscore.outputs.model": ("Outputs",),
    "outscore.results.analysis": ("Analysis", "Effect", "Power"),
    "outscore.results.comparison": ("Comparison", "Comparisons", "SystemScore", "TestResult"),
    "outscore.results.design": ("Alignment", "Decision", "Design", "Family", "Missing", "Reading", "Verdict"),
    "outscore.results.diff": ("Diff",),
    "outscore.results.gate": ("GateResult",),
    "outscore.results.pvalue": ("Interval", "PValue"),
    "outscore.results.logs": ("Logs",),
    "outscore.results.note": ("Note",),
    "outscore.results.plan": ("PlanResult", "PossibleP", "PossibleTable", "SimulatedCurve", "StudyDesign"),
    "outscore.results.preference": ("Preference",),
    "outscore.results.ranking": ("Ranking",),
    "outscore.results.saved": ("load",),
    "outscore.results.score": ("ScoreResult",),
    "outscore.scores.system": ("Scores",),
}
"""Public names by the module that holds them."""
_HOMES = {name: module for module, names in PUBLIC.items() for name in names}

__all__ = ["__version__", *_HOMES]  # noqa: PLE0604 - they are strings, taken from the table


def __getattr__(name: str) -> object:
    if name in _HOMES:
        # Kept, so that nobody asks again.
        found = globals()[name] = getattr(import_module(_HOMES[name]), name)
        return found
    raise AttributeError(f"module 'outscore' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
