"""Which kind of file this is, as far as its first lines say: outputs of another task are refused by name.

Columns are forgiving: a table read as words, or brackets of coreference read as tags, would give numbers that mean nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from outscore.core.errors import OutscoreError
from outscore.formats.source import Source

__all__ = ["CHAINS", "TABLES", "TREES", "is_tree_line", "kind_of", "refuse_kinds"]

TREES = "CoNLL-U"
CHAINS = "CoNLL-2012"
TABLES = ("a Parquet file", "JSON", "a comma-separated table")
PARQUET, JSON, COMMAS = TABLES
_TASKS = {TREES: "pos or --task dep", CHAINS: "coref", **dict.fromkeys(TABLES, "label")}
_NUMBER = re.compile(r"[0-9]+([-.][0-9]+)?")
_WIDTH = 10


def refuse_kinds(source: Source, kinds: Iterable[str], expected: str) -> None:
    """Refuse a file of one of these kinds, and say which task compares it."""
    kind = kind_of(source)
    if kind is not None and kind in kinds:
        cure = f"Compare such files with --task {_TASKS[kind]}."
        raise OutscoreError(f"{source.label} is {kind}, {expected} expected.", cure)


def kind_of(source: Source) -> str | None:
    """The kind of a file that says so itself; None where words in columns or any table may be meant."""
    if source.parquet is not None:
        return PARQUET
    lines = [line.rstrip() for line in source.head if line.strip()]
    if any(line.startswith("#begin document") for line in lines):
        return CHAINS
    first = next((line for line in lines if not line.startswith("#")), "")
    if is_tree_line(first):
        return TREES
    if first.startswith("{") and first.endswith("}"):
        return JSON
    return COMMAS if source.suffix == ".csv" else None


def is_tree_line(line: str) -> bool:
    """Whether a line begins with a number and has the columns of CoNLL-U."""
    fields = line.rstrip("\n").split("\t")
    return len(fields) == _WIDTH and _NUMBER.fullmatch(fields[0]) is not None
