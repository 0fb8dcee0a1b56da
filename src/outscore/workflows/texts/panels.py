"""Texts as panels of one metric, for commands that do not compare two systems by several."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.records import count_of
from outscore.core.rows import PairedScores
from outscore.inference.base.influence import contributions
from outscore.results.note import Note
from outscore.scores.system import Labels, Scores
from outscore.workflows.requests import shared
from outscore.workflows.requests.compare import metrics_in
from outscore.workflows.requests.groups import METRIC_OF_TEXTS
from outscore.workflows.requests.rank import ScoreRequest
from outscore.workflows.systems import Systems
from outscore.workflows.texts.checks import chosen_metrics
from outscore.workflows.texts.corpus import cautions
from outscore.workflows.texts.inputs import read_text_files
from outscore.workflows.texts.members import Member, members_of
from outscore.workflows.texts.statistics import Statistics, Texts

if TYPE_CHECKING:
    from outscore.workflows.requests.plan import PlanRequest


def score_texts(texts: Texts, metric: str) -> tuple[Member, list[Note]]:
    """Texts by one metric, and what there is to say about them."""
    (member,), _ = members_of(texts, [metric], {}, Statistics())
    return member, notes_of(texts, [metric], [member])


def notes_of(texts: Texts, metrics: Sequence[str], members: Sequence[Member]) -> list[Note]:
    """What there is to say about texts that are scored by these metrics."""
    beware = cautions(chosen_metrics(metrics), texts.systems, texts.references)
    return [*texts.notes, *beware, *(note for member in members for note in member.notes)]


def read_pilot(request: PlanRequest) -> Systems:
    """Two systems of a pilot: what each segment contributes to the difference of their corpus scores, beside nothing.

    The mean of the contributions is near the difference, and their standard error that of the jackknife.
    """
    metrics = metrics_in(request.metric or METRIC_OF_TEXTS)
    chosen_metrics(metrics)
    if len(metrics) > 1:
        raise OutscoreError(f"A plan is by one metric, but --metric names {len(metrics)}.", "Name one.", parameter="metric")
    # What is true of all test sets together is planned for.
    texts = read_text_files(
        ScoreRequest(
            files=request.pilot,
            reference=request.reference,
            documents=request.cluster,
            dataset=shared.POOLED,
            system=request.system,
        ),
        proposes=False,
    )
    member, notes = score_texts(texts, metrics[0])
    (panel,) = member.panels(texts)
    if len(panel.systems) != 2:
        cure = "Choose two with --system, or name one file for each."
        raise OutscoreError(f"The pilot holds {count_of(len(panel.systems), 'system')}, but two are needed.", cure)
    units = panel.pair(0, 1)
    said = contributions(PairedScores(units.a, units.b, units.scale), panel.metric)
    if said is None:
        raise OutscoreError("The pilot has too few segments to tell how much they differ.", "Give at least twenty.")
    first, second = panel.systems
    adds = f"their scores what they add to the difference in {member.label} (the jackknife's pseudo-values)"
    clusters = None if panel.clusters is None else Labels(panel.clusters, panel.cluster_names)
    return Systems(
        (Scores(first, said, clusters=clusters), Scores(second, np.zeros(len(said)), clusters=clusters)),
        (first, second),
        texts.origins,
        notes=(Note("assumption", f"Items are segments, and {adds}."), *notes),
        measures=(member.label,),
        better="higher" if panel.metric.higher_is_better else "lower",
    )
