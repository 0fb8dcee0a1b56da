"""Notes: what a reader should know about a result, each with its topic."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

from outscore.core.records import dataclass

NoteKind = Literal[
    "general",
    "warning",
    "contradiction",
    "reading",
    "input",
    "design",
    "runs",
    "data",
    "estimand",
    "interval",
    "method",
    "correction",
    "tests",
    "peer",
    "assumption",
    "omission",
    "difference",
]


BESIDE_VERDICT: tuple[NoteKind, ...] = ("warning", "contradiction")
"""The kinds of notes that are shown beside the verdict, and nowhere else."""
ON_SCREEN: tuple[NoteKind, ...] = (*BESIDE_VERDICT, "reading", "difference")
"""The kinds that even the shortest report shows: they may make the verdict wrong, or the data other than they seem."""


@dataclass(frozen=True)
class Note:
    """One thing to know about a result.

    Attributes
    ----------
    kind
        What the note is about: what may make the verdict wrong ("warning", shown beside it), another score, dataset or part of
        the data by which the verdict is significantly the opposite ("contradiction", shown beside it too), what was decided
        about data that could be read in several ways ("reading"), how the
        files were read and matched ("input"), what counts as one unit ("design"), what a single run leaves open ("runs"), what
        the data leave open ("data"), what the test is about ("estimand"), the
        interval ("interval"), how p was computed ("method"), several tests at once ("correction"), the other tests
        ("tests"), another tool's p ("peer"), what a plan assumes ("assumption"), what is left out of the result
        ("omission"), what has changed since the result that is repeated ("difference"). Notes of older files are "general".
    text
        One or two sentences.

    Examples
    --------
    >>> print(Note("design", "Single runs."))
    Single runs.
    """

    kind: NoteKind
    text: str

    def __str__(self) -> str:
        return self.text


def note_texts(notes: Iterable[Note]) -> list[str]:
    """The sentences of some notes."""
    return [note.text for note in notes]


def with_note_objects(value: Any) -> Any:  # noqa: ANN401 - any JSON value
    """JSON with each note as an object: files of version 0.1.0 have notes as plain strings.

    Examples
    --------
    >>> with_note_objects({"pairs": [{"notes": ["Few units."]}]})
    {'pairs': [{'notes': [{'kind': 'general', 'text': 'Few units.'}]}]}
    """
    if isinstance(value, list):
        return [with_note_objects(inner) for inner in value]
    if not isinstance(value, dict):
        return value
    return {key: _upgraded(key, inner) for key, inner in value.items()}


def _upgraded(key: str, value: Any) -> Any:  # noqa: ANN401 - any JSON value
    if key == "settings":
        return value
    if key == "notes" and isinstance(value, list):
        return [{"kind": "general", "text": note} if isinstance(note, str) else note for note in value]
    return with_note_objects(value)
