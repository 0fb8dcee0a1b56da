"""Label inventories: what each file calls things, checked before any claim about a label.

A system that was trained on other labels than gold uses is wrong on them by convention and not by error. Such labels are listed
first, and a map of names puts them right.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.numeric import Array
from outscore.core.options import did_you_mean
from outscore.outputs.model import UNALIGNED
from outscore.scores.system import Labels

__all__ = ["GOLD", "LabelMaps", "check_maps", "counts_of", "hardly_used", "known_labels", "parse_maps", "renamed", "unknown_to"]

GOLD = "gold"
RARE = 0.1
"""A label given less than this share of its frequency in gold is hardly used."""
LabelMaps = Mapping[str | None, Mapping[str, str]]
"""Old names to new ones, by file: ``"gold"``, a system's name, or None for all."""


def parse_maps(written: Sequence[str], systems: Sequence[str]) -> dict[str | None, dict[str, str]]:
    """Read ``[NAME:]old=new`` as given on the command line; NAME is gold or a system.

    A label may hold a colon itself: what stands before it is a name only if it is one.

    Examples
    --------
    >>> parse_maps(["gold:PROP=PROAV", "nmod:poss=nmod"], ["S1"])
    {'gold': {'PROP': 'PROAV'}, None: {'nmod:poss': 'nmod'}}
    """
    found: dict[str | None, dict[str, str]] = {}
    # Of two names the longer one is meant where both fit: `run:2` and `run`.
    names = sorted((GOLD, *systems), key=len, reverse=True)
    for text in written:
        name = next((name for name in names if text.startswith(f"{name}:")), None)
        pair = text if name is None else text[len(name) + 1 :]
        old, equals, new = pair.rpartition("=")
        if not equals or not old or not new:
            raise OutscoreError(f'The map "{text}" is not of the form old=new.', "Write it as old=new or NAME:old=new.")
        known = found.setdefault(name, {})
        if known.get(old, new) != new:
            raise OutscoreError(f"`{old}` is mapped to `{known[old]}` and to `{new}`.", "Give one new name for each label.")
        known[old] = new
    return found


def renamed(labels: Labels, maps: LabelMaps, name: str, stripped: Callable[[str], str] | None = None) -> Labels:
    """The labels with the maps for all files and for this one applied, the latter first.

    Where labels are compared without a part of theirs, `stripped` takes it off: a map of what is left serves all labels that
    have no map of their own.

    Examples
    --------
    >>> renamed(Labels.of(["NN", "NE", "NN"]), {None: {"NE": "NN"}}, "S1").names
    ('NN',)
    """
    new = {**maps.get(None, {}), **maps.get(name, {})}
    if not new:
        return labels
    shorter = str if stripped is None else stripped
    names = [new.get(label, new.get(shorter(label), label)) for label in labels.names]
    distinct = tuple(dict.fromkeys(names))
    place = {label: i for i, label in enumerate(distinct)}
    return Labels(np.array([place[label] for label in names], dtype=labels.codes.dtype)[labels.codes], distinct)


def known_labels(labels: Iterable[str], stripped: Callable[[str], str] | None = None) -> list[str]:
    """The labels that a map may name, those that are left when a part of them is taken off included."""
    found = dict.fromkeys(labels)
    return list(found if stripped is None else {**found, **dict.fromkeys(map(stripped, found))})


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


def counts_of(codes: Array, labels: Sequence[str]) -> dict[str, int]:
    """How often each label occurs, without those that do not."""
    counts = np.bincount(codes, minlength=len(labels))
    return {labels[i]: int(counts[i]) for i in np.flatnonzero(counts).tolist()}


def unknown_to(gold: Mapping[str, int], system: Mapping[str, int]) -> list[str]:
    """Labels a system gives and gold lacks, most frequent first."""
    return sorted((x for x in system if x not in gold and x != UNALIGNED), key=lambda x: (-system[x], x))


def hardly_used(gold: Mapping[str, int], system: Mapping[str, int]) -> list[str]:
    """Labels of gold a system gives never or hardly ever, most frequent in gold first."""
    return sorted((x for x in gold if system.get(x, 0) < RARE * gold[x]), key=lambda x: (-gold[x], x))
