"""Outputs of a task, gold and an old and a new system: labels of messages, named entities, trees, and chains of coreference.

A document of coreference is a sequence of noun phrases with fillers between them, five to a sentence. A phrase is a name, a
determiner with a noun, a personal pronoun, a year, a possessive with its noun (two mentions, one inside the
other) or a noun of a noun (two again). Mentions of one chain never cross, so that brackets can be read back.

A response is gold with errors. With these probabilities a mention is left out (`missed`), put into a random
chain of its document (`moved`) or loses its first token if it has several (`trimmed`), and a phrase that gold
leaves alone is put into a random chain (`spurious`). With probability `SHARED_MENTIONS` the draws of a mention are the
same for all responses, because real systems fail on the same mentions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace

import numpy as np
from numpy.typing import NDArray

from outscore.core.records import dataclass
from outscore.examples.entry import Example, Rates, draw_uniform, percent, percents, random_stream
from outscore.examples.texts import LEAVES, Word, make_sentence

EXAMPLES: dict[str, Example] = {}
"""Those of this module."""


# A label per customer message: two classifiers, one of which leaves messages unanswered.


SHARED = 0.5
"""How often systems draw the same luck for a message, a sentence or a word."""
MESSAGES = 400
MESSAGE_KINDS = {
    "complaint": "My {thing} was {trouble}",
    "question": "When will my {thing} be {state}",
    "request": "Please have my {thing} {state}",
    "praise": "My {thing} was {state} in no time",
}
KIND_SHARES = (0.35, 0.30, 0.20, 0.15)
TOPICS = {
    "delivery": (("parcel", "order", "letter"), ("late", "lost"), ("delivered", "sent again")),
    "billing": (("invoice", "refund", "receipt"), ("wrong", "missing"), ("corrected", "paid")),
    "account": (("password", "address", "profile"), ("blocked", "deleted"), ("changed", "restored")),
    "returns": (("return", "exchange", "label"), ("refused", "forgotten"), ("accepted", "printed")),
}


CLASSIFIERS = {"old": {"wrong": 0.12, "unanswered": 0.03, "returns": 0.38}, "new": {"wrong": 0.12, "unanswered": 0.0}}
"""Probabilities of a wrong answer, in general and on a topic, and of no answer."""


def _labels(seed: int) -> dict[str, str]:
    rng = random_stream("labels", seed)
    kinds, topics = list(MESSAGE_KINDS), list(TOPICS)
    gold = rng.choice(len(kinds), MESSAGES, p=KIND_SHARES).tolist()
    about = [topics[t] for t in rng.integers(len(topics), size=MESSAGES)]
    draws = draw_uniform(rng, len(CLASSIFIERS), (MESSAGES, 3), SHARED).tolist()
    rows = [f"m{i + 1},{kinds[k]},{t},{_message(rng, kinds[k], t)}" for i, (k, t) in enumerate(zip(gold, about, strict=True))]
    files = {"gold.csv": ["id,gold,topic,message", *rows]}
    for (name, rates), system_draws in zip(CLASSIFIERS.items(), draws, strict=True):
        answers = [f"m{i + 1},{_answer(gold[i], rates, about[i], drawn)}" for i, drawn in enumerate(system_draws)]
        files[f"{name}.csv"] = ["id,prediction", *answers]
    return {name: "\n".join(lines) + "\n" for name, lines in files.items()}


def _message(rng: np.random.Generator, kind: str, topic: str) -> str:
    thing, trouble, state = (words[rng.integers(len(words))] for words in TOPICS[topic])
    return MESSAGE_KINDS[kind].format(thing=thing, trouble=trouble, state=state)


def _answer(gold: int, rates: Rates, topic: str, draws: list[float]) -> str:
    """A system's label; the draws decide whether it answers, whether it is right, and which wrong label it gives."""
    answered, wrong, pick = draws
    kinds = list(MESSAGE_KINDS)
    if answered < rates["unanswered"]:
        return ""
    others = [kind for kind in kinds if kind != kinds[gold]]
    return others[int(pick * len(others))] if wrong < rates.get(topic, rates["wrong"]) else kinds[gold]


_OLD_LABELS = percents(CLASSIFIERS["old"])
EXAMPLES["labels"] = Example(
    "A gain from one topic",
    "The new classifier is better overall. Split by topic, the gain comes from messages about returns; elsewhere there is "
    "none. The old one left some messages unanswered, which count as wrong.",
    f"{MESSAGES} messages on {len(TOPICS)} topics; wrong labels {_OLD_LABELS['wrong']}, those of the old one on returns "
    f"{_OLD_LABELS['returns']}, and {_OLD_LABELS['unanswered']} of its messages unanswered; "
    f"{percent(SHARED)} of the random draws shared.",
    "diff",
    _labels,
    {"gold": ("gold.csv",), "files": ("old.csv", "new.csv")},
    {"task": "label", "slice": "topic"},
)


# Named entities in invented sentences: words with BIO tags.


NAMED_SENTENCES, NAME_SHARE = 320, 0.5
NAME_PARTS = {
    "PER": (("Ada", "Chen", "Eve", "Omar"), ("Brook", "Field", "Stone", "Vale")),
    "LOC": (("Brno", "Delhi", "Fiji", "Lund"),),
    "ORG": (("Delhi", "Lund", "United", "Royal"), ("Paper", "Bridge", "Garden"), ("Company", "Trust", "Union")),
}
TYPES = tuple(NAME_PARTS)


FINDERS = {
    "old": {"missed": 0.20, "mistyped": 0.06, "cut": 0.03, "spurious": 0.05},
    "new": {"missed": 0.08, "mistyped": 0.06, "cut": 0.22, "spurious": 0.05},
}
"""Probabilities of errors: a name missed, mistyped or cut short (per word after the first), a noun taken for a name."""
Piece = tuple[tuple[str, ...], str]


def _pieces(rng: np.random.Generator) -> list[Piece]:
    """A sentence as words and whole names, each with its type: O for other words."""
    pieces: list[Piece] = []
    for word in make_sentence(rng, names=NAME_SHARE, pronouns=0.1):
        if word.tag == "PROPN":
            kind = TYPES[rng.integers(len(TYPES))]
            pieces.append((tuple(part[rng.integers(len(part))] for part in NAME_PARTS[kind]), kind))
        else:
            # Of the other words, only nouns may be taken for names.
            pieces.append(((word.form,), "noun" if word.tag == "NOUN" else "O"))
    return pieces


def _tags(piece: Piece, rates: Rates, draws: Sequence[float]) -> list[str]:
    """A system's tags of one piece; the draws decide on missing it, on its type, on its length, and pick the wrong type."""
    words, kind = piece
    seen, typed, length, pick = draws
    if kind not in NAME_PARTS:
        return [f"B-{TYPES[int(pick * len(TYPES))]}" if kind == "noun" and seen < rates["spurious"] else "O"]
    if seen < rates["missed"]:
        return ["O"] * len(words)
    others = [other for other in TYPES if other != kind]
    kind = others[int(pick * len(others))] if typed < rates["mistyped"] else kind
    end = len(words) - (length < rates["cut"] * (len(words) - 1))
    return [f"B-{kind}", *[f"I-{kind}"] * (end - 1), *["O"] * (len(words) - end)]


def _entities(seed: int) -> dict[str, str]:
    rng = random_stream("entities", seed)
    texts: dict[str, list[str]] = {name: [] for name in ("gold", *FINDERS)}
    right = dict.fromkeys(FINDERS["old"], 0.0)
    for _ in range(NAMED_SENTENCES):
        pieces = _pieces(rng)
        draws = draw_uniform(rng, len(FINDERS), (len(pieces), 4), SHARED)
        for name, rates in {"gold": right, **FINDERS}.items():
            system_draws = draws[list(FINDERS).index(name) if name in FINDERS else 0].tolist()
            for piece, drawn in zip(pieces, system_draws, strict=True):
                texts[name] += [f"{word} {tag}\n" for word, tag in zip(piece[0], _tags(piece, rates, drawn), strict=True)]
            texts[name].append("\n")
    return {f"{name}.bio": "".join(several) for name, several in texts.items()}


_OLD_NAMES, _NEW_NAMES = percents(FINDERS["old"]), percents(FINDERS["new"])
EXAMPLES["entities"] = Example(
    "More names found, fewer of them whole",
    "The new system misses fewer names, but more often loses the last word of a long one: places gain, organisations lose.",
    f"{NAMED_SENTENCES} sentences of an invented grammar with names of one to three words; missed "
    f"{_OLD_NAMES['missed']} (old) and {_NEW_NAMES['missed']} (new), cut short {_OLD_NAMES['cut']} and "
    f"{_NEW_NAMES['cut']} for every word after the first, of another type {_OLD_NAMES['mistyped']}, nouns taken "
    f"for names {_OLD_NAMES['spurious']}; {percent(SHARED)} of the random draws shared.",
    "diff",
    _entities,
    {"gold": ("gold.bio",), "files": ("old.bio", "new.bio")},
    {"task": "ner"},
)


# Tags and trees of invented sentences as CoNLL-U.


SENTENCES, SENTENCES_PER_DOCUMENT = 210, 15
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


PARSERS = {
    "old": {"tag": 0.10, "VERB": 0.18, "attachment": 0.40, "argument": 0.03, "other": 0.04},
    "new": {"tag": 0.08, "VERB": 0.03, "PROPN": 0.35, "attachment": 0.10, "argument": 0.15, "other": 0.04},
}
"""Probabilities of errors: in any tag and in one of them, in the attachment of a phrase, of subject and object, elsewhere."""


def _analyse(words: Sequence[Word], rates: Rates, draws: Sequence[Sequence[float]]) -> list[Word]:
    """A system's tags and arcs; each word has a draw for its tag, one for its arc, and two that pick the error."""
    analysis = []
    for i, (word, (tag, arc, *picks)) in enumerate(zip(words, draws, strict=True)):
        seen = _attach(words, i, rates, arc, picks[1])
        wrong = word.tag in CONFUSED and tag < rates.get(word.tag, rates["tag"])
        analysis.append(replace(seen, tag=CONFUSED[word.tag][picks[0] >= FIRST_SHARE]) if wrong else seen)
    return analysis


def _attach(words: Sequence[Word], i: int, rates: Rates, draw: float, pick: float) -> Word:
    """A word with the arc that a system gives it."""
    word = words[i]
    heads = {other.relation: n + 1 for n, other in enumerate(words)}
    if word.relation == "nmod" and draw < rates["attachment"]:
        return replace(word, head=heads["root"], relation="obl")
    if word.relation == "obl" and draw < rates["attachment"]:
        return replace(word, head=heads["obj"], relation="nmod")
    if word.relation in OPPOSITE and draw < rates["argument"]:
        return replace(word, relation=OPPOSITE[word.relation])
    # Only words without dependents get another head, so that the result is a tree.
    if word.relation in LEAVES - {"punct"} and draw < rates["other"]:
        others = [n + 1 for n, other in enumerate(words) if other.relation not in LEAVES and n + 1 != word.head]
        return replace(word, head=others[int(pick * len(others))])
    return word


def _lines(words: Sequence[Word], number: int) -> str:
    document = [f"# newdoc id = d{number // SENTENCES_PER_DOCUMENT + 1}"] if number % SENTENCES_PER_DOCUMENT == 0 else []
    rows = [f"{i + 1}\t{w.form}\t_\t{w.tag}\t_\t_\t{w.head}\t{w.relation}\t_\t_" for i, w in enumerate(words)]
    return "\n".join([*document, f"# sent_id = s{number + 1}", *rows, "", ""])


def _trees(seed: int) -> dict[str, str]:
    rng = random_stream("trees", seed)
    texts: dict[str, list[str]] = {name: [] for name in ("gold", *PARSERS)}
    for number in range(SENTENCES):
        words = make_sentence(rng)
        texts["gold"].append(_lines(words, number))
        draws = draw_uniform(rng, len(PARSERS), (len(words), 4), SHARED).tolist()
        for (name, rates), system_draws in zip(PARSERS.items(), draws, strict=True):
            texts[name].append(_lines(_analyse(words, rates, system_draws), number))
    return {f"{name}.conllu": "".join(several) for name, several in texts.items()}


_PARTS = {"gold": ("gold.conllu",), "files": ("old.conllu", "new.conllu")}
_OLD_TREES, _NEW_TREES = percents(PARSERS["old"]), percents(PARSERS["new"])
_TEXT = f"{SENTENCES} sentences of an invented grammar"
EXAMPLES["tags"] = Example(
    "What a better tagger broke",
    "The new tagger corrects more tags than it breaks. Verbs gain and names lose: both are real, and accuracy shows neither.",
    f"{_TEXT}; wrong tags {_OLD_TREES['tag']} (old) and {_NEW_TREES['tag']} (new), of verbs "
    f"{_OLD_TREES['VERB']} and {_NEW_TREES['VERB']}, of the new one's names "
    f"{_NEW_TREES['PROPN']}; {percent(SHARED)} of the random draws shared.",
    "diff",
    _trees,
    _PARTS,
    {"task": "pos"},
)
EXAMPLES["trees"] = Example(
    "Equal scores, different parsers",
    "Two parsers whose attachment scores cannot be told apart. The new one attaches prepositional phrases far better, and "
    "mixes up subjects and objects.",
    f"{_TEXT}; prepositional phrases attached wrongly {_OLD_TREES['attachment']} (old) and "
    f"{_NEW_TREES['attachment']} (new), subject for object {_OLD_TREES['argument']} and "
    f"{_NEW_TREES['argument']}, others {_OLD_TREES['other']}; {percent(SHARED)} of the random draws shared.",
    "diff",
    _trees,
    _PARTS,
    {"task": "dep"},
)


# Coreference documents made by rule, as CoNLL-2012 files.


DOCUMENTS, LENGTH = 24, 34
PHRASES_PER_SENTENCE = 5
NOUNS = ("mayor", "city", "river", "company", "report", "teacher", "bridge", "law")
CHARACTERS = ("Ada", "Brno", "Chen", "Delhi", "Eve", "Fiji")
PERSONAL, POSSESSIVE = ("he", "she", "it", "they"), ("his", "her", "its", "their")
YEARS = ("1990", "2001", "2012")
PHRASE_KINDS = ("name", "noun", "personal", "year", "possessive", "nested")
PHRASE_CHANCES = (0.2, 0.25, 0.25, 0.05, 0.1, 0.15)
NEW_CHAIN, SINGLE = 0.25, 0.25
"""Probabilities that a mention begins a chain, and that a phrase is in none."""
SHARED_MENTIONS = 0.7

Mention = tuple[int, int]


RESOLVERS = {
    "old": {"missed": 0.22, "moved": 0.16, "trimmed": 0.05, "spurious": 0.18},
    "new": {"missed": 0.10, "moved": 0.16, "trimmed": 0.05, "spurious": 0.34},
}
"""Probabilities of errors at one mention."""


@dataclass
class Document:
    """Words, tags and sentence breaks; phrases that may be mentions, and the chains of those that are."""

    name: str
    words: list[str] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    breaks: set[int] = field(default_factory=set)
    candidates: list[Mention] = field(default_factory=list)
    chains: dict[Mention, int] = field(default_factory=dict)


def make_document(rng: np.random.Generator, name: str, phrases: int) -> Document:
    """A document of `phrases` noun phrases with its gold chains."""
    document = Document(name)
    for phrase in range(phrases):
        if phrase % PHRASES_PER_SENTENCE == 0:
            document.breaks.add(len(document.words))
        _add_phrase(rng, document)
        _add(document, ("saw", "VBD") if phrase % PHRASES_PER_SENTENCE < PHRASES_PER_SENTENCE - 1 else (".", "."))
    chains = 0
    for mention in document.candidates:
        if rng.random() < SINGLE:
            continue
        if chains == 0 or rng.random() < NEW_CHAIN:
            document.chains[mention] = chains
            chains += 1
        else:
            document.chains[mention] = int(rng.integers(chains))
    return document


def _add(document: Document, *words: tuple[str, str]) -> int:
    start = len(document.words)
    document.words += [word for word, _ in words]
    document.tags += [tag for _, tag in words]
    return start


def _add_phrase(rng: np.random.Generator, document: Document) -> None:
    noun, other = (str(rng.choice(NOUNS)) for _ in range(2))
    kind = str(rng.choice(PHRASE_KINDS, p=PHRASE_CHANCES))
    if kind == "name":
        start = _add(document, (str(rng.choice(CHARACTERS)), "NNP"))
    elif kind == "personal":
        start = _add(document, (str(rng.choice(PERSONAL)), "PRP"))
    elif kind == "year":
        start = _add(document, (str(rng.choice(YEARS)), "CD"))
    elif kind == "noun":
        start = _add(document, ("the", "DT"), (noun, "NN"))
    elif kind == "possessive":
        start = _add(document, (str(rng.choice(POSSESSIVE)), "PRP$"), (noun, "NN"))
        document.candidates.append((start, start))
    else:
        start = _add(document, ("the", "DT"), (noun, "NN"), ("of", "IN"), ("the", "DT"), (other, "NN"))
        document.candidates.append((start + 3, start + 4))
    document.candidates.append((start, len(document.words) - 1))


def perturb(rng: np.random.Generator, document: Document, rates: Rates, shared: NDArray[np.float64]) -> dict[Mention, int]:
    """A response's chains; `shared` holds five draws for each candidate."""
    response: dict[Mention, int] = {}
    chains = max(document.chains.values(), default=0) + 1
    unshared = rng.random(shared.shape)
    draws = np.where(rng.random((len(shared), 1)) < SHARED_MENTIONS, shared, unshared)
    for mention, (missed, moved, trimmed, spurious, where) in zip(document.candidates, draws.tolist(), strict=True):
        chain = document.chains.get(mention)
        if chain is None:
            if spurious < rates["spurious"]:
                response[mention] = int(where * chains)
            continue
        if missed < rates["missed"]:
            continue
        start, end = mention
        start += trimmed < rates["trimmed"] and end > start
        response[start, end] = int(where * chains) if moved < rates["moved"] else chain
    return response


def to_conll(document: Document, chains: Mapping[Mention, int]) -> str:
    """One document as CoNLL-2012, with outer brackets outside."""
    cells: list[list[str]] = [[] for _ in document.words]
    for start, end in sorted(chains, key=lambda m: (m[0], -m[1])):
        if start < end:
            cells[start].append(f"({chains[start, end]}")
    for start, end in sorted(chains):
        if start == end:
            cells[start].append(f"({chains[start, end]})")
    for start, end in sorted(chains, key=lambda m: (m[1], -m[0])):
        if start < end:
            cells[end].append(f"{chains[start, end]})")
    lines = [f"#begin document ({document.name}); part 000"]
    number = 0
    for i, (word, tag) in enumerate(zip(document.words, document.tags, strict=True)):
        if i in document.breaks and i:
            lines.append("")
            number = 0
        columns = (document.name, "0", str(number), word, tag, "|".join(cells[i]) or "-")
        lines.append("\t".join(columns))
        number += 1
    return "\n".join([*lines, "", "#end document", ""])


def simulate_documents(
    rng: np.random.Generator, responses: Mapping[str, Rates], *, documents: int, phrases: int, folder: str = ""
) -> dict[str, str]:
    """Gold and a file for each response, by name; documents are numbered."""
    texts: dict[str, list[str]] = {"gold": [], **{name: [] for name in responses}}
    for i in range(documents):
        document = make_document(rng, f"{folder}{i:04d}", phrases)
        texts["gold"].append(to_conll(document, document.chains))
        shared = rng.random((len(document.candidates), 5))
        for name, rates in responses.items():
            texts[name].append(to_conll(document, perturb(rng, document, rates, shared)))
    return {name: "".join(several) for name, several in texts.items()}


def _coreference(seed: int) -> dict[str, str]:
    documents = simulate_documents(random_stream("coreference", seed), RESOLVERS, documents=DOCUMENTS, phrases=LENGTH)
    return {f"{name}.conll": text for name, text in documents.items()}


_OLD_CHAINS, _NEW_CHAINS = percents(RESOLVERS["old"]), percents(RESOLVERS["new"])
EXAMPLES["coreference"] = Example(
    "Recall bought with precision",
    "The new resolver misses half as many mentions but invents more of them. Whole documents are swapped, and all "
    "coreference metrics are reported together.",
    f"{DOCUMENTS} documents of {LENGTH} noun phrases; mentions missed {_OLD_CHAINS['missed']} (old) and "
    f"{_NEW_CHAINS['missed']} (new), invented {_OLD_CHAINS['spurious']} and {_NEW_CHAINS['spurious']}, in a "
    f"wrong chain {_OLD_CHAINS['moved']}, without their first word {_OLD_CHAINS['trimmed']}; "
    f"{percent(SHARED_MENTIONS)} of the random draws shared.",
    "diff",
    _coreference,
    {"gold": ("gold.conll",), "files": ("old.conll", "new.conll")},
    {"task": "coref"},
)
