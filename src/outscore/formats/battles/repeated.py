"""Battles that repeat another in all that was read of them: votes that agree, or copies. They count, and a note says so."""

from __future__ import annotations

import numpy as np

from outscore.core.numeric import Array
from outscore.core.records import dataclass
from outscore.results.note import Note
from outscore.scores.battles import Battles

LARGEST = 1 << 62


@dataclass(frozen=True)
class Repeated:
    """How many battles repeat one of the same file, and how many one of another file."""

    within: int = 0
    across: int = 0

    def __add__(self, other: Repeated) -> Repeated:
        return Repeated(self.within + other.within, self.across + other.across)


def repeated_in(battles: Battles, files: Array) -> Repeated:
    """Count battles with a verdict that are like another: prompt, systems and their order, verdict, judge, lengths.

    Parameters
    ----------
    battles
        All of them.
    files
        The file of each, from 0 up.

    Examples
    --------
    >>> from outscore.scores.system import Labels
    >>> zeros, prompts = np.zeros(4, dtype=np.int64), Labels.of(["q1", "q1", "q2", "q1"])
    >>> repeated_in(Battles(("new", "old"), zeros, zeros + 1, np.array([1.0, 1.0, 1.0, 1.0]), prompts), np.array([0, 0, 0, 1]))
    Repeated(within=1, across=1)
    """
    kept = np.flatnonzero(battles.decided)
    keys = _rows_alike(battles, kept)
    many = int(files.max(initial=0)) + 1
    cells, counts = np.unique(keys * many + files[kept], return_counts=True)
    if len(cells) == len(kept) and many == 1:
        return Repeated()
    starts = np.flatnonzero(np.diff(cells // many, prepend=-1))
    if not len(starts):
        return Repeated()
    # Battles that several files share are attributed to the file that has most of them.
    largest = np.maximum.reduceat(counts, starts)
    return Repeated(int((counts - 1).sum()), int(counts.sum() - largest.sum()))


def _rows_alike(battles: Battles, kept: Array) -> Array:
    """A number for each of these rows, the same for rows that are alike."""
    k = len(battles.systems)
    shares, share = np.unique(battles.share[kept], return_inverse=True)
    columns = [
        (battles.prompts.codes[kept], len(battles.prompts.names)),
        (battles.first[kept], k),
        (battles.second[kept], k),
        (share, len(shares)),
    ]
    known = (labels for labels in (battles.judges, battles.clusters, battles.categories) if labels is not None)
    columns += [(labels.codes[kept], len(labels.names)) for labels in known]
    if battles.weights is not None:
        columns.append((battles.weights[kept], int(battles.weights.max()) + 1))
    if battles.lengths is not None:
        for side in battles.lengths[kept].T:
            values, codes = np.unique(side, return_inverse=True, equal_nan=True)
            columns.append((codes, len(values)))
    keys, size = np.zeros(len(kept), dtype=np.int64), 1
    for codes, many in columns:
        if size * many * max(len(kept), 1) > LARGEST:
            distinct, keys = np.unique(keys, return_inverse=True)
            size = len(distinct)
        keys, size = keys * many + codes, size * many
    return np.asarray(np.unique(keys, return_inverse=True)[1]) if size > LARGEST // max(len(kept), 1) else keys


def repeat_notes(repeated: Repeated, *, judged: bool, copied: bool) -> list[Note]:
    """What to say of them.

    Parameters
    ----------
    repeated
        How many there are.
    judged
        Whether it is known who judged: then the same judge said the same twice.
    copied
        Whether the tool that wrote the files writes a strong verdict several times.
    """
    notes = []
    if repeated.within:
        start = f"{_battles(repeated.within, 'repeats', 'repeat')} another of the same file in everything that was read"
        if copied:
            text = (
                f"{start}: both games of a question may agree, and a strong verdict (A>>B) is written three times. Each counts."
            )
        elif judged:
            text = f"{start}, judge and verdict included. Each counts; if they are copies, remove them."
        else:
            text = f"{start}: each counts as a vote of its own."
        notes.append(Note("warning" if judged and not copied else "input", text))
    if repeated.across:
        start = f"{_battles(repeated.across, 'appears', 'appear')} identically in another file, verdict included"
        notes.append(Note("warning", f"{start}. Each counts; if two files have the same battles, give only one of them."))
    return notes


def _battles(many: int, one: str, several: str) -> str:
    return f"{many:,} battle {one}" if many == 1 else f"{many:,} battles {several}"
