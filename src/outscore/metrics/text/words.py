"""Porter's stemmer with a memory: a test set repeats its words."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from outscore.metrics.text.entry import load

__all__ = ["Stemmer"]


class Stemmer:
    """Stems each distinct word once (Porter, 1980, in nltk's version)."""

    def __init__(self, metric: str) -> None:
        self.stem: Callable[[str], str] = cache(load("nltk.stem.porter", metric).PorterStemmer().stem)
