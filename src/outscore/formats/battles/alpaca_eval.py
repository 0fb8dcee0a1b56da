"""Annotations of AlpacaEval: a baseline (generator_1) against a model (generator_2), a preference from 1 to 2."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from outscore.formats.battles.entry import BattleChoice
from outscore.formats.battles.tables import read_table
from outscore.formats.tables.records import Records
from outscore.results.note import Note
from outscore.scores.battles import Battles

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
