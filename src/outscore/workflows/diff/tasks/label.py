"""`--task label`: a label per item."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from outscore.workflows.diff.tasks.entry import MAP, Task

if TYPE_CHECKING:
    from outscore.outputs.inventory import LabelMaps
    from outscore.outputs.model import Outputs
    from outscore.workflows.diff.study import DiffOptions, Study

__all__ = ["TASK"]


def _load(output: object, name: str, options: DiffOptions) -> Outputs:
    from outscore.workflows.diff.studies.items import load_items

    return load_items(output, name, options)


def _study(gold: Outputs, systems: Mapping[str, Outputs], maps: LabelMaps, options: DiffOptions) -> Study:
    from outscore.workflows.diff.studies.items import item_study

    return item_study(gold, systems, maps, options)


def _split(path: str) -> tuple[Outputs, Mapping[str, Outputs], str]:
    from outscore.formats.tables.label_systems import read_label_table

    table = read_label_table(path)
    return table.gold, table.systems, table.reading


TASK = Task("label", "a label per item, in CSV, TSV, JSON lines or Parquet", _load, _study, (MAP,), split=_split)
