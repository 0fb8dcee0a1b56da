"""The form of each command: the options of its request, as fields that a person fills in.

Nearly every field is an option as the request declares it. Three kinds of options become several fields, because a form asks
for one thing at a time: the options of tests (`set.zeros`), the options of metrics (`metric.fbeta.beta`), and the criteria of
diff tasks, of which each task has its own. Files are given by the ids of uploads; nothing here names a place on the disk.

Settings also come in files, the YAML that `--config` reads and saved results, and go out as such. The files that such a file
names are on the disk of whoever wrote it, so they are reported and not looked for.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any, Literal

from outscore.core.errors import OutscoreError
from outscore.core.options import Option, did_you_mean
from outscore.core.records import dataclass
from outscore.web.messages import HTTPProblem
from outscore.workflows.requests import settings_file
from outscore.workflows.requests.base import Request
from outscore.workflows.requests.compare import LENGTH, METRICS_OF_TEXTS, metrics_in
from outscore.workflows.requests.registry import REQUESTS

SUFFIXES = (".yaml", ".yml")
NO_SETTINGS = "This result contains no settings."
COMMANDS = (*REQUESTS, "report")
"""What a job can be; `report` shows a saved result again and has no request."""
Kind = Literal["choice", "number", "whole", "text", "flag", "file", "column", "system", "several"]
KINDS: Mapping[type, Kind] = {str: "text", int: "whole", float: "number", bool: "flag", Fraction: "text"}
ALL = "all"
LENGTHS = "lengths"
"""The field for the one kind of `buckets` that needs no file of labels."""
OnlyFor = tuple[tuple[str, tuple[str, ...]], ...]
"""Other fields, and the values of them that call for a field."""
CHOICE_LABELS: Mapping[str, Mapping[str, str]] = {
    "alternative": {"two-sided": "either system better", "greater": "A better than B", "less": "A worse than B"},
    "duplicates": {"stop": "refuse them", "mean": "their mean", "first": "the first one", "last": "the last one"},
    "reader": {"auto": "recognise it"},
    "compat": {"sacrebleu-ar": "sacreBLEU, approximate randomisation", "sacrebleu-bs": "sacreBLEU, bootstrap"},
    "criterion": {
        "las": "las (head and relation)",
        "uas": "uas (head)",
        "ls": "ls (relation)",
        "arcs-any": "any antecedent",
        "arcs-nom": "a nominal antecedent",
    },
}
"""What a form calls the values of an option whose names are not clear enough."""
BY_LENGTH = Option(LENGTHS, bool, False, "Also compare short and long segments.", label="By length", group="data", kind="flag")
REPORT_FILES = Option(
    "files",
    str,
    (),
    "A result saved as JSON, shown again.",
    label="Saved result",
    group="files",
    kind="file",
    least=1,
    most=1,
)


@dataclass(frozen=True)
class Choice:
    """One value that may be chosen."""

    value: str
    label: str
    help: str = ""


@dataclass(frozen=True)
class Field:
    """One field of a form.

    `only` says when it means something: other fields, and the values of them that call for this one. `many` is for files,
    columns, systems and texts of which several may be given; of files at least `least` and at most `most` are needed. The
    choices of a text are proposals, besides which any other text will do. `unset` says what stands where nothing is given.
    `option` is the declaration behind the field.
    """

    name: str
    label: str
    help: str
    type: Kind
    group: str
    option: Option
    default: str | int | float | bool | tuple[str, ...] | None = None
    choices: tuple[Choice, ...] = ()
    only: OnlyFor = ()
    many: bool = False
    least: int = 0
    most: int | None = None
    unset: str = ""

    def to_dict(self) -> dict[str, Any]:
        """The field as JSON; `only` is called `for` there."""
        return {
            "name": self.name,
            "label": self.label,
            "help": self.help,
            "type": self.type,
            "group": self.group,
            "default": self.default,
            "unset": self.unset,
            "choices": [{"value": c.value, "label": c.label, "help": c.help} for c in self.choices],
            "for": {name: list(values) for name, values in self.only},
            "many": self.many,
            **({"least": self.least, "most": self.most} if self.type == "file" else {}),
        }


def form(command: str) -> tuple[Field, ...]:
    """All fields of a command; a field that depends on another follows it.

    Examples
    --------
    >>> [field.name for field in form("report")]
    ['files']
    >>> [choice.value for field in form("diff") if field.name == "task" for choice in field.choices]
    ['pos', 'dep', 'ner', 'label', 'coref']
    """
    if command not in COMMANDS:
        raise HTTPProblem(404, f"There is no command `{command[:40]}`.", did_you_mean(command[:40], COMMANDS))
    return _form(command)


@cache
def _form(command: str) -> tuple[Field, ...]:
    if command == "report":
        return (_field(REPORT_FILES),)
    fields = [field for option in REQUESTS[command].options() for field in _fields_of(option, command)]
    owners = {field.name for field in fields if not field.only}
    ordered: list[Field] = []
    for field in fields:
        if not any(name in owners for name, _ in field.only):
            ordered += [field, *(other for other in fields if any(name == field.name for name, _ in other.only))]
    return tuple(ordered)


def _fields_of(option: Option, command: str) -> Iterator[Field]:
    """The fields that stand for one option of a command."""
    match option.name, option.kind:
        case "set", "settings":
            yield from _test_fields()
        case _, "metric":
            yield from _metric_fields(option)
        case "criterion", _:
            yield from _criterion_fields(option)
        case "buckets", "file":
            yield _field(option)
            yield _field(BY_LENGTH)
        case (("method" | "resamples"), _) if option.python is None:
            yield from _shared_with_tests(option, REQUESTS[command].option("test"))
        case "task", _:
            yield _task_field(option)
        case _:
            yield _field(option)


def _field(option: Option, *, name: str = "", only: OnlyFor | None = None) -> Field:
    """The field of a declared option."""
    labels = CHOICE_LABELS.get(option.name, {})
    # Where a registry has no more to say about a value than its label, it is not said twice.
    choices = tuple(
        Choice(value, labels.get(value, value), "" if value in labels else help_) for value, help_ in option.known.items()
    )
    default = option.default
    if default in ((), {}):
        default = None
    elif isinstance(default, Fraction):
        default = str(default)
    return Field(
        name or option.long,
        option.label or option.name.replace("_", " ").capitalize(),
        option.form_text,
        _kind(option),
        option.group,
        option,
        default,
        choices,
        tuple((mode.option, mode.values) for mode in option.only_for if mode.values) if only is None else only,
        option.many or (option.kind != "file" and option.least > 1),
        option.least,
        option.most,
        option.default_text if default is None else "",
    )


def _kind(option: Option) -> Kind:
    match option.kind:
        case "flag" | "file" | "column" | "system":
            return option.kind
        case "names":
            return "text"
        case _:
            return "choice" if option.choices else KINDS[option.type]


def _metric_fields(option: Option) -> Iterator[Field]:
    """The metric, and the options of every metric: `metric.fbeta.beta` is the option `beta` of `fbeta`."""
    from outscore.metrics.registry import METRICS
    from outscore.metrics.text.registry import TEXT_METRICS

    if not option.known:
        # A metric that is written by hand.
        yield _field(option)
        return
    several = any(name in TEXT_METRICS for name in option.known)
    only_texts = not any(name in METRICS for name in option.known)
    yield replace(
        _field(option),
        type="several" if several else "choice",
        default=METRICS_OF_TEXTS if only_texts else None,
    )
    for name in option.known:
        entry = METRICS[name] if name in METRICS else TEXT_METRICS[name]
        # Files of the machine that serves the page are not asked for.
        for own in (own for own in entry.options if own.kind != "file"):
            called_for: OnlyFor = ((option.long, (name,)),)
            yield replace(_field(own, name=f"{option.long}.{name}.{own.name}", only=called_for), group=option.group)


def _test_fields() -> Iterator[Field]:
    """The options of the tests, `set.zeros`; tests that have the same one share a field."""
    for option, tests in _test_options():
        if option.name not in ("method", "resamples"):
            yield replace(_field(option, name=f"set.{option.name}", only=(("test", tests),)), group="test")


def _test_options() -> Iterable[tuple[Option, tuple[str, ...]]]:
    from outscore.inference.registry import TESTS

    owners: dict[Option, tuple[str, ...]] = {}
    for name, entry in TESTS.items():
        for option in entry.options:
            owners[option] = (*owners.get(option, ()), name)
    return owners.items()


def _shared_with_tests(option: Option, test: Option) -> Iterator[Field]:
    """An option of the command that tests declare as well: it means what they say, and its default is theirs.

    Tests that declare it differently have fields of their own, so that a value given for one is not taken for another.
    """
    for declared, tests in _test_options():
        if declared.name == option.name:
            # The word for all tests calls for what permutation has.
            called_for = (*tests, ALL) if ALL in test.known and "permutation" in tests else tests
            default = declared.default if option.default is None else option.default
            yield replace(_field(option, only=(("test", called_for),)), default=default, help=declared.help)


def _task_field(option: Option) -> Field:
    """The task, each with its summary."""
    from outscore.workflows.diff.tasks import TASKS

    field = _field(option)
    return replace(field, choices=tuple(replace(choice, help=TASKS[choice.value].summary) for choice in field.choices))


def _criterion_fields(option: Option) -> Iterator[Field]:
    """What makes an answer right, for each task that leaves a choice; tags may also be in a column of any other name."""
    from outscore.workflows.diff.tasks import TASKS

    for name, task in TASKS.items():
        if task.criteria:
            field = _field(replace(option, choices=task.criteria), only=(("task", (name,)),))
            free = name == "pos"
            empty = "empty: the first tags that all files have" if free else "none chosen: all"
            yield replace(
                field,
                help=f"What makes an answer right; {empty}.",
                type="text" if free else "several",
                many=free,
            )


def names_in(path: Path) -> list[str]:
    r"""The options that a YAML file gives, whatever command they are for.

    Examples
    --------
    >>> import contextlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
    ...     _ = Path("s.yaml").write_text("alpha: 0.01\nunit_size: 5\n")
    ...     names_in(Path("s.yaml"))
    ['alpha', 'unit-size']
    """
    return list(settings_file.entries_of_yaml(_text(path, settings_file.LARGEST_YAML), path.name))


def read_settings(command: str, path: Path) -> dict[str, Any]:
    """The `settings` of a file as the form of a command has them, and the `files` it names; unknown ones are refused."""
    is_yaml = path.suffix.lower() in SUFFIXES
    text = _text(path, settings_file.LARGEST_YAML if is_yaml else settings_file.LARGEST_SAVED)
    request = REQUESTS[command]
    if is_yaml:
        entries = settings_file.entries_of_yaml(text, path.name)
    else:
        saved = settings_file.saved_settings(text, path.name, request.subcommand)
        if saved is None:
            raise OutscoreError(f"`{path.name}` contains no settings.", "Name a YAML file or a saved result.")
        entries = settings_file.entries_of_saved(saved, path.name)
    return _fields(_asked(request, entries))


def yaml_of_result(path: Path) -> str:
    """The settings that a saved result was made with, as YAML."""
    text = _text(path, settings_file.LARGEST_SAVED)
    data = json.loads(text)
    command = settings_file.MADE_BY.get(str(data.get("schema")))
    saved = None if command is None else settings_file.saved_settings(text, path.name, command)
    if command is None or not saved:
        raise HTTPProblem(404, NO_SETTINGS)
    # The command that compares scores compares texts as well.
    name = "texts" if command == "compare" and saved.get("reference") else command
    return settings_file.settings_yaml(_asked(REQUESTS[name], settings_file.entries_of_saved(saved, path.name)))


def _text(path: Path, largest: int) -> str:
    if path.stat().st_size > largest:
        raise OutscoreError(f"`{path.name}` is larger than {largest >> 10:,} kB.", "Name a YAML file or a saved result.")
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise OutscoreError(f"`{path.name}` is not UTF-8 at byte {error.start + 1}.", "Save it as UTF-8.") from None


def _asked(request: type[Request], entries: Mapping[str, settings_file.Entry]) -> Request:
    try:
        return request.from_written({name: entry.value for name, entry in entries.items()})
    except OutscoreError as error:
        place = next((e.place for n, e in entries.items() if n.replace("-", "_") == error.parameter), None)
        raise OutscoreError(error.message if place is None else f"{place}: {error.message}", error.hint) from None


def _fields(request: Request) -> dict[str, Any]:
    settings: dict[str, str | list[str]] = {}
    files: list[str] = []
    written = request.written()
    for option in request.options():
        if option.name not in written:
            continue
        text = written[option.name]
        values = [text] if isinstance(text, str) else text
        if option.name == "buckets":
            settings |= {LENGTHS: "true"} if LENGTH in values else {}
            values = [value for value in values if value != LENGTH]
        if option.kind == "file":
            files += values
        else:
            settings |= _settings_of(option, request.value(option.name), text)
    return {"settings": settings, "files": files}


def _settings_of(option: Option, value: Any, text: str | list[str]) -> dict[str, str | list[str]]:  # noqa: ANN401
    """The fields that stand for one option, of which some are several fields."""
    if option.name == "set":
        return {f"set.{name}": str(one) for name, one in value.items()}
    if option.kind != "metric":
        return {option.long: text}
    names: list[str] = []
    options_of: dict[str, str | list[str]] = {}
    for written in metrics_in(str(text)):
        name, *options = written.split(":")
        names.append(name)
        options_of |= {f"{option.long}.{name}.{one.partition('=')[0]}": one.partition("=")[2] for one in options}
    return {option.long: names if len(names) > 1 else names[0], **options_of}
