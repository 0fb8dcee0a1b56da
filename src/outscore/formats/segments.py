"""Segments of texts in files: a line each, WMT's markup, which parts a file has, and scores that another tool gave them."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace

from outscore.core.errors import OutscoreError
from outscore.core.numeric import LARGEST_SCORE, float_of
from outscore.core.options import did_you_mean
from outscore.core.records import dataclass
from outscore.formats.base.document import parse_document
from outscore.formats.base.source import (
    Source,
    decoding_problem,
    line_error,
    nul_byte_error,
    open_source,
    refuse_undecoded,
    shorten,
    stem_of,
)
from outscore.formats.json import json_value
from outscore.formats.tables.names import join_names
from outscore.scores.system import Origin, label_of

# Plain text, one segment per line: outputs and references of translation and generation. Empty lines count.


Lines = tuple[str, ...]
_STRAY = re.compile(r"\r(?!\n|$)")


@dataclass(frozen=True, eq=False)
class Segments:
    """The segments of a text, and the file they come from.

    Parameters
    ----------
    name
        What the text is called.
    lines
        One segment each.
    origin
        The file.
    keys, documents, source
        What the file says of each segment besides: its id, its document and what was translated.
    notes
        How the file was read, where that is not plain to see.
    datasets
        The test set or language pair of each segment, where the file has several.
    """

    name: str
    lines: Lines
    origin: Origin | None = None
    keys: Lines | None = None
    documents: Lines | None = None
    source: Lines | None = None
    notes: tuple[str, ...] = ()
    datasets: Lines | None = None

    def __len__(self) -> int:
        return len(self.lines)

    @property
    def label(self) -> str:
        """What messages call the text."""
        return f"`{self.name}`" if self.origin is None else self.origin.label


def read_segments(path: str | os.PathLike[str], name: str | None = None) -> Segments:
    r"""Read a text of one segment per line; ``-`` is standard input, and compressed files are unpacked.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "new.txt")
    ...     _ = path.write_text("A cat.\n\nA dog.\n")
    ...     text = read_segments(path)
    >>> text.name, text.lines
    ('new', ('A cat.', '', 'A dog.'))
    """
    with open_source(path, line_ends="kept") as source:
        text = whole_text(source)
        lines = plain_lines(text)
        origin = Origin(source.path, source.sha256(), len(lines), "segments")
    return Segments(name or stem_of(os.fspath(path)), lines, origin, notes=stray_returns(lines, origin))


def whole_text(source: Source) -> str:
    """The whole text of a file; an empty one, or one with bytes that are not text, is refused."""
    if source.parquet is not None:
        raise OutscoreError(f"{source.label} is a Parquet table, but plain text was expected.", "Give one segment per line.")
    text = "".join(source.pieces)
    if not text:
        raise OutscoreError(f"{source.label} is empty.", "Give a text of at least one line.")
    if "\x00" in text:
        # Opening a file checks its beginning only.
        raise nul_byte_error(source.path, text.count("\n", 0, text.index("\x00")) + 1)
    if not text.isascii() and decoding_problem(text) is not None:
        for number, line in enumerate(text.split("\n"), 1):
            refuse_undecoded(source.path, number, line)
    return text


def plain_lines(text: str) -> Lines:
    r"""The lines of a text: they end in ``\n`` or ``\r\n``, or all of them in ``\r``.

    Examples
    --------
    >>> plain_lines("a\r\nb\rc\n\n"), plain_lines("a\rb\r")
    (('a', 'b\rc', ''), ('a', 'b'))
    """
    end = "\n" if "\n" in text else "\r"
    lines = text.removesuffix(end).split(end)
    return tuple(line.rstrip("\r") for line in lines)


def stray_returns(lines: Lines, origin: Origin) -> tuple[str, ...]:
    """What to say of carriage returns within lines, which many tools take for the end of a line."""
    stray = [i for i, line in enumerate(lines, 1) if _STRAY.search(line)]
    if not stray:
        return ()
    lines_with = f"line {stray[0]} has" if len(stray) == 1 else f"line {stray[0]} and {len(stray) - 1:,} more have"
    return (f"{origin.label}, {lines_with} a carriage return inside; it is part of the segment, as in sacreBLEU.",)


# What a file of texts holds, part by part, and which of its parts are meant.


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
    columns: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """What was read from where: the columns of `item` and, where names do not say them plainly, of `answer` and `gold`; and the
    `language` into which was translated, as `en-zh`, where the file says so."""


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
            raise OutscoreError(f"{where}; it was on line {mine[place].line}.", once)
        mine[place] = cell
    if not texts:
        raise OutscoreError(f"{label_of(path)} contains no segment.", "Check that it is the right file.")
    order = list(_order(texts))
    all_notes = list(notes)
    parts: dict[str, dict[str, Lines]] = {SOURCE: {}, REFERENCE: {}, SYSTEM: {}}
    for (part, name), mine in texts.items():
        lacking = next((place for place in order if place not in mine), None)
        if lacking is None:
            parts[part][name] = tuple(mine[place].text for place in order)
        elif part == SYSTEM:
            message = f"{label_of(path)}: system `{name}` lacks {_segment(lacking)}."
            raise OutscoreError(message, "Give every system all segments.")
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


# WMT's SGML (mteval: srcset, refset and tstset) and its XML since 2021 (src, ref and hyp of every document).
#
# The SGML of WMT cannot be parsed as such: its texts hold bare ampersands and angle brackets. Only the tags that the two
# formats have are looked for, and everything between `<seg>` and `</seg>` is the segment.


_SETS = {"srcset": SOURCE, "refset": REFERENCE, "tstset": SYSTEM, "src": SOURCE, "ref": REFERENCE, "hyp": SYSTEM}
UNKNOWN = "und"
"""A language that is not said, as ISO 639 writes it."""
_NAMED_BY = ("sysid", "system", "translator")
_TAG = re.compile(rf"<(/?)({'|'.join(_SETS)}|doc|seg)\b([^<>]*)>", re.IGNORECASE)
# From the beginning of a word only: a long one would be looked at from each of its letters.
_ATTRIBUTE = re.compile(r"""(?<![\w:-])([\w:-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""")
_ENTITY = re.compile(r"&(?:(amp|lt|gt|quot|apos)|#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6}));")
_NAMED_ENTITIES = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}
_CDATA = re.compile(r"<!\[CDATA\[(.*?)\]\]>", re.DOTALL)
_MARKUP = re.compile(r"<(\?xml|!doctype|!--|(mteval|dataset|collection|\w{3}set|doc|seg|tmx|xliff)\b)", re.IGNORECASE)
MAX_CODE = 0x10FFFF


def looks_like_markup(text: str) -> bool:
    """Whether a text begins with a tag of SGML or XML, rather than with a word in angle brackets.

    Examples
    --------
    >>> looks_like_markup('<refset setid="x">'), looks_like_markup("<unk> is not known")
    (True, False)
    """
    return _MARKUP.match(text.lstrip()) is not None


def held_in_markup(text: str, path: str) -> Held:
    """The texts of an SGML or XML file of WMT."""
    if re.search(r"<seg\b", text, re.IGNORECASE) is None:
        raise OutscoreError(
            f"{label_of(path)} is SGML or XML without <seg>, the tag of segments in WMT's files.",
            "Give one segment per line, or WMT's SGML or XML.",
        )
    scan = _Scan(text, path)
    cells = list(scan.cells())
    suites = f"{label_of(path)}: {scan.in_suites:,} segments of test suites were left out."
    notes = [suites] if scan.in_suites else []
    if any(cell.part for cell in cells):
        held = arrange((cell for cell in cells if cell.part), path, notes)
        return replace(held, columns={"language": tuple(scan.languages)})
    # Segments of no named part: the file says no more than a plain text does.
    alone = arrange((replace(cell, part=SYSTEM) for cell in cells), path, notes)
    return replace(alone, references=alone.systems)


class _Scan:
    """One walk through the tags of a file, which keeps track of the tags around a segment."""

    def __init__(self, text: str, path: str) -> None:
        self.text, self.path = text, path
        self.part = self.name = self.name_of_set = self.document = ""
        self.in_suite = False
        self.in_suites = self.documents = self.segments = 0
        self.opened: re.Match[str] | None = None
        self.languages: dict[str, None] = {}
        self._line, self._counted = 1, 0

    def cells(self) -> Iterator[Cell]:
        """Every segment outside of test suites."""
        for tag in _TAG.finditer(self.text):
            closing, kind = bool(tag[1]), tag[2].lower()
            if kind == "seg":
                yield from self._segment(tag, closing=closing)
            elif self.opened is None:
                # Elsewhere a word such as <ref> is part of a segment.
                self._enter(kind, _attributes(tag[3]), closing=closing)
        self._refuse_open()

    def _enter(self, kind: str, attributes: dict[str, str], *, closing: bool) -> None:
        self.segments = 0
        if kind == "doc":
            self.documents += not closing
            self.document = "" if closing else attributes.get("docid") or attributes.get("id") or f"document {self.documents}"
            self.in_suite = not closing and "testsuite" in attributes
            self.name = (not closing and _name(attributes)) or self.name_of_set
        else:
            self.part = "" if closing else _SETS[kind]
            self.name = self.name_of_set = "" if closing else _name(attributes)
            if self.part in (SYSTEM, REFERENCE) and (target := _language(attributes, "trglang", "tgtlang", "lang", "language")):
                self.languages[f"{_language(attributes, 'srclang') or UNKNOWN}-{target}"] = None

    def _segment(self, tag: re.Match[str], *, closing: bool) -> Iterator[Cell]:
        if not closing:
            self._refuse_open()
            self.opened = tag
        empty = not closing and tag[3].rstrip().endswith("/")
        if self.opened is None or not (closing or empty):
            return
        begun, self.opened = self.opened, None
        self.segments += 1
        if self.in_suite:
            self.in_suites += 1
            return
        key = _attributes(begun[3]).get("id", str(self.segments))
        text = "" if empty else _unescape(self.text[begun.end() : tag.start()])
        yield Cell(self.part, self.name, self.document, key, text, self._line_of(begun))

    def _line_of(self, tag: re.Match[str]) -> int:
        """The line of a tag that follows those asked for before."""
        self._line += self.text.count("\n", self._counted, tag.start())
        self._counted = tag.start()
        return self._line

    def _refuse_open(self) -> None:
        if self.opened is not None:
            raise line_error(self.path, self._line_of(self.opened), "<seg> has no </seg>", "Close the segment.")


def _name(attributes: dict[str, str]) -> str:
    return next((attributes[key] for key in _NAMED_BY if attributes.get(key)), "")


def _language(attributes: Mapping[str, str], *names: str) -> str:
    """The language that an attribute names, without script and country; empty if none does."""
    written = (re.match(r"[a-z]{2,3}(?![a-z])", attributes.get(name, "").lower()) for name in names)
    return next((found[0] for found in written if found is not None), "")


def _attributes(written: str) -> dict[str, str]:
    return {key.lower(): _unescape(a or b or c) for key, a, b, c in _ATTRIBUTE.findall(written)}


def _unescape(text: str) -> str:
    """The text that was meant: entities written out, spaces as one."""
    whole = text
    if "<![CDATA[" in text:
        whole = _CDATA.sub(lambda match: match[1].replace("&", "&amp;"), text)
    return " ".join(_ENTITY.sub(_character, whole).split())


def _character(match: re.Match[str]) -> str:
    if match[1]:
        return _NAMED_ENTITIES[match[1]]
    code = int(match[2]) if match[2] else int(match[3], 16)
    return chr(code) if code <= MAX_CODE else match[0]


# Scores of segments that another tool computed (COMET, BLEURT, MetricX, a judge): a number for each segment of one system.
#
# Read are plain numbers, COMET's ``--to_json`` and what ``comet-score`` prints, ``.seg.score`` files of WMT's metrics task,
# the two columns of mt-metrics-eval, and MetricX's JSON lines.


Found = tuple[int, str, object]
"""The line of a score, the system that the line names, and the score as written."""
_PRINTED = re.compile(r"(.*?)\s+Segment\s+\d+\s+score:\s*(\S+)\s*$")
_PRINTED_MEAN = re.compile(r".*\s(system\s)?score:\s*\S+\s*$", re.IGNORECASE)
_KEYS = ("prediction", "score")


def read_segment_scores(
    path: str | os.PathLike[str], metric: str, system: str, segments: int, *, several: bool = False
) -> tuple[list[float], Origin]:
    """The scores of one system by `metric`, one for each of so many segments, and the file.

    `several` says that the file is named for several systems, so that it has to say whose the scores are.
    """
    with open_source(path) as source:
        cells = list(_cells(whole_text(source), source.path, metric))
        origin = Origin(source.path, source.sha256(), len(cells), "segment scores")
    mine = _of_system(cells, system, origin, several=several)
    if len(mine) != segments:
        raise OutscoreError(
            f"{origin.label} has {len(mine):,} scores of {metric} for {segments:,} segments.",
            "Give one for each segment, in the order of the texts.",
            parameter="scores",
        )
    return [_number(value, origin.path, line) for line, _, value in mine], origin


def _of_system(cells: Sequence[Found], system: str, origin: Origin, *, several: bool) -> list[Found]:
    """The scores of one system, where a file holds several."""
    names = list(dict.fromkeys(name for _, name, _ in cells))
    if len(names) < 2 and not several:
        return list(cells)
    if not any(names):
        raise OutscoreError(
            f"{origin.label} is named for several systems but does not say whose its scores are.",
            "Name a file of scores for each system.",
            parameter="scores",
        )
    fitting = [name for name in names if system in (name, stem_of(name))]
    if len(fitting) != 1:
        raise OutscoreError(
            f"{origin.label} contains scores of {join_names(names, 5)}, but none is called `{system}`.",
            "Give the systems these names with --names.",
            parameter="scores",
        )
    return [cell for cell in cells if cell[1] == fitting[0]]


def _cells(text: str, path: str, metric: str) -> Iterator[Found]:
    begun = text.lstrip()
    whole = parse_document(begun) if begun.startswith("{") else None
    if whole and all(isinstance(rows, list) for rows in whole.values()):
        for system, rows in whole.items():
            for i, row in enumerate(rows, 1):
                yield i, system, _in_object(row, path, i, metric)
        return
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        if line.lstrip().startswith("{"):
            row = json_value(line, path, number, "Write each object on one line.")
            system = next((str(row[key]) for key in ("system", "system_id", "model") if key in row), "")
            yield number, system, _in_object(row, path, number, metric)
        elif (printed := _PRINTED.match(line)) is not None:
            yield number, printed[1], printed[2]
        elif not _PRINTED_MEAN.match(line):
            cells = line.split("\t") if "\t" in line else line.split()
            # metric, language pair, test set, system, segment, score; or system, score.
            yield number, cells[-3] if len(cells) > 5 else "".join(cells[:-1][-1:]), cells[-1]


def _in_object(row: object, path: str, line: int, metric: str) -> object:
    """The score of an object: the value named after the metric, or the only number."""
    if isinstance(row, dict):
        wanted = [key for key in row if str(key).lower() in (metric.lower(), *_KEYS)]
        numbers = [key for key, value in row.items() if isinstance(value, float)]
        for keys in (wanted, numbers):
            if len(keys) == 1:
                return row[keys[0]]
    hint = f"Call the score `{metric}` or `score`."
    raise line_error(path, line, f"found {shorten(json.dumps(row))}, which has no score of {metric}", hint)


def _number(value: object, path: str, line: int) -> float:
    number = float_of(str(value))
    if not abs(number) <= LARGEST_SCORE:
        raise line_error(path, line, f"found {shorten(str(value))}, expected a number", "Give every segment a score.")
    return number
