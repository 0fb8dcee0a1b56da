"""Fields of plain lines by their places in the bytes of a file: texts are made of those alone that somebody asks for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import overload

import numpy as np

from outscore.core.numeric import Array
from outscore.core.records import dataclass

WORD = 8
"""Bytes that are taken at once."""
LONGEST = 8
"""Words of the longest labels that are kept as bytes."""
FIRST, LAST = ord("!"), ord("~")
"""The characters of ASCII that are neither blank nor unprintable lie between these."""
_KEPT = np.array([(1 << 8 * count) - 1 for count in range(WORD + 1)], dtype=np.uint64)
"""The masks of the first bytes of a word, by their number."""
_FACTORS = np.array([pow(0x9E3779B97F4A7C15, 2 * word + 1, 1 << 64) for word in range(LONGEST)], dtype=np.uint64)
"""What words are multiplied by before they are added up to a hash: words of zeros change nothing."""


@dataclass(frozen=True, eq=False)
class PlainLines:
    """Lines of as many fields each, none of them quoted: their text, its bytes, and where each field ends.

    `bare` says that fields hold nothing but printable ASCII without blanks.
    """

    text: str
    written: Array
    ends: Array
    separator: str
    bare: bool

    @cached_property
    def texts(self) -> list[str]:
        """All fields, one line behind the other."""
        return self.text[:-1].replace("\n", self.separator).split(self.separator)


def plain_lines(piece: str, separator: str, width: int) -> PlainLines | None:
    r"""The lines of a text, if each has so many fields and there is no quotation mark.

    Examples
    --------
    >>> lines = plain_lines("q1,1\nq2,0\n", ",", 2)
    >>> lines.texts, lines.ends.tolist(), plain_lines("q1,1\nq2\n", ",", 2)
    (['q1', '1', 'q2', '0'], [[2, 4], [7, 9]], None)
    """
    text = piece if piece.endswith("\n") else piece + "\n"
    written = np.frombuffer(text.encode("utf-8", "surrogateescape"), dtype=np.uint8)
    marks = np.flatnonzero((written == ord(separator)) | (written == ord("\n")))
    if len(marks) % width or (written == ord('"')).any():
        return None
    ends = marks.reshape(-1, width)
    if (written[ends[:, -1]] != ord("\n")).any() or (written[ends[:, :-1]] != ord(separator)).any():
        return None
    # What lies below the first wraps around; a comma or semicolon is printable, too.
    printable = int(((written - np.uint8(FIRST)) <= LAST - FIRST).sum())
    blank = ends.size if ord(separator) < FIRST else len(ends)
    return PlainLines(text, written, ends, separator, bare=printable + blank == len(written))


@dataclass(frozen=True, eq=False)
class Fields(Sequence[str]):
    r"""One field of each line.

    Examples
    --------
    >>> ids, scores = (Fields(plain_lines("q1,1\nq22,0\n", ",", 2), k) for k in range(2))
    >>> list(ids), ids.labels().tolist(), ids.digits(), scores.digits().tolist()
    (['q1', 'q22'], [b'q1', b'q22'], None, [1, 0])
    """

    lines: PlainLines
    place: int

    @cached_property
    def texts(self) -> list[str]:
        """The fields as texts."""
        return self.lines.texts[self.place :: self.lines.ends.shape[1]]

    def __len__(self) -> int:
        return len(self.lines.ends)

    def __iter__(self) -> Iterator[str]:
        return iter(self.texts)

    @overload
    def __getitem__(self, row: int) -> str: ...
    @overload
    def __getitem__(self, row: slice) -> list[str]: ...
    def __getitem__(self, row: int | slice) -> str | list[str]:
        return self.texts[row]

    def _spans(self) -> tuple[Array, Array]:
        """Where each field starts, and how long it is."""
        ends = self.lines.ends
        if self.place:
            starts = ends[:, self.place - 1] + 1
        else:
            starts = np.zeros(len(ends), dtype=ends.dtype)
            starts[1:] = ends[:-1, -1] + 1
        return starts, ends[:, self.place] - starts

    def digits(self) -> Array | None:
        """The numbers of a column of single digits, such as 0 and 1; None if there is anything else."""
        starts, lengths = self._spans()
        if (lengths != 1).any():
            return None
        # Anything below 0 is far above 9.
        numbers = self.lines.written[starts] - np.uint8(ord("0"))
        return numbers.astype(np.int64) if (numbers <= 9).all() else None

    def labels(self) -> Array | None:
        """The fields as bytes of one width; None if one is empty, long, or not of printable ASCII without blanks."""
        starts, lengths = self._spans()
        longest = int(lengths.max(initial=0))
        if not self.lines.bare or longest > WORD * LONGEST or not lengths.all():
            return None
        words = -(-longest // WORD)
        padded = np.concatenate([self.lines.written, np.zeros(WORD * words, dtype=np.uint8)])
        # A word from every byte on.
        at = np.ndarray((len(padded) - WORD + 1,), dtype="<u8", buffer=padded, strides=(1,))
        found = np.empty((len(starts), words), dtype="<u8")
        for word in range(words):
            found[:, word] = at[starts + WORD * word] & _KEPT[np.clip(lengths - WORD * word, 0, WORD)]
        return found.view(f"S{WORD * words}")[:, 0]


def hashes(labels: Array) -> Array:
    """A number for each label as bytes, the same for equal ones, and hardly ever for others.

    Those of up to eight bytes ascend as the labels do where these are numbered through, so that nobody has to sort them.

    Examples
    --------
    >>> found = hashes(np.array([b"q9", b"q10", b"q9"], dtype="S8"))
    >>> bool(found[0] < found[1]), bool(found[0] == found[2]), bool(hashes(np.array([b"q9"], dtype="S16"))[0] == found[0])
    (True, True, True)
    """
    words = labels.view("<u8").reshape(len(labels), -1)
    first = words[:, 0].byteswap()
    blanks = np.zeros(len(first), dtype=np.uint64)
    for byte in range(1, WORD):
        blanks += first << np.uint64(8 * (WORD - byte)) == 0
    total: Array = first >> np.uint64(8) * blanks
    if words.shape[1] > 1:
        mixed = words @ _FACTORS[: words.shape[1]]
        total = np.where(words[:, 1:].any(axis=1), mixed, total)
    return total
