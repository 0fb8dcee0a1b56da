"""A naive twin of the CoNLL 2018 evaluation (Zeman et al., 2018, section 5): one word at a time, all of its metrics.

It reads files itself and shares nothing with the package, so that readers, alignment and metrics are checked together.
"""

from __future__ import annotations

import gzip
import re
from dataclasses import dataclass, field
from pathlib import Path

CONTENT = re.findall(
    r"\w+",
    "nsubj obj iobj csubj ccomp xcomp obl vocative expl dislocated advcl advmod discourse nmod appos nummod acl amod conj fixed"
    " flat compound list parataxis orphan goeswith reparandum root dep",
)
FUNCTIONAL = ("aux", "cop", "mark", "det", "clf", "case", "cc")
UNIVERSAL = re.findall(
    r"\w+",
    "PronType NumType Poss Reflex Foreign Abbr Gender Animacy Number Case Definite Degree VerbForm Mood Tense Aspect Voice"
    " Evident Polarity Person Polite",
)


@dataclass(eq=False)
class Word:
    """One line of a file; `span` is that of its token."""

    form: str
    lemma: str
    upos: str
    xpos: str
    feats: tuple[str, ...]
    relation: str
    span: tuple[int, int]
    inside: bool
    parent: Word | None = None
    children: list[Word] = field(default_factory=list)
    twin: Word | None = None


def load(path: Path) -> list[Word]:
    """The words of a CoNLL-U file."""
    with (gzip.open if path.suffix == ".gz" else open)(path, "rt", encoding="utf-8") as file:
        blocks = file.read().strip("\n").split("\n\n")
    words, at = [], 0
    for block in blocks:
        sentence, heads, until, span = [], [], 0, (0, 0)
        for line in block.split("\n"):
            if line.startswith("#"):
                continue
            cells = line.split("\t")
            size = len("".join(cells[1].split()))
            if "-" in cells[0]:
                until, span = int(cells[0].split("-")[1]), (at, at + size)
                at += size
            elif "." not in cells[0]:
                inside = int(cells[0]) <= until
                if not inside:
                    span = (at, at + size)
                    at += size
                feats = tuple(sorted(x for x in cells[5].split("|") if x.split("=")[0] in UNIVERSAL))
                sentence.append(Word(cells[1], cells[2], cells[3], cells[4], feats, cells[7].split(":")[0], span, inside))
                heads.append(int(cells[6]))
        for word, head in zip(sentence, heads, strict=True):
            if head:
                word.parent = sentence[head - 1]
                if word.relation in FUNCTIONAL:
                    word.parent.children.append(word)
        words += sentence
    return words


def align(gold: list[Word], system: list[Word]) -> list[tuple[Word, Word]]:
    """Pairs of words: those of equal characters, and inside multi-word tokens by longest common subsequence."""
    regions: list[list[int]] = []
    for low, high in sorted({word.span for word in (*gold, *system) if word.inside}):
        if regions and low < regions[-1][1]:
            regions[-1][1] = max(high, regions[-1][1])
        else:
            regions.append([low, high])
    pairs, free = [], []
    held: list[tuple[list[Word], list[Word]]] = [([], []) for _ in regions]
    for side, words in enumerate((gold, system)):
        left, at = {}, 0
        for word in words:
            while at < len(regions) and regions[at][1] <= word.span[0]:
                at += 1
            if at < len(regions) and regions[at][0] <= word.span[0] and word.span[1] <= regions[at][1]:
                held[at][side].append(word)
            else:
                left[word.span] = word
        free.append(left)
    pairs += [(word, free[1][span]) for span, word in free[0].items() if span in free[1]]
    for ours, theirs in held:
        pairs += common(ours, theirs)
    for word, other in pairs:
        word.twin, other.twin = other, word
    return pairs


def common(ours: list[Word], theirs: list[Word]) -> list[tuple[Word, Word]]:
    """A longest common subsequence of forms; of several, the one that skips words of gold first."""

    def same(i: int, j: int) -> bool:
        return ours[i].form.lower() == theirs[j].form.lower()

    size = [[0] * (len(theirs) + 1) for _ in range(len(ours) + 1)]
    for i in reversed(range(len(ours))):
        for j in reversed(range(len(theirs))):
            size[i][j] = size[i + 1][j + 1] + 1 if same(i, j) else max(size[i + 1][j], size[i][j + 1])
    i = j = 0
    found = []
    while i < len(ours) and j < len(theirs):
        if same(i, j):
            found.append((ours[i], theirs[j]))
            i, j = i + 1, j + 1
        elif size[i][j] == size[i + 1][j]:
            i += 1
        else:
            j += 1
    return found


def evaluate(gold_path: Path, system_path: Path) -> dict[str, tuple[int, int, int]]:
    """By metric: right words, words of gold, words of the system."""
    gold, system = load(gold_path), load(system_path)
    pairs = align(gold, system)

    def head(a: Word, b: Word) -> bool:
        if a.parent is None or b.parent is None:
            return a.parent is b.parent
        return b.parent.twin is a.parent

    def las(a: Word, b: Word) -> bool:
        return head(a, b) and a.relation == b.relation

    def lemma(a: Word, b: Word) -> bool:
        return a.lemma in ("_", b.lemma)

    def tags(a: Word, b: Word) -> bool:
        return (a.upos, a.feats) == (b.upos, b.feats)

    def mlas(a: Word, b: Word) -> bool:
        if not (las(a, b) and tags(a, b) and len(a.children) == len(b.children)):
            return False
        children = zip(a.children, b.children, strict=True)
        return all(y.twin is x and x.relation == y.relation and tags(x, y) for x, y in children)

    keys = {
        "upos": lambda a, b: a.upos == b.upos,
        "xpos": lambda a, b: a.xpos == b.xpos,
        "ufeats": lambda a, b: a.feats == b.feats,
        "alltags": lambda a, b: tags(a, b) and a.xpos == b.xpos,
        "lemma": lemma,
        "uas": head,
        "las": las,
        "clas": las,
        "mlas": mlas,
        "blex": lambda a, b: las(a, b) and lemma(a, b),
    }
    found = {}
    for name, right in keys.items():
        content = name in ("clas", "mlas", "blex")
        counted = [[w for w in words if not content or w.relation in CONTENT] for words in (gold, system)]
        correct = sum(right(a, b) for a, b in pairs if not content or a.relation in CONTENT)
        found[name] = correct, len(counted[0]), len(counted[1])
    return found
