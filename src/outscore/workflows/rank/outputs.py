"""The outputs of many systems against gold, ranked by how often they are right.

A unit (word, item) is right or wrong, and units of one sentence or document are swapped as one. Entities are ranked by F1, from
the counts of each sentence.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypedDict

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.metric import AdditiveMetric
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


class Known(TypedDict):
    """What `rank_panels` should know of a panel of outputs, and the files that these come from.

    `unit` is what the panel's items are called, `group` what those are that are swapped as one, and `called` the score.
    `other_scores` are further ones by the names that sentences call them.
    """

    origins: Sequence[Origin]
    notes: Sequence[Note]
    unit: str
    group: str | None
    called: list[str]
    other_scores: Mapping[str, Panel]


def panel_of_outputs(
    data: OutputData[Any], *, task: str, cluster: str | None = None, metric: str | AdditiveMetric | None = None
) -> tuple[Panel, Known]:
    """Read and align outputs, and record who is right where; a `metric` of classes counts labels by class instead.

    Examples
    --------
    >>> panel, known = panel_of_outputs(OutputData(list("ABCD"), {"S1": list("ABCX"), "S2": list("ZBCD")}), task="label")
    >>> panel.rows[..., 0].tolist(), known["called"], known["unit"]
    ([[1, 1, 1, 0], [0, 1, 1, 1]], ['label accuracy'], 'items')
    """
    if task not in RANKED_TASKS:
        raise OutscoreError(f"Outputs of task `{task}` cannot be ranked.", f"Choose one of: {', '.join(RANKED_TASKS)}.")
    study = study_of(DiffRequest(task=task, cluster=cluster), data)
    (_, _, panel), *_ = panels = study.panels()
    named, headline = panel.metric.name, panels[0][0]
    # Counts are summed over units that are swapped as one before anything is compared.
    unit = study.unit if study.cluster is None or panel.clusters is not None else study.cluster
    if metric is not None:
        refuse_free_answers(len(classes_of(study.together)), metric)
        panel, named, headline, unit = _by_class(study, metric), str(metric), str(metric), study.unit
    return panel, {
        "origins": study.origins,
        "notes": study.notes,
        "unit": f"{unit}s",
        "group": study.cluster,
        "called": [f"{study.criteria[0]} accuracy" if named == "mean" else named],
        "other_scores": {score_name(name, by): other for name, by, other in panels if name != headline},
    }


def _by_class(study: Study, metric: str | AdditiveMetric) -> Panel:
    units = study.together
    return Panel.of(metric, study.systems, np.stack(label_class_counts(units)), clusters=units.clusters)
