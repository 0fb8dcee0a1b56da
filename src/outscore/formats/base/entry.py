"""The declaration of a format: how it is recognised, how it is read, and what the caller may say about its columns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from outscore.core.records import dataclass
from outscore.formats.base.source import Peek, Source
from outscore.outputs.model import Outputs
from outscore.scores.system import Scores

Holds = Literal["scores", "outputs"]
Better = Literal["higher", "lower"]


@dataclass(frozen=True)
class Choice:
    """What the caller says about a table: which column plays which part, and which systems to read (empty: all).

    `gold` and `prediction` are columns of answers, which score 1 where they are right. With `gaps`, an empty cell of a table
    with a column per system means that the system lacks the item. With `transpose`, rows are systems and columns are items.
    With `drop`, rows without a score are left out and counted; with `fill`, they count as that, which is the worst score if
    higher or lower ones are better (`fill_for`).
    `among` are the systems that are wanted of several files, each of which may hold some of them. `gold_option` is the option
    that names `gold`, if not its own. `beside` says that columns beside `gold` are no answers but numbers: probabilities, or
    scores of outputs beside those that people gave, where systems are those that made the outputs.
    """

    item: str | None = None
    system: str | None = None
    score: tuple[str, ...] = ()
    cluster: str | None = None
    repeat: str | None = None
    slice: tuple[str, ...] = ()
    dataset: str | None = None
    systems: tuple[str, ...] = ()
    gaps: bool = False
    transpose: bool = False
    gold: str | None = None
    prediction: str | None = None
    among: tuple[str, ...] = ()
    gold_option: str = ""
    beside: Literal["", "probabilities", "people"] = ""
    drop: bool = False
    fill: float | None = None
    fill_for: Better = "higher"

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns that the caller named."""
        single = (self.item, self.system, self.cluster, self.repeat, self.dataset, self.gold, self.prediction)
        return (*(name for name in single if name is not None), *self.score, *self.slice)

    @property
    def named(self) -> set[str]:
        """All names that the caller gave: of columns, and of systems, which may be columns too."""
        return {*self.columns, *self.systems}

    @property
    def naming_gold(self) -> str:
        """The option that names the column of the right answers, as the command line writes it."""
        return f"--{(self.gold_option or 'gold').replace('_', '-')}"

    @property
    def names_columns(self) -> bool:
        """Whether any column is named, so that the file must be a table."""
        return bool(self.columns) or self.transpose

    @property
    def asks_for_scores(self) -> bool:
        """Whether the caller named something that only scores have."""
        return bool(self.score or self.system or self.systems or self.gold or self.prediction)


@dataclass(frozen=True)
class FormatEntry:
    """One format.

    Parameters
    ----------
    name, summary, example
        What the caller calls it, one line of help, and a line of such a file.
    recognise
        Whether a file is in this format, from a peek at it and from what the caller says about its columns.
    read
        The systems' scores, or the outputs, of an open file.
    holds
        ``"scores"`` or ``"outputs"``, which `diff` compares with gold.
    title
        What messages call a file in this format.
    is_certain
        Whether a peek leaves no doubt, even where the caller expects another format; None if it always does.
    task
        The task of `diff` that compares such files.
    refuses, expected
        Formats whose files are refused when they are certain, and how the message names what was expected
        instead.
    unit
        Of outputs: what a file holds.
    """

    name: str
    summary: str
    example: str
    recognise: Callable[[Peek, Choice], bool]
    read: Callable[[Source, Choice], list[Scores] | Outputs]
    holds: Holds = "scores"
    title: str = ""
    is_certain: Callable[[Peek], bool] | None = None
    task: str = ""
    refuses: tuple[str, ...] = ()
    expected: str = ""
    unit: Literal["", "words", "chains", "items"] = ""
