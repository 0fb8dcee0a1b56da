"""The one exception a user ever sees.

Every refusal is one sentence that says what was found and what was expected, and a hint that says how to cure it.
The command line prints both on standard error and exits with 2; the library raises them as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from importlib import import_module
from types import ModuleType

MAX_QUOTED = 160
MAX_COMMAND = 10_000
_LONG = re.compile(rf"`(?P<quoted>[^`]*)`|[^\s`]{{{MAX_QUOTED + 1},}}")


def cut_quotes(sentence: str) -> str:
    """The sentence with long quotes cut to a line: a damaged file may hold a name of a megabyte.

    Commands are left whole up to the length of any sensible one: people run what they are told.

    Examples
    --------
    >>> cut_quotes("There is no column `" + "x" * 1000 + "`.").count("x")
    157
    """
    if len(sentence) <= MAX_QUOTED:
        return sentence
    return _LONG.sub(_cut_match, sentence)


def _cut_match(match: re.Match[str]) -> str:
    quoted = match["quoted"]
    if quoted is None:
        return _cut(match[0])
    whole = quoted.startswith("outscore ") and len(quoted) <= MAX_COMMAND
    return match[0] if whole else f"`{_cut(quoted)}`"


def _cut(text: str) -> str:
    """The beginning and the end of a text: both ends of a path say something."""
    return text if len(text) <= MAX_QUOTED else f"{text[: MAX_QUOTED - 40]} … {text[-37:]}"


class OutscoreError(ValueError):
    """Bad input or an impossible request.

    Parameters
    ----------
    message
        What was found and what was expected, in one sentence.
    hint
        How to cure it.
    parameter
        The option to blame, by its long name with underscores (``"unit_size"``), where one is known. The page marks its field.
    file, line
        The file to blame and the line in it, where they are known.

    Examples
    --------
    >>> raise OutscoreError("`alpha` is 5.", "Give a number between 0 and 1.", parameter="alpha")
    Traceback (most recent call last):
    outscore.core.errors.OutscoreError: `alpha` is 5. Give a number between 0 and 1.
    """

    def __init__(
        self,
        message: str,
        hint: str = "",
        *,
        parameter: str | None = None,
        file: str | None = None,
        line: int | None = None,
    ) -> None:
        message, hint = cut_quotes(message), cut_quotes(hint)
        super().__init__(message, hint)
        self.message = message
        self.hint = hint
        self.parameter = parameter
        self.file = file
        self.line = line

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".rstrip()

    def __reduce__(self) -> tuple[object, ...]:
        # Exceptions are rebuilt from their arguments alone, which would lose the keywords on the way out of a worker process.
        return type(self), (self.message, self.hint), dict(self.__dict__)


class ClustersError(OutscoreError):
    """A refusal because the items lie in clusters, which may have been recognised by the name of a column."""


class ShiftError(OutscoreError):
    """A refusal because the test can ask about no difference of this metric but 0."""


class RowError(OutscoreError):
    """A refusal because of a `row`, counted from 0, that has a `problem`; whoever knows its file and line says so."""

    row = 0
    problem = ""

    @classmethod
    def of(cls, row: int, problem: str, hint: str) -> RowError:
        """The refusal of this row."""
        refusal = cls(f"Row {row + 1} {problem}.", hint, parameter="metric")
        refusal.row, refusal.problem = row, problem
        return refusal


class MeasuresError(OutscoreError):
    """A refusal because `measures` are columns of scores of one system, or of each system in a column if `by_system`."""

    measures: tuple[str, ...] = ()
    by_system = False

    @classmethod
    def of(cls, message: str, hint: str, measures: Iterable[str], *, by_system: bool = False) -> MeasuresError:
        """The refusal of these columns."""
        refusal = cls(message, hint, parameter="score")
        refusal.measures, refusal.by_system = tuple(measures), by_system
        return refusal


def load_extra(module: str, purpose: str, extra: str) -> ModuleType:
    """A module of an optional library, or a refusal that says how to get it.

    Examples
    --------
    >>> load_extra("no_such_library", "read minds", "minds")
    Traceback (most recent call last):
    ...
    outscore.core.errors.OutscoreError: no-such-library must be installed to read minds. Run `pip install 'outscore[minds]'`.
    """
    try:
        return import_module(module)
    except ImportError:
        library = module.partition(".")[0].replace("_", "-")
        raise OutscoreError(f"{library} must be installed to {purpose}.", f"Run `pip install 'outscore[{extra}]'`.") from None


def require_polars(purpose: str) -> None:
    """Refuse what only polars can do where it is not installed."""
    load_extra("polars", purpose, "parquet")


def describe_crash(error: BaseException, most: int | None = None) -> str:
    """What an unexpected exception is, in at `most` so many letters, and the innermost line of this package that it passed.

    Examples
    --------
    >>> describe_crash(KeyError("x"))
    "KeyError: 'x'"
    """
    import os
    import traceback

    package = os.path.dirname(os.path.dirname(__file__)) + os.sep  # noqa: PTH120
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if frame.filename.startswith(package)] or list(frames)
    where = f" ({os.path.basename(ours[-1].filename)}, line {ours[-1].lineno})" if ours else ""  # noqa: PTH119
    what = " ".join("".join(traceback.format_exception_only(error)).split())
    return what[:most].rstrip(".") + where
