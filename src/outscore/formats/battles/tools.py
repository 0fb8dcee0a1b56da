"""Judgments as known tools write them: two games of Arena-Hard and MT-bench, and annotations of AlpacaEval."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.formats.base.source import shorten
from outscore.formats.battles.entry import BattleChoice
from outscore.formats.battles.tables import is_no_verdict, read_table, strong_verdict, word_share
from outscore.formats.tables.cells import Records
from outscore.results.note import Note
from outscore.scores.battles import Battles
from outscore.scores.system import Labels

# Judgments in two games with the order exchanged: Arena-Hard, and the pairs of MT-bench.


BASELINE = "baseline"
"""What the rival of an Arena-Hard judgment is called, which its files do not name."""
MT_BENCH = ("model_1", "model_2", "g1_winner", "g2_winner")


Battle = tuple[str, str, float, str, str, str, int]
"""The first and the second system, the first one's share, the prompt, judge and category, and how many wins it counts as."""


def _battles(records: Records, rows: list[Battle], notes: tuple[Note, ...] = ()) -> Battles:
    """Battles that were collected one by one; the order is known of each."""
    if not rows:
        records.refuse_empty()
    first, second, share, prompts, judges, categories, weights = zip(*rows, strict=True)
    sides = Labels.of([*first, *second])
    return Battles(
        systems=tuple(sides.names),
        first=sides.codes[: len(rows)],
        second=sides.codes[len(rows) :],
        share=np.array(share, dtype=float),
        prompts=Labels.of(prompts),
        shown=np.ones(len(rows), dtype=bool),
        judges=Labels.of(judges) if any(judges) else None,
        categories=Labels.of(categories) if any(categories) else None,
        weights=np.array(weights, dtype=np.int64) if max(weights) > 1 else None,
        notes=notes,
    )


def looks_like_arena_hard(records: Records) -> bool:
    """Whether these are Arena-Hard's judgments: a model, a question and a list of games."""
    games = next((value for value in records.sample.get("games", ()) if value is not None), None)
    return isinstance(games, list) and "model" in records.columns and bool({"question_id", "uid"} & set(records.columns))


def read_arena_hard(records: Records, choice: BattleChoice) -> tuple[Battles, Mapping[str, tuple[str, ...]]]:
    """In even games (the first, the third) the baseline is A and the model B, in odd ones the other way round.

    A>>B is one win, unless `choice.strength` makes it more. Games without a verdict are kept as such.
    """
    prompt = "uid" if "uid" in records.columns else "question_id"
    optional = [name for name in ("judge", "category") if name in records.columns]
    baseline = choice.baseline or BASELINE
    rows: list[Battle] = []
    for line, record in _each(records, ["model", prompt, "games", *optional]):
        model, question = _text(records, line, record, "model"), _text(records, line, record, prompt)
        if model == baseline:
            hint = "Give the baseline another name with --baseline NAME."
            records.refuse(line, f"found the model `{shorten(model)}`, which is also the name of the baseline", hint)
        games = record["games"]
        if not isinstance(games, list):
            records.refuse(line, "found no list of games", "Give the file that Arena-Hard's gen_judgment wrote.")
        about = (question, str(record.get("judge") or ""), str(record.get("category") or ""))
        for number, game in enumerate(games):
            score = game.get("score") if isinstance(game, dict) else None
            share, weight = _game(records, line, score, choice.strength)
            sides = (baseline, model) if number % 2 == 0 else (model, baseline)
            rows.append((*sides, share, *about, weight))
    notes = (
        () if choice.baseline else (Note("reading", "The files do not name the baseline; give its name with --baseline NAME."),)
    )
    used = {"prompt": (prompt,), "systems": ("model",), "winner": ("games",)} | {name: (name,) for name in optional}
    return _battles(records, rows, notes), used


def looks_like_mt_bench(records: Records) -> bool:
    """Whether these are pairwise judgments of MT-bench, as FastChat writes them."""
    return set(MT_BENCH) <= set(records.columns)


def read_mt_bench(records: Records, choice: BattleChoice) -> tuple[Battles, Mapping[str, tuple[str, ...]]]:
    """Game 1 shows model_1 first, game 2 model_2; both name the winner by its model. Turns of a question are one prompt."""
    del choice
    optional = [name for name in ("judge", "category") if name in records.columns]
    rows: list[Battle] = []
    for line, record in _each(records, [*MT_BENCH, "question_id", *optional]):
        one, two = _text(records, line, record, "model_1"), _text(records, line, record, "model_2")
        judge = record.get("judge")
        judge = str(judge[0]) if isinstance(judge, list) and judge else str(judge or "")
        about = (_text(records, line, record, "question_id"), judge, str(record.get("category") or ""))
        for column, sides, turned in (("g1_winner", (one, two), False), ("g2_winner", (two, one), True)):
            share = _named(records, line, column, record[column])
            rows.append((*sides, 1 - share if turned else share, *about, 1))
    return _battles(records, rows), {
        "prompt": ("question_id",),
        "systems": ("model_1", "model_2"),
        "winner": ("g1_winner", "g2_winner"),
    }


def _each(records: Records, wanted: list[str]) -> Iterator[tuple[int, dict[str, Any]]]:
    for name in wanted:
        if name not in records.columns:
            raise OutscoreError(f"{records.label} has no `{name}`.", "Give the file as its tool wrote it.")
    for block in records.blocks(wanted):
        for line, *values in zip(block.lines.tolist(), *(block.columns[name] for name in wanted), strict=True):
            yield line, dict(zip(wanted, values, strict=True))


def _text(records: Records, line: int, record: Mapping[str, Any], name: str) -> str:
    value = record[name]
    if value is None or isinstance(value, (list, dict)) or not str(value).strip():
        records.refuse(line, f"found no `{name}`", "Give the file as its tool wrote it.")
    return str(value).strip()


def _game(records: Records, line: int, score: object, strength: int) -> tuple[float, int]:
    if is_no_verdict(score):
        return math.nan, 1
    verdict = strong_verdict(score)
    if verdict is None:
        hint = "Write A>>B, A>B, A=B, B>A, B>>A, or null for no verdict."
        records.refuse(line, f"found the score `{shorten(str(score))}` of a game, which is not a verdict", hint)
    share, strong = verdict
    return share, strength if strong else 1


def _named(records: Records, line: int, column: str, winner: object) -> float:
    share = math.nan if winner is None else word_share(str(winner))
    if share is None:
        hint = "Write model_1, model_2, tie, or error for no verdict."
        records.refuse(line, f"found `{shorten(str(winner))}` in `{column}`, which is not a verdict", hint)
    return share


# Annotations of AlpacaEval: a baseline (generator_1) against a model (generator_2), a preference from 1 to 2.


NEEDED = {"generator_1", "generator_2", "preference"}
PROMPTS = ("instruction_sha256", "instruction")


def looks_like_annotations(records: Records) -> bool:
    """Whether these are annotations of AlpacaEval."""
    return set(records.columns) >= NEEDED


def read_annotations(records: Records, choice: BattleChoice) -> tuple[Battles, Mapping[str, tuple[str, ...]]]:
    """Read annotations: 0 and 1.5 are ties, null is no verdict; pairs were shown in a random order that is not recorded."""
    prompt = next((name for name in PROMPTS if name in records.columns), None)
    columns = replace(
        choice,
        first=choice.first or "generator_1",
        second=choice.second or "generator_2",
        winner=choice.winner or ("preference",),
        prompt=choice.prompt or prompt,
    )
    battles, used = read_table(records, columns)
    note = Note("reading", "AlpacaEval shows each pair in random order and does not record the order.")
    return replace(battles, shown=np.zeros(battles.rows, dtype=bool), notes=(*battles.notes, note)), used
