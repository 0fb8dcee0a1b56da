"""Settings as a table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from outscore.report.document import Table, make_table

__all__ = ["settings_table"]


def settings_table(settings: Mapping[str, object]) -> Table | None:
    """What repeats a result, one setting per row; None where nothing is known of them."""
    rows = [(name, value) for key, entry in settings.items() for name, value in _flat(str(key), entry)]
    return make_table("settings", "Settings", ["setting", "value"], "ll", rows) if rows else None


def _flat(name: str, value: object) -> Iterable[tuple[str, str]]:
    """Nested settings as rows with dotted names; a tuple looks like the list it becomes when saved."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _flat(f"{name}.{key}", inner)
    elif isinstance(value, list | tuple):
        for i, inner in enumerate(value, 1):
            yield from _flat(f"{name}.{i}", inner)
    elif value is not None:
        yield name, str(value).lower() if isinstance(value, bool) else str(value)
