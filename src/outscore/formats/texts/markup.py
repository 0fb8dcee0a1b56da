"""WMT's SGML (mteval: srcset, refset and tstset) and its XML since 2021 (src, ref and hyp of every document).

The SGML of WMT cannot be parsed as such: its texts hold bare ampersands and angle brackets. Only the tags that the two formats
have are looked for, and everything between `<seg>` and `</seg>` is the segment.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from outscore.core.errors import OutscoreError
from outscore.formats.base.source import line_error
from outscore.formats.texts.file import REFERENCE, SOURCE, SYSTEM, Cell, Held, arrange
from outscore.scores.system import label_of

_SETS = {"srcset": SOURCE, "refset": REFERENCE, "tstset": SYSTEM, "src": SOURCE, "ref": REFERENCE, "hyp": SYSTEM}
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
            file=path,
        )
    scan = _Scan(text, path)
    cells = list(scan.cells())
    suites = f"{label_of(path)}: {scan.in_suites:,} segments of test suites were left out."
    notes = [suites] if scan.in_suites else []
    if any(cell.part for cell in cells):
        return arrange((cell for cell in cells if cell.part), path, notes)
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
