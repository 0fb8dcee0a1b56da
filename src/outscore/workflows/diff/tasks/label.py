"""`--task label`: a label per item."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from outscore.workflows.diff.tasks.entry import MAP, Task
from outscore.workflows.requests import modes, shared

if TYPE_CHECKING:
    from outscore.outputs.items import LabelMaps
    from outscore.outputs.model import OutputData, Outputs
    from outscore.workflows.diff.pair import DiffOptions
    from outscore.workflows.diff.study import Study

LOG_OPTIONS = (shared.LOG_TASK, shared.FILTER, shared.FORCE_SAME)


def _load(output: object, name: str, options: DiffOptions) -> Outputs:
    from outscore.workflows.diff.studies.items import load_items

    return load_items(output, name, options)


def _study(gold: Outputs, systems: Mapping[str, Outputs], maps: LabelMaps, options: DiffOptions) -> Study:
    from outscore.workflows.diff.studies.items import item_study

    return item_study(gold, systems, maps, options)


def _together(paths: Sequence[str], options: DiffOptions) -> OutputData[Outputs] | None:
    """Logs, which contain the right answers beside those of systems, or one table with all of them."""
    from outscore.formats.logs.find import are_logs

    if are_logs(paths):
        return _of_logs(paths, options)
    for option in LOG_OPTIONS:
        if options.own[option.name] != option.default:
            modes.LOGS.cured("Leave --{long} out.").refuse(option, options.own[option.name])
    if len(paths) > 1:
        return None
    from outscore.formats.tables.labels import read_label_table

    return read_label_table(paths[0])


def _of_logs(paths: Sequence[str], options: DiffOptions) -> OutputData[Outputs]:
    from outscore.formats.logs.answers import read_answers
    from outscore.formats.logs.choose import LogQuestion

    own = options.own
    question = LogQuestion(own["log_task"], filter=own["filter"], force_same=own["force_same"])
    return read_answers(paths, question)


TASK = Task(
    "label",
    "a label per item, in CSV, TSV, JSON lines or Parquet, or in logs of evaluation harnesses",
    _load,
    _study,
    (MAP, *LOG_OPTIONS),
    together=_together,
)
