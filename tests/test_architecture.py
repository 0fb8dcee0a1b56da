"""Imports point one way: the table says which parts of the library each part may use, and nothing else may appear."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parent.parent / "src" / "outscore"

GROUND = {"errors"}
INPUT = GROUND | {"options", "data"}
# One row per part. What a part may import is stated in full: a missing name is a broken rule, not an oversight.
ALLOWED: dict[str, set[str]] = {
    "_version": set(),
    "errors": set(),
    # Tasks in, results out: it runs whatever it is given, here or in worker processes.
    "engine": GROUND,
    "options": GROUND,
    "data": GROUND,
    "summaries": GROUND,
    "details": {"summaries"},
    "results": GROUND | {"summaries", "details"},
    "plans": GROUND | {"summaries", "results"},
    "diffs": GROUND | {"results"},
    "rankings": {"results"},
    "scores": INPUT | {"results"},
    # Arrays in, numbers out: neither knows what a result or a test is.
    "exact": INPUT,
    "resampling": INPUT,
    "inference": INPUT | {"summaries", "results", "plans", "exact", "resampling"},
    "compat": INPUT | {"results", "resampling", "inference"},
    "metrics": INPUT | {"exact"},
    "outputs": INPUT | {"results", "scores"},
    "formats": INPUT | {"scores", "outputs"},
    # Simulated files for the demo and the page: text, made of nothing but seeds.
    "examples": set(),
    "numerals": {"results"},
    "wording": {"_version", "numerals", "results", "rankings"},
    "procedure": INPUT
    | {
        "_version",
        "summaries",
        "results",
        "plans",
        "diffs",
        "rankings",
        "scores",
        "outputs",
        "engine",
        "resampling",
        "compat",
        "inference",
        "metrics",
        "formats",
        "numerals",
        "wording",
    },
    "report": GROUND | {"data", "summaries", "results", "plans", "diffs", "rankings", "outputs", "numerals", "wording"},
    # A face of the command line: jobs run as commands in worker processes, so that it never imports `cli`.
    "web": INPUT
    | {
        "_version",
        "engine",
        "results",
        "plans",
        "diffs",
        "rankings",
        "scores",
        "inference",
        "metrics",
        "formats",
        "examples",
        "procedure",
        "report",
    },
    "cli": INPUT
    | {
        "_version",
        "results",
        "plans",
        "diffs",
        "rankings",
        "scores",
        "outputs",
        "engine",
        "inference",
        "metrics",
        "formats",
        "examples",
        "numerals",
        "procedure",
        "report",
        "web",
    },
    "__main__": {"cli"},
}
# The front door re-exports lazily and may name anything.
FREE = {"__init__"}


def part_of(path: Path) -> str:
    inside = path.relative_to(SOURCE)
    return inside.parts[0] if len(inside.parts) > 1 else inside.stem


def imports_of(path: Path) -> set[str]:
    """The parts of outscore a file imports, wherever in the file it does so, and those whose modules it names in a string."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.Constant) and re.fullmatch(r"outscore(\.\w+)+", str(node.value)):
            names = [node.value]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            names = (
                [f"{node.module}.{alias.name}" for alias in node.names] if node.module == "outscore" else [node.module or ""]
            )
        else:
            continue
        for name in names:
            root, _, rest = name.partition(".")
            if root == "outscore":
                found.add(rest.partition(".")[0] or "outscore")
    return found


FILES = sorted(SOURCE.rglob("*.py"))


def test_the_table_is_acyclic():
    done: set[str] = set()
    waiting = dict(ALLOWED)
    while waiting:
        free = [part for part, uses in waiting.items() if uses <= done]
        assert free, f"a circle among {sorted(waiting)}"
        done.update(free)
        for part in free:
            del waiting[part]


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_imports_point_one_way(path):
    part = part_of(path)
    if part in FREE:
        return
    assert part in ALLOWED, f"{part} has no row in the table"
    assert imports_of(path) - {part} <= ALLOWED[part]


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_library_does_not_print(path):
    calls = [node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.Call)]
    assert not any(isinstance(call.func, ast.Name) and call.func.id == "print" for call in calls)
