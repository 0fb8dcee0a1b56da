"""Outputs of one to many systems against gold: what changed, whether each shift is real, what they could do together.

A task turns files into a `Study`; from there on all tasks are alike. The words are those of a comparison, with the second
system first, because the question of a diff is what the second one did to the first.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from numbers import Number
from pathlib import Path
from typing import Any

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.options import did_you_mean
from outscore.inference.families.multiplicity import CORRECTIONS
from outscore.outputs.inventory import GOLD, LabelMaps, parse_maps
from outscore.outputs.model import Outputs
from outscore.results.diff import Diff
from outscore.workflows.diff.pair import oracle_of
from outscore.workflows.diff.study import DiffOptions, Study
from outscore.workflows.diff.tasks.registry import TASKS
from outscore.workflows.diff.words import inventory_of, pair_in_words
from outscore.workflows.versions import versions

__all__ = ["diff", "study_of", "summarise"]


def diff(
    gold: object,
    systems: object,
    *,
    task: str,
    criterion: str | Sequence[str] | None = None,
    cluster: str | None = None,
    map: Mapping[str, str] | str | Sequence[str] | None = None,
    punct: bool = False,
    subtypes: bool = False,
    lenient: bool = False,
    repair: bool = False,
    slices: str | Sequence[str] = (),
    correction: str = "holm",
    min_support: int = 20,
    alpha: float = 0.05,
    seed: int = 0,
) -> Diff:
    """Compare what systems put out, unit by unit.

    Parameters
    ----------
    gold, systems
        Paths, `Outputs`, or (for ``task="label"``) lists of labels. `systems` is one of them, a list, or a dictionary by name.
    task
        ``"pos"``, ``"dep"``, ``"ner"``, ``"label"`` or ``"coref"``.
    criterion
        What makes an answer right, one or several of the task's criteria; the first is the primary one.
    cluster
        What is swapped as one: ``"sentence"``, ``"document"``, a column of labels, or ``"none"``.
    map
        Labels to rename before comparing, ``{"old": "new"}`` or ``["gold:old=new"]``.
    punct, subtypes
        Of trees: keep punctuation, keep relation subtypes.
    lenient
        Of entities: read broken tag sequences as the lenient evaluation does.
    repair
        Of coreference: keep a mention's first chain instead of refusing the file.
    slices
        Columns whose values are compared one by one.
    correction, min_support, alpha
        Of the rows of a table: correction, smallest number of units that is tested, level.
    seed
        For p-values and intervals that have to be sampled.

    Examples
    --------
    >>> found = diff(list("ABCDE"), {"S1": list("ABCXY"), "S2": list("ZBCDU")}, task="label")
    >>> pair = found.pairs[0]
    >>> pair.differ, pair.outcomes.correction, pair.outcomes.new_error, found.oracle.all.rate
    (0.6, 1, 1, 0.8)
    """
    criteria = (criterion,) if isinstance(criterion, str) else tuple(criterion or ())
    columns = (slices,) if isinstance(slices, str) else tuple(slices)
    options = DiffOptions(criteria, cluster, punct, subtypes, lenient, repair, columns, alpha, correction, min_support, seed)
    study = study_of(gold, systems, task=task, map=map, options=options)
    return summarise(study, options)


def study_of(gold: object, systems: object, *, task: str, map: object = None, options: DiffOptions) -> Study:
    """Read and align the files of one task."""
    if task not in TASKS:
        raise OutscoreError(f"There is no task `{task}`.", did_you_mean(task, TASKS))
    _check(options)
    entry = TASKS[task]
    given = _named(systems, lists=task == "label" and not isinstance(gold, (str, os.PathLike)))
    if not given:
        raise OutscoreError("No system was given.", "Give at least one system's output.")
    if GOLD in given:
        raise OutscoreError(f"A system is called `{GOLD}`, which stands for the right answers.", "Give it another name.")
    maps = _maps(map, list(given))
    read_gold = entry.load(gold, GOLD, options)
    outputs: dict[str, Outputs] = {name: entry.load(output, name, options) for name, output in given.items()}
    return entry.study(read_gold, outputs, maps, options)


def _check(options: DiffOptions) -> None:
    entry = CORRECTIONS.get(options.correction)
    if entry is None:
        raise OutscoreError(f"There is no correction `{options.correction}`.", did_you_mean(options.correction, CORRECTIONS))
    if entry.function is None or entry.all_pairs:
        raise OutscoreError(f"Correction `{entry.name}` does not serve the rows of a diff.", "Use `holm` or `bh`.")
    if not 0 < options.alpha < 1:
        raise OutscoreError(f"`alpha` is {options.alpha:g}.", "Give a number between 0 and 1, such as 0.05.")
    if options.min_support < 1:
        raise OutscoreError(f"`min_support` is {options.min_support}.", "Give a whole number from 1 up.")


def _named(systems: object, *, lists: bool) -> dict[str, object]:
    """Systems by name, whatever they came in; `lists` says whether labels may be given as they are, without a file."""
    if isinstance(systems, Mapping):
        return {str(name): output for name, output in systems.items()}
    if isinstance(systems, (str, os.PathLike)) or hasattr(systems, "name"):
        several: list[object] = [systems]
    elif isinstance(systems, Iterable):
        several = list(systems)
    else:
        raise OutscoreError(f"`systems` is {type(systems).__name__}.", "Give a path, a list of labels, or several by name.")
    if lists and several and _is_label(several[0]):
        several = [several]
    found: dict[str, object] = {}
    for i, output in enumerate(several):
        name = numbered = _name_of(output) or f"S{i + 1}"
        copies = itertools.count(2)
        while numbered in (GOLD, *found):
            numbered = f"{name} ({next(copies)})"
        found[numbered] = output
    return found


def _is_label(value: object) -> bool:
    """Whether this is one label, and not the path or the labels of a system."""
    return isinstance(value, (str, Number, np.generic)) and not (isinstance(value, str) and Path(value).exists())


def _name_of(output: object) -> str | None:
    from outscore.formats.base.source import stem_of

    if isinstance(output, (str, os.PathLike)):
        return stem_of(os.fspath(output))
    name = getattr(output, "name", None)
    return name if isinstance(name, str) else None


def _maps(written: object, names: Sequence[str]) -> LabelMaps:
    if not written:
        return {}
    if isinstance(written, Mapping):
        return {None: {str(old): str(new) for old, new in written.items()}}
    assert isinstance(written, Sequence)
    return parse_maps([written] if isinstance(written, str) else [str(text) for text in written], names)


def summarise(study: Study, options: DiffOptions) -> Diff:
    """Count, test and put into words."""
    pairs = [
        pair_in_words(study, study.view(criterion, first, second), options.statistics)
        for criterion in study.criteria
        for first, second in combinations(range(len(study.systems)), 2)
    ]
    several = len(study.systems) > 1
    return Diff(
        task=study.task,
        units=study.n,
        systems=list(study.systems),
        scores={name: dict(values) for name, values in study.scores.items()},
        pairs=pairs,
        oracle=oracle_of(study.together) if study.together.n else None,
        agreement=study.agreement.tolist() if several else [],
        inventory=inventory_of(study),
        settings=_settings(study, options),
        notes=list(study.notes),
        keys=list(study.keys),
    )


def _settings(study: Study, options: DiffOptions) -> dict[str, Any]:
    """Every option by the name it has on the command line, and versions."""
    return {
        "task": study.task,
        "criterion": list(study.criteria),
        "cluster": study.cluster if options.cluster is None else options.cluster,
        "punct": options.punct,
        "subtypes": options.subtypes,
        "lenient": options.lenient,
        "repair": options.repair,
        "slice": list(options.slices),
        "alpha": options.alpha,
        "correction": options.correction,
        "min_support": options.min_support,
        "seed": options.seed,
        "versions": versions(),
    }
