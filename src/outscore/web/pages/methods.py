"""What the page of methods lists: tests, metrics and corrections from their registries, with formulas and works to cite."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from outscore.core.options import Option
from outscore.core.records import dataclass
from outscore.report.references.bibliography import Work, works
from outscore.web.pages import formulas

__all__ = ["Method", "Section", "sections"]


@dataclass(frozen=True)
class Method:
    """One entry: its name, what it is, its formula as MathML, its options and the works to cite."""

    name: str
    summary: str
    formula: str
    options: tuple[Option, ...]
    works: tuple[Work, ...] = ()


@dataclass(frozen=True)
class Section:
    """Entries of one kind."""

    id: str
    title: str
    methods: list[Method]


def sections() -> list[Section]:
    """All that outscore computes, from the registries."""
    from outscore.inference.families.multiplicity import CORRECTIONS
    from outscore.inference.registry import TESTS
    from outscore.metrics.registry import METRICS
    from outscore.metrics.text.registry import TEXT_METRICS

    return [
        Section("tests", "Tests", _methods(TESTS)),
        Section("metrics", "Metrics of scores and counts", _methods(METRICS)),
        Section("text-metrics", "Metrics of texts", _methods(TEXT_METRICS)),
        Section("corrections", "Corrections for many comparisons", _methods(CORRECTIONS)),
    ]


def _methods(registry: Mapping[str, Any]) -> list[Method]:
    from markupsafe import Markup

    return [
        Method(
            name,
            entry.summary,
            Markup(formulas.to_mathml(entry.formula)),  # noqa: S704 - our own formulas
            tuple(getattr(entry, "options", ())),
            tuple(works()[key] for key in entry.citations),
        )
        for name, entry in registry.items()
    ]
