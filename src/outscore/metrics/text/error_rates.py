"""Error rates: TER, and those of words and characters.

Translation edit rate (Snover et al., 2006) as sacreBLEU computes it has edits and reference length of each segment.

With several references a segment has the fewest edits over the mean length; both columns are multiplied by
the number of references, which keeps them whole. The reference length does not depend on the system, so that
swaps have an exact distribution.

Edits with shifts are found by the search of sacreBLEU, which is Tercom's, with its limits and its choices among equals. What
takes it most of its time is left out where it cannot change the count: searches that cannot save an edit, candidates that
cannot be the best of their round, rounds that are given up for having too many, and references that other references beat.
Distances are rapidfuzz's.

Which words stand for which is told by the cheapest edits between two strings of words, as sacreBLEU chooses among them
(`align`). A string has one character for each word. Two ways lead to the same alignment: bits of whole rows at once
(Myers, 1999, in the form of Hyyrö, 2003) wherever sacreBLEU's beam does not matter, and its table, cell by
cell, where it does.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, partial

import numpy as np

from outscore.core.metric import AdditiveMetric
from outscore.core.numeric import Array
from outscore.core.options import Option
from outscore.core.records import dataclass
from outscore.metrics.entry import Options
from outscore.metrics.text import sacre
from outscore.metrics.text.entry import Foreign, Lines, References, TextMetric, columns_first, load, segments, version

BEAM = 25
"""Cells that sacreBLEU looks at on each side of the straight line between the corners of the table."""
NEVER_OUTSIDE = 47
"""Distance and difference in length up to which no cheapest way leaves the beam.

A way of d edits between lengths n and m strays at most max(insertions, deletions) ≤ (d + |n - m|)/2 cells from
the line. While that is at most 23, it lies inside the beam, whatever the rounding of the line.
"""
Edit = Callable[[int, int], str]
"""The last edit of the cheapest way to a cell in the middle of the table: s, d or i; blank where the words are the same."""
LONGEST, FARTHEST = 10, 50
"""Words that are shifted as one, and places from a word to an equal one of the reference."""
MOST_TRIED = 1000
"""Candidates over all shifts of a segment: the round that reaches this number shifts nothing."""
Distance = Callable[..., int]
Candidate = tuple[int, int, int]
"""Minus the length of a block, its start and its target: of equal gains the first in this order is chosen."""
COLUMNS = ("edits", "reference length")


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
    alignment = _along(_way_back(len(words), len(reference), last_edit), words, reference)
    if alignment.edits + abs(len(words) - len(reference)) <= NEVER_OUTSIDE:
        return alignment
    way = _way_back(len(words), len(reference), last_edit)
    return alignment if _inside_beam(way, words, reference) else align_in_beam(words, reference)


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


def edit_counter() -> Callable[[list[str], Sequence[list[str]]], int]:
    """Words and references to the fewest edits, as sacreBLEU's `translation_edit_rate` counts them for each reference.

    Examples
    --------
    >>> edit_counter()("to market he went today".split(), ["he went to market today".split()])
    1
    """
    distance: Distance = load("rapidfuzz.distance.Levenshtein", "ter").distance
    subsequence: Distance = load("rapidfuzz.distance.LCSseq", "ter").similarity
    return lambda words, references: _fewest(words, references, partial(Measure, distance, subsequence))


def _fewest(words: list[str], references: Sequence[list[str]], measure: Callable[[str], Measure]) -> int:
    """Words are spelt as one character each, which compare faster; the nearest reference leaves the others least to search."""
    letters = {word: chr(i) for i, word in enumerate({word: None for text in (words, *references) for word in text})}
    hypothesis, *targets = ("".join([letters[word] for word in text]) for text in (words, *references))
    measures = [measure(target) for target in targets]
    nearest = sorted((measured(hypothesis), i) for i, measured in enumerate(measures))
    fewest = nearest[0][0]
    for left, i in nearest:
        fewest = min(fewest, _edits(hypothesis, left, measures[i], fewest))
    return fewest


def _edits(words: str, left: int, measure: Measure, enough: int) -> int:
    """Shift while it pays, then count: Snover et al. (2006), section 2.2. A count of `enough` or more need not be right.

    No shift changes which words there are, so that at least `certain` edits always remain; a search that could
    save one edit for the price of one shift cannot change the count and is not begun.
    """
    reference = measure.reference
    if left <= 1 or not reference:
        return left
    certain = max(len(words), len(reference)) - measure.shared(words)
    shifts = tried = 0
    while left > certain + 1 and shifts + certain < enough:
        candidates, more = _candidates(words, reference, align(words, reference))
        tried += more
        if tried >= MOST_TRIED:
            break
        gain, words = _best(words, candidates, measure, left, certain)
        if not gain:
            break
        shifts, left = shifts + 1, left - gain
    return shifts + left


class Measure:
    """Edits to a reference as sacreBLEU's beam search counts them: never fewer than the distance, and hardly ever more."""

    def __init__(self, distance: Distance, subsequence: Distance, reference: str) -> None:
        self.reference = reference
        self._distance, self._subsequence = distance, subsequence

    def __call__(self, words: str, most: int | None = None) -> int:
        """The edits, or any number above `most` if there are more."""
        edits = self._distance(words, self.reference, score_cutoff=most)
        if edits + abs(len(words) - len(self.reference)) <= NEVER_OUTSIDE or (most is not None and edits > most):
            return edits
        return align(words, self.reference).edits

    def shared(self, words: str) -> int:
        """How many words both have, in any order: sorted, they are a common subsequence."""
        return self._subsequence(sorted(words), sorted(self.reference))

    def excess(self, words: str, edits: int) -> int:
        """By how much so many edits, which the beam search found, exceed the distance."""
        if edits + abs(len(words) - len(self.reference)) <= NEVER_OUTSIDE:
            return 0
        return edits - self._distance(words, self.reference)


def _candidates(words: str, reference: str, aligned: Alignment) -> tuple[set[Candidate], int]:
    """The shifts that sacreBLEU tries, and how many they are with those that it tries again.

    A block of words moves to where the same words stand in the reference: in front of what stands for the first of them
    now, or behind what stands for any.
    """
    candidates: set[Candidate] = set()
    tried = 0
    targets = (0, *(place + 1 for place in aligned.places))
    for start, place, lengths in _blocks(words, reference, aligned):
        for length in lengths:
            behind = set(targets[place : place + length + 1])
            tried += len(behind)
            candidates.update((-length, start, target) for target in behind)
    return candidates, tried


def _blocks(words: str, reference: str, aligned: Alignment) -> Iterator[tuple[int, int, range]]:
    """Starts of equal blocks and their lengths: with a wrong word on both sides, and none that holds its own place."""
    places: dict[str, list[int]] = {}
    for place, word in enumerate(reference):
        places.setdefault(word, []).append(place)
    extra, missing = _to_next(aligned.extra), _to_next(aligned.missing)
    for start, word in enumerate(words):
        for place in places.get(word, ()):
            shortest = max(extra[start], missing[place]) + 1
            end, own = place + shortest, aligned.places[place] - start
            if shortest > LONGEST or abs(place - start) > FARTHEST or 0 <= own < shortest:
                continue
            if words[start : start + shortest] != reference[place:end]:
                continue
            longest, most = shortest, min(own, LONGEST) if own > 0 else LONGEST
            while longest < most and words[start + longest : start + longest + 1] == reference[end : end + 1] != "":
                longest, end = longest + 1, end + 1
            yield start, place, range(shortest, longest + 1)


def _to_next(wrong: Sequence[bool]) -> list[int]:
    """From each word on, how many are right before the next wrong one; `LONGEST` where there is none.

    Examples
    --------
    >>> _to_next([False, True, False])
    [1, 0, 10]
    """
    way, steps = [], LONGEST
    for this in reversed(wrong):
        steps = 0 if this else min(steps + 1, LONGEST)
        way.append(steps)
    return way[::-1]


def _best(words: str, candidates: set[Candidate], measure: Measure, left: int, certain: int) -> tuple[int, str]:
    """The largest gain of a shift and the shifted words; no gain leaves them as they are.

    Longer blocks are tried first, so that only a larger gain counts. A block of k words is k deletions and k insertions
    away from any other place, which bounds what it can gain.
    """
    gain, shifted = 0, words
    excess = measure.excess(words, left)
    for minus, start, target in sorted(candidates):
        if gain >= min(left - certain, excess - 2 * minus):
            break
        moved = _moved(words, start, -minus, target)
        edits = measure(moved, left - gain - 1)
        if edits < left - gain:
            gain, shifted = left - edits, moved
    return gain, shifted


def _moved(words: str, start: int, length: int, target: int) -> str:
    """Words with a block in front of the word at `target`, or as far into what follows it as a target within it says.

    Examples
    --------
    >>> _moved("abcdef", 3, 2, 1), _moved("abcdef", 1, 2, 5), _moved("abcdef", 1, 3, 2)
    ('adebcf', 'adebcf', 'aebcdf')
    """
    end = start + length
    block = words[start:end]
    if target < start:
        return words[:target] + block + words[target:start] + words[end:]
    to = target if target > end else target + length
    return words[:start] + words[end:to] + block + words[to:]


def ter_scorer(options: Options) -> Foreign:
    """SacreBLEU's scorer; its options have the same names."""
    return sacre.scorer("TER", "ter", **options)


def _rows(hypotheses: Lines, references: References, options: Options, _: object = None) -> Array:
    """Edits and reference length of each segment, times the number of references."""
    split, edits, again = ter_scorer(options).tokenizer, edit_counter(), tokenises_again()
    rows = []
    for line, others in segments(hypotheses, references):
        words, *targets = (split(text.rstrip()) for text in (line, *others))
        if again:
            targets = [split(text) for text in targets]
        wanted = [text.split() for text in targets]
        rows.append((edits(words.split(), wanted) * len(wanted), sum(map(len, wanted))))
    return np.array(rows, dtype=np.int64)


@cache
def tokenises_again() -> bool:
    """Whether the installed sacreBLEU tokenises references a second time: what a comma hid is a word only then."""
    return bool(sacre.scorer("TER", "ter", normalized=True).sentence_score("it 's ,", ["it's,"]).num_edits == 0)


def _risks(hypotheses: Lines, references: References, options: Options) -> Array:
    """Of each segment: the edits that shifts might save, and how many references change when they are tokenised again."""
    split, distance = ter_scorer(options).tokenizer, load("rapidfuzz.distance.Levenshtein", "ter").distance
    rows = []
    for line, others in segments(hypotheses, references):
        words, targets = split(line.rstrip()).split(), [split(text.rstrip()) for text in others]
        wanted = [text.split() for text in targets]
        moved = [distance(words, one) - distance(sorted(words), sorted(one)) for one in wanted]
        rows.append((max(0, *moved), sum(split(text) != text for text in targets)))
    return np.array(rows, dtype=np.int64)


def ter_of_totals(totals: Array) -> Array:
    """Edits per hundred words of the reference; against empty references 100 if there is anything to delete, else 0.

    Examples
    --------
    >>> ter_of_totals(np.array([[3, 12], [2, 0], [0, 0]]))
    array([ 25., 100.,   0.])
    """
    edits, length = columns_first(totals)
    return np.where(length > 0, 100 * edits / np.where(length > 0, length, 1.0), np.where(edits > 0, 100.0, 0.0))


def _make(_: Options) -> AdditiveMetric:
    """TER as a ratio of whole numbers."""
    return AdditiveMetric(
        "ter",
        COLUMNS,
        ter_of_totals,
        direction="lower",
        ratio=((100, 0), (0, 1)),
        bounds=(0.0, None),
        emptied=((0, 0), (1, 1)),  # every word of the reference has to be inserted
    )


def _signature(options: Options, references: int | str) -> str:
    return sacre.signature(
        "TER",
        references,
        case=sacre.case(lowercase=not options["case_sensitive"]),
        tok="tercom",
        norm=bool(options["normalized"]),
        punct=not options["no_punct"],
        asian=bool(options["asian_support"]),
    )


TER_OPTIONS = (
    Option("normalized", bool, False, "split punctuation off words and undo XML escapes"),
    Option("no_punct", bool, False, "ignore punctuation"),
    Option("asian_support", bool, False, "with the two above: treat Chinese and Japanese characters as words"),
    Option("case_sensitive", bool, False, "distinguish upper and lower case"),
)

# Word and character error rate as jiwer computes them: hits, substitutions, deletions and insertions of each segment.


EDITS = ("hits", "substitutions", "deletions", "insertions")
NO_PUNCT = Option("no_punct", bool, False, "ignore punctuation")


def _align(name: str, hypotheses: Lines, references: References, options: Options) -> Foreign:
    """Jiwer's output for all segments at once; empty lines are legal on both sides."""
    jiwer = load("jiwer", name)
    steps = [jiwer.ToLowerCase()] if options["lowercase"] else []
    steps += [jiwer.RemovePunctuation()] if options["no_punct"] else []
    if name == "wer":
        steps += [jiwer.RemoveMultipleSpaces(), jiwer.Strip(), jiwer.ReduceToListOfListOfWords()]
    else:
        steps += [jiwer.Strip(), jiwer.ReduceToListOfListOfChars()]
    process = jiwer.process_words if name == "wer" else jiwer.process_characters
    transform = jiwer.Compose(steps)
    return process(list(references[0]), list(hypotheses), reference_transform=transform, hypothesis_transform=transform)


def _counts(chunks: Iterable[Foreign]) -> tuple[int, int, int, int]:
    """One segment's alignment, counted."""
    edits: Counter[str] = Counter()
    for chunk in chunks:
        # Only an insertion has no length in the reference.
        edits[chunk.type] += max(chunk.ref_end_idx - chunk.ref_start_idx, chunk.hyp_end_idx - chunk.hyp_start_idx)
    return edits["equal"], edits["substitute"], edits["delete"], edits["insert"]


def _entry(name: str, summary: str, formula: str) -> TextMetric:
    def statistics(hypotheses: Lines, references: References, options: Options, _: object = None) -> Array:
        rows = [_counts(chunks) for chunks in _align(name, hypotheses, references, options).alignments]
        return np.array(rows, dtype=np.int64)

    def library_rows(hypotheses: Lines, references: References, options: Options) -> Array:
        pairs = zip(hypotheses, references[0], strict=True)
        alone = [_align(name, [line], [[other]], options) for line, other in pairs]
        return np.array([[getattr(found, kind) for kind in EDITS] for found in alone], dtype=np.int64)

    def signature(options: Options, references: int | str) -> str:
        case, punctuation = "lc" if options["lowercase"] else "mixed", "no" if options["no_punct"] else "yes"
        return f"{name.upper()}|nrefs:{references}|case:{case}|punct:{punctuation}|jiwer:{version('jiwer', name)}"

    def parts(_: Options, totals: Array) -> dict[str, float]:
        """Each kind of error per word or character of the reference."""
        size = max(float(totals[:3].sum()), 1.0)
        return {kind: float(totals[i]) / size for i, kind in enumerate(EDITS) if i}

    return TextMetric(
        name=name,
        parts=parts,
        label=name.upper(),
        summary=summary,
        formula=formula,
        direction="lower",
        unit="fraction",
        library="jiwer",
        statistics=statistics,
        # (S + D + I) / (H + S + D): errors per unit of the reference.
        make=lambda _: AdditiveMetric(
            name,
            EDITS,
            direction="lower",
            ratio=((0, 1, 1, 1), (1, 1, 1, 0)),
            bounds=(0.0, None),
            emptied=((0, 0, 1, 0), (0, 0, 1, 0), (0, 0, 1, 0), (0, 0, 0, 0)),  # everything is deleted
        ),
        signature=signature,
        corpus_score=lambda hypotheses, references, options: float(
            getattr(_align(name, hypotheses, references, options), name)
        ),
        options=(sacre.LOWERCASE, NO_PUNCT),
        max_references=1,
        library_rows=library_rows,
    )


ENTRIES = (
    sacre.corpus_metric(
        ter_scorer,
        name="ter",
        summary="edits and shifts per hundred words of the reference",
        formula=r"\frac{\text{edits} + \text{shifts}}{\text{words of the reference}}",
        statistics=_rows,
        make=_make,
        signature=_signature,
        options=TER_OPTIONS,
        citation="snover2006",
        direction="lower",
        label="TER",
        times_references=True,
        risks=_risks,
    ),
    _entry("wer", "word errors per word of the reference", r"\frac{\text{edits}}{\text{words of the reference}}"),
    _entry(
        "cer",
        "character errors per character of the reference, spaces included",
        r"\frac{\text{edits}}{\text{characters of the reference}}",
    ),
)
