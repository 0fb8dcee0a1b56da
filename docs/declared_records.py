"""Tells the Python reference that classes declared by `outscore.core.records` are dataclasses, as type checkers take them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from griffe import Extension

if TYPE_CHECKING:
    from griffe import Alias


class Records(Extension):
    """Takes the decorator for that of the standard library."""

    def on_alias_instance(self, *, alias: Alias, **_: Any) -> None:  # noqa: ANN401 - as in griffe
        """Called for each name that a module imports."""
        if alias.target_path == "outscore.core.records.dataclass":
            alias.target_path = "dataclasses.dataclass"
            alias.parent.imports[alias.name] = alias.target_path
