"""Imports point one way, down to single modules.

`architecture.txt` states for every room what it imports: exactly, so that a permission nobody uses is an error too. A room is
a folder at the top, or a layer inside one (`LAYERS`). Imports inside functions count like any others, and so do module names in
strings. With ``OUTSCORE_UPDATE_GOLDEN=1`` the table is written anew: read its diff, since each added name is a new dependency.
"""

from __future__ import annotations

import ast
import os
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import NamedTuple

import pytest

SOURCE = Path(__file__).resolve().parent.parent / "src" / "outscore"
FILES = sorted(SOURCE.rglob("*.py"))
# The front door re-exports lazily and may name anything.
FRONT_DOOR = "outscore"

TESTS = Path(__file__).resolve().parent
TABLE = TESTS / "architecture.txt"
# Results show themselves in reports, and reports import results: the one import that points back. It happens inside a function,
# when somebody asks for a report.
LATE = ("outscore.results.rendering", "outscore.report.render")


def module_of(path: Path) -> str:
    """The dotted name below outscore; a package's own file is the package."""
    parts = ("outscore", *path.relative_to(SOURCE).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_of(path): path for path in FILES}


def inside(path: Path) -> str:
    return str(path.relative_to(SOURCE))


def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


class Source(NamedTuple):
    """What the tests below ask about a file, which is parsed once for all of them."""

    named: list[str]
    nested: list[int]
    printing: list[int]
    functions: list[tuple[str, int]]
    body: list[type]


def code_lines(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """The lines of a function without those of its docstring."""
    told = node.body[0] if ast.get_docstring(node, clean=False) else None
    return lines_of(node) - (0 if told is None else lines_of(told))


def lines_of(node: ast.stmt) -> int:
    return (node.end_lineno or node.lineno) - node.lineno + 1


@cache
def read(path: Path) -> Source:
    tree = tree_of(path)
    found = Source([], [], [], [], [type(node) for node in tree.body])
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found.named.extend(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{inside(path)}: relative import"
            found.named.extend(f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Constant):
            if isinstance(node.value, str) and re.fullmatch(r"outscore(\.\w+)+", node.value):
                found.named.append(node.value)
        elif isinstance(node, ast.IfExp):
            if any(isinstance(inner, ast.IfExp) for inner in ast.walk(node) if inner is not node):
                found.nested.append(node.lineno)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print":
            found.printing.append(node.lineno)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            found.functions.append((node.name, code_lines(node)))
    return found


# Folders that others of the same folder are built upon, or build upon.
LAYERS = (
    "formats/base",
    "formats/tables",
    "inference/base",
    "metrics/text",
    "report/build",
    "report/charts",
    "report/rows",
    "report/write",
    "workflows/requests",
)


def room_of(module: str) -> str:
    """The layer or the folder at the top that a module lies in; a module at the top is a room of its own."""
    path = MODULES[module].relative_to(SOURCE)
    return next((layer for layer in LAYERS if path.is_relative_to(layer)), path.parts[0].removesuffix(".py"))


def test_layers_are_folders():
    assert all((SOURCE / layer).is_dir() for layer in LAYERS)


@cache
def imports_of(module: str) -> frozenset[str]:
    """The modules of outscore that a module imports or names."""
    found = set(filter(None, map(_known, read(MODULES[module]).named)))
    if module == LATE[0]:
        found -= {LATE[1]}
    return frozenset(found - {module})


def _known(name: str) -> str | None:
    """The module that holds the name."""
    while name.startswith("outscore."):
        if name in MODULES:
            # A package is imported for the files beside it: that is no dependency.
            return None if MODULES[name].name == "__init__.py" else name
        name = name.rpartition(".")[0]
    return None


def actual() -> dict[str, set[str]]:
    table: dict[str, set[str]] = {}
    for module in MODULES:
        if module != FRONT_DOOR:
            rooms = table.setdefault(room_of(module), set())
            rooms.update(room_of(other) for other in imports_of(module))
    return {room: uses - {room} for room, uses in sorted(table.items())}


def test_every_room_imports_exactly_what_the_table_says():
    table = "".join(f"{room}: {' '.join(sorted(uses))}".rstrip() + "\n" for room, uses in actual().items())
    if os.environ.get("OUTSCORE_UPDATE_GOLDEN"):
        TABLE.write_text(table, encoding="utf-8")
    assert table.splitlines() == TABLE.read_text(encoding="utf-8").splitlines()


def circle_in(imports: Mapping[str, Iterable[str]]) -> list[str]:
    """A circle of imports, if there is one."""
    try:
        TopologicalSorter(imports).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def test_a_circle_is_found():
    assert circle_in({"a": ["b"], "b": ["c"], "c": ["b"]}) in (["b", "c", "b"], ["c", "b", "c"])


def test_no_circle_between_modules():
    assert circle_in({module: imports_of(module) for module in MODULES if module != FRONT_DOOR}) == []


def test_no_circle_between_the_rooms_below_the_workflows():
    data = ("core", "engine", "formats", "outputs", "scores", "examples")
    below = (*data, "exact", "resampling", "metrics", "inference", "results")
    rooms = {room: uses for room, uses in actual().items() if room.split("/")[0] in below}
    assert circle_in(rooms) == []


def test_no_conditional_expression_inside_another():
    assert [f"{inside(path)}:{line}" for path in FILES for line in read(path).nested] == [], "an `if` reads better"


MIN_LINES = 50
# Where each file is one of many alike: a command, a reader, a kind of result, a task. There a short one is a simple one.
ENTRIES = (
    "cli",
    "formats/battles",
    "language/verdict",
    "metrics/text",
    "report/build",
    "report/charts",
    "report/write",
    "workflows/requests",
)
TABLES = ("_version", "workflows/convert")


def test_a_short_module_is_an_entry_or_a_table():
    """Anything else belongs to the room that it serves."""
    modules = [path for path in FILES if path.name != "__init__.py"]
    short = [inside(path.with_suffix("")) for path in modules if len(path.read_text("utf-8").splitlines()) < MIN_LINES]
    assert [name for name in short if name not in TABLES and name.rpartition("/")[0] not in ENTRIES] == []
    assert set(TABLES) <= set(short)
    assert all((SOURCE / name).is_dir() for name in ENTRIES)


MAX_FILES = 20


def test_a_prefix_of_three_files_is_a_folder():
    folders: dict[str, list[str]] = {}
    for path in FILES:
        if path.name != "__init__.py":
            folders.setdefault(path.parent.relative_to(SOURCE.parent).as_posix(), []).append(path.stem)
    first_words = {folder: Counter(stem.split("_")[0] for stem in stems) for folder, stems in folders.items()}
    assert [(folder, word) for folder, words in first_words.items() for word, times in words.items() if times > 2] == []
    assert [(f, stem) for f, stems in folders.items() for stem in stems if Path(f).name in stem.split("_")] == []
    assert [folder for folder, stems in folders.items() if len(stems) > MAX_FILES] == []


MAX_CODE = 60


def test_functions_fit_on_a_screen():
    """Lines of code, without those of the docstring; the public functions are written from the requests."""
    lines = {(inside(path), name): lines for path in FILES if path.name != "api.py" for name, lines in read(path).functions}
    assert len(lines) > 3_000
    assert [function for function, length in lines.items() if length > MAX_CODE] == []


def test_the_late_import_is_inside_one_function_and_the_only_one():
    tree = tree_of(MODULES[LATE[0]])
    late = [
        node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and str(node.module).startswith("outscore.report")
    ]
    assert [(node.module, [alias.name for alias in node.names]) for node in late] == [("outscore.report", ["render"])]
    assert not any(node in tree.body for node in late)
    results = {room for module in MODULES if room_of(module) == "results" for room in map(room_of, imports_of(module))}
    assert results == {"core", "results"}


# Folders of tests that are about the whole.
WHOLE = ("browser", "calibration", "contract", "fuzz", "golden", "reference", "same", "saved")


def test_tests_mirror_the_tree():
    folders = {path.relative_to(TESTS) for path in TESTS.rglob("*") if path.is_dir() and path.name != "__pycache__"}
    mirrored = {folder for folder in folders if folder.parts[0] not in WHOLE and any(TESTS.joinpath(folder).rglob("*.py"))}
    assert mirrored
    assert {str(folder) for folder in mirrored if not SOURCE.joinpath(folder).is_dir()} == set()


# What somebody new looks for, and where the table in CONTRIBUTING.md and the names of folders and files lead.
PLACES = {
    "inference/classical/mcnemar.py": "_interval",
    "inference/decision.py": "decide",
    "metrics/cache.py": "StatisticsCache",
    "report/rows/ranking.py": "place_table",
    "workflows/requests/shared.py": "MARGIN",
}


@pytest.mark.parametrize("path", PLACES)
def test_things_are_where_their_names_say(path):
    """McNemar's interval, who won, where statistics are kept, the rows of a ranking, and the declaration of --margin."""
    defined = {
        name
        for node in tree_of(SOURCE / path).body
        for name in (
            [target.id for target in node.targets if isinstance(target, ast.Name)]
            if isinstance(node, ast.Assign)
            else [getattr(node, "name", "")]
        )
    }
    assert PLACES[path] in defined


def test_library_does_not_print():
    assert [f"{inside(path)}:{line}" for path in FILES for line in read(path).printing] == []


def test_packages_hold_a_docstring_only():
    packages = [path for path in FILES if path.name == "__init__.py" and path.parent != SOURCE]
    assert packages
    assert [inside(path) for path in packages if read(path).body != [ast.Expr]] == []


WEB = [path for path in FILES if "web" in path.relative_to(SOURCE).parts]


@pytest.mark.parametrize("path", WEB, ids=inside)
def test_the_page_builds_and_reads_no_command_line(path):
    """The page hands requests to workers as data; only the line shown to copy is one, and the request writes that."""
    tree = tree_of(path)
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    names |= {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    names |= {node.arg for node in ast.walk(tree) if isinstance(node, (ast.arg, ast.keyword)) and node.arg}
    texts = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    assert not {name for name in names if "argv" in name}
    assert not {text for text in texts if "argv" in text}
    assert not {name for name in imports_of(module_of(path)) if name.startswith("outscore.cli")}
    imported = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    assert not imported & {"click", "argparse"}
