"""What a file of texts holds, part by part, and which of its parts are meant."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field

from outscore.core.errors import OutscoreError
from outscore.core.options import did_you_mean
from outscore.core.records import dataclass
from outscore.formats.texts.segments import Lines, Segments
from outscore.scores.system import Origin, label_of

SOURCE, REFERENCE, SYSTEM = "source", "reference", "hypothesis"
"""The parts that a text can play in a file."""
Place = tuple[str, str, str]
"""Where a segment belongs: its dataset, its document and its id."""


@dataclass(frozen=True)
class Cell:
    """One segment of one text: the part it plays, whose it is, its document and its id, and the line it is on.

    `dataset` is the test set or language pair, where a file holds several.
    """

    part: str
    name: str
    document: str
    key: str
    text: str
    line: int
    dataset: str = ""


@dataclass(frozen=True, eq=False)
class Held:
    """Texts of the same segments in the same order; keys, documents and datasets where the file has them."""

    systems: Mapping[str, Lines] = field(default_factory=dict)
    references: Mapping[str, Lines] = field(default_factory=dict)
    source: Lines | None = None
    documents: Lines | None = None
    keys: Lines | None = None
    notes: tuple[str, ...] = ()
    datasets: Lines | None = None
    ids: tuple[str, ...] = ()
    """The columns that `keys` come from."""


@dataclass(frozen=True, eq=False)
class TextFile:
    """A file of texts as it was read. One that does not say what its only text is holds it as `systems` and `references`."""

    origin: Origin
    held: Held

    def systems(self, chosen: Sequence[str] = ()) -> list[Segments]:
        """The outputs that it holds, those of `chosen` systems where some are named."""
        held = self.held
        if not held.systems:
            raise self._lacks("no system's output", [*_names("reference", held.references), *_names("source", held.source)])
        for name in chosen:
            if name not in held.systems:
                raise OutscoreError(f"{self.origin.label} has no system `{name}`.", did_you_mean(name, held.systems))
        return [self._segments(name, held.systems[name]) for name in chosen or held.systems]

    def references(self) -> list[Segments]:
        """The references that it holds."""
        held = self.held
        if not held.references:
            raise self._lacks("no reference", [*_names("system", held.systems), *_names("source", held.source)])
        return [self._segments(name, lines) for name, lines in held.references.items()]

    def sources(self) -> list[Segments]:
        """What was translated, where the file says it."""
        return [] if self.held.source is None else [self._segments("source", self.held.source)]

    def _segments(self, name: str, lines: Lines) -> Segments:
        held = self.held
        return Segments(name, lines, self.origin, held.keys, held.documents, held.source, held.notes, held.datasets)

    def _lacks(self, what: str, contents: Sequence[str]) -> OutscoreError:
        message = f"{self.origin.label} contains {what}, but {' and '.join(contents)}."
        return OutscoreError(message, "Name another file.", file=self.origin.path)


def _names(noun: str, held: Mapping[str, Lines] | Lines | None) -> list[str]:
    if not held:
        return []
    return [f"texts of the {noun}"] if not isinstance(held, Mapping) else [f"{len(held)} {noun}{'s' * (len(held) > 1)}"]


def arrange(cells: Iterable[Cell], path: str, notes: Sequence[str] = (), *, once: str = "Give every segment once.") -> Held:
    """Texts put together from their cells: segments in the order of the references, else of the file.

    `once` is the cure for a segment that occurs twice.

    A reference that lacks segments is left out where another has them all; a system has to have them all.
    """
    texts: dict[tuple[str, str], dict[Place, Cell]] = {}
    for cell in cells:
        mine = texts.setdefault((cell.part, cell.name), {})
        place = (cell.dataset, cell.document, cell.key)
        if place in mine:
            where = f"{label_of(path)}, line {cell.line}: {_segment(place)} of `{cell.name or cell.part}` occurs a second time"
            raise OutscoreError(f"{where}; it was on line {mine[place].line}.", once, file=path)
        mine[place] = cell
    if not texts:
        raise OutscoreError(f"{label_of(path)} contains no segment.", "Check that it is the right file.", file=path)
    order = list(_order(texts))
    all_notes = list(notes)
    parts: dict[str, dict[str, Lines]] = {SOURCE: {}, REFERENCE: {}, SYSTEM: {}}
    for (part, name), mine in texts.items():
        lacking = next((place for place in order if place not in mine), None)
        if lacking is None:
            parts[part][name] = tuple(mine[place].text for place in order)
        elif part == SYSTEM:
            message = f"{label_of(path)}: system `{name}` lacks {_segment(lacking)}."
            raise OutscoreError(message, "Give every system all segments.", file=path)
        else:
            all_notes.append(f"{label_of(path)}: {part} `{name}` lacks {_segment(lacking)} and was left out.")
    datasets, documents, keys = (tuple(place[i] for place in order) for i in range(3))
    return Held(
        parts[SYSTEM],
        parts[REFERENCE],
        next(iter(parts[SOURCE].values()), None),
        documents if any(documents) else None,
        tuple(": ".join(part for part in (*place[:-1], key) if part) for place, key in zip(order, keys, strict=True)),
        tuple(all_notes),
        datasets if any(datasets) else None,
    )


def _order(texts: Mapping[tuple[str, str], Mapping[Place, Cell]]) -> Iterable[Place]:
    """The segments to keep: those of the most complete reference, else of the source or of the first text."""
    for wanted in (REFERENCE, SYSTEM, SOURCE):
        mine = [cells for (part, _), cells in texts.items() if part == wanted]
        if mine:
            return max(mine, key=len)
    return ()


def _segment(place: Place) -> str:
    dataset, document, key = place
    of = [f"of {noun} `{name}`" for noun, name in (("document", document), ("dataset", dataset)) if name]
    return " ".join([f"segment {key}", *of])
