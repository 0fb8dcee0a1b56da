"""Results as Markdown tables: the same text on the terminal and in the README."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

__all__ = ["duration", "markdown", "significant"]


def markdown(header: Sequence[str], rows: Iterable[Sequence[str]], left: int = 1) -> str:
    """A table with the first `left` columns aligned left and the others right."""
    marks = ["---" if i < left else "---:" for i in range(len(header))]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in (header, marks, *rows))


def significant(x: float) -> str:
    """Three significant digits, never an exponent."""
    return f"{x:,.0f}" if abs(x) >= 100 else f"{x:.3g}"


def duration(seconds: float) -> str:
    """A time with the unit that suits it."""
    return f"{significant(1e3 * seconds)} ms" if seconds < 1 else f"{significant(seconds)} s"
