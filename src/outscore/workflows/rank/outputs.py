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
    if metric is not None:
        refuse_free_answers(len(classes_of(study.together)), metric)
        return OutputPanel(
            _by_class(study, metric),
            str(metric),
            study.criteria[0],
            study.origins,
            study.notes,
            study.unit,
            study.cluster,
            _others(study, str(metric)),
        )
    panel, named = (_of_counts(study), "f1") if study.counts is not None else (_of_units(study), "mean")
    # Counts are summed over units that are swapped as one before anything is compared.
    unit = study.unit if study.counts is None or study.cluster is None else f"{study.cluster}s"
    others = _others(study, "accuracy")
    return OutputPanel(panel, named, study.criteria[0], study.origins, study.notes, unit, study.cluster, others)


def _others(study: Study, headline: str) -> dict[str, Panel]:
    return {score_name(name, by): panel for name, by, panel in study.others() if name != headline}


def _of_units(study: Study) -> Panel:
    units = study.together
    return Panel.of("mean", study.systems, units.correct.T.astype(np.int64), clusters=units.clusters)


def _by_class(study: Study, metric: str | AdditiveMetric) -> Panel:
    units = study.together
    return Panel.of(metric, study.systems, np.stack(label_class_counts(units)), clusters=units.clusters)


def _of_counts(study: Study) -> Panel:
    assert study.counts is not None
    return Panel.of("f1", study.systems, np.stack([study.counts(k) for k in range(len(study.systems))]))
