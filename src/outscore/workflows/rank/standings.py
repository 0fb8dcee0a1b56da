"""Standings from measured pairs: the family of tests in a ranking, its correction, what follows, and the smallest p."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.numeric import LN10, LOG2, MIN_FLOAT, Array, finite
from outscore.core.records import dataclass
from outscore.core.rows import RUNS
from outscore.inference.base.question import TestRequest
from outscore.inference.describe.repeats import smallest_run_p
from outscore.inference.families import CORRECTIONS, adjust, beyond_one_table
from outscore.inference.leaderboard import MAX_GROUPS, Groups, Ordering, groups_of, order_of, rank_intervals, tiers_of
from outscore.inference.pairwise.per_pair import rows_of_pair
from outscore.inference.pairwise.table import KINDS, Measured, PairTable, baseline_of
from outscore.inference.populations import ITEMS, ITEMS_AND_RUNS
from outscore.inference.power.observed import needed_of_wins, units_needed
from outscore.inference.registry import DEFAULT
from outscore.inference.runs import smallest_log_p
from outscore.language.numbers import count
from outscore.language.verdict.ranking import Claims
from outscore.results.design import Family
from outscore.results.note import Note
from outscore.results.pvalue import Kind
from outscore.results.ranking import MAX_PAIRS, PairCounts, PairP, RankedPair, RankedSystem, Standing
from outscore.scores.panel import Panel
from outscore.workflows.question import USUAL, Question

if TYPE_CHECKING:
    import polars as pl


# Standings from measured pairs: the family of tests in a ranking, its correction, and what follows from it.
#
# A dataset's standing is its order, groups, rank intervals and pairs.


FEW_GROUPS = 26
"""Groups listed for each of very many datasets, one letter each, because nobody reads all their pairs."""

MAX_ELSEWHERE = 2_000
"""Pairs that are also tested for other populations, which takes some milliseconds each."""
MAX_NAMED = 5
"""Pairs that a warning names; the rest is counted."""


Metrics = Sequence[Sequence[Panel]]
"""The panels of all metrics that are ranked by."""


@dataclass(frozen=True, eq=False)
class Corrected:
    """Measured pairs with their adjusted p-values, nan for pairs that share no item.

    `counted` says that those pairs still count in the correction, as pairs that may be equal.
    """

    measured: Measured
    adjusted: Array
    alpha: float
    baseline: int | None = None
    counted: bool = False

    @cached_property
    def there(self) -> Array:
        """The indices of the systems that have items here."""
        return np.flatnonzero(self.measured.n > 0)

    @cached_property
    def ahead(self) -> Array:
        """+1 for pairs whose left system is better, -1 if the right one is, 0 if neither is."""
        turn = 1 if self.measured.higher_is_better else -1
        return np.asarray(turn * np.sign(np.nan_to_num(self.measured.pairs.difference))).astype(np.int64)

    @cached_property
    def significant(self) -> Array:
        """Which pairs differ, in the direction of the metric."""
        with np.errstate(invalid="ignore"):
            return np.asarray((self.adjusted <= self.alpha) & (self.ahead != 0))

    @cached_property
    def better(self) -> Array:
        """(k, k) over all systems: whether the row's system is significantly better than the column's."""
        k, pairs = len(self.measured.systems), self.measured.pairs
        better = np.zeros((k, k), dtype=bool)
        first = np.where(self.ahead > 0, pairs.left, pairs.right)
        second = np.where(self.ahead > 0, pairs.right, pairs.left)
        better[first[self.significant], second[self.significant]] = True
        return better

    @cached_property
    def ordering(self) -> Ordering:
        """The systems that have items, best first; indices are among those."""
        k, pairs = len(self.measured.systems), self.measured.pairs
        gaps = np.full((k, k), np.nan)
        gaps[pairs.left, pairs.right], gaps[pairs.right, pairs.left] = pairs.difference, -pairs.difference
        np.fill_diagonal(gaps, 0.0)
        weights = np.zeros((k, k))
        weights[pairs.left, pairs.right] = weights[pairs.right, pairs.left] = pairs.n if pairs.weight is None else pairs.weight
        some = np.ix_(self.there, self.there)
        # Systems without items here do not make the others incomplete.
        complete = self.measured.complete or bool((self.measured.n[self.there] == self.measured.items).all())
        return order_of(
            self.measured.own.value[self.there],
            gaps[some],
            complete=complete,
            higher_is_better=self.measured.higher_is_better,
            reference=self._reference,
            weights=weights[some],
        )

    @property
    def _reference(self) -> int | None:
        """The baseline's index among the systems that have items, if it is one of them."""
        places = [] if self.baseline is None else np.flatnonzero(self.there == self.baseline).tolist()
        return int(places[0]) if places else None

    @cached_property
    def order(self) -> Array:
        """Indices of the systems that have items, best first."""
        return self.there[np.array(self.ordering.order, dtype=np.int64)]

    @property
    def kind(self) -> Kind:
        """How the least certain p was computed."""
        codes = self.measured.pairs.kind[self.measured.pairs.testable]
        return cast("Kind", KINDS[int(codes.max())] if len(codes) else KINDS[0])

    def claims(self, datasets_test: str | None = None) -> Claims:
        """What the tests say about the leader, or about the baseline; `datasets_test` as in `Claims`."""
        about = int(self.order[0]) if self.baseline is None else self.baseline
        names = self.measured.systems
        others = [int(i) for i in self.order if i != about]
        pairs = self.measured.pairs
        met = np.zeros(len(names), dtype=bool)
        for first, second in ((pairs.left, pairs.right), (pairs.right, pairs.left)):
            met[second[(first == about) & pairs.testable]] = True
        return Claims(
            names[about],
            [names[i] for i in others if self.better[i, about]],
            [names[i] for i in others if self.better[about, i]],
            [names[i] for i in others if met[i] and not self.better[i, about] and not self.better[about, i]],
            self.kind,
            [names[i] for i in others if not met[i]],
            datasets_test,
        )

    def standing(self, *, keep_pairs: bool, needed: int | None = None) -> Standing:
        """The standing; without `keep_pairs` it only has the counts of pairs. `needed` is what the `closest` pair takes."""
        measured, order = self.measured, self.order
        better = self.better[np.ix_(order, order)]
        most = MAX_GROUPS if keep_pairs else FEW_GROUPS
        # With a baseline, the others were not compared with each other; and without tests there are no groups.
        grouped = self.baseline is None and bool(measured.pairs.testable.any())
        groups = groups_of(better, most=most) if grouped else Groups([], [""] * len(order))
        names = [measured.systems[i] for i in order.tolist()]
        taken = {} if needed is None else {self.closest: needed}
        counts = PairCounts(int(self.inside.sum()), int(measured.pairs.testable.sum()), int(self.significant.sum()))
        return Standing(
            name=measured.dataset,
            metric=measured.metric,
            higher_is_better=measured.higher_is_better,
            n=measured.items,
            systems=names,
            scores=self._scores(groups.letters, better, tiers_of(better) if grouped else None),
            pairs=[self._ranked_pair(i, taken.get(i)) for i in self.rows] if keep_pairs else [],
            counts=counts,
            groups=[[names[i] for i in members] for members in groups.members],
            ordered_by=self.ordering.by,
            test=measured.test,
            kernel=measured.kernel,
            interval=measured.interval,
            notes=[*measured.notes, *self._remarks(counts, groups.note)],
        )

    def _remarks(self, counts: PairCounts, note: str | None) -> list[Note]:
        notes = [] if note is None else [Note("omission", note)]
        strangers = counts.pairs - counts.testable
        verb, they = ("shares", "it does") if strangers == 1 else ("share", "they do")
        if strangers and not counts.testable:
            text = f"{count(strangers, 'pair')} {verb} no item, and scores of different items are not comparable."
            return [Note("design", text)]
        if strangers:
            role = "this correction counts them as equal" if self.counted else f"{they} not count in the correction"
            notes.append(Note("design", f"{count(strangers, 'pair')} {verb} no item, so p is 1, and {role}."))
        if self.ordering.by == "advantage":
            beside = "dataset" if self.measured.macro else "item"
            text = f"Systems have different {beside}s, so they are ordered by effects adjusted for {beside}s, not by score."
            notes.append(Note("design", text))
            notes += self._misplaced()
        if self.ordering.islands > 1 and self.baseline is None:
            sets = f"{self.ordering.islands} sets without items in common"
            notes.append(Note("design", f"The systems fall into {sets}, and ranks across sets are not comparable."))
        return notes

    def _misplaced(self) -> list[Note]:
        """A warning if a system is placed below one that it is significantly better than on the data that both have."""
        better = self.better[np.ix_(self.order, self.order)]
        wrong = np.argwhere(np.tril(better, -1))
        if self.baseline is not None or not len(wrong):
            return []
        names = [self.measured.systems[i] for i in self.order.tolist()]
        shown = [f"{names[low]} (place {low + 1}) than {names[high]} ({high + 1})" for low, high in wrong[:MAX_NAMED].tolist()]
        more = f" and {len(wrong) - MAX_NAMED:,} more" if len(wrong) > MAX_NAMED else ""
        start = f"In {count(len(wrong), 'pair')}, the system placed lower is significantly better on the items that both have"
        return [Note("warning", f"{start}: {', '.join(shown)}{more}. Their places depend on other items; trust the pairs.")]

    def _scores(self, letters: Sequence[str], better: Array, tiers: Array | None) -> list[RankedSystem]:
        measured = self.measured
        lowest, highest = rank_intervals(better)
        advantage = self.ordering.value[np.array(self.ordering.order)] if self.ordering.by == "advantage" else None
        return [
            RankedSystem(
                system=measured.systems[i],
                value=float(measured.own.value[i]),
                low=finite(measured.own.low[i]),
                high=finite(measured.own.high[i]),
                rank_low=int(lowest[place]),
                rank_high=int(highest[place]),
                n=int(measured.n[i]),
                letters=letters[place],
                advantage=None if advantage is None else finite(advantage[place]),
                tier=None if tiers is None else int(tiers[place]),
            )
            for place, i in enumerate(self.order.tolist())
        ]

    @cached_property
    def inside(self) -> Array:
        """Which pairs are of systems that have items here."""
        return np.isin(self.measured.pairs.left, self.order) & np.isin(self.measured.pairs.right, self.order)

    @cached_property
    def places(self) -> Array:
        """The place of each system in the order; -1 of those that have no items here."""
        place = np.full(len(self.measured.systems), -1)
        place[self.order] = np.arange(len(self.order))
        return place

    @cached_property
    def turned(self) -> Array:
        """Which pairs are shown with the right system first: the better one is, but a baseline comes second."""
        left, right = self.measured.pairs.left, self.measured.pairs.right
        if self.baseline is not None:
            return np.zeros(len(left), dtype=bool)
        # If two systems are equal, the one in the better place comes first.
        return np.asarray((self.ahead < 0) | ((self.ahead == 0) & (self.places[left] > self.places[right])))

    @cached_property
    def rows(self) -> list[int]:
        """The pairs in order of place."""
        left, right = self.measured.pairs.left, self.measured.pairs.right
        first, second = np.where(self.turned, right, left), np.where(self.turned, left, right)
        rows = np.flatnonzero(self.inside)
        found: list[int] = rows[np.lexsort((self.places[second[rows]], self.places[first[rows]]))].tolist()
        return found

    @cached_property
    def closest(self) -> int | None:
        """Of the undecided pairs with the leader, or the baseline, the one with the smallest p."""
        pairs, centre = self.measured.pairs, int(self.order[0]) if self.baseline is None else self.baseline
        with np.errstate(invalid="ignore"):
            undecided = (self.adjusted > self.alpha) & (np.nan_to_num(pairs.difference) != 0)
        undecided &= (pairs.left == centre) | (pairs.right == centre)
        return min((i for i in self.rows if undecided[i]), key=lambda i: float(pairs.p[i]), default=None)

    def _ranked_pair(self, i: int, needed: int | None) -> RankedPair:
        pairs, names = self.measured.pairs, self.measured.systems
        ends = (float(pairs.low[i]), float(pairs.high[i]))
        difference = float(pairs.difference[i])
        systems = (names[int(pairs.left[i])], names[int(pairs.right[i])])
        if self.turned[i]:
            # Subtracted from 0, so that no difference becomes -0.
            systems, difference, ends = systems[::-1], 0.0 - difference, (0.0 - ends[1], 0.0 - ends[0])
        note = pairs.remarks.get(i)
        if not pairs.n[i]:
            note = "They share no item."
        kind = cast("Kind", KINDS[int(pairs.kind[i])])
        p = PairP(
            float(pairs.reported[i]),
            float(pairs.log_reported[i]) / LN10 + 0.0,
            kind,
            finite(self.adjusted[i]),
            float(pairs.p[i]) if kind == "certified" else None,
        )
        low, high = map(finite, ends)
        return RankedPair(systems, int(pairs.n[i]), finite(difference), low, high, p, note, needed)


@dataclass(frozen=True, eq=False)
class Families:
    """The tables of the answer, one for each metric, and those of the datasets, each set with its family."""

    question: Question
    tops: list[Corrected]
    family: Family
    parts: list[Corrected]
    parts_family: Family | None

    @property
    def keep_pairs(self) -> bool:
        """Whether there are few enough pairs to list them all."""
        return sum(len(table.measured.pairs) for table in (*self.tops, *self.parts)) <= MAX_PAIRS

    def standings(self, *, population: str = ITEMS, panels: Sequence[Panel] = ()) -> list[Standing]:
        """The standings of the answer, one for each metric; the first one also says what its closest pair takes.

        That is known for claims about new items, from counts of right-or-wrong items or from the `panels` of the first metric.
        """
        top, *rest = self.tops
        needed = _needed(top, self.question, panels) if self.keep_pairs and population == ITEMS else None
        first = top.standing(keep_pairs=self.keep_pairs, needed=needed)
        return [first, *(table.standing(keep_pairs=self.keep_pairs) for table in rest)]


def _needed(top: Corrected, question: Question, panels: Sequence[Panel]) -> int | None:
    """How many items, or what is swapped as one, would decide the closest pair; a macro average has no such number."""
    i, measured, pairs = top.closest, top.measured, top.measured.pairs
    if i is None or measured.macro or pairs.p[i] <= top.alpha:
        return None
    needed = None
    if pairs.wins is not None and pairs.losses is not None and measured.unit in ("items", "segments"):
        needed = needed_of_wins(int(pairs.wins[i]), int(pairs.losses[i]), int(pairs.n[i]), top.alpha)
    if needed is not None or len(panels) != 1:
        return needed
    (panel,) = panels
    rows = rows_of_pair(panel, int(pairs.left[i]), int(pairs.right[i]), question.units)
    return units_needed(rows, panel.metric, TestRequest(alpha=top.alpha, seed=question.seed), question.entry)


def families(measured: Sequence[Measured], question: Question = USUAL) -> Families:
    """One correction over all pairs of the answer that share items, and one over those of all datasets."""
    question.check_family()
    correction, alpha = question.correction, question.alpha
    base = baseline_of(measured[0].systems, question.baseline)
    tops = [entry for entry in measured if entry.macro or _alone(entry, measured)]
    parts = [entry for entry in measured if not entry.macro and not _alone(entry, measured)]
    first, family = _correct(tops, correction, alpha, base)
    second, second_family = _correct(parts, beyond_one_table(correction), alpha, base) if parts else ([], None)
    return Families(question, first, family, second, second_family)


def parts_of(measured: Sequence[Measured], question: Question) -> tuple[list[Corrected], Family]:
    """One correction over the pairs of all parts of the data, such as slices."""
    base = baseline_of(measured[0].systems, question.baseline)
    return _correct(measured, beyond_one_table(question.correction), question.alpha, base)


def pairs_frame(measured: Sequence[Measured], question: Question = USUAL) -> pl.DataFrame:
    """All pairs of all datasets and metrics as one table, adjusted p included; `write_parquet` saves it.

    The macro average has no dataset. Differences are left - right, raw.

    Examples
    --------
    >>> from outscore.workflows.rank.measure import measure
    >>> from outscore.scores.panel import Panel
    >>> values = np.array([[1, 1, 1, 1, 1, 1], [0, 0, 0, 0, 0, 1]])
    >>> frame = pairs_frame(measure([Panel.of("mean", ("new", "old"), values)]))
    >>> frame["left"].to_list(), frame["p"].to_list(), frame["n"].to_list()
    (['new'], [0.0625], [6])
    """
    import polars as pl

    corrected = families(measured, question)
    return pl.concat([_frame(table) for table in (*corrected.tops, *corrected.parts)])


def _frame(table: Corrected) -> pl.DataFrame:
    import polars as pl

    measured, pairs = table.measured, table.measured.pairs
    names = pl.Series(list(measured.systems), dtype=pl.String)
    return pl.DataFrame(
        {
            "dataset": pl.Series([measured.dataset], dtype=pl.String).new_from_index(0, len(pairs)),
            "metric": pl.Series([measured.metric]).new_from_index(0, len(pairs)),
            "left": names.gather(pairs.left),
            "right": names.gather(pairs.right),
            "n": pairs.n.astype(np.int64),
            "difference": pairs.difference.astype(float),
            "low": pairs.low.astype(float),
            "high": pairs.high.astype(float),
            "p": pairs.reported,
            "log10_p": pairs.log_reported / LN10 + 0.0,
            "adjusted_p": table.adjusted,
            "method": pl.Series(list(KINDS)).gather(pairs.kind.astype(np.int64)),
            "significant": table.significant,
        }
    )


def _alone(entry: Measured, entries: Sequence[Measured]) -> bool:
    """Whether a dataset is the only one of its metric."""
    return sum(1 for other in entries if other.metric == entry.metric and not other.macro) == 1


def _correct(tables: Sequence[Measured], correction: str, alpha: float, baseline: int | None) -> tuple[list[Corrected], Family]:
    """One family of all pairs in the tables that share items."""
    testable = [table.pairs.testable for table in tables]
    entry = CORRECTIONS[correction]
    p = np.concatenate([table.pairs.p[tested] for table, tested in zip(tables, testable, strict=True)])
    whole = _all_pairs(tables, correction) if entry.all_pairs else None
    adjusted = adjust(p, correction) if whole is None else whole[np.concatenate(testable)]
    out, start = [], 0
    for table, tested in zip(tables, testable, strict=True):
        mine = np.full(len(tested), np.nan)
        size = int(tested.sum())
        mine[tested] = adjusted[start : start + size]
        start += size
        out.append(Corrected(table, mine, alpha, baseline, counted=entry.all_pairs))
    return out, Family(correction, entry.error_rate, len(p) if whole is None else len(whole))


def _all_pairs(tables: Sequence[Measured], correction: str) -> Array:
    """A correction for all pairs of some systems; pairs that share no item count as never rejected."""
    if len(tables) > 1:
        raise OutscoreError(
            f"Correction `{correction}` is for the pairs of one table, but there are {len(tables)} metrics.", "Use `holm`."
        )
    return adjust(tables[0].pairs.p, correction, systems=len(tables[0].systems))


# The smallest p that the items and runs of a ranking can give, for each claim.


def smallest_p_of(population: str, measured: Sequence[Measured], question: Question, metrics: Metrics) -> dict[str, Any]:
    """The smallest p that a pair can reach, and the smallest adjusted one, if every pair reached its own; none if unknown."""
    parts = len(measured) // len(metrics)
    least = []
    for i, panels in enumerate(metrics):
        own = measured[i * parts : (i + 1) * parts]
        log_p = _smallest_log_p(population, panels, own[-1].pairs, question)
        if log_p is None:
            return {}
        least += [replace(part, pairs=replace(part.pairs, log_p=log_p)) for part in own]
    top = families(least, question).tops[0]
    testable = top.measured.pairs.testable
    # Adjusted or not, p as floats are those of the table; what is too small for a number is no limit.
    if not testable.any() or float(top.measured.pairs.p[testable].min()) <= MIN_FLOAT:
        return {}
    return {
        "smallest_p": float(top.measured.pairs.p[testable].min()),
        "smallest_adjusted_p": float(top.adjusted[testable].min()),
    }


def _smallest_log_p(population: str, panels: Sequence[Panel], pairs: PairTable, question: Question) -> Array | None:
    """The log of the smallest p that the items and runs of each pair can give; None if there is no limit, or it is not known.

    Without repeats there is one claim only, whose p says all.
    """
    repeats = panels[0].shared_repeats
    unknown = population == ITEMS_AND_RUNS or question.unit_size != 1
    if repeats is None or repeats.reduced or unknown or len(pairs) > MAX_ELSEWHERE:
        return None
    both = list(zip(pairs.left.tolist(), pairs.right.tolist(), strict=True))
    if population == ITEMS:
        return _smallest_of_items(panels, both) if question.test == DEFAULT else None
    if repeats.kind == RUNS:
        runs = [known.count for known in repeats.systems]
        return np.array([math.log(smallest_run_p(runs[i], runs[j])) for i, j in both])
    return _smallest_of_epochs(panels, both)


def _smallest_of_items(panels: Sequence[Panel], both: Sequence[tuple[int, int]]) -> Array:
    """Swaps of all items, or clusters, in the same direction."""
    units = np.zeros(len(both))
    for panel in panels:
        for row, (i, j) in enumerate(both):
            shared = panel.present[i] & panel.present[j]
            units[row] += np.count_nonzero(shared) if panel.clusters is None else len(np.unique(panel.clusters[shared]))
    return np.minimum((1 - units) * LOG2, 0.0)


def _smallest_of_epochs(panels: Sequence[Panel], both: Sequence[tuple[int, int]]) -> Array:
    """The most extreme division of the runs of every item."""
    log_p = []
    for i, j in both:
        times = np.concatenate([panel.times[[i, j]] for panel in panels], axis=1)
        log_p.append(smallest_log_p(*times[:, (times > 0).all(axis=0)].tolist()))
    return np.array(log_p)
