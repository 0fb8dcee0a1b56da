"""`--config FILE`: options from a YAML file, or from a saved result to repeat it.

Keys are the long names of the command's own options, so that one decorator gives every command a config file. Values are taken
as they are written (`workflows/requests/settings_file`), and the options read them as they would read the command line. The
command line overrides them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

import click

from outscore.cli.completion import of_files
from outscore.core.errors import OutscoreError
from outscore.core.options import Option, did_you_mean
from outscore.core.records import dataclass
from outscore.results.note import Note
from outscore.workflows.requests.settings_file import LARGEST_SAVED, Entry, entries_of_saved, entries_of_yaml, saved_settings

HELP = "Options from a YAML file (unit-size: 5), or a saved result to repeat it; paths in it start from the current folder."
_META = "outscore.cli.config"
_Command = TypeVar("_Command", bound=Callable[..., Any])


class DeclaredOption(click.Option):
    """A click option that knows the declaration it was made from."""

    def __init__(self, *given: Any, declared: Option, **more: Any) -> None:  # noqa: ANN401 - as in click
        super().__init__(*given, **more)
        self.declared = declared


@dataclass(frozen=True)
class Saved:
    """The digests of the files behind a saved result, by path, and the path of the result."""

    path: str
    digests: Mapping[str, str]


def config_option(command: _Command) -> _Command:
    """Give a command `--config FILE`."""
    option = click.option(
        "--config", metavar="FILE", is_eager=True, expose_value=False, callback=_load, help=HELP, shell_complete=of_files
    )
    return option(command)


def saved_inputs(context: click.Context) -> Saved | None:
    """The inputs of the saved result that --config names; None without one."""
    saved = context.meta.get(_META)
    return saved if isinstance(saved, Saved) else None


def changed_inputs(saved: Saved | None, inputs: Iterable[Mapping[str, Any]], *, whole: bool = False) -> list[Note]:
    """A note on every file that is no longer what the repeated result was made from; `inputs` as settings have them.

    With `whole`, also on files that were added or removed: a pattern may match other files than before.
    """
    if saved is None:
        return []
    now, then = {entry["path"]: entry["sha256"] for entry in inputs}, saved.digests
    texts: list[str] = []
    if whole:
        texts += [f"`{path}` was part of `{saved.path}`, but no longer is." for path in then if path not in now]
        texts += [f"`{path}` was not part of `{saved.path}`." for path in now if path not in then]
    texts += [f"`{path}` has changed since `{saved.path}` was saved." for path in now if then.get(path, now[path]) != now[path]]
    return [Note("difference", text) for text in texts]


def _load(context: click.Context, _param: click.Parameter, path: str | None) -> None:
    """Make the file's options the defaults of this command."""
    if path is None:
        return
    text = _text(path)
    saved = saved_settings(text, path, context.info_name or "")
    entries = entries_of_yaml(text, path) if saved is None else entries_of_saved(saved, path)
    known = _known_options(context.command)
    values = {key: _value(known[key], key, entry, context) for key, entry in _check_names(entries, known).items()}
    context.default_map = {str(known[key].name): value for key, value in values.items()}
    if saved is not None:
        context.meta[_META] = Saved(path, {i["path"]: i["sha256"] for i in saved.get("inputs", [])})


def _text(path: str) -> str:
    from outscore.formats.base.source import decoding_problem, open_source

    lines, size = [], 0
    with open_source(path) as source:
        for number, line in enumerate(source.lines(), 1):
            problem = decoding_problem(line)
            if problem is not None:
                raise OutscoreError(f"{source.label}, line {number}: {problem[0]}.", problem[1])
            lines.append(line)
            size += len(line)
            if size > LARGEST_SAVED:
                raise OutscoreError(f"{source.label} is too large for a config file.", "Name a YAML file or a saved result.")
    return "".join(lines)


def _known_options(command: click.Command) -> dict[str, click.Parameter]:
    """The options that a file may set, by long name."""
    options: dict[str, click.Parameter] = {}
    for param in command.params:
        names = [opt.removeprefix("--") for opt in param.opts if opt.startswith("--")] or [param.name or ""]
        options |= {long: param for long in names if long not in ("config", "help")}
    return options


def _check_names(entries: Mapping[str, Entry], known: Mapping[str, click.Parameter]) -> Mapping[str, Entry]:
    for key, entry in entries.items():
        if key not in known:
            raise OutscoreError(f"{entry.place}: there is no option `{key}`.", did_you_mean(key, known))
    return entries


def _value(param: click.Parameter, key: str, entry: Entry, context: click.Context) -> object:
    """The value as the command line would have read it."""
    try:
        return param.type_cast_value(context, _shape(param, key, entry))
    except click.BadParameter as error:
        # Releases of click list different words for true and false, the empty one among them.
        of_click = error.message.rstrip(".")
        text = f"{entry.value!r} is neither true nor false" if isinstance(param.type, click.types.BoolParamType) else of_click
        text = text if text[-1:] == "?" else f"{text}."
        raise OutscoreError(
            f"{entry.place}: `{key}` has a bad value: {text}", f"See `{context.command_path} --help`."
        ) from None


def _shape(param: click.Parameter, key: str, entry: Entry) -> str | list[str]:
    """One value or several, as the option takes them; its declaration says how its value is written."""
    value = entry.value
    kind = param.declared.kind if isinstance(param, DeclaredOption) else "value"
    if isinstance(value, dict) and kind == "settings":
        return [f"{name}={inner}" for name, inner in value.items()]
    if isinstance(value, list) and kind == "names":
        return ",".join(value)
    several = bool(getattr(param, "multiple", False)) or param.nargs != 1
    if isinstance(value, dict) or (isinstance(value, list) and not several):
        shape = "a list" if isinstance(value, list) else "a table"
        wanted = "a list or one value was" if several else "one value was"
        raise OutscoreError(f"{entry.place}: `{key}` is {shape}, but {wanted} expected.", f"Write `{key}: value`.")
    return [value] if isinstance(value, str) and several else value
