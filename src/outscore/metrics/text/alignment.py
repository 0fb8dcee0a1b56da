"""Which words stand for which: the cheapest edits between two strings of words, as sacreBLEU's TER chooses among them.

A string has one character for each word. Two ways lead to the same alignment: bits of whole rows at once
(Myers, 1999, in the form of Hyyrö, 2003) wherever sacreBLEU's beam does not matter, and its table, cell by
cell, where it does.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence

from outscore.core.records import dataclass

__all__ = ["Alignment", "align", "align_in_beam"]

BEAM = 25
"""Cells that sacreBLEU looks at on each side of the straight line between the corners of the table."""
NEVER_OUTSIDE = 47
"""Distance and difference in length up to which no cheapest way leaves the beam.

A way of d edits between lengths n and m strays at most max(insertions, deletions) ≤ (d + |n - m|)/2 cells from
the line. While that is at most 23, it lies inside the beam, whatever the rounding of the line.
"""
Edit = Callable[[int, int], str]
"""The last edit of the cheapest way to a cell in the middle of the table: s, d or i; blank where the words are the same."""


@dataclass(frozen=True)
class Alignment:
    """The edits that make `words` the reference.

    `places` has for each word of the reference the word that stands for it, or else the last word before it (-1: none);
    `extra` and `missing` say which words and which words of the reference no equal word stands for.
    """

    edits: int
    places: Sequence[int]
    extra: Sequence[bool]
    missing: Sequence[bool]


def align(words: str, reference: str) -> Alignment:
    """The alignment of sacreBLEU's beam search: a substitution is preferred, then a deletion.

    Where the first of all cheapest ways lies inside the beam, the beam search finds it too: on that way it knows
    all costs, and costs that it overestimates belong to ways that were turned down anyway.

    Examples
    --------
    >>> align("abcd", "bxd").places
    (1, 2, 3)
    """
    last_edit = _rows_of_bits(words, reference)
    found = _along(_way_back(len(words), len(reference), last_edit), words, reference)
    if found.edits + abs(len(words) - len(reference)) <= NEVER_OUTSIDE:
        return found
    way = _way_back(len(words), len(reference), last_edit)
    return found if _inside_beam(way, words, reference) else align_in_beam(words, reference)


def _rows_of_bits(words: str, reference: str) -> Edit:
    """Hyyrö (2003), figure 3: what changes from one row of the table to the next, a bit for each word of the reference.

    With D[i, j] the distance of the first i words to the first j of the reference, `same` has D[i, j] = D[i-1, j-1]
    and `more` D[i, j] = D[i-1, j] + 1; `up` and `down` hold whether D[i, j] - D[i, j-1] is 1 or -1.
    """
    bits: dict[str, int] = {}
    for j, word in enumerate(reference):
        bits[word] = bits.get(word, 0) | 1 << j
    whole = (1 << len(reference)) - 1
    up, down = whole, 0
    rows = []
    for word in words:
        equal = bits.get(word, 0)
        same = (((equal & up) + up) ^ up) | equal | down
        more, less = down | ~(same | up), up & same
        rows.append((equal, same, more))
        more, less = more << 1 | 1, less << 1
        up, down = (less | ~(same | more)) & whole, more & same & whole

    def last_edit(i: int, j: int) -> str:
        equal, same, more = rows[i - 1]
        bit = 1 << (j - 1)
        if equal & bit:
            return " "
        if not same & bit:
            return "s"
        return "d" if more & bit else "i"

    return last_edit


def _way_back(i: int, j: int, last_edit: Edit) -> Iterator[tuple[int, int, str]]:
    """The cells of the cheapest way with the edits that lead to them, from the last corner to the first."""
    while i and j:
        edit = last_edit(i, j)
        yield i, j, edit
        if edit != "i":
            i -= 1
        if edit != "d":
            j -= 1
    yield from ((i, 0, "d") for i in range(i, 0, -1))
    yield from ((0, j, "i") for j in range(j, 0, -1))


def _along(way: Iterable[tuple[int, int, str]], words: str, reference: str) -> Alignment:
    places = [0] * len(reference)
    extra, missing = [False] * len(words), [False] * len(reference)
    edits = 0
    for i, j, edit in way:
        if edit != "d":
            places[j - 1] = i - 1
        if edit == " ":
            continue
        edits += 1
        if edit != "d":
            missing[j - 1] = True
        if edit != "i":
            extra[i - 1] = True
    return Alignment(edits, tuple(places), extra, missing)


def _inside_beam(way: Iterable[tuple[int, int, str]], words: str, reference: str) -> bool:
    beam = [range(0), *_beam(len(words), len(reference))]
    return all(not i or j in beam[i] for i, j, _ in way)


def _beam(rows: int, columns: int) -> list[range]:
    """The columns that sacreBLEU computes in each row after the first, which it knows whole."""
    slope = columns / rows if rows else 1.0
    # Where one word stands for more than fifty, rows would not touch.
    width = math.ceil(slope / 2 + BEAM) if slope / 2 > BEAM else BEAM
    middles = [math.floor(i * slope) for i in range(1, rows + 1)]
    ends = [min(columns + 1, middle + width) for middle in middles[:-1]]
    return [range(max(0, middle - width), end) for middle, end in zip(middles, [*ends, columns + 1], strict=False)]


def align_in_beam(words: str, reference: str) -> Alignment:
    """The same from the table that sacreBLEU fills, whose cells outside the beam cost more than any way."""
    unknown = len(words) + len(reference) + 1
    table = [list(range(len(reference) + 1))]
    for i, (word, columns) in enumerate(zip(words, _beam(len(words), len(reference)), strict=True), start=1):
        above, row = table[-1], [unknown] * (len(reference) + 1)
        left = unknown
        if not columns.start:
            row[0] = left = i
        for j in range(max(1, columns.start), columns.stop):
            row[j] = left = min(above[j - 1] + (word != reference[j - 1]), above[j] + 1, left + 1)
        table.append(row)

    def last_edit(i: int, j: int) -> str:
        here, differs = table[i][j], words[i - 1] != reference[j - 1]
        if table[i - 1][j - 1] + differs == here:
            return "s" if differs else " "
        return "d" if table[i - 1][j] + 1 == here else "i"

    return _along(_way_back(len(words), len(reference), last_edit), words, reference)
