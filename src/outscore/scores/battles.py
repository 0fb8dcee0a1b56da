"""Battles as they were read: two systems, a verdict, and the labels of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace

import numpy as np

from outscore.core.numeric import Array
from outscore.core.records import Brief, count_of, dataclass
from outscore.results.note import Note
from outscore.scores.align import densify, encode_together, names_at
from outscore.scores.join import same_label
from outscore.scores.system import Labels, Origin, Rows


@dataclass(frozen=True, eq=False, repr=False)
class Battles(Brief):
    """Verdicts between two systems at a time, in the order of the files.

    Parameters
    ----------
    systems
        Their names.
    first, second
        The two systems of each battle, as indices into `systems`.
    share
        How much of the win the first system gets: 1, ½ for a tie, 0, or a number between; nan where there is no verdict.
    prompts
        What was answered.
    shown
        Whether `first` is known to have been shown first; otherwise the order was not recorded.
    judges, categories
        Who decided, and what kind of prompt it was; None where nothing says so.
    clusters
        What is swapped as one, where that is not the prompt.
    lengths
        (n, 2) lengths of the two answers, nan where unknown; None where no length is known.
    weights
        How many wins a verdict counts as; None where every one counts once.
    origins
        The files.
    notes
        What was decided about the data, and what was left out.

    Examples
    --------
    >>> battles = Battles(("new", "old"), np.array([0, 1]), np.array([1, 0]), np.array([1.0, 0.5]), Labels.of(["q1", "q1"]))
    >>> battles.rows, battles.decided.tolist()
    (2, [True, True])
    """

    systems: tuple[str, ...]
    first: Array
    second: Array
    share: Array
    prompts: Labels
    shown: Array | None = None
    judges: Labels | None = None
    categories: Labels | None = None
    clusters: Labels | None = None
    lengths: Array | None = None
    weights: Array | None = None
    origins: tuple[Origin, ...] = ()
    notes: tuple[Note, ...] = ()

    @property
    def rows(self) -> int:
        """How many battles there are, those without a verdict included."""
        return len(self.first)

    @property
    def decided(self) -> Array:
        """Which battles have a verdict; a tie is one."""
        return ~np.isnan(self.share)

    @property
    def units(self) -> Labels:
        """What is swapped as one: clusters, or else prompts."""
        return self.prompts if self.clusters is None else self.clusters

    @property
    def weight(self) -> Array:
        """How many wins each verdict counts as."""
        return np.ones(self.rows, dtype=np.int64) if self.weights is None else self.weights

    def take(self, rows: Rows) -> Battles:
        """Some of the battles; systems that are in none of them stay in the list."""
        taken: dict[str, Labels | Array] = {}
        for field in fields(self):
            match getattr(self, field.name):
                case Labels() as labels:
                    taken[field.name] = labels.take(rows)
                case np.ndarray() as column:
                    taken[field.name] = column[rows]
        return replace(self, **taken)  # type: ignore[arg-type] # columns as they were

    def compact(self) -> Battles:
        """The same without systems that are in no battle, in the order in which they appear."""
        sides = np.stack([self.first, self.second], axis=1).ravel()
        codes, seen = densify(sides)
        return replace(self, systems=tuple(names_at(self.systems, sides[seen])), first=codes[::2], second=codes[1::2])

    def _brief(self) -> str:
        return f"{count_of(self.rows, 'battle')} of {count_of(len(self.systems), 'system')}: {', '.join(self.systems[:50])}"


def join_battles(parts: Sequence[Battles]) -> Battles:
    """Several files as one; what only some of them know is unknown for the others.

    Examples
    --------
    >>> one = Battles(("new", "old"), np.array([0]), np.array([1]), np.array([1.0]), Labels.of(["q1"]))
    >>> two = Battles(("old", "new"), np.array([0]), np.array([1]), np.array([0.0]), Labels.of(["q2"]))
    >>> both = join_battles([one, two])
    >>> both.systems, both.first.tolist(), both.prompts.names
    (('new', 'old'), [0, 1], ('q1', 'q2'))
    """
    if len(parts) == 1:
        return parts[0]
    names = tuple(dict.fromkeys(name for part in parts for name in part.systems))
    place = {name: i for i, name in enumerate(names)}
    codes = [np.array([place[name] for name in part.systems], dtype=np.int64) for part in parts]
    return Battles(
        systems=names,
        first=np.concatenate([renumbered[part.first] for renumbered, part in zip(codes, parts, strict=True)]),
        second=np.concatenate([renumbered[part.second] for renumbered, part in zip(codes, parts, strict=True)]),
        share=np.concatenate([part.share for part in parts]),
        prompts=Labels(*encode_together([part.prompts for part in parts])),
        shown=np.concatenate([np.zeros(part.rows, dtype=bool) if part.shown is None else part.shown for part in parts]),
        judges=_join_some([part.judges for part in parts], parts),
        categories=_join_some([part.categories for part in parts], parts),
        clusters=_join_some([part.clusters for part in parts], parts),
        lengths=_join_lengths(parts),
        weights=None if all(part.weights is None for part in parts) else np.concatenate([part.weight for part in parts]),
        origins=tuple(origin for part in parts for origin in part.origins),
        notes=tuple(dict.fromkeys(note for part in parts for note in part.notes)),
    )


def _join_some(columns: Sequence[Labels | None], parts: Sequence[Battles]) -> Labels | None:
    if all(labels is None for labels in columns):
        return None
    unknown = [
        same_label("(unknown)", part.rows) if labels is None else labels for labels, part in zip(columns, parts, strict=True)
    ]
    return Labels(*encode_together(unknown))


def _join_lengths(parts: Sequence[Battles]) -> Array | None:
    if all(part.lengths is None for part in parts):
        return None
    return np.concatenate([np.full((part.rows, 2), np.nan) if part.lengths is None else part.lengths for part in parts])
