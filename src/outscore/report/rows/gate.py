"""The outcome of a gate as statements and a table of texts."""

from __future__ import annotations

from outscore.language.numbers import format_level, format_number, format_p
from outscore.language.phrases import interval_phrase, method_phrase
from outscore.language.verdict.gate import gate_decimals
from outscore.report.document import Fact, Records, Table, clean, make_table
from outscore.report.rows.facts import evidence
from outscore.results.comparison import Comparisons
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
    c = result.comparison
    decimals = gate_decimals(c)
    values = [format_number(score.value, decimals) for score in c.scores]
    ends = "" if result.interval is None else interval_phrase(result.interval, decimals)
    row = [
        result.outcome,
        f"{c.systems[0]} {values[0]}",
        f"{c.systems[1]} {values[1]}",
        format_number(c.difference, decimals, sign=True),
        ends,
        f"{result.margin:g}",
        format_p(result.not_worse, result.alpha, brief=True),
        format_p(result.worse, result.alpha, brief=True),
    ]
    head = ["outcome", "candidate", "baseline", "difference", "interval", "margin", "not worse", "worse"]
    return make_table("gate", f"Gate: {c.score_name}", head, "lllrlrll", [row])


def records(result: GateResult) -> Records:
    """One record with all digits."""
    c = result.comparison
    of = result.interval
    low, high, level = (None, None, None) if of is None else (of.low, of.high, of.level)
    row = {
        "outcome": result.outcome,
        "candidate": c.systems[0],
        "baseline": c.systems[1],
        "metric": c.metric,
        "margin": result.margin,
        "alpha": result.alpha,
        "n": c.n,
        "clusters": c.clusters,
        "score_candidate": c.scores[0].value,
        "score_baseline": c.scores[1].value,
        "difference": c.difference,
        "low": low,
        "high": high,
        "level": level,
        "p_not_worse": result.not_worse.value,
        "p_worse": result.worse.value,
        "worse_within": result.worse_within,
        "needed": result.needed,
        "towards": result.towards,
        "counts_as": result.counts_as,
        "unanswered": result.unanswered,
    }
    return Records(COLUMNS, (row,))
