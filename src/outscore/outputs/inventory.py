"""Label inventories: the labels that files use, compared before any claim about a label.

A system trained on other labels than those of gold is wrong on them by convention, not by error. Such labels
are listed first, and a map of names corrects them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.numeric import Array
from outscore.core.options import did_you_mean
from outscore.outputs.model import UNALIGNED, Units
from outscore.scores.system import Labels

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
    names = [new.get(label, new.get(shorter(label), label)) for label in labels.names]
    distinct = tuple(dict.fromkeys(names))
    place = {label: i for i, label in enumerate(distinct)}
    return Labels(np.array([place[label] for label in names], dtype=labels.codes.dtype)[labels.codes], distinct)


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
