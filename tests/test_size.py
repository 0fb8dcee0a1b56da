"""How much code there is, and how much of it one command visits: numbers that may fall, and rise only on purpose.

Every number has a limit. Whoever needs more raises it in the same commit, where a reviewer sees it; whoever removes something
lowers it. What is counted are habits that made this code hard to change: types, modules, lists of option names kept by hand,
records that are made unfinished and patched.
"""

from __future__ import annotations

import ast
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import FrameType

import numpy as np
import pytest
from click.testing import CliRunner

import outscore
from outscore.cli.app import app
from outscore.workflows.requests.registry import REQUESTS

SOURCE = Path(outscore.__file__).parent
GENERATED = SOURCE / "api.py"
LIMITS = {
    "modules": 342,
    "lines of code": 64_486,
    "types": 462,
    "lists of option names": 0,
    "records patched in workflows": 109,
    "assertions that something is not None": 60,
}
"""The limits of `counts`; the targets are 340, 48,000, 400, 0, 90 and 75."""
VISITED = {"functions": 666, "modules": 93}
"""The limits of what a comparison of two files calls; the target is 560 functions."""


def counts() -> Counter[str]:
    """The numbers of the package, without what is generated."""
    names = {option.name for request in REQUESTS.values() for option in request.options()}
    found: Counter[str] = Counter()
    for path in SOURCE.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        nodes = list(ast.walk(ast.parse(text)))
        found["modules"] += 1
        if path == GENERATED:
            continue
        found["lines of code"] += lines_of_code(text, nodes)
        # The values of a type may be called like options.
        types = {id(node.slice) for node in nodes if isinstance(node, ast.Subscript)}
        for node in nodes:
            match node:
                case ast.ClassDef():
                    found["types"] += 1
                case ast.Tuple() | ast.List() | ast.Set() if id(node) not in types:
                    found["lists of option names"] += is_list_of(names, node)
                case ast.Call(func=ast.Name(id="replace"), keywords=[_, *_]):
                    found["records patched in workflows"] += "workflows" in path.parts
                case ast.Assert(test=ast.Compare(ops=[ast.IsNot()], comparators=[ast.Constant(value=None)])):
                    found["assertions that something is not None"] += 1
    return found


def lines_of_code(text: str, nodes: Iterable[ast.AST]) -> int:
    """Lines that hold more than a comment or a docstring."""
    lines = {number for number, line in enumerate(text.splitlines(), 1) if line.strip() and line.lstrip()[0] != "#"}
    return len(lines.difference(documented(nodes)))


def documented(nodes: Iterable[ast.AST]) -> Iterator[int]:
    """The lines of strings that stand alone."""
    for node in nodes:
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield from range(node.lineno, (node.end_lineno or node.lineno) + 1)


def is_list_of(names: set[str], node: ast.Tuple | ast.List | ast.Set) -> bool:
    """Whether a literal lists three or more of the names, and nothing else."""
    return len(node.elts) > 2 and all(isinstance(entry, ast.Constant) and entry.value in names for entry in node.elts)


def test_the_code_does_not_grow_unnoticed():
    found = counts()
    assert {name: found[name] for name in LIMITS if found[name] > LIMITS[name]} == {}


@pytest.mark.parametrize("text", ["x = 1\n", '"""Words.\n\nMore.\n"""\n\n# A comment.\nx = (\n    1,\n)\n'])
def test_code_is_counted_without_words(text):
    assert lines_of_code(text, ast.walk(ast.parse(text))) == text.count("\n", text.index("x"))


def test_a_comparison_does_not_visit_more_and_more(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    scores = np.random.default_rng(0).random((40, 2)).round(3)
    for name, column in zip("ab", scores.T.tolist(), strict=True):
        rows = "".join(f"q{item},{score}\n" for item, score in enumerate(column))
        Path(f"{name}.csv").write_text(f"id,score\n{rows}", encoding="utf-8")
    called: set[tuple[str, str]] = set()

    def note(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(str(SOURCE)) and not code.co_name.startswith("<"):
            called.add((code.co_filename, code.co_qualname))

    CliRunner().invoke(app, ["compare", "a.csv", "b.csv"])
    before = sys.getprofile()
    sys.setprofile(note)
    try:
        done = CliRunner().invoke(app, ["compare", "a.csv", "b.csv"])
    finally:
        sys.setprofile(before)
    assert done.exit_code == 0, done.output
    found = {"functions": len(called), "modules": len({file for file, _ in called})}
    assert {name: number for name, number in found.items() if number > VISITED[name]} == {}
