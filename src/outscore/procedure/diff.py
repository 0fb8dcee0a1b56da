"""Outputs of one to many systems against gold: what changed, whether each shift is real, what they could do together.

A task turns files into a `Study`; from there on all tasks are alike. The words are those of a comparison, with the second
system first, because the question of a diff is what the second one did to the first.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

from outscore import wording
from outscore.diffs import Diff, Inventory, Pair
from outscore.errors import OutscoreError
from outscore.inference.multiplicity import CORRECTIONS
from outscore.options import did_you_mean
from outscore.outputs.inventory import GOLD, LabelMaps, hardly_used, parse_maps, unknown_to
from outscore.outputs.model import Outputs
from outscore.procedure.changes import Statistics, oracle_of, pair_of
from outscore.procedure.plan_words import count
from outscore.procedure.studies import DiffOptions, Study, View
from outscore.procedure.tasks import TASKS

__all__ = ["diff", "study_of", "summarise"]

FEW_LISTED = 5
METRIC_NAMES = {
    "las": "LAS",
    "uas": "UAS",
    "ls": "label score",
    "upos": "UPOS accuracy",
    "xpos": "XPOS accuracy",
    "feats": "accuracy of features",
    "tag": "tag accuracy",
    "f1": "span F1",
    "arcs-any": "ARCS-any F1",
    "arcs-nom": "ARCS-nom F1",
}
"""What sentences call the scores of criteria."""
WARN_SHARE = 0.005
"""Labels a system hardly gives are worth a warning when they make up this share of gold."""


def diff(
    gold: object,
    systems: object,
    *,
    task: str,
    criterion: str | Sequence[str] | None = None,
    cluster: str | None = None,
    map: Mapping[str, str] | Sequence[str] | None = None,
    punct: bool = False,
    subtypes: bool = False,
    lenient: bool = False,
    repair: bool = False,
    slices: Sequence[str] = (),
    correction: str = "holm",
    min_support: int = 20,
    alpha: float = 0.05,
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

    Examples
    --------
    >>> found = diff(list("ABCDE"), {"S1": list("ABCXY"), "S2": list("ZBCDU")}, task="label")
    >>> pair = found.pairs[0]
    >>> pair.differ, pair.outcomes.correction, pair.outcomes.new_error, found.oracle.all.rate
    (0.6, 1, 1, 0.8)
    """
    criteria = (criterion,) if isinstance(criterion, str) else tuple(criterion or ())
    options = DiffOptions(criteria, cluster, punct, subtypes, lenient, repair, tuple(slices), alpha, correction, min_support)
    study = study_of(gold, systems, task=task, map=map, options=options)
    return summarise(study, options)


def study_of(gold: object, systems: object, *, task: str, map: object = None, options: DiffOptions) -> Study:
    """Read and align the files of one task."""
    if task not in TASKS:
        raise OutscoreError(f"There is no task `{task}`.", did_you_mean(task, TASKS))
    _check(options)
    entry = TASKS[task]
    given = _named(systems)
    if not given:
        raise OutscoreError("No system was given.", "Give at least one system's output.")
    names = list(given)
    maps = _maps(map, names)
    read_gold = entry.load(gold, GOLD, options)
    outputs: dict[str, Outputs] = {name: entry.load(output, name, options) for name, output in given.items()}
    return entry.study(read_gold, outputs, maps, options)


def _check(options: DiffOptions) -> None:
    if options.correction not in CORRECTIONS:
        raise OutscoreError(f"There is no correction `{options.correction}`.", did_you_mean(options.correction, CORRECTIONS))
    if not 0 < options.alpha < 1:
        raise OutscoreError(f"`alpha` is {options.alpha:g}.", "Give a number between 0 and 1, such as 0.05.")
    if options.min_support < 1:
        raise OutscoreError(f"`min_support` is {options.min_support}.", "Give a whole number from 1 up.")


def _named(systems: object) -> dict[str, object]:
    """Systems by name, whatever they came in."""
    if isinstance(systems, Mapping):
        return {str(name): output for name, output in systems.items()}
    single = isinstance(systems, (str, os.PathLike)) or hasattr(systems, "name")
    several: list[Any] = [systems] if single or _is_labels(systems) else list(systems)  # type: ignore[call-overload]
    found: dict[str, object] = {}
    for i, output in enumerate(several):
        name = _name_of(output) or f"S{i + 1}"
        copies = sum(known == name or known.startswith(f"{name} (") for known in found)
        found[name if not copies else f"{name} ({copies + 1})"] = output
    return found


def _is_labels(systems: object) -> bool:
    """A flat list of labels is one system; a list of lists, paths or outputs is several."""
    first = next(iter(systems), None) if hasattr(systems, "__iter__") else None
    return first is not None and isinstance(first, (str, int, float, bool)) and not _is_path(first)


def _is_path(value: object) -> bool:
    return isinstance(value, str) and (value == "-" or os.path.exists(value))  # noqa: PTH110 - a look, nothing is opened


def _name_of(output: object) -> str | None:
    from outscore.formats.source import stem_of

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
    return parse_maps([str(text) for text in written], names)


def summarise(study: Study, options: DiffOptions) -> Diff:
    """Count, test and put into words."""
    asked = Statistics(options.alpha, options.correction, options.min_support)
    pairs = []
    for criterion in study.criteria:
        for first, second in combinations(range(len(study.systems)), 2):
            view = study.view(criterion, first, second)
            found = pair_of(view.units, *view.columns, asked, view.headline, metrics=view.metrics, kinds=view.kinds)
            pairs.append(_worded(found, view, study, options.alpha))
    several = len(study.systems) > 1
    return Diff(
        task=study.task,
        units=study.n,
        systems=list(study.systems),
        scores={name: dict(values) for name, values in study.scores.items()},
        pairs=pairs,
        oracle=oracle_of(study.together) if several and study.together.n else None,
        agreement=study.agreement.tolist() if several else [],
        inventory=_inventory(study),
        settings=_settings(study, options),
        notes=list(study.notes),
        keys=list(study.keys),
    )


def _worded(pair: Pair, view: View, study: Study, alpha: float) -> Pair:
    headline = view.headline
    words: dict[str, Any] = {
        "systems": pair.systems[::-1],
        "metric": METRIC_NAMES.get(headline.metric, headline.metric),
        "higher_is_better": True,
        "scores": (headline.second, headline.first),
        "difference": headline.difference,
        "p": headline.p,
        "interval": headline.interval,
        "alpha": alpha,
        "alternative": "two-sided",
        "identical": pair.outcomes.changes == 0,
    }
    o = pair.outcomes
    kinds = (count(o.correction, "correction"), count(o.new_error, "new error"), count(o.changed_error, "changed error"))
    counts = f" {kinds[0]}, {kinds[1]} and {kinds[2]}"
    counts += f" of {pair.n:,} {study.unit}{'' if study.cluster is None else f', swapped by {study.cluster}'}."
    n, unit = (pair.n, study.unit) if pair.clusters is None else (pair.clusters, f"{study.cluster}s")
    return replace(pair, verdict=wording.verdict(**words) + counts, sentence=wording.sentence(**words, n=n, unit=unit) + counts)


def _inventory(study: Study) -> Inventory:
    """Labels that files do not share, and a warning where they are many enough to decide a comparison."""
    if GOLD not in study.inventory:
        return Inventory({}, {}, [])
    gold = study.inventory[GOLD]
    unknown = {name: unknown_to(gold, study.inventory[name]) for name in study.systems}
    unused = {name: hardly_used(gold, study.inventory[name]) for name in study.systems}
    warnings = []
    total = sum(gold.values())
    for name in study.systems:
        missing = sum(gold[label] for label in unused[name])
        if missing >= WARN_SHARE * total:
            warnings.append(
                f"{name} never or hardly ever gives {_listed(unused[name])}, {missing:,} of {total:,} gold {study.unit}:"
                " differences on these labels come from the inventory. Rename labels with --map."
            )
        foreign = sum(study.inventory[name][label] for label in unknown[name])
        if foreign >= WARN_SHARE * total:
            warnings.append(
                f"{name} gives {_listed(unknown[name])}, which gold lacks, on {foreign:,} {study.unit}: they are always wrong."
                " Rename labels with --map."
            )
    return Inventory(_some(unknown), _some(unused), warnings)


def _some(lists: Mapping[str, list[str]]) -> dict[str, list[str]]:
    return {name: labels for name, labels in lists.items() if labels}


def _listed(labels: Sequence[str]) -> str:
    shown = ", ".join(f"`{label}`" for label in labels[:FEW_LISTED])
    return shown if len(labels) <= FEW_LISTED else f"{shown} and {len(labels) - FEW_LISTED} more labels"


def _settings(study: Study, options: DiffOptions) -> dict[str, Any]:
    import platform

    import numpy as np
    import scipy

    from outscore._version import __version__

    return {
        "task": study.task,
        "criteria": list(study.criteria),
        "cluster": study.cluster,
        "punct": options.punct,
        "subtypes": options.subtypes,
        "lenient": options.lenient,
        "repair": options.repair,
        "slices": list(options.slices),
        "alpha": options.alpha,
        "correction": options.correction,
        "min_support": options.min_support,
        "versions": {
            "outscore": __version__,
            "numpy": np.__version__,
            "scipy": scipy.__version__,
            "python": platform.python_version(),
        },
    }
