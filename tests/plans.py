"""Plans from a design or a pilot, finished without a request."""

from outscore.workflows.plan.answer import answer, finish
from outscore.workflows.plan.pilot import answer_from_pilot


def plan_numbers(design, **question):
    return finish(*answer(design, **question))


def plan_from_pilot(a, b, **question):
    return finish(*answer_from_pilot(a, b, **question))
