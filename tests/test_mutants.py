"""Which faults `make mutants` can plant, and that it plants them without touching a file."""

from __future__ import annotations

import ast
import subprocess
import sys

import pytest
from tests.faults import faults

pytest.importorskip("resource", reason="needs POSIX")

from tests.mutants import EQUIVALENT, equivalent_ones
from tests.trials import ROOT, SOURCE, functions_of_lines

CODE = """
def f(a, b, *, flag=True):
    '''Text.'''
    if a < b and not flag:
        note(a, b)
    total = max(a, 2) + -b
    total += 0.5
    return "x" + str(total)
"""


def changes(code):
    return [mutant.change for mutant, _ in faults("x.py", ast.parse(code))]


def test_every_kind_of_fault():
    assert changes(CODE) == [
        "True → False",
        "a < b and (not flag) → a < b or not flag",
        "a < b and (not flag) → not (a < b and (not flag))",
        "a < b → a <= b",
        "a < b → a >= b",
        "a < b and (not flag) → a < b and flag",
        "note(a, b) → pass",
        "note(a, b) → note(b, a)",
        "max(a, 2) + -b → max(a, 2) - -b",
        "max(a, 2) → min(a, 2)",
        "max(a, 2) → max(a, 3)",
        "max(a, 2) + -b → max(a, 2) + b",
        "total += 0.5 → pass",
        "0.5 → 0.75",
    ]


def test_equal_changes_of_a_function_are_numbered():
    assert changes("def f(a): return a[0], a[0]") == ["a[0] → a[1]", "a[0] → a[1] (2)"]


def test_a_tree_is_left_as_it_was_and_changed_on_demand():
    tree = ast.parse(CODE)
    found = list(faults("x.py", tree))
    assert ast.dump(tree) == ast.dump(ast.parse(CODE))
    found[0][1]()
    assert ast.unparse(tree) == ast.unparse(ast.parse(CODE.replace("flag=True", "flag=False")))


def test_lines_belong_to_their_innermost_function():
    nested = "x = 1\ndef f():\n    def g():\n        return 1\n    return g\n"
    found = functions_of_lines(ast.parse(nested + "class C:\n    y = 2\n    def h(self):\n        pass\n"))
    assert {line: name for line, name in found.items() if name} == {3: "f", 4: "f.g", 5: "f", 9: "C.h"}


def test_what_cannot_be_noticed_has_a_reason():
    listed = equivalent_ones()
    assert all(name.count(" | ") >= 2 and " → " in name and reason for name, reason in listed.items())
    names = [line for line in EQUIVALENT.read_text("utf-8").splitlines() if line and line[0] not in "# "]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("change", ["", "-x * ROOT_HALF → x * ROOT_HALF"])
def test_a_fault_is_imported_and_no_file_changes(change):
    """In a process of its own: the lower tail of the normal law becomes the upper one when a sign is lost."""
    path = SOURCE / "laws.py"
    before = path.read_bytes()
    script = f"""
import ast
from tests.faults import faults
from tests.mutants import SOURCE, plant
tree = ast.parse((SOURCE / "laws.py").read_text("utf-8"))
for mutant, make in list(faults("laws.py", tree)):
    if mutant.change == {change!r}:
        make()
plant("laws.py", tree)
from outscore.laws import normal
print(normal(-2.0) < 0.5)
"""
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str(not change)
    assert path.read_bytes() == before
