"""From panels to measured pairs: how each kind of data is tested, and the engine that does the work.

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
from typing import cast

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.metric import AdditiveMetric
from outscore.core.numeric import LN10, Array
from outscore.core.options import OptionValue
from outscore.core.records import dataclass
from outscore.engine.engines import SERIAL, Engine, open_engine
from outscore.engine.progress import Progress
from outscore.inference.base.entry import NoSpreadError
from outscore.inference.base.question import TestRequest, checked_resamples
from outscore.inference.bootstrap import INTERVAL_RESAMPLES
from outscore.inference.pairwise.corpus import CENTRED, Flipped, drawn_scores, hits_of, ranges, shared_table, summable
from outscore.inference.pairwise.macro import (
    LACKING,
    MAX_TESTED,
    SADDLEPOINT,
    macro_from_counts,
    macro_measured,
    macro_notes,
    macro_request,
    macro_test,
    macro_tested,
)
from outscore.inference.pairwise.moments import NO_INTERVALS, TANGO, binary_pairs, moments_of
from outscore.inference.pairwise.per_pair import (
    CHUNK,
    PairTest,
    ends_of,
    exact_rows,
    log_claim,
    pair_rows,
    population_numbers,
    table_of,
)
from outscore.inference.pairwise.table import (
    KINDS,
    Measured,
    PairTable,
    Unit,
    baseline_of,
    own_scores,
    pairs_of,
    right_or_wrong,
    shared_panels,
)
from outscore.inference.populations import ITEMS, own_test
from outscore.inference.two_way import INTERVAL
from outscore.results.note import Note
from outscore.results.ranking import MAX_PAIRS
from outscore.scores.panel import Panel
from outscore.workflows.question import USUAL, Question, name_of_test

ALONE = "The metric's function cannot be sent to other processes, so this process did all the work."
EXACT_METHODS = ("auto", "exact", "spectral")
MAX_COLUMNS = 4


def measure(
    panels: Sequence[Panel],
    question: Question = USUAL,
    *,
    engine: Engine | None = None,
    progress: Progress | None = None,
    unit: str = "items",
    population: str = ITEMS,
    sides: bool = False,
    called: str = "",
) -> list[Measured]:
    """Scores and all pairs of each panel, followed by their macro average if there are several; p-values are not corrected yet.

    If a `population` has its own test, that test is used. Both `sides` are tested one by one if they are asked for, and for
    each of several panels. The metric may be `called` otherwise.

    Examples
    --------
    >>> values = np.array([[1, 1, 1, 1, 1, 1], [0, 0, 0, 0, 0, 1]])
    >>> (found,) = measure([Panel.of("mean", ("new", "old"), values)])
    >>> found.own.value.round(3).tolist(), found.pairs.p.tolist(), found.kernel
    ([1.0, 0.167], [0.0625], 'binomial')
    """
    question.check_ranking()
    # Names of items would only burden what is sent to other processes.
    panels = [replace(panel, items=None) for panel in panels]
    base = baseline_of(panels[0].systems, question.baseline)
    test = name_of_test(population, panels, question.test)
    left, right = pairs_of(len(panels[0].systems), base)
    pair_test = PairTest(test, question.of_test, question.units, sides=sides or len(panels) > 1)
    with open_engine(engine or SERIAL) as running:
        alone = running != SERIAL and not _travels(panels[0].metric)
        worker, intervals = SERIAL if alone else running, len(left) * len(panels) <= MAX_PAIRS
        work = _Work(left, right, pair_test, cast("Unit", unit), worker, progress or Progress(), intervals, called)
        remarks = [Note("general", ALONE)] if alone else []
        measured = [work.measured(panel, [] if i else remarks) for i, panel in enumerate(panels)]
        return [*measured, work.macro(panels, measured)] if len(measured) > 1 else measured


def _travels(metric: AdditiveMetric) -> bool:
    """Whether the metric can be sent to other processes."""
    try:
        pickle.dumps(metric)
    except (pickle.PicklingError, AttributeError, TypeError):
        return False
    return True


@dataclass(frozen=True, eq=False)
class _Work:
    """How every pair of every panel is tested, and who does the work."""

    left: Array
    right: Array
    asked: PairTest
    unit: Unit
    engine: Engine
    progress: Progress
    intervals: bool
    called: str

    @property
    def options(self) -> Mapping[str, OptionValue]:
        return self.asked.request.options

    def measured(self, panel: Panel, remarks: Sequence[Note]) -> Measured:
        """One panel."""
        pairs, kernel, interval = self._pairs(panel, panel.dataset or "all pairs")
        pairs, asked = replace(pairs, kind=self._kind_of(pairs.kind, [panel])), self.asked
        own = own_scores(panel, asked.test, asked.request.alpha, asked.units)
        absent = [name for name, n in zip(panel.systems, panel.counts.tolist(), strict=True) if not n]
        lacking = [Note("input", f"`{name}` has no item on `{panel.dataset}`.") for name in absent if panel.dataset]
        return Measured(
            dataset=panel.dataset,
            metric=self.called or panel.metric.name,
            higher_is_better=panel.metric.higher_is_better,
            systems=panel.systems,
            own=own,
            n=panel.counts,
            items=panel.shape[1],
            complete=panel.complete,
            pairs=pairs,
            test=self.asked.test,
            kernel=kernel,
            interval=interval,
            unit=self._unit_of(panel),
            notes=[*panel.notes, *lacking, *remarks],
        )

    def _kind_of(self, kind: Array, panels: Sequence[Panel]) -> Array:
        """Tests of items, labelled as asymptotic where runs are unequal: their means are only exchangeable for many items."""
        known = [unequal for panel in panels if (unequal := panel.run_unequally()) is not None]
        if not known or own_test(self.asked.test) is not None:
            return kind
        exact = np.any(known, axis=0)[self.left, self.right] & (kind == KINDS.index("exact"))
        return np.where(exact, KINDS.index("asymptotic"), kind).astype(np.int8)

    def _unit_of(self, panel: Panel) -> Unit:
        """What is swapped as one."""
        if panel.clusters is not None:
            return "clusters"
        return "units" if self.asked.in_units else self.unit

    def _pairs(self, panel: Panel, doing: str) -> tuple[PairTable, str, str]:
        whole = not self.asked.in_units
        if whole and self._counts_suffice() and right_or_wrong(panel):
            return self._binary(panel)
        plain = self.asked.test == "permutation" and self.options["method"] == "auto"
        # With many pairs, those of a metric share their flips, and Student's intervals save nearly all of the time.
        many = len(self.left) > 1
        if many and plain and whole and not panel.single_scores() and panel.complete and panel.metric.joint is None:
            return self._corpus(panel.collapse_clusters(), doing)
        own = not (many and self.asked.test == "permutation" and panel.single_scores())
        chunks = self._chunks()
        self.progress.begin(f"testing {doing}", len(chunks))
        parts = self.engine.map(
            partial(pair_rows, panel, replace(self.asked, own_interval=own)), chunks, progress=self.progress
        )
        return table_of(self.left, self.right, parts, sides=self.asked.sides)

    def _counts_suffice(self) -> bool:
        """Whether the test is the exact one of right-or-wrong items."""
        if self.asked.test == "mcnemar":
            return self.options["variant"] == "exact"
        return self.asked.test == "permutation" and self.options["method"] in EXACT_METHODS

    def _binary(self, panel: Panel) -> tuple[PairTable, str, str]:
        assert panel.metric.ratio is not None
        u, v = (np.asarray(w) for w in panel.metric.ratio)
        weight = int((panel.rows[panel.present][0] @ v).item())
        moments = moments_of([""] * len(panel.rows), (panel.rows @ u) / weight, panel.present)
        alpha, turn = self.asked.request.alpha, panel.orientation
        table = binary_pairs(moments, self.left, self.right, alpha, orientation=turn, intervals=self.intervals)
        return table, "binomial", TANGO if self.intervals else NO_INTERVALS

    def _corpus(self, panel: Panel, doing: str) -> tuple[PairTable, str, str]:
        n = np.full(len(self.left), panel.rows.shape[1], dtype=np.int64)
        exact = np.full((len(self.left), 4), np.nan)
        if self._may_be_exact(panel):
            chunks = self._chunks()
            self.progress.begin(f"testing {doing}", len(chunks))
            exact = np.concatenate(self.engine.map(partial(exact_rows, panel), chunks, progress=self.progress))
        table = self._by_shared_flips((summable(panel),), n, np.isnan(exact[:, 0]), doing, self.asked.request)
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

    def _may_be_exact(self, panel: Panel) -> bool:
        """Whether it is worth looking for an exact kernel: beyond a few columns, only ratios have one."""
        narrow = panel.metric.ratio is not None or len(panel.metric.columns) <= MAX_COLUMNS
        return narrow and len(self.left) <= MAX_TESTED

    def _by_sampling(self) -> str:
        return f"sign-flips:{self.options['resamples']}"

    def _by_shared_flips(
        self, datasets: tuple[Panel, ...], n: Array, wanted: Array, doing: str, request: TestRequest
    ) -> PairTable:
        """Hits for the `wanted` pairs, and intervals for all, from one set of resamples."""
        flipped = Flipped(datasets, self.left[wanted], self.right[wanted], request.seed)
        resamples = checked_resamples(request.resamples)
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
                np.concatenate(self.engine.map(partial(drawn_scores, panel, seed), parts, progress=self.progress))
                for panel, seed in zip(datasets, flipped.seeds(), strict=True)
            ]
            draws = np.mean(each, axis=0)
        everything = Flipped(datasets, self.left, self.right, request.seed)
        return shared_table(everything, n, hits, draws, resamples, request.alpha)

    def _chunks(self) -> list[Array]:
        pairs = np.stack([self.left, self.right], axis=1)
        return [pairs[start : start + CHUNK] for start in range(0, len(pairs), CHUNK)]

    def macro(self, panels: Sequence[Panel], measured: Sequence[Measured]) -> Measured:
        """The macro average of all panels, tested by stratified swaps whatever the test on each panel."""
        if own_test(self.asked.test) is not None:
            return self._macro_of_population(panels, measured)
        request = macro_request(self.asked.request.alpha, self.asked.request.seed, self.options.get("resamples"))
        if len(self.left) == 1 and any(part.pairs.testable[0] for part in measured):
            return self._macro_of_pair(panels, measured, request)
        from_counts = macro_from_counts(measured, request)
        if from_counts is not None:
            log_p, kind, kernel = from_counts
        elif all(panel.linear() for panel in panels):
            log_p, kind, kernel = self._macro_linear(panels, request)
        elif all(panel.complete for panel in panels):
            n = np.full(len(self.left), sum(panel.shape[1] for panel in panels), dtype=np.int64)
            datasets = tuple(summable(panel.collapse_clusters()) for panel in panels)
            wanted = np.ones(len(self.left), dtype=bool)
            table = self._by_shared_flips(datasets, n, wanted, "the macro average", request)
            log_p, kind, kernel = np.stack([table.log_p] * 2), table.kind, f"sign-flips:{request.options['resamples']}"
        else:
            hint = "Rank the datasets one by one, or give all systems the same items."
            raise OutscoreError(LACKING.format(metric=panels[0].metric.name), hint)
        notes = macro_notes(self.asked.test, kernel, in_units=self.asked.in_units)
        return macro_measured(measured, log_p, self._kind_of(kind, panels), kernel, notes, alpha=request.alpha)

    def _macro_of_pair(self, panels: Sequence[Panel], measured: Sequence[Measured], request: TestRequest) -> Measured:
        """The macro average of a single pair, with the interval that inverts its test; for many that would cost too much."""
        result = macro_test(panels, int(self.left[0]), int(self.right[0]), request)
        log_p = np.array([[log_claim(result.p)], [result.p.log10 * LN10]])
        kind = np.array([KINDS.index(result.p.method)], dtype=np.int8)
        notes = macro_notes(self.asked.test, result.p.kernel, in_units=self.asked.in_units)
        kind, limits = self._kind_of(kind, panels), None
        if result.interval is not None:
            low, high = (np.array([end]) for end in ends_of(result.interval))
            limits = low, high, result.interval.method
        return macro_measured(measured, log_p, kind, result.p.kernel, notes, alpha=request.alpha, limits=limits)

    def _macro_of_population(self, panels: Sequence[Panel], measured: Sequence[Measured]) -> Measured:
        """The macro average by the test of a population, on the datasets that both systems have."""
        kind = np.full(len(self.left), KINDS.index("asymptotic"), dtype=np.int8)
        log_p, ends = np.zeros((2, len(self.left))), np.full((2, len(self.left)), np.nan)
        kernels, intervals = set(), set()
        for i, (left, right) in enumerate(zip(self.left.tolist(), self.right.tolist(), strict=True)):
            datasets = shared_panels(panels, left, right)
            if not datasets:
                continue
            try:
                numbers, kernel, interval = population_numbers(datasets, left, right, self.asked)
            except NoSpreadError:
                continue
            ends[:, i], log_p[:, i], kind[i] = numbers[2:4], (numbers[4], numbers[8]), int(numbers[7])
            kernels.add(kernel)
            intervals.add(interval)
        test, kernel = self.asked.test, ", ".join(sorted(kernels)) or self.asked.test
        limits = ends[0], ends[1], ", ".join(sorted(intervals)) or INTERVAL
        return macro_measured(measured, log_p, kind, kernel, [], alpha=self.asked.request.alpha, test=test, limits=limits)

    def _macro_linear(self, panels: Sequence[Panel], request: TestRequest) -> tuple[Array, Array, str]:
        approximate = len(self.left) > MAX_TESTED
        chunks = self._chunks()
        self.progress.begin("testing the macro average", len(chunks))
        function = partial(macro_tested, list(panels), request, approximate)
        answers = np.concatenate(self.engine.map(function, chunks, progress=self.progress))
        return answers[:, [0, 2]].T, answers[:, 1].astype(np.int8), SADDLEPOINT if approximate else "lattice, bracket"
