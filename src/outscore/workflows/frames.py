"""Series and tables of dataframe libraries, recognised by their methods: outscore depends on none of the libraries.

A pandas Series has an index, by which `core.rows` matches two of them. Polars has no index.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.numeric import Array
from outscore.core.rows import is_labelled
from outscore.formats.base.entry import Choice
from outscore.formats.tables.assemble import read_table, refuse_summary
from outscore.formats.tables.cells import Block, Records
from outscore.formats.tables.names import normalize_name
from outscore.scores.system import Labels, Scores

SAMPLE = 20
COUNTS = (("tp", "errors"), ("tp", "fp", "fn"), ("tp", "fp", "fn", "tn"))


def is_table(given: object) -> bool:
    """Whether this is a table with named columns, collected or not."""
    # Looked up on the type: a lazy table would have to resolve its columns first.
    return hasattr(type(given), "columns") and hasattr(type(given), "__getitem__")


def table_of(given: Any) -> Any:  # noqa: ANN401 - of whatever library
    """The table itself; a lazy table, such as polars' LazyFrame, is collected."""
    if not hasattr(given, "collect") or hasattr(given, "__len__"):
        return given
    try:
        return given.collect()
    except Exception as error:  # whatever the library raises
        why = str(error).strip().partition("\n")[0] or type(error).__name__
        raise OutscoreError(f"The table could not be collected: {why}.", "Check its query.") from error


def counts_in(given: Any) -> Array | None:  # noqa: ANN401
    """The rows of a table that contains only counts, in the order that metrics take; None if it has other columns."""
    table = table_of(given)
    columns = {normalize_name(str(name)): name for name in table.columns}
    if len(columns) == 1 < len(table.columns):
        # What pandas gives for a name that several columns have.
        name = next(iter(columns.values()))
        raise OutscoreError(f"The table has two columns named `{name}`.", "Give every column a name of its own.")
    wanted = next((names for names in COUNTS if sorted(names) == sorted(map(normalize_name, map(str, table.columns)))), None)
    return None if wanted is None else np.column_stack([np.asarray(table[columns[name]]) for name in wanted])


def systems_in(given: Any, choice: Choice) -> list[Scores]:  # noqa: ANN401
    """The systems of a table, read as a file is."""
    table = table_of(given)
    index, names = _index_of(table), [str(name) for name in table.columns]
    repeated = Counter(names)
    # Of columns with one name, which are refused where they are needed, pandas gives a table.
    single = {name: np.asarray(table[name]) for name in table.columns}
    single = {name: x[:, 0] if repeated[str(name)] > 1 else x for name, x in single.items()}
    values = {**index, **{str(name): _cells(x) for name, x in single.items()}}
    columns = (*(name for name in index if name not in names), *names)
    rows = len(next(iter(values.values()), ()))

    def blocks(needed: Sequence[str]) -> Iterator[Block]:
        yield Block(np.arange(1, rows + 1), {name: values[name] for name in needed})

    records = Records("The table", columns, {name: x[:SAMPLE] for name, x in values.items()}, blocks, "row")
    if is_labelled(table) and rows and not choice.transpose:
        refuse_summary(records, "index", (str(table.index[0]), str(table.index[-1])), (1, rows))
    return read_table(records, choice, "dataframe")


def _index_of(table: Any) -> dict[str, list[Any]]:  # noqa: ANN401
    """The index as the columns that a file would have; without a name, numbers only count the rows."""
    if not is_labelled(table):
        return {}
    levels = {
        "" if name is None else str(name): np.asarray(table.index.get_level_values(k))
        for k, name in enumerate(table.index.names)
    }
    return {name: _cells(level) for name, level in levels.items() if name or level.dtype.kind not in "iu"}


def _cells(column: Array) -> list[Any]:
    """The values of a column; a dataframe has None, NaN or NA where there is none."""
    cells: list[Any] = column.tolist()
    if column.dtype.kind == "f" and not np.isnan(column).any():
        return cells
    if column.dtype.kind not in "fO":
        return cells
    # Compared by its text, because pandas' NA cannot be compared.
    return [None if not isinstance(cell, str) and str(cell) in ("nan", "<NA>", "NaT") else cell for cell in cells]


def encode_labels(raw: Array, name: str) -> Labels:
    """Labels in order of first appearance; numbers are encoded without a loop."""
    if raw.dtype.kind in "iub":
        distinct, first, inverse = np.unique(raw, return_index=True, return_inverse=True)
        order = np.argsort(first, kind="stable")
        place = np.empty(len(order), dtype=np.int64)
        place[order] = np.arange(len(order))
        return Labels(place[inverse], tuple(str(x) for x in distinct[order].tolist()))
    listed = raw.tolist()
    # A missing label is None, or not equal to itself.
    missing = next((i for i, x in enumerate(listed) if x is None or x != x), None)  # noqa: PLR0124
    if missing is not None:
        raise OutscoreError(f"`{name}` has a missing label at row {missing + 1}.", "Give one label for each row.")
    return Labels.of(listed)
