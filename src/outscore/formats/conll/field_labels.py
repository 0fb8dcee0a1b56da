"""A column of a file as labels: every field becomes a 64-bit key, and keys are encoded many at a time.

Most words and nearly all tags have at most eight bytes, which fit into one key. Longer fields are looked up
one by one.
"""

from __future__ import annotations

import itertools
from collections import defaultdict

import numpy as np

from outscore.core.numeric import Array
from outscore.scores.system import Labels

SHORT = 8
"""Bytes that fit into one key."""
# The lowest 0, 1, ... 8 bytes of a number.
_LOWEST = np.array([(1 << 8 * size) - 1 for size in range(SHORT + 1)], dtype=np.uint64)
# No byte of UTF-8 is 0xff: a key with it on top is not text but the index of a longer field.
_LONGER = np.uint64(0xFF << 56)
_NO_KEY = (1 << 64) - 1
# Fibonacci hashing (Knuth, 1998, The art of computer programming 3, section 6.4): the golden ratio spreads
# keys over the slots.
_SPREAD = np.uint64(0x9E3779B97F4A7C15)
_SLOT_BITS = 16
# Slots of all columns of a file together: a wide file has fewer for each, so that memory does not grow with the width.
_ALL_SLOT_BITS = 20


class FieldLabels:
    """The fields of one column, added block by block.

    Parameters
    ----------
    empty
        The label of an empty field.
    columns
        How many such columns are read at the same time.

    Examples
    --------
    >>> column = FieldLabels(empty=b"_")
    >>> column.add(b"DET,NOUN,,DET", np.array([0, 4, 9, 10]), np.array([3, 8, 9, 13]))
    >>> labels = column.labels()
    >>> labels.names, labels.codes.tolist()
    (('DET', 'NOUN', '_'), [0, 1, 2, 0])
    """

    def __init__(self, *, empty: bytes = b"", columns: int = 1) -> None:
        self._bits = max(1, min(_SLOT_BITS, _ALL_SLOT_BITS - columns.bit_length()))
        self._empty = np.uint64(int.from_bytes(empty, "little"))
        self._blocks: list[Array] = []
        self._codes: dict[int, int] = {}
        # The last key of each slot, and its code: few fields have to be looked up a second time.
        self._slot_keys = np.full(1 << self._bits, _NO_KEY, dtype=np.uint64)
        self._slot_codes = np.zeros(1 << self._bits, dtype=np.int32)
        self._longer: defaultdict[bytes, int] = defaultdict(itertools.count().__next__)

    def add(self, text: bytes, starts: Array, ends: Array) -> None:
        """Add the fields of `text`, which must be UTF-8, from `starts` to `ends` (exclusive)."""
        sizes = ends - starts
        # One 64-bit number starting at every byte, padded at the end.
        padded = text + bytes(SHORT)
        numbers: Array = np.ndarray(len(text) + 1, dtype="<u8", buffer=padded, strides=(1,))
        keys = numbers[starts] & _LOWEST[np.minimum(sizes, SHORT)]
        keys[sizes == 0] = self._empty
        longer = sizes > SHORT
        if b"\0" in text:
            # Keys of short fields are padded with zeros, which a field with zero bytes of its own would be
            # confused with.
            zeros = np.concatenate(([0], np.cumsum(np.frombuffer(text, dtype=np.uint8) == 0)))
            longer |= zeros[ends] > zeros[starts]
        # In some languages most words are longer; a plain loop would take twice as long.
        fields = map(text.__getitem__, map(slice, starts[longer].tolist(), ends[longer].tolist()))
        keys[longer] = np.fromiter(map(self._longer.__getitem__, fields), dtype=np.uint64) | _LONGER
        self._blocks.append(self._encode(keys))

    def _encode(self, keys: Array) -> Array:
        """The code of each key, from its slot if the slot holds it."""
        slots = (keys * _SPREAD >> np.uint64(64 - self._bits)).astype(np.intp)
        codes = self._slot_codes[slots]
        missed = np.flatnonzero(self._slot_keys[slots] != keys)
        if len(missed):
            codes[missed] = self._look_up(keys[missed])
            self._slot_keys[slots[missed]] = keys[missed]
            self._slot_codes[slots[missed]] = codes[missed]
        return codes

    def _look_up(self, keys: Array) -> Array:
        """The code of each key; new keys get codes in order of first appearance."""
        distinct, places = np.unique(keys, return_inverse=True)
        first = np.empty(len(distinct), dtype=np.int64)
        # The last assignment wins: in reverse order, that is the first row.
        first[places[::-1]] = np.arange(len(keys))[::-1]
        order = np.argsort(first)
        codes = np.empty(len(distinct), dtype=np.int32)
        codes[order] = [self._codes.setdefault(key, len(self._codes)) for key in distinct[order].tolist()]
        return codes[places]

    def labels(self) -> Labels:
        """All fields, encoded in order of first appearance."""
        keys = np.array(list(self._codes), dtype="<u8")
        names = keys.view(f"S{SHORT}").tolist()
        longer = list(self._longer)
        for place in np.flatnonzero(keys >= _LONGER).tolist():
            names[place] = longer[int(keys[place] - _LONGER)]
        # No field holds a line end, and decoding one long text is much faster than decoding many short ones.
        return Labels(np.concatenate(self._blocks), tuple(b"\n".join(names).decode().split("\n")))
