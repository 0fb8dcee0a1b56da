"""The outcome of a gate as statements and a table of texts."""

from __future__ import annotations

from outscore.language.numbers import format_level, format_number, format_p
from outscore.language.phrases import interval_phrase, method_phrase
from outscore.language.verdict.gate import gate_decimals
from outscore.report.document import Fact, Records, Table, clean
from outscore.report.rows.columns import Column, digits, number, tabulate, words
from outscore.report.rows.facts import evidence
from outscore.results.comparison import Comparison, Comparisons
from outscore.results.gate import GateResult
from outscore.results.note import BESIDE_VERDICT, note_texts
from outscore.results.pvalue import PValue

COLUMNS = (
    "outcome", "candidate", "baseline", "metric", "margin", "alpha", "n", "clusters", "score_candidate", "score_baseline",
    "difference", "low", "high", "level", "p_not_worse", "p_worse", "worse_within", "needed", "towards", "counts_as",
    "unanswered",
)  # fmt: skip
FROM_COMPARISON = ("design", "alignment", "claims")
"""What the comparison says about the data."""


def summary(result: GateResult) -> list[tuple[str, str]]:
    """The main statements with their labels, for every form."""
    c = result.comparison
    decimals = gate_decimals(c)
    allowed = f"{result.margin:g}"
    level = f"alpha = {format_level(result.alpha)}"
    scores = ", ".join(f"{score.system} {format_number(score.value, decimals)}" for score in c.scores)
    better = "higher is better" if c.higher_is_better else "lower is better"
    rows = [
        ("scores", f"{c.score_name} ({better}): {scores}"),
        ("difference", f"{format_number(c.difference, decimals, sign=True)} ({c.systems[0]} - {c.systems[1]})"),
    ]
    if result.interval is not None:
        rows.append(("interval", interval_phrase(result.interval, decimals)))
    rows += [
        ("pass", f"worse by {allowed} or more: {_test(result.not_worse, result.alpha)}; one-sided, {level}"),
        ("fail", f"not worse at all: {_test(result.worse, result.alpha)}; one-sided, {level}"),
    ]
    return [(label, clean(text)) for label, text in rows]


def _test(p: PValue, alpha: float) -> str:
    verb = "rejected" if p.upper <= alpha else "not rejected"
    return f"{verb}, {format_p(p, alpha, brief=True)}, {method_phrase(p)}"


def facts(result: GateResult) -> list[Fact]:
    """Everything that the outcome rests on."""
    whole = Comparisons([result.comparison], {"alpha": result.alpha})
    about = [fact for fact in evidence(result.comparison, whole) if fact.label in FROM_COMPARISON]
    counted = result.outcome == "inconclusive" and result.inconclusive is not None
    rows = [Fact(label, (text,)) for label, text in summary(result)]
    if counted:
        rows.append(Fact("counts as", (str(result.inconclusive),)))
    notes = note_texts(note for note in result.notes if note.kind not in ("reading", *BESIDE_VERDICT))
    notes_fact = [Fact("notes", tuple(clean(note) for note in notes), guarded=True)] if notes else []
    return [*rows, *about, *notes_fact]


def table(result: GateResult) -> Table:
    """The outcome as a table of one row, for papers and step summaries."""
    decimals = gate_decimals(result.comparison)

    def system(c: Comparison, i: int) -> str:
        return f"{c.systems[i]} {format_number(c.scores[i].value, decimals)}"

    def p(value: PValue) -> str:
        return format_p(value, result.alpha, brief=True)

    columns: list[Column[GateResult]] = [
        words("outcome", lambda one: one.outcome),
        words("candidate", lambda one: system(one.comparison, 0)),
        words("baseline", lambda one: system(one.comparison, 1)),
        Column("difference", lambda one: one.comparison.difference, number(decimals, sign=True)),
        words("interval", lambda one: one.interval, lambda interval: interval_phrase(interval, decimals)),
        Column("margin", lambda one: one.margin, "{:g}".format),
        words("not worse", lambda one: one.not_worse, p),
        words("worse", lambda one: one.worse, p),
    ]
    return tabulate("gate", f"Gate: {result.comparison.score_name}", columns, [result])


def records(result: GateResult) -> Records:
    """One record with all digits."""
    c = result.comparison
    row = {
        **digits(result, "outcome", "margin", "alpha", "worse_within", "needed", "towards", "counts_as", "unanswered"),
        **digits(result, low="interval.low", high="interval.high", level="interval.level"),
        **digits(result, p_not_worse="not_worse.value", p_worse="worse.value"),
        **digits(c, "metric", "n", "clusters", "difference"),
        **dict(zip(("candidate", "baseline"), c.systems, strict=True)),
        **dict(zip(("score_candidate", "score_baseline"), (score.value for score in c.scores), strict=True)),
    }
    return Records(COLUMNS, (row,))
