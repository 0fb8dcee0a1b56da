"""The results of battles: win rates, strengths, and how verdicts depend on position, length and judge.

Rates are those of the first system of a pair, `a`; a pair names the one ahead first. The unit of resampling is the
prompt, with all orders, judges and votes on it, unless another column was named.
"""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from outscore.core.records import brief_name, brief_number, brief_p, dataclass
from outscore.results.design import Family
from outscore.results.note import Note, Signature
from outscore.results.pvalue import PValue
from outscore.results.ranking import PairCounts
from outscore.results.rendering import Result, frame_of

if TYPE_CHECKING:
    import polars as pl

ROUNDING = 1e-9
"""Log-odds that differ by less count as equal."""
Order = Literal["both", "random", "fixed", "unrecorded"]


@dataclass(frozen=True)
class BattleReading:
    """How the input was interpreted.

    Attributes
    ----------
    formats
        The formats of the files.
    files, rows
        How many files and battles were read.
    columns
        The columns by their role; several files may name theirs differently.
    """

    formats: list[str]
    files: int
    rows: int
    columns: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class PreferencePair:
    """Two systems.

    Attributes
    ----------
    a, b
        Their names, the one ahead first.
    wins, ties, losses
        Battles between them, seen from `a`; for pairs compared through a baseline, prompts on which `a` did better, equally
        well, and worse against it.
    win_rate
        The share of battles that `a` won, with ties counting half. For pairs that never met, the prediction of the strengths;
        None for pairs compared through a baseline.
    low, high
        The interval of the win rate.
    p
        The p-value of no difference in what `by` names; None if there is none, and `note` says why.
    clusters
        Prompts on which they met.
    by
        What is compared: direct "games", both against a common "baseline" on the same prompts, or strengths of the "model".
    standard_error, rows_standard_error
        Of the win rate: with prompts as clusters, and as if every row were independent.
    independent_p
        The p-value of the sign test on rows, which would be right if votes were independent; None if verdicts do not count
        as one battle each.
    both_orders
        The win rate with `a` shown first and that with `a` shown second, averaged.
    order
        What is known about the order: "both" orders of every prompt were shown, it was "random", it was "fixed", or it
        is "unrecorded".
    equal_length, equal_length_low, equal_length_high
        The win rate at equal length, and its interval.
    difference, difference_low, difference_high
        For pairs compared through a baseline: the mean difference of their win rates against it, each shared prompt
        counting once, and its interval.
    log_odds, log_odds_low, log_odds_high
        The difference of their strengths, and its interval.
    note
        A note on this pair.
    strength_p
        The p-value of equal strengths, with prompts as clusters; None if strengths are not tested.
    decided_by_strength
        Whether `strength_p` decides who is ahead, not `p`. The one that decides is corrected for all tests that decide, the
        other one for all of its own kind.
    """

    a: str
    b: str
    wins: int
    ties: int
    losses: int
    win_rate: float | None
    low: float | None
    high: float | None
    p: PValue | None
    clusters: int
    by: Literal["games", "baseline", "model"] = "games"
    standard_error: float | None = None
    rows_standard_error: float | None = None
    independent_p: float | None = None
    both_orders: float | None = None
    order: Order = "unrecorded"
    equal_length: float | None = None
    equal_length_low: float | None = None
    equal_length_high: float | None = None
    difference: float | None = None
    difference_low: float | None = None
    difference_high: float | None = None
    log_odds: float | None = None
    note: str | None = None
    log_odds_low: float | None = None
    log_odds_high: float | None = None
    strength_p: PValue | None = None
    decided_by_strength: bool = False

    @property
    def deciding(self) -> PValue | None:
        """The p-value that decides who is ahead."""
        return self.strength_p if self.decided_by_strength else self.p

    def is_significant(self, alpha: float) -> bool:
        """Whether `a` is ahead of `b` at this level, by the corrected p if the pair belongs to a family."""
        return self.deciding is not None and self.deciding.rejects(alpha)


@dataclass(frozen=True)
class Strength:
    """One system's strength.

    Attributes
    ----------
    system
        Its name.
    log_odds, elo
        Its strength: log-odds against an average system of its group, and the same on the Elo scale, with 1000 as the average.
        None if it is not finite: a system that never lost, or never won.
    low, high
        The interval of `log_odds`; only the lower end for a system that never lost, only the upper for one that never won.
    elo_low, elo_high
        The same on the Elo scale.
    rank_low, rank_high
        The best and the worst place among the systems of its component that the tests allow; preferences that run in a
        circle put none of its systems before another.
    battles
        The number of its battles.
    win_rate
        The share of them that it won, with ties counting half, whoever the opponents were.
    letters
        The groups of systems it cannot be told apart from.
    component
        Systems with a different number never met it, not even through others, so their strengths cannot be compared.
    equal_length
        Its log-odds at equal length of answers.
    equal_pairs
        Its log-odds if every pair of systems counted alike, however many battles it had.
    tier
        1 if no system of its component is significantly better, otherwise one more than the lowest tier among those that are.
    """

    system: str
    log_odds: float | None
    elo: float | None
    low: float | None
    high: float | None
    elo_low: float | None
    elo_high: float | None
    rank_low: int
    rank_high: int
    battles: int
    win_rate: float
    letters: str = ""
    component: int = 0
    equal_length: float | None = None
    equal_pairs: float | None = None
    tier: int | None = None


@dataclass(frozen=True)
class Position:
    """The advantage of being shown first.

    Attributes
    ----------
    first, second, ties
        Battles that the system shown first won, those that the second one won, and ties.
    p
        The p-value of no effect of the order, with prompts as clusters.
    clusters
        Prompts with a known order.
    independent_p
        The p-value of the sign test on rows, which would be right if votes were independent; None if verdicts do not count
        as one battle each.
    first_rate, low, high
        The share of battles that the system shown first won, with ties counting half, and its interval.
    compared, flipped
        Two verdicts on the same pair and prompt by the same judge, one in each order, and how many of them differ. If there are
        several verdicts in one order, each is compared with each of the other.
    flipped_rate
        Their share.
    questions
        Combinations of pair, prompt and judge that were compared: as many as `compared` if each order has one verdict.
    systems
        The systems of battles with a known order, if not all battles have one; otherwise empty.
    """

    first: int
    second: int
    ties: int
    p: PValue
    clusters: int
    independent_p: float | None
    first_rate: float
    low: float | None = None
    high: float | None = None
    compared: int = 0
    flipped: int = 0
    flipped_rate: float | None = None
    questions: int = 0
    systems: list[str] = field(default_factory=list)

    @property
    def battles(self) -> int:
        """How many battles have a known order."""
        return self.first + self.ties + self.second


@dataclass(frozen=True)
class Length:
    """The advantage of a longer answer.

    Attributes
    ----------
    coefficient, low, high
        Log-odds of a win at the largest possible difference in length, (l_a - l_b)/(l_a + l_b) = 1, and the interval.
    p
        The asymptotic p-value of no effect, with prompts as clusters.
    battles, clusters
        Battles with both lengths, and their prompts.
    """

    coefficient: float
    low: float
    high: float
    p: float
    battles: int
    clusters: int


@dataclass(frozen=True)
class JudgeRow:
    """One judge.

    Attributes
    ----------
    judge
        Its name.
    battles, undecided
        Verdicts, and battles without one.
    ties
        How many verdicts are ties.
    win_rate
        For two systems, the share of battles that the first one won according to this judge.
    repeated
        Items (same pair, prompt and order) on which it gave several verdicts.
    """

    judge: str
    battles: int
    undecided: int
    ties: int
    win_rate: float | None = None
    repeated: int = 0


@dataclass(frozen=True)
class Agreement:
    """How far two judges agree.

    Attributes
    ----------
    judges
        Both of them.
    items
        Items (same pair, prompt and order) judged by both; several verdicts of one judge on an item count as one, by shares.
    agreement, low, high
        The share of equal verdicts, and its interval; a missing verdict only equals a missing verdict.
    kappa, kappa_low, kappa_high
        Cohen's kappa: agreement beyond what the judges' verdict frequencies alone would give.
    clusters
        Prompts.
    """

    judges: tuple[str, str]
    items: int
    agreement: float
    low: float | None
    high: float | None
    kappa: float | None
    kappa_low: float | None
    kappa_high: float | None
    clusters: int


@dataclass(frozen=True)
class Alpha:
    """Krippendorff's alpha over all judges.

    Attributes
    ----------
    value, low, high
        The coefficient for nominal verdicts, and its interval.
    items
        Items (same pair, prompt and order) with verdicts of two or more judges.
    clusters
        Prompts.
    """

    value: float | None
    low: float | None
    high: float | None
    items: int
    clusters: int


@dataclass(frozen=True)
class Judges:
    """Several judges of the same battles.

    Attributes
    ----------
    judges
        One by one.
    pairs
        How far each two of them agree, for at most ten judges.
    alpha
        How far all of them agree.
    """

    judges: list[JudgeRow]
    pairs: list[Agreement]
    alpha: Alpha | None


@dataclass(frozen=True)
class Labelled:
    """A judge on all prompts, people on some: the win rate that people would give.

    Attributes
    ----------
    people
        Whose verdicts count as right.
    labelled, unlabelled
        Prompts that people judged, and those that only the judge did.
    win_rate, low, high
        The estimate of the win rate by people's verdicts, and its interval.
    p
        The p-value of one half.
    weight
        How much the judge counts, from 0 to 1.
    people_rate, people_low, people_high
        From people's verdicts alone.
    judge_rate
        By the judge on all prompts, without correction.
    effective
        How many labels without a judge would be equally precise.
    bias, bias_low, bias_high
        The win rate by the judge minus that by people, on the prompts that both judged.
    agreement, kappa
        How often both prefer the same system, and Cohen's kappa.
    audit_p
        The p-value of labelled and other prompts having the same win rate by the judge: a small one suggests that the labelled
        prompts are not a random sample.
    """

    people: str
    labelled: int
    unlabelled: int
    win_rate: float
    low: float
    high: float
    p: PValue
    weight: float
    people_rate: float
    people_low: float
    people_high: float
    judge_rate: float
    effective: float
    bias: float
    bias_low: float
    bias_high: float
    agreement: float
    kappa: float | None
    audit_p: float | None

    @property
    def judged(self) -> bool:
        """Whether the judge counts, which the number of labels decides; otherwise people's verdicts count alone."""
        return self.p.kernel == "ppi++"


@dataclass(frozen=True)
class Intransitivity:
    """Whether one strength per system explains who beats whom.

    Attributes
    ----------
    statistic, df, clusters
        The clustered score test of the strengths against a separate win rate for every pair, its degrees of freedom, and the
        prompts.
    p
        Its p-value, asymptotic; None if there are too few prompts.
    note
        Why there is none.
    """

    statistic: float | None
    df: int
    clusters: int
    p: float | None
    note: str = ""


@dataclass(frozen=True)
class CategoryRow:
    """One system on one category of prompts.

    Attributes
    ----------
    category, system
        Both names.
    wins, ties, losses
        Its battles there, against all it met.
    clusters
        Prompts.
    win_rate, low, high
        The share that it won, with ties counting half, and its interval.
    p
        The p-value of its being as good as those it met, with prompts as clusters; None if orders were chosen.
    log_odds, elo, elo_low, elo_high
        Its strength among the systems of the category, as for all prompts together.
    """

    category: str
    system: str
    wins: int
    ties: int
    losses: int
    clusters: int
    win_rate: float
    low: float | None
    high: float | None
    p: PValue | None
    log_odds: float | None = None
    elo: float | None = None
    elo_low: float | None = None
    elo_high: float | None = None

    def is_significant(self, alpha: float) -> bool:
        """Whether the system differs from those it met at this level, corrected over all rows."""
        return self.p is not None and self.p.rejects(alpha)


@dataclass(frozen=True)
class Categories:
    """Results by category of prompts.

    Attributes
    ----------
    rows
        A row for every category and system; with two systems, only for the first.
    family
        The correction of their p-values, all together.
    """

    rows: list[CategoryRow]
    family: Family


@dataclass(frozen=True, kw_only=True, repr=False)
class Preference(Result):
    """Battles between systems: which system is preferred to which, and by how much.

    Attributes
    ----------
    systems
        All of them, the strongest first.
    pairs
        Every pair: by places if strengths decide, otherwise the exact tests of direct games first.
    strengths
        Strengths and places, which matter for three or more systems.
    position
        The advantage of being shown first; None if no order is known.
    length
        The advantage of a longer answer; None if no lengths are known.
    judges
        How far several judges agree; None if there is one or none.
    labels
        What people would say, from their verdicts on some prompts and the judge's on all.
    intransitivity
        Whether one strength per system explains the win rates; None with two systems.
    circles
        Significant preferences that run in a circle: each system of a list is preferred to the next, the last one to the first.
        For systems in many circles, a shortest one is given.
    categories
        How systems do on each category of prompts; None unless there are two categories.
    groups
        The largest sets of systems of one component no two of which differ significantly.
    counts
        How many pairs there are, can be tested, and differ significantly.
    family
        The correction of the pairs' p-values.
    alpha
        The level.
    baseline
        The system that all others met, if they met nobody else.
    order
        What is known about the order in which answers were shown.
    unit
        The unit of resampling: "prompt", or the named column.
    clusters
        How many of them there are.
    battles, undecided
        Verdicts, and battles without one, which are left out.
    strength
        How many wins a strong verdict (A>>B) counts for.
    graded
        Whether some verdicts are degrees between a win and a tie, and count as such.
    decided_by
        What ranks, groups and the headline follow from: "strengths", tested over all battles, or the direct "games" of each
        pair. Pairs whose strengths cannot be tested are decided by games either way.
    reading
        How the input was interpreted.
    verdict, headline, reason
        The answer, and its two parts.
    sentence, signature
        One sentence for a paper, and one line that says how the numbers were computed.
    settings
        The settings that repeat the call.
    notes
        Notes for the reader.
    schema
        The schema of the saved file.
    """

    has_pairs: ClassVar[bool] = True

    systems: list[str]
    pairs: list[PreferencePair]
    strengths: list[Strength]
    position: Position | None
    counts: PairCounts
    family: Family
    alpha: float
    order: Order
    clusters: int
    battles: int
    verdict: str
    headline: str
    reason: str
    sentence: str
    signature: Signature
    settings: dict[str, Any]
    reading: BattleReading
    length: Length | None = None
    judges: Judges | None = None
    labels: Labelled | None = None
    intransitivity: Intransitivity | None = None
    categories: Categories | None = None
    circles: list[list[str]] = field(default_factory=list)
    groups: list[list[str]] = field(default_factory=list)
    baseline: str | None = None
    unit: str = "prompt"
    undecided: int = 0
    strength: int = 1
    graded: bool = False
    decided_by: Literal["strengths", "games"] = "games"
    notes: list[Note] = field(default_factory=list)
    schema: Literal["outscore/preference/1"] = "outscore/preference/1"

    def to_frame(self, of: Literal["pairs", "strengths", "categories"] = "pairs") -> pl.DataFrame:
        """A polars data frame with a row for each pair, for each system's strength, or for each category and system."""
        return frame_of(self, of)

    def _brief(self) -> str:
        if len(self.systems) == 2 and self.pairs:
            pair = self.pairs[0]
            if self.labels is not None:
                estimate = f"{brief_name(pair.a)} would win {brief_number(self.labels.win_rate)} against {brief_name(pair.b)}"
                return f"{estimate} by {brief_name(self.labels.people)}, {brief_p(self.labels.p.value, self.labels.p.log10)}"
            p = "" if pair.p is None else f", {brief_p(pair.p.value, pair.p.log10)}"
            return f"{brief_name(pair.a)} wins {brief_number(pair.win_rate)} against {brief_name(pair.b)}{p}"
        apart = f"{self.counts.significant:,} of {self.counts.testable:,} pairs differ"
        first = "" if self._lead_is_shared() else f"{brief_name(self.systems[0])} first, "
        return f"of {len(self.systems):,} systems in {self.battles:,} battles: {first}{apart}"

    def _lead_is_shared(self) -> bool:
        """Whether the first two systems are equally strong, up to rounding, so that neither is first."""
        if len(self.strengths) < 2:
            return False
        one, other = self.strengths[:2]
        if one.log_odds is not None and other.log_odds is not None:
            return abs(one.log_odds - other.log_odds) < ROUNDING
        # If strengths are not finite, the battles between the two decide.
        met = [x.win_rate for x in self.pairs if x.by == "games" and {x.a, x.b} == {one.system, other.system}]
        return one.log_odds is other.log_odds and one.low == other.low and met in ([], [0.5])
