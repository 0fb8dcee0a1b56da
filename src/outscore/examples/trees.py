"""Tags and trees of invented sentences as CoNLL-U: gold, an old and a new analysis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field, replace

from outscore.core.records import dataclass
from outscore.examples.entry import Example, draw_uniform, percent, random_stream
from outscore.examples.texts import LEAVES, Word, make_sentence

SENTENCES, SENTENCES_PER_DOCUMENT = 210, 15
SHARED = 0.5
CONFUSED = {
    "NOUN": ("VERB", "PROPN"),
    "VERB": ("NOUN", "ADJ"),
    "ADJ": ("NOUN", "ADV"),
    "ADV": ("ADJ", "ADP"),
    "DET": ("PRON", "ADP"),
    "PRON": ("DET", "PROPN"),
    "ADP": ("ADV", "DET"),
    "PROPN": ("NOUN", "ADJ"),
}
"""For each tag the wrong tag that is given most often, and another."""
FIRST_SHARE = 0.8
OPPOSITE = {"nsubj": "obj", "obj": "nsubj"}


@dataclass(frozen=True)
class ErrorRates:
    """Probabilities of errors: in a tag, in the attachment of a phrase, of subject and object, and in other heads."""

    tag: float
    attachment: float
    argument: float
    other: float
    tags: dict[str, float] = field(default_factory=dict)

    def of(self, tag: str) -> float:
        """The probability that a tag is wrong."""
        return self.tags.get(tag, self.tag)


SYSTEMS = {
    "old": ErrorRates(tag=0.10, attachment=0.40, argument=0.03, other=0.04, tags={"VERB": 0.18}),
    "new": ErrorRates(tag=0.08, attachment=0.10, argument=0.15, other=0.04, tags={"PROPN": 0.35, "VERB": 0.03}),
}


def _analyse(words: Sequence[Word], rates: ErrorRates, draws: Sequence[Sequence[float]]) -> list[Word]:
    """A system's tags and arcs; each word has a draw for its tag, one for its arc, and two that pick the error."""
    analysis = []
    for i, (word, (tag, arc, *picks)) in enumerate(zip(words, draws, strict=True)):
        seen = _attach(words, i, rates, arc, picks[1])
        wrong = word.tag in CONFUSED and tag < rates.of(word.tag)
        analysis.append(replace(seen, tag=CONFUSED[word.tag][picks[0] >= FIRST_SHARE]) if wrong else seen)
    return analysis


def _attach(words: Sequence[Word], i: int, rates: ErrorRates, draw: float, pick: float) -> Word:
    """A word with the arc that a system gives it."""
    word = words[i]
    heads = {other.relation: n + 1 for n, other in enumerate(words)}
    if word.relation == "nmod" and draw < rates.attachment:
        return replace(word, head=heads["root"], relation="obl")
    if word.relation == "obl" and draw < rates.attachment:
        return replace(word, head=heads["obj"], relation="nmod")
    if word.relation in OPPOSITE and draw < rates.argument:
        return replace(word, relation=OPPOSITE[word.relation])
    # Only words without dependents get another head, so that the result is a tree.
    if word.relation in LEAVES - {"punct"} and draw < rates.other:
        others = [n + 1 for n, other in enumerate(words) if other.relation not in LEAVES and n + 1 != word.head]
        return replace(word, head=others[int(pick * len(others))])
    return word


def _lines(words: Sequence[Word], number: int) -> str:
    document = [f"# newdoc id = d{number // SENTENCES_PER_DOCUMENT + 1}"] if number % SENTENCES_PER_DOCUMENT == 0 else []
    rows = [f"{i + 1}\t{w.form}\t_\t{w.tag}\t_\t_\t{w.head}\t{w.relation}\t_\t_" for i, w in enumerate(words)]
    return "\n".join([*document, f"# sent_id = s{number + 1}", *rows, "", ""])


def _trees(seed: int) -> dict[str, str]:
    rng = random_stream("trees", seed)
    texts: dict[str, list[str]] = {name: [] for name in ("gold", *SYSTEMS)}
    for number in range(SENTENCES):
        words = make_sentence(rng)
        texts["gold"].append(_lines(words, number))
        draws = draw_uniform(rng, len(SYSTEMS), (len(words), 4), SHARED).tolist()
        for (name, rates), system_draws in zip(SYSTEMS.items(), draws, strict=True):
            texts[name].append(_lines(_analyse(words, rates, system_draws), number))
    return {f"{name}.conllu": "".join(several) for name, several in texts.items()}


_PARTS = {"gold": ("gold.conllu",), "files": ("old.conllu", "new.conllu")}
_OLD, _NEW = SYSTEMS["old"], SYSTEMS["new"]
_TEXT = f"{SENTENCES} sentences of an invented grammar"
TAGS = Example(
    "What a better tagger broke",
    "The new tagger corrects more tags than it breaks. Verbs gain and names lose: both are real, and accuracy shows neither.",
    f"{_TEXT}; wrong tags {percent(_OLD.tag)} (old) and {percent(_NEW.tag)} (new), of verbs {percent(_OLD.of('VERB'))} and "
    f"{percent(_NEW.of('VERB'))}, of the new one's names {percent(_NEW.of('PROPN'))}; {percent(SHARED)} of the random draws "
    "shared.",
    "diff",
    _trees,
    _PARTS,
    {"task": "pos"},
)
TREES = Example(
    "Equal scores, different parsers",
    "Two parsers whose attachment scores cannot be told apart. The new one attaches prepositional phrases far better, and "
    "mixes up subjects and objects.",
    f"{_TEXT}; prepositional phrases attached wrongly {percent(_OLD.attachment)} (old) and {percent(_NEW.attachment)} (new), "
    f"subject for object {percent(_OLD.argument)} and {percent(_NEW.argument)}, others {percent(_OLD.other)}; "
    f"{percent(SHARED)} of the random draws shared.",
    "diff",
    _trees,
    _PARTS,
    {"task": "dep"},
)
