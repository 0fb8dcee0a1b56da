"""From boards to measured pairs: how each kind of data is tested, and the engine that does the work.

============================================================  =====================================================
right-or-wrong items; `permutation`, exact `mcnemar`          all pairs at once, from counts
one score per item; `permutation`                             exact or certified, pair by pair; Student's interval
corpus scores, ratios; `permutation`, all systems complete    exact where a kernel serves, else one set of sign flips
everything else                                               the test's own entry, pair by pair
============================================================  =====================================================
"""

from __future__ import annotations

import pickle
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Literal, cast

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.metric import AdditiveMetric
from outscore.core.numeric import Array
from outscore.core.options import OptionValue
from outscore.core.paired import PairedScores
from outscore.core.records import dataclass
from outscore.core.repeats import Runs
from outscore.engine.engines import Engine, Serial, open_engine
from outscore.engine.progress import Progress, Steps
from outscore.inference.base.entry import TestRequest
from outscore.inference.base.paired import NoSpreadError
from outscore.inference.base.sign_flips import checked_resamples
from outscore.inference.bootstrap.tests import INTERVAL_RESAMPLES
from outscore.inference.describe.repeats import own_run_limits
from outscore.inference.describe.units import evaluation_units
from outscore.inference.pairwise.binary import NO_INTERVALS, TANGO, binary_table
from outscore.inference.pairwise.corpus import CENTRED, Flipped, drawn_scores, hits_of, ranges, shared_table, summable
from outscore.inference.pairwise.macro import (
    MAX_TESTED,
    SADDLEPOINT,
    macro_from_counts,
    macro_interval,
    macro_measured,
    macro_notes,
    macro_request,
    macro_tested,
)
from outscore.inference.pairwise.moments import moments_of
from outscore.inference.pairwise.per_pair import CHUNK, PairTest, ends_of, exact_rows, pair_rows, population_numbers, table_of
from outscore.inference.pairwise.systems import SystemRows, baseline_of, pairs_of
from outscore.inference.pairwise.table import KINDS, Measured, PairTable
from outscore.inference.populations import EXCHANGE, EXCHANGE_OF_RUNS, ITEMS, TWO_WAY, own_test
from outscore.inference.runs.two_way import INTERVAL
from outscore.metrics.registry import resolve
from outscore.results.note import Note
from outscore.results.ranking import MAX_PAIRS
from outscore.scores.board import Board
from outscore.workflows.rank.populations import name_of_test
from outscore.workflows.rank.question import USUAL, Question

Unit = Literal["items", "clusters", "units", "segments"]
ALONE = "The metric's function cannot be sent to other processes, so this process did all the work."
EXACT_METHODS = ("auto", "exact", "spectral")
MAX_COLUMNS = 4


def measure(
    boards: Sequence[Board],
    metric: str | AdditiveMetric = "mean",
    question: Question = USUAL,
    *,
    engine: Engine | None = None,
    progress: Progress | None = None,
    unit: str = "items",
    population: str = ITEMS,
) -> list[Measured]:
    """Scores and all pairs of each board, followed by their macro average if there are several; p-values are not corrected yet.

    If a `population` has its own test, that test is used.

    Examples
    --------
    >>> values = np.array([[1, 1, 1, 1, 1, 1], [0, 0, 0, 0, 0, 1]])
    >>> (found,) = measure([Board(("new", "old"), values, np.ones((2, 6), dtype=bool))])
    >>> found.value.round(3).tolist(), found.pairs.p.tolist(), found.kernel
    ([1.0, 0.167], [0.0625], 'binomial')
    """
    request = TestRequest(alpha=question.alpha, seed=question.seed, options=question.check())
    base = baseline_of(boards[0].systems, question.baseline)
    rows = [systems_of(board, metric) for board in boards]
    test = name_of_test(population, boards, question)
    left, right = pairs_of(len(boards[0].systems), base)
    pair_test = PairTest(
        test,
        request,
        question.unit_size,
        cast("Literal['mean', 'median']", question.unit_statistic),
        question.shuffle,
        sides=len(boards) > 1,
    )
    with open_engine(engine or Serial()) as running:
        alone = not isinstance(running, Serial) and not _travels(rows[0].metric)
        work = _Work(left, right, pair_test, cast("Unit", unit), Serial() if alone else running, progress or Steps())
        work = replace(work, intervals=len(left) * len(boards) <= MAX_PAIRS)
        measured = [work.measured(board, systems) for board, systems in zip(boards, rows, strict=True)]
        if alone:
            measured[0] = replace(measured[0], notes=[*measured[0].notes, Note("general", ALONE)])
        measured = [*measured, work.macro(rows, measured)] if len(measured) > 1 else measured
    return measured if own_test(test) is not None else _as_known(measured, boards)


def _as_known(measured: list[Measured], boards: Sequence[Board]) -> list[Measured]:
    """Tests of items, labelled as asymptotic where runs are unequal: their means are only exchangeable for many items."""
    unequal = [board.run_unequally() for board in boards]
    known = [one for one in unequal if one is not None]
    if not known:
        return measured
    relabelled = []
    # Several boards are followed by their macro average, which depends on all of them.
    for part, here in zip(measured, [*unequal, np.any(known, axis=0)], strict=False):
        pairs, kind = part.pairs, part.pairs.kind
        if here is not None:
            exact = here[pairs.left, pairs.right] & (kind == KINDS.index("exact"))
            kind = np.where(exact, KINDS.index("asymptotic"), kind).astype(np.int8)
        relabelled.append(replace(part, pairs=replace(pairs, kind=kind)))
    return relabelled


def systems_of(board: Board, metric: str | AdditiveMetric) -> SystemRows:
    """All systems of a board in the metric's own columns."""
    there = board.values[board.present]
    if not len(there):
        raise OutscoreError("No system has any item.", "Give each system at least one score.")
    repeats = board.repeats
    whole = repeats is None or repeats.metric is not None or bool(repeats.reduced)
    raw = () if repeats is None or whole else tuple(runs.values for runs in repeats.systems if len(runs.values))
    additive, filled, _ = resolve(metric, there, there[:1], raw=raw)
    rows = np.zeros((*board.present.shape, filled.shape[1]), dtype=filled.dtype)
    rows[board.present] = filled
    systems = SystemRows(additive, rows, board.present, board.clusters).with_exact_integers()
    if repeats is None or repeats.reduced:
        return systems
    of_run = repeats.metric or metric
    own = tuple(replace(runs, values=_in_columns(of_run, runs.values)) for runs in repeats.systems)
    averaged = not whole and any(_differ(runs) for runs in own)
    return replace(systems, repeats=own, run_metric=repeats.metric, averaged=averaged)


def _in_columns(metric: str | AdditiveMetric, values: Array) -> Array:
    """Rows in the metric's own columns; there may be none."""
    known = values if len(values) else np.zeros((1, *values.shape[1:]))
    return resolve(metric, known, known[:1])[1][: len(values)]


def _differ(runs: Runs) -> bool:
    """Whether any item has rows that differ."""
    first = np.zeros((int(runs.items.max(initial=0)) + 1, runs.values.shape[1]))
    first[runs.items] = runs.values
    return bool((first[runs.items] != runs.values).any())


def _travels(metric: AdditiveMetric) -> bool:
    """Whether the metric can be sent to other processes."""
    try:
        pickle.dumps(metric)
    except (pickle.PicklingError, AttributeError, TypeError):
        return False
    return True


@dataclass(frozen=True, eq=False)
class _Work:
    """How every pair of every board is tested, and who does the work."""

    left: Array
    right: Array
    asked: PairTest
    unit: Unit
    engine: Engine
    progress: Progress
    intervals: bool = True

    @property
    def options(self) -> Mapping[str, OptionValue]:
        return self.asked.request.options

    def measured(self, board: Board, systems: SystemRows) -> Measured:
        """One board."""
        pairs, kernel, interval = self._pairs(systems, board.dataset or "all pairs")
        shown = self._in_units(systems)
        low, high = self._own_limits(shown)
        absent = [name for name, n in zip(board.systems, board.counts.tolist(), strict=True) if not n]
        lacking = [Note("input", f"`{name}` has no item on `{board.dataset}`.") for name in absent if board.dataset]
        return Measured(
            dataset=board.dataset,
            metric=systems.metric.name,
            higher_is_better=systems.metric.higher_is_better,
            systems=board.systems,
            value=shown.scores(),
            low=low,
            high=high,
            n=board.counts,
            items=board.shape[1],
            complete=board.complete,
            pairs=pairs,
            test=self.asked.test,
            kernel=kernel,
            interval=interval,
            unit=self._unit_of(board),
            notes=[*board.notes, *lacking],
        )

    def _in_units(self, systems: SystemRows) -> SystemRows:
        """The rows whose scores are shown: units if those are tested, because their medians may order systems differently."""
        size, statistic = self.asked.unit_size, self.asked.unit_statistic
        if size == 1:
            return systems
        single = tuple(systems.single_rows(system) for system in range(len(systems.rows)))
        in_units = []
        for rows, there in zip(systems.rows, systems.present, strict=True):
            own = PairedScores(rows[there], rows[there], systems.scale)
            units = evaluation_units(own, systems.metric, size, statistic, self.asked.shuffle)[0] if own.rows else own
            in_units.append(units.a if own.rows else units.a / systems.scale)
        present = np.arange(max(map(len, in_units))) < np.array([[len(units)] for units in in_units])
        values = np.zeros((*present.shape, systems.rows.shape[2]), dtype=np.result_type(*in_units))
        values[present] = np.concatenate(in_units)
        return replace(systems, rows=values, present=present, clusters=None, scale=1, single=single)

    def _own_limits(self, systems: SystemRows) -> tuple[Array, Array]:
        """The interval of each system's own score: over new items, with new runs or without, or over new runs of these."""
        alpha = self.asked.request.alpha
        if self.asked.test == TWO_WAY:
            return systems.own_limits_of_runs(alpha)
        if self.asked.test == EXCHANGE_OF_RUNS:
            ends = [own_run_limits(systems.run_scores(i, i)[0], alpha) for i in range(len(systems.rows))]
            limits = np.array(ends, dtype=float)
            return limits[:, 0], limits[:, 1]
        if self.asked.test != EXCHANGE:
            return systems.own_limits(alpha)
        limits = np.full((len(systems.rows), 2), np.nan)
        for system in np.flatnonzero(systems.present.any(axis=1)).tolist():
            own = systems.exchange(system, system).own(alpha)
            limits[system] = np.nan if own is None else own[0]
        return limits[:, 0], limits[:, 1]

    def _unit_of(self, board: Board) -> Unit:
        """What is swapped as one."""
        if board.clusters is not None:
            return "clusters"
        return "units" if self.asked.unit_size > 1 else self.unit

    def _pairs(self, systems: SystemRows, doing: str) -> tuple[PairTable, str, str]:
        whole = self.asked.unit_size == 1
        if whole and self._counts_suffice():
            discordance = systems.discordance()
            if discordance is not None:
                return self._binary(systems, discordance.unit)
        plain = self.asked.test == "permutation" and self.options["method"] == "auto"
        # With many pairs, those of a metric share their flips, and Student's intervals save nearly all of the time.
        many = len(self.left) > 1
        if many and plain and whole and not systems.single_scores() and systems.complete:
            return self._corpus(systems.collapse_clusters(), doing)
        own = not (many and self.asked.test == "permutation" and systems.single_scores())
        chunks = self._chunks()
        self.progress.begin(f"testing {doing}", len(chunks))
        parts = self.engine.map(
            partial(pair_rows, systems, replace(self.asked, own_interval=own)), chunks, progress=self.progress
        )
        return table_of(self.left, self.right, parts, sides=self.asked.sides)

    def _counts_suffice(self) -> bool:
        """Whether the test is the exact one of right-or-wrong items."""
        if self.asked.test == "mcnemar":
            return self.options["variant"] == "exact"
        return self.asked.test == "permutation" and self.options["method"] in EXACT_METHODS

    def _binary(self, systems: SystemRows, unit: float) -> tuple[PairTable, str, str]:
        assert systems.metric.ratio is not None
        u, v = (np.asarray(w) for w in systems.metric.ratio)
        weight = int((systems.rows[systems.present][0] @ v).item())
        moments = moments_of([""] * len(systems.rows), (systems.rows @ u) / weight, systems.present)
        wins = moments.wins
        table = binary_table(
            self.left,
            self.right,
            moments.count[self.left, self.right],
            wins[self.left, self.right],
            wins[self.right, self.left],
            unit=unit,
            orientation=systems.orientation,
            alpha=self.asked.request.alpha,
            intervals=self.intervals,
        )
        return table, "binomial", TANGO if self.intervals else NO_INTERVALS

    def _corpus(self, systems: SystemRows, doing: str) -> tuple[PairTable, str, str]:
        n = np.full(len(self.left), systems.rows.shape[1], dtype=np.int64)
        exact = np.full((len(self.left), 4), np.nan)
        if self._may_be_exact(systems):
            chunks = self._chunks()
            self.progress.begin(f"testing {doing}", len(chunks))
            exact = np.concatenate(self.engine.map(partial(exact_rows, systems), chunks, progress=self.progress))
        table = self._by_shared_flips((summable(systems),), n, np.isnan(exact[:, 0]), doing)
        served = ~np.isnan(exact[:, 0])
        assert table.log_better is not None and table.log_worse is not None  # noqa: PT018
        kind = np.where(served, np.nan_to_num(exact[:, 3]), table.kind).astype(np.int8)
        kernels = [name for name, used in (("exact", served.any()), (self._by_sampling(), not served.all())) if used]
        table = replace(
            table,
            log_p=np.where(served, exact[:, 0], table.log_p),
            log_better=np.where(served, exact[:, 1], table.log_better),
            log_worse=np.where(served, exact[:, 2], table.log_worse),
            kind=kind,
        )
        return table, ", ".join(kernels), CENTRED if self.intervals else NO_INTERVALS

    def _may_be_exact(self, systems: SystemRows) -> bool:
        """Whether it is worth looking for an exact kernel: beyond a few columns, only ratios have one."""
        narrow = systems.metric.ratio is not None or len(systems.metric.columns) <= MAX_COLUMNS
        return narrow and len(self.left) <= MAX_TESTED

    def _by_sampling(self) -> str:
        return f"sign-flips:{self.options['resamples']}"

    def _by_shared_flips(self, datasets: tuple[SystemRows, ...], n: Array, wanted: Array, doing: str) -> PairTable:
        """Hits for the `wanted` pairs, and intervals for all, from one set of resamples."""
        request = self.asked.request
        flipped = Flipped(datasets, self.left[wanted], self.right[wanted], request.seed)
        resamples = checked_resamples(request.count("resamples"))
        hits = np.zeros((len(self.left), 3), dtype=np.int64)
        if wanted.any():
            parts = ranges(resamples)
            self.progress.begin(f"flipping coins for {doing}", len(parts))
            hits[wanted] = np.sum(self.engine.map(partial(hits_of, flipped), parts, progress=self.progress), axis=0)
        draws = None
        if self.intervals:
            parts = ranges(INTERVAL_RESAMPLES)
            self.progress.begin(f"resampling {doing}", len(parts) * len(datasets))
            each = [
                np.concatenate(self.engine.map(partial(drawn_scores, systems, seed), parts, progress=self.progress))
                for systems, seed in zip(datasets, flipped.seeds(), strict=True)
            ]
            draws = np.mean(each, axis=0)
        everything = replace(flipped, left=self.left, right=self.right)
        return shared_table(everything, n, hits, draws, resamples, request.alpha)

    def _chunks(self) -> list[Array]:
        pairs = np.stack([self.left, self.right], axis=1)
        return [pairs[start : start + CHUNK] for start in range(0, len(pairs), CHUNK)]

    def macro(self, rows: Sequence[SystemRows], measured: Sequence[Measured]) -> Measured:
        """The macro average of all boards, tested by stratified swaps whatever the test on each board."""
        if own_test(self.asked.test) is not None:
            return self._macro_of_population(rows, measured)
        request = macro_request(self.asked.request.alpha, self.asked.request.seed, self.options.get("resamples"))
        from_counts = macro_from_counts(measured, request)
        if from_counts is not None:
            log_p, kind, kernel = from_counts
        elif all(systems.linear() for systems in rows):
            log_p, kind, kernel = self._macro_linear(rows, request)
        elif all(systems.complete for systems in rows):
            n = np.full(len(self.left), sum(systems.rows.shape[1] for systems in rows), dtype=np.int64)
            datasets = tuple(summable(systems.collapse_clusters()) for systems in rows)
            work = replace(self, asked=replace(self.asked, request=request))
            table = work._by_shared_flips(datasets, n, np.ones(len(self.left), dtype=bool), "the macro average")  # noqa: SLF001
            log_p, kind, kernel = table.log_p, table.kind, f"sign-flips:{request.options['resamples']}"
        else:
            raise OutscoreError(
                f"Systems lack items on some datasets, and {rows[0].metric.name} is not a mean over items: the macro average"
                " cannot be tested.",
                "Rank the datasets one by one, or give all systems the same items.",
            )
        notes = macro_notes(self.asked.test, kernel, in_units=self.asked.unit_size > 1)
        macro = macro_measured(measured, log_p, kind, kernel, notes, alpha=request.alpha)
        return self._inverted(macro, rows) if len(self.left) == 1 and all(systems.linear() for systems in rows) else macro

    def _inverted(self, macro: Measured, rows: Sequence[SystemRows]) -> Measured:
        """The macro average of a single pair with the interval that inverts its test; for many that would cost too much."""
        log_p = float(macro.pairs.log_p[0])
        interval = macro_interval(rows, int(self.left[0]), int(self.right[0]), log_p, self.asked.request.alpha)
        if interval is None:
            return macro
        low, high = (np.array([end]) for end in ends_of(interval))
        return replace(macro, pairs=replace(macro.pairs, low=low, high=high), interval=interval.method)

    def _macro_of_population(self, rows: Sequence[SystemRows], measured: Sequence[Measured]) -> Measured:
        """The macro average by the test of a population, on the datasets that both systems have."""
        kind = np.full(len(self.left), KINDS.index("asymptotic"), dtype=np.int8)
        log_p, ends = np.zeros(len(self.left)), np.full((2, len(self.left)), np.nan)
        kernels, intervals = set(), set()
        for i, (left, right) in enumerate(zip(self.left.tolist(), self.right.tolist(), strict=True)):
            datasets = [one for one in rows if (one.present[left] & one.present[right]).any()]
            if not datasets:
                continue
            try:
                numbers, kernel, interval = population_numbers(datasets, left, right, self.asked)
            except NoSpreadError:
                continue
            ends[:, i], log_p[i], kind[i] = numbers[2:4], numbers[4], int(numbers[7])
            kernels.add(kernel)
            intervals.add(interval)
        macro = macro_measured(
            measured, log_p, kind, ", ".join(sorted(kernels)) or self.asked.test, [], alpha=self.asked.request.alpha
        )
        pairs = replace(macro.pairs, low=ends[0], high=ends[1])
        return replace(macro, pairs=pairs, test=self.asked.test, interval=", ".join(sorted(intervals)) or INTERVAL)

    def _macro_linear(self, rows: Sequence[SystemRows], request: TestRequest) -> tuple[Array, Array, str]:
        approximate = len(self.left) > MAX_TESTED
        chunks = self._chunks()
        self.progress.begin("testing the macro average", len(chunks))
        function = partial(macro_tested, list(rows), request, approximate)
        answers = np.concatenate(self.engine.map(function, chunks, progress=self.progress))
        return answers[:, 0], answers[:, 1].astype(np.int8), SADDLEPOINT if approximate else "lattice, bracket"
