"""The form of one entry of a form: what may be asked, of which type, and when it means something."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from outscore.core.options import Option
from outscore.web.problems import HTTPProblem

__all__ = ["Choice", "Field", "Kind", "chosen", "field_of", "read_value"]

Kind = Literal["choice", "number", "whole", "text", "flag", "file", "column", "system", "several"]
Only = tuple[tuple[str, tuple[str, ...]], ...]
MAX_TEXT = 1_000
MAX_VALUES = 1_000


@dataclass(frozen=True)
class Choice:
    """One value that may be chosen."""

    value: str
    label: str
    help: str = ""


@dataclass(frozen=True)
class Field:
    """One thing that may be asked.

    `only` says when it means something: other fields, and the values of them that call for this one. `many` is for files,
    columns, systems and texts of which several may be given; of files at least `least` and at most `most` are needed. The
    choices of a text are proposals, beside which others will do.
    """

    name: str
    label: str
    help: str
    type: Kind
    group: str
    default: str | int | float | bool | tuple[str, ...] | None = None
    choices: tuple[Choice, ...] = ()
    only: Only = ()
    many: bool = False
    least: int = 0
    most: int | None = None

    def to_dict(self) -> dict[str, Any]:
        """The field as JSON; `only` is called `for` there."""
        files = {"least": self.least, "most": self.most} if self.type == "file" else {}
        return {
            "name": self.name,
            "label": self.label,
            "help": self.help,
            "type": self.type,
            "group": self.group,
            "default": self.default,
            "choices": [{"value": c.value, "label": c.label, "help": c.help} for c in self.choices],
            "for": {name: list(values) for name, values in self.only},
            "many": self.many,
            **files,
        }


def chosen(registry: Mapping[str, Any]) -> tuple[Choice, ...]:
    """The entries of a registry as choices."""
    return tuple(Choice(name, name, entry.summary) for name, entry in registry.items())


def field_of(option: Option, name: str, group: str, only: Only = ()) -> Field:
    """A declared option of a test or a metric as a field."""
    kinds: dict[type, Kind] = {str: "text", int: "whole", float: "number", bool: "flag", Fraction: "text"}
    default = option.default
    return Field(
        name,
        option.name.replace("_", " ").capitalize(),
        option.help,
        "choice" if option.choices else kinds[option.type],
        group,
        str(default) if isinstance(default, Fraction) else default,
        tuple(Choice(value, value) for value in option.known),
        only,
    )


def read_value(of: Field, value: object) -> list[str]:
    """A given value as the command line would have it written, once for every time the option is given.

    Examples
    --------
    >>> alpha = Field("alpha", "Level", "Significance level.", "number", "test", 0.05)
    >>> read_value(alpha, "0.01"), read_value(alpha, 0.05), read_value(alpha, None)
    (['0.01'], ['0.05'], [])
    >>> read_value(alpha, "low")
    Traceback (most recent call last):
    outscore.web.problems.HTTPProblem: `alpha` is 'low'. A number was expected.
    """
    if value is None or value == "":
        return []
    values = list(value) if isinstance(value, (list, tuple)) else [value]
    if len(values) > 1 and not (of.many or of.type == "several"):
        raise HTTPProblem(422, f"`{of.name}` has {len(values)} values.", "One was expected.")
    if len(values) > MAX_VALUES:
        raise HTTPProblem(422, f"`{of.name}` has {len(values)} values.", f"At most {MAX_VALUES:,} can be given.")
    return [written for one in values if (written := _one(of, one)) != ""]


def _one(of: Field, value: object) -> str:
    match of.type:
        case "flag":
            return _flag(of, value)
        case "number" | "whole":
            return _number(of, value)
        case "choice" | "several":
            known = [c.value for c in of.choices]
            if value not in known:
                raise _unfit(of, value, f"One of these was expected: {', '.join(known)}.")
            return str(value)
        case _:
            return _text(of, value)


def _flag(of: Field, value: object) -> str:
    written = str(value).lower()
    if written not in ("true", "false", "yes", "no", "1", "0", "on", "off"):
        raise _unfit(of, value, "True or false was expected.")
    return "true" if written in ("true", "yes", "1", "on") else "false"


def _number(of: Field, value: object) -> str:
    wanted = "A whole number was expected." if of.type == "whole" else "A number was expected."
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        raise _unfit(of, value, wanted)
    written = str(value).strip()
    plain = written.isascii() and "_" not in written
    try:
        number = float(written) if plain else math.nan
    except ValueError:
        number = math.nan
    if not math.isfinite(number) or (of.type == "whole" and not number.is_integer()):
        raise _unfit(of, value, wanted)
    if of.type == "number":
        return written
    # 5e3 is a whole number for people, and not for the command line; a long seed is no float.
    return str(int(written) if written.lstrip("+-").isdecimal() else int(number))


def _text(of: Field, value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        raise _unfit(of, value, "A text was expected.")
    written = str(value)
    if len(written) > MAX_TEXT or any(ord(c) < 32 or 0xD800 <= ord(c) < 0xE000 for c in written):
        raise _unfit(of, written[:40], f"A line of at most {MAX_TEXT:,} characters was expected.")
    return written


def _unfit(of: Field, value: object, wanted: str) -> HTTPProblem:
    shown = repr(value)
    return HTTPProblem(422, f"`{of.name}` is {shown if len(shown) <= 60 else shown[:60] + '…'}.", wanted)
