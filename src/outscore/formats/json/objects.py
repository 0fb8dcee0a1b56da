"""The objects of a JSON file, whether it is one value or one value per line."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal, TypeVar

import msgspec

from outscore.core.errors import OutscoreError
from outscore.core.records import dataclass
from outscore.formats.base.source import Peek, Source, line_error
from outscore.formats.tables.jsonl import begins_with_object

T = TypeVar("T")
Place = Annotated[int, msgspec.Meta(ge=0, lt=2**62)]
"""The place of a word, a token or a character."""
_BEGIN = re.compile(r"[\[{]\s*$|\[\s*[\[{]|\{\s*\"")


def is_json(peek: Peek) -> bool:
    """Whether a file begins as JSON does; a word in braces may begin a file of words."""
    first = next((line.strip() for line in peek.filled), "")
    return begins_with_object(peek) or _BEGIN.match(first) is not None


def first_value(peek: Peek) -> Any:  # noqa: ANN401 - any JSON value
    """The first of the values that `objects_of` would give; None where the beginning is not JSON."""
    if peek.document is not None:
        return next(iter(_several(peek.document)), None)
    first = next((line for line in peek.filled), "")
    if not first.lstrip().startswith(("{", "[")):
        return None
    try:
        return msgspec.json.decode(first)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return None


@dataclass(frozen=True)
class Found:
    """A value of a file, and where it was found: on which line, or as which object of a document."""

    value: Any
    number: int
    unit: Literal["line", "object"] = "object"


def objects_of(source: Source) -> list[Found]:
    """The values of a file: those of one list, one object, or one value per line."""
    text = "".join(source.pieces())
    if source.peek.document is not None:
        # Of a document with one list of records inside, the pieces are those.
        return _placed(source.peek.document)
    try:
        whole = msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
        return [Found(_value(source, number, line), number, "line") for number, line in lines]
    if isinstance(whole, dict) and "\n" not in text.strip():
        return [Found(whole, 1 + text[: text.index("{")].count("\n"), "line")]
    return _placed(whole)


def _placed(whole: object) -> list[Found]:
    return [Found(value, number) for number, value in enumerate(_several(whole), 1)]


def _several(whole: object) -> list[Any]:
    return list(whole) if isinstance(whole, list) else [whole]


def _value(source: Source, number: int, line: str) -> Any:  # noqa: ANN401 - any JSON value
    try:
        return msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        reason = "it is nested too deeply" if isinstance(error, RecursionError) else error
        hint = "Write one JSON value per line, or one list."
        raise line_error(source.path, number, f"this is not JSON ({reason})", hint) from None


def refuse_shape(source: Source, expected: str, hint: str) -> OutscoreError:
    """The error of JSON that holds something else."""
    return OutscoreError(f"{source.label} is JSON, but does not contain {expected}.", hint)


def place_error(source: Source, found: Found, problem: str, hint: str) -> OutscoreError:
    """The error of one value, which names its place."""
    return line_error(source.path, found.number, problem, hint, found.unit)


def typed(source: Source, found: Found, value: object, kind: type[T], writer: str, hint: str) -> T:
    """A value, or part of one, as the type that its writer gives it; anything else is refused."""
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        raise place_error(source, found, f"this is not as {writer} writes it ({_wrong(error)})", hint) from None


def _wrong(error: msgspec.ValidationError) -> str:
    """Where a value is wrong and how, in the words of msgspec, which have the place behind them.

    Examples
    --------
    >>> try:
    ...     msgspec.convert({"scores": [1, "a"]}, dict[str, list[int]])
    ... except msgspec.ValidationError as error:
    ...     print(_wrong(error))
    `[...][1]`: expected `int`, got `str`
    """
    problem, _, path = str(error).partition(" - at `$")
    where = f"`{path.rstrip('`').lstrip('.')}`: " if path else ""
    return f"{where}{problem[0].lower()}{problem[1:]}"
