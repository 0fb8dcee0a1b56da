"""Answers behind scores of right and wrong: what was answered and what is right, row by row.

Scores of 0 and 1 do not show that two files disagree on the right answers, or that no answer is of their kind; answers do.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from outscore.core.brief import count_of
from outscore.core.errors import OutscoreError
from outscore.core.numeric import Array
from outscore.core.records import dataclass
from outscore.results.note import Note
from outscore.scores.system import NO_ANSWER, Labels, Scores


@dataclass(frozen=True)
class _Right:
    """The first right answer that was found for an item, and the system it was found with."""

    answer: str
    system: str


def refuse_other_kind(scores: Scores) -> None:
    """Refuse a system none of whose answers is one of the right ones: a position instead of a letter, or other capitals."""
    if scores.answers is None or scores.gold is None:
        return
    answered = np.flatnonzero(_is_answered(scores.answers))
    names = [scores.answers.names[code] for code in np.unique(scores.answers.codes[answered]).tolist()]
    right = {scores.gold.names[code] for code in np.unique(scores.gold.codes).tolist()}
    if all(name.lstrip("+-").isdigit() for name in right):
        _refuse_fractions(scores, answered)
    if not names or not right.isdisjoint(names):
        return
    folded = {name.casefold() for name in right}
    example = f"`{scores.answers[int(answered[0])]}` where `{scores.gold[int(answered[0])]}` is right"
    cure = "Name columns whose answers are of the same kind, or give a column of scores 0 and 1."
    if any(name.casefold() in folded for name in names):
        cure = "They would be if capitals did not count: write both the same way, or give a column of scores 0 and 1."
    raise OutscoreError(
        f"{scores.label}: none of the {len(answered):,} answers of `{scores.name}` is one of the right answers ({example}).",
        cure,
        parameter="prediction",
    )


def _refuse_fractions(scores: Scores, answered: Array) -> None:
    """Refuse answers most of which are fractions where the right ones are whole numbers: probabilities, not classes."""
    assert scores.answers is not None
    fractions = np.array([_is_fraction(name) for name in scores.answers.names], dtype=bool)[scores.answers.codes[answered]]
    if not len(answered) or 2 * fractions.sum() < len(answered):
        return
    raise OutscoreError(
        f"{scores.label}: {int(fractions.sum()):,} of {len(answered):,} answers of `{scores.name}` are fractions, such as "
        f"{scores.answers[int(answered[fractions][0])]}, where the right answers are whole numbers.",
        "If they are probabilities, give the classes that they predict, or a column of scores.",
        parameter="prediction",
    )


def _is_fraction(text: str) -> bool:
    try:
        value = float(text)
    except ValueError:
        return False
    return math.isfinite(value) and not value.is_integer()


def _is_answered(answers: Labels) -> Array:
    return np.array([name != NO_ANSWER for name in answers.names], dtype=bool)[answers.codes]


def refuse_other_gold(systems: Sequence[Scores]) -> None:
    """Refuse systems that were scored by different right answers to the same item."""
    known: dict[tuple[str, str], _Right] = {}
    shared: set[tuple[str, str]] = set()
    read: list[Labels] = []
    differing: dict[tuple[str, str], tuple[_Right, _Right]] = {}
    for one in systems:
        if one.gold is None or any(one.gold is other for other in read):
            # The columns of one table share their right answers.
            continue
        read.append(one.gold)
        ids = one.ids.texts() if one.ids is not None else [str(row) for row in range(1, one.rows + 1)]
        sets = one.datasets.texts() if one.datasets is not None else [""] * one.rows
        for key, answer in zip(zip(sets, ids, strict=True), one.gold.texts(), strict=True):
            if key in known:
                shared.add(key)
            first = known.setdefault(key, _Right(answer, one.name))
            if first.answer != answer:
                differing.setdefault(key, (first, _Right(answer, one.name)))
    if not differing:
        return
    (_, item), (first, other) = next(iter(differing.items()))
    raise OutscoreError(
        f"The right answers differ on {len(differing):,} of {count_of(len(shared), 'item')}: to `{item}` it is `{first.answer}`"
        f" with `{first.system}` and `{other.answer}` with `{other.system}`.",
        "Score both systems by the same right answers.",
        parameter="gold",
    )


def facts_of_answers(systems: Sequence[Scores]) -> list[Note]:
    """How many answers are empty, and how many had blanks around them that were left out."""
    notes = []
    for one in systems:
        if one.answers is None or one.gold is None:
            continue
        empty = int((~_is_answered(one.answers)).sum())
        blanks = 0 if one.padded is None else int(one.padded.sum())
        if empty:
            verb = "is empty and counts" if empty == 1 else "are empty and count"
            notes.append(Note("input", f"{empty:,} of {one.rows:,} predictions of {one.name} {verb} as wrong."))
        if blanks:
            verb = "has" if blanks == 1 else "have"
            text = f"{blanks:,} of {one.rows:,} predictions of {one.name} {verb} blanks around it that do not count."
            notes.append(Note("input", text if blanks == 1 else text.replace("around it", "around them")))
    return notes
