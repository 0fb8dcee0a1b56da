"""JSON schemas of saved results, made from the records themselves: what a program may rely on that reads our JSON.

`outscore schema` prints the files of `schema_files`, which `make api` writes from `schema_of`. Unknown keys are allowed, as in
`saved`: a later version may add some.
"""

from __future__ import annotations

from importlib.resources import files
from typing import Any

__all__ = ["SUFFIX", "kind_names", "kind_of", "schema_of", "schema_text"]

SUFFIX = ".json"
DIALECT = "https://json-schema.org/draft/2020-12/schema"


def kind_of(schema: str) -> str:
    """The short name of a kind of result.

    Examples
    --------
    >>> kind_of("outscore/p-value/1")
    'p-value'
    """
    return schema.split("/")[1]


def kind_names() -> list[str]:
    """The kinds that have a schema, in the order of the alphabet."""
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

    from outscore.results.saved import SAVED
    from outscore.results.signature import Signature

    def of_other_types(kind: type) -> dict[str, Any]:
        if kind is Signature:
            return {"type": "string"}  # a line in JSON
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
    """The first paragraph of what a record says about itself."""
    return " ".join(part.get("description", "").split("\n\n")[0].split())
