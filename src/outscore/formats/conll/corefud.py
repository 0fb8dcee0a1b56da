"""CorefUD: coreference in the last column of CoNLL-U (Nedoluzhko et al., 2022).

    # global.Entity = eid-etype-head-other
    1  The    …  Entity=(e3-person-2-
    2  mayor  …  Entity=e3)

``(e3-person-2-`` opens a mention of entity e3 and ``e3)`` closes it; ``(e3-person-1-)`` is one word. Parts of a
discontinuous mention (``e3[1/2]``) become the span from its first to its last word. Empty nodes are left out, with
mentions of empty nodes alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from outscore.formats.base.source import Peek, Source, line_error
from outscore.formats.conll.conll2012 import Parser, assemble_chains
from outscore.outputs.model import Chains

__all__ = ["FORMAT", "chains_of", "looks_like_corefud"]

FORMAT = "corefud"
_GLOBAL = re.compile(r"#\s*global\.Entity\s*=\s*(\S+)")
_NEWDOC = re.compile(r"#\s*newdoc(?:\s+id\s*=\s*(.*))?")
_ENTITY = re.compile(r"(^|\|)Entity=\(")
_PIECE = re.compile(r"(\()?([^()]+)(\))?")
_PART = re.compile(r"(.*)\[(\d+)/(\d+)\]")
_WIDTH, _FORM, _UPOS, _MISC = 10, 1, 3, 9
_HINT = "Give CorefUD files: CoNLL-U with `# global.Entity` and `Entity=` in the last column."


def looks_like_corefud(peek: Peek) -> bool:
    """Whether the comments declare entities as CorefUD does, or the first word has one."""
    if any(_GLOBAL.match(line) for line in peek.head):
        return True
    first = next((line for line in peek.filled if not line.startswith("#")), "").rstrip("\r\n").split("\t")
    return len(first) == _WIDTH and _ENTITY.search(first[_MISC]) is not None


def chains_of(source: Source, *, repair: bool = False) -> Chains:
    """The chains of an open CorefUD file, mentions of UPOS-tagged words."""
    parser, place, document = Parser(source.path), 0, 0
    for number, line in enumerate(source.lines(), 1):
        text = line.rstrip("\r\n")
        if (match := _GLOBAL.match(text)) is not None:
            fields = match[1].split("-")
            place = fields.index("eid") if "eid" in fields else 0
        elif (match := _NEWDOC.match(text)) is not None:
            _close(parser, number)
            document += 1
            parser.begin(number, (match[1] or "").strip() or f"document {document}")
        elif not text.strip():
            parser.fresh = True
        elif not text.startswith("#"):
            if not parser.begun:
                parser.begin(number, f"document {document + 1}")
            _add_word(parser, number, text, place)
    _close(parser, 0)
    return assemble_chains(source, parser, FORMAT, repair=repair)


def _close(parser: Parser, number: int) -> None:
    if parser.begun:
        parser.end(number)


def _add_word(parser: Parser, number: int, text: str, place: int) -> None:
    cells = text.split("\t")
    if len(cells) != _WIDTH:
        raise line_error(parser.path, number, f"found {len(cells)} columns, expected the 10 of CoNLL-U", _HINT)
    if not cells[0].isdigit():
        # Multi-word tokens and empty nodes: mentions are of words.
        return
    parser.token(number, cells[_FORM], cells[_UPOS])
    for part in cells[_MISC].split("|"):
        if part.startswith("Entity="):
            parser.brackets(number, "".join(_brackets(part.removeprefix("Entity="), place)))


def _brackets(entity: str, place: int) -> Iterator[str]:
    """The brackets of CoNLL-2012 that say the same; of a discontinuous mention the first and the last.

    Examples
    --------
    >>> list(_brackets("(e3-person-2-(e4[1/2]-place-1-)e5)", 0))
    ['(e3', '(e4', 'e5)']
    """
    for opens, name, closes in _PIECE.findall(entity):
        chain = name.split("-")[place] if opens else name
        match = _PART.fullmatch(chain)
        part, last = (int(match[2]), int(match[3])) if match is not None else (1, 1)
        chain = match[1] if match is not None else chain
        begins, ends = bool(opens) and part == 1, bool(closes) and part == last
        if begins or ends:
            yield f"{'(' if begins else ''}{chain}{')' if ends else ''}"
