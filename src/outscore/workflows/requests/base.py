"""What a request is: the files and options of one command, and the ways to use it, for which some options are."""

from __future__ import annotations

import dataclasses
import os
import shlex
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Self

from outscore.core.errors import OutscoreError
from outscore.core.options import Mode, Option, did_you_mean
from outscore.core.records import dataclass

if TYPE_CHECKING:
    from outscore.scores.system import Origin


# The ways to use a command, for each of which some options are: texts or scores, tables or logs, the same items or not.
#
# An option names its modes (`Option.only_for`); `Request.refuse_outside` refuses what is given outside of them.


PAIRED = Mode(
    "paired",
    "--{long} needs the same items for both systems, but with --unpaired the items differ.",
    "Leave one of the two out.",
)
TEXTS = Mode("texts", "--{long} is for texts, but no --reference was named.", "Add --reference FILE, or leave --{long} out.")
SCORES = Mode("scores", "--{long} is for tables of scores, not for texts.")
NO_OUTPUTS = Mode("no outputs", "--{long} is for tables of scores, not for outputs.")
TABLES = Mode(
    "tables",
    "--{long} is for tables, but {log} is a log of an evaluation harness.",
    "Choose a part of the log with --log-task, --metric and --filter, or read it as a table with --reader jsonl.",
)
LOGS = Mode(
    "logs",
    "--{long} is for logs of evaluation harnesses, but the input is not a log.",
    "Leave --{long} out, or name the format of the logs with --reader.",
)
FILES = Mode("files", "`{keyword}` is for files, but the scores are given directly.", "Leave `{keyword}` out.")
ALL_ROWS = Mode(
    "all rows",
    "--{long} needs all rows at once, but Parquet parts are read one by one.",
    "Leave --{long} out, or name the files one by one if they are few and small.",
)
SINGLE = Mode("single", "--{long} is for a single score, but --measure names {measures}.", "Leave it out.")
MEASURES = Mode("measures", "--{long} needs measures, but no --measure was named.", "Name each measure with --measure.")
EXPLAINED = Mode("explained", "--{long} only works together with --explain.", "Add --explain, or leave --{long} out.")
ONE_LOOK = Mode(
    "one look",
    "--anytime tests single items against no difference, so it cannot be combined with `{keyword}`.",
    "Leave one of the two out.",
)
SHIFTED = Mode("shifted", "--{long} is about a margin or a one-sided --delta, but there is none.")
BOUNDED = Mode(
    "bounded",
    "--{long} is for a margin, a one-sided --delta, --anytime or --missing zero, but there is none.",
    "Leave --{long} out, or ask for one of them.",
)


def of_values(option: str, values: tuple[str, ...]) -> Mode:
    """The mode in which another option has one of these values."""
    listed = " or ".join(f"`{value}`" for value in values)
    return Mode(option, f"--{{long}} is for {option} {listed}, not for `{{{option}}}`.", option=option, values=values)


def without(option: str) -> Mode:
    """The mode in which another option is not given."""
    return Mode(f"without {option}", f"--{{long}} cannot be combined with --{option}.", "Leave one of them out.")


# What a request is: the files and options of one command, as a frozen dataclass whose fields carry their declarations.
#
# A request holds what changes numbers and nothing else, so no engines, output files or verbosity. It comes from written
# text (`from_written`), which is how the command line, config files and the page hand it over, and goes back to text
# (`written`) with only those options that differ from their defaults. `validate` refuses, before any file is opened,
# whatever needs no data to be refused, and names the option to blame.


Written = str | Sequence[str] | Mapping[str, str]
_OPTION, _AFTER = "option", "after"


FACTS: dict[str, dict[str, Any]] = {
    "flag": {"type": bool, "default": False},
    "column": {"group": "data", "metavar": "COLUMN", "always_saved": False},
    "file": {"group": "files", "metavar": "FILE", "always_saved": False, "most": 1},
    "settings": {"default": {}, "many": True, "always_saved": False},
    "system": {"group": "data", "metavar": "NAME"},
}
"""What usually holds for options of a kind."""


def make_option(name: str, help: str, **facts: Any) -> Option:  # noqa: ANN401 - the other fields of an option
    """An option of a request: of the type of its default, a word without one, or what its kind says, if `facts` say no more."""
    given = facts.get("default")
    usual: dict[str, Any] = {"type": type(given) if isinstance(given, (int, float)) else str, "default": None}
    usual |= FACTS.get(facts.get("kind", ""), {})
    if facts.get("many"):
        usual |= {"default": (), "most": None}
    return Option(name=name, help=help, **{**usual, **facts})


def declare(option: Option, *, after: str | None = None, **changed: Any) -> Any:  # noqa: ANN401 - the type is that of the field
    """A field of a request with its declaration; `changed` replaces parts of a shared one, such as its help.

    It is shown right after the option called `after`; without that, where the base classes show it, or last.
    """
    declaration = dataclasses.replace(option, **changed)
    metadata = {_OPTION: declaration, _AFTER: after}
    if isinstance(declaration.default, dict):
        return dataclasses.field(default_factory=dict, metadata=metadata)
    return dataclasses.field(default=declaration.default, metadata=metadata)


def own(name: str, help: str, *, after: str | None = None, **facts: Any) -> Any:  # noqa: ANN401 - the type is that of the field
    """A field with an option that no other request has."""
    return declare(make_option(name, help, **facts), after=after)


@dataclass(frozen=True)
class Request:
    """What every request can do. Subclasses declare their options as fields.

    Class attributes: `command` is the name of the request, `subcommand` the word on the command line, `function` the name in
    Python, and `positional` the file options that are arguments on the command line, in order.
    """

    command: ClassVar[str]
    subcommand: ClassVar[str]
    function: ClassVar[str]
    positional: ClassVar[tuple[str, ...]] = ("files",)

    def __post_init__(self) -> None:
        """Refuse numbers that make no sense, whichever way they came."""
        for option in self.options():
            option.refuse_senseless(self.value(option.name))

    @classmethod
    def options(cls) -> tuple[Option, ...]:
        """The declarations of all options, in the order in which they are shown."""
        if cls not in _ORDERED:
            _ORDERED[cls] = _in_order(cls)
        return _ORDERED[cls]

    @classmethod
    def option(cls, name: str) -> Option:
        """The declaration of one option."""
        return next(option for option in cls.options() if option.name == name)

    @classmethod
    def from_written(cls, given: Mapping[str, Written]) -> Self:
        """The request that these texts describe; names may have dashes or underscores.

        Examples
        --------
        >>> from outscore.workflows.requests.registry import REQUESTS
        >>> request = REQUESTS["compare"].from_written({"files": ["a.txt", "b.txt"], "unit-size": "5"})
        >>> request.unit_size, request.written()
        (5, {'files': ['a.txt', 'b.txt'], 'unit_size': '5'})
        """
        known = {option.name: option for option in cls.options()}
        aliases = {alias: option.name for option in known.values() for alias in option.also}
        values: dict[str, Any] = {}
        for written, text in given.items():
            name = aliases.get(written.replace("_", "-"), written.replace("-", "_"))
            if name not in known:
                hint = did_you_mean(written, [option.long for option in known.values()])
                raise OutscoreError(f"`{cls.command}` has no option `{written}`.", hint, parameter=name)
            values[name] = _read(known[name], text)
        return cls.of(values)

    @classmethod
    def from_python(cls, given: Mapping[str, Any], **more: Any) -> Self:  # noqa: ANN401 - values of all types
        """The request that keyword arguments describe; `more` are options by their own names, such as files."""
        keywords = {option.keyword: option for option in cls.options() if option.keyword is not None}
        values: dict[str, Any] = {}
        for keyword, value in given.items():
            option = keywords[keyword]
            # None means "not given", unless the option expects a number or a word: then None is a mistake.
            if value is not None or isinstance(option.default, (str, int, float)):
                values[option.name] = _from_python(option, value)
        return cls.of({**values, **more})

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Self:
        """The request with these values by the names of their options."""
        return cls(**values)

    def value(self, name: str) -> Any:  # noqa: ANN401 - of whatever type the option has
        """The value of an option."""
        return getattr(self, name)

    def is_given(self, option: Option) -> bool:
        """Whether an option differs from its default."""
        return bool(self.value(option.name) != option.default)

    def values_for(self, record: type[Any]) -> dict[str, Any]:
        """The values of the options that a record has as fields, such as a question or another request."""
        names = {field.name for field in dataclasses.fields(record)}
        return {option.name: self.value(option.name) for option in self.options() if option.name in names}

    def refuse_outside(self, mode: Mode, **facts: object) -> None:
        """Refuse options that are for a mode in which this request is not; `facts` complete the refusal."""
        for option in self.options():
            for own in option.only_for:
                if own.name == mode.name and self.is_given(option):
                    own.refuse(option, self.value(option.name), **facts)

    def require_files(self, cure: str, *, what: str = "", most: int | None = None) -> None:
        """Refuse to work without a file, or with more than `most`; `what` says for what they are."""
        named = len(self.value("files"))
        if not named and most is None:
            raise OutscoreError("No file was named.", cure, parameter="files")
        if most is not None and not 1 <= named <= most:
            raise OutscoreError(f"{named} files were named, but {what}.", cure, parameter="files")

    def written(self) -> dict[str, str | list[str]]:
        """The options that differ from their defaults, as text: `from_written` makes an equal request of it."""
        return {option.name: _as_text(option, self.value(option.name)) for option in self.options() if self.is_given(option)}

    @property
    def inputs(self) -> list[str]:
        """The names of all files to read, as written."""
        values = [self.value(option.name) for option in self.options() if option.kind == "file"]
        return [path for value in values if value is not None for path in ([value] if isinstance(value, str) else value)]

    @property
    def system_paths(self) -> Sequence[str]:
        """The files of the systems, in order, as written."""
        return tuple(self.value("files"))

    @property
    def data_files(self) -> Sequence[str]:
        """The files that must be there, as written: those of the systems, and references or right answers to them."""
        return self.system_paths

    def further_columns(self) -> dict[str, str]:
        """The columns that were named and that no reader looks for by itself, such as slices and weights, by option."""
        from outscore.formats.base.entry import Choice

        parts = {field.name for field in dataclasses.fields(Choice)} - {"slice"}
        names = (option.name for option in self.options() if option.kind == "column" and not option.many)
        found = {name: self.value(name) for name in names if name.removesuffix("_column") not in parts}
        return {name: column for name, column in found.items() if column}

    def columns(self) -> dict[str, Any]:
        """The columns that were named, by the parameters of readers."""
        from outscore.metrics.registry import beside_of

        named = {option.name: self.value(option.name) for option in self.options() if option.kind == "column"}
        columns = {name.removesuffix("_column"): value for name, value in named.items() if value}
        further = self.further_columns()
        columns = {name: value for name, value in columns.items() if name not in further}
        if further:
            columns["slice"] = tuple(dict.fromkeys(further.values()))
        if "gold_column" in named:
            columns["gold_option"] = "gold_column"
        beside = beside_of(getattr(self, "metric", None))
        if beside not in ("", "classes"):
            columns["beside"] = beside
        if getattr(self, "transpose", False):
            columns["transpose"] = True
        if getattr(self, "missing", None) == "drop":
            columns["drop"] = True
        if getattr(self, "missing", None) == "zero":
            columns |= self._worst()
        return columns

    def _worst(self) -> dict[str, Any]:
        """The score of a row that has none: 0, or the worse of the bounds where they are given."""
        bounds, lower = getattr(self, "bounds", ()), self.value("direction") == "lower"
        if not bounds:
            return {"fill": 0.0}
        return {"fill": bounds[1] if lower else bounds[0], "fill_for": "lower" if lower else "higher"}

    def validate(self) -> None:
        """Refuse whatever can be refused before a file is opened; errors name their parameter."""
        raise NotImplementedError

    def settings(self, inputs: Iterable[Origin] = (), **found: Any) -> dict[str, Any]:  # noqa: ANN401
        """What is saved with a result, so that it can be repeated; `found` is what the data decided."""
        return {**self.saved_options(), **found, "inputs": input_settings(inputs), "versions": versions()}

    def saved_options(self) -> dict[str, Any]:
        """The options as JSON values: all of them, apart from those that are saved only if they were given."""
        kept = [option for option in self.options() if option.always_saved or self.is_given(option)]
        return {option.name: saved_value(option, self.value(option.name)) for option in kept}

    def words(self) -> list[str]:
        """The words of the command line that asks for this, without outputs."""
        words = [self.subcommand]
        arguments: list[str] = []
        for option in self.options():
            if not self.is_given(option):
                continue
            text = _as_text(option, self.value(option.name))
            values = [text] if isinstance(text, str) else text
            if option.name in self.positional:
                arguments += values
            elif option.kind == "flag":
                words.append(f"--{option.long}")
            elif values[0] in (short := {value: flag for flag, value in option.shortcuts}):
                words.append(f"--{short[values[0]]}")
            elif option.least > 1 and option.kind != "file":
                words += [f"--{option.long}", *values]
            else:
                words += [word for value in values for word in _option_words(option.long, value)]
        return [*words, *arguments]

    def command_line(self, outputs: Sequence[str] = (), **changed: Any) -> str:  # noqa: ANN401 - values of options
        """The command line, ready to copy, with some options `changed`."""
        words = dataclasses.replace(self, **changed).words()
        return shlex.join(["outscore", *words, *(word for name in outputs for word in ("-o", name))])

    def data_arguments(self) -> list[str]:
        """What `python_call` passes by position: up to two files one by one, any number of files as a list."""
        files = self.value("files")
        if self.option("files").most is None and len(files) != 1:
            return [repr(list(files))]
        return [repr(name) for name in files]

    def python_call(self) -> str:
        """The Python call, ready to copy, that does what the command line does."""
        named = [
            f"{option.keyword}={_literal(self.value(option.name), listed=option.kind == 'names')}"
            for option in self.options()
            if option.keyword is not None and option.kind != "file" and self.is_given(option)
        ]
        call = f"result = osc.{self.function}({', '.join([*self.data_arguments(), *self.file_arguments(), *named])})"
        return f"import outscore as osc\n\n{call}"

    def file_arguments(self) -> list[str]:
        """Files that `python_call` passes by keyword: those that are not arguments of the command line."""
        further = [option for option in self.options() if option.kind == "file" and option.name not in self.positional]
        return [f"{option.keyword}={self.file_literal(option)}" for option in further if self.is_given(option)]

    def file_literal(self, option: Option) -> str:
        """The files of an option as a Python literal; any number of them is a list, even if it is one."""
        return _literal(self.value(option.name), listed=option.most is None)


_ORDERED: dict[type[Request], tuple[Option, ...]] = {}


def _in_order(request: type[Request]) -> tuple[Option, ...]:
    """The options of a request: those of its bases from left to right, then its own, but each `after` the one it names."""
    fields = {field.name: field.metadata for field in dataclasses.fields(request) if _OPTION in field.metadata}
    names = _as_declared(request)
    order = [name for name in names if fields[name][_AFTER] is None]
    moved = [name for name in names if fields[name][_AFTER] is not None]
    while moved:
        name = next((name for name in moved if fields[name][_AFTER] in order), None)
        if name is None:
            raise ValueError(f"{request.__name__} has no options that {', '.join(moved)} could follow")
        order.insert(order.index(fields[name][_AFTER]) + 1, name)
        moved.remove(name)
    return tuple(fields[name][_OPTION] for name in order)


def _as_declared(request: type[Request]) -> list[str]:
    inherited = (name for base in request.__bases__ if issubclass(base, Request) for name in _as_declared(base))
    fields = (field for field in dataclasses.fields(request) if field.name in request.__annotations__)
    return list(dict.fromkeys((*inherited, *(field.name for field in fields if _OPTION in field.metadata))))


def saved_value(option: Option, value: object) -> object:
    """An option's value as a JSON value."""
    if isinstance(value, tuple):
        return (",".join(value) or None) if option.kind == "names" else list(value)
    if isinstance(value, Mapping):
        return {str(key): str(inner) for key, inner in value.items()}
    if value is None or isinstance(value, (str, int, float)):
        return value
    # A metric made in Python cannot be written as text, but it has a name.
    return str(getattr(value, "name", value)) if option.kind == "metric" else str(value)


def input_settings(inputs: Iterable[Origin]) -> list[dict[str, Any]]:
    """What a result saves about the files it was made from, each once, however many systems or measures were read from it."""
    from outscore.scores.system import rows_by_file

    files = [file for file in inputs if file.sha256]
    rows = rows_by_file(files)
    digests = {file.path: file.sha256 for file in files}
    return [{"path": path, "rows": rows[path], "sha256": digest} for path, digest in digests.items()]


def _read(option: Option, text: Written) -> Any:  # noqa: ANN401 - of whatever type the option has
    if option.kind == "settings":
        return _settings(option, text)
    if option.kind == "names":
        return _names(option, text)
    if option.kind == "metric" and not isinstance(text, str):
        return ",".join(text) or None
    if not option.many and option.least < 2:
        if not isinstance(text, str):
            values = list(text)
            if len(values) != 1:
                raise OutscoreError(f"`{option.long}` has {len(values)} values.", "One was expected.", parameter=option.name)
            text = values[0]
        return option.read(text)
    values = [text] if isinstance(text, str) else list(text)
    if option.least > 1 and option.kind != "file" and len(values) == 1:
        values = values[0].split()
    return tuple(option.read(value) for value in values)


def _names(option: Option, text: Written) -> tuple[str, ...]:
    parts = text.split(",") if isinstance(text, str) else text
    names = tuple(str(name).strip() for name in parts)
    if option.most == 2 and (len(names) != 2 or not all(names) or names[0] == names[1]):
        written = text if isinstance(text, str) else ",".join(names)
        hint = "Give two different names with one comma between them: --names A,B."
        raise OutscoreError(f'--names is "{written}".', hint, parameter=option.name)
    return names


def _from_python(option: Option, value: Any) -> Any:  # noqa: ANN401
    """A value as Python callers write it: one or several, tuples or lists, numbers of Python or of an array library."""
    value = _plain(value)
    if option.kind == "metric":
        _check_metric(option, value)
    named = str if option.by_row else (str, os.PathLike)
    if option.kind == "column" and not option.many and not isinstance(value, named):
        hint = "For a file or table, name the column that contains it."
        raise OutscoreError(f"`{option.keyword}` is not the name of a column.", hint, parameter=option.name)
    if option.kind == "settings":
        return {key: _plain(inner) for key, inner in dict(value).items()}
    if option.kind == "names":
        # A string is not a list of names; `validate` refuses it as it is.
        return value if isinstance(value, str) else tuple(value)
    if isinstance(option.default, tuple) and not isinstance(value, Mapping):
        return tuple(map(_plain, value)) if isinstance(value, Iterable) and not isinstance(value, str) else (value,)
    return value


def _plain(value: Any) -> Any:  # noqa: ANN401
    """A number of Python in place of a scalar of numpy or another array library; anything else as it is.

    Examples
    --------
    >>> import numpy as np
    >>> _plain(np.float64(0.5)), _plain(np.bool_(True)), _plain("a"), _plain([1])
    (0.5, True, 'a', [1])
    """
    return value.item() if getattr(value, "ndim", None) == 0 and hasattr(value, "item") else value


def _check_metric(option: Option, value: object) -> None:
    """Refuse what neither names a metric nor is one."""
    from outscore.core.metric import AdditiveMetric

    if not isinstance(value, (str, AdditiveMetric, type(None))):
        raise OutscoreError(
            f"`{option.keyword}` is {value!r:.40}, which is not a metric.",
            "Give a name that `outscore metrics` lists, or an `AdditiveMetric`.",
            parameter=option.name,
        )


def _settings(option: Option, text: Written) -> dict[str, str]:
    if isinstance(text, Mapping):
        return {str(key): str(value) for key, value in text.items()}
    settings: dict[str, str] = {}
    for setting in [text] if isinstance(text, str) else text:
        key, equals, value = (part.strip() for part in setting.partition("="))
        if not key or not equals:
            hint = f"Write it as {option.metavar}{'; `outscore tests` lists the keys' if option.name == 'set' else ''}."
            raise OutscoreError(f'--{option.long} is "{setting}".', hint, parameter=option.name)
        if key in settings:
            raise OutscoreError(f"--{option.long} sets `{key}` twice.", "Set it once.", parameter=option.name)
        settings[key] = value
    return settings


def _as_text(option: Option, value: Any) -> str | list[str]:  # noqa: ANN401
    if option.kind == "settings":
        return [f"{key}={inner}" for key, inner in value.items()]
    if option.kind == "names":
        return ",".join(value)
    if isinstance(value, tuple):
        return [str(part) for part in value]
    if isinstance(value, bool):
        return str(value).lower()
    return str(saved_value(option, value))


def _option_words(name: str, value: str) -> list[str]:
    """An option and its value; a value that begins with a dash would be read as the next option."""
    return [f"--{name}={value}"] if value.startswith("-") else [f"--{name}", value]


def _literal(value: object, *, listed: bool = False) -> str:
    """A value as a Python literal; a tuple of one value is written as a list only if `listed`."""
    if isinstance(value, tuple):
        return repr(value[0]) if len(value) == 1 and not listed else repr(list(value))
    if isinstance(value, Mapping):
        return repr(dict(value))
    return repr(value)


def versions() -> dict[str, str]:
    """Versions of outscore, of the libraries that compute its numbers, and of Python."""
    import platform

    import numpy as np

    from outscore._version import __version__

    return {
        "outscore": __version__,
        "numpy": np.__version__,
        "scipy": _scipy_version(),
        "python": platform.python_version(),
    }


def _scipy_version() -> str:
    """`scipy.__version__`, read from its own file: small comparisons do not need to import the library."""
    from importlib.util import find_spec, module_from_spec, spec_from_file_location
    from pathlib import Path

    if "scipy" in sys.modules:
        return str(sys.modules["scipy"].__version__)
    package = find_spec("scipy")
    assert package is not None
    assert package.origin is not None
    spec = spec_from_file_location("scipy_version", Path(package.origin).with_name("version.py"))
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return str(module.version)
