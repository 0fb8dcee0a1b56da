"""What a reader of battles declares, and what the caller may say about the files."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from outscore.core.records import dataclass
from outscore.formats.tables.records import Records
from outscore.scores.battles import Battles


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
        single = {
            "first": self.first,
            "second": self.second,
            "prompt": self.prompt,
            "judge": self.judge,
            "category": self.category,
            "cluster": self.cluster,
            "position": self.position,
        }
        winners = {f"winner {i}": column for i, column in enumerate(self.winner)}
        lengths = {f"length {i}": column for i, column in enumerate(self.length)}
        return {name: column for name, column in single.items() if column is not None} | winners | lengths


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
    has_free_columns
        Whether the caller may say which column plays which part.
    is_graded
        Whether verdicts may be strong and the baseline unnamed, so that the caller may say what both are.
    """

    name: str
    title: str
    summary: str
    recognise: Callable[[Records], bool]
    read: Callable[[Records, BattleChoice], tuple[Battles, Mapping[str, tuple[str, ...]]]]
    has_free_columns: bool = True
    is_graded: bool = False
