"""Plans from a design or a pilot, finished without a request."""

from outscore.scores.panel import panel_of
from outscore.workflows.plan.answer import answer, finish
from outscore.workflows.plan.pilot import answer_from_pilot
from outscore.workflows.prepare import prepare
from outscore.workflows.requests.compare import CompareRequest
from outscore.workflows.systems import pair_given


def plan_numbers(design, **question):
    return finish(*answer(design, **question))


def plan_from_pilot(a, b, *, items=None, clusters=None, metric="mean", **question):
    return finish(*answer_from_pilot(*paired_pilot(a, b, items=items, clusters=clusters, metric=metric), **question))


def paired_pilot(a, b, *, items=None, clusters=None, metric="mean"):
    """A pilot's rows, and its metric."""
    panel = panel_of(prepare(CompareRequest(), pair_given(a, b, items=items, clusters=clusters)).aligned, metric)
    return panel.matched_rows(), panel.metric
