"""Settings in files on the page: the YAML that `--config` reads and the settings of saved results, as fields and back.

The files that such a file names are on the disk of whoever wrote it, so they are reported and not looked for.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from outscore.core.errors import OutscoreError
from outscore.core.options import Option
from outscore.core.records import dataclass
from outscore.web.jobs.form import LENGTHS
from outscore.web.messages import HTTPProblem
from outscore.workflows.requests.base import Request
from outscore.workflows.requests.compare import LENGTH, metrics_in
from outscore.workflows.requests.registry import REQUESTS
from outscore.workflows.requests.settings_file import (
    LARGEST_SAVED,
    LARGEST_YAML,
    MADE_BY,
    Entry,
    entries_of_saved,
    entries_of_yaml,
    saved_settings,
    settings_yaml,
)

SUFFIXES = (".yaml", ".yml")
NO_SETTINGS = "This result contains no settings."


@dataclass(frozen=True)
class Found:
    """Settings by the names of their fields, and the files that the same file names."""

    settings: Mapping[str, str | list[str]]
    files: tuple[str, ...]


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
    return list(entries_of_yaml(_text(path, LARGEST_YAML), path.name))


def read_settings(command: str, path: Path) -> Found:
    """The settings of a file as the form of a command has them; what the command does not know is refused by name."""
    is_yaml = path.suffix.lower() in SUFFIXES
    text = _text(path, LARGEST_YAML if is_yaml else LARGEST_SAVED)
    request = REQUESTS[command]
    if is_yaml:
        entries = entries_of_yaml(text, path.name)
    else:
        saved = saved_settings(text, path.name, request.subcommand)
        if saved is None:
            raise OutscoreError(f"`{path.name}` contains no settings.", "Name a YAML file or a saved result.")
        entries = entries_of_saved(saved, path.name)
    return _fields(_asked(request, entries))


def yaml_of_result(path: Path) -> str:
    """The settings that a saved result was made with, as YAML."""
    text = _text(path, LARGEST_SAVED)
    data = json.loads(text)
    command = MADE_BY.get(str(data.get("schema")))
    saved = None if command is None else saved_settings(text, path.name, command)
    if command is None or not saved:
        raise HTTPProblem(404, NO_SETTINGS)
    # The command that compares scores compares texts as well.
    name = "texts" if command == "compare" and saved.get("reference") else command
    return settings_yaml(_asked(REQUESTS[name], entries_of_saved(saved, path.name)))


def _text(path: Path, largest: int) -> str:
    if path.stat().st_size > largest:
        raise OutscoreError(f"`{path.name}` is larger than {largest >> 10:,} kB.", "Name a YAML file or a saved result.")
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise OutscoreError(f"`{path.name}` is not UTF-8 at byte {error.start + 1}.", "Save it as UTF-8.") from None


def _asked(request: type[Request], entries: Mapping[str, Entry]) -> Request:
    try:
        return request.from_written({name: entry.value for name, entry in entries.items()})
    except OutscoreError as error:
        place = next((e.place for n, e in entries.items() if n.replace("-", "_") == error.parameter), None)
        raise OutscoreError(error.message if place is None else f"{place}: {error.message}", error.hint) from None


def _fields(request: Request) -> Found:
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
    return Found(settings, tuple(files))


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
