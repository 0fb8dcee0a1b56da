"""Small faults for the package, one at a time: what `tests/mutants.py` draws from.

A comparison, an operator, a number or a condition is changed, arguments are swapped, a statement is left out.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

COMPARED = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
OPERATORS = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}
EXTREMES = {"min": "max", "max": "min", "minimum": "maximum", "maximum": "minimum", "argmin": "argmax", "argmax": "argmin"}
UNTOUCHED = {"annotation", "returns", "decorator_list", "type_params", "type_comment"}
# A small node is shown with what is around it, unless that is long.
MAX_SHOWN = 100


class Mutant(NamedTuple):
    """A fault, known by its file, its function and its change; lines only say where it is at the moment."""

    file: str
    function: str
    change: str
    first: int
    last: int

    @property
    def name(self) -> str:
        """As it is listed."""
        return f"{self.file} | {self.function or '-'} | {self.change}"

    @property
    def folder(self) -> str:
        """The folder of the package."""
        return self.file.partition("/")[0]


class Spot(NamedTuple):
    """Where a node stands: a field of its parent, and its place there if that is a list."""

    parent: ast.AST
    field: str
    place: int
    node: ast.AST
    function: str
    statement: ast.stmt

    def put(self, other: ast.AST) -> None:
        """Let another node stand there."""
        ast.fix_missing_locations(ast.copy_location(other, self.node))
        if isinstance(found := getattr(self.parent, self.field), list):
            found[self.place] = other
        else:
            setattr(self.parent, self.field, other)

    def change_to(self, other: ast.AST) -> str:
        """The change in words of the language."""
        small = isinstance(self.node, (ast.Constant, ast.Name, ast.UnaryOp))
        around = small and isinstance(self.parent, (ast.expr, ast.keyword)) and len(ast.unparse(self.parent)) < MAX_SHOWN
        before = ast.unparse(self.parent if around else self.node)
        self.put(other)
        after = ast.unparse(self.parent if around else other)
        self.put(self.node)
        return " ".join(f"{before} → {after}".split())


def spots(parent: ast.AST, function: str = "", statement: ast.stmt | None = None) -> Iterator[Spot]:
    """Every node of a module that may be changed."""
    for field, value in ast.iter_fields(parent):
        if field in UNTOUCHED or (isinstance(parent, ast.If) and "TYPE_CHECKING" in ast.unparse(parent.test)):
            continue
        for place, node in enumerate(value if isinstance(value, list) else [value]):
            if not isinstance(node, ast.AST) or isinstance(node, (ast.Assert, ast.Import, ast.ImportFrom)):
                continue
            # What is zipped has equal lengths, and `strict` only says so; literal types are no numbers.
            if getattr(node, "arg", "") == "strict" or getattr(getattr(node, "value", None), "id", "") == "Literal":
                continue
            inside = node if isinstance(node, ast.stmt) else statement
            if inside is not None:
                yield Spot(parent, field, place, node, function, inside)
            named = isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
            yield from spots(node, f"{function}.{node.name}".lstrip(".") if named else function, inside)


def other_forms(spot: Spot) -> Iterator[ast.AST]:  # noqa: C901, PLR0912 - one case for each kind of fault
    """What could stand there by mistake."""
    match node := spot.node:
        case ast.Compare(ops=[operator]):
            for other in COMPARED[type(operator)]:
                yield ast.Compare(node.left, [other()], node.comparators)
        case ast.BinOp(op=operator) if type(operator) in OPERATORS and not (_is_text(node.left) or _is_text(node.right)):
            yield ast.BinOp(node.left, OPERATORS[type(operator)](), node.right)
        case ast.BoolOp(op=operator):
            yield ast.BoolOp(ast.Or() if isinstance(operator, ast.And) else ast.And(), node.values)
        case ast.Constant(value=bool(value)):
            yield ast.Constant(not value)
        case ast.Constant(value=int(value)):
            yield ast.Constant(value + 1)
        case ast.Constant(value=float(value)):
            yield ast.Constant(value * 1.5 if value else 1.0)
        case ast.UnaryOp(op=ast.USub() | ast.Not()):
            yield node.operand
        case ast.Call(args=[first, second, *rest]) if not _is_symmetric(node):
            yield ast.Call(node.func, [second, first, *rest], node.keywords)
        case ast.Name(id=name) if name in EXTREMES:
            yield ast.Name(EXTREMES[name], node.ctx)
        case ast.Attribute(attr=name) if name in EXTREMES:
            yield ast.Attribute(node.value, EXTREMES[name], node.ctx)
        case ast.Expr(value=ast.Call()) | ast.AugAssign() | ast.Assign(targets=[ast.Attribute() | ast.Subscript()]):
            yield ast.Pass()
    if spot.field in {"test", "ifs"} and not isinstance(node, (ast.UnaryOp, ast.Compare)):
        yield ast.UnaryOp(ast.Not(), node)


def _is_symmetric(node: ast.Call) -> bool:
    """Whether the first two arguments may be swapped, or cannot be."""
    name = getattr(node.func, "id", getattr(node.func, "attr", ""))
    return name in EXTREMES or any(isinstance(argument, ast.Starred) for argument in node.args[:2])


def _is_text(node: ast.AST) -> bool:
    """Whether this is a text or None, for which operators mean something else."""
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str | None))


def faults(file: str, tree: ast.Module) -> Iterator[tuple[Mutant, Callable[[], None]]]:
    """Every mutant of a module, and what turns the tree into it."""
    seen: Counter[tuple[str, str]] = Counter()
    for spot in spots(tree):
        for other in other_forms(spot):
            change = spot.change_to(other)
            if len(set(change.split(" → "))) == 1:
                continue
            seen[spot.function, change] += 1
            if (again := seen[spot.function, change]) > 1:
                change += f" ({again})"
            last = spot.statement.lineno if spot.node is spot.statement else spot.node.end_lineno
            yield Mutant(file, spot.function, change, spot.statement.lineno, last), partial(spot.put, other)
