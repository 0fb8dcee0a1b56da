"""Several measures of the same items: a comparison by each, corrected together, and one claim about all of them.

"Better on quality and not slower" is an intersection-union test (Berger, 1982): its null hypothesis is that A is not better on
one of the measures it should be better on, *or* worse by the margin or more on one of the others. It is rejected where every
part is, each at the full level and one-sided, so the largest p is the p of the claim and nothing is corrected.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from outscore.core.options import written_direction
from outscore.language.phrases import correction_name
from outscore.language.verdict.comparison import agreement
from outscore.results.comparison import Claimed, Comparison, Comparisons, JointClaim
from outscore.workflows.compare.logs import asks_logs
from outscore.workflows.compare.slices import as_family
from outscore.workflows.requests.compare import CompareRequest
from outscore.workflows.validate import question_of

__all__ = ["compare_measures"]


def compare_measures(request: CompareRequest, compare: Callable[[CompareRequest], Comparisons]) -> Comparisons:
    """Compare by each measure with `compare`, which takes a request for one of them, and correct for their number."""
    logs = bool(request.files) and asks_logs(request)
    request.validate(arrays=not request.files, logs=logs)
    names = [written_direction(measure) for measure in request.measure]
    margins = request.margins()
    alone = {name: _alone(request, name, direction, logs=logs) for name, direction in names}
    found = {}
    for name, asked in alone.items():
        one = compare(replace(asked, margin=margins.get(name)))
        found[name] = (_named(one.comparisons[0], name, [name for name, _ in names]), one.settings)
    compared = [c for c, _ in found.values()]
    claim = _claim(compared, alone, margins, request, compare)
    side = question_of(**request.asked()).side
    corrected, family = as_family(compared, request.correction, **side)
    together = agreement(corrected, correction_name(family.correction), claim)
    inputs = {str(entry): entry for _, settings in found.values() for entry in settings["inputs"]}
    settings = {**request.settings(), "inputs": list(inputs.values())}
    return Comparisons(corrected, settings, family, headline=together.headline, reason=together.reason, claim=claim)


def _named(c: Comparison, name: str, measures: Sequence[str]) -> Comparison:
    """A comparison that is called by its measure, one of several."""
    reading = None if c.reading is None else replace(c.reading, measures=list(measures))
    signature = c.signature.replacing("metric", c.metric, f"{c.metric} of {name}")
    return replace(c, metric=name, signature=signature, reading=reading)


def _alone(request: CompareRequest, name: str, direction: str | None, *, logs: bool) -> CompareRequest:
    """The same question by one measure: a column of a table, or a score of logs."""
    where: dict[str, object] = {"metric": name} if logs else {"score": (name,)}
    better = request.direction if direction is None else direction
    return replace(request, measure=(), not_worse={}, direction=better, **where)  # type: ignore[arg-type]


def _claim(
    compared: Sequence[Comparison],
    alone: Mapping[str, CompareRequest],
    margins: Mapping[str, float],
    request: CompareRequest,
    compare: Callable[[CompareRequest], Comparisons],
) -> JointClaim | None:
    """Better on some measures and not worse on the others; None where no margin was given."""
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
    said = ([f"better on {_listed(better)}"] if better else []) + [f"not worse on {_listed(others)}"]
    return " and ".join(said)


def _null(system: str, parts: Sequence[Claimed]) -> str:
    said = [
        f"not better on {part.measure}" if part.hypothesis == "better" else f"worse on {part.measure} by {_size(part)} or more"
        for part in parts
    ]
    return f"{system} is {', or '.join(said)}"


def _size(part: Claimed) -> str:
    assert part.margin is not None
    return f"{part.margin:g}"


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
