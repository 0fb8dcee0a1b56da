"""The Python call that gives what a command gives, to copy into a notebook."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import PurePath

from outscore.web.commands import RESULT, Command

__all__ = ["python_call"]

NUMBERS = {"alpha", "delta", "margin", "unit-size", "shuffle", "normality-alpha", "seed", "min-support", "effect", "n", "power"}
NUMBERS |= {"sd", "discordance", "repeats", "within", "cluster-size", "icc", "resamples", "block_length", "rope"}
ASKED = ("test", "alternative", "alpha", "delta", "margin", "unit-size", "unit-statistic", "shuffle", "normality-alpha", "seed")
COLUMNS = ("item", "score", "cluster", "repeat", "dataset", "slice")
DESIGN = ("sd", "discordance", "alpha", "alternative", "repeats", "within", "cluster-size", "icc", "method")


def python_call(command: Command) -> str:
    """What to write in Python; where no single call does what the command does, the call that loads its result."""
    calls: Mapping[str, Callable[[Command], list[str] | None]] = {
        "compare": _compare,
        "texts": _texts,
        "rank": _rank,
        "diff": _diff,
        "plan": _plan,
    }
    make = calls.get(command.name)
    lines = None if make is None else make(command)
    return "\n".join(["import outscore as osc", *(lines or [f'result = osc.load("{RESULT}")  # written by the command'])])


def _call(function: str, *arguments: str, **named: str) -> str:
    return f"result = osc.{function}({', '.join([*arguments, *(f'{name}={value}' for name, value in named.items())])})"


def _value(name: str, written: Sequence[str]) -> str:
    return written[0] if name in NUMBERS else repr(written[0])


def _asked(command: Command, names: Sequence[str]) -> dict[str, str]:
    """Keyword arguments for those settings that were given."""
    given = command.given
    named = {name.replace("-", "_"): _value(name, given[name]) for name in names if name in given}
    own = {name.removeprefix("set."): _value(name.removeprefix("set."), v) for name, v in given.items() if name[:4] == "set."}
    own |= {name: _value(name, given[name]) for name in ("method", "resamples") if name in given and "test" in names}
    return named | ({"options": "{" + ", ".join(f"{k!r}: {v}" for k, v in own.items()) + "}"} if own else {})


def _metric(command: Command) -> list[str]:
    """The metrics as written on the command line."""
    words = command.arguments
    return words[words.index("--metric") + 1].split(",") if "--metric" in words else []


def _reading(command: Command) -> str:
    """Further arguments of `osc.read`."""
    given = command.given
    named = {name: repr(given[name][0] if len(given[name]) == 1 else list(given[name])) for name in COLUMNS if name in given}
    if "system-column" in given:
        named["system"] = repr(given["system-column"][0])
    if "reader" in given:
        named["format"] = repr(given["reader"][0])
    return "".join(f", {name}={value}" for name, value in named.items())


def _compare(command: Command) -> list[str] | None:
    files, given, more = command.parts["files"], command.given, _reading(command)
    formats = [command.places[path].about.get("format") for path in files]
    counts = formats in (["f1-counts"], ["score-pairs", "score-pairs"])
    if len(files) == 1:
        systems = f", systems={list(given['system'])!r}" if "system" in given else ""
        lines = ["from outscore.scores import pair", "", f"a, b = osc.read({files[0]!r}{more}{systems})"]
    elif counts:
        lines = ["from outscore.formats.numbers import counts_of", "from outscore.scores import pair", ""]
        lines += [f"a, b = (counts_of(osc.read(path{more})) for path in {list(files)!r})"]
    elif "system" in given:
        return None
    else:
        lines = ["from outscore.scores import pair", "", f"(a,), (b,) = (osc.read(path{more}) for path in {list(files)!r})"]
    metric = _metric(command) or (["f1"] if counts else [])
    named = {"metric": repr(metric[0])} if metric else {}
    named |= _asked(command, ASKED) | {"items": "both.items", "clusters": "both.clusters", "names": "(a.name, b.name)"}
    if "names" in given:
        named["names"] = repr(tuple(name.strip() for name in given["names"][0].split(",")))
    duplicates = f", {given['duplicates'][0]!r}" if "duplicates" in given else ""
    return [*lines, f"both = pair(a, b{duplicates})", _call("compare", "both.a", "both.b", **named)]


def _texts(command: Command) -> list[str] | None:
    parts, given = command.parts, command.given
    if "lengths" in given or "buckets" in parts:
        return None
    names = given["names"][0].split(",") if "names" in given else [PurePath(path).stem for path in parts["files"]]
    named = {"metrics": repr(_metric(command) or ["bleu", "chrf"])} | _asked(command, ASKED)
    named |= {name: repr(given[name][0]) for name in ("correction", "compat") if name in given}
    lines = []
    if parts.get("documents"):
        lines = ["from pathlib import Path", "", f"documents = Path({parts['documents'][0]!r}).read_text().splitlines()"]
        named["documents"] = "documents"
    named["names"] = repr(tuple(name.strip() for name in names))
    first, second, *references = (repr(path) for path in (*parts["files"], *parts["reference"]))
    if len(references) > 1:
        # A list of texts would be taken for segments.
        read = f"[Path(path).read_text().splitlines() for path in [{', '.join(references)}]]"
        lines, references = lines or ["from pathlib import Path", ""], [read]
    return [*lines, _call("compare_texts", first, second, references[0], **named)]


def _rank(command: Command) -> list[str] | None:
    parts, given = command.parts, command.given
    if any(parts.get(name) for name in ("reference", "gold")) or "duplicates" in given or "names" in given:
        return None
    if len(parts["files"]) > 1 or "system" in given:
        return None
    metric = _metric(command)
    named = {"metric": repr(metric[0])} if metric else {}
    named |= _asked(command, ("test", "correction", "baseline", "alpha", "unit-size", "unit-statistic", "shuffle", "seed"))
    named |= {"critical_difference": "True"} if "critical-difference" in given else {}
    return [_call("rank", f"osc.read({parts['files'][0]!r}{_reading(command)}, gaps=True)", **named)]


def _diff(command: Command) -> list[str] | None:
    parts, given = command.parts, command.given
    if "task" not in given:
        return None
    paths = parts["files"]
    names = given["names"][0].split(",") if "names" in given else [PurePath(path).stem for path in paths]
    systems = "{" + ", ".join(f"{name.strip()!r}: {path!r}" for name, path in zip(names, paths, strict=False)) + "}"
    named = {"task": repr(given["task"][0])}
    named |= {name: repr(list(given[name])) for name in ("criterion", "map") if name in given}
    named |= {"slices": repr(list(given["slice"]))} if "slice" in given else {}
    named |= {flag: "True" for flag in ("punct", "subtypes", "lenient", "repair") if flag in given}
    named |= _asked(command, ("cluster", "min-support", "correction", "alpha", "seed"))
    return [_call("diff", repr(parts["gold"][0]), systems, **named)]


def _plan(command: Command) -> list[str] | None:
    given = command.given
    if command.parts.get("pilot") or "scores" in given or ("accuracy" in given and "discordance" not in given):
        return None
    named = {name.replace("-", "_"): _value(name, given[name]) for name in DESIGN if name in given}
    power = {"power": given["power"][0]} if "power" in given else {}
    match "effect" in given, "n" in given:
        case True, True:
            return [_call("power", given["n"][0], given["effect"][0], **named)]
        case True, False:
            return [_call("sample_size", given["effect"][0], **power, **named)]
        case False, True:
            return [_call("detectable_effect", given["n"][0], **power, **named)]
    return None
