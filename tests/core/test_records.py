"""Records beside their twins of the standard library."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
import sys
import threading
from dataclasses import FrozenInstanceError, asdict, field, fields, replace
from functools import cached_property

import msgspec
import pytest

from outscore.core import records


class Plain:
    """Two numbers."""

    first: int
    second: float = 2.5


class Made:
    """What is made anew, hidden, not compared and not given."""

    names: list[str] = field(default_factory=list)
    hidden: int = field(default=3, repr=False)
    aside: str = field(default="", compare=False)
    later: bool = field(default=False, init=False)
    only: int = field(default=1, kw_only=True)


class Checked:
    """A record that looks at what it is given, and computes once."""

    size: int
    self_made: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if self.size < 0:
            raise ValueError("too small")
        object.__setattr__(self, "self_made", (*self.self_made, self.size))

    @cached_property
    def double(self) -> int:
        return 2 * self.size


class Own:
    """A record with a text and a comparison of its own."""

    name: str

    def __repr__(self) -> str:
        return f"<{self.name}>"

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 7


BODIES = (Plain, Made, Checked, Own)
WAYS = ({}, {"frozen": True}, {"frozen": True, "eq": False}, {"frozen": True, "repr": False}, {"frozen": True, "kw_only": True})
CALLS = (
    ((), {}),
    ((1,), {}),
    ((1, 2), {}),
    ((1, 2, 3, 4, 5, 6), {}),
    ((-1,), {}),
    (("a",), {"second": 4}),
    ((), {"first": 1, "size": 1}),
    ((), {"size": 4}),
    ((), {"first": 0}),
    ((), {"name": "x"}),
    ((["x"],), {"only": 5}),
    ((), {"names": ["x"], "hidden": 4, "aside": "y"}),
    ((), {"later": True}),
)


def twins(body: type, way: dict[str, bool]) -> list[type]:
    """The same class by the standard library and by this one."""
    return [
        declare(**way)(type(body.__name__, (), {k: v for k, v in vars(body).items() if k not in ("__dict__", "__weakref__")}))
        for declare in (dataclasses.dataclass, records.dataclass)
    ]


def told(act, *given, **named) -> object:
    """What an action comes to: its result, or how it is refused."""
    try:
        return act(*given, **named)
    except Exception as error:  # noqa: BLE001 - twins refuse alike
        return type(error).__name__, str(error)


@pytest.mark.parametrize("way", WAYS, ids=str)
@pytest.mark.parametrize("body", BODIES, ids=lambda body: body.__name__)
def test_a_record_does_what_its_twin_does(body, way):
    theirs, ours = twins(body, way)
    assert str(inspect.signature(ours)) == str(inspect.signature(theirs))
    assert [(f.name, f.type, f.default, f.kw_only) for f in fields(ours)] == [
        (f.name, f.type, f.default, f.kw_only) for f in fields(theirs)
    ]
    assert ours.__match_args__ == theirs.__match_args__
    assert (ours.__hash__ is None) == (theirs.__hash__ is None)
    made = 0
    for given, named in CALLS:
        one, other = (told(kind, *copy.deepcopy(given), **copy.deepcopy(named)) for kind in (theirs, ours))
        if isinstance(one, tuple):
            assert other == one
            continue
        made += 1
        assert vars(other) == vars(one)
        if way.get("repr", True) or body is Own:
            assert repr(other) == repr(one)
        again = ours(*copy.deepcopy(given), **copy.deepcopy(named))
        assert (other == again) == (one == theirs(*copy.deepcopy(given), **copy.deepcopy(named)))
        assert other != one or body is Own
        if way.get("eq", True):
            assert told(hash, other) == told(hash, one)
        assert told(setattr, other, "x", 1) == told(setattr, one, "x", 1)
        assert told(delattr, other, "x") == told(delattr, one, "x")
        assert vars(replace(other)) == vars(replace(one))
        assert asdict(other) == asdict(one)
        assert vars(copy.deepcopy(other)) == vars(other)
    assert made


@records.dataclass(frozen=True)
class Base:
    """What others inherit from."""

    first: int
    second: list[int] = field(default_factory=list)


@records.dataclass(frozen=True)
class Derived(Base):
    """One field more."""

    third: int = 3


class Bare(Base):
    """A class that is no record itself, and makes itself."""

    def __init__(self) -> None:
        super().__init__(5)


def test_fields_are_inherited():
    assert repr(Derived(1)) == "Derived(first=1, second=[], third=3)"
    assert Derived(1) != Base(1)
    assert Bare().first == 5
    assert Base(1).second is not Base(1).second
    with pytest.raises(FrozenInstanceError):
        Derived(1).third = 4


@records.dataclass(frozen=True)
class Sent:
    """Made in another process."""

    value: int
    parts: tuple[int, ...] = (1,)


def test_what_was_made_elsewhere_is_a_record_here():
    """Neither pickle nor msgspec asks for the constructor."""
    one, other = pickle.loads(pickle.dumps(Sent(4))), msgspec.json.decode(b'{"value": 4}', type=Sent)  # noqa: S301
    assert one == other == Sent(4)
    assert hash(one) == hash(other)
    with pytest.raises(FrozenInstanceError):
        one.value = 3


def test_threads_that_make_the_first_object_at_once_make_the_same():
    switching = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for _ in range(20):
            _, kind = twins(Plain, {"frozen": True})
            start, found = threading.Barrier(4), []

            def make(start=start, found=found, kind=kind):
                start.wait()
                found.append(kind(1))

            threads = [threading.Thread(target=make) for _ in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            assert found == [kind(1)] * 4
    finally:
        sys.setswitchinterval(switching)


def test_nothing_is_compiled_before_the_first_object():
    _, kind = twins(Plain, {"frozen": True})
    assert not inspect.isfunction(vars(kind)["__init__"])
    kind(1)
    assert inspect.isfunction(vars(kind)["__init__"])
