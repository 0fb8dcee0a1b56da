"""Fields as labels, against a list of texts, however they are cut into blocks and whichever keys share a slot."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outscore.formats import words
from outscore.formats.words import FieldLabels
from outscore.scores.system import Labels

FIELDS = st.one_of(
    st.sampled_from(["", "_", "a", "a\0", "\0", "12345678", "123456789", "12345678\0", "\U0010ffff" * 2, "\U0010ffff" * 3]),
    st.text(st.characters(codec="utf-8", exclude_characters="\n"), max_size=12),
)


def added(column: FieldLabels, texts: list[str]) -> None:
    encoded = [text.encode() for text in texts]
    sizes = np.array([len(text) for text in encoded], dtype=np.int64)
    ends = np.cumsum(sizes)
    column.add(b"".join(encoded), ends - sizes, ends)


@settings(max_examples=100)
@given(st.lists(st.lists(FIELDS, min_size=1, max_size=12), min_size=1, max_size=4), st.sampled_from([1, 2, 16]))
def test_against_texts(blocks, bits):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(words, "_SLOT_BITS", bits)
        column = FieldLabels(empty=b"_")
        for texts in blocks:
            added(column, texts)
        found = column.labels()
    expected = Labels.of(text or "_" for texts in blocks for text in texts)
    assert found.names == expected.names
    assert found.codes.tolist() == expected.codes.tolist()


def test_a_block_without_fields():
    column = FieldLabels()
    added(column, [])
    added(column, ["a"])
    assert column.labels().names == ("a",)
