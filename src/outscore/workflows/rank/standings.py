"""Standings from measured pairs: the family of tests that a ranking makes, its one correction, and what follows from it.

A dataset's standing is its order, groups, rank intervals and pairs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, cast

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.numeric import LN10, Array
from outscore.core.records import dataclass
from outscore.inference.families.multiplicity import CORRECTIONS, adjust
from outscore.inference.leaderboard.ordering import MAX_GROUPS, Groups, Ordering, groups_of, order_of, rank_intervals
from outscore.inference.pairwise.systems import baseline_of
from outscore.inference.pairwise.table import KINDS, Measured
from outscore.language.numbers import count
from outscore.language.verdict.ranking import Claims
from outscore.results.design import Family
from outscore.results.note import Note
from outscore.results.pvalue import Kind
from outscore.results.ranking import PairCounts, PairP, RankedPair, RankedSystem, Standing
from outscore.workflows.rank.question import USUAL, Question

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Corrected", "Families", "families", "pairs_frame"]

FEW_GROUPS = 26
"""Groups listed for each of very many datasets, whose pairs nobody reads one by one: a letter each."""

MAX_NAMED = 5
"""Pairs that a warning names; of more, the rest is counted."""


@dataclass(frozen=True, eq=False)
class Corrected:
    """Measured pairs with their adjusted p-values, nan for pairs that share no item.

    `counted` says that those count in the correction nevertheless, as pairs that may be equal.
    """

    measured: Measured
    adjusted: Array
    alpha: float
    baseline: int | None = None
    counted: bool = False

    @cached_property
    def there(self) -> Array:
        """The systems that have items here, by number."""
        return np.flatnonzero(self.measured.n > 0)

    @cached_property
    def ahead(self) -> Array:
        """+1 for pairs whose left system is better, -1 where the right one is, 0 where neither is."""
        turn = 1 if self.measured.higher_is_better else -1
        return np.asarray(turn * np.sign(np.nan_to_num(self.measured.pairs.difference))).astype(np.int64)

    @cached_property
    def significant(self) -> Array:
        """Which pairs differ, in the direction of the metric."""
        with np.errstate(invalid="ignore"):
            return np.asarray((self.adjusted <= self.alpha) & (self.ahead != 0))

    @cached_property
    def better(self) -> Array:
        """(k, k) over all systems: whether the row's is significantly better than the column's."""
        k, pairs = len(self.measured.systems), self.measured.pairs
        found = np.zeros((k, k), dtype=bool)
        first = np.where(self.ahead > 0, pairs.left, pairs.right)
        second = np.where(self.ahead > 0, pairs.right, pairs.left)
        found[first[self.significant], second[self.significant]] = True
        return found

    @cached_property
    def ordering(self) -> Ordering:
        """The systems that have items, best first; numbers count among those."""
        k, pairs = len(self.measured.systems), self.measured.pairs
        gaps = np.full((k, k), np.nan)
        gaps[pairs.left, pairs.right], gaps[pairs.right, pairs.left] = pairs.difference, -pairs.difference
        np.fill_diagonal(gaps, 0.0)
        weights = np.zeros((k, k))
        weights[pairs.left, pairs.right] = weights[pairs.right, pairs.left] = pairs.n if pairs.weight is None else pairs.weight
        some = np.ix_(self.there, self.there)
        # Systems that have nothing here do not make the others incomplete.
        complete = self.measured.complete or bool((self.measured.n[self.there] == self.measured.items).all())
        return order_of(
            self.measured.value[self.there],
            gaps[some],
            complete=complete,
            higher_is_better=self.measured.higher_is_better,
            reference=self._reference,
            weights=weights[some],
        )

    @property
    def _reference(self) -> int | None:
        """The baseline's number among the systems that have items, if it is one of them."""
        found = [] if self.baseline is None else np.flatnonzero(self.there == self.baseline).tolist()
        return int(found[0]) if found else None

    @cached_property
    def order(self) -> Array:
        """Numbers of the systems that have items, best first."""
        return self.there[np.array(self.ordering.order, dtype=np.int64)]

    @property
    def kind(self) -> Kind:
        """How the least certain p came about."""
        codes = self.measured.pairs.kind[self.measured.pairs.testable]
        return cast("Kind", KINDS[int(codes.max())] if len(codes) else KINDS[0])

    def claims(self) -> Claims:
        """What the tests say about the leader, or about the baseline."""
        about = int(self.order[0]) if self.baseline is None else self.baseline
        names = self.measured.systems
        others = [int(i) for i in self.order if i != about]
        pairs = self.measured.pairs
        met = np.zeros(len(names), dtype=bool)
        for one, other in ((pairs.left, pairs.right), (pairs.right, pairs.left)):
            met[other[(one == about) & pairs.testable]] = True
        return Claims(
            names[about],
            [names[i] for i in others if self.better[i, about]],
            [names[i] for i in others if self.better[about, i]],
            [names[i] for i in others if met[i] and not self.better[i, about] and not self.better[about, i]],
            self.kind,
            [names[i] for i in others if not met[i]],
        )

    def standing(self, *, keep_pairs: bool) -> Standing:
        """The result; without `keep_pairs` only the pairs' counts stay."""
        found, order = self.measured, self.order
        better = self.better[np.ix_(order, order)]
        most = MAX_GROUPS if keep_pairs else FEW_GROUPS
        # Nobody was compared with a baseline's rivals, and where nothing could be tested there is nothing to group by.
        grouped = self.baseline is None and bool(found.pairs.testable.any())
        groups = groups_of(better, most=most) if grouped else Groups([], [""] * len(order))
        names = [found.systems[i] for i in order.tolist()]
        inside = np.isin(found.pairs.left, order) & np.isin(found.pairs.right, order)
        counts = PairCounts(int(inside.sum()), int(found.pairs.testable.sum()), int(self.significant.sum()))
        return Standing(
            name=found.dataset,
            metric=found.metric,
            higher_is_better=found.higher_is_better,
            n=found.items,
            systems=names,
            scores=self._scores(groups.letters, better),
            pairs=self._ranked_pairs(inside) if keep_pairs else [],
            counts=counts,
            groups=[[names[i] for i in members] for members in groups.members],
            ordered_by=self.ordering.by,
            test=found.test,
            kernel=found.kernel,
            interval=found.interval,
            notes=[*found.notes, *self._remarks(counts, groups.note)],
        )

    def _remarks(self, counts: PairCounts, note: str | None) -> list[Note]:
        notes = [] if note is None else [Note("omission", note)]
        strangers = counts.pairs - counts.testable
        verb, they = ("shares", "it does") if strangers == 1 else ("share", "they do")
        if strangers and not counts.testable:
            text = f"{count(strangers, 'pair')} {verb} no item: the scores of different items are not comparable."
            return [Note("design", text)]
        if strangers:
            role = "this correction counts them as equal" if self.counted else f"{they} not count in the correction"
            notes.append(Note("design", f"{count(strangers, 'pair')} {verb} no item: p is 1, and {role}."))
        if self.ordering.by == "advantage":
            beside = "dataset" if self.measured.macro else "item"
            text = f"Systems have different {beside}s: they are ordered by effects beside those of {beside}s, not by score."
            notes.append(Note("design", text))
            notes += self._contradictions()
        if self.ordering.islands > 1 and self.baseline is None:
            sets = f"{self.ordering.islands} sets without items in common"
            notes.append(Note("design", f"The systems fall into {sets}; ranks across them are not comparable."))
        return notes

    def _contradictions(self) -> list[Note]:
        """A warning where a system stands below another that it is significantly better than, on what both have."""
        better = self.better[np.ix_(self.order, self.order)]
        wrong = np.argwhere(np.tril(better, -1))
        if self.baseline is not None or not len(wrong):
            return []
        names = [self.measured.systems[i] for i in self.order.tolist()]
        shown = [f"{names[low]} (place {low + 1}) than {names[high]} ({high + 1})" for low, high in wrong[:MAX_NAMED].tolist()]
        more = f" and {len(wrong) - MAX_NAMED:,} more" if len(wrong) > MAX_NAMED else ""
        start = f"In {count(len(wrong), 'pair')} the system that is placed lower is significantly better on what both have"
        return [Note("warning", f"{start}: {', '.join(shown)}{more}. Their places rest on other items; trust the pairs.")]

    def _scores(self, letters: Sequence[str], better: Array) -> list[RankedSystem]:
        found = self.measured
        lowest, highest = rank_intervals(better)
        advantage = self.ordering.value[np.array(self.ordering.order)] if self.ordering.by == "advantage" else None
        return [
            RankedSystem(
                system=found.systems[i],
                value=float(found.value[i]),
                low=_finite(found.low[i]),
                high=_finite(found.high[i]),
                rank_low=int(lowest[place]),
                rank_high=int(highest[place]),
                n=int(found.n[i]),
                letters=letters[place],
                advantage=None if advantage is None else _finite(advantage[place]),
            )
            for place, i in enumerate(self.order.tolist())
        ]

    def _ranked_pairs(self, inside: Array) -> list[RankedPair]:
        """The better system first, by place; with a baseline that comes second."""
        place = np.full(len(self.measured.systems), -1)
        place[self.order] = np.arange(len(self.order))
        left, right = self.measured.pairs.left, self.measured.pairs.right
        # Of equal systems the one of the better place comes first.
        turned = (self.ahead < 0) | ((self.ahead == 0) & (place[left] > place[right]))
        if self.baseline is not None:
            turned = np.zeros(len(left), dtype=bool)
        first, second = np.where(turned, right, left), np.where(turned, left, right)
        rows = np.flatnonzero(inside)
        rows = rows[np.lexsort((place[second[rows]], place[first[rows]]))]
        return [self._ranked_pair(int(i), turned=bool(turned[i])) for i in rows]

    def _ranked_pair(self, i: int, *, turned: bool) -> RankedPair:
        pairs, names = self.measured.pairs, self.measured.systems
        ends = (float(pairs.low[i]), float(pairs.high[i]))
        difference = float(pairs.difference[i])
        systems = (names[int(pairs.left[i])], names[int(pairs.right[i])])
        if turned:
            # Taken from 0, so that no difference becomes -0.
            systems, difference, ends = systems[::-1], 0.0 - difference, (0.0 - ends[1], 0.0 - ends[0])
        note = pairs.remarks.get(i)
        if not pairs.n[i]:
            note = "They share no item."
        kind = cast("Kind", KINDS[int(pairs.kind[i])])
        p = PairP(float(pairs.p[i]), float(pairs.log_p[i]) / LN10 + 0.0, kind, _finite(self.adjusted[i]))
        return RankedPair(systems, int(pairs.n[i]), _finite(difference), _finite(ends[0]), _finite(ends[1]), p, note)


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


@dataclass(frozen=True, eq=False)
class Families:
    """The tables of the answer, one for each metric, and those of the datasets; each set with its family."""

    tops: list[Corrected]
    family: Family
    parts: list[Corrected]
    parts_family: Family | None


def families(measured: Sequence[Measured], question: Question) -> Families:
    """One correction over all pairs of the answer that share items, and one over those of all datasets."""
    question.check_family()
    correction, alpha = question.correction, question.alpha
    base = baseline_of(measured[0].systems, question.baseline)
    tops = [found for found in measured if found.macro or _alone(found, measured)]
    parts = [found for found in measured if not found.macro and not _alone(found, measured)]
    first, family = _correct(tops, correction, alpha, base)
    second, second_family = _correct(parts, _for_datasets(correction), alpha, base) if parts else ([], None)
    return Families(first, family, second, second_family)


def pairs_frame(measured: Sequence[Measured], question: Question = USUAL) -> pl.DataFrame:
    """All pairs of all datasets and metrics as one table, adjusted p included; `write_parquet` saves it.

    The macro average has no dataset. Differences are left - right, raw.

    Examples
    --------
    >>> from outscore.workflows.rank.measure import measure
    >>> from outscore.scores.board import Board
    >>> values = np.array([[1, 1, 1, 1, 1, 1], [0, 0, 0, 0, 0, 1]])
    >>> frame = pairs_frame(measure([Board(("new", "old"), values, np.ones((2, 6), dtype=bool))]))
    >>> frame["left"].to_list(), frame["p"].to_list(), frame["n"].to_list()
    (['new'], [0.0625], [6])
    """
    import polars as pl

    found = families(measured, question)
    return pl.concat([_frame(table) for table in (*found.tops, *found.parts)])


def _frame(table: Corrected) -> pl.DataFrame:
    import polars as pl

    found, pairs = table.measured, table.measured.pairs
    names = pl.Series(list(found.systems), dtype=pl.String)
    return pl.DataFrame(
        {
            "dataset": pl.Series([found.dataset], dtype=pl.String).new_from_index(0, len(pairs)),
            "metric": pl.Series([found.metric]).new_from_index(0, len(pairs)),
            "left": names.gather(pairs.left),
            "right": names.gather(pairs.right),
            "n": pairs.n.astype(np.int64),
            "difference": pairs.difference.astype(float),
            "low": pairs.low.astype(float),
            "high": pairs.high.astype(float),
            "p": pairs.p,
            "log10_p": pairs.log_p / LN10 + 0.0,
            "adjusted_p": table.adjusted,
            "method": pl.Series(list(KINDS)).gather(pairs.kind.astype(np.int64)),
            "significant": table.significant,
        }
    )


def _alone(found: Measured, entries: Sequence[Measured]) -> bool:
    """Whether a dataset is the only one of its metric."""
    return sum(1 for other in entries if other.metric == found.metric and not other.macro) == 1


def _for_datasets(correction: str) -> str:
    """Shaffer's argument is about the pairs of one table; over several, Holm holds."""
    return "holm" if CORRECTIONS[correction].all_pairs else correction


def _correct(tables: Sequence[Measured], correction: str, alpha: float, baseline: int | None) -> tuple[list[Corrected], Family]:
    """One family of all pairs in the tables that share items."""
    testable = [found.pairs.testable for found in tables]
    entry = CORRECTIONS[correction]
    p = np.concatenate([found.pairs.p[tested] for found, tested in zip(tables, testable, strict=True)])
    whole = _all_pairs(tables, correction) if entry.all_pairs else None
    adjusted = adjust(p, correction) if whole is None else whole[np.concatenate(testable)]
    out, start = [], 0
    for found, tested in zip(tables, testable, strict=True):
        mine = np.full(len(tested), np.nan)
        size = int(tested.sum())
        mine[tested] = adjusted[start : start + size]
        start += size
        out.append(Corrected(found, mine, alpha, baseline, counted=entry.all_pairs))
    return out, Family(correction, entry.error_rate, len(p) if whole is None else len(whole))


def _all_pairs(tables: Sequence[Measured], correction: str) -> Array:
    """A correction for all pairs of some systems; pairs that share nothing count as never rejected."""
    if len(tables) > 1:
        raise OutscoreError(
            f"Correction `{correction}` is for the pairs of one table, and there are {len(tables)} metrics.", "Use `holm`."
        )
    return adjust(tables[0].pairs.p, correction, systems=len(tables[0].systems))
