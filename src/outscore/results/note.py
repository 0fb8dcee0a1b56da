"""Notes and signatures: what a reader should know beside the numbers, and how to get them again."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

from outscore.core.records import dataclass

# Notes: what a reader should know about a result, each with its topic.


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


def texts_below(notes: Iterable[Note]) -> list[str]:
    """The sentences of notes that are shown below the evidence: readings and warnings stand beside the verdict."""
    return note_texts(note for note in notes if note.kind not in ("reading", *BESIDE_VERDICT))


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


# One line that makes a number reproducible, in parts.


class Signature:
    """How a number was computed: parts with a name and a value, written ``metric:f1|test:permutation|n:80``.

    In JSON it is that line, and it compares equal to that line. Parts without a name, such as a library's ``BLEU``, have the
    name ``""``.

    Attributes
    ----------
    parts
        Names and values in order.

    Examples
    --------
    >>> line = Signature([("metric", "f1"), ("unit", "items")]).replacing("unit", "items", "segments").extended("TER|nrefs:1")
    >>> str(line), line.value("unit"), line.value("seed")
    ('metric:f1|unit:segments|TER|nrefs:1', 'segments', None)
    >>> Signature.parse(str(line)) == line
    True
    """

    __slots__ = ("parts",)

    parts: tuple[tuple[str, str], ...]

    def __init__(self, parts: Iterable[tuple[str, object]] = ()) -> None:
        object.__setattr__(self, "parts", tuple((name, str(value)) for name, value in parts))

    @classmethod
    def parse(cls, line: str) -> Signature:
        """The parts of a line."""
        if not line:
            return cls()
        return cls(map(_named, line.split("|")))

    def value(self, name: str) -> str | None:
        """The value of the first part of this name; None if there is none."""
        return next((value for key, value in self.parts if key == name), None)

    def replacing(self, name: str, old: str, new: str) -> Signature:
        """The same with a new value for one part, if that has the old one."""
        return Signature((key, new if (key, value) == (name, old) else value) for key, value in self.parts)

    def before(self, name: str, *parts: tuple[str, object]) -> Signature:
        """The same with further parts before the one of this name, or at the end."""
        place = next((i for i, (key, _) in enumerate(self.parts) if key == name), len(self.parts))
        return Signature([*self.parts[:place], *parts, *self.parts[place:]])

    def extended(self, line: str) -> Signature:
        """The same followed by the parts of another line."""
        return Signature([*self.parts, *Signature.parse(line).parts])

    def texts(self) -> list[str]:
        """Each part as it is written."""
        return [f"{name}:{value}" if name else value for name, value in self.parts]

    def before_and_after(self, name: str) -> tuple[Signature, Signature]:
        """The parts up to and including the first of this name, and those after it; without one, all and none."""
        ends = [i for i, (key, _) in enumerate(self.parts, 1) if key == name]
        end = ends[0] if ends else len(self.parts)
        return Signature(self.parts[:end]), Signature(self.parts[end:])

    def __str__(self) -> str:
        return "|".join(self.texts())

    def __repr__(self) -> str:
        return f"Signature.parse({str(self)!r})"

    def __bool__(self) -> bool:
        return bool(self.parts)

    def __contains__(self, text: str) -> bool:
        return text in str(self)

    def __eq__(self, other: object) -> bool:
        return str(self) == str(other) if isinstance(other, Signature | str) else NotImplemented

    def __hash__(self) -> int:
        return hash(str(self))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"A signature is frozen: `{name}` cannot be set.")

    def __reduce__(self) -> tuple[object, tuple[object]]:
        return Signature, (self.parts,)


def _named(part: str) -> tuple[str, str]:
    name, colon, value = part.partition(":")
    return (name, value) if name and colon else ("", part)
