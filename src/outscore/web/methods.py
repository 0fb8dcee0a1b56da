"""What the page of methods lists: tests, metrics and corrections from their registries, with formulas and works to cite."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from outscore.options import Option
from outscore.web import formulas

__all__ = ["Method", "Section", "bibtex", "sections"]

WORK = re.compile(r"(?P<authors>.+?) \((?P<year>\d{4})\): (?P<title>.+?)\. (?P<venue>.+)\.")


@dataclass(frozen=True)
class Method:
    """One entry: its name, what it is, its formula as MathML, its options and the work to cite."""

    name: str
    summary: str
    formula: str
    options: tuple[Option, ...]
    work: str = ""
    bibtex: str = ""


@dataclass(frozen=True)
class Section:
    """Entries of one kind."""

    id: str
    title: str
    methods: list[Method]


def sections() -> list[Section]:
    """All that outscore computes, from the registries."""
    from outscore.inference import TESTS
    from outscore.inference.multiplicity import CORRECTIONS
    from outscore.metrics import METRICS
    from outscore.metrics.text import TEXT_METRICS
    from outscore.report import ranking_citations as works

    return [
        Section("tests", "Tests", _methods(TESTS, formulas.TESTS, works.TESTS)),
        Section("metrics", "Metrics of scores and counts", _methods(METRICS, formulas.METRICS, {})),
        Section("text-metrics", "Metrics of texts", _methods(TEXT_METRICS, formulas.METRICS, {})),
        Section(
            "corrections", "Corrections for many comparisons", _methods(CORRECTIONS, formulas.CORRECTIONS, works.CORRECTIONS)
        ),
    ]


def _methods(registry: Mapping[str, Any], tex: Mapping[str, str], works: Mapping[str, str]) -> list[Method]:
    from markupsafe import Markup

    def formula(name: str) -> str:
        return Markup(formulas.to_mathml(tex[name])) if name in tex else ""  # noqa: S704 - our own formulas

    return [
        Method(
            name,
            entry.summary,
            formula(name),
            tuple(getattr(entry, "options", ())),
            works.get(name, ""),
            _entry(works.get(name)),
        )
        for name, entry in registry.items()
    ]


def _entry(work: str | None) -> str:
    return "" if work is None else bibtex(work)


def bibtex(work: str) -> str:
    """A work as a BibTeX entry, from the one way in which works are written.

    Examples
    --------
    >>> print(bibtex("Dixon, Mood (1946): The statistical sign test. JASA 41."))
    @misc{dixon1946,
      author = {Dixon and Mood},
      year = {1946},
      title = {The statistical sign test},
      howpublished = {JASA 41}
    }
    """
    found = WORK.fullmatch(work)
    assert found is not None, work
    authors = found["authors"].split(", ")
    rows = {
        "author": " and ".join(authors),
        "year": found["year"],
        "title": found["title"],
        "howpublished": found["venue"].replace("&", r"\&"),
    }
    return _braced(f"{_key(authors[:1])}{found['year']}", rows.items())


def _key(authors: Iterable[str]) -> str:
    return re.sub(r"\W", "", "".join(authors)).lower()


def _braced(key: str, rows: Iterable[tuple[str, str]]) -> str:
    inner = ",\n".join(f"  {name} = {{{value}}}" for name, value in rows)
    return f"@misc{{{key},\n{inner}\n}}"
