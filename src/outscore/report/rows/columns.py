"""Tables as columns: what a table says of each of its records, as a heading, a value, and how the value is shown.

A cell keeps the number that it shows, so a page sorts by numbers and never reads them back from texts.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

from outscore.core.records import dataclass
from outscore.language.numbers import count, decimals_for, finer, format_number, format_percent, interval_ends, span
from outscore.report.document import Table, clean
from outscore.results.pvalue import PValue

if TYPE_CHECKING:
    from outscore.results.comparison import Comparisons
    from outscore.results.diff import Diff
    from outscore.results.preference import Strength
    from outscore.results.ranking import RankedSystem

R = TypeVar("R")
Q = TypeVar("Q")
S = TypeVar("S", bound="RankedSystem | Strength")
Ends = tuple[float | None, float | None]


def plain(value: object) -> str:
    """A text as it is, and a count with its thousands apart."""
    return f"{value:,}" if isinstance(value, int) else str(value)


@dataclass(frozen=True)
class Text:
    """What a cell shows, and the number by which its column is sorted."""

    text: str
    number: float | None = None


@dataclass(frozen=True)
class Column(Generic[R]):
    """What a table says of each record.

    Parameters
    ----------
    head
        The heading.
    value
        A number, a p-value, the ends of an interval, or a text; None leaves the cell empty. A `Text` is shown as it is.
    show
        The text of a value.
    align
        Texts stand left, numbers right.
    when
        Whether the table has this column.
    """

    head: str
    value: Callable[[R], object]
    show: Callable[[Any], str] = plain
    align: Literal["l", "r"] = "r"
    when: bool = True

    def cell(self, record: R) -> Text:
        """The cell of a record."""
        value = self.value(record)
        if isinstance(value, Text):
            return Text(clean(value.text), value.number)
        return Text("") if value is None else Text(clean(self.show(value)), number_of(value))

    def of(self, get: Callable[[Q], R | None]) -> Column[Q]:
        """The same of a part of other records; empty where they have none."""

        def value(record: Q) -> object:
            part = get(record)
            return None if part is None else self.value(part)

        return Column(self.head, value, self.show, self.align, self.when)


def words(head: str, value: Callable[[R], object], show: Callable[[Any], str] = plain, *, when: bool = True) -> Column[R]:
    """A column of texts."""
    return Column(head, value, show, "l", when)


def texts(*heads: str) -> list[Column[Sequence[object]]]:
    """Columns of texts, for records that are rows already."""
    return [words(head, itemgetter(i)) for i, head in enumerate(heads)]


def number_of(value: object) -> float | None:
    """The number by which a value is sorted: of an interval its lower end, of a text none.

    Examples
    --------
    >>> number_of(0.5), number_of((0.1, 0.2)), number_of("a"), number_of((None, 0.2))
    (0.5, 0.1, None, None)
    """
    if isinstance(value, tuple):
        return number_of(value[0])
    number = value.value if isinstance(value, PValue) else value
    return number if isinstance(number, int | float) and math.isfinite(number) else None


def tabulate(
    key: str,
    title: str,
    columns: Sequence[Column[R]],
    records: Iterable[R | str],
    notes: Iterable[str] = (),
    *,
    every_column: bool = False,
    **layout: Any,  # noqa: ANN401 - what else a table has
) -> Table:
    """A table of records, without the columns that are empty in every row unless `every_column` is wanted.

    A text among the records is a line across the table.

    Examples
    --------
    >>> columns = [words("name", lambda r: r[0]), Column("score", lambda r: r[1], number(1)), Column("error", lambda r: None)]
    >>> table = tabulate("t", "Example", columns, [("a", 0.51), ("b", None)])
    >>> table.rows, table.align, table.numbers
    ((('a', '0.5'), ('b', '')), 'lr', ((None, 0.51), (None, None)))
    """
    used = [column for column in columns if column.when]
    rows = [_line(record, len(used)) if isinstance(record, str) else [c.cell(record) for c in used] for record in records]
    kept = [i for i in range(len(used)) if every_column or not rows or any(row[i].text for row in rows)]
    return Table(
        key,
        clean(title),
        tuple(clean(used[i].head) for i in kept),
        "".join(used[i].align for i in kept),
        tuple(tuple(row[i].text for i in kept) for row in rows),
        tuple(clean(note) for note in notes if note),
        numbers=tuple(tuple(row[i].number for i in kept) for row in rows),
        **layout,
    )


def by_tier(systems: Sequence[S]) -> tuple[list[S | str], list[str]]:
    """The systems, with a line above those of each tier if there are several, and a note on what tiers are."""
    tiers: dict[int, list[S]] = {}
    for system in sorted(systems, key=lambda system: system.tier or 1):
        tiers.setdefault(system.tier or 1, []).append(system)
    if len(tiers) < 2:
        return list(systems), []
    listed: list[S | str] = []
    for tier, inside in tiers.items():
        why = f"significantly worse than a system of tier {tier - 1}" if tier > 1 else "nobody is significantly better"
        listed += [f"Tier {tier}: {why}", *inside]
    return listed, ["Tiers: no system is significantly worse than another of its tier."]


def _line(text: str, width: int) -> list[Text]:
    return [Text(clean(text)), *[Text("")] * (width - 1)]


def number(decimals: int | None = None, *, sign: bool = False) -> Callable[[float], str]:
    """Shows numbers with so many decimals."""
    return lambda value: format_number(value, decimals, sign=sign)


def signed(decimals: int) -> Callable[[float], str]:
    """Shows differences with their sign; small ones keep two digits."""
    return lambda value: format_number(value, finer(decimals, value), sign=True)


def ends(decimals: int | None = None) -> Callable[[Ends], str]:
    """Shows intervals; empty where both ends are missing."""
    return lambda pair: interval_ends(*pair, decimals)


def between(low: int, high: int, word: str = " to ") -> Text:
    """Two whole numbers, or one where they are equal."""
    return Text(span(low, high, word), low)


def score_columns(heads: Sequence[str], of: Callable[[R], tuple[float, float, float]]) -> list[Column[R]]:
    """Both scores and their difference, each row with enough decimals to show that the scores differ."""

    def shown(i: int, record: R) -> Text:
        values = of(record)
        places = decimals_for(*values[:2], difference=values[2])
        return Text(format_number(values[i], places, sign=i == 2), values[i])

    return [Column(head, partial(shown, i)) for i, head in enumerate(heads)]


def interval_head(alpha: float | None) -> str:
    """The heading of a column of intervals."""
    return "interval" if alpha is None else f"{format_percent(1 - alpha)} CI"


def not_shown(every: int, shown: int | None, noun: str, how: str = "") -> str:
    """How many records a table leaves out; empty where it has all of them."""
    return f"Not shown: {count(every - shown, noun)}{how}." if shown is not None and every > shown else ""


def digits(record: object, *names: str, **paths: str) -> dict[str, Any]:
    """Attributes of a record by their names, and others by what a spreadsheet calls them; None where a part is missing.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> digits(SimpleNamespace(n=3, p=SimpleNamespace(value=0.5), interval=None), "n", p="p.value", low="interval.low")
    {'n': 3, 'p': 0.5, 'low': None}
    """
    return {name: _part(record, path) for name, path in ({name: name for name in names} | paths).items()}


def _part(record: object, path: str) -> object:
    for name in path.split("."):
        record = None if record is None else getattr(record, name)
    return record


def alpha_of(whole: Comparisons | Diff) -> float | None:
    """The level of the decisions, if the settings name it."""
    alpha = whole.settings.get("alpha")
    return float(alpha) if isinstance(alpha, int | float) else None
