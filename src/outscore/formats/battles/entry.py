"""What a reader of battles declares, and what the caller may say about the files."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from outscore.core.records import dataclass
from outscore.formats.tables.records import Records
from outscore.scores.battles import Battles

COLUMNS = ("first", "second", "winner", "prompt", "judge", "category", "cluster", "position", "length")
"""What names columns, one each or, of `SEVERAL`, any number."""
SEVERAL = ("winner", "length")


@dataclass(frozen=True)
class BattleChoice:
    """What the caller says about battles: which column plays which part, and how verdicts count.

    Several columns of `winner` are a judge each. `strength` is how many wins a strong verdict (A>>B) counts as. `baseline` and
    `names` name systems that the files leave unnamed.
    """

    first: str | None = None
    second: str | None = None
    winner: tuple[str, ...] = ()
    prompt: str | None = None
    judge: str | None = None
    category: str | None = None
    cluster: str | None = None
    position: str | None = None
    length: tuple[str, ...] = ()
    strength: int = 1
    baseline: str | None = None
    names: tuple[str, ...] = ()

    @property
    def columns(self) -> dict[str, str]:
        """All columns that were named, by the option that named them."""
        single = {name: getattr(self, name) for name in COLUMNS if name not in SEVERAL}
        named = {name: column for name, column in single.items() if column is not None}
        return named | {f"{name} {i}": column for name in SEVERAL for i, column in enumerate(getattr(self, name))}


@dataclass(frozen=True)
class BattleEntry:
    """A format of battles.

    Parameters
    ----------
    name, title
        What `--reader` calls it, and what sentences do.
    summary
        What its files look like, in one line.
    recognise
        Whether a table is in this format, by its columns and first rows.
    read
        The battles of a table, without their origin; and the columns by the part they played.
    takes
        What of a `BattleChoice` the reader heeds; the rest is refused.
    """

    name: str
    title: str
    summary: str
    recognise: Callable[[Records], bool]
    read: Callable[[Records, BattleChoice], tuple[Battles, Mapping[str, tuple[str, ...]]]]
    takes: tuple[str, ...] = (*COLUMNS, "names")
