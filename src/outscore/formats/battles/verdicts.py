"""Verdicts as people and programs write them, turned into the first system's share of the win."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

import numpy as np

from outscore.core.numeric import Array
from outscore.formats.base.source import shorten
from outscore.formats.tables.cells import Records, is_number
from outscore.results.note import Note
from outscore.scores.system import Labels

FIRST = {
    "model a",
    "a",
    "left",
    "first",
    "model 1",
    "system a",
    "system 1",
    "assistant a",
    "output 1",
    "output a",
    "response a",
}
SECOND = {
    "model b",
    "b",
    "right",
    "second",
    "model 2",
    "system b",
    "system 2",
    "assistant b",
    "output 2",
    "output b",
    "response b",
}
TIE = {
    "tie",
    "ties",
    "tied",
    "draw",
    "equal",
    "same",
    "both",
    "both good",
    "both bad",
    "bothbad",
    "tie bothbad",
    "tie both bad",
}
TIE |= {"neither", "c", "a=b", "b=a", "="}
NO_VERDICT = {"", "(none)", "none", "null", "nan", "na", "n/a", "error", "invalid", "unknown", "skip", "skipped"}
_MARKS = re.compile(r"[\[\]()\"'._\-\s]+")
_GAME = re.compile(r"\[*\s*([ab])\s*(>>|>|=|<<|<)\s*([ab])\s*\]*", re.IGNORECASE)
TIED_NUMBERS = (0.0, 1.5)
"""How AlpacaEval writes a tie: 0 in older files, 1.5 in newer ones."""


def word_share(text: str) -> float | None:
    """The first system's share of the win; nan for no verdict, None where the text says neither.

    Examples
    --------
    >>> word_share("model_a"), word_share("[[B]]"), word_share("tie (bothbad)"), word_share("gpt-4")
    (1.0, 0.0, 0.5, None)
    """
    if is_no_verdict(text):
        return math.nan
    plain = _MARKS.sub(" ", text).strip().lower()
    if plain in FIRST:
        return 1.0
    if plain in SECOND:
        return 0.0
    if plain in TIE:
        return 0.5
    game = strong_verdict(text)
    return None if game is None else game[0]


def is_no_verdict(text: object) -> bool:
    """Whether a cell says that there is no verdict."""
    return text is None or (isinstance(text, float) and math.isnan(text)) or str(text).strip().lower() in NO_VERDICT


def strong_verdict(text: object) -> tuple[float, bool] | None:
    """The share of A and whether the verdict is strong (A>>B); None where the text is not such a verdict.

    Examples
    --------
    >>> strong_verdict("A>>B"), strong_verdict("B>A"), strong_verdict("B<A"), strong_verdict("A=B"), strong_verdict("A")
    ((1.0, True), (0.0, False), (1.0, False), (0.5, False), None)
    """
    match = _GAME.fullmatch(text.strip()) if isinstance(text, str) else None
    if match is None or match[1].lower() == match[3].lower():
        return None
    if match[2] == "=":
        return 0.5, False
    ahead = match[1] if match[2].startswith(">") else match[3]
    return float(ahead.lower() == "a"), len(match[2]) == 2


def preference_share(number: float) -> float | None:
    """The first system's share of a preference between 1 (the first) and 2 (the second), 0 being a tie; None for other numbers.

    Examples
    --------
    >>> preference_share(1), preference_share(2.0), preference_share(0), preference_share(1.25), preference_share(3)
    (1.0, 0.0, 0.5, 0.75, None)
    """
    if math.isnan(number):
        return math.nan
    if number in TIED_NUMBERS:
        return 0.5
    return 2.0 - number if 1.0 <= number <= 2.0 else None


def shares_of(records: Records, column: str, verdicts: Labels, lines: Array, first: Labels, second: Labels) -> Array:
    """The first system's share of every row's win, by words, by numbers from 1 to 2, or by the names of the systems."""
    texts = verdicts.names
    named = set(first.names) | set(second.names)
    numbers = [text for text in texts if is_number(text) and text not in named]
    if numbers:
        _refuse_zero_and_one(records, column, numbers)
    by_text = [None if text in named else _share(text) for text in texts]
    _refuse_two_readings(records, column, verdicts, lines, first, second)
    table = np.array([math.nan if share is None else share for share in by_text])
    shares = np.asarray(table[verdicts.codes])
    other = np.flatnonzero(np.array([share is None for share in by_text])[verdicts.codes])
    if len(other):
        won_first = _same(verdicts, first, other)
        shares[other] = won_first
        wrong = other[~(won_first | _same(verdicts, second, other))]
        if len(wrong):
            row = int(wrong[0])
            expected = f"expected `{shorten(first[row])}`, `{shorten(second[row])}` or tie"
            records.refuse(
                int(lines[row]),
                f"found the verdict `{shorten(verdicts[row])}` in `{column}`, {expected}",
                "Write the winner's name, model_a, model_b, tie, a number from 1 (the first) to 2, or nothing for no verdict.",
            )
    return shares


def taken_for_names(column: str, verdicts: Labels, first: Labels, second: Labels) -> list[Note]:
    """A note where verdicts are names of systems that could as well be words for the first and the second."""
    named = set(first.names) | set(second.names)
    words = [text for text in verdicts.names if text in named and _share(text) in (0.0, 0.5, 1.0)]
    if not _differs(verdicts, words, first, second).any():
        return []
    shown = " and ".join(f"`{shorten(text)}`" for text in sorted(words))
    taken = "is read as the system of that name" if len(words) == 1 else "are read as the systems of that name"
    ties = [text for text in words if _share(text) == 0.5]
    kinds = (["the first or the second of a battle"] if len(ties) < len(words) else []) + (["a tie"] if ties else [])
    meant = (["model_a and model_b"] if len(ties) < len(words) else []) + (["draw for a tie"] if ties else [])
    text = f"{shown} in `{column}` {taken}, not as {' or '.join(kinds)}"
    these = "that is" if len(words) == 1 and ties else "these are"
    return [Note("reading", f"{text}; write {' and '.join(meant)} if {these} meant.")]


def _refuse_two_readings(records: Records, column: str, verdicts: Labels, lines: Array, first: Labels, second: Labels) -> None:
    """Refuse words for the first and the second that are systems' names but for capitals, where it makes a difference."""
    folded = {name.casefold() for name in (*first.names, *second.names)}
    named = {*first.names, *second.names}
    words = [text for text in verdicts.names if text not in named and text.casefold() in folded]
    rows = np.flatnonzero(_differs(verdicts, [text for text in words if word_share(text) in (0.0, 1.0)], first, second))
    if len(rows):
        row = int(rows[0])
        place = "first" if word_share(verdicts[row]) == 1.0 else "second"
        systems = {name.casefold(): name for name in (first[row], second[row])}
        name = systems.get(verdicts[row].casefold(), verdicts[row].upper())
        meant = f"which may be the {place} system of the row or the one named `{shorten(name)}`"
        records.refuse(
            int(lines[row]),
            f"found `{shorten(verdicts[row])}` in `{column}`, {meant}",
            "Write model_a and model_b, or the names as they appear in the columns of systems.",
        )


def _differs(verdicts: Labels, words: Sequence[str], first: Labels, second: Labels) -> Array:
    """For each row, whether its verdict is one of these words and gives another winner when read as a name."""
    shares = np.array([_share(text) if text in words else math.nan for text in verdicts.names], dtype=float)
    by_word = shares[verdicts.codes]
    wins = [_folded(verdicts, side) for side in (first, second)]
    by_name = np.where(wins[0], 1.0, np.where(wins[1], 0.0, math.nan))
    return np.asarray(~np.isnan(by_word) & (by_word != by_name))


def _folded(verdicts: Labels, systems: Labels) -> Array:
    """For each row, whether its verdict is this side's system, capitals aside."""
    place = {name.casefold(): i for i, name in enumerate(systems.names)}
    first = np.array([place[name.casefold()] for name in systems.names])
    codes = np.array([place.get(text.casefold(), -1) for text in verdicts.names])
    return np.asarray(codes[verdicts.codes] == first[systems.codes])


def _share(text: str) -> float | None:
    return preference_share(float(text)) if is_number(text) else word_share(text)


def _same(verdicts: Labels, systems: Labels, rows: Array) -> Array:
    place = {name: i for i, name in enumerate(systems.names)}
    codes = np.array([place.get(text, -1) for text in verdicts.names])
    return np.asarray(codes[verdicts.codes[rows]] == systems.codes[rows])


def _refuse_zero_and_one(records: Records, column: str, numbers: Sequence[str]) -> None:
    """Refuse 0 and 1, which may mean that the first or that the second system won."""
    values = {float(number) for number in numbers}
    if 0.0 in values and values <= {0.0, 0.5, 1.0}:
        shown = ", ".join(sorted(numbers)[:3])
        records.refuse(
            1 if records.unit == "row" else 2,
            f"found {shown} in `{column}`, which does not say whether 1 is the first system or a win of the second",
            "Write model_a, model_b or tie, or numbers from 1 (the first) to 2 (the second).",
        )
