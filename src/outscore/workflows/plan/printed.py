"""A reviewer with a printed table: which numbers of items fit its decimals, and which p each pair of systems can have.

A printed score stands for every number of right answers that rounds to it. The p-values of a pair are bounded by the overlaps
of errors that are possible, as for two scores. Adjusted p grows with each raw p, so the correction of all smallest ones
bounds it from below, and that of all largest from above; all pairs need not reach such a bound at once.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Mapping
from fractions import Fraction
from itertools import combinations
from typing import Any, Literal

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.formats.base.source import open_source
from outscore.inference.families import adjust, correct_family
from outscore.inference.power.binary import overlaps
from outscore.language.numbers import count
from outscore.language.signature import VERSION
from outscore.language.verdict.plan import possible_table_verdict
from outscore.results.design import HOLM, Family, Reading
from outscore.results.note import Signature
from outscore.results.plan import Fitting, PossiblePair, PossibleTable, PrintedScore
from outscore.scores.system import Origin
from outscore.workflows.plan.answer import MAX_PRINTED, printed_counts, read_printed

MAX_SYSTEMS = 60
"""More systems have more pairs than anybody would read."""
MAX_RANGES = 50
"""Ranges of fitting numbers that are kept."""
HEADERS = ("score", "accuracy", "acc", "acc.", "value", "result", "em", "%")


def read_table(path: str) -> tuple[dict[str, str], Origin, Reading]:
    """Printed scores by system from a file with two columns, with or without a header."""
    with open_source(path) as source:
        lines = [line for line in source.lines() if line.strip()]
        delimiter = max("\t;,", key=lines[0].count) if lines else ","
        rows = [[cell.strip() for cell in row] for row in csv.reader(lines, delimiter=delimiter)]
        digest = source.sha256()
    scores: dict[str, str] = {}
    headings = ("column 1", "column 2")
    for i, row in enumerate(rows):
        if len(row) != 2:
            raise OutscoreError(
                f"Row {i + 1} of `{path}` has {len(row)} columns.",
                "Give two columns: the system, and its score as printed.",
                parameter="table",
                file=path,
                line=i + 1,
            )
        system, score = row
        if i == 0 and score.lower() in HEADERS:
            headings = (system or headings[0], score)
            continue
        if system in scores:
            raise OutscoreError(
                f"`{path}` has two scores for `{system}`.",
                "Give each system one score.",
                parameter="table",
                file=path,
                line=i + 1,
            )
        scores[system] = score
    origin = Origin(path, digest, len(rows), "printed", {"system": headings[:1], "score": headings[1:]})
    form = "tsv" if delimiter == "\t" else "csv"
    return scores, origin, Reading("printed", len(scores), 1, [form], [headings[1]], system=[headings[0]])


def possible_table(
    printed: Mapping[str, object],
    n: int | None,
    *,
    alpha: float,
    **more: Any,  # noqa: ANN401 - fields of the result
) -> PossibleTable:
    """The p-values that printed accuracies of systems on the same items allow; without `n`, which numbers of items fit.

    Examples
    --------
    >>> found = possible_table({"new": ".857", "old": ".714"}, None, alpha=0.05)
    >>> found.fitting.smallest, found.fitting.ranges[:3]
    (7, [(7, 7), (14, 14), (21, 21)])
    """
    texts = {str(name): str(score).strip() for name, score in printed.items()}
    _check(texts, n)
    values = {name: read_printed(text) for name, text in texts.items()}
    per_cent = any(value > 1 for value, _ in values.values()) or any(text.endswith("%") for text in texts.values())
    whole = 100 if per_cent else 1
    order = sorted(texts, key=lambda name: -values[name][0])
    fitting = _fitting([values[name] for name in order], whole)
    counts = {}
    if n is not None:
        counts = {name: printed_counts(texts[name], *values[name], n, whole) for name in order}
    systems = [PrintedScore(name, texts[name], counts.get(name)) for name in order]
    pairs, family = ([], None) if n is None else _pairs(counts, n, alpha)
    parts: list[tuple[str, object]] = [("plan", "possible-table"), ("scores", " ".join(texts[name] for name in order))]
    parts += [("n", n), ("test", "mcnemar"), ("correction", HOLM), ("m", len(pairs))] if n is not None else []
    headline, reason = possible_table_verdict(fitting, pairs, family, alpha)
    return PossibleTable(
        systems=systems,
        n=n,
        alpha=alpha,
        fitting=fitting,
        pairs=pairs,
        family=family,
        signature=Signature([*parts, ("alpha", f"{alpha:g}"), VERSION]),
        headline=headline,
        reason=reason,
        verdict=f"{headline} {reason}".strip(),
        **more,
    )


def _check(texts: Mapping[str, str], n: int | None) -> None:
    if not 2 <= len(texts) <= MAX_SYSTEMS:
        raise OutscoreError(
            f"The table has {count(len(texts), 'system')}.",
            f"Give two to {MAX_SYSTEMS} systems and their scores.",
            parameter="table",
        )
    if n is not None and n > MAX_PRINTED:
        raise OutscoreError(f"`n` is {n:,}.", f"Printed scores can be checked for up to {MAX_PRINTED:,} items.", parameter="n")


def _fitting(values: list[tuple[Fraction, Fraction]], whole: int) -> Fitting:
    """Which numbers of items fit: for each score some whole number lies between n (value ± half) / whole."""
    # From here on, every printed unit contains a whole number.
    always = max(math.ceil(whole / (2 * half)) for _, half in values)
    most = min(always, MAX_PRINTED)
    n = np.arange(1, most + 1, dtype=object if always > MAX_PRINTED else np.int64)
    fits = np.ones(most, dtype=bool)
    for value, half in values:
        low, high = max(Fraction(0), (value - half) / whole), min(Fraction(1), (value + half) / whole)
        fits &= np.asarray(-((-low.numerator * n) // low.denominator) <= (high.numerator * n) // high.denominator, dtype=bool)
    edges = np.flatnonzero(np.diff(np.concatenate([[False], fits, [False]]).astype(np.int8)))
    ranges = [(int(first) + 1, int(last)) for first, last in zip(edges[::2], edges[1::2], strict=True)]
    every = ranges[-1][0] if ranges and ranges[-1][1] == most and always <= MAX_PRINTED else None
    return Fitting(most, int(fits.sum()), ranges[0][0] if ranges else None, every, ranges[:MAX_RANGES])


def _pairs(counts: Mapping[str, tuple[int, int]], n: int, alpha: float) -> tuple[list[PossiblePair], Family]:
    both = list(combinations(counts, 2))
    possible = [overlaps(counts[a], counts[b], n, alpha, "two-sided") for a, b in both]
    low, family = correct_family([overlap.lowest for overlap in possible], HOLM)
    high = adjust(np.array([overlap.highest.value for overlap in possible]), HOLM)
    pairs = []
    for pair, overlap, least, most in zip(both, possible, (p.deciding for p in low), high.tolist(), strict=True):
        outcome: Literal["always", "depends", "never"] = "depends"
        if most <= alpha:
            outcome = "always"
        elif least > alpha:
            outcome = "never"
        pairs.append(PossiblePair(pair, overlap.lowest, overlap.highest, least, most, overlap.independent, outcome))
    return pairs, family
