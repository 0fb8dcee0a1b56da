"""Families of comparisons: the same comparison on every part of the data, or by several measures of the same items.

p is corrected for their number. Measures also allow one claim about all of them: "better on quality and not slower" is an
intersection-union test (Berger, 1982). Its null hypothesis is that A is not better on one of the measures it should be better
on, *or* worse by the margin or more on one of the others. It is rejected if every part is, each at the full level and
one-sided, so the largest p is the p of the claim and nothing is corrected.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.numeric import Array
from outscore.inference.describe.effects import evaluation_units
from outscore.inference.families import MAX_T, Member, correct_family, max_t_of_pair
from outscore.inference.populations import ITEMS
from outscore.language.phrases import correction_name, join_words
from outscore.language.verdict.comparison import Numbers, agreement, comparison_of
from outscore.results.analysis import Subset
from outscore.results.comparison import Claimed, Comparisons, JointClaim, Margin
from outscore.results.design import HOLM, Family
from outscore.results.note import Note
from outscore.scores.panel import Part
from outscore.scores.system import Origin
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
) -> tuple[list[Numbers], Family, list[Note]]:
    """Every slice compared, the family they form, and a note on each slice that cannot be tested.

    `parts` are the slices by the value of the column, and `clusters` those of the items of the whole. Slices of one item are
    compared too, if the test allows it. The decision about a slice rests on its corrected p, and slices get no advice on unit
    sizes.
    """
    alone = replace(question, unit_advice=False)
    compared: list[Numbers] = []
    used, notes = [], []
    for value, part in parts.items():
        try:
            compared.append({**compare_panel(part.panel, alone), "slice": Subset(column, value)})
        except OutscoreError as refusal:
            # A slice that is too small for the test must not stop the others.
            notes.append(Note("omission", f"Slice {column} = {value} was left out: {refusal.message}"))
            continue
        used.append(part)
    if not compared:
        raise OutscoreError(f"No slice of `{column}` can be compared. {notes[0]}", "Leave the slices out.", parameter="slice")
    resampled = None
    if correction == MAX_T:
        refuse_new_runs(compared)
        resampled = swap_together(used, clusters, question)
    return *as_family(compared, correction, resampled), notes


def refuse_new_runs(compared: Sequence[Numbers]) -> None:
    """Refuse to correct claims about new runs with swaps of items."""
    if any(numbers["population"] != ITEMS for numbers in compared):
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
    return max_t_of_pair([_member(part, clusters, question) for part in parts], question.of_test)


def _member(part: Part, clusters: Array | None, question: Question) -> Member:
    """A part in the units that are swapped, and the coin of each."""
    pairs, metric = part.panel.matched_rows(), part.panel.metric
    if question.unit_size != 1:
        units, _ = evaluation_units(pairs, metric, *question.units)
        return units, metric, part.items[: units.rows]
    coins = part.items if clusters is None else clusters[part.items]
    # Units are in the order in which their labels first appear.
    return pairs, metric, np.array(list(dict.fromkeys(coins.tolist())))


def as_family(compared: Sequence[Numbers], correction: str, resampled: Array | None = None) -> tuple[list[Numbers], Family]:
    """Comparisons made together, each with its corrected p.

    `resampled` holds the adjusted p-values of a correction that works on resampled differences, as `max-t` does.
    """
    p_values, family = correct_family([numbers["p"] for numbers in compared], correction, resampled=resampled)
    mark = [("correction", family.correction), ("m", family.m)]
    margins = _corrected_margins([numbers["margin"] for numbers in compared], correction)
    return [
        {**numbers, "p": p, "margin": margin, "signature": numbers["signature"].before("outscore", *mark)}
        for numbers, p, margin in zip(compared, p_values, margins, strict=True)
    ], family


def _corrected_margins(given: Sequence[Margin | None], correction: str) -> Sequence[Margin | None]:
    """Margins with their p-values corrected: non-inferiority is one family, equivalence another.

    Margins are tested one-sided about a difference that swaps cannot reach, so if `max-t` corrects the comparisons
    themselves, margins are corrected by Holm.
    """
    margins = [margin for margin in given if margin is not None]
    if len(margins) < len(given):
        return given
    by = HOLM if correction == MAX_T else correction
    not_worse, _ = correct_family([margin.noninferiority for margin in margins], by)
    equal, _ = correct_family([margin.equivalence for margin in margins], by)
    parts = zip(margins, not_worse, equal, strict=True)
    return [replace(margin, noninferiority=p, equivalence=q) for margin, p, q in parts]


def compare_measures(
    request: CompareRequest, compare: Callable[[CompareRequest], tuple[Numbers, Sequence[Origin]]]
) -> Comparisons:
    """Compare by each measure with `compare`, which takes a request for one measure, and correct for their number."""
    logs = bool(request.files) and asks_logs(request)
    request.validate(arrays=not request.files, logs=logs)
    margins = request.margins()
    alone = request.by_measure(logs=logs)
    compared: list[Numbers] = []
    origins = list[Origin]()
    for name, asked in alone.items():
        numbers, read = compare(replace(asked, margin=margins.get(name)))
        compared.append(_named(numbers, name, list(alone)))
        origins += read
    claim = _claim(compared, alone, margins, request, compare)
    side = Question(**request.asked()).side
    corrected, family = as_family(compared, request.correction)
    comparisons = [comparison_of(numbers, **side) for numbers in corrected]
    together = agreement(comparisons, correction_name(family.correction), claim)
    settings = request.settings(origins)
    return Comparisons(comparisons, settings, family, headline=together.headline, reason=together.reason, claim=claim)


def _named(numbers: Numbers, name: str, measures: Sequence[str]) -> Numbers:
    """A comparison that is called by its measure, one of several."""
    metric, reading = numbers["metric"], numbers.get("reading")
    signature = numbers["signature"].replacing("metric", metric, f"{metric} of {name}")
    reading = None if reading is None else replace(reading, measures=list(measures))
    return {**numbers, "metric": name, "signature": signature, "reading": reading}


def _claim(
    compared: Sequence[Numbers],
    alone: Mapping[str, CompareRequest],
    margins: Mapping[str, float],
    request: CompareRequest,
    compare: Callable[[CompareRequest], tuple[Numbers, Sequence[Origin]]],
) -> JointClaim | None:
    """Better on some measures and not worse on the others; None if no margin was given."""
    if not margins:
        return None
    parts = []
    for (name, asked), numbers in zip(alone.items(), compared, strict=True):
        margin = margins.get(name)
        if margin is None:
            better, _ = compare(replace(asked, alternative="greater", anytime=False, bounds=()))
            parts.append(Claimed(name, "better", None, better["p"]))
        else:
            parts.append(Claimed(name, "not worse", margin, numbers["margin"].noninferiority))
    largest = max(parts, key=lambda part: part.p.upper).p
    system, other = compared[0]["systems"]
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
