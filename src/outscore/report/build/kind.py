"""How one kind of result is reported: its document and its card, its tables of all digits, its charts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Any

from outscore.core.records import dataclass

Line = Mapping[str, object]
"""Keys and values of a result for a shell."""

if TYPE_CHECKING:
    from outscore.outputs.outcomes import Changed, Contexts
    from outscore.report.charts.canvas import Chart
    from outscore.report.document import Document, Records, Screen
    from outscore.report.rows.diff_pairs import Sort

    Examples = tuple[Sequence[Changed], Contexts | None]


@dataclass(frozen=True)
class Shown:
    """What is shown of a diff: only `tables`, `top` rows of each kind, in the order `sort`, with `examples` of changes."""

    tables: Sequence[str] = ()
    top: int = 5
    sort: Sort = "evidence"
    examples: Examples | None = None


def _itself(result: Any) -> Any:  # noqa: ANN401 - any result
    return result


def _one_part(result: Any) -> list[tuple[Any, ...]]:  # noqa: ANN401 - any result
    return [(result,)]


@dataclass(frozen=True)
class Kind:
    """How one kind of result is reported.

    Parameters
    ----------
    build, card
        The document of a result, and that of its card for notebooks.
    tables
        Its tables of all digits by name, the first of which is its `csv`.
    charts, parts
        The charts of a part of a result, None if there are none; and their arguments for each part, by default the result
        itself.
    forms
        Forms that no other kind of result has, by name.
    whole
        Turns a result into what the functions above take, if it may be only a part of that.
    build_shown
        The document if the caller chooses what is shown.
    screen, lines
        The answer on one screen, if the document is not short anyway; and as keys and values, one mapping for each line.
    """

    build: Callable[[Any], Document]
    card: Callable[[Any], Document]
    tables: Mapping[str, Callable[[Any], Records]]
    charts: Callable[..., list[Chart]] | None = None
    parts: Callable[[Any], list[tuple[Any, ...]]] = _one_part
    forms: Mapping[str, Callable[[Any], str]] = field(default_factory=dict)
    whole: Callable[[Any], Any] = _itself
    build_shown: Callable[[Any, Shown], Document] | None = None
    screen: Callable[[Any], Screen] | None = None
    lines: Callable[[Any], list[Line]] | None = None

    def document(self, result: Any, shown: Shown) -> Document:  # noqa: ANN401 - any result
        """The document of a result."""
        whole = self.whole(result)
        return self.build(whole) if self.build_shown is None else self.build_shown(whole, shown)

    def card_of(self, result: Any) -> Document:  # noqa: ANN401 - any result
        """The document of its card."""
        return self.card(self.whole(result))

    def records(self, result: Any, table: str | None = None) -> Records:  # noqa: ANN401 - any result
        """One of its tables, the first if none is named."""
        records_of = next(iter(self.tables.values())) if table is None else self.tables[table]
        return records_of(self.whole(result))

    def chart_parts(self, result: Any) -> list[list[Chart]]:  # noqa: ANN401 - any result
        """The charts of each of its parts."""
        return [] if self.charts is None else [self.charts(*part) for part in self.parts(self.whole(result))]
