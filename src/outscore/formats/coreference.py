"""Coreference in the last column: CoNLL-2012, and CorefUD in that of CoNLL-U."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import field, replace
from itertools import pairwise
from typing import NoReturn

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.numeric import Array
from outscore.core.records import dataclass
from outscore.formats.base.source import Peek, Source, line_error, refuse_undecoded, shorten, stem_of
from outscore.outputs.mentions import DOCUMENT_ID, NO_WORD, first_of_mention, span_of
from outscore.outputs.model import MAX_EMPTY, NO_HEAD, Chains, Nodes, Words, is_word, node_place, word_of
from outscore.scores.system import Labels, Origin, label_of

# Coreference in the format of the CoNLL-2012 shared task: a token per line, chains as brackets in the last column.
#
#     #begin document (nw/a_0001); part 000
#     nw/a_0001  0  0  The    DT  (3
#     nw/a_0001  0  1  mayor  NN  3)
#     ...
#     #end document
#
# ``(3`` opens a mention of chain 3 at a token and ``3)`` closes it; ``(3)|(5`` does several things at one token, and nested
# brackets of one chain are closed last in, first out. The fourth column holds the word and the fifth its tag, in files that
# have that many columns before the last. A document is a name with its part; each has its own chain numbers. In coreference
# across documents one such document holds them all, and the first column says which of them a token belongs to. The columns
# of SemEval-2010 have the number of the token first and the word second.


FORMAT = "conll2012"
# Columns besides the brackets: the word is the fourth, its tag the fifth.
WORD, TAG = 3, 4
# Where the first column counts tokens, the word follows.
COUNTED_WORD = 1
MAX_DIGITS = 10
_BEGIN = re.compile(r"#\s*begin document\b\s*(.*)")
_END = re.compile(r"#\s*end document\b")
_NAME = re.compile(r"\(?(.*?)\)?\s*(?:;\s*(?:part\s+(\S+))?\s*)?")
_BLANKS = re.compile(r"[ \t]+")
_BRACKET = re.compile(r"\([\w.:-]+\)?|[\w.:-]+\)")
_NO_CHAIN = frozenset({"-", "_"})
_NO_TAG = frozenset({"-", "_", "*"})
_BEGIN_HINT = "Begin every document with a line such as `#begin document (name); part 000`."
_CUT_HINT = "Check that the file was not cut, and end every document with a line `#end document`."


def looks_like_chains(peek: Peek) -> bool:
    """Whether a line begins a document as CoNLL-2012 has it."""
    return any(line.startswith("#begin document") for line in peek.head)


def chains_of(source: Source, *, repair: bool = False) -> Chains:
    """The chains of an open CoNLL-2012 file.

    A mention that the file lists twice, in one chain or in two, is refused. With `repair` the one whose
    bracket opens first is kept; `Origin.rows` still counts all mentions of the file.
    """
    parser = Parser(source.path)
    for number, line in enumerate(source.lines(), 1):
        parser.add(number, line)
    return assemble_chains(source, parser, FORMAT, repair=repair)


def assemble_chains(source: Source, parser: Parser, format: str, *, repair: bool, nodes: Nodes | None = None) -> Chains:
    """What a parser has read of a whole file, checked and put together."""
    parser.finish()
    return _without_repeats(replace(_chains(source, parser, format), nodes=nodes), parser, repair=repair)


@dataclass
class Parser:
    """Reads line by line; `begun` is the line on which the open document begins, 0 between documents."""

    path: str
    documents: dict[str, int] = field(default_factory=dict)
    begun: int = 0
    layout: tuple[int, int] | None = None
    forms: list[str] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    # The first two columns, which say whose the token is, or its number and word.
    ids: list[str] = field(default_factory=list)
    seconds: list[str] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    sentences: list[int] = field(default_factory=list)
    sentence_documents: list[int] = field(default_factory=list)
    fresh: bool = True
    first_chain: tuple[str, int] | None = None
    first_token: int = 0
    # One row per mention: document, first token, last token, chain, line; and the chain as written.
    mentions: list[list[int]] = field(default_factory=list)
    written: list[str] = field(default_factory=list)
    open: dict[str, list[int]] = field(default_factory=dict)
    chains: dict[tuple[int, str], int] = field(default_factory=dict)

    def refuse(self, line: int, problem: str, hint: str) -> NoReturn:
        """Raise an error that names the line."""
        raise line_error(self.path, line, problem, hint)

    def add(self, number: int, line: str) -> None:
        """Read one line."""
        if not line.isascii():
            refuse_undecoded(self.path, number, line)
        if line.startswith("#"):
            begin = _BEGIN.match(line)
            if begin is not None:
                self.begin(number, begin[1].strip())
            elif _END.match(line):
                self.end(number)
        elif line.isspace():
            self.fresh = True
        else:
            self.word(number, line)

    def begin(self, number: int, title: str) -> None:
        """Begin a document."""
        if self.begun:
            self.refuse(number, f"a document begins before the one on line {self.begun} has ended", _CUT_HINT)
        match = _NAME.fullmatch(title)
        name, part = (match[1], match[2]) if match is not None else (title, None)
        if not name:
            self.refuse(number, "found a document without a name", _BEGIN_HINT)
        if part is not None:
            name = f"{name}; part {part.zfill(3)}"
        if name in self.documents:
            self.refuse(
                number,
                f"document `{name}` begins a second time (first on line {self.documents[name]})",
                "Give every document, or every part of one, a name of its own.",
            )
        self.documents[name] = self.begun = number
        self.first_token, self.fresh = len(self.forms), True
        self.open.clear()

    def end(self, number: int) -> None:
        """End the open document, in which every chain must be closed."""
        if not self.begun:
            self.refuse(number, "found the end of a document that was never begun", _BEGIN_HINT)
        left = [rows[-1] for rows in self.open.values() if rows]
        if left:
            row = min(left)
            self.refuse(
                self.mentions[row][4],
                f"chain {self.written[row]} is opened but never closed in its document",
                f"Close it with `{self.written[row]})` on the last token of the mention.",
            )
        self.begun = 0

    def finish(self) -> None:
        """Check that the file is complete."""
        label = label_of(self.path)
        if self.begun:
            raise OutscoreError(
                f"{label} ends inside document `{list(self.documents)[-1]}`, which begins on line {self.begun}.", _CUT_HINT
            )
        if not self.documents:
            raise OutscoreError(f"{label} is empty, but a CoNLL-2012 file was expected.", _BEGIN_HINT)
        if not self.forms:
            raise OutscoreError(f"{label} has documents without a single token.", _CUT_HINT)

    def word(self, number: int, line: str) -> None:
        """Read the line of a token."""
        # Words may hold white space other than blanks and tabs, which `split` would cut.
        fields = line.split() if line.isascii() else _BLANKS.split(line.strip(" \t\r\n"))
        if not self.begun:
            self.refuse(number, f'found "{shorten(line)}" outside any document', _BEGIN_HINT)
        if self.layout is None:
            self.layout = (min(len(fields), TAG + 2), number)
        needed = self.layout[0] if self.layout[0] > TAG else 2
        if len(fields) < needed:
            self.refuse(
                number,
                f"found {len(fields)} column{'s' if len(fields) > 1 else ''}, expected at least {needed}",
                "Give every token the same columns, with the brackets in the last one.",
            )
        self.ids.append(fields[0])
        self.seconds.append(fields[COUNTED_WORD] if len(fields) > COUNTED_WORD + 1 else NO_WORD)
        self.token(number, fields[WORD] if needed > TAG else NO_WORD, fields[TAG] if needed > TAG + 1 else NO_WORD)
        if fields[-1] not in _NO_CHAIN:
            self.brackets(number, fields[-1])

    def check_name(self, number: int, name: str) -> None:
        """Refuse a chain named unlike the first one of the file: ``None`` or ``0b1`` among numbers is damage."""
        if self.first_chain is None:
            self.first_chain = (name, number)
        first, line = self.first_chain
        if name.isdecimal() != first.isdecimal():
            kind, first_kind = ("a number", "not") if name.isdecimal() else ("not a number", "one")
            self.refuse(
                number,
                f"chain {shorten(name)} is {kind}, but chain {shorten(first)} on line {line} is {first_kind}",
                "Name all chains of a file by numbers, or none of them.",
            )

    def token(self, number: int, form: str, tag: str) -> None:
        """Add a token, which begins a sentence after a blank line."""
        if self.fresh:
            self.sentence_documents.append(len(self.documents) - 1)
            self.fresh = False
        self.sentences.append(len(self.sentence_documents) - 1)
        self.forms.append(form)
        self.tags.append(tag)
        self.lines.append(number)

    def brackets(self, number: int, cell: str) -> None:
        """Read the brackets at the last token."""
        pieces = _BRACKET.findall(cell)
        if "".join(pieces) != cell.replace("|", ""):
            self.refuse(
                number,
                f'found "{shorten(cell)}" in the last column, expected brackets of chains',
                "Write (3 where a mention of chain 3 begins, 3) where it ends, (3) for one token, - for none.",
            )
        token = len(self.forms) - 1 - self.first_token
        for piece in pieces:
            name = piece.strip("()")
            self.check_name(number, name)
            if piece[0] == "(":
                self.open.setdefault(name, []).append(self.mention(number, name, name, token))
            if piece[-1] == ")":
                self.mentions[self.close(number, name)][2] = token

    def mention(self, number: int, chain: str, written: str, token: int = 0) -> int:
        """Add a mention that begins at a token of the open document; returns its row."""
        document = len(self.documents) - 1
        self.mentions.append([document, token, token, self.chains.setdefault((document, chain), len(self.chains)), number])
        self.written.append(written)
        return len(self.mentions) - 1

    def close(self, number: int, name: str) -> int:
        """Close what was opened last under a name; returns its row."""
        if not self.open.get(name):
            self.refuse(number, f"chain {name} is closed but was never opened", f"Open it with `({name}` on the first token.")
        return self.open[name].pop()


def _chains(source: Source, parser: Parser, format: str) -> Chains:
    names = tuple(parser.documents)
    table = np.array(parser.mentions, dtype=np.int64).reshape(-1, 5)
    return Chains(
        stem_of(source.path),
        Labels(table[:, 0], names),
        table[:, 1],
        table[:, 2],
        table[:, 3],
        _words(source, parser, names),
        Origin(source.path, source.sha256(), len(table), format),
        table[:, 4],
    )


def _words(source: Source, parser: Parser, names: tuple[str, ...]) -> Words:
    counted = _count_tokens(parser.ids)
    forms = parser.seconds if counted else parser.forms
    ends = np.cumsum(np.fromiter(map(len, forms), dtype=np.int64, count=len(forms)))
    tagged = not _NO_TAG.issuperset(parser.tags)
    columns = {"pos": Labels.of(parser.tags)} if tagged else {}
    if len(names) == 1 and not counted and len({*parser.ids}) > 1:
        columns[DOCUMENT_ID] = Labels.of(parser.ids)
    return Words(
        stem_of(source.path),
        Labels.of(forms),
        np.array(parser.sentences, dtype=np.int64),
        columns,
        np.concatenate([[0], ends[:-1]]),
        ends,
        np.zeros(len(ends), dtype=bool),
        tuple(str(number) for number in range(1, len(parser.sentence_documents) + 1)),
        documents=Labels(np.array(parser.sentence_documents, dtype=np.int64), names),
        lines=np.array(parser.lines, dtype=np.int64),
    )


def _count_tokens(ids: Sequence[str]) -> bool:
    """Whether the first column counts: every number is one more than the one before or begins again at the first.

    Examples
    --------
    >>> _count_tokens(["1", "2", "3", "1", "2"]), _count_tokens(["1", "1", "2", "2"]), _count_tokens(["a", "a"])
    (True, False, False)
    """
    if not {*ids[:1]} <= {"0", "1"} or not all(number.isdecimal() and len(number) < MAX_DIGITS for number in ids):
        return False
    numbers = [int(number) for number in ids]
    steps = [(before, after) for before, after in pairwise(numbers) if after != numbers[0]]
    return bool(steps) and all(after == before + 1 for before, after in steps)


def _without_repeats(chains: Chains, parser: Parser, *, repair: bool) -> Chains:
    first = first_of_mention(chains)
    kept: Array = first == np.arange(chains.rows)
    if kept.all():
        return chains
    if not repair:
        row = int(kept.argmin())
        old, new = parser.written[first[row]], parser.written[row]
        again = f"chain {old} and in chain {new}" if old != new else f"chain {old} twice"
        parser.refuse(
            int(parser.mentions[row][4]),
            f"the mention of {span_of(chains, row)} of its document is in {again}",
            "Keep it in one chain, or repair the file on reading (--repair), which keeps the first.",
        )
    return chains.take(np.flatnonzero(kept))


# CorefUD: coreference in the last column of CoNLL-U (Nedoluzhko et al., 2022).
#
#     # global.Entity = eid-etype-head-other
#     1    The    …  Entity=(e3-person-2-
#     2    mayor  …  Entity=e3)
#     2.1  _      …  Entity=(e3-person-1-)
#
# ``(e3-person-2-`` opens a mention of entity e3, whose second word is the head, and ``e3)`` closes it; ``(e3-person-1-)``
# is one node. A discontinuous mention has its parts numbered, ``(e3[1/2]-person-1-`` and ``(e3[2/2]-person-1-``. An empty
# node such as 2.1 is what the sentence leaves unsaid: alone it is a zero mention, and its parents stand in the ninth
# column.


COREFUD = "corefud"
_GLOBAL = re.compile(r"#\s*global\.Entity\s*=\s*(\S+)")
_NEWDOC = re.compile(r"#\s*newdoc(?:\s+id\s*=\s*(.*))?")
_ENTITY = re.compile(r"(^|\|)Entity=\(")
_PIECE = re.compile(r"\([^()]+\)?|[^()]+\)")
_PART = re.compile(r"(.*)\[(\d{1,9})/(\d{1,9})\]")
_EMPTY = re.compile(r"\d{1,9}\.\d{1,9}")
_PARENT = re.compile(r"(\d{1,9})(?:\.(\d{1,9}))?:(.+)")
_HEAD = re.compile(r"\d{1,9}")
_WIDTH, _ID, _FORM, _UPOS, _DEPS, _MISC = 10, 0, 1, 3, 8, 9
_START, _COREFUD_END = 1, 2
_HINT = "Give CorefUD files: CoNLL-U with `# global.Entity` and `Entity=` in the last column."
_BRACKETS_HINT = "Write (e3-person-1- where a mention of e3 begins, e3) where it ends, (e3-person-1-) for one word."
_PARTS_HINT = "Write (e3[1/2]-person-1- and (e3[2/2]-person-1- for the two parts of one mention, in this order."


def looks_like_corefud(peek: Peek) -> bool:
    """Whether the comments declare entities as CorefUD does, or the first word has one."""
    if any(_GLOBAL.match(line) for line in peek.head):
        return True
    first = next((line for line in peek.filled if not line.startswith("#")), "").rstrip("\r\n").split("\t")
    return len(first) == _WIDTH and _ENTITY.search(first[_MISC]) is not None


def chains_of_corefud(source: Source, *, repair: bool = False) -> Chains:
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
    return assemble_chains(source, parser, COREFUD, repair=repair, nodes=entities.nodes())


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
            row = self.parser.mention(number, entity, name)
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
        row = self.parser.close(number, name)
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
            mention[_START], mention[_COREFUD_END] = (
                (words[0], words[-1]) if words else (word_of(places[0]), word_of(places[0]) - 1)
            )
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
