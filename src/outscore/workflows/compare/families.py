"""Families of comparisons: the same comparison on every part of the data, or by several measures of the same items.

p is corrected for their number. Measures also allow one claim about all of them: "better on quality and not slower" is an
intersection-union test (Berger, 1982). Its null hypothesis is that A is not better on one of the measures it should be better
on, *or* worse by the margin or more on one of the others. It is rejected if every part is, each at the full level and
one-sided, so the largest p is the p of the claim and nothing is corrected.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.numeric import Array
from outscore.inference.describe.effects import evaluation_units
from outscore.inference.families import MAX_T, Member, correct_family, max_t_of_pair
from outscore.inference.populations import ITEMS
from outscore.language.phrases import correction_name, join_words
from outscore.language.verdict.comparison import agreement, with_verdict
from outscore.results.analysis import Subset
from outscore.results.comparison import Claimed, Comparison, Comparisons, JointClaim
from outscore.results.design import HOLM, Family
from outscore.results.note import Note
from outscore.scores.panel import Part
from outscore.workflows.compare.arrays import compare_panel
from outscore.workflows.load import asks_logs
from outscore.workflows.question import Question
from outscore.workflows.requests.compare import CompareRequest


def compare_slices(
    column: str,
    parts: Mapping[str, Part],
    clusters: Array | None,
    question: Question,
    *,
    correction: str,
    known: Mapping[str, Any] | None = None,
) -> tuple[list[Comparison], Family, list[Note]]:
    """Every slice compared, the family they form, and a note on each slice that cannot be tested.

    `parts` are the slices by the value of the column, and `clusters` those of the items of the whole. Slices of one item are
    compared too, if the test allows it. The decision about a slice rests on its corrected p, and slices get no advice on unit
    sizes. `known` are further fields of each result.
    """
    question = replace(question, unit_advice=False)
    compared, used, notes = [], [], []
    for value, part in parts.items():
        try:
            result = compare_panel(part.panel, question, known={**(known or {}), "slice": Subset(column, value)})
        except OutscoreError as refusal:
            # A slice that is too small for the test must not stop the others.
            notes.append(Note("omission", f"Slice {column} = {value} was left out: {refusal.message}"))
            continue
        compared.append(result)
        used.append(part)
    if not compared:
        raise OutscoreError(f"No slice of `{column}` can be compared. {notes[0]}", "Leave the slices out.", parameter="slice")
    resampled = None
    if correction == MAX_T:
        refuse_new_runs(compared)
        resampled = swap_together(used, clusters, question)
    found, family = as_family(compared, correction, **question.side, resampled=resampled)
    return found, family, notes


def refuse_new_runs(compared: Sequence[Comparison]) -> None:
    """Refuse to correct claims about new runs with swaps of items."""
    if any(c.population != ITEMS for c in compared):
        raise OutscoreError(
            f"Correction `{MAX_T}` swaps items, but the claims are about new runs too.",
            "Use `holm`, or --population items.",
            parameter="correction",
        )


def swap_together(parts: Sequence[Part], clusters: Array | None, question: Question) -> Array:
    """Adjusted p-values of parts of one comparison by max-T, from swaps that they share.

    `clusters` are those of the items of the whole, if there are any. An item or cluster that appears in several parts is
    swapped in all of them at once.
    """
    return max_t_of_pair(
        [_member(part, clusters, question) for part in parts],
        alternative=question.alternative,
        resamples=int(str(question.of_test.options["resamples"])),
        seed=question.seed,
    )


def _member(part: Part, clusters: Array | None, question: Question) -> Member:
    """A part in the units that are swapped, and the coin of each."""
    pairs, metric, size = part.panel.matched_rows(), part.panel.metric, question.unit_size
    if size != 1:
        units, _ = evaluation_units(pairs, metric, size, question.unit_statistic, question.shuffle)
        return Member(units, metric, part.items[: units.rows])
    coins = part.items if clusters is None else clusters[part.items]
    # Units are in the order in which their labels first appear.
    return Member(pairs, metric, np.array(list(dict.fromkeys(coins.tolist()))))


def as_family(
    compared: Sequence[Comparison],
    correction: str,
    *,
    alpha: float,
    alternative: str,
    delta: float,
    resampled: Array | None = None,
) -> tuple[list[Comparison], Family]:
    """Comparisons made together, each with its corrected p and the words that follow from it.

    `resampled` holds the adjusted p-values of a correction that works on resampled differences, as `max-t` does.
    """
    p_values, family = correct_family([c.p for c in compared], correction, resampled=resampled)
    question: dict[str, Any] = {"alpha": alpha, "alternative": alternative, "delta": delta}
    mark = [("correction", family.correction), ("m", family.m)]
    corrected = [
        replace(c, p=p, signature=c.signature.before("outscore", *mark))
        for c, p in zip(_with_margins(compared, correction), p_values, strict=True)
    ]
    return [with_verdict(c, **question, identical=c.identical) for c in corrected], family


def _with_margins(compared: Sequence[Comparison], correction: str) -> list[Comparison]:
    """Comparisons with the p-values of their margins corrected: non-inferiority is one family, equivalence another.

    Margins are tested one-sided about a difference that swaps cannot reach, so if `max-t` corrects the comparisons
    themselves, margins are corrected by Holm.
    """
    margins = [c.margin for c in compared if c.margin is not None]
    if len(margins) < len(compared):
        return list(compared)
    by = HOLM if correction == MAX_T else correction
    not_worse, _ = correct_family([margin.noninferiority for margin in margins], by)
    equal, _ = correct_family([margin.equivalence for margin in margins], by)
    parts = zip(compared, margins, not_worse, equal, strict=True)
    return [replace(c, margin=replace(margin, noninferiority=p, equivalence=q)) for c, margin, p, q in parts]


def compare_measures(request: CompareRequest, compare: Callable[[CompareRequest], Comparisons]) -> Comparisons:
    """Compare by each measure with `compare`, which takes a request for one measure, and correct for their number."""
    logs = bool(request.files) and asks_logs(request)
    request.validate(arrays=not request.files, logs=logs)
    margins = request.margins()
    alone = request.by_measure(logs=logs)
    by_measure = {}
    for name, asked in alone.items():
        answer = compare(replace(asked, margin=margins.get(name)))
        by_measure[name] = (_named(answer.comparisons[0], name, list(alone)), answer.settings)
    compared = [c for c, _ in by_measure.values()]
    claim = _claim(compared, alone, margins, request, compare)
    side = Question(**request.asked()).side
    corrected, family = as_family(compared, request.correction, **side)
    together = agreement(corrected, correction_name(family.correction), claim)
    inputs = {str(entry): entry for _, settings in by_measure.values() for entry in settings["inputs"]}
    settings = {**request.settings(), "inputs": list(inputs.values())}
    return Comparisons(corrected, settings, family, headline=together.headline, reason=together.reason, claim=claim)


def _named(c: Comparison, name: str, measures: Sequence[str]) -> Comparison:
    """A comparison that is called by its measure, one of several."""
    reading = None if c.reading is None else replace(c.reading, measures=list(measures))
    signature = c.signature.replacing("metric", c.metric, f"{c.metric} of {name}")
    return replace(c, metric=name, signature=signature, reading=reading)


def _claim(
    compared: Sequence[Comparison],
    alone: Mapping[str, CompareRequest],
    margins: Mapping[str, float],
    request: CompareRequest,
    compare: Callable[[CompareRequest], Comparisons],
) -> JointClaim | None:
    """Better on some measures and not worse on the others; None if no margin was given."""
    if not margins:
        return None
    parts = []
    for c in compared:
        margin = margins.get(c.metric)
        if margin is None:
            p = compare(replace(alone[c.metric], alternative="greater", anytime=False, bounds=())).comparisons[0].p
            parts.append(Claimed(c.metric, "better", None, p))
        else:
            assert c.margin is not None
            parts.append(Claimed(c.metric, "not worse", margin, c.margin.noninferiority))
    largest = max(parts, key=lambda part: part.p.upper).p
    system, other = compared[0].systems
    return JointClaim(
        system=system,
        other=other,
        parts=parts,
        p=largest,
        alpha=request.alpha,
        holds=bool(largest.upper <= request.alpha),
        claim=f"{system} is {_in_words(parts)}",
        null=_null(system, parts),
    )


def _in_words(parts: Sequence[Claimed]) -> str:
    """Better on these measures, and not worse on those by their margins.

    Examples
    --------
    >>> from outscore.results.pvalue import PValue
    >>> p = PValue(0.01, 0.01, 0.01, -2.0, "exact", "permutation")
    >>> _in_words([Claimed("quality", "better", None, p), Claimed("latency", "not worse", 5.0, p)])
    'better on quality and not worse on latency by 5'
    """
    better = [part.measure for part in parts if part.hypothesis == "better"]
    others = [f"{part.measure} by {_size(part)}" for part in parts if part.hypothesis == "not worse"]
    phrases = ([f"better on {join_words(better)}"] if better else []) + [f"not worse on {join_words(others)}"]
    return " and ".join(phrases)


def _null(system: str, parts: Sequence[Claimed]) -> str:
    phrases = [
        f"not better on {part.measure}" if part.hypothesis == "better" else f"worse on {part.measure} by {_size(part)} or more"
        for part in parts
    ]
    return f"{system} is {', or '.join(phrases)}"


def _size(part: Claimed) -> str:
    assert part.margin is not None
    return f"{part.margin:g}"
