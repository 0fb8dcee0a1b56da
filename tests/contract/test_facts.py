"""Facts stay facts: outside `language` nobody takes a verdict, a note, a signature or an error message apart to learn one."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parent.parent.parent / "src" / "outscore"
FILES = [path for path in sorted(SOURCE.rglob("*.py")) if path.relative_to(SOURCE).parts[0] != "language"]
TAKING_APART = {
    *("startswith", "endswith", "find", "rfind", "index", "replace", "split", "rsplit", "splitlines"),
    *("partition", "rpartition", "removeprefix", "removesuffix"),
}
PROSE = re.compile(r"(^|[._])(verdict|sentence|headline|reason|note|signature|message|hint|refusal)s?(\.text)?$")


def taken_apart(tree: ast.AST) -> list[str]:
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in TAKING_APART:
            found += [ast.unparse(node)] if PROSE.search(named(node.func.value)) else []
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In | ast.NotIn):
            text = isinstance(node.left, ast.Constant | ast.JoinedStr) and isinstance(node.comparators[0], ast.Attribute)
            found += [ast.unparse(node)] if text and PROSE.search(named(node.comparators[0])) else []
    return found


def named(node: ast.AST) -> str:
    """The name of a value, also where it is cleaned or cut before it is taken apart."""
    while isinstance(node, ast.Call | ast.Subscript):
        if isinstance(node, ast.Subscript):
            node = node.value
        else:
            node = node.args[0] if node.args and isinstance(node.func, ast.Name) else node.func
    return ast.unparse(node)


def test_no_prose_is_taken_apart():
    found = {str(path.relative_to(SOURCE)): taken_apart(ast.parse(path.read_text(encoding="utf-8"))) for path in FILES}
    assert {path: lines for path, lines in found.items() if lines} == {}


@pytest.mark.parametrize(
    "line",
    [
        "c.verdict.startswith('No winner')",
        "clean(found.verdict).partition(',')",
        "whole.signature.replace('|unit:items', '|unit:segments')",
        "note.text.removeprefix('bleu ')",
        "'cluster' not in refusal.message",
        "str(error.hint).split('--')[1]",
    ],
)
def test_the_check_sees_what_it_should(line):
    assert taken_apart(ast.parse(line))


@pytest.mark.parametrize("line", ["path.name.startswith('x')", "'begun' in message", "c.verdict", "f'{note}: {text}'"])
def test_the_check_leaves_the_rest_alone(line):
    assert not taken_apart(ast.parse(line))
