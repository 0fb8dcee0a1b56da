"""Dataclasses that are cheap to declare.

A small comparison declares two hundred dataclasses and makes objects of half of them. The standard library writes and compiles
up to six methods for each that is declared, which was a fifth of the time of the whole command. Here it collects the fields and
writes nothing: what all records do alike stands below, once, and the constructor of a class is written when its first object is
made. `field`, `fields`, `replace` and `asdict` of the standard library serve these classes, and type checkers take the
decorator for the standard one. What differs: a class that inherits from a record is declared here, too, and as frozen as
that; one that brings its own `__eq__` brings its `__hash__`; all fields that are compared are hashed.

A `Brief` record shows itself on one line; the short forms of names, numbers and intervals for that are here, too.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from functools import cache
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any, NoReturn

MAX_REPR = 200
"""No `repr` is longer."""
MAX_NAME = 24
"""Characters of a system's name in a `repr`."""


def _declare(
    cls: type | None = None,
    /,
    *,
    frozen: bool = False,
    eq: bool = True,
    repr: bool = True,  # noqa: A002 - as in the standard library
    kw_only: bool = False,
) -> object:
    """The class, made of its fields, shown with them, compared by their values, and unchangeable if `frozen`.

    Examples
    --------
    >>> @dataclass(frozen=True)
    ... class Score:
    ...     system: str
    ...     value: float = 0.0
    >>> Score("new", 0.9), Score("old") == Score("old")
    (Score(system='new', value=0.9), True)
    """

    def declared(cls: type) -> type:
        methods: dict[str, object] = {"__init__": _Init(cls)}
        if repr:
            methods["__repr__"] = _repr
        if eq:
            methods |= {"__eq__": _eq, "__hash__": _hash if frozen else None}
        if frozen:
            methods |= {"__setattr__": _refuse_setting, "__delattr__": _refuse_deleting}
        dataclasses.dataclass(init=False, repr=False, eq=False, kw_only=kw_only)(cls)  # noqa: TID251 - here it is
        for name, method in methods.items():
            if name not in vars(cls):
                setattr(cls, name, method)
        return cls

    return declared if cls is None else declared(cls)


if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass  # noqa: PLC0414, TID251 - others take it from here
else:
    dataclass = _declare


class _Init:
    """Stands in for the constructor of a class; the first use compiles the constructor and puts it in this place."""

    def __init__(self, cls: type) -> None:
        self._cls = cls

    def __get__(self, instance: object, owner: type) -> Callable[..., None]:
        # Two threads that come here at once write the same.
        written = _constructor(self._cls)
        type.__setattr__(self._cls, "__init__", written)
        method: Callable[..., None] = written.__get__(instance, owner)
        return method


class _Absent:
    """The default of a field with a factory; signatures show it as the standard library does."""

    def __repr__(self) -> str:
        return "<factory>"


def _constructor(cls: Any) -> Any:  # noqa: ANN401 - any dataclass
    """The function whose arguments are the fields; what is left out gets the default, or a new value from the factory."""
    scope: dict[str, Any] = {"__set": object.__setattr__, "__absent": _Absent()}
    parameters, named, body = ["self"], list[str](), list[str]()
    fields = [field for field in dataclasses.fields(cls) if field.init]
    for field in fields:
        name = value = field.name
        default = ""
        if field.default_factory is not dataclasses.MISSING:
            scope[f"__make_{name}"] = field.default_factory
            default, value = "=__absent", f"__make_{name}() if {name} is __absent else {name}"
        elif field.default is not dataclasses.MISSING:
            scope[f"__default_{name}"] = field.default
            default = f"=__default_{name}"
        (named if field.kw_only else parameters).append(f"{name}{default}")
        body.append(f"__set(self, {name!r}, {value})")
    if hasattr(cls, "__post_init__"):
        body.append("self.__post_init__()")
    arguments = ", ".join([*parameters, "*", *named] if named else parameters)
    exec("\n ".join([f"def __init__({arguments}):", *body, "pass"]), scope)  # noqa: S102 - names of fields, as the program has them
    written = scope["__init__"]
    written.__module__, written.__qualname__ = cls.__module__, f"{cls.__qualname__}.__init__"
    written.__annotations__ = {field.name: field.type for field in fields} | {"return": None}
    return written


@cache
def _compared(cls: Any) -> tuple[str, ...]:  # noqa: ANN401 - any dataclass
    return tuple(field.name for field in dataclasses.fields(cls) if field.compare)


def _values(record: Any) -> tuple[object, ...]:  # noqa: ANN401 - any dataclass
    """What records are compared by."""
    return tuple([getattr(record, name) for name in _compared(record.__class__)])


def _eq(self: object, other: object) -> bool:
    return _values(self) == _values(other) if other.__class__ is self.__class__ else NotImplemented


def _hash(self: object) -> int:
    return hash(_values(self))


@recursive_repr()
def _repr(self: Any) -> str:  # noqa: ANN401 - any dataclass
    shown = (f"{field.name}={getattr(self, field.name)!r}" for field in dataclasses.fields(self) if field.repr)
    return f"{self.__class__.__qualname__}({', '.join(shown)})"


def _refuse_setting(_: object, name: str, _value: object) -> NoReturn:
    raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_deleting(_: object, name: str) -> NoReturn:
    raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")


class Brief:
    """Shows itself on one line, however large it is."""

    def _brief(self) -> str:
        """What it is in a few words."""
        raise NotImplementedError

    def __repr__(self) -> str:
        text = f"<{type(self).__name__} {self._brief()}>"
        return text if len(text) <= MAX_REPR else f"{text[: MAX_REPR - 4]}...>"


def count_of(number: int, noun: str) -> str:
    """A number of things.

    Examples
    --------
    >>> count_of(1, "item"), count_of(2_000, "item")
    ('1 item', '2,000 items')
    """
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def brief_name(name: str, longest: int = MAX_NAME) -> str:
    """A name of at most `longest` characters, on one line.

    Examples
    --------
    >>> brief_name("a-system-with-a-very-long-name")
    'a-system-with-a-very-...'
    """
    name = " ".join(name.split())
    return name if len(name) <= longest else f"{name[: longest - 3]}..."


def brief_number(value: float | None, *, sign: bool = False) -> str:
    """A number with four digits.

    Examples
    --------
    >>> brief_number(0.00991, sign=True), brief_number(None)
    ('+0.00991', '?')
    """
    if value is None:
        return "?"
    return f"{value:+.4g}" if sign else f"{value:.4g}"


def brief_interval(low: float | None, high: float | None) -> str:
    """Both ends of an interval.

    Examples
    --------
    >>> brief_interval(0.0038, None)
    '[0.0038, inf]'
    """
    return f"[{'-inf' if low is None else f'{low:.4g}'}, {'inf' if high is None else f'{high:.4g}'}]"


def brief_p(value: float, log10: float) -> str:
    """A p-value with two digits, from its logarithm where it lies below the floats.

    Examples
    --------
    >>> brief_p(0.0017, -2.77), brief_p(5e-324, -1505.2), brief_p(1.0, 0.0)
    ('p=.0017', 'p=10^-1505.2', 'p=1')
    """
    return f"p=10^{log10:.1f}" if log10 < -300 else f"p={f'{value:.2g}'.removeprefix('0')}"
