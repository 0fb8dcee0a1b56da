"""From a request to a plan: from numbers, from a pilot, or from printed scores; with the items that looking early takes."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Literal, cast

from outscore.core.errors import OutscoreError
from outscore.engine.progress import Progress
from outscore.formats.battles.read import is_battles
from outscore.formats.logs.find import are_logs
from outscore.inference.anytime import PATHS, binary_stops, bounded_stops
from outscore.inference.base.question import Alternative
from outscore.inference.describe.effects import evaluation_units
from outscore.inference.power.design import study_of
from outscore.inference.power.observed import design_of_battles
from outscore.inference.power.two_samples import design_of_samples
from outscore.language.numbers import count
from outscore.language.verdict.plan import units_note
from outscore.results.note import Note
from outscore.results.plan import AnytimePlan, Costs, PlanFacts, PlanResult, PossibleP, PossibleTable, StudyDesign
from outscore.scores.system import label_of
from outscore.workflows.compare.unpaired import ready_samples, rows_behind, samples_given
from outscore.workflows.load import load_pair
from outscore.workflows.names import at_the_door
from outscore.workflows.plan.answer import (
    Planned,
    answer,
    best_priced,
    finish,
    possible_p,
    possible_table,
    priced_notes,
    read_table,
)
from outscore.workflows.plan.pilot import answer_from_pilot, improvement, retrospective_curves, runs_plan, samples_notes
from outscore.workflows.prepare import prepare
from outscore.workflows.reading import reading_of
from outscore.workflows.requests.base import input_settings, versions
from outscore.workflows.requests.compare import CompareRequest
from outscore.workflows.requests.plan import NO_BATTLES, PlanRequest
from outscore.workflows.systems import Systems, pair_given, rows_in
from outscore.workflows.validate import refuse_paired

OWN_RATE = (
    "The win rate is the pilot's own, {rate:.1f}%, which is itself uncertain; better give the smallest lead that matters as"
    " the effect: .05 for 55%."
)
MOST_LEAD = 0.5
"""A win rate of 100% is so much above one half."""
OF_THESE_RUNS = "This is for a claim about these runs of both systems, not about new ones."
IN_ORDER = Note("assumption", "Looking early needs independent items in random order.")


@at_the_door
def run(
    request: PlanRequest,
    data: Systems | None = None,
    *,
    table: Mapping[str, object] | None = None,
    progress: Progress | None = None,
) -> PlanResult | PossibleP | PossibleTable:
    """Answer a request; `data` is a pilot instead of files, and `table` are printed scores by system.

    Examples
    --------
    >>> run(PlanRequest(effect=0.03, sd=1 / 3)).verdict
    'You need 971 items to detect a difference of 0.03 in the mean score with power .8 (two-sided, alpha = .05).'
    """
    request.validate(arrays=data is not None, tabled=table is not None)
    if request.table is not None or table is not None:
        # What a printed table allows, read from its file or as it was given.
        inputs, reading = None, None
        if request.table is not None:
            table, origin, reading = read_table(request.table)
            inputs = input_settings([origin])
        settings = _settings(request, inputs)
        return possible_table(table or {}, request.n, alpha=request.alpha, reading=reading, settings=settings)
    if request.scores:
        assert request.n is not None
        first, second = request.scores
        settings = _settings(request)
        return possible_p(first, second, request.n, alpha=request.alpha, alternative=request.alternative, settings=settings)
    if request.pilot or data is not None:
        return _piloted(request, data, progress or Progress())

    def plan(n: float | None, **given: Any) -> Planned:  # noqa: ANN401 - fields of StudyDesign
        return answer(StudyDesign(**given), n=n, **request.question, accuracy=request.accuracy)

    planned, costs = _priced(request, plan, request.design())
    return _finish(request, planned, costs=costs)


def _settings(request: PlanRequest, inputs: object = None) -> dict[str, Any]:
    """What repeats the call; `inputs` are the files, as they are saved."""
    files = {} if inputs is None else {"inputs": inputs}
    return {**request.settings(), **files, "versions": versions()}


def _finish(
    request: PlanRequest,
    planned: Planned,
    *,
    inputs: object = None,
    costs: Costs | None = None,
    **more: Any,  # noqa: ANN401
) -> PlanResult:
    """The result of a plan; `more` are the arguments of `finish`."""
    facts = planned[0]
    more["after"] = [*priced_notes(costs, facts.design.repeats), *more.get("after", ())]
    if request.anytime:
        more |= {"anytime": plan_looks(facts, request), "after": [*more["after"], IN_ORDER]}
    return finish(*planned, costs=costs, settings=_settings(request, inputs), **more)


def call(
    *,
    pilot: object,
    progress: Progress | None,
    **given: Any,  # noqa: ANN401 - the other keywords of `outscore.plan`
) -> PlanResult | PossibleP | PossibleTable:
    """`outscore.plan`: numbers, and a pilot as paths, scores or arrays, with options by their Python names."""
    if given.get("scores") is not None:
        given["scores"] = tuple(str(score) for score in given["scores"])
    printed = given.get("table")
    if isinstance(printed, Mapping):
        return run(PlanRequest.from_python({**given, "table": None}), table=printed)
    if printed is not None:
        given["table"] = os.fspath(printed)
    several = [pilot] if isinstance(pilot, (str, os.PathLike)) else pilot
    if several is None or (isinstance(several, Sequence) and all(isinstance(one, (str, os.PathLike)) for one in several)):
        files = tuple(os.fspath(one) for one in several or ())
        return run(PlanRequest.from_python(given, pilot=files), progress=progress)
    if not isinstance(several, Sequence) or len(several) != 2:
        raise OutscoreError(
            f"`pilot` is a {type(pilot).__name__}.",
            "Give a file with both systems, or both systems' scores.",
            parameter="pilot",
        )
    rows = rows_in(PlanRequest, given)
    request = PlanRequest.from_python(given)
    if request.unpaired:
        refuse_paired({"items": rows.get("items")})
        return run(request, samples_given(*several, clusters=rows.get("clusters"), names=()))
    return run(request, pair_given(*several, **rows), progress=progress)


def _read(request: PlanRequest) -> Systems:
    """One file with both systems, or one for each."""
    if request.reference:
        # Plans without texts do not load their metrics. What each segment contributes takes the place of scores.
        from outscore.workflows.texts.panels import read_pilot

        return read_pilot(request)
    if are_logs(request.pilot, "auto"):
        raise OutscoreError(
            f"{label_of(request.pilot[0])} is a log of an evaluation harness, but a plan needs tables of scores.",
            "Use `outscore compare`, which says how many items the observed difference needs, or give --sd or --discordance.",
            parameter="pilot",
        )
    return load_pair(request.pilot, systems=request.system, **request.columns())


def _piloted(request: PlanRequest, data: Systems | None, progress: Progress) -> PlanResult:
    """A plan with the spread of a pilot."""
    if data is None and request.pilot and all(is_battles(path) for path in request.pilot):
        return _from_battles(request)
    pilot = data or _read(request)
    if request.unpaired:
        return _from_samples(request, pilot)
    return _from_pilot(request, pilot, progress)


def _from_battles(request: PlanRequest) -> PlanResult:
    """How many battles, or prompts, tell two systems apart that met in direct games."""
    # Plans without battles do not load what battles need.
    from outscore.workflows.prefer.run import run as prefer
    from outscore.workflows.requests.prefer import PreferRequest

    request.refuse_outside(NO_BATTLES)
    if request.effect is not None and abs(request.effect) >= MOST_LEAD:
        raise OutscoreError(
            f"`effect` is {request.effect:g}, which would be a win rate of {50 + 100 * request.effect:g}%.",
            "Give what the win rate has above one half: .05 for 55%.",
            parameter="effect",
        )
    # The spread is the same in whichever order answers were shown.
    asked = PreferRequest(
        files=request.pilot, alpha=request.alpha, system=request.system, cluster=request.cluster, order="unrecorded"
    )
    found = prefer(asked)
    if len(found.systems) != 2:
        raise OutscoreError(
            f"The battles are between {count(len(found.systems), 'system')}, but a plan is for two.",
            f"Name two of them: --system {found.systems[0]} --system {found.systems[1]}.",
            parameter="system",
        )
    pair = found.pairs[0]
    design = design_of_battles(pair)
    if design is None or pair.win_rate is None or design.discordance == 0:
        raise OutscoreError("The battles say nothing about spread: no prompt differs from another.", "Give more prompts.")
    a, b, rate = pair.a, pair.b, pair.win_rate
    if request.system and request.system[0] == pair.b:
        # Pairs have the stronger system first.
        a, b, rate = pair.b, pair.a, 1 - pair.win_rate
    own = request.effect is None and request.n is None
    effect = rate - 0.5 if own else request.effect
    # A prompt is judged as often as in the pilot, by the test that `prefer` runs.
    given = {name: value for name, value in request.design().items() if name != "method" or value != "auto"}
    planned = answer(replace(design, **given), effect=effect, n=request.n, power=request.power)
    facts = planned[0]
    if facts.question == "effect" and abs(facts.effect) >= MOST_LEAD:
        reached = f"With n = {facts.items:,} no win rate reaches a power of {facts.target:g}."
        raise OutscoreError(reached, "Plan for more battles.", parameter="n")
    seen = f"Spread from a pilot of {count(found.battles, 'battle')} on {count(pair.clusters, 'prompt')}."
    notes = [Note("assumption", f"{seen} A is {a}, B is {b}; the win rate is that of A.")]
    if own:
        notes.insert(0, Note("assumption", OWN_RATE.format(rate=100 * rate)))
    return _finish(request, planned, before=notes, inputs=found.settings["inputs"])


def _from_samples(request: PlanRequest, data: Systems) -> PlanResult:
    """A plan for different items, with the spread of a pilot of such."""
    samples, ready = ready_samples(CompareRequest(direction=request.direction, unpaired=True), data)
    samples = samples.checked()
    found = design_of_samples(samples)
    if found is None:
        raise OutscoreError("The pilot's scores are all equal, so they say nothing about spread.", "Give `sd` instead.")
    given = request.design()
    if {"cluster_size", "icc"} & given.keys():
        given["observed_effect"] = None
    design = replace(found, **given)
    own = request.effect is None and request.n is None
    if own:
        effect: float | None = samples.orientation * samples.difference
    else:
        # At a given accuracy, a better system takes other numbers than a worse one.
        sided = design.accuracy is not None and design.alternative == "two-sided"
        side = None if sided else design.alternative
        effect = improvement(request.effect, samples.orientation, alternative=side, n=request.n)
    planned = answer(design, effect=effect, n=request.n, power=request.power)
    notes = [*ready[0].better.notes, *data.notes, *samples_notes(samples, own=own)]
    reading = ready[0].reading(rows_behind(ready))
    return _finish(request, planned, before=notes, reading=reading, inputs=input_settings(data.origins))


def _from_pilot(request: PlanRequest, pilot: Systems, progress: Progress) -> PlanResult:
    if pilot.counts:
        named, cure = "score", "Name the column of scores with --score."
        if not pilot.origins:
            named, cure = "pilot", "Give arrays of one column."
        raise OutscoreError("The pilot contains counts, but a plan needs one score per item.", cure, parameter=named)
    prepared = prepare(CompareRequest(direction=request.direction), pilot)
    panel, better = prepared.whole, prepared.better
    rows, metric = panel.matched_rows(), panel.metric
    statistic = cast("Literal['mean', 'median']", request.unit_statistic)
    pairs, _ = evaluation_units(rows, metric, request.unit_size, statistic, request.shuffle)
    design = request.design() | ({"measure": pilot.measures[0]} if request.reference else {})

    planned, costs = _priced(
        request, partial(answer_from_pilot, pairs, metric, **request.question, bounds=request.bounds), design
    )
    joined = [units_note(request.unit_size)] if request.unit_size > 1 else []
    points, runs = runs_plan(panel, planned[0])
    reading = reading_of(
        pilot.origins,
        rows=rows.rows,
        systems=pilot.names,
        direction=(better.better, better.source),
        kind="texts" if request.reference else None,
    )
    return _finish(
        request,
        planned,
        costs=costs,
        before=[*better.notes, *pilot.notes, *prepared.matching_notes, *joined],
        after=runs,
        # More items do not average out whole runs, so the answer must not be mistaken for one about new runs.
        caveat=OF_THESE_RUNS if runs else "",
        reading=reading,
        runs=points,
        retrospective=retrospective_curves(pairs, metric, request, progress) if request.retrospective else [],
        inputs=input_settings(pilot.origins),
    )


def _priced(request: PlanRequest, plan: Callable[..., Planned], design: Mapping[str, Any]) -> tuple[Planned, Costs | None]:
    """The requested plan, or the best one by price if prices were given."""
    if request.price_item is None or request.price_run is None:
        return plan(n=request.n, **design), None

    def ask(repeats: int, n: float | None) -> Planned:
        return plan(n=n, **{**design, "repeats": repeats})

    return best_priced(ask, (request.price_item, request.price_run), request.budget, request.repeats, request.n)


def plan_looks(planned: PlanFacts, request: PlanRequest) -> AnytimePlan:
    """The items after which evidence at every look is expected to stop.

    Examples
    --------
    >>> from outscore.workflows.plan.run import run
    >>> plan = run(PlanRequest(effect=0.1, discordance=0.2, anytime=True))
    >>> plan.items, plan.anytime.median, round(plan.anytime.mean), plan.anytime.method
    (168, 145, 169, 'exact')
    """
    design = planned.design
    if design.cluster_size != 1:
        raise OutscoreError(
            "--anytime plans for independent items, but a cluster enters as one bet.",
            "Leave --anytime or the clusters out.",
            parameter="anytime",
        )
    if design.basis == "standardised":
        raise OutscoreError(
            "--anytime needs the spread in units of the scores.", "Give --sd, --discordance or --accuracy.", parameter="sd"
        )
    study = study_of(replace(design, method=planned.method))
    side = cast("Alternative", design.alternative)
    effect = -planned.effect if side == "less" else abs(planned.effect)
    if design.basis == "discordance":
        stops = binary_stops(study.discordance(planned.effect), effect / design.unit, design.alpha, side)
    else:
        low, high = request.bounds or (0.0, 1.0)
        stops = bounded_stops(effect, study.sd, high - low, planned.items, design.alpha, side, seed=request.seed)
    simulated = stops.horizon is not None
    return AnytimePlan(
        stops.mean,
        stops.quantile(0.5),
        stops.quantile(planned.target),
        planned.items,
        stops.share(planned.items),
        "simulated" if simulated else "exact",
        PATHS if simulated else None,
        request.seed if simulated else None,
        stops.horizon,
    )
