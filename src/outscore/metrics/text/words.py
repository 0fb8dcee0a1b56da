"""Words of a text where no metric says what they are: for lengths, and for what explains a score."""

from __future__ import annotations

import re

__all__ = ["SPACELESS", "words_of"]

SPACELESS = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
"""Characters of writing that puts no spaces between words: Thai, Lao, Burmese, Khmer, kana, Han."""
_WORD = re.compile(rf"{SPACELESS.pattern}|(?:(?!{SPACELESS.pattern})\w)+|[^\w\s]")


def words_of(line: str) -> list[str]:
    """Letters and digits in a row, every other mark by itself, and each character of writing without spaces.

    Examples
    --------
    >>> words_of("It's 2 a.m., 猫が来た")
    ['It', "'", 's', '2', 'a', '.', 'm', '.', ',', '猫', 'が', '来', 'た']
    """
    return _WORD.findall(line)
