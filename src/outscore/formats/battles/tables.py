"""Plain tables of battles: two columns of systems and one of verdicts, or several columns of verdicts, a judge each.

Verdicts, as people and programs write them, are turned into the first system's share of the win.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from typing import TYPE_CHECKING

import numpy as np

from outscore.core.numeric import Array
from outscore.formats.base.source import shorten
from outscore.formats.battles.entry import BattleChoice, BattleLayout, find_battle_layout, holds_battles
from outscore.formats.tables.cells import NO_LABEL, Block, LabelColumn, Records, is_number
from outscore.formats.tables.names import normalize_name
from outscore.results.note import Note
from outscore.scores.align import encode_together
from outscore.scores.battles import Battles
from outscore.scores.system import Labels

if TYPE_CHECKING:
    import polars as pl


_NOUNS = ("model", "system", "output")
FIRST = {"a", "left", "first", "assistant a", "response a", *(f"{noun} {mark}" for noun in _NOUNS for mark in "a1")}
SECOND = {"b", "right", "second", "assistant b", "response b", *(f"{noun} {mark}" for noun in _NOUNS for mark in "b2")}
TIE = {"tie", "ties", "tied", "draw", "equal", "same", "neither", "c", "a=b", "b=a", "="}
TIE |= {"both", "both good", "both bad", "bothbad", "tie bothbad", "tie both bad"}
NO_VERDICT = {"", "(none)", "none", "null", "nan", "na", "n/a", "error", "invalid", "unknown", "skip", "skipped"}
_MARKS = re.compile(r"[\[\]()\"'._\-\s]+")
_GAME = re.compile(r"\[*\s*([ab])\s*(>>|>|=|<<|<)\s*([ab])\s*\]*", re.IGNORECASE)
TIED_NUMBERS = (0.0, 1.5)
"""How AlpacaEval writes a tie: 0 in older files, 1.5 in newer ones."""


def word_share(text: str) -> float | None:
    """The first system's share of the win; nan for no verdict, None where the text says neither.

    Examples
    --------
    >>> word_share("model_a"), word_share("[[B]]"), word_share("tie (bothbad)"), word_share("gpt-4")
    (1.0, 0.0, 0.5, None)
    """
    if is_no_verdict(text):
        return math.nan
    plain = _MARKS.sub(" ", text).strip().lower()
    if plain in FIRST:
        return 1.0
    if plain in SECOND:
        return 0.0
    if plain in TIE:
        return 0.5
    game = strong_verdict(text)
    return None if game is None else game[0]


def is_no_verdict(text: object) -> bool:
    """Whether a cell says that there is no verdict."""
    return text is None or (isinstance(text, float) and math.isnan(text)) or str(text).strip().lower() in NO_VERDICT


def strong_verdict(text: object) -> tuple[float, bool] | None:
    """The share of A and whether the verdict is strong (A>>B); None where the text is not such a verdict.

    Examples
    --------
    >>> strong_verdict("A>>B"), strong_verdict("B>A"), strong_verdict("B<A"), strong_verdict("A=B"), strong_verdict("A")
    ((1.0, True), (0.0, False), (1.0, False), (0.5, False), None)
    """
    match = _GAME.fullmatch(text.strip()) if isinstance(text, str) else None
    if match is None or match[1].lower() == match[3].lower():
        return None
    if match[2] == "=":
        return 0.5, False
    ahead = match[1] if match[2].startswith(">") else match[3]
    return float(ahead.lower() == "a"), len(match[2]) == 2


def preference_share(number: float) -> float | None:
    """The first system's share of a preference between 1 (the first) and 2 (the second), 0 being a tie; None for other numbers.

    Examples
    --------
    >>> preference_share(1), preference_share(2.0), preference_share(0), preference_share(1.25), preference_share(3)
    (1.0, 0.0, 0.5, 0.75, None)
    """
    if math.isnan(number):
        return math.nan
    if number in TIED_NUMBERS:
        return 0.5
    return 2.0 - number if 1.0 <= number <= 2.0 else None


def shares_of(records: Records, column: str, verdicts: Labels, lines: Array, first: Labels, second: Labels) -> Array:
    """The first system's share of every row's win, by words, by numbers from 1 to 2, or by the names of the systems."""
    texts = verdicts.names
    named = set(first.names) | set(second.names)
    numbers = [text for text in texts if is_number(text) and text not in named]
    if numbers:
        _refuse_zero_and_one(records, column, numbers)
    by_text = [None if text in named else _share(text) for text in texts]
    _refuse_two_readings(records, column, verdicts, lines, first, second)
    table = np.array([math.nan if share is None else share for share in by_text])
    shares = np.asarray(table[verdicts.codes])
    other = np.flatnonzero(np.array([share is None for share in by_text])[verdicts.codes])
    if len(other):
        won_first = _is_side(verdicts, first)[other]
        shares[other] = won_first
        wrong = other[~(won_first | _is_side(verdicts, second)[other])]
        if len(wrong):
            row = int(wrong[0])
            expected = f"expected `{shorten(first[row])}`, `{shorten(second[row])}` or tie"
            records.refuse(
                int(lines[row]),
                f"found the verdict `{shorten(verdicts[row])}` in `{column}`, {expected}",
                "Write the winner's name, model_a, model_b, tie, a number from 1 (the first) to 2, or nothing for no verdict.",
            )
    return shares


def taken_for_names(column: str, verdicts: Labels, first: Labels, second: Labels) -> list[Note]:
    """A note where verdicts are names of systems that could as well be words for the first and the second."""
    named = set(first.names) | set(second.names)
    words = [text for text in verdicts.names if text in named and _share(text) in (0.0, 0.5, 1.0)]
    if not _differs(verdicts, words, first, second).any():
        return []
    shown = " and ".join(f"`{shorten(text)}`" for text in sorted(words))
    taken = "is read as the system of that name" if len(words) == 1 else "are read as the systems of that name"
    ties = [text for text in words if _share(text) == 0.5]
    kinds = (["the first or the second of a battle"] if len(ties) < len(words) else []) + (["a tie"] if ties else [])
    meant = (["model_a and model_b"] if len(ties) < len(words) else []) + (["draw for a tie"] if ties else [])
    text = f"{shown} in `{column}` {taken}, not as {' or '.join(kinds)}"
    these = "that is" if len(words) == 1 and ties else "these are"
    return [Note("reading", f"{text}; write {' and '.join(meant)} if {these} meant.")]


def _refuse_two_readings(records: Records, column: str, verdicts: Labels, lines: Array, first: Labels, second: Labels) -> None:
    """Refuse words for the first and the second that are systems' names but for capitals, where it makes a difference."""
    folded = {name.casefold() for name in (*first.names, *second.names)}
    named = {*first.names, *second.names}
    words = [text for text in verdicts.names if text not in named and text.casefold() in folded]
    rows = np.flatnonzero(_differs(verdicts, [text for text in words if word_share(text) in (0.0, 1.0)], first, second))
    if len(rows):
        row = int(rows[0])
        place = "first" if word_share(verdicts[row]) == 1.0 else "second"
        systems = {name.casefold(): name for name in (first[row], second[row])}
        name = systems.get(verdicts[row].casefold(), verdicts[row].upper())
        meant = f"which may be the {place} system of the row or the one named `{shorten(name)}`"
        records.refuse(
            int(lines[row]),
            f"found `{shorten(verdicts[row])}` in `{column}`, {meant}",
            "Write model_a and model_b, or the names as they appear in the columns of systems.",
        )


def _differs(verdicts: Labels, words: Sequence[str], first: Labels, second: Labels) -> Array:
    """For each row, whether its verdict is one of these words and gives another winner when read as a name."""
    shares = np.array([_share(text) if text in words else math.nan for text in verdicts.names], dtype=float)
    by_word = shares[verdicts.codes]
    wins = [_is_side(verdicts, side, str.casefold) for side in (first, second)]
    by_name = np.where(wins[0], 1.0, np.where(wins[1], 0.0, math.nan))
    return np.asarray(~np.isnan(by_word) & (by_word != by_name))


def _is_side(verdicts: Labels, systems: Labels, key: Callable[[str], str] = str) -> Array:
    """For each row, whether its verdict is this side's system, by what `key` makes of both."""
    place = {key(name): i for i, name in enumerate(systems.names)}
    first = np.array([place[key(name)] for name in systems.names])
    codes = np.array([place.get(key(text), -1) for text in verdicts.names])
    return np.asarray(codes[verdicts.codes] == first[systems.codes])


def _share(text: str) -> float | None:
    return preference_share(float(text)) if is_number(text) else word_share(text)


def _refuse_zero_and_one(records: Records, column: str, numbers: Sequence[str]) -> None:
    """Refuse 0 and 1, which may mean that the first or that the second system won."""
    values = {float(number) for number in numbers}
    if 0.0 in values and values <= {0.0, 0.5, 1.0}:
        shown = ", ".join(sorted(numbers)[:3])
        records.refuse(
            1 if records.unit == "row" else 2,
            f"found {shown} in `{column}`, which does not say whether 1 is the first system or a win of the second",
            "Write model_a, model_b or tie, or numbers from 1 (the first) to 2 (the second).",
        )


ARENA = {"conversation_a", "conversation_b", "conv_a", "anony", "tstamp", "evaluation_session_id"}
"""Columns that exports of Chatbot Arena have beside the verdict."""
POOLED = {"question_id", "model_a", "model_b", "winner"}
LONGEST = 1e15
"""Lengths beyond this are no lengths, and their sums and squares would not be exact."""
_SWAPPED = {"true": False, "1": False, "yes": False, "false": True, "0": True, "no": True}


def looks_like_arena(records: Records) -> bool:
    """Whether this is an export of Chatbot Arena."""
    return holds_battles(records) and bool(ARENA & {normalize_name(name) for name in records.columns})


def looks_like_pooled_games(records: Records) -> bool:
    """Whether these are the battles that Arena-Hard pools: one baseline first in every row, a question in several rows."""
    if {normalize_name(name) for name in records.columns} != POOLED:
        return False
    values = {normalize_name(name): [str(value) for value in records.sample[name]] for name in records.columns}
    # A damaged row may lack fields; it is refused when the table is read.
    rows = list(zip(values["question_id"], values["model_b"], strict=False))
    return len(set(values["model_a"])) == 1 and len(set(rows)) < len(rows)


def read_table(records: Records, choice: BattleChoice) -> tuple[Battles, Mapping[str, tuple[str, ...]]]:
    """The battles of a table; the system named first counts as the one shown first, unless a column says otherwise."""
    return _read(records, find_battle_layout(records, choice), choice)


def _read(records: Records, layout: BattleLayout, choice: BattleChoice) -> tuple[Battles, Mapping[str, tuple[str, ...]]]:
    columns, needed = _Columns(records, layout, choice), layout.columns
    frame = None if records.frame is None or layout.length else records.frame(needed)
    if frame is not None and not any(dtype.is_nested() for dtype in frame.dtypes):
        columns.add_frame(frame)
    else:
        for block in records.blocks(needed):
            columns.add(block)
    if not columns.rows:
        records.refuse_empty()
    battles = columns.battles()
    # A column without any prompt says nothing, as if it were not there.
    return battles, {part: names for part, names in layout.used.items() if part != "prompt" or columns.prompted}


def read_arena(records: Records, choice: BattleChoice) -> tuple[Battles, Mapping[str, tuple[str, ...]]]:
    """The same of an export of Chatbot Arena: its ids name battles, and the first message of a conversation is the prompt."""
    return _read(records, arena_layout(find_battle_layout(records, choice), records, choice), choice)


def arena_layout(layout: BattleLayout, records: Records, choice: BattleChoice) -> BattleLayout:
    """The columns of an export of Chatbot Arena, with the conversation for the prompt."""
    conversation = next((name for name in ("conversation_a", "conv_a") if name in records.columns), None)
    return (
        layout
        if choice.prompt is not None or conversation is None
        else replace(layout, single={**layout.single, "prompt": conversation})
    )


def read_pooled_games(records: Records, choice: BattleChoice) -> tuple[Battles, Mapping[str, tuple[str, ...]]]:
    """The same where the baseline is always named first and both orders were played, which the rows do not tell apart."""
    battles, used = read_table(records, choice)
    note = Note(
        "reading", "The file has both games of each question but not their order, so position bias cannot be estimated."
    )
    return replace(battles, shown=np.zeros(battles.rows, dtype=bool), notes=(*battles.notes, note)), used


class _Columns:
    """Builds the columns of battles, block by block."""

    def __init__(self, records: Records, layout: BattleLayout, choice: BattleChoice) -> None:
        self._records, self._layout, self._choice = records, layout, choice
        self._required = {name: LabelColumn(records, name) for name in layout.systems or ()}
        self._labels = {name: LabelColumn(records, name, optional=True) for name in (*layout.winner, *layout.single.values())}
        self._lengths: list[list[Array]] = [[] for _ in layout.length]
        self._lines: list[Array] = []
        self.rows, self.prompted = 0, True

    def add(self, block: Block) -> None:
        """Add a block."""
        self.rows += len(block.lines)
        self._lines.append(block.lines)
        for name, column in (*self._required.items(), *self._labels.items()):
            values = block.columns[name]
            column.add([_plain(value) for value in values] if _is_nested(values) else values, block.lines)
        for built, name in zip(self._lengths, self._layout.length, strict=True):
            built.append(_lengths(self._records, name, block, texts=self._layout.texts))

    def add_frame(self, frame: pl.DataFrame) -> None:
        """Add a whole table of polars; one of lengths goes block by block."""
        self.rows = frame.height
        row = self._records.row
        lines = np.arange(1, frame.height + 1) if row is None else frame[row].to_numpy() + 1
        self._lines.append(lines)
        for name, column in (*self._required.items(), *self._labels.items()):
            column.add_series(frame[name], lines)

    def battles(self) -> Battles:
        """All battles; with several columns of verdicts, those of one judge after those of another."""
        layout = self._layout
        lines = np.concatenate(self._lines)
        columns = {name: column.labels() for name, column in {**self._required, **self._labels}.items()}
        first, second = self._sides(columns)
        notes: list[Note] = []
        # Lines of different files are different prompts.
        file = self._records.path or self._records.label
        parts = {part: columns[name] for part, name in layout.single.items()}
        if "prompt" not in parts:
            prompts = Labels(np.arange(self.rows), tuple(f"{file}:{line}" for line in lines.tolist()))
            text = "No column names the prompt: every battle counts as a prompt of its own."
            notes.append(Note("warning", text))
        else:
            prompts, blank = _each_its_own(parts["prompt"], lines, file)
            self.prompted = blank < self.rows
            if blank:
                blank_battles = "1 battle has no prompt" if blank == 1 else f"{blank:,} battles have no prompt"
                counted = "counts as a prompt of its own" if blank == 1 else "count as prompts of their own"
                notes.append(Note("warning", f"{blank_battles} in `{layout.single['prompt']}` and {counted}."))
        shares = [self._shares(name, columns, lines, first, second) for name in self._verdict_columns()]
        notes += [
            note for name in layout.winner if not layout.one_hot for note in taken_for_names(name, columns[name], first, second)
        ]
        codes, systems = encode_together([first, second])
        lengths = np.stack([np.concatenate(built) for built in self._lengths], axis=1) if self._lengths else None
        whole = Battles(
            systems=tuple(systems),
            first=codes[: self.rows],
            second=codes[self.rows :],
            share=shares[0],
            prompts=prompts,
            shown=np.full(self.rows, layout.systems is not None),
            judges=parts.get("judge"),
            categories=parts.get("category"),
            clusters=parts.get("cluster"),
            lengths=lengths,
            notes=tuple(notes),
        )
        if "position" in parts:
            whole = self._in_order_shown(whole, parts["position"], lines)
        if len(shares) > 1:
            whole = _by_judge(whole, layout.winner, shares)
        return whole

    def _verdict_columns(self) -> tuple[str, ...]:
        return ("",) if self._layout.one_hot else self._layout.winner

    def _sides(self, columns: Mapping[str, Labels]) -> tuple[Labels, Labels]:
        if self._layout.systems is not None:
            one, other = self._layout.systems
            return columns[one], columns[other]
        names = self._choice.names
        codes = np.zeros(self.rows, dtype=np.int64)
        return Labels(codes, (names[0],)), Labels(codes, (names[1],))

    def _shares(self, name: str, columns_by_name: Mapping[str, Labels], lines: Array, first: Labels, second: Labels) -> Array:
        if not self._layout.one_hot:
            return shares_of(self._records, name, columns_by_name[name], lines, first, second)
        flags = [_flags(self._records, column, columns_by_name[column], lines) for column in self._layout.winner]
        total = np.sum(flags, axis=0)
        wrong = np.flatnonzero(total > 1)
        if len(wrong):
            columns = ", ".join(self._layout.winner)
            self._records.refuse(int(lines[wrong[0]]), f"found more than one winner in {columns}", "Mark one of them with 1.")
        share = flags[0] + (flags[2] / 2 if len(flags) > 2 else 0.0)
        return np.asarray(np.where(total == 0, math.nan, share))

    def _in_order_shown(self, battles: Battles, positions: Labels, lines: Array) -> Battles:
        """Exchange the two systems where a column says that the second one was shown first."""
        column = self._layout.single["position"]
        swapped = normalize_name(column) in ("swapped", "is_swapped")
        first_of = [_shown_first(text, swapped=swapped) for text in positions.names]
        turned = np.zeros(battles.rows, dtype=bool)
        known = np.ones(battles.rows, dtype=bool)
        for row, code in enumerate(positions.codes.tolist()):
            is_first = first_of[code]
            name = positions.names[code]
            # As with verdicts, the name of a system takes precedence over words for the first and the second.
            if name in (battles.systems[battles.first[row]], battles.systems[battles.second[row]]):
                is_first = name == battles.systems[battles.first[row]]
            if is_first is None and name != "(none)":
                self._records.refuse(
                    int(lines[row]),
                    f"found `{shorten(name)}` in `{column}`, expected the system that was shown first",
                    "Write its name, model_a or model_b; or give --position none.",
                )
            known[row], turned[row] = is_first is not None, is_first is False
        return replace(
            battles,
            first=np.where(turned, battles.second, battles.first),
            second=np.where(turned, battles.first, battles.second),
            share=np.where(turned, 1 - battles.share, battles.share),
            lengths=None if battles.lengths is None else np.where(turned[:, None], battles.lengths[:, ::-1], battles.lengths),
            shown=known,
        )


def _each_its_own(prompts: Labels, lines: Array, file: str) -> tuple[Labels, int]:
    """Prompts with a name of its own for every blank one, and how many of these there are."""
    if NO_LABEL not in prompts.names:
        return prompts, 0
    rows = np.flatnonzero(prompts.codes == prompts.names.index(NO_LABEL))
    codes = prompts.codes.astype(np.int64)
    codes[rows] = len(prompts.names) + np.arange(len(rows))
    named = (*prompts.names, *(f"{file}:{line}" for line in lines[rows].tolist()))
    used, numbered = np.unique(codes, return_inverse=True)
    return Labels(numbered, tuple(named[code] for code in used.tolist())), len(rows)


def _shown_first(text: str, *, swapped: bool) -> bool | None:
    """Whether the first column holds the system that was shown first; None where the text alone does not say."""
    if swapped:
        return _SWAPPED.get(text.lower())
    share = word_share(text)
    return None if share is None or share not in (0.0, 1.0) else share == 1.0


def _by_judge(battles: Battles, judges: Sequence[str], shares: Sequence[Array]) -> Battles:
    """One table for each column of verdicts, one below the other."""
    times = len(shares)
    stacked = battles.take(np.tile(np.arange(battles.rows), times))
    labels = Labels(np.repeat(np.arange(times), battles.rows), tuple(judges))
    return replace(stacked, share=np.concatenate(shares), judges=labels)


def _flags(records: Records, column: str, labels: Labels, lines: Array) -> Array:
    known = {"1": 1.0, "0": 0.0, "true": 1.0, "false": 0.0, "(none)": 0.0}
    values = [known.get(name.lower()) for name in labels.names]
    if None in values:
        bad = values.index(None)
        row = int(np.argmax(labels.codes == bad))
        problem = f"found `{shorten(labels[row])}` in `{column}`, expected 1 or 0"
        records.refuse(int(lines[row]), problem, "Mark the winner with 1.")
    return np.asarray(np.array(values, dtype=float)[labels.codes])


def _is_nested(values: Sequence[object]) -> bool:
    return any(isinstance(value, (list, dict)) for value in values[:1])


def _plain(value: object) -> object:
    """A conversation as one label, by its first message; several judges as one name."""
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return sha256(str(value[0].get("content", "")).encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return " ".join(map(str, value)) if isinstance(value, list) else value


def _lengths(records: Records, column: str, block: Block, *, texts: bool) -> Array:
    values = block.columns[column]
    if texts:
        return np.array([math.nan if value is None else float(_text_length(value)) for value in values])
    lengths = np.array([math.nan if value in (None, "") else _length(value) for value in values], dtype=float)
    wrong = np.flatnonzero(np.isinf(lengths))
    if len(wrong):
        row = int(wrong[0])
        problem = f"found `{shorten(str(values[row]))}` in `{column}`, expected a length"
        records.refuse(int(block.lines[row]), problem, f"Give a number from 0 to {LONGEST:.0e}, or leave it empty.")
    return lengths


def _length(value: object) -> float:
    """A length as a number; infinite where it is none, or too large to compute with."""
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return math.inf
    return number if math.isnan(number) or 0 <= number <= LONGEST else math.inf


def _text_length(value: object) -> int:
    """Characters of an answer; of a conversation, those of the assistant's turns."""
    if isinstance(value, list):
        turns = [turn for turn in value if isinstance(turn, dict)]
        answers = [turn for turn in turns if turn.get("role") == "assistant"] or turns
        return sum(len(str(turn.get("content", ""))) for turn in answers) if turns else sum(len(str(part)) for part in value)
    return len(str(value))
