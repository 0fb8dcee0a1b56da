"""Declared options: the parameters of tests and metrics, each stated once.

A registry entry lists its options with type, default and one line of help. Command line, page forms and docs loop over
them, and `parse_spec` reads the short written form, for example ``"fbeta:beta=2"``.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from outscore.core.errors import OutscoreError

__all__ = ["Option", "OptionValue", "complete", "did_you_mean", "parse_spec"]

OptionValue = str | int | float | bool | Fraction | None


@dataclass(frozen=True)
class Option:
    """One parameter of a test or a metric."""

    name: str
    type: type[str | int | float | bool | Fraction]
    default: OptionValue
    help: str
    choices: tuple[str, ...] = ()
    minimum: float | None = None

    def read(self, value: object) -> OptionValue:
        """Turn a written or given value into this option's type, or refuse it in one sentence."""
        if value is None and self.default is None:
            return None
        expected = f"Expected {_NAMES[self.type]}" + (f", one of {', '.join(self.choices)}" if self.choices else "") + "."
        try:
            if self.type is bool:
                result: OptionValue = _BOOLEANS[str(value).lower()]
            elif self.type is Fraction:
                result = Fraction(str(value))
            elif self.type is int and isinstance(value, float) and not value.is_integer():
                raise ValueError(value)
            else:
                result = self.type(value)  # type: ignore[arg-type,call-overload]
        except (ValueError, KeyError, TypeError, ZeroDivisionError):
            raise OutscoreError(f"Option `{self.name}` is {value!r}.", expected) from None
        if self.choices and result not in self.choices:
            raise OutscoreError(f"Option `{self.name}` is {value!r}.", expected)
        if self.minimum is not None and not (isinstance(result, (int, float, Fraction)) and result >= self.minimum):
            raise OutscoreError(f"Option `{self.name}` is {value!r}.", f"It must be at least {self.minimum:g}.")
        return result


_NAMES = {
    str: "a word",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    Fraction: "a number such as 2, 0.5 or 1/3",
}
_BOOLEANS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A hint for a misspelt name: the nearest one, or the whole list."""
    names = sorted(known)
    # Case is the commonest slip of all.
    plain = {name.lower(): name for name in reversed(names)}
    near = difflib.get_close_matches(str(word).lower(), list(plain), n=1)
    return f"Did you mean `{plain[near[0]]}`?" if near else f"Choose one of: {', '.join(names)}."


def complete(owner: str, declared: Iterable[Option], given: Mapping[str, object]) -> dict[str, OptionValue]:
    """All options of `owner` with the given values read and the others at their defaults."""
    table = {option.name: option for option in declared}
    for name in given:
        if name not in table:
            hint = did_you_mean(name, table) if table else "It takes no options."
            raise OutscoreError(f"`{owner}` has no option `{name}`.", hint)
    return {name: option.read(given[name]) if name in given else option.default for name, option in table.items()}


def parse_spec(spec: str) -> tuple[str, dict[str, str]]:
    """Split ``name:key=value:key=value`` into its name and its written options.

    Examples
    --------
    >>> parse_spec("fbeta:beta=2")
    ('fbeta', {'beta': '2'})
    """
    name, *pairs = spec.strip().split(":")
    given = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals or not key:
            raise OutscoreError(
                f"`{spec}` is not a name with options.", "Write it as name:key=value, for example fbeta:beta=2."
            )
        given[key.strip()] = value.strip()
    return name.strip(), given
