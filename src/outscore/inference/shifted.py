r"""One-sided questions about a difference other than 0: margins, gates, and `delta` with a side.

"Worse by less than m" is shown by what was seen, never by silence: outputs that are identical on n items may differ on the
next one. A test that flips signs or resamples items about the margin takes the differences as symmetric about it, and so
takes a system that crashes on one item in fifty, and has not yet, for one that never does. Three rules keep that from
passing:

right-or-wrong items
    Tango's score test, but no less than (1 - m)^n: the chance that a loss of m has not shown in n items. Where scores are known
    to have a wider range than these two, the next rule answers.
means of scores with a known range
    The bound of a bounded mean (`exact.bounded`), which adds one item at the worst value. Clusters enter by their sums;
    the claim is about clusters no larger than these.
other metrics whose score after a crash is known (F1, BLEU, error rates)
    The test's own p, but no less than the same bound on the units' contributions (the jackknife's), whose worst one loses the
    whole score, or what the unit that matters most would lose if its output were empty.

Where nothing tells how much one item can lose, the test answers alone, and a note says what it leaves open. δ = 0 and
two-sided questions are not touched.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.metric import AdditiveMetric
from outscore.core.numeric import TIE_TOLERANCE, Array
from outscore.core.records import dataclass
from outscore.core.rows import PairedScores
from outscore.exact.bounded import log_p_of_mean, lower_limit_of_mean
from outscore.inference.base import question
from outscore.inference.base.differences import units_of, with_exact_integers
from outscore.inference.base.discordance import discordance
from outscore.inference.base.entry import TestEntry
from outscore.inference.base.influence import contributions
from outscore.inference.base.question import TestRequest
from outscore.inference.power.gate import CLOSE, MAX_ITEMS, Bounded, Shares
from outscore.results.comparison import TestResult
from outscore.results.note import Note
from outscore.results.pvalue import Interval, PValue

SYMMETRIC, EQUAL_CRASHES = "symmetric", "equal-crashes"
"""What may be assumed by name: symmetric differences, as a test without these rules does, and crashes that hit all units
alike."""
RANGE, UNSEEN, CRASHES = "bounded-mean", "unseen-loss", "crashes"
KERNELS_OF_SHARES = ("tango", UNSEEN)
"""The kernels of right-or-wrong items."""
KERNELS_OF_MARGINS = (*KERNELS_OF_SHARES, RANGE, CRASHES)
"""The kernels of p-values by these rules, which tell how many items would be needed."""
BY_INVERSION = "bounded mean, inverted"
UNKNOWN_RANGE = Note(
    "warning",
    "How much a single item can lose is not known, so the test at the margin takes the differences as symmetric about it: rare"
    " large losses are not excluded. Give the range of the scores with --bounds LOW HIGH.",
)
NOTHING_KNOWN = Note(
    "warning",
    "How much a single item can lose is not known, so identical scores say nothing about the margin. Give the range of the"
    " scores with --bounds LOW HIGH.",
)


def unseen_share(units: int, alpha: float) -> float:
    """The largest share of crashes that n units leave unseen with a probability above alpha.

    Examples
    --------
    >>> round(1 / unseen_share(100, 0.05), 1)
    33.9
    """
    return -math.expm1(math.log(alpha) / units)


def run_entry(entry: TestEntry, pairs: PairedScores, metric: AdditiveMetric, asked: TestRequest) -> TestResult:
    """What a test answers; a one-sided question about a difference other than 0 by the rules above.

    Examples
    --------
    >>> from outscore.inference.registry import TESTS
    >>> mean = AdditiveMetric("mean", ("score", "items"), ratio=((1, 0), (0, 1)))
    >>> same = np.stack([[0.25, 0.5, 0.75, 1.0, 0.5], np.ones(5)], axis=1)
    >>> asked = TestRequest("greater", -0.1, options={"method": "auto", "resamples": 99})
    >>> p = run_entry(TESTS["permutation"], PairedScores(same, same), mean, asked).p
    >>> round(p.value, 6), round(0.9**5, 6), p.kernel
    (0.59049, 0.59049, 'bounded-mean')
    """
    if not _has_rules(entry, asked):
        return entry.run(pairs, metric, asked)
    bound = _bound_of(entry, pairs, metric, asked)
    if bound is not None and (bound.kernel == RANGE or bound.silent):
        return bound.result(metric, asked)
    notes = _left_open(entry, pairs, metric) if bound is None else []
    if UNKNOWN_RANGE in notes and bool((pairs.a == pairs.b).all()):
        # Nothing differs, and nothing tells what could: no evidence of anything.
        return TestResult(question.identical_p(units_of(pairs).rows), notes=[NOTHING_KNOWN])
    answer = entry.run(pairs, metric, asked)
    if bound is None:
        return replace(answer, notes=[*answer.notes, *notes])
    return larger(answer, bound.result(metric, asked), metric, asked)


def _has_rules(entry: TestEntry, asked: TestRequest) -> bool:
    """Whether the question is one of those above, and nothing was assumed that answers it otherwise."""
    return is_shifted(asked) and asked.assume != SYMMETRIC and entry.estimand != "median"


def _left_open(entry: TestEntry, pairs: PairedScores, metric: AdditiveMetric) -> list[Note]:
    """What the answer of a test without any of the rules leaves open."""
    if entry.null != "swaps":
        return [] if entry.on == "binary" else [Note("assumption", NAMED_TEST.format(test=entry.name))]
    return [] if discordance(pairs, metric) is not None else [UNKNOWN_RANGE]


def items_to_show(
    entry: TestEntry, pairs: PairedScores, metric: AdditiveMetric, asked: TestRequest, power: float
) -> int | None:
    """How many items like these would reject with the given power, by the rule that answers for them; None where none tells.

    The items keep their proportions, their mean lies lower by what chance takes away with that power, and the worst one stays
    one.

    Examples
    --------
    >>> from outscore.inference.registry import TESTS
    >>> mean = AdditiveMetric("mean", ("score", "items"), ratio=((1, 0), (0, 1)))
    >>> same = np.stack([[0.25, 0.5, 0.75, 1.0, 0.5], np.ones(5)], axis=1)
    >>> items_to_show(TESTS["permutation"], PairedScores(same, same), mean, TestRequest("greater", -0.02), 0.8)
    149
    """
    law = law_of(entry, pairs, metric, asked)
    if law is None:
        return None
    items, pair = pairs.per_item().rows, discordance(pairs, metric)
    if isinstance(law, Bounded):
        observed = law.mean
    else:
        assert pair is not None
        observed = _turn(metric, asked) * pair.difference
    size = law.size(observed, -_turn(metric, asked) * asked.delta, asked.alpha, power)
    return None if size is None or size > MAX_ITEMS else max(items + 1, math.ceil(size - CLOSE))


def law_of(entry: TestEntry, pairs: PairedScores, metric: AdditiveMetric, asked: TestRequest) -> Shares | Bounded | None:
    """What decides, by the rule that answers for these data, how often items like them reject; None where none tells."""
    if not _has_rules(entry, asked):
        return None
    bound = _bound_of(entry, pairs, metric, asked)
    pair = discordance(pairs, metric)
    if pair is not None and (bound is None or bound.kernel != RANGE):
        return Shares((pair.only_a + pair.only_b) / pair.n, pair.unit)
    return None if bound is None else bound.law


def largest_loss(pairs: PairedScores, metric: AdditiveMetric, asked: TestRequest) -> float | None:
    """How much can be lost at most: on a right-or-wrong item, as far as the rule that answers for it knows, or of an area.

    None for other items.

    Examples
    --------
    >>> mean = AdditiveMetric("mean", ("score", "items"), ratio=((1, 0), (0, 1)))
    >>> rates = np.stack([[0.75, 1.0, 1.0], np.ones(3)], axis=1)
    >>> asked = TestRequest("greater", -0.1)
    >>> largest_loss(PairedScores(rates, rates), mean, asked), largest_loss(PairedScores(8 * rates, rates), mean, asked)
    (1.0, None)
    """
    pair = discordance(pairs, metric)
    if pair is None:
        low, high = metric.bounds
        return None if metric.stake is None or low is None or high is None else high - low
    of_range = None if asked.assume == SYMMETRIC else _of_known_range(pairs, metric, asked, 0.0)
    return pair.unit if of_range is None else max(pair.unit, of_range.law.worst)


def refuse_wide(margin: float, most: float | None, measure: str = "") -> None:
    """Refuse a margin, of one of several measures, that no difference exceeds; None is not known."""
    if most is None or margin < most:
        return
    subject, whose = (f"The margin of `{measure}`", "its") if measure else ("`margin`", "these")
    raise OutscoreError(
        f"{subject} is {margin:g}, but {whose} scores cannot differ by more than {most:g}.",
        f"Give a margin below {most:g}.",
        parameter="not_worse" if measure else "margin",
    )


def is_shifted(asked: TestRequest) -> bool:
    """Whether the question is one-sided and about a difference other than 0."""
    return bool(asked.delta) and asked.alternative != "two-sided"


def larger(first: TestResult, second: TestResult, metric: AdditiveMetric, asked: TestRequest) -> TestResult:
    """The answer with the larger p, and the more cautious end of both intervals; what is estimated comes from the first."""
    turn = _turn(metric, asked)
    answer, other = (first, second) if first.p.upper >= second.p.upper else (second, first)
    # How the smaller p was computed is not how this one was.
    notes = [note for one in (first, second) for note in one.notes if one is answer or note.kind != "method"]
    answer = replace(answer, p=replace(answer.p, statistic=first.p.statistic), notes=notes)
    if answer.interval is None or other.interval is None or first.interval is None:
        return answer
    ends = [_end(of.interval, turn) for of in (answer, other) if of.interval is not None]
    furthest = None if None in ends else min(turn * end for end in ends if end is not None)
    moved = None if furthest is None else turn * furthest
    interval = replace(answer.interval, estimate=first.interval.estimate)
    interval = replace(interval, low=moved) if turn > 0 else replace(interval, high=moved)
    return replace(answer, interval=interval)


def _end(interval: Interval, turn: int) -> float | None:
    return interval.low if turn > 0 else interval.high


def _turn(metric: AdditiveMetric, asked: TestRequest) -> int:
    """The sign that makes a difference A - B the larger the more it speaks for the alternative."""
    orientation = 1 if metric.higher_is_better else -1
    return orientation if asked.alternative == "greater" else -orientation


@dataclass(frozen=True)
class _Bound:
    """The `law` whose mean is tested against -margin.

    `notes` say what the answer rests on, `silent` that the data show no difference that a test could use.
    """

    kernel: str
    law: Bounded
    margin: float
    notes: tuple[Note, ...] = ()
    silent: bool = False

    def result(self, metric: AdditiveMetric, asked: TestRequest) -> TestResult:
        """p of "the mean is at most -margin", and the limit that inverts it."""
        law, turn = self.law, _turn(metric, asked)
        if self.margin >= law.worst:
            raise OutscoreError(
                f"`margin` is {self.margin:g}, but the scores allow no loss beyond {law.worst:g}.",
                f"Give a margin below {law.worst:g}.",
                parameter="margin",
            )
        log_p = log_p_of_mean(law.x, self.margin, law.worst, law.sizes)
        p = PValue.from_logs(log_p, log_p, method="exact", kernel=self.kernel, n=len(law.x), statistic=turn * law.mean)
        if not asked.interval:
            return TestResult(p)
        limit = lower_limit_of_mean(law.x, asked.alpha, law.worst, law.sizes)
        low, high = metric.bounds
        if low is not None and high is not None:
            limit = max(limit, low - high)
        low_end, high_end = (limit, None) if turn > 0 else (None, -limit)
        interval = Interval(low_end, high_end, level=1 - asked.alpha, method=BY_INVERSION, dual=True, estimate=p.statistic)
        return TestResult(p, interval, list(self.notes))


def _bound_of(entry: TestEntry, pairs: PairedScores, metric: AdditiveMetric, asked: TestRequest) -> _Bound | None:
    """The rule for these data; None where a loss has no known limit, or a named test of means answers for itself."""
    margin = -_turn(metric, asked) * asked.delta
    pair = discordance(pairs, metric)
    if pair is not None:
        if entry.null != "swaps" and entry.on != "binary":
            return None
        of_range = _of_known_range(pairs, metric, asked, margin)
        if of_range is not None and of_range.law.worst > pair.unit * (1 + TIE_TOLERANCE):
            # Scores of .75 and 1 can still fall to 0.
            return of_range
        # To be better by some amount is never shown by silence: Tango's test answers alone.
        return (
            _Bound(UNSEEN, Bounded(np.zeros(pair.n), pair.unit, pair.n), margin, two_scores(pair.wrong, pair.right))
            if margin > 0
            else None
        )
    if entry.null == "swaps":
        of_range = _of_known_range(pairs, metric, asked, margin)
        if of_range is not None:
            return of_range
    return _of_crashes(pairs, metric, asked, margin) if entry.on == "any" else None


def two_scores(wrong: float, right: float) -> tuple[Note, ...]:
    """What is taken for granted where nothing but the scores themselves tells that there are no others."""
    if (wrong, right) in ((0.0, 1.0), (0.0, 100.0)):
        return ()
    return (Note("assumption", TWO_SCORES.format(wrong=wrong, right=right, unit=right - wrong)),)


def _of_known_range(pairs: PairedScores, metric: AdditiveMetric, asked: TestRequest, margin: float) -> _Bound | None:
    """Means of scores whose range is given, or known of the metric, or 0 to 1 because all scores lie there."""
    if metric.ratio is None or metric.ratio[1] is None or metric.stake is not None:
        return None
    numerator, denominator = (np.asarray(w) for w in metric.ratio if w is not None)
    if metric.emptied is not None and (np.asarray(metric.emptied) @ denominator != denominator).any():
        # What the score is divided by depends on the output, even where these outputs have the same.
        return None
    items = with_exact_integers(pairs).per_item()
    weights = items.a @ denominator
    if (weights != items.b @ denominator).any() or (weights <= 0).any():
        return None
    scores = [rows @ numerator / weights for rows in (items.a, items.b)]
    low, high = known_range(scores, metric, asked)
    if low is None or high is None:
        return None
    units = units_of(pairs)
    x = _turn(metric, asked) * ((units.a - units.b) @ numerator) / units.scale
    sizes = units.a @ denominator / units.scale
    law = Bounded.of(x, high - low, items.rows, sizes)
    notes = [Note("method", NO_SHAPE.format(low=low, high=high))]
    if pairs.clusters is not None and law.sizes is not None:
        notes.append(Note("assumption", CLUSTERS.format(largest=sizes.max())))
    return _Bound(RANGE, law, margin, tuple(notes))


def known_range(scores: list[Array], metric: AdditiveMetric, asked: TestRequest) -> tuple[float | None, float | None]:
    """The smallest and the largest score that an item can have, where anything tells."""
    least, largest = min(float(side.min()) for side in scores), max(float(side.max()) for side in scores)
    if asked.bounds:
        low, high = asked.bounds
        # Weighted items may have lost their last digit.
        slack = TIE_TOLERANCE * max(abs(low), abs(high))
        if least < low - slack or largest > high + slack:
            raise OutscoreError(
                f"A score is {least if least < low else largest:g}, but by --bounds scores lie between {low:g} and {high:g}.",
                "Give the smallest and the largest score that an item can have, known before the data: --bounds 0 100.",
                parameter="bounds",
            )
        return low, high
    if None not in metric.bounds:
        return metric.bounds
    # Error rates may exceed 1, whatever these are.
    return (0.0, 1.0) if least >= 0 and largest <= 1 and metric.emptied is None else (None, None)


def _of_crashes(pairs: PairedScores, metric: AdditiveMetric, asked: TestRequest, margin: float) -> _Bound | None:
    """What units contribute to the difference, and what an empty output costs: the whole score, or n times that of one unit."""
    if metric.stake is not None:
        return _of_stakes(pairs, metric, asked, margin, metric.stake(pairs.a))
    if metric.emptied is None:
        return None
    units = units_of(pairs)
    pulls = contributions(units, metric)
    if pulls is None:
        return None
    # The system that the claim says is not worse may crash where the other one did well.
    rows = units.b if asked.alternative == "greater" else units.a
    emptied = rows @ np.asarray(metric.emptied)
    total, scale = rows.sum(axis=0), float(units.scale)
    turn = 1.0 if metric.higher_is_better else -1.0
    score = float(metric.score(total / scale))
    with np.errstate(all="ignore"):
        losses = len(rows) * turn * (score - metric.score((total - rows + emptied) / scale))
    losses = np.maximum(losses, 0.0)
    whole = turn * (score - float(metric.score(emptied.sum(axis=0) / scale)))
    worst = float(losses.max())
    if asked.assume == EQUAL_CRASHES and losses.any():
        worst = float((losses**2).sum() / losses.sum())
    worst = max(whole, worst)
    low, high = metric.bounds
    if margin >= worst and low is not None and high is not None:
        # These data leave no room for such a loss; others may, and few items of these may have anything to lose.
        worst = (high - low) * len(rows) / max(1, int(rows.any(axis=1).sum()))
    note = Note("method", CRASH.format(metric=metric.name))
    silent = bool(np.ptp(pulls) <= TIE_TOLERANCE * worst)
    law = Bounded(_turn(metric, asked) * pulls, worst, pairs.per_item().rows)
    return _Bound(CRASHES, law, margin, (note,), silent)


def _of_stakes(pairs: PairedScores, metric: AdditiveMetric, asked: TestRequest, margin: float, worst: float) -> _Bound | None:
    """What units contribute to the difference of two areas, of which an item of the rarer class is the larger part."""
    units, alone = units_of(pairs), metric.alone or metric
    one, sizes = alone.bottom(pairs.a[:1]), alone.bottom(units.a)
    if one is None or sizes is None:
        return None
    x = _turn(metric, asked) * (alone.top(units.a) - alone.top(units.b)) / float(one[0])
    sizes = sizes / float(one[0])
    silent = bool(np.ptp(x / sizes) <= TIE_TOLERANCE * worst)
    notes = (Note("method", CRASH.format(metric=metric.name)),)
    return _Bound(CRASHES, Bounded.of(x, worst, pairs.per_item().rows, sizes), margin, notes, silent)


NAMED_TEST = "The margin is tested by `{test}`, as was asked; it does not exclude rare large losses that have not shown."
NO_SHAPE = (
    "The margin is tested without assuming anything about the shape of the differences: scores lie between {low:g} and"
    " {high:g}, and one more item with the worst possible difference is added (Gaffke, 2005)."
)
TWO_SCORES = (
    "All scores are {wrong:g} or {right:g}, so they are taken as wrong and right, and at the margin no item can lose more than"
    " {unit:g}. Where others are possible, give their range with --bounds LOW HIGH."
)
CLUSTERS = "At the margin the claim is about clusters of at most {largest:g} items, like the largest of these."
CRASH = (
    "At the margin, p is no smaller than if one more item had the largest loss in {metric} that an empty output could cause: a"
    " loss that rarely happens may not have shown."
)
