"""A small invented grammar: sentences with their tags and trees.

A sentence is a subject, a verb, an object, often a prepositional phrase and sometimes an adverb. A fair coin
decides whether the prepositional phrase belongs to the object or to the verb, so that no parser can know.
Nouns and verbs have endings, which may be wrong.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from outscore.core.records import dataclass

NOUNS = ("bridge", "river", "letter", "teacher", "garden", "song", "market", "window", "answer", "light", "farmer", "ticket")
WORDS = {
    "NOUN": NOUNS,
    "VERB": ("open", "paint", "want", "visit", "answer", "light", "follow", "repair", "watch", "collect"),
    "ADJ": ("small", "early", "green", "light", "quiet", "open", "old", "distant"),
    "ADV": ("early", "often", "here", "soon", "never"),
    "DET": ("the", "this", "that", "every"),
    "PRON": ("it", "this", "everyone", "nothing"),
    "ADP": ("in", "on", "under", "with", "after"),
    "PROPN": ("Ada", "Brno", "Chen", "Delhi", "Eve", "Fiji"),
}
PLURAL = ("the", "these", "those", "all")
"""Determiners of nouns that end in -s."""
LEAVES = frozenset({"det", "amod", "advmod", "case", "punct"})
"""Relations of words without dependents."""
PHRASES = ("NOUN", "PROPN", "PRON")
SEVERAL, PAST, ADJECTIVE, ADVERB, PREPOSITION, NOUN_ATTACHED = 0.4, 0.5, 0.4, 0.3, 0.8, 0.5


@dataclass(frozen=True)
class Word:
    """A word of a sentence; heads count from 1, and that of the root is 0."""

    stem: str
    ending: str
    tag: str
    head: int = 0
    relation: str = "root"

    @property
    def form(self) -> str:
        """The word as written."""
        return f"{self.stem}e{self.ending}" if self.stem.endswith("ch") and self.ending == "s" else self.stem + self.ending


class _Sentence:
    """Words in order; their heads are set at the end."""

    def __init__(self, rng: np.random.Generator, chances: Sequence[float]) -> None:
        self._rng, self._chances = rng, chances
        self.words: list[Word] = []
        self.arcs: dict[int, tuple[int, str]] = {}

    def add(self, tag: str, ending: str = "", among: Sequence[str] = ()) -> int:
        """Add a word with a tag, and return its number."""
        stems = among or WORDS[tag]
        self.words.append(Word(stems[int(self._rng.integers(len(stems)))], ending, tag))
        return len(self.words)

    def happens(self, chance: float) -> bool:
        return bool(self._rng.random() < chance)

    def add_phrase(self) -> int:
        """Add a pronoun, a name, or a noun with its modifiers, and return the number of its head."""
        tag = PHRASES[self._rng.choice(len(PHRASES), p=self._chances)]
        if tag != "NOUN":
            return self.add(tag)
        several = self.happens(SEVERAL)
        before = [(self.add("DET", among=PLURAL if several else ()), "det")]
        if self.happens(ADJECTIVE):
            before.append((self.add("ADJ"), "amod"))
        head = self.add(tag, "s" if several else "")
        self.arcs |= {word: (head, relation) for word, relation in before}
        return head


def make_sentence(rng: np.random.Generator, *, names: float = 0.2, pronouns: float = 0.2) -> list[Word]:
    """A sentence with these shares of names and pronouns among its phrases.

    Examples
    --------
    >>> text_of(make_sentence(np.random.Generator(np.random.Philox(2))))
    'Eve watches the bridge under the window.'
    """
    sentence = _Sentence(rng, (1.0 - names - pronouns, names, pronouns))
    subject = sentence.add_phrase()
    adverb = sentence.add("ADV") if sentence.happens(ADVERB) else None
    present = "" if sentence.words[subject - 1].ending else "s"
    verb = sentence.add("VERB", "ed" if sentence.happens(PAST) else present)
    object_ = sentence.add_phrase()
    arcs = sentence.arcs
    arcs |= {subject: (verb, "nsubj"), object_: (verb, "obj")}
    if adverb is not None:
        arcs[adverb] = (verb, "advmod")
    if sentence.happens(PREPOSITION):
        case = sentence.add("ADP")
        inner = sentence.add_phrase()
        arcs |= {case: (inner, "case"), inner: (object_, "nmod") if sentence.happens(NOUN_ATTACHED) else (verb, "obl")}
    words = [*sentence.words, Word(".", "", "PUNCT", verb, "punct")]
    return [Word(w.stem, w.ending, w.tag, *arcs.get(i + 1, (w.head, w.relation))) for i, w in enumerate(words)]


def text_of(words: Sequence[Word]) -> str:
    """A sentence as text."""
    text = " ".join(word.form for word in words[:-1]) + words[-1].form
    return text[0].upper() + text[1:]
