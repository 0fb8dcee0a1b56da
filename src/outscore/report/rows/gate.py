"""The outcome of a gate as statements and a table of texts."""

from __future__ import annotations

from outscore.language.numbers import format_level, format_number, format_p
from outscore.language.phrases import interval_phrase, method_phrase
from outscore.language.verdict.gate import gate_decimals
from outscore.report.document import Fact, Records, Table, clean, make_table
from outscore.report.rows.facts import evidence
from outscore.results.comparison import Comparisons
from outscore.results.gate import GateResult
from outscore.results.note import note_texts
from outscore.results.pvalue import PValue

__all__ = ["facts", "records", "summary", "table"]

COLUMNS = (
    "outcome", "candidate", "baseline", "metric", "margin", "alpha", "n", "clusters", "score_candidate", "score_baseline",
    "difference", "low", "high", "level", "p_not_worse", "p_worse", "worse_within", "needed", "towards", "counts_as",
)  # fmt: skip
FROM_COMPARISON = ("design", "alignment", "claims")
"""What the comparison says about the data."""


def summary(found: GateResult) -> list[tuple[str, str]]:
    """Labels and what they say, for every form."""
    c = found.comparison
    decimals = gate_decimals(c)
    allowed = f"{found.margin:g}"
    level = f"alpha = {format_level(found.alpha)}"
    scores = ", ".join(f"{score.system} {format_number(score.value, decimals)}" for score in c.scores)
    better = "higher is better" if c.higher_is_better else "lower is better"
    rows = [
        ("scores", f"{c.score_name} ({better}): {scores}"),
        ("difference", f"{format_number(c.difference, decimals, sign=True)} ({c.systems[0]} - {c.systems[1]})"),
    ]
    if found.interval is not None:
        rows.append(("interval", interval_phrase(found.interval, decimals)))
    rows += [
        ("pass", f"worse by {allowed}: {_test(found.not_worse, found.alpha)}; one-sided, {level}"),
        ("fail", f"not worse at all: {_test(found.worse, found.alpha)}; one-sided, {level}"),
    ]
    return [(label, clean(text)) for label, text in rows]


def _test(p: PValue, alpha: float) -> str:
    verb = "rejected" if p.upper <= alpha else "not rejected"
    return f"{verb}, {format_p(p, alpha, brief=True)}, {method_phrase(p)}"


def facts(found: GateResult) -> list[Fact]:
    """Everything that the outcome rests on."""
    whole = Comparisons([found.comparison], {"alpha": found.alpha})
    about = [fact for fact in evidence(found.comparison, whole) if fact.label in FROM_COMPARISON]
    counted = found.outcome == "inconclusive" and found.inconclusive is not None
    rows = [Fact(label, (text,)) for label, text in summary(found)]
    if counted:
        rows.append(Fact("counts as", (str(found.inconclusive),)))
    notes = note_texts(note for note in found.notes if note.kind not in ("reading", "warning"))
    told = [Fact("notes", tuple(clean(note) for note in notes), guarded=True)] if notes else []
    return [*rows, *about, *told]


def table(found: GateResult) -> Table:
    """The outcome as a table of one row, for papers and step summaries."""
    c = found.comparison
    decimals = gate_decimals(c)
    values = [format_number(score.value, decimals) for score in c.scores]
    ends = "" if found.interval is None else interval_phrase(found.interval, decimals)
    row = [
        found.outcome,
        f"{c.systems[0]} {values[0]}",
        f"{c.systems[1]} {values[1]}",
        format_number(c.difference, decimals, sign=True),
        ends,
        f"{found.margin:g}",
        format_p(found.not_worse, found.alpha, brief=True),
        format_p(found.worse, found.alpha, brief=True),
    ]
    head = ["outcome", "candidate", "baseline", "difference", "interval", "margin", "not worse", "worse"]
    return make_table("gate", f"Gate: {c.score_name}", head, "lllrlrll", [row])


def records(found: GateResult) -> Records:
    """One record with all digits."""
    c = found.comparison
    of = found.interval
    low, high, level = (None, None, None) if of is None else (of.low, of.high, of.level)
    row = {
        "outcome": found.outcome,
        "candidate": c.systems[0],
        "baseline": c.systems[1],
        "metric": c.metric,
        "margin": found.margin,
        "alpha": found.alpha,
        "n": c.n,
        "clusters": c.clusters,
        "score_candidate": c.scores[0].value,
        "score_baseline": c.scores[1].value,
        "difference": c.difference,
        "low": low,
        "high": high,
        "level": level,
        "p_not_worse": found.not_worse.value,
        "p_worse": found.worse.value,
        "worse_within": found.worse_within,
        "needed": found.needed,
        "towards": found.towards,
        "counts_as": found.counts_as,
    }
    return Records(COLUMNS, (row,))
