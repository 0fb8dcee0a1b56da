"""CorefUD: coreference in the last column of CoNLL-U (Nedoluzhko et al., 2022).

    # global.Entity = eid-etype-head-other
    1    The    …  Entity=(e3-person-2-
    2    mayor  …  Entity=e3)
    2.1  _      …  Entity=(e3-person-1-)

``(e3-person-2-`` opens a mention of entity e3, whose second word is the head, and ``e3)`` closes it; ``(e3-person-1-)`` is
one node. A discontinuous mention has its parts numbered, ``(e3[1/2]-person-1-`` and ``(e3[2/2]-person-1-``. An empty node
such as 2.1 is what the sentence leaves unsaid: alone it is a zero mention, and its parents stand in the ninth column.
"""

from __future__ import annotations

import re
from dataclasses import field

import numpy as np

from outscore.core.records import dataclass
from outscore.formats.base.source import Peek, Source, line_error, shorten
from outscore.formats.conll.conll2012 import Parser, assemble_chains
from outscore.outputs.model import MAX_EMPTY, NO_HEAD, Chains, Nodes, is_word, node_place, word_of

FORMAT = "corefud"
_GLOBAL = re.compile(r"#\s*global\.Entity\s*=\s*(\S+)")
_NEWDOC = re.compile(r"#\s*newdoc(?:\s+id\s*=\s*(.*))?")
_ENTITY = re.compile(r"(^|\|)Entity=\(")
_PIECE = re.compile(r"\([^()]+\)?|[^()]+\)")
_PART = re.compile(r"(.*)\[(\d{1,9})/(\d{1,9})\]")
_EMPTY = re.compile(r"\d{1,9}\.\d{1,9}")
_PARENT = re.compile(r"(\d{1,9})(?:\.(\d{1,9}))?:(.+)")
_HEAD = re.compile(r"\d{1,9}")
_WIDTH, _ID, _FORM, _UPOS, _DEPS, _MISC = 10, 0, 1, 3, 8, 9
_START, _END = 1, 2
_HINT = "Give CorefUD files: CoNLL-U with `# global.Entity` and `Entity=` in the last column."
_BRACKETS_HINT = "Write (e3-person-1- where a mention of e3 begins, e3) where it ends, (e3-person-1-) for one word."
_PARTS_HINT = "Write (e3[1/2]-person-1- and (e3[2/2]-person-1- for the two parts of one mention, in this order."


def looks_like_corefud(peek: Peek) -> bool:
    """Whether the comments declare entities as CorefUD does, or the first word has one."""
    if any(_GLOBAL.match(line) for line in peek.head):
        return True
    first = next((line for line in peek.filled if not line.startswith("#")), "").rstrip("\r\n").split("\t")
    return len(first) == _WIDTH and _ENTITY.search(first[_MISC]) is not None


def chains_of(source: Source, *, repair: bool = False) -> Chains:
    """The chains of an open CorefUD file, mentions of UPOS-tagged words and of empty nodes."""
    entities, document = _Entities(Parser(source.path)), 0
    parser = entities.parser
    for number, line in enumerate(source.lines(), 1):
        text = line.rstrip("\r\n")
        if (match := _GLOBAL.match(text)) is not None:
            entities.fields = match[1].split("-")
        elif (match := _NEWDOC.match(text)) is not None:
            entities.end_document(number)
            document += 1
            parser.begin(number, (match[1] or "").strip() or f"document {document}")
        elif not text.strip():
            parser.fresh = True
        elif not text.startswith("#"):
            if not parser.begun:
                parser.begin(number, f"document {document + 1}")
            _add_node(entities, number, text)
    entities.end_document(0)
    return assemble_chains(source, parser, FORMAT, repair=repair, nodes=entities.nodes())


@dataclass
class _Entities:
    """The mentions read so far; rows are those of the parser's mentions."""

    parser: Parser
    fields: list[str] = field(default_factory=lambda: ["eid", "etype", "head", "other"])
    places: list[list[int]] = field(default_factory=list)
    # As written, counted from 1; None where the file names none.
    heads: list[int | None] = field(default_factory=list)
    # The parents of the empty nodes of a document, by its index and the place of the node.
    parents: dict[tuple[int, int], frozenset[tuple[int, str]]] = field(default_factory=dict)
    # Rows of mentions whose next part has not begun, by entity, number of that part and of all parts.
    waiting: dict[tuple[str, int, int], list[int]] = field(default_factory=dict)
    running: set[int] = field(default_factory=set)
    # The index in its document of the first word of the sentence.
    first: int = 0

    def end_document(self, number: int) -> None:
        """End the open document, if there is one, in which no part of a mention may be missing."""
        if not self.parser.begun:
            return
        for (entity, part, parts), rows in self.waiting.items():
            if rows:
                line = self.parser.mentions[rows[0]][4]
                self.parser.refuse(line, f"a mention of {entity} has no part {part} of {parts} in its document", _PARTS_HINT)
        self.parser.end(number)

    def add(self, number: int, entity: str, place: int) -> None:
        """Read the brackets at a node."""
        pieces = _PIECE.findall(entity)
        if not pieces or "".join(pieces) != entity:
            problem = f'found "{shorten(entity)}" after `Entity=`, expected brackets of entities'
            self.parser.refuse(number, problem, _BRACKETS_HINT)
        ended = set()
        for piece in pieces:
            if piece[0] == "(":
                name = self.begin(number, piece.strip("()").split("-"))
            else:
                name = piece.strip("()")
            if piece[-1] == ")":
                ended.add(self.end(number, name))
        self.reach(place)
        self.running -= ended

    def reach(self, place: int) -> None:
        """Add a node to all mentions that it stands in."""
        for row in self.running:
            self.places[row].append(place)

    def begin(self, number: int, values: list[str]) -> str:
        """Open a mention or one of its parts; returns the name under which it is closed."""
        given = dict(zip(self.fields, values, strict=False))
        name = given.get("eid", values[0])
        match = _PART.fullmatch(name)
        entity, part, parts = (match[1], int(match[2]), int(match[3])) if match is not None else (name, 1, 1)
        self.parser.check_name(number, entity)
        if part == 1:
            row = len(self.places)
            document = len(self.parser.documents) - 1
            chain = self.parser.chains.setdefault((document, entity), len(self.parser.chains))
            self.parser.mentions.append([document, 0, 0, chain, number])
            self.parser.written.append(name)
            self.places.append([])
            head = given.get("head", "")
            self.heads.append(int(head) if _HEAD.fullmatch(head) else None)
        else:
            rows = self.waiting.get((entity, part, parts))
            if not rows:
                self.parser.refuse(
                    number, f"part {part} of a mention of {entity} begins, but part {part - 1} did not", _PARTS_HINT
                )
            row = rows.pop(0)
            self.parser.written[row] = name
        self.parser.open.setdefault(name, []).append(row)
        self.running.add(row)
        return name

    def end(self, number: int, name: str) -> int:
        """Close a mention or one of its parts; returns its row."""
        rows = self.parser.open.get(name)
        if not rows:
            self.parser.refuse(
                number, f"chain {name} is closed but was never opened", f"Open it with `({name}` on the first token."
            )
        row = rows.pop()
        match = _PART.fullmatch(name)
        if match is not None and int(match[2]) < int(match[3]):
            self.waiting.setdefault((match[1], int(match[2]) + 1, int(match[3])), []).append(row)
        return row

    def nodes(self) -> Nodes:
        """What all mentions consist of; the parser's mentions get their first and last words."""
        heads, parents = np.full(len(self.places), NO_HEAD, dtype=np.int64), {}
        for row, (unsorted, head) in enumerate(zip(self.places, self.heads, strict=True)):
            places = self.places[row] = sorted(unsorted)
            mention = self.parser.mentions[row]
            words = [word_of(place) for place in places if is_word(place)]
            mention[_START], mention[_END] = (words[0], words[-1]) if words else (word_of(places[0]), word_of(places[0]) - 1)
            if head is not None and 1 <= head <= len(places):
                heads[row] = places[head - 1]
            # A mention without a head is what its first node is, as in the official scorer.
            governor = places[0] if heads[row] == NO_HEAD else int(heads[row])
            if not is_word(governor):
                parents[row] = self.parents[mention[0], governor]
        return Nodes(tuple(map(tuple, self.places)), heads, parents)


def _add_node(entities: _Entities, number: int, text: str) -> None:
    parser, cells = entities.parser, text.split("\t")
    if len(cells) != _WIDTH:
        raise line_error(parser.path, number, f"found {len(cells)} columns, expected the 10 of CoNLL-U", _HINT)
    is_empty = _EMPTY.fullmatch(cells[_ID]) is not None
    if not is_empty and not cells[_ID].isdigit():
        # Multi-word tokens: mentions are of words.
        return
    if parser.fresh:
        entities.first = len(parser.forms) - parser.first_token
    if is_empty:
        place = _empty_place(entities, number, cells)
    else:
        parser.token(number, cells[_FORM], cells[_UPOS])
        place = node_place(0, len(parser.forms) - parser.first_token)
    entity = next((part for part in cells[_MISC].split("|") if part.startswith("Entity=")), None)
    if entity is None:
        entities.reach(place)
    else:
        entities.add(number, entity.removeprefix("Entity="), place)


def _empty_place(entities: _Entities, number: int, cells: list[str]) -> int:
    """The place of an empty node, whose parents are kept."""
    parser, first = entities.parser, entities.first
    before, _, part = cells[_ID].partition(".")
    if not 1 <= int(part) <= MAX_EMPTY:
        raise line_error(parser.path, number, f"found the empty node {cells[_ID]}, expected .1 up to .{MAX_EMPTY}", _HINT)
    place = node_place(first, int(before), int(part))
    parents = set()
    for written in [] if cells[_DEPS] == "_" else cells[_DEPS].split("|"):
        match = _PARENT.fullmatch(written)
        if match is None:
            problem = f'found "{shorten(written)}" in the ninth column, expected the parents of an empty node'
            raise line_error(parser.path, number, problem, "Write each as number:relation, such as 4:nsubj, or _ for none.")
        parents.add((node_place(first, int(match[1]), int(match[2] or 0)), match[3]))
    entities.parents[len(parser.documents) - 1, place] = frozenset(parents)
    return place
