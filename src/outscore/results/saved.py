"""Results saved as JSON: what a file may contain, how older files are read, and the JSON schemas for other programs.

A file names its schema, ``outscore/result/1`` for instance. Keys may be added to a schema as long as they have defaults, and
unknown keys are ignored, so all versions that write a schema can read it. Removing a key or giving it another
meaning makes a new schema, and `MIGRATIONS` then says how the older dictionaries turn into the newer ones.

`Comparison.save` and `Comparisons.save` write the same schema. The file of a single comparison has the added key ``"saved":
"comparison"``; without it, which is how the command line and version 0.1.0 write, `load` returns `Comparisons`.

JSON schemas are made from the records themselves: `outscore schema` prints files which `make api` writes from `schema_of`.
They allow unknown keys, too.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

from outscore.core.errors import OutscoreError
from outscore.results.comparison import Comparison, Comparisons, SystemScore, TestResult
from outscore.results.diff import Diff
from outscore.results.gate import GateResult
from outscore.results.logs import Logs
from outscore.results.plan import PlanResult, PossibleP, PossibleTable, SimulatedCurve
from outscore.results.preference import Preference
from outscore.results.pvalue import Interval, PValue
from outscore.results.ranking import Ranking
from outscore.results.rendering import BrokenResultError
from outscore.results.score import ScoreResult

Document = Comparisons | Diff | GateResult | Logs | PlanResult | PossibleP | PossibleTable | Preference | Ranking | ScoreResult
"""The results that the command line writes and reports."""
Value = Interval | PValue | SimulatedCurve | SystemScore | TestResult
Saved = Document | Comparison | Value
DOCUMENTS: dict[str, type[Document]] = {
    "outscore/result/1": Comparisons,
    "outscore/diff/1": Diff,
    "outscore/gate/1": GateResult,
    "outscore/logs/1": Logs,
    "outscore/plan/1": PlanResult,
    "outscore/possible-p/1": PossibleP,
    "outscore/possible-table/1": PossibleTable,
    "outscore/preference/1": Preference,
    "outscore/ranking/1": Ranking,
    "outscore/score/1": ScoreResult,
}
"""The results that the command line saves, by schema."""
SAVED: dict[str, type[Document | Value]] = {
    **DOCUMENTS,
    **{str(kind.saved_schema): kind for kind in (Interval, PValue, SimulatedCurve, SystemScore, TestResult)},
}
"""The results that a saved file may contain, by schema."""
MIGRATIONS: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {}
"""By the schema of older files: how their dictionaries become those of the next schema."""
Marked = Literal["comparison", "comparisons"]
CURE = "Name a result saved with -o result.json."
SUFFIX = ".json"
DIALECT = "https://json-schema.org/draft/2020-12/schema"


def load(path: str | os.PathLike[str]) -> Saved:
    """Read a result that was saved as JSON, by `save` or by the command line's ``-o``.

    Parameters
    ----------
    path
        The file.

    Returns
    -------
    What the public function returns, whoever saved it: a `Comparison` if there is one, `Comparisons` if there are several,
    a `Ranking`, a `Diff`, a plan, or a single value such as a `PValue`.
    """
    return parse(_content(path), str(path), unmarked="comparison")


def read_saved(path: str | os.PathLike[str]) -> Saved:
    """The same for reports, which show the settings of comparisons even where there is one."""
    return parse(_content(path), str(path))


def _content(path: str | os.PathLike[str]) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise OutscoreError(f"`{path}`: {error.strerror}.", CURE) from None


def parse(content: bytes, label: str, *, unmarked: Marked = "comparisons") -> Saved:
    """The result in the content of a saved file; messages call the file `label`.

    One comparison in a file of the command line, which does not mark what it saved, is taken for what `unmarked` says.
    """
    try:
        # Some editors put a byte order mark before the text.
        data = json.loads(content.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        raise OutscoreError(f"`{label}` is not JSON.", CURE) from None
    schema = data.get("schema") if isinstance(data, dict) else None
    if not isinstance(schema, str) or not schema.startswith("outscore/"):
        raise OutscoreError(f"`{label}` is not a saved result.", CURE)
    try:
        result = from_saved(data, unmarked=unmarked)
    except BrokenResultError as error:
        raise OutscoreError(f"`{label}` is a broken result: {error.reason}.", "Save it again with -o result.json.") from None
    if result is None:
        what = f"`{label}` was saved by a different version of outscore ({schema[:40]})"
        raise OutscoreError(f"{what}.", "Update outscore, or compute the result again.")
    return result


def as_document(result: Saved, label: str) -> Document:
    """A loaded result in the form that the command line reports; messages call its file `label`."""
    if isinstance(result, Comparison):
        return Comparisons([result], {})
    if isinstance(result, Value):
        what = f"`{label}` contains a single {type(result).__name__}"
        raise OutscoreError(f"{what}, which has no report.", f"Load it in Python: outscore.load({label!r}).")
    return result


def read_document(path: str | os.PathLike[str]) -> Document:
    """A saved result in that form."""
    return as_document(read_saved(path), str(path))


@contextmanager
def refuse_inconsistent(label: str) -> Iterator[None]:
    """Refuse an edited file: each part may be valid and still name systems, rows or columns that others lack.

    Only building something from the file reveals that, so this wraps the building.
    """
    try:
        yield
    except OutscoreError:
        raise
    except (LookupError, ValueError, TypeError, AssertionError, ArithmeticError) as error:
        reason = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        raise OutscoreError(
            f"`{label}` is a broken result: its parts are inconsistent ({reason[:80]}).",
            "Save it again with -o result.json; if it was not edited, please report this.",
        ) from None


def from_saved(data: dict[str, Any], *, unmarked: Marked = "comparisons") -> Saved | None:
    """The result in dictionaries; None if they contain something else.

    Examples
    --------
    >>> import outscore as osc
    >>> found = osc.plan(effect=0.2)
    >>> from_saved(found.to_dict()) == found, from_saved({"schema": "other/1"})
    (True, None)
    """
    while (migrate := MIGRATIONS.get(str(data.get("schema")))) is not None:
        data = migrate(data)
    kind = SAVED.get(str(data.get("schema")))
    if kind is None:
        return None
    result = kind.from_dict(data)
    marked = data.get("saved", unmarked)
    if isinstance(result, Comparisons) and marked == "comparison" and len(result.comparisons) == 1:
        return result.comparisons[0]
    return result


def kind_of(schema: str) -> str:
    """The short name of a kind of result.

    Examples
    --------
    >>> kind_of("outscore/p-value/1")
    'p-value'
    """
    return schema.split("/")[1]


def kind_names() -> list[str]:
    """The kinds that have a schema, in alphabetical order."""
    folder = files("outscore.results").joinpath("schema_files")
    return sorted(path.name.removesuffix(SUFFIX) for path in folder.iterdir() if path.name.endswith(SUFFIX))


def schema_text(kind: str) -> str:
    """The schema of a kind of result, as it is shipped."""
    return files("outscore.results").joinpath("schema_files", kind + SUFFIX).read_text(encoding="utf-8")


def schema_of(schema: str) -> dict[str, Any]:
    """The JSON schema of saved results that name this schema.

    Examples
    --------
    >>> found = schema_of("outscore/interval/1")
    >>> found["title"], found["properties"]["schema"], found["properties"]["level"]
    ('outscore/interval/1', {'const': 'outscore/interval/1'}, {'type': 'number'})
    """
    import msgspec

    from outscore.results.note import Signature

    def of_other_types(kind: type) -> dict[str, Any]:
        if kind is Signature:
            return {"type": "string"}  # one line of text in JSON
        raise NotImplementedError(kind)

    made = msgspec.json.schema(SAVED[schema], schema_hook=of_other_types)
    parts = made["$defs"]
    own = parts.pop(made["$ref"].rpartition("/")[2])
    properties = {"schema": {"const": schema}, **{name: part for name, part in own["properties"].items() if name != "schema"}}
    required = ["schema", *(name for name in own["required"] if name != "schema")]
    return {"$schema": DIALECT, "title": schema, "description": _paragraph(own), "type": "object"} | {
        "properties": properties,
        "required": required,
        "$defs": {name: {**part, "description": _paragraph(part)} for name, part in parts.items()},
    }


def _paragraph(part: dict[str, Any]) -> str:
    """The first paragraph of a record's docstring."""
    return " ".join(part.get("description", "").split("\n\n")[0].split())
