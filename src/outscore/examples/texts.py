"""Translations of invented sentences: one system takes wrong words, the other gives right words wrong endings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from outscore.examples.entry import Example, dice, percent, stream
from outscore.examples.grammar import WORDS, Word, make_sentence, text_of

__all__ = ["TEXTS"]

DOCUMENTS, SHORTEST, LONGEST = 32, 4, 10
SHARED = 0.5
HARDNESS_SD = 0.2


@dataclass(frozen=True)
class Slips:
    """Chances of an error at one content word of average hardness."""

    word: float
    ending: float


SYSTEMS = {"new": Slips(word=0.15, ending=0.01), "old": Slips(word=0.03, ending=0.34)}
OTHER_ENDING = {"NOUN": {"": "s", "s": ""}, "VERB": {"": "ed", "s": "ed", "ed": "s"}}


def _translated(words: Sequence[Word], slips: Slips, thrown: Sequence[Sequence[float]], hardness: float) -> list[Word]:
    """A system's sentence; every word has a die for the wrong word, one for the wrong ending and one that picks."""
    found = []
    for word, (wrong, ending, which) in zip(words, thrown, strict=True):
        if word.tag not in ("PUNCT", "DET") and wrong < slips.word * hardness:
            others = [stem for stem in WORDS[word.tag] if stem != word.stem]
            found.append(replace(word, stem=others[int(which * len(others))]))
        elif word.tag in OTHER_ENDING and ending < slips.ending * hardness:
            found.append(replace(word, ending=OTHER_ENDING[word.tag][word.ending]))
        else:
            found.append(word)
    return found


def _texts(seed: int) -> dict[str, str]:
    rng = stream("texts", seed)
    lines: dict[str, list[str]] = {name: [] for name in ("reference", *SYSTEMS, "documents")}
    for number, segments in enumerate(rng.integers(SHORTEST, LONGEST + 1, DOCUMENTS).tolist()):
        hardness = dict(zip(SYSTEMS, np.exp(rng.normal(0.0, HARDNESS_SD, len(SYSTEMS))).tolist(), strict=True))
        for _ in range(segments):
            words = make_sentence(rng)
            lines["documents"].append(f"d{number + 1:02d}")
            lines["reference"].append(text_of(words))
            thrown = dice(rng, len(SYSTEMS), (len(words), 3), SHARED).tolist()
            for (name, slips), own in zip(SYSTEMS.items(), thrown, strict=True):
                lines[name].append(text_of(_translated(words, slips, own, hardness[name])))
    return {f"{name}.txt": "\n".join(several) + "\n" for name, several in lines.items()}


_OLD, _NEW = SYSTEMS["old"], SYSTEMS["new"]
TEXTS = Example(
    "Metrics that disagree",
    "The new system gets fewer words wrong, but its errors are whole words; the old one errs in endings. BLEU and TER, which "
    "count words, prefer the new system, and chrF, which counts characters, the old one.",
    f"{DOCUMENTS} documents of {SHORTEST} to {LONGEST} sentences of an invented grammar; wrong words {percent(_OLD.word)} "
    f"(old) and {percent(_NEW.word)} (new), wrong endings {percent(_OLD.ending)} and {percent(_NEW.ending)} "
    f"of words that have any, times exp N(0, {HARDNESS_SD}²) per document and system; {percent(SHARED)} of the dice shared.",
    "texts",
    _texts,
    {"files": ("new.txt", "old.txt"), "reference": ("reference.txt",), "documents": ("documents.txt",)},
    {"metric": ["bleu", "chrf", "ter"]},
)
