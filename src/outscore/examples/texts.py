"""Translations of invented sentences: one system chooses wrong words, the other wrong endings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from outscore.core.records import dataclass
from outscore.examples.entry import Example, draw_uniform, percent, random_stream
from outscore.examples.grammar import WORDS, Word, make_sentence, text_of

DOCUMENTS, MIN_SENTENCES, MAX_SENTENCES = 32, 4, 10
SHARED = 0.5
DIFFICULTY_SD = 0.2


@dataclass(frozen=True)
class ErrorRates:
    """Probabilities of an error at one content word of average difficulty."""

    word: float
    ending: float


SYSTEMS = {"new": ErrorRates(word=0.15, ending=0.01), "old": ErrorRates(word=0.03, ending=0.34)}
OTHER_ENDING = {"NOUN": {"": "s", "s": ""}, "VERB": {"": "ed", "s": "ed", "ed": "s"}}


def _translate(words: Sequence[Word], rates: ErrorRates, draws: Sequence[Sequence[float]], difficulty: float) -> list[Word]:
    """A system's sentence; each word has a draw for a wrong word, one for a wrong ending, and one that picks the word."""
    translation = []
    for word, (wrong, ending, which) in zip(words, draws, strict=True):
        if word.tag not in ("PUNCT", "DET") and wrong < rates.word * difficulty:
            others = [stem for stem in WORDS[word.tag] if stem != word.stem]
            translation.append(replace(word, stem=others[int(which * len(others))]))
        elif word.tag in OTHER_ENDING and ending < rates.ending * difficulty:
            translation.append(replace(word, ending=OTHER_ENDING[word.tag][word.ending]))
        else:
            translation.append(word)
    return translation


def _texts(seed: int) -> dict[str, str]:
    rng = random_stream("texts", seed)
    lines: dict[str, list[str]] = {name: [] for name in ("reference", *SYSTEMS, "documents")}
    for number, segments in enumerate(rng.integers(MIN_SENTENCES, MAX_SENTENCES + 1, DOCUMENTS).tolist()):
        difficulty = dict(zip(SYSTEMS, np.exp(rng.normal(0.0, DIFFICULTY_SD, len(SYSTEMS))).tolist(), strict=True))
        for _ in range(segments):
            words = make_sentence(rng)
            lines["documents"].append(f"d{number + 1:02d}")
            lines["reference"].append(text_of(words))
            draws = draw_uniform(rng, len(SYSTEMS), (len(words), 3), SHARED).tolist()
            for (name, rates), system_draws in zip(SYSTEMS.items(), draws, strict=True):
                lines[name].append(text_of(_translate(words, rates, system_draws, difficulty[name])))
    return {f"{name}.txt": "\n".join(several) + "\n" for name, several in lines.items()}


_OLD, _NEW = SYSTEMS["old"], SYSTEMS["new"]
TEXTS = Example(
    "Metrics that disagree",
    "The new system gets fewer words wrong, but its errors are whole words; the old one errs in endings. BLEU and TER, which "
    "count words, prefer the new system, and chrF, which counts characters, the old one.",
    f"{DOCUMENTS} documents of {MIN_SENTENCES} to {MAX_SENTENCES} sentences of an invented grammar; wrong words "
    f"{percent(_OLD.word)} (old) and {percent(_NEW.word)} (new), wrong endings {percent(_OLD.ending)} and "
    f"{percent(_NEW.ending)} of words that have any, times exp N(0, {DIFFICULTY_SD}²) per document "
    f"and system; {percent(SHARED)} of the random draws shared.",
    "texts",
    _texts,
    {"files": ("new.txt", "old.txt"), "reference": ("reference.txt",), "documents": ("documents.txt",)},
    {"metric": ["bleu", "chrf", "ter"]},
)
