"""Many systems: which one is ahead, and which differences are real.

`rank_panels` takes the panels that readers produce, `assemble_ranking` takes measurements, wherever they were made.
`design_of` says what is swapped: items, evaluation units or clusters, and how many of them there are.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.records import dataclass
from outscore.engine.engines import Engine
from outscore.engine.progress import Progress
from outscore.inference.base.question import TestRequest
from outscore.inference.classical.friedman import critical_difference as nemenyi
from outscore.inference.classical.friedman import friedman, mean_ranks_differ
from outscore.inference.leaderboard import groups_of
from outscore.inference.pairwise.table import KINDS, Measured
from outscore.inference.populations import ITEMS, ITEMS_AND_RUNS
from outscore.inference.power.observed import items_needed
from outscore.inference.two_way import price_of_runs
from outscore.language.numbers import format_probability
from outscore.results.note import Note
from outscore.results.ranking import CriticalDifference, OtherPopulation, RankDesign, Ranking
from outscore.scores.panel import Panel, name_repeats
from outscore.workflows.rank.assemble import assemble_ranking, with_duplicates
from outscore.workflows.rank.frontier import with_frontier
from outscore.workflows.rank.items import JudgedItems, item_kinds, judged_items
from outscore.workflows.rank.joint import joint_of
from outscore.workflows.rank.measure import measure
from outscore.workflows.rank.populations import Metrics, population_of
from outscore.workflows.rank.question import USUAL, Question
from outscore.workflows.rank.smallest import smallest_p_of
from outscore.workflows.rank.standings import families
from outscore.workflows.validate import deciding_entry

if TYPE_CHECKING:
    from outscore.workflows.texts.members import SegmentScores

SMALL = 0.001
"""The strictest level that reports distinguish."""
RESAMPLES, MAX_RESAMPLES = 9_999, 199_999
"""The default number of swaps, and the maximum for a large family."""
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
    segments: Callable[[], SegmentScores] | None = None
    items: Sequence[JudgedItems] | None = None


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
    margins: Mapping[str, float] | None = None,
    settings: Mapping[str, Any] | None = None,
    notes: Sequence[Note] = (),
) -> Ranked:
    """Rank the systems of panels: one panel for each dataset, `further` metrics with their own panels.

    `unit` is the name of items ("items", "segments", "words"), `group` that of items swapped as one ("sentence"),
    and `called` are the names of the metrics, if not their own; `settings` and `notes` go into the result as they are.
    `other_scores` are by name; the result only tells which of them contradict the ranking. With `margins`, if only empty ones,
    the metrics are measures that have a frontier.

    Examples
    --------
    >>> values = np.array([[1, 1, 1, 1, 1, 1, 1], [0, 0, 0, 0, 0, 0, 0]])
    >>> rank_panels([Panel.of("mean", ("new", "old"), values)]).ranking.counts
    PairCounts(pairs=1, testable=1, significant=1)
    """
    question = _enough_swaps(question, len(panels[0].systems), 1 + len(further))
    metrics = [name_repeats(of_metric, question.repeats) for of_metric in (panels, *further)]
    panels = metrics[0]
    population, others, remarks = population_of(panels, question, metrics)

    def measured_for(population: str) -> list[Measured]:
        measured: list[Measured] = []
        for i, of_metric in enumerate(metrics):
            working: dict[str, Any] = {"engine": engine, "progress": progress, "unit": unit, "sides": margins is not None}
            parts = measure(of_metric, question, population=population, **working)
            measured += [replace(part, metric=called[i]) for part in parts] if called else parts
        return measured

    measured = measured_for(population)
    looked_at = [
        replace(found, metric=name)
        for name, panel in (other_scores or {}).items()
        for found in measure([panel], question.of_other_scores(), engine=engine, progress=progress)
    ]
    other = [_counted(name, measured_for(name), question, metrics) for name in others]
    ranking = assemble_ranking(
        measured,
        question,
        population=population,
        other_populations=other,
        other_scores=looked_at,
        measures=margins is not None,
        critical_difference=_diagram(panels, measured, question.alpha) if question.critical_difference else None,
        design=design_of(panels, question, unit=unit, group=group),
        settings=settings,
        notes=[*notes, *remarks, *(note for panel in panels for note in panel.notes)],
    )
    ranking = _with_outlook(ranking, panels, question)
    smallest, adjusted = smallest_p_of(population, measured, question, metrics)
    notes = [*ranking.notes, *_price(ranking, panels)]
    ranking = replace(ranking, smallest_p=smallest, smallest_adjusted_p=adjusted, notes=notes)
    if margins is not None:
        ranking = with_frontier(ranking, measured, [of_metric[0] for of_metric in metrics], margins, question)
    if question.joint:
        ranking = replace(ranking, joint=joint_of(panels, ranking, seed=question.seed, progress=progress))
    return _with_items(ranking, measured, panels, question)


def _with_items(ranking: Ranking, measured: Sequence[Measured], panels: Sequence[Panel], question: Question) -> Ranked:
    """The ranking with what single items say, rows that repeat one another, and whether enough swaps were drawn."""
    judged = judged_items(panels)
    ranking = ranking if judged is None else replace(ranking, items=item_kinds(judged))
    drawn = int(str(question.options.get("resamples", RESAMPLES)))
    ranking = with_duplicates(ranking, sum(one.duplicates for one in panels), sum(one.conflicts for one in panels))
    ranking = replace(ranking, notes=[*ranking.notes, *_out_of_reach(measured, ranking, drawn)])
    return Ranked(ranking, measured, items=judged)


def _with_outlook(ranking: Ranking, panels: Sequence[Panel], question: Question) -> Ranking:
    """The ranking with the items that would decide the pair closest to it; a macro average has no number of items."""
    nearest = ranking.closest_to_decided
    single = len(panels) == 1 and question.unit_size == 1 and ranking.population == ITEMS
    if nearest is None or nearest.needed is not None or not single or nearest.p.value <= question.alpha:
        return ranking
    panel, entry = panels[0], deciding_entry(question.test)
    places = (panel.systems.index(name) for name in nearest.systems)
    request = TestRequest(alpha=question.alpha, seed=question.seed)
    needed = items_needed(panel.pair(*places), panel.metric, request, entry)
    return ranking.with_needed(nearest, needed)


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
    return OtherPopulation(population, top.test, top.counts, *smallest_p_of(population, measured, question, metrics))


def _price(ranking: Ranking, panels: Sequence[Panel]) -> list[Note]:
    """What a claim about new runs costs, where it leaves pairs open that these runs alone would tell apart."""
    alone = [one.counts.significant for one in ranking.other_populations if one.population == ITEMS]
    if ranking.population != ITEMS_AND_RUNS or not alone or alone[0] <= ranking.counts.significant:
        return []
    fewest = min(runs.count for panel in panels if panel.shared_repeats is not None for runs in panel.shared_repeats.systems)
    return [Note("runs", price_of_runs(fewest))]


def _out_of_reach(measured: Sequence[Measured], ranking: Ranking, drawn: int) -> list[Note]:
    """A note if there are too few swaps for the number of pairs, so that no adjusted p can be below alpha, or small."""
    family, least = ranking.family, 1 / (drawn + 1)
    several = any(part.macro for part in measured)
    tops = [part.pairs for part in measured if part.macro or not several]
    sample = KINDS.index("monte-carlo")
    sampled = np.concatenate([pairs.log_p[pairs.kind == sample] for pairs in tops])
    if not len(sampled) or family.correction not in STEPPED:
        return []
    if least * family.m > ranking.alpha:
        short = f"With {drawn:,} swaps, p cannot be below {least:.2g}, which is too large for {family.m:,} tests at this alpha"
        text = f"{short}; draw more than {math.ceil(family.m / ranking.alpha):,} swaps with --resamples."
        return [Note("correction", text)]
    # A larger p comes from the data, and more swaps would not make it smaller.
    at_the_floor = math.isclose(float(np.exp(sampled.min())), least, rel_tol=1e-9)
    if least * family.m <= SMALL or ranking.test != "permutation" or not at_the_floor:
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
        blocks = np.array([test.value for test in measured[: len(panels)]])
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
