"""From what a person asks for to a request: settings are read by the form, files are uploads.

Uploads are placed beside each other in the folder of the job, and the request names them as somebody would who stands in that
folder. So its result has the same bytes as that of the command line shown beside it.
"""

from __future__ import annotations

import itertools
import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any

from outscore.core.errors import OutscoreError
from outscore.core.options import did_you_mean
from outscore.core.records import dataclass
from outscore.web.form import LENGTHS, Choice, Field, form
from outscore.web.messages import Cure, HTTPProblem
from outscore.web.store import Upload, clashes
from outscore.workflows.requests.base import Request, Written
from outscore.workflows.requests.compare import LENGTH
from outscore.workflows.requests.registry import REQUESTS

STEM = "result"
RESULT = f"{STEM}.json"
MAX_TEXT = 1_000
MAX_VALUES = 1_000
# What an option is followed by where its value is left to the reader, NAME or COLUMN, is no part of a form.
QUOTE_OR_OPTION = re.compile(r"`[^`]*`|--([a-z][a-z-]*)( [A-Z]{2,}(?![\w=]))?")
TWICE = re.compile(r"(“[^”]*”)(?: \1)+")
NAMED, QUOTED = re.compile(r"--([a-z][a-z-]*)"), re.compile(r"`[^`]*`")
MAX_CURES = 6
OF_PYTHON = re.compile(r" \([^()]* in Python\)")
Settings = Mapping[str, Sequence[str]]


@dataclass(frozen=True)
class Submission:
    """What a job runs: a request, and the uploads by the path each has in the folder of the job.

    `request` is None for `report`, which shows a saved result again. `parts` are the paths by the part they play, and `given`
    the settings that differ from their defaults, as text.
    """

    name: str
    request: Request | None
    places: Mapping[str, Upload]
    parts: Mapping[str, tuple[str, ...]]
    given: Mapping[str, tuple[str, ...]]

    @property
    def outputs(self) -> list[str]:
        """What the command line to copy writes, under names that none of its files has."""
        taken = {place.casefold() for place in self.places}
        stems = itertools.chain([STEM], (f"{STEM}-{i}" for i in itertools.count(2)))
        return next(names for names in map(self._output_names, stems) if not taken.intersection(names))

    def _output_names(self, stem: str) -> list[str]:
        # The page of a diff shows examples, which its JSON does not hold, so both are written together.
        return [f"{stem}.json", f"{stem}.html"] if self.name == "diff" else [f"{stem}.json"]

    @property
    def line(self) -> str:
        """The command line to copy."""
        if self.request is None:
            return shlex.join(["outscore", "report", *self.parts["files"], "-o", *self.outputs])
        return self.request.command_line(self.outputs)

    @property
    def python(self) -> str:
        """The Python call to copy."""
        if self.request is None:
            return f"import outscore as osc\n\nresult = osc.load({self.parts['files'][0]!r})"
        return self.request.python_call()

    @property
    def title(self) -> str:
        """What its result is called before anybody names it: one that is shown again is called as its file is."""
        return PurePosixPath(self.parts["files"][0]).stem if self.request is None else ""

    @property
    def ids(self) -> dict[str, tuple[str, ...]]:
        """The ids of the uploads by the part they play."""
        by_folder = {place: upload.id for place, upload in self.places.items()}
        return {
            part: tuple(
                id_ for path in paths for place, id_ in by_folder.items() if place == path or place.startswith(f"{path}/")
            )
            for part, paths in self.parts.items()
        }

    def is_like(self, other: Submission) -> bool:
        """Whether another one asks the same of the same files, so that its result is this one's."""
        mine, theirs = ({place: upload.id for place, upload in one.places.items()} for one in (self, other))
        return (self.name, self.request, self.parts, mine) == (other.name, other.request, other.parts, theirs)

    def task(self, folder: str, target: str) -> dict[str, Any]:
        """What a worker is asked to do: run the request in a folder, and write its result to another, named from there."""
        places = {"folder": folder, "target": target}
        if self.request is None:
            return {"task": "reload", "file": self.parts["files"][0], **places}
        return {"task": "run", "command": self.name, "request": self.request.written(), **places}

    def problem(self, message: str, parameter: str | None = None, hint: str = "") -> HTTPProblem:
        """Why the job failed, with the field that caused it, if one did, and the cures that its hint names."""
        problem = _labelled(self.name, message, "", parameter, self.given)
        return HTTPProblem(422, problem.message, "", problem.setting, cures_in(self.name, hint, self.given))


def submit(
    command: str,
    settings: Mapping[str, object],
    uploads: Mapping[str, Sequence[Upload]],
    companions: Sequence[Upload] = (),
) -> Submission:
    """The request that settings and files ask for, or a problem that names the field that does not fit.

    `companions` stand beside the files without being named.
    """
    fields = _with_scores(form(command), itertools.chain.from_iterable(uploads.values()))
    _check_files(fields, uploads)
    given = _read_settings(fields, settings)
    places = _places([*itertools.chain.from_iterable(uploads.values()), *companions])
    paths = {upload.id: place for place, upload in places.items()}
    most = {field.name: field.most for field in fields if field.type == "file"}
    parts = {part: _paths([paths[upload.id] for upload in several], most[part]) for part, several in uploads.items()}
    request = None
    if command in REQUESTS:
        written = _written(given, parts)
        try:
            request = REQUESTS[command].from_written(written)
        except OutscoreError as error:
            raise _labelled(command, error.message, error.hint, error.parameter, given) from None
    return Submission(command, request, places, parts, given)


def _labelled(command: str, message: str, hint: str, parameter: str | None, given: Settings) -> HTTPProblem:
    """A problem that begins with the label of the field it is about: errors know settings by their names only."""
    field = None if parameter is None else _field_of(command, parameter, given)
    cures = cures_in(command, hint, given)
    message, hint = in_labels(command, message), in_labels(command, hint)
    if field is None:
        return HTTPProblem(422, message, hint, cures=cures)
    return HTTPProblem(422, f"{field.label}: {message}", hint, field.name, cures)


def cures_in(command: str, hint: str, given: Settings) -> tuple[Cure, ...]:
    """The settings that a hint proposes, as the page can set them with one click.

    Options are named in hints as on the command line: a choice with its values, a flag alone, and what to leave out after
    that word. A value of another kind is left to the user.

    Examples
    --------
    >>> cures_in("compare", "Choose --duplicates mean or first, or name the column with --repeat COLUMN.", {})
    (Cure(setting='duplicates', value='mean'), Cure(setting='duplicates', value='first'), Cure(setting='repeat', value=None))
    >>> cures_in("compare", "Compare them with --unpaired.", {}), cures_in("compare", "Leave --unpaired out.", {})
    ((Cure(setting='unpaired', value='true'),), (Cure(setting='unpaired', value=''),))
    """
    fields = {field.name: field for field in form(command)}
    before, *named = NAMED.split(QUOTED.sub("", hint))
    found: list[Cure] = []
    for name, after in zip(named[::2], named[1::2], strict=True):
        field = fields.get(name)
        if field is not None and field.type != "file":
            found += _cures_of(field, after.partition(". ")[0], given, leave=before.lower().endswith("leave "))
        before = after
    return tuple(dict.fromkeys(found))[:MAX_CURES]


def _cures_of(field: Field, after: str, given: Settings, *, leave: bool) -> list[Cure]:
    if leave:
        return [Cure(field.name, "")]
    if field.type == "flag":
        return [Cure(field.name, "" if field.name in given else "true")]
    words = set(re.findall(r"[\w@^.-]*\w", after))
    values = [choice.value for choice in field.choices if choice.value in words and choice.value != field.default]
    return [Cure(field.name, value) for value in values] or [Cure(field.name)]


def in_labels(command: str, sentence: str) -> str:
    """A sentence for people who see a form: options are named by the labels of their fields.

    Examples
    --------
    >>> in_labels("compare", "Choose --duplicates mean, or run `outscore rank --tau`.")
    'Choose “Repeated ids” mean, or run `outscore rank --tau`.'
    >>> in_labels("compare", "Choose two of them: --system NAME --system NAME.")
    'Choose two of them: “Systems”.'
    >>> in_labels("compare", "Name the one meant with --score COLUMN (score=... in Python).")
    'Name the one meant with “Scores”.'
    """
    labels = {field.name: field.label for field in form(command)}
    # Text between backticks is quoted as it was written.
    text = QUOTE_OR_OPTION.sub(lambda match: _in_words(labels.get(match[1] or ""), match[0]), OF_PYTHON.sub("", sentence))
    return TWICE.sub(r"\1", text)


def _in_words(label: str | None, written: str) -> str:
    return written if label is None else f"“{label}”"


def _field_of(command: str, parameter: str, given: Settings) -> Field | None:
    """The field of a parameter: of the command itself, or of the test or metric that was chosen (`set.zeros`)."""
    fields = form(command)
    name = parameter.replace("_", "-")
    owned = [field for field in fields if field.name.rpartition(".")[2] == parameter and "." in field.name]
    chosen = [field for field in owned if field.name in given]
    plain = [field for field in fields if field.name == name]
    return next(iter([*chosen, *plain, *owned]), None)


def _check_files(fields: Sequence[Field], uploads: Mapping[str, Sequence[Upload]]) -> None:
    known = {field.name: field for field in fields if field.type == "file"}
    for part in uploads:
        if part not in known:
            raise HTTPProblem(422, f"There are no files `{part[:40]}`.", did_you_mean(part[:40], known))
    # One table may hold what else comes in several files.
    whole = any(upload.about.get("whole") for upload in uploads.get("gold", ()))
    for field in known.values():
        count = _count(uploads.get(field.name, ()), field.most)
        if (count < field.least and not whole) or (field.most is not None and count > field.most):
            message = f"{field.label}: {count} files were given, expected: {_range(field)}."
            raise HTTPProblem(422, message, field.help)


def _count(uploads: Sequence[Upload], most: int | None) -> int:
    """How many paths files would be: logs that came in folders are named by these."""
    if any(not upload.about.get("scores") or "/" not in upload.place for upload in uploads):
        return len(uploads)
    return len(_paths([upload.place for upload in uploads], most))


def _range(field: Field) -> str:
    """How many files a field takes."""
    if field.most is None:
        return f"at least {field.least}"
    return str(field.most) if field.least == field.most else f"{field.least} to {field.most}"


def _read_settings(fields: Sequence[Field], settings: Mapping[str, object]) -> dict[str, tuple[str, ...]]:
    """The settings that differ from their defaults, as text; settings of metrics that were not chosen are refused."""
    known: dict[str, list[Field]] = {}
    for field in fields:
        if field.type != "file":
            known.setdefault(field.name, []).append(field)
    for name in settings:
        if name not in known:
            raise HTTPProblem(422, f"There is no setting `{name[:40]}`.", did_you_mean(name[:40], known))
    given: dict[str, tuple[str, ...]] = {}
    # Every field follows those it depends on.
    for name, candidates in known.items():
        if settings.get(name) in (None, "", []):
            continue
        called_for = [one for one in candidates if _is_called_for(one, given, known)]
        if not called_for:
            others = " or ".join(f"`{value}`" for one in candidates for _, values in one.only for value in values)
            message = f"{candidates[0].label}: this applies only to {others}."
            raise HTTPProblem(422, message, "Leave it out, or choose one of them.", name)
        texts = tuple(read_value(called_for[0], settings[name]))
        if texts and texts != _default_texts(called_for[0]):
            given[name] = texts
    return given


def _is_called_for(field: Field, given: Settings, known: Mapping[str, Sequence[Field]]) -> bool:
    """Whether a field means something beside the settings before it, where those not given have their defaults."""
    return all(any(value in values for value in given.get(name, _default_texts(known[name][0]))) for name, values in field.only)


def _default_texts(field: Field) -> tuple[str, ...]:
    if field.type == "flag":
        return ("true" if field.default else "false",)
    if isinstance(field.default, tuple):
        return field.default
    return () if field.default is None else (str(field.default),)


def read_value(field: Field, value: object) -> list[str]:
    """A value from JSON as text, once for every time the option is given; what the text means is for the option to say.

    Examples
    --------
    >>> alpha = next(field for field in form("compare") if field.name == "alpha")
    >>> read_value(alpha, "0.01"), read_value(alpha, 0.05), read_value(alpha, None)
    (['0.01'], ['0.05'], [])
    >>> read_value(alpha, "low")
    Traceback (most recent call last):
    outscore.web.messages.HTTPProblem: Level: Option `alpha` is 'low'. Expected a number.
    """
    if value is None or value == "":
        return []
    values = list(value) if isinstance(value, (list, tuple)) else [value]
    if len(values) > 1 and not (field.many or field.type == "several"):
        raise _unfit(field, f"{len(values)} values were given.", "One was expected.")
    if len(values) > MAX_VALUES:
        raise _unfit(field, f"{len(values)} values were given.", f"At most {MAX_VALUES:,} can be given.")
    texts = [text for one in values if (text := _text_of(field, one)) != ""]
    wanted = field.option.least
    if wanted > 1:
        # Of a fixed number of values all may be written into one text.
        texts = [word for text in texts for word in text.split()]
        if texts and len(texts) != wanted:
            raise _unfit(field, f"{' '.join(texts)[:60]!r} was given.", f"{wanted} values were expected.")
    return texts


def _text_of(field: Field, value: object) -> str:
    match field.type:
        case "flag" | "number" | "whole":
            return _as_declared(field, value.strip() if isinstance(value, str) else value)
        case "choice" | "several":
            known = [choice.value for choice in field.choices]
            if value not in known:
                raise _unexpected(field, value, f"One of these was expected: {', '.join(known)}.")
            return str(value)
        case _:
            return _line(field, value)


def _as_declared(field: Field, value: object) -> str:
    """A number or a tick, if its declaration can read it; of whole numbers, browsers write some with an exponent."""
    try:
        read = field.option.read(value)
    except OutscoreError as error:
        raise _unfit(field, error.message, error.hint) from None
    return str(value) if field.type == "number" else str(read).lower()


def _line(field: Field, value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        raise _unexpected(field, value, "A text was expected.")
    text = str(value)
    if len(text) > MAX_TEXT or any(ord(c) < 32 or 0xD800 <= ord(c) < 0xE000 for c in text):
        raise _unexpected(field, text[:40], f"A line of at most {MAX_TEXT:,} characters was expected.")
    # What may be a column or a file is a text here: of files, those that were uploaded are read, and no others.
    place = PurePosixPath(text)
    if "FILE" in field.option.metavar and (place.is_absolute() or ".." in place.parts):
        raise _unexpected(field, text, "Upload the file, and give its name.")
    return text


def _unexpected(field: Field, value: object, expected: str) -> HTTPProblem:
    shown = repr(value)
    if len(shown) > 60:
        shown = shown[:60] + "…"
    return _unfit(field, f"{shown} was given.", expected)


def _unfit(field: Field, message: str, hint: str) -> HTTPProblem:
    return HTTPProblem(422, f"{field.label}: {message}", hint, field.name)


def _written(given: Settings, parts: Mapping[str, Sequence[str]]) -> dict[str, Written]:
    """Settings and files as a request reads them: options of tests and metrics go where they belong."""
    written: dict[str, Any] = {part: list(paths) for part, paths in parts.items()}
    if "buckets" in written:
        # The path of a file must not be taken for the word that stands for lengths.
        written["buckets"] = [f"./{path}" if path == LENGTH else path for path in written["buckets"]]
    tests: list[str] = []
    for name, texts in given.items():
        owner, _, own = name.partition(".")
        if owner == "set":
            tests.append(f"{own}={texts[0]}")
        elif name == LENGTHS:
            written["buckets"] = [LENGTH, *written.get("buckets", ())]
        elif name == "metric":
            written["metric"] = ",".join(_with_options(metric, given) for metric in texts)
        elif not own:
            written[name] = texts[0] if len(texts) == 1 else list(texts)
    return {**written, "set": tests} if tests else written


def _with_options(metric: str, given: Settings) -> str:
    """A metric with its options: fbeta:beta=2."""
    own = {name: texts[0] for name, texts in given.items() if name.startswith(f"metric.{metric}.")}
    for name, text in own.items():
        if any(mark in text for mark in ",:="):
            label = name.rpartition(".")[2].replace("_", " ").capitalize()
            message = f"{label}: {text!r} was given."
            raise HTTPProblem(422, message, "It may not contain a comma, a colon or an equals sign.", name)
    return ":".join([metric, *(f"{name.rpartition('.')[2]}={text}" for name, text in own.items())])


def _places(uploads: Sequence[Upload]) -> dict[str, Upload]:
    """Uploads by their path in the folder of the job: their own names, in a numbered folder if others have them.

    Files that were sent together stay together, since logs are explained by the files beside them.
    """
    drops: dict[str, dict[str, Upload]] = {}
    for upload in uploads:
        drops.setdefault(upload.drop or upload.id, {})[upload.place or upload.name] = upload
    taken: dict[str, Upload] = {}
    for files in drops.values():
        number, folder = 1, ""
        while any(clashes(folder + place, taken) for place in files):
            number += 1
            folder = f"{number}/"
        taken |= {folder + place: upload for place, upload in files.items()}
    return taken


def _paths(places: Sequence[str], most: int | None) -> tuple[str, ...]:
    """The files themselves, or the folders that they came in where a command takes fewer paths."""
    if most is None or len(places) <= most:
        return tuple(places)
    return tuple(dict.fromkeys(place.partition("/")[0] for place in places))


def _with_scores(fields: Sequence[Field], uploads: Iterable[Upload]) -> tuple[Field, ...]:
    """Fields of which the metric may be a score of the logs, too."""
    scores = dict.fromkeys(str(name) for upload in uploads for name in upload.about.get("scores", ()))
    own = tuple(Choice(name, name, "") for name in scores)
    return tuple(replace(field, choices=(*field.choices, *own)) if field.name == "metric" else field for field in fields)
