"""Settings in a file: hand-written YAML, or a saved result to repeat.

Keys are the long names of a request's options and values are kept as written, so that `item: no` names a column instead of
being read as a boolean. The file is read by YAML's safe loader, without aliases and without deep nesting, which no
options need and which could make a small file large. The command line (`--config`) and the page read and write the same files.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NoReturn

from outscore.core.errors import OutscoreError
from outscore.core.records import dataclass
from outscore.workflows.requests.base import Request, saved_value

if TYPE_CHECKING:
    import yaml

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
NULL, TABLE, LIST = (f"tag:yaml.org,2002:{kind}" for kind in ("null", "map", "seq"))

Written = str | list[str] | dict[str, str]


@dataclass(frozen=True)
class Entry:
    """One option as written, and where."""

    value: Written
    place: str


def settings_yaml(request: Request) -> str:
    """The options of a request that differ from their defaults, files included, as YAML that `--config` reads.

    Examples
    --------
    >>> from outscore.workflows.requests.registry import REQUESTS
    >>> asked = {"files": ["a.txt", "b.txt"], "test": "wilcoxon", "set": "zeros=pratt", "unit-size": "5"}
    >>> print(settings_yaml(REQUESTS["compare"].from_written(asked)), end="")
    # outscore compare --config FILE
    files:
    - a.txt
    - b.txt
    test: wilcoxon
    set:
      zeros: pratt
    unit-size: 5
    """
    import yaml

    given = {
        option.long: saved_value(option, request.value(option.name)) for option in request.options() if request.is_given(option)
    }
    content = yaml.safe_dump(given, sort_keys=False, allow_unicode=True, width=1_000) if given else ""
    return f"# outscore {request.subcommand} --config FILE\n{content}"


def saved_settings(text: str, path: str, command: str) -> dict[str, Any] | None:
    """The settings of a saved result; None if the file is not a saved result."""
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
    # A plan may be made from numbers alone.
    if command != "plan" and "files" not in settings:
        raise OutscoreError(f"`{path}` does not say which files it was made from, so it cannot be repeated.", cure)
    return settings


def _has_digests(settings: Mapping[str, Any]) -> bool:
    inputs = settings.get("inputs", [])
    if not isinstance(inputs, list) or not all(isinstance(file, dict) for file in inputs):
        return False
    return all(isinstance(file.get(key), str) for file in inputs for key in ("path", "sha256"))


def entries_of_saved(settings: Mapping[str, Any], path: str) -> dict[str, Entry]:
    """The options in the settings of a saved result, by long name."""
    place = f"`{path}`"
    asked = {key: value for key, value in settings.items() if key not in NOT_ASKED and value is not None}
    return {key.replace("_", "-"): Entry(_as_written(value), place) for key, value in asked.items()}


def _as_written(value: object) -> Written:
    if isinstance(value, dict):
        return {str(key): str(inner) for key, inner in value.items()}
    return [str(inner) for inner in value] if isinstance(value, list) else str(value)


def entries_of_yaml(text: str, path: str) -> dict[str, Entry]:
    """The options in a YAML file, by long name; messages call the file `path`."""
    import yaml

    if len(text) > LARGEST_YAML:
        raise OutscoreError(f"`{path}` is too large for a config file.", "Name a YAML file of a few lines, or a saved result.")
    try:
        _refuse_tricks(yaml.parse(text, Loader=yaml.SafeLoader), path)
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.YAMLError as error:
        _refuse_yaml(error, path)
    if root is None:
        raise OutscoreError(f"`{path}` is empty, but options were expected.", "Write one `option: value` per line.")
    if not isinstance(root, yaml.MappingNode):
        raise OutscoreError(f"`{path}` contains no options.", "Write one `option: value` per line.")
    entries: dict[str, Entry] = {}
    for key_node, value_node in root.value:
        place = _place(path, key_node)
        key = _scalar(key_node, path).replace("_", "-")
        if key in entries:
            raise OutscoreError(f"{place}: `{key}` appears for the second time.", "Give every option once.")
        value = _node(value_node, path)
        if value is not None:
            entries[key] = Entry(value, place)
    return entries


def _refuse_tricks(events: Iterator[yaml.Event], path: str) -> None:
    """Refuse aliases and deep nesting while they are still events: as data they could become huge."""
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


def _place(path: str, node: yaml.Node | yaml.Event) -> str:
    mark = node.start_mark
    return f"`{path}`" if mark is None else f"`{path}`, line {mark.line + 1}"


def _node(node: yaml.Node, path: str) -> Written | None:
    """A value as written; None if it is empty."""
    import yaml

    if isinstance(node, yaml.MappingNode) and node.tag == TABLE:
        return {_scalar(key, path): _scalar(value, path) for key, value in node.value}
    if isinstance(node, yaml.SequenceNode) and node.tag == LIST:
        return [_scalar(inner, path) for inner in node.value]
    return None if node.tag == NULL else _scalar(node, path)


def _scalar(node: yaml.Node, path: str) -> str:
    import yaml

    if not isinstance(node, yaml.ScalarNode) or node.tag not in PLAIN:
        raise OutscoreError(
            f"{_place(path, node)}: found `{node.tag.split(':')[-1]}`, expected a single value.", "Write `option: value`."
        )
    return str(node.value)
