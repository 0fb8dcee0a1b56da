"""The outputs of many systems against gold, ranked by how often they are right.

A unit (word, item) is right or wrong, and units of one sentence or document are swapped as one. Entities are ranked by F1, from
the counts of each sentence.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.metric import AdditiveMetric
from outscore.core.records import dataclass
from outscore.language.verdict.diff import score_name
from outscore.outputs.model import OutputData
from outscore.results.note import Note
from outscore.scores.panel import Panel
from outscore.scores.system import Origin
from outscore.workflows.diff.items import classes_of, label_class_counts
from outscore.workflows.diff.pair import Study
from outscore.workflows.diff.run import study_of
from outscore.workflows.gold import refuse_free_answers
from outscore.workflows.requests.diff import DiffRequest

RANKED_TASKS = ("label", "pos", "dep", "ner")


@dataclass(frozen=True, eq=False)
class OutputPanel:
    """A panel of right-or-wrong answers (or of counts), the name of its score, and the files it comes from.

    `unit` is the plural name of the panel's items, `group` the name of those that are swapped as one. `others` are further
    scores by the names that sentences call them.
    """

    panel: Panel
    metric: str
    criterion: str
    origins: Sequence[Origin]
    notes: Sequence[Note]
    unit: str = "items"
    group: str | None = None
    others: Mapping[str, Panel] = field(default_factory=dict)


def panel_of_outputs(
    gold: object,
    systems: Mapping[str, object],
    *,
    task: str,
    cluster: str | None = None,
    metric: str | AdditiveMetric | None = None,
) -> OutputPanel:
    """Read and align outputs, and record who is right where; a `metric` of classes counts labels by class instead.

    Examples
    --------
    >>> found = panel_of_outputs(list("ABCD"), {"S1": list("ABCX"), "S2": list("ZBCD")}, task="label")
    >>> found.panel.rows[..., 0].tolist(), found.metric, found.criterion
    ([[1, 1, 1, 0], [0, 1, 1, 1]], 'mean', 'label')
    """
    if task not in RANKED_TASKS:
        raise OutscoreError(f"Outputs of task `{task}` cannot be ranked.", f"Choose one of: {', '.join(RANKED_TASKS)}.")
    study = study_of(DiffRequest(task=task, cluster=cluster), OutputData(gold, systems))
    (_, _, panel), *_ = panels = study.panels()
    named, headline = panel.metric.name, panels[0][0]
    # Counts are summed over units that are swapped as one before anything is compared.
    unit = study.unit if study.cluster is None or panel.clusters is not None else study.cluster
    if metric is not None:
        refuse_free_answers(len(classes_of(study.together)), metric)
        panel, named, headline, unit = _by_class(study, metric), str(metric), str(metric), study.unit
    others = {score_name(name, by): other for name, by, other in panels if name != headline}
    return OutputPanel(panel, named, study.criteria[0], study.origins, study.notes, f"{unit}s", study.cluster, others)


def _by_class(study: Study, metric: str | AdditiveMetric) -> Panel:
    units = study.together
    return Panel.of(metric, study.systems, np.stack(label_class_counts(units)), clusters=units.clusters)
