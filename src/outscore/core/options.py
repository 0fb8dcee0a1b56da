"""Declared options: every parameter of a command, a test or a metric, stated once.

An `Option` says all there is to know about one parameter: its type, default and choices, one line of help, how it stands in a
form, and when it means anything. Command line, Python signatures, page forms, config files and docs tables are made by looping
over options, and `Option.read` is the only parser of a written value. `parse_spec` reads the short form of a metric with
options, for example ``"fbeta:beta=2"``.
"""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from fractions import Fraction
from numbers import Integral, Real
from typing import Any, Literal, NoReturn

from outscore.core.errors import OutscoreError
from outscore.core.records import dataclass

LARGEST_LEVEL = 0.5
"""A larger one is a level of confidence."""
LARGEST_SEED = 2**64
LARGEST_COUNT = 10**9
"""More than anybody would wait for."""
MOST_ITEMS = 10**12
"""No test set is larger, and beyond it distribution functions run out of digits."""
OptionValue = str | int | float | bool | Fraction | None
Kind = Literal["value", "flag", "file", "column", "system", "metric", "names", "settings"]
"""What an option is filled in with: a plain value, a tick, the name of a file, of a column or of a system, metrics with their
options, names separated by commas, or settings of the form key=value."""
Choices = tuple[str, ...] | Callable[[], Mapping[str, str]]


@dataclass(frozen=True)
class Mode:
    """A way to use a command, for which some options are and outside which they would have no effect.

    Parameters
    ----------
    name
        One word; an option may have its own `cure` for a mode that others share.
    refusal, cure
        What is said of an option that is given outside the mode, and what to do instead. ``{long}``, ``{keyword}`` and
        ``{value}`` are those of the option, other words in braces come from whoever refuses it.
    option, values
        If the mode is that another option has one of these values, so that forms can show what belongs to it.
    """

    name: str
    refusal: str
    cure: str = "Leave --{long} out."
    option: str = ""
    values: tuple[str, ...] = ()

    def cured(self, cure: str) -> Mode:
        """The same mode with another cure."""
        return replace(self, cure=cure)

    def refuse(self, option: Option, value: object, **facts: object) -> NoReturn:
        """Refuse an option, given with this value outside the mode."""
        words = {"long": option.long, "keyword": option.keyword, "value": value, **facts}
        raise OutscoreError(self.refusal.format(**words), self.cure.format(**words), parameter=option.name)


@dataclass(frozen=True)
class Option:
    """One parameter of a command, a test or a metric.

    Parameters
    ----------
    name
        With underscores: ``"unit_size"`` is ``--unit-size`` on the command line.
    type, default
        The type of one value, and what holds where nothing is given.
    help
        One line.
    choices
        The allowed values. A function returns the usual ones with a line of help each, so that declaring an option imports no
        registry; whether another value will do is then for the request to check.
    minimum
        The smallest number allowed.
    check
        Refuses, by the option's name, a value that makes no sense: `check_seed`, `check_level` and their like.
    label, group, form_help
        What a form calls the option, if not by its name, the part of the form it stands in, and its line of help there, where
        `help` speaks of other commands and options by their names on the command line.
    kind
        What it is filled in with.
    many
        Whether it may be given several times.
    least, most
        How many values are needed and allowed, of files and of fixed numbers of values.
    only_for
        The modes in which it means anything.
    metavar
        How its value is written on the command line, ``"COLUMN"``; from type and choices where empty.
    default_text
        What the help says of the default, where that depends on the data: ``"mean; f1 for counts"``.
    shortcuts
        Flags of the command line that stand for one of its values each: ``("lower-is-better", "lower")``.
    also
        Other names on the command line and in config files, without dashes in front.
    always_saved
        Whether saved settings name it even at its default.
    python, annotation, doc
        What Python calls it, if not by its name (None: it has no keyword of its own there), its annotation, if not the one that
        follows from the type, and its text in the docstring, if that should say more than `help`.
    """

    name: str
    type: type[str | int | float | bool | Fraction]
    default: Any
    help: str
    choices: Choices = ()
    minimum: float | None = None
    check: Callable[[str, object], None] | None = None
    label: str = ""
    group: str = ""
    form_help: str = ""
    kind: Kind = "value"
    many: bool = False
    least: int = 0
    most: int | None = None
    only_for: tuple[Mode, ...] = ()
    metavar: str = ""
    default_text: str = ""
    shortcuts: tuple[tuple[str, str], ...] = ()
    also: tuple[str, ...] = ()
    always_saved: bool = True
    python: str | None = ""
    annotation: str = ""
    doc: str = ""

    @property
    def known(self) -> dict[str, str]:
        """The choices, with a line of help where there is one."""
        return dict(self.choices()) if callable(self.choices) else dict.fromkeys(self.choices, "")

    @property
    def long(self) -> str:
        """The name on the command line, without dashes in front."""
        return self.name.replace("_", "-")

    @property
    def keyword(self) -> str | None:
        """The name in Python; None where Python has no keyword for it."""
        return None if self.python is None else self.python or self.name

    @property
    def by_row(self) -> bool:
        """Whether Python takes a label per row in place of the name of a column."""
        return self.kind == "column" and "ArrayLike" in self.annotation

    @property
    def form_text(self) -> str:
        """The line of help in a form, which has its own signs and names no kind of files that its command has not."""
        if self.form_help:
            return self.form_help
        text = _ON_THE_COMMAND_LINE.sub("", self.help)
        return (text[:1].upper() + text[1:]).replace("...", "…").replace(" - ", " − ")

    def mode(self, name: str) -> Mode | None:
        """The mode of this name, if the option is for it."""
        return next((mode for mode in self.only_for if mode.name == name), None)

    def read(self, value: object) -> OptionValue:
        """Turn one written or given value into this option's type, or refuse it in one sentence."""
        if value is None and self.default is None:
            return None
        fixed = () if callable(self.choices) else self.choices
        expected = f"Expected {_NAMES[self.type]}" + (f", one of {', '.join(fixed)}" if fixed else "") + "."
        try:
            result = self._converted(value)
        except (ValueError, KeyError, TypeError, ZeroDivisionError):
            raise OutscoreError(f"Option `{self.name}` is {value!r}.", expected, parameter=self.name) from None
        if fixed and result not in fixed:
            raise OutscoreError(f"Option `{self.name}` is {value!r}.", expected, parameter=self.name)
        if self.minimum is not None and not (isinstance(result, (int, float, Fraction)) and result >= self.minimum):
            hint = f"It must be at least {self.minimum:g}."
            raise OutscoreError(f"Option `{self.name}` is {value!r}.", hint, parameter=self.name)
        self.refuse_senseless(result)
        return result

    def refuse_senseless(self, value: object) -> None:
        """Refuse what is none of the choices, and numbers that make no sense, from text, a file of settings or Python."""
        if isinstance(value, type(self.default)) and value == self.default:
            return
        if self.choices and not callable(self.choices) and value not in self.choices:
            hint = f"Choose one of: {', '.join(self.choices)}."
            raise OutscoreError(f"`{self.name}` is {value!r}.", hint, parameter=self.name)
        if self.type not in (int, float):
            return
        for one in value if isinstance(value, tuple) else (value,):
            if self.check is not None:
                self.check(self.name, one)
            elif self.type is float and not math.isfinite(_number(one)):
                raise OutscoreError(f"`{self.name}` is {quoted(one)}.", "Give a finite number.", parameter=self.name)

    def _converted(self, value: object) -> OptionValue:
        if self.type is bool:
            return _BOOLEANS[str(value).lower()]
        if self.type is Fraction:
            # 1e999999999 is a number of a billion digits.
            if _HUGE.search(str(value)):
                raise ValueError(value)
            return Fraction(str(value))
        if self.type in (int, float) and (isinstance(value, bool) or "_" in str(value)):
            raise ValueError(value)
        if self.type is int and (isinstance(value, float) or "e" in str(value)):
            # Not by way of a float where digits are given: a seed may have more of them than a float holds.
            whole = float(str(value))
            if not whole.is_integer():
                raise ValueError(value)
            return int(whole)
        return self.type(value)  # type: ignore[arg-type,call-overload]


MAX_MISSPELT = 200
_HUGE = re.compile(r"[eE][+-]?\d{3}|\d{300}")
_ON_THE_COMMAND_LINE = re.compile(
    r"^(Texts|Logs|Outputs|Trees|Entities|Coreference|Arena-Hard|With --\S+)(, with --\S+)?: "
    r"|; (needs --\S+|repeatable|give (it|the option) twice)(?=\.$)"
)
"""What a line of help says of its command: forms show options where they belong, and take several values by themselves."""
_NAMES = {
    str: "a word",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    Fraction: "a number such as 2, 0.5 or 1/3",
}
_BOOLEANS = {
    **dict.fromkeys(("true", "yes", "1", "on"), True),
    **dict.fromkeys(("false", "no", "0", "off"), False),
}


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A hint for a misspelt name: the nearest one, or the whole list."""
    names = sorted(known)
    near = meant(word, names)
    return f"Choose one of: {', '.join(names)}." if near is None else f"Did you mean `{near}`?"


def meant(word: str, known: Iterable[str]) -> str | None:
    """The name most like a misspelt word, whatever its case, or None.

    Examples
    --------
    >>> meant("JSON", ["text", "json"]), meant("xyzzy", ["text", "json"])
    ('json', None)
    """
    # Case is the commonest slip of all.
    plain = {name.lower(): name for name in sorted(known, reverse=True)}
    near = nearest(str(word).lower(), plain)
    return None if near is None else plain[near]


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The name most like a misspelt word, or None; a page of text is not a misspelling, and comparing two pages takes minutes.

    Examples
    --------
    >>> nearest("permutaton", ["bootstrap", "permutation"]), nearest("x" * 100_000, ["x" * 99_999])
    ('permutation', None)
    """
    if len(word) > MAX_MISSPELT:
        return None
    return next(iter(difflib.get_close_matches(word, [name for name in known if len(name) <= MAX_MISSPELT], n=1)), None)


def complete(owner: str, declared: Iterable[Option], values: Mapping[str, object]) -> dict[str, OptionValue]:
    """All options of `owner` with the given values read and the others at their defaults."""
    table = {option.name: option for option in declared}
    for name in values:
        if name not in table:
            hint = did_you_mean(name, table) if table else "It takes no options."
            raise OutscoreError(f"`{owner}` has no option `{name}`.", hint, parameter=name)
    return {name: option.read(values[name]) if name in values else option.default for name, option in table.items()}


def parse_spec(spec: str) -> tuple[str, dict[str, str]]:
    """Split ``name:key=value:key=value`` into its name and its written options.

    Examples
    --------
    >>> parse_spec("fbeta:beta=2")
    ('fbeta', {'beta': '2'})
    """
    name, *pairs = spec.strip().split(":")
    values = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals or not key:
            raise OutscoreError(
                f"`{spec}` is not a name with options.", "Write it as name:key=value, for example fbeta:beta=2."
            )
        values[key.strip()] = value.strip()
    return name.strip(), values


DIRECTION_WORDS: dict[Literal["higher", "lower"], tuple[str, ...]] = {
    "higher": ("higher", "high", "max", "maximum", "maximize", "↑"),
    "lower": ("lower", "low", "min", "minimum", "minimize", "↓"),
}
"""What people write behind a name to say which scores are better."""


def written_direction(written: str) -> tuple[str, Literal["higher", "lower"] | None]:
    """A name without the direction in brackets behind it, and that direction, if there is one.

    Examples
    --------
    >>> written_direction("latency (lower)"), written_direction("MQM(Lower is better)"), written_direction("F1 (micro)")
    (('latency', 'lower'), ('MQM', 'lower'), ('F1 (micro)', None))
    """
    match = re.fullmatch(r"(.+?)\s*\(\s*([^()]+?)\s*\)", written)
    word = "" if match is None else match[2].lower().removesuffix(" is better")
    for direction, words in DIRECTION_WORDS.items():
        if match is not None and word in words:
            return match[1], direction
    return written, None


SMALLEST_LEVEL = 1e-12
"""Below this the quantiles that intervals and plans take have no digits left."""


def check_level(name: str, level: object, least: float = SMALLEST_LEVEL) -> None:
    """Refuse what is not a level of a test; one above one half is a confidence level that was mistaken for it.

    Examples
    --------
    >>> check_level("alpha", 0.05)
    """
    check_share(name, level, "0.05")
    number = _number(level)
    if number < least:
        raise OutscoreError(f"`{name}` is {quoted(level)}.", f"Give at least {least:g}.", parameter=name)
    if number > LARGEST_LEVEL:
        hint = f"The level of a test is 1 minus the confidence level: give {1 - number:.6g}."
        raise OutscoreError(f"`{name}` is {quoted(level)}, which looks like a confidence level.", hint, parameter=name)


def check_share(name: str, share: object, usual: str) -> None:
    """Refuse what does not lie between 0 and 1; `usual` is what the hint proposes."""
    if not 0 < _number(share) < 1:
        raise OutscoreError(f"`{name}` is {quoted(share)}.", f"Give a number between 0 and 1, such as {usual}.", parameter=name)


def check_range(name: str, ends: object) -> tuple[float, float]:
    """The smallest and the largest of something, two numbers in this order; anything else is refused.

    Examples
    --------
    >>> check_range("bounds", [0, 100])
    (0.0, 100.0)
    """
    listed = list(ends) if isinstance(ends, Iterable) and not isinstance(ends, str) else []
    numbers = [_number(end) for end in listed]
    if len(numbers) != 2 or not all(map(math.isfinite, numbers)) or not numbers[0] < numbers[1]:
        given = " and ".join(map(quoted, listed)) if len(listed) > 1 else quoted(ends)
        raise OutscoreError(f"`{name}` is {given}.", "Give the smallest and the largest score, such as 0 100.", parameter=name)
    return numbers[0], numbers[1]


def check_seed(name: str, seed: object) -> None:
    """Refuse what cannot seed a generator."""
    if not _is_whole(seed) or not 0 <= int(str(seed)) < LARGEST_SEED:
        raise OutscoreError(f"`{name}` is {quoted(seed)}.", "Give a whole number from 0 up to 2**64 - 1.", parameter=name)


def check_count(name: str, count: object, most: int = LARGEST_COUNT) -> None:
    """Refuse what counts nothing, and what is more than could be meant."""
    if not _is_whole(count) or int(str(count)) < 1:
        raise OutscoreError(f"`{name}` is {quoted(count)}.", "Give a whole number from 1 up.", parameter=name)
    if int(str(count)) > most:
        raise OutscoreError(f"`{name}` is {quoted(count)}.", f"Give at most {most:,}.", parameter=name)


def _is_whole(value: object) -> bool:
    # Python counts True as a whole number, people do not; and it does not write numbers of thousands of digits.
    return not isinstance(value, bool) and isinstance(value, Integral) and abs(int(value)) < 10**300


def _number(value: object) -> float:
    """A number as a float, infinite where it is too large for one; NaN for anything else, and for True, which Python counts."""
    if isinstance(value, bool) or not isinstance(value, Real):
        return math.nan
    try:
        return float(value)
    except OverflowError:
        return math.inf


def quoted(value: object) -> str:
    """A value as a refusal quotes it, however long its digits."""
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, int) and abs(value) >= 10**300:
        return "a number of hundreds of digits"
    return repr(value)
