"""`--task pos`: tags of words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from outscore.workflows.diff.tasks.entry import COLUMNS, MAP, Task

if TYPE_CHECKING:
    from outscore.outputs.items import LabelMaps
    from outscore.outputs.model import OutputData, Outputs
    from outscore.workflows.diff.pair import DiffOptions
    from outscore.workflows.diff.study import Study


def _criteria() -> tuple[str, ...]:
    from outscore.outputs.words.units import FURTHER_TAGS, TAGS

    return (*TAGS, *FURTHER_TAGS)


def _load(output: object, name: str, options: DiffOptions) -> Outputs:
    from outscore.workflows.diff.studies.words import load_tags

    return load_tags(output, name, options)


def _study(gold: Outputs, systems: Mapping[str, Outputs], maps: LabelMaps, options: DiffOptions) -> Study:
    from outscore.workflows.diff.studies.words import tag_study

    return tag_study(gold, systems, maps, options)


def _together(paths: Sequence[str], options: DiffOptions) -> OutputData[Outputs] | None:
    from outscore.workflows.diff.studies.words import read_beside_gold

    return read_beside_gold(paths, options, tagged=False)


TASK = Task("pos", "tags of words, in CoNLL-U files or columns", _load, _study, (MAP, COLUMNS), _criteria, _together)
