"""How a LaTeX table is made to fit a line: the size of its type, and which of its columns are broken into lines."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

from outscore.report.table import Table

__all__ = ["Setting", "fitting"]

LINE = 335.0
"""Points of a line of the class article at ten points, less what an estimate may miss; most other classes have more."""
FEWEST, MOST = 0.18, 0.4
"""Parts of a line that a column of prose may take."""
ALWAYS_BROKEN = 40
# A hyphen before a number is set as a minus sign.
WIDE, NARROW = frozenset("mwMW+=%-"), frozenset(" .,:;'|!iljftr()")


@dataclass(frozen=True)
class Setting:
    """A size of type: its command, how large it is beside the normal one, and half the points between columns.

    Texts of more than `breaks` letters are broken into lines.
    """

    size: str
    scale: float
    gap: float
    breaks: int

    def prose(self, table: Table) -> list[bool]:
        """Which columns hold texts that are broken into lines."""
        return [side == "l" and any(self._is_broken(row[i]) for row in table.rows) for i, side in enumerate(table.align)]

    def _is_broken(self, text: str) -> bool:
        return len(text) > (self.breaks if " " in text else ALWAYS_BROKEN)

    def share(self, table: Table) -> float:
        """The part of a line for each column of prose."""
        return min(max(self._left(table) / max(sum(self.prose(table)), 1), FEWEST), MOST)

    def fits(self, table: Table) -> bool:
        """Whether the table is no wider than a line."""
        return self._left(table) >= FEWEST * sum(self.prose(table))

    def _left(self, table: Table) -> float:
        """The part of a line that columns without prose leave."""
        columns, prose = zip(table.columns, *table.rows, strict=True), self.prose(table)
        used = sum(max(map(_points, cells)) for cells, broken in zip(columns, prose, strict=True) if not broken)
        return 1 - (self.scale * used + 2 * self.gap * (len(prose) - 1)) / LINE


SETTINGS = (
    Setting("", 1.0, 6.0, ALWAYS_BROKEN),
    Setting(r"\small", 0.93, 4.0, ALWAYS_BROKEN),
    Setting(r"\small", 0.93, 4.0, 16),
    Setting(r"\footnotesize", 0.86, 3.0, 16),
    Setting(r"\scriptsize", 0.81, 2.5, 16),
)
"""From what reads best to what fits most."""


def fitting(table: Table) -> Setting:
    """The first setting in which the table fits a line; the last where it fits in none.

    Examples
    --------
    >>> fitting(Table("t", "", ("name", "score"), "lr", (("a", ".5"),))).size
    ''
    """
    return next((setting for setting in SETTINGS if setting.fits(table)), SETTINGS[-1])


def _points(text: str) -> float:
    """About how wide Computer Modern sets a text at ten points."""
    return sum(map(_letter, text))


def _letter(char: str) -> float:
    if char in NARROW:
        return 3.5
    if unicodedata.east_asian_width(char) in "WF":
        return 10.0
    return 8.0 if char in WIDE else 7.2 if char.isupper() else 5.1
