"""From a request to a diff: outputs of one to many systems against gold, what changed, and what they could do together.

A task turns files into a `Study`; from there on all tasks work alike. The words are those of a comparison, with the second
system first, because the question of a diff is what the second one did to the first.

With three or more systems every pair is a separate question, so the p-values of one criterion are corrected together. With many
systems only neighbours by score, and the first two, which a page opens on, are compared label by label: nobody reads hundreds
of pairs in full detail.
"""

from __future__ import annotations

import itertools
import os
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations, pairwise
from numbers import Number
from pathlib import Path
from typing import Any, Literal

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.numeric import TIE_TOLERANCE
from outscore.core.rows import in_order_of
from outscore.inference.families import correct_family
from outscore.language.phrases import equals_gold
from outscore.language.verdict.diff import pairs_in_words
from outscore.outputs.items import GOLD, LabelMaps, likely_maps, parse_maps
from outscore.outputs.model import OutputData
from outscore.outputs.outcomes import overlap_matrix
from outscore.results.diff import MAX_LISTED_PAIRS, Diff, Pair, Rates
from outscore.results.note import Note
from outscore.workflows.diff.coref import coref_study
from outscore.workflows.diff.items import item_study, read_together
from outscore.workflows.diff.pair import Study, inventory_of, label_f1_of, oracle_of, pair_of, rates_of
from outscore.workflows.diff.words import read_beside_gold, span_study, tag_study, tree_study
from outscore.workflows.names import at_the_door, distinct_names, path_texts
from outscore.workflows.reading import outputs_reading
from outscore.workflows.requests.diff import DiffRequest

STUDIES: Mapping[str, Callable[[object, Mapping[str, object], LabelMaps, DiffRequest], Study]] = {
    "pos": tag_study,
    "dep": tree_study,
    "ner": span_study,
    "label": item_study,
    "coref": coref_study,
}
"""How gold and the systems of a task are read and aligned."""
TOGETHER: Mapping[str, Callable[[Sequence[str], DiffRequest], OutputData[Any] | None]] = {
    "pos": partial(read_beside_gold, tagged=False),
    "ner": partial(read_beside_gold, tagged=True),
    "label": read_together,
}
"""How gold and systems are read from files that hold both; others are told apart by returning None."""
Depth = Literal["scores", "pairs", "all"]
"""How much is computed: scores alone, the difference of every pair, or what every pair consists of as well."""
MAX_DETAILED = 15
"""Up to this many pairs are compared label by label; if there are more, only neighbours by score and the first two systems,
by the primary criterion."""
COSTLY_SCORES = ("label", "coref")
"""Tasks whose other scores are resampled, and only computed of pairs that are compared label by label. Those of other tasks are
computed of every pair, because they may contradict its verdict."""


def run(request: DiffRequest, data: OutputData[Any] | None = None) -> Diff:
    """Read the files of a request, or use `data` instead, and compare them.

    Examples
    --------
    >>> data = OutputData(list("ABCDE"), {"S1": list("ABCXY"), "S2": list("ZBCDU")})
    >>> run(DiffRequest(task="label"), data).pairs[0].differ
    0.6
    """
    return run_study(request, data)[1]


@at_the_door
def run_study(request: DiffRequest, data: OutputData[Any] | None = None, *, depth: Depth = "all") -> tuple[Study, Diff]:
    """The result and the study behind it, which has every changed unit; `depth` says how much of it is computed."""
    study = study_of(request, data)
    return study, _summary(request, study, depth)


def call(gold: object, systems: object, **given: Any) -> Diff:  # noqa: ANN401 - keywords of `outscore.diff`
    """`outscore.diff`: paths, outputs or labels, with options by their Python names."""
    files = _files(gold, systems)
    if files is not None:
        names = tuple(str(name) for name in systems) if isinstance(systems, Mapping) else ()
        return run(DiffRequest.from_python(given, gold=files[0], files=files[1:], names=names))
    request = DiffRequest.from_python(given)
    lists = request.task == "label" and not isinstance(gold, (str, os.PathLike))
    return run(request, OutputData(gold, _systems_by_name(systems, lists=lists)))


def _files(gold: object, systems: object) -> tuple[str, ...] | None:
    """Gold and systems as file names, which make a request that can be repeated; None if not all of them are paths."""
    given = list(systems.values()) if isinstance(systems, Mapping) else systems
    several = [given] if isinstance(given, (str, os.PathLike)) else given
    if not isinstance(several, (list, tuple)) or (not several and not isinstance(gold, (str, os.PathLike))):
        return None
    return path_texts([gold, *several])


def study_of(request: DiffRequest, data: OutputData[Any] | None = None) -> Study:
    """Read and align the files of one task."""
    request.validate(arrays=data is not None)
    if data is None:
        data = _data_of_files(request)
    if not data.systems:
        raise OutscoreError("No system was given.", "Give at least one system's output.", parameter="files")
    if GOLD in data.systems:
        raise OutscoreError(
            f"A system is called `{GOLD}`, which is reserved for the right answers.", "Give it another name.", parameter="names"
        )
    notes = [Note("reading", text) for text in data.reading]
    data, moved = _in_order_of_gold(data)
    study = STUDIES[request.require_task()](data.gold, data.systems, _maps(request.value("map"), list(data.systems)), request)
    return replace(study, notes=[*notes, *moved, *study.notes, *_equal_to_gold(study)])


def _equal_to_gold(study: Study) -> list[Note]:
    """A warning about each system with the best possible score: most likely gold was given as a system."""
    perfect = [name for k, name in enumerate(study.systems) if study.n and _headline(study, k) >= 1 - TIE_TOLERANCE]
    return [Note("warning", equals_gold(name, study.n, study.unit)) for name in perfect]


def _in_order_of_gold(data: OutputData[Any]) -> tuple[OutputData[Any], list[Note]]:
    """Series with an index in the order of gold's, and notes on those that were in a different order."""
    placed = {name: in_order_of(data.gold, output, name, "gold") for name, output in data.systems.items()}
    moved = [name for name, (_, was_moved) in placed.items() if was_moved]
    text = "had a different order from gold, so rows were matched by their index labels."
    notes = [Note("input", f"{', '.join(moved)} {text}")] if moved else []
    return OutputData(data.gold, {name: output for name, (output, _) in placed.items()}), notes


def _data_of_files(request: DiffRequest) -> OutputData[Any]:
    """The files of a request; if right answers and systems are in the same files, how these were distinguished."""
    read = TOGETHER.get(request.require_task())
    together = None if read is None else read(request.inputs, request)
    if together is None:
        request.check_files()
        return OutputData(request.gold, dict(zip(_file_names(request), request.files, strict=True)))
    if request.names:
        raise OutscoreError("The files already name their systems.", "Leave --names out.", parameter="names")
    return together


def _file_names(request: DiffRequest) -> Sequence[str]:
    """The names of the systems: as requested, or those of their files, other than gold's."""
    if request.names:
        return request.names
    names = distinct_names(request.files)
    if GOLD not in names:
        return names
    # A file of the same name without a folder: the system's folder distinguishes them.
    return distinct_names([Path(request.files[names.index(GOLD)]).name, *request.files])[1:]


def _systems_by_name(systems: object, *, lists: bool) -> dict[str, object]:
    """Systems by name, in whatever form they were given; `lists` says whether lists of labels are allowed."""
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
    by_name: dict[str, object] = {}
    for i, output in enumerate(several):
        name = numbered = _name_of(output) or f"S{i + 1}"
        copies = itertools.count(2)
        while numbered in (GOLD, *by_name):
            numbered = f"{name} ({next(copies)})"
        by_name[numbered] = output
    return by_name


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


def _summary(request: DiffRequest, study: Study, depth: Depth) -> Diff:
    """Count, test and put into words."""
    chosen: dict[str, Any] = {"criterion": list(study.criteria)}
    if request.cluster is None:
        chosen["cluster"] = study.cluster
    several = len(study.systems) > 1
    rates, wrong = ([], []) if study.answered is None else rates_of(study.answered, study.no_label)
    return Diff(
        task=study.task,
        units=study.n,
        systems=list(study.systems),
        scores={name: dict(values) for name, values in study.scores.items()},
        pairs=pairs_of(study, request, depth),
        oracle=oracle_of(study.together, study.sentences) if study.together.n else None,
        agreement=study.agreement.tolist() if several else [],
        inventory=inventory_of(study, partial(_map_hint, request, study)),
        settings=request.settings(study.origins, **chosen),
        notes=[*study.notes, *(depth_notes(study) if depth == "all" else [])],
        keys=list(study.keys),
        label_rates=rates,
        confusions=wrong,
        overlap=overlap_matrix(study.together).tolist() if several else [],
        reading=outputs_reading(study.origins, study.n),
    )


def _map_hint(
    request: DiffRequest, study: Study, unknown: Mapping[str, Sequence[str]], unused: Mapping[str, Sequence[str]]
) -> list[str]:
    """The command that compares labels of one meaning under two names, where labels are not shared."""
    if study.answered is None:
        return []
    maps = [
        f"{name}:{old}={new}"
        for k, name in enumerate(study.systems)
        for old, new in likely_maps(study.answered, k, unknown[name], unused[name]).items()
    ]
    if not maps:
        return []
    said = f"Rename them with {' '.join(f'--map {shlex.quote(text)}' for text in maps)}."
    if request.files:
        own = {**request.own, "map": (*request.own.get("map", ()), *maps)}
        said = f"Write `{request.command_line(own=own)}`."
    return [f"If these are the same labels under other names, they should be renamed. {said}"]


def pairs_of(study: Study, asked: DiffRequest, depth: Depth) -> list[Pair]:
    """Every pair by every criterion, the primary one first, with its words."""
    if depth == "scores":
        return []
    steps = list(combinations(range(len(study.systems)), 2))
    detailed = _detailed(study, steps) if depth == "all" else set()
    pairs: list[Pair] = []
    for criterion in study.criteria:
        counted = [_count(study, asked, criterion, step, detailed=(criterion, *step) in detailed) for step in steps]
        pairs += _as_family(counted, asked)
    return pairs_in_words(
        pairs,
        unit=study.unit,
        cluster=study.cluster,
        alpha=asked.alpha,
        correction=asked.correction,
        clusters=study.clusters,
    )


def depth_notes(study: Study) -> list[Note]:
    """A note on what is left out of a study of many systems."""
    steps = list(combinations(range(len(study.systems)), 2))
    if len(steps) <= MAX_DETAILED:
        return []
    costly = ", slices and other scores" if study.task in COSTLY_SCORES else " and slices"
    text = (
        f"Labels, transitions{costly} are compared between neighbours by score and between the first two systems,"
        f" {len(_detailed(study, steps))} of {len(steps):,} pairs; name two systems to see those of any other pair."
    )
    return [Note("omission", text)]


def _detailed(study: Study, steps: list[tuple[int, int]]) -> set[tuple[str, int, int]]:
    """The pairs that are compared label by label, with the criterion."""
    if len(steps) <= MAX_DETAILED:
        return {(criterion, *step) for criterion in study.criteria for step in steps}
    order = sorted(range(len(study.systems)), key=lambda k: _headline(study, k), reverse=True)
    # A page opens on the first pair.
    return {(study.criteria[0], min(pair), max(pair)) for pair in (steps[0], *pairwise(order))}


def _headline(study: Study, system: int) -> float:
    """The first score of a system."""
    value = next(iter(study.scores[study.systems[system]].values()))
    return value.f1 if isinstance(value, Rates) else value


def _count(study: Study, asked: DiffRequest, criterion: str, step: tuple[int, int], *, detailed: bool) -> Pair:
    view = study.view(criterion, *step)
    metrics = view.metrics() if detailed or study.task not in COSTLY_SCORES else ()
    few = len(study.systems) * (len(study.systems) - 1) // 2 <= MAX_LISTED_PAIRS
    by_label = []
    if detailed and few and study.answered is not None and criterion == study.criteria[0]:
        by_label = label_f1_of(study.answered, *step, asked, study.no_label)
    return pair_of(view, asked, metrics=metrics, label_f1=by_label, detailed=detailed)


def _as_family(pairs: list[Pair], asked: DiffRequest) -> list[Pair]:
    """The pairs of one criterion, with p corrected over all of them."""
    if len(pairs) < 2:
        return pairs
    adjusted, family = correct_family([pair.p for pair in pairs], asked.correction)
    return [replace(pair, p=p, families={**pair.families, "pairs": family}) for pair, p in zip(pairs, adjusted, strict=True)]
