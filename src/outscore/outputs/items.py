"""Items of gold and systems, matched by id, and the labels that files use, compared before any claim about a label."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.numeric import Array
from outscore.core.options import did_you_mean
from outscore.core.records import dataclass
from outscore.outputs.model import LABEL_LINES, SET_SEPARATOR, UNALIGNED, Items, Units, codes_among, relabelled
from outscore.results.design import Alignment
from outscore.scores.system import Labels

# Label inventories: the labels that files use, compared before any claim about a label.
#
# A system trained on other labels than those of gold is wrong on them by convention, not by error. Such labels are listed
# first, and a map of names corrects them.


GOLD = "gold"
MIN_SHARE = 0.1
"""A label that a system gives less often than this share of its frequency in gold is rarely used."""
SHORTEST_NAME = 2
"""A shorter beginning of a name says nothing."""
LabelMaps = Mapping[str | None, Mapping[str, str]]
"""Old names to new ones, by file: ``"gold"``, a system's name, or None for all."""


def shared_inventory(columns: Sequence[Labels], clean: Callable[[str], str] = str) -> tuple[tuple[str, ...], list[Array]]:
    """One inventory of gold's and the systems' labels, gold's first and `UNALIGNED` last, and the codes of each column.

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
        # Gold's codes usually stay the same, so that nothing is copied.
        codes.append(column.codes if np.array_equal(new, np.arange(len(new))) else new[column.codes])
    known.setdefault(UNALIGNED, len(known))
    return tuple(known), codes


def parse_maps(written: Sequence[str], systems: Sequence[str]) -> dict[str | None, dict[str, str]]:
    """Read ``[NAME:]old=new`` as given on the command line; NAME is gold or a system.

    A label may contain a colon itself: the part before it is a name only if there is such a file.

    Examples
    --------
    >>> parse_maps(["gold:PROP=PROAV", "nmod:poss=nmod"], ["S1"])
    {'gold': {'PROP': 'PROAV'}, None: {'nmod:poss': 'nmod'}}
    """
    maps: dict[str | None, dict[str, str]] = {}
    # If two names fit, such as `run:2` and `run`, the longer one is meant.
    names = sorted((GOLD, *systems), key=len, reverse=True)
    for text in written:
        name = next((name for name in names if text.startswith(f"{name}:")), None)
        pair = text if name is None else text[len(name) + 1 :]
        old, equals, new = pair.rpartition("=")
        if not equals or not old or not new:
            raise OutscoreError(f'The map "{text}" is not of the form old=new.', "Write it as old=new or NAME:old=new.")
        known = maps.setdefault(name, {})
        if known.get(old, new) != new:
            raise OutscoreError(f"`{old}` is mapped to `{known[old]}` and to `{new}`.", "Give one new name for each label.")
        known[old] = new
    return maps


def rename_labels(labels: Labels, maps: LabelMaps, name: str, strip: Callable[[str], str] | None = None) -> Labels:
    """The labels with the maps for all files and for this one applied, the latter first.

    If labels are compared without a part, `strip` removes it: a map of what is left serves all labels that
    have no map of their own.

    Examples
    --------
    >>> rename_labels(Labels.of(["NN", "NE", "NN"]), {None: {"NE": "NN"}}, "S1").names
    ('NN',)
    """
    new = {**maps.get(None, {}), **maps.get(name, {})}
    if not new:
        return labels
    shorter = str if strip is None else strip
    return relabelled(labels, [new.get(label, new.get(shorter(label), label)) for label in labels.names])


def known_labels(labels: Iterable[str], strip: Callable[[str], str] | None = None) -> list[str]:
    """The labels that a map may name, including those that `strip` leaves."""
    whole = dict.fromkeys(labels)
    return list(whole if strip is None else {**whole, **dict.fromkeys(map(strip, whole))})


def check_maps(maps: LabelMaps, inventories: Mapping[str, Sequence[str]]) -> None:
    """Refuse a map of a file or label that does not exist: a misspelt one would silently do nothing."""
    for name, pairs in maps.items():
        if name is not None and name not in inventories:
            raise OutscoreError(f"There is no file `{name}` to map labels of.", did_you_mean(name, list(inventories)))
        known = {label for file, labels in inventories.items() if name in (None, file) for label in labels}
        for old in pairs:
            if old not in known:
                where = "any file" if name is None else f"`{name}`"
                raise OutscoreError(f"The label `{old}` to be mapped is not in {where}.", did_you_mean(old, sorted(known)))


def count_labels(codes: Array, labels: Sequence[str]) -> dict[str, int]:
    """The count of each label that occurs."""
    counts = np.bincount(codes, minlength=len(labels))
    return {labels[i]: int(counts[i]) for i in np.flatnonzero(counts).tolist()}


def unknown_to_gold(gold: Mapping[str, int], system: Mapping[str, int]) -> list[str]:
    """Labels that a system gives and gold lacks, most frequent first."""
    return sorted((x for x in system if x not in gold and x != UNALIGNED), key=lambda x: (-system[x], x))


def rarely_used(gold: Mapping[str, int], system: Mapping[str, int]) -> list[str]:
    """Labels of gold that a system gives rarely or never, most frequent in gold first."""
    return sorted((x for x in gold if system.get(x, 0) < MIN_SHARE * gold[x]), key=lambda x: (-gold[x], x))


def likely_maps(units: Units, system: int, unknown: Sequence[str], unused: Sequence[str]) -> dict[str, str]:
    """Labels of a system that gold lacks, and the label of gold that each of them seems to be another name of.

    Names that are the same but for case and punctuation, or that one is the beginning of the other, count first; of the
    rest, those that stand for one another on most items. The latter is a guess, which only its author can confirm.

    Examples
    --------
    >>> labels, right, answers = ("yes", "no", "Yes", "0"), np.array([0, 1, 1]), np.array([[2], [3], [3]])
    >>> units = Units("label", ("new",), labels, right, answers, answers == right[:, None])
    >>> likely_maps(units, 0, ["Yes", "0"], ["yes", "no"])
    {'Yes': 'yes', '0': 'no'}
    """
    maps: dict[str, str] = {}
    for same in (_same_name, _begins_alike):
        for old in unknown:
            found = [new for new in unused if new not in maps.values() and same(old, new)]
            if old not in maps and len(found) == 1:
                maps[old] = found[0]
    codes = {label: code for code, label in enumerate(units.labels)}
    for old in unknown:
        if old in maps or old not in codes:
            continue
        right = units.gold[units.answers[:, system] == codes[old]]
        best = max(unused, key=lambda new: int((right == codes[new]).sum()), default=None)
        if best is not None and best not in maps.values() and 2 * int((right == codes[best]).sum()) > len(right):
            maps[old] = best
    return {old: new for old, new in maps.items() if "=" not in new}


def _same_name(first: str, second: str) -> bool:
    return _bare(first) == _bare(second)


def _begins_alike(first: str, second: str) -> bool:
    """Whether one name is the beginning of the other, as PER is of PERSON."""
    short, long = sorted((_bare(first), _bare(second)), key=len)
    return len(short) >= SHORTEST_NAME and long.startswith(short)


def _bare(label: str) -> str:
    return "".join(letter for letter in label.casefold() if letter.isalnum())


# Items of gold and systems, matched by id, in the order of gold.


@dataclass(frozen=True, eq=False)
class AlignedItems:
    """The items of gold, the row of each system's answer (-1 for none), and counts of what does not match."""

    gold: Items
    systems: tuple[Items, ...]
    rows: tuple[Array, ...]
    alignments: tuple[Alignment, ...]


def align_items(gold: Items, systems: Sequence[Items]) -> AlignedItems:
    """Find each gold item in each system, by id.

    An item with two equal answers counts once; two different answers are refused. Items that a system lacks
    are -1; items that gold lacks are counted and left out. Conflicts are items whose right answer in the
    system's file is not that of gold.

    Examples
    --------
    >>> gold = Items("gold", Labels.of(["q1", "q2"]), Labels.of(["yes", "no"]))
    >>> found = align_items(gold, [Items("new", Labels.of(["q2", "q9"]), Labels.of(["no", "no"]))])
    >>> found.rows[0].tolist(), found.alignments[0].only_a, found.alignments[0].only_b
    ([-1, 0], 1, 1)
    """
    ours, copies = _drop_copies(gold)
    files, rows, alignments = [], [], []
    for system in systems:
        if not _of_one_file(gold, system):
            _require_ids(gold, system)
        theirs, duplicates = _drop_copies(system)
        matched = _match_ids(ours, theirs)
        common = int((matched >= 0).sum())
        if not common:
            raise OutscoreError(
                f"{gold.label} and {system.label} have no item in common: the first ids are `{gold.ids[0]}` and "
                f"`{system.ids[0]}`.",
                "Write the ids of both files the same way, or call their column `id` in both.",
            )
        files.append(theirs)
        rows.append(matched)
        conflicts = _count_conflicts(ours, theirs, matched)
        alignments.append(Alignment(common, ours.rows - common, theirs.rows - common, copies + duplicates, conflicts))
    return AlignedItems(ours, tuple(files), tuple(rows), tuple(alignments))


def item_units(aligned: AlignedItems, *, cluster: str | None = None) -> Units:
    """Items as units, with the answers of all systems.

    Parameters
    ----------
    aligned
        The result of `align_items`; gold's answers are the right ones.
    cluster
        A column whose values are swapped as one: gold's clusters, a slice or a text; None for no clusters.

    Examples
    --------
    >>> gold = Items("gold", Labels.of(["q1", "q2"]), Labels.of(["yes", "no"]))
    >>> new = Items("new", Labels.of(["q2"]), Labels.of(["yes"]))
    >>> units = item_units(align_items(gold, [new]))
    >>> units.labels, units.answers.ravel().tolist(), units.correct.ravel().tolist()
    (('yes', 'no', '(unaligned)'), [2, 0], [False, False])
    """
    gold = aligned.gold
    labels, (right, *answer_codes) = shared_inventory([gold.answers, *(system.answers for system in aligned.systems)])
    answers = np.full((gold.rows, len(aligned.systems)), labels.index(UNALIGNED), dtype=np.int64, order="F")
    for k, rows in enumerate(aligned.rows):
        answers[rows >= 0, k] = answer_codes[k][rows[rows >= 0]]
        if gold.are_sets and not aligned.systems[k].are_sets:
            # One answer where gold accepts several: any of them is gold's.
            accepted = _is_accepted(labels, right, answers[:, k])
            answers[accepted, k] = right[accepted]
    columns = _columns(aligned)
    return Units(
        criterion="label",
        systems=tuple(system.name for system in aligned.systems),
        labels=labels,
        gold=right,
        answers=answers,
        correct=answers == right[:, None],
        clusters=_clusters(gold, columns, cluster),
        slices=columns,
        rows=np.arange(gold.rows),
    )


def _is_accepted(labels: Sequence[str], right: Array, answers: Array) -> Array:
    """Whether an answer is one of those that gold accepts."""
    pairs, place = np.unique(np.stack([right, answers]), axis=1, return_inverse=True)
    accepted = [labels[answer] in labels[wanted].split(SET_SEPARATOR) for wanted, answer in pairs.T.tolist()]
    return np.array(accepted, dtype=bool)[place.ravel()]


def _columns(aligned: AlignedItems) -> dict[str, Labels]:
    """Slices of gold, and those that gold lacks of systems that have all items."""
    columns = dict(aligned.gold.slices)
    for system, rows in zip(aligned.systems, aligned.rows, strict=True):
        if (rows >= 0).all():
            columns = {**{name: labels.take(rows) for name, labels in system.slices.items()}, **columns}
    return columns


def _clusters(gold: Items, columns: Mapping[str, Labels], cluster: str | None) -> Array | None:
    if cluster in (None, "none"):
        return None if gold.clusters is None or cluster == "none" else gold.clusters.codes
    known = {**gold.texts, **columns}
    if cluster not in known:
        raise OutscoreError(
            f"{gold.label} has no column `{cluster}` to cluster by.",
            f"There is {', '.join(f'`{name}`' for name in known)}." if known else "Add the column to the gold file.",
        )
    return known[cluster].codes


def _drop_copies(items: Items) -> tuple[Items, int]:
    """Each item once, and the number of copies dropped; copies with another answer are refused."""
    _, first, place = np.unique(items.ids.codes, return_index=True, return_inverse=True)
    if len(first) == items.rows:
        return items, 0
    earlier = first[place]
    wrong = np.flatnonzero(items.answers.codes != items.answers.codes[earlier])
    if len(wrong):
        row = int(wrong[0])
        raise OutscoreError(
            f"{items.place(row)}: item `{items.ids[row]}` has the answer `{items.answers[row]}`, but "
            f"`{items.answers[int(earlier[row])]}` in {items.place(int(earlier[row]))}.",
            "Give every item one answer and an id of its own; compare repeated runs as one file each.",
        )
    kept = np.sort(first)
    return items.take(kept), items.rows - len(kept)


def _match_ids(gold: Items, system: Items) -> Array:
    """The system's row for each item of gold; both have each item once."""
    codes = codes_among(system.ids, gold.ids.names)
    row_of = np.full(len(gold.ids.names), -1, dtype=np.int64)
    row_of[codes[codes >= 0]] = np.flatnonzero(codes >= 0)
    return row_of[gold.ids.codes]


def _count_conflicts(gold: Items, system: Items, rows: Array) -> int:
    """The number of items whose right answer in the system's file is not that of gold."""
    if system.gold is None:
        return 0
    both = np.flatnonzero(rows >= 0)
    _, (ours, theirs) = shared_inventory([gold.answers, system.gold])
    return int((ours[both] != theirs[rows[both]]).sum())


def _of_one_file(gold: Items, system: Items) -> bool:
    """Whether rows can be matched by their place: those of one table, or of lists."""
    ours, theirs = gold.origin, system.origin
    if ours is None or theirs is None:
        return ours is theirs
    return (ours.path, ours.sha256) == (theirs.path, theirs.sha256)


def is_by_line(items: Items) -> bool:
    """Whether items are matched by position: a list, or a file with a label per line."""
    return items.origin is None or items.origin.format == LABEL_LINES


def refuse_other_lengths(gold: Items, systems: Sequence[Items]) -> None:
    """Refuse lists of different lengths: without ids they are matched by position."""
    for items in systems:
        if is_by_line(gold) and is_by_line(items) and gold.rows != items.rows:
            cure = "Give the same items in the same order, one label for each."
            raise OutscoreError(f"`{items.name}` has {items.rows} labels, but gold has {gold.rows}.", cure)


def _require_ids(gold: Items, system: Items) -> None:
    """Refuse to match items of two files by their lines."""
    if is_by_line(gold) and is_by_line(system):
        return
    for items in (gold, system):
        if items.origin is not None and "item" not in items.origin.columns:
            raise OutscoreError(
                f"{items.label} has no item column: its answers cannot be matched with those of another file.",
                "Add a column `id` to both files.",
            )
