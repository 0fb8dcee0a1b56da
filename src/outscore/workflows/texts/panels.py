"""Texts of one system or of several as panels of one metric, for commands that do not compare them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.records import count_of, dataclass
from outscore.core.rows import PairedScores
from outscore.engine.engines import engine_of
from outscore.inference.base.influence import contributions
from outscore.results.note import Note
from outscore.scores.system import Labels, Scores
from outscore.workflows.rank.texts import TextRanking, text_panels
from outscore.workflows.requests import shared
from outscore.workflows.requests.compare import metrics_in
from outscore.workflows.requests.groups import METRIC_OF_TEXTS
from outscore.workflows.systems import Systems
from outscore.workflows.texts.checks import chosen_metrics
from outscore.workflows.texts.inputs import TextFiles, files_of_request, read_text_files

if TYPE_CHECKING:
    from outscore.scores.system import Origin
    from outscore.workflows.requests.plan import PlanRequest
    from outscore.workflows.requests.rank import ScoreRequest


@dataclass(frozen=True, eq=False)
class TextsRead:
    """Panels of texts, their files, and notes on how these were read."""

    ranking: TextRanking
    origins: Sequence[Origin] = ()
    notes: Sequence[Note] = ()


def score_texts(
    systems: Mapping[str, object],
    references: object,
    metric: str,
    documents: object = None,
    dataset: object = None,
    origins: Sequence[Origin] = (),
) -> TextsRead:
    """Texts that a caller passes instead of files, or that were read from those of `origins`."""
    ranking = text_panels(
        systems, references, metrics=[metric], documents=documents, dataset=dataset, engine=engine_of(), files=origins
    )
    return TextsRead(ranking, notes=ranking.notes)


def read_text_panels(request: ScoreRequest) -> TextsRead:
    """The texts of a request's files."""
    return _of_files(files_of_request(request), request.text_metric)


def read_pilot(request: PlanRequest) -> Systems:
    """Two systems of a pilot: what each segment contributes to the difference of their corpus scores, beside nothing.

    The mean of the contributions is near the difference, and their standard error that of the jackknife.
    """
    metrics = metrics_in(request.metric or METRIC_OF_TEXTS)
    chosen_metrics(metrics)
    if len(metrics) > 1:
        raise OutscoreError(f"A plan is by one metric, but --metric names {len(metrics)}.", "Name one.", parameter="metric")
    # What is true of all test sets together is planned for.
    files = read_text_files(
        request.pilot, request.reference, documents=request.cluster, dataset=shared.POOLED, system=request.system
    )
    texts = _of_files(replace(files, datasets=None), metrics[0])
    (panel,) = texts.ranking.metrics[0].panels
    if len(panel.systems) != 2:
        cure = "Choose two with --system, or name one file for each."
        raise OutscoreError(f"The pilot holds {count_of(len(panel.systems), 'system')}, but two are needed.", cure)
    units = panel.pair(0, 1)
    said = contributions(PairedScores(units.a, units.b, units.scale), panel.metric)
    if said is None:
        raise OutscoreError("The pilot has too few segments to tell how much they differ.", "Give at least twenty.")
    first, second = panel.systems
    label = texts.ranking.metrics[0].label
    text = f"Items are segments, and their scores what they add to the difference in {label} (the jackknife's pseudo-values)."
    clusters = None if panel.clusters is None else Labels(panel.clusters, panel.cluster_names)
    return Systems(
        (Scores(first, said, clusters=clusters), Scores(second, np.zeros(len(said)), clusters=clusters)),
        (first, second),
        texts.origins,
        notes=(Note("assumption", text), *texts.notes),
        measures=(label,),
        better="higher" if panel.metric.higher_is_better else "lower",
    )


def _of_files(files: TextFiles[str], metric: str) -> TextsRead:
    datasets = files.datasets or shared.POOLED
    read = score_texts(files.systems, files.references, metric, files.documents, datasets, files.origins)
    notes = [*(Note("input", text) for text in files.notes), *read.notes]
    return TextsRead(read.ranking, files.origins, notes)
