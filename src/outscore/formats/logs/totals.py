"""Files that hold totals only: what they are, and the command that says what their totals allow."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path, PurePath
from typing import Any

from outscore.core.errors import OutscoreError
from outscore.core.records import dataclass
from outscore.formats.base.source import explain_failures, files_below, open_bytes
from outscore.formats.logs.document import PEEK, number_of, open_document
from outscore.scores.system import label_of

SAME_SHARE = 1e-9
"""A total is a share of right answers if some number of them is as large, up to this."""
MOST_ITEMS = 100_000
_NAME = r"(?:\.(?:gz|bz2|xz|zst))?"


@dataclass(frozen=True)
class Share:
    """A share of right answers as it is printed, and of how many items; None if the file says only the least."""

    printed: str
    items: int | None = None
    least: int = 1


Shares = dict[tuple[str, str], Share]
"""By task and measure."""


@dataclass(frozen=True)
class Totals:
    """A kind of file with totals: who writes it, how it is called and begins, its shares, and how to get scores of items."""

    title: str
    name: re.Pattern[str]
    begins: re.Pattern[bytes]
    shares: Callable[[Mapping[str, Any]], Shares]
    cure: str

    def at(self, path: str) -> list[str]:
        """The files of this kind that a path is, or that a folder holds."""
        names = files_below(path) if Path(path).is_dir() else [path]
        with suppress(OutscoreError):
            return [name for name in names if self.name.fullmatch(PurePath(name).name) and self._is(name)]
        return []

    def _is(self, name: str) -> bool:
        with explain_failures(name), open_bytes(name) as (stream, _):
            return self.begins.search(stream.peek(PEEK)[:PEEK]) is not None

    def shares_at(self, files: Sequence[str]) -> Shares:
        """The shares of files; of a task that several have, those of the last."""
        shares: Shares = {}
        for file in files:
            # What a version lays out in another way is not said, but still refused.
            with open_document(file) as document, suppress(AttributeError, KeyError, TypeError, ValueError):
                shares |= self.shares(document.decode_all(dict[str, Any]))
        return shares


def _of_lm_eval(content: Mapping[str, Any]) -> Shares:
    found = {}
    for task, scores in content["results"].items():
        items = content.get("n-samples", {}).get(task, {}).get("effective", 0)
        for name, value in scores.items():
            share = number_of(value)
            right = "," in name and "_stderr," not in name and 0 <= share <= 1 and items > 0
            if right and abs(round(share * items) / items - share) < SAME_SHARE:
                found[task, name.removesuffix(",none")] = Share(f"{share:.6g}", items)
    return found


def _of_mteb(content: Mapping[str, Any]) -> Shares:
    """The accuracy of each part of a task for which it is the main score."""
    task, scores = str(content.get("task_name", "")), content.get("scores")
    parts = [one for several in scores.values() for one in several] if task and isinstance(scores, Mapping) else []
    right = [one for one in parts if number_of(one.get("accuracy")) == number_of(one.get("main_score"))]
    return {(task, "accuracy"): Share(f"{right[0]['accuracy']:.6g}")} if len(parts) == len(right) == 1 else {}


def _of_explainaboard(content: Mapping[str, Any]) -> Shares:
    """The accuracy, as printed, of all items; some may lie in no bucket."""
    results = content["results"]
    parts = next(iter(results["fine_grained"].values()), ())
    items = sum(one["n_samples"] for one in _with_key(parts, "n_samples"))
    overall = {str(one["metric_name"]): str(one["value"]) for one in _with_key(results["overall"], "metric_name")}
    task = str(content.get("dataset_name") or content.get("task_name") or "")
    return {(task, "accuracy"): Share(overall["Accuracy"], least=items)} if "Accuracy" in overall and items else {}


def _with_key(value: object, key: str) -> Iterator[Mapping[str, Any]]:
    """The objects with a key inside lists and objects, at any depth."""
    if isinstance(value, Mapping) and key in value:
        yield value
    elif isinstance(value, (Mapping, list)):
        for inner in value.values() if isinstance(value, Mapping) else value:
            yield from _with_key(inner, key)


_TABLE = "Give scores of single items, or a table with a row for each system and a column for each task, and --transpose."
KINDS = (
    Totals(
        "lm-evaluation-harness",
        re.compile(rf"results(?:_.*)?\.json{_NAME}"),
        # Of each task the scores, called by a measure and a filter.
        re.compile(rb'^\s*\{\s*"results"\s*:\s*\{\s*"[^"]+"\s*:\s*\{[^{}]*"[^",]+,[^",]+"\s*:\s*-?\d'),
        _of_lm_eval,
        "Run it again with --log_samples.",
    ),
    Totals("MTEB", re.compile(rf".*\.json{_NAME}"), re.compile(rb'"mteb_version"\s*:'), _of_mteb, _TABLE),
    Totals(
        "ExplainaBoard",
        re.compile(rf".*\.json{_NAME}"),
        re.compile(rb'^\s*\{(?=[^\0]*"task_name"\s*:)(?=[^\0]*"overall"\s*:)(?=[^\0]*"fine_grained"\s*:)'),
        _of_explainaboard,
        "Give the system's predictions instead of the report.",
    ),
)


def refuse_totals(paths: Sequence[str | os.PathLike[str]]) -> None:
    """Refuse results without scores of single items, with the command that says what their totals allow."""
    for kind in KINDS if paths else ():
        files = [kind.at(os.fspath(path)) for path in paths]
        if all(files):
            message = f"{label_of(os.fspath(paths[0]))} has the totals of {kind.title} only, and no scores of single items."
            found = [kind.shares_at(several) for several in files]
            raise OutscoreError(message, kind.cure + _planned(found), parameter="files", file=os.fspath(paths[0]))


def _planned(found: Sequence[Shares]) -> str:
    """What one or two systems can be told apart by, on the first task that all of them have; empty if nothing can be said."""
    shared = [key for key in found[0] if all(key in one and one[key].items == found[0][key].items for one in found)]
    if not shared or len(found) > 2:
        return ""
    printed = [one[shared[0]].printed for one in found]
    said = found[0][shared[0]].items
    items = said or fewest_items(printed, max(one[shared[0]].least for one in found))
    if items is None:
        return ""
    asked = ["--accuracy", *printed] if len(found) == 1 else ["--scores", *printed]
    command = " ".join(["outscore", "plan", *asked, "--n", str(items)])
    about = " ".join(shared[0])
    if said is None:
        return (
            f" How many items there are is not said; what {about} would tell with the fewest that give such scores is said by "
            f"`{command}`."
        )
    return f" Until then, what its {about} can tell is said by `{command}`."


def fewest_items(printed: Sequence[str], least: int = 1) -> int | None:
    """The smallest number of items, `least` or more, of which some number is each of these shares, as it is printed.

    Examples
    --------
    >>> fewest_items(["0.825", "0.525"]), fewest_items(["0.5"]), fewest_items(["1.5"])
    (40, 2, None)
    """
    shares = [(float(text), len(text.partition(".")[2])) for text in printed]
    if any(not 0 <= share <= 1 for share, _ in shares):
        return None
    sizes = range(least, least + MOST_ITEMS)
    return next((n for n in sizes if all(round(round(share * n) / n, digits) == share for share, digits in shares)), None)
