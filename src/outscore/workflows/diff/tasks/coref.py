"""`--task coref`: coreference, mention by mention."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from outscore.core.options import Option
from outscore.workflows.diff.tasks.entry import Task

if TYPE_CHECKING:
    from outscore.outputs.items import LabelMaps
    from outscore.outputs.model import Outputs
    from outscore.workflows.diff.pair import DiffOptions
    from outscore.workflows.diff.study import Study

REPAIR = Option(
    "repair",
    bool,
    False,
    "Coreference: if a mention is in two chains, keep the first.",
    form_help="If a mention is in two chains, keep the first.",
    group="data",
    kind="flag",
    doc="For coreference: if a mention is in two chains, keep the first instead of refusing the file.",
)
SINGLETONS = Option(
    "singletons",
    str,
    "keep",
    "Coreference: whether chains of one mention count; CorefUD's scorer drops them by default.",
    ("keep", "drop"),
    label="Chains of one mention",
    form_help="Whether chains of one mention count, in gold and systems.",
    group="data",
    doc='For coreference: whether chains of one mention count (``"keep"``) or are left out of all files (``"drop"``).',
)
MATCH = Option(
    "match",
    str,
    "exact",
    "Coreference: mentions are the same if all their words are (exact) or their heads (CorefUD).",
    ("exact", "head"),
    label="Same mention",
    form_help="Mentions are the same if all their words are, or their heads (CorefUD files name them).",
    group="data",
    doc='For coreference: mentions are the same if they have the same words (``"exact"``), or the same head\n'
    '(``"head"``), which CorefUD files name.',
)


def _criteria() -> tuple[str, ...]:
    from outscore.workflows.diff.studies.coref import CHOICES

    return CHOICES


def _load(output: object, name: str, options: DiffOptions) -> Outputs:
    from outscore.workflows.diff.studies.coref import load_chains

    return load_chains(output, name, options)


def _study(gold: Outputs, systems: Mapping[str, Outputs], maps: LabelMaps, options: DiffOptions) -> Study:
    from outscore.workflows.diff.studies.coref import coref_study

    return coref_study(gold, systems, maps, options)


SUMMARY = "coreference chains in CoNLL-2012 and CorefUD files, mention by mention"
TASK = Task("coref", SUMMARY, _load, _study, (SINGLETONS, MATCH, REPAIR), _criteria)
