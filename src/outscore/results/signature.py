"""One line that makes a number reproducible, in parts."""

from __future__ import annotations

from collections.abc import Iterable


class Signature:
    """How a number was computed: parts with a name and a value, written ``metric:f1|test:permutation|n:80``.

    In JSON it is that line, and it compares equal to that line. Parts without a name, such as a library's ``BLEU``, have the
    name ``""``.

    Attributes
    ----------
    parts
        Names and values in order.

    Examples
    --------
    >>> line = Signature([("metric", "f1"), ("unit", "items")]).replacing("unit", "items", "segments").extended("TER|nrefs:1")
    >>> str(line), line.value("unit"), line.value("seed")
    ('metric:f1|unit:segments|TER|nrefs:1', 'segments', None)
    >>> Signature.parse(str(line)) == line
    True
    """

    __slots__ = ("parts",)

    parts: tuple[tuple[str, str], ...]

    def __init__(self, parts: Iterable[tuple[str, object]] = ()) -> None:
        object.__setattr__(self, "parts", tuple((name, str(value)) for name, value in parts))

    @classmethod
    def parse(cls, line: str) -> Signature:
        """The parts of a line."""
        if not line:
            return cls()
        return cls(map(_named, line.split("|")))

    def value(self, name: str) -> str | None:
        """The value of the first part of this name; None if there is none."""
        return next((value for key, value in self.parts if key == name), None)

    def replacing(self, name: str, old: str, new: str) -> Signature:
        """The same with a new value for one part, if that has the old one."""
        return Signature((key, new if (key, value) == (name, old) else value) for key, value in self.parts)

    def before(self, name: str, *parts: tuple[str, object]) -> Signature:
        """The same with further parts before the one of this name, or at the end."""
        place = next((i for i, (key, _) in enumerate(self.parts) if key == name), len(self.parts))
        return Signature([*self.parts[:place], *parts, *self.parts[place:]])

    def extended(self, line: str) -> Signature:
        """The same followed by the parts of another line."""
        return Signature([*self.parts, *Signature.parse(line).parts])

    def texts(self) -> list[str]:
        """Each part as it is written."""
        return [f"{name}:{value}" if name else value for name, value in self.parts]

    def before_and_after(self, name: str) -> tuple[Signature, Signature]:
        """The parts up to and including the first of this name, and those after it; without one, all and none."""
        ends = [i for i, (key, _) in enumerate(self.parts, 1) if key == name]
        end = ends[0] if ends else len(self.parts)
        return Signature(self.parts[:end]), Signature(self.parts[end:])

    def __str__(self) -> str:
        return "|".join(self.texts())

    def __repr__(self) -> str:
        return f"Signature.parse({str(self)!r})"

    def __bool__(self) -> bool:
        return bool(self.parts)

    def __contains__(self, text: str) -> bool:
        return text in str(self)

    def __eq__(self, other: object) -> bool:
        return str(self) == str(other) if isinstance(other, Signature | str) else NotImplemented

    def __hash__(self) -> int:
        return hash(str(self))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"A signature is frozen: `{name}` cannot be set.")

    def __reduce__(self) -> tuple[object, tuple[object]]:
        return Signature, (self.parts,)


def _named(part: str) -> tuple[str, str]:
    name, colon, value = part.partition(":")
    return (name, value) if name and colon else ("", part)
