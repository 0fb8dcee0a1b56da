"""From a request to one command: which options, which files, and how it is written.

Everything is checked against the form of the command. Files come as uploads and are placed beside each other in the folder of
the job, so that the command names them as a person would who stands in that folder.
"""

from __future__ import annotations

import itertools
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from outscore.core.options import did_you_mean
from outscore.web.forms.fields import Field, read_value
from outscore.web.forms.options import form
from outscore.web.jobs.labels import in_words_of
from outscore.web.jobs.store import Upload
from outscore.web.problems import HTTPProblem

__all__ = ["RESULT", "Command", "build"]

STEM = "result"
RESULT = f"{STEM}.json"
SUBCOMMAND = {"texts": "compare"}
# Where files stand that have an option of their own; all others are arguments.
NAMED_FILES = ("reference", "documents", "gold", "pilot", "buckets")
# What a file of labels may not be called, because the command line means something else by it.
LENGTH = "length"


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
    def outputs(self) -> list[str]:
        """What the command line to copy writes, under names that none of its files has."""
        taken = {place.casefold() for place in self.places}
        stems = itertools.chain([STEM], (f"{STEM}-{i}" for i in itertools.count(2)))
        return next(names for names in map(self._written, stems) if not taken.intersection(names))

    def _written(self, stem: str) -> list[str]:
        """What it writes. The page of a diff shows examples, which its JSON does not hold: it has to be written with it."""
        return [f"{stem}.json", f"{stem}.html"] if self.name == "diff" else [f"{stem}.json"]

    def words(self, folder: str = "") -> list[str]:
        """The words of the command as it is run, with its outputs in a folder where nothing is in their way."""
        return [*self.arguments, *_outputs(f"{folder}{name}" for name in self._written(STEM))]

    @property
    def line(self) -> str:
        """The command line to copy."""
        return shlex.join(["outscore", *self.arguments, *_outputs(self.outputs)])

    def refusal(self, said: str) -> HTTPProblem:
        """What the command said when it refused, in the words of its form."""
        about = [upload.about for upload in self.places.values()]
        names = {column["name"] for one in about for column in one.get("columns", ())}
        names.update(*(one.get("systems", ()) for one in about), *self.given.values())
        text, setting = in_words_of(form(self.name), said, names, self.places)
        return HTTPProblem(422, text, setting=setting)


def _outputs(names: Iterable[str]) -> list[str]:
    return [word for name in names for word in ("-o", name)]


def build(command: str, settings: Mapping[str, object], uploads: Mapping[str, Sequence[Upload]]) -> Command:
    """The command that a person asks for by settings and files, or a refusal that names what does not fit."""
    fields = form(command)
    _check_files(fields, uploads)
    try:
        given = _read(fields, settings)
        options = _options(fields, given)
    except HTTPProblem as refusal:
        message, setting = in_words_of(fields, refusal.message)
        raise HTTPProblem(refusal.status, message, refusal.hint, setting) from None
    paths: dict[str, str] = {}
    places: dict[str, Upload] = {}
    for part in uploads.values():
        for upload in part:
            if upload.id not in paths:
                paths[upload.id] = _free_place(upload.name, places)
                places[paths[upload.id]] = upload
    parts = {part: tuple(paths[upload.id] for upload in several) for part, several in uploads.items()}
    words = [SUBCOMMAND.get(command, command), *options, *_files(command, parts)]
    return Command(command, tuple(words), places, parts, given)


def _check_files(fields: Sequence[Field], uploads: Mapping[str, Sequence[Upload]]) -> None:
    known = {one.name: one for one in fields if one.type == "file"}
    for part in uploads:
        if part not in known:
            raise HTTPProblem(422, f"There are no files `{part[:40]}`.", did_you_mean(part[:40], known))
    for one in known.values():
        found = len(uploads.get(one.name, ()))
        if found < one.least or (one.most is not None and found > one.most):
            wanted = f"at least {one.least}" if one.most is None else str(one.most) if one.least == one.most else (
                f"{one.least} to {one.most}"
            )  # fmt: skip
            raise HTTPProblem(422, f"{one.label}: {found} files were given, expected: {wanted}.", one.help)


def _read(fields: Sequence[Field], settings: Mapping[str, object]) -> dict[str, tuple[str, ...]]:
    """The settings that differ from their defaults, as written; what means nothing beside the others is refused."""
    known: dict[str, list[Field]] = {}
    for one in fields:
        if one.type != "file":
            known.setdefault(one.name, []).append(one)
    for name in settings:
        if name not in known:
            raise HTTPProblem(422, f"There is no setting `{name[:40]}`.", did_you_mean(name[:40], known))
    given: dict[str, tuple[str, ...]] = {}
    # Those that others depend on come first in every form.
    for name, candidates in known.items():
        if settings.get(name) in (None, "", []):
            continue
        fitting = next((one for one in candidates if _is_called_for(one, given, known)), None)
        if fitting is None:
            others = " or ".join(f"`{value}`" for one in candidates for _, values in one.only for value in values)
            raise HTTPProblem(422, f"`{name}` means something for {others} only.", "Leave it out, or choose one of them.")
        written = tuple(read_value(fitting, settings[name]))
        if written and written != _written_default(fitting):
            given[name] = written
    return given


def _is_called_for(one: Field, given: Mapping[str, tuple[str, ...]], known: Mapping[str, list[Field]]) -> bool:
    return all(any(value in values for value in given.get(name, _written_default(known[name][0]))) for name, values in one.only)


def _written_default(one: Field) -> tuple[str, ...]:
    if one.type == "flag":
        return ("true" if one.default else "false",)
    if isinstance(one.default, tuple):
        return one.default
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
            raise HTTPProblem(422, f"`{name}` is {value!r}.", "It may not hold a comma, a colon or an equals sign.")
    return ":".join([metric, *(f"{name.rpartition('.')[2]}={value}" for name, value in own.items())])


def _two_numbers(values: tuple[str, ...]) -> tuple[str, str]:
    numbers = tuple(word for value in values for word in value.split())
    if len(numbers) != 2 or any(word.startswith("-") for word in numbers):
        raise HTTPProblem(422, f"`scores` is {' '.join(values)[:60]!r}.", "Give two accuracies, such as .871 .864.")
    return numbers[0], numbers[1]


def _files(command: str, parts: Mapping[str, tuple[str, ...]]) -> list[str]:
    """Options that name files, then files: of a diff the right answers come first."""
    named = [name for name in NAMED_FILES if not (command == "diff" and name == "gold")]
    words = [word for name in named for path in parts.get(name, ()) for word in (f"--{name}", _unlike_a_word(path))]
    first = parts.get("gold", ()) if command == "diff" else ()
    return [*words, *first, *parts.get("files", ())]


def _unlike_a_word(path: str) -> str:
    return f"./{path}" if path == LENGTH else path


def _free_place(name: str, taken: Mapping[str, Upload]) -> str:
    """A file's own name, or that name in a folder with a number where another file or folder has it."""
    place, number = name, 1
    while place in taken or str(number) in taken or any(other.startswith(f"{place}/") for other in taken):
        number += 1
        place = f"{number}/{name}"
    return place
