"""The document of a card for notebooks, for results of every kind: the verdict and the numbers under it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from outscore.language.numbers import (
    count,
    decimals_for,
    finer,
    format_ends,
    format_level,
    format_number,
    format_p,
    format_p_number,
    format_percent,
    format_probability,
)
from outscore.language.phrases import ESTIMANDS, method_phrase
from outscore.language.verdict.comparison import stored_verdict
from outscore.report.build.common import read_as
from outscore.report.build.value import Value, statements
from outscore.report.document import Article, Block, Document, Listing, Paragraph, Section, Table, Verdict, clean
from outscore.results.comparison import Comparison, Comparisons
from outscore.results.diff import Diff, Pair
from outscore.results.note import note_texts
from outscore.results.plan import PlanResult, PossibleP
from outscore.results.ranking import Ranking
from outscore.results.reading import Reading

__all__ = ["build"]

MAX_SYSTEMS = 10
MAX_PAIRS = 6
MAX_COMPARISONS = 12


def build(result: Comparison | Comparisons | Ranking | Diff | PlanResult | PossibleP | Value) -> Document:
    """The result as a small card."""
    if isinstance(result, Value):
        title, rows = statements(result)
        return _card(title, "", _table((), rows))
    if isinstance(result, PlanResult | PossibleP):
        return _plan(result) if isinstance(result, PlanResult) else _possible(result)
    if isinstance(result, Comparison | Comparisons):
        return _comparison(result) if isinstance(result, Comparison) else _comparisons(result)
    return _ranking(result) if isinstance(result, Ranking) else _diff(result)


def _comparison(c: Comparison) -> Document:
    verdict = stored_verdict(c)
    decimals = decimals_for(*(s.value for s in c.scores), difference=c.difference)
    own = c.interval if c.interval is not None and c.interval.estimand == "difference" else None
    rows = [(s.system, format_number(s.value, decimals), _ends(s.low, s.high, decimals)) for s in c.scores]
    ends = "" if own is None else _ends(own.low, own.high, decimals)
    rows.append(("A - B", format_number(c.difference, decimals, sign=True), ends))
    if c.interval is not None and own is None:
        places = finer(decimals, c.interval.estimate)
        estimate = "" if c.interval.estimate is None else format_number(c.interval.estimate, places, sign=True)
        rows.append((ESTIMANDS[c.interval.estimand], estimate, _ends(c.interval.low, c.interval.high, places)))
    rows.append(("p", format_p_number(c.p), method_phrase(c.p)))
    if c.p.adjusted is not None:
        rows.append(("adjusted p", format_probability(c.p.adjusted), ""))
    level = "interval" if c.interval is None else f"{format_percent(c.interval.level)} interval"
    table = _table(("", c.score_name, level), rows)
    return _card(verdict.headline, verdict.reason, table, note_texts(c.notes), reading=c.reading)


def _comparisons(whole: Comparisons) -> Document:
    if len(whole.comparisons) == 1:
        return _comparison(whole.comparisons[0])
    rows = []
    for c in whole.comparisons[:MAX_COMPARISONS]:
        decimals = decimals_for(*(s.value for s in c.scores), difference=c.difference)
        where = "" if c.slice is None else f", {c.slice.column} = {c.slice.value}"
        scores = (format_number(s.value, decimals) for s in c.scores)
        adjusted = "" if c.p.adjusted is None else format_probability(c.p.adjusted)
        difference = format_number(c.difference, decimals, sign=True)
        rows.append((f"{c.score_name}{where}", *scores, difference, format_p_number(c.p), adjusted, stored_verdict(c).headline))
    head = ("", *whole.comparisons[0].systems, "A - B", "p", "adjusted p", "") if whole.comparisons else ()
    left = len(whole.comparisons) - len(rows)
    reading = whole.comparisons[0].reading if whole.comparisons else None
    return _card(
        count(len(whole.comparisons), "comparison"), "", _table(head, rows), left=(left, "comparison"), reading=reading
    )


def _ranking(ranking: Ranking) -> Document:
    shown = ranking.scores[:MAX_SYSTEMS]
    decimals = decimals_for(*(s.value for s in shown))
    rows = [
        (
            str(place),
            s.system,
            format_number(s.value, decimals),
            _ends(s.low, s.high, decimals),
            f"{s.rank_low} to {s.rank_high}",
            s.letters,
        )
        for place, s in enumerate(shown, 1)
    ]
    head = ("", "system", ranking.metric, f"{format_percent(1 - ranking.alpha)} interval", "ranks", "groups")
    left = (len(ranking.scores) - len(rows), "system")
    headline = ranking.headline or ranking.verdict
    return _card(headline, ranking.reason, _table(head, rows), note_texts(ranking.notes), left, ranking.reading)


def _diff(diff: Diff) -> Document:
    pairs = diff.primary_pairs[:MAX_PAIRS]
    rows = [_pair(pair) for pair in pairs]
    head = ("first", "second", "score", "first", "second", "difference", "p", "corrections", "new errors", "changed errors")
    table = _table(head, rows) if rows else _scores(diff)
    notes = [*diff.inventory.warnings, *note_texts(diff.notes)]
    left = (len(diff.primary_pairs) - len(rows), "pair")
    return _card(diff.verdicts[0], " ".join(diff.verdicts[1:]), table, notes, left, diff.reading)


def _pair(pair: Pair) -> tuple[str, ...]:
    decimals = decimals_for(pair.first, pair.second, difference=pair.difference)
    scores = (format_number(pair.first, decimals), format_number(pair.second, decimals))
    changes = (pair.outcomes.correction, pair.outcomes.new_error, pair.outcomes.changed_error)
    difference = format_number(pair.difference, decimals, sign=True)
    return (*pair.systems, pair.metric, *scores, difference, format_p_number(pair.p), *(f"{n:,}" for n in changes))


def _scores(diff: Diff) -> Table:
    """The scores of a single system."""
    rows = []
    for name, value in next(iter(diff.scores.values()), {}).items():
        rows.append((name, format_number(value if isinstance(value, float) else value.f1)))
    return _table(("score", diff.systems[0]), rows[:MAX_SYSTEMS])


def _plan(plan: PlanResult) -> Document:
    rows = [
        ("items", f"{plan.items:,}"),
        ("effect", format_number(plan.effect)),
        ("power", format_probability(plan.power)),
        ("alpha", f"{format_level(plan.design.alpha)}, {plan.design.alternative}"),
        ("method", plan.method),
    ]
    return _card(plan.verdict, "", _table((), rows), note_texts(plan.notes))


def _possible(found: PossibleP) -> Document:
    rows = [
        ("lowest", format_p(found.lowest), f"they differ on {found.discordant[0]:,} items"),
        ("highest", format_p(found.highest), f"they differ on {found.discordant[1]:,} items"),
        ("independent errors", format_p(found.independent), ""),
    ]
    return _card(found.verdict, "", _table((), rows), note_texts(found.notes))


def _ends(low: float | None, high: float | None, decimals: int) -> str:
    return "" if low is None and high is None else format_ends(low, high, decimals)


def _card(
    headline: str,
    reason: str,
    table: Table,
    notes: Iterable[str] = (),
    left: tuple[int, str] = (0, ""),
    reading: Reading | None = None,
) -> Document:
    """The verdict, what the input was taken to mean, the numbers, how many more rows there are, and what to know about them."""
    more = f"and {count(left[0], f'more {left[1]}')}"
    blocks: list[Block] = [Verdict((headline,), clean(headline), clean(reason)), *read_as(reading), table]
    blocks += [Paragraph(more)] if left[0] > 0 else []
    said = tuple(clean(note) for note in notes)
    blocks += [Listing("notes", said)] if said else []
    return Document(clean(headline), (Article("", "", (Section("card", "", lambda: blocks),)),))


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Table:
    """All columns, whatever they hold; without a `head` they have no names."""
    width = len(rows[0]) if rows else len(head)
    cells = tuple(tuple(clean(cell) for cell in row) for row in rows)
    return Table("card", "", tuple(map(clean, head)) or ("",) * width, "l" * width, cells)
