"""The Python call that gives what a command gives, to copy into a notebook, with the public names of the library alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from outscore.formats.base.source import stem_of
from outscore.web.jobs.form import form
from outscore.web.jobs.submission import Submission

__all__ = ["python_call"]

ASKED = ("test", "alternative", "alpha", "delta", "margin", "unit-size", "unit-statistic", "shuffle", "normality-alpha", "seed")
COLUMNS = ("item", "score", "cluster", "repeat", "dataset")
DESIGN = ("sd", "discordance", "alpha", "alternative", "repeats", "within", "cluster-size", "icc", "method")
READING = {"system": "systems", "system-column": "system", "reader": "format"}
"""Settings that `osc.read` knows by another name."""


def python_call(command: Submission) -> str:
    """What to write in Python; where no single call does what the command does, the call that loads its result."""
    calls: Mapping[str, Callable[[Submission], list[str] | None]] = {
        "compare": _compare,
        "texts": _texts,
        "rank": _rank,
        "diff": _diff,
        "plan": _plan,
    }
    make = calls.get(command.name)
    lines = None if make is None else make(command)
    if lines is None:
        lines = ["", f"result = osc.load({command.outputs[0]!r})  # written by the command"]
    return "\n".join(["import outscore as osc", *lines])


def _call(function: str, *arguments: str, **named: str) -> str:
    return f"result = osc.{function}({', '.join([*arguments, *(f'{name}={value}' for name, value in named.items())])})"


def _value(command: Submission, name: str) -> str:
    """What was given for a setting, as Python writes it, which knows no number 010."""
    written = command.given[name][0]
    if not any(one.name == name and one.type in ("number", "whole") for one in form(command.name)):
        return repr(written)
    return repr(int(written) if written.lstrip("+-").isdecimal() else float(written))


def _asked(command: Submission, names: Sequence[str]) -> dict[str, str]:
    """Keyword arguments for those settings that were given."""
    given = command.given
    named = {name.replace("-", "_"): _value(command, name) for name in names if name in given}
    own = {name.removeprefix("set."): _value(command, name) for name in given if name.startswith("set.")}
    own |= {name: _value(command, name) for name in ("method", "resamples") if name in given and "test" in names}
    return named | ({"options": "{" + ", ".join(f"{k!r}: {v}" for k, v in own.items()) + "}"} if own else {})


def _metric(command: Submission) -> list[str]:
    """The metrics with their options."""
    written = command.request.written().get("metric") if command.request is not None else None
    return written.split(",") if isinstance(written, str) else []


def _names(command: Submission, paths: Sequence[str]) -> list[str] | None:
    """What the command calls the systems of these files; None where it has to tell files of one name apart."""
    if "names" in command.given:
        return [name.strip() for name in command.given["names"][0].split(",")]
    stems = [stem_of(path) for path in paths]
    return stems if len({*stems, "gold"}) > len(stems) else None


def _reading(command: Submission, **more: str) -> str:
    """Further arguments of `osc.read`."""
    given = command.given
    named = {name: repr(given[name][0] if len(given[name]) == 1 else list(given[name])) for name in COLUMNS if name in given}
    for name, parameter in READING.items():
        if name in given:
            named[parameter] = repr(list(given[name]) if name == "system" else given[name][0])
    return "".join(f", {name}={value}" for name, value in (named | more).items())


def _are_counts(command: Submission) -> bool:
    """Whether every row holds several numbers of a system, whose metric is F1 unless another is asked for."""
    about = [command.places[path].about for path in command.parts["files"]]
    formats = [one.get("format") for one in about]
    several = any(sum(column["part"] == "score" for column in one.get("columns", ())) > 1 for one in about)
    return several or len(command.given.get("score", ())) > 1 or formats in (["f1-counts"], ["score-pairs", "score-pairs"])


def _compare(command: Submission) -> list[str] | None:
    files, given, more = command.parts["files"], command.given, _reading(command)
    if "slice" in given or "duplicates" in given or (len(files) == 2 and ("system" in given or _names(command, files) is None)):
        return None
    if len(files) == 1:
        lines = ["", f"a, b = osc.read({files[0]!r}{more})"]
    elif [command.places[path].about.get("format") for path in files] == ["score-pairs", "score-pairs"]:
        # Two columns of a file are the counts of one system here.
        lines = ["", f"a, b = ([*zip(*(column.values for column in osc.read(path{more})))] for path in {list(files)!r})"]
    else:
        lines = ["", f"(a,), (b,) = (osc.read(path{more}) for path in {list(files)!r})"]
    metric = _metric(command) or (["f1"] if _are_counts(command) else [])
    named = ({"metric": repr(metric[0])} if metric else {}) | _asked(command, ASKED)
    named |= {"unit_advice": "True"} if "unit-advice" in given else {}
    names = _names(command, files)
    if names is not None and ("names" in given or len(files) == 2):
        named["names"] = repr(tuple(names))
    return [*lines, _call("compare", "a", "b", **named)]


def _texts(command: Submission) -> list[str] | None:
    parts, given, names = command.parts, command.given, _names(command, command.parts["files"])
    if names is None:
        return None
    named = {"metrics": repr(_metric(command) or ["bleu", "chrf"])} | _asked(command, ASKED)
    named |= {name: repr(given[name][0]) for name in ("correction", "compat") if name in given}
    named |= {"documents": repr(parts["documents"][0])} if parts.get("documents") else {}
    buckets = [*(["length"] if "lengths" in given else []), *parts.get("buckets", ())]
    named |= {"buckets": repr(buckets)} if buckets else {}
    named["names"] = repr(tuple(names))
    first, second, *references = (repr(path) for path in (*parts["files"], *parts["reference"]))
    if len(references) == 1:
        return ["", _call("compare_texts", first, second, references[0], **named)]
    # A list of strings would be taken for segments.
    several = f"[{', '.join(f'Path({path})' for path in references)}]"
    return ["from pathlib import Path", "", _call("compare_texts", first, second, several, **named)]


def _rank(command: Submission) -> list[str] | None:
    parts, given = command.parts, command.given
    if any(parts.get(name) for name in ("reference", "gold")) or "duplicates" in given or "names" in given:
        return None
    if len(parts["files"]) > 1:
        return None
    metric = _metric(command)
    named = {"metric": repr(metric[0])} if metric else {}
    named |= _asked(command, ("test", "correction", "baseline", "alpha", "unit-size", "unit-statistic", "shuffle", "seed"))
    named |= {"critical_difference": "True"} if "critical-difference" in given else {}
    return ["", _call("rank", f"osc.read({parts['files'][0]!r}{_reading(command, gaps='True')})", **named)]


def _diff(command: Submission) -> list[str] | None:
    parts, given, names = command.parts, command.given, _names(command, command.parts["files"])
    if "task" not in given or names is None:
        return None
    systems = "{" + ", ".join(f"{name!r}: {path!r}" for name, path in zip(names, parts["files"], strict=False)) + "}"
    named = {"task": repr(given["task"][0])}
    named |= {name: repr(list(given[name])) for name in ("criterion", "map") if name in given}
    named |= {"slices": repr(list(given["slice"]))} if "slice" in given else {}
    named |= {flag: "True" for flag in ("punct", "subtypes", "lenient", "repair") if flag in given}
    named |= _asked(command, ("cluster", "min-support", "correction", "alpha", "seed"))
    return ["", _call("diff", repr(parts["gold"][0]), systems, **named)]


def _plan(command: Submission) -> list[str] | None:
    given = command.given
    if command.parts.get("pilot") or "scores" in given or ("accuracy" in given and "discordance" not in given):
        return None
    asked = {name.replace("-", "_"): _value(command, name) for name in (*DESIGN, "effect", "n", "power") if name in given}
    effect, n = asked.pop("effect", None), asked.pop("n", None)
    if effect is not None and n is not None:
        # How good the chances are is then the question.
        asked.pop("power", None)
        return ["", _call("power", n, effect, **asked)]
    if effect is not None:
        return ["", _call("sample_size", effect, **asked)]
    return None if n is None else ["", _call("detectable_effect", n, **asked)]
