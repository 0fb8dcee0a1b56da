"""What the charts of a diff draw: the matrix of transitions and the bars of labels, as plain lists for the page's script.

The page draws them itself, as tables of buttons, because every cell and bar leads to its examples and must be reachable by
keyboard. Scores, differences and p-values become texts here; the page itself rounds only the shares of the outcomes.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from outscore.language.numbers import format_p_error, format_p_number
from outscore.language.phrases import method_phrase
from outscore.report.document import clean, glue
from outscore.report.rows.diff_pairs import CLASSES, sorted_parts, sorted_shifts
from outscore.report.rows.diff_words import adjusted_p, alpha_of, ends, interval_name, metric_name, p_number, pair_name, points
from outscore.results.diff import Diff, Pair, Part

__all__ = ["matrix", "pair_data"]

MOST_LABELS = 40
"""Labels of the matrix, those in most changes first."""
MOST_ROWS = 2_000
"""Rows of a transition table that the page holds for each class; a matrix of free texts would fill any page."""


def matrix(pair: Pair, most: int = MOST_LABELS) -> dict[str, Any]:
    """How often each label became each other: corrections, new errors and changed errors by (from, to).

    Labels are the `most` in most changes; `outside` counts the changes between the others.
    """
    cells: dict[tuple[str, str], list[int]] = {}
    weight: Counter[str] = Counter()
    for kind, name in enumerate(CLASSES):
        for row in pair.transitions.get(name, []):
            cells.setdefault((row.source, row.target), [0, 0, 0])[kind] += row.count
            weight.update(dict.fromkeys({row.source, row.target}, row.count))
    labels = sorted(weight, key=lambda label: (-weight[label], label))[:most]
    place = {label: i for i, label in enumerate(labels)}
    inside = [
        [place[source], place[target], *counts]
        for (source, target), counts in cells.items()
        if source in place and target in place
    ]
    outside = sum(map(sum, cells.values())) - sum(sum(row[2:]) for row in inside)
    return {"labels": [clean(label) for label in labels], "cells": sorted(inside), "outside": outside}


def pair_data(diff: Diff, pair: Pair) -> dict[str, Any]:
    """One pair as the page's script wants it."""
    transitions, left = _transitions(pair)
    return {
        "name": clean(pair_name(pair)),
        "systems": [clean(name) for name in pair.systems],
        "criterion": pair.criterion,
        "criterionName": clean(metric_name(pair.criterion)),
        "n": pair.n,
        "verdict": clean(pair.verdict),
        "sentence": clean(pair.sentence),
        "significant": (alpha := alpha_of(diff)) is not None and pair.difference != 0 and pair.p.upper <= alpha,
        "notes": [clean(note.text) for note in pair.notes],
        "cards": _cards(diff, pair),
        "outcomes": [
            pair.outcomes.both_right,
            *(getattr(pair.outcomes, name) for name in CLASSES),
            pair.outcomes.shared_error,
        ],
        "kinds": [[clean(metric_name(kind)), count] for kind, count in pair.kinds.items()],
        "metrics": [
            [metric_name(m.metric), points(m.first), points(m.second), points(m.difference, sign=True), p_number(m.p)]
            for m in pair.metrics
        ],
        "matrix": matrix(pair),
        "transitions": transitions,
        "left": left,
        "labels": _parts(pair.labels),
        "slices": _parts(pair.slices),
    }


def _transitions(pair: Pair) -> tuple[list[list[Any]], int]:
    """Rows in order of evidence: class, gold, from, to, count, mirror, shares, adjusted p; and how many are left out."""
    rows: list[list[Any]] = []
    left = 0
    for kind, name in enumerate(CLASSES, 1):
        found = sorted_shifts(pair.transitions.get(name, []))
        left += len(found[MOST_ROWS:])
        rows += [
            [
                kind,
                *map(clean, (row.gold, row.source, row.target)),
                row.count,
                row.mirror,
                points(row.share_of_class),
                points(row.share_of_changes),
                adjusted_p(row.p),
            ]
            for row in found[:MOST_ROWS]
        ]
    return rows, left


def _parts(parts: list[Part]) -> list[list[Any]]:
    """Rows in order of evidence: column, value, units, both scores, difference as text and number, interval, p."""
    return [
        [
            clean(row.column),
            clean(row.value),
            row.n,
            points(row.first),
            points(row.second),
            points(row.difference, sign=True),
            round(row.difference, 6),
            None if row.low is None else round(row.low, 6),
            None if row.high is None else round(row.high, 6),
            "" if row.low is None and row.high is None else ends(row.low, row.high),
            adjusted_p(row.p),
            row.p is not None,
        ]
        for row in sorted_parts(parts)
    ]


def _cards(diff: Diff, pair: Pair) -> list[dict[str, Any]]:
    """The numbers everybody looks for first."""
    metric, scores = metric_name(pair.metric), (points(pair.first), points(pair.second))
    cards = [
        _card(name, score, [f"{metric}, in %"], role) for role, name, score in zip("ab", pair.systems, scores, strict=True)
    ]
    about = "no interval"
    if pair.interval is not None:
        about = f"{interval_name(pair.interval)} {ends(pair.interval.low, pair.interval.high)}"
    cards.append(_card("Difference", points(pair.difference, sign=True), ["second - first, in points", about]))
    p = format_p_number(pair.p, alpha_of(diff))
    cards.append(_card("p", p, [text for text in (format_p_error(pair.p), method_phrase(pair.p)) if text]))
    differ = [f"of {pair.n:,} units", f"overlap of right answers {points(pair.overlap_correct)} %"]
    cards.append(_card("Different answers", f"{points(pair.differ)} %", differ))
    return cards


def _card(label: str, value: str, small: list[str], role: str = "") -> dict[str, Any]:
    return {"label": clean(label), "value": value, "small": [glue(clean(text)) for text in small], "role": role}
