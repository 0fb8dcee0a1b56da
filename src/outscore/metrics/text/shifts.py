"""Edits with shifts, for TER: sacreBLEU's search over distances that come from a faster place.

Nearly all of sacreBLEU's time goes into edit distances to candidates for a shift. The search stays its own,
so that its limits and its choices among equals are kept; the distances are rapidfuzz's, and the alignment is
found once per shift.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from types import ModuleType

from outscore.metrics.text.entry import load

__all__ = ["edit_counter"]

# sacreBLEU looks 25 cells to each side of the diagonal; see `Distance`.
WITHIN_BEAM = 47


def edit_counter() -> Callable[[list[str], list[str]], int]:
    """Words and reference words to the number of edits, as sacreBLEU's `translation_edit_rate` counts them.

    Examples
    --------
    >>> edit_counter()("to market he went today".split(), "he went to market today".split())
    1
    """
    library = load("sacrebleu.metrics.lib_ter", "ter")
    if not (hasattr(library, "_shift") and hasattr(library, "_MAX_SHIFT_CANDIDATES")):
        # The search is not a published part of sacreBLEU: where it has moved, the whole of it is asked
        # instead.
        return lambda words, reference: int(library.translation_edit_rate(words, reference)[0])
    distance = load("rapidfuzz.distance.Levenshtein", "ter").distance
    return lambda words, reference: _edits(library, distance, *_spelt(words, reference))


def _spelt(words: list[str], reference: list[str]) -> tuple[str, str]:
    """Both lists as strings of one character per distinct word, which compare faster."""
    letters = {word: chr(i + 1) for i, word in enumerate(dict.fromkeys([*words, *reference]))}
    return "".join(letters[word] for word in words), "".join(letters[word] for word in reference)


def _edits(library: ModuleType, distance: Callable[[str, str], int], words: str, reference: str) -> int:
    """Shift while it pays, then count: Snover et al. (2006), section 2.2, with the limits of sacreBLEU.

    No shift changes which words there are, so that at least `certain` edits always remain; a search that
    could save one edit for the price of one shift cannot change the count and is not begun.
    """
    if not reference:
        return len(words)
    measure = Distance(library, distance, reference)
    certain = max(len(words), len(reference)) - (Counter(words) & Counter(reference)).total()
    shifts = tried = 0
    while (left := measure.edits(words)) > certain + 1:
        measure.current = words
        gain, shifted, tried = library._shift(words, reference, measure, tried)  # noqa: SLF001
        if gain <= 0 or tried >= library._MAX_SHIFT_CANDIDATES:  # noqa: SLF001
            break
        shifts, words = shifts + 1, shifted
    return shifts + left


class Distance:
    """Edit distance to a reference and, for the current words, the edits themselves, as sacreBLEU's beam search finds them.

    A way of d edits between lengths n and m strays at most max(insertions, deletions) ≤ (d + |n - m|)/2 cells
    from the straight line between the corners. While that is at most 23, every cheapest way lies inside the
    beam, whatever the rounding of the line, so the unrestricted distance is the same and so is the first of
    the cheapest ways. Beyond, sacreBLEU itself is asked.
    """

    def __init__(self, library: ModuleType, distance: Callable[[str, str], int], reference: str) -> None:
        self.reference = reference
        self.current = ""
        self._distance = distance
        self._beam = library.BeamEditDistance(reference)

    def __call__(self, words: str) -> tuple[int, str]:
        edits = self._distance(words, self.reference)
        if edits + abs(len(words) - len(self.reference)) > WITHIN_BEAM:
            found: tuple[int, str] = self._beam(words)
            return found
        # Of a candidate the search wants the distance only.
        return edits, trace(words, self.reference) if words is self.current else ""

    def edits(self, words: str) -> int:
        """The distance alone."""
        self.current = ""
        return self(words)[0]


def trace(words: str, reference: str) -> str:
    """The cheapest edits from words to reference, in order: blank, s, d, i; a substitution is preferred, then a deletion.

    Examples
    --------
    >>> trace("abcd", "bxd")
    'd s '
    """
    table = [list(range(len(reference) + 1))]
    for i, word in enumerate(words, start=1):
        above, left, row = table[-1], i, [i]
        for other, diagonal, up in zip(reference, above, above[1:], strict=False):
            if word == other:
                left = diagonal
            else:
                # Half of all time is spent here, and calls of `min` would double it.
                if diagonal < left:  # noqa: PLR1730
                    left = diagonal
                if up < left:  # noqa: PLR1730
                    left = up
                left += 1
            row.append(left)
        table.append(row)
    return _way_back(table, words, reference)


def _way_back(table: list[list[int]], words: str, reference: str) -> str:
    edits, i, j = [], len(words), len(reference)
    while i or j:
        here = table[i][j]
        same = bool(i and j) and words[i - 1] == reference[j - 1]
        if i and j and table[i - 1][j - 1] + (not same) == here:
            edits.append(" " if same else "s")
            i, j = i - 1, j - 1
        elif i and table[i - 1][j] + 1 == here:
            edits.append("d")
            i -= 1
        else:
            edits.append("i")
            j -= 1
    return "".join(reversed(edits))
