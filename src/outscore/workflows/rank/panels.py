"""Many systems: which one is ahead, which differences are real, all systems at once, and the frontier of several measures."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.numeric import MIN_FLOAT, Array, finite
from outscore.core.records import dataclass
from outscore.engine.engines import Engine
from outscore.engine.progress import Progress
from outscore.inference.base.differences import with_exact_integers
from outscore.inference.base.question import RESAMPLES, TestRequest
from outscore.inference.classical.friedman import critical_difference as nemenyi
from outscore.inference.classical.friedman import friedman, mean_ranks_differ
from outscore.inference.families import adjust
from outscore.inference.leaderboard import (
    CONFIDENCE,
    Band,
    Draws,
    ItemTable,
    band_of,
    draw,
    groups_of,
    item_kinds,
    items_of,
    shares_of_best,
    win_rates,
)
from outscore.inference.pairwise.per_pair import log_claim
from outscore.inference.pairwise.table import KINDS, Measured, lacking_of
from outscore.inference.populations import ITEMS, ITEMS_AND_RUNS, THESE_ITEMS
from outscore.inference.shifted import NOTHING_KNOWN, UNKNOWN_RANGE, largest_loss, refuse_wide, run_entry
from outscore.inference.two_way import price_of_runs
from outscore.language.numbers import format_probability
from outscore.language.verdict.ranking import domination_sentence
from outscore.results.design import Family
from outscore.results.note import Note
from outscore.results.ranking import (
    MAX_PAIRS,
    CriticalDifference,
    Domination,
    Frontier,
    FrontierSystem,
    Joint,
    JointPair,
    JointSystem,
    OtherPopulation,
    RankDesign,
    Ranking,
    Standing,
)
from outscore.scores.panel import Panel, Part, name_repeats
from outscore.workflows.question import USUAL, Question, population_of, these_runs
from outscore.workflows.rank.assemble import assemble_ranking
from outscore.workflows.rank.measure import measure
from outscore.workflows.rank.standings import MAX_ELSEWHERE, Metrics, families, smallest_p_of
from outscore.workflows.validate import deciding_entry

# All systems of a ranking at once: simultaneous intervals, how often each is best, Borda scores and win rates.


Ends = tuple[float | None, float | None]
Triple = tuple[float | None, float | None, float | None]
JOINT_RESAMPLES = 9_999
"""How often the items are resampled."""


def joint_of(
    panels: Sequence[Panel], top: Standing, question: Question, population: str, progress: Progress | None = None
) -> Joint:
    """Resample the items of all panels for all systems at once, and summarise the results in the order of the standing."""
    _check(panels, top, question, population)
    steps = progress or Progress()
    drawn = draw(
        panels,
        resamples=JOINT_RESAMPLES,
        seed=question.seed,
        begin=lambda total: steps.begin("resampling items for all systems", total),
        advance=steps.advance,
    )
    place = {name: i for i, name in enumerate(panels[0].systems)}
    pairs = [pair.systems for pair in top.pairs]
    left, right = (np.array([place[pair[side]] for pair in pairs], dtype=np.int64) for side in (0, 1))
    band = band_of(drawn.scores, drawn.observed, units=drawn.units, alpha=question.alpha, pairs=(left, right))
    limits = {pair: _ends(band, i) for i, pair in enumerate(pairs)}
    observed = drawn.observed
    return Joint(
        resamples=JOINT_RESAMPLES,
        seed=question.seed,
        unit="clusters" if any(panel.clusters is not None for panel in panels) else "items",
        units=drawn.units,
        level=1 - question.alpha,
        critical=finite(band.critical),
        critical_error=finite(band.error),
        systems=_systems(top, question, place, drawn, limits),
        pairs=[JointPair(pair, float(observed[place[pair[0]]] - observed[place[pair[1]]]), *limits[pair]) for pair in pairs],
    )


def _check(panels: Sequence[Panel], top: Standing, question: Question, population: str) -> None:
    """Refuse rankings for which items cannot be resampled for all systems at once."""
    if not all(panel.complete for panel in panels):
        raise OutscoreError(
            "Systems lack some items, but --joint resamples the same items for all systems.",
            "Leave --joint out, or keep the items that all systems have.",
            parameter="joint",
        )
    if population != ITEMS:
        raise OutscoreError(
            f"The claims are about {population}, but --joint resamples items with the runs at hand.",
            "Leave --joint out, or add --population items.",
            parameter="joint",
        )
    if question.unit_size > 1:
        raise OutscoreError(
            "Items were grouped into units, but --joint resamples single items.",
            "Leave --joint or --unit-size out.",
            parameter="joint",
        )
    if not top.pairs:
        raise OutscoreError(
            f"There are more than {MAX_PAIRS:,} pairs, which is too many for simultaneous intervals.",
            "Leave --joint out, or name fewer systems.",
            parameter="joint",
        )


def _systems(
    top: Standing, question: Question, place: Mapping[str, int], drawn: Draws, limits: Mapping[tuple[str, str], Ends]
) -> list[JointSystem]:
    higher, k, alpha = top.higher_is_better, len(top.systems), question.alpha
    best = shares_of_best(drawn.scores, higher_is_better=higher)
    points = _rates(drawn.points, k, drawn.units, alpha, k - 1.0)
    wins = [_divided(triple, k - 1) for triple in points]
    over = None
    if drawn.by_dataset is not None:
        scores, observed = drawn.by_dataset
        over = (win_rates(scores, higher_is_better=higher), win_rates(observed, higher_is_better=higher))
    sets = _rates(over, k, drawn.units, alpha, 1.0)
    leader = top.systems[0]
    systems = []
    for name in top.systems:
        i = place[name]
        behind: Triple = (None, None, None)
        if name != leader and question.baseline is None:
            behind = (float(drawn.observed[i] - drawn.observed[place[leader]]), *_to(name, leader, limits))
        systems.append(
            JointSystem(
                name, float(best[i]), _error(float(best[i]), len(drawn.scores)), *behind, *wins[i], *points[i], *sets[i]
            )
        )
    return systems


def _to(name: str, leader: str, limits: Mapping[tuple[str, str], Ends]) -> Ends:
    """The limits of name - leader, whichever of them comes first in the pair."""
    if (name, leader) in limits:
        return limits[name, leader]
    low, high = limits[leader, name]
    return None if high is None else -high, None if low is None else -low


def _rates(drawn: tuple[Array, Array] | None, systems: int, units: int, alpha: float, most: float) -> list[Triple]:
    """Each system's mean with simultaneous limits, cut at the ends of the scale; nothing without draws."""
    if drawn is None:
        return [(None, None, None)] * systems
    values, observed = drawn
    band = band_of(values, observed, units=units, alpha=alpha)
    triples: list[Triple] = []
    for i, value in enumerate(observed.tolist()):
        low, high = _ends(band, i)
        triples.append((value, None if low is None else max(low, 0.0), None if high is None else min(high, most)))
    return triples


def _divided(triple: Triple, by: int) -> Triple:
    value, low, high = (None if x is None else x / by for x in triple)
    return value, low, high


def _ends(band: Band, i: int) -> Ends:
    return finite(band.low[i]), finite(band.high[i])


def _error(share: float, draws: int) -> float:
    """Half the width of Wilson's 99% CI for a share."""
    square = CONFIDENCE**2
    return CONFIDENCE * math.sqrt(share * (1 - share) / draws + square / (4 * draws**2)) / (1 + square / draws)


# The frontier of several measures: which systems no other system is shown to dominate.
#
# B dominates A if B is better on every measure; on a measure with a margin, B only has to be not worse by the margin. That
# is shown where each of its parts is: p is the largest of their one-sided p-values (intersection-union test; Berger, 1982),
# and Holm's correction covers all ordered pairs. So with confidence 1 - alpha no claim of domination is false, and every
# system that is truly on the frontier is among those that are left.


def frontier_of(
    top: Standing,
    measured: Sequence[Measured],
    panels: Sequence[Panel],
    margins: Mapping[str, float],
    question: Question,
    population: str,
) -> tuple[Frontier, list[Note]]:
    """The frontier, and warnings; `measured` and `panels` are those of each measure, the first of which sets the order."""
    logs, notes = [], list[Note]()
    for part, panel in zip(measured, panels, strict=True):
        if part.metric in margins:
            _check_margin(part, panel, margins[part.metric], population)
            log_p, said = _not_worse(panel, part.metric, margins[part.metric], question)
            notes += said
        else:
            log_p = _better(part)
        logs.append(log_p)
    shared = np.all([_shared(part) for part in measured], axis=0)
    parts = np.maximum(np.exp(np.array(logs)), MIN_FLOAT)
    p = parts.max(axis=0)
    adjusted = np.full(p.shape, np.nan)
    adjusted[shared] = adjust(p[shared], "holm")
    return _frontier(top, measured, panels, margins, parts, adjusted, question.alpha), notes


def _shared(measured: Measured) -> Array:
    """(k, k): whether two systems share items."""
    pairs, k = measured.pairs, len(measured.systems)
    shared = np.zeros((k, k), dtype=bool)
    shared[pairs.left, pairs.right] = shared[pairs.right, pairs.left] = pairs.testable
    return shared


def _better(measured: Measured) -> Array:
    """(k, k): log p of the claim that the row's system is better than the column's."""
    pairs, k = measured.pairs, len(measured.systems)
    assert pairs.log_better is not None and pairs.log_worse is not None  # noqa: PT018 - they were asked for
    logs = np.zeros((k, k))
    logs[pairs.left, pairs.right], logs[pairs.right, pairs.left] = pairs.log_better, pairs.log_worse
    return np.minimum(logs, 0.0)


def _check_margin(measured: Measured, panel: Panel, margin: float, population: str) -> None:
    """Refuse a margin for which there is no test, or that nothing could exceed."""
    if population != ITEMS:
        raise OutscoreError(
            f"A margin is tested for new items, but the claims are about {population}.",
            f"Add --population {ITEMS}, or leave --not-worse out.",
            parameter="not_worse",
        )
    pairs = measured.pairs
    if not pairs.testable.any():
        return
    first = int(pairs.testable.argmax())
    shared = panel.pair(int(pairs.left[first]), int(pairs.right[first]))
    refuse_wide(margin, largest_loss(shared, panel.metric, TestRequest("greater", -margin)), measured.metric)


def _not_worse(panel: Panel, measure: str, margin: float, question: Question) -> tuple[Array, list[Note]]:
    """(k, k): log p of the claim that the row's system is worse than the column's by less than the margin; and warnings."""
    k, entry = len(panel.systems), deciding_entry(question.test)
    asked = TestRequest(
        alternative="greater",
        delta=-panel.orientation * margin,
        alpha=question.alpha,
        seed=question.seed,
        options=question.of_test.options,
        interval=False,
    )
    logs, notes = np.zeros((k, k)), list[Note]()
    for i in range(k):
        for j in range(k):
            if i != j and (panel.present[i] & panel.present[j]).any():
                found = run_entry(entry, with_exact_integers(panel.pair(i, j)), panel.metric, asked)
                logs[i, j] = log_claim(found.p)
                notes += [note for note in found.notes if note.kind == "warning"]
    told = [note for note in notes if note not in (UNKNOWN_RANGE, NOTHING_KNOWN)]
    return np.minimum(logs, 0.0), told + [_rare_losses(measure)] * (len(told) < len(notes))


def _rare_losses(measure: str) -> Note:
    """What a margin leaves open if the range of scores is not known; only `compare` can be told it."""
    return Note(
        "warning",
        f"How much a single item can lose on {measure} is not known, so the test at its margin takes the differences as "
        "symmetric about it: rare large losses are not excluded. `outscore compare` with --margin and --bounds excludes them.",
    )


def _frontier(
    top: Standing,
    measured: Sequence[Measured],
    panels: Sequence[Panel],
    margins: Mapping[str, float],
    parts: Array,
    adjusted: Array,
    alpha: float,
) -> Frontier:
    first = measured[0]
    names = first.systems
    pairs = [
        Domination((names[i], names[j]), parts[:, i, j].tolist(), float(parts[:, i, j].max()), float(adjusted[i, j]))
        for i, j in np.argwhere(np.isfinite(adjusted)).tolist()
    ]
    with np.errstate(invalid="ignore"):
        shown = adjusted <= alpha
    directions = [part.higher_is_better for part in measured]
    place = [names.index(name) for name in top.systems]
    free = next(m for m, part in enumerate(measured) if part.metric not in margins)
    systems, sentences = [], []
    for j in place:
        # The one that gains most on the first measure without a margin says most.
        by = sorted(np.flatnonzero(shown[:, j]).tolist(), key=lambda i: measured[free].own.value[i], reverse=directions[free])
        known = adjusted[np.isfinite(adjusted[:, j]), j]
        systems.append(
            FrontierSystem(
                names[j],
                [float(part.own.value[j]) for part in measured],
                [finite(part.own.low[j]) for part in measured],
                [finite(part.own.high[j]) for part in measured],
                [names[i] for i in by],
                float(known.min()) if len(known) else None,
            )
        )
        if by:
            i = by[0]
            both = [
                (m.metric, *_both_scores(panel, i, j), margins.get(m.metric)) for m, panel in zip(measured, panels, strict=True)
            ]
            sentences.append(domination_sentence((names[i], names[j]), both, float(adjusted[i, j])))
    return Frontier(
        [part.metric for part in measured],
        directions,
        dict(margins),
        len(pairs),
        systems,
        sorted(pairs, key=lambda pair: pair.adjusted),
        sentences,
    )


def _both_scores(panel: Panel, i: int, j: int) -> tuple[float, float]:
    """The scores of two systems on the items that both have, which is what is tested."""
    first, second = (float(panel.metric.score(total)) for total in panel.pair(i, j).totals())
    return first, second


# Many systems: which one is ahead, and which differences are real.
#
# `rank_panels` takes the panels that readers produce, `assemble_ranking` takes measurements, wherever they were made.
# `design_of` says what is swapped: items, evaluation units or clusters, and how many of them there are.


SMALL = 0.001
"""The strictest level that reports distinguish."""
MAX_RESAMPLES = 199_999
"""The maximum number of swaps for a large family."""
MAX_SWAPPED = 3e7
"""Pairs times swaps above which the number of swaps is not raised: about half a minute."""
STEPPED = ("bonferroni", "holm", "shaffer")
"""Corrections that multiply the smallest p by the number of tests, whatever the others are."""
GROUPS = {"segment": "document", "word": "sentence"}
"""The names of items that are swapped as one; for other items, clusters."""


@dataclass(frozen=True, eq=False)
class Ranked:
    """A ranking, and everything measured for it, including all pairs, which `pairs_frame` turns into a table.

    For texts, `segments` computes the scores of all segments. `items` are judged one by one, where they have scores.
    """

    ranking: Ranking
    measured: Sequence[Measured]
    segments: Callable[[], str] | None = None
    items: Sequence[tuple[Panel, ItemTable]] | None = None


def rank_panels(
    panels: Sequence[Panel],
    question: Question = USUAL,
    *,
    engine: Engine | None = None,
    progress: Progress | None = None,
    further: Sequence[Sequence[Panel]] = (),
    unit: str = "items",
    group: str | None = None,
    called: Sequence[str] = (),
    other_scores: Mapping[str, Panel] | None = None,
    slices: tuple[str, Mapping[str, Sequence[Part]]] | None = None,
    margins: Mapping[str, float] | None = None,
    notes: Sequence[Note] = (),
    segments: Callable[[], str] | None = None,
    **known: Any,  # noqa: ANN401 - other fields of the result
) -> Ranked:
    """Rank the systems of panels: one panel for each dataset, `further` metrics with their own panels.

    `unit` is the name of items ("items", "segments", "words"), `group` that of items swapped as one ("sentence"),
    and `called` are the names of the metrics, if not their own; `notes` and what else is `known` go into the result.
    `other_scores` are by name; the result only tells which of them contradict the ranking. With `margins`, if only empty ones,
    the metrics are measures that have a frontier. `slices` are a column and the parts of each of its values. `segments` is for
    texts, as in the answer.

    Examples
    --------
    >>> values = np.array([[1, 1, 1, 1, 1, 1, 1], [0, 0, 0, 0, 0, 0, 0]])
    >>> rank_panels([Panel.of("mean", ("new", "old"), values)]).ranking.counts
    PairCounts(pairs=1, testable=1, significant=1)
    """
    question = _enough_swaps(question, len(panels[0].systems), 1 + len(further))
    metrics = [name_repeats(of_metric, question.repeats) for of_metric in (panels, *further)]
    panels = metrics[0]
    population, others, remarks = _populations(panels, question, metrics[1:])

    def measured_for(population: str) -> list[Measured]:
        working: dict[str, Any] = {"engine": engine, "progress": progress, "unit": unit, "sides": margins is not None}
        named = zip(metrics, called or [""] * len(metrics), strict=True)
        parts = [measure(panels, question, population=population, called=name, **working) for panels, name in named]
        return [one for of_metric in parts for one in of_metric]

    measured = measured_for(population)
    looked_at = [
        found
        for name, panel in (other_scores or {}).items()
        for found in measure([panel], question.of_other_scores(), engine=engine, progress=progress, called=name)
    ]
    other = [_counted(name, measured_for(name), question, metrics) for name in others]
    parts, left_out = _sliced(slices, question, population, engine=engine, progress=progress, unit=unit)
    found = families(measured, question)
    standings = found.standings(population=population, panels=panels)
    top = standings[0]
    beside, said = _beside(top, measured, metrics, question, population, margins, progress)
    items = items_of(panels)
    ranking = assemble_ranking(
        found,
        standings,
        slices=parts,
        **smallest_p_of(population, measured, question, metrics),
        population=population,
        other_populations=other,
        other_scores=looked_at,
        measures=margins is not None,
        design=design_of(panels, question, unit=unit, group=group),
        items=None if items is None else item_kinds(items),
        **beside,
        **known,
        notes=[*notes, *remarks, *(note for panel in panels for note in panel.notes), *left_out],
        last=[*said, *_price(top, population, other, panels), *_out_of_reach(measured, found.family, top.test, question)],
    )
    return Ranked(ranking, measured, segments, items)


def _missing(panels: Sequence[Panel], question: Question, further: Metrics = ()) -> dict[str, str]:
    """What the panels, and those of further metrics, lack for claims about each population."""
    others = [panel for of_metric in further for panel in of_metric]
    return lacking_of(panels, unit_size=question.unit_size, further=others, sampled=len(panels) == 1)


def _populations(panels: Sequence[Panel], question: Question, further: Metrics) -> tuple[str, list[str], list[Note]]:
    """The population that decides, the others that the data allow, and what there is to say of them."""
    missing = _missing(panels, question, further)
    chosen, notes = population_of(panels, question, missing)
    others = [name for name in missing if name != chosen and not missing[name]] if panels[0].repeat_kind is not None else []
    if THESE_ITEMS in others and math.comb(len(panels[0].systems), 2) > MAX_ELSEWHERE:
        others.remove(THESE_ITEMS)
        text = (
            f"With more than {MAX_ELSEWHERE:,} pairs, other populations are only tested on request: --population {THESE_ITEMS}."
        )
        notes.append(Note("runs", text))
    return chosen, others, notes


def _beside(
    top: Standing,
    measured: Sequence[Measured],
    metrics: Metrics,
    question: Question,
    population: str,
    margins: Mapping[str, float] | None,
    progress: Progress | None,
) -> tuple[dict[str, Any], list[Note]]:
    """What was asked for beside the standings: a critical difference, all systems at once, a frontier; and warnings."""
    panels, notes = metrics[0], list[Note]()
    found: dict[str, Any] = {}
    if question.critical_difference:
        found["critical_difference"] = _diagram(panels, measured, question.alpha)
    if margins is not None:
        firsts = [of_metric[0] for of_metric in metrics]
        found["frontier"], notes = frontier_of(top, measured, firsts, margins, question, population)
    if question.joint:
        found["joint"] = joint_of(panels, top, question, population, progress)
    return found, notes


def _sliced(
    slices: tuple[str, Mapping[str, Sequence[Part]]] | None,
    question: Question,
    of_whole: str,
    **how: Any,  # noqa: ANN401 - the keywords of `measure`
) -> tuple[tuple[str, list[Measured]] | None, list[Note]]:
    """What was measured on each slice, the mean over its datasets, and a note on each that cannot be ranked.

    Where the runs of an item lie in several slices, these may allow no claim about the population `of_whole`.
    """
    if slices is None:
        return None, []
    column, by_value = slices
    measured, notes = [], []
    for value, parts in by_value.items():
        panels = [part.panel for part in parts]
        try:
            population, remarks = population_of(panels, question, _missing(panels, question))
            top = measure(panels, question, population=population, **how)[-1]
        except OutscoreError as refusal:
            # A slice that is too small for the test must not stop the others.
            notes.append(Note("omission", f"Slice {column} = {value} was left out: {refusal.message}"))
            continue
        if population != of_whole:
            # A slice may have one run of each item.
            reason = next(iter(remarks), these_runs("each item was scored once"))
            notes.append(Note("runs", f"Slice {column} = {value}: {reason.text}"))
        measured.append(replace(top, dataset=value, macro=False))
    return (column, measured), notes


def _enough_swaps(question: Question, systems: int, metrics: int) -> Question:
    """The question with enough swaps for the smallest adjusted p to reach the strictest level, unless a number was given."""
    pairs = systems - 1 if question.baseline is not None else systems * (systems - 1) // 2
    tests = max(1, pairs * metrics)
    drawn = math.ceil(min(tests / SMALL, MAX_RESAMPLES, MAX_SWAPPED / tests))
    if "resamples" in question.options or question.test != "permutation" or drawn <= RESAMPLES:
        return question
    return replace(question, options={**question.options, "resamples": drawn})


def _counted(population: str, measured: Sequence[Measured], question: Question, metrics: Metrics) -> OtherPopulation:
    top = families(measured, question).tops[0].standing(keep_pairs=False)
    return OtherPopulation(population, top.test, top.counts, **smallest_p_of(population, measured, question, metrics))


def _price(top: Standing, population: str, others: Sequence[OtherPopulation], panels: Sequence[Panel]) -> list[Note]:
    """What a claim about new runs costs, where it leaves pairs open that these runs alone would tell apart."""
    alone = [one.counts.significant for one in others if one.population == ITEMS]
    if population != ITEMS_AND_RUNS or not alone or alone[0] <= top.counts.significant:
        return []
    fewest = min(runs.count for panel in panels if panel.shared_repeats is not None for runs in panel.shared_repeats.systems)
    return [Note("runs", price_of_runs(fewest))]


def _out_of_reach(measured: Sequence[Measured], family: Family, test: str, question: Question) -> list[Note]:
    """A note if there are too few swaps for the number of pairs, so that no adjusted p can be below alpha, or small."""
    alpha, drawn = question.alpha, int(str(question.options.get("resamples", RESAMPLES)))
    least = 1 / (drawn + 1)
    several = any(part.macro for part in measured)
    tops = [part.pairs for part in measured if part.macro or not several]
    sample = KINDS.index("monte-carlo")
    sampled = np.concatenate([pairs.log_p[pairs.kind == sample] for pairs in tops])
    if not len(sampled) or family.correction not in STEPPED:
        return []
    if least * family.m > alpha:
        short = f"With {drawn:,} swaps, p cannot be below {least:.2g}, which is too large for {family.m:,} tests at this alpha"
        text = f"{short}; draw more than {math.ceil(family.m / alpha):,} swaps with --resamples."
        return [Note("correction", text)]
    # A larger p comes from the data, and more swaps would not make it smaller.
    at_the_floor = math.isclose(float(np.exp(sampled.min())), least, rel_tol=1e-9)
    if least * family.m <= SMALL or test != "permutation" or not at_the_floor:
        return []
    # Smaller exact p-values take the first steps, and leave fewer for the sampled ones.
    sizes = [(pairs.kind != sample) & (pairs.log_p < math.log(least)) for pairs in tops]
    smaller = sum(int(below.sum()) for below in sizes) if family.correction != "bonferroni" else 0
    floor = format_probability((family.m - smaller) * least, 2)
    which = [part.metric for part in measured if (part.pairs.kind == sample).any()]
    about = "" if len(set(which)) == len({part.metric for part in measured}) else f" of {', '.join(dict.fromkeys(which))}"
    return [Note("correction", f"With {drawn:,} swaps, no adjusted p{about} can be below {floor}; --resamples draws more.")]


def _diagram(panels: Sequence[Panel], measured: Sequence[Measured], alpha: float) -> CriticalDifference:
    """Friedman's test and Nemenyi's critical difference, over datasets or, if there is only one, over its items."""
    systems = panels[0].systems
    if not all(panel.complete for panel in panels):
        raise OutscoreError(
            "Systems lack some items, but a critical difference needs ranks of all systems in every block.",
            "Leave the critical difference out, or keep the items that all systems have.",
        )
    over: Literal["datasets", "items"] = "datasets" if len(panels) > 1 else "items"
    if over == "items" and panels[0].clusters is not None:
        raise OutscoreError(
            "Items come in clusters, but Friedman's test needs independent blocks.",
            "Leave the critical difference out, or give several datasets.",
        )
    first = panels[0]
    if over == "datasets":
        blocks = np.array([test.own.value for test in measured[: len(panels)]])
    elif first.single_scores():
        assert first.metric.ratio is not None
        blocks = (first.rows @ np.asarray(first.metric.ratio[0])).T.astype(float)
    else:
        raise OutscoreError(
            f"{first.metric.name} gives no score per item, and there is only one dataset, so there are no blocks to rank in.",
            "Leave the critical difference out, or give several datasets.",
        )
    test = friedman(blocks, higher_is_better=first.metric.higher_is_better)
    order = np.argsort(test.mean_ranks, kind="stable")
    apart = mean_ranks_differ(np.array(test.mean_ranks)[order], test.blocks) <= alpha
    members = groups_of(np.triu(apart, 1)).members
    return CriticalDifference(
        blocks=test.blocks,
        over=over,
        mean_ranks={systems[i]: float(test.mean_ranks[i]) for i in order.tolist()},
        p=test.p,
        critical_difference=nemenyi(len(systems), test.blocks, alpha=alpha),
        groups=[[systems[int(order[i])] for i in group] for group in members],
        form=test.form,
    )


def design_of(
    panels: Sequence[Panel], question: Question = USUAL, *, unit: str = "items", group: str | None = None
) -> RankDesign:
    """The design of all panels together; `unit` is the plural name of items, `group` the name of a cluster.

    Examples
    --------
    >>> panel = Panel.of("mean", ("new", "old"), np.ones((2, 60)))
    >>> found = design_of([panel], Question(unit_size=7))
    >>> found.items, found.units, found.remainder
    (60, 8, 4)
    """
    noun, size = unit.removesuffix("s"), question.unit_size
    counts = [panel.shape[1] for panel in panels]
    grouped, known = [panel.clusters for panel in panels], panels[0].repeats
    # If systems have different items, every pair has its own units.
    whole = size > 1 and all(panel.complete for panel in panels)
    return RankDesign(
        items=sum(counts),
        noun=noun,
        group=group or GROUPS.get(noun, "cluster"),
        clusters=sum(len(np.unique(codes)) for codes in grouped if codes is not None) or None,
        unit_size=size,
        unit_statistic=question.unit_statistic,
        units=sum(count // size for count in counts) if whole else None,
        remainder=sum(count % size for count in counts) if whole else None,
        shuffle=question.shuffle if size > 1 else None,
        repeats=_repeats(panels),
        repeat_kind=panels[0].repeat_kind,
        repeat_column="" if known is None else known.column,
        reduced="" if known is None else known.reduced,
        repeats_range=_repeats_range(panels),
    )


def _repeats(panels: Sequence[Panel]) -> float:
    """How many runs a score is based on, on average."""
    return sum(int(panel.times.sum()) for panel in panels) / sum(int(panel.present.sum()) for panel in panels)


def _repeats_range(panels: Sequence[Panel]) -> tuple[int, int] | None:
    """The fewest and the most runs behind a score; None if they are equal."""
    times = np.concatenate([panel.times[panel.present] for panel in panels])
    return None if not len(times) or times.min() == times.max() else (int(times.min()), int(times.max()))
