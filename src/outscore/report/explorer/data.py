"""The files of the explorer, and its data: what changed label by label, and units as compact JSON.

Of units, integers are packed into base64, and every word and text is stored once. A hundred thousand units of two systems
take about two megabytes. Only contexts that some unit stands in are kept.
"""

from __future__ import annotations

import base64
import json
import shlex
from collections import Counter
from collections.abc import Iterable, Sequence
from importlib.resources import files
from typing import Any

import numpy as np

from outscore.core.numeric import Array
from outscore.outputs.model import Units
from outscore.outputs.outcomes import Changed, Contexts
from outscore.report.document import clean, glue
from outscore.report.rows.columns import alpha_of
from outscore.report.rows.comparison import adjusted
from outscore.report.rows.diff import (
    ends,
    headline_of,
    line_of,
    metric_name,
    next_step_of,
    p_number,
    pair_name,
    points,
    reason_of,
)
from outscore.report.rows.diff_pairs import CLASSES, sorted_parts, sorted_shifts
from outscore.results.analysis import ScoredSubset
from outscore.results.diff import Diff, Pair
from outscore.results.note import BESIDE_VERDICT
from outscore.results.pvalue import PValue
from outscore.scores.system import Labels

SCRIPTS = (
    "data.js",
    "charts.js",
    "trees.js",
    "entities.js",
    "chains.js",
    "filters.js",
    "examples.js",
    "address.js",
    "explorer.js",
)

MAX_LABELS = 40
"""How many labels the matrix has, those in most changes first."""
MAX_ROWS = 2_000
"""How many rows of a transition table the page has for each class; a matrix of free texts would fill any page."""
# What could end the block it stands in, or a line of an old script.
ESCAPES = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}
TYPES = tuple(np.dtype(name) for name in ("<i1", "<i2", "<i4"))


def matrix(pair: Pair, most: int = MAX_LABELS) -> dict[str, Any]:
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
    """One pair in the form that the page's script reads."""
    transitions, left = _transitions(pair)
    return {
        "name": clean(pair_name(pair)),
        "systems": [clean(name) for name in pair.systems],
        "criterion": pair.criterion,
        "units": pair.unit_criterion,
        "countedBy": clean(metric_name(pair.counted_by)),
        "criterionName": clean(metric_name(pair.criterion)),
        "n": pair.n,
        "scores": [pair.first, pair.second],
        "headline": glue(headline_of(diff, pair)),
        "line": glue(" · ".join(line_of(diff, pair))),
        "next": next_step_of(diff, pair),
        "verdict": glue(reason_of(diff, pair)),
        "sentence": clean(pair.sentence),
        "significant": (alpha := alpha_of(diff)) is not None and pair.is_significant(alpha),
        "notes": [clean(note.text) for note in pair.notes if note.kind not in BESIDE_VERDICT],
        "beside": [clean(note.text) for note in (*diff.notes, *pair.notes) if note.kind in BESIDE_VERDICT],
        "outcomes": [
            pair.outcomes.both_right,
            *(getattr(pair.outcomes, name) for name in CLASSES),
            pair.outcomes.shared_error,
        ],
        "kinds": [[clean(metric_name(kind)), count] for kind, count in pair.kinds.items()],
        "metrics": [
            [
                [metric_name(m.metric), points(m.first), points(m.second), points(m.difference, sign=True), p_number(m.p)],
                [m.first, m.second, m.difference, m.p.value],
            ]
            for m in pair.metrics
        ],
        "tables": "" if pair.transitions else _how_to_see(diff, pair),
        "matrix": matrix(pair),
        "transitions": transitions,
        "left": left,
        "labels": _parts(pair.labels),
        "slices": _parts(pair.slices),
    }


def _how_to_see(diff: Diff, pair: Pair) -> str:
    """Why a pair has no tables, and the command that makes them, if the files are known."""
    first, second = pair.systems
    several = len({one.criterion for one in diff.pairs}) > 1
    by = f", by {metric_name(diff.pairs[0].criterion)}" if several else ""
    why = f"Of {len(diff.systems)} systems, only neighbours by score and the first two are compared label by label{by}."
    cure = f"To have the changes of this pair tested, compare {first} and {second} alone"
    files = [str(path) for path in diff.settings.get("files") or []]
    # Gold is the first file; a file that holds several systems cannot be divided.
    if len(files) != len(diff.systems) + 1:
        return clean(f"{why} {cure}.")
    chosen = [files[0], *(files[1 + diff.systems.index(name)] for name in pair.systems)]
    asked = ["outscore", "diff", "--task", diff.task, *(["--criterion", pair.criterion] if several else []), *chosen]
    return clean(f"{why} {cure}: `{shlex.join(asked)}`.")


def _transitions(pair: Pair) -> tuple[list[list[Any]], int]:
    """Rows in order of evidence: class, gold, from, to, count, mirror, shares, p as text and number; how many are left out."""
    listed: list[list[Any]] = []
    left = 0
    for kind, name in enumerate(CLASSES, 1):
        shifts = sorted_shifts(pair.transitions.get(name, []))
        left += len(shifts[MAX_ROWS:])
        listed += [
            [
                kind,
                *map(clean, (row.gold, row.source, row.target)),
                row.count,
                row.mirror,
                points(row.share_of_class),
                points(row.share_of_changes),
                adjusted(row.p),
                _order_of(row.p),
            ]
            for row in shifts[:MAX_ROWS]
        ]
    return listed, left


def _parts(parts: list[ScoredSubset]) -> list[list[Any]]:
    """Rows in order of evidence: column, value, units, both scores, difference twice, interval, p, numbers to sort by."""
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
            adjusted(row.p),
            row.p is not None,
            [round(row.first, 6), round(row.second, 6), _order_of(row.p)],
        ]
        for row in sorted_parts(parts)
    ]


def _order_of(p: PValue | None) -> float | None:
    """The number by which rows are sorted, since a text such as "< .001" says none."""
    if p is None:
        return None
    return p.value if p.adjusted is None else p.adjusted


def source() -> str:
    """The script of the explorer; whoever runs it gives it a scope of its own."""
    return "".join(map(file_text, SCRIPTS))


def file_text(name: str) -> str:
    """One of the explorer's files."""
    return files("outscore.report.explorer").joinpath(name).read_text(encoding="utf-8")


def embedded(data: object) -> str:
    r"""JSON that no HTML parser can mistake for markup.

    Examples
    --------
    >>> embedded({"a": "</script>"})
    '{"a":"\\u003c/script\\u003e"}'
    """
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for char, escaped in ESCAPES.items():
        text = text.replace(char, escaped)
    return text


def pack(numbers: Array) -> dict[str, Any]:
    """Whole numbers as base64 of little-endian integers, as narrow as can be; steps instead of values where those are narrower.

    Examples
    --------
    >>> pack(np.array([1, 2, -1]))
    {'bytes': 1, 'steps': False, 'data': 'AQL/'}
    >>> pack(np.array([7, 7]))
    {'value': 7, 'n': 2}
    """
    flat = np.asarray(numbers).reshape(-1).astype(np.int64)
    if not len(flat) or (flat == flat[0]).all():
        return {"value": int(flat[0]) if len(flat) else 0, "n": len(flat)}
    steps = np.diff(flat, prepend=0)
    narrower = _width(steps) < _width(flat)
    chosen = steps if narrower else flat
    kind = TYPES[_width(chosen)]
    data = base64.b64encode(chosen.astype(kind).tobytes()).decode()
    return {"bytes": kind.itemsize, "steps": narrower, "data": data}


def _width(numbers: Array) -> int:
    """Which of `TYPES` holds them all; steps between far ends may be too wide for any."""
    largest = max(-int(numbers.min()) - 1, int(numbers.max()))
    return next((i for i, kind in enumerate(TYPES) if largest < 2 ** (8 * kind.itemsize - 1)), len(TYPES))


def examples_data(changed: Sequence[Changed], contexts: Contexts) -> dict[str, Any]:
    """All units with their contexts, for the page's script."""
    used = _used_contexts(changed, contexts)
    texts = [contexts.words[i] for i in used.tolist()]
    place: dict[str, int] = {}
    codes = np.fromiter((place.setdefault(word, len(place)) for text in texts for word in text), dtype=np.int64)
    return {
        "vocabulary": [_shown(word) for word in place],
        "ids": [_shown(contexts.ids[i]) for i in used.tolist()],
        "lengths": pack(np.array([len(text) for text in texts])),
        "words": pack(codes),
        "columns": [_shown(name) for name in contexts.columns],
        "heads": None if contexts.heads is None else pack(_joined(contexts.heads[i] for i in used.tolist())),
        "relations": None if contexts.relations is None else _relations(contexts.relations, used),
        "documents": None if contexts.documents is None else _labels(contexts.documents.take(used)),
        "sets": [_set(c, used) for c in changed],
    }


def _used_contexts(changed: Sequence[Changed], contexts: Contexts) -> Array:
    """The contexts of units; of coreference those of their whole documents, through which chains run."""
    used = np.unique(np.concatenate([np.asarray(c.contexts, dtype=np.int64) for c in changed]))
    if contexts.documents is None or all(c.mentions is None for c in changed):
        return used
    return np.flatnonzero(np.isin(contexts.documents.codes, contexts.documents.codes[used]))


def _relations(relations: Sequence[Sequence[str]], used: Array) -> dict[str, Any]:
    """What every word is to its head, for the arcs that nobody has wrong."""
    return _labels(Labels.of(name for i in used.tolist() for name in relations[i]))


def _joined(parts: Iterable[Sequence[int]]) -> Array:
    return np.fromiter((number for part in parts for number in part), dtype=np.int64)


def _set(changed: Changed, used: Array) -> dict[str, Any]:
    """One criterion; `used` are the contexts that the page holds, in order."""
    units = changed.units
    return {
        "criterion": units.criterion,
        "systems": [_shown(name) for name in units.systems],
        "labels": [_shown(label) for label in units.labels],
        "n": units.n,
        "gold": pack(units.gold),
        "answers": pack(units.answers),
        "correct": pack(units.correct),
        "same": pack(_same(units)),
        "contexts": pack(np.searchsorted(used, changed.contexts)),
        "starts": pack(changed.starts),
        "lengths": pack(np.asarray(changed.ends) - np.asarray(changed.starts)),
        "heads": None if changed.heads is None else pack(changed.heads),
        "sameHeads": None if units.heads is None else pack(_first_alike(units.heads)),
        "distances": None if changed.distances is None else pack(changed.distances),
        "remarks": None if changed.remarks is None else pack(changed.remarks.codes),
        "remarkNames": [] if changed.remarks is None else [_shown(text) for text in changed.remarks.names],
        "chains": None if changed.chains is None else pack(changed.chains.codes),
        "chainNames": [] if changed.chains is None else [_shown(text) for text in changed.chains.names],
        "settled": None if changed.settled is None else _settled(changed.settled, used),
        "mentions": None if changed.mentions is None else _mentions(changed.mentions, used),
        "slices": [{"column": _shown(name), **_labels(values)} for name, values in units.slices.items()],
    }


def _mentions(mentions: Array, used: Array) -> dict[str, Any]:
    """All mentions of documents, with the chains of gold and of each system one after the other."""
    contexts, starts, ends = mentions.T[:3]
    return {
        "contexts": pack(np.searchsorted(used, contexts)),
        "starts": pack(starts),
        "lengths": pack(ends - starts),
        "chains": pack(mentions[:, 3:]),
    }


def _settled(settled: Array, used: Array) -> dict[str, Any]:
    """Entities that everybody has right, as they follow each other."""
    contexts, starts, ends, types = settled.T
    return {
        "contexts": pack(np.searchsorted(used, contexts)),
        "starts": pack(starts),
        "lengths": pack(ends - starts),
        "types": pack(types),
    }


def _labels(values: Labels) -> dict[str, Any]:
    """A column that can be filtered by, without the values that nothing here has."""
    held, codes = np.unique(values.codes, return_inverse=True)
    return {"names": [_shown(values.names[i]) for i in held.tolist()], "codes": pack(codes)}


def _same(units: Units) -> Array:
    """(n, k) the first system that gave the same answer, down to its detail: equal numbers are equal answers."""
    return _first_alike(units.answers) if units.detail is None else _first_alike(units.answers, units.detail)


def _first_alike(*columns: Array) -> Array:
    """(n, k) the first of k columns that is the same in everything given."""
    first: Array = np.empty(columns[0].shape, dtype=np.int64)
    for k in reversed(range(first.shape[1])):
        first[np.logical_and.reduce([one == one[:, [k]] for one in columns])] = k
    return first


def _shown(text: str) -> str:
    # Cleaning looks at every character; most words need none of it.
    return text.strip() if text.isprintable() else clean(text)
