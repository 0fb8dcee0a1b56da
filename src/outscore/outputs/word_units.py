"""From matched words to units: tags and trees of gold and systems, as codes of one inventory.

Heads are compared through the alignment: a system's head is right when it is the word that matches gold's head. A gold word
without a counterpart is answered with `UNALIGNED`, which is wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.numeric import Array
from outscore.core.options import did_you_mean
from outscore.outputs.model import UNALIGNED, Units, Words
from outscore.outputs.words import align, file_of
from outscore.results.design import Alignment
from outscore.scores.system import Labels

__all__ = [
    "CLUSTERS",
    "DEPENDENCIES",
    "TAGS",
    "Totals",
    "alignment_of",
    "cluster_codes",
    "criteria_of",
    "label_column",
    "shared_inventory",
    "universal",
    "word_units",
    "words_counted",
]

TAGS = ("upos", "xpos", "feats", "tag")
DEPENDENCIES = ("las", "uas", "ls")
CLUSTERS = ("sentence", "document", "none")
PUNCTUATION = "punct"
_ROOT, _NO_WORD, _NO_COUNTERPART = -1, -2, -3


@dataclass(frozen=True)
class Totals:
    """What recall, precision and F1 of words are made of: words of gold, words of the system, words that are right."""

    gold: int
    system: int
    correct: int


def word_units(
    gold: Words,
    systems: Sequence[Words],
    criterion: str,
    *,
    alignments: Sequence[Array] | None = None,
    punct: bool = False,
    subtypes: bool = False,
    cluster: str = "sentence",
) -> Units:
    """The words of gold as units, with the answers of all systems.

    Parameters
    ----------
    gold, systems
        Files of words over the same text.
    criterion
        A column (``"upos"``, ``"xpos"``, ``"feats"``, ``"tag"``...), or of trees ``"uas"`` (the head), ``"ls"`` (the relation)
        or ``"las"`` (both).
    alignments
        What `align` gave for each system, so that several criteria need it once.
    punct
        Keep words whose relation in gold is ``punct`` (trees only).
    subtypes
        Keep what follows the colon of a relation (trees only).
    cluster
        ``"sentence"``, ``"document"`` or ``"none"``.

    Examples
    --------
    >>> def words(name, *tags):
    ...     rows = np.arange(len(tags))
    ...     none = np.zeros(len(tags), dtype=bool)
    ...     return Words(name, Labels.of("abc"), 0 * rows, {"upos": Labels.of(tags)}, rows, rows + 1, none, ("1",))
    >>> gold, new = words("gold", "DET", "NOUN", "VERB"), words("new", "DET", "VERB", "VERB")
    >>> units = word_units(gold, [new], "upos")
    >>> units.labels, units.answers.tolist(), units.correct.ravel().tolist()
    (('DET', 'NOUN', 'VERB', '(unaligned)'), [[0], [2], [2]], [True, False, True])
    """
    rows = [align(gold, system) for system in systems] if alignments is None else list(alignments)
    trees = criterion in DEPENDENCIES
    clean = _cleaner(criterion, subtypes=subtypes)
    columns = [label_column(words, "deprel" if trees else criterion) for words in (gold, *systems)]
    labels, (right, *given) = shared_inventory(columns, clean)
    kept = np.flatnonzero(_counted(gold, columns[0], trees=trees, punct=punct))
    if not len(kept):
        raise OutscoreError(f"{file_of(gold)} holds punctuation alone.", "Keep it with --punct (punct=True in Python).")
    truth = right[kept]
    # Columns stand together in memory: almost everything is asked of one system or counted over all of them.
    answers = np.full((len(kept), len(systems)), labels.index(UNALIGNED), dtype=np.int32, order="F")
    correct = np.zeros(answers.shape, dtype=bool, order="F")
    detail = np.full(answers.shape, _NO_WORD, dtype=np.int64, order="F") if criterion in ("uas", "las") else None
    for k, (system, found) in enumerate(zip(systems, rows, strict=True)):
        here = found[kept]
        missing = here < 0
        # Systems that were given gold's words have them all: then nothing has to be picked out.
        matched = np.flatnonzero(~missing) if missing.any() else slice(None)
        theirs = here[matched]
        answers[matched, k] = truth[matched] if criterion == "uas" else given[k][theirs]
        correct[matched, k] = answers[matched, k] == truth[matched]
        if detail is not None:
            assert gold.heads is not None
            detail[matched, k] = _heads_in_gold(system, found)[theirs]
            correct[matched, k] &= detail[matched, k] == gold.heads[kept[matched]]
    return Units(
        criterion=criterion,
        systems=tuple(system.name for system in systems),
        labels=labels,
        gold=truth,
        answers=answers,
        correct=correct,
        detail=detail,
        clusters=cluster_codes(gold, kept, cluster),
        slices=_slices(gold, kept, criterion),
        rows=kept,
    )


def criteria_of(files: Sequence[Words]) -> tuple[str, ...]:
    """The columns of tags that every file has and fills in, in the order of `TAGS`.

    A plain file has one column of tags, which serves as whichever tags the others have.
    """
    filled = [
        {column for column in TAGS if column in words.columns and not _is_empty(words.columns[column])} for words in files
    ]
    if all("tag" in columns for columns in filled):
        return ("tag",)
    usable = [columns | {"upos", "xpos"} if "tag" in columns else columns for columns in filled]
    return tuple(column for column in TAGS if all(column in columns for columns in usable))


def alignment_of(found: Array, system: Words) -> Alignment:
    """How many words were matched, and how many were left over on either side."""
    common = int((found >= 0).sum())
    return Alignment(common=common, only_a=len(found) - common, only_b=system.rows - common)


def words_counted(
    units: Units, gold: Words, systems: Sequence[Words], alignments: Sequence[Array], *, punct: bool = False
) -> list[Totals]:
    """For each system what recall (correct / gold), precision (correct / system) and F1 of its words are made of.

    Without punctuation, a system's word does not count if the word it matches is punctuation in gold, or, where it matches
    none, in the system's own eyes.
    """
    totals = []
    for k, (system, found) in enumerate(zip(systems, alignments, strict=True)):
        counted = system.rows
        if units.criterion in DEPENDENCIES and not punct:
            left_out = ~_counted(system, system.columns["deprel"], trees=True, punct=False)
            matched = found >= 0
            left_out[found[matched]] = ~_counted(gold, gold.columns["deprel"], trees=True, punct=False)[matched]
            counted -= int(left_out.sum())
        totals.append(Totals(units.n, counted, int(units.correct[:, k].sum())))
    return totals


def _cleaner(criterion: str, *, subtypes: bool) -> Callable[[str], str]:
    """What is done to a label before it is compared."""
    if criterion in DEPENDENCIES:
        return str if subtypes else universal
    return _sorted_features if criterion == "feats" else str


def universal(relation: str) -> str:
    """A relation without its subtype.

    Examples
    --------
    >>> universal("nmod:poss")
    'nmod'
    """
    return relation.partition(":")[0]


def _sorted_features(features: str) -> str:
    """Features in one order: systems do not agree on it, and it means nothing."""
    return "|".join(sorted(features.split("|"), key=str.lower))


def label_column(words: Words, column: str) -> Labels:
    """A column of labels; the tag of a plain file serves as whichever tags are asked for."""
    if column == "deprel":
        if words.heads is None or column not in words.columns:
            raise OutscoreError(
                f"{file_of(words)} has no trees: the task `dep` needs heads and relations.",
                "Give CoNLL-U files with columns 7 and 8 filled in, or compare tags with --task pos.",
            )
        return words.columns[column]
    if column in words.columns:
        found = words.columns[column]
    elif column in ("upos", "xpos") and "tag" in words.columns:
        found = words.columns["tag"]
    else:
        # Of CoNLL-U nothing is read but what was asked for.
        known = words.columns or ("upos", "xpos", "feats", "lemma")
        raise OutscoreError(f"{file_of(words)} has no column `{column}`.", did_you_mean(column, known))
    if _is_empty(found):
        raise OutscoreError(
            f"{file_of(words)} has nothing in column `{column}`: every word has `_`.", "Compare a column that is filled in."
        )
    return found


def _is_empty(column: Labels) -> bool:
    return set(column.names) == {"_"}


def shared_inventory(columns: Sequence[Labels], clean: Callable[[str], str] = str) -> tuple[tuple[str, ...], list[Array]]:
    """One inventory for gold's and the systems' labels, gold's first and `UNALIGNED` last, and the codes of each column.

    Examples
    --------
    >>> names, codes = shared_inventory([Labels.of(["a", "b"]), Labels.of(["b", "c"])])
    >>> names, [column.tolist() for column in codes]
    (('a', 'b', 'c', '(unaligned)'), [[0, 1], [1, 2]])
    """
    known: dict[str, int] = {}
    codes = []
    for column in columns:
        new = np.array([known.setdefault(clean(name), len(known)) for name in column.names], dtype=np.int32)
        # Gold's labels mostly keep their codes.
        codes.append(column.codes if np.array_equal(new, np.arange(len(new))) else new[column.codes])
    known.setdefault(UNALIGNED, len(known))
    return tuple(known), codes


def _counted(words: Words, relations: Labels, *, trees: bool, punct: bool) -> Array:
    """Which words count."""
    if punct or not trees:
        return np.ones(words.rows, dtype=bool)
    return np.array([universal(name) != PUNCTUATION for name in relations.names])[relations.codes]


def _heads_in_gold(system: Words, found: Array) -> Array:
    """The row in gold that each of the system's words has as head: -1 the root.

    A head without a counterpart is -3 minus its first character, so that two systems can agree on it.
    """
    assert system.heads is not None
    counterpart = _NO_COUNTERPART - system.starts.astype(np.int64)
    matched = np.flatnonzero(found >= 0)
    counterpart[found[matched]] = matched
    return np.where(system.heads >= 0, counterpart[system.heads], _ROOT)


def cluster_codes(gold: Words, rows: Array, cluster: str) -> Array | None:
    """The sentence or document of each of these words, as codes; None where each stands alone."""
    if cluster not in CLUSTERS:
        raise OutscoreError(f"Words cannot be clustered by `{cluster}`.", f"Choose one of: {', '.join(CLUSTERS)}.")
    if cluster == "none":
        return None
    sentences = gold.sentences[rows].astype(np.int64)
    if cluster == "sentence":
        return sentences
    if gold.documents is None:
        raise OutscoreError(
            f"{file_of(gold)} does not say where documents begin.",
            "Mark them with `# newdoc id = ...` (CoNLL-U) or -DOCSTART- lines, or cluster by sentence.",
        )
    return gold.documents.codes[sentences]


def _slices(gold: Words, kept: Array, criterion: str) -> dict[str, Labels]:
    """Columns of gold to split by."""
    slices = {}
    if criterion != "upos" and "upos" in gold.columns:
        slices["upos"] = gold.columns["upos"].take(kept)
    if gold.documents is not None:
        slices["document"] = gold.documents.take(gold.sentences[kept])
    return slices
