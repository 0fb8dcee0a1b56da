"""From a request to one command: which options, which files, and how it is written.

Everything is checked against the form of the command. Files come as uploads and are placed beside each other in the folder of
the job, so that the command names them as a person would who stands in that folder.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from outscore.options import did_you_mean
from outscore.web.fields import Field, read_value
from outscore.web.options import form
from outscore.web.refusals import RefusedError
from outscore.web.store import Upload

__all__ = ["RESULT", "Command", "Request", "build"]

RESULT = "result.json"
PAGE = "result.html"
SUBCOMMAND = {"texts": "compare"}
# Where files stand that have an option of their own; all others are arguments.
NAMED_FILES = ("reference", "documents", "gold", "pilot", "buckets")


@dataclass(frozen=True)
class Request:
    """What a job is asked: a command, ids of uploads by the part they play, and settings by their names."""

    command: str
    files: dict[str, list[str]]
    settings: dict[str, object]


@dataclass(frozen=True)
class Command:
    """One command, ready to be run.

    `arguments` are its words without the outputs, `places` the uploads by the path each has in the folder of the job, and
    `given` the settings as written, by name.
    """

    name: str
    arguments: tuple[str, ...]
    places: Mapping[str, Upload]
    parts: Mapping[str, tuple[str, ...]]
    given: Mapping[str, tuple[str, ...]]

    @property
    def outputs(self) -> tuple[str, ...]:
        """What it writes. The page of a diff shows examples, which its JSON does not hold: it has to be written with it."""
        return (RESULT, PAGE) if self.name == "diff" else (RESULT,)

    def words(self, folder: str = "") -> list[str]:
        """The words of the command line, with its outputs in a folder."""
        written = [word for output in self.outputs for word in ("-o", f"{folder}{output}")]
        return [*self.arguments, *written]

    @property
    def line(self) -> str:
        """The command line to copy."""
        return shlex.join(["outscore", *self.words()])


def build(request: Request, uploads: Mapping[str, Sequence[Upload]]) -> Command:
    """The command that answers a request, or a refusal that names what does not fit."""
    fields = form(request.command)
    _check_files(fields, uploads)
    given = _read(fields, request.settings)
    paths: dict[str, str] = {}
    places: dict[str, Upload] = {}
    for part in uploads.values():
        for upload in part:
            if upload.id not in paths:
                paths[upload.id] = _free_place(upload.name, places)
                places[paths[upload.id]] = upload
    parts = {part: tuple(paths[upload.id] for upload in several) for part, several in uploads.items()}
    words = [SUBCOMMAND.get(request.command, request.command), *_options(fields, given), *_files(request.command, parts)]
    return Command(request.command, tuple(words), places, parts, given)


def _check_files(fields: Sequence[Field], uploads: Mapping[str, Sequence[Upload]]) -> None:
    known = {one.name: one for one in fields if one.type == "file"}
    for part in uploads:
        if part not in known:
            raise RefusedError(422, f"There are no files `{part[:40]}`.", did_you_mean(part[:40], known))
    for one in known.values():
        found = len(uploads.get(one.name, ()))
        if found < one.least or (one.most is not None and found > one.most):
            wanted = f"at least {one.least}" if one.most is None else str(one.most) if one.least == one.most else (
                f"{one.least} to {one.most}"
            )  # fmt: skip
            raise RefusedError(422, f"{one.label}: {found} files were given, expected: {wanted}.", one.help)


def _read(fields: Sequence[Field], settings: Mapping[str, object]) -> dict[str, tuple[str, ...]]:
    """The settings that differ from their defaults, as written; what means nothing beside the others is refused."""
    known: dict[str, list[Field]] = {}
    for one in fields:
        if one.type != "file":
            known.setdefault(one.name, []).append(one)
    for name in settings:
        if name not in known:
            raise RefusedError(422, f"There is no setting `{name[:40]}`.", did_you_mean(name[:40], known))
    given: dict[str, tuple[str, ...]] = {}
    # Those that others depend on come first in every form.
    for name, candidates in known.items():
        if settings.get(name) in (None, "", []):
            continue
        fitting = next((one for one in candidates if _is_called_for(one, given, known)), None)
        if fitting is None:
            others = " or ".join(f"`{value}`" for one in candidates for _, values in one.only for value in values)
            raise RefusedError(422, f"`{name}` means something for {others} only.", "Leave it out, or choose one of them.")
        written = tuple(read_value(fitting, settings[name]))
        if written and written != _written_default(fitting):
            given[name] = written
    return given


def _is_called_for(one: Field, given: Mapping[str, tuple[str, ...]], known: Mapping[str, list[Field]]) -> bool:
    return all(any(value in values for value in given.get(name, _written_default(known[name][0]))) for name, values in one.only)


def _written_default(one: Field) -> tuple[str, ...]:
    if one.type == "flag":
        return ("true" if one.default else "false",)
    return () if one.default is None else (str(one.default),)


def _options(fields: Sequence[Field], given: Mapping[str, tuple[str, ...]]) -> list[str]:
    words: list[str] = []
    flags = {one.name for one in fields if one.type == "flag"}
    for name, values in given.items():
        if name.startswith("metric."):
            # It stands with its metric.
            continue
        if name == "metric":
            words += _word("metric", ",".join(_with_options(value, given) for value in values))
        elif name.startswith("set."):
            words += _word("set", f"{name.removeprefix('set.')}={values[0]}")
        elif name == "lengths":
            words += _word("buckets", "length")
        elif name == "scores":
            words += ["--scores", *_two_numbers(values)]
        elif name in flags:
            words.append(f"--{name}")
        else:
            words += [word for value in values for word in _word(name, value)]
    return words


def _word(option: str, value: str) -> list[str]:
    """An option and its value; one that begins with a dash would be taken for the next option."""
    return [f"--{option}={value}"] if value.startswith("-") else [f"--{option}", value]


def _with_options(metric: str, given: Mapping[str, tuple[str, ...]]) -> str:
    """A metric with its options: fbeta:beta=2."""
    own = {name: values[0] for name, values in given.items() if name.startswith(f"metric.{metric}.")}
    for name, value in own.items():
        if any(mark in value for mark in ",:="):
            raise RefusedError(422, f"`{name}` is {value!r}.", "It may not hold a comma, a colon or an equals sign.")
    return ":".join([metric, *(f"{name.rpartition('.')[2]}={value}" for name, value in own.items())])


def _two_numbers(values: tuple[str, ...]) -> tuple[str, str]:
    numbers = tuple(word for value in values for word in value.split())
    if len(numbers) != 2 or any(word.startswith("-") for word in numbers):
        raise RefusedError(422, f"`scores` is {' '.join(values)[:60]!r}.", "Give two accuracies, such as .871 .864.")
    return numbers[0], numbers[1]


def _files(command: str, parts: Mapping[str, tuple[str, ...]]) -> list[str]:
    """Options that name files, then files: of a diff the right answers come first."""
    named = [name for name in NAMED_FILES if not (command == "diff" and name == "gold")]
    words = [word for name in named for path in parts.get(name, ()) for word in (f"--{name}", path)]
    first = parts.get("gold", ()) if command == "diff" else ()
    return [*words, *first, *parts.get("files", ())]


def _free_place(name: str, taken: Mapping[str, Upload]) -> str:
    """A file's own name, or that name in a folder with a number where another file or folder has it."""
    place, number = name, 1
    while place in taken or str(number) in taken or any(other.startswith(f"{place}/") for other in taken):
        number += 1
        place = f"{number}/{name}"
    return place
