"""`--task dep`: heads and relations of words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from outscore.core.options import Option
from outscore.workflows.diff.tasks.entry import COLUMNS, MAP, Task

if TYPE_CHECKING:
    from outscore.outputs.items import LabelMaps
    from outscore.outputs.model import Outputs
    from outscore.workflows.diff.pair import DiffOptions
    from outscore.workflows.diff.study import Study

PUNCT = Option(
    "punct",
    bool,
    False,
    "Trees: keep punctuation.",
    label="Punctuation",
    form_help="Keep punctuation.",
    group="data",
    kind="flag",
    doc="For trees: keep punctuation.",
)
SUBTYPES = Option(
    "subtypes",
    bool,
    False,
    "Trees: keep relation subtypes (nmod:poss).",
    form_help="Keep relation subtypes (nmod:poss).",
    group="data",
    kind="flag",
    doc="For trees: keep relation subtypes (nmod:poss).",
)


def _criteria() -> tuple[str, ...]:
    from outscore.outputs.words.units import TREES

    return TREES


def _load(output: object, name: str, options: DiffOptions) -> Outputs:
    from outscore.workflows.diff.studies.words import load_trees

    return load_trees(output, name, options)


def _study(gold: Outputs, systems: Mapping[str, Outputs], maps: LabelMaps, options: DiffOptions) -> Study:
    from outscore.workflows.diff.studies.words import tree_study

    return tree_study(gold, systems, maps, options)


TASK = Task("dep", "heads and relations of words, in CoNLL-U files", _load, _study, (MAP, COLUMNS, PUNCT, SUBTYPES), _criteria)
