"""Documents as plain text: the same on a terminal, in a pipe and in a file. No line is longer than the width asked for."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from outscore.report import document as doc

Emphasis = Callable[[str, doc.Tone], str]
"""What makes words stand out where a terminal is written to."""
LABEL = 12
MAX_LABEL = 22
"""A longer label in front of a statement stands out of its column."""
MIN_WIDTH = 40
FILLER = "\ufdd0"
"""A code point that no text may hold."""
GAP = "  "
LONG_WORD = 24
"""A word of more columns is no reason to narrow the other ones."""
MAX_EXAMPLE_LABEL = 16
SIGNS = {"best": "+", "worst": "-", "middle": " "}
# Private-use characters hold the place of section lines, which must not widen the first column.
FIRST_STAND_IN = 0xE000
STAND_INS = range(FIRST_STAND_IN, FIRST_STAND_IN + 16)
# What a name may be squeezed to before columns are moved below, or left out; and what it is cut to in a matrix of signs.
NAME_BESIDE_NUMBERS, NAME_IN_ROW, NAME_IN_MATRIX = 14, 26, 18


def write(document: doc.Document, *, verbose: bool = False, width: int = 80, emphasis: Emphasis | None = None) -> str:
    """The whole document as text that ends with a line end; `emphasis` makes headlines stand out on a terminal."""
    width = max(width, MIN_WIDTH)
    shown = document.shown_articles("text", verbose=verbose)
    articles = [_article(sections, width, emphasis, verbose=verbose) for _, sections in shown]
    return ("\n" + "-" * width + "\n\n").join("\n".join(lines) + "\n" for lines in articles if lines)


def write_screen(screen: doc.Screen, *, width: int = 80, emphasis: Emphasis | None = None) -> str:
    """The answer on one screen; statements whose parts are three spaces apart break between them."""
    width = max(width, MIN_WIDTH)
    headline = wrap(doc.clean(screen.headline), width)
    if emphasis is not None and screen.tone != "told":
        headline = [emphasis(line, screen.tone) for line in headline]
    labels = [doc.clean(fact.label) for fact in screen.facts] + ["warning"] * bool(screen.warnings)
    column = min(max([LABEL, *(len(label) + len(GAP) for label in labels)]), MAX_LABEL)
    lines = [*headline, *_screen_tables(screen.tables, width)]
    for fact in screen.facts:
        lines += _screen_lines(doc.clean(fact.label), fact, column, width)
    for warning in screen.warnings:
        lines += _screen_lines("warning", doc.Fact("warning", (warning,)), column, width)
    return "\n".join([*lines, *_screen_tables(screen.below, width)]) + "\n"


def _screen_tables(tables: Iterable[doc.Table], width: int) -> list[str]:
    """Tables without the columns that do not fit."""
    fitting = [_without_optional(table, width, told=False) if table.optional else table for table in tables]
    return [line for table in fitting for line in _table(replace(table, optional=()), width, verbose=False)]


def _screen_lines(label: str, fact: doc.Fact, column: int, width: int) -> list[str]:
    room = width - column - len(GAP)
    texts = [line for text in fact.lines for line in ([text] if fact.command else _packed(text, room))]
    # A label that is too long for its column stands out of it.
    head = f"{label:<{column}}" if len(label) + len(GAP) <= column else label + GAP
    return [f"{GAP}{head if i == 0 else ' ' * column}{text}".rstrip() for i, text in enumerate(texts)]


def _packed(text: str, width: int) -> list[str]:
    """A text in lines; parts that are three spaces apart stay whole."""
    parts = [doc.clean(part) for part in text.split(doc.PART)]
    lines: list[str] = []
    for part in parts:
        if lines and doc.screen_width(lines[-1]) + len(doc.PART) + doc.screen_width(part) <= width:
            lines[-1] += doc.PART + part
        else:
            lines += [line.strip() for line in wrap(part, width)]
    return lines


def _article(
    sections: Sequence[tuple[doc.Section, list[doc.Block]]], width: int, emphasis: Emphasis | None, *, verbose: bool
) -> list[str]:
    """Blocks with an empty line between them; labelled statements stand close together."""
    lines: list[str] = []
    after_labelled = False
    for section, blocks in sections:
        for i, block in enumerate(blocks):
            block_lines = _lines(block, width, verbose=verbose)
            if emphasis is not None and isinstance(block, doc.Verdict):
                block_lines = _emphasised(block_lines, block, emphasis)
            labelled = isinstance(block, doc.Facts | doc.Listing | doc.Quote | doc.Code)
            close = labelled and after_labelled and (i > 0 or section.joined)
            if block_lines:
                lines += block_lines if not lines or close else ["", *block_lines]
                after_labelled = labelled
    return lines


def _lines(block: doc.Block, width: int, *, verbose: bool) -> list[str]:  # noqa: C901, PLR0911 - one for each kind of block
    match block:
        case doc.Verdict():
            return [line for sentence in block.sentences for line in wrap(doc.clean(sentence), width)]
        case doc.Table():
            return _table(block, width, verbose=verbose)
        case doc.Facts():
            return [line for fact in block.facts for line in _fact_lines(fact, width)]
        case doc.Listing():
            return labelled_lines(block.label, [*block.lines, *([block.note] if block.note else [])], width)
        case doc.Quote():
            return labelled_lines(block.label, [block.text], width)
        case doc.Code():
            rows = code_lines(block, width - LABEL)
            return _beside(block.label, [line for row in rows for line in wrap(row, width - LABEL)])
        case doc.Examples():
            return _examples(block, width)
        case doc.Paragraph():
            return labelled_lines("warnings", [block.text], width) if block.tone == "warning" else wrap(block.text, width)
        case doc.Cards():
            return [line for card in block.cards for line in labelled_lines(card.label, [card.value, *card.small], width)]
        case doc.Figure():
            return wrap(f"Chart: {doc.clean(block.caption)}", width)
        case doc.Embed():
            return []


def _emphasised(lines: list[str], verdict: doc.Verdict, emphasis: Emphasis) -> list[str]:
    """The lines of a verdict with its headline marked, where they begin with that."""
    # Without spaces: some of them have become ends of lines.
    wanted, shown = (
        [char for char in doc.clean(text) if char != " "] for text in (verdict.opening or verdict.headline, " ".join(lines))
    )
    if verdict.tone == "told" or not wanted or shown[: len(wanted)] != wanted:
        return lines
    left, marked = len(wanted), []
    for line in lines:
        start, end = len(line) - len(line.lstrip()), 0
        while left and end < len(line):
            left -= line[end] != " "
            end += 1
        marked.append(line[:start] + emphasis(line[start:end], verdict.tone) + line[end:] if end else line)
    return marked


def _fact_lines(fact: doc.Fact, width: int) -> list[str]:
    if fact.command:
        # A terminal breaks a long line by itself, and copies it as one.
        return _beside(fact.label, [doc.clean(line) for line in fact.lines])
    return labelled_lines(fact.label, fact.lines, width)


# A command that fills more than a line.
_COMMAND = re.compile(r"(`outscore [^`]{70,}`\.?)")


def labelled_lines(label: str, texts: Iterable[str], width: int) -> list[str]:
    """A label in the margin and its texts beside it, each on lines of its own."""
    room = width - LABEL
    pieces = (piece for text in texts for piece in _COMMAND.split(doc.clean(text)) if piece.strip())
    return _beside(label, [line for piece in pieces for line in _lines_of(piece.strip(), room)])


def _lines_of(piece: str, room: int) -> list[str]:
    """A piece of a text on lines; a command stays on one, which a terminal breaks by itself and copies as one."""
    if _COMMAND.fullmatch(piece):
        return [piece]
    return [line for part in _unbroken(piece, room) for line in wrap(part, room)]


def _beside(label: str, lines: Sequence[str]) -> list[str]:
    heads = [f"{doc.clean(label):<{LABEL}}"] + [" " * LABEL] * (len(lines) - 1)
    return [(head + line).rstrip() for head, line in zip(heads, lines, strict=False)]


def _unbroken(text: str, width: int) -> list[str]:
    """A text in which a long signature breaks between its parts only."""
    # A word that is not the first of a text stands on an indented line.
    # The parts of a signature are `name:value`; the path of a file may hold bars too.
    long = any(len(word) > width - 2 and 0 < word.count("|") <= word.count(":") for word in text.split())
    return code_lines(doc.Code(text), width) if long else [text]


def code_lines(code: doc.Code, width: int) -> list[str]:
    """Break only between parts, so that the pieces can be put together again without thinking."""
    return [row for line in code.text.splitlines() for row in _code_rows(line, code.breaks, width)]


def _code_rows(line: str, breaks: str, width: int) -> list[str]:
    rows = [""]
    for part in doc.clean(line).split(breaks) if breaks else [doc.clean(line)]:
        piece = part if not rows[0] else f"{breaks}{part}"
        if rows[-1] and len(rows[-1]) + len(piece) > width:
            rows.append(piece)
        else:
            rows[-1] += piece
    return rows


def _examples(block: doc.Examples, width: int) -> list[str]:
    """The listing, marked words in brackets."""
    note = block.marked_by("Words in [brackets]")
    lines = [*textwrap.wrap(doc.clean(block.title), width), *textwrap.wrap(note, width)]
    for i, example in enumerate(block.examples, 1):
        lines += textwrap.wrap(f"{i}. {example.title}", width, subsequent_indent="   ")
        room = min(max(len(label) for label, _ in example.texts), MAX_EXAMPLE_LABEL)
        for label, words in example.texts:
            text = f"   {label:<{room}}  {doc.mark_up(words, '[{}]'.format, doc.clean)}"
            if len(label) > room:
                # A name that is longer than its column stands above it.
                lines += textwrap.wrap(f"   {label}", width, subsequent_indent="   ")
                text = f"{'':{room + 5}}{doc.mark_up(words, '[{}]'.format, doc.clean)}"
            lines += textwrap.wrap(text, width, subsequent_indent=" " * (room + 5), break_on_hyphens=False)
    return lines


def _table(table: doc.Table, width: int, *, verbose: bool) -> list[str]:
    """The lines of a table with its title above and its notes below."""
    if table.matrix:
        return _matrix(table, width)
    if table.optional and not verbose:
        table = _without_optional(table, width)
    table = _with_signs(table)
    if not table.splits:
        return _titled(table, width)
    sections = [row[0] for row in table.rows if table.is_across(row)]
    if not sections:
        return [line for piece in _pieces(table, width) for line in _titled(piece, width)]
    stand_ins = (chr(FIRST_STAND_IN + i) for i in range(len(sections)))
    rows = tuple((next(stand_ins), *row[1:]) if table.is_across(row) else row for row in table.rows)
    lines: list[str] = []
    for line in _titled(replace(table, rows=rows), width):
        stands_in = len(line) == 1 and ord(line) in STAND_INS
        lines += wrap(sections[ord(line) - FIRST_STAND_IN], width) if stands_in else [line]
    return lines


def _titled(table: doc.Table, width: int) -> list[str]:
    notes = [line for note in table.notes for line in wrap(note, width)]
    title = wrap(table.title, width) if table.title else []
    return [*title, *_grid(table, width), *notes]


def _grid(table: doc.Table, width: int) -> list[str]:
    """The table in columns; what does not fit is wrapped inside its cell, the widest column first."""
    widths = column_widths(table, width - len(GAP) * (len(table.columns) - 1))
    return [line for row in (table.columns, *table.rows) for line in _grid_row(row, widths, table.align)]


def _grid_row(row: tuple[str, ...], widths: list[int], align: str) -> list[str]:
    cells = [break_lines(cell, w) for cell, w in zip(row, widths, strict=True)]
    height = max(map(len, cells))
    lines = []
    for k in range(height):
        texts = [cell[k] if k < len(cell) else "" for cell in cells]
        shown = [doc.padded(t, w, side) for t, w, side in zip(texts, widths, align, strict=True)]
        lines.append(GAP.join(shown).rstrip())
    return lines


def _without_optional(table: doc.Table, width: int, *, told: bool = True) -> doc.Table:
    """The table without some columns, the first one first, as far as its rows would not stay on one line each.

    It is `told` which ones are missing.
    """
    gone: list[str] = []
    for name in [name for name in table.optional if name in table.columns]:
        needs = [max(doc.screen_width(row[i]) for row in (table.columns, *table.rows)) for i in range(len(table.columns))]
        needs[1] = min(needs[1], NAME_IN_ROW)
        if sum(needs) + len(GAP) * (len(needs) - 1) <= width:
            break
        gone.append(name)
        kept = [i for i, column in enumerate(table.columns) if column != name]
        table = replace(_columns_of(table, kept), title=table.title, notes=table.notes)
    note = f"Columns omitted to fit the width: {', '.join(gone)} (-v shows all)."
    return replace(table, notes=(*table.notes, note)) if gone and told else table


def _columns_of(table: doc.Table, chosen: Sequence[int]) -> doc.Table:
    """Some columns of a table, without title and notes."""
    rows = tuple(tuple(row[i] for i in chosen) for row in table.rows)
    align = "".join(table.align[i] for i in chosen)
    return replace(table, title="", columns=tuple(table.columns[i] for i in chosen), align=align, rows=rows, notes=())


def _pieces(table: doc.Table, width: int) -> list[doc.Table]:
    """The table, or where its columns do not fit side by side, as those of thirty systems, some of them at a time.

    The first column stands in every piece. Words of names may be broken, numbers may not.
    """
    grid = [*table.rows, table.columns]
    needs = [
        max(_longest(row[i], side if row is not table.columns else "l") for row in grid) for i, side in enumerate(table.align)
    ]
    groups: list[list[int]] = [[0]]
    for i in range(1, len(needs)):
        if sum(needs[j] + len(GAP) for j in groups[-1]) + needs[i] > width and len(groups[-1]) > 1:
            groups.append([0])
        groups[-1].append(i)
    if len(groups) == 1:
        return [table]
    pieces = [_columns_of(table, group) for group in groups]
    pieces[0] = replace(pieces[0], title=table.title)
    pieces[-1] = replace(pieces[-1], notes=table.notes)
    return pieces


def _longest(cell: str, side: str) -> int:
    """The longest word of a cell: whole where it is a number, up to a limit where it is part of a name."""
    longest = max(map(len, cell.split()), default=0)
    return longest if side == "r" else min(longest, NAME_BESIDE_NUMBERS)


def _with_signs(table: doc.Table) -> doc.Table:
    """The table with a sign after each ranked cell."""
    if not table.marks or not table.signs:
        return table
    columns = {column for _, column in table.marks}
    rows = tuple(
        tuple(
            cell + SIGNS[table.marks.get((i, column), "middle")] if column in columns and cell else cell
            for column, cell in enumerate(row)
        )
        for i, row in enumerate(table.rows)
    )
    # The heading keeps its place over the digits.
    headings = tuple(f"{name} " if column in columns else name for column, name in enumerate(table.columns))
    legend = "+ best, - worst." if "worst" in table.marks.values() else "+ best."
    return replace(table, columns=headings, rows=rows, notes=(*table.notes, legend))


def _matrix(table: doc.Table, width: int) -> list[str]:
    """A number and a name, and a narrow column for each sign; nothing where names would be cut to pieces."""
    signs = [row[2:] for row in table.rows]
    step = max(len(text) for row in (table.columns[2:], *signs) for text in row) + 1
    room = width - step * len(table.rows) - 4
    if room < NAME_IN_MATRIX // 2:
        return []
    names = [doc.fitted(row[1], min(room, NAME_IN_MATRIX)) for row in table.rows]
    longest = max(map(doc.screen_width, names))
    lines = [table.title, " " * (longest + 4) + "".join(f"{number:>{step}}" for number in table.columns[2:])]
    for row, name in zip(table.rows, names, strict=True):
        start = f"{row[0]:>2}{GAP}{doc.padded(name, longest, 'l')}"
        lines.append((start + "".join(f"{text:>{step}}" for text in row[2:])).rstrip())
    return [*lines, *(line for note in table.notes for line in wrap(note, width))]


def column_widths(table: doc.Table, room: int) -> list[int]:
    """How wide each column is where all of them have so much room: the widest gives way first.

    Columns give way as far as words stay whole, then as far as they can be broken behind hyphens, and at last between any two
    letters. A very long word gives way before the others do.
    """
    columns = list(zip(table.columns, *table.rows, strict=True))
    widths = [max(map(doc.screen_width, cells)) for cells in columns]
    for split, longest in ((_words, LONG_WORD), (_parts, LONG_WORD), (list, room)):
        floors = [min(_widest(cells, split), longest) for cells in columns]
        while sum(widths) > room and (loose := [i for i, width in enumerate(widths) if width > floors[i]]):
            widths[max(loose, key=widths.__getitem__)] -= 1
    return widths


def _widest(cells: Sequence[str], split: Callable[[str], Sequence[str]]) -> int:
    return max((doc.screen_width(piece) for cell in cells for piece in split(cell)), default=0)


def _words(text: str) -> list[str]:
    return text.split()


def _parts(text: str) -> list[str]:
    """Words, and what hyphens between letters divide them into."""
    return [part for word in text.split() for part in re.split(r"(?<=[^\W\d]-)(?=[^\W\d])", word)]


def break_lines(text: str, width: int) -> list[str]:
    """A text in lines of so many columns of a terminal, broken between words wherever they fit.

    Examples
    --------
    >>> break_lines("permutation-median of all", 12), break_lines("模型名称", 5)
    (['permutation-', 'median of', 'all'], ['模型', '名称'])
    """
    if doc.screen_width(text) <= width:
        return [text]
    lines: list[str] = []
    for word in _words(text):
        if lines and doc.screen_width(joined := f"{lines[-1]} {word}") <= width:
            lines[-1] = joined
        else:
            lines += _fitting(word, width)
    return lines


def _fitting(word: str, width: int) -> list[str]:
    """A word in pieces that fit: whole, or broken behind hyphens, or else between letters."""
    if doc.screen_width(word) <= width:
        return [word]
    pieces = [""]
    for part in _parts(word) if _widest([word], _parts) <= width else word:
        if pieces[-1] and doc.screen_width(pieces[-1] + part) > width:
            pieces.append(part)
        else:
            pieces[-1] += part
    return pieces


def wrap(text: str, width: int) -> list[str]:
    """A text in lines of at most this width, the first one out by two."""
    # Columns of aligned numbers must survive, so short lines are left as they are.
    if doc.screen_width(text) <= width:
        return [text]
    fitting = " ".join(_loosened(word, width - 2) for word in doc.glue(_widened(text)).split(" "))
    lines = textwrap.wrap(fitting, width, subsequent_indent="  ", break_on_hyphens=False)
    return [line.replace("\u00a0", " ").replace(FILLER, "") for line in lines]


def _widened(text: str) -> str:
    """The text with a filler behind every letter of two columns, so that counting letters counts columns."""
    return "".join(char + FILLER * (doc.screen_width(char) - 1) for char in text)


def _loosened(word: str, width: int) -> str:
    """What was glued together comes apart again before it would be cut in the middle of a name."""
    for pair in doc.GLUED:
        if max(map(len, word.split(" "))) > width:
            word = word.replace(doc.glue(pair), pair)
    return word
