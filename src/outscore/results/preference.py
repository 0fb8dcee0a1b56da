"""What battles find: win rates, strengths, and what verdicts owe to position, length and judge.

Rates are those of the first system of a pair, `a`; a pair names the one ahead first. The unit is what is drawn anew: the
prompt, with all orders, judges and votes on it, unless another column was asked for.
"""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from outscore.core.brief import brief_name, brief_number, brief_p
from outscore.core.records import dataclass
from outscore.results.design import Family
from outscore.results.note import Note
from outscore.results.pvalue import PValue
from outscore.results.ranking import PairCounts
from outscore.results.rendering import Result, frame, records_of
from outscore.results.signature import Signature

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "Agreement",
    "Alpha",
    "BattleReading",
    "Categories",
    "CategoryRow",
    "Intransitivity",
    "JudgeRow",
    "Judges",
    "Labelled",
    "Length",
    "Position",
    "Preference",
    "PreferencePair",
    "Strength",
]

ROUNDING = 1e-9
"""Log-odds that differ by less are equal."""
Order = Literal["both", "random", "fixed", "unrecorded"]


@dataclass(frozen=True)
class BattleReading:
    """What the input was taken to mean.

    Attributes
    ----------
    formats
        The formats of the files.
    files, rows
        How many files and battles were read.
    columns
        The columns by the part they played; several files may name theirs differently.
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
        Battles between them, from the side of `a`; of pairs compared through a baseline, prompts on which `a` did better, as
        well, and worse against it.
    win_rate
        The share of battles that `a` won, ties as half. Of pairs that never met, what the strengths predict; None of pairs
        compared through a baseline.
    low, high
        The interval of the win rate.
    p
        The p-value of no difference; None where it cannot be had, and `note` says why.
    clusters
        Prompts on which they met.
    by
        What is compared: their own "games", both against a common "baseline" on the same prompts, or strengths of the "model".
    standard_error, rows_standard_error
        Of the win rate: with the prompt as cluster, and as if every row were independent.
    independent_p
        The p-value of the sign test on rows, which would be right if votes were independent; None where verdicts do not count
        as one battle each.
    both_orders
        The win rate with `a` shown first and that with `a` shown second, averaged.
    order
        What is known of the order: "both" orders of every prompt were shown, it was drawn at "random", it was "fixed", or it
        is "unrecorded".
    equal_length, equal_length_low, equal_length_high
        The win rate at equal length, and its interval.
    difference, difference_low, difference_high
        Of pairs compared through a baseline: the mean difference of their win rates against it, each shared prompt
        counting once, and its interval.
    log_odds
        The difference of their strengths.
    note
        What to know about this pair.
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

    def is_significant(self, alpha: float) -> bool:
        """Whether `a` is preferred to `b` at this level, corrected where the pair belongs to a family."""
        return self.p is not None and self.p.rejects(alpha)


@dataclass(frozen=True)
class Strength:
    """One system's strength.

    Attributes
    ----------
    system
        Its name.
    log_odds, elo
        Its strength: log-odds against an average system of its group, and the same on the scale of Elo, 1000 being average.
        None where it is not finite: a system that never lost, or never won.
    low, high
        The interval of `log_odds`; of a system that never lost only the lower end, of one that never won only the upper.
    elo_low, elo_high
        The same on the scale of Elo.
    rank_low, rank_high
        The best and the worst place among the systems of its component that the tests leave open; preferences that run in a
        circle give none of its systems a place before another.
    battles
        In how many it was.
    win_rate
        The share of them that it won, ties as half, whoever the rivals were.
    letters
        The groups of systems it cannot be told apart from.
    component
        Systems with another number never met it, not even through others: their strengths cannot be compared.
    equal_length
        Its log-odds at equal length of answers.
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


@dataclass(frozen=True)
class Position:
    """What being shown first is worth.

    Attributes
    ----------
    first, second, ties
        Battles that the system shown first won, those that the second one won, and ties.
    p
        The p-value of no effect of the order, the prompt as cluster.
    clusters
        Prompts with a known order.
    independent_p
        The p-value of the sign test on rows, which would be right if votes were independent; None where verdicts do not count
        as one battle each.
    first_rate, low, high
        The share of battles that the system shown first won, ties as half, and its interval.
    compared, flipped
        Two verdicts on the same pair and prompt by the same judge, one in each order, and how many of them differ. Of several
        verdicts in one order each meets each of the other.
    flipped_rate
        Their share.
    questions
        Pairs, prompts and judges that were compared: as many as `compared` where each order has one verdict.
    systems
        The systems of the battles that this is about, where the order of others is not known; empty where it is of all.
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
    """What the longer answer is worth.

    Attributes
    ----------
    coefficient, low, high
        Log-odds of the win for an answer that is longer by everything, (l_a - l_b)/(l_a + l_b) = 1, and the interval.
    p
        The p-value of no effect, asymptotic, the prompt as cluster.
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
        Of two systems, the share that the first one won by this judge.
    repeated
        Items (the same pair, prompt and order) on which it gave several verdicts.
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
        The same pair, prompt and order, judged by both; several verdicts of one judge on it count as one, by their shares.
    agreement, low, high
        The share of equal verdicts, and its interval; no verdict equals only no verdict.
    kappa, kappa_low, kappa_high
        Cohen's kappa: agreement beyond what the judges' habits alone would give.
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
        The coefficient for verdicts as names, and its interval.
    items
        The same pair, prompt and order with verdicts of two judges or more.
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
        How far each two of them agree, of at most ten judges.
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
        Whose verdicts are taken for right.
    labelled, unlabelled
        Prompts that people judged, and those that the judge alone did.
    win_rate, low, high
        The estimate of the win rate by people's verdicts, and its interval.
    p
        The p-value of one half.
    weight
        How far the judge is trusted, from 0 to 1.
    people_rate, people_low, people_high
        From people's verdicts alone.
    judge_rate
        By the judge on all prompts, without correction.
    effective
        So many labels without a judge would be as exact.
    bias, bias_low, bias_high
        The win rate by the judge less that by people, on the prompts that both judged.
    agreement, kappa
        How often both prefer the same system, and Cohen's kappa.
    audit_p
        The p-value of labelled and other prompts having the same win rate by the judge: a small one says that the labelled
        prompts are no random part.
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


@dataclass(frozen=True)
class Intransitivity:
    """Whether one strength per system explains who beats whom.

    Attributes
    ----------
    statistic, df, clusters
        The clustered score test of the strengths against a win rate of its own for every pair, its degrees of freedom, and the
        prompts.
    p
        Its p-value, asymptotic; None where there are too few prompts.
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
    """One system on one kind of prompts.

    Attributes
    ----------
    category, system
        Both names.
    wins, ties, losses
        Its battles there, against all it met.
    clusters
        Prompts.
    win_rate, low, high
        The share that it won, ties as half, and its interval.
    p
        The p-value of its being as good as those it met, the prompt as cluster; None where orders were chosen.
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
    """Kinds of prompts one by one.

    Attributes
    ----------
    rows
        A row for every category and system; of two systems, for the first.
    family
        The correction of their p-values, all together.
    """

    rows: list[CategoryRow]
    family: Family


@dataclass(frozen=True, kw_only=True, repr=False)
class Preference(Result):
    """Battles between systems: who is preferred to whom, and by how much.

    Attributes
    ----------
    systems
        All of them, the strongest first.
    pairs
        Every pair, the exact tests of direct games first.
    strengths
        Strengths of three systems or more, and their places; of two, the same without intervals of their own use.
    position
        What being shown first is worth; None where no order is known.
    length
        What the longer answer is worth; None where no lengths are known.
    judges
        How far several judges agree; None where there is one or none.
    labels
        What people would say, from their verdicts on some prompts and the judge's on all.
    intransitivity
        Whether one strength per system explains the win rates; None with two systems.
    circles
        Significant preferences that run in a circle: each system of a list is preferred to the next, the last one to the first.
        Of systems that are in many circles a shortest one is named.
    categories
        How systems fare on each kind of prompts; None where there are not two kinds.
    groups
        The largest sets of systems of one component no two of which differ significantly.
    counts
        How many pairs there are, can be tested, and differ significantly.
    family
        The correction of the pairs' p-values.
    alpha
        The level.
    baseline
        The system that all others met, where they met nobody else.
    order
        What is known of the order in which answers were shown.
    unit
        What is drawn anew: "prompt", or the column that was asked for.
    clusters
        How many of them there are.
    battles, undecided
        Verdicts, and battles without one, which are left out.
    strength
        How many wins a strong verdict (A>>B) counts as.
    graded
        Whether some verdicts are degrees between a win and a tie, and count as such.
    reading
        What the input was taken to mean.
    verdict, headline, reason
        The answer, and its two parts.
    sentence, signature
        One sentence for a paper, and one line that says how the numbers came about.
    settings
        What repeats the call.
    notes
        What the reader should know.
    schema
        The form of the saved file.
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
    notes: list[Note] = field(default_factory=list)
    schema: Literal["outscore/preference/1"] = "outscore/preference/1"

    def to_frame(self, of: Literal["pairs", "strengths", "categories"] = "pairs") -> pl.DataFrame:
        """A polars data frame with a row for each pair, for each system's strength, or for each category and system."""
        return frame(*records_of(self, of))

    def _brief(self) -> str:
        if len(self.systems) == 2 and self.pairs:
            pair = self.pairs[0]
            if self.labels is not None:
                told = f"{brief_name(pair.a)} would win {brief_number(self.labels.win_rate)} against {brief_name(pair.b)}"
                return f"{told} by {brief_name(self.labels.people)}, {brief_p(self.labels.p.value, self.labels.p.log10)}"
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
        # Of strengths that are not finite the battles between the two tell.
        met = [x.win_rate for x in self.pairs if x.by == "games" and {x.a, x.b} == {one.system, other.system}]
        return one.log_odds is other.log_odds and one.low == other.low and met in ([], [0.5])
