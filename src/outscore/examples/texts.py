"""Invented sentences, with tags and trees, and translations of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from outscore.core.records import dataclass
from outscore.examples.entry import Example, Rates, draw_uniform, percent, percents, random_stream

# A small invented grammar: sentences with their tags and trees.
#
# A sentence is a subject, a verb, an object, often a prepositional phrase and sometimes an adverb. A fair coin decides whether
# the prepositional phrase belongs to the object or to the verb, so that no parser can know. Nouns and verbs have endings, which
# may be wrong.


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


def make_sentence(rng: np.random.Generator, *, names: float = 0.2, pronouns: float = 0.2) -> list[Word]:
    """A sentence with these shares of names and pronouns among its phrases.

    Examples
    --------
    >>> text_of(make_sentence(np.random.Generator(np.random.Philox(2))))
    'Eve watches the bridge under the window.'
    """
    words: list[Word] = []
    arcs: dict[int, tuple[int, str]] = {}
    shares = (1.0 - names - pronouns, names, pronouns)

    def happens(chance: float) -> bool:
        return bool(rng.random() < chance)

    def add(tag: str, ending: str = "", among: Sequence[str] = ()) -> int:
        """Add a word with a tag, and return its number."""
        stems = among or WORDS[tag]
        words.append(Word(stems[int(rng.integers(len(stems)))], ending, tag))
        return len(words)

    def add_phrase() -> int:
        """Add a pronoun, a name, or a noun with its modifiers, and return the number of its head."""
        tag = PHRASES[rng.choice(len(PHRASES), p=shares)]
        if tag != "NOUN":
            return add(tag)
        several = happens(SEVERAL)
        before = [(add("DET", among=PLURAL if several else ()), "det")]
        if happens(ADJECTIVE):
            before.append((add("ADJ"), "amod"))
        head = add(tag, "s" if several else "")
        arcs.update({word: (head, relation) for word, relation in before})
        return head

    subject = add_phrase()
    adverb = add("ADV") if happens(ADVERB) else None
    present = "" if words[subject - 1].ending else "s"
    verb = add("VERB", "ed" if happens(PAST) else present)
    object_ = add_phrase()
    arcs |= {subject: (verb, "nsubj"), object_: (verb, "obj")}
    if adverb is not None:
        arcs[adverb] = (verb, "advmod")
    if happens(PREPOSITION):
        case = add("ADP")
        inner = add_phrase()
        arcs |= {case: (inner, "case"), inner: (object_, "nmod") if happens(NOUN_ATTACHED) else (verb, "obl")}
    words.append(Word(".", "", "PUNCT", verb, "punct"))
    return [Word(w.stem, w.ending, w.tag, *arcs.get(i, (w.head, w.relation))) for i, w in enumerate(words, 1)]


def text_of(words: Sequence[Word]) -> str:
    """A sentence as text."""
    text = " ".join(word.form for word in words[:-1]) + words[-1].form
    return text[0].upper() + text[1:]


# Translations of invented sentences: one system chooses wrong words, the other wrong endings.


DOCUMENTS, MIN_SENTENCES, MAX_SENTENCES = 32, 4, 10
SHARED = 0.5
DIFFICULTY_SD = 0.2


SYSTEMS = {"new": {"word": 0.15, "ending": 0.01}, "old": {"word": 0.03, "ending": 0.34}}
"""Probabilities of an error at one content word of average difficulty."""
OTHER_ENDING = {"NOUN": {"": "s", "s": ""}, "VERB": {"": "ed", "s": "ed", "ed": "s"}}


def _translate(words: Sequence[Word], rates: Rates, draws: Sequence[Sequence[float]], difficulty: float) -> list[Word]:
    """A system's sentence; each word has a draw for a wrong word, one for a wrong ending, and one that picks the word."""
    translation = []
    for word, (wrong, ending, which) in zip(words, draws, strict=True):
        if word.tag not in ("PUNCT", "DET") and wrong < rates["word"] * difficulty:
            others = [stem for stem in WORDS[word.tag] if stem != word.stem]
            translation.append(replace(word, stem=others[int(which * len(others))]))
        elif word.tag in OTHER_ENDING and ending < rates["ending"] * difficulty:
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


_OLD, _NEW = percents(SYSTEMS["old"]), percents(SYSTEMS["new"])
TEXTS = Example(
    "Metrics that disagree",
    "The new system gets fewer words wrong, but its errors are whole words; the old one errs in endings. BLEU and TER, which "
    "count words, prefer the new system, and chrF, which counts characters, the old one.",
    f"{DOCUMENTS} documents of {MIN_SENTENCES} to {MAX_SENTENCES} sentences of an invented grammar; wrong words "
    f"{_OLD['word']} (old) and {_NEW['word']} (new), wrong endings {_OLD['ending']} and "
    f"{_NEW['ending']} of words that have any, times exp N(0, {DIFFICULTY_SD}²) per document "
    f"and system; {percent(SHARED)} of the random draws shared.",
    "texts",
    _texts,
    {"files": ("new.txt", "old.txt"), "reference": ("reference.txt",), "documents": ("documents.txt",)},
    {"metric": ["bleu", "chrf", "ter"]},
)
