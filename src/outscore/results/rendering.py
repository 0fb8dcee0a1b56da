"""What every result can do: show itself, turn into other forms, and save itself.

The command line, `to_dict` and saved files use the same schema. Fractions stay fractions, precision stays full, and what is not
finite (an unbounded limit) is null. Reports are made in `report`, which imports results; `_report` is the one import that
points back, and it happens when somebody asks for a report.
"""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, ClassVar, Self, cast

import msgspec

from outscore.core.errors import OutscoreError, require_polars
from outscore.core.records import Brief
from outscore.results.files import form_of_file, write_files
from outscore.results.note import Signature, with_note_objects

if TYPE_CHECKING:
    import polars as pl


BOTH_WAYS = re.compile(r" \([^()]* in Python\)")
COMMAND = re.compile(r"(`?outscore [^`\n]*`?)")
OPTION = re.compile(r"--([a-z][a-z-]*[a-z])(?: ([a-z][\w@^.-]*\w)(?=[,.;:)\s]))?")
PLURALS = {"cluster": "clusters", "item": "items", "system": "systems"}
"""What options are called in Python, if that is not their own name."""


class BrokenResultError(OutscoreError):
    """Dictionaries that do not contain the expected result; `reason` says what is wrong and where."""

    def __init__(self, kind: str, reason: str) -> None:
        super().__init__(f"This is not a saved {kind}: {reason}.")
        self.reason = reason


def json_text(plain: dict[str, Any]) -> str:
    """Dictionaries as JSON for people and programs: nested containers get their own lines, everything else stays on one.

    A table of thousands of rows is then a third smaller than with a line for every number, and can be read as a table.

    >>> print(json_text({"n": 2, "rows": [{"of": "a", "p": 0.5}, {"of": "b", "p": 1}]}), end="")
    {
      "n": 2,
      "rows": [
        {"of": "a", "p": 0.5},
        {"of": "b", "p": 1}
      ]
    }
    """
    return "".join(_json_pieces(plain, "")) + "\n"


def _json_pieces(value: Any, margin: str) -> Iterator[str]:  # noqa: ANN401 - JSON holds anything
    opened, closed = ("{", "}") if isinstance(value, dict) else ("[", "]")
    parts: list[tuple[str, Any]] = []
    if isinstance(value, dict):
        parts = [(f"{json.dumps(name, ensure_ascii=False)}: ", part) for name, part in value.items()]
    elif isinstance(value, list):
        parts = [("", part) for part in value]
    if not any(isinstance(part, dict | list) and part for _, part in parts):
        yield json.dumps(value, ensure_ascii=False, allow_nan=False)
        return
    inner = f"{margin}  "
    for name, part in parts:
        yield f"{opened}\n{inner}{name}"
        yield from _json_pieces(part, inner)
        opened = ","
    yield f"\n{margin}{closed}"


def in_python(text: str) -> str:
    """A text whose hints name arguments of functions instead of options of the command line; commands stay as they are.

    Examples
    --------
    >>> in_python("Leave them out with --missing drop, or say --lower-is-better (direction=... in Python).")
    'Leave them out with missing="drop", or say direction="lower".'
    >>> in_python("Name it with --cluster document; compare them with `outscore rank --system new`.")
    'Name it with clusters="document"; compare them with `outscore rank --system new`.'
    """
    pieces = COMMAND.split(BOTH_WAYS.sub("", text.replace("(-v shows all)", "(to_text() shows all)")))
    return "".join(piece if i % 2 else OPTION.sub(_argument, piece) for i, piece in enumerate(pieces))


def _argument(option: re.Match[str]) -> str:
    name, value = option.groups()
    if name in ("lower-is-better", "higher-is-better"):
        return f'direction="{name.split("-")[0]}"{f" {value}" if value else ""}'
    keyword = PLURALS.get(name, name.replace("-", "_"))
    return keyword if value is None else f'{keyword}="{value}"'


class Result(Brief):
    """Mixin: dictionaries in and out, reports in every form, files, and short representations."""

    saved_schema: ClassVar[str | None] = None
    """The schema of a saved file; None if the result has it as a field."""
    has_pairs: ClassVar[bool] = False
    """Whether the result has a table of pairs, which goes into files named `PAIRS_SUFFIX`."""

    def to_dict(self) -> dict[str, Any]:
        """The result as JSON-ready dictionaries, lists and numbers."""
        plain = _without_non_finite(msgspec.to_builtins(self, enc_hook=_to_plain))
        assert isinstance(plain, dict)
        return plain

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """The inverse of `to_dict`."""
        try:
            return msgspec.convert(with_note_objects(data), cls, dec_hook=_from_plain)
        except msgspec.ValidationError as error:
            raise BrokenResultError(cls.__name__, str(error)) from None

    def to_text(self, *, verbose: bool = False, width: int = 80) -> str:
        """The report as plain text, as the command line prints it.

        Parameters
        ----------
        verbose
            Also show details.
        width
            Columns of the terminal.
        """
        return self._rendered("text", verbose=verbose, width=width)

    def to_markdown(self, *, verbose: bool = False) -> str:
        """The report as Markdown."""
        return self._rendered("markdown", verbose=verbose)

    def to_latex(self, *, verbose: bool = False) -> str:
        """The tables and the sentence for a paper as LaTeX."""
        return self._rendered("latex", verbose=verbose)

    def to_html(self) -> str:
        """The report as a self-contained page. Needs ``outscore[report]``."""
        return self._rendered("html")

    def to_csv(self) -> str:
        """The numbers as a table with all digits."""
        return self._rendered("csv")

    def charts(self) -> list[Any]:
        """The charts of the result, each with `to_svg()`, `to_bytes("png")` and `to_csv()`. Needs ``outscore[report]``."""
        return cast("list[Any]", _report().charts_of(self))

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the result to a file, completely or not at all, and return its path.

        The suffix decides the form: ``.json`` contains everything, and `outscore.load` reads it back; ``.txt``, ``.md``,
        ``.tex``, ``.html`` and ``.csv`` are reports. A ranking saved to a name that ends in ``pairs.csv`` writes its pairs.
        """
        form = form_of_file(path, has_pairs=self.has_pairs)
        content = self._saved_json() if form == "json" else self._rendered(form)
        write_files({os.fspath(path): content})
        return Path(path)

    def _saved(self) -> dict[str, Any]:
        """The content of a saved file."""
        return self.to_dict() if self.saved_schema is None else {"schema": self.saved_schema, **self.to_dict()}

    def _saved_json(self) -> str:
        return json_text(self._saved())

    def _rendered(self, form: str, **shown: Any) -> str:  # noqa: ANN401 - the door's own keywords
        return str(_report().render(self, form, **shown))

    def __str__(self) -> str:
        return in_python(self._rendered("screen")).rstrip("\n")

    def _repr_html_(self) -> str:
        """A card for notebooks, without scripts and with the notebook's own style."""
        return self._rendered("card")


def _to_plain(value: object) -> str:
    """Signatures as text, as JSON has them."""
    if isinstance(value, Signature):
        return str(value)
    raise NotImplementedError(type(value))


def _from_plain(kind: type, value: object) -> Signature:
    if kind is Signature and isinstance(value, str):
        return Signature.parse(value)
    raise ValueError(f"Expected `str`, got `{type(value).__name__}`")


def _report() -> ModuleType:
    """The module of reports, imported only when needed, because reports import results."""
    from outscore.report import render

    return render


def frame_of(result: Result, table: str) -> pl.DataFrame:
    """One table of a result with all digits, as a polars data frame; a row may lack columns, and there may be no rows."""
    records = _report().records_of(result, table)
    require_polars("make data frames")
    import polars as pl

    return pl.DataFrame({name: [row.get(name) for row in records.rows] for name in records.columns}, strict=False)


def _without_non_finite(value: Any) -> Any:  # noqa: ANN401 - any JSON value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _without_non_finite(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_without_non_finite(inner) for inner in value]
    return value
