"""The document of a small result: a p-value, an interval, the outcome of a test, a score, a simulated power curve."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from outscore.language import numbers, phrases
from outscore.report.build.common import Kind, card_document, card_table
from outscore.report.document import Article, Document, Fact, Facts, Records, Section, Verdict, clean
from outscore.report.rows.columns import tabulate, texts
from outscore.results.comparison import SystemScore, TestResult
from outscore.results.pvalue import Interval, PValue

if TYPE_CHECKING:
    from outscore.results.saved import Value

Statements = list[tuple[str, str]]


def statements(value: Value) -> tuple[str, Statements]:
    """A title, and the statements with their labels.

    Examples
    --------
    >>> statements(PValue(0.25, 0.25, 0.25, -0.6, "exact", "lattice", n=8, statistic=0.5))
    ('p = .250', [('test', 'exact paired permutation test'), ('n', '8'), ('statistic', '0.5000')])
    """
    if isinstance(value, PValue):
        return numbers.format_p(value), _of_p(value)
    if isinstance(value, Interval):
        title = f"{numbers.format_percent(value.level)} CI {numbers.format_interval(value)}"
        estimate = [] if value.estimate is None else [("estimate", numbers.format_number(value.estimate))]
        return title, [("of", value.estimand), *estimate, ("method", value.method)]
    if isinstance(value, TestResult):
        return numbers.format_p(value.p), _of_test(value)
    if isinstance(value, SystemScore):
        limits = numbers.interval_ends(value.low, value.high)
        return f"{value.system}: {numbers.format_number(value.value)}", [("interval", limits)] if limits else []
    points = [(f"n = {p.n:,}", numbers.format_probability(p.power)) for p in value.points]
    return value.verdict, [*points, ("note", value.note)]


def _of_p(p: PValue) -> Statements:
    rows = [("test", phrases.method_phrase(p)), ("n", f"{p.n:,}"), ("statistic", numbers.format_number(p.statistic))]
    if p.adjusted is not None:
        rows.append(("adjusted p", numbers.format_probability(p.adjusted)))
    if p.mid is not None:
        rows.append(("mid-p", numbers.format_mid_p(p.mid, p.mid_log10)))
    return rows


def _of_test(result: TestResult) -> Statements:
    rows = _of_p(result.p)
    if result.interval is not None:
        rows.append(("interval", phrases.interval_phrase(result.interval, 4)))
    if result.bayes is not None:
        rows.append(("posterior", phrases.posterior_phrase(result.bayes, ("A", "B"))))
    return [*rows, *(("note", note.text) for note in result.notes)]


def value_records(value: Value) -> Records:
    """All digits: one record, or one for each point of a curve."""
    plain = value.to_dict()
    rows = [{"n": p["n"], "power": p["power"], "low": p["low"], "high": p["high"]} for p in plain.get("points", [])]
    rows = rows or [_flat(plain)]
    return Records(tuple(rows[0]), tuple(rows))


def _flat(plain: Mapping[str, Any]) -> dict[str, Any]:
    """Numbers and names of a value; columns of nested values begin with the name of the value."""
    flat: dict[str, Any] = {}
    for key, inner in plain.items():
        if isinstance(inner, dict):
            flat.update({f"{key}_{name}": value for name, value in _flat(inner).items()})
        elif not isinstance(inner, list):
            flat[key] = inner
    return flat


def build(value: Value) -> Document:
    """A p-value, an interval, the outcome of a test, a score or a simulated power curve."""
    heading, rows = statements(value)
    title = clean(heading)
    facts = Facts(tuple(Fact(label, (clean(text),)) for label, text in rows))
    table = tabulate("value", title, texts("", ""), rows)
    sections = (
        Section("answer", "", lambda: [Verdict((title,), title, strong=title)]).but("latex"),
        Section("facts", "", lambda: [facts] if rows else []).but("latex"),
        Section("table", "", lambda: [table]).only("latex"),
    )
    return Document(title, (Article("", "", sections),))


def card(value: Value) -> Document:
    """The same for notebooks."""
    title, rows = statements(value)
    return card_document(title, "", card_table(texts("", "") if rows else [], rows))


KIND = Kind(build, card, {"value": value_records})
