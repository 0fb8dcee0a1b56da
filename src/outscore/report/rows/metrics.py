"""Several metrics on the same texts as one answer: whether they agree, one table, one sentence, the signatures."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from outscore.language.numbers import count, format_level, format_number, format_p_error, format_p_number, format_probability
from outscore.language.phrases import (
    NO_CORRECTION,
    claim_phrase,
    correction_name,
    decimals_of,
    difference_called,
    equivalence_phrase,
    legend,
    method_phrase,
    noninferiority_phrase,
    posterior_phrase,
    runs_clause,
    sides_called,
)
from outscore.language.verdict.comparison import agreement
from outscore.language.verdict.contradiction import Contradiction
from outscore.report.document import Fact, Table, clean
from outscore.report.rows.columns import Column, alpha_of, tabulate, words
from outscore.report.rows.comparison import answer_columns, group_of, noun_of
from outscore.report.rows.facts import evidence, first_sentence, sides
from outscore.results.comparison import Claimed, Comparison, Comparisons, JointClaim
from outscore.results.design import Verdict
from outscore.results.note import BESIDE_VERDICT, Signature, note_texts


def is_family_of_metrics(whole: Comparisons) -> bool:
    """Whether there are several comparisons, corrected together, that differ in nothing but the metric."""
    if whole.family is None or len(whole.comparisons) < 2:
        return False
    shared = {(c.systems, c.dataset, c.n, c.clusters) for c in whole.comparisons}
    names = {c.metric for c in whole.comparisons if c.slice is None}
    return len(shared) == 1 and len(names) == len(whole.comparisons)


def metrics_verdict(whole: Comparisons) -> Verdict:
    """Whether the metrics agree."""
    verdict = agreement(whole.comparisons, _correction(whole), whole.claim)
    if whole.headline:
        verdict = replace(verdict, headline=whole.headline, reason=whole.reason)
    return replace(verdict, headline=clean(verdict.headline), reason=clean(verdict.reason))


def _correction(whole: Comparisons) -> str:
    assert whole.family is not None
    return correction_name(whole.family.correction)


def metric_table(whole: Comparisons) -> Table:
    """One row per metric, as narrow as a screen."""
    compared, systems = whole.comparisons, whole.comparisons[0].systems
    columns: list[Column[Comparison]] = [
        words("metric", lambda c: f"{c.metric} {'↑' if c.higher_is_better else '↓'}"),
        *answer_columns(compared, alpha_of(whole), (*sides_called(systems), difference_called(systems))),
        words("winner", lambda c: "none" if c.decision.winner is None else c.systems[c.decision.winner]),
    ]
    notes = [f"p: {methods_of(whole)}.", f"adj. p: {correction_of(whole)}."]
    return tabulate("metrics", f"{legend(systems)}, on {size_of(compared)}", columns, compared, notes)


def claim_table(claim: JointClaim, alpha: float | None) -> Table:
    """What is claimed about each measure, and what follows for all of them."""
    columns: list[Column[Claimed]] = [
        words("measure", lambda part: part.measure),
        words("claim", lambda part: part.hypothesis),
        Column("margin", lambda part: part.margin, "{:g}".format),
        Column("p", lambda part: part.p, lambda p: format_p_number(p, alpha)),
    ]
    verdict = f"The claim that {claim.claim} (compared with {claim.other}) {'is shown' if claim.holds else 'is not shown'}"
    number = format_p_number(claim.p, alpha)
    p = f"p {number}" if number.startswith("<") else f"p = {number}"
    why = "Each part is one-sided and uncorrected, because all of them must hold (intersection-union test; Berger, 1982)."
    notes = [
        f"{verdict} at alpha = {format_level(claim.alpha)}: {p}, the largest of its parts.",
        f"Null hypothesis: {claim.null}. {why}",
    ]
    return tabulate("claim", "One claim about all measures", columns, claim.parts, notes)


def _about(comparisons: Sequence[Comparison]) -> Comparison:
    """The comparison that knows the kind of items."""
    # Identical outputs leave no segment that made a difference, so any of the comparisons may know.
    return next((c for c in comparisons if noun_of(c) != "item"), comparisons[0])


def size_of(comparisons: Sequence[Comparison]) -> str:
    """On how many segments, or on how many items of whatever kind."""
    about = _about(comparisons)
    size, groups = about.design.unit_size, about.clusters
    if size > 1:
        return f"{count(about.n, 'unit')} of {count(size, noun_of(about))}"
    runs = runs_clause(about.design, about.systems)
    where = "" if groups is None else f" in {count(groups, group_of(about))}"
    where += f" from {about.design.datasets} datasets (macro average)" if about.design.datasets > 1 else ""
    return count(about.n, noun_of(about)) + where + (f", {runs}" if runs else "")


def metric_facts(whole: Comparisons) -> list[Fact]:
    """What was asked for and what to beware of, each line with its metric."""
    lines: dict[str, list[str]] = {"runs": [], "datasets": [], "parts": [], "margin": [], "bayes": []}
    for c in whole.comparisons:
        for fact in evidence(c, whole):
            if fact.label in lines:
                lines[fact.label] += [clean(f"{c.metric}, {line}") for line in fact.lines]
    lines["notes"] = [first_sentence(note) for note in metric_notes(whole)]
    return [Fact(label, tuple(texts)) for label, texts in lines.items() if texts]


def correction_of(whole: Comparisons) -> str:
    """How p is corrected for the number of metrics."""
    return f"{_correction(whole)} over {count(len(whole.comparisons), 'metric')}"


def methods_of(whole: Comparisons) -> str:
    """Each way in which p was computed, with its metrics and the error of sampling."""
    by_method: dict[str, list[str]] = {}
    for c in whole.comparisons:
        error = format_p_error(c.p, bounds=c.p.method == "certified")
        by_method.setdefault(method_phrase(c.p) + sides(c, whole), []).append(f"{c.metric} {error}".strip())
    return "; ".join(f"{method} ({', '.join(metrics)})" for method, metrics in by_method.items())


def metric_sentence(whole: Comparisons) -> str:
    """What a paper says about all metrics together, in one sentence."""
    comparisons, alpha = whole.comparisons, alpha_of(whole)
    level = "" if alpha is None else f" at the {format_level(alpha)} level"
    clauses = []
    for w in (0, 1):
        won = [c for c in comparisons if c.decision.winner == w]
        if won:
            better, worse = comparisons[0].systems[w], comparisons[0].systems[1 - w]
            clauses.append(f"{better} is better than {worse}{level} in {_listed(_numbers(c, w) for c in won)}")
    open_ = [c for c in comparisons if c.decision.winner is None]
    if open_:
        a, b = comparisons[0].systems
        plural = len(open_) > 1
        subject = f"the difference{'s' if plural else ''} between {a} and {b} in {_listed(_numbers(c, 0) for c in open_)}"
        clauses.append(f"{subject} {'are' if plural else 'is'} not statistically significant{level}")
    used: dict[str, list[str]] = {}
    for c in comparisons:
        used.setdefault(method_phrase(c.p) + sides(c, whole), []).append(c.metric)
    tests = "; ".join(f"{test}, for {_listed(metrics)}" if len(used) > 1 else test for test, metrics in used.items())
    adjusted_by = f"adjusted for {count(len(comparisons), 'metric')}, {_correction(whole)}"
    evidence = f"{tests}; p {'not corrected' if _correction(whole) == NO_CORRECTION else adjusted_by}"
    further = "".join(f"; {clause}" for c in comparisons for clause in _further_clauses(c, alpha))
    claim = claim_phrase(comparisons[0].population, comparisons[0].design, noun_of(_about(comparisons)))
    about = f"; the claim is about {claim}" if claim else ""
    return clean(f"On {size_of(comparisons)}, {'; '.join(clauses)} ({evidence}){about}{further}.")


def _further_clauses(c: Comparison, alpha: float | None) -> list[str]:
    """What a margin shows where nobody won, what contradicts the verdict, and the posterior probabilities, if asked for."""
    clauses, (a, b) = [], c.systems
    if c.margin is not None and c.decision.claim == "equivalent":
        p = equivalence_phrase(c.margin.equivalence, alpha)
        clauses.append(f"in {c.metric} the two are equivalent within a margin of {c.margin.value:g} ({p})")
    elif c.margin is not None and c.decision.claim == "non-inferior":
        p = noninferiority_phrase(c.margin.noninferiority, alpha)
        clauses.append(f"in {c.metric} {a} is non-inferior to {b} with a margin of {c.margin.value:g} ({p})")
    if c.contradiction:
        clauses.append(f"however, in {c.metric} {c.contradiction}")
    if c.bayes is not None:
        clauses.append(f"posterior probabilities in {c.metric}: {posterior_phrase(c.bayes, (a, b))}")
    return clauses


def _numbers(c: Comparison, first: int) -> str:
    """A metric with both scores, that of system `first` first, and the p that counts."""
    values = [format_number(c.scores[i].value, decimals_of(c)) for i in (first, 1 - first)]
    p = format_p_number(c.p) if c.p.adjusted is None else format_probability(c.p.adjusted)
    return f"{c.metric} ({values[0]} against {values[1]}, adjusted p {p if p.startswith('<') else f'= {p}'})"


def _listed(parts: Iterable[str]) -> str:
    *others, last = parts
    return f"{', '.join(others)} and {last}" if others else last


def metric_notes(whole: Comparisons) -> list[str]:
    """The warnings and notes of all metrics, shared ones once."""
    metrics_by_text: dict[str, list[str]] = {}
    for c in whole.comparisons:
        warnings = [] if c.analysis is None else c.analysis.warnings
        for text in (*warnings, *note_texts(note for note in c.notes if note.kind not in ("reading", *BESIDE_VERDICT))):
            metrics_by_text.setdefault(text, []).append(c.metric)
    # What single runs do not show is noted with the first metric and applies to all of them.
    general = {note.text for c in whole.comparisons for note in c.notes if note.kind == "runs"}
    general |= {text for text, metrics in metrics_by_text.items() if len(metrics) == len(whole.comparisons)}
    return [clean(text if text in general else f"{', '.join(metrics)}: {text}") for text, metrics in metrics_by_text.items()]


def metric_contradictions(whole: Comparisons) -> list[str]:
    """What contradicts the verdict by a metric, each with its metric."""
    against = [
        Contradiction(f"in {c.metric} {c.contradiction}", decided=c.decision.winner is not None)
        for c in whole.comparisons
        if c.contradiction
    ]
    return [clean(one.note.text) for one in against]


def metric_signatures(whole: Comparisons) -> list[str]:
    """What all metrics share in one line, and each metric's own signature, as its library writes it, in a line below.

    Where a metric has no signature of its own, its whole line is given: nothing that reproduces a number may be lost.
    """
    split = [c.signature.before_and_after("outscore") for c in whole.comparisons]
    if not all(own for _, own in split):
        return [clean(str(c.signature)) for c in whole.comparisons]
    values: dict[str, list[str]] = {}
    for head, _ in split:
        for key, value in head.parts:
            values.setdefault(key, []).append(value)
    # The metric is in its own line; the method and its kernel differ between metrics, and are given under the table.
    alike = {key: seen[0] for key, seen in values.items() if len(seen) == len(split) and len(set(seen)) == 1}
    shared = [(key, value) for key, value in alike.items() if key != "metric"]
    return [clean(str(Signature(shared))), *(clean(str(own)) for _, own in split)]
