"""`--config FILE`: options from a YAML file, or from a saved result to repeat it.

Keys are the long names of the command's own options, so that every command gets a config file by one decorator. Values are
taken as they are written, and the options read them as they would read the command line: `item: no` names a column, and no
type of YAML stands between. What the command line says wins. The file is read by YAML's safe loader, without aliases and
without deep nesting, which no options need and which could make a small file large.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import click

from outscore.core.errors import OutscoreError
from outscore.core.options import Option, did_you_mean
from outscore.results.note import Note

if TYPE_CHECKING:
    import yaml


__all__ = ["DeclaredOption", "Saved", "changed_inputs", "config_option", "saved_inputs"]

MADE_BY = {
    "outscore/result/1": "compare",
    "outscore/ranking/1": "rank",
    "outscore/preference/1": "prefer",
    "outscore/score/1": "score",
    "outscore/gate/1": "gate",
    "outscore/diff/1": "diff",
    "outscore/plan/1": "plan",
    "outscore/possible-p/1": "plan",
    "outscore/possible-table/1": "plan",
}
"""The command that saves, and repeats, a result of each schema."""
NOUNS = {"compare": "comparison", "rank": "ranking"}
LARGEST_YAML = 1 << 16
LARGEST_SAVED = 1 << 26
DEEPEST = 2
# Parts of saved settings that say where the numbers come from and ask for nothing.
NOT_ASKED = {"inputs", "versions", "simulation"}
PLAIN = {f"tag:yaml.org,2002:{kind}" for kind in ("str", "int", "float", "bool", "timestamp")}
NULL = "tag:yaml.org,2002:null"
HELP = "Options from a YAML file (unit-size: 5), or a saved result to repeat it; paths in it start from the current folder."
_META = "outscore.cli.config"
_Command = TypeVar("_Command", bound=Callable[..., Any])

Written = str | list[str] | dict[str, str]


class DeclaredOption(click.Option):
    """A click option that knows the declaration it was made from."""

    def __init__(self, *given: Any, declared: Option, **more: Any) -> None:  # noqa: ANN401 - as in click
        super().__init__(*given, **more)
        self.declared = declared


@dataclass(frozen=True)
class Saved:
    """The digests of the files that a saved result was made from, by path, and the path of the result."""

    path: str
    digests: Mapping[str, str]


@dataclass(frozen=True)
class _Entry:
    """One option as written, and where."""

    value: Written
    place: str


def config_option(command: _Command) -> _Command:
    """Give a command `--config FILE`."""
    return click.option("--config", metavar="FILE", is_eager=True, expose_value=False, callback=_load, help=HELP)(command)


def saved_inputs(context: click.Context) -> Saved | None:
    """What the saved result named by --config was made from; None without one."""
    found = context.meta.get(_META)
    return found if isinstance(found, Saved) else None


def changed_inputs(saved: Saved | None, inputs: Iterable[Mapping[str, Any]], *, whole: bool = False) -> list[Note]:
    """A note on every file that is no longer what the repeated result was made from; `inputs` as settings have them.

    With `whole`, also on files that have come or gone: a pattern may stand for other files than it did.
    """
    if saved is None:
        return []
    now, then = {entry["path"]: entry["sha256"] for entry in inputs}, saved.digests
    texts: list[str] = []
    if whole:
        texts += [f"`{path}` was part of `{saved.path}` and is no longer." for path in then if path not in now]
        texts += [f"`{path}` was not part of `{saved.path}`." for path in now if path not in then]
    texts += [f"`{path}` has changed since `{saved.path}` was saved." for path in now if then.get(path, now[path]) != now[path]]
    return [Note("difference", text) for text in texts]


def _load(context: click.Context, _param: click.Parameter, path: str | None) -> None:
    """Make the file's options the defaults of this command."""
    if path is None:
        return
    text = _text(path)
    saved = _saved_settings(text, path, context.info_name or "")
    entries = _from_yaml(text, path) if saved is None else _from_settings(saved, path)
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


def _saved_settings(text: str, path: str, command: str) -> dict[str, Any] | None:
    """The settings of a saved result; None where the file is none."""
    if not text.lstrip().startswith("{"):
        return None
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if "schema" not in data:
        return None
    settings = data.get("settings")
    cure = f"Name a result that `outscore {command} -o` saved as .json."
    if MADE_BY.get(str(data["schema"])) != command or not isinstance(settings, dict) or not _has_digests(settings):
        raise OutscoreError(f"`{path}` is not a saved {NOUNS.get(command, command)}.", cure)
    # A plan may come from numbers alone.
    if command != "plan" and "files" not in settings:
        raise OutscoreError(f"`{path}` does not say which files it was made from, so it cannot be repeated.", cure)
    return settings


def _has_digests(settings: Mapping[str, Any]) -> bool:
    inputs = settings.get("inputs", [])
    return isinstance(inputs, list) and all(isinstance(i, dict) and {"path", "sha256"} <= i.keys() for i in inputs)


def _from_settings(settings: Mapping[str, Any], path: str) -> dict[str, _Entry]:
    place = f"`{path}`"
    asked = {key: value for key, value in settings.items() if key not in NOT_ASKED and value is not None}
    return {key.replace("_", "-"): _Entry(_as_written(value), place) for key, value in asked.items()}


def _as_written(value: object) -> Written:
    if isinstance(value, dict):
        return {str(key): str(inner) for key, inner in value.items()}
    return [str(inner) for inner in value] if isinstance(value, list) else str(value)


def _from_yaml(text: str, path: str) -> dict[str, _Entry]:
    import yaml

    if len(text) > LARGEST_YAML:
        raise OutscoreError(f"`{path}` is too large for a config file.", "Name a YAML file of a few lines, or a saved result.")
    try:
        _refuse_tricks(yaml.parse(text, Loader=yaml.SafeLoader), path)
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.YAMLError as error:
        _refuse_yaml(error, path)
    if root is None:
        raise OutscoreError(f"`{path}` is empty, options were expected.", "Write one `option: value` per line.")
    if not isinstance(root, yaml.MappingNode):
        raise OutscoreError(f"`{path}` holds no options.", "Write one `option: value` per line.")
    found: dict[str, _Entry] = {}
    for key_node, value_node in root.value:
        place = _place(path, key_node)
        key = _scalar(key_node, path).replace("_", "-")
        if key in found:
            raise OutscoreError(f"{place}: `{key}` stands here for the second time.", "Give every option once.")
        value = _node(value_node, path)
        if value is not None:
            found[key] = _Entry(value, place)
    return found


def _refuse_tricks(events: Iterator[yaml.Event], path: str) -> None:
    """Aliases and nesting are harmless as events, and may be anything but that as data."""
    import yaml

    depth = 0
    for event in events:
        if isinstance(event, yaml.AliasEvent):
            raise OutscoreError(f"{_place(path, event)}: found the alias `*{event.anchor}`.", "Write the value out.")
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > DEEPEST:
            raise OutscoreError(f"{_place(path, event)}: found values nested too deeply.", "Write `option: value` or a list.")


def _refuse_yaml(error: yaml.YAMLError, path: str) -> NoReturn:
    mark = getattr(error, "problem_mark", None)
    where = f"`{path}`" if mark is None else f"`{path}`, line {mark.line + 1}"
    reason = " ".join(str(getattr(error, "problem", None) or getattr(error, "reason", None) or "cannot be read").split())
    raise OutscoreError(f"{where}: this is not YAML ({reason}).", "Write one `option: value` per line.") from None


def _place(path: str, found: yaml.Node | yaml.Event) -> str:
    mark = found.start_mark
    return f"`{path}`" if mark is None else f"`{path}`, line {mark.line + 1}"


def _node(node: yaml.Node, path: str) -> Written | None:
    """A value as written; None where nothing stands."""
    import yaml

    if isinstance(node, yaml.MappingNode):
        return {_scalar(key, path): _scalar(value, path) for key, value in node.value}
    if isinstance(node, yaml.SequenceNode):
        return [_scalar(inner, path) for inner in node.value]
    return None if node.tag == NULL else _scalar(node, path)


def _scalar(node: yaml.Node, path: str) -> str:
    import yaml

    if not isinstance(node, yaml.ScalarNode) or node.tag not in PLAIN:
        raise OutscoreError(
            f"{_place(path, node)}: found `{node.tag.split(':')[-1]}`, expected one value.", "Write it plainly."
        )
    return str(node.value)


def _known_options(command: click.Command) -> dict[str, click.Parameter]:
    """The options a file may give, by long name."""
    found: dict[str, click.Parameter] = {}
    for param in command.params:
        names = [opt.removeprefix("--") for opt in param.opts if opt.startswith("--")] or [param.name or ""]
        found |= {long: param for long in names if long not in ("config", "help")}
    return found


def _check_names(entries: Mapping[str, _Entry], known: Mapping[str, click.Parameter]) -> Mapping[str, _Entry]:
    for key, entry in entries.items():
        if key not in known:
            raise OutscoreError(f"{entry.place}: there is no option `{key}`.", did_you_mean(key, known))
    return entries


def _value(param: click.Parameter, key: str, entry: _Entry, context: click.Context) -> object:
    """The value as the command line would have read it."""
    try:
        return param.type_cast_value(context, _shape(param, key, entry))
    except click.BadParameter as error:
        text = error.message.rstrip(".")
        raise OutscoreError(f"{entry.place}: `{key}` does not fit: {text}.", f"See `{context.command_path} --help`.") from None


def _shape(param: click.Parameter, key: str, entry: _Entry) -> str | list[str]:
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
        raise OutscoreError(f"{entry.place}: `{key}` is {shape}, {wanted} expected.", f"Write `{key}: value`.")
    return [value] if isinstance(value, str) and several else value
