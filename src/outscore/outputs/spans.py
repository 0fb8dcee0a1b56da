"""Named entities: from tags on words to spans, and from the spans of gold and systems to units.

Tags are BIO (BIO2), BIOES, BILOU, BMEWO, IOB1 or types alone, which each file's own tags tell; the type may stand before the
letter. Read strictly, an entity is ``B I I``, or ``B I E`` and ``S`` (``L`` and ``U``) if the file has such tags; any other
tag makes no entity. Read leniently, as conlleval and by default seqeval do, any run of tags of one type is an entity, so
that ``I`` after ``O`` begins one. IOB1 (``B`` only between two entities of one type) and types alone are always
read so.

A span is identified by the characters it covers, so that systems need not have gold's tokens.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.numeric import Array
from outscore.core.records import dataclass
from outscore.outputs.model import Units, Words, choose_slices
from outscore.outputs.words import cluster_codes, entity_slices
from outscore.scores.system import Labels

PREFIXED, IOB1, TYPES_ALONE = "prefixed", "IOB1", "types alone"
"""How tags are written: BIO, BIOES or BILOU; IOB1; or no prefix before the type."""

NO_SPAN = "O"
CHANGE = "change"
CHANGES = ("same", "type", "boundary", "boundary and type", "other")
"""How two systems differ on a span: not at all, in its type, in its boundaries, in both, or in having anything there."""
_TAG = re.compile(r"([BIESLUMW])(?:[-_](.*))?")
_TYPED = re.compile(r"[BIESLUMW][-_].+")
_SUFFIXED = re.compile(r"(.{2,})-([BIESLUMW])")
_OUT, _BEGIN, _IN, _END, _SINGLE = range(5)
_PREFIXES = {"B": _BEGIN, "I": _IN, "E": _END, "L": _END, "S": _SINGLE, "U": _SINGLE, "M": _IN, "W": _SINGLE}
NO_TYPE = "_"
TAG = "tag"
"""The column of the tags."""


@dataclass(frozen=True, eq=False)
class Spans:
    """The entities of one file, in order and without overlap.

    Parameters
    ----------
    words
        The file.
    first, last
        Rows of each entity's first and last word.
    types
        The type of each entity.
    ignored
        Rows of words whose tags make no entity when read strictly.
    scheme
        How the file writes its tags: `PREFIXED`, `IOB1` or `TYPES_ALONE`.
    """

    words: Words
    first: Array
    last: Array
    types: Labels
    ignored: Array
    scheme: str = PREFIXED

    @property
    def starts(self) -> Array:
        """First character of each entity."""
        return self.words.starts[self.first]

    @property
    def ends(self) -> Array:
        """Last character of each entity, exclusive."""
        return self.words.ends[self.last]


def spans_of(words: Words, *, lenient: bool = False, scheme: str | None = None) -> Spans:
    """The entities that the tags of words describe; how tags are written is recognised unless `scheme` names it.

    Examples
    --------
    >>> tags = ["I-PER", "O", "B-LOC", "I-LOC"]
    >>> rows, none = np.arange(4), np.zeros(4, dtype=bool)
    >>> words = Words("new", Labels.of("abcd"), 0 * rows, {"tag": Labels.of(tags)}, rows, rows + 1, none, ("1",))
    >>> strict, lenient = spans_of(words), spans_of(words, lenient=True)
    >>> strict.first.tolist(), strict.last.tolist(), strict.ignored.tolist(), lenient.first.tolist()
    ([2], [3], [0], [0, 2])
    """
    if TAG not in words.columns:
        raise OutscoreError(
            f"{words.label} has no column `{TAG}` of entity tags.",
            "Give a file of words in columns whose last one contains BIO, BIOES or BILOU tags.",
        )
    tags = _with_prefixes(words.columns[TAG])
    known = scheme or (TYPES_ALONE if _has_types_alone(tags.names) else PREFIXED)
    prefixes, kinds, types = _parse_tags(words, tags, known)
    prefix, kind = prefixes[tags.codes], kinds[tags.codes]
    before, same = np.roll(prefix, 1), np.r_[False, (np.diff(kind) == 0) & (np.diff(words.sentences) == 0)]
    if scheme is None and known == PREFIXED and _is_iob1(prefix, same & (before != _OUT)):
        known = IOB1
    lenient = lenient or known != PREFIXED
    if lenient:
        joined = same & (prefix != _OUT) & (before != _OUT)
        joined &= ~np.isin(prefix, (_BEGIN, _SINGLE)) & ~np.isin(before, (_END, _SINGLE))
    else:
        joined = same & np.isin(prefix, (_IN, _END)) & np.isin(before, (_BEGIN, _IN))
    first = np.flatnonzero(~joined)
    last = np.r_[first[1:], len(prefix)] - 1
    entity = prefix[first] != _OUT
    if not lenient:
        closed = (prefix[last] == _END) | (not np.isin((_END, _SINGLE), prefixes).any())
        entity = (prefix[first] == _SINGLE) | ((prefix[first] == _BEGIN) & closed)
    covered = np.repeat(entity, last - first + 1)
    ignored = np.flatnonzero((prefix != _OUT) & ~covered)
    return Spans(words, first[entity], last[entity], Labels(kind[first[entity]], types), ignored, known)


def entity_types(tags: Iterable[str]) -> set[str] | None:
    """The types in these tags; None if one of them is no tag of an entity.

    Examples
    --------
    >>> sorted(entity_types(["O", "B-PER", "LOC-I"])), entity_types(["NN", "O"])
    (['LOC', 'PER'], None)
    """
    types = set()
    for tag in tags:
        match, behind = _TYPED.fullmatch(tag), _SUFFIXED.fullmatch(tag)
        if match is None and behind is None and tag != NO_SPAN:
            return None
        if match or behind:
            types.add(tag[2:] if match else str(behind and behind[1]))
    return types


def _with_prefixes(tags: Labels) -> Labels:
    """Tags with the type behind the prefix, where all of them have it before: ``PER-B`` is ``B-PER``."""
    matches = [_SUFFIXED.fullmatch(name) for name in tags.names if name != NO_SPAN]
    if not matches or not all(matches):
        return tags
    return Labels(tags.codes, tuple(_SUFFIXED.sub(r"\2-\1", name) for name in tags.names))


def _has_types_alone(names: Sequence[str]) -> bool:
    """Whether tags are O and types without a prefix; without O they may be tags of any kind."""
    others = [name for name in names if name != NO_SPAN]
    return len(others) < len(names) and not any(map(_TYPED.fullmatch, others)) and not all(map(_TAG.fullmatch, others))


def _is_iob1(prefix: Array, follows: Array) -> bool:
    """Whether entities begin with I, and B appears only right after an entity of the same type, where `follows` says so."""
    if np.isin(prefix, (_END, _SINGLE)).any():
        return False
    return bool(((prefix == _IN) & ~follows).any() and follows[prefix == _BEGIN].all())


def _parse_tags(words: Words, tags: Labels, scheme: str) -> tuple[Array, Array, tuple[str, ...]]:
    """Prefix and type of each distinct tag, and the types; types alone are inside of an entity."""
    known: dict[str, int] = {}
    prefixes, kinds = [], []
    for code, tag in enumerate(tags.names):
        if scheme == TYPES_ALONE:
            prefixes.append(_OUT if tag == NO_SPAN else _IN)
            kinds.append(-1 if tag == NO_SPAN else known.setdefault(tag, len(known)))
            continue
        match = _TAG.fullmatch(tag)
        if match is None and tag != NO_SPAN:
            row = int(np.argmax(tags.codes == code))
            raise OutscoreError(
                f"{words.place(row)}: found the tag `{tag}`, expected O, or B-, I-, E-, S-, L-, U-, M- or W- and a type.",
                "Write entities as BIO, BIOES or BILOU tags; compare word tags with --task pos.",
                parameter="task",
            )
        prefixes.append(_OUT if match is None else _PREFIXES[match[1]])
        kinds.append(-1 if match is None else known.setdefault(match[2] or NO_TYPE, len(known)))
    return np.array(prefixes), np.array(kinds), tuple(known)


def span_units(
    gold: Spans, systems: Sequence[Spans], *, cluster: str = "sentence", slices: Sequence[str] = ()
) -> tuple[Units, Array]:
    """Every span of gold or of a system as a unit, with its type or `NO_SPAN` in each file.

    Units depend on the systems, so each pair has its own. With two systems, the slice ``"change"`` says how
    they differ on each span, as `CHANGES` lists.

    Parameters
    ----------
    gold, systems
        Entities over the same text, or with the places of their words in gold's (`fitting.fit`).
    cluster
        ``"sentence"``, ``"document"`` or ``"none"``: that of gold in which a span begins.
    slices
        What to split by (`entity_slices`).

    Returns
    -------
    The units in text order, and (n, 2) their first and last rows in gold, the last exclusive.
    """
    _check_gold(gold)
    files = (gold, *systems)
    size = int(gold.words.ends[-1]) + 1
    keys = [file.starts.astype(np.int64) * size + file.ends for file in files]
    union = np.unique(np.concatenate(keys))
    if not len(union):
        raise OutscoreError(f"Neither {gold.words.label} nor any system has an entity.", "Check the column of tags.")
    labels, answers = _types(files, keys, union)
    starts, ends = np.divmod(union, size)
    words = gold.words
    # An entity of words after gold's last one is placed at that word.
    rows = np.minimum(np.searchsorted(words.ends, starts, side="right"), words.rows - 1)
    spans = np.column_stack((rows, np.searchsorted(words.starts, ends, side="left")))
    split = choose_slices(entity_slices(words, spans), slices)
    if len(systems) == 2:
        split[CHANGE] = Labels(_changes(answers[:, 1:], starts, ends), CHANGES)
    units = Units(
        criterion="span",
        systems=tuple(system.words.name for system in systems),
        labels=labels,
        gold=answers[:, 0],
        answers=answers[:, 1:],
        correct=answers[:, 1:] == answers[:, :1],
        clusters=cluster_codes(words, rows, cluster),
        slices=split,
        rows=rows,
    )
    return units, spans


def _check_gold(gold: Spans) -> None:
    """Refuse gold with tags that make no entity: no answer of a system there could be right."""
    if not len(gold.ignored):
        return
    row = int(gold.ignored[0])
    tag = gold.words.columns[TAG][row]
    raise OutscoreError(
        f"{gold.words.place(row)}: found `{tag}`, which does not belong to an entity when tags are read strictly.",
        "Correct the tags of gold, or read all files leniently with --lenient, as conlleval does and seqeval does by default.",
        parameter="lenient",
    )


def _types(files: Sequence[Spans], keys: Sequence[Array], union: Array) -> tuple[tuple[str, ...], Array]:
    """One inventory of types, `NO_SPAN` first, and the code of every span in every file."""
    known = {NO_SPAN: 0}
    codes = np.zeros((len(union), len(files)), dtype=np.int64)
    for k, file in enumerate(files):
        new = np.array([known.setdefault(name, len(known)) for name in file.types.names], dtype=np.int64)
        codes[np.searchsorted(union, keys[k]), k] = new[file.types.codes]
    return tuple(known), codes


def _changes(answers: Array, starts: Array, ends: Array) -> Array:
    """How two systems differ on each span, as an index into `CHANGES`."""
    kinds = np.full(len(answers), CHANGES.index("other"))
    one, other = answers.T
    kinds[one == other] = CHANGES.index("same")
    kinds[(one != other) & (one > 0) & (other > 0)] = CHANGES.index("type")
    for mine, theirs in ((one, other), (other, one)):
        alone = np.flatnonzero((mine > 0) & (theirs == 0))
        kinds[alone[_touched(alone, theirs > 0, starts, ends)]] = CHANGES.index("boundary and type")
        for label in np.unique(mine[alone]).tolist():
            same_type = alone[mine[alone] == label]
            kinds[same_type[_touched(same_type, theirs == label, starts, ends)]] = CHANGES.index("boundary")
    return kinds


def _touched(rows: Array, partner: Array, starts: Array, ends: Array) -> Array:
    """Which of the rows overlap a partner. Spans of one file do not overlap, so two searches count those that do."""
    overlaps = np.searchsorted(starts[partner], ends[rows]) > np.searchsorted(ends[partner], starts[rows], side="right")
    return np.asarray(overlaps)
