"""What comes out: frozen results that survive a JSON round trip.

One schema serves the command line, `to_dict`, and saved files. Fractions stay fractions, precision stays full, and what is
not finite (an unbounded limit) is null.
"""

from __future__ import annotations

import html
import math
from typing import Any, Self

import msgspec

from outscore.core.errors import OutscoreError
from outscore.results.note import with_note_objects

__all__ = ["Result", "ends_html", "verdict_html"]


class Result:
    """Mixin: dictionaries in and out, and a plain rendering in notebooks."""

    def to_dict(self) -> dict[str, Any]:
        """The result as JSON-ready dictionaries, lists and numbers."""
        plain = _without_non_finite(msgspec.to_builtins(self))
        assert isinstance(plain, dict)
        return plain

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """The inverse of `to_dict`."""
        try:
            return msgspec.convert(with_note_objects(data), cls)
        except msgspec.ValidationError as error:
            raise OutscoreError(f"This is not a saved {cls.__name__}: {error}.") from None

    def _repr_html_(self) -> str:
        """The verdict: no script, no style but the notebook's own."""
        return verdict_html(self)


def verdict_html(result: Result) -> str:
    """The verdict as a paragraph."""
    # Every result has a verdict; a property of the mixin would forbid `Comparison` to store its own.
    return f"<p>{html.escape(getattr(result, 'verdict'))}</p>"  # noqa: B009


def ends_html(low: float | None, high: float | None) -> str:
    """The ends of an interval in a cell of a notebook's table."""
    if low is None and high is None:
        return ""
    return f"{'-∞' if low is None else f'{low:.4g}'} to {'∞' if high is None else f'{high:.4g}'}"


def _without_non_finite(value: Any) -> Any:  # noqa: ANN401 - any JSON value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _without_non_finite(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_without_non_finite(inner) for inner in value]
    return value
