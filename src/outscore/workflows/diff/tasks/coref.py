"""`--task coref`: coreference, mention by mention."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from outscore.core.options import Option
from outscore.workflows.diff.tasks.entry import Task

if TYPE_CHECKING:
    from outscore.outputs.inventory import LabelMaps
    from outscore.outputs.model import Outputs
    from outscore.workflows.diff.study import DiffOptions, Study

__all__ = ["TASK"]

REPAIR = Option(
    "repair",
    bool,
    False,
    "Coreference: if a mention is in two chains, keep the first.",
    label="Repair",
    form_help="If a mention is in two chains, keep the first.",
    group="data",
    kind="flag",
    doc="For coreference: if a mention is in two chains, keep the first instead of refusing the file.",
)


def _criteria() -> tuple[str, ...]:
    from outscore.outputs.coref.arcs import CRITERIA

    return CRITERIA


def _load(output: object, name: str, options: DiffOptions) -> Outputs:
    from outscore.workflows.diff.studies.coref import load_chains

    return load_chains(output, name, options)


def _study(gold: Outputs, systems: Mapping[str, Outputs], maps: LabelMaps, options: DiffOptions) -> Study:
    from outscore.workflows.diff.studies.coref import coref_study

    return coref_study(gold, systems, maps, options)


SUMMARY = "coreference chains in CoNLL-2012 files, mention by mention"
TASK = Task("coref", SUMMARY, _load, _study, (REPAIR,), _criteria)
