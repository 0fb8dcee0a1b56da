"""Finding columns by their usual names."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence

from outscore.core.errors import OutscoreError
from outscore.formats.tables.cells import is_scalar
from outscore.formats.tables.names import PANDAS_INDEX, Tiers, join_names, normalize_name
from outscore.formats.tables.records import Records

# On the command line --system names a system, not a column.
OPTIONS = {"system": "system-column"}
# What `compare` and its like call a part in Python where `read`, which reads one table, calls it otherwise.
KEYWORDS = {"item": "items", "system": "system_column", "cluster": "clusters", "slice": "slices"}


def naming(part: str) -> str:
    """How the column of a part is named, on the command line and in Python.

    Examples
    --------
    >>> naming("score"), naming("item")
    ('--score COLUMN (score=... in Python)', '--item COLUMN (items=..., or item=... of osc.read, in Python)')
    """
    keyword = KEYWORDS.get(part)
    python = f"{part}=..." if keyword is None else f"{keyword}=..., or {part}=... of osc.read,"
    return f"--{OPTIONS.get(part, part)} COLUMN ({python} in Python)"


class ColumnFinder:
    """Finds columns by their usual names, each at most once; columns that the caller named are taken already."""

    def __init__(self, records: Records, taken: Iterable[str], *, lists: bool = False) -> None:
        self._records, self._taken, self._lists = records, set(taken), lists

    def free(self) -> list[str]:
        """Columns that play no part yet, in the order of the file, without the unnamed index that pandas writes."""
        return [name for name in self._records.columns if name not in PANDAS_INDEX and name not in self._taken]

    def find(self, part: str, tiers: Tiers, hint: str) -> str | None:
        """The column whose name is in the earliest tier, or None; two names of one tier raise an error."""
        candidates = self.candidates(tiers)
        if len(candidates) > 1:
            message = f"{self._records.label}: {join_names(candidates)} could each be the {part} column."
            raise OutscoreError(message, hint, parameter=OPTIONS.get(part, part))
        return candidates[0] if candidates else None

    def candidates(self, tiers: Tiers) -> list[str]:
        """All columns whose names are in the earliest tier that has any."""
        flat = self._flat()
        by_tier = ([name for name in flat if normalize_name(name) in tier] for tier in tiers)
        found = next(filter(None, by_tier), [])
        if len(found) > 1:
            # A name that appears twice chooses nothing.
            self._records.refuse_repeated(found)
        return found

    def take(self, part: str, tiers: Tiers, hint: str) -> str | None:
        """The same, and the column is no longer free."""
        column = self.find(part, tiers, hint)
        if column is not None:
            self._taken.add(column)
        return column

    def claim(self, column: str) -> None:
        """Say that a column plays a part."""
        self._taken.add(column)

    def take_all(self, names: Container[str]) -> tuple[str, ...]:
        """All free columns with one of these names."""
        columns = tuple(name for name in self._flat() if normalize_name(name) in names)
        self._taken.update(columns)
        return columns

    def _flat(self) -> list[str]:
        samples = self._records.sample
        return [name for name in self.free() if not is_nested(samples[name]) or (self._lists and is_list(samples[name]))]


def is_list(sample: Sequence[object]) -> bool:
    """Whether a column holds lists of plain values, by its first value."""
    return listed(next((value for value in sample if value is not None), None)) is not None


def listed(value: object) -> list[object] | None:
    """The values of a list of plain ones, or of an object that holds it beside their places, as SQuAD's answers do.

    Examples
    --------
    >>> listed(["a", "b"]), listed({"text": ["a"], "answer_start": [3]}), listed("a")
    (['a', 'b'], ['a'], None)
    """
    inner = value.get("text") if isinstance(value, Mapping) else value
    return inner if isinstance(inner, list) and all(map(is_scalar, inner)) else None


def is_nested(sample: Sequence[object]) -> bool:
    """Whether a column holds lists or objects, by its first value."""
    return not is_scalar(next((value for value in sample if value is not None), None))
