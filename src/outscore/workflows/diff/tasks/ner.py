"""`--task ner`: named entities."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from outscore.core.options import Option
from outscore.workflows.diff.tasks.entry import COLUMNS, MAP, Task

if TYPE_CHECKING:
    from outscore.outputs.items import LabelMaps
    from outscore.outputs.model import OutputData, Outputs
    from outscore.workflows.diff.pair import DiffOptions
    from outscore.workflows.diff.study import Study

LENIENT = Option(
    "lenient",
    bool,
    False,
    "Entities: read broken tag sequences leniently.",
    form_help="Read broken tag sequences leniently, as conlleval does.",
    group="data",
    kind="flag",
    doc="For entities: read broken tag sequences leniently, as conlleval does.",
)


def _load(output: object, name: str, options: DiffOptions) -> Outputs:
    from outscore.workflows.diff.studies.spans import load_entities

    return load_entities(output, name, options)


def _study(gold: Outputs, systems: Mapping[str, Outputs], maps: LabelMaps, options: DiffOptions) -> Study:
    from outscore.workflows.diff.studies.spans import span_study

    return span_study(gold, systems, maps, options)


def _together(paths: Sequence[str], options: DiffOptions) -> OutputData[Outputs] | None:
    from outscore.workflows.diff.studies.words import read_beside_gold

    return read_beside_gold(paths, options, tagged=True)


TASK = Task(
    "ner", "entities as BIO, BIOES or BILOU tags in columns", _load, _study, (MAP, COLUMNS, LENIENT), together=_together
)
