"""From aligned words to units: tags and trees, content words alone, and the words that some system has wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from hashlib import blake2b
from itertools import pairwise

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.numeric import Array
from outscore.core.options import did_you_mean
from outscore.outputs.alignment import align
from outscore.outputs.items import shared_inventory
from outscore.outputs.model import UNALIGNED, Units, Words, binned, choose_slices
from outscore.outputs.outcomes import Changed, Contexts, changed_units
from outscore.results.design import Alignment
from outscore.scores.system import Labels

# CLAS, MLAS and BLEX: trees judged by their content words alone, with features or lemmas (Zeman et al., 2018, section 5).
#
#     CLAS  head and relation of words whose relation is a content relation
#     MLAS  head, relation, UPOS and universal features of these, and the same of their functional children
#     BLEX  head, relation and lemma of these; a lemma that gold leaves out is right
#
# Their gold words are those with a content relation in gold, their system words those with one in the system.


CONTENT = ("clas", "mlas", "blex")
CONTENT_RELATIONS = frozenset(
    {"nsubj", "obj", "iobj", "csubj", "ccomp", "xcomp", "obl", "vocative", "expl", "dislocated", "advcl", "advmod"}
    | {"discourse", "nmod", "appos", "nummod", "acl", "amod", "conj", "fixed", "flat", "compound", "list", "parataxis"}
    | {"orphan", "goeswith", "reparandum", "root", "dep"}
)
FUNCTIONAL_RELATIONS = frozenset({"aux", "cop", "mark", "det", "clf", "case", "cc"})
UNIVERSAL = frozenset(
    {"PronType", "NumType", "Poss", "Reflex", "Foreign", "Abbr", "Gender", "Animacy", "Number", "Case", "Definite", "Degree"}
    | {"VerbForm", "Mood", "Tense", "Aspect", "Voice", "Evident", "Polarity", "Person", "Polite"}
)
NO_LEMMA = "_"


def universal_features(features: str) -> str:
    """The features that all languages share, in alphabetical order.

    Examples
    --------
    >>> universal_features("VerbForm=Fin|Style=Slng|Mood=Ind")
    'Mood=Ind|VerbForm=Fin'
    """
    return "|".join(sorted(part for part in features.split("|") if part.split("=", 1)[0] in UNIVERSAL))


def content_mask(relations: Labels) -> Array:
    """Which words have a content relation."""
    return _mask(relations, CONTENT_RELATIONS)


def _mask(relations: Labels, wanted: frozenset[str]) -> Array:
    return np.array([strip_subtype(name) in wanted for name in relations.names], dtype=bool)[relations.codes]


def further_answers(gold: Words, system: Words, aligned: Array, criterion: str) -> tuple[Array, Array] | None:
    """What MLAS or BLEX ask for beside head and relation: a code of the answer to each word of gold, and whether it is right.

    Codes are 64 bits of a hash, equal for equal answers of any system. None for criteria that ask for nothing
    more. Words without a counterpart are wrong.
    """
    if criterion == "blex":
        return _lemmas(gold, system, aligned)
    return _morphology(gold, system, aligned) if criterion == "mlas" else None


def _lemmas(gold: Words, system: Words, aligned: Array) -> tuple[Array, Array]:
    right, answer = _codes(gold.columns["lemma"]), _codes(system.columns["lemma"])[aligned]
    lemmas = gold.columns["lemma"]
    free = np.array([name == NO_LEMMA for name in lemmas.names], dtype=bool)[lemmas.codes]
    return np.where(free, right, answer), (aligned >= 0) & (free | (answer == right))


def _morphology(gold: Words, system: Words, aligned: Array) -> tuple[Array, Array]:
    """UPOS, universal features and functional children."""
    ours, theirs = _tags(gold), _tags(system)
    place = np.full(system.rows, -1, dtype=np.int64)
    matched = np.flatnonzero(aligned >= 0)
    place[aligned[matched]] = matched
    wanted, answer = ours + _children(gold, np.arange(gold.rows), ours), (theirs + _children(system, place, theirs))[aligned]
    return answer, (aligned >= 0) & (answer == wanted)


def _tags(words: Words) -> Array:
    """A code for UPOS with universal features."""
    return _mixed(_codes(words.columns["upos"]) + 3 * _codes(words.columns["feats"], universal_features))


def _children(words: Words, place: Array, tags: Array) -> Array:
    """A code for the functional children of each word: which words of gold they are (`place`), with relation and tags.

    Children without a counterpart have a place that no word of gold has, so no answer with one is right.
    """
    relations, heads = words.columns["deprel"], words.tree
    child = np.flatnonzero(_mask(relations, FUNCTIONAL_RELATIONS) & (heads >= 0))
    where = np.where(place[child] >= 0, place[child], -2 - words.starts[child])
    codes = _mixed(where.astype(np.int64) + 3 * _codes(relations, strip_subtype)[child] + 5 * tags[child])
    total = np.zeros(words.rows, dtype=np.int64)
    np.add.at(total, heads[child], codes)
    return total


def _codes(labels: Labels, clean: Callable[[str], str] = str) -> Array:
    """A 64-bit code for each label that depends on its text alone, so that files can be compared by it."""
    digests = b"".join(blake2b(clean(name).encode(), digest_size=8).digest() for name in labels.names)
    return np.frombuffer(digests, dtype="<i8")[labels.codes]


def _mixed(codes: Array) -> Array:
    """The codes, spread so that sums of them tell which were added (Steele, Lea and Flood, 2014, SplitMix64)."""
    mixed = codes.astype(np.uint64)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
    return (mixed ^ (mixed >> np.uint64(31))).astype(np.int64)


# From aligned words to units: tags and trees of gold and systems, as codes of one inventory.
#
# Heads are compared through the alignment: a system's head is right if it is the word that is aligned with gold's head. The
# answer to a gold word without a counterpart is `UNALIGNED`, which is wrong. Words and entities can be split by gold's
# columns, and by lengths and distances in gold.


TAGS = ("upos", "xpos", "feats", "tag")
FURTHER_TAGS = ("ufeats", "alltags", "lemma")
"""Compared when asked for: universal features, all tags together, and lemmas, as in the CoNLL 2018 evaluation."""
DEPENDENCIES = ("las", "uas", "ls")
TREES = (*DEPENDENCIES, *CONTENT)
CLUSTERS = ("sentence", "document", "none")
CONLLU_COLUMNS = ("upos", "xpos", "feats", "lemma")
PUNCTUATION = frozenset({"punct"})
_ROOT, _NO_WORD, _NO_COUNTERPART = -1, -2, -3
_Extra = tuple[int, int, str, int]
"""A word that gold lacks: its characters, its form, and how many equal ones come before it in its token."""
SENTENCE_LENGTHS = (1, 6, 11, 21, 31, 41)
DISTANCES = (1, 2, 3, 7)
ENTITY_LENGTHS = (1, 2, 3, 4)
DIRECTIONS = ("root", "head before", "head after")


def word_units(
    gold: Words,
    systems: Sequence[Words],
    criterion: str,
    *,
    alignments: Sequence[Array] | None = None,
    punct: bool = False,
    subtypes: bool = False,
    cluster: str = "sentence",
    slices: Sequence[str] | None = None,
) -> Units:
    """The words of gold as units, with the answers of all systems.

    Parameters
    ----------
    gold, systems
        Files of words over the same text.
    criterion
        A column (``"upos"``, ``"xpos"``, ``"feats"``, ``"tag"``...), ``"ufeats"``, ``"alltags"``, or of trees
        ``"uas"`` (the head), ``"ls"`` (the relation), ``"las"`` (both), ``"clas"``, ``"mlas"`` or ``"blex"``.
    alignments
        The result of `align` for each system, to compute it once for several criteria.
    punct
        Keep words whose relation in gold is ``punct`` (trees only).
    subtypes
        Keep what follows the colon of a relation (trees only).
    cluster
        ``"sentence"``, ``"document"`` or ``"none"``.
    slices
        What to split by (`word_slices`); None for part of speech and document, as far as gold has them.

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
    clean = _label_cleaner(criterion, subtypes=subtypes)
    columns = _answers_of_files(gold, systems, criterion)
    labels, (right, *given) = shared_inventory(columns, clean)
    kept = np.flatnonzero(_counting_mask(gold, columns[0], criterion, punct=punct))
    if not len(kept):
        raise OutscoreError(
            f"{gold.label} contains nothing but punctuation.", "Keep it with --punct (punct=True in Python).", parameter="punct"
        )
    truth = right[kept]
    # Fortran order: nearly all operations are on the column of one system.
    answers = np.full((len(kept), len(systems)), labels.index(UNALIGNED), dtype=np.int32, order="F")
    correct = np.zeros(answers.shape, dtype=bool, order="F")
    headed = criterion in TREES and criterion != "ls"
    heads = np.full(answers.shape, _NO_WORD, dtype=np.int64, order="F") if headed else None
    more = np.zeros(answers.shape, dtype=np.int64, order="F") if criterion in CONTENT[1:] else None
    extra: dict[_Extra, int] = {}
    for k, (system, aligned) in enumerate(zip(systems, rows, strict=True)):
        here = aligned[kept]
        missing = here < 0
        # Systems that were given gold's tokens have all words: a slice then avoids copies.
        matched = np.flatnonzero(~missing) if missing.any() else slice(None)
        theirs = here[matched]
        answers[matched, k] = truth[matched] if criterion == "uas" else given[k][theirs]
        correct[matched, k] = answers[matched, k] == truth[matched]
        if criterion == "lemma":
            # What gold leaves out cannot be wrong.
            correct[matched, k] |= truth[matched] == (labels.index("_") if "_" in labels else -1)
        if heads is not None:
            heads[matched, k] = _heads_in_gold(system, aligned, extra)[theirs]
            correct[matched, k] &= heads[matched, k] == gold.tree[kept[matched]]
        if more is not None and (further := further_answers(gold, system, aligned, criterion)) is not None:
            more[:, k], is_right = further[0][kept], further[1][kept]
            correct[:, k] &= is_right
    return Units(
        criterion=criterion,
        systems=tuple(system.name for system in systems),
        labels=labels,
        gold=truth,
        answers=answers,
        correct=correct,
        detail=heads if heads is None or more is None else _joint_codes(heads, more),
        clusters=cluster_codes(gold, kept, cluster),
        slices=_slices(gold, kept, criterion, slices),
        rows=kept,
        heads=heads,
    )


def _answers_of_files(gold: Words, systems: Sequence[Words], criterion: str) -> list[Labels]:
    """The answers of gold and systems; one without such tags has all of them wrong, as in the official evaluation.

    If no system has any, the column is a mistake.
    """
    some = any(has_tags(system, column) for system in systems for column in columns_of(criterion))
    return [_answers_of(gold, criterion), *(_answers_of(system, criterion, blank=some) for system in systems)]


def _answers_of(words: Words, criterion: str, *, blank: bool = False) -> Labels:
    """What a file answers by a criterion: relations, one of its columns, or several of them together."""
    if criterion in TREES:
        return label_column(words, "deprel")
    if criterion != "alltags":
        return label_column(words, *columns_of(criterion), blank=blank)
    upos, xpos, feats = (_required_column(words, column) for column in columns_of(criterion))
    size, width = len(xpos.names), len(feats.names)
    distinct, codes = np.unique((upos.codes.astype(np.int64) * size + xpos.codes) * width + feats.codes, return_inverse=True)
    names = []
    for code in distinct.tolist():
        tags, last = divmod(code, width)
        first, second = divmod(tags, size)
        names.append(f"{upos.names[first]} {xpos.names[second]} {universal_features(feats.names[last])}")
    return Labels(codes, tuple(names))


def columns_of(criterion: str) -> tuple[str, ...]:
    """The columns that a criterion needs.

    Examples
    --------
    >>> columns_of("las"), columns_of("ufeats"), columns_of("xpos")
    (('deprel',), ('feats',), ('xpos',))
    """
    several = {"ufeats": ("feats",), "alltags": ("upos", "xpos", "feats"), "mlas": ("deprel", "upos", "feats")}
    several["blex"] = ("deprel", "lemma")
    return several.get(criterion, ("deprel",) if criterion in TREES else (criterion,))


def _joint_codes(heads: Array, more: Array) -> Array:
    """One code for each head with what else was answered."""
    _, codes = np.unique(np.stack([heads.ravel(), more.ravel()]), axis=1, return_inverse=True)
    return np.asarray(codes.reshape(heads.shape))


def criteria_of(files: Sequence[Words]) -> tuple[str, ...]:
    """The columns of tags that every file has and fills in, in the order of `TAGS`.

    A plain file has one column of tags, which is compared with whichever tags the others have.
    """
    filled = [{column for column in TAGS if has_tags(words, column)} for words in files]
    shared = tuple(column for column in TAGS if all(column in columns for columns in filled))
    if shared:
        return shared
    usable = [columns | {"upos", "xpos"} if "tag" in columns else columns for columns in filled]
    return tuple(column for column in TAGS if all(column in columns for columns in usable))


def has_tags(words: Words, column: str) -> bool:
    """Whether a file has this column and fills it in."""
    return column in words.columns and not _is_empty(words.columns[column])


def alignment_of(aligned: Array, system: Words) -> Alignment:
    """The numbers of words that are aligned, and that are left over on either side."""
    common = int((aligned >= 0).sum())
    return Alignment(common=common, only_a=len(aligned) - common, only_b=system.rows - common)


def word_totals(
    units: Units, gold: Words, systems: Sequence[Words], alignments: Sequence[Array], *, punct: bool = False
) -> list[tuple[int, int, int]]:
    """How many words of each system are right, how many gold has, and how many the system: recall, precision and F1.

    Without punctuation, a system's word does not count if the word it is aligned with is punctuation in gold
    or, if there is none, if the system itself calls it punctuation.
    """
    totals = []
    for k, (system, aligned) in enumerate(zip(systems, alignments, strict=True)):
        counted = system.rows
        if units.criterion in CONTENT:
            counted = int(content_mask(system.columns["deprel"]).sum())
        elif units.criterion in DEPENDENCIES and not punct:
            left_out = ~_counting_mask(system, system.columns["deprel"], units.criterion, punct=False)
            matched = aligned >= 0
            left_out[aligned[matched]] = ~_counting_mask(gold, gold.columns["deprel"], units.criterion, punct=False)[matched]
            counted -= int(left_out.sum())
        totals.append((int(units.correct[:, k].sum()), units.n, counted))
    return totals


def _label_cleaner(criterion: str, *, subtypes: bool) -> Callable[[str], str]:
    """The function that is applied to labels before they are compared."""
    if criterion in TREES:
        return str if subtypes else strip_subtype
    cleaners: dict[str, Callable[[str], str]] = {"feats": _sorted_features, "ufeats": universal_features}
    return cleaners.get(criterion, str)


def strip_subtype(relation: str) -> str:
    """A relation without its subtype.

    Examples
    --------
    >>> strip_subtype("nmod:poss")
    'nmod'
    """
    return relation.partition(":")[0]


def _sorted_features(features: str) -> str:
    """Features in alphabetical order: systems order them differently, which means nothing."""
    return "|".join(sorted(features.split("|"), key=str.lower))


def label_column(words: Words, column: str, *, blank: bool = False) -> Labels:
    """A column of labels, which may be `blank`; the tags of a plain file serve as whichever tags are wanted."""
    if column == "deprel":
        if words.heads is None or column not in words.columns:
            raise OutscoreError(
                f"{words.label} has no trees: the task `dep` needs heads and relations.",
                "Give CoNLL-U files with columns 7 and 8 filled in, or compare tags with --task pos.",
                parameter="task",
            )
        return words.columns[column]
    labels = _required_column(words, column)
    if _is_empty(labels) and not blank:
        raise OutscoreError(
            f"{words.label} has nothing in column `{column}`: every word has `_`.", "Compare a column that is filled in."
        )
    return labels


def _required_column(words: Words, column: str) -> Labels:
    if column in words.columns:
        return words.columns[column]
    if column in ("upos", "xpos") and "tag" in words.columns:
        return words.columns["tag"]
    # Only the columns needed are read of CoNLL-U.
    known = words.columns or CONLLU_COLUMNS
    raise OutscoreError(f"{words.label} has no column `{column}`.", did_you_mean(column, known))


def _is_empty(column: Labels) -> bool:
    return set(column.names) == {"_"}


def _counting_mask(words: Words, relations: Labels, criterion: str, *, punct: bool) -> Array:
    """Mask of the words that count."""
    if criterion in CONTENT:
        return content_mask(relations)
    if punct or criterion not in DEPENDENCIES:
        return np.ones(words.rows, dtype=bool)
    return ~_mask(relations, PUNCTUATION)


def _heads_in_gold(system: Words, aligned: Array, extra: dict[_Extra, int]) -> Array:
    """The head of each of the system's words as a row of gold, -1 for the root.

    A head without a counterpart is -3 minus its number in `extra`, which all systems share: two systems agree
    on it only if it is the same word of the same characters, since words that begin together may be different
    ones (a word and a longer one, the words of one multi-word token).
    """
    matched = np.flatnonzero(aligned >= 0)
    counterpart = np.full(system.rows, _NO_COUNTERPART, dtype=np.int64)
    counterpart[aligned[matched]] = matched
    seen: Counter[tuple[int, int, str]] = Counter()
    for row in np.flatnonzero(counterpart == _NO_COUNTERPART).tolist():
        word = int(system.starts[row]), int(system.ends[row]), system.forms[row].lower()
        counterpart[row] = _NO_COUNTERPART - extra.setdefault((*word, seen[word]), len(extra))
        seen[word] += 1
    return np.where(system.tree >= 0, counterpart[system.tree], _ROOT)


def cluster_codes(gold: Words, rows: Array, cluster: str) -> Array | None:
    """Codes of the sentence or document of each of these words; None if every word stands alone."""
    if cluster not in CLUSTERS:
        raise OutscoreError(f"Words cannot be clustered by `{cluster}`.", f"Choose one of: {', '.join(CLUSTERS)}.")
    if cluster == "none":
        return None
    sentences = gold.sentences[rows].astype(np.int64)
    if cluster == "sentence":
        return sentences
    if gold.documents is None:
        raise OutscoreError(
            f"{gold.label} does not say where documents begin.",
            "Mark them with `# newdoc id = ...` (CoNLL-U) or -DOCSTART- lines, or cluster by sentence.",
        )
    return gold.documents.codes[sentences]


def cluster_count(gold: Words, cluster: str) -> int | None:
    """How many sentences or documents gold has; None if every word stands alone."""
    if cluster == "document" and gold.documents is not None:
        return len(gold.documents.names)
    return len(gold.sentence_ids) if cluster == "sentence" else None


def _slices(gold: Words, kept: Array, criterion: str, wanted: Sequence[str] | None) -> dict[str, Labels]:
    """Columns of gold to split by."""
    available = word_slices(gold, kept)
    if wanted is None:
        wanted = [name for name in ("upos", "document") if name in available and name != criterion]
    is_conllu = gold.origin is not None and gold.origin.format == "conllu"
    return choose_slices(available, wanted, CONLLU_COLUMNS if is_conllu else ())


def word_slices(gold: Words, rows: Array) -> dict[str, Callable[[], Labels]]:
    """The columns of gold, and form, sentence length, and the distance and direction of the head."""
    columns: dict[str, Callable[[], Labels]] = {
        name: partial(column.take, rows) for name, column in gold.columns.items() if name != "token"
    }
    columns |= {"form": lambda: gold.forms.take(rows), **_of_sentences(gold, rows)}
    if gold.heads is not None:
        columns |= {
            "head-distance": lambda: _distances(gold, rows),
            "head-direction": lambda: Labels(_directions(gold, rows), DIRECTIONS),
        }
    return columns


def entity_slices(gold: Words, spans: Array) -> dict[str, Callable[[], Labels]]:
    """Lengths of entities in gold's words and of their sentences; `spans` are rows of gold, the last exclusive."""
    lengths = np.maximum(spans[:, 1] - spans[:, 0], 1)
    return {"entity-length": lambda: binned(lengths, ENTITY_LENGTHS), **_of_sentences(gold, spans[:, 0])}


def _of_sentences(gold: Words, rows: Array) -> dict[str, Callable[[], Labels]]:
    sentences = gold.sentences[rows]
    columns: dict[str, Callable[[], Labels]] = {
        "sentence-length": lambda: binned(np.bincount(gold.sentences)[sentences], SENTENCE_LENGTHS)
    }
    documents = gold.documents
    if documents is not None:
        columns["document"] = lambda: documents.take(sentences)
    return columns


def _distances(gold: Words, rows: Array) -> Labels:
    """How many words a word is away from its head; the root has a value of its own."""
    heads = gold.tree[rows]
    ranges = binned(np.abs(heads - rows), DISTANCES)
    return Labels(np.where(heads < 0, len(ranges.names), ranges.codes), (*ranges.names, "root"))


def _directions(gold: Words, rows: Array) -> Array:
    heads = gold.tree[rows]
    return np.where(heads < 0, 0, np.where(heads < rows, 1, 2))


# Words and entities that some system has wrong, in their sentences.


OUTSIDE = -2
"""The code of a head that is not in this sentence."""


def sentence_contexts(words: Words, relation: Callable[[str], str] | None = None) -> Contexts:
    """All sentences of a file, named with their document if there is one; `relation` writes the relations of trees."""
    bounds = words.sentence_bounds.tolist()
    forms = [words.forms.names[code] for code in words.forms.codes.tolist()]
    ids = words.sentence_ids
    if words.documents is not None:
        ids = tuple(_with_document(words.documents[i], name) for i, name in enumerate(ids))
    heads = relations = None
    if words.heads is not None:
        inside = heads_in_sentences(words.heads[:, None], words.sentences, words.sentence_bounds)[:, 0].tolist()
        heads = tuple(tuple(inside[low:high]) for low, high in pairwise(bounds))
    if relation is not None:
        names = [relation(name) for name in words.columns["deprel"].names]
        codes = words.columns["deprel"].codes.tolist()
        relations = tuple(tuple(names[code] for code in codes[low:high]) for low, high in pairwise(bounds))
    texts = tuple(tuple(forms[low:high]) for low, high in pairwise(bounds))
    return Contexts(ids, texts, heads=heads, relations=relations, documents=words.documents)


def heads_in_sentences(heads: Array, sentences: Array, bounds: Array) -> Array:
    """(n, k) heads of n words as indices within their sentence: -1 for the root, `OUTSIDE` for another sentence."""
    first, last = bounds[sentences, None], bounds[sentences + 1, None]
    return np.where(heads == -1, -1, np.where((heads >= first) & (heads < last), heads - first, OUTSIDE))


def _with_document(document: str, name: str) -> str:
    """The name of a sentence with that of its document, unless it begins with it.

    Examples
    --------
    >>> _with_document("weblog-7", "weblog-7-0001"), _with_document("1", "12")
    ('weblog-7-0001', '1, sentence 12')
    """
    begins = name.startswith(document) and not name[len(document) :][:1].isalnum()
    return name if begins or not document else f"{document}, sentence {name}"


def changed_words(units: Units, gold: Words) -> Changed:
    """Words that some system has wrong; for trees with the heads in gold and systems."""
    chosen = units.take(changed_units(units))
    assert chosen.rows is not None
    sentences = gold.sentences[chosen.rows]
    bounds = gold.sentence_bounds
    places = chosen.rows - bounds[sentences]
    heads = None
    if chosen.heads is not None:
        heads = heads_in_sentences(np.column_stack([gold.tree[chosen.rows], chosen.heads]), sentences, bounds)
    return Changed(chosen, sentences, places, places + 1, heads)


def changed_spans(units: Units, gold: Words, spans: Array) -> Changed:
    """Spans that some system has wrong, and the others of their sentences; `spans` are rows of gold, the last exclusive."""
    sentences = gold.sentences[spans[:, 0]]
    bounds = gold.sentence_bounds
    first, last = spans.T
    starts = first - bounds[sentences]
    ends = np.minimum(np.maximum(last, first + 1), bounds[sentences + 1]) - bounds[sentences]
    rows = changed_units(units)
    right = units.correct.all(axis=1) & np.isin(sentences, sentences[rows])
    settled = np.column_stack([sentences, starts, ends, units.gold])[right]
    return Changed(units.take(rows), sentences[rows], starts[rows], ends[rows], settled=settled)
